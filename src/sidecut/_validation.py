"""Checks of what the caller gave, shared by every module; each error names the argument."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

Float = NDArray[np.float64]
Int = NDArray[np.intp]

# Entries that should be equal may differ by this share of the largest: sums in another order.
SYMMETRY_TOLERANCE = 1e-10


def check_count(value: object, name: str, *, least: int = 0) -> int:
    """Return `value` as an int of at least `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")
    return int(value)


def check_number(value: object, name: str, *, positive: bool = False) -> float:
    """Return `value` as a finite float."""
    kind = "a positive finite number" if positive else "a finite number"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {kind}, got {value!r}")
    number = float(value)
    if not np.isfinite(number) or (positive and number <= 0):
        raise ValueError(f"{name} must be {kind}, got {value!r}")
    return number


def check_choice(value: object, name: str, choices: Collection[str]) -> str:
    """Return `value` if it is one of the named choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {sorted(choices)}, got {value!r}")
    return value


def check_integers(values: ArrayLike, name: str, *, ndim: int | None = 1) -> Int:
    """Return `values` as an integer array; floats, booleans and text are refused, not rounded."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.intp)
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must hold integers, got dtype {array.dtype}")
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), got shape {array.shape}")
    return array.astype(np.intp)


def check_labels(labels: ArrayLike, n_samples: int, name: str = "labels") -> Int:
    """Return a labelling of `n_samples` nodes as codes 0, 1, ...; any hashable kind of label."""
    array = np.asarray(labels)
    if array.shape != (n_samples,):
        raise ValueError(f"{name} must have shape ({n_samples},), got {array.shape}")
    return np.unique(array, return_inverse=True)[1].astype(np.intp)


def check_weights(weights: ArrayLike, size: int, name: str) -> Float:
    """Return one positive finite weight per item; a single number serves them all."""
    array = np.asarray(weights, dtype=np.float64)
    if array.ndim > 1 or (array.ndim == 1 and array.shape != (size,)):
        raise ValueError(f"{name} must be a number or have shape ({size},), got {array.shape}")
    if not (np.isfinite(array) & (array > 0)).all():
        bad = array[~(np.isfinite(array) & (array > 0))].flat[0]
        raise ValueError(f"{name} must be positive and finite, got {bad}")
    return np.broadcast_to(array, (size,)).copy()


def check_symmetric(matrix: Any, name: str, *, nonnegative: bool = False) -> Any:
    """Return a square, finite, symmetric matrix as a float64 array or CSR array.

    Sparse input stays sparse. Entries are never altered: a matrix that is symmetric only up to
    rounding is accepted as it is, any other is refused with its worst entry named.
    """
    if sparse.issparse(matrix):
        matrix = sparse.csr_array(matrix, dtype=np.float64)
        entries = matrix.data
    else:
        matrix = np.asarray(matrix, dtype=np.float64)
        entries = matrix
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} must be a square matrix, got shape {matrix.shape}")
    if not np.isfinite(entries).all():
        raise ValueError(f"{name} must be finite, got {entries[~np.isfinite(entries)].flat[0]}")
    if nonnegative and entries.size and entries.min() < 0:
        raise ValueError(f"{name} must not be negative, got {entries.min():g}")
    largest = _largest(entries)
    if sparse.issparse(matrix) and _same_up_to(matrix, SYMMETRY_TOLERANCE * largest):
        return matrix
    gap = abs(matrix - matrix.T)
    if gap.shape[0] and gap.max() > SYMMETRY_TOLERANCE * largest:
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        raise ValueError(
            f"{name} must be symmetric, got {matrix[i, j]:g} at ({i}, {j}) "
            f"and {matrix[j, i]:g} at ({j}, {i})"
        )
    return matrix


def _same_up_to(matrix: sparse.csr_array, tolerance: float) -> bool:
    """Compare a CSR array with its transpose entry by entry; False when that cannot tell.

    On a graph of a million nodes this is several times faster than subtracting.
    """
    if not matrix.has_canonical_format:
        return False
    other = sparse.csr_array(matrix.T)
    return bool(
        np.array_equal(matrix.indptr, other.indptr)
        and np.array_equal(matrix.indices, other.indices)
        and _largest(np.subtract(matrix.data, other.data, out=other.data)) <= tolerance
    )


def _largest(entries: Float) -> float:
    """Return the largest magnitude, without a second array of that size."""
    return float(max(entries.max(initial=0.0), -entries.min(initial=0.0)))
