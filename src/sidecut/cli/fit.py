"""`sidecut fit` clusters a file."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
from sklearn.preprocessing import StandardScaler

from sidecut import ConstrainedSpectralClustering, Constraints, __version__
from sidecut._validation import Int
from sidecut.affinity import image_affinity
from sidecut.cli.options import debug_option, names, need
from sidecut.cli.output import Outputs, to_json, write_labels
from sidecut.cli.picture import save_label_image, save_picture
from sidecut.cli.read import Problem, read_problem
from sidecut.cli.read.errors import InputError
from sidecut.cli.read.images import read_scribbles
from sidecut.cli.read.pairs import read_pairs
from sidecut.cli.show import note, stage_bar

# An rbf graph joins all with all: 3.2 GB at this size.
MAX_RBF = 20_000
# What a label image can hold.
MAX_IMAGE_CLUSTERS = 256

FILE = click.Path(path_type=Path)


@dataclass(frozen=True)
class Known:
    """What the user knows, and how many clusters that speaks of."""

    constraints: Constraints | None
    strokes: Int | None
    n_labels: int


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
@click.option("--clusters", metavar="N", help="Number of clusters.  [that of the labels, else 2]")
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
    clusters: str | None,
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
    count = _clusters(clusters)
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
        known = _known(input, problem, constraints, scribbles)
        if standardize:
            problem = _standardized(input, problem)
        bar.update(task, description="building the graph")
        X, kind = _graph(input, problem, affinity, radius)
        bar.update(task, description="clustering")
        model = ConstrainedSpectralClustering(
            count or max(known.n_labels, 2),
            affinity=kind,
            n_neighbors=neighbors,
            random_state=seed,
        )
        start = perf_counter()
        _fit(model, X, known.constraints)
        seconds = perf_counter() - start
        bar.update(task, description="writing")
        result = {
            "input": input,
            "version": __version__,
            "parameters": model.get_params(),
            "labels": dict(enumerate(problem.label_names)),
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


def _clusters(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise click.BadParameter(f"{text!r} is not a positive integer", param_hint="--clusters")
    return int(text)


def _known(
    input: Path, problem: Problem, constraints: Path | None, scribbles: Path | None
) -> Known:
    """Add up pairs, labels and strokes."""
    parts: list[Constraints] = []
    strokes: Int | None = None
    n_labels = 0
    if constraints is not None:
        parts.append(read_pairs(constraints, problem.n_samples, problem.names))
    if problem.labels is not None:
        parts.append(Constraints.from_labels(problem.labels))
        n_labels = len(problem.label_names)
    if scribbles is not None:
        if problem.kind != "image":
            raise InputError(input, "is no image: --scribbles are strokes on an image")
        strokes = read_scribbles(scribbles, problem.X.shape)
        parts.append(Constraints.from_scribbles(strokes))
        n_labels = int(strokes.max())
    total = sum(parts[1:], parts[0]) if parts else None
    return Known(total, strokes, n_labels)


def _standardized(input: Path, problem: Problem) -> Problem:
    if problem.kind != "points":
        raise InputError(input, f"--standardize is for points, this is a {problem.kind}")
    # A sparse matrix keeps its zeros.
    scaler = StandardScaler(with_mean=isinstance(problem.X, np.ndarray))
    return replace(problem, X=scaler.fit_transform(problem.X))


def _graph(input: Path, problem: Problem, affinity: str | None, radius: float) -> tuple[Any, str]:
    """Return what the estimator takes, and as what."""
    n_samples = problem.n_samples
    if n_samples < 2:
        raise InputError(input, "has a single row; there is nothing to cluster")
    if problem.kind == "points":
        if affinity == "rbf" and n_samples > MAX_RBF:
            raise InputError(
                input, f"has {n_samples} rows; --affinity rbf joins all with all, {MAX_RBF} at most"
            )
        return problem.X, affinity or "nearest_neighbors"
    if affinity not in (None, "precomputed"):
        raise InputError(input, f"is a {problem.kind}: --affinity {affinity} is for points")
    if problem.kind == "graph":
        return problem.X, "precomputed"
    return image_affinity(problem.X, radius=radius), "precomputed"


def _fit(model: Any, X: Any, constraints: Constraints | None) -> None:
    """Fit, and pass warnings on as lines of their own."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        model.fit(X, constraints=constraints)
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
