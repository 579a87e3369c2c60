"""Calling the command in tests."""

from __future__ import annotations

from click.testing import CliRunner

from sidecut.cli.app import sidecut


def call(*args):
    return CliRunner().invoke(sidecut, [str(arg) for arg in args])


def check_one_line(result, code, *words):
    """Assert the exit code and a single line on stderr that holds all the words."""
    assert result.exit_code == code, result.output
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.startswith("sidecut: ")
    for word in words:
        assert str(word) in result.stderr
    assert result.stdout == ""
