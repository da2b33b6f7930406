"""Settings survive restarts, crashes, damage and other versions."""

from __future__ import annotations

import json
import os
import re
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from app import settings as module
from app.paths import paths_for
from app.settings import Server, Settings, Values


def load(folder: Path) -> Settings:
    return Settings.load(paths_for(folder))


def test_a_fresh_profile_has_defaults_and_nothing_to_tell(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert settings.playback.ahead_s == 60.0 and settings.notice == "" and not settings.path.exists()


def test_changes_are_there_after_a_restart(tmp_path: Path) -> None:
    settings, told = load(tmp_path), []
    settings.changed.connect(told.append)
    settings.change("playback", speed=1.25, device="Headphones")
    settings.change("servers", value=(Server("s1", "Home", "http://127.0.0.1:8000"),))
    settings.change("shortcuts", value={"play": "Ctrl+P"})
    settings.change("playback", speed=1.25)
    assert told == ["playback", "servers", "shortcuts"]
    assert load(tmp_path).values == settings.values


@pytest.mark.parametrize(
    ("group", "changes"),
    [
        ("playback", {"speed": "fast"}),
        ("playback", {"no": 1}),
        ("nothing", {}),
        ("servers", {"value": ("x",)}),
        ("privacy", {"log_text": 1}),
    ],
)
def test_a_wrong_value_is_refused(tmp_path: Path, group: str, changes: dict) -> None:
    settings = load(tmp_path)
    with pytest.raises(ValueError):
        settings.change(group, **changes)
    assert settings.values == Settings().values


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b'{"version":0}', b'{"version":"1"}', b"[" * 100_000])
def test_a_damaged_file_is_kept_aside_and_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "settings.json").write_bytes(data)
    settings = load(tmp_path)
    assert "kept as" in settings.notice and settings.values == Settings().values
    kept = [each for each in tmp_path.iterdir() if "damaged" in each.name]
    assert len(kept) == 1 and kept[0].read_bytes() == data
    settings.change("editor", size_pt=20.0)
    assert load(tmp_path).editor.size_pt == 20.0


def test_a_wrong_field_costs_itself_alone(tmp_path: Path) -> None:
    raw = {
        "version": 1,
        "playback": {"speed": "x", "ahead_s": 30},
        "editor": 3,
        "shortcuts": {"a": 1},
        "general": {"recent": ["a"]},
    }
    (tmp_path / "settings.json").write_text(json.dumps(raw))
    settings = load(tmp_path)
    assert settings.playback.speed == 1.0 and settings.playback.ahead_s == 30.0
    assert settings.editor.size_pt == 13.0 and settings.shortcuts == {} and settings.general.recent == ("a",)


def test_what_a_later_version_wrote_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(
        json.dumps({"version": 99, "future": {"x": 1}, "editor": {"font": "Serif"}})
    )
    settings = load(tmp_path)
    assert "later version" in settings.notice and settings.editor.font == "Serif"
    settings.change("editor", font="Sans")
    assert json.loads((tmp_path / "settings.json").read_text())["future"] == {"x": 1}


def test_an_older_version_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rename(raw: dict) -> dict:
        return raw | {"editor": {"font": raw["typeface"]}}

    monkeypatch.setattr(module, "VERSION", 2)
    monkeypatch.setitem(module.MIGRATIONS, 1, rename)
    (tmp_path / "settings.json").write_text(json.dumps({"version": 1, "typeface": "Serif"}))
    assert load(tmp_path).editor.font == "Serif"


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load(tmp_path)
    settings.change("editor", font="Serif")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError):
        settings.change("editor", font="Sans")
    monkeypatch.undo()
    assert load(tmp_path).editor.font == "Serif" and [each.name for each in tmp_path.iterdir()] == ["settings.json"]
    settings.save()
    assert load(tmp_path).editor.font == "Sans"


def test_recent_projects_are_few_and_the_latest_comes_first(tmp_path: Path) -> None:
    settings = load(tmp_path)
    for number in range(20):
        settings.opened(Path(f"/p/{number}.mvs"))
    settings.opened(Path("/p/15.mvs"))
    assert settings.general.recent[:2] == (str(Path("/p/15.mvs")), str(Path("/p/19.mvs")))
    assert len(settings.general.recent) == module.RECENT


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(module._GROUPS), st.dictionaries(st.sampled_from(["recent", "speed", "id", "x"]), JSON) | JSON
    )
)
def test_any_json_gives_settings_of_the_right_types(tmp_path: Path, groups: dict) -> None:
    (tmp_path / "settings.json").write_text(json.dumps({"version": 1} | groups))
    settings = load(tmp_path)
    assert module._fits(module.Values, settings.values)


def test_every_setting_is_read_by_something() -> None:
    app = Path(module.__file__).parent
    sources = "\n".join(file.read_text("utf-8") for file in app.rglob("*.py") if file != Path(module.__file__))
    unread = []
    for group in fields(Values):
        kind = group.default_factory if group.default_factory is not MISSING else None
        for each in fields(kind) if is_dataclass(kind) else ():
            names = "|".join([group.name, *re.findall(rf"(\w+) = [\w.]*settings\.{group.name}\n", sources)])
            as_attribute = rf"\b(?:{names})\.{each.name}\b"
            of_the_window = re.search(rf'(\w+) = _setting\("{group.name}", "{each.name}"\)', sources)
            through_it = rf"\b\w*(?:state|settings)\.{of_the_window[1]}\b(?! = )" if of_the_window else "(?!)"
            if not re.search(as_attribute, sources) and not re.search(through_it, sources):
                unread.append(f"{group.name}.{each.name}")
    assert unread == []
