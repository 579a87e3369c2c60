"""Estimators that misbehave in a known way; a module, so that worker processes can import them."""

from __future__ import annotations

import os
import time

import numpy as np


class Plain:
    """Cluster k holds the nodes k, k + K, ...: a known, cheap answer."""

    def __init__(self, n_clusters, *, affinity, random_state):
        assert affinity == "precomputed"
        self.n_clusters = n_clusters

    def fit(self, X, *, constraints):
        self.labels_ = np.arange(X.shape[0]) % self.n_clusters
        return self


class Slow(Plain):
    """Computes without end."""

    def fit(self, X, *, constraints):
        while True:
            pass


class Waiting(Plain):
    """Waits longer than the limit of the test, but computes nothing."""

    def fit(self, X, *, constraints):
        time.sleep(1.0)
        return super().fit(X, constraints=constraints)


class Picky(Plain):
    def fit(self, X, *, constraints):
        raise ValueError(f"dense only,\n n_samples must be at most 10, got {X.shape[0]}")


class Broken(Plain):
    def fit(self, X, *, constraints):
        raise ZeroDivisionError("oops")


class Fatal(Plain):
    def fit(self, X, *, constraints):
        os._exit(7)
