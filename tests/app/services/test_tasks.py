"""Background work: its outcome comes to who asked, a cancel counts at once, and nothing comes after its owner is
gone."""

from __future__ import annotations

import gc
import threading
from queue import Queue

import pytest

from app.services.tasks import TaskCancelled, Tasks


class Loop:
    """Stands for an event loop: calls are queued and run by the test."""

    def __init__(self) -> None:
        self.calls: Queue = Queue()

    def __call__(self, call) -> None:
        self.calls.put((threading.current_thread(), call))

    def run(self) -> None:
        while not self.calls.empty():
            self.calls.get()[1]()


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def tasks(loop: Loop):
    service = Tasks(loop, threads=2)
    yield service
    service.close()


def test_success_comes_through_the_hook_and_not_before(tasks: Tasks, loop: Loop) -> None:
    got = []
    task = tasks.run(lambda task: 6 * 7, got.append)
    assert task.wait(10) and got == []
    loop.run()
    assert got == [42] and task.state == "done" and task.result == 42 and tasks.running == ()


def test_a_failure_comes_as_a_failure(tasks: Tasks, loop: Loop) -> None:
    got, failed = [], []
    task = tasks.run(lambda task: 1 / 0, got.append, failed.append)
    task.wait(10)
    loop.run()
    assert got == [] and isinstance(failed[0], ZeroDivisionError) and task.state == "failed"


def test_cancel_counts_at_once_and_the_result_is_dropped(tasks: Tasks, loop: Loop) -> None:
    started, go = threading.Event(), threading.Event()
    got, ended = [], []

    def work(task):
        started.set()
        go.wait(10)
        return "late"

    task = tasks.run(work, got.append, got.append)
    task.ended.connect(ended.append)
    started.wait(10)
    task.cancel()
    assert task.state == "cancelled"
    loop.run()
    assert ended == [task]
    go.set()
    task.wait(10)
    loop.run()
    assert got == []


def test_cancel_after_the_end_but_before_the_delivery_still_counts(tasks: Tasks, loop: Loop) -> None:
    got = []
    task = tasks.run(lambda task: 1, got.append)
    task.wait(10)
    task.cancel()
    loop.run()
    assert got == [] and task.state == "cancelled"


def test_a_report_raises_in_a_cancelled_task(tasks: Tasks, loop: Loop) -> None:
    started, seen = threading.Event(), []

    def work(task):
        started.set()
        try:
            while True:
                task.report(0.5, "half")
        except TaskCancelled:
            seen.append(True)
            raise

    task = tasks.run(work)
    started.wait(10)
    task.cancel()
    assert task.wait(10) and seen == [True]


def test_nothing_is_called_after_the_owner_is_gone(tasks: Tasks, loop: Loop) -> None:
    got = []

    class Panel:
        def show(self, value: object) -> None:
            got.append(value)

    panel, go = Panel(), threading.Event()
    task = tasks.run(lambda task: go.wait(10), panel.show, owner=panel)
    del panel
    gc.collect()
    go.set()
    task.wait(10)
    loop.run()
    assert got == [] and task.is_cancelled


def test_progress_is_told_seldom_and_gives_an_estimate(tasks: Tasks, loop: Loop) -> None:
    told, half, go = [], threading.Event(), threading.Event()

    def work(task):
        for step in range(1001):
            task.report(step / 2000)
        half.set()
        go.wait(10)

    task = tasks.run(work, on_progress=told.append)
    half.wait(10)
    assert task.fraction == 0.5 and task.remaining_s is not None and task.remaining_s >= 0
    go.set()
    task.wait(10)
    loop.run()
    assert 1 <= len(told) < 500


def test_a_closed_service_takes_no_work_and_cancels_what_runs(loop: Loop) -> None:
    tasks = Tasks(loop, threads=1)
    started = threading.Event()

    def work(task):
        started.set()
        while True:
            task.report()

    running = tasks.run(work)
    waiting = tasks.run(lambda task: None)
    started.wait(10)
    assert tasks.close(10)
    assert running.state == waiting.state == "cancelled"
    with pytest.raises(RuntimeError):
        tasks.run(lambda task: None)


def test_without_a_hook_results_come_in_the_working_thread() -> None:
    tasks, got = Tasks(), []
    task = tasks.run(lambda task: threading.current_thread(), got.append)
    task.wait(10)
    assert got == [task.result] and got[0] is not threading.current_thread()
    tasks.close()
