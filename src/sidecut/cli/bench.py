"""`sidecut bench` measures the methods on real data."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from sidecut.bench import cases, methods
from sidecut.bench.accuracy import (
    DRAWS,
    LIMIT,
    PAIRS,
    QUICK_DRAWS,
    QUICK_LIMIT,
    QUICK_PAIRS,
    plan,
    run,
)
from sidecut.bench.leaderboard import leaderboard
from sidecut.bench.results import ResultFile, Settings, usable_cores, write_parquet, write_whole
from sidecut.bench.summary import Cell, standings, summarize
from sidecut.bench.trials import Result, Trial
from sidecut.cli.options import counts, debug_option, names, need
from sidecut.cli.output import to_json
from sidecut.cli.show import note, progress_bar, show_accuracy


@click.group()
def bench() -> None:
    """Measure the methods of the library."""


def _text(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values))


@bench.command()
@click.option("--quick", is_flag=True, help="Cut-down data, few draws: about 3 minutes.")
@click.option(
    "--methods", "wanted_methods", metavar="A,B,...", callback=names, help="Only these methods."
)
@click.option(
    "--datasets",
    metavar="A,B,...",
    callback=names,
    help="Only these data sets, or graphs (wine/knn).",
)
@click.option(
    "--pairs", metavar="N,N,...", callback=counts, help=f"Numbers of pairs.  [{_text(PAIRS)}]"
)
@click.option("--draws", type=click.IntRange(1), help=f"Draws of pairs each.  [{DRAWS}]")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draws.")
@click.option(
    "--limit",
    type=click.FloatRange(0, min_open=True),
    help=f"Seconds of computing a fit may take.  [{LIMIT:g}; quick {QUICK_LIMIT:g}]",
)
@click.option("--jobs", type=click.IntRange(1), help="Fits at a time.  [cores]")
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the data sets.  [SIDECUT_DATA, else the user's cache]",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("accuracy.csv"),
    show_default=True,
    help="Results, .csv or .parquet; a run that was interrupted goes on from it.",
)
@click.option("--fresh", is_flag=True, help="Replace the results that are there.")
@click.option(
    "--leaderboard",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a markdown page.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw ARI against pairs: .png, .pdf or .svg.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, no tables.")
@debug_option
def accuracy(
    quick: bool,
    wanted_methods: list[str] | None,
    datasets: list[str] | None,
    pairs: list[int] | None,
    draws: int | None,
    seed: int,
    limit: float | None,
    jobs: int | None,
    data: Path | None,
    output: Path,
    fresh: bool,
    page: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Compare every method on real data with known classes.

    Each method clusters each graph with random right pairs and is scored against the classes. All
    have their defaults, the same graphs and the same pairs.
    """
    try:
        chosen = methods.select(wanted_methods)
        wanted = cases.select(datasets, quick=quick)
    except ValueError as error:
        raise click.UsageError(str(error), click.get_current_context()) from None
    table = _check_outputs(output, plot)
    missing = {name: why for name in dict(wanted) if (why := cases.why_missing(name, data))}
    for reason in missing.values():
        note(f"skipped {reason}")
    wanted = [case for case in wanted if case[0] not in missing]
    if not wanted:
        raise ValueError("no data set is there; name their folder by SIDECUT_DATA or --data")

    skipped = list(missing.values())
    trials = plan(
        wanted,
        chosen,
        pairs or (QUICK_PAIRS if quick else PAIRS),
        draws or (QUICK_DRAWS if quick else DRAWS),
    )
    jobs = jobs or usable_cores()
    limit = limit or (QUICK_LIMIT if quick else LIMIT)
    settings = Settings.of_this_machine(quick=quick, seed=seed, limit=limit, jobs=jobs)
    if fresh:
        table.unlink(missing_ok=True)
    file = ResultFile(table, settings)
    results = _run(trials, chosen, file, partial(cases.load_case, home=data, quick=quick), settings)

    cells = summarize(results)
    if output != table:
        write_parquet(output, results)
    if page:
        write_whole(page, leaderboard(cells, settings, skipped=skipped))
    if plot:
        _save_plot(cells, plot)
    if as_json:
        click.echo(to_json(_summary(cells, settings, skipped)))
    else:
        show_accuracy(cells)
        written = ", ".join(str(path) for path in (output, page, plot) if path)
        note(f"written: {written}")


def _check_outputs(output: Path, plot: Path | None) -> Path:
    """Return the csv that results go to, before hours are spent on what cannot be written."""
    if output.suffix not in (".csv", ".parquet"):
        raise click.BadParameter(
            f"must end in .csv or .parquet, got {output}", param_hint="--output"
        )
    if plot and plot.suffix not in (".png", ".pdf", ".svg"):
        raise click.BadParameter(f"must end in .png, .pdf or .svg, got {plot}", param_hint="--plot")
    if output.suffix == ".parquet":
        need("pyarrow", "parquet")
    if plot:
        need("matplotlib", "plot")
    return output.with_suffix(".csv")


def _run(
    trials: list[Trial],
    chosen: list[methods.Method],
    file: ResultFile,
    load: Any,
    settings: Settings,
) -> list[Result]:
    """Run what remains under a progress bar; return the results of all trials."""
    asked = set(trials)
    done = sum(result.trial in asked for result in file.read())
    with progress_bar() as bar:
        task = bar.add_task("starting", total=len(trials), completed=done)
        results = run(
            trials,
            chosen,
            file,
            load,
            seed=settings.seed,
            jobs=settings.jobs,
            limit=settings.limit,
        )
        for result in results:
            name = f"{result.dataset} ({result.graph}), {result.pairs} pairs"
            bar.update(task, advance=1, description=name)
    found = {result.trial: result for result in file.read()}
    return [found[trial] for trial in trials]


def _save_plot(cells: list[Cell], path: Path) -> None:
    from sidecut.bench.plots import plot_accuracy

    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    plot_accuracy(cells).savefig(part, format=path.suffix[1:], dpi=200)
    part.replace(path)


def _summary(cells: list[Cell], settings: Settings, skipped: list[str]) -> Any:
    return {
        "settings": asdict(settings),
        "skipped": skipped,
        "overall": [asdict(item) for item in standings(cells)],
        "cells": [asdict(cell) for cell in cells],
    }
