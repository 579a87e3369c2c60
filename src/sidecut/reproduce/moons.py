"""Fig. 7 and 8: under-sampled moons, and moons in noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from sidecut.affinity import knn_affinity
from sidecut.constraints import Constraints
from sidecut.csp import unconstrained_cuts
from sidecut.datasets import noisy_moons
from sidecut.experiments.moons import NOISY, SPARSE, MoonRecord, Settings, csp_labels
from sidecut.laplacian import normalized_laplacian
from sidecut.plot import LinkDisplay
from sidecut.reproduce._content import Content, Picture, Table, spread
from sidecut.reproduce._style import METHODS, curve, dress, panels

Scores = dict[tuple[str, int], list[float]]


def moons(records: Sequence[MoonRecord], settings: Settings) -> Content:
    """Draw the convergence and the noisy moons."""
    sparse, noisy = (_scores(records, kind) for kind in (SPARSE, NOISY))
    sets = f"{settings.n_samples} samples × {settings.n_sets} sets"
    return Content(
        (
            Picture(
                "fig07",
                f"Fig. 7. ARI on 100 points, {sets} of constraints (ours on one set "
                f"in {settings.every}): mean as line, least and largest as band.",
                _convergence(sparse),
            ),
            Picture(
                "fig08",
                f"Fig. 8. 500 points and 100 of noise, {settings.n_noisy} constraints: sample 0 "
                f"without and with constraints, and the ARI of {sets}.",
                _noisy(noisy, settings.n_noisy),
            ),
        ),
        (_table("Under-sampled moons: ARI, mean (least to largest)", sparse),
         _table("Noisy moons: ARI, mean (least to largest)", noisy)),
    )  # fmt: skip


def _scores(records: Sequence[MoonRecord], kind: str) -> Scores:
    found: Scores = {}
    for r in records:
        if r.kind == kind:
            found.setdefault((r.method, r.n_constraints), []).append(r.ari)
    return found


def _summary(values: list[float]) -> tuple[float, float, float]:
    return float(np.mean(values)), min(values), max(values)


def _convergence(scores: Scores) -> Any:
    figure, axes = panels(1, 1, width=6, height=3.6)
    ax = axes[0, 0]
    for method in ("CSP", "ours"):
        points = {n: _summary(v) for (name, n), v in scores.items() if name == method}
        curve(ax, points, method)
    plain = float(np.mean(scores["plain", 0]))
    ax.axhline(plain, color=METHODS["plain"][0], linestyle="--", linewidth=1.2, label="plain")
    dress(ax, "", "number of constraints", "adjusted Rand index")
    ax.set_ylim(min(-0.02, ax.get_ylim()[0]), 1.03)
    ax.legend(fontsize=9, frameon=False, loc="lower right")
    return figure


def _noisy(scores: Scores, n_constraints: int) -> Any:
    X, y = noisy_moons(random_state=0)
    graph = normalized_laplacian(knn_affinity(X))
    known = Constraints.sample(y, n_constraints, random_state=0)
    plain = (unconstrained_cuts(graph, 1).indicators[:, 0] > 0).astype(np.intp)
    figure, axes = panels(1, 3, width=3.5, height=3, width_ratios=(1.3, 1.3, 0.8))
    for ax, labels, given, name in (
        (axes[0, 0], plain, None, "(a) plain"),
        (axes[0, 1], csp_labels(graph, known), known, "(b) CSP"),
    ):
        LinkDisplay(X, labels, given).plot(ax)
        ax.set_title(f"{name}: ARI {adjusted_rand_score(y, labels):.2f}", fontsize=10)
        ax.collections[0].set_sizes([8])
        ax.collections[1].set_sizes([8])
        if given is not None:
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=2, fontsize=8,
                      frameon=False)  # fmt: skip
    _strips(axes[0, 2], scores)
    return figure


def _strips(ax: Any, scores: Scores) -> None:
    rng = np.random.default_rng(0)
    for k, ((method, _), values) in enumerate(scores.items()):
        places = k + rng.uniform(-0.18, 0.18, len(values))
        ax.scatter(places, values, s=9, color=METHODS[method][0], alpha=0.6, linewidths=0)
        ax.hlines(np.mean(values), k - 0.3, k + 0.3, color="black", linewidth=1.5)
    dress(ax, "(c) all, means black", "", "adjusted Rand index")
    ax.set_xticks(range(len(scores)), [method for method, _ in scores])
    ax.set_ylim(top=1.03)


def _table(title: str, scores: Scores) -> Table:
    rows = tuple(
        (method, str(n), str(len(values)), spread(*_summary(values)))
        for (method, n), values in scores.items()
    )
    return Table(title, ("method", "constraints", "runs", "ARI"), rows, folded=True)
