"""The items of the report: an experiment, the data it needs, and how its records are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sidecut._validation import check_choice
from sidecut.experiments import EXPERIMENTS
from sidecut.reproduce._content import Content
from sidecut.reproduce.documents import documents
from sidecut.reproduce.illustrations import motivation, numerical_range, six_nodes
from sidecut.reproduce.moons import moons
from sidecut.reproduce.scans import scans
from sidecut.reproduce.scribbles import scribbles
from sidecut.reproduce.segmentation import segmentation
from sidecut.reproduce.uci import uci


@dataclass(frozen=True)
class Item:
    """One experiment of the report.

    Attributes
    ----------
    name, title : str
        As in `sidecut.experiments.EXPERIMENTS`, and for people.
    draw : callable
        From records and settings to pictures and tables.
    datasets : tuple of str
        Data sets it needs, as `sidecut.datasets.fetch` takes them.
    """

    name: str
    title: str
    draw: Callable[[Any, Any], Content]
    datasets: tuple[str, ...] = ()


_ITEMS = (
    Item("motivation", "Fig. 1: two moons, few points, constraints", motivation),
    Item("six_nodes", "Fig. 2 and 3: six nodes", six_nodes),
    Item("numerical_range", "Fig. 4: the joint numerical range", numerical_range),
    Item("segmentation", "Fig. 5 and 6: elephants, and a man with a hat", segmentation, ("bsds",)),
    Item("scribbles", "Beyond the paper: objects from strokes", scribbles, ("bsds", "scribbles")),
    Item("moons", "Fig. 7 and 8: under-sampled and noisy moons", moons),
    Item("uci", "Fig. 9 and 10, Table 2: UCI sets", uci, ("hepatitis", "glass", "ionosphere")),
    Item("documents", "Fig. 11, Table 3: documents in five languages", documents, ("reuters",)),
    Item("scans", "Fig. 12 and 13: brain scans", scans, ("stages", "abide")),
)
ITEMS = {item.name: item for item in _ITEMS}


def select(names: tuple[str, ...] = ()) -> list[Item]:
    """Return the named items in the order of the paper; all without names.

    Examples
    --------
    >>> from sidecut.reproduce.items import select
    >>> [item.name for item in select(("uci", "motivation"))]
    ['motivation', 'uci']
    """
    for name in names:
        check_choice(name, "name", EXPERIMENTS)
    return [ITEMS[name] for name in EXPERIMENTS if name in names or not names]
