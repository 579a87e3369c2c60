"""`sidecut app` opens the interactive page."""

from __future__ import annotations

from pathlib import Path

import click

from sidecut.cli.options import debug_option, need


@click.command("app")
@click.argument(
    "file", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=5006,
    show_default=True,
    help="Where to listen; 0: any free port.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option(
    "--public",
    metavar="HOST",
    help="Let other machines in, by this name or address of yours. Without it nobody else can.",
)
@debug_option
def app(file: Path | None, port: int, no_browser: bool, public: str | None) -> None:
    """Draw in the browser and see the clusters follow.

    FILE is opened first: a photograph, a table, arrays, a graph or a saved session.
    """
    need("bokeh", "app")
    need("PIL", "app")
    from sidecut.app.server import serve

    serve(port, first=file, public=public, browser=not no_browser, tell=click.echo)
