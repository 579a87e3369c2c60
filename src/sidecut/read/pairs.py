"""Pairs of rows that belong together, or do not, from a csv."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sidecut.constraints import Constraints
from sidecut.read.csvfile import CsvRows, read_csv
from sidecut.read.errors import InputError, shown

KINDS = {"must": 1.0, "cannot": -1.0}
COLUMNS = ("i", "j", "weight", "kind")


def read_pairs(path: Path, n_samples: int, names: Sequence[str] | None) -> Constraints:
    """Read constraints.

    Columns are `i`, `j` and, if wanted, `weight` (positive: together, negative: apart) and `kind`
    (must or cannot; the weight is then positive). Without a header they are i, j and the weight or
    the kind. Without weight and kind, a pair belongs together.

    Parameters
    ----------
    path : Path
        The csv.
    n_samples : int
        Number of rows of the data.
    names : sequence of str or None
        What the csv calls the rows; None: their numbers, from 0.
    """
    table, columns = _columns(path)
    number = None if names is None else {name: k for k, name in enumerate(names)}
    must: list[tuple[int, int]] = []
    cannot: list[tuple[int, int]] = []
    weights: dict[float, list[float]] = {1.0: [], -1.0: []}
    seen: dict[tuple[int, int], tuple[float, int]] = {}
    for cells, line in zip(table.rows, table.lines, strict=True):
        first, second = (
            _row(path, line, column, cells[columns[column]], n_samples, number)
            for column in ("i", "j")
        )
        if first == second:
            raise InputError(path, f"pairs {shown(cells[columns['i']])} with itself", line=line)
        sign, weight = _belief(path, line, cells, columns)
        pair = (min(first, second), max(first, second))
        before = seen.setdefault(pair, (sign, line))
        if before[0] != sign:
            names_text = f"{cells[columns['i']]} and {cells[columns['j']]}"
            raise InputError(
                path, f"{names_text} must and cannot be together (see line {before[1]})", line=line
            )
        (must if sign > 0 else cannot).append(pair)
        weights[sign].append(weight)
    if not seen:
        raise InputError(path, "has no pairs")
    return Constraints.from_pairs(
        must,
        cannot,
        n_samples=n_samples,
        must_weight=weights[1.0] or 1.0,
        cannot_weight=weights[-1.0] or 1.0,
    )


def _columns(path: Path) -> tuple[CsvRows, dict[str, int]]:
    """Read the csv and find which column is which."""
    table = read_csv(path, header=False)
    first = [cell.lower() for cell in table.rows[0]]
    if not set(first) & set(COLUMNS):
        if table.width not in (2, 3):
            raise InputError(
                path, f"has {table.width} columns and no header; expected i,j[,weight]"
            )
        third = "kind" if table.width == 3 and first[2] in KINDS else "weight"
        return table, dict(zip(("i", "j", third), range(table.width), strict=False))
    there = ", ".join(map(repr, table.rows[0]))
    for name in ("i", "j"):
        if name not in first:
            raise InputError(path, f"no column {name!r}; there are {there}")
    for name in first:
        if name not in COLUMNS or first.count(name) > 1:
            raise InputError(path, f"column {name!r} is not one of i, j, weight, kind, each once")
    columns = {name: k for k, name in enumerate(first)}
    return CsvRows(path, None, table.rows[1:], table.lines[1:]), columns


def _row(
    path: Path, line: int, column: str, cell: str, n_samples: int, number: dict[str, int] | None
) -> int:
    if number is not None:
        if cell not in number:
            raise InputError(
                path, f"{shown(cell)} names no row of the data", line=line, column=column
            )
        return number[cell]
    # A cell of thousands of digits is too long for int().
    if not (cell.isascii() and cell.isdigit() and len(cell) < 20) or int(cell) >= n_samples:
        message = f"rows are numbered 0 to {n_samples - 1}, got {shown(cell)}"
        raise InputError(path, message, line=line, column=column)
    return int(cell)


def _belief(
    path: Path, line: int, cells: Sequence[str], columns: dict[str, int]
) -> tuple[float, float]:
    """Return the sign of a pair and its positive weight."""
    weight = 1.0
    if "weight" in columns:
        cell = cells[columns["weight"]]
        try:
            weight = float(cell)
        except ValueError:
            weight = float("nan")
        if not np.isfinite(weight) or weight == 0:
            message = f"must be a number other than 0, got {shown(cell)}"
            raise InputError(path, message, line=line, column="weight")
    if "kind" not in columns:
        return float(np.sign(weight)), abs(weight)
    kind = cells[columns["kind"]]
    if kind.lower() not in KINDS:
        raise InputError(
            path, f"must be 'must' or 'cannot', got {shown(kind)}", line=line, column="kind"
        )
    if weight < 0:
        message = f"must be positive beside a kind, got {weight:g}"
        raise InputError(path, message, line=line, column="weight")
    return KINDS[kind.lower()], weight
