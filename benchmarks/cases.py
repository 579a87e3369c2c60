"""The cases that the large benchmarks and asv share: graphs, our work on them, the peers'."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_moons
from sklearn.neighbors import kneighbors_graph

from sidecut import Constraints, SpectralBasis
from sidecut.affinity import image_affinity, knn_affinity
from sidecut.csp import constrained_cuts
from sidecut.laplacian import normalized_laplacian


def moons(n):
    return make_moons(n, noise=0.15, random_state=0)


def blobs(n):
    return make_blobs(n, n_features=10, centers=10, cluster_std=4.0, random_state=0)


def photograph(quick=False):
    """Return a BSDS photograph in grey, or a synthetic picture where there is no data."""
    file = Path(os.environ.get("SIDECUT_DATA", "")) / "bsds" / "296059.jpg"
    if file.is_file():
        from PIL import Image

        picture = np.asarray(Image.open(file).convert("L"), dtype=float)
    else:
        y, x = np.mgrid[0:321, 0:481]
        noise = np.random.default_rng(0).normal(0, 8, x.shape)
        picture = 60 * (y > 200) + 90 * (np.hypot(x - 240, y - 150) < 80) + noise
    return picture[::6, ::6] if quick else picture


def peer_graph(affinity):
    """Return a graph in the form that scikit-learn accepts."""
    graph = sparse.csr_matrix(affinity)
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    return graph


def peer_clustering(graph, n_clusters, eigen_solver):
    model = SpectralClustering(
        n_clusters,
        affinity="precomputed",
        eigen_solver=eigen_solver,
        assign_labels="cluster_qr",
        random_state=0,
    )
    return model.fit(graph)


def basis(graph, p):
    return SpectralBasis.from_affinity(graph, p)


def peer_neighbors(X):
    return kneighbors_graph(X, 10)


def neighbors(X):
    return knn_affinity(X, 10)


def image_graph(picture):
    return image_affinity(picture, radius=2)


def whole_job(n):
    """Do graph, 20 vectors and labels, from points."""
    X, y = moons(n)
    found = SpectralBasis.from_affinity(knn_affinity(X, 10), 20)
    return found, (found.vectors[:, 0] > 0).astype(int), y


def full_space_cut(graph, truth, n_pairs):
    known = Constraints.sample(truth, n_pairs, random_state=0)
    return constrained_cuts(normalized_laplacian(graph), known, beta="single")
