"""Must-links as a penalty on the normalised cut."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy import sparse

from sidecut._validation import check_number
from sidecut.assign import assign_labels
from sidecut.baselines._base import Baseline, Problem, Solution, graph_laplacian
from sidecut.baselines._pencil import lowest_pencil


@dataclass(eq=False, repr=False)
class MustLinkPenalty(Baseline):
    """Add to the normalised cut what the indicators differ by over must-links.

    With a row of U for each must-link, 1 at one node and −1 at the other,

        min tr(Y'(D − A)Y) + β ‖U Y‖²   over   Y'DY = I,

    whose solutions are the lowest of `(D − A + β U'U) y = λ D y`. Two clusters are the signs of the
    first nontrivial y, more come from k-means.

    Parameters
    ----------
    beta : float, default 10
        Weight of a must-link, in units of the largest affinity.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. The paper knows pairs of the
    same cluster only; cannot-links are accepted and not used. `U'U` is the Laplacian of the
    must-links, so this is the cut of a graph with extra edges, measured by the old degrees.
    Without must-links it is `Ncut`.

    References
    ----------
    X. Ji and W. Xu, Document clustering with prior knowledge, SIGIR 2006.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import MustLinkPenalty
    >>> from sidecut.datasets import six_node_graph
    >>> known = Constraints.from_pairs([(2, 3), (0, 3)], n_samples=6)
    >>> model = MustLinkPenalty(affinity="precomputed").fit(six_node_graph()[0], constraints=known)
    >>> model.labels_ == model.labels_[0]
    array([ True,  True,  True,  True, False, False])
    """

    _: KW_ONLY
    beta: float = 10.0

    def _solve(self, problem: Problem) -> Solution:
        beta = check_number(self.beta, "beta", positive=True) * problem.affinity.max()
        penalised = graph_laplacian(problem.affinity + beta * problem.must.sign())
        D = sparse.diags_array(problem.laplacian.degrees, format="csr")
        K, n = problem.n_clusters, problem.n_samples
        Y = lowest_pencil(penalised, D, K - 1, null=np.ones(n))[1]
        labels = assign_labels(Y, K, n_init=self.n_init, random_state=problem.seed)
        return Solution(labels, Y)
