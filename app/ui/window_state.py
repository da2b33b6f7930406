"""What the window remembers: places of the docks, theme, keys, recent projects."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

RECENT_MOST = 12


@dataclass
class WindowState:
    """Read once, written when something changed; a damaged file costs the arrangement only.

    Attributes:
        theme: "dark", "light" or "system".
        interface_points, script_points: font sizes; 0 is the system's.
        script_family: "" is the interface's.
        language: of the interface, "" is the system's.
        geometry, docks: of Qt, base64.
        shortcuts: action id -> keys, those a person changed.
        recent: paths of projects, latest first.
        last_project: the one that was open.
        export_folder: where the last export went.
        output_device: name of the chosen output; "" follows the system.
        model, device: what speaks; "" is the starter, see `engine.open_local`.
        generate_ahead_s: how far ahead of the playhead speech is made.
        ask_before_quit: while something is being made.
    """

    theme: str = "system"
    interface_points: float = 0.0
    script_points: float = 0.0
    script_family: str = ""
    language: str = ""
    geometry: str = ""
    docks: str = ""
    shortcuts: dict[str, list[str]] = field(default_factory=dict)
    recent: list[str] = field(default_factory=list)
    last_project: str = ""
    export_folder: str = ""
    output_device: str = ""
    model: str = ""
    device: str = "auto"
    generate_ahead_s: float = 60.0
    ask_before_quit: bool = True
    _path: Path | None = None

    @staticmethod
    def load(path: Path) -> WindowState:
        state = WindowState()
        try:
            raw: Any = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raw = {}
        except (OSError, ValueError) as error:
            log.warning("the window's settings cannot be read, the usual ones are taken: %s", error)
            raw = {}
        if isinstance(raw, dict):
            for each in fields(WindowState):
                value = raw.get(each.name)
                if not each.name.startswith("_") and value is not None and _fits(value, getattr(state, each.name)):
                    setattr(state, each.name, value)
        state._path = path
        return state

    def save(self) -> None:
        """Whole or not at all. Raises OSError."""
        if self._path is None:
            return
        raw = {name: value for name, value in asdict(self).items() if not name.startswith("_")}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        beside = self._path.with_suffix(".new")
        beside.write_text(json.dumps(raw, indent=1, ensure_ascii=False), "utf-8")
        os.replace(beside, self._path)

    def remember_project(self, path: Path) -> None:
        text = str(path)
        self.recent = [text, *(each for each in self.recent if each != text)][:RECENT_MOST]


def _fits(value: Any, default: Any) -> bool:
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, list):
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if isinstance(default, dict):
        return isinstance(value, dict) and all(
            isinstance(keys, list) and all(isinstance(key, str) for key in keys) for keys in value.values()
        )
    return isinstance(value, type(default))
