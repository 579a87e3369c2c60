"""How many clusters? What held-out constraints say, or the eigengap where they are too few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidecut._validation import Float
from sidecut.selection.beliefs import Beliefs
from sidecut.selection.crossval import MIN_FOLDED, cross_validate
from sidecut.selection.evidence import CrossValidation

# Tried first; then the neighbours of the best.
LADDER = (2, 3, 4, 6, 8, 11, 16)
# The smallest K this close to the best is chosen, in standard errors of the paired difference. One
# was too few: on USPS with 2000 pairs 15 and 10 clusters differed by .002 nats a pair.
ERRORS = 2.0


@dataclass(frozen=True, eq=False)
class ClusterCount:
    """The number of clusters and why.

    Attributes
    ----------
    n_clusters : int
        K.
    rule : str
        `"held-out constraints"` or `"eigengap"`.
    scores : dict of int to float
        For each K tried, the held-out log-likelihood of a constraint or the relative eigengap.
    evidence : CrossValidation or None
        That of the chosen K, under the first rule.
    """

    n_clusters: int
    rule: str
    scores: dict[int, float]
    evidence: CrossValidation | None = None

    def __str__(self) -> str:
        scores = ", ".join(f"{k}: {score:.3f}" for k, score in sorted(self.scores.items()))
        return f"{self.n_clusters} by {self.rule} ({scores})"


def choose_n_clusters(
    F: Float, values: Float, beliefs: Beliefs, *, least: int = 2, seed: int = 0
) -> ClusterCount:
    """Choose K by the held-out likelihood of constraints: the smallest within two errors.

    It takes both kinds of constraints: must-links alone say nothing against one cluster, nor
    cannot-links against many. With one kind only, or fewer than ten, the largest relative eigengap
    decides instead.

    Parameters
    ----------
    F : array of shape (n_samples, p)
        `sqrt(vol) U` of a spectral basis.
    values : array of shape (p,)
        Its eigenvalues.
    beliefs : Beliefs
        The constraints.
    least : int
        The smallest K to consider.
    seed : int
        As in `cross_validate`.
    """
    n_given = len(beliefs.first)
    top = max(min(LADDER[-1], F.shape[1], F.shape[0] // 2), least)
    both_kinds = bool((beliefs.signed > 0).any() and (beliefs.signed < 0).any())
    reach = min(top, n_given // MIN_FOLDED)
    if not both_kinds or reach < least:
        return by_eigengap(values, least, top)
    tried: dict[int, CrossValidation] = {}
    held: dict[int, Float] = {}

    def score(K: int) -> float:
        if K not in held:
            tried[K] = cross_validate(F, values, beliefs, K, seed=seed)
            held[K] = -tried[K].doubt[:n_given] * beliefs.weight
        return float(held[K].sum())

    def close(K: int) -> bool:
        behind = held[best] - held[K]
        return bool(behind.sum() <= ERRORS * np.sqrt(len(behind)) * behind.std() + 1e-9)

    best = max(sorted({least} | {K for K in LADDER if least <= K <= reach}), key=score)
    if not tried[best].trials:
        # One connected group of constraints cannot be held out.
        return by_eigengap(values, least, top)
    best = max((K for K in (best - 1, best, best + 1) if least <= K <= reach), key=score)
    chosen = min(K for K in held if close(K))
    total = beliefs.weight.sum()
    scores = {K: float(found.sum() / total) for K, found in held.items()}
    return ClusterCount(chosen, "held-out constraints", scores, tried[chosen])


def by_eigengap(values: Float, least: int, top: int) -> ClusterCount:
    """Choose the K after which the eigenvalues rise most, as a share of the next.

    Examples
    --------
    >>> import numpy as np
    >>> str(by_eigengap(np.array([0.01, 0.02, 0.5, 0.6]), 2, 4))
    '3 by eigengap (2: 0.500, 3: 0.960, 4: 0.167)'
    """
    gaps = {}
    for K in range(least, min(top, len(values)) + 1):
        low, high = values[K - 2], values[K - 1]
        gaps[K] = float((high - low) / high) if high > 0 else 0.0
    if not gaps:
        return ClusterCount(least, "eigengap", {})
    return ClusterCount(max(gaps, key=lambda K: gaps[K]), "eigengap", gaps)
