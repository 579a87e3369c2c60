"""ARI against the number of pairs, one small picture per data set and graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sidecut._validation import Float
from sidecut.bench.methods import OURS
from sidecut.bench.summary import Cell, curves, standings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Ours stands out; after Okabe and Ito, apart for colour-blind readers, also by their markers.
OUR_COLOR = "#d55e00"
OTHERS = (
    ("#0072b2", "o"), ("#009e73", "s"), ("#cc79a7", "^"), ("#e69f00", "D"), ("#56b4e9", "v"),
)  # fmt: skip
COLUMNS = 4


def plot_accuracy(cells: Sequence[Cell], *, ours: str = OURS) -> Figure:
    """Draw mean ARI over the number of pairs, with the range of the draws for our method.

    The five best other methods by mean rank have a colour each; the rest is grey.

    Parameters
    ----------
    cells : sequence of Cell
        As `summarize` returns them.
    ours : str
        The method to highlight.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'sidecut[plot]'") from error
    panels = curves(cells)
    names = [item.method for item in standings(cells) if item.method != ours]
    styles = dict(zip(names, OTHERS, strict=False))
    columns = min(COLUMNS, max(len(panels), 1))
    rows = -(-len(panels) // columns) or 1
    figure = Figure(figsize=(2.3 * columns + 0.6, 1.9 * rows + 0.9), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel().tolist()
    for ax in grid[len(panels) :]:
        ax.set_axis_off()
    for ax, ((dataset, graph), lines) in zip(grid, panels.items(), strict=False):
        for name in reversed(names):
            if name in lines:
                _line(ax, lines[name], name, styles.get(name))
        if ours in lines:
            _our_line(ax, lines[ours], ours)
        _dress(ax, f"{dataset} ({graph})", lines)
    for index, ax in enumerate(grid[: len(panels)]):
        if index % columns == 0:
            ax.set_ylabel("ARI", fontsize=8)
        if index + columns >= len(panels):
            ax.set_xlabel("pairs", fontsize=8)
    _legend(figure, grid[: len(panels)], [ours, *names], styles)
    return figure


def _line(ax: Any, rows: Float, name: str, style: tuple[str, str] | None) -> None:
    if style is None:
        ax.plot(rows[:, 0], rows[:, 1], color="0.8", linewidth=0.8, label="other methods", zorder=1)
        return
    color, marker = style
    ax.plot(
        rows[:, 0], rows[:, 1], color=color, marker=marker, markersize=3, linewidth=1,
        label=name, zorder=2,
    )  # fmt: skip


def _our_line(ax: Any, rows: Float, name: str) -> None:
    pairs, mean, least, most = rows.T
    ax.fill_between(pairs, least, most, color=OUR_COLOR, alpha=0.15, linewidth=0, zorder=0)
    ax.plot(
        pairs, mean, color=OUR_COLOR, marker="o", markersize=4.5, linewidth=2.4, label=name,
        zorder=4,
    )  # fmt: skip


def _dress(ax: Any, title: str, lines: dict[str, Float]) -> None:
    pairs = sorted({float(count) for rows in lines.values() for count in rows[:, 0]})
    ax.set_title(title, fontsize=9)
    ax.set_xscale("log")
    ax.set_xticks(pairs, [f"{count:g}" for count in pairs])
    ax.minorticks_off()
    ax.set_ylim(-0.08, 1.05)
    ax.tick_params(labelsize=7)
    ax.grid(axis="y", color="0.92", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def _legend(
    figure: Figure, grid: Sequence[Any], names: list[str], styles: dict[str, tuple[str, str]]
) -> None:
    found: dict[str, Any] = {}
    for ax in grid:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    order = [name for name in [*names, "other methods"] if name in found]
    if order:
        figure.legend(
            [found[name] for name in order], order, loc="outside lower center",
            ncols=min(len(order), 4), fontsize=8, frameon=False,
        )  # fmt: skip
