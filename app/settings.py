"""Settings of the studio: typed, grouped, versioned, and written so that a crash leaves the old or the new ones."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from app.model.signal import Signal
from app.paths import Paths

_log = logging.getLogger(__name__)
T = TypeVar("T")

VERSION = 1
RECENT = 12
_MAX_BYTES = 4 * 1024 * 1024

# What turns the JSON of version n into that of n + 1, by n.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


@dataclass(frozen=True)
class General:
    """`language`: of the window, "" follows the system; `theme`: system, light or dark; `recent`: paths of projects,
    latest first."""

    language: str = ""
    theme: str = "system"
    recent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Playback:
    """`device`, `microphone`: names, "" follows the system; `ahead_s`: how far speech is made ahead of the playhead;
    `speed`: 0.5..2; `loudness_preview`: the loudness of the export is heard in playback too."""

    device: str = ""
    microphone: str = ""
    ahead_s: float = 60.0
    speed: float = 1.0
    loudness_preview: bool = False


@dataclass(frozen=True)
class Generation:
    """`model`: id of the model, "" is the starter; `device`, `precision`: auto or a name; `seed_policy`: project (one
    seed for all) or new (another at every making); `continuation`: a piece goes on from the one before; `pauses`: exact
    or natural;
    `longest_piece_s`: None is the model card's."""

    model: str = ""
    device: str = "auto"
    precision: str = "auto"
    seed_policy: str = "project"
    continuation: bool = True
    pauses: str = "exact"
    longest_piece_s: float | None = None


@dataclass(frozen=True)
class Editor:
    """`font`: family, "" is the system's; `size_pt`."""

    font: str = ""
    size_pt: float = 13.0


@dataclass(frozen=True)
class Export:
    """`folder`: where exports go, "" is beside the project. What else is chosen for one is kept with its project."""

    folder: str = ""


@dataclass(frozen=True)
class Models:
    """`folder`: where downloads go, "" is the profile's; `earlier`: where they went before, while something is there;
    `folders`: models used where they lie; `mirror`: address of another hub; `offline`: never ask the network; `proxy`:
    address."""

    folder: str = ""
    earlier: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    mirror: str = ""
    offline: bool = False
    proxy: str = ""


@dataclass(frozen=True)
class Server:
    """A speech server. Its key lives in the system's keyring, never here."""

    id: str
    name: str = ""
    address: str = ""
    kind: str = "openai"
    model: str = ""
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Privacy:
    """What the run log keeps besides figures."""

    log_text: bool = False
    log_audio: bool = False


@dataclass(frozen=True)
class Values:
    """All settings. `shortcuts`: action id to key sequence, where it differs from the default; `window`: base64 states
    by name."""

    general: General = field(default_factory=General)
    playback: Playback = field(default_factory=Playback)
    generation: Generation = field(default_factory=Generation)
    editor: Editor = field(default_factory=Editor)
    export: Export = field(default_factory=Export)
    models: Models = field(default_factory=Models)
    servers: tuple[Server, ...] = ()
    privacy: Privacy = field(default_factory=Privacy)
    shortcuts: dict[str, str] = field(default_factory=dict)
    window: dict[str, str] = field(default_factory=dict)


