"""Points and graphs: from a fitted model, links and labels to a label of every point."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import copy
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from sidecut._validation import Int
from sidecut.app.answers import Answer, Doubt, Labels
from sidecut.app.work import Ticket
from sidecut.constraints import Constraints
from sidecut.csp import InfeasibleThresholdError
from sidecut.estimators import ConstrainedSpectralClustering
from sidecut.path import Mu


def cluster(
    fitted: ConstrainedSpectralClustering,
    known: Constraints,
    n_clusters: int,
    mu: float | None,
    *,
    marks: Int,
    before: Labels | None,
    name: Callable[[int], str] = str,
    ticket: Ticket | None = None,
) -> Answer:
    """Cluster a fitted graph as links and labels say; `mu` goes to a point of the path instead.

    Where held-out constraints cannot choose, the first cut of the path that meets all of them is
    taken, if there is one: a person who draws a link wants to see what it does.

    `marks` are labels that the person gave (0 none), `before` the labels shown so far; colours are
    kept as far as they can be. `name` says what messages call a point.
    """
    check = (ticket or Ticket()).check
    model = _updated(fitted, known, n_clusters, "cv" if mu is None else Mu(mu))
    check()
    reason = ""
    evidence = model.cross_validation_
    if evidence is not None and not evidence.folded and evidence.labels is None:
        with suppress(InfeasibleThresholdError):
            model = _updated(fitted, known, n_clusters, 1.0)
            why = "held-out constraints show no gain" if evidence.trials else "too few to hold out"
            reason = f"{why}: the first cut of the path that meets all that was said"
    check()
    place = model.labels_
    order = _colours(place, n_clusters, marks, before)
    report = model.report_
    weights = getattr(model.cut_, "weights", None)
    used = tuple((order + 1).tolist())
    return Answer(
        (order[place] + 1).astype(np.uint8),
        used if weights is not None else tuple(range(1, n_clusters + 1)),
        weights,
        report.satisfaction,
        report.held_out,
        report.held_out_error,
        tuple(_doubtful_pair(*pair, name) for pair in report.doubtful),
        _sentence(reason or report.choice),
    )


def _updated(
    fitted: ConstrainedSpectralClustering, known: Constraints, n_clusters: int, threshold: Any
) -> ConstrainedSpectralClustering:
    """Return a copy with other constraints; the graph and its basis are shared, not changed."""
    model = copy(fitted)
    model.set_params(n_clusters=n_clusters, threshold=threshold)
    return model.update(constraints=known or None)


def _doubtful_pair(first: int, second: int, weight: float, name: Callable[[int], str]) -> Doubt:
    kind = "must-link" if weight > 0 else "cannot-link"
    text = f"{kind} {name(first)} – {name(second)}, weight {abs(weight):g}"
    return Doubt(text, pair=(first, second))


def _colours(place: Int, n_clusters: int, marks: Int, before: Labels | None) -> Int:
    """Return the label (from 0) of each cluster: the person's own first, then as shown before."""
    gain = np.zeros((n_clusters, n_clusters))
    if before is not None:
        shown = (before > 0) & (before <= n_clusters)
        np.add.at(gain, (place[shown], before[shown].astype(np.intp) - 1), 1.0 / len(place))
    given = (marks > 0) & (marks <= n_clusters)
    np.add.at(gain, (place[given], marks[given] - 1), 2.0)
    result: Int = linear_sum_assignment(-gain)[1]
    return result


def _sentence(text: str) -> str:
    return (text if text.startswith(("α", "μ")) else text[:1].upper() + text[1:]) + "."
