"""The script as it was when it was opened, and as it was on the last days: small pictures inside the file, without
audio."""

from __future__ import annotations

import json
import sqlite3
import zlib
from dataclasses import dataclass
from datetime import date, datetime

from app.model import checks
from app.model.block import Block, BlockSettings, clean_line
from app.model.commands import Command, Compound, ReplaceBlocks, SetLexicon, SetProjectSettings, SetVoice
from app.model.errors import FormatError
from app.model.project import Project
from app.model.project_settings import ProjectSettings, lexicon_from_json
from app.model.voice import Voice

DAYS_KEPT = 14
_MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Snapshot:
    """One picture: its number, `opened` or `daily`, when it was made, and how long the script was."""

    number: int
    kind: str
    made_at_s: float
    words: int


def keep_before_changes(connection: sqlite3.Connection, now_s: float, *, just_opened: bool) -> None:
    """Called before the first change after opening, and before the first of every later day: keep how it was.

    Args:
        now_s: seconds since the epoch.
        just_opened: also as the picture of how it was opened.
    """
    if connection.execute("SELECT 1 FROM blocks WHERE text <> '' LIMIT 1").fetchone() is None:
        return  # an empty script
    body = _picture(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        insert = "INSERT INTO snapshots (kind, made_at_s, body) VALUES (?, ?, ?)"
        if just_opened:
            connection.execute("DELETE FROM snapshots WHERE kind = 'opened'")
            connection.execute(insert, ("opened", now_s, body))
        last = connection.execute("SELECT max(made_at_s) FROM snapshots WHERE kind = 'daily'").fetchone()[0]
        if not isinstance(last, float) or day_of(last) != day_of(now_s):
            connection.execute(insert, ("daily", now_s, body))
            connection.execute(
                "DELETE FROM snapshots WHERE kind = 'daily' AND number NOT IN "
                "(SELECT number FROM snapshots WHERE kind = 'daily' ORDER BY made_at_s DESC LIMIT ?)",
                (DAYS_KEPT,),
            )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def day_of(seconds: float) -> date | None:
    try:
        return datetime.fromtimestamp(seconds).date()
    except (OverflowError, OSError, ValueError):
        return None


def _picture(connection: sqlite3.Connection) -> bytes:
    """The rows as they are: what is in them is checked when the picture is used."""
    blocks = connection.execute(
        "SELECT id, text, settings, chosen FROM blocks WHERE typeof(text) = 'text' AND length(text) <= ? "
        "AND length(settings) <= 100000 ORDER BY rank, rowid LIMIT ?",
        (checks.MAX_TEXT, checks.MAX_ITEMS),
    ).fetchall()
    voices = connection.execute("SELECT body FROM voices WHERE length(body) <= 4000000 LIMIT 10000").fetchall()
    meta = dict(connection.execute("SELECT name, value FROM meta WHERE name IN ('settings', 'lexicon')").fetchall())
    words = sum(len(text.split()) for _, text, _, _ in blocks if isinstance(text, str))
    raw = {"words": words, "blocks": blocks, "voices": [body for (body,) in voices], "meta": meta}
    return zlib.compress(json.dumps(raw, ensure_ascii=False, default=str).encode("utf-8", "replace"), 6)


def snapshots(connection: sqlite3.Connection) -> list[Snapshot]:
    """The latest first; pictures that cannot be read are left out."""
    found = []
    for number, kind, made_at_s in connection.execute(
        "SELECT number, kind, made_at_s FROM snapshots ORDER BY made_at_s DESC LIMIT 100"
    ).fetchall():
        try:
            raw = _raw(connection, number)
            words = checks.integer(raw.get("words"), "The words of a snapshot", 0)
            found.append(
                Snapshot(number, checks.string(kind, "kind", 20), checks.number(made_at_s, "time", 0.0, 1e11), words)
            )
        except FormatError:
            continue
    return found


def snapshot_texts(connection: sqlite3.Connection) -> list[str]:
    """The JSON of every picture, to see what it refers to."""
    texts = []
    for (number,) in connection.execute("SELECT number FROM snapshots LIMIT 100").fetchall():
        try:
            texts.append(json.dumps(_raw(connection, number)["blocks"]))
        except (FormatError, KeyError):
            continue
    return texts


def _raw(connection: sqlite3.Connection, number: int) -> dict[str, object]:
    row = connection.execute("SELECT body FROM snapshots WHERE number = ?", (number,)).fetchone()
    if row is None or not isinstance(row[0], bytes):
        raise FormatError("This snapshot is not there any more.")
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(row[0], _MAX_BYTES)
    except zlib.error as error:
        raise FormatError("This snapshot is damaged.") from error
    if not unpacker.eof:
        raise FormatError("This snapshot is damaged.")
    return checks.mapping(checks.from_json_text(data, "A snapshot", _MAX_BYTES), "A snapshot", 20)


def blocks_of(connection: sqlite3.Connection, number: int) -> list[tuple[str, str, str, str | None]]:
    """(id, text, JSON of the settings, chosen take) of the paragraphs in a picture. Raises FormatError."""
    found = []
    for row in checks.items(_raw(connection, number).get("blocks"), "The paragraphs of a snapshot"):
        block_id, text, settings, chosen = (checks.items(row, "A paragraph", 4) + [None] * 4)[:4]
        found.append(
            (
                checks.identifier(block_id, "The id of a block"),
                clean_line(checks.string(text, "The text of a block", checks.MAX_TEXT)),
                checks.string(settings, "Settings", 100_000),
                checks.optional(checks.identifier, chosen, "The chosen take"),
            )
        )
    return found


def restoring(connection: sqlite3.Connection, number: int, project: Project) -> Command:
    """The command that brings the script back as it was; it can be taken back like any other.

    Voices that came since stay. Takes of the paragraphs come with them.

    Raises:
        FormatError: the picture is damaged or gone.
    """
    raw = _raw(connection, number)
    blocks = [
        Block(
            block_id, text, BlockSettings.from_json(checks.from_json_text(settings, "Settings", 100_000)), chosen=chosen
        )
        for block_id, text, settings, chosen in blocks_of(connection, number)
    ]
    meta = checks.mapping(raw.get("meta", {}), "A snapshot", 20)
    commands: list[Command] = [ReplaceBlocks(0, len(project.blocks), tuple(blocks or [Block()]))]
    for body in checks.items(raw.get("voices", []), "The voices of a snapshot", 10_000):
        commands.append(SetVoice(Voice.from_json(checks.from_json_text(body, "A voice", 4_000_000))))
    # What a picture does not name was at its default.
    settings_then = ProjectSettings.from_json(checks.from_json_text(meta.get("settings", "{}"), "Settings", 16_000_000))
    lexicon_then = lexicon_from_json(checks.from_json_text(meta.get("lexicon", "[]"), "The lexicon", 16_000_000))
    commands += [SetProjectSettings(settings_then.to_json()), SetLexicon(lexicon_then)]
    return Compound(tuple(commands), "Restore")
