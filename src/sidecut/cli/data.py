"""`sidecut data` lists the data sets and gets them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from sidecut.cli.options import data_option, debug_option
from sidecut.cli.output import to_json
from sidecut.cli.show import PLAIN_WIDTH, note, progress_bar, steps
from sidecut.datasets import DatasetInfo, fetch, find_home, list_datasets


@click.group()
def data() -> None:
    """List the data sets of the experiments, and get them."""


@data.command("list")
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, no table.")
@debug_option
def list_command(data: Path | None, as_json: bool) -> None:
    """List the data sets: which are there, which can be downloaded, their licences."""
    found = list_datasets(data_home=data)
    if as_json:
        rows = [asdict(info) for info in found]
        click.echo(to_json({"folder": str(find_home(data)), "datasets": rows}))
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    table = Table(title=f"data sets in {find_home(data)}", title_justify="left")
    for heading in ("name", "what", "there", "size", "how to get it", "licence"):
        table.add_column(heading, justify="right" if heading == "size" else "left")
    for info in found:
        size = f"{info.size / 1e3:,.0f} kB" if info.size else ""
        there = "yes" if info.present else "no"
        table.add_row(info.name, info.title, there, size, _how(info), info.licence)
    console.print(table)


def _how(info: DatasetInfo) -> str:
    if info.source == "part of scikit-learn":
        return info.source
    return f"sidecut data get {info.name}" if info.fetchable else f"from {info.source}"


@data.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@data_option
@debug_option
def get(names: tuple[str, ...], data: Path | None) -> None:
    """Download data sets that are not there, and check those that are."""
    known = [info.name for info in list_datasets(data_home=data)]
    for name in names:
        if name not in known:
            raise click.UsageError(
                f"there is no data set {name!r}; there are {', '.join(known)}",
                click.get_current_context(),
            )
    for name in dict.fromkeys(names):
        with progress_bar() as bar:
            files = fetch(name, data_home=data, callback=steps(bar))
        note(f"{name}: there and checked" if files else f"{name}: comes with scikit-learn")
