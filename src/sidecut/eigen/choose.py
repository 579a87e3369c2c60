"""Which solver suits a graph: its shape decides, not its size alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from sidecut.eigen.order import Order, narrow_order, separator_widths

# Up to so many nodes a dense decomposition takes a second or less.
DENSE_NODES = 1000
# A dense decomposition also wins when a large share of all pairs is wanted.
DENSE_SHARE, DENSE_NODES_AT_MOST = 0.2, 6000
# Factoring pays where separators are no wider than so many times the root of the entries, as in the
# plane: 2-D k-NN graphs have 1.7 to 2.5 for k of 10 to 30, a photograph 0.5, blobs in three
# dimensions 2.5 at 10 000 nodes and 5 at 100 000, in ten 17, social graphs 11.
# Beyond the last bound even those factors outgrow the memory of one machine; below the
# second, factoring takes no time whatever the shape.
WIDTH_PER_ROOT, WIDTH_AT_LEAST, WIDTH_AT_MOST = 2.8, 300, 20_000
# A tree factors without fill-in, however wide it is; so many cycles fill in a million entries.
CYCLES = 1000


def choose(laplacian: Any, p: int, order: Order | None = None) -> str:
    """Name the solver that `solver="auto"` takes; ``order`` saves finding that of `narrow_order`.

    1. Up to 1000 nodes, or up to 6000 of whose pairs more than a fifth are wanted: ``"dense"``.
    2. The matrix is dense, or only products are to be had (a LinearOperator): ``"lanczos"``.
    3. The graph is a tree or has up to 1000 edges more than one, so that little can fill in:
       ``"shift_invert"``.
    4. Separators are as narrow as in a graph of the plane (the `separator_width` of each component
       is up to 2.8 times the root of its entries, or 300, and at most 20 000), so that
       the factors stay sparse: ``"shift_invert"``.
    5. ``"lanczos"``: a graph that would fill in has a large spectral gap. Where one has not, and up
       to 6000 nodes, `lowest` computes all pairs after all.
    """
    n = laplacian.shape[0]
    if n <= DENSE_NODES or (n <= DENSE_NODES_AT_MOST and p > DENSE_SHARE * n):
        return "dense"
    if not issparse(laplacian):
        return "lanczos"
    edges = (laplacian.nnz - np.count_nonzero(laplacian.diagonal())) / 2
    if edges < n + CYCLES:
        return "shift_invert"
    order = narrow_order(laplacian) if order is None else order
    width, entries = separator_widths(laplacian, order)
    narrow = width <= np.clip(WIDTH_PER_ROOT * np.sqrt(entries), WIDTH_AT_LEAST, WIDTH_AT_MOST)
    return "shift_invert" if narrow.all() else "lanczos"
