"""`render`: a project with lines nobody has spoken yet becomes files, or a message and no file."""

from __future__ import annotations

import json
import queue
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile
from tones import ToneBackend

from app.cli import main
from app.model.commands import ReplaceText
from app.paths import paths_for
from app.services import model_choice
from app.services.export_job import prepare_export
from app.services.exporter_request import Cancelled, ExportRequest
from app.services.renderer import Renderer
from app.services.store import ProjectStore
from app.services.take_cache import TakeCache
from engine import Engine, ModelCard, SpeechError, StopReason


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> ToneBackend:
    made = ToneBackend(ModelCard("Tones", continuation=True))

    def open_tones(paths, **options) -> Engine:
        engine = Engine(made)
        engine.start()
        return engine

    monkeypatch.setattr(model_choice, "open_engine", open_tones)
    return made


def project(folder: Path, *lines: str) -> Path:
    with ProjectStore.create(folder / "a.mvs", paths=paths_for(folder / "profile")) as store:
        store.history.do(ReplaceText(0, "", "\n".join(lines)))
        store.flush_or_raise()
    return folder / "a.mvs"


def render(folder: Path, *options: str) -> int:
    return main(["--profile", str(folder / "profile"), "render", str(folder / "a.mvs"), *options])


def test_lines_are_spoken_and_written_with_stems_subtitles_and_a_report(
    tmp_path: Path, backend: ToneBackend, capsys
) -> None:
    project(tmp_path, "# One", "Hello there.", "Second. [pause 1s] Third.")
    out, srt, vtt = (tmp_path / "out" / name for name in ("a.flac", "a.srt", "a.vtt"))
    status = render(
        tmp_path,
        "-o",
        str(out),
        "--srt",
        str(srt),
        "--vtt",
        str(vtt),
        "--loudness",
        "-16",
        "--json",
        "--stems",
        "parts/{number:02} {text}",
    )
    assert status == 0
    told = json.loads(capsys.readouterr().out)
    assert [Path(file["path"]).name for file in told["files"]] == [
        "a.flac",
        "01 One.flac",
        "02 Hello there.flac",
        "03 Second. Third.flac",
    ]
    assert told["files"][0]["lufs"] == pytest.approx(-16, abs=0.2)
    assert soundfile.info(out).duration == pytest.approx(told["files"][0]["seconds"], abs=0.001)
    assert "Hello there." in srt.read_text("utf-8")
    assert vtt.read_text("utf-8").startswith("WEBVTT")
    assert backend.spoken == ["One", "Hello there.", "Second.", "Third."]  # the mark of a heading is not spoken


def test_the_same_project_renders_to_the_same_bytes_and_speaks_nothing_twice(
    tmp_path: Path, backend: ToneBackend
) -> None:
    project(tmp_path, "Hello there.", "Again.")
    for name in ("a.wav", "b.wav"):
        assert render(tmp_path, "-o", str(tmp_path / name), "--bits", "16", "--loudness", "-23") == 0
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()
    assert len(backend.spoken) == 2


def test_a_line_that_fails_stops_the_export_with_its_reason(tmp_path: Path, backend: ToneBackend, capsys) -> None:
    project(tmp_path, "Good.", "Bad line.", "Early end.")
    backend.fails["Bad line."] = SpeechError("The model stumbled.", "Try again.")
    backend.ends["Early end."] = StopReason.EARLY_END
    assert render(tmp_path, "-o", str(tmp_path / "a.wav")) == 5
    told = capsys.readouterr().err
    assert "line 2 “Bad line.”" in told
    assert "The model stumbled" in told
    assert "line 3 “Early end.”" in told
    assert not (tmp_path / "a.wav").exists()
    assert render(tmp_path, "-o", str(tmp_path / "a.wav"), "--skip") == 0
    assert "Left out: line 2" in capsys.readouterr().err
    assert (tmp_path / "a.wav").exists()


def test_without_speaking_the_project_is_left_alone(tmp_path: Path, backend: ToneBackend, capsys) -> None:
    path = project(tmp_path, "Hello.")
    before = path.read_bytes()
    assert render(tmp_path, "-o", str(tmp_path / "a.wav"), "--no-speaking") == 5
    assert "not spoken yet" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert backend.spoken == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "a.xyz"], "End it in"),
        (["-o", "a.wav", "--loudness", "loud"], "-23"),
        (["-o", "a.flac", "--bits", "32"], "16, 24"),
        (["-o", "a.wav", "--stems", "{nothing}"], "no field"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_done(tmp_path, backend, capsys, options, message) -> None:
    project(tmp_path, "Hello.")
    assert render(tmp_path, *options) == 3
    assert message in capsys.readouterr().err
    assert backend.spoken == []


def test_cancelling_ends_the_speaking_and_leaves_no_file(tmp_path: Path, backend: ToneBackend) -> None:
    project(tmp_path, *[f"Line {number} has some words." for number in range(30)])
    calls: queue.SimpleQueue = queue.SimpleQueue()
    engine = Engine(backend)
    engine.start()
    engine.ready(5)
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths_for(tmp_path / "profile"), deliver=calls.put) as store:
        renderer = Renderer(calls.put, SimpleNamespace(clips=lambda voice: (), find=lambda name: None))
        renderer.set_store(store)
        renderer.set_engine(engine, backend.card)
        run = prepare_export(renderer, ExportRequest(tmp_path / "out" / "a.wav"), calls.put)
        outcome = []
        seen = []

        def work() -> None:
            try:
                run(seen.append, lambda: len(seen) > 2)
            except Cancelled as error:
                outcome.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        ends_at_s = time.monotonic() + 20
        while thread.is_alive() and time.monotonic() < ends_at_s:
            try:
                calls.get(timeout=0.02)()
            except queue.Empty:
                continue
        assert outcome
        assert len(backend.spoken) < 30
        assert not (tmp_path / "out").exists()
        renderer.close()
    engine.close()


