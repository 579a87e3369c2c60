"""What the commands show on the terminal: tables on stdout, progress on stderr."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from sidecut._progress import Callback
from sidecut.bench.leaderboard import Row, by_case, case_table, overall
from sidecut.bench.methods import OURS
from sidecut.bench.summary import Cell

# A terminal's own width; a file or pipe gets whole lines.
PLAIN_WIDTH = 200

stderr = Console(stderr=True)


def progress_bar() -> Progress:
    """Return a bar with counts and the time left; silent unless stderr is a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal,
    )


def stage_bar() -> Progress:
    """Return a bar for work of unknown length: what is done now, and for how long."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal,
    )


def telling(bar: Progress, task: TaskID) -> Callback:
    """Return a callback for the library that shows where it is."""

    def tell(stage: str, iteration: int, residual: float) -> None:
        accuracy = "" if residual != residual else f", residual {residual:.1e}"
        bar.update(task, description=f"{stage}, step {iteration}{accuracy}")

    return tell


def note(message: str) -> None:
    """Print a line on stderr."""
    stderr.print(message, highlight=False, markup=False, soft_wrap=True)


def show_accuracy(cells: Sequence[Cell]) -> None:
    """Print the ranking and a table for each data set and graph."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    for (dataset, graph), own in by_case(cells).items():
        console.print(_table(f"{dataset} ({graph}): mean ARI (least to most)", *case_table(own)))
    console.print(_table("overall", *overall(cells)))


def _table(title: str, header: Row, rows: Sequence[Row]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for index, name in enumerate(header):
        table.add_column(name, justify="left" if index == 0 else "right")
    for row in rows:
        table.add_row(*row, style="bold" if row[0] == OURS else None)
    return table
