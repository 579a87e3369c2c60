"""The group of commands, and what becomes of errors: one line and an exit code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import click

from sidecut import __version__
from sidecut.cli.bench import bench
from sidecut.cli.data import data
from sidecut.cli.fit import fit
from sidecut.cli.page import app
from sidecut.cli.reproduce import reproduce
from sidecut.datasets import DatasetError

# What a user can mend; anything else is a mistake of ours and says so.
EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError, DatasetError)
INTERRUPTED = 130


class OneLineErrors(click.Group):
    """A group whose errors are one line on stderr: exit code 2 for usage, 1 for the rest."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run; return the exit code, or exit with it in standalone mode."""
        state: dict[str, bool] = {}
        code = _guarded(
            lambda: super(OneLineErrors, self).main(
                args, prog_name, complete_var, standalone_mode=False, obj=state, **extra
            ),
            state,
        )
        if standalone_mode:
            sys.exit(code)
        return code


def _guarded(run: Callable[[], Any], state: dict[str, bool]) -> int:
    try:
        code = run()
        return code if isinstance(code, int) else 0
    except click.UsageError as error:
        where = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        _say(error.format_message() + where)
        return 2
    except click.ClickException as error:
        _say(error.format_message())
        return 1
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return INTERRUPTED
    except Exception as error:  # the last line of defence: a user never sees a traceback unasked
        if state.get("debug"):
            traceback.print_exc()
        elif isinstance(error, EXPECTED):
            _say(str(error) or type(error).__name__)
        else:
            _say(f"unexpected {type(error).__name__}: {error} (--debug shows where)")
        return 1


def _say(message: str) -> None:
    click.echo("sidecut: " + " ".join(message.split()), err=True)


@click.group(cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sidecut", message="%(prog)s %(version)s")
def sidecut() -> None:
    """Spectral clustering that takes side information."""


sidecut.add_command(app)
sidecut.add_command(bench)
sidecut.add_command(data)
sidecut.add_command(fit)
sidecut.add_command(reproduce)
