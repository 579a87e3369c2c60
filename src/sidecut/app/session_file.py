"""A session as a file: what was opened and what was said, in plain arrays and JSON; no pickle."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sidecut.app.statements import MAX_LABELS, Link, Mark, Statement, Stroke
from sidecut.app.subject import Subject
from sidecut.app.uploads import MAX_PIXELS, check_archive
from sidecut.read.arrays import points_of, read_npz

FORMAT, VERSION = "sidecut session", 1
ENDING = ".sidecut.npz"
_KINDS = {"stroke": Stroke, "link": Link, "mark": Mark}


@dataclass(frozen=True, eq=False)
class Saved:
    """What a session file holds."""

    subject: Subject
    statements: tuple[Statement, ...]
    n_clusters: int
    mu: float | None
    shown: NDArray[np.uint8] | None = None  # the labels on the screen, so that colours stay


def save(saved: Saved) -> bytes:
    """Return the file."""
    subject = saved.subject
    arrays: dict[str, Any] = {}
    if sparse.issparse(subject.data):
        matrix = sparse.csr_array(subject.data)
        for part in ("data", "indices", "indptr"):
            arrays[part] = getattr(matrix, part)
    else:
        arrays["data"] = subject.data
    if saved.shown is not None:
        arrays["shown"] = saved.shown
    about = {
        "kind": subject.kind,
        "name": subject.name,
        "names": list(subject.names),
        "full_size": list(subject.full_size),
        "sparse": bool(sparse.issparse(subject.data)),
        "shape": list(subject.data.shape),
        "n_clusters": saved.n_clusters,
        "mu": saved.mu,
        "statements": [_written(one) for one in saved.statements],
    }
    file = io.BytesIO()
    np.savez_compressed(
        file,
        format=np.array(FORMAT),
        version=np.array(VERSION),
        about=np.frombuffer(json.dumps(about).encode(), np.uint8),
        **arrays,
    )
    return file.getvalue()


def is_session(path: Path) -> bool:
    """Say whether an archive has the parts of a session."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {"about.npy", "version.npy", "format.npy"} <= set(archive.namelist())
    except (zipfile.BadZipFile, OSError, NotImplementedError):
        return False


def load(path: Path) -> Saved:
    """Read a file that `save` wrote; every value is checked as if it came from a stranger."""
    check_archive(path)
    arrays = read_npz(path)
    if str(arrays.get("format")) != FORMAT:
        raise ValueError(f"{path.name} is no saved session")
    try:
        if int(arrays["version"]) != VERSION:
            raise ValueError(f"its version is {arrays['version']}, expected {VERSION}")
        about = json.loads(arrays["about"].tobytes())
        subject = _subject(path, about, arrays)
        n_clusters, mu = int(about["n_clusters"]), about["mu"]
        if not 2 <= n_clusters <= MAX_LABELS:
            raise ValueError(f"n_clusters is {n_clusters}")
        if mu is not None and not (isinstance(mu, float | int) and 0 <= mu < np.inf):
            raise ValueError(f"mu is {mu!r}")
        statements = tuple(_read(one, subject) for one in about["statements"])
        shown = arrays.get("shown")
        if shown is not None and (shown.dtype != np.uint8 or shown.shape != (subject.n_samples,)):
            raise ValueError(f"its labels have type {shown.dtype} and shape {shown.shape}")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path.name} is no valid session: {error}") from None
    return Saved(subject, statements, n_clusters, mu, shown)


def _subject(path: Path, about: dict[str, Any], arrays: dict[str, Any]) -> Subject:
    kind, shape = about["kind"], tuple(int(k) for k in about["shape"])
    data = arrays["data"]
    names = tuple(str(name) for name in about["names"])
    width, height = (int(k) for k in about["full_size"])
    if kind == "image":
        if data.dtype != np.uint8 or data.ndim != 3 or data.shape[2] != 3 or min(data.shape) < 3:
            raise ValueError("its picture is no picture")
        if not (min(width, height) > 0 and width * height <= MAX_PIXELS):
            raise ValueError(f"its size is {width} × {height}")
    elif kind not in ("points", "graph"):
        raise ValueError(f"its kind is {kind!r}")
    elif about["sparse"]:
        data = sparse.csr_array((data, arrays["indices"], arrays["indptr"]), shape=shape)
        data.check_format(full_check=True)
        if data.dtype.kind not in "biuf" or not np.isfinite(data.data).all():
            raise ValueError("its matrix must hold finite numbers")
        data = data.astype(np.float64)
    else:
        data = points_of(path, data)
    subject = Subject(kind, str(about["name"])[:200], data, names, (width, height))
    if names and len(names) != subject.n_samples:
        raise ValueError(f"it names {len(names)} rows of {subject.n_samples}")
    if kind == "graph" and data.shape[0] != data.shape[1]:
        raise ValueError(f"its graph has shape {data.shape}")
    return subject


def _written(one: Statement) -> dict[str, Any]:
    if isinstance(one, Stroke):
        places = [[round(x, 2), round(y, 2)] for x, y in one.places]
        return {"is": "stroke", "label": one.label, "radius": one.radius, "places": places}
    if isinstance(one, Link):
        ends = {"first": one.first, "second": one.second}
        return {"is": "link", **ends, "together": one.together, "weight": one.weight}
    return {"is": "mark", "label": one.label, "nodes": list(one.nodes)}


def _read(fields: dict[str, Any], subject: Subject) -> Statement:
    kind = _KINDS[fields["is"]]
    n = subject.n_samples
    if (kind is Stroke) != (subject.kind == "image"):
        raise ValueError(f"a {fields['is']} does not belong to a {subject.kind}")
    if kind is Stroke:
        places = tuple((float(x), float(y)) for x, y in fields["places"])
        return Stroke(int(fields["label"]), float(fields["radius"]), places)
    if kind is Link:
        ends = int(fields["first"]), int(fields["second"])
        if max(ends) >= n:
            raise ValueError(f"a link names point {max(ends)} of {n}")
        return Link(*ends, bool(fields["together"]), float(fields["weight"]))
    nodes = tuple(int(node) for node in fields["nodes"])
    if nodes and max(nodes) >= n:
        raise ValueError(f"a mark names point {max(nodes)} of {n}")
    return Mark(int(fields["label"]), nodes)
