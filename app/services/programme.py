"""The programme: blocks with their takes as steps for the mixer, the one order of things that is both heard and
written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from app.model.block import Block, BlockKind
from app.model.errors import ProjectError
from app.services.fit import Fitted
from app.services.mixer import RATE, Mixer, TrimRule, loud_windows
from engine import Pause

if TYPE_CHECKING:
    from app.model.project import Project
    from app.model.take import Take
    from engine import Piece, SpeechPlan

TRIM = TrimRule()
_HELD = round(TRIM.hold_ms * RATE / 1000)
READ_SAMPLES = RATE  # audio is read and silence is made a second at a time, so that memory stays flat


@dataclass(frozen=True)
class BeginPiece:
    block_id: str
    piece_index: int
    gain_db: float = 0.0


@dataclass(frozen=True)
class Feed:
    samples: np.ndarray = field(compare=False)


@dataclass(frozen=True)
class EndPiece:
    pass


@dataclass(frozen=True)
class Silence:
    seconds: float


@dataclass(frozen=True)
class Rest(Silence):
    """What a block with a length to fit lacks after its speech; the pause before the next block comes after it."""


Action = BeginPiece | Feed | EndPiece | Silence
TakeReader = Callable[[str, int, int], np.ndarray]
PlanFn = Callable[[Block, str], "SpeechPlan"]
LivePieces = Callable[[Block], Iterator[Iterable[np.ndarray]] | None]


class MissingTake(ProjectError):
    """A block of the programme has nothing that could be heard. `block_id` tells which."""

    def __init__(self, block: Block) -> None:
        words = " ".join(block.text.split())
        shown = words if len(words) <= 40 else words[:39] + "…"
        super().__init__(f"The line “{shown}” was not spoken yet.", "Render it, or leave it out.")
        self.block_id = block.id


def is_spoken(project: Project, block: Block) -> bool:
    """Whether a block is to be heard: text is, notes are not, headings as the block or else the project says."""
    if block.kind in (BlockKind.NOTE, BlockKind.EMPTY):
        return False
    if block.kind is BlockKind.SPEECH:
        return True
    return project.settings.headings_spoken if block.settings.spoken is None else block.settings.spoken


def programme(
    project: Project,
    block_ids: Sequence[str],
    take_reader: TakeReader,
    plan_fn: PlanFn,
    *,
    live: LivePieces | None = None,
    gain_db: Callable[[Block], float] | None = None,
) -> Iterator[Action]:
    """The steps that make blocks audible, made one at a time as they are asked for.

    Pauses written in the text take the place of the project's own pause at the same spot, so that the gap is what is
    written.
    Where the text of a block changed only in its pauses, its take is used with the new ones.

    Args:
        block_ids: in the order of the project; those that are not spoken only make the pause longer.
        take_reader: `(take id, start sample, n samples)` to float32 `[n, 2]`, fewer at the end of the take.
        plan_fn: `(block, text)` to the plan of that text with the block's language, lexicon and model card.
        live: the pieces of a block that is being spoken at this moment, each the chunks of a piece; None where it is
            not.
        gain_db: what is added to the gain of a block and its voice.

    Raises:
        MissingTake: when the iteration reaches a block without a take.
    """
    order = {block_id: index for index, block_id in enumerate(block_ids)}
    blocks = sorted((project.block(block_id) for block_id in order), key=lambda block: project.index(block.id))
    border = Border()
    heard = False
    written_s: float | None = None  # pauses written since the last speech
    after_heading = False
    for block in blocks:
        border.see(block.kind)
        if not is_spoken(project, block):
            continue
        plan = plan_fn(block, block.text)
        if not plan.pieces:
            for item in plan.items:
                written_s = (written_s or 0.0) + item.seconds
            continue
        gain = project.settings.gain_db(block) + (gain_db(block) if gain_db else 0.0)
        pieces, plan = _pieces(project, block, plan, take_reader, plan_fn, live)
        fits: Fitted | None = None
        if block.settings.length == "fit" and block.settings.target_s:
            fits = Fitted(pieces, partial(_pauses_inside_s, plan), block.settings.target_s)
            pieces = iter(fits)
        index = 0
        before: Piece | None = None
        for item in plan.items:
            if isinstance(item, Pause):
                written_s = (written_s or 0.0) + item.seconds
                continue
            chunks = next(pieces, None)
            if chunks is None:  # an incomplete take used by choice, or a recording of the whole block
                written_s = None
                continue
            if written_s is not None:
                yield Silence(written_s)
            elif before is not None:
                yield Silence(join_s(before.text, before.ends_sentence))
            elif heard:
                yield Silence(border.seconds(project, after_heading))
            yield BeginPiece(block.id, index, gain)
            for chunk in chunks:
                yield Feed(chunk)
            yield EndPiece()
            written_s, before, heard = None, item, True
            index += 1
        for chunks in pieces:  # a take cut into more pieces than the text is now: nothing of it may be lost
            yield Silence(_JOIN_SENTENCE_S)
            yield BeginPiece(block.id, index, gain)
            for chunk in chunks:
                yield Feed(chunk)
            yield EndPiece()
            index += 1
        if fits is not None and fits.rest_s:
            yield Rest(fits.rest_s)
        border = Border()
        after_heading = block.kind is not BlockKind.SPEECH
    if written_s is not None:
        yield Silence(written_s)


def mix(actions: Iterable[Action], mixer: Mixer) -> Iterator[np.ndarray]:
    """Runs the steps through a mixer: final samples, float32 `[n, 2]`, none of them empty, then the mixer's rest."""
    for action in actions:
        match action:
            case Feed(samples):
                made = mixer.feed(samples)
            case Silence(seconds):
                for n_samples in _seconds_of(round(seconds * RATE)):
                    made = mixer.pause(n_samples / RATE)
                    if len(made):
                        yield made
                continue
            case BeginPiece(block_id, piece_index, gain_db):
                mixer.begin_piece(block_id, piece_index, gain_db)
                continue
            case EndPiece():
                made = mixer.end_piece()
        if len(made):
            yield made
    made = mixer.flush()
    if len(made):
        yield made


