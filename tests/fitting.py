"""Two groups of points, and what `sidecut fit` makes of them."""

from __future__ import annotations

import csv

import numpy as np
from command import call, check_one_line

# Two groups of six points.
GROUPS = np.repeat([0, 1], 6)
POINTS = np.random.default_rng(0).normal(0, 0.2, (12, 2)) + 5 * GROUPS[:, None]


def call_fit(*args):
    return call("fit", *args, "--no-picture", "--neighbors", "5")


def labels_of(path):
    with path.open(newline="") as file:
        return [row["label"] for row in csv.DictReader(file)]


def check_groups(labels):
    """Assert that the labels are the two groups."""
    assert len(set(labels[:6])) == len(set(labels[6:])) == 1
    assert labels[0] != labels[6]


def check_refused(result, folder, *words, code=1):
    """Assert one line on stderr that holds all the words, and that nothing was written."""
    check_one_line(result, code, *words)
    written = ("*labels*", "*report*", "*picture*", ".sidecut-*")
    assert not [path for pattern in written for path in folder.rglob(pattern)]
