"""From a basis and constraints to the number of clusters and the cut."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from sidecut._validation import Float, Int
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.constraints.groups import Groups
from sidecut.constraints.pairs import Pairs
from sidecut.estimators._cut import LogitCut, PlainCut, plain_cut
from sidecut.laplacian import Laplacian
from sidecut.path import Alpha, ConstrainedPath, Cut, Mu
from sidecut.path.labels import MAX_PAIRS
from sidecut.selection import (
    Beliefs,
    ClusterCount,
    CrossValidation,
    Weighed,
    choose_n_clusters,
    cross_validate,
    weigh,
)


@dataclass(frozen=True, eq=False)
class Choice:
    """The cut, how it was chosen, the path, and the constraints as pairs."""

    cut: LogitCut | PlainCut
    reason: str
    path: ConstrainedPath | None = None
    beliefs: Beliefs | None = None
    evidence: CrossValidation | None = None
    weighed: Weighed | None = None


def listed_beliefs(constraints: Constraints | None, n_samples: int, seed: int) -> Beliefs:
    """Return the constraints as pairs; the same for the same seed."""
    known = constraints or Constraints(n_samples)
    return Beliefs.from_pairs(known.as_pairs(MAX_PAIRS, random_state=seed))


def count_clusters(
    basis: SpectralBasis, constraints: Constraints | None, seed: int
) -> ClusterCount:
    """Choose K; labels of several kinds mean at least so many clusters."""
    parts = constraints.parts if constraints else ()
    labels = [int(part.group.max()) + 1 for part in parts if isinstance(part, Groups)]
    return choose_n_clusters(
        _functions(basis),
        basis.values,
        listed_beliefs(constraints, basis.n_samples, seed),
        least=max([2, *labels]),
        seed=seed,
    )


def choose_cut(
    basis: SpectralBasis,
    constraints: Constraints | None,
    n_clusters: int,
    threshold: str | float | Alpha | Mu,
    seed: int,
    evidence: CrossValidation | None = None,
    laplacian: Laplacian | None = None,
) -> Choice:
    """Choose the cut into `n_clusters` by held-out constraints, or go as far as the threshold says.

    `evidence` is that of an earlier cross-validation with the same arguments, if there was one;
    `laplacian`, the whole graph, lets a small one be cut exactly.
    """
    beliefs = listed_beliefs(constraints, basis.n_samples, seed)
    if not constraints or not len(beliefs.first) or n_clusters == 1:
        return Choice(plain_cut(basis, n_clusters, seed), "no constraints: the unconstrained cut")
    path = ConstrainedPath(basis, constraints, n_clusters, seed=seed)
    if isinstance(threshold, str):
        if evidence is None:
            F = _functions(basis)
            # Thousands of small products: BLAS threads made them ten times slower when busy.
            with threadpool_limits(1, user_api="blas"):
                evidence = cross_validate(
                    F, basis.values, beliefs, n_clusters, laplacian=laplacian, seed=seed
                )
        cut = _on_the_basis(evidence.coefficients, basis)
        return Choice(cut, _why(evidence), path, beliefs, evidence)
    point, reason = _cut_at(path, threshold)
    return Choice(LogitCut(point.weights), reason, path, beliefs)


def with_pairs_weighed(
    choice: Choice, basis: SpectralBasis, constraints: Constraints | None
) -> Choice:
    """Weigh the pairs against each other where held-out ones speak for errors among them.

    Only pairs: a wrong label is wrong in all that it implies, not in each for itself. And both
    kinds: must-links alone, such as a second graph, join everything.
    """
    beliefs, evidence = choice.beliefs, choice.evidence
    if not constraints or beliefs is None or evidence is None:
        return choice
    pairs = all(isinstance(part, Pairs) for part in constraints.parts)
    if not (evidence.followed and evidence.distrust and pairs and beliefs.of_both_kinds):
        return choice
    rows = _functions(basis, beliefs.named)
    with threadpool_limits(1, user_api="blas"):
        weighed = weigh(rows, basis.values, evidence.coefficients, beliefs, evidence.noise)
    reason = (
        f"{choice.reason}; about {evidence.noise:.0%} of the pairs seem wrong, each is believed as "
        "far as the others and the graph do"
    )
    cut = _on_the_basis(weighed.coefficients, basis)
    return replace(choice, cut=cut, reason=reason, weighed=weighed)


def _on_the_basis(coefficients: Float, basis: SpectralBasis) -> LogitCut:
    """Return the cut for the vectors of the basis as they are, not of unit variance."""
    weights = coefficients.copy()
    weights[:-1] *= np.sqrt(basis.volume)
    return LogitCut(weights)


def _cut_at(path: ConstrainedPath, threshold: float | Alpha | Mu) -> tuple[Cut, str]:
    """Return the cut that the user asked for, and what it is in words."""
    if isinstance(threshold, Mu):
        return path.labelled(path.at(threshold.value)), f"μ = {threshold.value:g} as given"
    if isinstance(threshold, Alpha):
        point = path.at_alpha(threshold.value)
        return path.labelled(point), (
            f"α = {threshold.value:g} as given: μ = {point.mu:.4g}, relaxed cost {point.cost:.4g}, "
            f"relative duality gap {point.relative_gap:.1e}"
        )
    cut = path.at_satisfaction(threshold)
    where = "" if np.isinf(cut.stiffness) else f", refined with stiffness {cut.stiffness:.2g}"
    return cut, (
        f"first cut to meet {threshold:.4g} of the constraint weight ({cut.share:.4g}): "
        f"μ = {cut.mu:.4g}{where}"
    )


def _functions(basis: SpectralBasis, nodes: Int | slice = slice(None)) -> Float:
    """Return the vectors of the basis, at all or some nodes, with unit variance by degree."""
    result: Float = basis.vectors[nodes] * np.sqrt(basis.volume)
    return result


def _why(evidence: CrossValidation) -> str:
    if evidence.folded:
        best = evidence.best
        return (
            f"average of {int((evidence.weights > 0).sum())} cuts, the heaviest with "
            f"{best.p} vectors, μ = {best.mu:g}, stiffness {best.stiffness:g}"
        )
    if evidence.labels is not None:
        return "the cheapest cut that keeps every constraint: no other gains by them"
    if evidence.followed > 0:
        return (
            f"held-out constraints do not settle it: {evidence.followed:.0%} of the way from the "
            "unconstrained cut"
        )
    if evidence.trials:
        return "held-out constraints show no gain: the unconstrained cut"
    return "too few constraints to hold any out: close to the unconstrained cut"
