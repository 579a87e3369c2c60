"""From a basis and what a person said to labels: functions of arrays, run in the background."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from sidecut._validation import Float, Int
from sidecut.app.label_fit import N_FOLDS, LabelFit, fit_labels
from sidecut.app.statements import Scribbles
from sidecut.app.work import Ticket
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints, Satisfaction
from sidecut.csp import InfeasibleThresholdError
from sidecut.estimators import ConstrainedSpectralClustering
from sidecut.path import ConstrainedPath, Mu
from sidecut.path.core import WALK

# Pixels of one label that enter a fit; of more, an even choice.
MAX_LABELLED = 6000
# Scores lie between 0 and 1, logits of memberships between −4 and 4, as in `selection`.
SHARPNESS = 8.0
N_DOUBTFUL = 5

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
    """The constrained path for the picture: cost and satisfaction along it, and the choice."""

    mu: Float
    cost: Float
    satisfaction: Float
    chosen: tuple[float, float] | None = None


# -- photographs --------------------------------------------------------------------------------


def segment(
    basis: SpectralBasis, scribbles: Scribbles, mu: float | None, names: tuple[str, ...] = ()
) -> Answer:
    """Label the pixels as the strokes say; `mu` goes to a point of the path instead.

    `names` are what messages call labels 1, 2, ...
    """
    used = scribbles.used
    if len(used) < 2:
        words = "another part with another colour" if used else "two parts in two colours"
        return Answer(np.zeros(basis.n_samples, np.uint8), reason=f"Draw on {words}.")
    nodes, labels, pieces, owner = _pieces(scribbles)
    rows = basis.vectors[nodes].astype(np.float64) * np.sqrt(basis.volume)
    fit = fit_labels(rows, basis.values, labels, pieces)
    if mu is None:
        weights = _padded(fit.weights, basis.p) * SHARPNESS
        weights[:-1] *= np.sqrt(basis.volume)
        reason = f"Fitted to the strokes: {fit.p} vectors, stiffness {fit.stiffness:g}."
    else:
        path = ConstrainedPath(basis, Constraints.from_scribbles(scribbles.labels), len(used))
        weights = path.labelled(path.at(mu)).weights
        found = _argmax(basis.vectors[nodes], weights)
        weights = weights[:, _matching(labels, found, len(used))]
        reason = f"The point μ = {mu:.3g} of the path."
    place = _argmax(basis.vectors, weights)
    result = np.array(used, np.uint8)[place]
    known = Constraints.from_scribbles(scribbles.labels)
    return Answer(
        result,
        used,
        weights,
        known.satisfaction(place),
        fit.held_out,
        fit.held_out_error,
        _doubtful_strokes(fit, owner, scribbles, names),
        reason,
    )


def _pieces(scribbles: Scribbles) -> tuple[Int, Int, Int, Int]:
    """Return labelled pixels, their labels from 0, their pieces, and the stroke of each piece.

    A piece is what cross-validation holds out: a stroke, or a part of one where a label has few
    strokes. Neighbouring pixels are much alike, so single pixels would tell nothing.
    """
    flat, source = scribbles.labels.ravel(), scribbles.stroke.ravel()
    width = scribbles.labels.shape[1]
    nodes, labels, pieces, owner = [], [], [], []
    n_pieces = 0
    for code, label in enumerate(scribbles.used):
        own = np.flatnonzero(flat == label)
        own = own[:: -(-len(own) // MAX_LABELLED)]
        strokes = np.unique(source[own])
        parts = -(-N_FOLDS // len(strokes))
        for stroke in strokes:
            pixels = own[source[own] == stroke]
            place = np.column_stack([pixels // width, pixels % width]).astype(np.float64)
            place -= place.mean(axis=0)
            along = place @ np.linalg.svd(place, full_matrices=False)[2][0]
            rank = np.argsort(np.argsort(along, kind="stable"), kind="stable")
            count = min(parts, len(pixels))
            pieces.append(n_pieces + rank * count // len(pixels))
            owner += [int(stroke)] * count
            n_pieces += count
            nodes.append(pixels)
            labels.append(np.full(len(pixels), code))
    parts_of = (np.concatenate(part).astype(np.intp) for part in (nodes, labels, pieces))
    a, b, c = parts_of
    return a, b, c, np.array(owner)


def _doubtful_strokes(
    fit: LabelFit, owner: Int, scribbles: Scribbles, names: tuple[str, ...]
) -> tuple[Doubt, ...]:
    """Return the strokes that a fit without them labels otherwise, mostly."""
    found = []
    for stroke in np.unique(owner).tolist():
        wrong = 1 - float(fit.right[owner == stroke].mean())
        if wrong > 0.5:
            label = int(scribbles.labels[scribbles.stroke == stroke][0])
            name = names[label - 1] if names else f"label {label}"
            text = f"Stroke {stroke + 1} ({name}): others deny {wrong:.0%} of it"
            found.append((wrong, Doubt(text, stroke=stroke)))
    found.sort(key=lambda pair: -pair[0])
    return tuple(doubt for _, doubt in found[:N_DOUBTFUL])


# -- points and graphs --------------------------------------------------------------------------


def cluster(
    fitted: ConstrainedSpectralClustering,
    known: Constraints,
    n_clusters: int,
    mu: float | None,
    *,
    marks: Int,
    before: Labels | None,
) -> Answer:
    """Cluster a fitted graph as links and labels say; `mu` goes to a point of the path instead.

    Where held-out constraints cannot choose, the first cut of the path that meets all of them is
    taken, if there is one: a person who draws a link wants to see what it does.

    `marks` are labels that the person gave (0 none), `before` the labels shown so far; colours are
    kept as far as they can be.
    """
    model = _updated(fitted, known, n_clusters, "cv" if mu is None else Mu(mu))
    reason = ""
    evidence = model.cross_validation_
    if evidence is not None and not evidence.folded and evidence.labels is None:
        with suppress(InfeasibleThresholdError):
            model = _updated(fitted, known, n_clusters, 1.0)
            why = "held-out constraints show no gain" if evidence.trials else "too few to hold out"
            reason = f"{why}: the first cut of the path that meets all that was said"
    place = model.labels_
    order = _colours(place, n_clusters, marks, before)
    report = model.report_
    weights = getattr(model.cut_, "weights", None)
    used = tuple((order + 1).tolist())
    return Answer(
        (order[place] + 1).astype(np.uint8),
        used if weights is not None else tuple(range(1, n_clusters + 1)),
        weights,
        report.satisfaction,
        report.held_out,
        report.held_out_error,
        tuple(_doubtful_pair(*pair) for pair in report.doubtful),
        _sentence(reason or report.choice),
    )


def _updated(
    fitted: ConstrainedSpectralClustering, known: Constraints, n_clusters: int, threshold: Any
) -> ConstrainedSpectralClustering:
    """Return a copy with other constraints; the graph and its basis are shared, not changed."""
    model = copy(fitted)
    model.set_params(n_clusters=n_clusters, threshold=threshold)
    return model.update(constraints=known or None)


def _doubtful_pair(first: int, second: int, weight: float) -> Doubt:
    kind = "must-link" if weight > 0 else "cannot-link"
    return Doubt(f"{kind} {first} – {second}, weight {abs(weight):g}", pair=(first, second))


def _colours(place: Int, n_clusters: int, marks: Int, before: Labels | None) -> Int:
    """Return the label (from 0) of each cluster: the person's own first, then as shown before."""
    gain = np.zeros((n_clusters, n_clusters))
    if before is not None:
        shown = (before > 0) & (before <= n_clusters)
        np.add.at(gain, (place[shown], before[shown].astype(np.intp) - 1), 1.0 / len(place))
    given = (marks > 0) & (marks <= n_clusters)
    np.add.at(gain, (place[given], marks[given] - 1), 2.0)
    result: Int = linear_sum_assignment(-gain)[1]
    return result


