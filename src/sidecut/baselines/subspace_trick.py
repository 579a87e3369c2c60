"""The subspace trick: cuts that obey the constraints exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from sidecut.baselines._base import Baseline, Problem, Solution
from sidecut.baselines._subspace import restricted_cut, two_sides


@dataclass(eq=False, repr=False)
class SubspaceTrick(Baseline):
    """Minimise the normalised cut over vectors that obey all constraints.

    Must-linked nodes have one value; nodes that cannot-links put on opposite sides have values `c +
    z` and `c − z`, with one offset c for the whole graph. Such vectors are `x = T w` with T a
    column of ±1 for each group of linked nodes, a unit column for each free one, and a column for
    the offset. The relaxed cut becomes the generalised eigenproblem

        T'(D − A)T w = λ T'D T w,

    of which the second solution is taken. Its values above c are one cluster.

    Notes
    -----
    The parameters and attributes are those of `Baseline`; there are no others. `embedding_` is x −
    c. The labels satisfy every constraint. Constraints that no two clusters can satisfy are
    refused; `InconsistentAdvice` takes them. Without constraints it is `Ncut`.

    References
    ----------
    T. De Bie, J. Suykens and B. De Moor, Learning from general label constraints, SSPR 2004.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import SubspaceTrick
    >>> from sidecut.datasets import six_node_graph
    >>> known = Constraints.from_pairs([(0, 3)], [(3, 4)], n_samples=6)
    >>> model = SubspaceTrick(affinity="precomputed").fit(six_node_graph()[0], constraints=known)
    >>> model.labels_ == model.labels_[0]
    array([ True,  True,  True,  True, False, False])
    """

    takes_more_clusters: ClassVar[bool] = False

    def _solve(self, problem: Problem) -> Solution:
        sides = two_sides(problem.links)
        if sides.frustrated.any():
            bad = np.flatnonzero(sides.frustrated[sides.group])
            raise ValueError(
                "SubspaceTrick needs constraints that two clusters can satisfy, got contradicting "
                f"ones among {len(bad)} nodes, node {bad[0]} first; InconsistentAdvice takes such"
            )
        n = problem.n_samples
        T = sparse.coo_array((sides.sign, (np.arange(n), sides.group))).tocsr()
        offset = sides.opposed[sides.group].astype(np.float64)
        x = restricted_cut(problem.laplacian, T, offset)
        return Solution((x > 0).astype(np.intp), x[:, None])
