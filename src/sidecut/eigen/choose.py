"""Which solver suits a graph: its shape decides, not its size alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from sidecut.eigen.order import Order, separator_width

# Up to so many nodes a dense decomposition takes a second or less.
DENSE_NODES = 1000
# A dense decomposition also wins when a large share of all pairs is wanted.
DENSE_SHARE, DENSE_NODES_AT_MOST = 0.2, 6000
# Factoring pays where separators are no wider than so many times √n, as in the plane: moons in the
# plane have 6 to 9, a photograph 1.6, blobs in three dimensions 11, in ten 60, social graphs 74.
# Beyond the second bound even those factors outgrow the memory of one machine.
WIDTH_PER_ROOT, WIDTH_AT_MOST = 10.0, 20_000


def choose(laplacian: Any, p: int, order: Order | None = None) -> str:
    """Name the solver that `solver="auto"` takes; ``order`` saves finding that of `narrow_order`.

    1. Up to 1000 nodes, or up to 6000 of whose pairs more than a fifth are wanted: ``"dense"``.
    2. The matrix is dense, or only products are to be had (a LinearOperator): ``"lanczos"``.
    3. Separators are as narrow as in a graph of the plane (`separator_width` at most 10 √n and at
       most 20 000), so that the factors stay sparse: ``"shift_invert"``.
    4. ``"lanczos"``: a graph that would fill in has a large spectral gap.
    """
    n = laplacian.shape[0]
    if n <= DENSE_NODES or (n <= DENSE_NODES_AT_MOST and p > DENSE_SHARE * n):
        return "dense"
    if not issparse(laplacian):
        return "lanczos"
    width = separator_width(laplacian, order)
    if width <= min(WIDTH_PER_ROOT * np.sqrt(n), WIDTH_AT_MOST):
        return "shift_invert"
    return "lanczos"
