"""The voices dock: clips become voices, voices are found, heard, named, dragged onto lines and thrown away."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton
from tone_studio import ToneStudio

from app.paths import starter
from app.ui.dropping import dropped_voice
from app.ui.theme import VOICE_COLOURS
from app.ui.voices import Voices, adding
from app.ui.voices.voice_model import REASON_ROLE, USED_ROLE
from engine import ModelCard, read_card


def clip(folder: Path, name: str, hz: float = 150.0, seconds: float = 6.0) -> Path:
    """Something like speech: syllables of a buzz, with pauses."""
    t = np.arange(int(seconds * 24_000)) / 24_000
    buzz = sum(np.sin(2 * np.pi * hz * k * t) / k for k in range(1, 9))
    syllables = np.clip(np.sin(2 * np.pi * 3 * t), 0, 1) * (np.sin(2 * np.pi * 0.4 * t) > -0.7)
    path = folder / name
    soundfile.write(path, (0.2 * buzz * syllables).astype(np.float32), 24_000)
    return path


@pytest.fixture
def make(qapp, qtbot, tmp_path):
    made = []

    def make_(text="One.\nTwo.\nThree.", card=None):
        tones = ToneStudio(tmp_path / "profile", text, card=card)
        tones.said = []
        tones.studio.notice.connect(lambda level, words: tones.said.append((level, words)))
        voices = Voices(tones.studio)
        qtbot.addWidget(voices)
        voices.resize(280, 600)
        voices.show()
        made.append(tones)
        return tones, voices

    yield make_
    for tones in made:
        tones.close()


def names(voices):
    return [voice.name for voice in voices.model.voices]


def add(voices, qtbot, *files):
    voices.new.add_files(list(files))
    qtbot.waitUntil(lambda: "Looking" not in voices.new.hint._label.text(), timeout=5000)


def drop(target, *files):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    actions, buttons, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(20, 20), actions, mime, buttons, none))
    event = QDropEvent(QPointF(20, 20), actions, mime, buttons, none)
    QApplication.sendEvent(target, event)
    return event.isAccepted()


def test_clips_dropped_together_become_voices_named_after_them(make, qtbot, tmp_path):
    tones, voices = make()
    assert drop(
        voices, clip(tmp_path, "Ana_Maria.wav"), clip(tmp_path, "Joe.flac", 100), clip(tmp_path, "Ana Maria.ogg", 180)
    )
    qtbot.waitUntil(lambda: len(names(voices)) == 3, timeout=5000)
    assert sorted(names(voices)) == ["Ana Maria", "Ana Maria 2", "Joe"]


def test_clips_dropped_on_the_window_become_voices(make, qtbot, tmp_path):
    tones, voices = make()
    assert tones.studio.drop_files([clip(tmp_path, "Ana.wav")])
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)


def test_a_clip_that_is_no_sound_is_refused_by_name(make, qtbot, tmp_path):
    tones, voices = make()
    broken = tmp_path / "broken.wav"
    broken.write_bytes(b"RIFF no sound at all")
    add(voices, qtbot, broken, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)
    assert any(level == "error" and "broken.wav" in words for level, words in tones.said)


def test_a_clip_that_fails_unexpectedly_is_told_and_others_are_made(make, qtbot, tmp_path, monkeypatch):
    tones, voices = make()
    examine = adding.examine

    def fail_once(*arguments, **named):
        monkeypatch.setattr(adding, "examine", examine)
        raise ValueError("odd samples")

    monkeypatch.setattr(adding, "examine", fail_once)
    add(voices, qtbot, clip(tmp_path, "Odd.wav"), clip(tmp_path, "Ana.wav", 100))
    qtbot.waitUntil(lambda: "Ana" in names(voices), timeout=5000)
    assert any(level == "error" and "Odd.wav" in words and "odd samples" in words for level, words in tones.said)


def test_a_model_that_cannot_clone_says_so_at_the_drop_and_the_voice_is_kept(make, qtbot, tmp_path):
    tones, voices = make(card=ModelCard("Small", cloning="known_voices"))
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)
    assert any("cannot clone" in words and "MOSS-TTS" in words for _, words in tones.said)
    assert "cannot clone" in voices.model.index(0).data(REASON_ROLE)
    tones.studio.set_card(ModelCard("Large"))
    assert voices.model.index(0).data(REASON_ROLE) == ""


def test_a_clip_of_the_models_own_voice_is_known_under_any_name(make, qtbot, tmp_path):
    card = read_card(starter())
    tones, voices = make(card=card)
    copy = tmp_path / "somebody.wav"
    copy.write_bytes(card.voices[2].path.read_bytes())
    before = len(names(voices))
    add(voices, qtbot, copy)
    qtbot.waitUntil(lambda: len(names(voices)) == before + 1, timeout=5000)
    row = voices.model.row_of(next(voice.id for voice in voices.model.voices if voice.name == "somebody"))
    assert voices.model.index(row).data(REASON_ROLE) == ""
    assert not voices.new.consent.isVisible()


def test_whose_voice_it_is_is_asked_once_in_place_and_kept(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"), clip(tmp_path, "Joe.wav", 100))
    qtbot.waitUntil(lambda: voices.new.consent.isVisible(), timeout=5000)
    assert not voices.new.consent.keep.isEnabled()
    qtbot.mouseClick(voices.new.consent.choices["agreed"], Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    qtbot.mouseClick(voices.new.consent.keep, Qt.MouseButton.LeftButton)
    assert not voices.new.consent.isVisible()
    assert [voice.consent["whose"] for voice in tones.studio.library.voices] == ["agreed", "agreed"]
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    qtbot.wait(50)
    assert not voices.new.consent.isVisible()


def test_searching_shows_what_matches(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"), clip(tmp_path, "Joe.wav", 100))
    qtbot.waitUntil(lambda: len(names(voices)) == 2, timeout=5000)
    qtbot.keyClicks(voices.search, "jo")
    assert names(voices) == ["Joe"]
    qtbot.keyClicks(voices.search, "xx")
    assert names(voices) == [] and voices._nothing.isVisible()
    voices.search.clear()
    assert len(names(voices)) == 2


def test_a_voice_is_renamed_in_the_list(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)
    voices.list.setFocus()
    voices.rename(voices.model.voices[0].id)
    editor = voices.list.findChild(QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "Anna")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: names(voices) == ["Anna"], timeout=2000)
    assert tones.studio.library.find("Anna") is not None


def test_a_taken_name_is_refused_with_a_reason(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"), clip(tmp_path, "Joe.wav", 100))
    qtbot.waitUntil(lambda: len(names(voices)) == 2, timeout=5000)
    assert not voices.model.setData(voices.model.index(0), "JOE")
    assert any("already" in words for _, words in tones.said)


def test_a_deleted_voice_is_in_the_trash_and_comes_back(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)
    voices.list.setCurrentIndex(voices.model.index(0))
    voices.list.setFocus()
    qtbot.keyClick(voices.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: names(voices) == [], timeout=2000)
    buttons = voices.title_buttons()
    assert buttons
    voices.menus.fill_trash()
    voices.menus.trash.actions()[0].trigger()
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=2000)


def test_a_voice_is_heard_and_stops_by_itself(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav", seconds=2.0))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)
    voice_id = voices.model.voices[0].id
    voices.preview(voice_id)
    qtbot.waitUntil(lambda: tones.studio.player.state.value == "playing", timeout=3000)
    assert voices.delegate.previewing == voice_id
    assert tones.studio.playing_block == ""
    qtbot.waitUntil(lambda: voices.delegate.previewing == "", timeout=6000)


def test_a_dragged_voice_carries_its_id_and_name(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)
    index = voices.model.index(0)
    assert voices.model.flags(index) & Qt.ItemFlag.ItemIsDragEnabled
    mime = voices.model.mimeData([index])
    assert dropped_voice(mime) == voices.model.voices[0].id and mime.text() == "Ana"


def test_enter_gives_the_voice_to_the_selected_lines(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)
    tones.studio.set_selection(tuple(tones.ids[:2]))
    voices.list.setCurrentIndex(voices.model.index(0))
    voices.list.setFocus()
    qtbot.keyClick(voices.list, Qt.Key.Key_Return)
    voice_id = voices.model.voices[0].id
    assert [block.settings.voice for block in tones.studio.project.blocks] == [voice_id, voice_id, None]
    qtbot.waitUntil(lambda: voices.model.index(0).data(USED_ROLE) == 2, timeout=2000)


def test_colours_are_chosen_by_name_and_the_present_one_is_marked(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)

    def colours():
        menu = voices.menus.of(voices.model.voices[0])
        return next(each.menu() for each in menu.actions() if each.text() == "Colour").actions()

    chosen = next(each for each in colours() if each.text() == "Violet")
    assert len({each.text() for each in colours()}) == 12 and not chosen.isChecked()
    chosen.trigger()
    qtbot.waitUntil(lambda: voices.model.voices[0].colour == VOICE_COLOURS[7], timeout=2000)
    assert [each.text() for each in colours() if each.isChecked()] == ["Violet"]


def test_voices_of_the_model_stay_as_they_are(make, qtbot):
    tones, voices = make(card=read_card(starter()))
    assert "Joe" in names(voices)
    index = voices.model.index(voices.model.row_of("known-joe"))
    assert not voices.model.flags(index) & Qt.ItemFlag.ItemIsEditable
    menu = voices.menus.of(voices.model.voices[voices.model.row_of("known-joe")])
    enabled = {action.text(): action.isEnabled() for action in menu.actions() if action.text()}
    assert not enabled["Delete"] and not enabled["Rename"] and enabled["Hear its clip"]


def test_a_voice_goes_out_and_in_as_one_file(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)
    voice_id = voices.model.voices[0].id
    archive = tones.studio.library.export(voice_id, tmp_path / "Ana")
    voices.deeds.delete(voice_id)
    qtbot.waitUntil(lambda: names(voices) == [], timeout=2000)
    assert drop(voices, archive)
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)


def test_a_voice_file_is_taken_wherever_it_is_dropped(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)
    voice_id = voices.model.voices[0].id
    archive = tones.studio.library.export(voice_id, tmp_path / "Ana")
    voices.deeds.delete(voice_id)
    qtbot.waitUntil(lambda: names(voices) == [], timeout=2000)
    assert tones.studio.drop_files([archive])
    qtbot.waitUntil(lambda: names(voices) == ["Ana"], timeout=5000)


def test_favourites_come_first(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"), clip(tmp_path, "Zoe.wav", 200))
    qtbot.waitUntil(lambda: names(voices) == ["Ana", "Zoe"], timeout=5000)
    voices.deeds.toggle_favourite(voices.model.voices[1].id)
    qtbot.waitUntil(lambda: names(voices) == ["Zoe", "Ana"], timeout=2000)


def test_a_screen_reader_meets_every_voice_and_control(make, qtbot):
    card = ModelCard("Small", cloning="known_voices", voices=())
    tones, voices = make(card=card)
    assert QAccessible.queryAccessibleInterface(voices.list).text(QAccessible.Text.Name) == "Voices"
    assert QAccessible.queryAccessibleInterface(voices.search).text(QAccessible.Text.Name)
    assert QAccessible.queryAccessibleInterface(voices.new.hint).text(QAccessible.Text.Name)
    for button in voices.title_buttons():
        assert button.accessibleName()


def care(make, qtbot, tmp_path, *files):
    tones, voices = make()
    add(voices, qtbot, *files)
    qtbot.waitUntil(lambda: len(names(voices)) == len(files), timeout=5000)
    voices.new.consent._leave()
    voices.care_for(voices.model.voices[0].id)
    qtbot.waitUntil(lambda: len(voices.care.findings) == 5, timeout=5000)
    return tones, voices


def first_clip(tones):
    return tones.studio.library.voices[0].references[0]


def test_trimming_keeps_the_range_and_asks_for_the_words_of_the_part(make, qtbot, tmp_path):
    tones, voices = care(make, qtbot, tmp_path, clip(tmp_path, "Ana.wav"))
    voices.care.words.setPlainText("Everything that is said.")
    voices.care._keep_words()
    assert first_clip(tones).transcript == "Everything that is said."
    view = voices.care.clip_view
    middle = view.height() // 2
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(2, middle))
    qtbot.mouseMove(view, QPoint(view.width() // 2, middle))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() // 2, middle))
    assert first_clip(tones).start_s == pytest.approx(3.0, abs=0.1) and first_clip(tones).end_s is not None
    assert "part" in voices.care._words_note.text()
    assert voices.care.clip_view.accessibleDescription()


def test_the_range_moves_by_keys(make, qtbot, tmp_path):
    tones, voices = care(make, qtbot, tmp_path, clip(tmp_path, "Ana.wav"))
    voices.care.clip_view.setFocus()
    qtbot.keyClick(voices.care.clip_view, Qt.Key.Key_Right)
    assert first_clip(tones).start_s == pytest.approx(0.1)
    qtbot.keyClick(voices.care.clip_view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert first_clip(tones).end_s == pytest.approx(5.9)


def test_tags_are_kept_and_found(make, qtbot, tmp_path):
    tones, voices = care(make, qtbot, tmp_path, clip(tmp_path, "Ana.wav"))
    voices.care.tags.setText("warm,  low voice , warm")
    voices.care.tags.editingFinished.emit()
    assert tones.studio.library.voices[0].tags == ("warm", "low voice")
    voices.care.leave()
    qtbot.waitUntil(lambda: voices.model.voices[0].tags != (), timeout=2000)
    voices.search.setText("low")
    assert names(voices) == ["Ana"]


def test_the_doctor_repairs_what_is_too_quiet(make, qtbot, tmp_path):
    loud, rate = soundfile.read(clip(tmp_path, "loud.wav"))
    quiet = tmp_path / "Quiet.wav"
    soundfile.write(quiet, loud * 0.01, rate, subtype="FLOAT")
    tones, voices = care(make, qtbot, tmp_path, quiet)
    before = first_clip(tones).sha256
    assert voices.care.repair.isVisible()
    qtbot.mouseClick(voices.care.repair, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: first_clip(tones).sha256 != before, timeout=5000)
    qtbot.waitUntil(lambda: any("level" in words for _, words in tones.said), timeout=5000)
    qtbot.waitUntil(lambda: len(voices.care.findings) == 5 and voices.care.repair.isHidden(), timeout=5000)


class Microphone:
    """Stands where the recorder stands."""

    level_db, full, device = -12.0, False, "Microphone"

    def __init__(self, samples):
        self.samples, self.seconds, self.is_open = samples, 0.0, False

    def open(self):
        self.is_open = True

    def start(self):
        self.seconds = 1.0

    def stop(self):
        return self.samples

    def close(self):
        self.is_open = False


def test_a_recording_becomes_a_voice(make, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tones, voices = make()
    sound, rate = soundfile.read(clip(tmp_path, "speech.wav"), dtype="float32")
    microphone = Microphone(np.repeat(sound, 2)[:, None])
    tones.studio.attach(recorder=microphone)
    tones.studio.actions.trigger("record_voice")
    panel = voices.recording
    qtbot.waitUntil(lambda: panel.state == "ready", timeout=3000)
    panel._second.setInterval(10)
    qtbot.mouseClick(panel.main, Qt.MouseButton.LeftButton)
    assert "3" in panel.says.text()
    qtbot.waitUntil(lambda: panel.state == "recording", timeout=3000)
    qtbot.mouseClick(panel.main, Qt.MouseButton.LeftButton)
    assert panel.state == "recorded" and panel.keep.isVisible()
    qtbot.keyClicks(panel.name, "Me: myself")
    qtbot.keyClick(panel.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: names(voices) == ["Me myself"], timeout=5000)
    qtbot.waitUntil(lambda: not microphone.is_open, timeout=3000)
    qtbot.waitUntil(lambda: not list(tmp_path.glob("recorded-*")), timeout=5000)  # nobody's voice lies about


def test_a_missing_microphone_is_explained(make, qtbot):
    from app.services.recorder import Recorder

    tones, voices = make()
    tones.studio.attach(recorder=Recorder(tones.studio.player.devices))
    tones.studio.actions.trigger("record_voice")
    qtbot.waitUntil(lambda: "PortAudio" in voices.recording.says.text(), timeout=3000)
    assert not voices.recording.main.isEnabled()


def test_in_a_low_dock_the_card_takes_the_place_of_the_list(make, qtbot, tmp_path):
    tones, voices = care(make, qtbot, tmp_path, clip(tmp_path, "Ana.wav"))
    voices.resize(280, 420)
    assert not voices.list.isVisible() and voices.care.isVisible()
    voices.care.leave()
    assert voices.list.isVisible()


def test_an_open_card_is_laid_out_whole_and_does_not_make_the_window_higher_than_the_screen(make, qtbot, tmp_path):
    tones, voices = care(make, qtbot, tmp_path, clip(tmp_path, "Ana.wav"))
    qtbot.waitUntil(lambda: bool(voices.care.findings), timeout=10_000)
    card = voices.care

    def whole():
        # Findings ask for a new layout, and Qt does it in a later round: until then the old one looks finished.
        assert card.layout().geometry() == card.contentsRect()
        assert card.height() >= card.layout().totalHeightForWidth(card.width())

    qtbot.waitUntil(whole)
    assert voices.minimumSizeHint().height() <= max(300, card.screen().availableGeometry().height() - 500)


@pytest.mark.parametrize("height", [600, 420])
def test_a_closed_card_gives_the_keyboard_back_to_the_voice(make, qtbot, tmp_path, height):
    tones, voices = care(make, qtbot, tmp_path, clip(tmp_path, "Ana.wav"), clip(tmp_path, "Ben.wav", 110.0))
    voices.resize(280, height)
    ana = voices.care.voice.id
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_Space):
        voices.care_for(ana)
        close = next(each for each in voices.care.findChildren(QToolButton) if "Done" in each.accessibleName())
        close.setFocus()
        qtbot.keyClick(close, key)
        assert voices.care.isHidden() and voices.focusWidget() is voices.list
        assert voices.current().id == ana


def test_a_card_that_covers_the_list_has_the_keyboard(make, qtbot, tmp_path):
    tones, voices = care(make, qtbot, tmp_path, clip(tmp_path, "Ana.wav"))
    voices.care.leave()
    voices.resize(280, 420)
    voices.list.setFocus()
    qtbot.keyClick(voices.list, Qt.Key.Key_C)
    assert not voices.list.isVisible() and voices.care.isAncestorOf(voices.focusWidget())


def test_an_answer_whose_voice_it_is_gives_the_keyboard_back(make, qtbot, tmp_path):
    tones, voices = make()
    add(voices, qtbot, clip(tmp_path, "Ana.wav"))
    voices.new.consent.later.setFocus()
    qtbot.keyClick(voices.new.consent.later, Qt.Key.Key_Space)
    assert voices.new.consent.isHidden() and voices.focusWidget() is voices.list
