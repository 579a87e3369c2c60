"""Fig. 4: the cuts of a graph in the plane of cost and satisfaction, and the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from sidecut._progress import Callback
from sidecut._validation import Int
from sidecut.affinity import knn_affinity
from sidecut.constraints import Constraints
from sidecut.csp import constrained_cuts, unconstrained_cuts
from sidecut.datasets import sparse_moons
from sidecut.experiments._claims import Claim, grade
from sidecut.experiments._runner import Output, run_trials
from sidecut.laplacian import normalized_laplacian


@dataclass(frozen=True)
class Settings:
    """What to run: the number of random constraints, and the seed."""

    n_constraints: int = 100
    seed: int = 0


FULL = QUICK = Settings()


@dataclass(frozen=True, eq=False)
class RangeRecord:
    """All cuts of one graph, with `v'v = 1`.

    Attributes
    ----------
    unconstrained, feasible : array of shape (n_cuts, 2)
        Cost and satisfaction of each; the first feasible one is the solution.
    threshold : float
        β/vol.
    ari_unconstrained, ari_constrained : float
        Of the two partitions.
    X : array of shape (n_samples, 2)
    y, labels_unconstrained, labels_constrained : array of shape (n_samples,)
    """

    unconstrained: NDArray[np.float64]
    feasible: NDArray[np.float64]
    threshold: float
    ari_unconstrained: float
    ari_constrained: float
    X: NDArray[np.float64]
    y: Int
    labels_unconstrained: Int
    labels_constrained: Int


def run(
    settings: Settings = FULL,
    *,
    callback: Callback | None = None,
    n_jobs: int = 1,
    output: Output = None,
) -> list[RangeRecord]:
    """Place all cuts in the plane."""
    trials: list[dict[str, Any]] = [
        {"n_constraints": settings.n_constraints, "seed": settings.seed}
    ]
    return run_trials(
        "numerical_range",
        trials,
        all_cuts,
        RangeRecord,
        callback=callback,
        n_jobs=n_jobs,
        output=output,
    )


def all_cuts(n_constraints: int, seed: int) -> list[RangeRecord]:
    """Place the cuts of under-sampled moons in the plane."""
    X, y = sparse_moons(random_state=seed)
    graph = normalized_laplacian(knn_affinity(X))
    known = Constraints.sample(y, n_constraints, random_state=seed)
    plain = unconstrained_cuts(graph)
    cuts = constrained_cuts(graph, known, beta="paper")
    volume = graph.volume
    satisfaction = (plain.indicators * (known @ plain.indicators)).sum(axis=0)
    before, after = ((c.indicators[:, 0] > 0).astype(np.intp) for c in (plain, cuts))
    return [
        RangeRecord(
            unconstrained=np.column_stack([plain.costs, satisfaction]) / volume,
            feasible=np.column_stack([cuts.costs, cuts.satisfactions]) / volume,
            threshold=float(cuts.beta or 0) / volume,
            ari_unconstrained=float(adjusted_rand_score(y, before)),
            ari_constrained=float(adjusted_rand_score(y, after)),
            X=X,
            y=y,
            labels_unconstrained=before,
            labels_constrained=after,
        )
    ]


def _below(records: Sequence[RangeRecord]) -> tuple[str, str]:
    (record,) = records
    below = record.unconstrained[:, 1] < record.threshold
    above = record.feasible[:, 1] > record.threshold
    text = (
        f"{below.mean():.0%} of {len(below)} unconstrained cuts lie below β/vol, "
        f"all {len(above)} feasible ones above: {bool(above.all())}"
    )
    return text, grade([bool(below.mean() > 0.5), bool(above.all())])


def _truth(records: Sequence[RangeRecord]) -> tuple[str, str]:
    (record,) = records
    text = f"ARI {record.ari_unconstrained:.2f} without, {record.ari_constrained:.2f} with"
    return text, grade([record.ari_constrained > max(record.ari_unconstrained, 0.9)])


CLAIMS = (
    Claim("Fig. 4", "Most unconstrained cuts are far below the threshold.", _below),
    Claim("Fig. 4", "Only with constraints is the true partition found.", _truth),
)
