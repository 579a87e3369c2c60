"""Constraints as one sparse signed matrix, the form that the published methods read."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from sidecut.constraints import Constraints
from sidecut.constraints.groups import Groups
from sidecut.constraints.pairs import Pairs

#: Labels that imply more pairs than this are sampled: a few pairs for each labelled node.
MAX_PAIRS = 100_000


def statements(known: Constraints, seed: int) -> Pairs:
    """List what the constraints say about pairs of different nodes; labels as all their pairs.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines._links import statements
    >>> pairs = statements(Constraints.from_labels([0, 0, -1, 1]), seed=0)
    >>> pairs.first, pairs.second, pairs.weight
    (array([0, 0, 1]), array([1, 3, 3]), array([ 1., -1., -1.]))
    """
    rng = check_random_state(seed)
    parts = [_all_pairs(part, rng) if isinstance(part, Groups) else part for part in known.parts]
    return Constraints(known.n_samples, parts).as_pairs(MAX_PAIRS, random_state=rng)


def signed_links(known: Constraints, seed: int) -> sparse.csr_array:
    """Return the symmetric matrix of all statements, its diagonal empty; weights add up."""
    matrix = statements(known, seed).matrix
    matrix.eliminate_zeros()
    return matrix


def is_soft(known: Constraints, seed: int) -> bool:
    """Whether some statements weigh more than others."""
    size = np.abs(statements(known, seed).weight)
    return bool(len(size) and np.ptp(size) > 1e-9 * size.max())


def _all_pairs(part: Groups, rng: np.random.RandomState) -> Pairs:
    if len(part.nodes) * (len(part.nodes) - 1) // 2 > MAX_PAIRS:
        return part.listed(MAX_PAIRS, rng)
    i, j = np.triu_indices(len(part.nodes), 1)
    sign = np.where(part.group[i] == part.group[j], 1.0, -1.0)
    ends = np.sort(np.column_stack([part.nodes[i], part.nodes[j]]), axis=1)
    weight = sign * part.weight[i] * part.weight[j]
    return Pairs(part.n_samples, ends[:, 0].copy(), ends[:, 1].copy(), weight)
