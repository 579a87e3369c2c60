"""Edge lists: a line for each edge, two nodes and perhaps a weight."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from scipy import sparse

from sidecut.read.arrays import graph_of
from sidecut.read.errors import InputError, shown

COMMENTS = ("#", "%")
# First lines that name the columns.
HEADERS = {("source", "target"), ("from", "to"), ("src", "dst"), ("i", "j"), ("u", "v")}


def read_edges(path: Path) -> tuple[sparse.csr_array, list[str]]:
    """Return the graph and the names of its nodes.

    Cells are separated by blanks, tabs, commas or semicolons. Nodes may have any names; they are
    numbered in the order of their numbers if all are integers, else as they come.
    """
    pairs: list[tuple[str, str]] = []
    weights: list[float] = []
    try:
        with path.open(encoding="utf-8-sig") as file:
            for line, text in enumerate(file, start=1):
                cells = [cell for cell in re.split(r"[\s,;]+", text.strip()) if cell]
                if not cells or cells[0].startswith(COMMENTS):
                    continue
                if not pairs and tuple(cell.lower() for cell in cells[:2]) in HEADERS:
                    continue
                if len(cells) not in (2, 3):
                    message = f"{len(cells)} cells; an edge has two nodes and perhaps a weight"
                    if len(cells) > 3:
                        message += " (the name of a table of points ends in .csv)"
                    raise InputError(path, message, line=line)
                pairs.append((cells[0], cells[1]))
                weights.append(_weight(path, line, cells[2]) if len(cells) == 3 else 1.0)
    except UnicodeDecodeError as error:
        raise InputError(path, f"is no UTF-8 text (byte {error.start})") from None
    if not pairs:
        raise InputError(path, "has no edges")
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    if all(name.isascii() and name.isdigit() and len(name) < 20 for name in names):
        names.sort(key=int)
    number = {name: k for k, name in enumerate(names)}
    edges = np.array([(number[a], number[b]) for a, b in pairs])
    return graph_of(path, edges, np.array(weights), len(names)), names


def _weight(path: Path, line: int, cell: str) -> float:
    try:
        weight = float(cell)
    except ValueError:
        weight = float("nan")
    if not (np.isfinite(weight) and weight > 0):
        raise InputError(
            path, f"a weight must be a positive number, got {shown(cell)}", line=line, column="3"
        )
    return weight
