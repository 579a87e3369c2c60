"""The `sidecut` command; needs `pip install 'sidecut[cli]'`."""

from __future__ import annotations

import sys

INSTALL = "pip install 'sidecut[cli]'"


def main() -> int:
    """Run the command; where click or rich is missing, say how to install them."""
    try:
        import click  # noqa: F401
        import rich  # noqa: F401
    except ModuleNotFoundError as error:
        sys.stderr.write(f"sidecut: the command needs {error.name}: {INSTALL}\n")
        return 2
    from sidecut.cli.app import sidecut

    return int(sidecut.main(prog_name="sidecut", standalone_mode=False))
