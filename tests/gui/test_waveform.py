"""The waveform: grows, shows blocks in the colours of their voices, takes clicks, drags, wheel and keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication
from tone_studio import ToneStudio

from app.model.commands import ReplaceText, SetBlockSettings, SetVoice
from app.model.voice import Voice
from app.services.overview import BIN_SAMPLES, Overview
from app.services.playing import PlayState
from app.ui.theme import theme
from app.ui.waveform import Waveform
from app.ui.waveform.columns import Shapes, columns

TEXT = "One two three four five.\nSix seven eight nine ten.\nEleven twelve thirteen."
VOICE = Voice(id="a" * 32, name="Ana", colour="#ff2080")


@pytest.fixture
def tones(qapp, tmp_path):
    made = ToneStudio(tmp_path, TEXT)
    yield made
    made.close()


@pytest.fixture
def waveform(tones, qtbot):
    widget = Waveform(tones.studio)
    qtbot.addWidget(widget)
    widget.resize(900, 200)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def speak_all(tones, qtbot):
    tones.studio.renderer.render(tones.ids)
    qtbot.waitUntil(lambda: not tones.studio.renderer.queue(), timeout=10000)
    qtbot.wait(80)


def at(waveform, seconds):
    """Where a time is drawn, in the plot's pixels."""
    scene = waveform.box.mapViewToScene(QPointF(seconds, 0.0))
    return waveform.plot.mapFromScene(scene)


def colours_at(waveform, seconds):
    image = waveform.plot.grab().toImage()
    x = at(waveform, seconds).x()
    ratio = image.devicePixelRatio()
    return [image.pixelColor(round(x * ratio), y) for y in range(image.height())]


def near(colour, wanted):
    wanted = QColor(wanted)
    return sum(abs(a - b) for a, b in zip(colour.getRgb()[:3], wanted.getRgb()[:3])) < 40


def test_an_empty_programme_says_what_to_do(qapp, tmp_path, qtbot):
    tones = ToneStudio(tmp_path)
    widget = Waveform(tones.studio)
    qtbot.addWidget(widget)
    assert not widget.plot.isVisibleTo(widget)
    tones.close()


def test_sound_grows_while_it_is_spoken(tones, waveform, qtbot):
    tones.backend.gate.clear()
    tones.studio.renderer.render(tones.ids[:1])
    qtbot.waitUntil(lambda: tones.studio.renderer.live(tones.ids[0]) is not None, timeout=3000)
    sizes = []
    waveform._playback.grown.connect(lambda block_id: sizes.append(waveform._shape_of(block_id).samples))
    for _ in range(8):
        tones.backend.gate.set()
        qtbot.wait(15)
        tones.backend.gate.clear()
    tones.backend.gate.set()
    qtbot.waitUntil(lambda: not tones.studio.renderer.queue(), timeout=5000)
    assert sizes and sizes == sorted(sizes)
    assert waveform._shape_of(tones.ids[0]).samples == 10 * 3840


def test_sound_is_drawn_in_the_colour_of_its_voice(tones, waveform, qtbot):
    speak_all(tones, qtbot)
    tones.studio.do(SetVoice(VOICE))
    tones.studio.do(SetBlockSettings((tones.ids[1],), {"voice": VOICE.id}))
    row = waveform._playback.timeline.row(tones.ids[1])
    qtbot.wait(100)
    drawn = colours_at(waveform, row.start_s + 0.2)
    assert sum(near(colour, VOICE.colour) for colour in drawn) > 20
    other = waveform._playback.timeline.row(tones.ids[0])
    assert not any(near(colour, VOICE.colour) for colour in colours_at(waveform, other.start_s + 0.2))


def test_a_line_that_is_put_back_is_shown_with_its_own_words(tones, waveform, qtbot):
    first = tones.ids[0]
    qtbot.waitUntil(lambda: "One two" in waveform.item._look(first)[0])
    tones.studio.do(ReplaceText(0, TEXT, "/"))
    waveform.plot.grab()
    assert "/" in waveform.item._look(first)[0]
    tones.studio.history.undo()
    waveform.plot.grab()
    assert "One two" in waveform.item._look(first)[0]


