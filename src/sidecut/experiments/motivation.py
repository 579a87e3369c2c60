"""Fig. 1: two moons. What k-means misses, spectral clustering finds, and loses with few points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from sidecut._progress import Callback
from sidecut._validation import Int
from sidecut.constraints import Constraints
from sidecut.datasets import sparse_moons, two_moons
from sidecut.estimators import CSP
from sidecut.experiments._claims import Claim, grade
from sidecut.experiments._runner import Output, run_trials

PANELS = ("k-means", "spectral", "spectral, few points", "constrained, few points")


@dataclass(frozen=True)
class Settings:
    """What to run: samples of the moons, and the number of constraints of the last panel.

    The panels of the first seed make the picture; claims are judged by the mean over all.
    """

    seeds: tuple[int, ...] = tuple(range(10))
    n_constraints: int = 30


FULL = QUICK = Settings()


@dataclass(frozen=True, eq=False)
class MotivationRecord:
    """One panel: points, truth, labels, links (pairs, then 1 for must and −1 for cannot)."""

    panel: str
    seed: int
    ari: float
    X: NDArray[np.float64]
    y: Int
    labels: Int
    pairs: Int
    signs: Int


def run(
    settings: Settings = FULL,
    *,
    callback: Callback | None = None,
    n_jobs: int = 1,
    output: Output = None,
) -> list[MotivationRecord]:
    """Make the four panels."""
    trials: list[dict[str, Any]] = [
        {"panel": panel, "seed": seed, "n_constraints": settings.n_constraints}
        for seed in settings.seeds
        for panel in PANELS
    ]
    return run_trials(
        "motivation",
        trials,
        one_panel,
        MotivationRecord,
        callback=callback,
        n_jobs=n_jobs,
        output=output,
    )


def one_panel(panel: str, seed: int, n_constraints: int) -> list[MotivationRecord]:
    """Make one panel."""
    few = panel.endswith("few points")
    X, y = sparse_moons(random_state=seed) if few else two_moons(600, random_state=seed)
    known = Constraints(len(y))
    if panel.startswith("constrained"):
        known = Constraints.sample(y, n_constraints, random_state=seed)
    if panel == "k-means":
        labels = KMeans(2, n_init=10, random_state=seed).fit_predict(X)
    else:
        labels = CSP(affinity="nearest_neighbors").fit(X, constraints=known).labels_
    listed = known.as_pairs()
    pairs = np.column_stack([listed.first, listed.second])
    signs = np.sign(listed.weight).astype(np.intp)
    score = float(adjusted_rand_score(y, labels))
    return [MotivationRecord(panel, seed, score, X, y, labels.astype(np.intp), pairs, signs)]


def _pattern(records: Sequence[MotivationRecord]) -> tuple[str, str]:
    found = {
        panel: float(np.mean([r.ari for r in records if r.panel == panel])) for panel in PANELS
    }
    means, dense, few, constrained = found.values()
    text = ", ".join(f"{panel} {score:.2f}" for panel, score in found.items())
    return f"mean ARI: {text}", grade([means < 0.6, dense > 0.9, few < 0.8, constrained > 0.9])


CLAIMS = (
    Claim(
        "Fig. 1",
        "Spectral clustering finds the moons where k-means does not, fails when they are "
        "under-sampled, and finds them again with constraints.",
        _pattern,
    ),
)
