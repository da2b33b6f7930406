"""The programme: which pauses stand where, and that playing and exporting are the same samples."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from made_projects import RATE, Studio, plan, studio, voiced

from app.model.block import Block, BlockSettings
from app.model.project import Project
from app.model.project_settings import ProjectSettings
from app.services.excerpt import Excerpt, heard_shape
from app.services.live_take import LiveTake
from app.services.mixer import Mixer, MixSettings
from app.services.programme import Feed, MissingTake, Silence, heard_pieces, mix, programme
from app.services.speaking import Manner
from engine import FULL_SIZE_CARD


def hear(made: Studio, ids: list[str] | None = None, **kw) -> tuple[np.ndarray, Mixer]:
    mixer = Mixer()
    ids = ids or [block.id for block in made.project.blocks]
    out = list(mix(programme(made.project, ids, made.read, plan, **kw), mixer))
    return np.concatenate(out) if out else np.zeros((0, 2), np.float32), mixer


def gaps(mixer: Mixer) -> list[float]:
    return [(b.start_sample - a.end_sample) / RATE for a, b in zip(mixer.spans, mixer.spans[1:], strict=False)]


def silences(made: Studio) -> list[float]:
    ids = [block.id for block in made.project.blocks]
    return [a.seconds for a in programme(made.project, ids, made.read, plan) if isinstance(a, Silence)]


def test_paragraphs_scenes_chapters_and_headings_have_their_pauses() -> None:
    made = studio(
        ["# One", "First.", "Second.", "", "Third.", "## Scene", "Fourth.", "// a note", "Fifth.", "# Two", "Sixth."]
    )
    assert silences(made) == pytest.approx([1.0, 0.45, 0.85, 1.5, 1.0, 0.45, 2.5, 1.0])


def test_headings_that_are_not_spoken_leave_their_pause() -> None:
    made = studio(
        ["# One", "First.", "## Scene", "Second.", "# Two", "Third."], settings=ProjectSettings(headings_spoken=False)
    )
    assert silences(made) == pytest.approx([1.5, 2.5])


def test_a_written_pause_takes_the_place_of_the_pause_between_paragraphs() -> None:
    made = studio(["First.[pause 2s]", "Second.", "[pause 1.5s]", "Third. [pause 0.3s] Fourth."])
    assert silences(made) == pytest.approx([2.0, 1.5, 0.3])
    _, mixer = hear(made)
    assert gaps(mixer) == pytest.approx([2.0, 1.5, 0.3], abs=0.02)


def test_pauses_at_the_start_and_at_the_end_of_the_programme_are_heard() -> None:
    made = studio(["[pause 1s]First.[pause 2s]"])
    out, mixer = hear(made)
    (span,) = mixer.spans
    assert span.start_sample == pytest.approx(RATE, abs=0.02 * RATE)
    assert len(out) - span.end_sample == pytest.approx(2 * RATE, abs=0.02 * RATE)


def test_changing_only_a_pause_uses_the_same_take_with_the_new_pause() -> None:
    made = studio(["One. [pause 0.5s] Two."])
    block = made.project.blocks[0]
    changed = Studio(
        Project([replace(block, text="One. [pause 3s] Two.")], takes=made.project.takes.values()), made.audio
    )
    _, mixer = hear(changed)
    assert gaps(mixer) == pytest.approx([3.0], abs=0.02)


def test_a_stale_take_keeps_the_pauses_it_was_made_with() -> None:
    made = studio(["One. [pause 0.5s] Two."])
    block = made.project.blocks[0]
    changed = Studio(Project([replace(block, text="Something else.")], takes=made.project.takes.values()), made.audio)
    out, mixer = hear(changed)
    assert gaps(mixer) == pytest.approx([0.5], abs=0.02)


def test_a_block_without_a_take_is_named() -> None:
    made = studio(["First.", "Second."], unspoken=(1,))
    with pytest.raises(MissingTake, match="Second") as caught:
        hear(made)
    assert caught.value.block_id == made.project.blocks[1].id


def test_a_recording_stands_for_its_whole_block() -> None:
    made = studio(["One. [pause 0.5s] Two. [pause 1s]"])
    block = made.project.blocks[0]
    take = made.project.takes[block.chosen]
    recorded = Studio(Project([block], takes=[replace(take, pieces=())]), made.audio)
    out, mixer = hear(recorded)
    assert len(mixer.spans) == 1
    assert mixer.spans[0].end_sample - mixer.spans[0].start_sample == pytest.approx(
        len(made.audio[take.id]) - 0.5 * RATE, abs=500
    )
    assert len(out) - mixer.spans[0].end_sample == pytest.approx(RATE, abs=960)


def test_no_piece_of_a_take_is_lost_when_the_text_is_cut_in_fewer_pieces_now() -> None:
    made = studio(["One. [pause 0.5s] Two."])
    block = made.project.blocks[0]
    take = made.project.takes[block.chosen]
    whole = replace(block, text="One. Two.")
    changed = Studio(Project([whole], takes=[replace(take, text="One. Two.")]), made.audio)
    _, mixer = hear(changed)
    assert len(mixer.spans) == 2


def test_gain_of_the_block_and_of_its_voice_add_up() -> None:
    made = studio([Block(text="First.", settings=BlockSettings(gain_db=-4.0))])
    quiet, _ = hear(made, gain_db=lambda block: -2.0)
    plain, _ = hear(
        Studio(
            Project([replace(made.project.blocks[0], settings=BlockSettings())], takes=made.project.takes.values()),
            made.audio,
        )
    )
    assert 20 * np.log10(np.abs(quiet).max() / np.abs(plain).max()) == pytest.approx(-6.0, abs=0.01)


def test_the_gain_of_a_voice_is_that_of_all_its_lines_and_of_no_other() -> None:
    ana, model = BlockSettings(voice="a" * 32), BlockSettings()
    made = studio([Block(text="First.", settings=ana), Block(text="Second.", settings=replace(ana, gain_db=-1.0))])
    loud = Studio(
        Project(
            list(made.project.blocks),
            takes=made.project.takes.values(),
            settings=ProjectSettings(voice_gains_db={"a" * 32: -5.0, "": 3.0}),
        ),
        made.audio,
    )
    levels = []
    for each in (made, loud):
        out, mixer = hear(each)
        levels.append([np.abs(out[span.start_sample : span.end_sample]).max() for span in mixer.spans])
    changes_db = 20 * np.log10(np.array(levels[1]) / np.array(levels[0]))
    assert changes_db == pytest.approx([-5.0, -5.0], abs=0.01)
    assert loud.project.settings.gain_db(Block(settings=model)) == 3.0
    assert loud.project.settings.gain_db(made.project.blocks[1]) == -6.0


def test_the_shape_of_a_line_is_the_same_whatever_its_gain_is_when_it_is_measured() -> None:
    shapes = []
    for gain_db, of_the_voice in ((0.0, {}), (-20.0, {}), (6.0, {"": 9.0})):
        line = Block(text="First. [pause 0.5s] Second.", settings=BlockSettings(gain_db=gain_db))
        made = studio([line], settings=ProjectSettings(voice_gains_db=of_the_voice))
        manner = Manner(FULL_SIZE_CARD, made.project.settings, (), None)
        excerpt = Excerpt(made.project, [made.project.blocks[0].id], lambda _, manner=manner: manner)
        samples, shape = heard_shape(excerpt, made.project.blocks[0], None, made.read)
        shapes.append((samples, shape.to_bytes()))
    assert shapes[0] == shapes[1] == shapes[2] and any(shapes[0][1])


@pytest.mark.parametrize("asked_s", [2.9, 3.0, 3.1, 3.2])
def test_a_block_that_shall_fit_lasts_what_was_asked(asked_s: float) -> None:
    settings = BlockSettings(length="fit", target_s=asked_s)
    made = studio([Block(text="One is here. [pause 1s] Two is there.", settings=settings)], seconds=1.0)
    _, mixer = hear(made)
    lasted = (mixer.spans[-1].end_sample - mixer.spans[0].start_sample) / RATE
    assert lasted == pytest.approx(asked_s, abs=0.05)


def test_audio_that_is_still_being_made_is_heard_like_a_finished_take() -> None:
    made = studio(["One. [pause 0.5s] Two.", "Three."])
    finished, _ = hear(made)

    def live(block: Block):
        if block.id != made.project.blocks[0].id:
            return None
        take = made.project.takes[block.chosen]
        audio = made.audio[take.id]
        return (
            iter(
                [
                    audio[p.start_sample + at : min(p.start_sample + p.n_samples, p.start_sample + at + 3840)]
                    for at in range(0, p.n_samples, 3840)
                ]
            )
            for p in take.pieces
        )

    np.testing.assert_array_equal(hear(made, live=live)[0], finished)


@pytest.mark.parametrize("tail_s", [0.2, 0.45, 0.55, 0.9, 1.0, 1.95, 3.3])
@pytest.mark.parametrize("pause_s", [0.1, 0.5])
def test_a_pause_is_exact_however_long_the_model_fell_silent_before_it(tail_s: float, pause_s: float) -> None:
    made = studio([f"One. [pause {pause_s}s] Two.", "Three."], seconds=1.3, tail_s=tail_s)
    _, mixer = hear(made)
    assert gaps(mixer) == pytest.approx([pause_s, 0.45], abs=0.02)


def test_a_long_silence_inside_a_piece_is_left_alone() -> None:
    made = studio(["One."])
    take = made.project.takes[made.project.blocks[0].chosen]
    inside = np.concatenate((voiced(0.7), np.zeros((round(2.6 * RATE), 2), np.float32), voiced(0.7)))
    made.audio[take.id] = inside
    longer = replace(take, seconds=len(inside) / RATE, pieces=(replace(take.pieces[0], n_samples=len(inside)),))
    made.project.put_take(longer)
    out, mixer = hear(made)
    (span,) = mixer.spans
    assert span.end_sample - span.start_sample == pytest.approx(4.5 * RATE, abs=0.02 * RATE)
    # The same samples but for the fades at both ends
    assert np.array_equal(out[span.start_sample + 2_000 : span.end_sample - 2_000], inside[12_000 + 2_000 : -14_000])


def live_take(made: Studio, block: Block) -> LiveTake:
    """The take of a block, complete but still in memory, in chunks of a frame."""
    take = made.project.takes[block.chosen]
    live = LiveTake(take.id, block.id, block.text, len(take.pieces))
    for number, part in enumerate(take.pieces):
        for at in range(0, part.n_samples, 3_840):
            start = part.start_sample + at
            live.add(number, made.audio[take.id][start : min(start + 3_840, part.start_sample + part.n_samples)])
        live.end_piece(number)
    live.end()
    return live


@pytest.mark.parametrize("tail_s", [0.0, 0.7, 2.9])
def test_pieces_that_were_made_ahead_are_heard_like_a_finished_take(tail_s: float) -> None:
    made = studio(["One. [pause 0.5s] Two.", "Three."], tail_s=tail_s)
    finished, _ = hear(made)
    heard, _ = hear(made, live=lambda block: live_take(made, block).pieces(threading.Event()))
    np.testing.assert_array_equal(heard, finished)


def test_a_piece_that_ends_while_it_is_heard_leaves_out_the_silence_that_is_still_to_come() -> None:
    made = studio(["One."], tail_s=3.0)
    block = made.project.blocks[0]
    chunks = list(live_take(made, block).everything())
    live = LiveTake("t", block.id, block.text, 1)
    live.add(0, chunks[0])
    pieces = live.pieces(threading.Event())
    reading = next(pieces)
    got = [next(reading)]
    for chunk in chunks[1:]:
        live.add(0, chunk)
    live.end_piece(0)
    got += list(reading)
    np.testing.assert_array_equal(np.concatenate(got), next(iter(heard_arrays(made, block))))


def heard_arrays(made: Studio, block: Block) -> list[np.ndarray]:
    return [np.concatenate(list(piece)) for piece in heard_pieces(made.project.takes[block.chosen], made.read)]


def test_a_long_programme_is_read_a_second_at_a_time() -> None:
    made = studio(["One."])
    block = made.project.blocks[0]
    take = replace(made.project.takes[block.chosen], seconds=60.0, pieces=())
    asked = []

    def read(take_id: str, start: int, n: int) -> np.ndarray:
        asked.append(n)
        return voiced(0.5)[:n]

    project = Project([block], takes=[take])
    sizes = [len(a.samples) for a in programme(project, [block.id], read, plan) if isinstance(a, Feed)]
    assert max(asked) <= RATE
    assert max(sizes) <= RATE


def test_room_tone_of_the_project_is_under_every_pause() -> None:
    made = studio(["First.[pause 2s]", "Second."])
    mixer = Mixer(MixSettings(room_tone_db=-62.0))
    out = np.concatenate(
        list(mix(programme(made.project, [b.id for b in made.project.blocks], made.read, plan), mixer))
    )
    middle = out[mixer.spans[0].end_sample + 9600 : mixer.spans[1].start_sample - 9600].astype(np.float64)
    assert 10 * np.log10(np.mean(middle**2)) == pytest.approx(-62.0, abs=1.0)
