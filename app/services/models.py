"""Which models there are, whether they are complete, and how each kind of them is opened."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.model.signal import Signal
from app.paths import Paths, starter
from app.services.model_choice import STARTER
from app.services.model_sources import FOLDER_PREFIX, SERVER_PREFIX, place_of, roots_of, spec_of
from app.services.server_keys import ServerKeys
from app.settings import Server, Settings
from engine import (
    CATALOGUE,
    CatalogueEntry,
    Download,
    DownloadStopped,
    HubOptions,
    Progress,
    ServerSpec,
    SpeechError,
    faults_of,
    find_in_cache,
    find_layout,
    has_manifest,
    partial_folder,
    read_card,
    remove_download,
    remove_partial,
)

STOP_S = 15.0  # a download that was stopped may still wait for the network


@dataclass(frozen=True)
class Row:
    """One model in a list of them.

    Attributes:
        key: to choose it by. kind: starter, catalogue, folder or server. name, summary: for people.
        state: ready, absent, partial (a download was stopped), loading (it runs), damaged, cached (in the hub's own
        cache).
        folder: where it is. size_bytes: on the disk, or to be fetched. fault: what is wrong with it, or why a download
        ended.
        entry: of the catalogue. progress: of a download that runs.
    """

    key: str
    kind: str
    name: str
    summary: str
    state: str
    folder: Path | None = None
    size_bytes: int = 0
    fault: str = ""
    entry: CatalogueEntry | None = None
    progress: Progress | None = None
    server: Server | None = None


class Models:
    """The models of a profile.

    Belongs to the thread of `post`; downloads run on threads of their own.

    Attributes:
        settings, keys: where choices and keys are kept.

    Signals:
        changed(): rows are others. progressed(entry id): a download went on.
    """

    def __init__(
        self,
        paths: Paths,
        settings: Settings | None = None,
        keys: ServerKeys | None = None,
        post: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        self.paths = paths
        self.settings = settings or Settings.load(paths)
        self.keys = keys or ServerKeys()
        self.changed, self.progressed = Signal(), Signal()
        self._in_window = post is not None
        self._post = post or (lambda call: call())
        self._downloads: dict[str, Download] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._progress: dict[str, Progress] = {}
        self._faults: dict[str, str] = {}
        self._told_s = 0.0

    # -- what there is ------------------------------------------------------------------------------------------

    @property
    def root(self) -> Path:
        """Where downloads go."""
        return Path(self.settings.models.folder).expanduser() if self.settings.models.folder else self.paths.models

    @property
    def chosen(self) -> str:
        """The key of the model that the window opens with."""
        return self.settings.generation.model or STARTER

    def choose(self, key: str) -> None:
        self.settings.change("generation", model="" if key == STARTER else key)

    def keeps(self) -> tuple[bool, bool]:
        """Whether the run log keeps text and sound. Any thread."""
        return self.settings.privacy.log_text, self.settings.privacy.log_audio

    def rows(self) -> list[Row]:
        """The starter, the catalogue, folders of the person, servers. Reads small files and sizes only."""
        card = read_card(starter())
        rows = [
            Row(STARTER, "starter", card.name if card else "Starter", card.summary if card else "", "ready", starter())
        ]
        rows += [self._catalogue_row(entry) for entry in CATALOGUE]
        rows += [self._folder_row(Path(text)) for text in self.settings.models.folders]
        rows += [
            Row(
                SERVER_PREFIX + server.id,
                "server",
                server.name or server.address,
                server.address,
                "ready",
                server=server,
            )
            for server in self.settings.servers
        ]
        return rows

    def _catalogue_row(self, entry: CatalogueEntry) -> Row:
        folder, partial = self.place_of(entry) / entry.id, self.begun_at(entry)
        row = Row(entry.id, "catalogue", entry.name, entry.summary, "absent", size_bytes=entry.size_bytes, entry=entry)
        if entry.id in self._downloads:
            return replace(row, state="loading", progress=self._progress.get(entry.id))
        fault = self._faults.get(entry.id, "")
        if (folder / "config.json").is_file() or has_manifest(folder):
            faults = faults_of(folder) if has_manifest(folder) else _layout_faults(folder)
            size = _size_of(folder)
            if not faults:
                return replace(row, state="ready", folder=folder, size_bytes=size)
            return replace(row, state="damaged", folder=folder, size_bytes=size, fault="; ".join(faults[:3]))
        if partial is not None:
            have = _size_of(partial)
            return replace(
                row, state="partial", fault=fault, progress=Progress("downloading", have, max(entry.size_bytes, have))
            )
        cached = find_in_cache(entry)
        if cached is not None:
            return replace(row, state="cached", folder=cached[entry.parts[0].repo_id])
        return replace(row, fault=fault)

    def place_of(self, entry: CatalogueEntry) -> Path:
        """The folder of downloads that has a model; where the next would go when none has it."""
        return place_of(entry, self.paths, self.settings)

    def begun_at(self, entry: CatalogueEntry) -> Path | None:
        """What has come of an unfinished download, also where it was begun in another folder; None: nothing."""
        partials = (partial_folder(entry, root) for root in roots_of(self.paths, self.settings))
        return next((partial for partial in partials if partial.is_dir()), None)

    def _folder_row(self, folder: Path) -> Row:
        faults = _layout_faults(folder)
        row = Row(FOLDER_PREFIX + str(folder), "folder", folder.name, str(folder), "ready", folder, _size_of(folder))
        return replace(row, state="damaged", fault=faults[0]) if faults else row

    def add_folder(self, folder: Path) -> str:
        """Use a model where it lies; its key. Raises CheckpointError: there is none."""
        folder = folder.expanduser().absolute()
        find_layout(folder)
        rest = tuple(text for text in self.settings.models.folders if text != str(folder))
        self.settings.change("models", folders=(*rest, str(folder)))
        self.changed.emit()
        return FOLDER_PREFIX + str(folder)

    def forget_folder(self, folder: Path) -> None:
        """Take a folder off the list; nothing of it is deleted."""
        self.settings.change(
            "models", folders=tuple(text for text in self.settings.models.folders if text != str(folder))
        )
        self.changed.emit()

    # -- downloads ----------------------------------------------------------------------------------------------

    @property
    def hub(self) -> HubOptions:
        own = self.settings.models
        return HubOptions(own.mirror, own.proxy, own.offline)

    def download(self, entry: CatalogueEntry) -> None:
        """Fetch a model, or go on with it, in the background."""
        if entry.id in self._downloads:
            return
        before = self._threads.get(entry.id)
        self._faults.pop(entry.id, None)
        download = Download(
            entry,
            self.root,
            self.hub,
            lambda progress: self._came(entry.id, progress),
            begun_at=self.begun_at(entry),
        )
        self._downloads[entry.id] = download
        self._progress[entry.id] = Progress("asking")

        def work() -> None:
            if before is not None:
                before.join()  # one that is just stopping may still wait for the network
            fault = ""
            try:
                download.run()
            except DownloadStopped:
                fault = ""
            except SpeechError as error:
                fault = f"{error.message} {error.remedy}".strip()
            except Exception as error:
                fault = f"The download failed ({type(error).__name__}: {error}). Try again."
            self._post(lambda: self._ended(entry.id, download, fault))

        thread = threading.Thread(target=work, name="download", daemon=True)
        self._threads[entry.id] = thread
        thread.start()
        self.changed.emit()

    def pause(self, entry: CatalogueEntry) -> None:
        """Stop a download; what has come is kept."""
        download = self._downloads.pop(entry.id, None)
        if download is not None:
            download.stop()
            self.changed.emit()

    def remove(self, entry: CatalogueEntry) -> None:
        """Delete a downloaded model, or what has come of it.

        In a window (with `post`) this returns at once, since a download that is being stopped may wait for the network;
        a failure is then told as the fault of the row.

        Raises:
            HubError: without `post`: it cannot be deleted.
        """
        self.pause(entry)
        before, place, roots = self._threads.get(entry.id), self.place_of(entry), roots_of(self.paths, self.settings)

        def work() -> None:
            if before is not None:
                before.join(STOP_S)
            remove_download(entry, place)
            for root in roots:
                remove_partial(entry, root)

        def work_beside() -> None:
            fault = ""
            try:
                work()
            except SpeechError as error:
                fault = f"{error.message} {error.remedy}".strip()
            self._post(lambda: self._removed(entry, fault))

        if not self._in_window:
            work()
            self._removed(entry, "")
            return
        self._threads[entry.id] = threading.Thread(target=work_beside, name="removal", daemon=True)
        self._threads[entry.id].start()

    def _removed(self, entry: CatalogueEntry, fault: str) -> None:
        self._faults.pop(entry.id, None)
        if fault:
            self._faults[entry.id] = fault
        self.changed.emit()

    def move_root(self, folder: Path | None) -> None:
        """Where the next downloads go; models stay, and what has come of unfinished ones moves when they go on."""
        left = (root for root in roots_of(self.paths, self.settings) if root not in (folder, self.paths.models))
        earlier = tuple(str(root) for root in left if _holds_downloads(root))
        self.settings.change("models", folder="" if folder is None else str(folder), earlier=earlier)
        self.changed.emit()

    def close(self) -> None:
        """Stop what is being fetched; it goes on next time."""
        for download in list(self._downloads.values()):
            download.stop()

    def _came(self, entry_id: str, progress: Progress) -> None:
        self._progress[entry_id] = progress
        now_s = time.monotonic()
        if now_s - self._told_s > 0.1:
            self._told_s = now_s
            self._post(lambda: self.progressed.emit(entry_id))

    def _ended(self, entry_id: str, download: Download, fault: str) -> None:
        if fault:
            self._faults[entry_id] = fault
        if self._downloads.get(entry_id) is download:
            del self._downloads[entry_id]
        self.changed.emit()

    # -- servers ------------------------------------------------------------------------------------------------

    def save_server(self, server: Server, key: str | None) -> Server:
        """Keep a server; one without an id is new. `key`: None leaves it as it is, but a new address needs its key
        anew. May wait for the system's keyring."""
        if not server.id:
            server = replace(server, id=uuid.uuid4().hex)
        if key is not None:
            self.keys.set(server.id, key)
        elif self._moved(server):
            self.keys.forget(server.id)
        others = [each for each in self.settings.servers if each.id != server.id]
        at = next((at for at, each in enumerate(self.settings.servers) if each.id == server.id), len(others))
        set_servers(self.settings, (*others[:at], server, *others[at:]))
        self.changed.emit()
        return server

    def remove_server(self, server: Server) -> None:
        self.keys.forget(server.id)
        set_servers(self.settings, tuple(each for each in self.settings.servers if each.id != server.id))
        self.changed.emit()

    def spec(self, server: Server, key: str | None = None) -> ServerSpec:
        """How to ask a server. May wait for the system's keyring."""
        if key is None:
            key = "" if self._moved(server) else self.keys.get(server.id)
        return spec_of(server, key, self.settings)

    def _moved(self, server: Server) -> bool:
        """Whether the server is kept under another address: a key is for the host that it was entered for."""
        return any(kept.id == server.id and kept.address != server.address for kept in self.settings.servers)


def set_servers(settings: Settings, servers: tuple[Server, ...]) -> None:
    settings.change("servers", value=servers)


def _holds_downloads(root: Path) -> bool:
    return any((root / entry.id).is_dir() or partial_folder(entry, root).is_dir() for entry in CATALOGUE)


def _layout_faults(folder: Path) -> list[str]:
    try:
        find_layout(folder)
    except SpeechError as error:
        return [f"{error.message} {error.remedy}".strip()]
    return []


def _size_of(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except OSError:
        return 0
