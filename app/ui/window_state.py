"""What the window remembers, as plain attributes over the settings of the profile."""

from __future__ import annotations

import contextlib
import json
import logging
from pathlib import Path
from typing import Any, NamedTuple

from app.settings import Settings

log = logging.getLogger(__name__)


_PLACES = 30


class Place(NamedTuple):
    """Where a person was: block with the caret and the caret in it (UTF-16), uppermost block and how much of it is
    hidden."""

    block_id: str
    offset: int
    top_id: str
    hidden_px: int


def _setting(group: str, name: str) -> Any:
    """A field of a group of the settings."""

    def read(self: WindowState) -> Any:
        return getattr(getattr(self.shared, group), name)

    def write(self: WindowState, value: Any) -> None:
        self._change(group, **{name: value})

    return property(read, write)


def _kept(name: str, default: str = "") -> Any:
    """A text that only the window understands."""

    def read(self: WindowState) -> str:
        return self.shared.window.get(name, default)

    def write(self: WindowState, value: str) -> None:
        self._change("window", value={**self.shared.window, name: value})

    return property(read, write)


class WindowState:
    """Setting an attribute writes the settings' file; that it could not be written is told by `save`.

    Attributes:
        shared: the settings, one object for the whole window.
        theme: "dark", "light" or "system"; language: of the interface, "" is the system's.
        interface_points, script_points: font sizes; 0 is the system's. script_family: "" is the interface's.
        output_device, input_device: names of the chosen output and microphone; "" follows the system.
        generate_ahead_s: how far ahead of the playhead speech is made. review_speed: of listening, 0.5..2.
        model, device, precision: what speaks, see `engine.open_local`.
        continuation, longest_piece_s, seed_policy: how lines are made, see `app.settings.Generation`.
        pauses_mode: of projects that are begun: "exact" or "natural".
        export_folder: where the last export went.
        geometry, docks: of Qt, base64. last_project: the one that was open.
        ask_before_quit: while something is being made.
    """

    theme = _setting("general", "theme")
    language = _setting("general", "language")
    script_points = _setting("editor", "size_pt")
    script_family = _setting("editor", "font")
    output_device = _setting("playback", "device")
    input_device = _setting("playback", "microphone")
    generate_ahead_s = _setting("playback", "ahead_s")
    loudness_preview = _setting("playback", "loudness_preview")
    review_speed = _setting("playback", "speed")
    model = _setting("generation", "model")
    device = _setting("generation", "device")
    precision = _setting("generation", "precision")
    continuation = _setting("generation", "continuation")
    longest_piece_s = _setting("generation", "longest_piece_s")
    seed_policy = _setting("generation", "seed_policy")
    pauses_mode = _setting("generation", "pauses")
    export_folder = _setting("export", "folder")
    geometry = _kept("geometry")
    docks = _kept("docks")
    last_project = _kept("last_project")

    def __init__(self, settings: Settings) -> None:
        self.shared = settings
        self._failed: OSError | None = None

    @property
    def recent(self) -> tuple[str, ...]:
        """Paths of projects, latest first."""
        return self.shared.general.recent

    @property
    def shortcuts(self) -> dict[str, list[str]]:
        """Keys a person changed: action id to key sequences."""
        return {action: keys.split() for action, keys in self.shared.shortcuts.items()}

    @shortcuts.setter
    def shortcuts(self, keys: dict[str, list[str]]) -> None:
        self._change("shortcuts", value={action: " ".join(each) for action, each in keys.items()})

    @property
    def interface_points(self) -> float:
        try:
            return float(self.shared.window.get("interface_points", "0"))
        except ValueError:
            return 0.0

    @interface_points.setter
    def interface_points(self, points: float) -> None:
        self._change("window", value={**self.shared.window, "interface_points": f"{points:g}"})

    @property
    def ask_before_quit(self) -> bool:
        return self.shared.window.get("ask_before_quit", "yes") == "yes"

    @ask_before_quit.setter
    def ask_before_quit(self, ask: bool) -> None:
        self._change("window", value={**self.shared.window, "ask_before_quit": "yes" if ask else "no"})

    def place(self, path: str) -> Place | None:
        """Where the person was when the project at `path` was left."""
        with contextlib.suppress(TypeError, ValueError):
            block_id, offset, top_id, hidden_px = self._places().get(path)
            return Place(str(block_id), max(0, int(offset)), str(top_id), int(hidden_px))
        return None

    def keep_place(self, path: str, place: Place) -> None:
        places = {each: value for each, value in self._places().items() if each != path}
        kept = dict([*places.items(), (path, list(place))][-_PLACES:])
        self._change("window", value={**self.shared.window, "places": json.dumps(kept)})

    def _places(self) -> dict[str, Any]:
        with contextlib.suppress(ValueError):
            found = json.loads(self.shared.window.get("places", "{}"))
            if isinstance(found, dict):
                return found
        return {}

    def remember_project(self, path: Path) -> None:
        try:
            self.shared.opened(path)
        except OSError as error:
            self._failed = error

    def save(self) -> None:
        """Raises OSError when something set before could not be written and still cannot."""
        if self._failed is not None:
            self._failed = None
            self.shared.save()

    def _change(self, group: str, **changes: Any) -> None:
        try:
            self.shared.change(group, **changes)
        except OSError as error:
            log.warning("the settings were not kept: %s", error)
            self._failed = error
