"""Every path of the studio; one profile folder moves them all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import platformdirs

APP_NAME = "moss-voice-studio"


@dataclass(frozen=True)
class Paths:
    """Where things live.

    Attributes:
        profile: settings, voices, untitled projects, recovery, run log.
        cache: reference codes, shared takes; may be deleted at any time.
        models: downloaded checkpoints.
        logs: text logs.
    """

    profile: Path
    cache: Path
    models: Path
    logs: Path

    @property
    def settings_file(self) -> Path:
        return self.profile / "settings.json"

    @property
    def voices(self) -> Path:
        return self.profile / "voices"

    @property
    def untitled(self) -> Path:
        return self.profile / "untitled"

    @property
    def reference_cache(self) -> Path:
        return self.cache / "references"

    @property
    def take_cache(self) -> Path:
        return self.cache / "takes"

    @property
    def served_clips(self) -> Path:
        """Clips of other programs, while they are served."""
        return self.cache / "served clips"

    @property
    def run_log(self) -> Path:
        return self.profile / "runlog.sqlite"


def paths_for(profile: Path | None = None) -> Paths:
    """The paths of a profile.

    Args:
        profile: a folder that holds everything (`--profile DIR`); None takes MOSS_PROFILE, else the system's own
            places.
    """
    chosen = profile or (Path(os.environ["MOSS_PROFILE"]) if os.environ.get("MOSS_PROFILE") else None)
    if chosen is not None:
        root = chosen.expanduser().absolute()
        return Paths(root, root / "cache", root / "models", root / "logs")
    dirs = platformdirs.PlatformDirs(APP_NAME, appauthor=False)
    return Paths(
        Path(dirs.user_data_dir),
        Path(dirs.user_cache_dir),
        Path(dirs.user_data_dir) / "models",
        Path(dirs.user_log_dir),
    )


def resource(*parts: str) -> Path:
    """A file or folder shipped with the studio."""
    return Path(str(files("resources").joinpath(*parts)))


def starter() -> Path:
    """The starter model: `card.json`, `model/`, `codec/`, `voices/`."""
    return resource("starter")