def _seconds_of(n_samples: int) -> Iterator[int]:
    for at in range(0, n_samples, READ_SAMPLES):
        yield min(READ_SAMPLES, n_samples - at)


def _pieces(
    project: Project, block: Block, plan: SpeechPlan, take_reader: TakeReader, plan_fn: PlanFn, live: LivePieces | None
) -> tuple[Iterator[Iterable[np.ndarray]], SpeechPlan]:
    """The audio of a block's pieces in order, and the plan that fits it."""
    spoken = live(block) if live else None
    if spoken is None:
        take = heard_take(project, block)
        if take is None:
            raise MissingTake(block)
        plan = plan_of_take(block, take, plan_fn)
        spoken = heard_pieces(take, take_reader)
    return spoken, plan


def heard_take(project: Project, block: Block) -> Take | None:
    """The take that is heard for a block; None where there is no audio."""
    take = project.takes.get(block.chosen) if block.chosen else None
    return take if take is not None and take.seconds > 0.0 else None


def plan_of_take(block: Block, take: Take, plan_fn: PlanFn) -> SpeechPlan:
    """The plan that a take is heard by: of the block's text where only pauses changed since, else of the take's own
    text."""
    return plan_fn(block, heard_text(block, take, plan_fn))


def heard_text(block: Block, take: Take, plan_fn: PlanFn) -> str:
    """The text whose pauses are heard: the block's where only pauses changed since it was spoken, else the take's."""
    if take.text == block.text:
        return take.text
    now, then = plan_fn(block, block.text), plan_fn(block, take.text)
    return block.text if [piece.text for piece in then.pieces] == [piece.text for piece in now.pieces] else take.text


def take_pieces(take: Take, take_reader: TakeReader) -> Iterator[Iterator[np.ndarray]]:
    """The pieces of a stored take, each its audio a second at a time. A recording is one piece."""
    for start, n_samples in _ranges(take):
        yield _read(take.id, start, n_samples, take_reader)