def test_typing_out_of_sight_draws_nothing_anew_and_typing_in_sight_does(qapp, tmp_path, qtbot):
    tones = ToneStudio(tmp_path, "\n".join(f"This is line {number} of many." for number in range(200)))
    widget = Waveform(tones.studio)
    qtbot.addWidget(widget)
    widget.resize(900, 200)
    widget.show()
    qtbot.wait(150)
    widget.plot.grab()
    drawn = []
    draw = widget.item._draw
    widget.item._draw = lambda *size: drawn.append(size) or draw(*size)
    widget.plot.grab()
    tones.studio.do(ReplaceText(tones.studio.project.characters, "", " And a good many words more."))
    qtbot.wait(150)
    widget.plot.grab()
    assert drawn == []
    tones.studio.do(ReplaceText(0, "", "And a good many words more. "))
    qtbot.wait(150)
    widget.plot.grab()
    assert len(drawn) == 1
    tones.close()


def test_what_is_not_spoken_is_dashed_and_what_is_has_a_strip_of_its_voice(tones, waveform, qtbot):
    tones.studio.do(SetVoice(VOICE))
    tones.studio.do(SetBlockSettings((tones.ids[1],), {"voice": VOICE.id}))
    qtbot.wait(150)
    waveform.box.show_stretch(0.0, 10.0)
    dashes = QColor(theme().colour("border_strong"))

    def picture():
        return waveform.item._draw(900.0, 120.0, 2.0).toImage()

    def row(image, y):
        return [image.pixelColor(x, y) for x in range(image.width())]

    image = picture()
    assert (image.width(), image.height()) == (1800, 240)
    last = [colour == dashes for colour in row(image, 239)]
    line = waveform._playback.timeline.row(tones.ids[1])
    left, right = round(line.start_s * 180), round((line.start_s + line.length_s) * 180)
    assert last[left] and not any(last[left - 20 : left])  # the pause before it
    run = "".join("x" if on else "." for on in last[left + 2 : right - 2])
    assert "xxxxxxxx....xxxxxxxx" in run and "xxxxxxxxx" not in run and "....." not in run
    assert all(near(colour, VOICE.colour) for colour in row(image, 2)[left:right])
    tint = image.pixelColor(left + 10, 200)
    assert 0 < tint.alpha() < 40 and near(tint, VOICE.colour)
    speak_all(tones, qtbot)
    qtbot.wait(150)
    assert dashes not in row(picture(), 239)


def test_the_keyboard_is_seen_to_be_here(tones, waveform, qtbot):
    waveform.clearFocus()
    before = waveform.grab().toImage()
    waveform.setFocus()
    QApplication.processEvents()
    assert waveform.grab().toImage() != before


def test_a_click_goes_there(tones, waveform, qtbot):
    speak_all(tones, qtbot)
    row = waveform._playback.timeline.row(tones.ids[1])
    qtbot.mouseClick(waveform.plot.viewport(), Qt.MouseButton.LeftButton, pos=at(waveform, row.start_s + 0.3))
    assert tones.studio.current_block == tones.ids[1]
    assert waveform.playhead.value() == pytest.approx(row.start_s + 0.3, abs=0.03)


def test_a_click_while_it_plays_goes_on_there(tones, waveform, qtbot):
    speak_all(tones, qtbot)
    tones.studio.actions.trigger("play_pause")
    qtbot.waitUntil(lambda: bool(tones.studio.playing_block), timeout=5000)
    row = waveform._playback.timeline.row(tones.ids[2])
    qtbot.mouseClick(waveform.plot.viewport(), Qt.MouseButton.LeftButton, pos=at(waveform, row.start_s + 0.1))
    qtbot.waitUntil(lambda: tones.studio.playing_block == tones.ids[2], timeout=5000)


