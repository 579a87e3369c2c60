"""Heavy work off the event loop: cancellable, and results that came too late are dropped."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
logger = logging.getLogger(__name__)

# Shared by all sessions: more people wait a little longer, the machine is not overrun.
_POOL = ThreadPoolExecutor(max_workers=max(4, os.cpu_count() or 4), thread_name_prefix="sidecut")


class Cancelled(Exception):
    """The answer is no longer wanted."""


class Ticket:
    """What a job asks whether it is still wanted, and tells how far it is."""

    def __init__(self, tell: Callable[[str, float], None] = lambda text, share: None) -> None:
        self._stop = threading.Event()
        self._tell = tell

    @property
    def cancelled(self) -> bool:
        """Whether the answer is no longer wanted."""
        return self._stop.is_set()

    def cancel(self) -> None:
        """Ask the job to end."""
        self._stop.set()

    def check(self) -> None:
        """End the job here if its answer is no longer wanted."""
        if self.cancelled:
            raise Cancelled

    def tell(self, text: str, share: float) -> None:
        """Say what is done and how much of all is behind; end the job if it is not wanted."""
        self.check()
        self._tell(text, share)


class Worker:
    """Runs the newest job of one session.

    Starting a job cancels the one before. A cancelled job may run on to its next check, but nothing
    of it arrives.

    Parameters
    ----------
    post : callable
        Takes a function and calls it later on the thread that may touch the page.
    """

    def __init__(self, post: Callable[[Callable[[], None]], None]) -> None:
        self._post = post
        self._lock = threading.Lock()
        self._ticket: Ticket | None = None
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether a job is under way."""
        return self._ticket is not None

    def start(
        self,
        job: Callable[[Ticket], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        told: Callable[[str, float], None] = lambda text, share: None,
    ) -> None:
        """Run a job in the background.

        Parameters
        ----------
        job : callable
            Takes a ticket; returns the result.
        done, failed, told : callables
            Get the result, the error, or words on the way; through `post`, and only while the job
            is the newest.
        """
        self.cancel()
        ticket = Ticket(lambda *where: self._deliver(ticket, lambda: told(*where)))
        with self._lock:
            if self._closed:
                return
            self._ticket = ticket
        _POOL.submit(self._run, ticket, job, done, failed)

    def cancel(self) -> None:
        """Drop the job under way."""
        with self._lock:
            if self._ticket is not None:
                self._ticket.cancel()
            self._ticket = None

    def close(self) -> None:
        """Drop the job under way and take no more."""
        self.cancel()
        self._closed = True

    def _run(
        self,
        ticket: Ticket,
        job: Callable[[Ticket], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        try:
            ticket.check()
            result = job(ticket)
        except Cancelled:
            return
        except (
            Exception
        ) as error:  # whatever a job raises belongs to its session, not to the server
            logger.info("a job failed", exc_info=True)
            problem = error
            self._deliver(ticket, lambda: failed(problem), last=True)
            return
        self._deliver(ticket, lambda: done(result), last=True)

    def _deliver(self, ticket: Ticket, call: Callable[[], None], *, last: bool = False) -> None:
        def arrive() -> None:
            with self._lock:
                if self._ticket is not ticket:
                    return
                if last:
                    self._ticket = None
            call()

        if not (ticket.cancelled or self._closed):
            self._post(arrive)
