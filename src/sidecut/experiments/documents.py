"""Table 3 and Fig. 11: one language's graph as soft constraints on another's.

The public sample of 1200 documents and 2000 words a language stands in for the paper's set, which
had 2000 documents and up to 34 279 words. Which language a document was written in is not recorded;
English and French are taken for the source, as in the paper's two panels. Algorithm 2 ends in
k-means and the paper names two variants of that step: all three are run, each beside the
unconstrained clustering that ends the same way. β leaves K − 1 cuts; with the paper's formula the
gains over four draws were alike (k-means −.005, sign −.003, weighted sign +.015).

The paper joins all documents by their cosine. Every two share some words, so such a graph is nearly
complete, and two languages of it say the same: not even the sum of both graphs is clustered better
than one (.142 and .142, one draw). The same is therefore run with each document joined to
its 30 nearest, about √n. On three other draws 15 and 20 neighbours gave gains as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.preprocessing import normalize

from sidecut._progress import Callback
from sidecut._validation import Float, Int
from sidecut.assign import assign_labels
from sidecut.constraints import Constraints
from sidecut.csp import CutSet, constrained_cuts, unconstrained_cuts
from sidecut.datasets import load_documents
from sidecut.experiments._claims import Claim, grade
from sidecut.experiments._runner import Output, run_trials
from sidecut.laplacian import normalized_laplacian

N_CLUSTERS = 6
READOUTS = ("kmeans", "sign", "weighted_sign")
# How many of the nearest documents each is joined to.
GRAPHS = {"all documents joined": None, "30 nearest joined": 30}


@dataclass(frozen=True)
class Settings:
    """What to run: source languages by number, documents in a draw, draws."""

    sources: tuple[int, ...] = (0, 1)
    n_documents: int = 1000
    n_draws: int = 20


FULL = Settings()
QUICK = Settings(n_draws=3)


@dataclass(frozen=True)
class DocumentRecord:
    """One clustering of a language; `source` is empty without constraints."""

    draw: int
    graph: str
    source: str
    target: str
    readout: str
    ari: float
    nmi: float


def run(
    settings: Settings = FULL,
    *,
    callback: Callback | None = None,
    n_jobs: int = 1,
    output: Output = None,
) -> list[DocumentRecord]:
    """Cluster every language alone, and every other one with each source's graph."""
    trials: list[dict[str, Any]] = [
        {"draw": draw, "sources": settings.sources, "n_documents": settings.n_documents}
        for draw in range(settings.n_draws)
    ]
    return run_trials(
        "documents",
        trials,
        one_draw,
        DocumentRecord,
        callback=callback,
        n_jobs=n_jobs,
        output=output,
    )


def one_draw(draw: int, sources: Sequence[int], n_documents: int) -> list[DocumentRecord]:
    """Cluster one draw of documents."""
    documents = load_documents("reuters")
    rng = np.random.default_rng(draw)
    chosen = np.sort(rng.choice(len(documents.y), n_documents, replace=False))
    names, truth = documents.view_names, documents.y[chosen]
    cosines = [cosine_affinity(view[chosen]) for view in documents.views]
    records = []
    for graph, n_neighbors in GRAPHS.items():
        affinities = [nearest_only(A, n_neighbors) for A in cosines]
        for target, source, found in _cuts(affinities, sources):
            name = "" if source is None else names[source]
            for readout in READOUTS:
                labels = _labels(found, readout, draw)
                scores = (
                    float(score(truth, labels))
                    for score in (adjusted_rand_score, normalized_mutual_info_score)
                )
                records.append(DocumentRecord(draw, graph, name, names[target], readout, *scores))
    return records


def _cuts(
    affinities: Sequence[Float], sources: Sequence[int]
) -> Iterator[tuple[int, int | None, CutSet]]:
    """Yield the cuts of every language alone, and with the graph of each source that is another."""
    for target, affinity in enumerate(affinities):
        graph = normalized_laplacian(affinity)
        yield target, None, unconstrained_cuts(graph, N_CLUSTERS - 1)
        for source in sources:
            if source != target:
                known = Constraints.from_affinity(affinities[source])
                yield target, source, constrained_cuts(graph, known, n_clusters=N_CLUSTERS)


def cosine_affinity(weights: Any) -> Float:
    """Return the cosine similarities of rows, without self-loops.

    Examples
    --------
    >>> from scipy import sparse
    >>> from sidecut.experiments.documents import cosine_affinity
    >>> cosine_affinity(sparse.csr_array([[1.0, 0], [3, 4]]))
    array([[0. , 0.6],
           [0.6, 0. ]])
    """
    rows = normalize(weights)
    A: Float = (rows @ rows.T).toarray()
    np.fill_diagonal(A, 0.0)
    return A


def nearest_only(A: Float, n_neighbors: int | None) -> Float:
    """Keep the weights of each node to its nearest others, and half of those from one side only.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.experiments.documents import nearest_only
    >>> nearest_only(np.array([[0, 0.9, 0.2], [0.9, 0, 0.5], [0.2, 0.5, 0]]), 1)
    array([[0.  , 0.9 , 0.  ],
           [0.9 , 0.  , 0.25],
           [0.  , 0.25, 0.  ]])
    """
    if n_neighbors is None:
        return A
    rows = np.arange(len(A))[:, None]
    nearest = np.argsort(-A, axis=1, kind="stable")[:, :n_neighbors]
    kept = np.zeros_like(A)
    kept[rows, nearest] = A[rows, nearest]
    return (kept + kept.T) / 2


def _labels(cuts: CutSet, readout: str, seed: int) -> Int:
    used = slice(0, N_CLUSTERS - 1)
    return assign_labels(
        cuts.indicators[:, used],
        N_CLUSTERS,
        readout,
        costs=cuts.costs[used],
        random_state=seed,
    )


def mean_lead(
    records: Sequence[DocumentRecord], over: str = "target", field: str = "ari"
) -> dict[str, tuple[float, float]]:
    """Return by readout the mean gain of constrained cuts over plain ones, and its standard error.

    Plain is the cut of the same language (`over="target"`) or of the language whose graph was the
    constraint (`over="source"`). The clusterings of a draw share their documents, so the error is
    that of the mean over draws.
    """
    plain = {(r.draw, r.target, r.readout): getattr(r, field) for r in records if not r.source}
    gains: dict[str, dict[int, list[float]]] = {}
    for r in records:
        if r.source:
            gain = getattr(r, field) - plain[r.draw, getattr(r, over), r.readout]
            gains.setdefault(r.readout, {}).setdefault(r.draw, []).append(gain)
    found = {}
    for readout, draws in gains.items():
        means = [float(np.mean(values)) for values in draws.values()]
        error = float(np.std(means, ddof=1) / len(means) ** 0.5) if len(means) > 1 else np.nan
        found[readout] = (float(np.mean(means)), error)
    return found


def _judge(over: str, graph: str) -> Any:
    def judge(records: Sequence[DocumentRecord]) -> tuple[str, str]:
        records = [r for r in records if r.graph == graph]
        leads, other = mean_lead(records, over), mean_lead(records, over, "nmi")
        text = ", ".join(
            f"{name} {mean:+.3f} ± {error:.3f} (NMI {other[name][0]:+.3f})"
            for name, (mean, error) in leads.items()
        )
        # A gain counts from two standard errors on.
        return f"mean gain in ARI: {text}", grade(m > 2 * error for m, error in leads.values())

    return judge


CLAIMS = tuple(
    claim
    for graph in GRAPHS
    for claim in (
        Claim(
            "Fig. 11",
            f"The source's graph improves the clustering of the other language ({graph}).",
            _judge("target", graph),
        ),
        Claim(
            "Fig. 11",
            f"It is even better than the clustering of the source ({graph}).",
            _judge("source", graph),
        ),
    )
)
