"""Files that appear whole or not at all."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class Outputs:
    """Files of one run: written aside, and moved to their places when all are there.

    Parameters
    ----------
    target : Path
        A folder (one that exists, or a path ending in a slash), or the beginning of the names.
    as_folder : bool
        Whether it is a folder.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sidecut.cli.output import Outputs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Outputs(Path(folder) / "run", as_folder=False) as outputs:
    ...         _ = outputs.add("labels.csv").write_text("done")
    ...     [path.name for path in outputs.paths]
    ['run-labels.csv']
    """

    def __init__(self, target: Path, *, as_folder: bool) -> None:
        self._folder = target if as_folder else target.parent
        self._prefix = "" if as_folder else f"{target.name}-"
        self._made: list[Path] = []
        self._names: list[str] = []

    @property
    def paths(self) -> list[Path]:
        """Where the files are after the run."""
        return [self._folder / (self._prefix + name) for name in self._names]

    def __enter__(self) -> Self:
        """Make the folder and see that it can be written to."""
        missing = [path for path in (self._folder, *self._folder.parents) if not path.exists()]
        try:
            for path in reversed(missing):
                path.mkdir()
                self._made.append(path)
            self._aside = Path(tempfile.mkdtemp(dir=self._folder, prefix=".sidecut-"))
        except OSError as error:
            self._remove_made()
            raise OSError(f"cannot write to {self._folder}: {error.strerror or error}") from None
        return self

    def add(self, name: str) -> Path:
        """Return where to write a file for now."""
        self._names.append(name)
        return self._aside / name

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                for path in self.paths:
                    if path.is_dir():
                        raise OSError(f"cannot write {path}: a folder is there")
                for name, path in zip(self._names, self.paths, strict=True):
                    (self._aside / name).replace(path)
        finally:
            shutil.rmtree(self._aside, ignore_errors=True)
            if kind is not None:
                self._remove_made()

    def _remove_made(self) -> None:
        for path in reversed(self._made):
            with suppress(OSError):  # something else was put there meanwhile
                path.rmdir()


def write_labels(path: Path, heading: str, names: Iterable[object], labels: Iterable[int]) -> None:
    """Write a csv with the name and the label of each row."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([heading, "label"])
        writer.writerows(zip(names, labels, strict=True))


def plain(value: Any) -> Any:
    """Return a value as JSON knows it: None for nan and infinity, lists for arrays, else text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and value - value != 0:
        return None
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def to_json(value: Any, *, indent: int | None = None) -> str:
    """Return one JSON text."""
    return json.dumps(plain(value), allow_nan=False, ensure_ascii=False, indent=indent)
