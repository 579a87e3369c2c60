"""What the paper says, in our words, and how measured records judge it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

HOLDS = "holds"
PARTLY = "holds in part"
FAILS = "does not hold"
# The settings left out what the claim is about.
NOT_RUN = "not run"


@dataclass(frozen=True)
class Claim:
    """One statement.

    Attributes
    ----------
    where : str
        The figure or table of the paper, or `"beyond the paper"`.
    text : str
        The statement, in our words.
    judge : callable
        From the records of the experiment to what was measured (text) and a verdict, one of
        `HOLDS`, `PARTLY`, `FAILS`, `NOT_RUN`.
    """

    where: str
    text: str
    judge: Callable[[Sequence[Any]], tuple[str, str]]


def grade(met: Iterable[bool]) -> str:
    """Return the verdict when a claim has several parts: all met, some, or none.

    Examples
    --------
    >>> from sidecut.experiments._claims import grade
    >>> grade([True, True]), grade([True, False]), grade([False])
    ('holds', 'holds in part', 'does not hold')
    """
    parts = list(met)
    if parts and all(parts):
        return HOLDS
    return PARTLY if any(parts) else FAILS
