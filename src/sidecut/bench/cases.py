"""The problems: a graph with a known answer, from real data or the two moons."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components
from sklearn.preprocessing import StandardScaler

from sidecut._validation import Float, Int
from sidecut.affinity import knn_affinity, rbf_affinity
from sidecut.datasets import two_moons

# A quick run looks at so many nodes of each data set at most.
QUICK_NODES = 300
MOONS = 600

Points = tuple[Float, Any]


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
    file : str or None
        What must be in the data folder; None needs none.
    """

    load: Callable[[Path], Points]
    graphs: tuple[str, ...]
    file: str | None = None


def why_missing(dataset: str, home: Path | None) -> str | None:
    """Return why a data set cannot be had, or None when it can.

    Examples
    --------
    >>> from sidecut.bench.cases import why_missing
    >>> why_missing("wine", None)
    'wine: no data folder is named'
    """
    file = SOURCES[dataset].file
    if file is None or (home is not None and (home / file).is_file()):
        return None
    return f"{dataset}: " + ("no data folder is named" if home is None else f"no {file} in {home}")


def load_case(dataset: str, graph: str, home: Path | None, *, quick: bool = False) -> Case:
    """Read a data set and build one of its graphs.

    Points are joined with their 10 nearest neighbours (`knn`), or all with all by a Gaussian of the
    median distance (`rbf`): the library's defaults.

    Parameters
    ----------
    dataset, graph : str
        A key of `SOURCES` and one of its graphs.
    home : Path or None
        The data folder.
    quick : bool
        Keep at most `QUICK_NODES` nodes: every so-many-th point, or those nearest to the hub of a
        graph.

    Examples
    --------
    >>> from sidecut.bench.cases import load_case
    >>> case = load_case("moons-0.1", "knn", None)
    >>> case.affinity.shape, case.n_clusters
    ((600, 600), 2)
    """
    source = SOURCES[dataset]
    if reason := why_missing(dataset, home):
        raise FileNotFoundError(reason)
    X, y = source.load(home or Path())
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


def _uci(name: str) -> Callable[[Path], Points]:
    """Return a reader of a set as the paper uses it: complete rows, two classes, standardised."""

    def load(home: Path) -> Points:
        with (home / "uci" / f"{name}.csv").open() as file:
            rows = [row for row in list(csv.reader(file))[1:] if "" not in row]
        y: Any = np.array([row[-1] for row in rows])
        X = np.array([row[:-1] for row in rows], dtype=float)
        left_out = {"iris": "setosa", "wine": "class_2"}.get(name)
        X, y = X[y != left_out], y[y != left_out]
        if name == "glass":
            y = np.isin(y, ["1", "2", "3"])  # window glass or not
        return StandardScaler().fit_transform(X[:, X.std(axis=0) > 0]), y

    return load


def _moons(noise: float) -> Callable[[Path], Points]:
    return lambda home: two_moons(MOONS, noise=noise, random_state=0)


def _usps(home: Path) -> Points:
    with np.load(home / "digits" / "usps.npz") as file:
        X, y = (
            np.concatenate([file[key] for key in file.files if key.lower().startswith(start)])
            for start in ("x", "y")
        )
    return X.astype(float), y


def _graph(name: str) -> Callable[[Path], Points]:
    def load(home: Path) -> Points:
        with np.load(home / "graph" / f"{name}.npz") as file:
            edges, y = file["edges"], file["y"]
        half = sparse.coo_array((np.ones(len(edges)), edges.T), shape=(len(y), len(y))).tocsr()
        return sparse.csr_array((half + half.T) > 0, dtype=float), y

    return load


UCI = ("hepatitis", "iris", "wine", "glass", "ionosphere", "wdbc")
SOURCES: dict[str, Source] = {
    **{name: Source(_uci(name), ("knn", "rbf"), f"uci/{name}.csv") for name in UCI},
    **{f"moons-{noise}": Source(_moons(noise), ("knn", "rbf")) for noise in (0.1, 0.15, 0.2)},
    "usps": Source(_usps, ("knn",), "digits/usps.npz"),
    # Cora falls into 78 components; most papers look at the largest, which is an easier problem.
    "cora": Source(_graph("cora"), ("whole", "largest"), "graph/cora.npz"),
    "pubmed": Source(_graph("pubmed"), ("whole",), "graph/pubmed.npz"),
}


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
