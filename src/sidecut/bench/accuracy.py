"""The whole benchmark: what remains to be run is run, and every result is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sidecut.bench.cases import Case
from sidecut.bench.methods import Method
from sidecut.bench.results import ResultFile
from sidecut.bench.trials import Result, Trial
from sidecut.bench.workers import run_trials

PAIRS = (20, 50, 100, 200, 500)
DRAWS = 5
QUICK_PAIRS = (20, 100)
QUICK_DRAWS = 2
# Seconds of computing a fit may take.
LIMIT = 60.0
QUICK_LIMIT = 10.0


def plan(
    cases: Iterable[tuple[str, str]],
    methods: Iterable[Method],
    pairs: Sequence[int],
    draws: int,
) -> list[Trial]:
    """List the trials, case by case.

    Examples
    --------
    >>> from sidecut.bench.accuracy import plan
    >>> from sidecut.bench.methods import select
    >>> len(plan([("wine", "knn"), ("wine", "rbf")], select(["CSP"]), (20, 50), 5))
    20
    """
    methods = list(methods)
    return [
        Trial(dataset, graph, method.name, count, draw)
        for dataset, graph in cases
        for count in sorted(set(pairs))
        for method in methods
        for draw in range(draws)
    ]


def run(
    trials: Sequence[Trial],
    methods: Iterable[Method],
    file: ResultFile,
    load: Callable[[str, str], Case],
    *,
    seed: int,
    jobs: int,
    limit: float,
) -> Iterator[Result]:
    """Run the trials that the file does not hold; each result is in the file when it is yielded."""
    done = {result.trial for result in file.read()}
    remaining = [trial for trial in trials if trial not in done]
    if not remaining:
        return
    results = run_trials(
        remaining,
        {method.name: method for method in methods},
        load,
        seed=seed,
        jobs=min(jobs, len(remaining)),
        limit=limit,
    )
    for result in results:
        file.append(result)
        yield result
