"""From the key of a model in the settings to its folder or server, and an engine for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.paths import Paths
from app.services.server_keys import ServerKeys
from app.settings import Server, Settings
from engine import (
    CatalogueEntry,
    CheckpointError,
    ModelCard,
    ServerSpec,
    card_of,
    catalogue_entry,
    faults_of,
    find_in_cache,
    find_layout,
    has_manifest,
    open_local,
    open_server,
)

if TYPE_CHECKING:
    from engine import Engine

FOLDER_PREFIX, SERVER_PREFIX = "folder:", "server:"
IN_THE_WINDOW = " under Models & Servers."


class SourceError(CheckpointError):
    """What a key of the settings stands for cannot be used.

    Attributes:
        remedy: in the window. terminal_remedy: for commands, which have no menu.
    """

    def __init__(self, message: str, remedy: str, *, command: str) -> None:
        """
        Args:
            remedy: ends in `IN_THE_WINDOW`. command: does the same at a terminal.
        """
        super().__init__(message, remedy)
        self.terminal_remedy = remedy.removesuffix(IN_THE_WINDOW) + f": moss-voice-studio {command}"


@dataclass(frozen=True)
class Source:
    """Where a chosen model comes from: folders of this machine, or a server.

    Attributes:
        key: as it stands in the settings. card: what it can do, before it is loaded.
    """

    key: str
    card: ModelCard
    folder: Path | None = None
    codec: Path | None = None
    server: ServerSpec | None = None


def roots_of(paths: Paths, settings: Settings) -> tuple[Path, ...]:
    """The folders where downloads are: the chosen one, those chosen before it, and the profile's."""
    named = [Path(text).expanduser() for text in (settings.models.folder, *settings.models.earlier) if text]
    roots = [*named, paths.models] if settings.models.folder else [paths.models, *named]
    return tuple(dict.fromkeys(roots))


def place_of(entry: CatalogueEntry, paths: Paths, settings: Settings) -> Path:
    """The folder of downloads that has a model; the chosen one where none has it."""
    roots = roots_of(paths, settings)
    return next((root for root in roots if (root / entry.id).is_dir()), roots[0])


def spec_of(server: Server, key: str, settings: Settings) -> ServerSpec:
    """A server of the settings as the engine takes it; options of a wrong kind keep their defaults."""
    usual = ServerSpec(server.address)
    kind: Any = server.kind if server.kind in ("sglang", "vllm") else "auto"
    options = {}
    for name in ("parallel", "stream_format", "references", "stereo_listening", "use_batch"):
        value = server.options.get(name)
        if type(value) is type(getattr(usual, name)):
            options[name] = value
    if not 1 <= options.get("parallel", 1) <= 64:
        options.pop("parallel")
    return replace(
        usual,
        kind=kind,
        name=server.name,
        model=server.model,
        key=key,
        may_change_seed=settings.generation.seed_policy == "new",
        **options,
    )


def find_source(key: str | None, paths: Paths, settings: Settings, keys: ServerKeys | None) -> Source | None:
    """What a key of the settings stands for; None where it is a plain name or path of a folder.

    Args:
        keys: None leaves the server's key out (enough for its card).

    Raises:
        SourceError: it is not there any more. CheckpointError: it is no model.
    """
    if not key:
        return None
    if key.startswith(SERVER_PREFIX):
        wanted = key.removeprefix(SERVER_PREFIX)
        server = next((each for each in settings.servers if wanted in (each.id, each.name, each.address)), None)
        if server is None:
            names = ", ".join(each.name or each.address for each in settings.servers) or "none"
            raise SourceError(
                f"There is no server “{wanted}”.",
                f"Servers: {names}. Add one under Models & Servers.",
                command="models add-server NAME URL",
            )
        spec = spec_of(server, keys.get(server.id) if keys is not None else "", settings)
        return Source(key, card_of(spec), server=spec)
    if key.startswith(FOLDER_PREFIX):
        layout = find_layout(Path(key.removeprefix(FOLDER_PREFIX)))
        return Source(key, layout.card, layout.folder, layout.codec)
    entry = catalogue_entry(key)
    if entry is None:
        return None
    root, download = place_of(entry, paths, settings), f"models download {entry.id}"
    if (root / entry.id / "config.json").is_file():
        faults = faults_of(root / entry.id) if has_manifest(root / entry.id) else []
        if faults:
            raise SourceError(
                f"“{entry.name}” is damaged: {faults[0]}.",
                "Download it again under Models & Servers.",
                command=download,
            )
        return Source(key, entry.card, root / entry.id, find_layout(root / entry.id).codec)
    cached = find_in_cache(entry)
    if cached is None:
        raise SourceError(
            f"“{entry.name}” is not on this machine.",
            "Download it under Models & Servers.",
            command=download,
        )
    return Source(key, entry.card, cached[entry.parts[0].repo_id], cached[entry.parts[1].repo_id])


def open_source(
    source: Source,
    paths: Paths,
    *,
    device: str = "auto",
    precision: str = "auto",
    slots: int = 1,
    on_status: Callable[..., None] | None = None,
) -> Engine:
    """An engine for it, started. Raises SpeechError."""
    if source.server is not None:
        engine = open_server(source.server, on_status=on_status)
    else:
        assert source.folder is not None
        engine = open_local(
            source.folder,
            codec_folder=source.codec,
            device=device,
            precision=precision,
            cache_folder=paths.reference_cache,
            slots=slots,
            on_status=on_status,
        )
    engine.start()
    return engine
