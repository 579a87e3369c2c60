"""Tables (csv, parquet) as points, with their labels and the names of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecut._validation import Float
from sidecut.read.csvfile import read_csv
from sidecut.read.errors import InputError, shown

# A column of this name is hardly ever a measurement.
LOOKS_LIKE_NAMES = ("", "id", "index", "name", "unnamed: 0", "__index_level_0__")

# The cells of a column, as text (empty for nothing) or as numbers.
Column = Sequence[str] | NDArray[Any]


@dataclass(frozen=True)
class Frame:
    """A table by columns.

    Attributes
    ----------
    path : Path
        The file.
    columns : dict of Column
        By name; a csv without header has the names "0", "1", ...
    lines : sequence of int
        Where each row is in the file.
    """

    path: Path
    columns: dict[str, Column]
    lines: Sequence[int]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.lines)

    def text(self, name: str, option: str) -> list[str]:
        """Return a column as text, empty where there is nothing."""
        return [_text(cell) for cell in self._find(name, option)]

    def points(self, names: Sequence[str] | None, aside: Sequence[str]) -> Float:
        """Return the columns named, or all but those set aside, as numbers."""
        for name in names or ():
            self._find(name, "--columns")
        chosen = names or [name for name in self.columns if name not in aside]
        if not chosen:
            raise InputError(self.path, "no column of numbers is left")
        for name in chosen:
            if names is None and name.lower() in LOOKS_LIKE_NAMES:
                raise InputError(
                    self.path,
                    f"column {name!r} looks like names of the rows; say --id-column {name!r}, or "
                    "list the columns to use by --columns",
                )
        return np.column_stack([self._numbers(name, whole=names is None) for name in chosen])

    def _find(self, name: str, option: str) -> Column:
        if name not in self.columns:
            there = ", ".join(map(repr, self.columns))
            raise InputError(self.path, f"{option}: no column {name!r}; there are {there}")
        return self.columns[name]

    def _numbers(self, name: str, *, whole: bool) -> Float:
        column = self.columns[name]
        try:
            values = np.asarray(column, dtype=np.float64)
        except ValueError:
            values = np.array([_number(cell) for cell in column])
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            row = int(wrong[0])
            cell = _text(column[row])
            message = f"{shown(cell)} is no finite number" if cell else "the cell is empty"
            if whole and not np.isfinite(values).any():
                message += "; if this column is no measurement, name the others by --columns"
            elif self.lines[row] == 1:
                message += "; if the first line names the columns, say --header"
            raise InputError(self.path, message, line=self.lines[row], column=name)
        return values


def _text(cell: object) -> str:
    """Return a cell as text; whole numbers without a point, so that 3.0 and 3 are one label."""
    if isinstance(cell, float | np.floating):
        return "" if np.isnan(cell) else f"{cell:.17g}"
    return str(cell)


def _number(cell: object) -> float:
    try:
        return float(cell)  # type: ignore[arg-type]
    except ValueError:
        return float("nan")


def read_csv_frame(path: Path, *, header: bool | None = None) -> Frame:
    """Read a csv."""
    table = read_csv(path, header=header)
    if not table.rows:
        raise InputError(path, "has a header but no rows")
    names = table.header or tuple(map(str, range(table.width)))
    columns: dict[str, Column] = dict(zip(names, zip(*table.rows, strict=True), strict=True))
    return Frame(path, columns, table.lines)


def read_parquet_frame(path: Path) -> Frame:
    """Read a parquet file (needs pyarrow)."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError("parquet needs pyarrow: pip install 'sidecut[parquet]'") from None
    try:
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(path, f"is no readable parquet file: {error}") from None
    if not table.num_rows:
        raise InputError(path, "has no rows")
    columns: dict[str, Column] = {}
    for name in table.column_names:
        column = table[name]
        kind = column.type
        whole = pyarrow.types.is_integer(kind) or pyarrow.types.is_boolean(kind)
        if pyarrow.types.is_floating(kind) or (whole and not column.null_count):
            columns[name] = column.to_numpy()
        else:
            columns[name] = ["" if cell is None else str(cell) for cell in column.to_pylist()]
    if len(columns) < len(table.column_names):
        raise InputError(path, "two columns have the same name")
    # A parquet file has no lines: rows are counted from 1.
    return Frame(path, columns, range(1, table.num_rows + 1))
