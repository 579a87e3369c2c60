"""How long computations tell their caller where they are."""

from __future__ import annotations

from collections.abc import Callable

# Called with the stage, the iteration and the residual (nan where there is none).
Callback = Callable[[str, int, float], None]
