"""Options that commands share, and how lists are read."""

from __future__ import annotations

from importlib import import_module

import click


def _remember_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().obj["debug"] = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_remember_debug,
    help="Show the traceback of an error.",
)


def names(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    """Split a list of names at its commas."""
    if value is None:
        return None
    found = [part.strip() for part in value.split(",") if part.strip()]
    if not found:
        raise click.BadParameter("the list is empty", ctx, param)
    return found


def counts(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int] | None:
    """Split a list of positive integers at its commas."""
    found = names(ctx, param, value)
    for part in found or []:
        if not part.isdecimal() or int(part) < 1:
            raise click.BadParameter(f"{part!r} is not a positive integer", ctx, param)
    return None if found is None else [int(part) for part in found]


def need(package: str, extra: str, hint: str = "") -> None:
    """Refuse to begin what would end without a package."""
    try:
        import_module(package)
    except ModuleNotFoundError:
        message = f"this needs {package}: pip install 'sidecut[{extra}]'{hint}"
        raise ImportError(message) from None
