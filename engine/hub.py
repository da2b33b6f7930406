"""Gets published checkpoints from a model hub: what there is, whole downloads that can be paused, and nothing half done that looks done."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from engine.catalogue import CatalogueEntry, Part
from engine.errors import SpeechError

_log = logging.getLogger(__name__)

OFFICIAL = "https://huggingface.co"
MANIFEST = "download.json"
MANIFEST_VERSION = 1
PARTIAL = ".partial"
SPARE_BYTES = 1 << 30
TRIES_OF_A_FILE = 3
WAITS_S = (1.0, 3.0)  # beside the client's own attempts
_READ_BYTES = 4 << 20
_CHUNK_BYTES = 1 << 20
_SPEED_WINDOW_S = 8.0
_TELL_S = 0.1

# Weights, settings and tokenizers: none of these can carry code. Everything else stays where it is.
_ALLOWED = re.compile(
    r"(.+\.safetensors|.+\.safetensors\.index\.json|(config|generation_config|tokenizer|tokenizer_config|special_tokens_map"
    r"|added_tokens|vocab|preprocessor_config|processor_config)\.json|merges\.txt|LICENSE(\.txt|\.md)?|NOTICE(\.txt)?|README\.md)",
    re.IGNORECASE,
)
_COMPONENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,199}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class HubError(SpeechError):
    """A download failed; what had come is kept and is gone on from. `passing`: asking again soon may help."""

    def __init__(self, message: str, remedy: str = "", *, passing: bool = False) -> None:
        super().__init__(message, remedy)
        self.passing = passing


class DownloadStopped(SpeechError):
    """A download was paused or cancelled."""

    exit_status = 5


@dataclass(frozen=True)
class HubOptions:
    """How the hub is reached.

    Attributes:
        mirror: address of another hub; empty takes HF_ENDPOINT, then the official one.
        proxy: address; empty takes the system's own settings.
        offline: never ask the network.
    """

    mirror: str = ""
    proxy: str = ""
    offline: bool = False

    @property
    def endpoint(self) -> str:
        return (self.mirror.strip() or os.environ.get("HF_ENDPOINT", "").strip() or OFFICIAL).rstrip("/")

    @property
    def is_offline(self) -> bool:
        given = os.environ.get("HF_HUB_OFFLINE", "").strip().upper()
        return self.offline or given in ("1", "ON", "YES", "TRUE")

    @property
    def token(self) -> bool | None:
        """A person's own token goes to the official hub alone, never to a mirror."""
        return None if self.endpoint == OFFICIAL else False


@dataclass(frozen=True)
class RemoteFile:
    """One file to get: its path in the repository, its size, and its SHA-256 (LFS) or git blob hash."""

    path: str
    size: int
    sha256: str = ""
    blob: str = ""


