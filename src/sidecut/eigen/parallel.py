"""Independent pieces of work on all cores, in threads: SciPy and BLAS let go of the lock.

How work is cut into pieces never depends on the number of cores, so neither does any result.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Apply = Callable[[NDArray[np.float64]], NDArray[np.float64]]
Piece = TypeVar("Piece")
Result = TypeVar("Result")

# Tells a thread of the pool from any other.
_here = threading.local()
# Rows of one piece at most: enough that handing it to a thread costs nothing beside its work.
_ROWS = 32_768
# Pieces come in multiples of this, so that two or four cores finish together.
_EVEN = 4


def on_all_cores(function: Callable[[Piece], Result], pieces: Iterable[Piece]) -> list[Result]:
    """Return ``[function(piece) for piece in pieces]``.

    Uses the cores that this process may use, or ``OMP_NUM_THREADS`` of them where that is set.
    A function that itself calls `on_all_cores`, as an operator of the user's may, does so in turn.

    Examples
    --------
    >>> on_all_cores(abs, [-1, 2, -3])
    [1, 2, 3]
    >>> on_all_cores(lambda k: on_all_cores(abs, [-k, k]), [1, 2, 3])
    [[1, 1], [2, 2], [3, 3]]
    """
    pieces = list(pieces)
    workers = min(_cores(), len(pieces))
    # A worker that waits for pieces of its own would wait for itself.
    if workers <= 1 or getattr(_here, "working", False):
        return [function(piece) for piece in pieces]
    return list(_threads(os.getpid(), _cores()).map(function, pieces))


def row_ranges(n: int) -> list[slice]:
    """Cut n rows into pieces of nearly equal size."""
    count = 1 if n <= _ROWS else _EVEN * -(-n // (_EVEN * _ROWS))
    ends = [n * k // count for k in range(count + 1)]
    return [slice(first, last) for first, last in itertools.pairwise(ends)]


class SparseRows:
    """A sparse matrix cut into rows, so that ``@`` runs on all cores. Shares the matrix's memory.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> SparseRows(sp.eye_array(3, format="csr")) @ np.ones((3, 1), order="F")
    array([[1.],
           [1.],
           [1.]])
    """

    def __init__(self, matrix: sp.csr_array) -> None:
        self.shape = matrix.shape
        self.dtype = matrix.dtype
        self._rows = row_ranges(matrix.shape[0])
        self._parts = [_part(matrix, rows) for rows in self._rows]

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        # SciPy's block product is several times faster on row-major blocks.
        x = np.ascontiguousarray(x)
        result = np.empty(x.shape, np.result_type(self.dtype, x.dtype))

        def multiply(k: int) -> None:
            result[self._rows[k]] = self._parts[k] @ x

        on_all_cores(multiply, range(len(self._parts)))
        return result

    def product_less(self, x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        """Return ``A x − y``, written over y; both row-major and of the matrix's dtype."""

        def multiply(k: int) -> None:
            rows = y[self._rows[k]]
            np.subtract(self._parts[k] @ x, rows, out=rows)

        on_all_cores(multiply, range(len(self._parts)))
        return y


def _part(matrix: sp.csr_array, rows: slice) -> sp.csr_array:
    ends = matrix.indptr[rows.start : rows.stop + 1]
    entries = slice(ends[0], ends[-1])
    shape = (rows.stop - rows.start, matrix.shape[1])
    return sp.csr_array((matrix.data[entries], matrix.indices[entries], ends - ends[0]), shape)


def column_pieces(apply: Callable[[NDArray[Any]], NDArray[Any]], columns: int) -> Apply:
    """Wrap an operator on blocks so that it works on so many columns at a time, on all cores."""

    def in_pieces(x: NDArray[np.float64]) -> NDArray[np.float64]:
        if x.ndim == 1:
            return apply(x)
        result = np.empty_like(x, order="F")
        pieces = max(2, -(-x.shape[1] // columns))
        ends = [x.shape[1] * k // pieces for k in range(pieces + 1)]

        def fill(some: slice) -> None:
            result[:, some] = apply(x[:, some])

        on_all_cores(fill, [slice(a, b) for a, b in itertools.pairwise(ends) if a < b])
        return result

    return in_pieces


@lru_cache(maxsize=1)
def _threads(process: int, workers: int) -> ThreadPoolExecutor:
    """Return the pool of this process: threads do not survive a fork, so a child makes its own."""
    return ThreadPoolExecutor(workers, "sidecut", initializer=_begin)


def _begin() -> None:
    _here.working = True


def _cores() -> int:
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(int(asked), mine or 1)) if asked.isdigit() else mine or 1
