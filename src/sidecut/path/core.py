"""The constrained path: all optimal cuts between the unconstrained and the most satisfying one."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sidecut._validation import Float, Int, check_count, check_number
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.csp import InfeasibleThresholdError
from sidecut.laplacian import Laplacian
from sidecut.path.alpha import SmallProblem, Vertex, solve_alpha
from sidecut.path.labels import Cut, Labeller
from sidecut.path.point import PathCurve, PathPoint
from sidecut.selection.refine import logits

# Nodes up to which the full space is solved densely; there an α takes about ten seconds.
FULL_NODES = 2000
# An α above the largest by this share is the largest.
ROUNDING = 1e-9
# Multipliers along the path, without unit: 0 is the unconstrained cut, at 1000 nothing moves.
WALK = (0.0, *np.geomspace(0.01, 1000, 26).tolist())


class ConstrainedPath:
    """The curve of optimal cuts from the unconstrained Ncut to full satisfaction.

    For each multiplier μ ≥ 0 the K−1 lowest eigenvectors of `Λ − μ Q_p`, with `Q_p = U'QU`. In the
    span of a basis this is a problem of p × p; only the rows of U that carry constraints are read
    until labels are made.

    Parameters
    ----------
    basis : SpectralBasis
        The space in which cuts are sought.
    constraints : Constraints
        At least one constraint.
    n_clusters : int
        Number of clusters K; K−1 vectors make a point.
    seed : int
        For the sample of nodes and for k-means, where labels of K > 2 clusters are made.

    Examples
    --------
    >>> from sidecut import ConstrainedPath, Constraints, SpectralBasis
    >>> from sidecut.affinity import knn_affinity
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(300, noise=0.15, random_state=0)
    >>> basis = SpectralBasis.from_affinity(knn_affinity(X, 10), 30)
    >>> path = ConstrainedPath(basis, Constraints.sample(y, 40, random_state=0))
    >>> point = path.at_alpha(50.0)
    >>> round(point.satisfaction, 6), bool(point.relative_gap < 1e-9)
    (50.0, True)
    >>> path.at_satisfaction(0.95).share >= 0.95
    True
    """

    def __init__(
        self,
        basis: SpectralBasis,
        constraints: Constraints,
        n_clusters: int = 2,
        *,
        seed: int = 0,
    ) -> None:
        if not isinstance(constraints, Constraints):
            raise TypeError(f"constraints must be a Constraints, got {type(constraints).__name__}")
        if constraints.n_samples != basis.n_samples:
            raise ValueError(
                f"constraints speak about {constraints.n_samples} samples, "
                f"the basis has {basis.n_samples}"
            )
        if not constraints:
            raise ValueError("constraints hold no constraint: there is no path to follow")
        if check_count(n_clusters, "n_clusters", least=2) > basis.p + 1:
            raise ValueError(
                f"n_clusters must be at most {basis.p + 1} for a basis of {basis.p} vectors, "
                f"got {n_clusters}"
            )
        self.basis = basis
        self.constraints = constraints
        self.n_clusters = n_clusters
        self.seed = check_count(seed, "seed")
        self._problem = SmallProblem(
            basis.values, constraints.project(basis.vectors), n_clusters - 1
        )

    @classmethod
    def full(
        cls, laplacian: Laplacian, constraints: Constraints, n_clusters: int = 2, *, seed: int = 0
    ) -> ConstrainedPath:
        """Make the path in the space of all cuts orthogonal to d0: the paper's Problem 1 itself.

        Dense, so for at most `FULL_NODES` nodes.
        """
        n = laplacian.n_samples
        if not 2 <= n <= FULL_NODES:
            raise ValueError(
                f"the full space needs between 2 and {FULL_NODES} nodes, got {n}; "
                "use a SpectralBasis for larger graphs"
            )
        basis = SpectralBasis.from_laplacian(laplacian, n - 1, solver="dense")
        return cls(basis, constraints, n_clusters, seed=seed)

    @property
    def values(self) -> Float:
        """The diagonal of Λ."""
        return self._problem.values

    @property
    def Q(self) -> Float:
        """`Q_p = U'QU`."""
        return self._problem.Q

    @cached_property
    def unit(self) -> float:
        """The multiplier of Q̄ that μ = 1 stands for: `mean(λ) / ‖Q_p‖`."""
        return self._problem.unit

    @cached_property
    def alpha_range(self) -> tuple[float, float]:
        """The relaxed satisfaction of the unconstrained cut, and the most that any cut has."""
        ends = self._problem.cheapest(), self._problem.most_satisfying()
        volume = self.basis.volume
        return volume * ends[0].satisfaction, volume * ends[1].satisfaction

    # -- points ---------------------------------------------------------------------------------

    def at(self, mu: float) -> PathPoint:
        """Return the point of multiplier μ ≥ 0, in units of `unit`."""
        mu = check_number(mu, "mu")
        if mu < 0:
            raise ValueError(f"mu must not be negative, got {mu:g}")
        if mu == 0:
            # The unconstrained cut as the basis has it, whatever the constraints.
            X = np.eye(self.basis.p)[:, : self.n_clusters - 1]
            vertex = self._problem.vertex(X, 0.0)
            return self._point(vertex, vertex.cost)
        vertex, bound = self._problem.lowest(mu * self.unit)
        return self._point(vertex, bound + mu * self.unit * vertex.satisfaction)

    def at_alpha(self, alpha: float) -> PathPoint:
        """Solve the paper's Problem 1: the cheapest cut with `v'Q̄v ≥ α`, where `v'v = vol`.

        Parameters
        ----------
        alpha : float
            For K clusters a lower bound on the sum over the K−1 vectors.

        Returns
        -------
        PathPoint
            Its `gap` certifies that no cut of the space is cheaper.

        Raises
        ------
        InfeasibleThresholdError
            When no cut has that satisfaction; the text has the most there is.
        """
        volume = self.basis.volume
        alpha = check_number(alpha, "alpha")
        most = self.alpha_range[1]
        if alpha > most + ROUNDING * abs(most):
            raise InfeasibleThresholdError(
                f"alpha = {alpha:g} cannot be reached: among cuts into {self.n_clusters} clusters "
                f"spanned by {self.basis.p} vectors v'Q̄v is at most {most:.6g}"
            )
        solution = solve_alpha(self._problem, min(alpha, most) / volume)
        return self._point(solution.vertex, solution.dual)

    def at_satisfaction(self, share: float) -> Cut:
        """Return the first cut whose labels meet this share of the constraint weight.

        The path is walked from the unconstrained cut; half-way refinements continue it (see
        `sidecut.path.labels.Labeller.walk`), which satisfy more at less harm to the other nodes.
        The share that labels meet need not grow all the time, as the relaxed satisfaction does.

        Raises
        ------
        InfeasibleThresholdError
            When no cut on the way meets it; the text has the most that was.
        """
        share = check_number(share, "share")
        if not 0 < share <= 1:
            raise ValueError(f"share must be above 0 and at most 1, got {share:g}")
        best = 0.0
        for cut in self._labeller.walk(WALK, self._start):
            if cut.share >= share - 1e-12:
                return cut
            best = max(best, cut.share)
        raise InfeasibleThresholdError(
            f"a satisfaction of {share:g} was not reached with {self.basis.p} vectors: the most "
            f"was {best:.4f}; ask for less, use more vectors, or hard=True"
        )

    def beside(self, weights: Float) -> PathPoint:
        """Return where any cut with these logit weights lies: on or above the path.

        Its vectors are an orthonormal basis of the K−1 differences between clusters.
        """
        centred = weights[:-1] - weights[:-1].mean(axis=1, keepdims=True)
        X = np.linalg.svd(centred, full_matrices=False)[0][:, : self.n_clusters - 1]
        vertex = self._problem.vertex(X)
        alpha = min(vertex.satisfaction * self.basis.volume, self.alpha_range[1])
        return self._point(vertex, self.at_alpha(alpha).dual / self.basis.volume)

    def curve(self, mus: tuple[float, ...] = WALK) -> PathCurve:
        """Return points along the path, for a picture."""
        points = [self.at(mu) for mu in mus]
        return PathCurve(
            np.array(mus),
            np.array([point.cost for point in points]),
            np.array([point.satisfaction for point in points]),
            np.array([self.labelled(point).share for point in points]),
        )

    # -- labels ---------------------------------------------------------------------------------

    def embedding(self, point: PathPoint) -> Float:
        """Return the indicators `u = D^-1/2 v` of all nodes, one column per vector."""
        result: Float = self.basis.vectors @ (np.sqrt(self.basis.volume) * point.coefficients)
        return result

    def labelled(self, point: PathPoint) -> Cut:
        """Return the cut that labels are made of; only constrained and sampled rows are read."""
        return self._labeller.cut(point.mu, point.coefficients)

    def labels(self, cut: Cut) -> Int:
        """Return the label of every node."""
        result: Int = logits(self.basis.vectors, cut.weights).argmax(axis=1)
        return result

    @cached_property
    def _labeller(self) -> Labeller:
        return Labeller(self.basis, self.constraints, self.n_clusters, self.seed)

    def _start(self, mu: float) -> Float:
        return self.at(mu).coefficients

    def _point(self, vertex: Vertex, dual: float) -> PathPoint:
        volume = self.basis.volume
        return PathPoint(
            mu=vertex.multiplier / self.unit,
            cost=volume * vertex.cost,
            satisfaction=volume * vertex.satisfaction,
            dual=volume * dual,
            coefficients=vertex.X,
        )
