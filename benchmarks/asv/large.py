"""Time, peak memory and quality of the large cases, at a size that asv can repeat."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import cases


class Basis:
    """40 vectors of each kind of graph."""

    params = ("moons", "blobs", "photograph")
    param_names = ("graph",)
    timeout = 300

    def setup(self, graph):
        if graph == "photograph":
            self.graph = cases.image_graph(cases.photograph())
        else:
            X, _ = getattr(cases, graph)(50_000)
            self.graph = cases.neighbors(X)

    def time_basis(self, graph):
        cases.basis(self.graph, 40)

    def peakmem_basis(self, graph):
        cases.basis(self.graph, 40)

    def track_largest_residual(self, graph):
        return float(cases.basis(self.graph, 40).residuals.max())


class Neighbors:
    """The neighbour graph of 10-feature blobs."""

    timeout = 300

    def setup(self):
        self.X, _ = cases.blobs(50_000)

    def time_neighbors(self):
        cases.neighbors(self.X)


class FullSpaceCut:
    """The paper's cut on a sparse graph."""

    timeout = 300

    def setup(self):
        X, self.truth = cases.moons(30_000)
        self.graph = cases.neighbors(X)

    def time_cut(self):
        cases.full_space_cut(self.graph, self.truth, 500)

    def track_residual(self):
        return float(cases.full_space_cut(self.graph, self.truth, 500).residuals[0])