def test_an_export_whose_window_is_gone_ends_when_it_is_cancelled(tmp_path: Path, backend: ToneBackend) -> None:
    project(tmp_path, "Hello.")
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths_for(tmp_path / "profile")) as store:
        renderer = Renderer(lambda call: None)  # nothing that is posted is ever run
        renderer.set_store(store)
        renderer.set_engine(None, backend.card)
        run = prepare_export(renderer, ExportRequest(tmp_path / "a.wav"), lambda call: None)
        asked = iter(range(1_000))
        with pytest.raises(Cancelled):
            run(lambda progress: None, lambda: next(asked) > 1)
        renderer.close()


def test_audio_is_the_same_as_the_programme_that_is_played(tmp_path: Path, backend: ToneBackend) -> None:
    from app.services.excerpt import Excerpt, mix_settings
    from app.services.mixer import Mixer
    from app.services.programme import mix, programme

    project(tmp_path, "Hello there.", "Second. [pause 0.7s] Third.")
    assert render(tmp_path, "-o", str(tmp_path / "a.wav"), "--bits", "32") == 0
    calls: queue.SimpleQueue = queue.SimpleQueue()
    with ProjectStore.open(tmp_path / "a.mvs", paths=paths_for(tmp_path / "profile"), read_only=True) as store:
        renderer = Renderer(calls.put)
        renderer.set_store(store)
        renderer.set_engine(None, backend.card)
        ids = [block.id for block in store.project.blocks]
        excerpt = Excerpt(store.project, ids, renderer.states.manner)
        mixer = Mixer(mix_settings(store.project.settings))
        played = np.concatenate(list(mix(programme(excerpt, ids, store.read_take, excerpt.plan), mixer)))
        renderer.close()
    written, _ = soundfile.read(tmp_path / "a.wav", dtype="float32")
    np.testing.assert_array_equal(written, played)


@pytest.mark.parametrize("options", [("--srt", "out.wav"), ("--vtt", "x.vtt", "--cues", "x.vtt"), ("--srt", "a.mvs")])
def test_two_files_of_one_name_are_refused_before_anything_is_written(
    tmp_path: Path, backend: ToneBackend, capsys, monkeypatch, options: tuple[str, ...]
) -> None:
    path = project(tmp_path, "Hello there.")
    monkeypatch.chdir(tmp_path)
    assert render(tmp_path, "-o", "out.wav", *options) == 3
    assert "two files at once" in capsys.readouterr().err and not (tmp_path / "out.wav").exists()
    with ProjectStore.open(path, paths=paths_for(tmp_path / "profile")) as store:
        assert store.project.text() == "Hello there."


def test_what_was_rendered_is_found_again_in_another_project_and_held_only_while_it_is_open(
    tmp_path: Path, backend: ToneBackend
) -> None:
    project(tmp_path, "Hello there.")
    assert render(tmp_path, "-o", str(tmp_path / "a.wav")) == 0
    (tmp_path / "a.mvs").unlink()
    project(tmp_path, "Hello there.")
    assert render(tmp_path, "-o", str(tmp_path / "b.wav")) == 0
    assert backend.spoken == ["Hello there."]
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()
    assert TakeCache(paths_for(tmp_path / "profile").take_cache).clear() == 1  # no lease is left


def test_what_something_else_altered_in_the_project_is_told_before_it_is_rendered(
    tmp_path: Path, backend: ToneBackend, capsys
) -> None:
    path = project(tmp_path, "Hello there.", "The second line.")
    path.write_bytes(path.read_bytes().replace(b"The second line", b"The secomd line"))
    assert render(tmp_path, "-o", str(tmp_path / "a.wav")) == 0
    told = capsys.readouterr().err
    assert "2 “The secomd line.”" in told and "(damaged" in told
    assert render(tmp_path, "-o", str(tmp_path / "a.wav")) == 0
    assert "secomd" not in capsys.readouterr().err