def test_the_playhead_follows_what_is_heard(tones, waveform, qtbot):
    tones.studio.actions.trigger("play_pause")
    qtbot.waitUntil(lambda: waveform.playhead.value() > 0.3, timeout=5000)
    assert tones.studio.player.state is PlayState.PLAYING


def drag(waveform, qtbot, start_s, end_s):
    view = waveform.plot.viewport()
    first, last = at(waveform, start_s), at(waveform, end_s)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=first)
    for share in (0.3, 0.6, 1.0):
        middle = QPoint(round(first.x() + (last.x() - first.x()) * share), last.y())
        qtbot.mouseMove(view, middle)
        event_loop_turn(view, middle)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=last)


def event_loop_turn(view, pos):
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    event = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(pos), view.mapToGlobal(QPointF(pos)), Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(view, event)
    QApplication.processEvents()


def test_a_drag_selects_a_stretch_that_can_be_played(tones, waveform, qtbot):
    speak_all(tones, qtbot)
    drag(waveform, qtbot, 0.5, 1.6)
    start_s, end_s = waveform._playback.selected_s
    assert start_s == pytest.approx(0.5, abs=0.05) and end_s == pytest.approx(1.6, abs=0.05)
    assert waveform.selection.isVisible()
    positions = []
    waveform._playback.ticked.connect(lambda _: positions.append(waveform._playback.position_s()))
    tones.studio.actions.trigger("play_selection")
    qtbot.waitUntil(lambda: tones.studio.player.state is PlayState.STOPPED, timeout=6000)
    heard = [position for position in positions if position > 0]
    assert min(heard) >= start_s - 0.1 and max(heard) <= end_s + 0.1
    qtbot.keyClick(waveform, Qt.Key.Key_Escape)
    assert waveform._playback.selected_s is None and not waveform.selection.isVisible()


def wheel(waveform, seconds, steps, modifiers=Qt.KeyboardModifier.NoModifier):
    view = waveform.plot.viewport()
    pos = QPointF(at(waveform, seconds))
    event = QWheelEvent(
        pos, view.mapToGlobal(pos), QPoint(), QPoint(0, 120 * steps), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)
    QApplication.processEvents()


def test_the_wheel_zooms_at_the_pointer(tones, waveform, qtbot):
    speak_all(tones, qtbot)
    before = at(waveform, 1.0).x()
    (start_s, end_s), _ = waveform.box.viewRange()
    wheel(waveform, 1.0, 4)
    (closer_start_s, closer_end_s), _ = waveform.box.viewRange()
    assert closer_end_s - closer_start_s < 0.5 * (end_s - start_s)
    assert abs(at(waveform, 1.0).x() - before) <= 2
    wheel(waveform, 1.0, -40)
    (far_start_s, far_end_s), _ = waveform.box.viewRange()
    assert far_start_s == 0.0 and far_end_s <= 11


def test_keys_move_zoom_and_go(tones, waveform, qtbot):
    speak_all(tones, qtbot)
    waveform.setFocus()
    qtbot.keyClick(waveform, Qt.Key.Key_Right)
    assert waveform.playhead.value() == pytest.approx(0.8, abs=0.25)  # never into the pause after the line
    qtbot.keyClick(waveform, Qt.Key.Key_Home)
    assert waveform.playhead.value() == 0.0
    (start_s, end_s), _ = waveform.box.viewRange()
    qtbot.keyClick(waveform, Qt.Key.Key_Plus)
    (near_s, far_s), _ = waveform.box.viewRange()
    assert far_s - near_s < end_s - start_s
    qtbot.keyClick(waveform, Qt.Key.Key_0)
    assert waveform.box.viewRange()[0][1] >= 10


def test_takes_of_an_earlier_session_are_measured_and_drawn(tones, qtbot, tmp_path):
    speak_all(tones, qtbot)
    tones.studio.renderer.set_store(tones.store)  # forgets every shape, as opening does
    assert tones.studio.renderer.shape(tones.studio.project.block(tones.ids[0])) is None
    widget = Waveform(tones.studio)
    qtbot.addWidget(widget)
    widget.resize(900, 200)
    widget.show()
    qtbot.waitUntil(
        lambda: tones.studio.renderer.shape(tones.studio.project.block(tones.ids[2])) is not None, timeout=5000
    )


