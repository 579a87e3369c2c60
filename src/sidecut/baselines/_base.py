"""The face that all published methods share: validate, build the graph, solve, store."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sidecut._validation import Float, Int, check_count
from sidecut.assign import assign_labels
from sidecut.baselines._links import is_soft, signed_links
from sidecut.constraints import Constraints
from sidecut.eigen import lowest
from sidecut.estimators._shared import build_affinity, check_constraints, check_n_clusters
from sidecut.laplacian import Laplacian, normalized_laplacian

#: Samples that a method with dense n × n matrices accepts: 800 MB for each matrix.
DENSE_LIMIT = 10_000


@dataclass(frozen=True, eq=False)
class Problem:
    """A checked problem, as every method reads it."""

    X: Any
    affinity: Any
    known: Constraints
    n_clusters: int
    seed: int

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.known.n_samples

    @cached_property
    def laplacian(self) -> Laplacian:
        """Normalised Laplacian of the graph."""
        return normalized_laplacian(self.affinity)

    @cached_property
    def links(self) -> sparse.csr_array:
        """Symmetric matrix of the constraints, positive for must, negative for cannot."""
        return signed_links(self.known, self.seed)

    @property
    def must(self) -> sparse.csr_array:
        """Weights of the must-links."""
        return sparse.csr_array(self.links.maximum(0))

    @property
    def cannot(self) -> sparse.csr_array:
        """Weights of the cannot-links, positive."""
        return sparse.csr_array((-self.links).maximum(0))


@dataclass(frozen=True, eq=False)
class Solution:
    """What a method answers."""

    labels: Int
    embedding: Float
    n_iter: int | None = None


@dataclass(eq=False, repr=False)
class Baseline(ClusterMixin, BaseEstimator):
    """A published method behind the same face as the others.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters K. With 1 every label is 0.
    affinity : {"nearest_neighbors", "rbf", "precomputed"}
        How X becomes a graph. With `"precomputed"`, X is the affinity matrix, dense or sparse.
    gamma : float or None, default None
        Inverse squared scale of `"rbf"`; None takes it from the median distance.
    n_neighbors : int, default 10
        Neighbours of `"nearest_neighbors"`; at most n_samples − 1 are used.
    n_init : int, default 10
        Starts of k-means; the best is kept.
    random_state : int, RandomState or None, default None
        For k-means, and for the choice of pairs where labels imply too many.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        Cluster of each sample.
    embedding_ : array of shape (n_samples, q)
        What the labels were read from; see the method.
    affinity_matrix_ : array or sparse array of shape (n_samples, n_samples)
        The graph before the constraints changed it.
    constraints_ : Constraints or None
        What was given.
    n_iter_ : int
        Iterations, where the method has a limit on them.
    takes_soft : bool
        Whether weights of constraints matter; otherwise different weights are refused.
    takes_more_clusters : bool
        Whether n_clusters may exceed 2.
    max_samples : int or None
        Largest number of samples of a method with dense matrices.
    """

    # A dataclass writes `__init__` from these fields; scikit-learn reads the names from it.
    n_clusters: int = 2
    _: KW_ONLY
    affinity: str = "nearest_neighbors"
    gamma: float | None = None
    n_neighbors: int = 10
    n_init: int = 10
    random_state: Any = None

    takes_soft: ClassVar[bool] = False
    takes_more_clusters: ClassVar[bool] = True
    max_samples: ClassVar[int | None] = None

    @abstractmethod
    def _solve(self, problem: Problem) -> Solution:
        """Cluster a checked problem of two clusters or more."""

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Build the graph and cluster.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features) or (n_samples, n_samples)
            The data, or the affinity when `affinity="precomputed"`.
        y : ignored
            Present for scikit-learn's conventions.
        constraints : Constraints or None
            What is known; None means the method without side information.
        """
        X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        n_samples = X.shape[0]
        n_clusters = check_n_clusters(self.n_clusters, n_samples)
        check_constraints(constraints, n_samples)
        n_neighbors = min(check_count(self.n_neighbors, "n_neighbors", least=1), n_samples - 1)
        check_count(self.n_init, "n_init", least=1)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        known = constraints or Constraints(n_samples)
        self._refuse(known, n_clusters, seed)
        affinity = build_affinity(X, self.affinity, gamma=self.gamma, n_neighbors=n_neighbors)

        solution = Solution(np.zeros(n_samples, np.intp), np.empty((n_samples, 0)))
        if n_clusters > 1:
            solution = self._solve(Problem(X, affinity, known, n_clusters, seed))
        self.constraints_ = constraints
        self.affinity_matrix_ = affinity
        self.embedding_ = solution.embedding
        self.labels_ = solution.labels
        if solution.n_iter is not None:
            self.n_iter_ = solution.n_iter
        return self

    def _refuse(self, known: Constraints, n_clusters: int, seed: int) -> None:
        """Say clearly what the method was never made for."""
        name = type(self).__name__
        if self.max_samples is not None and known.n_samples > self.max_samples:
            raise ValueError(
                f"{name} works on dense matrices and takes at most {self.max_samples} samples, got "
                f"{known.n_samples}; docs/baselines.md lists the methods that stay sparse"
            )
        if n_clusters > 2 and not self.takes_more_clusters:
            raise ValueError(f"{name} cuts in two: n_clusters must be 1 or 2, got {n_clusters}")
        if not self.takes_soft and is_soft(known, seed):
            raise ValueError(
                f"{name} takes must-links and cannot-links of one weight, got different weights; "
                "docs/baselines.md lists the methods that take degrees of belief"
            )

    def _kmeans(self, points: Float, problem: Problem) -> Int:
        """Cluster the rows of an embedding."""
        return assign_labels(
            points, problem.n_clusters, "kmeans", n_init=self.n_init, random_state=problem.seed
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags


def lowest_vectors(matrix: Any, p: int) -> tuple[Float, Float]:
    """Return the p lowest eigenvalues and vectors; a solver that gave up is a warning."""
    result = lowest(matrix, p)
    if not result.converged:
        warnings.warn(result.advice, ConvergenceWarning, stacklevel=4)
    return result.values, result.vectors


def graph_laplacian(weights: Any) -> Any:
    """Return `D − W` of a weighted graph, sparse or dense as it came."""
    degrees = np.asarray(weights.sum(axis=1)).ravel()
    diagonal = sparse.diags_array(degrees, format="csr")
    if sparse.issparse(weights):
        return sparse.csr_array(diagonal - weights)
    return np.asarray(diagonal - weights)


def unit_rows(points: Float) -> Float:
    """Scale each row to length 1; rows of zeros stay."""
    length = np.linalg.norm(points, axis=1, keepdims=True)
    result: Float = points / np.where(length > 0, length, 1.0)
    return result