@dataclass(frozen=True)
class Progress:
    """How far a download is.

    Attributes:
        stage: asking, downloading or checking. done_bytes, total_bytes: of everything; total 0 while unknown.
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

    `run` may be called again after it was stopped or failed: what had come is not fetched again. Everything is gathered in
    a hidden folder, checked, listed in a manifest, and only then put in its place by one rename.

    Attributes:
        entry: what is fetched. folder: where it will be; partial: where it is until then.
    """

    def __init__(
        self,
        entry: CatalogueEntry,
        root: Path,
        options: HubOptions | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.entry = entry
        self.folder = root / entry.id
        self.partial = partial_folder(entry, root)
        self._options = options or HubOptions()
        self._on_progress = on_progress or (lambda progress: None)
        self._stop = threading.Event()
        self._files: list[tuple[Part, str, list[RemoteFile]]] = []
        self._finished_bytes = 0
        self._file_bytes = 0
        self._total_bytes = 0
        self._speed = _Speed()
        self._told_s = 0.0

    def stop(self) -> None:
        """Let `run` end soon with DownloadStopped; what has come is kept. Any thread."""
        self._stop.set()

    def run(self) -> Path:
        """Fetch what is missing, check all of it, and put it in place.

        Returns:
            the model's folder.

        Raises:
            DownloadStopped: `stop` was called. HubError: it failed; the message says what to do.
        """
        self._stop.clear()
        if self._options.is_offline:
            raise HubError("The studio is set to stay offline.", "Allow downloads under Models & Servers, or use a folder.")
        try:
            self.partial.mkdir(parents=True, exist_ok=True)
            with _locked(self.partial), _client(self._options):
                self._tell("asking")
                self._files = [(part, *self._list(part)) for part in self.entry.parts]
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

    def delete_partial(self) -> None:
        """Forget what has come so far."""
        shutil.rmtree(self.partial, ignore_errors=True)

    # -- what there is ------------------------------------------------------------------------------------------

    def _list(self, part: Part) -> tuple[str, list[RemoteFile]]:
        """The commit and the wanted files of a repository."""
        from huggingface_hub import HfApi

        api = HfApi(endpoint=self._options.endpoint, token=self._options.token)
        info = self._insist(
            lambda: api.model_info(part.repo_id, revision=part.revision, files_metadata=True, timeout=30), part
        )
        commit = str(info.sha or "")
        if not _COMMIT.fullmatch(commit):
            raise HubError(f"The hub does not say which version of {part.repo_id} it has.", "Try another mirror.")
        files = [file for each in info.siblings or () if (file := _wanted(each)) is not None]
        names = {file.path for file in files}
        if "config.json" not in names or not any(name.endswith(".safetensors") for name in names):
            raise HubError(f"{part.repo_id} holds no weights that can be used.", "Try another mirror, or again later.")
        return commit, sorted(files, key=lambda file: (file.size, file.path))

    def _check_space(self) -> None:
        there = sum(
            path.stat().st_size for path in self.partial.rglob("*") if path.is_file() and not path.is_symlink()
        )
        needed = max(0, self._total_bytes - there) + SPARE_BYTES
        free = shutil.disk_usage(self.partial).free
        if free < needed:
            raise HubError(
                f"“{self.entry.name}” needs {needed / 1e9:.1f} GB; the disk of {self.folder.parent} has {free / 1e9:.1f} GB free.",
                "Free some space, or choose a folder on another disk.",
            )

    # -- one file -----------------------------------------------------------------------------------------------

    def _fetch(self, part: Part, commit: str, file: RemoteFile) -> None:
        target = self.partial / part.folder / file.path
        for attempt in range(1, TRIES_OF_A_FILE + 1):
            self._file_bytes = 0
            self._check_stopped()
            if target.is_file() and self._verified(target, file):
                break
            target.unlink(missing_ok=True)
            self._get(part, commit, file)
            if self._verified(target, file):
                break
            target.unlink(missing_ok=True)
            if attempt == TRIES_OF_A_FILE:
                raise HubError(f"{file.path} of {part.repo_id} came damaged {attempt} times.", "Try again later, or another mirror.")
        self._finished_bytes += file.size
        self._file_bytes = 0

    def _get(self, part: Part, commit: str, file: RemoteFile) -> None:
        """Fetch a file, or the rest of it, into the hidden folder; it has its name only when it is as long as announced."""
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
            with begun.open("ab") as raw:
                sink = _Sink(raw, file.size, lambda done: self._came(done, file))
                have = raw.tell()
                if have < file.size or not file.size:
                    self._insist(lambda: self._fill(http_get, found.location, sink, raw.tell(), headers, file), part)
            os.replace(begun, target)
        except _WrongSize as error:
            # What has come cannot be gone on from; the check that follows finds the file missing and tries anew.
            _log.warning("%s: %s", file.path, error)
            begun.unlink(missing_ok=True)

    @staticmethod
    def _fill(http_get: Callable[..., None], url: str, sink: _Sink, have: int, headers: dict, file: RemoteFile) -> None:
        http_get(url, sink, resume_size=have, headers=dict(headers), expected_size=file.size)

    def _insist(self, ask: Callable[[], Any], part: Part) -> Any:
        """Ask the hub, a few times where it is busy or the connection breaks."""
        for wait_s in (*WAITS_S, None):
            try:
                return _asked(ask, part, self._options)
            except HubError as error:
                if wait_s is None or not error.passing:
                    raise
                _log.info("asking again: %s", error)
                self._stop.wait(wait_s)
                self._check_stopped()
        raise AssertionError("the last wait raises")

    def _came(self, done: int, file: RemoteFile) -> None:
        """Told while a file comes; ends it from inside when nobody wants it any more."""
        self._check_stopped()
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
                self._check_stopped()
                self._tell("checking", file.path)
        return digest.hexdigest() == (file.sha256 or file.blob)

    # -- the end ------------------------------------------------------------------------------------------------

    def _drop_strangers(self) -> None:
        """Nothing but listed files may go into the model's folder."""
        listed = {self.partial / part.folder / file.path for part, _, files in self._files for file in files}
        for path in sorted(self.partial.rglob("*"), reverse=True):
            if path.is_symlink() or path.is_file():
                if path not in listed and path.name != _LOCK:
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
                    "files": [{"path": file.path, "size": file.size, "sha256": file.sha256, "blob": file.blob} for file in files],
                }
                for part, commit, files in self._files
            ],
        }
        for part, _, files in self._files:
            for file in files:
                _sync(self.partial / part.folder / file.path)
        path = self.partial / MANIFEST
        path.write_text(json.dumps(manifest, indent=1), "utf-8")
        _sync(path)

    def _put_in_place(self) -> Path:
        (self.partial / _LOCK).unlink(missing_ok=True)
        old = self.partial.with_name(f"{self.entry.id}.old")
        shutil.rmtree(old, ignore_errors=True)
        if self.folder.exists():
            os.replace(self.folder, old)
        os.replace(self.partial, self.folder)
        shutil.rmtree(old, ignore_errors=True)
        return self.folder

    # -- inside -------------------------------------------------------------------------------------------------

    def _check_stopped(self) -> None:
        if self._stop.is_set():
            raise DownloadStopped("The download was stopped.", "It goes on from there when it is started again.")

    def _tell(self, stage: str, file: str = "") -> None:
        now_s = time.monotonic()
        if stage != "asking" and now_s - self._told_s < _TELL_S:
            return
        self._told_s = now_s
        done = self._finished_bytes + (self._file_bytes if stage == "downloading" else 0)
        speed = self._speed.add(done) if stage == "downloading" else None
        left_s = (self._total_bytes - done) / speed if speed else None
        self._on_progress(Progress(stage, done, self._total_bytes, speed, left_s, file))


