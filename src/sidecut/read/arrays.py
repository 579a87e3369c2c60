"""Arrays (npy, npz) as points or as a graph; pickled objects are never loaded."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sidecut.read.errors import InputError

# What an archive may unpack to: a small file can claim any size.
MAX_BYTES = 4 * 1024**3

# Nodes for each edge; beyond it the numbers are no numbers of nodes, and would fill the memory.
MOST_ALONE = 1000

Array = NDArray[Any]


# What numpy and zipfile say of files that are not what they claim.
UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    TypeError,
    KeyError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
)


def read_npy(path: Path) -> Array:
    """Return the array of an .npy file."""
    try:
        # Mapped, not read: the size that the head of the file claims is checked against the file.
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except UNREADABLE as error:
        raise _unreadable(path, ".npy", error) from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise InputError(path, "is an archive: name it .npz")
    return array


def read_npz(path: Path) -> dict[str, Array]:
    """Return all arrays of an .npz file."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(item.file_size for item in archive.infolist())
        if size > MAX_BYTES:
            raise InputError(path, f"unpacks to {size} bytes; at most {MAX_BYTES} are read")
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
    except InputError:
        raise
    except UNREADABLE as error:
        raise _unreadable(path, ".npz", error) from None
    for name, array in found.items():
        if not isinstance(array, np.ndarray):  # numpy hands out what is no array as bytes
            raise InputError(path, f"{name!r} is no array")
    return found


def _unreadable(path: Path, kind: str, error: Exception) -> InputError:
    pickled = "pickle" in str(error) or "Python objects" in str(error)
    text = "it holds pickled objects" if pickled else str(error)
    return InputError(path, f"is no readable {kind} of plain arrays: {text}")


def matrix_of(path: Path, arrays: dict[str, Array], name: str | None) -> tuple[Any, bool]:
    """Return what to cluster, and whether it is a graph.

    A graph is a sparse matrix as `scipy.sparse.save_npz` writes it, or an array `edges` of pairs
    (with `weights`, and `y` telling the number of nodes). Points are the array named, `X`, or the
    only one.
    """
    if name is None and {"format", "shape", "data"} <= arrays.keys():
        try:
            matrix = sparse.load_npz(path)
            if hasattr(matrix, "check_format"):
                # scipy trusts the indices unless told otherwise; wrong ones would crash it.
                matrix.check_format(full_check=True)
            matrix = sparse.csr_array(matrix)
        except (ValueError, KeyError, IndexError, TypeError, NotImplementedError) as error:
            raise InputError(path, f"is no sparse matrix of scipy: {error}") from None
        if matrix.dtype.kind not in "biuf" or not np.isfinite(matrix.data).all():
            raise InputError(path, "the sparse matrix must hold finite numbers")
        return matrix.astype(np.float64), matrix.shape[0] == matrix.shape[1]
    if name is None and "edges" in arrays:
        return graph_of(
            path, arrays["edges"], arrays.get("weights"), len(arrays.get("y", ()))
        ), True
    there = ", ".join(map(repr, arrays)) or "none"
    if name is None:
        name = "X" if "X" in arrays else next(iter(arrays)) if len(arrays) == 1 else None
        if name is None:
            raise InputError(path, f"which array? say --array; there are {there}")
    if name not in arrays:
        raise InputError(path, f"--array: no array {name!r}; there are {there}")
    return points_of(path, arrays[name], name), False


def points_of(path: Path, array: Array, name: str = "") -> Array:
    """Return a matrix of finite numbers."""
    what = f"array {name!r}" if name else "the array"
    if array.ndim != 2 or not array.size:
        raise InputError(path, f"{what} must be a matrix, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise InputError(path, f"{what} must hold numbers, got dtype {array.dtype}")
    result = np.asarray(array, dtype=np.float64)
    wrong = np.argwhere(~np.isfinite(result))
    if len(wrong):
        row, column = wrong[0].tolist()
        value = result[row, column]
        raise InputError(path, f"{what}, row {row}, column {column}: {value} is not finite")
    return result


def graph_of(path: Path, edges: Array, weights: Array | None, n_nodes: int = 0) -> sparse.csr_array:
    """Return the affinity of an edge list; an edge named twice has the larger of its weights."""
    if edges.ndim != 2 or edges.shape[1] != 2 or not len(edges) or edges.dtype.kind not in "iu":
        got = f"{edges.dtype} of shape {edges.shape}"
        raise InputError(path, f"edges must be pairs of integers, got {got}")
    n_nodes = n_nodes or int(edges.max()) + 1
    if n_nodes > MOST_ALONE * len(edges):
        raise InputError(path, f"{len(edges)} edges among {n_nodes} nodes: number the nodes anew")
    if edges.min() < 0 or edges.max() >= n_nodes:
        raise InputError(path, f"edges must name nodes from 0 to {n_nodes - 1}")
    values = np.ones(len(edges)) if weights is None else np.asarray(weights, dtype=np.float64)
    if values.shape != (len(edges),) or not (np.isfinite(values) & (values > 0)).all():
        raise InputError(path, "weights must be one positive finite number for each edge")
    first, second = edges.min(axis=1).astype(np.intp), edges.max(axis=1).astype(np.intp)
    order = np.lexsort((-values, second, first))
    first, second, values = first[order], second[order], values[order]
    new = np.r_[True, (np.diff(first) != 0) | (np.diff(second) != 0)]
    entries = (values[new], (first[new], second[new]))
    half = sparse.coo_array(entries, shape=(n_nodes, n_nodes)).tocsr()
    loops = sparse.diags_array(half.diagonal())
    return sparse.csr_array(half + half.T - loops)
