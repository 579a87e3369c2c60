"""`sidecut fit` clusters a file."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from sidecut import Alpha, ConstrainedSpectralClustering, Constraints, Mu, __version__
from sidecut._progress import Callback
from sidecut._validation import Int
from sidecut.cli.options import debug_option, names, need
from sidecut.cli.output import Outputs, to_json, write_labels
from sidecut.cli.picture import save_label_image, save_picture
from sidecut.cli.prepare import cluster_count, graph, majority_labels, read_known, standardized
from sidecut.cli.show import note, stage_bar, telling
from sidecut.read import Problem, read_problem

FILE = click.Path(path_type=Path)


def _clusters(ctx: click.Context, param: click.Parameter, value: str | None) -> int | str | None:
    """Read a number of clusters, or "auto"."""
    if value is None or value == "auto":
        return value
    if not (value.isascii() and value.isdigit() and len(value) < 20) or int(value) < 1:
        raise click.BadParameter(f"{value!r} is not a positive integer or 'auto'", ctx, param)
    return int(value)


def _threshold(ctx: click.Context, param: click.Parameter, value: str) -> str | float | Alpha | Mu:
    """Read `cv`, a share, `alpha=A` or `mu=M`."""
    name, _, text = value.rpartition("=")
    try:
        if value == "cv":
            return value
        if name in ("alpha", "mu"):
            return Alpha(float(text)) if name == "alpha" else Mu(float(text))
        if name == "" and 0 < float(text) <= 1:
            return float(text)
    except ValueError:
        pass
    message = f"{value!r} is not cv, a share above 0 and at most 1, alpha=NUMBER or mu=NUMBER"
    raise click.BadParameter(message, ctx, param)


@click.command()
@click.argument("input", type=FILE)
@click.option(
    "--constraints", type=FILE, help="Csv of pairs: i,j[,weight][,kind]; negative weight: apart."
)
@click.option("--label-column", metavar="NAME", help="Column of known labels; empty: unknown.")
@click.option("--scribbles", type=FILE, help="Strokes on an image, a colour for each label.")
@click.option("--id-column", metavar="NAME", help="Column that names the rows.")
@click.option("--columns", metavar="A,B,...", callback=names, help="Columns to use.  [all others]")
@click.option("--header/--no-header", default=None, help="Whether a csv has a header.  [look]")
@click.option("--array", metavar="NAME", help="Array of an .npz to use.  [X, or the only one]")
@click.option("--standardize", is_flag=True, help="Give every column mean 0 and variance 1.")
@click.option(
    "--clusters",
    metavar="N|auto",
    callback=_clusters,
    help="Number of clusters; auto: as the constraints or the graph suggest.  "
    "[that of the labels, else 2]",
)
@click.option(
    "--threshold",
    metavar="cv|SHARE|alpha=A|mu=M",
    default="cv",
    show_default=True,
    callback=_threshold,
    help="How far to follow the constraints: as far as held-out ones support it, to a share of "
    "their weight from 0 to 1, to the paper's relaxed satisfaction, or to a multiplier.",
)
@click.option("--hard", is_flag=True, help="Keep every constraint, or say why that cannot be.")
@click.option(
    "--affinity",
    type=click.Choice(["nearest_neighbors", "rbf", "precomputed"]),
    help="How points become a graph.  [nearest_neighbors]",
)
@click.option("--neighbors", type=click.IntRange(1), default=10, show_default=True)
@click.option(
    "--radius",
    type=click.FloatRange(1, 20),
    default=2.0,
    show_default=True,
    help="Largest distance of joined pixels.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True)
@click.option(
    "--output",
    type=str,
    help="Folder (existing, or with a slash at the end), or beginning of the names of the files.  "
    "[name of the input]",
)
@click.option("--picture/--no-picture", default=True, help="Draw the clusters.  [yes]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@debug_option
def fit(
    input: Path,
    constraints: Path | None,
    label_column: str | None,
    scribbles: Path | None,
    id_column: str | None,
    columns: list[str] | None,
    header: bool | None,
    array: str | None,
    standardize: bool,
    clusters: int | str | None,
    threshold: str | float | Alpha | Mu,
    hard: bool,
    affinity: str | None,
    neighbors: int,
    radius: float,
    seed: int,
    output: str | None,
    picture: bool,
    as_json: bool,
) -> None:
    """Cluster a table, a matrix, a graph or an image, with what you know about it.

    INPUT is .csv or .parquet (a row for each point), .npy or .npz, an edge list (.edges, .txt,
    .tsv) or an image (.png, .jpg). Labels, a report and a picture are written.
    """
    if picture:
        need("matplotlib", "plot", hint=", or say --no-picture")
    target = Path(output if output is not None else input.stem)
    as_folder = output is not None and (output.endswith(("/", "\\")) or target.is_dir())
    with Outputs(target, as_folder=as_folder) as outputs, stage_bar() as bar:
        task = bar.add_task(f"reading {input}", total=None)
        problem = read_problem(
            input,
            label_column=label_column,
            id_column=id_column,
            columns=columns,
            array=array,
            header=header,
        )
        if affinity == "precomputed" and problem.kind == "points":
            problem = replace(problem, kind="graph")
        known = read_known(input, problem, constraints, scribbles)
        if standardize:
            problem = standardized(input, problem)
        bar.update(task, description="building the graph")
        X, kind = graph(input, problem, affinity, radius)
        model = ConstrainedSpectralClustering(
            cluster_count(input, problem, known, clusters),
            affinity=kind,
            threshold=threshold,
            hard=hard,
            n_neighbors=neighbors,
            random_state=seed,
        )

        bar.update(task, description="clustering")
        start = perf_counter()
        _fit(model, X, known.constraints, telling(bar, task))
        seconds = perf_counter() - start
        bar.update(task, description="writing")
        result = {
            "input": input,
            "version": __version__,
            "parameters": model.get_params(),
            "known_labels": majority_labels(problem, model.labels_),
            "seconds": seconds,
            "report": model.report_.to_dict(),
        }
        _write(outputs, problem, model, known.strokes, result, picture=picture)
    if as_json:
        click.echo(to_json(result | {"outputs": outputs.paths}))
        return
    if known.constraints is None:
        note("no constraints were given: this is plain spectral clustering")
    click.echo(str(model.report_))
    click.echo("written: " + ", ".join(map(str, outputs.paths)))


def _fit(model: Any, X: Any, constraints: Constraints | None, tell: Callback) -> None:
    """Fit, and pass warnings on as lines of their own."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        model.fit(X, constraints=constraints, callback=tell)
    for text in dict.fromkeys(str(item.message) for item in caught):
        note("warning: " + " ".join(text.split()))


def _write(
    outputs: Outputs,
    problem: Problem,
    model: Any,
    strokes: Int | None,
    result: dict[str, Any],
    *,
    picture: bool,
) -> None:
    if problem.kind == "image":
        save_label_image(outputs.add("labels.png"), model.labels_.reshape(problem.X.shape[:2]))
    else:
        rows = problem.names or range(problem.n_samples)
        write_labels(outputs.add("labels.csv"), problem.name_column, rows, model.labels_.tolist())
    outputs.add("report.json").write_text(to_json(result, indent=2) + "\n", encoding="utf-8")
    if picture:
        save_picture(outputs.add("picture.png"), problem, model, strokes)
