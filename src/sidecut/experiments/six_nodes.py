"""Fig. 2 and 3: six nodes whose edges and labels disagree, at two thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecut._progress import Callback
from sidecut.csp import constrained_cuts, constraint_spectrum, unconstrained_cuts
from sidecut.datasets import six_node_graph
from sidecut.experiments._claims import Claim, grade
from sidecut.experiments._runner import Output, run_trials
from sidecut.laplacian import normalized_laplacian


@dataclass(frozen=True)
class Settings:
    """What to run: thresholds β in multiples of the volume; 0 stands for no constraints."""

    thresholds: tuple[float, ...] = (0.0, 1.0, 2.0)


FULL = QUICK = Settings()


@dataclass(frozen=True, eq=False)
class SixNodeRecord:
    """The relaxed cut at one threshold, and the largest eigenvalue of Q̄."""

    threshold: float
    indicator: NDArray[np.float64]
    cost: float
    satisfaction: float
    largest_eigenvalue: float


def run(
    settings: Settings = FULL,
    *,
    callback: Callback | None = None,
    n_jobs: int = 1,
    output: Output = None,
) -> list[SixNodeRecord]:
    """Cut the graph at every threshold."""
    trials: list[dict[str, Any]] = [{"threshold": t} for t in settings.thresholds]
    return run_trials(
        "six_nodes", trials, cut, SixNodeRecord, callback=callback, n_jobs=n_jobs, output=output
    )


def cut(threshold: float) -> list[SixNodeRecord]:
    """Cut the graph at β = threshold · vol."""
    affinity, known = six_node_graph()
    graph = normalized_laplacian(affinity)
    if threshold:
        cuts = constrained_cuts(graph, known, beta=threshold * graph.volume)
    else:
        cuts = unconstrained_cuts(graph, 1)
    u = cuts.indicators[:, 0]
    u = u if u[0] > 0 else -u
    top = float(constraint_spectrum(known, graph).values[0])
    costs = float(cuts.costs[0]), float(cuts.satisfactions[0])
    return [SixNodeRecord(threshold, u, *costs, top)]


def _plain(records: Sequence[SixNodeRecord]) -> tuple[str, str]:
    u = next(r.indicator for r in records if r.threshold == 0)
    return f"u = {np.round(u, 2).tolist()}", grade([(u > 0).tolist() == [True] * 3 + [False] * 3])


def _dragged(records: Sequence[SixNodeRecord]) -> tuple[str, str]:
    ordered = sorted(records, key=lambda r: r.threshold)
    # Between the means of the two triangles: 0 is with nodes 5 and 6, 1 with nodes 1 to 3.
    places = [
        float((u[3] - u[4:].mean()) / (u[:3].mean() - u[4:].mean()))
        for u in (r.indicator for r in ordered)
    ]
    steps = [after > before for before, after in pairwise(places)]
    moved = bool(ordered[-1].indicator[3] > 0)
    listed = ", ".join(f"{p:.2f}" for p in places)
    return f"place of node 4 between {{5, 6}} (0) and {{1, 2, 3}} (1): {listed}", grade(
        [*steps, moved]
    )


def _eigenvalue(records: Sequence[SixNodeRecord]) -> tuple[str, str]:
    top = records[0].largest_eigenvalue
    return f"largest eigenvalue {top:.4f}", grade([abs(top - 2.6667) < 5e-5])


CLAIMS = (
    Claim("Fig. 3", "Without constraints the cut is {1, 2, 3} and {4, 5, 6}.", _plain),
    Claim("Fig. 3", "As β grows, node 4 is drawn to nodes 1 to 3.", _dragged),
    Claim("Section 4.4", "The largest eigenvalue of Q̄ is 2.6667.", _eigenvalue),
)
