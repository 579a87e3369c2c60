"""The threshold β: which values leave feasible cuts, and the paper's two ways to set it.

The paper states that `β < λmax(Q̄) vol` suffices for a feasible cut. It does not. With
`M = Q̄ − β/vol I`, a solution of `L̄ v = λ M v` with λ > 0 has `d0' M v = 0` and `v' M v > 0`, so
when `d0' M d0 > 0` the matrix M needs *two* positive eigenvalues. By Haynsworth's inertia formula
the number of feasible vectors is exactly

    #{i : λ_i(Q̄) > β/vol}  −  [d0' Q̄ d0 > β/vol],

which is what this module counts. In the six-node example, β = 0.2 vol is below λmax(Q̄) vol and
leaves none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import LinearOperator, eigsh

from sidecut._validation import Float
from sidecut.constraints import Constraints
from sidecut.laplacian import Laplacian

# A block of Q̄ of up to this many nodes has its whole spectrum computed, by a dense solver.
DENSE_NODES = 2000
# A larger one so many leading eigenvalues more than the clusters need.
EXTRA_EIGENVALUES = 20
# Eigenvalues closer than this share of the largest count as one.
TIE = 1e-8


class InfeasibleThresholdError(ValueError):
    """No cut, or too few, meet the threshold: β, α or a share of the constraints."""


@dataclass(frozen=True, eq=False)
class ConstraintSpectrum:
    """Leading eigenvalues of Q̄, descending, and `d0' Q̄ d0`: all that β depends on."""

    values: Float
    trivial: float
    volume: float
    n_samples: int
    n_entries: int
    only_must_links: bool

    def n_feasible(self, beta: float) -> int:
        """Count the feasible vectors at β (a lower bound where not all values are known)."""
        share = beta / self.volume
        return int((self.values > share).sum()) - int(self.trivial > share)

    def feasible_intervals(self, n_vectors: int) -> list[tuple[float, float]]:
        """Return the open intervals of β that leave at least `n_vectors` feasible, ascending."""
        shares = np.unique([*self.values[: n_vectors + 1], self.trivial])
        edges = [-np.inf, *(shares * self.volume).tolist()]
        found: list[tuple[float, float]] = []
        for low, high in pairwise(edges):
            inside = high - 1.0 if np.isinf(low) else (low + high) / 2
            if not low < inside < high or self.n_feasible(inside) < n_vectors:
                continue
            if found and found[-1][1] == low:
                found[-1] = (found[-1][0], high)
            else:
                found.append((low, high))
        return found

    def describe(self, n_vectors: int) -> str:
        """Return the feasible range as text, in β and in multiples of the volume."""
        parts = []
        for low, high in self.feasible_intervals(n_vectors):
            left = "" if np.isinf(low) else f"{low:.6g} < "
            share = "" if np.isinf(low) else f"{low / self.volume:.6g} < "
            parts.append(f"{left}β < {high:.6g} ({share}β/vol < {high / self.volume:.6g})")
        return " or ".join(parts) or "none"

    def paper_beta(self, n_vectors: int) -> float:
        """Return `λ vol (0.5 + 0.4 n / N²)` with n the number of entries of Q.

        λ is the largest eigenvalue of Q̄ for two clusters, the (K−1)-th for K. Without any
        cannot-link the leading eigenvector of Q̄ has one sign (Perron and Frobenius): it is no cut,
        and the next eigenvalue is taken, as the paper does for transfer.
        """
        value = self.values[min(self._leading(n_vectors), len(self.values) - 1)]
        share = min(self.n_entries / self.n_samples**2, 1.0)
        return float(value) * self.volume * (0.5 + 0.4 * share)

    def single_beta(self, n_vectors: int) -> float:
        """Return a β that leaves exactly `n_vectors` feasible or, among ties, as few as possible.

        It is the middle of the highest gap between eigenvalues that leaves enough. Where the
        leading eigenvalues coincide, as for disjoint pairs between nodes of equal degree, no β
        leaves one vector; the gap below the tie is taken, and the least cost decides.
        """
        scale = float(np.abs(self.values).max())
        cap = self.values[min(self._leading(n_vectors), len(self.values) - 1)]
        lowest = self.values[-1] - max(scale, 1e-300)
        edges = np.sort([*self.values, self.trivial, lowest])[::-1]
        for high, low in pairwise(edges):
            if high > cap + TIE * scale or high - low <= TIE * scale:
                continue
            if self.n_feasible((high + low) / 2 * self.volume) >= n_vectors:
                return float((high + low) / 2 * self.volume)
        return float(lowest * self.volume)

    def _leading(self, n_vectors: int) -> int:
        return n_vectors - 1 + self.only_must_links


def constraint_spectrum(
    constraints: Constraints, laplacian: Laplacian, n_vectors: int = 1
) -> ConstraintSpectrum:
    """Compute the leading eigenvalues of `Q̄ = D^-1/2 Q D^-1/2` (Q must not be empty).

    Only the nodes that carry constraints matter; every other node adds an eigenvalue 0.

    Examples
    --------
    >>> from sidecut.csp import constraint_spectrum
    >>> from sidecut.datasets import six_node_graph
    >>> from sidecut.laplacian import normalized_laplacian
    >>> A, constraints = six_node_graph()
    >>> spectrum = constraint_spectrum(constraints, normalized_laplacian(A))
    >>> float(spectrum.values[0].round(4)), spectrum.describe(1)
    (2.6667, 'β < 0 (β/vol < 0) or 4 < β < 37.3333 (0.285714 < β/vol < 2.66667)')
    """
    nodes = constraints.nodes
    scale = 1.0 / np.sqrt(laplacian.degrees[nodes])
    small = constraints.restrict(nodes)
    named = _named_eigenvalues(small, scale, n_vectors + 1 + EXTRA_EIGENVALUES)
    unnamed = np.zeros(laplacian.n_samples - len(nodes))
    values = np.sort(np.concatenate([named, unnamed]))[::-1]
    # Rounding must not make a positive eigenvalue of a zero one.
    values[np.abs(values) <= 1e-13 * np.abs(values).max()] = 0.0
    ones = np.ones(laplacian.n_samples)
    return ConstraintSpectrum(
        values=values,
        trivial=float(ones @ (constraints @ ones)) / laplacian.volume,
        volume=laplacian.volume,
        n_samples=laplacian.n_samples,
        n_entries=constraints.n_entries,
        only_must_links=constraints.satisfaction(np.zeros(laplacian.n_samples)).cannot.count == 0,
    )


def _named_eigenvalues(known: Constraints, scale: Float, wanted: int) -> Float:
    """Return the eigenvalues of `diag(scale) Q diag(scale)`, block by block.

    Pairs that share no node are blocks of two; the whole spectrum of thousands of them costs
    nothing, and equal eigenvalues come out as often as they occur.
    """
    component = known.linked_components()
    order = np.argsort(component, kind="stable")
    known, scale = known.restrict(order), scale[order]
    ends = np.cumsum(np.bincount(component))
    values = []
    for start, end in zip(np.r_[0, ends[:-1]], ends, strict=True):
        block, own = known.restrict(np.arange(start, end)), scale[start:end]
        if len(own) <= DENSE_NODES:
            values.append(eigvalsh(own[:, None] * block.toarray() * own))
            continue
        operator = LinearOperator(
            (len(own), len(own)),
            matvec=lambda x, block=block, own=own: own * (block @ (own * x.ravel())),
            dtype=np.float64,
        )
        # A fixed start makes the result repeatable; it has a part along every eigenvector.
        first = np.random.default_rng(0).standard_normal(len(own))
        values.append(eigsh(operator, k=wanted, which="LA", v0=first, return_eigenvectors=False))
    return np.concatenate(values)


def choose_beta(beta: float | str, spectrum: ConstraintSpectrum, n_vectors: int) -> float:
    """Return β as a number: itself, or by the rule `"paper"` or `"single"`."""
    if isinstance(beta, str):
        rules = {"paper": spectrum.paper_beta, "single": spectrum.single_beta}
        return rules[beta](n_vectors)
    return beta
