"""Run trials in parallel, keep what is finished, and go on from there after an interruption."""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed

from sidecut._progress import Callback

Record = TypeVar("Record")
Output = str | os.PathLike[str] | None


def run_trials(
    name: str,
    trials: Iterable[Mapping[str, Any]],
    work: Callable[..., Sequence[Any]],
    kind: type[Record],
    *,
    callback: Callback | None = None,
    n_jobs: int = 1,
    output: Output = None,
) -> list[Record]:
    """Call `work(**trial)` for every trial and return all records, in the order of the trials.

    Parameters
    ----------
    name : str
        Of the experiment; finished trials are kept in `<output>/<name>.jsonl`.
    trials : iterable of dict
        Arguments of `work`, plain values; together they name the trial.
    work : callable
        Returns the records of one trial, of type `kind`. It must be importable, not a lambda.
    kind : type
        A dataclass of plain values and arrays.
    callback : callable, optional
        Told the name, how many trials are finished and which share of all that is.
    n_jobs : int
        Trials at a time, as in joblib.
    output : path or None
        Folder to keep finished trials in; trials found there are not run again. None keeps nothing.
    """
    wanted = {json.dumps(dict(trial), sort_keys=True): dict(trial) for trial in trials}
    store = _Store(output, name)
    rows = {key: value for key, value in store.read().items() if key in wanted}
    left = [key for key in wanted if key not in rows]

    def report() -> None:
        if callback:
            callback(name, len(rows), len(rows) / max(len(wanted), 1))

    report()
    tasks = (delayed(_call)(work, key, wanted[key]) for key in left)
    # One at a time as they finish, so that an interruption loses only what is under way.
    for key, found in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks):
        rows[key] = found
        store.append(key, found)
        report()
    return [kind(**_decode(row)) for key in wanted for row in rows[key]]


def _call(work: Callable[..., Sequence[Any]], key: str, trial: dict[str, Any]) -> Any:
    return key, [_encode(asdict(record)) for record in work(**trial)]


class _Store:
    """A file with one finished trial a line."""

    def __init__(self, output: Output, name: str) -> None:
        self.path = None if output is None else Path(output) / f"{name}.jsonl"
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.open("a").close()
        except OSError as error:
            raise ValueError(f"output {self.path.parent} cannot be written: {error}") from error

    def read(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows by key, and cut off a last line that was not written to its end."""
        if self.path is None:
            return {}
        text = self.path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        if len(whole) < len(text):
            os.truncate(self.path, len(whole))
        found = {}
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                entry = json.loads(line)
                found[entry["key"]] = entry["rows"]
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(
                    f"{self.path}, line {number} is no finished trial; remove the file"
                ) from error
        return found

    def append(self, key: str, rows: list[dict[str, Any]]) -> None:
        """Write one line, whole, and wait until it is on the disk."""
        if self.path is None:
            return
        line = json.dumps({"key": key, "rows": rows}) + "\n"
        with self.path.open("ab", buffering=0) as file:
            file.write(line.encode())
            os.fsync(file.fileno())


def _encode(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _pack(v) if isinstance(v, np.ndarray) else v for name, v in row.items()}


def _decode(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _unpack(v) if isinstance(v, dict) else v for name, v in row.items()}


def _pack(array: Any) -> dict[str, Any]:
    data = zlib.compress(np.ascontiguousarray(array).tobytes())
    return {
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "data": base64.b64encode(data).decode(),
    }


def _unpack(packed: dict[str, Any]) -> Any:
    data = zlib.decompress(base64.b64decode(packed["data"]))
    return np.frombuffer(data, dtype=packed["dtype"]).reshape(packed["shape"])
