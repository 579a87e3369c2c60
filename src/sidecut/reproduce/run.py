"""Run an item: fetch its data, run the experiment, judge its claims, draw its records."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from sidecut._progress import Callback
from sidecut.datasets import DatasetError, fetch, find_home, list_datasets
from sidecut.experiments import experiment
from sidecut.experiments._claims import NOT_RUN
from sidecut.reproduce._content import Table
from sidecut.reproduce.items import Item

DPI = 150
MISSING = "data missing"


@dataclass(frozen=True)
class Finding:
    """A claim with what was measured and the verdict."""

    where: str
    text: str
    measured: str
    verdict: str


@dataclass(frozen=True)
class Image:
    """A picture as PNG."""

    name: str
    caption: str
    png: bytes


@dataclass(frozen=True)
class ItemResult:
    """What an item came to.

    Attributes
    ----------
    name, title : str
    findings : tuple of Finding
        One per claim.
    images : tuple of Image
    tables : tuple of Table
    settings : dict
        Those of the experiment.
    notes : str
        What the experiment says of its setting, and where it departs from the paper.
    seconds : float
        This run took, without trials that were there from before.
    missing : str
        Which data are missing and how to get them; empty when all are there.
    """

    name: str
    title: str
    findings: tuple[Finding, ...]
    images: tuple[Image, ...]
    tables: tuple[Table, ...]
    settings: dict[str, Any]
    notes: str
    seconds: float
    missing: str = ""


def run_item(
    item: Item,
    *,
    quick: bool = False,
    n_jobs: int = 1,
    records: Path | None = None,
    data_home: Path | None = None,
    callback: Callback | None = None,
) -> ItemResult:
    """Run one item.

    Parameters
    ----------
    item : Item
    quick : bool
        Fewer trials.
    n_jobs : int
        Trials at a time.
    records : Path or None
        Folder where finished trials are kept and found again.
    data_home : Path or None
        Folder of data sets, as everywhere in `sidecut.datasets`.
    callback : callable, optional
        Told what is being done, how many steps are finished and which share of all that is.
    """
    module = experiment(item.name)
    settings = module.QUICK if quick else module.FULL
    start = perf_counter()
    with _data_folder(data_home):
        try:
            for name in item.datasets:
                fetch(name, callback=callback)
        except DatasetError as error:
            return _without_data(item, module, settings, name, error)
        found = module.run(settings, callback=callback, n_jobs=n_jobs, output=records)
        content = item.draw(found, settings)
    findings = []
    for claim in module.CLAIMS:
        measured, verdict = claim.judge(found)
        findings.append(Finding(claim.where, claim.text, measured, verdict))
    return ItemResult(
        name=item.name,
        title=item.title,
        findings=tuple(findings),
        images=tuple(Image(p.name, p.caption, as_png(p.figure)) for p in content.pictures),
        tables=content.tables,
        settings=asdict(settings),
        notes=_notes(module),
        seconds=perf_counter() - start,
    )


@contextmanager
def _data_folder(home: Path | None) -> Iterator[None]:
    """Let the loaders, also those in other processes, look in a folder."""
    before = os.environ.get("SIDECUT_DATA")
    if home is not None:
        os.environ["SIDECUT_DATA"] = str(home)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("SIDECUT_DATA", None)
        else:
            os.environ["SIDECUT_DATA"] = before


def _without_data(
    item: Item, module: Any, settings: Any, name: str, error: DatasetError
) -> ItemResult:
    """Return the item without results: its claims, and what to do."""
    info = next(info for info in list_datasets() if info.name == name)
    how = f"sidecut data get {name}" if info.fetchable else f"take it from {info.source}"
    # The report is for others to read: where this person keeps data is none of its business.
    why = str(error).replace(str(find_home()), "the data folder")
    state = "cannot be used" if info.present else "is missing"
    missing = f"The data set {name} ({info.title}) {state}. To get it: {how}. {why}"
    claims = (Finding(c.where, c.text, MISSING, NOT_RUN) for c in module.CLAIMS)
    return ItemResult(
        item.name, item.title, tuple(claims), (), (), asdict(settings), _notes(module), 0.0, missing
    )


def _notes(module: Any) -> str:
    """Return the docstring of an experiment without its title."""
    return " ".join(module.__doc__.partition("\n\n")[2].split())


def as_png(figure: Any) -> bytes:
    """Return a figure as PNG of at most 256 colours, a third of the size of all colours."""
    from PIL import Image as Pillow

    raw = io.BytesIO()
    figure.savefig(raw, format="png", dpi=DPI, facecolor="white")
    picture = Pillow.open(raw).convert("RGB").quantize(256)
    small = io.BytesIO()
    picture.save(small, format="PNG", optimize=True)
    return small.getvalue()
