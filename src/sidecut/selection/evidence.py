"""What cross-validation found, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidecut._validation import Float, Int

# Held-out constraints speak for wrong ones among them above this. With 400 pairs it was .020 to
# .028 where all were right and .051 to .118 where a tenth was wrong, on moons, digits and wdbc.
NOISE = 0.04


@dataclass(frozen=True)
class Candidate:
    """One setting: basis size, multiplier of the start, stiffness of the prior, floor."""

    p: int
    mu: float
    stiffness: float
    floor: float


@dataclass(frozen=True)
class Trial:
    """What held-out constraints said of a candidate.

    Attributes
    ----------
    candidate : Candidate
        The setting.
    log_likelihood : float
        Mean over the weight of the constraints.
    satisfaction, error : float
        Balanced satisfaction and its standard error.
    """

    candidate: Candidate
    log_likelihood: float
    satisfaction: float
    error: float


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """The averaged cut and the evidence for it.

    Attributes
    ----------
    coefficients : array of shape (p + 1, n_clusters)
        Logits of the memberships are `[F 1] @ coefficients`.
    candidates : list of Candidate
        What was tried.
    weights : array of shape (n_candidates,)
        Share of each in the average.
    log_likelihood : array of shape (n_candidates, n_beliefs)
        Held out; zeros when nothing was folded.
    held_out : float
        Balanced satisfaction of held-out constraints; nan when nothing was folded.
    held_out_error : float
        Its standard error.
    trials : tuple of Trial
        Candidates that saw all folds; empty when nothing was folded.
    unconstrained : float
        Balanced satisfaction of the unconstrained cut; nan when nothing was folded.
    labels : array of shape (n_samples,) or None
        The labels of the exact cut, where it was chosen: the coefficients only come near it.
    followed : float
        How far the cut went from the unconstrained one, 0, to the average of the candidates, 1.
    """

    coefficients: Float
    candidates: list[Candidate]
    weights: Float
    log_likelihood: Float
    held_out: float
    held_out_error: float
    trials: tuple[Trial, ...] = ()
    unconstrained: float = np.nan
    labels: Int | None = None
    followed: float = 1.0

    @property
    def folded(self) -> bool:
        """Whether there were enough constraints to fold, and they beat the unconstrained cut."""
        return self.followed == 1

    @property
    def best(self) -> Candidate:
        """The candidate of largest weight."""
        return self.candidates[int(self.weights.argmax())]

    @property
    def noise(self) -> float:
        """The mean floor of the average: how many wrong constraints the held-out ones speak for."""
        return float(self.weights @ [candidate.floor for candidate in self.candidates])

    @property
    def distrust(self) -> bool:
        """Whether held-out constraints speak for wrong ones among them."""
        return self.noise > NOISE

    @property
    def doubt(self) -> Float:
        """Held-out surprise of each belief, in nats; the largest are likely mistakes."""
        result: Float = -self.weights @ self.log_likelihood
        return result
