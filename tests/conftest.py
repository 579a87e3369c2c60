from __future__ import annotations

import os
from pathlib import Path

import matplotlib
import pytest
from hypothesis import settings

matplotlib.use("agg")

# The same examples every time, and no clock: a test says the same on a busy machine.
settings.register_profile("sidecut", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("sidecut")


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder of the real data sets."""
    folder = Path(os.environ.get("SIDECUT_DATA", ""))
    if not os.environ.get("SIDECUT_DATA") or not folder.is_dir():
        pytest.skip("SIDECUT_DATA does not name the folder of data sets")
    return folder


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    """Work in an empty folder, on a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
