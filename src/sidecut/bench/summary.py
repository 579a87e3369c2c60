"""Results of single draws → one line per method and problem, and the ranking of the methods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from sidecut._validation import Float
from sidecut.bench.trials import OK, Result

# Means are compared as they are shown.
DIGITS = 3


@dataclass(frozen=True)
class Spread:
    """Mean, least and most over draws."""

    mean: float
    min: float
    max: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarise numbers; all nan when there are none."""
        if not values:
            return cls(float("nan"), float("nan"), float("nan"))
        return cls(float(np.mean(values)), float(np.min(values)), float(np.max(values)))


@dataclass(frozen=True)
class Cell:
    """A method on a problem (data set, graph, number of pairs) over all draws.

    Attributes
    ----------
    dataset, graph, pairs, method
        Which.
    draws, done : int
        Draws begun, and those that gave labels.
    ari, nmi : Spread
        Over all draws; one without labels counts 0.
    satisfied, seconds : Spread
        Over the draws that gave labels.
    rank : float
        Place among the methods by mean ARI to three digits, 1 the best; equals share their places,
        and a method without labels in any draw shares the last.
    status : str
        "ok" if some draw gave labels, otherwise why not.
    message : str
        Of the first draw without labels.
    """

    dataset: str
    graph: str
    pairs: int
    method: str
    draws: int
    done: int
    ari: Spread
    nmi: Spread
    satisfied: Spread
    seconds: Spread
    rank: float
    status: str
    message: str


@dataclass(frozen=True)
class Standing:
    """A method over all problems it was tried on.

    Attributes
    ----------
    method : str
        Its name.
    cells, won : int
        Problems, and those where no method had a higher mean ARI.
    mean_rank, mean_ari, mean_nmi, satisfied, seconds : float
        Means over the problems; the last two over those where it gave labels.
    without : int
        Problems where some draw gave no labels.
    """

    method: str
    cells: int
    won: int
    mean_rank: float
    mean_ari: float
    mean_nmi: float
    satisfied: float
    seconds: float
    without: int


def summarize(results: Iterable[Result]) -> list[Cell]:
    """Return the cells in the order their problems came, the best method first.

    Examples
    --------
    >>> from sidecut.bench.summary import summarize
    >>> from sidecut.bench.trials import Result
    >>> scores = {"A": (0.5, 0.7), "B": (0.9, 0.9)}
    >>> cells = summarize(
    ...     Result("wine", "knn", name, 20, draw, ari=ari)
    ...     for name, pair in scores.items() for draw, ari in enumerate(pair)
    ... )
    >>> [(cell.method, cell.rank, round(cell.ari.mean, 2)) for cell in cells]
    [('B', 1.0, 0.9), ('A', 2.0, 0.6)]
    """
    problems: dict[tuple[str, str, int], dict[str, list[Result]]] = defaultdict(dict)
    for result in results:
        problem = problems[result.dataset, result.graph, result.pairs]
        problem.setdefault(result.method, []).append(result)
    cells = []
    for (dataset, graph, pairs), methods in problems.items():
        ranks = _ranks(methods)
        found = [
            _cell(dataset, graph, pairs, method, draws, rank)
            for (method, draws), rank in zip(methods.items(), ranks, strict=True)
        ]
        cells += sorted(found, key=lambda cell: cell.rank)
    return cells


def _score(result: Result, name: str) -> float:
    return float(getattr(result, name)) if result.status == OK else 0.0


def _ranks(methods: dict[str, list[Result]]) -> list[float]:
    scores = [
        round(float(np.mean([_score(result, "ari") for result in draws])), DIGITS)
        if any(result.status == OK for result in draws)
        else -np.inf
        for draws in methods.values()
    ]
    return [float(rank) for rank in rankdata([-score for score in scores])]


def _cell(
    dataset: str, graph: str, pairs: int, method: str, draws: list[Result], rank: float
) -> Cell:
    done = [result for result in draws if result.status == OK]
    lost = [result for result in draws if result.status != OK]
    return Cell(
        dataset,
        graph,
        pairs,
        method,
        len(draws),
        len(done),
        ari=Spread.of([_score(result, "ari") for result in draws]),
        nmi=Spread.of([_score(result, "nmi") for result in draws]),
        satisfied=Spread.of([result.satisfied for result in done]),
        seconds=Spread.of([result.seconds for result in done]),
        rank=rank,
        status=OK if done else lost[0].status,
        message=lost[0].message if lost else "",
    )


def standings(cells: Sequence[Cell]) -> list[Standing]:
    """Rank the methods over all problems, by mean rank; of equals the higher mean ARI first."""
    best: dict[tuple[str, str, int], float] = {}
    for cell in cells:
        key = (cell.dataset, cell.graph, cell.pairs)
        best[key] = min(best.get(key, np.inf), cell.rank)
    by_method: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        by_method[cell.method].append(cell)
    table = [
        Standing(
            method,
            cells=len(own),
            won=sum(
                cell.status == OK and cell.rank == best[cell.dataset, cell.graph, cell.pairs]
                for cell in own
            ),
            mean_rank=_mean([cell.rank for cell in own]),
            mean_ari=_mean([cell.ari.mean for cell in own]),
            mean_nmi=_mean([cell.nmi.mean for cell in own]),
            satisfied=_mean([cell.satisfied.mean for cell in own if cell.done]),
            seconds=_mean([cell.seconds.mean for cell in own if cell.done]),
            without=sum(cell.done < cell.draws for cell in own),
        )
        for method, own in by_method.items()
    ]
    return sorted(table, key=lambda item: (item.mean_rank, -item.mean_ari))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def curves(cells: Sequence[Cell]) -> dict[tuple[str, str], dict[str, Float]]:
    """Return for each data set and graph, for each method, rows of (pairs, mean, min, max ARI)."""
    found: dict[tuple[str, str], dict[str, list[tuple[float, ...]]]] = defaultdict(dict)
    for cell in sorted(cells, key=lambda cell: cell.pairs):
        if cell.done:
            spread = cell.ari
            row = (float(cell.pairs), spread.mean, spread.min, spread.max)
            found[cell.dataset, cell.graph].setdefault(cell.method, []).append(row)
    return {
        key: {method: np.array(rows) for method, rows in methods.items()}
        for key, methods in found.items()
    }
