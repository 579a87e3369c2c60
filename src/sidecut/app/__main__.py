"""`python -m sidecut.app`: the page, without the command line's extra packages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

INSTALL = "pip install 'sidecut[app]'"


def main(arguments: list[str] | None = None) -> int:
    """Read the options and run the page."""
    parser = argparse.ArgumentParser(prog="python -m sidecut.app", description="The sidecut page.")
    parser.add_argument("file", nargs="?", type=Path, help="what to open first")
    parser.add_argument("--port", type=int, default=5006, help="0: any free port")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--public", metavar="HOST", help="let others in, by this name of the host")
    options = parser.parse_args(arguments)
    try:
        from sidecut.app.server import serve
    except ModuleNotFoundError as error:
        sys.stderr.write(f"sidecut: the page needs {error.name}: {INSTALL}\n")
        return 2
    try:
        serve(
            options.port,
            first=options.file,
            public=options.public,
            browser=not options.no_browser,
            tell=lambda line: print(line, flush=True),  # noqa: T201
        )
    except OSError as error:
        sys.stderr.write(f"sidecut: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
