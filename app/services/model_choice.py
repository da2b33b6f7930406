"""From a name on the command line to a model's folder and an engine for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from app.paths import Paths, starter
from engine import FULL_SIZE_CARD, CheckpointError, open_local, read_card

if TYPE_CHECKING:
    from app.services.runlog import RunLog
    from engine import Engine, ModelCard

STARTER = "starter"


def installed_models(paths: Paths) -> dict[str, Path]:
    """Folders by name: the starter, then what was downloaded."""
    found = {STARTER: starter()}
    if paths.models.is_dir():
        for folder in sorted(paths.models.iterdir()):
            if (folder / "card.json").is_file() or _is_language_model(folder):
                found[folder.name] = folder
    return found


def model_folder(name: str | None, paths: Paths) -> Path:
    """The folder of a model given by name or by path; None is the starter.

    Raises:
        CheckpointError: there is no such model.
    """
    models = installed_models(paths)
    if name is None:
        return models[STARTER]
    by_name = {key.casefold(): folder for key, folder in models.items()}
    if name.casefold() in by_name:
        return by_name[name.casefold()]
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    raise CheckpointError(
        f"There is no model “{name}”.", f"Installed: {', '.join(models)}. A folder with a model can be given as well."
    )


def open_engine(
    paths: Paths,
    *,
    model: str | None = None,
    codec: Path | None = None,
    device: str = "auto",
    precision: str = "auto",
    slots: int = 1,
    on_status: Callable[..., None] | None = None,
    run_log: RunLog | None = None,
) -> Engine:
    """An engine for a model by name, started, whose requests go to the run log.

    Args:
        model: a name, a folder, or `server:NAME` for a speech server of the settings.
        run_log: the window's; None opens the profile's, which ends with the engine. It also means that a command asks,
            whose environment may hold the server's key.

    Raises:
        SpeechError: there is no such model, or it cannot be opened.
    """
    from app.services.logged_engine import LoggedEngine
    from app.services.model_sources import find_source, open_source
    from app.services.runlog import RunLog
    from app.services.server_keys import KEY_VARIABLE, ServerKeys
    from app.settings import Settings

    settings = Settings.load(paths)
    keys = ServerKeys(os.environ.get(KEY_VARIABLE, "") if run_log is None else "")
    source = None if codec is not None else find_source(model, paths, settings, keys)
    if source is not None:
        engine = open_source(source, paths, device=device, precision=precision, slots=slots, on_status=on_status)
    else:
        engine = open_local(
            model_folder(model, paths),
            codec_folder=codec,
            device=device,
            precision=precision,
            cache_folder=paths.reference_cache,
            slots=slots,
            on_status=on_status,
        )
        engine.start()
    if run_log is not None:
        return cast("Engine", LoggedEngine(engine, run_log))
    own = RunLog(paths.run_log, lambda: (settings.privacy.log_text, settings.privacy.log_audio))
    return cast("Engine", LoggedEngine(engine, own, ends_log=True))


def known_card(model: str | None, paths: Paths) -> ModelCard:
    """What a model by name can do, before anything heavy is loaded. Raises CheckpointError: there is no such model."""
    from app.services.model_sources import find_source
    from app.settings import Settings

    source = find_source(model, paths, Settings.load(paths), None)
    return source.card if source is not None else read_card(model_folder(model, paths)) or FULL_SIZE_CARD


def _is_language_model(folder: Path) -> bool:
    config = folder / "config.json"
    try:
        return config.is_file() and '"moss_tts_local"' in config.read_text("utf-8", errors="replace")[:100_000]
    except OSError:
        return False