@pytest.mark.parametrize("cuts", [1, 7, 100, 255, 256, 257, 5000])
def test_a_shape_is_the_same_however_the_sound_comes(cuts):
    rng = np.random.default_rng(1)
    sound = rng.uniform(-1, 1, (30_000, 2)).astype(np.float32)
    whole, pieces = Overview(), Overview()
    whole.add(sound)
    for start in range(0, len(sound), cuts) if cuts > 1 else [0]:
        pieces.add(sound[start : start + cuts] if cuts > 1 else sound)
    for samples_a_pixel in (1, 1024, 4096, 100_000):
        first, width = whole.bins(samples_a_pixel)
        second, other = pieces.bins(samples_a_pixel)
        assert width == other and np.array_equal(first, second)
    mono = sound.mean(axis=1)
    bins, width = whole.bins(1)
    assert width == BIN_SAMPLES and len(bins) == len(sound) // BIN_SAMPLES
    assert np.allclose(bins[3] / 127, [mono[768:1024].min(), mono[768:1024].max()], atol=0.005)


class _Row:
    def __init__(self, block_id, start_s, length_s):
        self.block_id, self.start_s, self.length_s, self.measured = block_id, start_s, length_s, True


class Book:
    """A timeline of many equal lines."""

    def __init__(self, count, length_s=6.0, gap_s=1.0):
        self.ids = self.block_ids = [str(n) for n in range(count)]
        self.starts_s = np.arange(count) * (length_s + gap_s)
        self.lengths_s = np.full(count, length_s)

    def rows_between(self, start_s, end_s):
        return range(
            max(0, int(np.searchsorted(self.starts_s, start_s, side="right")) - 1),
            int(np.searchsorted(self.starts_s, end_s, side="right")),
        )

    def row(self, block_id):
        return self.at(int(block_id))

    def at(self, number):
        return _Row(self.block_ids[number], float(self.starts_s[number]), float(self.lengths_s[number]))


def test_far_and_near_show_the_same_loudness():
    shape = Overview()
    t = np.arange(6 * 48_000) / 48_000
    shape.add(np.repeat(0.5 * np.sin(2 * np.pi * 200 * t)[:, None], 2, axis=1).astype(np.float32))
    book = Book(1000)
    shapes = Shapes(lambda _: shape, lambda _: "#808080")
    near_ = columns(book, shapes, 0.0, 60.0, 800)
    far = columns(book, shapes, 0.0, 7000.0, 800)
    assert near_.high.max() == pytest.approx(0.5, abs=0.01) and far.high.max() == pytest.approx(0.5, abs=0.01)
    assert far.low.min() == pytest.approx(-0.5, abs=0.01)
    sounding = near_.high > 0
    assert np.array_equal(sounding, near_.row >= 0)
    assert sounding.mean() == pytest.approx(6 / 7, abs=0.03)
    assert (np.diff(far.row) >= 0).all()


def test_the_words_on_a_line_follow_the_font_of_the_window(waveform, qtbot):
    def rows_with_words():
        qtbot.wait(50)
        left, right = (round(at(waveform, seconds).x()) for seconds in (0.1, 0.8))
        image = waveform.plot.grab().toImage()
        top = round(waveform.plot.mapFromScene(waveform.box.mapToScene(waveform.box.boundingRect().topLeft())).y())
        # Within the dashes of a line without sound: whatever is not of one colour is words.
        rows = range(top + 6, image.height() - 16)
        return sum(len({image.pixel(x, y) for x in range(left, right)}) > 1 for y in rows)

    points = QApplication.font().pointSizeF()
    waveform.box.show_stretch(0.0, 4.0)
    before = rows_with_words()
    try:
        theme().apply("dark", points * 1.5)
        assert rows_with_words() > before > 0
    finally:
        theme().apply("dark", points)
