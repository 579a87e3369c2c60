"""`sidecut reproduce` runs the paper's experiments and writes the report."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from sidecut.bench.results import usable_cores
from sidecut.cli.options import data_option, debug_option, need
from sidecut.cli.output import to_json
from sidecut.cli.show import PLAIN_WIDTH, note, progress_bar, steps
from sidecut.experiments import EXPERIMENTS

# The report is there, but data were missing for a part of it.
INCOMPLETE = 3
STYLES = {"holds": "green", "holds in part": "yellow", "does not hold": "red"}


@click.command()
@click.argument("names", nargs=-1, metavar="[NAMES]...")
@click.option("--quick", is_flag=True, help="Fewer trials: some minutes instead of an hour.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reproduction"),
    show_default=True,
    help="Folder of the report, the pictures and the finished trials.",
)
@click.option("--jobs", type=click.IntRange(1), help="Trials at a time.  [cores]")
@data_option
@click.option("--fresh", is_flag=True, help="Run finished trials again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, no table.")
@debug_option
def reproduce(
    names: tuple[str, ...],
    quick: bool,
    output: Path,
    jobs: int | None,
    data: Path | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """Run the paper's experiments and write a report of what holds.

    NAMES are some of motivation, six_nodes, numerical_range, segmentation, scribbles, moons, uci,
    documents and scans; all without. A run that was interrupted goes on where it stopped. The exit
    code is 3 when data for some of them are missing; the report says how to get them.
    """
    for name in names:
        if name not in EXPERIMENTS:
            raise click.UsageError(
                f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}",
                click.get_current_context(),
            )
    for package in ("matplotlib", "PIL", "skimage"):
        need(package, "reproduce")
    from sidecut.reproduce import Machine, check_same_versions, run_item, select, write_report

    records = _prepare(output, fresh)
    machine = Machine.here()
    check_same_versions(records, machine)
    items = select(names)
    results = []
    with progress_bar() as bar:
        whole = bar.add_task("all", total=len(items))
        for item in items:
            bar.update(whole, description=f"all (now {item.name})")
            result = run_item(
                item,
                quick=quick,
                n_jobs=jobs or usable_cores(),
                records=records,
                data_home=None if data is None else data.resolve(),
                callback=steps(bar),
            )
            results.append(result)
            bar.update(whole, advance=1)
    written = write_report(output, results, machine, quick=quick)
    if as_json:
        click.echo(to_json(_summary(results, machine, quick, written)))
    else:
        _show(results)
        note(f"written: {written[0]} and {len(written) - 1} pictures")
    for result in results:
        if result.missing:
            note(f"{result.name}: {result.missing}")
    return INCOMPLETE if any(result.missing for result in results) else 0


def _prepare(output: Path, fresh: bool) -> Path:
    """Return the folder of finished trials, before hours are spent on what cannot be written."""
    records = output / "records"
    try:
        records.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=output, prefix=".sidecut-"):
            pass
    except OSError as error:
        raise OSError(f"cannot write to {output}: {error.strerror or error}") from None
    if fresh:
        for name in (*(f"{name}.jsonl" for name in EXPERIMENTS), "machine.json"):
            (records / name).unlink(missing_ok=True)
    return records


def _show(results: list[Any]) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    table = Table(title="claims of the paper", title_justify="left", show_lines=True)
    for heading in ("item", "where", "claim", "measured", "verdict"):
        table.add_column(heading)
    for result in results:
        for f in result.findings:
            verdict = f"[{STYLES.get(f.verdict, 'dim')}]{f.verdict}[/]"
            table.add_row(result.name, f.where, *map(_plain, (f.text, f.measured)), verdict)
    console.print(table)


def _plain(text: str) -> str:
    """Return a text whose brackets rich leaves alone."""
    return text.replace("[", r"\[")


def _summary(results: list[Any], machine: Any, quick: bool, written: list[Path]) -> Any:
    items = [
        {
            "name": r.name,
            "title": r.title,
            "missing": r.missing,
            "seconds": r.seconds,
            "settings": r.settings,
            "claims": [asdict(finding) for finding in r.findings],
        }
        for r in results
    ]
    paths = [str(path) for path in written]
    return {"quick": quick, "machine": asdict(machine), "items": items, "written": paths}
