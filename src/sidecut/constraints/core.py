"""`Constraints`: everything a user knows about the clusters, as one object."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from sidecut._validation import (
    Float,
    Int,
    check_count,
    check_integers,
    check_labels,
    check_number,
    check_symmetric,
    check_weights,
)
from sidecut.constraints.consistency import (
    Contradiction,
    Part,
    contradictions,
    linked_components,
    must_link_components,
)
from sidecut.constraints.groups import Groups
from sidecut.constraints.pairs import Pairs
from sidecut.constraints.satisfaction import Satisfaction


class Constraints:
    """Side information about `n_samples` nodes: the paper's matrix Q, never stored dense.

    Make one with a builder: `from_pairs`, `from_labels`, `from_scribbles`, `from_matrix`,
    `from_affinity`, or `sample` for experiments. Add two (`a + b`) to use both; multiply by a
    positive number (`2 * a`) to trust one more. An object never changes.

    It deliberately has no length, shape or array conversion: scikit-learn would take it for data
    with one row per sample and slice it.

    Parameters
    ----------
    n_samples : int
        Number of nodes the constraints speak about.
    parts : iterable of Pairs or Groups
        What Q is the sum of. Use the builders.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> known = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(1, 2)], n_samples=4)
    >>> known
    Constraints(n_samples=4, must_links=1, cannot_links=1)
    >>> known.satisfaction([0, 0, 0, 1]).share
    0.5
    """

    # Makes `numpy.float64(2) * constraints` reach our `__rmul__` instead of NumPy's broadcasting.
    __array_ufunc__ = None

    def __init__(self, n_samples: int, parts: Iterable[Part] = ()) -> None:
        self._n_samples = check_count(n_samples, "n_samples", least=1)
        parts = [part for part in parts if len(part.nodes)]
        pairs = [part for part in parts if isinstance(part, Pairs)]
        groups = [part for part in parts if isinstance(part, Groups)]
        self._parts: tuple[Part, ...] = (*([reduce(Pairs.joined, pairs)] if pairs else []), *groups)

    # -- builders -------------------------------------------------------------------------------

    @classmethod
    def from_pairs(
        cls,
        must_link: ArrayLike = (),
        cannot_link: ArrayLike = (),
        *,
        n_samples: int,
        must_weight: ArrayLike = 1.0,
        cannot_weight: ArrayLike = 1.0,
    ) -> Constraints:
        """Make constraints from pairs of nodes.

        A weight says how strong the belief is. For a probability p that the pair belongs together,
        `2p − 1` is the natural one: 70 % sure weighs 0.4, and 50 % would say nothing. A pair that
        is named twice counts twice.

        Parameters
        ----------
        must_link, cannot_link : array-like of int, shape (m, 2)
            Pairs that belong together, and pairs that do not.
        n_samples : int
            Number of nodes.
        must_weight, cannot_weight : float or array-like of shape (m,)
            Positive weights.

        Examples
        --------
        >>> from sidecut import Constraints
        >>> Constraints.from_pairs([(0, 1), (2, 3)], [(0, 3)], n_samples=4, must_weight=[1, 0.4])
        Constraints(n_samples=4, must_links=2, cannot_links=1)
        """
        n_samples = check_count(n_samples, "n_samples", least=1)
        must = _check_pairs(must_link, n_samples, "must_link")
        cannot = _check_pairs(cannot_link, n_samples, "cannot_link")
        code = np.array([n_samples, 1])
        if len(both := np.intersect1d(must @ code, cannot @ code)):
            pair = tuple(int(k) for k in divmod(both[0], n_samples))
            raise ValueError(f"the pair {pair} is in must_link and in cannot_link")
        weight = np.concatenate(
            [
                check_weights(must_weight, len(must), "must_weight"),
                -check_weights(cannot_weight, len(cannot), "cannot_weight"),
            ]
        )
        pairs = np.concatenate([must, cannot])
        return cls(n_samples, [Pairs(n_samples, pairs[:, 0].copy(), pairs[:, 1].copy(), weight)])

    @classmethod
    def from_labels(cls, labels: ArrayLike, *, weight: ArrayLike = 1.0) -> Constraints:
        """Make constraints from a partial labelling; −1 means not labelled, as in scikit-learn.

        Nodes of one label belong together, nodes of different labels do not. Cost and memory are
        linear in the number of labels.

        Parameters
        ----------
        labels : array-like of int, shape (n_samples,)
            A label of 0 or more, or −1.
        weight : float or array-like of shape (n_samples,)
            Trust r in each label; the pair (i, j) then weighs `r_i r_j`.

        Examples
        --------
        >>> from sidecut import Constraints
        >>> Constraints.from_labels([0, 0, -1, 1])
        Constraints(n_samples=4, must_links=1, cannot_links=2)
        """
        codes = check_integers(labels, "labels")
        if len(codes) == 0:
            raise ValueError("labels must not be empty")
        if codes.min() < -1:
            raise ValueError(f"labels must be -1 (not labelled) or more, got {codes.min()}")
        weights = check_weights(weight, len(codes), "weight")
        nodes = np.flatnonzero(codes >= 0)
        group = np.unique(codes[nodes], return_inverse=True)[1].astype(np.intp)
        return cls(len(codes), [Groups(len(codes), nodes, group, weights[nodes])])

    @classmethod
    def from_scribbles(cls, scribbles: ArrayLike, *, weight: float = 1.0) -> Constraints:
        """Make constraints from a label image; 0 means no stroke, as in scikit-image.

        Parameters
        ----------
        scribbles : array-like of int, any number of dimensions
            One entry per pixel; the pixels are numbered in C order.
        weight : float
            Trust in the strokes.

        Examples
        --------
        >>> from sidecut import Constraints
        >>> Constraints.from_scribbles([[1, 0, 0], [0, 0, 2]])
        Constraints(n_samples=6, must_links=0, cannot_links=1)
        """
        marks = check_integers(scribbles, "scribbles", ndim=None)
        if marks.size and marks.min() < 0:
            raise ValueError(f"scribbles must be 0 (no stroke) or more, got {marks.min()}")
        if marks.size == 0:
            raise ValueError("scribbles must not be empty")
        return cls.from_labels(marks.ravel() - 1, weight=check_number(weight, "weight"))

    @classmethod
    def from_matrix(cls, Q: Any) -> Constraints:
        """Make soft constraints from any real symmetric matrix, dense or sparse.

        Positive entries say together, negative ones apart, their size how strongly; zeros say
        nothing. The diagonal is kept: it is part of Q, though no labelling can break it.

        Examples
        --------
        >>> import numpy as np
        >>> from sidecut import Constraints
        >>> Constraints.from_matrix(np.array([[0, 0.9, 0], [0.9, 0, -0.2], [0, -0.2, 0]]))
        Constraints(n_samples=3, must_links=1, cannot_links=1)
        """
        return cls._from_upper(check_symmetric(Q, "Q"))

    @classmethod
    def from_affinity(cls, affinity: Any) -> Constraints:
        """Make constraints from a second graph or metric on the same nodes (the paper's transfer).

        Every edge is a must-link as strong as its weight: what is close there should be together
        here.

        Parameters
        ----------
        affinity : array or sparse array of shape (n_samples, n_samples)
            Symmetric, not negative.

        Examples
        --------
        >>> import numpy as np
        >>> from sidecut import Constraints
        >>> Constraints.from_affinity(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]]))
        Constraints(n_samples=3, must_links=2, cannot_links=0)
        """
        return cls._from_upper(check_symmetric(affinity, "affinity", nonnegative=True))

    @classmethod
    def _from_upper(cls, matrix: Any) -> Constraints:
        upper = sparse.coo_array(sparse.triu(matrix))
        upper.eliminate_zeros()
        row, column = (index.astype(np.intp) for index in upper.coords)
        n_samples = matrix.shape[0]
        return cls(n_samples, [Pairs(n_samples, row, column, upper.data.copy())])

    @classmethod
    def sample(
        cls,
        labels: ArrayLike,
        n_pairs: int,
        *,
        wrong: float = 0.0,
        random_state: Any = None,
    ) -> Constraints:
        """Draw random distinct pairs and link them as the true labels say; for experiments.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            The true labels.
        n_pairs : int
            How many pairs to draw.
        wrong : float
            Share of the pairs that get the wrong sign.
        random_state : int, RandomState or None
            As everywhere in scikit-learn.

        Examples
        --------
        >>> from sidecut import Constraints
        >>> Constraints.sample([0, 0, 0, 1, 1, 1], 5, random_state=0)
        Constraints(n_samples=6, must_links=3, cannot_links=2)
        """
        truth = check_labels(labels, len(np.asarray(labels)))
        population = len(truth) * (len(truth) - 1) // 2
        if check_count(n_pairs, "n_pairs") > population:
            raise ValueError(f"n_pairs must be at most {population}, got {n_pairs}")
        if not 0 <= check_number(wrong, "wrong") <= 1:
            raise ValueError(f"wrong must be between 0 and 1, got {wrong}")
        rng = check_random_state(random_state)
        drawn = sample_without_replacement(population, n_pairs, random_state=rng)
        # Pair number k is (i, j) with j(j−1)/2 + i = k and i < j; the float root may be one off.
        second = np.floor((1 + np.sqrt(1 + 8.0 * drawn)) / 2).astype(np.intp)
        second -= second * (second - 1) // 2 > drawn
        second += second * (second + 1) // 2 <= drawn
        first = drawn - second * (second - 1) // 2
        sign = np.where(truth[first] == truth[second], 1.0, -1.0)
        sign[sample_without_replacement(n_pairs, round(wrong * n_pairs), random_state=rng)] *= -1
        return cls(len(truth), [Pairs(len(truth), first.astype(np.intp), second, sign)])

    # -- what it is -----------------------------------------------------------------------------

    @property
    def n_samples(self) -> int:
        """Number of nodes."""
        return self._n_samples

    @property
    def parts(self) -> tuple[Part, ...]:
        """What Q is the sum of: at most one `Pairs`, any number of `Groups`."""
        return self._parts

    @property
    def nodes(self) -> Int:
        """The nodes that some constraint names, ascending."""
        named = [part.nodes for part in self._parts]
        return np.unique(np.concatenate([*named, np.empty(0, np.intp)]))

    @property
    def n_entries(self) -> int:
        """Number of nonzero entries of Q, both triangles and the diagonal."""
        return sum(part.n_entries for part in self._parts)

    def __bool__(self) -> bool:
        return bool(self._parts)

    def __repr__(self) -> str:
        given = self.satisfaction(np.zeros(self.n_samples, np.intp))
        return (
            f"Constraints(n_samples={self.n_samples}, must_links={given.must.count}, "
            f"cannot_links={given.cannot.count})"
        )

    # -- algebra --------------------------------------------------------------------------------

    def __add__(self, other: object) -> Constraints:
        if not isinstance(other, Constraints):
            return NotImplemented
        if other.n_samples != self.n_samples:
            raise ValueError(
                f"cannot add constraints for {self.n_samples} and for {other.n_samples} samples"
            )
        return Constraints(self.n_samples, (*self._parts, *other._parts))

    def __mul__(self, factor: object) -> Constraints:
        factor = check_number(factor, "the factor of constraints", positive=True)
        return Constraints(self.n_samples, [part.scaled(factor) for part in self._parts])

    __rmul__ = __mul__

    def __matmul__(self, X: ArrayLike) -> Float:
        X = np.asarray(X, dtype=np.float64)
        if X.ndim not in (1, 2) or X.shape[0] != self.n_samples:
            raise ValueError(f"X must have {self.n_samples} rows, got shape {X.shape}")
        result = np.zeros(X.shape)
        for part in self._parts:
            result += part.product(X)
        return result

    def toarray(self) -> Float:
        """Return Q as a dense matrix; for small problems only."""
        result = np.zeros((self.n_samples, self.n_samples))
        for part in self._parts:
            result += part.toarray()
        return result

    def project(self, U: Float) -> Float:
        """Return `U' Q U`; only the rows of U that carry constraints are read."""
        if U.ndim != 2 or U.shape[0] != self.n_samples:
            raise ValueError(f"U must have {self.n_samples} rows, got shape {U.shape}")
        result = np.zeros((U.shape[1], U.shape[1]))
        for part in self._parts:
            result += part.project(U)
        return result

    def as_pairs(self, limit: int = 20_000, *, random_state: Any = None) -> Pairs:
        """List the statements as at most `limit` pairs with `first`, `second`, signed `weight`.

        Pairs are listed as they are; labels, and what goes beyond the limit, by a random choice.
        """
        rng = check_random_state(random_state)
        empty = np.empty(0, np.intp)
        parts = [Pairs(self.n_samples, empty, empty, np.empty(0))]
        parts += [part.listed(check_count(limit, "limit"), rng) for part in self._parts]
        return reduce(Pairs.joined, parts).listed(limit, rng)

    def restrict(self, nodes: ArrayLike) -> Constraints:
        """Return the constraints among `nodes` alone, renumbered in the order given."""
        chosen = check_integers(nodes, "nodes")
        _check_range(chosen, self.n_samples, "nodes")
        if len(np.unique(chosen)) < len(chosen):
            raise ValueError("nodes must not repeat")
        position = np.full(self.n_samples, -1, np.intp)
        position[chosen] = np.arange(len(chosen))
        parts = [part.restricted(position, len(chosen)) for part in self._parts]
        return Constraints(len(chosen), parts)

    # -- what a labelling makes of it -----------------------------------------------------------

    def satisfaction(self, labels: ArrayLike) -> Satisfaction:
        """Count and weigh the statements that a labelling meets.

        Every statement counts for itself: where two parts speak of one pair, both are scored.
        """
        codes = check_labels(labels, self.n_samples)
        return sum((part.satisfaction(codes) for part in self._parts), Satisfaction())

    def violations(self, labels: ArrayLike, limit: int = 1000) -> Pairs:
        """Return up to `limit` of the pairs that a labelling breaks, heaviest first.

        The result has `first`, `second` and the signed `weight` of each.

        Pairs are listed exactly; of the pairs implied by groups of labels, at most `limit` are
        looked at.
        """
        codes = check_labels(labels, self.n_samples)
        limit = check_count(limit, "limit")
        nothing = (np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))
        found = [nothing, *(part.violated(codes, limit) for part in self._parts)]
        first, second, weight = map(np.concatenate, zip(*found, strict=True))
        order = np.argsort(-np.abs(weight), kind="stable")[:limit]
        return Pairs(self.n_samples, first[order], second[order], weight[order])

    def must_link_components(self) -> Int:
        """Close the must-links: two nodes get the same number when a chain of them joins the two.

        Examples
        --------
        >>> from sidecut import Constraints
        >>> Constraints.from_pairs([(0, 2), (2, 3)], n_samples=5).must_link_components()
        array([0, 1, 0, 0, 2])
        """
        return must_link_components(self.n_samples, self._parts)

    def linked_components(self) -> Int:
        """Return the connected groups of nodes when each constraint, of either sign, is a link.

        Q is block-diagonal over them.
        """
        return linked_components(self.n_samples, self._parts)

    def contradictions(self, limit: int = 10) -> list[Contradiction]:
        """Find cannot-links inside a must-link component, each with its shortest chain.

        Examples
        --------
        >>> from sidecut import Constraints
        >>> known = Constraints.from_pairs([(0, 2), (2, 3)], [(0, 3)], n_samples=5)
        >>> print(*known.contradictions())
        cannot-link (0, 3) against must-links 0 = 2 = 3
        """
        return contradictions(self.n_samples, self._parts, check_count(limit, "limit"))


def _check_range(nodes: Int, n_samples: int, name: str) -> None:
    outside = nodes[(nodes < 0) | (nodes >= n_samples)]
    if len(outside):
        raise ValueError(f"{name} must name nodes from 0 to {n_samples - 1}, got {outside[0]}")


def _check_pairs(pairs: ArrayLike, n_samples: int, name: str) -> Int:
    """Return pairs as an (m, 2) array with the smaller node first."""
    array = check_integers(pairs, name, ndim=None)
    if array.size == 0:
        return np.empty((0, 2), np.intp)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name} must have shape (m, 2), got {array.shape}")
    _check_range(array.ravel(), n_samples, name)
    alone = array[array[:, 0] == array[:, 1]]
    if len(alone):
        raise ValueError(f"{name} pairs node {alone[0, 0]} with itself")
    return np.sort(array, axis=1)
