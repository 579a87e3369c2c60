"""Where data sets are kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "SIDECUT_DATA"


def find_home(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of data sets: the argument, else SIDECUT_DATA, else the user's cache.

    Examples
    --------
    >>> from sidecut.datasets import find_home
    >>> find_home("somewhere").name
    'somewhere'
    """
    if data_home is not None:
        return Path(data_home).expanduser()
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE]).expanduser()
    return _user_cache() / "sidecut"


def _user_cache() -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"])
    return Path.home() / ".cache"
