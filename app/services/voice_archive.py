"""One voice in one file: a zip whose content is checked as what it is, a file from a stranger."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.services.voice_records import LONGEST_RECORD_BYTES

SUFFIX = ".mvoice"
MOST_CLIPS = 64
LARGEST_CLIP_BYTES = 200 << 20
LARGEST_TOTAL_BYTES = 500 << 20
_CLIP_NAME = re.compile(r"clips/[A-Za-z0-9_-]{1,100}\.[a-z0-9]{2,4}")


class ArchiveError(ValueError):
    """The file is not a voice, is damaged, or is larger than a voice may be."""


def write(target: Path, record: Mapping[str, Any], clips: Mapping[str, Path]) -> None:
    """Write `voice.json` and `clips/NAME`; the file appears whole or not at all. Raises OSError."""
    partial = target.with_name(target.name + ".part")
    try:
        # Audio is stored as it is: most of it is compressed already, and reading stays cheap.
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("voice.json", json.dumps(record, ensure_ascii=False, indent=1))
            for name, path in sorted(clips.items()):
                archive.write(path, f"clips/{name}")
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def read(source: Path, folder: Path) -> tuple[Any, dict[str, Path]]:
    """The record of an archive, and its clips unpacked into `folder` by the SHA-256 of what they really hold.

    Names inside the archive never become paths on disk; sizes are counted while reading, never believed.

    Raises:
        ArchiveError: see there. OSError: the disk refuses.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            return _read(archive, source.name, folder)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ArchiveError(f"{source.name} is damaged or no voice file ({error}).") from error


def _read(archive: zipfile.ZipFile, shown: str, folder: Path) -> tuple[Any, dict[str, Path]]:
    members = archive.infolist()
    if len(members) > MOST_CLIPS + 1:
        raise ArchiveError(f"{shown} holds {len(members)} files; a voice has at most {MOST_CLIPS} clips.")
    by_name = {member.filename: member for member in members}
    if len(by_name) != len(members) or "voice.json" not in by_name:
        raise ArchiveError(f"{shown} is not a voice file: its record is missing or doubled.")
    for member in members:
        kind = stat.S_IFMT(member.external_attr >> 16)
        if (member.filename != "voice.json" and not _CLIP_NAME.fullmatch(member.filename)) or kind not in (
            0,
            stat.S_IFREG,
        ):
            raise ArchiveError(f"{shown} holds something that is not part of a voice: {member.filename[:80]!r}.")
    with archive.open(by_name.pop("voice.json")) as file:
        text = file.read(LONGEST_RECORD_BYTES + 1)
    if len(text) > LONGEST_RECORD_BYTES:
        raise ArchiveError(f"The record in {shown} is too large.")
    try:
        record = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"The record in {shown} cannot be read ({type(error).__name__}).") from error
    clips: dict[str, Path] = {}
    total = 0
    for number, member in enumerate(by_name.values()):
        path = folder / f"clip-{number}"
        digest, size = _unpack(archive, member, path, shown)
        total += size
        if total > LARGEST_TOTAL_BYTES:
            raise ArchiveError(f"{shown} is larger than a voice may be ({LARGEST_TOTAL_BYTES >> 20} MiB).")
        clips[digest] = path
    return record, clips


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, shown: str) -> tuple[str, int]:
    digest = hashlib.sha256()
    size = 0
    with archive.open(member) as source, path.open("wb") as out:
        while block := source.read(1 << 20):
            size += len(block)
            if size > LARGEST_CLIP_BYTES:
                raise ArchiveError(f"A clip in {shown} is larger than a clip may be ({LARGEST_CLIP_BYTES >> 20} MiB).")
            digest.update(block)
            out.write(block)
    return digest.hexdigest(), size
