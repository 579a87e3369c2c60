"""The report of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidecut._validation import Int
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints, Satisfaction
from sidecut.estimators._choose import Choice
from sidecut.estimators._cut import LogitCut
from sidecut.metrics import normalized_cut
from sidecut.path.labels import FLOOR
from sidecut.report import SelectionReport
from sidecut.selection import ClusterCount
from sidecut.selection.refine import pair_log_likelihood


def summarise(
    affinity: Any,
    basis: SpectralBasis,
    constraints: Constraints | None,
    choice: Choice,
    count: ClusterCount | None,
    labels: Int,
    *,
    n_clusters: int,
    hard: bool,
) -> SelectionReport:
    """Put a fit into figures and words."""
    evidence = choice.evidence
    return SelectionReport(
        n_samples=basis.n_samples,
        n_clusters=n_clusters,
        n_components=int((basis.values == 0).sum()) + 1,
        cluster_sizes=tuple(np.unique(labels, return_counts=True)[1].tolist()),
        normalized_cut=normalized_cut(affinity, labels),
        satisfaction=constraints.satisfaction(labels) if constraints else Satisfaction(),
        held_out=evidence.held_out if evidence else np.nan,
        held_out_error=evidence.held_out_error if evidence else np.nan,
        choice=choice.reason,
        count=f"{n_clusters} as given" if count is None else str(count),
        hard=hard,
        basis=f"{basis.p} vectors by {basis.solver}, {basis.status}",
        doubtful=doubtful_pairs(basis, choice),
        contradictions=tuple(map(str, constraints.contradictions(limit=3))) if constraints else (),
    )


def doubtful_pairs(
    basis: SpectralBasis, choice: Choice, limit: int = 5
) -> tuple[tuple[int, int, float], ...]:
    """Return the pairs that the cut violates and that surprise most.

    They surprise the held-out fits, or else the cut itself. Labels that keep every constraint
    violate none; it is the cut that doubts.
    """
    beliefs, evidence, cut = choice.beliefs, choice.evidence, choice.cut
    if beliefs is None or not isinstance(cut, LogitCut):
        return ()
    if choice.weighed is not None:
        doubt = choice.weighed.doubt
    elif evidence is not None:
        doubt = evidence.doubt[: len(beliefs.first)]
    else:
        doubt = -pair_log_likelihood(basis.vectors, cut.weights, beliefs, FLOOR)
    first, second = (
        cut.labels(cut.embedding(basis.vectors[ends])) for ends in (beliefs.first, beliefs.second)
    )
    same = first == second
    violated = np.flatnonzero(same != (beliefs.target > 0.5))
    worst = violated[np.argsort(-doubt[violated], kind="stable")][:limit]
    ends = (beliefs.first, beliefs.second, beliefs.signed)
    first, second, weight = (column[worst].tolist() for column in ends)
    return tuple(zip(first, second, weight, strict=True))
