"""Photographs: from a basis and strokes to a label of every pixel."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from sidecut._validation import Float, Int
from sidecut.app.answers import Answer, Doubt
from sidecut.app.label_fit import N_FOLDS, LabelFit, fit_labels
from sidecut.app.scribbles import Scribbles
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.path import ConstrainedPath

# Pixels of one label that enter a fit; of more, an even choice.
MAX_LABELLED = 6000
# Scores lie between 0 and 1, logits of memberships between −4 and 4, as in `selection`.
SHARPNESS = 8.0
N_DOUBTFUL = 5


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
