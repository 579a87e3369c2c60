"""What the page shows of a clustering: labels, the evidence for them, and the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from sidecut._validation import Float
from sidecut.app.work import Ticket
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints, Satisfaction
from sidecut.path import ConstrainedPath
from sidecut.path.core import WALK

NOTHING_SAID = Satisfaction()

Labels = NDArray[np.uint8]


@dataclass(frozen=True)
class Doubt:
    """A statement that the others contradict: the number of a stroke, or a pair of points."""

    text: str
    stroke: int = -1
    pair: tuple[int, int] = (-1, -1)


@dataclass(frozen=True, eq=False)
class Answer:
    """A labelling of everything.

    Attributes
    ----------
    labels : array of shape (n_samples,)
        1, 2, ...; 0 everywhere while too little was said.
    used : tuple of int
        The labels that the columns of `weights` stand for.
    weights : array of shape (p + 1, len(used))
        Logits are `[U 1] @ weights`.
    satisfaction : Satisfaction
        What the labels make of the constraints.
    held_out, held_out_error : float
        Share of what was held out that was met, and its standard error; nan without.
    doubtful : tuple of Doubt
        Statements that look like mistakes, the worst first.
    reason : str
        Which cut this is and why.
    """

    labels: Labels
    used: tuple[int, ...] = ()
    weights: Float | None = None
    satisfaction: Satisfaction = NOTHING_SAID
    held_out: float = np.nan
    held_out_error: float = np.nan
    doubtful: tuple[Doubt, ...] = ()
    reason: str = ""

    def logits(self, vectors: Any) -> Float:
        """Return the logits of some or all rows of the basis."""
        if self.weights is None:
            return np.zeros((len(vectors), max(len(self.used), 1)))
        W = self.weights.astype(vectors.dtype)
        result: Float = vectors @ W[:-1] + W[-1]
        return result

    def memberships(self, vectors: Any) -> Float:
        """Return the probability of each label for some or all rows of the basis."""
        result: Float = softmax(self.logits(vectors), axis=1)
        return result


@dataclass(frozen=True, eq=False)
class Trail:
    """The constrained path for the picture.

    Attributes
    ----------
    mu, cost, satisfaction : arrays
        The points of the path.
    evidence : Answer
        What held-out constraints choose, wherever the person has gone on the path.
    chosen : tuple of float or None
        Cost and satisfaction of that choice; None where it is no cut of this basis.
    """

    mu: Float
    cost: Float
    satisfaction: Float
    evidence: Answer
    chosen: tuple[float, float] | None = None


def trail(
    basis: SpectralBasis, known: Constraints, n_clusters: int, evidence: Answer, ticket: Ticket
) -> Trail | None:
    """Return the path of these constraints; None without any."""
    if not known or n_clusters < 2:
        return None
    path = ConstrainedPath(basis, known, n_clusters)
    points = []
    for mu in WALK:
        ticket.check()
        points.append(path.at(mu))
    chosen = None
    if evidence.weights is not None and np.any(evidence.weights[:-1]):
        beside = path.beside(evidence.weights)
        chosen = (beside.cost, beside.satisfaction)
    cost, satisfaction = ([getattr(p, name) for p in points] for name in ("cost", "satisfaction"))
    return Trail(np.array(WALK), np.array(cost), np.array(satisfaction), evidence, chosen)
