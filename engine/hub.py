"""Downloads published checkpoints: whole, checked, resumable, and never half done under their own name."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import os
import shutil
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engine.catalogue import CatalogueEntry, Part
from engine.hub_access import HubError, HubOptions, Sink, WrongSize, asked, client
from engine.hub_answers import asking_for_a_file
from engine.hub_carry import carry_over
from engine.hub_files import (
    COMMIT,
    MANIFEST,
    MANIFEST_VERSION,
    RemoteFile,
    check_apart,
    partial_folder,
    wanted_file,
)
from engine.hub_lock import LOCK, locked
from engine.hub_patience import Patience

_log = logging.getLogger(__name__)

SPARE_BYTES = 1 << 30
TRIES_OF_A_FILE = 3
WAITS_S = (1.0, 3.0)  # beside the client's own attempts
_READ_BYTES = 4 << 20
_SPEED_WINDOW_S = 8.0
_TELL_S = 0.1


@dataclass(frozen=True)
class Progress:
    """How far a download is.

    Attributes:
        stage: moving (from another folder), asking, downloading or checking.
        done_bytes, total_bytes: of everything; total 0 while unknown.
        bytes_per_s, left_s: None while nothing can be said. file: what is worked on.
    """

    stage: str
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_s: float | None = None
    left_s: float | None = None
    file: str = ""

    @property
    def fraction(self) -> float:
        return self.done_bytes / self.total_bytes if self.total_bytes else 0.0


@dataclass
class _Speed:
    """Bytes a second over the last few seconds."""

    seen: deque[tuple[float, int]] = field(default_factory=deque)

    def add(self, done: int) -> float | None:
        now_s = time.monotonic()
        self.seen.append((now_s, done))
        while len(self.seen) > 2 and now_s - self.seen[0][0] > _SPEED_WINDOW_S:
            self.seen.popleft()
        first_s, first = self.seen[0]
        return (done - first) / (now_s - first_s) if now_s - first_s > 0.3 and done >= first else None


class Download:
    """One catalogue entry on its way to a folder.

    `run` may be called again after it was stopped or failed: what had come is not fetched again. Everything is gathered
    in a hidden folder, checked, listed in a manifest, and only then put in its place by one rename.

    Attributes:
        entry: what is fetched. folder: where it will be; partial: where it is until then.
    """

    def __init__(
        self,
        entry: CatalogueEntry,
        root: Path,
        options: HubOptions | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        begun_at: Path | None = None,
    ) -> None:
        """
        Args:
            begun_at: where an earlier download has left what had come, if not here; it is moved here and gone on from.
        """
        self.entry = entry
        self.folder = root / entry.id
        self.partial = partial_folder(entry, root)
        self._begun_at = begun_at if begun_at != self.partial else None
        self._options = options or HubOptions()
        self._on_progress = on_progress or (lambda progress: None)
        self._patience = Patience()
        self._files: list[tuple[Part, str, list[RemoteFile]]] = []
        self._finished_bytes = 0
        self._file_bytes = 0
        self._total_bytes = 0
        self._speed = _Speed()
        self._told_s = 0.0

    def stop(self) -> None:
        """Let `run` end at once with DownloadStopped, or the next one if none is under way; what has come is kept. Any
        thread."""
        self._patience.end()

    def run(self) -> Path:
        """Fetch what is missing, check all of it, and put it in place.

        Returns:
            the model's folder.

        Raises:
            DownloadStopped: `stop` was called. HubError: it failed; the message says what to do.
        """
        if self._options.is_offline:
            raise HubError(
                "The studio is set to stay offline.", "Allow downloads under Models & Servers, or use a folder."
            )
        self._options.check()
        try:
            self._patience.check()
            self.partial.mkdir(parents=True, exist_ok=True)
            with locked(self.partial), client(self._options):
                if self._begun_at is not None and self._begun_at.is_dir():
                    self._carry_over(self._begun_at)
                self._tell("asking")
                self._files = [(part, *self._list(part)) for part in self.entry.parts]
                check_apart((part.folder, file) for part, _, files in self._files for file in files)
                self._drop_links()
                self._total_bytes = sum(file.size for _, _, files in self._files for file in files)
                self._check_space()
                for part, commit, files in self._files:
                    for file in files:
                        self._fetch(part, commit, file)
                self._drop_strangers()
                self._write_manifest()
            return self._put_in_place()
        except OSError as error:
            raise _disk_error(error, self.folder) from error
        finally:
            self._patience = Patience()

    # -- what was begun elsewhere -------------------------------------------------------------------------------

    def _carry_over(self, begun_at: Path) -> None:
        with locked(begun_at):
            carry_over(begun_at, self.partial, self._patience.check, self._tell_moved)
        shutil.rmtree(begun_at, ignore_errors=True)
        with contextlib.suppress(OSError):
            begun_at.parent.rmdir()

    def _tell_moved(self, done: int, total: int, file: str) -> None:
        now_s = time.monotonic()
        if now_s - self._told_s >= _TELL_S:
            self._told_s = now_s
            self._on_progress(Progress("moving", done, total, file=file))

    # -- what there is ------------------------------------------------------------------------------------------

    def _list(self, part: Part) -> tuple[str, list[RemoteFile]]:
        """The commit and the wanted files of a repository."""
        from huggingface_hub import HfApi

        api = HfApi(endpoint=self._options.endpoint, token=self._options.token)
        info = self._insist(
            lambda: api.model_info(part.repo_id, revision=part.revision, files_metadata=True, timeout=30), part
        )
        commit = str(info.sha or "")
        if not COMMIT.fullmatch(commit):
            raise HubError(f"The hub does not say which version of {part.repo_id} it has.", "Try another mirror.")
        files = [file for each in info.siblings or () if (file := wanted_file(each)) is not None]
        names = {file.path for file in files}
        if "config.json" not in names or not any(name.endswith(".safetensors") for name in names):
            raise HubError(f"{part.repo_id} holds no weights that can be used.", "Try another mirror, or again later.")
        return commit, sorted(files, key=lambda file: (file.size, file.path))

    def _check_space(self) -> None:
        there = sum(path.stat().st_size for path in self.partial.rglob("*") if path.is_file() and not path.is_symlink())
        needed = max(0, self._total_bytes - there) + SPARE_BYTES
        free = shutil.disk_usage(self.partial).free
        if free < needed:
            raise HubError(
                f"“{self.entry.name}” needs {needed / 1e9:.1f} GB; "
                f"{free / 1e9:.1f} GB are free at {self.folder.parent}.",
                "Free some space, or choose a folder on another disk.",
            )

    # -- one file -----------------------------------------------------------------------------------------------

    def _fetch(self, part: Part, commit: str, file: RemoteFile) -> None:
        target = self.partial / part.folder / file.path
        for attempt in range(1, TRIES_OF_A_FILE + 1):
            self._file_bytes = 0
            self._patience.check()
            if target.is_file() and self._verified(target, file):
                break
            target.unlink(missing_ok=True)
            self._get(part, commit, file)
            if self._verified(target, file):
                break
            target.unlink(missing_ok=True)
            if attempt == TRIES_OF_A_FILE:
                raise HubError(
                    f"{file.path} of {part.repo_id} came damaged {attempt} times.",
                    "Try again later, or another mirror.",
                )
        self._finished_bytes += file.size
        self._file_bytes = 0

    def _get(self, part: Part, commit: str, file: RemoteFile) -> None:
        """Fetch a file, or the rest of it, into the hidden folder; it has its name only when it is as long as
        announced."""
        from huggingface_hub.file_download import get_hf_file_metadata, hf_hub_url, http_get
        from huggingface_hub.utils import build_hf_headers

        target = self.partial / part.folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        begun = _begun(target, file)
        url = hf_hub_url(part.repo_id, file.path, revision=commit, endpoint=self._options.endpoint)
        headers = build_hf_headers(token=self._options.token)
        try:
            found = self._insist(lambda: get_hf_file_metadata(url, token=self._options.token, timeout=30), part)
            if urlsplit(found.location).netloc != urlsplit(url).netloc:
                headers.pop("authorization", None)  # the storage is another host; a token is not its business
            patience = self._patience
            with begun.open("ab") as raw, Sink(raw, file.size, lambda done: self._came(done, file)) as sink:

                def fill() -> None:
                    with asking_for_a_file(patience.check):
                        have = sink.tell()
                        http_get(found.location, sink, resume_size=have, headers=dict(headers), expected_size=file.size)

                if raw.tell() < file.size or not file.size:
                    self._insist(fill, part)
            os.replace(begun, target)
        except WrongSize as error:
            # What has come cannot be gone on from; the check that follows finds the file missing and tries anew.
            _log.warning("%s: %s", file.path, error)
            begun.unlink(missing_ok=True)

    def _insist(self, ask: Callable[[], Any], part: Part) -> Any:
        """Ask the hub, a few times where it is busy or the connection breaks."""
        for wait_s in (*WAITS_S, None):
            try:
                return self._patience.outlast(lambda: asked(ask, part, self._options))
            except HubError as error:
                if wait_s is None or not error.passing:
                    raise
                _log.info("asking again: %s", error)
                self._patience.rest(wait_s)
        raise AssertionError("the last wait raises")

    def _came(self, done: int, file: RemoteFile) -> None:
        """Told while a file comes; ends it from inside when nobody wants it any more."""
        self._patience.check()
        self._file_bytes = done
        self._tell("downloading", file.path)

    def _verified(self, path: Path, file: RemoteFile) -> bool:
        """Whether a file is what the hub announced: size, and SHA-256 or git's hash of its content."""
        if not path.is_file() or path.is_symlink() or path.stat().st_size != file.size:
            return False
        digest = hashlib.sha256() if file.sha256 else hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
        with path.open("rb") as source:
            while chunk := source.read(_READ_BYTES):
                digest.update(chunk)
                self._patience.check()
                self._tell("checking", file.path)
        return digest.hexdigest() == (file.sha256 or file.blob)

    # -- the end ------------------------------------------------------------------------------------------------

    def _drop_links(self) -> None:
        """Nothing is written through a link that somebody else put there."""
        for path in sorted(self.partial.rglob("*")):
            if path.is_symlink():
                path.unlink()

    def _drop_strangers(self) -> None:
        """Nothing but listed files may go into the model's folder."""
        listed = {self.partial / part.folder / file.path for part, _, files in self._files for file in files}
        for path in sorted(self.partial.rglob("*"), reverse=True):
            if path.is_symlink() or path.is_file():
                if path not in listed and path.name != LOCK:
                    path.unlink()
            elif not any(path.iterdir()):
                path.rmdir()

    def _write_manifest(self) -> None:
        manifest = {
            "version": MANIFEST_VERSION,
            "entry": self.entry.id,
            "name": self.entry.name,
            "parts": [
                {
                    "repository": part.repo_id,
                    "commit": commit,
                    "folder": part.folder,
                    "files": [
                        {"path": file.path, "size": file.size, "sha256": file.sha256, "blob": file.blob}
                        for file in files
                    ],
                }
                for part, commit, files in self._files
            ],
        }
        for part, _, files in self._files:
            for file in files:
                self._patience.check()
                _sync(self.partial / part.folder / file.path)
        path = self.partial / MANIFEST
        path.write_text(json.dumps(manifest, indent=1), "utf-8")
        _sync(path)

    def _put_in_place(self) -> Path:
        (self.partial / LOCK).unlink(missing_ok=True)
        old = self.partial.with_name(f"{self.entry.id}.old")
        shutil.rmtree(old, ignore_errors=True)
        if self.folder.exists():
            os.replace(self.folder, old)
        os.replace(self.partial, self.folder)
        shutil.rmtree(old, ignore_errors=True)
        return self.folder

    # -- inside -------------------------------------------------------------------------------------------------

    def _tell(self, stage: str, file: str = "") -> None:
        now_s = time.monotonic()
        if stage != "asking" and now_s - self._told_s < _TELL_S:
            return
        self._told_s = now_s
        done = self._finished_bytes + (self._file_bytes if stage == "downloading" else 0)
        speed = self._speed.add(done) if stage == "downloading" else None
        left_s = (self._total_bytes - done) / speed if speed else None
        self._on_progress(Progress(stage, done, self._total_bytes, speed, left_s, file))


def _disk_error(error: OSError, folder: Path) -> HubError:
    if error.errno == errno.ENOSPC:
        return HubError(f"The disk of {folder.parent} is full.", "Free some space and go on, or choose another disk.")
    return HubError(f"{folder.parent} cannot be written ({error.strerror or error}).", "Choose another folder.")


def _begun(target: Path, file: RemoteFile) -> Path:
    """Where what has come of a file is kept; named by its content, so that no other file is gone on from."""
    return target.with_name(f".{target.name}.{(file.sha256 or file.blob)[:16]}.part")


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
