"""What a solver is asked and what it answers, before `lowest` measures and labels the answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidecut._progress import Callback
from sidecut.eigen.factor import Factor
from sidecut.eigen.operators import Array
from sidecut.eigen.orthogonal import Ritz, orthonormal, project_out, random_block
from sidecut.eigen.result import Status


@dataclass(frozen=True)
class Task:
    """The pairs wanted, the accuracy, and what is already known.

    ``deflate`` holds known orthonormal eigenvectors, to be left out of the answer; ``start``
    holds directions thought to be near the answer; ``factor`` is for the solvers that invert.
    """

    p: int
    tol: float
    maxiter: int | None
    rng: np.random.Generator
    deflate: Array | None = None
    start: Array | None = None
    callback: Callback | None = None
    factor: Factor | None = None

    def report(self, stage: str, iteration: int, residual: float) -> None:
        """Tell the caller, if it asked to be told."""
        if self.callback is not None:
            self.callback(stage, iteration, residual)


@dataclass(frozen=True)
class Pairs:
    """Ritz pairs with their measured residuals, why the solver stopped and after how many steps."""

    ritz: Ritz
    status: Status
    iterations: int


def start_block(task: Task, n: int, width: int) -> Array:
    """Return an orthonormal block that mixes the caller's start vectors with random ones."""
    fresh = random_block(n, width, task.rng, task.deflate)
    if task.start is None or task.start.shape[1] == 0:
        return fresh
    # Every start vector enters every column: a block is narrower than the basis it continues.
    mix = task.start @ task.rng.standard_normal((task.start.shape[1], fresh.shape[1]))
    mixed = project_out(mix / np.linalg.norm(mix, axis=0) + 1e-3 * fresh, task.deflate)
    return orthonormal(mixed)[0]
