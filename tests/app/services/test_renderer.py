"""Blocks become takes: with the real engine thread and a backend that speaks tones."""

from __future__ import annotations

import queue
import time
from types import SimpleNamespace

import numpy as np
import pytest
from tones import RATE, ToneBackend

from app.model.command import Compound
from app.model.commands import ReplaceText, SetBlockSettings, SetLexicon, SetProjectSettings, SetVoice
from app.model.voice import Voice, VoiceClip
from app.paths import paths_for
from app.services.excerpt import Excerpt, mix_settings
from app.services.listening import Listening, Range
from app.services.mixer import Mixer
from app.services.programme import mix, programme
from app.services.renderer import Renderer
from app.services.speaking import Habits
from app.services.store import ProjectStore
from app.services.take_cache import TakeCache
from engine import FRAME_SAMPLES, Engine, KnownVoice, ModelCard, SpeechError, StopReason


class Studio:
    """One thread that owns the project, as the window's does, driven by the test."""

    def __init__(self, folder, texts, card=None):
        self.calls = queue.SimpleQueue()
        self.backend = ToneBackend(card or ModelCard("Tones", continuation=True))
        self.engine = Engine(self.backend)
        self.engine.start()
        self.engine.ready(5)
        self.store = ProjectStore.untitled(paths_for(folder), deliver=self.calls.put)
        self.project = self.store.project
        self.do(ReplaceText(0, "", "\n".join(texts)))
        self.clips = SimpleNamespace(clips=lambda voice: (), find=lambda name: None)
        self.renderer = Renderer(
            self.calls.put, self.clips, take_cache=TakeCache(folder / "takes"), shape_cache=folder / "shapes"
        )
        self.renderer.set_store(self.store)
        self.renderer.set_engine(self.engine, self.backend.card)
        self.changed = []
        self.renderer.changed.connect(self.changed.append)

    @property
    def ids(self):
        return [block.id for block in self.project.blocks]

    def do(self, command):
        self.store.history.do(command)

    def run(self, until, seconds=20.0):
        """Deliver what other threads post until something holds."""
        ends_at_s = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < ends_at_s, "it did not happen"
            try:
                self.calls.get(timeout=0.01)()
            except queue.Empty:
                continue

    def idle(self):
        return not self.renderer.queue()

    def states(self):
        return [self.renderer.state(block_id) for block_id in self.ids]

    def hear(self, wanted):
        """Listen as the player does, taking what is ready, until the end."""
        listening = Listening(self.renderer, self.calls.put, wanted)
        heard, places = [], []
        at = 0

        def take():
            nonlocal at
            block = listening.read(960)
            while block is not None and len(block):
                heard.append(block)
                places.append((at, listening.place(at)))
                at += len(block)
                block = listening.read(960)
            return block is None

        self.run(take)
        listening.close()
        return np.concatenate(heard) if heard else np.zeros((0, 2), np.float32), places, listening

    def audio(self, take):
        return self.store.read_take(take.id)

    def close(self):
        self.renderer.close()
        self.engine.close()
        self.store.close()


