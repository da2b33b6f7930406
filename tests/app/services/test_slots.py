"""Lines with a length to fit last what was asked, so that what follows begins at its time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_projects import RATE, Studio, plan, studio, voiced

from app.model.block import Block, BlockSettings
from app.model.history import History
from app.model.project import Project
from app.model.project_settings import ProjectSettings
from app.services.block_states import BlockStates
from app.services.excerpt import Excerpt, heard_shape
from app.services.exporter_plan import spoken_blocks
from app.services.importers import preview_file
from app.services.importers.apply import import_command
from app.services.mixer import Mixer
from app.services.playing import Place
from app.services.programme import BeginPiece, Rest, mix, programme
from app.services.speaking import Manner
from app.services.subtitles import Cue, cues_of, srt, vtt
from app.services.timeline import Timeline
from engine import FULL_SIZE_CARD

NEAR_S = 0.05


def hear(made: Studio, **kw) -> tuple[np.ndarray, Mixer]:
    mixer = Mixer()
    ids = [block.id for block in made.project.blocks]
    out = list(mix(programme(made.project, ids, made.read, plan, **kw), mixer))
    return np.concatenate(out) if out else np.zeros((0, 2), np.float32), mixer


def starts_s(made: Studio, mixer: Mixer) -> list[float]:
    first = {span.block_id: span.start_sample / RATE for span in reversed(mixer.spans)}
    return [first[block.id] for block in made.project.blocks if block.id in first]


def speak(project: Project, seconds: list[float]) -> Studio:
    """Takes for the lines of a project, each piece of a line so many seconds long."""
    made, blocks, takes = Studio(project), [], []
    for index, block in enumerate(project.blocks):
        pieces = plan(block, block.text).pieces
        if not pieces:
            blocks.append(block)
            continue
        assert all(piece.text for piece in pieces)
        take = made.add_take(
            block, {number: voiced(seconds[index], seed=index * 10 + number) for number in range(len(pieces))}
        )
        takes.append(take)
        blocks.append(replace(block, takes=(take.id,), chosen=take.id))
    made.project = Project(blocks, takes=takes, settings=project.settings)
    return made


def line(text: str, target_s: float) -> Block:
    return Block(text=text, settings=BlockSettings(length="fit", target_s=target_s))


LINES = st.lists(
    st.tuples(
        st.lists(st.sampled_from([0.0, 0.05, 0.2, 0.7, 1.3]), max_size=2),  # pauses inside
        st.floats(0.2, 1.2),  # seconds of a piece
        st.floats(0.3, 4.0),  # the length asked for
        st.sampled_from([None, 0.0, 0.03, 0.4, 1.1]),  # a pause written after it
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=40, deadline=None)
@given(LINES)
def test_lines_that_fit_last_what_was_asked_and_what_is_too_long_pushes_the_rest(lines) -> None:
    texts = []
    for number, (inside, _, target_s, after) in enumerate(lines):
        words = ["Here it is."] + [f"[pause {pause}s] And more." for pause in inside]
        text = " ".join(words) + ("" if after is None else f" [pause {after}s]")
        texts.append(line(f"{text}" if number else text, round(target_s, 3)))
    made = speak(Project(texts), [piece_s for _, piece_s, _, _ in lines])
    heard, mixer = hear(made)
    starts = starts_s(made, mixer)
    expected_s = starts[0]
    for number, (inside, piece_s, target_s, after) in enumerate(lines):
        assert starts[number] == pytest.approx(expected_s, abs=NEAR_S)
        shortest_s = piece_s * (len(inside) + 1) * 0.92 + sum(inside)
        expected_s += max(round(target_s, 3), shortest_s) + (0.45 if after is None else after)
    if lines[-1][3] is None:
        expected_s -= 0.45
    assert len(heard) / RATE == pytest.approx(expected_s, abs=NEAR_S + 0.06)  # a tail that no pause holds is kept


def test_a_line_of_many_pieces_lasts_what_was_asked_to_the_sample() -> None:
    text = " [pause 0.1s] ".join(["More."] * 25)
    made = speak(Project([line(text, 16.0), Block(text="End.")]), [0.4, 0.5])
    starts = starts_s(made, hear(made)[1])
    assert starts[1] - starts[0] == pytest.approx(16.0 + 0.45, abs=1.5 / RATE)


def test_the_last_line_is_followed_by_silence_up_to_its_length() -> None:
    made = speak(Project([line("Here it is.", 3.0)]), [1.0])
    heard, mixer = hear(made)
    span = mixer.spans[0]
    assert len(heard) - span.start_sample == 3 * RATE
    assert not heard[span.end_sample + round(0.06 * RATE) :].any()


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.0, 3.0), st.floats(0.5, 3.0), st.floats(0.2, 1.08)), min_size=1, max_size=5),
    st.sampled_from(["srt", "vtt"]),
)
def test_imported_subtitles_begin_at_their_cues_and_come_back_with_them(tmp_path_factory, cues, kind: str) -> None:
    wanted, at_s = [], 0.0
    for number, (gap_s, slot_s, _) in enumerate(cues):
        start_s = round(at_s + gap_s, 3)
        wanted.append(Cue(start_s, round(start_s + slot_s, 3), (f"Cue {number} is here.",)))
        at_s = wanted[-1].end_s
    path: Path = tmp_path_factory.mktemp("cues") / f"a.{kind}"
    path.write_text(srt(wanted) if kind == "srt" else vtt(wanted), encoding="utf-8")
    project = Project()
    History(project).do(import_command(project, preview_file(path), position=0))
    # Up to 8 % longer than its slot, and down to a fifth of it.
    made = speak(project, [share * slot_s for _, slot_s, share in cues])
    _, mixer = hear(made)
    assert starts_s(made, mixer) == pytest.approx([cue.start_s for cue in wanted], abs=NEAR_S)
    again = cues_of(spoken_blocks(made.project, mixer.spans, (), plan))
    assert [cue.start_s for cue in again] == pytest.approx([cue.start_s for cue in wanted], abs=NEAR_S)
    speech_s = {span.block_id: span.end_sample / RATE for span in mixer.spans}
    assert [cue.end_s for cue in again] == pytest.approx(list(speech_s.values()), abs=0.001)


def test_a_recording_of_a_line_with_pauses_lasts_what_was_asked_too() -> None:
    made = studio([line("One is here. [pause 1s] Two is there.", 3.0), "Next."], seconds=1.0)
    block = made.project.blocks[0]
    take = replace(made.project.takes[block.chosen], pieces=(), seconds=1.5)
    made.audio[take.id] = voiced(1.0)
    made.project = Project(made.project.blocks, takes=[take, *list(made.project.takes.values())[1:]])
    starts = starts_s(made, hear(made)[1])
    assert starts[1] - starts[0] == pytest.approx(3.45, abs=1.5 / RATE)


@pytest.mark.parametrize("tail_s", [0.0, 0.4, 2.0])
def test_a_line_that_is_too_short_is_the_same_while_it_is_made_and_later(tail_s: float) -> None:
    lines = [line("One. [pause 0.5s] Two.", 4.0), line("Three.", 0.9), line("Four.", 2.0)]
    made = studio(lines, seconds=1.0, tail_s=tail_s)
    finished, _ = hear(made)

    def live(block: Block):
        """All of every piece, with the silence at its end that nobody could know to be its end."""
        take = made.project.takes[block.chosen]
        audio = made.audio[take.id]
        return ([audio[p.start_sample : p.start_sample + p.n_samples]] for p in take.pieces)

    np.testing.assert_array_equal(hear(made, live=live)[0], finished)


def test_only_lines_that_are_to_fit_are_followed_by_silence() -> None:
    lines = [Block(text="One.", settings=BlockSettings(length=length, target_s=4.0)) for length in ("target", "fit")]
    made = studio([*lines, "Two."], seconds=1.0)
    ids = [block.id for block in made.project.blocks]
    actions = list(programme(made.project, ids, made.read, plan))
    rests = [number for number, action in enumerate(actions) if isinstance(action, Rest)]
    begun = [action.block_id for action in actions[: rests[0]] if isinstance(action, BeginPiece)]
    assert len(rests) == 1 and begun == ids[:2]
    assert actions[rests[0]].seconds == pytest.approx(4.0 - 1.08, abs=0.02)


# -- where lines lie in the programme


def lay_out(made: Studio) -> tuple[Timeline, BlockStates]:
    """The timeline of lines that were all measured as they are heard."""
    states = BlockStates()
    states.store, states.card = SimpleNamespace(project=made.project), FULL_SIZE_CARD
    for block in made.project.blocks:
        take = states.take(block)
        if take is not None:
            manner = Manner(FULL_SIZE_CARD, made.project.settings, (), None)
            excerpt = Excerpt(made.project, [block.id], lambda _, manner=manner: manner)
            samples, _ = heard_shape(excerpt, block, None, made.read)
            states.measured_samples[take.id] = (states.heard_as(block, take), samples)
    return Timeline(states, lambda _: 0.0), states


SCRIPT = [
    line("[pause 1s] One is here. [pause 0.3s] And more.", 4.0),
    "Two.",
    line("[pause 2s][pause 0.25s] Three.", 1.0),
    "# Four [pause 0.2s]",
    "[pause 0.6s]",
    "// a note",
    "[pause 0.1s] Five [pause 3s] [length 2s]",
    "",
    line("Six.", 0.3),
    line("Seven.", 2.5),
]


def test_the_timeline_has_every_line_where_it_is_heard() -> None:
    made = studio(SCRIPT, seconds=1.0, settings=ProjectSettings(headings_spoken=True))
    heard, mixer = hear(made)
    timeline, states = lay_out(made)
    spans = [span for span in mixer.spans if span.end_sample > span.start_sample]
    origin_s = spans[0].start_sample / RATE
    for block, start_s in zip(
        [block for block in made.project.blocks if block.chosen], starts_s(made, mixer), strict=True
    ):
        row = timeline.row(block.id)
        assert row is not None and row.measured
        assert row.start_s == pytest.approx(start_s - origin_s, abs=0.001)
        speech_s = max(span.end_sample for span in spans if span.block_id == block.id) / RATE - start_s
        assert row.length_s == pytest.approx(speech_s, abs=0.001)
        assert timeline.place_at(row.start_s + 0.1) == Place(block.id, round(0.1 * RATE))
    assert timeline.total_s == pytest.approx(len(heard) / RATE - origin_s, abs=0.001)
    assert states.length_s(made.project.blocks[-1])[0] == pytest.approx(1.08, abs=0.02)


def test_the_playhead_goes_on_through_the_silence_of_a_line() -> None:
    made = studio([line("One.", 3.0), line("Two.", 2.0)], seconds=1.0)
    timeline, _ = lay_out(made)
    first, second = (block.id for block in made.project.blocks)
    assert timeline.seconds_of(Place(first, 2 * RATE)) == pytest.approx(2.0)
    assert timeline.seconds_of(Place(second, 9 * RATE)) == pytest.approx(3.0 + 0.45 + 2.0)


def test_a_changed_pause_moves_what_follows_it_in_the_timeline() -> None:
    made = studio([Block(text="One."), Block(text="[pause 2s] Two.")], seconds=1.0)
    timeline, states = lay_out(made)
    ids = [block.id for block in made.project.blocks]
    before_s = timeline.row(ids[1]).start_s
    changed = replace(made.project.blocks[1], text="[pause 0.5s] Two.")
    made.project = Project([made.project.blocks[0], changed], takes=list(made.project.takes.values()))
    states.store.project = made.project
    timeline.touch(changed.id)
    assert timeline.row(ids[1]).start_s == pytest.approx(before_s - 1.5)


def test_a_line_that_was_not_spoken_yet_is_expected_to_last_what_was_asked() -> None:
    made = studio([line("One, and a good many words more than that.", 2.0), "Two."], unspoken=(0, 1))
    timeline, _ = lay_out(made)
    assert timeline.row(made.project.blocks[1].id).start_s == pytest.approx(2.45)
