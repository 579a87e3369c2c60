"""What goes wrong with data: always one line that says which file and what to do."""

from __future__ import annotations


class DatasetError(RuntimeError):
    """A data set is absent, damaged or could not be downloaded."""
