"""Fig. 9 and 10, Table 2: UCI sets with pairs that plain spectral clustering gets wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sidecut.datasets import load_uci
from sidecut.experiments.uci import METHODS as ORDER
from sidecut.experiments.uci import Settings, UciRecord, mean_scores
from sidecut.reproduce._content import Content, Picture, Table, spread
from sidecut.reproduce._style import METHODS, curve, dress, panels, shared_legend

# Ranges of all six would hide each other; the tables have them all.
WITH_RANGE = ("CSP", "ours")
FIELDS = {"ari": "adjusted Rand index", "satisfied": "share of constraints satisfied"}


def uci(records: Sequence[UciRecord], settings: Settings) -> Content:
    """Draw ARI and share satisfied against the number of constraints."""
    names = list(dict.fromkeys(r.dataset for r in records))
    sets = f"{settings.n_draws} sets of wrong pairs at each stop"
    captions = (
        f"Fig. 9. ARI, {sets}: means as lines, least and largest as band (CSP and ours).",
        f"Fig. 10. Share of the given constraints that the labels satisfy, {sets}.",
    )
    pictures, tables = [], [_table2(names)]
    for number, field, caption in zip((9, 10), FIELDS, captions, strict=True):
        scores = mean_scores(records, field)
        pictures.append(Picture(f"fig{number:02}", caption, _grid(names, scores, FIELDS[field])))
        last = max(n for _, n, _ in scores)
        tables.append(_scores_table(f"{FIELDS[field]} at {last} constraints", scores, (last,)))
        every = sorted({n for _, n, _ in scores})
        title = f"{FIELDS[field]} at every stop: mean (least to largest)"
        tables.append(_scores_table(title, scores, every, folded=True))
    return Content(tuple(pictures), tuple(tables))


def _grid(names: list[str], scores: dict[tuple[str, int, str], Any], label: str) -> Any:
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    figure, axes = panels(rows, columns, width=3.1, height=2.5, sharey=True)
    lowest = min(v[1 if m in WITH_RANGE else 0] for (_, _, m), v in scores.items())
    for ax in axes.ravel()[len(names) :]:
        ax.set_axis_off()
    for ax, name in zip(axes.ravel(), names, strict=False):
        for method in ORDER:
            points = {n: v for (d, n, m), v in scores.items() if (d, m) == (name, method)}
            style = {"linestyle": "--"} if not METHODS[method][1] else {}
            curve(ax, points, method, band=method in WITH_RANGE, **style)
        dress(ax, name, "number of constraints", label if ax in axes[:, 0] else "")
        ax.set_ylim(min(-0.05, lowest - 0.02), 1.04)
    shared_legend(figure, axes)
    return figure


def _table2(names: list[str]) -> Table:
    shapes = [load_uci(name).X.shape for name in names]
    rows = tuple((n, *map(str, shape)) for n, shape in zip(names, shapes, strict=True))
    return Table("Table 2. The data sets", ("data set", "instances", "attributes"), rows)


def _scores_table(
    title: str, scores: dict[tuple[str, int, str], Any], stops: Sequence[int], folded: bool = False
) -> Table:
    places = list(dict.fromkeys((d, n) for d, n, _ in scores if n in stops))
    rows = tuple(
        (name, str(stop), *(spread(*scores[name, stop, method]) for method in ORDER))
        for name, stop in places
    )
    return Table(title, ("data set", "constraints", *ORDER), rows, folded)
