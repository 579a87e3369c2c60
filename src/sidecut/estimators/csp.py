"""The paper's method as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from sidecut._validation import check_choice
from sidecut.assign import METHODS, assign_labels
from sidecut.constraints import Constraints, Satisfaction
from sidecut.csp import CutSet, constrained_cuts, unconstrained_cuts
from sidecut.estimators._shared import build_affinity, check_constraints, check_n_clusters
from sidecut.laplacian import Laplacian, normalized_laplacian
from sidecut.metrics import normalized_cut
from sidecut.report import Report


class CSP(ClusterMixin, BaseEstimator):
    """Constrained spectral clustering as Wang, Qian and Davidson define it.

    Among the cuts that solve `L̄ v = λ (Q̄ − β/vol I) v` with λ > 0, the cheapest is kept (K−1 of
    them for K clusters). Without constraints this is plain spectral clustering. A dense
    graph takes memory growing with n_samples²; on a sparse one of more than 3000 nodes nothing
    dense is formed.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters K. With 1 there is nothing to cut: every label is 0.
    affinity : {"rbf", "nearest_neighbors", "precomputed"}, default "rbf"
        How X becomes a graph. With `"precomputed"`, X is the affinity matrix, dense or sparse.
    gamma : float or None, default None
        Inverse squared scale of `"rbf"`; None takes it from the median distance.
    n_neighbors : int, default 10
        Neighbours of `"nearest_neighbors"`.
    beta : float, "paper" or "single", default "single"
        The threshold that the relaxed satisfaction must exceed. `"paper"` is the formula of the
        paper's experiments; `"single"` leaves one feasible cut (K−1 for K clusters), the one that
        meets the constraints best: for constraints known to be right.
    assign_labels : {"auto", "kmeans", "sign", "weighted_sign"}, default "auto"
        How the relaxed cuts become labels; see `sidecut.assign`.
    n_init : int, default 10
        Starts of k-means.
    random_state : int, RandomState or None, default None
        For k-means.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        Cluster of each sample.
    embedding_ : array of shape (n_samples, n_clusters − 1)
        The relaxed indicators `D^-1/2 V*`.
    indicator_ : array of shape (n_samples,)
        `u*`, the cheapest of them.
    beta_ : float or None
        The threshold used; None without constraints.
    cost_, satisfaction_ : float
        `v' L̄ v` and `v' Q̄ v`, relaxed, summed over the cuts used.
    cuts_ : CutSet
        The feasible cuts, or the unconstrained ones that were used.
    laplacian_ : Laplacian
        The graph.
    affinity_matrix_ : array or sparse array of shape (n_samples, n_samples)
        Its affinity.
    constraints_ : Constraints or None
        The constraints given to `fit`.
    report_ : Report
        All of this in words and figures.

    Examples
    --------
    >>> from sidecut import CSP, Constraints
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(100, noise=0.1, random_state=0)
    >>> known = Constraints.from_labels([k if i % 5 == 0 else -1 for i, k in enumerate(y)])
    >>> model = CSP(affinity="nearest_neighbors").fit(X, constraints=known)
    >>> model.report_.satisfaction.share
    1.0
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        affinity: str = "rbf",
        gamma: float | None = None,
        n_neighbors: int = 10,
        beta: float | str = "single",
        assign_labels: str = "auto",
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.beta = beta
        self.assign_labels = assign_labels
        self.n_init = n_init
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        constraints: Constraints | None = None,
    ) -> Self:
        """Cluster X.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features) or (n_samples, n_samples)
            The data, or the affinity when `affinity="precomputed"`.
        y : ignored
            Present for scikit-learn's conventions.
        constraints : Constraints or None
            What is known. None, or constraints that say nothing, means plain spectral clustering,
            and `beta` is not used.
        """
        X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        n_clusters = check_n_clusters(self.n_clusters, X.shape[0])
        check_constraints(constraints, X.shape[0])
        check_choice(self.assign_labels, "assign_labels", METHODS)

        affinity = build_affinity(X, self.affinity, gamma=self.gamma, n_neighbors=self.n_neighbors)
        laplacian = normalized_laplacian(affinity)
        if constraints and n_clusters > 1:
            cuts = constrained_cuts(laplacian, constraints, beta=self.beta, n_clusters=n_clusters)
        else:
            cuts = unconstrained_cuts(laplacian, max(n_clusters - 1, 1))
        used = slice(0, n_clusters - 1)
        embedding = cuts.indicators[:, used]
        labels = assign_labels(
            embedding,
            n_clusters,
            self.assign_labels,
            costs=cuts.costs[used],
            n_init=self.n_init,
            random_state=self.random_state,
        )

        self.constraints_ = constraints
        self.affinity_matrix_ = affinity
        self.laplacian_ = laplacian
        self.cuts_ = cuts
        self.embedding_ = embedding
        self.indicator_ = cuts.indicators[:, 0] if n_clusters > 1 else np.ones(X.shape[0])
        self.beta_ = cuts.beta
        self.cost_ = float(cuts.costs[used].sum())
        self.satisfaction_ = float(cuts.satisfactions[used].sum())
        self.labels_ = labels
        self.report_ = self._report(laplacian, cuts, n_clusters)
        if len(self.report_.cluster_sizes) < n_clusters:
            warnings.warn(
                f"only {len(self.report_.cluster_sizes)} of {n_clusters} clusters have members; "
                "the relaxed cut is close to the trivial one. Try another beta or affinity.",
                stacklevel=2,
            )
        return self

    def _report(self, laplacian: Laplacian, cuts: CutSet, n_clusters: int) -> Report:
        known, labels = self.constraints_, self.labels_
        worst = (known or Constraints(len(labels))).violations(labels, limit=5)
        return Report(
            method="CSP" if known else "spectral clustering (no constraints)",
            n_samples=laplacian.n_samples,
            n_clusters=n_clusters,
            cluster_sizes=tuple(np.unique(labels, return_counts=True)[1].tolist()),
            cost=self.cost_,
            normalized_cut=normalized_cut(self.affinity_matrix_, labels),
            satisfaction=known.satisfaction(labels) if known else Satisfaction(),
            relaxed_satisfaction=self.satisfaction_,
            beta=cuts.beta,
            beta_rule=self.beta if isinstance(self.beta, str) else "given",
            beta_range=cuts.spectrum.describe(n_clusters - 1) if cuts.spectrum else "",
            n_feasible=cuts.n_cuts,
            worst_violations=tuple(
                zip(worst.first.tolist(), worst.second.tolist(), worst.weight.tolist(), strict=True)
            ),
            contradictions=tuple(map(str, known.contradictions(limit=3))) if known else (),
            n_components=laplacian.n_components,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags
