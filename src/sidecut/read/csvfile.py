"""Csv files as rows of text with their line numbers."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sidecut.read.errors import InputError, check_file, shown


@dataclass(frozen=True)
class CsvRows:
    """The cells of a csv.

    Attributes
    ----------
    path : Path
        The file.
    header : tuple of str or None
        Names of the columns, where the file has them.
    rows : list of list of str
        All of the same length.
    lines : list of int
        The line of the file that each row ends on.
    """

    path: Path
    header: tuple[str, ...] | None
    rows: list[list[str]]
    lines: list[int]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.header if self.header is not None else self.rows[0])


def read_csv(path: Path, *, header: bool | None = None) -> CsvRows:
    """Read a csv whose cells are separated by comma, semicolon or tab.

    Parameters
    ----------
    path : Path
        The file; UTF-8.
    header : bool or None
        Whether the first row names the columns; None says so if no cell of it is a number.
    """
    check_file(path)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            first = file.readline()
            file.seek(0)
            # Where a semicolon parts cells, a comma is often a decimal point.
            delimiter = next((mark for mark in "\t;" if mark in first), ",")
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            for row in reader:
                if any(cell.strip() for cell in row):
                    rows.append([cell.strip() for cell in row])
                    lines.append(reader.line_num)
    except UnicodeDecodeError as error:
        raise InputError(path, f"is no UTF-8 text (byte {error.start})") from None
    except csv.Error as error:
        raise InputError(path, f"is no csv: {error}", line=reader.line_num) from None
    if not rows:
        raise InputError(path, "is empty")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            raise InputError(path, f"{len(row)} cells where others have {len(rows[0])}", line=line)
    if header is None:
        header = not any(map(is_number, rows[0]))
    names = tuple(rows[0]) if header else None
    if names is not None:
        _check_names(path, names)
        rows, lines = rows[1:], lines[1:]
    return CsvRows(path, names, rows, lines)


def _check_names(path: Path, names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(path, f"two columns are named {shown(twice)}")


def is_number(cell: str) -> bool:
    """Say whether a cell reads as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
