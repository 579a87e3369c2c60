"""Read data files without trusting them: checksums, no pickles, one-line errors."""

from __future__ import annotations

import csv
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecut.datasets._errors import DatasetError

Arrays = dict[str, NDArray[Any]]


def file_hash(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content_hash(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a sha256 of named arrays that does not depend on how they are stored.

    A zip archive has time stamps and a compression level, a csv file has number formats; what
    counts are names, types, shapes and values.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.datasets._files import content_hash
    >>> content_hash({"y": np.arange(3, dtype="<i2")})[:12]
    'dafb20ce3e7e'
    """
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        if array.dtype.byteorder == ">":
            array = array.astype(array.dtype.newbyteorder("<"))
        head = f"{name}|{array.dtype.str.lstrip('<=|')}|{array.shape}|"
        digest.update(head.encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def read_npz(path: Path) -> Arrays:
    """Return all arrays of an .npz; pickled objects are refused."""
    try:
        # Opened here: numpy leaves a file that is no archive open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, AttributeError, TypeError) as error:
        raise DatasetError(
            f"{path} is no readable .npz of plain arrays: {_first(error)}"
        ) from error


def read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of a csv whose rows all have the header's length."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = [row for row in csv.reader(file) if row]
    except (OSError, ValueError, csv.Error) as error:
        raise DatasetError(f"{path} is no readable csv: {_first(error)}") from error
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise DatasetError(
                f"{path}, line {number}: {len(row)} cells where the header has {len(header)}"
            )
    return header, rows


def read_table(path: Path) -> Arrays:
    """Return a csv of numbers whose last column is a class, as the UCI sets are kept.

    The result has `names` (of the columns), `X` (float64, nan for an empty cell) and `y` (text).
    """
    header, rows = read_csv(path)
    try:
        X = np.array([[float(cell or "nan") for cell in row[:-1]] for row in rows])
    except ValueError as error:
        raise DatasetError(f"{path} has a cell that is no number: {_first(error)}") from error
    return {"names": np.array(header), "X": X, "y": np.array([row[-1] for row in rows])}


def column(path: Path, header: list[str], rows: list[list[str]], name: str) -> list[str]:
    """Return one column of a csv by its name."""
    if name not in header:
        raise DatasetError(f"{path} has no column {name!r}; it has {', '.join(header)}")
    place = header.index(name)
    return [row[place] for row in rows]


def need(path: Path, arrays: Arrays, names: list[str]) -> None:
    """Refuse a file without the arrays that a loader takes from it."""
    missing = [name for name in names if name not in arrays]
    if missing:
        raise DatasetError(f"{path} has no array {missing[0]!r}")


def _first(error: BaseException) -> str:
    """Return an error's message as one line."""
    return (str(error) or type(error).__name__).splitlines()[0]
