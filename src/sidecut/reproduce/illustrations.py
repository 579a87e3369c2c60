"""Fig. 1 to 4: the motivation, the graph of six nodes and the joint numerical range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sidecut.affinity import knn_affinity
from sidecut.constraints import Constraints
from sidecut.experiments.motivation import PANELS, MotivationRecord
from sidecut.experiments.numerical_range import RangeRecord, Settings
from sidecut.experiments.six_nodes import SixNodeRecord
from sidecut.laplacian import normalized_laplacian
from sidecut.plot import LinkDisplay, NumericalRangeDisplay
from sidecut.plot._style import CLUSTER_COLORS
from sidecut.plot.numerical_range import numerical_range_boundary
from sidecut.reproduce._content import Content, Picture, Table
from sidecut.reproduce._style import dress, panels

# Where the six nodes stand in the paper's drawing.
PLACES = np.array([(0, 1), (0, 0), (1, 0.5), (2.2, 0.5), (3.2, 1), (3.2, 0)])
EDGES = ((0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5))


def motivation(records: Sequence[MotivationRecord], settings: Any) -> Content:
    """Draw the four panels of the first seed."""
    figure, axes = panels(2, 2, width=3.6, height=2.7)
    seed = records[0].seed
    first = {r.panel: r for r in records if r.seed == seed}
    for ax, panel, letter in zip(axes.ravel(), PANELS, "abcd", strict=True):
        r = first[panel]
        known = Constraints.from_pairs(
            r.pairs[r.signs > 0], r.pairs[r.signs < 0], n_samples=len(r.y)
        )
        LinkDisplay(r.X, r.labels, known).plot(ax)
        ax.set_title(f"({letter}) {panel}: ARI {r.ari:.2f}", fontsize=10)
        for collection in ax.collections:
            if len(r.y) > 200 and hasattr(collection, "set_sizes"):
                collection.set_sizes([8])
    rows = []
    for panel in PANELS:
        scores = [r.ari for r in records if r.panel == panel]
        rows.append((panel, f"{np.mean(scores):.2f}", f"{min(scores):.2f}", f"{max(scores):.2f}"))
    caption = f"Fig. 1. The sample with seed {seed}; colours are clusters, lines are constraints."
    return Content(
        (Picture("fig01", caption, figure),),
        (
            Table(
                f"ARI over {len(records) // len(PANELS)} samples",
                ("panel", "mean", "least", "largest"),
                tuple(rows),
            ),
        ),
    )


def six_nodes(records: Sequence[SixNodeRecord], settings: Any) -> Content:
    """Draw the graph with its labels, and the relaxed indicators."""
    graph, axes = panels(1, 1, width=4.4, height=2.2)
    _draw_graph(axes[0, 0])
    ordered = sorted(records, key=lambda r: r.threshold)
    figure, axes = panels(1, len(ordered), width=2.7, height=2.7, sharey=True)
    nodes = list(range(1, 7))
    for ax, r in zip(axes[0], ordered, strict=True):
        ax.axhline(0, color="0.6", linewidth=0.8)
        ax.bar(nodes, r.indicator, color=[_color(node) for node in nodes], width=0.6)
        ax.set_xticks(nodes)
        times = "vol" if r.threshold == 1 else f"{r.threshold:g} vol"
        name = f"β = {times}" if r.threshold else "no constraints"
        dress(ax, name, "node", "indicator u" if ax is axes[0, 0] else "")
    rows = tuple(
        (f"{r.threshold:g}", *(f"{u:.2f}" for u in r.indicator), f"{r.cost:.2f}",
         f"{r.satisfaction:.2f}")
        for r in ordered
    )  # fmt: skip
    header = ("β/vol", *(f"u{node}" for node in nodes), "cost u'Lu", "satisfaction u'Qu")
    return Content(
        (
            Picture("fig02", "Fig. 2. The edges say 1 to 3 and 4 to 6, the labels (colours) "
                    "1 to 4 and 5 to 6.", graph),
            Picture("fig03", "Fig. 3. The relaxed cut. Node 4 moves to nodes 1 to 3 as β grows; "
                    "colours are the labels.", figure),
        ),
        (Table("The relaxed cuts", header, rows),),
    )  # fmt: skip


def _color(node: int) -> str:
    return CLUSTER_COLORS[0] if node <= 4 else CLUSTER_COLORS[1]


def _draw_graph(ax: Any) -> None:
    for i, j in EDGES:
        ax.plot(*PLACES[[i, j]].T, color="0.4", linewidth=1.5, zorder=1)
    for node, (x, y) in enumerate(PLACES, start=1):
        ax.scatter(x, y, s=420, color=_color(node), zorder=2)
        ax.text(x, y, str(node), color="white", ha="center", va="center", weight="bold")
    ax.set_aspect("equal")
    ax.margins(0.12, 0.3)
    ax.set_axis_off()


def numerical_range(records: Sequence[RangeRecord], settings: Settings) -> Content:
    """Draw all cuts in the plane of cost and satisfaction, and the two partitions."""
    (r,) = records
    known = Constraints.sample(r.y, settings.n_constraints, random_state=settings.seed)
    boundary = numerical_range_boundary(normalized_laplacian(knn_affinity(r.X)), known)
    figure, axes = panels(1, 3, width=3.6, height=3.6, width_ratios=(1.5, 1, 1))
    range_ax, before, after = axes[0]
    NumericalRangeDisplay(r.unconstrained, r.feasible, boundary, r.threshold).plot(range_ax)
    dress(range_ax, "(a) all cuts", "cost v'L̄v", "satisfaction v'Q̄v")
    range_ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2, fontsize=8, frameon=False
    )
    for ax, labels, score, name in (
        (before, r.labels_unconstrained, r.ari_unconstrained, "(b) unconstrained"),
        (after, r.labels_constrained, r.ari_constrained, "(c) constrained"),
    ):
        LinkDisplay(r.X, labels).plot(ax)
        ax.set_title(f"{name}: ARI {score:.2f}", fontsize=10)
    caption = (
        "Fig. 4. Every cut is a point; only those above the line satisfy enough constraints. The "
        "star is the feasible cut of least cost."
    )
    return Content((Picture("fig04", caption, figure),))