class _WrongSize(Exception):
    """A file is not as long as the hub had announced."""


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a finished download; None where there is none that can be read."""
    try:
        value = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.get("version") == MANIFEST_VERSION else None


def faults_of(folder: Path) -> list[str]:
    """What is missing of a downloaded model or has another size than its manifest says; empty when it is whole."""
    manifest = read_manifest(folder)
    if manifest is None:
        return [f"{MANIFEST} is missing"]
    faults = []
    for part in manifest.get("parts", ()):
        for file in part.get("files", ()):
            path = folder / part["folder"] / file["path"]
            if not path.is_file():
                faults.append(f"{path.relative_to(folder)} is missing")
            elif path.stat().st_size != file["size"]:
                faults.append(f"{path.relative_to(folder)} has another size")
    return faults


def has_manifest(folder: Path) -> bool:
    """Whether a folder was made by a download (a person's own folder was not)."""
    return (folder / MANIFEST).is_file()


def partial_folder(entry: CatalogueEntry, root: Path) -> Path:
    """Where a download that is not finished is gathered."""
    return root / PARTIAL / entry.id


def remove_download(entry: CatalogueEntry, root: Path) -> None:
    """Delete a downloaded model, and what has come of it so far. Raises HubError."""
    for folder in (root / entry.id, partial_folder(entry, root)):
        if folder.is_symlink():
            folder.unlink()
            continue
        try:
            # First it stops being a model: a deletion that breaks off leaves nothing that looks whole.
            (folder / MANIFEST).unlink(missing_ok=True)
            if folder.exists():
                shutil.rmtree(folder)
        except OSError as error:
            raise HubError(f"{folder} cannot be deleted ({error.strerror}).", "Close what uses it and try again.") from error


def find_in_cache(entry: CatalogueEntry) -> dict[str, Path] | None:
    """Folders by repository where the hub's own cache on this machine has every part of an entry whole; else None."""
    from huggingface_hub import try_to_load_from_cache

    found = {}
    for part in entry.parts:
        config = try_to_load_from_cache(part.repo_id, "config.json")
        if not isinstance(config, str) or not _has_weights(Path(config).parent):
            return None
        found[part.repo_id] = Path(config).parent
    return found


def _has_weights(folder: Path) -> bool:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            names = set(json.loads(index.read_text("utf-8"))["weight_map"].values())
        except (OSError, ValueError, KeyError, AttributeError):
            return False
        return bool(names) and all((folder / PurePosixPath(str(name)).name).is_file() for name in names)
    return any(path.is_file() for path in folder.glob("*.safetensors"))


def _wanted(sibling: Any) -> RemoteFile | None:
    """A listed file, if it is of a kind that is fetched and can be checked."""
    path = str(sibling.rfilename)
    parts = path.split("/")
    safe = all(_COMPONENT.fullmatch(part) and not _RESERVED.fullmatch(part) and not part.endswith(".") for part in parts)
    if not safe or not _ALLOWED.fullmatch(parts[-1]) or path == MANIFEST:
        return None
    lfs = sibling.lfs
    sha256 = str(lfs["sha256"]) if lfs else ""
    size = (lfs or {}).get("size", sibling.size)
    blob = str(sibling.blob_id or "")
    if not isinstance(size, int) or size < 0 or not (_SHA256.fullmatch(sha256) or _COMMIT.fullmatch(blob)):
        raise HubError(f"The hub does not say what {path} should be.", "Try another mirror, or again later.")
    return RemoteFile(path, size, sha256, blob)


class _Sink:
    """The file that the client writes to: it counts, and refuses more than was announced."""

    def __init__(self, raw: BinaryIO, size: int, came: Callable[[int], None]) -> None:
        self._raw, self._size, self._came = raw, size, came

    def write(self, data: bytes) -> int:
        done = self._raw.tell() + len(data)
        if done > self._size:
            raise _WrongSize(f"more than the announced {self._size} bytes came")
        self._raw.write(data)
        self._came(done)
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


def _asked(ask: Callable[[], Any], part: Part, options: HubOptions) -> Any:
    """What the hub answers; its errors become ours."""
    from huggingface_hub import errors

    try:
        return ask()
    except (DownloadStopped, HubError, _WrongSize):
        raise
    except errors.GatedRepoError as error:
        raise HubError(
            f"{part.repo_id} asks for an account.",
            f"Accept its terms at {options.endpoint}/{part.repo_id}, make a token there, and log in with `hf auth login`.",
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise HubError(f"{options.endpoint} has no {part.repo_id}, or does not show it.", "Check the mirror's address.") from error
    except errors.LocalEntryNotFoundError as error:
        raise _http_error(error.__cause__ or error, options) from error
    except Exception as error:
        if isinstance(error, OSError) and not isinstance(error, errors.HfHubHTTPError) and "Consistency check" in str(error):
            raise _WrongSize(str(error).splitlines()[0]) from error
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise _http_error(error, options) from error


def _http_error(error: BaseException, options: HubOptions) -> HubError:
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status in (401, 403):
        return HubError(f"{options.endpoint} refuses ({status}).", "Log in with `hf auth login`, or choose another mirror.")
    if status == 404:
        return HubError(f"{options.endpoint} has not this file.", "Choose another mirror.")
    if status == 429:
        return HubError(f"{options.endpoint} is asked too often.", "Wait some minutes, then go on.", passing=True)
    if status is not None and status >= 500:
        return HubError(f"{options.endpoint} has a fault of its own ({status}).", "Go on later.", passing=True)
    words = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
    remedy = "Check the network and the proxy, then go on."
    return HubError(f"The connection to {options.endpoint} failed ({words}).", remedy, passing=True)


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


_LOCK = ".lock"
_running: set[Path] = set()
_running_lock = threading.Lock()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One download of a model at a time, in this program and beside it."""
    from huggingface_hub.utils import WeakFileLock

    key = folder.resolve()
    with _running_lock:
        if key in _running:
            raise HubError("This model is being downloaded already.", "Wait for it, or stop it first.")
        _running.add(key)
    try:
        with WeakFileLock(folder / _LOCK, timeout=2.0):
            yield
    except TimeoutError as error:
        raise HubError("Another program is downloading this model here.", "Wait for it, then try again.") from error
    finally:
        with _running_lock:
            _running.discard(key)


_client_lock = threading.Lock()


@contextmanager
def _client(options: HubOptions) -> Iterator[None]:
    """The hub's client with our proxy, in small steps, without bars of its own."""
    import huggingface_hub
    from huggingface_hub import constants
    from huggingface_hub.utils import disable_progress_bars

    with _client_lock:
        constants.DOWNLOAD_CHUNK_SIZE = min(constants.DOWNLOAD_CHUNK_SIZE, _CHUNK_BYTES)
        disable_progress_bars()
        usual = huggingface_hub.get_session()
        kind, hooks = type(usual), usual.event_hooks
        more = {"proxy": options.proxy} if options.proxy else {}
        huggingface_hub.set_client_factory(lambda: kind(event_hooks=hooks, follow_redirects=True, timeout=None, **more))
    yield
