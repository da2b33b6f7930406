"""The queue of lines that wait: always in order, whatever is added, taken out, hurried or moved."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from app.services.alarm import Alarm
from app.services.render_job import RenderJob, RenderQueue
from engine import Priority

BLOCKS = "abcdefgh"
WISHES = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(BLOCKS), st.sampled_from(list(Priority))),
        st.tuples(st.just("hurry"), st.sampled_from(BLOCKS), st.sampled_from(list(Priority))),
        st.tuples(st.just("drop"), st.sampled_from(BLOCKS), st.none()),
        st.tuples(st.just("remove"), st.sampled_from(BLOCKS), st.none()),
        st.tuples(st.just("move"), st.sampled_from(BLOCKS), st.sampled_from([*BLOCKS, None])),
        st.tuples(st.just("next"), st.booleans(), st.none()),
    ),
    max_size=40,
)


def in_order(jobs: list[RenderJob]) -> list[RenderJob]:
    return sorted(jobs, key=lambda job: (job.priority, job.order))


@given(WISHES)
def test_the_next_job_is_the_most_urgent_and_first_whatever_was_done_before(wishes):
    queue, kept = RenderQueue(), []
    for deed, what, how in wishes:
        if deed == "add":
            kept.append(RenderJob(what, how))
            queue.add(kept[-1])
        elif deed == "hurry":
            for job in list(queue.of(what)):
                queue.hurry(job, how)
        elif deed == "drop":
            queue.drop({what})
            kept = [job for job in kept if job.block_id != what]
        elif deed == "remove" and queue.of(what):
            job = queue.of(what)[0]
            queue.remove(job)
            kept.remove(job)
        elif deed == "move":
            queue.move([what], how)
        elif deed == "next":
            may = [job for job in in_order(kept) if not (what and job.priority >= Priority.RENDERING)]
            job = queue.next(urgent_only=what)
            assert job is (may[0] if may else None)
            if job is not None:
                kept.remove(job)
        assert queue.jobs() == in_order(kept)
        assert len(queue) == len(kept)
        assert {job.block_id for job in queue.jobs_of(BLOCKS)} == {job.block_id for job in kept}


def test_a_job_that_waits_for_the_typing_to_end_holds_up_nobody_behind_it():
    queue = RenderQueue()
    queue.add(RenderJob("typed in", Priority.RENDERING, not_before_s=time.monotonic() + 60))
    queue.add(RenderJob("other", Priority.RENDERING))
    assert queue.is_held_back()
    assert queue.next(urgent_only=False).block_id == "other"
    assert queue.next(urgent_only=False) is None and len(queue) == 1


def test_an_alarm_calls_once_for_all_that_was_set_and_as_early_as_was_wanted():
    called = []
    alarm = Alarm(lambda: called.append(time.monotonic()))
    alarm.set(30.0)
    alarm.set(0.05)
    alarm.set(20.0)
    ends_at_s = time.monotonic() + 10
    while not called and time.monotonic() < ends_at_s:
        time.sleep(0.005)
    time.sleep(0.1)
    assert len(called) == 1
    alarm.close()
    alarm.set(0.0)
    time.sleep(0.05)
    assert len(called) == 1
