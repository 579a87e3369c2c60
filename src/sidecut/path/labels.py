"""From vectors on the path to labels, and on from its far end to labels that meet the constraints.

Every final cut has one form: logits `[U 1] @ weights` of the cluster memberships, which exist for
each node and each new point alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidecut._validation import Float, Int
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.selection import Beliefs
from sidecut.selection.crossval import LOGIT, N_SAMPLE
from sidecut.selection.refine import PairFit, logits
from sidecut.selection.start import fitted_logits, roughness, start_labels

# Constraints that enter a refinement as pairs; labels and second graphs are sampled down to them.
MAX_PAIRS = 20_000
# Where the walk leaves the path for refinements, ever less stiff. Further out the path meets the
# given constraints at the cost of the other nodes: at 95 % satisfied, breast cancer with 100 pairs
# has ARI .73 when refined around μ = 10, .84 around 1; at 98 %, USPS with 500 pairs .55 and .79.
TURN = 1.0
STIFFNESSES = tuple(np.geomspace(10, 1e-4, 11).tolist())
FLOOR = 0.02


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut that labels every node.

    Attributes
    ----------
    weights : array of shape (p + 1, n_clusters)
        Logits of the memberships are `[U 1] @ weights`.
    share : float
        Share of the constraint weight that the labels meet.
    mu : float
        The point of the path it belongs to.
    stiffness : float
        How closely a refinement keeps to that point; inf for the point itself.
    """

    weights: Float
    share: float
    mu: float
    stiffness: float = np.inf


class Labeller:
    """Turns coefficients into cuts; reads constrained rows and, for K > 2, a sample of others."""

    def __init__(
        self, basis: SpectralBasis, constraints: Constraints, n_clusters: int, seed: int
    ) -> None:
        self._basis = basis
        self._n_clusters = n_clusters
        self._seed = seed
        nodes = constraints.nodes
        self._known = constraints.restrict(nodes)
        if n_clusters > 2:
            rng = np.random.default_rng(seed)
            n = basis.n_samples
            others = np.arange(n) if n <= N_SAMPLE else rng.choice(n, N_SAMPLE, replace=False)
            rows = np.union1d(nodes, others)
            self._sample: Int = np.searchsorted(rows, np.sort(others))
        else:
            rows = nodes
            self._sample = np.empty(0, np.intp)
        self._named: Int = np.searchsorted(rows, nodes)
        self._F: Float = basis.vectors[rows] * np.sqrt(basis.volume)

    def cut(self, mu: float, X: Float) -> Cut:
        """Return the cut of the vectors `F X`: their signs, or k-means on unit rows for K > 2."""
        return self._cut(self._weights(X), mu)

    def walk(self, mus: Sequence[float], start: Callable[[float], Float]) -> Iterator[Cut]:
        """Yield cuts that satisfy more and more: the path to `TURN`, refinements, the rest of it.

        A refinement maximises the likelihood of the constraints under a prior around the path
        (`sidecut.selection.refine`). As the prior weakens, labels come to meet all that functions
        of the basis can.
        """
        for mu in mus:
            if mu <= TURN:
                yield self._cut(self._weights(start(mu)), mu)
        fit = PairFit(self._F, self._beliefs)
        prior = W = self._weights(start(TURN))
        for stiffness in STIFFNESSES:
            precision = stiffness * roughness(self._basis.values)
            W = fit.refine(prior, precision, W, FLOOR)
            yield self._cut(W, TURN, stiffness)
        for mu in mus:
            if mu > TURN:
                yield self._cut(self._weights(start(mu)), mu)

    @cached_property
    def _beliefs(self) -> Beliefs:
        """The constraints as pairs of rows of F."""
        pairs = self._known.as_pairs(MAX_PAIRS, random_state=self._seed)
        listed = Beliefs.from_pairs(pairs)
        return listed._replace(first=self._named[listed.first], second=self._named[listed.second])

    def _weights(self, X: Float) -> Float:
        K = self._n_clusters
        if K == 2:
            side = np.append(X[:, 0], 0.0) * LOGIT / 2
            return np.stack([-side, side], axis=1)
        labels = start_labels(self._F, X, K, self._beliefs, self._sample, self._seed)
        return fitted_logits(self._F[self._sample], labels, K, LOGIT)

    def _cut(self, W: Float, mu: float, stiffness: float = np.inf) -> Cut:
        labels = logits(self._F[self._named], W).argmax(axis=1)
        share = self._known.satisfaction(labels).share
        weights = W.copy()
        weights[:-1] *= np.sqrt(self._basis.volume)
        return Cut(weights, share, mu, stiffness)
