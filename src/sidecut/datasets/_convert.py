"""From public originals to the form that the loaders read; each function has one file to read."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from sidecut.datasets._errors import DatasetError

_GLASS = ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe", "type"]
_IONOSPHERE = [f"a{k:02}" for k in range(1, 35)] + ["class"]
_HEPATITIS = [
    "age",
    "sex",
    "steroid",
    "antivirals",
    "fatigue",
    "malaise",
    "anorexia",
    "liver_big",
    "liver_firm",
    "spleen_palpable",
    "spiders",
    "ascites",
    "varices",
    "bilirubin",
    "alk_phosphate",
    "sgot",
    "albumin",
    "protime",
    "histology",
    "class",
]


def copy(original: Path, target: Path) -> None:
    """Keep the file as it is."""
    shutil.copyfile(original, target)


def glass(original: Path, target: Path) -> None:
    """Add the header; the columns are in order."""
    _write_csv(target, _GLASS, _rows(original, len(_GLASS)))


def ionosphere(original: Path, target: Path) -> None:
    """Add the header; the columns are in order."""
    _write_csv(target, _IONOSPHERE, _rows(original, len(_IONOSPHERE)))


def hepatitis(original: Path, target: Path) -> None:
    """Move the class last, leave unknown values empty, drop a header in another language."""
    rows = _rows(original, len(_HEPATITIS))
    rows = [row for row in rows if row[0] in ("1", "2")]
    clean = [["" if cell == "?" else cell for cell in [*row[1:], row[0]]] for row in rows]
    _write_csv(target, _HEPATITIS, clean)


def bsds_segmentations(original: Path, target: Path) -> None:
    """Take the label images of all people out of a BSDS500 ground truth file."""
    people = _read_mat(original).get("groundTruth")
    if people is None:
        raise DatasetError(f"{original.name} has no variable groundTruth")
    labels = {}
    for k, person in enumerate(people.ravel()):
        while person.dtype == object:  # a cell around the struct, in some versions
            person = person.ravel()[0]
        segmentation = person["Segmentation"]
        while segmentation.dtype == object:
            segmentation = segmentation.ravel()[0]
        labels[f"seg{k}"] = segmentation.astype(np.uint8)
    np.savez_compressed(target, **labels)


def views(original: Path, target: Path) -> None:
    """Take the views (a cell array of matrices) and the labels (a vector) out of a MATLAB file."""
    variables = [value for value in _read_mat(original).values() if isinstance(value, np.ndarray)]
    cells = [v for v in variables if v.dtype == object and v.size > 1]
    numbers = [v for v in variables if v.dtype != object and np.issubdtype(v.dtype, np.number)]
    vectors = [v.ravel() for v in numbers if v.ndim == 2 and v.size == max(v.shape) > 1]
    if len(cells) != 1 or len(vectors) != 1:
        raise DatasetError(
            f"{original.name} has {len(cells)} cell arrays and {len(vectors)} vectors, "
            "one of each expected"
        )
    y = vectors[0].astype(np.int16)
    arrays: dict[str, Any] = {"y": y}
    matrices = [sparse.csr_array(cell, dtype=np.float32) for cell in cells[0].ravel()]
    arrays["views"] = np.array([f"view{k}" for k in range(len(matrices))])
    for k, matrix in enumerate(matrices):
        rows = matrix if matrix.shape[0] == len(y) else sparse.csr_array(matrix.T)
        if rows.shape[0] != len(y):
            raise DatasetError(
                f"{original.name}: view {k} has shape {matrix.shape}, labels {len(y)}"
            )
        rows.eliminate_zeros()
        rows.sort_indices()
        arrays[f"view{k}_data"] = rows.data
        arrays[f"view{k}_indices"] = rows.indices.astype(np.int32)
        arrays[f"view{k}_indptr"] = rows.indptr.astype(np.int32)
        arrays[f"view{k}_shape"] = np.array(rows.shape, dtype=np.int64)
    np.savez_compressed(target, **arrays)


CONVERTERS: dict[str, Callable[[Path, Path], None]] = {
    function.__name__: function
    for function in (copy, glass, ionosphere, hepatitis, bsds_segmentations, views)
}


def _rows(original: Path, width: int) -> list[list[str]]:
    with original.open(newline="", encoding="utf-8") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if row]
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise DatasetError(
                f"{original.name}, line {number}: {len(row)} cells, {width} expected"
            )
    return rows


def _write_csv(target: Path, header: list[str], rows: list[list[str]]) -> None:
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([header, *rows])


def _read_mat(original: Path) -> dict[str, Any]:
    variables: dict[str, Any] = loadmat(original)
    return {name: value for name, value in variables.items() if not name.startswith("__")}
