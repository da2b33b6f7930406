"""Rows of a project file to values of the model and back; a row that cannot be read costs itself alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from app.model import checks
from app.model.block import NATURAL, Block, BlockSettings, clean_line
from app.model.errors import FormatError
from app.model.history import LIMIT, Step
from app.model.project import Project
from app.model.project_settings import Lexicon, ProjectSettings, lexicon_from_json
from app.model.take import Take
from app.model.voice import Voice
from app.services.store_sums import SUMMED, Doubts, has_sums, sum_of

T = TypeVar("T")

_MAX_FAULTS = 20
MAX_BLOCKS = checks.MAX_BLOCKS
MAX_SCRIPT = checks.MAX_SCRIPT
MAX_BODIES = 256 * 1024 * 1024  # bytes of JSON of all takes: those of 100 hours are a tenth of it
MAX_STEP_BYTES = 64 * 1024 * 1024
_NO_SUM = "'none'"  # stands for the sum in a file whose rows have none
_NO_SUM_VALUE = "none"


@dataclass
class Rows:
    """Everything of a project but its audio.

    Attributes:
        blocks: in order, each with its rank (the number that orders it in the file).
        takes, voices, lexicon, settings: of the model.
        steps, done: the history; `done` is the number of the last step that can be undone.
        meta: other names and values.
        steps_lost: some of them could not be read.
        faults: what could not be read, for people; `fault_count` counts those that read the same, too.
        doubts: what can be read, but is not what was written.
    """

    blocks: list[tuple[Block, int]] = field(default_factory=list)
    takes: list[Take] = field(default_factory=list)
    voices: list[Voice] = field(default_factory=list)
    lexicon: Lexicon = ()
    settings: ProjectSettings = field(default_factory=ProjectSettings)
    steps: list[Step] = field(default_factory=list)
    done: int = 0
    steps_lost: bool = False
    meta: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    fault_count: int = 0
    doubts: Doubts = field(default_factory=Doubts)

    @property
    def project_id(self) -> str:
        return self.meta.get("project", "")

    @property
    def changed_at_s(self) -> float:
        """When it was changed last, seconds since the epoch; 0 where that is not known."""
        changed = self.meta.get("changed_at_s", "")
        return float(changed) if changed.replace(".", "", 1).isdigit() and len(changed) < 30 else 0.0

    def project(self) -> Project:
        """What is worked on."""
        blocks = (block for block, _ in self.blocks)
        return Project(blocks, takes=self.takes, voices=self.voices, lexicon=self.lexicon, settings=self.settings)

    def fault(self, message: str) -> None:
        """Note something for the person, each once and not without end."""
        self.fault_count += 1
        if len(self.faults) < _MAX_FAULTS and message not in self.faults:
            self.faults.append(message)


def read_rows(connection: sqlite3.Connection) -> Rows:
    """Read and check a project.

    What does not check is left out and told in `faults`; a block whose settings are broken keeps its text. What
    something else altered is taken as it is and told in `doubts`.

    Raises:
        sqlite3.DatabaseError: a page of the small tables is broken.
    """
    rows = Rows()
    crc = "crc" if has_sums(connection) else _NO_SUM
    for values, altered in _summed(connection, rows, f"SELECT name, value, {crc} FROM meta LIMIT 1000"):
        name, value = values
        if isinstance(name, str) and isinstance(value, str):
            rows.meta[name] = value
        if altered:
            rows.doubts.about.append(str(name)[:100])
    _read_blocks(connection, rows, crc)
    room = MAX_BODIES
    query = f"SELECT id, block_id, state, body, {crc} FROM takes LIMIT 1000000"
    for (take_id, _, _, body), altered in _summed(connection, rows, query):
        rows.doubts.takes += altered
        room -= len(body) if isinstance(body, (str, bytes)) else 0
        if room < 0:
            rows.fault("There are more takes than a project can have; some were left out.")
            break
        take = _read(rows, "A take", body, Take.from_json, 16_000_000)
        if take is not None and take.id == take_id:
            rows.takes.append(take)
    for (voice_id, body), altered in _summed(connection, rows, f"SELECT id, body, {crc} FROM voices LIMIT 10000"):
        voice = _read(rows, "A voice", body, Voice.from_json, 4_000_000)
        if altered:
            rows.doubts.voices.append(voice.name if voice is not None else str(voice_id)[:100])
        if voice is not None and voice.id == voice_id:
            rows.voices.append(voice)
    settings = _read(rows, "The settings", rows.meta.get("settings", "{}"), ProjectSettings.from_json, 16_000_000)
    lexicon = _read(rows, "The lexicon", rows.meta.get("lexicon", "[]"), lexicon_from_json, 16_000_000)
    rows.settings = settings or ProjectSettings()
    rows.lexicon = lexicon or ()
    _read_steps(connection, rows, crc)
    return rows


def _read_blocks(connection: sqlite3.Connection, rows: Rows, crc: str) -> None:
    characters = 0
    seen: set[str] = set()
    # A value of another type is not even loaded: it may be large.
    query = (
        "SELECT id, rank, CASE WHEN typeof(text) = 'text' THEN text END, "
        "CASE WHEN length(settings) <= 100000 THEN settings END, "
        f"CASE WHEN chosen IS NULL OR length(chosen) <= 64 THEN chosen ELSE 0 END, {crc} "
        "FROM blocks ORDER BY rank, rowid LIMIT ?"
    )
    for values, altered in _summed(connection, rows, query, (MAX_BLOCKS + 1,)):
        block_id, rank, text, settings, chosen = values
        try:
            block = Block(checks.identifier(block_id, "The id of a block"), clean_line(_text(text)))
        except FormatError as error:
            rows.fault(error.message)
            continue
        try:
            checks.integer(rank, "The place of a block")
        except FormatError as error:
            rows.fault(error.message)
            rank = rows.blocks[-1][1] if rows.blocks else 0  # its text is worth more than its place
        characters += len(block.text) + 1
        if len(seen) >= MAX_BLOCKS or characters > MAX_SCRIPT:
            rows.fault("The script is longer than a project can be; its end was left out.")
            break
        if block.id in seen:
            continue
        seen.add(block.id)
        read = NATURAL if settings == "{}" else _read(rows, "Settings", settings, BlockSettings.from_json, 100_000)
        if (isinstance(chosen, str) and len(chosen) > 64) or not isinstance(chosen, (str, type(None))):
            rows.fault("The chosen take of a paragraph could not be read.")
            chosen = None
        rows.blocks.append((replace(block, settings=read or NATURAL, chosen=chosen), rank))
        if altered:
            rows.doubts.lines.append((len(rows.blocks), block.text))


def _read_steps(connection: sqlite3.Connection, rows: Rows, crc: str) -> None:
    """A step fits the script that the steps between it and now leave: behind one that is lost none is of use."""
    done = rows.meta.get("done", "")
    is_known = done.isdigit() and len(done) < 18 and "done" not in rows.doubts.about
    rows.done = int(done) if is_known else 0
    query = (
        "SELECT number, CASE WHEN length(label) <= 100 THEN label END, "
        f"CASE WHEN length(command) <= ? THEN command END, {crc} FROM steps ORDER BY number DESC LIMIT ?"
    )
    room = MAX_BODIES
    for values, altered in _summed(connection, rows, query, (MAX_STEP_BYTES, LIMIT)):
        number, label, command = values
        room -= len(command) if isinstance(command, (str, bytes)) else 0
        if is_known and not altered and room >= 0 and isinstance(label, str) and isinstance(command, str):
            rows.steps.append(Step(number, label, command))  # parsed when it is undone
            continue
        rows.steps_lost = True
        if not is_known or number <= rows.done:
            break
        rows.steps.clear()  # what could be done again after this one
    rows.steps.reverse()
    if rows.steps_lost:
        rows.fault("Some steps can no longer be taken back or done again.")


def forget_lost_steps(connection: sqlite3.Connection, rows: Rows) -> None:
    """Remove from the file the steps that are of no use, so that none is met again among new ones."""
    if rows.steps_lost:
        first, last = (rows.steps[0].number, rows.steps[-1].number) if rows.steps else (0, -1)
        connection.execute("DELETE FROM steps WHERE number NOT BETWEEN ? AND ?", (first, last))


def _summed(
    connection: sqlite3.Connection, rows: Rows, query: str, values: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """(a row without its sum, whether that is wrong) for each row."""
    for *row, crc in connection.execute(query, values):
        yield tuple(row), crc != _NO_SUM_VALUE and rows.doubts.found(row, crc)


def _text(value: object) -> str:
    return checks.string(value, "The text of a paragraph", checks.MAX_TEXT)


def _read(rows: Rows, what: str, text: object, read: Callable[[Any], T], limit: int) -> T | None:
    try:
        return read(checks.from_json_text(text, what, limit))
    except FormatError as error:
        rows.fault(f"{what} could not be read: {error.message}")
        return None


@dataclass
class Batch:
    """Changes on their way into the file; the latest of each thing counts, and None removes it.

    Attributes:
        blocks: by id: (block, rank) or None.
        takes, voices: by id.
        meta: by name.
        steps: by number: (label, command) where command is a Command or its JSON text.
        clips: by SHA-256: (name, bytes).
        sequence: number of the last change in it.
        first_s: monotonic time of the first one.
    """

    blocks: dict[str, tuple[Block, int] | None] = field(default_factory=dict)
    takes: dict[str, Take | None] = field(default_factory=dict)
    voices: dict[str, Voice | None] = field(default_factory=dict)
    meta: dict[str, str] = field(default_factory=dict)
    steps: dict[int, tuple[str, Any] | None] = field(default_factory=dict)
    clips: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    sequence: int = 0
    first_s: float | None = None

    def __bool__(self) -> bool:
        return bool(self.blocks or self.takes or self.voices or self.meta or self.steps or self.clips)

    def add(self, newer: Batch, *, forget_removed: bool = False) -> None:
        """Lay a newer batch over this one; with `forget_removed` this is a whole state, which does not list what is
        gone."""
        for name in _PARTS:
            mine, theirs = getattr(self, name), getattr(newer, name)
            mine.update(theirs)
            if forget_removed:
                for key, value in theirs.items():
                    if value is None:
                        del mine[key]
        self.sequence = max(self.sequence, newer.sequence)
        if self.first_s is None:
            self.first_s = newer.first_s


_PARTS = ("blocks", "takes", "voices", "meta", "steps", "clips")


def write_batch(connection: sqlite3.Connection, batch: Batch) -> None:
    """Write a batch inside the transaction that is open."""
    run = connection.execute
    for block_id, placed in batch.blocks.items():
        if placed is None:
            run("DELETE FROM blocks WHERE id = ?", (block_id,))
        else:
            block, rank = placed
            values = (block.id, rank, block.text, checks.to_json_text(block.settings.to_json()), block.chosen)
            run(
                "INSERT INTO blocks (id, rank, text, settings, chosen, crc) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
                "ON CONFLICT (id) DO UPDATE SET rank = ?2, text = ?3, settings = ?4, chosen = ?5, crc = ?6",
                (*values, sum_of(values)),
            )
    for take_id, take in batch.takes.items():
        if take is None:
            run("DELETE FROM takes WHERE id = ?", (take_id,))
        else:
            body = checks.to_json_text(take.to_json())
            _put(connection, "takes", (take.id, take.block_id, take.state, body))
    for voice_id, voice in batch.voices.items():
        if voice is None:
            run("DELETE FROM voices WHERE id = ?", (voice_id,))
        else:
            _put(connection, "voices", (voice.id, checks.to_json_text(voice.to_json())))
    for sha256, (name, data) in batch.clips.items():
        run("INSERT OR IGNORE INTO clips VALUES (?, ?, ?)", (sha256, name, data))
    for number, step in batch.steps.items():
        if step is None:
            run("DELETE FROM steps WHERE number = ?", (number,))
        else:
            label, command = step
            text = command if isinstance(command, str) else checks.to_json_text(command.to_json())
            _put(connection, "steps", (number, label[:100], text))
    for name, value in batch.meta.items():
        write_meta(connection, name, value)


def write_meta(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Write one of the named values of a project."""
    _put(connection, "meta", (name, value))


def _put(connection: sqlite3.Connection, table: str, values: tuple[Any, ...]) -> None:
    marks = ", ".join("?" * (len(SUMMED[table]) + 1))
    connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", (*values, sum_of(values)))
