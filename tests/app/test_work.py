"""Work beside the page: the newest job wins, errors arrive, cancelling ends it."""

import threading
import time
from dataclasses import replace

import pytest

from sidecut.app.samples import sample
from sidecut.app.state import State
from sidecut.app.work import Cancelled, Ticket, Worker


class TestWorker:
    def make(self):
        calls = []
        ready = threading.Event()

        def post(call):
            calls.append(call)
            ready.set()

        def arrive():
            assert ready.wait(10)
            ready.clear()
            while calls:
                calls.pop(0)()

        return Worker(post), arrive

    def test_a_result_arrives(self):
        worker, arrive = self.make()
        got, told = [], []

        def job(ticket):
            ticket.tell("half", 0.5)
            return 7

        worker.start(job, got.append, got.append, lambda *where: told.append(where))
        assert worker.busy
        while not got:
            arrive()
        assert (got, told, worker.busy) == ([7], [("half", 0.5)], False)

    def test_the_newest_job_wins(self):
        worker, arrive = self.make()
        begin, got, ended = threading.Event(), [], []

        def slow(ticket):
            begin.set()
            while True:
                time.sleep(0.005)
                try:
                    ticket.check()
                except Cancelled:
                    ended.append(True)
                    raise

        worker.start(slow, got.append, got.append)
        assert begin.wait(10)
        worker.start(lambda ticket: "new", got.append, got.append)
        while not got:
            arrive()
        assert got == ["new"]
        for _ in range(200):
            if ended:
                break
            time.sleep(0.01)
        assert ended == [True]

    def test_a_stale_result_on_its_way_is_dropped(self):
        calls, got = [], []
        posted = threading.Event()
        worker = Worker(lambda call: (calls.append(call), posted.set()))
        worker.start(lambda ticket: "old", got.append, got.append)
        assert posted.wait(10)
        worker.cancel()
        calls[0]()
        assert got == []

    def test_errors_arrive_and_a_closed_worker_is_silent(self):
        worker, arrive = self.make()
        got = []

        def wrong(ticket):
            raise ValueError("no")

        worker.start(wrong, lambda result: None, got.append)
        arrive()
        assert isinstance(got[0], ValueError)
        worker.close()
        worker.start(lambda ticket: 1, got.append, got.append)
        time.sleep(0.05)
        assert len(got) == 1


def test_cancelling_ends_the_computation_of_a_basis():
    ticket = Ticket()
    stages = []

    def tell(text, share):
        stages.append(text)
        ticket.cancel()

    ticket._tell = tell
    with pytest.raises(Cancelled):
        State().open(replace(sample("blobs"), shared=False))(ticket)
    assert len(stages) == 1
