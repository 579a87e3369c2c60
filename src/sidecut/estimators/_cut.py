"""The two kinds of cut that an estimator ends with: both label rows of a basis, old and new."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidecut._validation import Float, Int
from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.selection import Beliefs
from sidecut.selection.refine import logits
from sidecut.selection.start import nearest, rows_on_the_sphere, start_labels


@dataclass(frozen=True, eq=False)
class LogitCut:
    """Memberships with logits `[U 1] @ weights`; weights has shape (p + 1, n_clusters)."""

    weights: Float

    def embedding(self, rows: Float) -> Float:
        """Return the logits of rows of the basis."""
        return logits(rows, self.weights)

    def labels(self, embedding: Float) -> Int:
        """Return the likeliest cluster."""
        if embedding.shape[1] == 2:
            return (embedding[:, 1] > embedding[:, 0]).astype(np.intp)
        labels: Int = embedding.argmax(axis=1)
        return labels


@dataclass(frozen=True, eq=False)
class PlainCut:
    """The unconstrained cut: the sign of the lowest vector, or the nearest of K > 2 centres."""

    n_clusters: int
    scale: float
    centres: Float | None = None

    def embedding(self, rows: Float) -> Float:
        """Return the K−1 lowest vectors, scaled to unit variance under the degrees."""
        result: Float = rows[:, : max(self.n_clusters - 1, 1)] * self.scale
        return result

    def labels(self, embedding: Float) -> Int:
        """Return the side, or the number of the nearest centre."""
        if self.n_clusters == 1:
            return np.zeros(len(embedding), np.intp)
        if self.centres is None:
            return (embedding[:, 0] > 0).astype(np.intp)
        return nearest(rows_on_the_sphere(embedding, np.eye(embedding.shape[1])), self.centres)


def plain_cut(basis: SpectralBasis, n_clusters: int, seed: int) -> PlainCut:
    """Cut without constraints."""
    cut = PlainCut(n_clusters, float(np.sqrt(basis.volume)))
    if n_clusters <= 2:
        return cut
    F = cut.embedding(basis.vectors)
    X = np.eye(F.shape[1])
    nothing = Beliefs.from_pairs(Constraints(basis.n_samples).as_pairs())
    labels = start_labels(F, X, n_clusters, nothing, np.arange(len(F)), seed)
    E = rows_on_the_sphere(F, X)
    centres = np.stack([E[labels == k].mean(axis=0) for k in np.unique(labels)])
    return PlainCut(n_clusters, cut.scale, centres)
