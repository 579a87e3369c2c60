"""Trials in processes of their own, so that one which runs too long can be ended.

Limits are in computing time where the system tells it: on a busy machine a fit that waits is not
to blame.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic

from threadpoolctl import threadpool_limits

from sidecut.bench.cases import Case
from sidecut.bench.methods import Method
from sidecut.bench.trials import FAILED, TIMED_OUT, Result, Trial, run_trial

# Longest that starting a process and importing the library may take.
START_SECONDS = 300.0
# A trial may take so many times its limit by the clock, when it has computed for less.
PATIENCE = 10.0


class Worker:
    """A process that runs one trial at a time."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.trial: Trial | None = None
        self._start()

    def _start(self) -> None:
        # A fork would inherit the locks of the parent's threads; a spawned process inherits none.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.seed), daemon=True)
        self.process.start()
        theirs.close()
        self.case: Case | None = None
        self.ready = False
        self.deadline = monotonic() + START_SECONDS

    def begin(self, case: Case, method: Method, trial: Trial, limit: float) -> None:
        """Send a trial; the case travels only when it is another than the last."""
        self.connection.send((None if case is self.case else case, method, trial))
        self.case, self.trial = case, trial
        self._begun_at, self._used_before = monotonic(), cpu_seconds(self.process.pid)
        self.deadline = self._begun_at + limit

    def receive(self) -> Result | None:
        """Return what the process sent: a result, or nothing but that it is ready."""
        try:
            result: Result | None = self.connection.recv()
        except (EOFError, ConnectionError):
            trial = self.trial
            self.stop()
            if trial is None:
                code = self.process.exitcode
                raise RuntimeError(f"a worker process ended before it began, code {code}") from None
            result = Result(
                *trial, status=FAILED, message=f"its process died, code {self.process.exitcode}"
            )
            self._start()
        self.ready, self.trial = True if result is None else self.ready, None
        return result

    def is_late(self, limit: float) -> bool:
        """Say whether the time of the trial is up; when it only waited, look again later."""
        now = monotonic()
        if now < self.deadline:
            return False
        if self.trial is None:
            return True
        used, before = cpu_seconds(self.process.pid), self._used_before
        if used is None or before is None or now - self._begun_at > PATIENCE * limit:
            return True
        left = limit - (used - before)
        self.deadline = now + max(left, 0.0)
        return left <= 0

    def give_up(self, limit: float) -> Result:
        """End the process, start another, and return that time ran out."""
        trial = self.trial
        self.stop()
        if trial is None:
            raise RuntimeError(f"a worker process did not start within {START_SECONDS:g} s")
        self.trial = None
        self._start()
        return Result(*trial, status=TIMED_OUT, message=f"passed the limit of {limit:g} s")

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection: Connection, seed: int) -> None:
    """Run in the process: answer trials until the parent is gone."""
    # The keyboard interrupts the parent, which ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    case: Case | None = None
    # One thread each: times then mean the same whatever else runs.
    with threadpool_limits(1), suppress(EOFError, ConnectionError):
        connection.send(None)
        while True:
            new_case, method, trial = connection.recv()
            case = new_case or case
            assert case is not None
            connection.send(run_trial(case, method, trial, seed=seed))


def cpu_seconds(pid: int | None) -> float | None:
    """Return the computing time of a process so far, None where the system does not tell."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
        # The second field is the name in brackets, which may hold blanks.
        user, system = text.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None


def run_trials(
    trials: Iterable[Trial],
    methods: dict[str, Method],
    load: Callable[[str, str], Case],
    *,
    seed: int = 0,
    jobs: int = 1,
    limit: float = 60.0,
) -> Iterator[Result]:
    """Run trials in `jobs` processes and yield results as they come.

    Parameters
    ----------
    trials : iterable of Trial
        Best with those of one case after another: each case is loaded when it is first needed.
    methods : dict of Method
        By name.
    load : function of (dataset, graph)
        Returns the case.
    seed : int
        Of the draws.
    jobs : int
        Number of processes.
    limit : float
        Seconds of computing that one trial may take. After one has taken longer, other draws of
        the same cell (case, method and number of pairs) are not begun.
    """
    queue = iter(trials)
    slow: set[Trial] = set()
    case: Case | None = None
    workers = [Worker(seed) for _ in range(jobs)]
    idle: list[Worker] = []
    try:
        while True:
            while idle and (trial := next(queue, None)) is not None:
                if trial._replace(draw=0) in slow:
                    message = f"not begun: another draw passed the limit of {limit:g} s"
                    yield Result(*trial, status=TIMED_OUT, message=message)
                    continue
                if case is None or (case.dataset, case.graph) != (trial.dataset, trial.graph):
                    case = load(trial.dataset, trial.graph)
                idle.pop().begin(case, methods[trial.method], trial, limit)
            busy = [worker for worker in workers if worker not in idle]
            if not busy or (idle and all(worker.trial is None for worker in busy)):
                return  # nothing runs and nothing is left
            soonest = min(worker.deadline for worker in busy)
            ready = wait([w.connection for w in busy], timeout=max(soonest - monotonic(), 0.0))
            for worker in busy:
                if worker.connection in ready:
                    result = worker.receive()
                elif worker.is_late(limit):
                    result = worker.give_up(limit)
                    slow.add(result.trial._replace(draw=0))
                else:
                    continue
                if worker.ready:
                    idle.append(worker)
                if result is not None:
                    yield result
    finally:
        for worker in workers:
            worker.stop()
