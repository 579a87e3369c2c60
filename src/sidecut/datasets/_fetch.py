"""Find a file of a data set, check it, and download it when it is absent."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sidecut._progress import Callback
from sidecut._validation import check_choice
from sidecut.datasets._checksums import CONTENT_SHA256, FILE_SHA256
from sidecut.datasets._convert import CONVERTERS
from sidecut.datasets._errors import DatasetError
from sidecut.datasets._files import content_hash, file_hash, read_npz, read_table
from sidecut.datasets._home import VARIABLE, find_home
from sidecut.datasets._registry import ORIGINALS, REGISTRY, WHY_NOT, Original

Home = str | os.PathLike[str] | None


@dataclass(frozen=True)
class DatasetInfo:
    """What `list_datasets` says of a data set.

    Attributes
    ----------
    name, title : str
        As `fetch` takes it, and in words.
    present : bool
        Whether all its files are in the data folder (not whether they are sound).
    size : int
        Bytes of those that are.
    fetchable : bool
        Whether the library can download what is absent; else `why_not` says why.
    licence, source, why_not : str
        Terms and origin.
    """

    name: str
    title: str
    present: bool
    size: int
    fetchable: bool
    licence: str
    source: str
    why_not: str


def list_datasets(*, data_home: Home = None) -> list[DatasetInfo]:
    """Describe every data set that the loaders know.

    Examples
    --------
    >>> from sidecut.datasets import list_datasets
    >>> [info.name for info in list_datasets()][:3]
    ['hepatitis', 'glass', 'ionosphere']
    """
    home = find_home(data_home)
    found = []
    for entry in REGISTRY.values():
        there = [home / path for path in entry.files if (home / path).is_file()]
        found.append(
            DatasetInfo(
                name=entry.name,
                title=entry.title,
                present=len(there) == len(entry.files),
                size=sum(path.stat().st_size for path in there),
                fetchable=not entry.why_not,
                licence=entry.licence,
                source=entry.source,
                why_not=entry.why_not,
            )
        )
    return found


def fetch(name: str, *, data_home: Home = None, callback: Callback | None = None) -> list[Path]:
    """Make sure that a data set is in the data folder, and return its files.

    Parameters
    ----------
    name : str
        One of `list_datasets()`.
    data_home : path or None
        The folder; None takes the environment variable SIDECUT_DATA, else the user's cache.
    callback : callable, optional
        Told the file, the bytes that have arrived and which share of it they are (nan if its
        length is not known).

    Raises
    ------
    DatasetError
        When a file is damaged, or is absent and cannot be downloaded. Nothing is left behind.
    """
    entry = REGISTRY[check_choice(name, "name", tuple(REGISTRY))]
    return [find_file(path, data_home=data_home, callback=callback) for path in entry.files]


def find_file(path: str, *, data_home: Home = None, callback: Callback | None = None) -> Path:
    """Return the place of one file, downloaded if need be, after checking its contents."""
    home = find_home(data_home)
    target = home / path
    if target.is_file():
        check_file(target, path)
        return target
    if path not in ORIGINALS:
        raise DatasetError(
            f"{path} is not in {home}; it cannot be downloaded ({WHY_NOT[path]}), "
            f"so let {VARIABLE} or data_home name a folder that has it"
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".partial-") as folder:
            _download(path, ORIGINALS[path], Path(folder), target, callback)
    except OSError as error:
        raise DatasetError(f"{path} could not be stored in {home}: {_line(error)}") from error
    return target


def check_file(file: Path, path: str) -> None:
    """Refuse a file that has neither the registered bytes nor the registered contents."""
    if file_hash(file) == FILE_SHA256[path]:
        return
    if path in CONTENT_SHA256:
        arrays = read_table(file) if path.endswith(".csv") else read_npz(file)
        if content_hash(arrays) == CONTENT_SHA256[path]:
            return
    raise DatasetError(f"{file} does not have the registered checksum; remove it to fetch it again")


def _download(
    path: str, original: Original, folder: Path, target: Path, callback: Callback | None
) -> None:
    """Download into `folder`, convert and check there, and only then move to the target."""
    raw = _retrieve(path, original.addresses, folder, callback)
    made = folder / target.name
    try:
        CONVERTERS[original.converter](raw, made)
    except DatasetError:
        raise
    except Exception as error:  # whatever a parser says of a broken file
        raise DatasetError(f"the original of {path} cannot be read: {_line(error)}") from error
    try:
        check_file(made, path)
    except DatasetError as error:
        raise DatasetError(
            f"the original of {path} at {original.addresses[0]} has changed: wrong checksum"
        ) from error
    made.replace(target)


def _retrieve(path: str, addresses: list[str], folder: Path, callback: Callback | None) -> Path:
    try:
        import pooch
    except ImportError as error:
        raise DatasetError(
            f"{path} is not in the data folder; to download it: pip install 'sidecut[data]'"
        ) from error
    pooch.get_logger().setLevel("WARNING")
    bar = _Progress(path, callback) if callback else False
    problems = []
    for address in addresses:
        download = pooch.HTTPDownloader(progressbar=bar, timeout=60)
        try:
            name = "original" + Path(address).suffix
            return Path(pooch.retrieve(address, None, name, folder, downloader=download))
        except (OSError, ValueError) as error:  # requests' own errors are OSErrors
            problems.append(_line(error))
    raise DatasetError(f"{path} could not be downloaded: {problems[-1]}")


class _Progress:
    """What pooch takes for a progress bar, passed on to a callback."""

    def __init__(self, stage: str, callback: Callback) -> None:
        self.stage, self.callback = stage, callback
        self.total: float = 0
        self.done = 0

    def update(self, count: int) -> None:
        self.done += count
        self.callback(self.stage, self.done, self.done / self.total if self.total else np.nan)

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        pass


def _line(error: BaseException) -> Any:
    return (str(error) or type(error).__name__).splitlines()[0]
