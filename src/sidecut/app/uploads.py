"""Files that strangers send: limits first, then the readers that trust nothing.

Nothing is run or unpickled; images are measured by their head before a pixel is unpacked.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np

from sidecut.app.subject import MAX_POINTS, WORK_PIXELS, Subject
from sidecut.read import read_problem
from sidecut.read.images import open_image
from sidecut.read.problem import IMAGES

T = TypeVar("T")

MAX_UPLOAD = 32 * 1024**2
# What an uploaded archive may unpack to; a small file can claim any size.
MAX_UNPACKED = 512 * 1024**2
# A photograph of a good camera; larger ones are refused before they are unpacked.
MAX_PIXELS = 40_000_000


def with_upload(name: str, content: bytes, read: Callable[[Path], T]) -> T:
    """Put an upload into a file of its own, read it, and forget it.

    Messages have the name that the person gave, not the place of the file.
    """
    if not content:
        raise ValueError(f"{_plain(name)} is empty")
    if len(content) > MAX_UPLOAD:
        raise ValueError(
            f"{_plain(name)} has {len(content) / 1024**2:.0f} MB; "
            f"uploads may have {MAX_UPLOAD // 1024**2} MB"
        )
    with TemporaryDirectory(prefix="sidecut-") as folder:
        path = Path(folder) / _plain(name)
        path.write_bytes(content)
        try:
            return read(path)
        except ValueError as error:
            raise ValueError(str(error).replace(f"{folder}/", "").replace("--array", "X")) from None


def _plain(name: str) -> str:
    """Return the last part of a name, of harmless letters, with its ending."""
    last = PurePath(name.replace("\\", "/")).name
    kept = "".join(c if c.isalnum() or c in "._- " else "_" for c in last)
    return kept[-80:].lstrip(". ") or "upload"


def read_subject(path: Path) -> Subject:
    """Return what a file holds; its ending says what it is."""
    if path.suffix.lower() in IMAGES:
        return photograph(path)
    if path.suffix.lower() == ".npz":
        check_archive(path)
    problem = read_problem(path)
    names = tuple(problem.names or ())
    if problem.n_samples > MAX_POINTS:
        raise ValueError(
            f"{path.name} has {problem.n_samples} rows; the page takes at most {MAX_POINTS}"
        )
    return Subject(problem.kind, path.name, problem.X, names)


def check_archive(path: Path) -> None:
    """Refuse an archive that unpacks to more than the page takes."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(item.file_size for item in archive.infolist())
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise ValueError(f"{path.name} is no readable .npz: {error}") from None
    if size > MAX_UNPACKED:
        raise ValueError(
            f"{path.name} unpacks to {size / 1024**2:.0f} MB; "
            f"at most {MAX_UNPACKED // 1024**2} MB are read"
        )


def photograph(path: Path) -> Subject:
    """Return a photograph, made smaller where it is too large to work on."""
    from PIL import Image

    with open_image(path, max_pixels=MAX_PIXELS) as image:
        full = image.size
        if min(full) < 8:
            raise ValueError(f"{path.name} is {full[0]} × {full[1]} pixels: too small to draw on")
        if image.mode.startswith(("I", "F")):
            # Pillow clips 16-bit grey to 8 bits when it converts.
            grey = np.asarray(image, dtype=np.float64)
            low, high = float(grey.min()), float(grey.max())
            if not np.isfinite(high - low):
                raise ValueError(f"{path.name} has pixels that are not finite")
            image = Image.fromarray(((grey - low) / ((high - low) or 1) * 255).astype(np.uint8))
        rgb = image.convert("RGB")
        shrink = np.sqrt(WORK_PIXELS / (full[0] * full[1]))
        if shrink < 1:
            size = (max(int(full[0] * shrink), 1), max(int(full[1] * shrink), 1))
            rgb = rgb.resize(size, Image.Resampling.LANCZOS)
        return Subject("image", path.name, np.asarray(rgb), full_size=full)