class Settings:
    """The settings of a profile.

    Read a group as an attribute (`settings.playback.ahead_s`), change it with `change`. Safe from any thread; the
    signal comes on the thread that changed something.

    Attributes:
        general, playback, generation, editor, export, models, servers, privacy, shortcuts, window: see `Values`.
        path: the file, or None for settings that are not kept.
        notice: what the person should know about the reading, or "".

    Signals:
        changed(group): the name of the group.
    """

    def __init__(self, path: Path | None = None, values: Values | None = None) -> None:
        self.path = path
        self.notice = ""
        self.changed = Signal()
        self._values = values or Values()
        self._unknown: dict[str, Any] = {}
        self._lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        if name in _GROUPS:
            return getattr(self._values, name)
        raise AttributeError(name)

    @property
    def values(self) -> Values:
        return self._values

    @classmethod
    def load(cls, paths: Paths) -> Settings:
        """The settings of a profile; defaults for what is missing or wrong.

        A file that cannot be read is kept aside, told in `notice`, and defaults are used.
        """
        settings = cls(paths.settings_file)
        try:
            with paths.settings_file.open("rb") as file:
                data = file.read(_MAX_BYTES + 1)
        except FileNotFoundError:
            return settings
        except OSError as error:
            settings.notice = f"The settings cannot be read ({error.strerror}); the defaults are used for now."
            settings.path = None  # what cannot be read must not be written over
            return settings
        try:
            if len(data) > _MAX_BYTES:
                raise ValueError("too large")
            raw = json.loads(data)
            if not isinstance(raw, dict):
                raise ValueError("no settings")
            version = raw.get("version")
            if isinstance(version, bool) or not isinstance(version, int) or version < 1:
                raise ValueError("no version")
            if version > VERSION:
                settings.notice = (
                    "The settings were written by a later version; what this version does not know was left alone."
                )
            for step in range(version, VERSION):
                raw = MIGRATIONS[step](raw)
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            settings._keep_aside(str(error))
            return settings
        settings._unknown = {name: value for name, value in raw.items() if name not in _GROUPS and name != "version"}
        settings._values = _read(Values, {name: value for name, value in raw.items() if name in _GROUPS}, Values())
        return settings

    def change(self, group: str, /, **changes: Any) -> None:
        """Change fields of a group and write the file: `settings.change("playback", speed=1.25)`.

        For `servers`, `shortcuts` and `window` give `value`: `settings.change("shortcuts", value={...})`.

        Raises:
            ValueError: no such group or field, or a value of the wrong type.
            OSError: the file cannot be written; the change holds in memory.
        """
        if group not in _GROUPS:
            raise ValueError(f"There are no settings called {group}.")
        with self._lock:
            before = getattr(self._values, group)
            if is_dataclass(before) and not isinstance(before, type):
                unknown = set(changes) - {each.name for each in fields(before)}
                if unknown:
                    raise ValueError(f"{group} has no setting called {min(unknown)}.")
                after: Any = replace(before, **changes)
            else:
                after = changes["value"]
            if not _fits(get_type_hints(Values)[group], after):
                raise ValueError(f"A setting of {group} has a value of the wrong type.")
            if after == before:
                return
            self._values = replace(self._values, **{group: after})
        self.changed.emit(group)
        self.save()

    def opened(self, path: Path) -> None:
        """Put a project at the head of the recent ones."""
        rest = [each for each in self.general.recent if each != str(path)]
        self.change("general", recent=tuple([str(path), *rest][:RECENT]))

    def save(self) -> None:
        """Write the file; it is whole at every instant. Raises OSError."""
        if self.path is None:
            return
        with self._lock:
            raw = self._unknown | {"version": VERSION} | asdict(self._values)
            write_atomically(self.path, json.dumps(raw, ensure_ascii=False, indent=2).encode("utf-8"))

    def _keep_aside(self, why: str) -> None:
        assert self.path is not None
        aside = self.path.with_name(
            f"{self.path.stem} (damaged {time.strftime('%Y-%m-%d %H.%M.%S')}){self.path.suffix}"
        )
        try:
            os.replace(self.path, aside)
        except OSError:
            self.path = None
        _log.warning("Settings were damaged: %s", why)
        self.notice = f"The settings were damaged, so the defaults are used. The old file was kept as {aside.name}."


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a crash or a power cut leaves either the old or the new one. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


_GROUPS = tuple(each.name for each in fields(Values))


def _read(kind: type[T], raw: Mapping[str, Any], default: T) -> T:
    """A dataclass from JSON: a field that is missing or of the wrong type keeps its default."""
    hints = get_type_hints(kind)
    found = {}
    for each in fields(kind):  # type: ignore[arg-type]
        if each.name in raw:
            value = _value(hints[each.name], raw[each.name], getattr(default, each.name, None))
            if _fits(hints[each.name], value):
                found[each.name] = value
    return replace(default, **found)  # type: ignore[type-var]


def _value(hint: Any, raw: Any, default: Any) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        return _read(hint, raw, default) if isinstance(raw, dict) else default
    if get_origin(hint) is tuple and isinstance(raw, list):
        inner = get_args(hint)[0]
        if is_dataclass(inner) and isinstance(inner, type):
            whole = [each for each in raw if isinstance(each, dict) and isinstance(each.get("id"), str)]
            return tuple(_read(inner, each, inner(each["id"])) for each in whole)
        return tuple(raw)
    if hint is float and isinstance(raw, int) and not isinstance(raw, bool):
        return float(raw)
    return raw


def _fits(hint: Any, value: Any) -> bool:
    if hint is Any:
        return True
    if is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        return isinstance(value, hint) and all(
            _fits(hints[each.name], getattr(value, each.name)) for each in fields(hint)
        )
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(inner[0], each) for each in value)
    if origin is dict:
        return isinstance(value, dict) and all(
            isinstance(key, str) and _fits(inner[1], each) for key, each in value.items()
        )
    if inner:  # a union with None
        return any(value is None if each is type(None) else _fits(each, value) for each in inner)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is hint
