"""The paper's experiments, one file for a figure or table, returning records.

Every module has `run(settings, *, callback=None, n_jobs=1, output=None)`, the settings `QUICK` and
`FULL`, and `CLAIMS`: what the paper says, with functions from records to a measured value and a
verdict. Nothing here draws.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sidecut._validation import check_choice

# In the order of the paper.
EXPERIMENTS = (
    "motivation",
    "six_nodes",
    "numerical_range",
    "segmentation",
    "scribbles",
    "moons",
    "uci",
    "documents",
    "scans",
)


def experiment(name: str) -> Any:
    """Return the module of an experiment.

    Examples
    --------
    >>> from sidecut.experiments import experiment
    >>> experiment("six_nodes").__name__
    'sidecut.experiments.six_nodes'
    """
    return import_module(f"sidecut.experiments.{check_choice(name, 'name', EXPERIMENTS)}")
