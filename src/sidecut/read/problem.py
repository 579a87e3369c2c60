"""What a user wants clustered, whatever file it comes in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecut._validation import Int
from sidecut.read.arrays import matrix_of, points_of, read_npy, read_npz
from sidecut.read.edges import read_edges
from sidecut.read.errors import InputError, check_file, shown
from sidecut.read.images import read_image
from sidecut.read.tables import Frame, read_csv_frame, read_parquet_frame

TABLES, ARRAYS = (".csv", ".parquet"), (".npy", ".npz")
EDGES, IMAGES = (".edges", ".txt", ".tsv"), (".png", ".jpg", ".jpeg")
KINDS = (*TABLES, *ARRAYS, *EDGES, *IMAGES)


@dataclass(frozen=True, eq=False)
class Problem:
    """The data.

    Attributes
    ----------
    kind : {"points", "graph", "image"}
        What `X` is: points, an affinity, or grey values or colours.
    X : array or sparse array
        The data.
    names : list of str or None
        What the file calls its rows; None: their numbers.
    name_column : str
        Heading of the names.
    labels : array of int or None
        Label of each row, −1 where it is not known.
    label_names : tuple of str
        What the file calls the labels.
    """

    kind: str
    X: Any
    names: list[str] | None = None
    name_column: str = "row"
    labels: Int | None = None
    label_names: tuple[str, ...] = field(default=())

    @property
    def n_samples(self) -> int:
        """Number of rows, nodes or pixels."""
        return int(self.X.shape[0] * self.X.shape[1] if self.kind == "image" else self.X.shape[0])


def read_problem(
    path: Path,
    *,
    label_column: str | None = None,
    id_column: str | None = None,
    columns: Sequence[str] | None = None,
    array: str | None = None,
    header: bool | None = None,
) -> Problem:
    """Read a file by the ending of its name.

    Parameters
    ----------
    path : Path
        One of `KINDS`.
    label_column, id_column : str or None
        Columns of a table (or, the first, an array of an .npz) that are no data: known labels,
        empty where unknown, and names of the rows.
    columns : sequence of str or None
        Columns to use; None takes all others.
    array : str or None
        Which array of an .npz.
    header : bool or None
        Whether a csv has one; None looks.
    """
    ending = path.suffix.lower()
    if ending not in KINDS:
        raise InputError(path, f"the name must end in one of {', '.join(KINDS)}")
    check_file(path)
    given = {
        "--label-column": (label_column, (*TABLES, ".npz")),
        "--id-column": (id_column, TABLES),
        "--columns": (columns, TABLES),
        "--array": (array, (".npz",)),
    }
    for option, (value, endings) in given.items():
        if value is not None and ending not in endings:
            raise InputError(path, f"{option} is for files that end in {' or '.join(endings)}")
    if ending in TABLES:
        frame = (
            read_csv_frame(path, header=header) if ending == ".csv" else read_parquet_frame(path)
        )
        return _from_frame(frame, label_column, id_column, columns)
    if ending == ".npy":
        return Problem("points", points_of(path, read_npy(path)))
    if ending == ".npz":
        return _from_npz(path, label_column, array)
    if ending in EDGES:
        graph, names = read_edges(path)
        return Problem("graph", graph, names, "node")
    return Problem("image", read_image(path), name_column="pixel")


def _from_frame(
    frame: Frame, label_column: str | None, id_column: str | None, columns: Sequence[str] | None
) -> Problem:
    aside = [name for name in (label_column, id_column) if name is not None]
    names = labels = None
    label_names: tuple[str, ...] = ()
    if id_column is not None:
        names = frame.text(id_column, "--id-column")
        _check_different(frame, names, id_column)
    if label_column is not None:
        text = frame.text(label_column, "--label-column")
        labels, label_names = _codes(frame.path, np.array(text), label_column)
    for name in columns or ():
        if name in aside:
            raise InputError(frame.path, f"--columns: {name!r} is no data, it is set aside")
    X = frame.points(columns, aside)
    return Problem("points", X, names, id_column or "row", labels, label_names)


def _check_different(frame: Frame, names: Sequence[str], column: str) -> None:
    lines: dict[str, int] = {}
    for name, line in zip(names, frame.lines, strict=True):
        if name in lines:
            message = f"{shown(name)} is on line {lines[name]} too; names of rows must differ"
            raise InputError(frame.path, message, line=line, column=column)
        lines[name] = line


def _from_npz(path: Path, label_column: str | None, array: str | None) -> Problem:
    arrays = read_npz(path)
    labels: Int | None = None
    label_names: tuple[str, ...] = ()
    X, graph = matrix_of(path, arrays, array)
    if label_column is not None:
        if label_column not in arrays:
            there = ", ".join(map(repr, arrays))
            raise InputError(path, f"--label-column: no array {label_column!r}; there are {there}")
        values = arrays[label_column]
        if values.shape != (X.shape[0],):
            raise InputError(path, f"{label_column} has shape {values.shape}, not ({X.shape[0]},)")
        if values.dtype.kind in "iu":
            # scikit-learn's habit: −1 is not labelled.
            values = np.where(values < 0, "", values.astype(str))
        labels, label_names = _codes(path, values.astype(str), label_column)
    return Problem("graph" if graph else "points", X, labels=labels, label_names=label_names)


def _codes(path: Path, text: NDArray[Any], column: str) -> tuple[Int, tuple[str, ...]]:
    """Return labels as numbers, −1 for empty cells, and what each number stands for."""
    known = text != ""
    if not known.any():
        raise InputError(path, "no label is known: every cell is empty", column=column)
    names, codes = np.unique(text[known], return_inverse=True)
    if len(names) == known.sum() > 20:
        raise InputError(path, f"{len(names)} labels, all different", column=column)
    labels = np.full(len(text), -1, np.intp)
    labels[known] = codes
    return labels, tuple(map(str, names))