# -- the path -----------------------------------------------------------------------------------


def trail(
    basis: SpectralBasis, known: Constraints, n_clusters: int, answer: Answer, ticket: Ticket
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
    if answer.weights is not None and np.any(answer.weights[:-1]):
        beside = path.beside(answer.weights)
        chosen = (beside.cost, beside.satisfaction)
    cost, satisfaction = ([getattr(p, name) for p in points] for name in ("cost", "satisfaction"))
    return Trail(np.array(WALK), np.array(cost), np.array(satisfaction), chosen)


# -- small things -------------------------------------------------------------------------------


def _argmax(vectors: Any, weights: Float) -> Int:
    W = weights.astype(vectors.dtype)
    result: Int = (vectors @ W[:-1] + W[-1]).argmax(axis=1)
    return result


def _matching(labels: Int, found: Int, count: int) -> Int:
    """Return for each label the cluster that most of its pixels are in."""
    table = np.zeros((count, count))
    np.add.at(table, (labels, found), 1.0 / np.bincount(labels)[labels])
    result: Int = linear_sum_assignment(-table)[1]
    return result


def _padded(weights: Float, p: int) -> Float:
    """Return weights for a basis of p vectors, zero for those that a smaller fit left out."""
    full = np.zeros((p + 1, weights.shape[1]))
    full[: len(weights) - 1], full[-1] = weights[:-1], weights[-1]
    return full


def _sentence(text: str) -> str:
    return (text if text.startswith(("α", "μ")) else text[:1].upper() + text[1:]) + "."
