"""What the estimators check and build alike."""

from __future__ import annotations

from typing import Any

from sidecut._validation import check_choice, check_count
from sidecut.affinity import check_affinity, knn_affinity, rbf_affinity
from sidecut.constraints import Constraints

AFFINITIES = ("rbf", "nearest_neighbors", "precomputed")


def build_affinity(X: Any, kind: str, *, gamma: float | None, n_neighbors: int) -> Any:
    """Return the graph of X, or X itself checked when it is one."""
    check_choice(kind, "affinity", AFFINITIES)
    if kind == "precomputed":
        return check_affinity(X, "X (affinity='precomputed')")
    if kind == "rbf":
        return rbf_affinity(X, gamma)
    return knn_affinity(X, n_neighbors)


def check_n_clusters(n_clusters: object, n_samples: int) -> int:
    """Return the number of clusters."""
    count = check_count(n_clusters, "n_clusters", least=1)
    if count > n_samples:
        raise ValueError(f"n_clusters must be at most n_samples = {n_samples}, got {count}")
    return count


def check_constraints(constraints: object, n_samples: int) -> None:
    """Refuse what is no `Constraints`, or speaks about other samples."""
    if constraints is None:
        return
    if not isinstance(constraints, Constraints):
        raise TypeError(
            "constraints must be a sidecut.Constraints (or None), "
            f"got {type(constraints).__name__}; Constraints.from_pairs makes one"
        )
    if constraints.n_samples != n_samples:
        raise ValueError(
            f"constraints speak about {constraints.n_samples} samples, X has {n_samples}"
        )
