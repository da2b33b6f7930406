"""The run log: figures of every synthesis; text and sound only on wish."""

from __future__ import annotations

import csv
import json
import sqlite3
import threading
import time
from dataclasses import fields

import numpy as np
import pytest
import soundfile
from scripted_backend import ScriptedBackend

from app.services import runlog
from app.services.logged_engine import LoggedEngine
from app.services.runlog import RunLog
from app.services.runs import Run
from engine import Clip, Engine, SpeechError, SpeechRequest, SpeechResult, SpeechWarning, StopReason


@pytest.fixture
def log(tmp_path):
    made = RunLog(tmp_path / "runlog.sqlite")
    yield made
    made.close()


def note(
    log, text="Some words.", reason=StopReason.STOP, seconds=2.0, rtf=0.5, ttfa_ms=40.0, seed=1, error=None, **wish
):
    result = (
        None
        if error
        else SpeechResult(
            reason, round(seconds * 12.5), seconds, ttfa_ms, rtf, 1.0, seed, (SpeechWarning("quiet", "Too quiet."),)
        )
    )
    log.add(SpeechRequest(text, label="block-1", seed=seed, **wish), "Model", result, error, None)


def test_a_run_keeps_its_figures_and_not_its_text(log):
    note(log, "A secret.", language="English", references=(Clip(path="ana.wav"),))
    assert log.flush()
    (run,) = log.runs()
    assert (run.model, run.language, run.seed, run.seconds, run.frames, run.take) == (
        "Model",
        "English",
        1,
        2.0,
        25,
        "block-1",
    )
    assert (run.ttfa_ms, run.rtf, run.stop_reason, run.outcome, json.loads(run.warnings)) == (
        40.0,
        0.5,
        "stop",
        "done",
        ["quiet"],
    )
    assert run.text is None and run.audio is None and run.characters == 9 and run.voice
    log.close()
    for path in log.path.parent.iterdir():
        content = path.read_bytes()
        assert b"secret" not in content and b"ana.wav" not in content and b"Too quiet" not in content, path


def test_equal_texts_are_seen_to_be_equal_in_one_profile_only(log, tmp_path):
    other = RunLog(tmp_path / "other" / "runlog.sqlite")
    for each in (log, other):
        note(each, "same")
        note(each, "same")
        note(each, "different")
        each.flush()
    hashes = [run.text_hash for run in log.runs()]
    assert len(set(hashes)) == 2 and hashes[1] == hashes[2]
    assert not set(hashes) & {run.text_hash for run in other.runs()}
    other.close()


def test_text_is_kept_where_the_person_says_so(tmp_path):
    log = RunLog(tmp_path / "runlog.sqlite", lambda: (True, False))
    note(log, "Kept.")
    log.flush()
    assert log.runs()[0].text == "Kept."
    log.close()


def test_rates_and_medians(log):
    for rtf in (0.1, 0.2, 0.9):
        note(log, rtf=rtf, ttfa_ms=100 * rtf)
    note(log, reason=StopReason.RUNAWAY)
    note(log, reason=StopReason.CANCELLED, seconds=0.0, ttfa_ms=None)
    note(log, error=SpeechError("No.", "Try."))
    log.flush()
    summary = log.summary()
    assert (summary.runs, summary.done, summary.suspicious, summary.failed, summary.cancelled) == (6, 3, 1, 1, 1)
    assert summary.failure_rate == summary.suspicious_rate == pytest.approx(1 / 5), (
        "what a person stopped is no failure"
    )
    assert summary.rtf == pytest.approx(0.35) and summary.seconds == 8.0
    assert log.summary(time.time() + 60).runs == 0 and log.summary(time.time() + 60).failure_rate == 0


def test_days_come_in_order(log, monkeypatch):
    for day in (3, 1, 2, 3):
        monkeypatch.setattr(runlog.time, "time", lambda day=day: day * 86_400.0 + 43_200)
        note(log, seconds=float(day))
        log.flush()
    days = log.days()
    assert [summary.seconds for _, summary in days] == [1.0, 2.0, 6.0] and [day for day, _ in days] == sorted(
        day for day, _ in days
    )


@pytest.mark.parametrize("name", ["runs.csv", "runs.json"])
def test_everything_is_exported_oldest_first(log, tmp_path, name):
    log.keeps = lambda: (True, False)
    for text in ('first, "quoted"\nline', "=SUM(A1)", "日本語"):
        note(log, text)
    assert log.export(tmp_path / name) == 3
    if name.endswith("json"):
        rows = json.loads((tmp_path / name).read_text("utf-8"))
        assert [row["text"] for row in rows] == ['first, "quoted"\nline', "=SUM(A1)", "日本語"]
    else:
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["text"] for row in rows] == ['first, "quoted"\nline', "'=SUM(A1)", "日本語"], "no cell is a formula"
    assert set(rows[0]) == {each.name for each in fields(Run)}


