"""Constrained spectral clustering by Wang, Qian and Davidson: Algorithms 1 and 2, and transfer."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from sidecut._progress import Callback
from sidecut._validation import Float, check_count, check_number
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.csp.dense import dense_solutions
from sidecut.csp.pencil import Pencil
from sidecut.csp.sparse import sparse_solutions
from sidecut.csp.tail import resolve_tail
from sidecut.csp.threshold import (
    ConstraintSpectrum,
    InfeasibleThresholdError,
    choose_beta,
    constraint_spectrum,
)
from sidecut.laplacian import Laplacian

# A sparse graph of more nodes is solved without dense matrices.
DENSE_NODES = 3000
# Cuts computed there beyond those needed, where more are feasible: the cheapest need not lead.
EXAMINED = 2


@dataclass(frozen=True, eq=False)
class CutSet:
    """Relaxed cuts of a graph, the cheapest first; each column has `v'v = vol`.

    Attributes
    ----------
    vectors : array of shape (n_samples, n_cuts)
        The vectors v.
    indicators : array of shape (n_samples, n_cuts)
        `u = D^-1/2 v`.
    multipliers : array of shape (n_cuts,)
        The generalised eigenvalues λ.
    costs, satisfactions : array of shape (n_cuts,)
        `v' L̄ v` and `v' Q̄ v`, the paper's γ and α.
    residuals : array of shape (n_cuts,)
        `‖L̄v − λ(Q̄ − β/vol I)v‖ / ‖v‖`.
    n_feasible : int
        How many cuts meet the threshold. On a large sparse graph only the leading ones are
        computed, and there may be fewer columns.
    beta : float or None
        The threshold; None for unconstrained cuts.
    spectrum : ConstraintSpectrum or None
        What β had to respect.
    """

    vectors: Float
    indicators: Float
    multipliers: Float
    costs: Float
    satisfactions: Float
    residuals: Float
    n_feasible: int
    beta: float | None = None
    spectrum: ConstraintSpectrum | None = None

    @property
    def n_cuts(self) -> int:
        """Number of cuts."""
        return len(self.costs)


def constrained_cuts(
    laplacian: Laplacian,
    constraints: Constraints,
    *,
    beta: float | str = "single",
    n_clusters: int = 2,
    callback: Callback | None = None,
) -> CutSet:
    """Return the feasible cuts of the paper's Algorithms 1 and 2, the cheapest first.

    They solve `L̄ v = λ (Q̄ − β/vol I) v` with λ > 0, so each has satisfaction above β. For K
    clusters the first K−1 columns are the paper's V*. With constraints made by
    `Constraints.from_affinity` this is its transfer between graphs.

    A graph of several components has cuts of cost zero, for which λ = 0. The paper, which assumes a
    connected graph, would drop them. They are kept here when their satisfaction exceeds β: they are
    the limit of the cuts of the same graph with its components joined by edges of vanishing weight
    `ε d_i d_j`.

    Parameters
    ----------
    laplacian : Laplacian
        The graph.
    constraints : Constraints
        At least one constraint.
    beta : float, "paper" or "single"
        The threshold; see `sidecut.csp.threshold` for the two rules.
    n_clusters : int
        At least `n_clusters − 1` cuts must be feasible.
    callback : callable, optional
        Told the stage, iteration and residual of the iterative solver.

    Notes
    -----
    A dense graph, or a sparse one of up to `DENSE_NODES` nodes, is solved densely and all its
    feasible cuts are returned. On a larger sparse graph nothing dense is formed; the
    `n_clusters − 1 + EXAMINED` cuts of smallest λ are computed, and the cheapest of these come
    first. Under `beta="single"` that is all of them.

    Raises
    ------
    InfeasibleThresholdError
        When β leaves too few; the message has the feasible range.

    Examples
    --------
    >>> from sidecut.csp import constrained_cuts
    >>> from sidecut.datasets import six_node_graph
    >>> from sidecut.laplacian import normalized_laplacian
    >>> A, constraints = six_node_graph()
    >>> graph = normalized_laplacian(A)
    >>> cuts = constrained_cuts(graph, constraints, beta=2 * graph.volume)
    >>> cuts.indicators[:, 0].round(3)
    array([ 1.336,  1.336,  1.004,  0.405, -0.915, -0.915])
    """
    _check_sizes(laplacian, constraints, n_clusters)
    n_vectors = n_clusters - 1
    spectrum = constraint_spectrum(constraints, laplacian, n_vectors)
    beta_value = choose_beta(_check_beta(beta), spectrum, n_vectors)

    pencil = Pencil(laplacian, constraints, beta_value / laplacian.volume)
    n_feasible = spectrum.n_feasible(beta_value)
    if _is_large(laplacian):
        multipliers, V = sparse_solutions(pencil, min(n_feasible, n_vectors + EXAMINED), callback)
    else:
        multipliers, V = dense_solutions(pencil)
        n_feasible = V.shape[1]
    if V.shape[1] < n_vectors:
        rule = f" (beta={beta!r})" if isinstance(beta, str) else ""
        raise InfeasibleThresholdError(
            f"beta = {beta_value:.6g}{rule} leaves {V.shape[1]} feasible cuts, "
            f"{n_vectors} needed for {n_clusters} clusters; "
            f"feasible: {spectrum.describe(n_vectors)}"
        )
    residuals = np.linalg.norm(pencil.apply_l(V) - pencil.apply_m(V) * multipliers, axis=0)
    cuts = _cut_set(laplacian, V, pencil.apply_q(V), multipliers, residuals)
    vectors = cuts.vectors.copy()
    for k in np.flatnonzero(cuts.multipliers[:n_vectors] > 0):
        theta = 1.0 / cuts.multipliers[k]
        vectors[:, k] = resolve_tail(
            vectors[:, k], theta, pencil.shift, pencil.apply_q, pencil.apply_l
        )
    return replace(
        cuts,
        vectors=vectors,
        indicators=laplacian.indicator(vectors),
        n_feasible=n_feasible,
        beta=beta_value,
        spectrum=spectrum,
    )


def unconstrained_cuts(laplacian: Laplacian, n_cuts: int | None = None) -> CutSet:
    """Return the plain normalised cuts: eigenvectors of L̄ orthogonal to the trivial one.

    It is the special case Q̄ = I of the constrained problem.

    Parameters
    ----------
    laplacian : Laplacian
        The graph.
    n_cuts : int or None
        How many; None for all n_samples − 1.

    Examples
    --------
    >>> from sidecut.csp import unconstrained_cuts
    >>> from sidecut.datasets import six_node_graph
    >>> from sidecut.laplacian import normalized_laplacian
    >>> A, _ = six_node_graph()
    >>> unconstrained_cuts(normalized_laplacian(A), 1).indicators[:, 0].round(3)
    array([ 1.178,  1.178,  0.696, -0.696, -1.178, -1.178])
    """
    most = laplacian.n_samples - 1
    n_cuts = most if n_cuts is None else check_count(n_cuts, "n_cuts", least=1)
    if n_cuts > most:
        raise ValueError(f"n_cuts must be at most {most} for {most + 1} nodes, got {n_cuts}")
    if _is_large(laplacian):
        basis = SpectralBasis.from_laplacian(laplacian, n_cuts)
        if not basis.converged:
            warnings.warn(basis.advice, stacklevel=2)
        V = basis.vectors * np.sqrt(laplacian.degrees)[:, None]
        return _cut_set(laplacian, V, np.zeros_like(V), basis.values, basis.residuals)
    L = laplacian.toarray()
    d0 = laplacian.trivial[:, None]
    # Lifting the trivial vector above the spectrum leaves the others as they are.
    values, V = linalg.eigh(L + 3.0 * d0 @ d0.T, subset_by_index=(0, n_cuts - 1))
    residuals = np.linalg.norm(L @ V - V * values, axis=0)
    return _cut_set(laplacian, V, np.zeros_like(V), values, residuals)


def _is_large(laplacian: Laplacian) -> bool:
    return laplacian.n_samples > DENSE_NODES and not isinstance(laplacian.matrix, np.ndarray)


def _cut_set(
    laplacian: Laplacian, V: Float, QV: Float, multipliers: Float, residuals: Float
) -> CutSet:
    """Scale the unit vectors V to the volume, turn them, sort them by cost."""
    volume = laplacian.volume
    costs = np.maximum(volume * (V * (laplacian.matrix @ V)).sum(axis=0), 0.0)
    satisfactions = volume * (V * QV).sum(axis=0)
    order = np.argsort(costs, kind="stable")
    V = V[:, order] * np.sqrt(volume)
    U = laplacian.indicator(V)
    # An eigenvector has no sign of its own: the entry of u that is largest in size is positive. Of
    # entries equal up to rounding the first decides.
    sizes = np.abs(U)
    lead = (sizes >= (1 - 1e-6) * sizes.max(axis=0)).argmax(axis=0)
    signs = np.where(U[lead, np.arange(U.shape[1])] < 0, -1.0, 1.0)
    return CutSet(
        vectors=V * signs,
        indicators=U * signs,
        multipliers=multipliers[order],
        costs=costs[order],
        satisfactions=satisfactions[order],
        residuals=residuals[order],
        n_feasible=V.shape[1],
    )


def _check_beta(beta: object) -> float | str:
    if isinstance(beta, str):
        if beta not in ("paper", "single"):
            raise ValueError(f'beta must be a number, "paper" or "single", got {beta!r}')
        return beta
    return check_number(beta, "beta")


def _check_sizes(laplacian: Laplacian, constraints: Constraints, n_clusters: int) -> None:
    if not isinstance(constraints, Constraints):
        raise TypeError(f"constraints must be a Constraints, got {type(constraints).__name__}")
    if constraints.n_samples != laplacian.n_samples:
        raise ValueError(
            f"constraints speak about {constraints.n_samples} samples, "
            f"the graph has {laplacian.n_samples}"
        )
    if not constraints:
        raise ValueError("constraints hold no constraint; use unconstrained_cuts")
    if check_count(n_clusters, "n_clusters", least=2) > laplacian.n_samples:
        raise ValueError(
            f"n_clusters must be at most {laplacian.n_samples}, the number of nodes, "
            f"got {n_clusters}"
        )
