"""Results in a file that grows by whole lines, so that an interrupted run can go on."""

from __future__ import annotations

import csv
import io
import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sidecut
from sidecut.bench.trials import Result

COLUMNS = [field.name for field in fields(Result)]


@dataclass(frozen=True)
class Settings:
    """What makes results comparable: a file holds results of one of these only.

    Attributes
    ----------
    quick : bool
        Whether the data sets were cut down.
    seed : int
        Of the draws.
    limit : float
        Seconds of computing a fit may take.
    jobs : int
        Fits at a time; they share the machine's memory bandwidth.
    cpu : str
        Model of the processor.
    cores : int
        Cores this process may use.
    versions : dict of str
        Of Python, the library and what it computes with.
    """

    quick: bool
    seed: int
    limit: float
    jobs: int
    cpu: str
    cores: int
    versions: dict[str, str]

    @classmethod
    def of_this_machine(cls, *, quick: bool, seed: int, limit: float, jobs: int) -> Settings:
        """Return the settings with the machine and the versions at hand."""
        versions = {"python": platform.python_version(), "sidecut": sidecut.__version__}
        versions |= {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
        return cls(quick, seed, limit, jobs, cpu_model(), usable_cores(), versions)


class ResultFile:
    """A csv with one line per trial, and its settings in a json of the same name beside it.

    Parameters
    ----------
    path : Path
        The csv. Its folder is made; what is in the file is kept.
    settings : Settings
        Must be those of the results that are there.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sidecut.bench.results import ResultFile, Settings
    >>> from sidecut.bench.trials import Result
    >>> settings = Settings.of_this_machine(quick=True, seed=0, limit=60.0, jobs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = ResultFile(Path(folder) / "accuracy.csv", settings)
    ...     file.append(Result("wine", "knn", "CSP", 20, 0, ari=0.5))
    ...     [result.ari for result in file.read()]
    [0.5]
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        self.settings_path = path.with_suffix(".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self._check(settings)
            self._drop_broken_end()
        else:
            write_whole(self.settings_path, json.dumps(asdict(settings), indent=2) + "\n")
            write_whole(path, ",".join(COLUMNS) + "\n")

    def _check(self, settings: Settings) -> None:
        """Refuse to mix results of different settings."""
        try:
            there = json.loads(self.settings_path.read_text())
            with self.path.open(newline="") as file:
                header = next(csv.reader(file), None)
        except (OSError, ValueError) as error:
            raise ValueError(
                f"{self.path} exists, but its settings cannot be read from {self.settings_path} "
                f"({error}); name another output"
            ) from None
        if header != COLUMNS or not isinstance(there, dict):
            raise ValueError(f"{self.path} exists and holds something else; name another output")
        here = asdict(settings)
        changed = [key for key in here if there.get(key) != here[key]]
        if changed:
            what = ", ".join(f"{key} {there.get(key)!r} (now {here[key]!r})" for key in changed)
            raise ValueError(
                f"{self.path} was made with other settings: {what}; name another output, or use "
                "--fresh to replace it"
            )

    def _drop_broken_end(self) -> None:
        """Remove a last line that was cut off when a run was killed."""
        text = self.path.read_bytes()
        if not text.endswith(b"\n"):
            write_whole(self.path, text[: text.rfind(b"\n") + 1].decode())

    def append(self, result: Result) -> None:
        """Add one line, whole or not at all."""
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(asdict(result).values())
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, line.getvalue().encode())
            os.fsync(handle)
        finally:
            os.close(handle)

    def read(self) -> list[Result]:
        """Return every result; of two of the same trial the later."""
        found = {}
        with self.path.open(newline="") as file:
            for number, row in enumerate(csv.DictReader(file), start=2):
                try:
                    result = _result(row)
                except (TypeError, ValueError, KeyError) as error:
                    raise ValueError(f"{self.path}, line {number}: {error}") from None
                found[result.trial] = result
        return list(found.values())


def _result(row: dict[str, Any]) -> Result:
    kinds = {"str": str, "int": int, "float": float}
    return Result(
        **{field.name: kinds[str(field.type)](row[field.name]) for field in fields(Result)}
    )


def write_parquet(path: Path, results: Iterable[Result]) -> None:
    """Write all results as one parquet file (needs pyarrow)."""
    import pyarrow
    import pyarrow.parquet

    rows = [asdict(result) for result in results]
    partial = path.with_name(path.name + ".part")
    table = pyarrow.table({name: [row[name] for row in rows] for name in COLUMNS})
    pyarrow.parquet.write_table(table, partial)
    partial.replace(path)


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def cpu_model() -> str:
    """Return the name of the processor, as well as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
