"""Normalised cuts, without constraints."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from sidecut._validation import check_choice
from sidecut.assign import assign_labels
from sidecut.baselines._base import Baseline, Problem, Solution
from sidecut.basis import SpectralBasis


@dataclass(eq=False, repr=False)
class Ncut(Baseline):
    """Cut a graph by its lowest eigenvectors; constraints are accepted and not used.

    The relaxed normalised cut minimises `y'(D − A)y / y'Dy` over `y'D1 = 0`: the lowest
    nontrivial solutions of

        (D − A) y = λ D y.

    Parameters
    ----------
    assign_labels : {"auto", "kmeans", "sign"}, default "auto"
        The sign of the second vector for two clusters, k-means on K − 1 vectors for more; or
        k-means always, as scikit-learn's `SpectralClustering` does.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. `embedding_` holds the K − 1
    vectors y.

    References
    ----------
    J. Shi and J. Malik, Normalized cuts and image segmentation, IEEE Transactions on Pattern
    Analysis and Machine Intelligence 22(8), 2000.

    Examples
    --------
    >>> from sidecut.baselines import Ncut
    >>> from sidecut.datasets import six_node_graph
    >>> labels = Ncut(affinity="precomputed").fit(six_node_graph()[0]).labels_
    >>> labels == labels[0]
    array([ True,  True,  True, False, False, False])
    """

    _: KW_ONLY
    assign_labels: str = "auto"

    takes_soft: ClassVar[bool] = True

    def _solve(self, problem: Problem) -> Solution:
        method = check_choice(self.assign_labels, "assign_labels", ("auto", "kmeans", "sign"))
        K = problem.n_clusters
        Y = SpectralBasis.from_laplacian(problem.laplacian, K - 1).vectors
        labels = assign_labels(Y, K, method, n_init=self.n_init, random_state=problem.seed)
        return Solution(labels, Y)
