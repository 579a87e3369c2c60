"""The problems: a graph with a known answer, from real data or the two moons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, connected_components
from sklearn.preprocessing import StandardScaler

from sidecut._validation import Int
from sidecut.affinity import knn_affinity, rbf_affinity
from sidecut.datasets import (
    UCI_NAMES,
    DatasetError,
    load_graph,
    load_uci,
    load_usps,
    two_moons,
)

# A quick run looks at so many nodes of each data set at most.
QUICK_NODES = 300
MOONS = 600

Points = tuple[Any, Int]


@dataclass(frozen=True)
class Case:
    """A graph and the classes of its nodes.

    Attributes
    ----------
    dataset, graph : str
        The data, and how they became a graph.
    affinity : array or sparse array of shape (n, n)
        The graph, the same for every method.
    truth : array of shape (n,)
        Classes 0, 1, ...
    """

    dataset: str
    graph: str
    affinity: Any
    truth: Int

    @property
    def n_clusters(self) -> int:
        """Number of classes."""
        return int(self.truth.max()) + 1


@dataclass(frozen=True)
class Source:
    """Where a data set comes from and which graphs are made of it.

    Attributes
    ----------
    load : function of the data folder
        Returns points, or the affinity of a given graph, and the classes.
    graphs : tuple of str
        `"knn"` and `"rbf"` of points; `"whole"` and `"largest"` (component) of a given graph.
    """

    load: Callable[[Path | None], Points]
    graphs: tuple[str, ...]


def why_missing(dataset: str, home: Path | None = None) -> str | None:
    """Return why a data set cannot be had, or None when it can.

    Examples
    --------
    >>> from sidecut.bench.cases import why_missing
    >>> why_missing("wine") is None  # comes with scikit-learn
    True
    """
    try:
        SOURCES[dataset].load(home)
    except DatasetError as error:
        return f"{dataset}: {error}"
    return None


def load_case(dataset: str, graph: str, home: Path | None = None, *, quick: bool = False) -> Case:
    """Read a data set and build one of its graphs.

    Points are joined with their 10 nearest neighbours (`knn`), or all with all by a Gaussian of the
    median distance (`rbf`): the library's defaults.

    Parameters
    ----------
    dataset, graph : str
        A key of `SOURCES` and one of its graphs.
    home : Path or None
        The data folder; see `sidecut.datasets.find_home`.
    quick : bool
        Keep at most `QUICK_NODES` nodes: every so-many-th point, or those nearest to the hub of a
        graph.

    Examples
    --------
    >>> from sidecut.bench.cases import load_case
    >>> case = load_case("moons-0.1", "knn")
    >>> case.affinity.shape, case.n_clusters
    ((600, 600), 2)
    """
    X, y = SOURCES[dataset].load(home)
    if graph in ("knn", "rbf"):
        if quick:
            rows = np.linspace(0, len(X) - 1, min(len(X), QUICK_NODES)).astype(np.intp)
            X, y = X[rows], y[rows]
        affinity = knn_affinity(X) if graph == "knn" else rbf_affinity(X)
    else:
        nodes = np.arange(len(y))
        if graph == "largest":
            component = connected_components(X, directed=False)[1]
            nodes = np.flatnonzero(component == np.bincount(component).argmax())
        if quick:
            hub = int(np.argmax(X.sum(axis=1)))
            near = breadth_first_order(X, hub, directed=False, return_predecessors=False)
            nodes = np.sort(near[:QUICK_NODES])
        affinity, y = X[nodes][:, nodes], y[nodes]
    truth = np.unique(y, return_inverse=True)[1].astype(np.intp)
    return Case(dataset, graph, affinity, truth)


def _uci(name: str) -> Callable[[Path | None], Points]:
    """Return a reader of a set as the paper uses it, standardised, without constant columns."""

    def load(home: Path | None) -> Points:
        table = load_uci(name, data_home=home)
        varied = table.X[:, table.X.std(axis=0) > 0]
        return StandardScaler().fit_transform(varied), table.y

    return load


def _moons(noise: float) -> Callable[[Path | None], Points]:
    return lambda home: two_moons(MOONS, noise=noise, random_state=0)


def _usps(home: Path | None) -> Points:
    digits = load_usps(data_home=home)
    return digits.X, digits.y


def _graph(name: str) -> Callable[[Path | None], Points]:
    def load(home: Path | None) -> Points:
        network = load_graph(name, data_home=home)
        return network.affinity, network.y

    return load


SOURCES: dict[str, Source] = {
    **{name: Source(_uci(name), ("knn", "rbf")) for name in UCI_NAMES},
    **{f"moons-{noise}": Source(_moons(noise), ("knn", "rbf")) for noise in (0.1, 0.15, 0.2)},
    "usps": Source(_usps, ("knn",)),
    # Cora falls into 78 components; most papers look at the largest, which is an easier problem.
    "cora": Source(_graph("cora"), ("whole", "largest")),
    "pubmed": Source(_graph("pubmed"), ("whole",)),
}

# Data sets with two classes, which every method can part.
TWO_CLASSES = frozenset(name for name in SOURCES if name in UCI_NAMES or name.startswith("moons"))


def select(names: list[str] | None = None, *, quick: bool = False) -> list[tuple[str, str]]:
    """Return (dataset, graph) of every case, or of those named as `wine` or `wine/knn`.

    A quick run leaves out the rbf graphs and the graph of all of Cora, unless they are named.

    Examples
    --------
    >>> from sidecut.bench.cases import select
    >>> select(["wine", "cora/whole"])
    [('wine', 'knn'), ('wine', 'rbf'), ('cora', 'whole')]
    """
    every = [(name, graph) for name, source in SOURCES.items() for graph in source.graphs]
    first = [(name, SOURCES[name].graphs[-1 if name == "cora" else 0]) for name in SOURCES]
    if names is None:
        return first if quick else every
    known = {*SOURCES, *(f"{name}/{graph}" for name, graph in every)}
    for name in names:
        if name not in known:
            choices = ", ".join(SOURCES)
            raise ValueError(
                f"datasets must name some of {choices} (or a graph of one, as wine/knn), "
                f"got {name!r}"
            )
    pool = first if quick else every
    return [
        case for case in every if "/".join(case) in names or (case[0] in names and case in pool)
    ]
