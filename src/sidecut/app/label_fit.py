"""From strokes to scores of every pixel, in milliseconds.

A label is fitted by least squares as a function of the basis,

    min over W   Σ_i r_i ‖y_i − [f_i 1] W‖²  +  stiffness · Σ_k (λ_k / mean λ) ‖W_k‖²,

with y the 0/1 membership and r such that every label weighs the same, however many pixels were
drawn. Rough functions are held back as the cost `v'L̄v` holds them back. Everything but the sums
over the labelled rows is of size p × p, and folds reuse the sums, so that cross-validation over
strokes costs no more than the fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidecut._validation import Float, Int
from sidecut.selection.start import roughness

# Basis size and stiffness, the usual one first: the best over the photographs that chose the graph
# (see `subject`). Others win where strokes are many.
CANDIDATES = (*((p, s) for p in (32, 16, 48) for s in (0.1, 0.01, 1.0)), (48, 0.001))
LABEL_WEIGHT = 100.0
# A person corrects by another stroke. What follows the worst-followed piece of a stroke by this
# much less than another setting can is not considered, however well it predicts the rest.
SLACK = 0.05
N_FOLDS = 4


@dataclass(frozen=True, eq=False)
class LabelFit:
    """A fit and what held-out pieces of strokes say of it.

    Attributes
    ----------
    weights : array of shape (p + 1, n_labels)
        Scores are `[F 1] @ weights`, near 1 for the label and near 0 for the others.
    p, stiffness : int, float
        The setting that was chosen.
    held_out, held_out_error : float
        Share of held-out pixels that get their label, every label counting the same, and its
        standard error over pieces; nan where nothing could be held out.
    right : array of shape (n_pieces,)
        The share for each piece, by the setting of the best score whether or not it follows all
        strokes; nan where nothing could be held out.
    """

    weights: Float
    p: int
    stiffness: float
    held_out: float
    held_out_error: float
    right: Float


class _Sums:
    """Sums over the rows of each piece; a fit without some of them subtracts theirs."""

    def __init__(self, rows: Float, values: Float, labels: Int, pieces: Int) -> None:
        self.rows = np.column_stack([np.ones(len(rows)), rows])
        self.labels, self.pieces, self.values = labels, pieces, values
        counts = np.bincount(labels)
        self.weight = (LABEL_WEIGHT / counts)[labels]
        targets = np.eye(len(counts))[labels] * self.weight[:, None]
        own = [np.flatnonzero(pieces == k) for k in range(int(pieces.max()) + 1)]
        self.members = own
        self.gram = np.stack([(self.rows[i] * self.weight[i, None]).T @ self.rows[i] for i in own])
        self.moment = np.stack([self.rows[i].T @ targets[i] for i in own])

    def solve(self, used: Int, p: int, stiffness: float) -> Float:
        """Return W with the constant first."""
        part = slice(0, p + 1)
        gram = self.gram[used][:, part, part].sum(axis=0)
        gram += np.diag(stiffness * np.roll(roughness(self.values[:p]), 1))
        result: Float = np.linalg.solve(gram, self.moment[used][:, part].sum(axis=0))
        return result

    def right(self, asked: Int, W: Float) -> Float:
        """Return the share of the pixels of each of these pieces that W labels rightly."""
        shares = np.empty(len(asked))
        for place, k in enumerate(asked):
            own = self.members[k]
            found = (self.rows[own, : len(W)] @ W).argmax(axis=1)
            shares[place] = (found == self.labels[own]).mean()
        return shares


def fit_labels(rows: Float, values: Float, labels: Int, pieces: Int) -> LabelFit:
    """Fit labels of some rows of a basis, and choose how freely by held-out pieces.

    Parameters
    ----------
    rows : array of shape (m, p)
        The rows of `F = sqrt(vol) U` that have a label.
    values : array of shape (p,)
        Eigenvalues of the basis.
    labels : array of shape (m,)
        0, 1, ..., each at least once.
    pieces : array of shape (m,)
        Which piece of a stroke each row belongs to, numbered from 0 without gaps; a piece has one
        label. Each label needs two pieces or nothing is held out.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.app.label_fit import fit_labels
    >>> rows = np.array([[-1.0], [-0.8], [0.9], [1.1]])
    >>> fit = fit_labels(rows, np.array([0.1]), np.array([0, 0, 1, 1]), np.arange(4))
    >>> (np.column_stack([rows, np.ones(4)]) @ fit.weights).argmax(axis=1)
    array([0, 0, 1, 1])
    >>> fit.held_out
    1.0
    """
    sums = _Sums(rows, values, labels, pieces)
    everything = np.arange(len(sums.gram))
    candidates = list(dict.fromkeys((min(p, rows.shape[1]), s) for p, s in CANDIDATES))
    fits = [sums.solve(everything, *candidate) for candidate in candidates]
    # Every label weighs the same, whatever its number of pieces.
    owner = np.array([labels[pieces == k][0] for k in everything])
    even = 1.0 / np.bincount(owner)[owner] / (labels.max() + 1)
    weakest = np.array([sums.right(everything, W).min() for W in fits])
    able = np.flatnonzero(weakest >= weakest.max() - SLACK)

    fold = _folds(labels, pieces)
    best = int(able[0])
    right = np.full(len(everything), np.nan)
    share, error = np.nan, np.nan
    if fold is not None:
        tried = [_held_out(sums, fold, *candidate) for candidate in candidates]
        best = _winner(tried, able, even)
        share = float(even @ tried[best])
        error = float(np.sqrt(even**2 @ (tried[best] - share) ** 2))
        # What follows every stroke cannot tell which one is a slip; the best of all can.
        right = tried[_winner(tried, np.arange(len(tried)), even)]
    W = fits[best]
    return LabelFit(np.vstack([W[1:], W[:1]]), *candidates[best], share, error, right)


def _folds(labels: Int, pieces: Int) -> Int | None:
    """Spread the pieces of each label over folds; None where a label has a single piece."""
    fold = np.zeros(int(pieces.max()) + 1, np.intp)
    for label in range(int(labels.max()) + 1):
        own = np.unique(pieces[labels == label])
        if len(own) < 2:
            return None
        fold[own] = np.arange(len(own)) % N_FOLDS
    return fold


def _winner(tried: list[Float], allowed: Int, even: Float) -> int:
    """Return the best by held-out pieces; the first stays unless others win by more than chance."""
    best = int(allowed[0])
    for k in allowed.tolist():
        lead = tried[k] - tried[best]
        if even @ lead > np.sqrt(even**2 @ lead**2):
            best = k
    return best


def _held_out(sums: _Sums, fold: Int, p: int, stiffness: float) -> Float:
    """Return, for each piece, the share of its pixels that a fit without its fold gets right."""
    right = np.zeros(len(fold))
    for k in np.unique(fold):
        W = sums.solve(np.flatnonzero(fold != k), p, stiffness)
        own = np.flatnonzero(fold == k)
        right[own] = sums.right(own, W)
    return right
