"""The one kind of error that readers raise."""

from __future__ import annotations

from pathlib import Path

# Long values are cut in messages.
SHOWN = 40


class InputError(ValueError):
    """What is wrong with a file, and where."""

    def __init__(
        self, path: Path, message: str, *, line: int | None = None, column: str = ""
    ) -> None:
        place = str(path)
        if line is not None:
            place += f", line {line}"
        if column:
            place += f", column {column!r}"
        super().__init__(f"{place}: {message}")


def check_file(path: Path) -> None:
    """Refuse what is no file."""
    if not path.is_file():
        raise InputError(path, "is not a file" if path.exists() else "does not exist")


def shown(value: object) -> str:
    """Return a value as a message shows it."""
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."
