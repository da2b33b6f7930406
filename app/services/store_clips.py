"""Clips of voices inside a project file, by content: so that a voice travels with the project."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from app.model.errors import ProjectError
from app.services.store_rows import Batch
from app.services.store_schema import connect
from app.services.store_writer import Writer

LARGEST_BYTES = 64 * 1024 * 1024


def checked(data: bytes, name: str) -> str:
    """The SHA-256 (hex) of a clip. Raises ProjectError: it is too large."""
    if len(data) > LARGEST_BYTES:
        raise ProjectError(f"{name} is too large to be a reference.", "Cut it to the part that counts.")
    return hashlib.sha256(data).hexdigest()


def add(writer: Writer | None, data: bytes, name: str) -> str:
    """Hand a clip in; returns its SHA-256 (hex). Raises ProjectError: it is too large."""
    sha256 = checked(data, name)
    if writer is not None:
        writer.add(Batch(clips={sha256: (name[:255], data)}))
    return sha256


def read(writer: Writer | None, file: Path, sha256: str) -> bytes | None:
    """The bytes of a clip, or None when it is not there or was damaged. Does not wait for the disk to write."""
    # First what is on its way, then the file: whatever left the first meanwhile is in the file by then.
    data = writer.unsaved_clip(sha256) if writer is not None else None
    if data is None:
        with contextlib.closing(connect(file)) as connection:
            row = connection.execute("SELECT bytes FROM clips WHERE sha256 = ?", (sha256,)).fetchone()
        data = row[0] if row is not None else None
    return data if isinstance(data, bytes) and hashlib.sha256(data).hexdigest() == sha256 else None
