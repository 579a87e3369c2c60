"""Citation and social graphs, and the USPS digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sidecut._validation import Float, Int, check_choice
from sidecut.datasets._errors import DatasetError
from sidecut.datasets._fetch import Home, find_file
from sidecut.datasets._files import need, read_npz

GRAPH_NAMES = ("cora", "citeseer", "pubmed", "facebook")


@dataclass(frozen=True, eq=False)
class Network:
    """An undirected graph without weights.

    Attributes
    ----------
    name : str
    affinity : sparse array of shape (n_nodes, n_nodes)
        1 for an edge; symmetric.
    y : array of int, shape (n_nodes,)
        Class, from 0; −1 where it is not known (15 nodes of CiteSeer).
    """

    name: str
    affinity: sparse.csr_array
    y: Int


@dataclass(frozen=True, eq=False)
class Digits:
    """Handwritten digits.

    Attributes
    ----------
    X : array of shape (9298, 256)
        Grey values of 16 × 16 pixels, 0 to 1; the 7291 of the training part first.
    y : array of int, shape (9298,)
        0 to 9.
    """

    X: Float
    y: Int


def load_graph(name: str, *, data_home: Home = None) -> Network:
    """Load a graph whose nodes have classes.

    Parameters
    ----------
    name : {"cora", "citeseer", "pubmed", "facebook"}
        Three citation graphs, and Facebook pages joined by mutual likes.
    data_home : path or None
        See `fetch`.
    """
    check_choice(name, "name", GRAPH_NAMES)
    path = find_file(f"graph/{name}.npz", data_home=data_home)
    arrays = read_npz(path)
    need(path, arrays, ["edges", "y"])
    edges, y = arrays["edges"], arrays["y"].astype(np.intp)
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.min() < 0 or edges.max() >= len(y):
        raise DatasetError(f"{path}: edges must be pairs of nodes from 0 to {len(y) - 1}")
    half = sparse.coo_array((np.ones(len(edges)), edges.T), shape=(len(y), len(y))).tocsr()
    affinity = sparse.csr_array(half + half.T)
    affinity.data[:] = 1.0
    return Network(name, affinity, y)


def load_usps(*, data_home: Home = None) -> Digits:
    """Load the USPS digits, both parts.

    Parameters
    ----------
    data_home : path or None
        See `fetch`.
    """
    path = find_file("digits/usps.npz", data_home=data_home)
    arrays = read_npz(path)
    need(path, arrays, ["x_train", "y_train", "x_test", "y_test"])
    X = np.concatenate([arrays["x_train"], arrays["x_test"]]).astype(np.float64)
    y = np.concatenate([arrays["y_train"], arrays["y_test"]]).astype(np.intp)
    return Digits(X, y)