def test_clearing_leaves_nothing_in_the_file(log):
    log.keeps = lambda: (True, False)
    note(log, "a very remarkable text")
    log.flush()
    log.clear()
    assert log.runs() == []
    files = [path.read_bytes() for path in log.path.parent.iterdir() if path.is_file()]
    assert b"remarkable" not in b"".join(files), "nothing is left even while the log is open"
    note(log, "later")
    log.flush()
    assert len(log.runs()) == 1
    log.close()
    assert b"remarkable" not in b"".join(path.read_bytes() for path in log.path.parent.iterdir() if path.is_file())


def test_what_no_database_takes_does_not_end_the_log(log):
    log.keeps = lambda: (True, False)
    note(log, "half a pair \ud800")
    note(log, "whole")
    assert log.flush() and [run.text for run in log.runs()] == ["whole"]


def test_only_the_newest_runs_are_kept(log, monkeypatch):
    monkeypatch.setattr(runlog, "MOST_RUNS", 5)
    for number in range(8):
        note(log, seed=number)
    log.flush()
    assert [run.seed for run in log.runs()] == [7, 6, 5, 4, 3]


def test_a_damaged_log_is_kept_aside_and_a_new_one_begun(tmp_path):
    path = tmp_path / "runlog.sqlite"
    path.write_bytes(b"this is no database" * 100)
    log = RunLog(path)
    note(log)
    log.flush()
    assert len(log.runs()) == 1
    assert any("damaged" in each.name for each in tmp_path.iterdir())
    log.close()


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path):
    (tmp_path / "file").write_text("in the way")
    log = RunLog(tmp_path / "file" / "runlog.sqlite")
    note(log)
    assert log.runs() == [] and log.summary().runs == 0
    log.close()


def test_two_programs_write_one_log(tmp_path):
    logs = [RunLog(tmp_path / "runlog.sqlite") for _ in range(3)]
    threads = [threading.Thread(target=lambda log=log: [note(log) for _ in range(20)]) for log in logs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for log in logs:
        assert log.flush()
        log.close()
    with sqlite3.connect(tmp_path / "runlog.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (60,)


# -- through an engine ----------------------------------------------------------------------------------------------


@pytest.fixture
def logged(log):
    engine = LoggedEngine(Engine(ScriptedBackend()), log)
    engine.start()
    assert engine.ready(5)
    yield engine
    engine.close()


def test_every_request_of_an_engine_is_noted(logged, log):
    told = []
    assert logged.submit(SpeechRequest("one two three", seed=4), told.append).result(5).complete
    with pytest.raises(SpeechError):
        logged.submit(SpeechRequest("break it")).result(5)
    stream = logged.submit(SpeechRequest("forever"))
    next(iter(stream))
    stream.cancel()
    stream.result(5)
    log.flush()
    assert [(run.outcome, run.error) for run in log.runs()] == [
        ("cancelled", ""),
        ("failed", "CheckpointError"),
        ("done", ""),
    ]
    assert log.runs()[-1].seconds == pytest.approx(0.24) and log.runs()[-1].model == "Scripted"
    assert told, "whoever asked is told as before"


def test_a_request_that_is_refused_is_no_run(logged, log):
    with pytest.raises(SpeechError):
        logged.submit(SpeechRequest("  "))
    log.flush()
    assert log.runs() == []


def test_sound_is_kept_where_the_person_says_so(logged, log):
    log.keeps = lambda: (False, True)
    heard = np.concatenate([chunk.samples for chunk in logged.submit(SpeechRequest("one two three"))])
    log.flush()
    (run,) = log.runs()
    samples, rate = soundfile.read(log.audio_folder / run.audio, dtype="float32")
    assert rate == 48_000 and np.array_equal(samples, heard)
    log.clear()
    assert list(log.audio_folder.iterdir()) == []


@pytest.mark.parametrize("taken", [0, 1, 6])
def test_sound_is_kept_whole_whoever_is_slow_to_take_it(tmp_path, taken):
    log = RunLog(tmp_path / "runlog.sqlite", lambda: (False, True))
    engine = LoggedEngine(Engine(ScriptedBackend()), log)
    engine.start()
    try:
        stream = engine.submit(SpeechRequest("one two three four five six", estimate_frames=6))
        for number, _ in enumerate(stream, 1):
            if number >= taken:
                break
        assert stream.result(10).complete
        while not log.runs():  # it is noted after the result is there
            assert log.flush()
        (run,) = log.runs()
        samples, _ = soundfile.read(log.audio_folder / run.audio)
        assert len(samples) == 6 * 3_840
    finally:
        engine.close()
        log.close()
