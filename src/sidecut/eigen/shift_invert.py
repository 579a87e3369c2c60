"""Factor once, invert often: for graphs whose factors stay sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidecut.eigen.converge import Transform, krylov_pairs
from sidecut.eigen.factor import factorize
from sidecut.eigen.operators import Array, product
from sidecut.eigen.task import Pairs, Task, start_block


def solve(laplacian: Any, task: Task) -> Pairs:
    """Run block Lanczos on ``(L + shift·I)^-1``, whichever factorisation provides it."""
    factor = factorize(laplacian) if task.factor is None else task.factor

    def back(theta: Array) -> tuple[Array, Array]:
        return 1 / theta - factor.shift, 1 / theta**2

    transform = Transform(factor.solve, back, product(laplacian), "shift_invert")
    start = start_block(task, laplacian.shape[0], block_width(task.p))
    return krylov_pairs(transform, start, 3 * task.p + 4 * start.shape[1], task)


def block_width(p: int) -> int:
    """Columns per block: a block solve reads the factor once, but a wide block converges later.

    Four columns took 10 ms each where one took 17 (100 000-node 2-D k-NN graph), and needed 140
    solves for 40 pairs where one needed 105.
    """
    return int(np.clip(p // 5, 2, 8))