@pytest.fixture
def studio(tmp_path):
    made = []

    def make(*texts, **more):
        made.append(Studio(tmp_path, texts, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_block_is_spoken_and_becomes_ready(studio):
    it = studio("one two three")
    block_id = it.ids[0]
    assert it.states() == ["none"]
    it.renderer.render([block_id])
    assert it.states()[0] in ("queued", "speaking")
    it.run(it.idle)
    assert it.states() == ["ready"]
    take = it.project.takes[it.project.block(block_id).chosen]
    assert take.state == "done" and take.stop_reason == "stop"
    assert take.seconds == 8 * 0.08
    assert take.pieces[0].n_samples == 8 * FRAME_SAMPLES
    # Silence at both ends is not heard.
    assert take.figures["heard_samples"] == 6 * FRAME_SAMPLES
    assert len(it.audio(take)) == 8 * FRAME_SAMPLES


def test_only_what_needs_it_is_spoken(studio):
    it = studio("one two", "// a note", "", "three four", "five")
    locked = it.ids[4]
    it.do(SetBlockSettings((locked,), {"locked": True}))
    assert it.renderer.render(it.ids) == 2
    it.run(it.idle)
    assert it.states() == ["ready", "none", "none", "ready", "locked"]
    assert it.renderer.render(it.ids) == 0
    assert len(it.backend.spoken) == 2


def test_changed_text_is_stale_and_a_changed_pause_is_not(studio):
    it = studio("one two [pause 0.5s] three")
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.do(ReplaceText(17, "5", "9"))
    assert it.project.block(it.ids[0]).text == "one two [pause 0.9s] three"
    assert it.states() == ["ready"]
    it.do(ReplaceText(0, "one", "six"))
    assert it.states() == ["stale"]
    it.store.history.undo()
    assert it.states() == ["ready"]


@pytest.mark.parametrize("follows", [True, False])
def test_another_length_in_the_text_is_stale_where_the_model_follows_lengths(studio, follows):
    it = studio("one two [length 4.0s]", card=ModelCard("Tones", length=follows))
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["ready"]
    it.do(ReplaceText(16, "4", "6"))
    assert it.project.block(it.ids[0]).text == "one two [length 6.0s]"
    assert it.states() == ["stale" if follows else "ready"]
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["ready"] and len(it.backend.spoken) == (2 if follows else 1)
    it.do(ReplaceText(7, " [length 6.0s]", ""))
    assert it.states() == ["stale" if follows else "ready"]


def test_a_seed_that_was_set_for_a_line_is_that_of_its_next_take(studio):
    it = studio("one two")
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.do(SetBlockSettings((it.ids[0],), {"seed": 77}))
    for _ in range(2):
        it.renderer.again(it.ids[0])
        it.run(it.idle)
    assert [take.seed for take in it.project.takes_of(it.ids[0])] == [1234, 77, 78]
    it.do(SetBlockSettings((it.ids[0],), {"seed": None}))
    it.renderer.again(it.ids[0])
    it.run(it.idle)
    assert it.project.takes_of(it.ids[0])[-1].seed == 1235


def test_text_that_comes_back_finds_its_take_again(studio):
    it = studio("one two")
    it.renderer.render(it.ids)
    it.run(it.idle)
    first = it.project.block(it.ids[0]).chosen
    it.do(ReplaceText(0, "one", "six"))
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.do(ReplaceText(0, "six", "one"))
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.project.block(it.ids[0]).chosen == first
    assert it.backend.spoken == ["one two", "six two"]


def test_the_same_line_elsewhere_is_not_spoken_twice(studio):
    it = studio("one two", "one two")
    it.renderer.render(it.ids[:1])
    it.run(it.idle)
    it.renderer.render(it.ids[1:])
    it.run(it.idle)
    assert it.states() == ["ready", "ready"]
    assert it.backend.spoken == ["one two"]
    first, second = (it.project.takes[block.chosen] for block in it.project.blocks)
    assert first.id != second.id and first.key == second.key
    assert np.array_equal(it.audio(first), it.audio(second))


def test_again_takes_the_next_seed_and_is_chosen(studio):
    it = studio("one two")
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.renderer.again(it.ids[0], 3)
    it.run(it.idle)
    takes = it.project.takes_of(it.ids[0])
    seed = it.project.settings.seed
    assert [take.seed for take in takes] == [seed, seed + 1, seed + 2, seed + 3]
    assert it.project.block(it.ids[0]).chosen == takes[-1].id
    assert len({take.key for take in takes}) == 4
    assert it.states() == ["ready"]


def test_speech_that_ended_early_is_never_done(studio):
    it = studio("one two", "three four", "five six")
    it.backend.ends = {
        "one two": StopReason.EARLY_END, "three four": StopReason.RUNAWAY, "five six": StopReason.LENGTH
    }  # fmt: skip
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["suspicious"] * 3
    assert [it.project.takes[block.chosen].state for block in it.project.blocks] == [
        "incomplete",
        "suspicious",
        "incomplete",
    ]
    assert all(it.renderer.reason(block_id) for block_id in it.ids)
    report = it.renderer.report()
    assert report.asked == 3 and report.suspicious == tuple(it.ids) and not report.done


def test_an_incomplete_take_does_not_replace_a_good_one(studio):
    it = studio("one two")
    it.renderer.render(it.ids)
    it.run(it.idle)
    good = it.project.block(it.ids[0]).chosen
    it.backend.ends = {"one two": StopReason.EARLY_END}
    it.renderer.again(it.ids[0])
    it.run(it.idle)
    assert it.project.block(it.ids[0]).chosen == good
    assert len(it.project.takes_of(it.ids[0])) == 2


def test_a_failure_is_told_and_the_others_go_on(studio):
    it = studio("one two", "three four")
    it.backend.fails = {"one two": SpeechError("The graphics card is full.", "Close other programs.")}
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["failed", "ready"]
    assert "graphics card" in it.renderer.reason(it.ids[0])
    report = it.renderer.report()
    assert report.failed == (it.ids[0],) and report.done == (it.ids[1],)
    it.backend.fails = {}
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["ready", "ready"]


def test_a_voice_the_model_cannot_speak_fails_and_is_never_replaced(studio):
    card = ModelCard("Small", cloning="none")
    it = studio("one two", card=card)
    voice = Voice(id="a" * 32, name="Ana", references=(VoiceClip("ana.wav", "b" * 64),))
    it.do(SetVoice(voice))
    it.do(SetBlockSettings((it.ids[0],), {"voice": voice.id}))
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["failed"] and "Ana" in it.renderer.reason(it.ids[0])
    assert not it.backend.spoken
    it.do(SetBlockSettings((it.ids[0],), {"voice": "c" * 32}))
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["failed"] and not it.backend.spoken


def test_a_known_clip_is_known_under_any_name(studio, tmp_path):
    clip = tmp_path / "kumo.wav"
    known = KnownVoice("kumo", "Kumo", clip, "d" * 64)
    it = studio("one two", card=ModelCard("Small", cloning="known_voices", voices=(known,)))
    voice = Voice(id="a" * 32, name="My own name", references=(VoiceClip("mine.wav", "d" * 64),))
    it.do(SetVoice(voice))
    it.do(SetProjectSettings({"default_voice": voice.id}))
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["ready"]


def test_another_voice_makes_the_block_stale_and_another_name_does_not(studio):
    it = studio("one two")
    it.clips.clips = lambda voice: ()
    voice = Voice(id="a" * 32, name="Ana", references=(VoiceClip("ana.wav", "b" * 64),))
    it.do(SetVoice(voice))
    it.do(SetBlockSettings((it.ids[0],), {"voice": voice.id}))
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.do(SetVoice(Voice(id="a" * 32, name="Anna", references=voice.references)))
    assert it.states() == ["ready"]
    it.do(SetVoice(Voice(id="a" * 32, name="Anna", references=(VoiceClip("new.wav", "e" * 64),))))
    assert it.states() == ["stale"]


def test_typing_in_a_block_that_is_spoken_ends_it_and_speaks_the_new_text(studio):
    it = studio("one two three four five six")
    it.backend.gate.clear()
    it.renderer.render(it.ids)
    it.run(lambda: it.states() == ["speaking"])
    it.do(ReplaceText(0, "one", "nine"))
    it.backend.gate.set()
    it.run(lambda: it.idle() and it.states() == ["ready"])
    assert it.backend.spoken == ["one two three four five six", "nine two three four five six"]
    assert [take.text for take in it.project.takes_of(it.ids[0])] == ["nine two three four five six"]


def test_splitting_a_block_that_is_spoken_speaks_what_is_left_of_it(studio):
    it = studio("one two three four five six")
    it.backend.gate.clear()
    it.renderer.render(it.ids)
    it.run(lambda: it.states() == ["speaking"])
    it.do(ReplaceText(len("one two three four"), " ", "\n"))
    it.backend.gate.set()
    it.run(lambda: it.idle() and it.states() == ["ready", "none"])
    assert it.backend.spoken[-1] == "one two three four"
    assert not it.renderer.report().failed


def test_a_line_in_letters_the_model_cannot_read_says_so(studio):
    it = studio("\u5979\u8bf4\u65e9\u4e0a\u597d", card=ModelCard("Small", characters="ascii"))
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["failed"]
    assert "Small cannot read" in it.renderer.reason(it.ids[0])


def test_cancelling_ends_at_once_and_keeps_what_there_is_marked(studio):
    it = studio(" ".join(["word"] * 200), "other")
    it.renderer.render(it.ids)
    it.run(lambda: (live := it.renderer.live(it.ids[0])) is not None and live.seconds > 0.3)
    it.renderer.cancel()
    it.run(it.idle)
    assert it.states() == ["suspicious", "none"]
    take = it.project.takes[it.project.block(it.ids[0]).chosen]
    assert take.state == "incomplete" and take.stop_reason == "cancelled" and take.seconds > 0.2


def test_a_paused_renderer_finishes_what_it_speaks_and_starts_nothing(studio):
    it = studio("one two", "three four", "five six")
    it.backend.gate.clear()
    it.renderer.render(it.ids)
    it.run(lambda: it.states()[0] == "speaking")
    it.renderer.pause()
    it.backend.gate.set()
    it.run(lambda: it.states()[0] == "ready")
    waiting = [state for state in it.states() if state == "queued"]
    assert waiting
    it.renderer.resume()
    it.run(it.idle)
    assert it.states() == ["ready"] * 3


def test_waiting_work_can_be_moved_forward(studio):
    it = studio(*[f"word {n}" for n in range(6)])
    it.backend.gate.clear()
    it.renderer.render(it.ids)
    waiting = [block_id for block_id, state in it.renderer.queue()]
    it.renderer.move([it.ids[5]], before=it.ids[3])
    assert [block_id for block_id, _ in it.renderer.queue()].index(it.ids[5]) < waiting.index(it.ids[5])
    it.backend.gate.set()
    it.run(it.idle)
    assert it.backend.spoken.index("word 5") < it.backend.spoken.index("word 4")


def test_long_text_is_spoken_in_pieces_that_go_on_from_each_other(studio):
    sentences = "This is a sentence of some words. " * 8
    it = studio(sentences.strip(), card=ModelCard("Tones", longest_piece_s=6.0))
    it.renderer.render(it.ids)
    it.run(it.idle)
    take = it.project.takes[it.project.block(it.ids[0]).chosen]
    assert len(take.pieces) > 1
    assert take.pieces[1].start_sample == take.pieces[0].n_samples
    assert sum(piece.n_samples for piece in take.pieces) == round(take.seconds * RATE)


def test_listening_hears_all_blocks_in_order_with_their_pauses(studio):
    it = studio("one two", "// note", "three [pause 1.0s] four", "five")
    heard, places, listening = it.hear(Range(it.ids[0]))
    assert not listening.problem
    speech = [frames * FRAME_SAMPLES for frames in (4, 2, 2, 2)]
    pauses = [it.project.settings.pauses.paragraph_s, 1.0, it.project.settings.pauses.paragraph_s]
    expected = sum(speech) + sum(round(pause * RATE) for pause in pauses)
    loud = np.flatnonzero(np.abs(heard).sum(axis=1) > 0.01)
    assert abs(loud[-1] - loud[0] - expected) < 0.02 * RATE
    assert list(dict.fromkeys(place.block_id for _, place in places)) == [it.ids[0], it.ids[2], it.ids[3]]
    it.run(it.idle)
    assert it.states() == ["ready", "none", "ready", "ready"]


def test_what_is_heard_while_it_is_made_is_what_is_heard_later(studio):
    it = studio("one two three", "four five [pause 0.3s] six", "seven")
    live, live_places, _ = it.hear(Range(it.ids[0]))
    again, places, _ = it.hear(Range(it.ids[0]))
    assert np.array_equal(live, again)
    assert len(it.backend.spoken) == 4


def test_a_line_without_words_is_passed_over(studio):
    it = studio("one two", "[pause 2s]", "* * *", "three")
    heard, places, listening = it.hear(Range(it.ids[0]))
    assert not listening.problem
    assert list(dict.fromkeys(place.block_id for _, place in places)) == [it.ids[0], it.ids[3]]
    loud = np.flatnonzero(np.abs(heard).sum(axis=1) > 0.01)
    assert abs(loud[-1] - loud[0] - (6 * FRAME_SAMPLES + 2 * RATE)) < 0.02 * RATE
    it.run(it.idle)
    assert it.states() == ["ready", "wordless", "wordless", "ready"]


def test_listening_from_inside_a_block_starts_there(studio):
    it = studio("one two three", "four five")
    whole, _, _ = it.hear(Range(it.ids[0]))
    part, places, _ = it.hear(Range(it.ids[0], offset_samples=10_000))
    assert np.array_equal(part, whole[-len(part) :])
    assert places[0][1].offset_samples == 10_000
    for at, place in places:
        if place.block_id == it.ids[0]:
            assert place.offset_samples == at + 10_000


def test_listening_to_a_range_ends_with_it(studio):
    it = studio("one two three", "four five")
    whole, _, _ = it.hear(Range(it.ids[0]))
    part, _, _ = it.hear(Range(it.ids[0], offset_samples=4_000, length_samples=20_000))
    assert len(part) == 20_000
    some, places, _ = it.hear(Range(it.ids[1], only=frozenset([it.ids[1]])))
    assert {place.block_id for _, place in places} == {it.ids[1]}
    assert len(some) < len(whole)


def test_speech_is_made_ahead_of_the_listener_but_not_further(studio):
    it = studio(*[f"some words of line number {n}" for n in range(40)])
    it.renderer.ahead_s = 5.0
    listening = Listening(it.renderer, it.calls.put, Range(it.ids[0]))
    it.run(lambda: listening.ready_samples > 2 * RATE)
    deadline = time.monotonic() + 1.0
    it.run(lambda: time.monotonic() > deadline)
    assert 3 * RATE < listening.ready_samples < 10 * RATE
    spoken = len(it.backend.spoken)
    for _ in range(3 * RATE // 960):
        listening.read(960)
    it.run(lambda: len(it.backend.spoken) > spoken)
    listening.close()
    it.run(lambda: it.renderer.listener is None and it.idle())


def test_edits_ahead_of_the_listener_are_heard(studio):
    it = studio("one two three four five six seven", "eight", "nine")
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.backend.gate.clear()
    it.do(ReplaceText(it.project.start_of(1), "eight", "ten"))
    listening = Listening(it.renderer, it.calls.put, Range(it.ids[0]))
    it.run(lambda: listening.ready_samples > RATE // 2)
    it.do(ReplaceText(it.project.start_of(2), "nine", "eleven"))
    it.backend.gate.set()

    def ended():
        while (block := listening.read(960)) is not None and len(block):
            pass
        return block is None

    it.run(ended)
    it.run(it.idle)
    assert it.backend.spoken[-2:] == ["ten", "eleven"]
    assert it.states() == ["ready"] * 3
    listening.close()


def test_what_a_pronunciation_makes_stale_is_spoken_again_ahead_of_a_listener(studio, caplog):
    it = studio("tomorrow one two three four five six seven", "tomorrow eight", "tomorrow nine")
    it.renderer.render(it.ids)
    it.run(it.idle)
    listening = Listening(it.renderer, it.calls.put, Range(it.ids[0]))
    it.run(lambda: listening.ready_samples > RATE // 2)
    it.do(SetLexicon((("tomorrow", "tomorrah"),)))
    assert not [each for each in caplog.records if each.levelname == "ERROR"], caplog.text
    it.run(lambda: it.states()[1:] == ["ready"] * 2)
    assert it.backend.spoken[-2:] == ["tomorrah eight", "tomorrah nine"]
    listening.close()


def test_takes_that_end_while_a_long_step_is_under_way_wait_for_it(studio):
    it = studio(*[f"many words of line {number}" for number in range(300)])
    it.backend.gate.clear()
    it.renderer.render(it.ids[:3])
    it.run(lambda: it.states()[0] == "speaking")
    commands = [ReplaceText(it.project.start_of(row), "many", "so many") for row in reversed(range(10, 300))]
    step = it.store.history.begin(Compound(tuple(commands), "Replace all"))
    step.advance(0.0001)
    it.backend.gate.set()
    ends_at_s = time.monotonic() + 0.3
    it.run(lambda: time.monotonic() > ends_at_s)
    assert not step.over and it.states()[:3] != ["ready"] * 3
    step.finish()
    it.run(it.idle)
    assert it.states()[:3] == ["ready"] * 3 and it.backend.spoken == [f"many words of line {row}" for row in range(3)]
    it.store.history.undo()
    assert "so many" not in it.project.text() and it.states()[:3] == ["ready"] * 3
    it.store.history.redo()
    assert it.project.text().count("so many") == 290


def test_a_take_that_waits_for_a_long_step_is_kept_when_the_project_is_closed(studio):
    it = studio(*[f"many words of line {number}" for number in range(300)])
    it.backend.gate.clear()
    it.renderer.render(it.ids[:1])
    it.run(lambda: it.states()[0] == "speaking")
    commands = [ReplaceText(it.project.start_of(row), "many", "so many") for row in reversed(range(10, 300))]
    step = it.store.history.begin(Compound(tuple(commands), "Replace all"))
    it.backend.gate.set()
    it.run(lambda: it.renderer._held)
    it.store.history.finish()
    it.renderer.set_store(None)
    (take,) = it.project.takes_of(it.ids[0])
    assert step.over and take.state == "done" and it.project.block(it.ids[0]).chosen == take.id


def type_on(it, text):
    """Letters of a person, in the last line, while time goes by."""
    for letter in text:
        it.do(ReplaceText(it.project.characters, "", letter))
        it.renderer.write_in(it.ids[-1])
        ends_at_s = time.monotonic() + 0.15
        it.run(lambda ends_at_s=ends_at_s: time.monotonic() > ends_at_s)


def test_half_a_line_is_not_spoken_ahead_of_a_listener(studio):
    it = studio("one")
    it.backend.gate.clear()
    listening = Listening(it.renderer, it.calls.put, Range(it.ids[0]))
    type_on(it, "\nhalf a li")
    assert not it.renderer.is_waiting(it.ids[1])
    it.do(ReplaceText(it.project.characters, "", "ne"))
    it.renderer.write_in("")  # the caret goes elsewhere: now it counts as written
    assert it.renderer.is_waiting(it.ids[1])
    it.backend.gate.set()
    it.run(it.idle)
    assert it.backend.spoken == ["one", "half a line"]
    listening.close()


def test_a_line_that_nothing_was_typed_in_for_a_while_is_spoken_ahead(studio):
    it = studio("one")
    it.backend.gate.clear()
    listening = Listening(it.renderer, it.calls.put, Range(it.ids[0]))
    type_on(it, "\nline")
    assert not it.renderer.is_waiting(it.ids[1])
    it.run(lambda: it.renderer.is_waiting(it.ids[1]))
    it.backend.gate.set()
    it.run(it.idle)
    assert it.backend.spoken == ["one", "line"]
    listening.close()


def test_who_asks_for_the_line_that_is_being_written_hears_it_as_it_is(studio):
    it = studio("one")
    it.renderer.write_in(it.ids[0])
    it.renderer.render(it.ids)
    assert it.renderer.queue()
    it.run(it.idle)
    it.do(ReplaceText(3, "", " two"))
    it.renderer.write_in(it.ids[0])
    listening = Listening(it.renderer, it.calls.put, Range(it.ids[0]))
    assert it.renderer.queue()  # at once
    it.run(it.idle)
    assert it.backend.spoken == ["one", "one two"]
    listening.close()


def test_a_listener_is_served_before_what_nobody_hears(studio):
    it = studio(*[f"some words of line number {n}" for n in range(12)])
    it.renderer.render(it.ids)
    listening = Listening(it.renderer, it.calls.put, Range(it.ids[8]))
    it.run(lambda: listening.ready_samples > RATE)
    assert it.backend.spoken.index("some words of line number 8") < 4
    listening.close()
    it.run(lambda: it.renderer.listener is None and it.idle())
    assert it.states() == ["ready"] * 12


def test_listening_to_a_line_that_fails_stops_there_and_says_why(studio):
    it = studio("one two", "three four", "five")
    it.backend.fails = {"three four": SpeechError("The server is gone.", "Start it again.")}
    heard, _, listening = it.hear(Range(it.ids[0]))
    assert "server is gone" in listening.problem
    assert len(heard)
    it.run(it.idle)
    assert it.states()[:2] == ["ready", "failed"]


def test_nobody_waits_out_the_length_of_a_line_that_failed(studio):
    it = studio("one", "two two two")
    it.do(SetBlockSettings((it.ids[1],), {"length": "fit", "target_s": 20.0}))
    it.backend.fails = {"two two two": SpeechError("The server is gone.", "Start it again.")}
    heard, places, listening = it.hear(Range(it.ids[0]))
    assert "server is gone" in listening.problem
    assert places[-1][1].block_id == it.ids[1] and len(heard) < 3 * RATE


def test_removing_a_block_that_waits_forgets_it(studio):
    it = studio("one two", "three four", "five six")
    it.backend.gate.clear()
    it.renderer.render(it.ids)
    gone = it.ids[2]
    it.do(ReplaceText(it.project.start_of(2) - 1, "\nfive six", ""))
    it.backend.gate.set()
    it.run(it.idle)
    assert gone not in it.ids and "five six" not in it.backend.spoken
    assert it.states() == ["ready", "ready"]


def test_a_line_spoken_in_another_project_is_not_spoken_again(studio):
    first = studio("one two [pause 0.5s] three", "four")
    first.renderer.render(first.ids)
    first.run(first.idle)
    first.renderer.close()
    second = studio("four", "one two [pause 0.2s] three", "five")
    second.renderer.render(second.ids)
    second.run(second.idle)
    assert second.backend.spoken == ["five"]
    assert second.states() == ["ready"] * 3
    mine, theirs = (
        second.project.takes[second.project.blocks[1].chosen],
        first.project.takes[first.project.blocks[0].chosen],
    )
    assert mine.pieces == theirs.pieces and mine.text == second.project.blocks[1].text
    assert np.array_equal(second.audio(mine), first.audio(theirs))


def test_a_damaged_cache_costs_nothing_but_the_work(studio, tmp_path):
    first = studio("one two")
    first.renderer.render(first.ids)
    first.run(first.idle)
    first.renderer.close()
    for path in (tmp_path / "takes").glob("*/*.flac"):
        path.write_bytes(path.read_bytes()[:200])
    second = studio("one two")
    second.renderer.render(second.ids)
    second.run(second.idle)
    assert second.states() == ["ready"] and second.backend.spoken == ["one two"]


def test_the_cache_stays_small_and_drops_what_was_not_used(tmp_path):
    import os

    from app.model.take import PieceAudio, Take

    cache = TakeCache(tmp_path, most_bytes=400_000)
    rng = np.random.default_rng(1)
    keys = [f"{n:064x}" for n in range(1, 7)]
    for age, key in enumerate(keys):
        samples = (rng.integers(-(2**20), 2**20, (24_000, 2)) / 2**23).astype(np.float32)
        cache.keep(
            Take(block_id="a" * 32, key=key, state="done", seconds=0.5, pieces=(PieceAudio(0, 24_000, 0),)), [samples]
        )
        for path in tmp_path.glob(f"*/{key}.json"):
            os.utime(path, (1_000_000 + age, 1_000_000 + age))
        cache.find(keys[0])
    assert sum(path.stat().st_size for path in tmp_path.glob("*/*")) <= 400_000
    assert cache.find(keys[0]) is not None and cache.find(keys[1]) is None and cache.find(keys[-1]) is not None
    assert np.array_equal(np.concatenate(list(cache.blocks(keys[-1]))), samples)


def test_shapes_are_found_again_and_a_damaged_one_is_made_anew(studio, tmp_path, monkeypatch):
    it = studio("one two [pause 0.5s] three")
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.run(lambda: list((tmp_path / "shapes").glob("*/*")) != [])
    made = it.renderer.shape(it.project.blocks[0])
    it.renderer.set_store(it.store)
    read = []
    monkeypatch.setattr(it.store.takes, "read", lambda *a: read.append(a))
    it.renderer.measure(it.ids)
    it.run(lambda: it.renderer.shape(it.project.blocks[0]) is not None)
    kept = it.renderer.shape(it.project.blocks[0])
    assert not read and kept.samples == made.samples and np.array_equal(kept.bins(1)[0], made.bins(1)[0])
    assert it.renderer.states.length_s(it.project.blocks[0]) == (made.samples / RATE, True)
    monkeypatch.undo()
    for path in (tmp_path / "shapes").glob("*/*"):
        path.write_bytes(path.read_bytes()[:-3])
    it.renderer.set_store(it.store)
    it.renderer.measure(it.ids)
    it.run(lambda: it.renderer.shape(it.project.blocks[0]) is not None)
    assert np.array_equal(it.renderer.shape(it.project.blocks[0]).bins(1)[0], made.bins(1)[0])


def test_a_longer_pause_is_in_the_length_at_once_and_in_the_shape_soon(studio):
    it = studio("one two [pause 0.5s] three", "four")
    it.renderer.render(it.ids)
    it.run(it.idle)
    states, before = it.renderer.states, it.renderer.shape(it.project.blocks[0]).samples
    assert states.length_s(it.project.blocks[0]) == (before / RATE, True)
    it.do(ReplaceText(8, "[pause 0.5s]", "[pause 1.7s]"))
    block = it.project.blocks[0]
    assert not states.is_stale(block, states.take(block)) and not it.renderer.is_measured(block)
    assert states.length_s(block)[0] == pytest.approx(before / RATE + 1.2, abs=0.001)
    it.renderer.measure(it.ids)
    it.run(lambda: it.renderer.shape(it.project.blocks[0]).samples != before)
    assert it.renderer.shape(it.project.blocks[0]).samples == pytest.approx(before + 1.2 * RATE, abs=2)
    assert states.length_s(block) == (it.renderer.shape(block).samples / RATE, True) and it.renderer.is_measured(block)


def test_a_line_that_does_not_fit_its_length_says_by_how_much(studio):
    from app.ui.editor.block_info import length_warning

    it = studio("one two three four five", "six seven eight nine ten")
    it.renderer.render(it.ids)
    it.run(it.idle)
    natural_s = it.renderer.states.length_s(it.project.blocks[0])[0]
    near, far = round(natural_s * 1.05, 2), round(natural_s * 1.3, 2)
    it.do(SetBlockSettings((it.ids[0],), {"length": "fit", "target_s": near}))
    it.do(SetBlockSettings((it.ids[1],), {"length": "fit", "target_s": far}))
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.renderer.measure(it.ids)
    it.run(lambda: all(it.renderer.states.length_s(block)[1] for block in it.project.blocks))
    said = [length_warning(it, block) for block in it.project.blocks]
    lasts_s = it.renderer.states.length_s(it.project.blocks[1])[0]
    assert said[0] == "" and lasts_s < far - 0.1
    assert said[1].startswith(f"It lasts {lasts_s:.1f} s, {far - lasts_s:.1f} s too short.")


def test_a_changed_line_is_as_long_as_what_is_still_heard_of_it(studio):
    it = studio("one two [pause 0.5s] three", "four")
    it.renderer.render(it.ids)
    it.run(it.idle)
    before = it.renderer.states.length_s(it.project.blocks[0])
    it.do(ReplaceText(0, "one", "ten and one"))
    block = it.project.blocks[0]
    assert it.renderer.states.is_stale(block, it.renderer.states.take(block))
    assert it.renderer.states.length_s(block) == before and it.renderer.is_measured(block)


def test_another_model_speaks_what_the_one_before_was_speaking(studio):
    it = studio("one two three", "four")
    it.backend.gate.clear()
    it.renderer.render(it.ids)
    it.run(lambda: it.states()[0] == "speaking")
    it.renderer.set_engine(None, it.backend.card)
    it.engine.close()
    it.run(lambda: not it.renderer.figures().speaking)
    assert it.states() == ["queued", "queued"]
    other = ToneBackend(it.backend.card)
    engine = Engine(other)
    engine.start()
    engine.ready(5)
    it.renderer.set_engine(engine, other.card)
    it.run(it.idle)
    assert it.states() == ["ready", "ready"] and sorted(other.spoken) == ["four", "one two three"]
    engine.close()


def test_lines_that_were_not_selected_and_locked_ones_without_a_take_are_not_heard(studio):
    it = studio("one two", "three four", "five six", "seven")
    it.do(SetBlockSettings((it.ids[2],), {"locked": True}))
    heard, places, listening = it.hear(Range(it.ids[0], only=frozenset((it.ids[0], it.ids[2], it.ids[3]))))
    assert not listening.problem
    assert list(dict.fromkeys(place.block_id for _, place in places)) == [it.ids[0], it.ids[3]]
    loud = np.flatnonzero(np.abs(heard).sum(axis=1) > 0.01)
    pause_s = it.project.settings.pauses.paragraph_s
    assert abs(loud[-1] - loud[0] - (6 * FRAME_SAMPLES + pause_s * RATE)) < 0.02 * RATE
    it.run(it.idle)
    assert it.backend.spoken == ["one two", "seven"]


def test_a_fitted_line_is_heard_fitted_and_the_next_follows_it(studio):
    it = studio("one two three four five six", "seven")
    whole, _, _ = it.hear(Range(it.ids[0]))
    it.run(it.idle)
    it.do(SetBlockSettings((it.ids[0],), {"length": "fit", "target_s": 0.94}))
    fitted, places, listening = it.hear(Range(it.ids[0]))
    assert not listening.problem
    assert list(dict.fromkeys(place.block_id for _, place in places)) == it.ids
    assert 0 < len(fitted) <= len(whole)


def test_lines_that_last_longer_than_they_speak_are_heard_as_they_are_exported(studio):
    it = studio("one two three", "[pause 0.3s] four five [pause 0.2s] six", "seven", "// a note", "[pause 0.7s]")
    it.do(SetBlockSettings(tuple(it.ids[:2]), {"length": "fit", "target_s": 2.5}))
    while_made, _, listening = it.hear(Range(it.ids[0]))
    it.run(it.idle)
    later, places, _ = it.hear(Range(it.ids[0]))
    excerpt = Excerpt(it.project, it.ids, it.renderer.states.manner)
    actions = programme(it.project, it.ids, it.store.read_take, excerpt.plan)
    exported = np.concatenate(list(mix(actions, Mixer(mix_settings(it.project.settings)))))
    assert not listening.problem
    assert np.array_equal(while_made, later) and np.array_equal(later, exported)
    starts = [next(at for at, place in places if place.block_id == block_id) / RATE for block_id in it.ids[:3]]
    assert np.diff(starts) == pytest.approx([2.5 + 0.3, 2.5 + 0.45], abs=0.06)  # told in steps of 20 ms
    from_second, _, _ = it.hear(Range(it.ids[1]))
    assert len(from_second) == pytest.approx(len(exported) - starts[1] * RATE, abs=0.35 * RATE)


def test_what_the_model_does_not_follow_makes_nothing_stale(studio):
    it = studio("one two", card=ModelCard("Small", length=False, instruction=False, sampling_fields=()))
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.do(
        SetBlockSettings((it.ids[0],), {"length": "fit", "target_s": 0.5, "instruction": "softly", "temperature": 0.3})
    )
    assert it.states() == ["ready"]


def test_a_new_lexicon_makes_only_lines_stale_that_sound_different(studio):
    it = studio("one two", "three four")
    it.renderer.render(it.ids)
    it.run(it.idle)
    it.do(SetLexicon((("three", "drei"),)))
    assert it.states() == ["ready", "stale"]
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["ready", "ready"] and it.backend.spoken[-1] == "drei four"


def test_a_line_that_the_model_cannot_read_whole_is_suspicious_and_says_why(studio):
    it = studio("one two \u4f60\u597d", "three", card=ModelCard("Letters", characters="ascii"))
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["suspicious", "ready"]
    assert "cannot read" in it.renderer.reason(it.ids[0]) and it.renderer.reason(it.ids[1]) == ""
    assert it.renderer.report().suspicious == (it.ids[0],)
    it.do(ReplaceText(8, "\u4f60\u597d", "four"))
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["ready", "ready"]


def test_other_rules_of_tidying_make_only_lines_stale_that_sound_different(studio, monkeypatch):
    it = studio("one two", "three -- four")
    it.do(SetProjectSettings({"normalise": True}))
    it.renderer.render(it.ids)
    it.run(it.idle)
    assert it.states() == ["ready", "ready"] and it.backend.spoken[-1] == "three. four"
    monkeypatch.setattr("engine.text.normalize._RULES", ())
    monkeypatch.setattr("app.services.speaking.NORMALISER_VERSION", "of a later studio")
    it.renderer.states.forget()
    assert it.states() == ["ready", "stale"]


LONG = " ".join(f"This is sentence number {number} of a rather long line." for number in range(12))


def test_habits_count_at_once_and_make_stale_only_what_would_sound_different(tmp_path):
    studio = Studio(tmp_path, ["A short one.", LONG])
    short, long = studio.ids
    studio.renderer.set_habits(Habits(longest_piece_s=15.0))
    studio.renderer.render(studio.ids)
    studio.run(lambda: not studio.renderer.queue())
    pieces = len(studio.project.takes[studio.project.block(long).chosen].pieces)
    assert pieces > 1
    studio.renderer.set_habits(Habits(longest_piece_s=15.0, continuation=False))
    assert [studio.renderer.state(each) for each in (short, long)] == ["ready", "stale"]
    key = studio.project.takes[studio.project.block(long).chosen].key
    studio.renderer.render(studio.ids)
    studio.run(lambda: not studio.renderer.queue())
    assert studio.project.takes[studio.project.block(long).chosen].key != key
    assert all(job is None for job in studio.backend.continued[-pieces:])
    studio.renderer.set_habits(Habits())
    assert [studio.renderer.state(each) for each in (short, long)] == ["ready", "stale"]
    studio.renderer.render(studio.ids)
    studio.run(lambda: not studio.renderer.queue())
    assert len(studio.project.takes[studio.project.block(long).chosen].pieces) == 1
    studio.close()


def test_with_fresh_seeds_every_making_takes_another_but_a_line_keeps_its_own(tmp_path):
    studio = Studio(tmp_path, ["One of them.", "Two of them.", "Three of them."])
    studio.renderer.set_habits(Habits(fresh_seeds=True))
    studio.do(SetBlockSettings((studio.ids[2],), {"seed": 7}))
    studio.renderer.render(studio.ids)
    studio.run(lambda: not studio.renderer.queue())
    one, two, three = (studio.project.takes[block.chosen].seed for block in studio.project.blocks)
    assert len({one, two, studio.project.settings.seed}) == 3 and three == 7
    studio.renderer.set_habits(Habits())
    assert all(studio.renderer.state(each) == "ready" for each in studio.ids)
    studio.close()