def heard_pieces(take: Take, take_reader: TakeReader) -> Iterator[Iterator[np.ndarray]]:
    """As `take_pieces`, each piece as long as `heard_samples` says."""
    for start, n_samples in _ranges(take):

        def read(at: int, n: int, start: int = start) -> np.ndarray:
            return take_reader(take.id, start + at, n)

        yield _read(take.id, start, heard_samples(n_samples, read), take_reader)


def heard_samples(n_samples: int, read: Callable[[int, int], np.ndarray]) -> int:
    """How much of a piece that is complete the mixer is to get: without the silence at its end that it would have to
    release before it knew that the piece is over. So a pause is exact however long the model fell silent before it.

    Args:
        n_samples: length of the piece.
        read: `(start, n)` to float32 `[n, 2]` of it, fewer where there is no more.
    """
    windows = -(-n_samples // TRIM.window_samples)
    while windows > 0:
        first = max(0, windows - READ_SAMPLES // TRIM.window_samples)
        start = first * TRIM.window_samples
        loud = loud_windows(read(start, min(n_samples, windows * TRIM.window_samples) - start), TRIM)
        if len(loud):
            return min(n_samples, start + (int(loud[-1]) + 1) * TRIM.window_samples + _HELD)
        windows = first
    return 0


def _ranges(take: Take) -> list[tuple[int, int]]:
    return [(piece.start_sample, piece.n_samples) for piece in take.pieces] or [(0, round(take.seconds * RATE))]


def _read(take_id: str, start: int, n_samples: int, take_reader: TakeReader) -> Iterator[np.ndarray]:
    for n in _seconds_of(n_samples):
        samples = take_reader(take_id, start, n)
        if len(samples):
            yield samples
        if len(samples) < n:
            return
        start += n


# -- pauses that nobody wrote

# Seconds after a piece that a block was cut at, by the mark it ends with.
JOIN_S = {".": 0.30, "!": 0.30, "?": 0.30, "…": 0.40, ":": 0.25, ";": 0.25, ",": 0.15}
_JOIN_MARKS = str.maketrans("。．｡！？：；，、؟۔।，", "...!?:;,,?..,")
_JOIN_SENTENCE_S = 0.30
_JOIN_INSIDE_S = 0.10


def join_s(text: str, ends_sentence: bool) -> float:
    """Silence after a piece of a block that goes on: by its last mark, closing quotes and brackets aside."""
    bare = text.rstrip(" \t\"'”’»)]」』）】").translate(_JOIN_MARKS)
    return JOIN_S.get(bare[-1:], _JOIN_SENTENCE_S if ends_sentence else _JOIN_INSIDE_S)


class Border:
    """What stands between the last block that was heard and the next."""

    def __init__(self) -> None:
        self.scene = self.chapter = False
        self.empty_lines = 0

    def see(self, kind: BlockKind) -> None:
        self.scene |= kind is BlockKind.SCENE
        self.chapter |= kind is BlockKind.CHAPTER
        self.empty_lines += kind is BlockKind.EMPTY

    def seconds(self, project: Project, after_heading: bool) -> float:
        pauses = project.settings.pauses
        if self.chapter:
            return pauses.chapter_s
        if self.scene:
            return pauses.scene_s
        return (pauses.heading_s if after_heading else pauses.paragraph_s) + pauses.empty_line_s * self.empty_lines


def _pauses_inside_s(plan: SpeechPlan, n_pieces: int) -> float:
    """Seconds of silence between the first and the last of the `n_pieces` that are heard of a block."""
    total_s = 0.0
    written_s: float | None = None
    before: Piece | None = None
    seen = 0
    for item in plan.items:
        if isinstance(item, Pause):
            written_s = (written_s or 0.0) + item.seconds
            continue
        if seen == n_pieces:
            break
        if before is not None:
            total_s += join_s(before.text, before.ends_sentence) if written_s is None else written_s
        written_s, before = None, item
        seen += 1
    return total_s + _JOIN_SENTENCE_S * (n_pieces - seen)
