"""Spectral learning with a random walk."""

from __future__ import annotations

from dataclasses import dataclass

from sidecut.baselines._base import Baseline, Problem, Solution
from sidecut.baselines.spectral_learning import overwritten
from sidecut.basis import SpectralBasis


@dataclass(eq=False, repr=False)
class RandomWalkLearning(Baseline):
    """Overwrite affinities as `SpectralLearning` does, then cluster by the random walk.

    The rows of the K leading eigenvectors of the row-stochastic matrix

        P = D^-1 A

    of the changed affinities go to k-means. The first of them is constant and is left out.

    Notes
    -----
    The parameters and attributes are those of `Baseline`; there are no others. The eigenvectors of
    P are `D^-1/2 v` with v the lowest of the normalised Laplacian, so without constraints this is
    `Ncut(assign_labels="kmeans")`. The paper's active choice of constraints is not part of it.

    References
    ----------
    Q. Xu, M. desJardins and K. Wagstaff, Active constrained clustering by examining spectral
    eigenvectors, Discovery Science 2005.

    Examples
    --------
    >>> from sidecut.baselines import RandomWalkLearning
    >>> from sidecut.datasets import six_node_graph
    >>> model = RandomWalkLearning(affinity="precomputed", random_state=0)
    >>> labels = model.fit(six_node_graph()[0]).labels_
    >>> labels == labels[0]
    array([ True,  True,  True, False, False, False])
    """

    def _solve(self, problem: Problem) -> Solution:
        A = overwritten(problem.affinity, problem.links)
        E = SpectralBasis.from_affinity(A, problem.n_clusters - 1).vectors
        return Solution(self._kmeans(E, problem), E)
