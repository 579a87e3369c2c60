"""From a basis and constraints to the cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidecut._validation import Float
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.constraints.pairs import Pairs
from sidecut.estimators._cut import LogitCut, PlainCut, plain_cut
from sidecut.selection import Beliefs, CrossValidation, cross_validate

# Constraints that enter the fit as pairs; labels and second graphs are sampled down to so many.
MAX_PAIRS = 20_000


@dataclass(frozen=True, eq=False)
class Choice:
    """The cut, why it was chosen, and the pairs that the evidence is about."""

    cut: LogitCut | PlainCut
    reason: str
    evidence: CrossValidation | None = None
    pairs: Pairs | None = None


def choose_cut(
    basis: SpectralBasis, constraints: Constraints | None, n_clusters: int, seed: int
) -> Choice:
    """Choose the cut into `n_clusters` that the constraints support."""
    if not constraints or n_clusters == 1:
        return Choice(plain_cut(basis, n_clusters, seed), "no constraints: the unconstrained cut")
    pairs = constraints.as_pairs(MAX_PAIRS, random_state=seed)
    if not len(pairs.first):
        return Choice(plain_cut(basis, n_clusters, seed), "no constraints: the unconstrained cut")
    evidence = cross_validate(
        unit_functions(basis), basis.values, Beliefs.from_pairs(pairs), n_clusters, seed=seed
    )
    weights = evidence.coefficients.copy()
    weights[:-1] *= np.sqrt(basis.volume)
    return Choice(LogitCut(weights), _why(evidence), evidence, pairs)


def unit_functions(basis: SpectralBasis) -> Float:
    """Return the vectors of the basis with unit variance under the degrees."""
    result: Float = basis.vectors * np.sqrt(basis.volume)
    return result


def _why(evidence: CrossValidation) -> str:
    if not evidence.folded:
        return "too few constraints, or no gain from them: close to the unconstrained cut"
    best = evidence.best
    return (
        f"average of {int((evidence.weights > 0).sum())} cuts, the heaviest with "
        f"{best.p} vectors, μ = {best.mu:g}, stiffness {best.stiffness:g}"
    )
