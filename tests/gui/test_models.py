"""Models and servers in the window: the studio speaks through a server, and models come and go."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget
from served import TOKEN, Relay, Served, make_clip
from small_hub import SmallHub

from app.main import Running
from app.model.commands import ReplaceText
from app.paths import paths_for
from app.services.playing import PlayState
from app.services.runs import Summary
from app.settings import Server
from app.ui.engine_loader import EngineLoader
from app.ui.export.export_dialog import ExportDialog
from app.ui.models.days_chart import DaysChart
from engine import Priority, SpeechRequest, SpeechResult, StopReason
from engine.card import ModelCard
from engine.catalogue import CatalogueEntry, Part


@pytest.fixture
def served():
    service = Served("sglang")
    yield service
    service.close()


@pytest.fixture
def relay(served):
    between = Relay(served.service.port)
    yield between
    between.close()


def dialog_of(running: Any) -> Any:
    running.studio.actions.trigger("models")
    return running.work.open_models()


def answer(page: Any, button: str) -> None:
    """Press a button of the question that is open."""
    box = next(each for each in page.findChildren(QMessageBox) if each.isVisible())
    next(each for each in box.buttons() if each.text().replace("&", "") == button).click()


def connect(running: Any, qtbot: Any, address: str, kind: str = "sglang", **options: Any) -> Any:
    """Enter a server as a person does, and use it."""
    dialog = dialog_of(running)
    dialog.show_page("servers")
    page = dialog.servers_page
    add = [each for each in page.findChildren(QAbstractButton) if each.text() == "Add a server" and each.isVisible()]
    assert len(add) == 1  # with the list where there are servers, else in its place
    qtbot.mouseClick(add[0], Qt.MouseButton.LeftButton)
    page.form.address.setText(address)
    page.form.name.setText("Far away")
    page.form.key.setText(TOKEN)
    page.form.kind.setCurrentIndex(page.form.kind.findData(kind))
    for name, value in options.items():
        getattr(page.form, name).setCurrentIndex(getattr(page.form, name).findData(value))
    qtbot.mouseClick(page.form.use, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: running.studio.engine is not None, timeout=20_000)
    return page


def write(running: Any, text: str) -> list[str]:
    project = running.studio.project
    running.studio.do(ReplaceText(0, project.text(), text))
    return [block.id for block in project.blocks]


def made(running: Any, qtbot: Any, block_id: str, count: int = 1) -> Any:
    project = running.studio.project
    qtbot.waitUntil(
        lambda: len(project.block(block_id).takes) >= count and not running.studio.renderer.queue(), timeout=20_000
    )
    return project.takes[project.block(block_id).takes[-1]]


def wait_until(qtbot: Any, condition: Any) -> None:
    qtbot.waitUntil(lambda: bool(condition()), timeout=20_000)


# -- servers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["audio", "sse"])
def test_a_line_is_cloned_and_heard_while_the_server_makes_it(running, qtbot, served, tmp_path, form):
    studio = running.studio
    connect(running, qtbot, served.address, form=form)
    assert studio.card.name == "Far away" and studio.card.cloning == "zero_shot"
    (line,) = write(running, "one two three four five six seven eight " * 4)
    voice = studio.library.add(make_clip(tmp_path / "ana.wav", 3.0), "Ana")
    studio.give_voice([line], voice.id)
    studio.set_selection((line,), line)
    served.backend.pace_s = 0.01
    studio.actions.trigger("play_pause")
    wait_until(qtbot, lambda: studio.player.state is PlayState.PLAYING)
    assert studio.block_state(line) == "speaking", "it plays before the server is through"
    take = made(running, qtbot, line)
    assert take.state == "done" and take.seconds == pytest.approx(96 * 0.08, abs=0.01)
    assert len(served.backend.seen[-1].references) == 1
    clip = studio.library.clips(studio.library.find("Ana"))[0].path
    assert served.backend.clips[-1] == clip.read_bytes()
    studio.actions.trigger("stop")


def test_what_is_made_without_listening_is_stereo(running, qtbot, served):
    connect(running, qtbot, served.address)
    (line,) = write(running, "one two three")
    running.studio.renderer.render([line])
    take = made(running, qtbot, line)
    samples = running.studio.store.read_take(take.id)
    assert take.state == "done" and not np.array_equal(samples[:, 0], samples[:, 1])


def test_stopping_ends_the_work_on_the_server(running, qtbot, served):
    connect(running, qtbot, served.address)
    (line,) = write(running, "endless words without an end")
    served.backend.pace_s = 0.02
    running.studio.renderer.render([line], Priority.LISTENING)
    wait_until(
        qtbot, lambda: running.studio.block_state(line) == "speaking" and running.studio.renderer.live(line).seconds > 0
    )
    running.studio.actions.trigger("cancel_making")
    wait_until(qtbot, lambda: not running.studio.renderer.queue())
    wait_until(qtbot, lambda: served.backend.cancelled)
    assert running.studio.block_state(line) != "ready"


def test_a_server_killed_in_mid_stream_leaves_what_came_and_says_so(running, qtbot, served, relay):
    connect(running, qtbot, relay.address)
    (line,) = write(running, "word " * 30)
    relay.cut_after = 60_000
    running.studio.renderer.render([line], Priority.LISTENING)
    take = made(running, qtbot, line)
    assert take.state == "failed" and take.stop_reason == StopReason.FAILED.value
    assert 0 < take.seconds < 7
    assert len(running.studio.store.read_take(take.id)) == round(take.seconds * 48_000)
    assert running.studio.block_state(line) in ("failed", "suspicious")
    assert any("What had come was kept" in warning for warning in take.warnings)


def test_a_slow_server_and_samples_cut_in_half_are_only_slow(running, qtbot, served, relay):
    connect(running, qtbot, relay.address)
    (line,) = write(running, "one two three four")
    relay.piece, relay.delay_s = 4_097, 0.02
    running.studio.renderer.render([line], Priority.LISTENING)
    take = made(running, qtbot, line)
    assert take.state == "done" and take.seconds == pytest.approx(0.96)


def test_a_page_instead_of_speech_is_told_in_words(running, qtbot, served, relay):
    connect(running, qtbot, relay.address)
    (line,) = write(running, "one two")
    relay.replaced = [(b"Content-Type: audio/wav", b"Content-Type: text/html")]
    running.studio.renderer.render([line])
    wait_until(qtbot, lambda: running.studio.block_state(line) == "failed")
    assert "text/html" in running.studio.renderer.reason(line)
    assert not running.studio.project.block(line).takes


def test_several_lines_are_in_flight_and_each_gets_its_own(running, qtbot, served):
    connect(running, qtbot, served.address)
    ids = write(running, "\n".join(f"w{number} " * (number + 1) for number in range(6)))
    running.studio.renderer.render(ids)
    wait_until(qtbot, lambda: not running.studio.renderer.queue())
    assert [running.studio.block_state(block) for block in ids] == ["ready"] * 6, running.studio.renderer.reason(
        ids[-1]
    )
    for number, block in enumerate(ids):
        take = running.studio.project.takes[running.studio.project.block(block).chosen]
        assert take.seconds == pytest.approx(0.24 * (number + 1), abs=0.001)


def test_what_a_server_cannot_do_is_said_and_greyed(running, qtbot):
    served = Served("vllm")
    try:
        page = connect(running, qtbot, served.address, kind="auto")
        assert running.studio.card.needs_reference and running.studio.card.sampling_fields == ()
        qtbot.mouseClick(page.form.test, Qt.MouseButton.LeftButton)
        wait_until(qtbot, lambda: "vLLM-Omni answers" in page.form.facts.text())
        assert "voice of a clip" in page.form.facts.text() and "temperature" in page.form.facts.text()
        (line,) = write(running, "one two")
        running.studio.renderer.render([line])
        wait_until(qtbot, lambda: running.studio.block_state(line) == "failed")
        assert "voice" in running.studio.renderer.reason(line)
    finally:
        served.close()


def test_a_wrong_key_is_told_and_the_studio_goes_on(running, qtbot, served):
    dialog = dialog_of(running)
    dialog.show_page("servers")
    form = dialog.servers_page.form
    dialog.servers_page.new()
    form.address.setText(served.address)
    form.key.setText("wrong")
    qtbot.mouseClick(form.test, Qt.MouseButton.LeftButton)
    wait_until(qtbot, lambda: "key" in form.message.text())
    assert form.test.isEnabled()
    form.address.setText("nonsense://x")
    qtbot.mouseClick(form.save, Qt.MouseButton.LeftButton)
    assert "no address" in form.message.text()
    form.address.setText(served.address)
    form.key.setText("schlüssel")
    qtbot.mouseClick(form.save, Qt.MouseButton.LeftButton)
    assert "key" in form.message.text()
    form.key.setText(f" {TOKEN} ")
    qtbot.mouseClick(form.save, Qt.MouseButton.LeftButton)
    assert form.message.text() == ""
    (server,) = running.studio.models.settings.servers
    assert running.studio.models.keys.get(server.id) == TOKEN


def test_a_server_that_cannot_be_used_says_so_where_it_was_chosen(running, qtbot):
    dialog = dialog_of(running)
    dialog.show_page("servers")
    form = dialog.servers_page.form
    dialog.servers_page.new()
    form.address.setText("http://127.0.0.1:9")
    qtbot.mouseClick(form.use, Qt.MouseButton.LeftButton)
    assert "Asking" in form.facts.text() and form.facts.isVisible()
    wait_until(qtbot, lambda: "No server answers" in form.message.text())
    assert form.message.isVisible() and not form.facts.isVisible()


def test_an_answer_that_comes_late_is_not_shown_as_another_servers(running, qtbot, served):
    running.studio.models.save_server(Server("", name="Other", address="http://127.0.0.1:9"), None)
    running.studio.models.save_server(Server("", name="Far", address=served.address, kind="sglang"), TOKEN)
    dialog = dialog_of(running)
    dialog.show_page("servers")
    page = dialog.servers_page
    page.list.setCurrentRow(1)
    qtbot.mouseClick(page.form.test, Qt.MouseButton.LeftButton)
    page.list.setCurrentRow(0)
    wait_until(qtbot, page.form.test.isEnabled)
    assert page.form.name.text() == "Other" and page.form.facts.text() == "" and page.form.message.text() == ""


def test_keys_are_in_no_file_of_the_profile(running, qtbot, served, tmp_path):
    connect(running, qtbot, served.address)
    write(running, "one two")
    for path in (tmp_path / "profile").rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes(), path


def test_voices_of_a_server_are_listed_and_deleted(running, qtbot, served, tmp_path):
    with httpx.Client(base_url=served.address, headers={"Authorization": f"Bearer {TOKEN}"}, trust_env=False) as client:
        clip = make_clip(tmp_path / "bo.wav").read_bytes()
        client.post(
            "/v1/audio/voices",
            data={"name": "bo", "consent": "mine"},
            files={"audio_sample": ("bo.wav", clip, "audio/wav")},
        )
    page = connect(running, qtbot, served.address)
    qtbot.mouseClick(page.form.test, Qt.MouseButton.LeftButton)
    voices = page.form.voices
    wait_until(qtbot, lambda: voices.list.count() == 1)
    assert not voices.forget.isEnabled()
    voices.list.setCurrentRow(0)
    voices.forget.click()
    assert voices.list.count() == 1  # nothing goes before the question is answered
    answer(page, "Delete")
    wait_until(qtbot, lambda: voices.list.count() == 0)
    assert not voices.list.isVisible() and "None yet" in voices._none.text()


def test_a_voice_of_the_library_is_uploaded_once_it_is_known_whose_it_is(running, qtbot, served, tmp_path):
    library = running.studio.library
    own = library.add(make_clip(tmp_path / "ana.wav", 3.0), "Ana of York")
    page = connect(running, qtbot, served.address)
    qtbot.mouseClick(page.form.test, Qt.MouseButton.LeftButton)
    voices = page.form.voices
    wait_until(qtbot, voices.upload.isVisible)

    def entry():
        qtbot.mouseClick(voices.upload, Qt.MouseButton.LeftButton)
        return next(each for each in voices.menu.actions() if "Ana of York" in each.text())

    assert not entry().isEnabled()
    voices.menu.close()
    library.update(replace(own, consent={"whose": "own"}))
    entry().trigger()
    voices.menu.close()
    wait_until(qtbot, lambda: voices.list.count() == 1)
    assert voices.list.item(0).text().startswith("Ana-of-York")


def test_a_server_that_is_removed_gives_its_place_to_the_starter(running, qtbot, served):
    page = connect(running, qtbot, served.address)
    qtbot.mouseClick(page.form.remove, Qt.MouseButton.LeftButton)
    answer(page, "Cancel")
    assert len(running.studio.models.settings.servers) == 1
    qtbot.mouseClick(page.form.remove, Qt.MouseButton.LeftButton)
    answer(page, "Remove")
    assert running.studio.models.settings.servers == () and running.window.state.model == ""
    wait_until(qtbot, lambda: running.studio.engine is not None)
    assert running.studio.card.name == "Starter"


def test_the_chosen_server_speaks_again_after_a_restart(open_studio_at, qtbot, served):
    first = open_studio_at()
    connect(first, qtbot, served.address)
    first.close()
    second = open_studio_at()
    second._load_model = True
    second.after_show()
    wait_until(qtbot, lambda: second.studio.engine is not None)
    assert second.studio.card.name == "Far away"


# -- models ---------------------------------------------------------------------------------------------------------

ENTRY = CatalogueEntry(
    id="small-1",
    name="Small",
    summary="A small model.",
    licence="Apache-2.0",
    source="",
    parts=(Part("maker/small"), Part("maker/codec", "MOSS-Audio-Tokenizer-v2")),
    size_bytes=200_000,
    card=ModelCard(name="Small"),
    languages=("English",),
    memory_gb=1,
)


@pytest.fixture
def hub(monkeypatch):
    from app.services import models

    content = np.random.default_rng(1).bytes(200_000)
    small = SmallHub(
        {
            "maker/small": {"config.json": b'{"model_type": "moss_tts_local"}', "model.safetensors": content},
            "maker/codec": {
                "config.json": b'{"model_type": "moss-audio-tokenizer"}',
                "model.safetensors": content[:5000],
            },
        }
    )
    monkeypatch.setattr(models, "CATALOGUE", (ENTRY,))
    monkeypatch.setattr(models, "find_in_cache", lambda entry: None)
    monkeypatch.setenv("HF_ENDPOINT", small.address)
    yield small
    small.close()


def row_of(dialog: Any, key: str) -> Any:
    return dialog.models_page.rows[key]


def download(dialog: Any, row: Any) -> None:
    row.buttons["download"].click()
    dialog.models_page.asking.start.click()


def test_a_model_is_downloaded_paused_gone_on_with_and_removed(running, qtbot, hub, monkeypatch):
    from engine import hub_access as module

    monkeypatch.setattr(module, "CHUNK_BYTES", 4096)
    hub.delay_s = 0.05
    dialog = dialog_of(running)
    row = row_of(dialog, "small-1")
    assert row.badge.text() == "Not downloaded" and not row.buttons["use"].isVisible()
    download(dialog, row)
    wait_until(qtbot, lambda: row.row.state == "loading" and row.row.progress.done_bytes > 20_000)
    assert row.bar.isVisible() and "200 kB" in row.figures.text() or "205 kB" in row.figures.text()
    row.buttons["pause"].click()
    assert row.row.state == "partial" and row.buttons["download"].text() == "Go on"
    assert not (running.studio.models.root / "small-1").exists()
    hub.delay_s = 0.0
    row.buttons["download"].click()
    wait_until(qtbot, lambda: row.row.state == "ready")
    assert row.buttons["use"].isVisible() and (running.studio.models.root / "small-1" / "model.safetensors").is_file()
    dialog.models_page.remove(row.row)
    wait_until(qtbot, lambda: row.row.state == "absent")
    assert not (running.studio.models.root / "small-1").exists()


def test_a_download_that_fails_says_why_and_can_go_on(running, qtbot, hub):
    hub.statuses = {"GET /api/models/maker/codec": [404] * 9}
    dialog = dialog_of(running)
    row = row_of(dialog, "small-1")
    download(dialog, row)
    wait_until(qtbot, lambda: row.fault.text() != "" and row.row.state == "partial")
    assert "mirror" in row.fault.text()
    hub.statuses = {}
    row.buttons["download"].click()
    wait_until(qtbot, lambda: row.row.state == "ready")


def test_a_damaged_model_is_offered_for_repair(running, qtbot, hub):
    dialog = dialog_of(running)
    row = row_of(dialog, "small-1")
    download(dialog, row)
    wait_until(qtbot, lambda: row.row.state == "ready")
    (running.studio.models.root / "small-1" / "model.safetensors").write_bytes(b"x")
    dialog.models_page.fill()
    assert (
        row.row.state == "damaged" and row.buttons["download"].text() == "Repair" and not row.buttons["use"].isVisible()
    )


def test_a_folder_is_used_where_it_lies_and_the_model_before_is_closed(running, qtbot):
    from app.paths import starter

    dialog = dialog_of(running)
    dialog.models_page.open_folder(starter())
    key = f"folder:{starter()}"
    row = row_of(dialog, key)
    dialog.models_page.use("starter")
    wait_until(qtbot, lambda: running.studio.engine is not None)
    before = running.studio.engine
    row.buttons["use"].click()
    assert running.window.isVisible()
    wait_until(qtbot, lambda: running.studio.engine not in (None, before))
    assert before.status()["state"] == "closed" and row.badge.text() == "Speaks now"
    dialog.models_page.open_folder(starter() / "voices")
    assert "no model" in dialog.models_page.message.text()
    row.buttons["forget"].click()
    assert key not in dialog.models_page.rows and starter().is_dir()


def test_settings_of_downloads_are_kept(running, qtbot, tmp_path):
    dialog = dialog_of(running)
    hub = dialog.models_page.hub
    hub.section.set_open(True)
    hub.mirror.setText("https://mirror.example")
    hub.mirror.editingFinished.emit()
    hub.offline.click()
    running.studio.models.move_root(tmp_path / "other disk")
    assert running.studio.models.hub.endpoint == "https://mirror.example" and running.studio.models.hub.is_offline
    assert running.studio.models.root == tmp_path / "other disk"


def test_the_precision_is_chosen_beside_the_device_and_counts_after_a_restart(running, monkeypatch):
    asked = []
    monkeypatch.setattr(EngineLoader, "load", lambda self, model=None, **how: asked.append(how))
    page = dialog_of(running).models_page
    assert page.precision.currentData() == "auto"
    page.precision.setCurrentIndex(page.precision.findData("bf16"))
    page.precision.activated.emit(page.precision.currentIndex())
    assert asked == [{"device": "auto", "precision": "bf16"}]
    again = Running(running.studio.paths, None)
    try:
        again.after_show()
        assert asked[1:] == [{"device": "auto", "precision": "bf16"}]
    finally:
        again.close()


# -- the machine, and what was spoken -------------------------------------------------------------------------------


def test_the_machine_is_looked_at_and_the_report_names_nobody(running, qtbot):
    running.studio.models.save_server(Server("", name="Secret", address="http://127.0.0.1:9"), "key")
    dialog = dialog_of(running)
    dialog.show_page("machine")
    wait_until(qtbot, lambda: dialog.doctor_page.verdict.text().startswith(("Everything", "1", "2", "3")))
    assert {finding.topic for finding in dialog.doctor_page.findings} >= {
        "python",
        "memory",
        "gpu",
        "folders",
        "servers",
    }
    dialog.doctor_page.copy.click()
    report = QGuiApplication.clipboard().text()
    assert "python" in report and str(running.studio.paths.profile) not in report and "127.0.0.1" not in report
    assert "Secret" not in report


def test_what_was_spoken_is_noted_shown_and_forgotten(running, qtbot, served, tmp_path):
    connect(running, qtbot, served.address)
    ids = write(running, "one two\nbroken\nthree four")
    running.studio.renderer.render(ids)
    wait_until(qtbot, lambda: not running.studio.renderer.queue())
    dialog = dialog_of(running)
    page = dialog.runs_page
    dialog.show_page("runs")
    wait_until(qtbot, lambda: page.rows.rowCount() == 3)
    assert page._values["runs"].text() == "3" and page._values["failed"].text() == "33.3%"
    assert not any("one" in str(page.rows.data(page.rows.index(row, 7))) for row in range(3)), "texts are not kept"
    assert page.rows.data(page.rows.index(0, 0)).startswith(time.strftime("%Y-%m-%d "))
    assert page.table.horizontalHeader().defaultAlignment() & Qt.AlignmentFlag.AlignLeft, "as the cells under it"
    page.keep_text.click()
    running.studio.renderer.again(ids[0])
    made(running, qtbot, ids[0], 2)
    page.look()
    wait_until(qtbot, lambda: page.rows.data(page.rows.index(0, 7)) == "one two")
    page.export(tmp_path / "runs.csv")
    wait_until(qtbot, (tmp_path / "runs.csv").is_file)
    assert (tmp_path / "runs.csv").read_text().count("\n") == 5
    page.clear()
    wait_until(qtbot, lambda: page.rows.rowCount() == 0)


def test_a_long_log_is_read_beside_the_window_and_some_rows_at_a_time(running, qtbot, monkeypatch):
    log = running.studio.run_log
    for number in range(450):
        request = SpeechRequest(f"line {number}", label="x", seed=number)
        log.add(request, "Model", SpeechResult(StopReason.STOP, 25, 2.0, 40.0, 0.5, 1.0, number, ()), None, None)
    assert log.flush()
    threads: set[str] = set()
    for name in ("summary", "days", "runs", "export", "clear"):
        monkeypatch.setattr(log, name, _noting_its_thread(getattr(log, name), threads))
    page = dialog_of(running).runs_page
    page.look()
    wait_until(qtbot, lambda: page.rows.rowCount() == 200)
    assert page._values["runs"].text() == "450", "the figures are of all of them"
    top = QModelIndex()
    for rows in (400, 450):
        assert page.rows.canFetchMore(top)
        page.rows.fetchMore(top)
        assert not page.rows.canFetchMore(top), "it is asked once"
        wait_until(qtbot, lambda rows=rows: page.rows.rowCount() == rows)
    assert not page.rows.canFetchMore(top)
    seeds = [page.rows.data(page.rows.index(row, 5)) for row in range(450)]
    assert seeds == [str(number) for number in reversed(range(450))]
    page.clear()
    wait_until(qtbot, lambda: page.rows.rowCount() == 0 and page._values["runs"].text() == "0")
    assert threads and threading.current_thread().name not in threads


def test_what_was_read_for_another_choice_of_time_is_not_shown(running, qtbot, monkeypatch):
    log = running.studio.run_log
    page = dialog_of(running).runs_page
    gate, summary = threading.Event(), log.summary

    def slow(since_s: float):
        if since_s < time.time() - 40 * 86_400:
            gate.wait(10)
            return replace(summary(since_s), runs=777)
        return summary(since_s)

    monkeypatch.setattr(log, "summary", slow)
    page._choose(36_500)
    page._choose(1)
    wait_until(qtbot, lambda: page._values["runs"].text() == "0")
    gate.set()
    qtbot.wait(100)
    assert page._values["runs"].text() == "0"


def _noting_its_thread(deed, threads: set[str]):
    def noted(*values):
        threads.add(threading.current_thread().name)
        return deed(*values)

    return noted


def test_every_control_has_a_name(running, qtbot):
    dialog = dialog_of(running)
    for page in ("models", "servers", "machine", "runs"):
        dialog.show_page(page)
        time.sleep(0.05)
        for widget in dialog.findChildren(QWidget):
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
                words = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
                inner = widget.parent() is not None and widget.parent().metaObject().className() in (
                    "QSpinBox",
                    "QComboBox",
                    "QTableView",
                )
                assert words or inner or widget.metaObject().className() in ("QScrollArea", "QLabel", "ServerForm"), (
                    page,
                    widget,
                )


def test_another_disk_can_be_chosen_before_a_download_begins(running, qtbot, hub, tmp_path, monkeypatch):
    from collections import namedtuple

    from app.ui.models import download_folder

    dialog = dialog_of(running)
    row = row_of(dialog, "small-1")
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(download_folder.shutil, "disk_usage", lambda path: usage(10, 9, 1))
    row.buttons["download"].click()
    asking = dialog.models_page.asking
    assert not asking.start.isEnabled() and "choose another" in asking.space.text()
    monkeypatch.setattr(download_folder.shutil, "disk_usage", lambda path: usage(10**9, 0, ENTRY.size_bytes + 1))
    asking.folder.choose(tmp_path / "nearly big disk")
    assert not asking.start.isEnabled(), "the download itself asks for some room to spare"
    monkeypatch.undo()
    monkeypatch.setattr("app.services.models.CATALOGUE", (ENTRY,))
    monkeypatch.setenv("HF_ENDPOINT", hub.address)
    asking.folder.choose(tmp_path / "big disk")
    asking.start.click()
    wait_until(qtbot, lambda: row.row.state == "ready")
    assert (tmp_path / "big disk" / "small-1" / "model.safetensors").is_file()


def test_a_line_heard_in_mono_is_exported_in_stereo(running, qtbot, served, tmp_path):
    connect(running, qtbot, served.address)
    studio = running.studio
    heard, silent = write(running, "one two three\nfour five six")
    studio.renderer.again(silent)  # another seed than the project's, chosen by the person, in stereo
    stereo = made(running, qtbot, silent)
    studio.set_selection((heard,), heard)
    studio.actions.trigger("play_pause")
    mono = made(running, qtbot, heard)
    studio.actions.trigger("stop")
    samples = studio.store.read_take(mono.id)
    assert np.array_equal(samples[:, 0], samples[:, 1]) and mono.figures["mono"] and "mono" not in stereo.figures
    assert studio.block_state(heard) == "ready", "a listener is content with it"
    dialog = ExportDialog(studio, running.window.state, running.window)
    qtbot.addWidget(dialog)
    dialog.set_blocks((heard, silent))
    assert "1 line that" in dialog.choices.missing.text() and "mono" in dialog.choices.missing.text()
    asked = len(served.backend.seen)
    dialog.choices.place.setText(str(tmp_path / "out.wav"))
    dialog.start()
    wait_until(qtbot, lambda: dialog._task is None)
    written, _ = soundfile.read(tmp_path / "out.wav")
    loud = np.abs(written).max(axis=1) > 0.1
    assert np.mean(written[loud, 0] != written[loud, 1]) > 0.99, "every loud sample of both lines"
    assert [request.text for request in served.backend.seen[asked:]] == ["one two three"], "the other is not asked for"
    assert served.backend.seen[-1].seed == mono.seed
    assert studio.project.takes[studio.project.block(silent).chosen].id == stereo.id
    dialog.set_blocks((heard, silent))
    assert "mono" not in dialog.choices.missing.text()


def test_a_mono_line_is_left_as_it_is_where_its_server_is_gone(running, qtbot, served, tmp_path):
    connect(running, qtbot, served.address)
    studio = running.studio
    (line,) = write(running, "one two three")
    studio.set_selection((line,), line)
    studio.actions.trigger("play_pause")
    mono = made(running, qtbot, line)
    studio.actions.trigger("stop")
    studio.renderer.set_engine(studio.engine, replace(studio.card, name="Another"))
    dialog = ExportDialog(studio, running.window.state, running.window)
    qtbot.addWidget(dialog)
    dialog.set_blocks((line,))
    assert "1 line is in mono" in dialog.choices.missing.text()
    dialog.choices.place.setText(str(tmp_path / "out.wav"))
    dialog.start()
    wait_until(qtbot, lambda: dialog._task is None)
    assert studio.project.block(line).chosen == mono.id and len(studio.project.takes) == 1


def test_a_run_leads_to_the_line_that_it_was_spoken_for(running, qtbot, served):
    connect(running, qtbot, served.address)
    studio = running.studio
    ids = write(running, "one two\nthree four")
    studio.renderer.render(ids)
    wait_until(qtbot, lambda: not studio.renderer.queue())
    dialog = dialog_of(running)
    dialog.show_page("runs")
    page = dialog.runs_page
    wait_until(qtbot, lambda: page.rows.rowCount() == 2)
    takes = {studio.project.block(block_id).chosen for block_id in ids}
    assert {page.rows.run(row).take for row in range(2)} == takes
    shown: list[str] = []
    studio.jump_requested.connect(shown.append)
    page.table.activated.emit(page.rows.index(1, 0))
    assert shown == [studio.project.takes[page.rows.run(1).take].block_id]
    said: list[str] = []
    studio.notice.connect(lambda level, text: said.append(text))
    of = [studio.project.takes[page.rows.run(row).take].block_id for row in range(2)]
    studio.history.do(ReplaceText(0, "one two\nthree four", ""))
    gone = next(row for row in range(2) if not studio.project.has_block(of[row]))  # either may have ended first
    page.table.activated.emit(page.rows.index(gone, 0))
    assert len(shown) == 1 and "not in the open project" in said[-1]


def test_speeds_are_seen_over_the_days(running, qtbot):
    chart = DaysChart()
    qtbot.addWidget(chart)
    chart.resize(300, 92)
    speeds = [0.5, None, 1.0, 0.25]
    chart.show_days([(f"2026-01-0{at}", Summary(1, 1, seconds=9.0, rtf=rtf)) for at, rtf in enumerate(speeds, 1)])
    points = chart.speed_points()
    assert len(points) == 3 and [point.x() for point in points] == sorted(point.x() for point in points)
    assert points[1].y() < points[0].y() < points[2].y(), "the slowest day is the highest"
    assert "0.25 × real time" in chart.accessibleDescription()
    assert not chart.grab().isNull()


def test_clips_that_a_killed_service_left_are_deleted_when_the_studio_opens(open_studio_at, qtbot, tmp_path):
    left = paths_for(tmp_path / "profile").served_clips / "4194305 1700000000 x"
    left.mkdir(parents=True)
    (left / "clip").write_bytes(b"a voice")
    open_studio_at()
    wait_until(qtbot, lambda: not left.exists())
