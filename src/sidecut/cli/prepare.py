"""From what a user brings to what the estimator takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from sidecut._validation import Int
from sidecut.affinity import image_affinity
from sidecut.constraints import Constraints
from sidecut.read import Problem
from sidecut.read.errors import InputError
from sidecut.read.images import read_scribbles
from sidecut.read.pairs import read_pairs

# An rbf graph joins all with all: 3.2 GB at this size.
MAX_RBF = 20_000
# What a label image can hold.
MAX_IMAGE_CLUSTERS = 256


@dataclass(frozen=True)
class Known:
    """What the user knows, and how many clusters that speaks of."""

    constraints: Constraints | None
    strokes: Int | None
    n_labels: int


def read_known(
    input: Path, problem: Problem, constraints: Path | None, scribbles: Path | None
) -> Known:
    """Add up pairs, labels and strokes."""
    parts: list[Constraints] = []
    strokes: Int | None = None
    n_labels = 0
    if constraints is not None:
        parts.append(read_pairs(constraints, problem.n_samples, problem.names))
    if problem.labels is not None:
        parts.append(Constraints.from_labels(problem.labels))
        n_labels = len(problem.label_names)
    if scribbles is not None:
        if problem.kind != "image":
            raise InputError(input, "is no image: --scribbles are strokes on an image")
        strokes = read_scribbles(scribbles, problem.X.shape)
        parts.append(Constraints.from_scribbles(strokes))
        n_labels = int(strokes.max())
    total = sum(parts[1:], parts[0]) if parts else None
    return Known(total, strokes, n_labels)


def standardized(input: Path, problem: Problem) -> Problem:
    """Give every column mean 0 and variance 1."""
    if problem.kind != "points":
        raise InputError(input, f"--standardize is for points, this is a {problem.kind}")
    # A sparse matrix keeps its zeros.
    scaler = StandardScaler(with_mean=isinstance(problem.X, np.ndarray))
    return replace(problem, X=scaler.fit_transform(problem.X))


def graph(input: Path, problem: Problem, affinity: str | None, radius: float) -> tuple[Any, str]:
    """Return what the estimator takes, and as what."""
    n_samples = problem.n_samples
    if n_samples < 2:
        raise InputError(input, "has a single row; there is nothing to cluster")
    if problem.kind == "points":
        if affinity == "rbf" and n_samples > MAX_RBF:
            raise InputError(
                input, f"has {n_samples} rows; --affinity rbf joins all with all, {MAX_RBF} at most"
            )
        return problem.X, affinity or "nearest_neighbors"
    if affinity not in (None, "precomputed"):
        raise InputError(input, f"is a {problem.kind}: --affinity {affinity} is for points")
    if problem.kind == "graph":
        return problem.X, "precomputed"
    return image_affinity(problem.X, radius=radius), "precomputed"


def majority_labels(problem: Problem, clusters: Int) -> dict[int, str]:
    """Return for each cluster the known label that most of its labelled rows have."""
    if problem.labels is None:
        return {}
    found = {}
    for cluster in np.unique(clusters).tolist():
        own = problem.labels[(clusters == cluster) & (problem.labels >= 0)]
        if len(own):
            found[cluster] = problem.label_names[int(np.bincount(own).argmax())]
    return found


def cluster_count(
    input: Path, problem: Problem, known: Known, asked: int | str | None
) -> int | None:
    """Return the number of clusters, None for the estimator to choose."""
    if asked == "auto":
        return None
    count = int(asked) if asked is not None else max(known.n_labels, 2)
    most = problem.n_samples
    if problem.kind == "image":
        most = min(most, MAX_IMAGE_CLUSTERS)
    if count > most:
        raise InputError(input, f"--clusters must be at most {most}, got {count}")
    return count
