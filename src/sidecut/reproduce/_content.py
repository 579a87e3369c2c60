"""What an item of the report is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure, the name of its file without ending, and what is to be seen."""

    name: str
    caption: str
    figure: Figure


@dataclass(frozen=True)
class Table:
    """A table of texts; a long one is folded in the report until it is asked for."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    folded: bool = False


@dataclass(frozen=True)
class Content:
    """The pictures and tables of one experiment."""

    pictures: tuple[Picture, ...]
    tables: tuple[Table, ...] = ()


def spread(mean: float, least: float, most: float) -> str:
    """Return a mean with its range.

    Examples
    --------
    >>> from sidecut.reproduce._content import spread
    >>> spread(0.5, 0.25, 1)
    '0.50 (0.25 to 1.00)'
    """
    return f"{mean:.2f} ({least:.2f} to {most:.2f})"
