"""The estimator for everyday use: few constraints, large graphs, nothing to tune."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sidecut._progress import Callback
from sidecut._validation import Int, check_count
from sidecut.affinity import knn_affinity_to, median_gamma
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.estimators._choose import choose_cut, count_clusters, with_pairs_weighed
from sidecut.estimators._labels import check_hard, final_labels
from sidecut.estimators._shared import build_affinity, check_constraints, check_n_clusters
from sidecut.estimators._summary import summarise
from sidecut.laplacian import normalized_laplacian
from sidecut.path import Alpha, Mu
from sidecut.path.threshold import check_threshold
from sidecut.report import SelectionReport
from sidecut.selection.exact import EXACT_NODES


class ConstrainedSpectralClustering(ClusterMixin, BaseEstimator):
    """Spectral clustering that follows constraints as far as held-out constraints support it.

    The lowest eigenvectors of the graph are computed once. Constraints then choose a cut in their
    span: a start on the path between the unconstrained and the best-satisfying cut, refined to make
    the constraints likely. Cross-validation over the constraints decides how far to go, and stays
    close to the unconstrained cut where they are too few or do not help. There is no threshold to
    set; who wants one can.

    Parameters
    ----------
    n_clusters : int or None, default 2
        Number of clusters. With 1 every label is 0. None chooses it by held-out constraints, up to
        16, or by the eigengap where they are too few; see `sidecut.selection.choose_n_clusters`.
    affinity : {"nearest_neighbors", "rbf", "precomputed"}, default "nearest_neighbors"
        How X becomes a graph. With `"precomputed"`, X is the affinity matrix, dense or sparse.
    threshold : "cv", float, Alpha or Mu, default "cv"
        How far to follow the constraints.

        - `"cv"`: as far as held-out constraints support it.
        - a float above 0 and at most 1: the share of the constraint weight that the labels meet.
        - `Alpha(a)`: the cheapest relaxed cut with `v'Q̄v ≥ a`, the paper's own problem, solved
          exactly among the cuts that the basis spans.
        - `Mu(m)`: the point of multiplier m on the path.

        What cannot be reached raises `InfeasibleThresholdError`.
    hard : bool or "auto", default "auto"
        Whether the labels keep every must-link and every cannot-link, near the cut that was chosen.
        It binds `labels_`, not `predict`.

        - `"auto"`: where held-out constraints support the cut and show no sign of wrong ones, and
          all constraints have full weight, are of both kinds and do not contradict each other.
          Where there is a sign of wrong pairs, each is believed as far as the others and the
          graph do; see `sidecut.selection.weigh`.
        - True: always, or raise `ContradictionError`.
        - False: never.
    gamma : float or None, default None
        Inverse squared scale of `"rbf"`; None takes it from the median distance.
    n_neighbors : int, default 10
        Neighbours of `"nearest_neighbors"`; at most n_samples − 1 are used.
    n_vectors : int, default 64
        Size of the spectral basis; at least n_clusters − 1 and at most n_samples − 1 are used.
    regularization : float, default 0
        Weight τ of the regularised Laplacian; see `sidecut.laplacian.normalized_laplacian`.
    random_state : int, RandomState or None, default None
        For folds and k-means.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        Cluster of each sample.
    embedding_ : array of shape (n_samples, n_clusters)
        Logits of the memberships; smooth functions on the graph. Without constraints, the lowest
        eigenvectors.
    basis_ : SpectralBasis
        Computed by `fit`, reused by `update`.
    cut_ : LogitCut or PlainCut
        What labels rows of the basis, those of new points too.
    n_clusters_ : int
        The number of clusters, chosen or given.
    path_ : ConstrainedPath or None
        The path between the unconstrained and the most satisfying cut; None without constraints.
    cross_validation_ : CrossValidation or None
        The evidence; None without constraints, or with another threshold than `"cv"`.
    constraints_ : Constraints or None
        The constraints in force.
    affinity_matrix_ : array or sparse array of shape (n_samples, n_samples)
        The graph.
    report_ : SelectionReport
        All of this in words and figures; made when first asked for.

    Examples
    --------
    >>> from sidecut import ConstrainedSpectralClustering, Constraints
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(300, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 30, random_state=0)
    >>> model = ConstrainedSpectralClustering(random_state=0).fit(X, constraints=known)
    >>> more = known + Constraints.sample(y, 30, random_state=1)
    >>> model.update(constraints=more).labels_.shape
    (300,)
    """

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        affinity: str = "nearest_neighbors",
        threshold: str | float | Alpha | Mu = "cv",
        hard: bool | str = "auto",
        gamma: float | None = None,
        n_neighbors: int = 10,
        n_vectors: int = 64,
        regularization: float = 0.0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.threshold = threshold
        self.hard = hard
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.n_vectors = n_vectors
        self.regularization = regularization
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        constraints: Constraints | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Build the graph and its basis, and cluster.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features) or (n_samples, n_samples)
            The data, or the affinity when `affinity="precomputed"`.
        y : ignored
            Present for scikit-learn's conventions.
        constraints : Constraints or None
            What is known; None means plain spectral clustering.
        callback : callable, optional
            Told where the eigen-solver is; see `sidecut.eigen.lowest`.
        """
        # input
        X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        n_clusters = check_n_clusters(2 if self.n_clusters is None else self.n_clusters, X.shape[0])
        check_threshold(self.threshold)
        check_hard(self.hard)
        check_constraints(constraints, X.shape[0])
        most = X.shape[0] - 1
        n_neighbors = min(check_count(self.n_neighbors, "n_neighbors", least=1), most)
        n_vectors = check_count(self.n_vectors, "n_vectors", least=1)
        n_vectors = min(max(n_vectors, n_clusters - 1), most)

        # graph
        affinity = build_affinity(X, self.affinity, gamma=self.gamma, n_neighbors=n_neighbors)
        laplacian = normalized_laplacian(affinity, regularization=self.regularization)
        self.affinity_matrix_ = affinity
        self._X = None if self.affinity == "precomputed" else X
        self._laplacian = laplacian if X.shape[0] <= EXACT_NODES else None

        # basis, computed once
        self.basis_ = SpectralBasis.from_laplacian(laplacian, n_vectors, callback=callback)
        return self.update(constraints=constraints)

    def update(self, *, constraints: Constraints | None = None) -> Self:
        """Cluster again with other constraints, on the basis that `fit` computed."""
        check_is_fitted(self, "basis_")
        basis = self.basis_
        threshold = check_threshold(self.threshold)
        check_hard(self.hard)
        check_constraints(constraints, basis.n_samples)
        seed = int(check_random_state(self.random_state).randint(2**31 - 100))

        # number of clusters
        count = count_clusters(basis, constraints, seed) if self.n_clusters is None else None
        n_clusters = check_n_clusters(
            self.n_clusters if count is None else count.n_clusters, basis.n_samples
        )

        # cut
        evidence = None if count is None else count.evidence
        choice = choose_cut(
            basis, constraints, n_clusters, threshold, seed, evidence, self._laplacian
        )

        if self.hard == "auto":
            choice = with_pairs_weighed(choice, basis, constraints)

        # labels
        embedding = choice.cut.embedding(basis.vectors)
        labels, kept = final_labels(choice, embedding, constraints, self.hard, seed)

        # all went well: store
        self.n_clusters_, self.labels_, self.embedding_ = n_clusters, labels, embedding
        self.cut_, self.path_, self.cross_validation_ = choice.cut, choice.path, choice.evidence
        self.constraints_ = constraints
        self._count, self._choice, self._hard = count, choice, kept
        self._report: SelectionReport | None = None
        return self

    @property
    def report_(self) -> SelectionReport:
        """What the last fit or update did, in words and figures."""
        check_is_fitted(self, "labels_")
        # The cut of the labels takes longer than an update: only when somebody reads it.
        if self._report is None:
            self._report = summarise(
                self.affinity_matrix_,
                self.basis_,
                self.constraints_,
                self._choice,
                self._count,
                self.labels_,
                n_clusters=self.n_clusters_,
                hard=self._hard,
            )
        return self._report

    def predict(self, X: Any) -> Int:
        """Return the clusters of new points.

        Parameters
        ----------
        X : array of shape (n_new, n_features), or (n_new, n_samples) of affinities
            The functions of the basis are extended to the new points from their neighbours.
        """
        check_is_fitted(self, "basis_")
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        if self._X is None:
            affinity = X
        elif self.affinity == "rbf":
            gamma = median_gamma(self._X) if self.gamma is None else self.gamma
            affinity = rbf_kernel(X, self._X, gamma=gamma)
        else:
            affinity = knn_affinity_to(X, self._X, min(self.n_neighbors, self._X.shape[0]))
        return self.cut_.labels(self.cut_.embedding(self.basis_.embed(affinity)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags
