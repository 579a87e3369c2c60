"""The report of a cross-validated fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidecut._validation import Int
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints, Satisfaction
from sidecut.estimators._choose import Choice
from sidecut.metrics import normalized_cut
from sidecut.report import SelectionReport


def summarise(
    affinity: Any,
    basis: SpectralBasis,
    constraints: Constraints | None,
    choice: Choice,
    n_clusters: int,
    labels: Int,
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
        basis=f"{basis.p} vectors by {basis.solver}, {basis.status}",
        doubtful=doubtful_pairs(choice, labels),
        contradictions=tuple(map(str, constraints.contradictions(limit=3))) if constraints else (),
    )


def doubtful_pairs(
    choice: Choice, labels: Int, limit: int = 5
) -> tuple[tuple[int, int, float], ...]:
    """Return the violated pairs that surprise the held-out fits most."""
    if choice.evidence is None or choice.pairs is None:
        return ()
    pairs = choice.pairs
    doubt = choice.evidence.doubt[: len(pairs.first)]
    same = labels[pairs.first] == labels[pairs.second]
    violated = np.flatnonzero(same != (pairs.weight > 0))
    worst = violated[np.argsort(-doubt[violated], kind="stable")][:limit]
    return tuple((int(pairs.first[k]), int(pairs.second[k]), float(pairs.weight[k])) for k in worst)
