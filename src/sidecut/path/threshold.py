"""How far along the path to go, when the user says so."""

from __future__ import annotations

from dataclasses import dataclass

from sidecut._validation import check_number


@dataclass(frozen=True)
class Alpha:
    """The paper's α: the relaxed satisfaction `v'Q̄v`, with `v'v = vol`, must reach `value`.

    Examples
    --------
    >>> from sidecut import Alpha
    >>> Alpha(30.0)
    Alpha(value=30.0)
    """

    value: float

    def __post_init__(self) -> None:
        check_number(self.value, "alpha")


@dataclass(frozen=True)
class Mu:
    """A point of the path by its multiplier; the multiplier has no unit.

    At 0 the constraints are ignored, at 1 they weigh as much as the graph, from 10 on they rule.

    Examples
    --------
    >>> from sidecut import Mu
    >>> Mu(1.0)
    Mu(value=1.0)
    """

    value: float

    def __post_init__(self) -> None:
        if check_number(self.value, "mu") < 0:
            raise ValueError(f"mu must not be negative, got {self.value:g}")


def check_threshold(threshold: object) -> str | float | Alpha | Mu:
    """Return the threshold of an estimator."""
    if isinstance(threshold, Alpha | Mu) or (isinstance(threshold, str) and threshold == "cv"):
        return threshold
    expected = 'threshold must be "cv", a share above 0 and at most 1, Alpha(...) or Mu(...)'
    if isinstance(threshold, str):
        raise ValueError(f"{expected}, got {threshold!r}")
    try:
        share = check_number(threshold, "threshold")
    except TypeError:
        raise TypeError(f"{expected}, got {threshold!r}") from None
    if not 0 < share <= 1:
        raise ValueError(f"{expected}, got {threshold!r}; Alpha(...) takes the paper's scale")
    return share
