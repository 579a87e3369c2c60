"""Fig. 11 and Table 3: one language's graph as soft constraints on another's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sidecut.datasets import load_documents
from sidecut.experiments.documents import GRAPHS, READOUTS, DocumentRecord, Settings
from sidecut.reproduce._content import Content, Picture, Table
from sidecut.reproduce._style import dress, panels, shared_legend

TITLES = {"kmeans": "k-means", "sign": "sign", "weighted_sign": "weighted sign"}
# Target alone, source alone, target with the source's graph.
BARS = (("target alone", "#bbbbbb"), ("source alone", "#7f7f7f"), ("constrained", "#0072b2"))


def documents(records: Sequence[DocumentRecord], settings: Settings) -> Content:
    """Draw, for each source and last step, every target with and without constraints."""
    pictures, tables = [], [_table3()]
    for graph, n_neighbors in GRAPHS.items():
        scores: dict[tuple[str, str, str], list[float]] = {}
        for r in records:
            if r.graph == graph:
                scores.setdefault((r.source, r.target, r.readout), []).append(r.ari)
        caption = (
            f"Fig. 11, {graph}. Mean ARI over {settings.n_draws} draws of {settings.n_documents} "
            "documents, with the standard deviation over draws; three ways to end Algorithm 2."
        )
        name = "fig11" if n_neighbors is None else "fig11_nearest"
        pictures.append(Picture(name, caption, _figure(scores)))
        tables.append(_results(scores, graph))
    return Content(tuple(pictures), tuple(tables))


def _figure(scores: dict[tuple[str, str, str], list[float]]) -> Any:
    sources = sorted({source for source, _, _ in scores} - {""})
    figure, axes = panels(len(sources), len(READOUTS), width=3.3, height=2.5, sharey=True)
    for row, source in zip(axes, sources, strict=True):
        for ax, readout in zip(row, READOUTS, strict=True):
            _bars(ax, scores, source, readout)
            dress(ax, f"from {source}, {TITLES[readout]}", "", "ARI" if ax is row[0] else "")
    shared_legend(figure, axes)
    return figure


def _bars(ax: Any, scores: dict[tuple[str, str, str], list[float]], source: str, how: str) -> None:
    targets = [t for s, t, readout in scores if s == source and readout == how]
    alone = scores["", source, how]
    for k, (name, color) in enumerate(BARS):
        values = [
            (scores["", target, how], alone, scores[source, target, how])[k] for target in targets
        ]
        ax.bar(
            np.arange(len(targets)) + 0.27 * (k - 1),
            [np.mean(v) for v in values],
            0.25,
            yerr=[np.std(v) for v in values],
            color=color,
            label=name,
            error_kw={"elinewidth": 0.8, "ecolor": "0.3"},
        )
    ax.set_xticks(range(len(targets)), targets)


def _table3() -> Table:
    corpus = load_documents("reuters")
    rows = tuple(
        (name, str(view.shape[0]), str(view.shape[1]))
        for name, view in zip(corpus.view_names, corpus.views, strict=True)
    )
    return Table("Table 3. The documents", ("language", "documents", "words"), rows)


def _results(scores: dict[tuple[str, str, str], list[float]], graph: str) -> Table:
    rows = []
    for (source, target, readout), values in scores.items():
        if source:
            alone = [np.mean(scores["", name, readout]) for name in (target, source)]
            shown = (*alone, np.mean(values), np.mean(values) - alone[0])
            texts = [f"{value:.3f}" for value in shown[:3]] + [f"{shown[3]:+.3f}"]
            rows.append((source, target, TITLES[readout], *texts))
    header = ("source", "target", "last step", *(name for name, _ in BARS), "gain")
    return Table(f"Mean ARI, {graph}", header, tuple(rows), folded=True)
