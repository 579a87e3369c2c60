"""A learned spectral kernel, after multi-task clustering."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from sidecut._validation import Float, check_count, check_number
from sidecut.baselines._base import Baseline, Problem, Solution
from sidecut.basis import SpectralBasis


def ordered_weights(costs: Float, decay: float, least: int) -> Float:
    """Solve `min μ'c` over `Σ μ = 1`, `μ_i ≥ decay μ_{i+1} ≥ 0`, at least `least` weights positive.

    A linear program with the vertices `μ_i ∝ decay^−i` for i up to some j, 0 beyond. All are tried.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.baselines.spectral_kernel import ordered_weights
    >>> ordered_weights(np.array([1.0, -2.0, 0.0, 3.0]), decay=1.0, least=1)
    array([0.5, 0.5, 0. , 0. ])
    """
    shape = decay ** -np.arange(len(costs), dtype=np.float64)
    values = np.cumsum(shape * costs) / np.cumsum(shape)
    best = least - 1 + int(values[least - 1 :].argmin())
    mu = np.where(np.arange(len(costs)) <= best, shape, 0.0)
    result: Float = mu / mu.sum()
    return result


@dataclass(eq=False, repr=False)
class SpectralKernel(Baseline):
    """Learn the weights of a kernel in the eigenvectors of the graph, then run kernel k-means.

    The kernel is `K = Σ μ_i φ_i φ_i'` with φ the smoothest eigenvectors of the graph. The
    paper finds μ by a linear program: the kernel must be smooth on the graph and bring the tasks
    close, μ must be ordered. With one task and side information Q it reads

        min tr(K L̄) − η tr(K Q) / Σ|Q|   over   Σ μ_i = 1,  μ_i ≥ w μ_{i+1} ≥ 0.

    Rows of `[√μ_i φ_i]` go to k-means.

    Parameters
    ----------
    n_vectors : int, default 20
        Number of eigenvectors; at most n_samples − 1 are used.
    decay : float, default 1
        Ratio w of successive weights, at least 1.
    trade_off : float, default 1
        Weight η of the side information.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. What is kept of the paper: the
    spectral kernel, its order, the graph term, the linear program and kernel k-means. What is left
    out: the distance between the distributions of two tasks (maximum mean discrepancy), which is
    zero with one task; its place, a term linear in K, is taken by the agreement with Q. Their
    second kernel, without a parametric form, needs two tasks and is left out as well. μ can only
    reweight eigenvectors, so constraints choose how many of them count. At least K − 1 do; without
    constraints that is `Ncut(assign_labels="kmeans")`.

    References
    ----------
    Q. Gu, Z. Li and J. Han, Learning a kernel for multi-task clustering, AAAI 2011.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import SpectralKernel
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> SpectralKernel(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    _: KW_ONLY
    n_vectors: int = 20
    decay: float = 1.0
    trade_off: float = 1.0

    takes_soft: ClassVar[bool] = True

    def _solve(self, problem: Problem) -> Solution:
        p = max(check_count(self.n_vectors, "n_vectors", least=1), problem.n_clusters - 1)
        decay = check_number(self.decay, "decay", positive=True)
        if decay < 1:
            raise ValueError(f"decay must be at least 1, got {decay:g}")
        eta = check_number(self.trade_off, "trade_off")
        basis = SpectralBasis.from_laplacian(problem.laplacian, min(p, problem.n_samples - 1))
        # Unit variance under the degrees: a cut in two equal parts has the values ±1.
        phi = basis.vectors * np.sqrt(basis.volume)
        costs = basis.values.copy()
        if problem.links.nnz:
            agreement = np.einsum("ip,ip->p", phi, problem.links @ phi)
            costs -= eta * agreement / abs(problem.links).sum()
        mu = ordered_weights(costs, decay, problem.n_clusters - 1)
        E = (phi * np.sqrt(mu))[:, mu > 0]
        return Solution(self._kmeans(E, problem), E)
