"""Values of a project survive JSON, and nothing of a wrong type or size gets in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model import checks
from app.model.block import Block, BlockSettings
from app.model.errors import FormatError
from app.model.outline import outline
from app.model.project import Project
from app.model.project_settings import Pauses, ProjectSettings
from app.model.signal import Signal
from app.model.take import PieceAudio, Take
from app.model.take_key import take_key
from app.model.voice import Voice, VoiceClip

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


def test_values_survive_json() -> None:
    values = [
        Block(
            "b",
            "text",
            BlockSettings("v", "English", "softly", "fit", 4.0, 7, 1.7, 0.8, 25, 1.1, -3.0, True, False),
            ("t",),
            "t",
        ),
        Take(
            "t",
            "b",
            "a" * 64,
            "text",
            {"model": "x", "list": [1, 2.5]},
            7,
            "done",
            "stop",
            1.5,
            (PieceAudio(0, 9, 1),),
            {"rtf": 0.1},
            ("w",),
            5.0,
        ),
        Voice(
            "v",
            "Joe",
            "#112233",
            (VoiceClip("joe.wav", "0" * 64, "hello", "English", 0.5, 9.0),),
            ("calm",),
            True,
            "joe",
            {"own": True},
            5.0,
        ),
        ProjectSettings(
            7,
            "v",
            "English",
            Pauses(1, 2, 3, 4, 5),
            -60.0,
            False,
            "natural",
            True,
            "Title",
            "Author",
            {"format": "flac"},
            {"": 1.5, "v": -3.0},
        ),
    ]
    for value in values:
        assert type(value).from_json(json.loads(json.dumps(value.to_json()))) == value


@given(st.sampled_from([Block, Take, Voice, ProjectSettings, BlockSettings, VoiceClip]), JSON)
def test_anything_else_is_refused_with_a_message(kind, raw) -> None:
    try:
        kind.from_json(raw)
    except FormatError as error:
        assert error.message


@given(st.sampled_from([Block("b"), Take("t", "b"), Voice("v")]), st.data())
def test_one_wrong_field_is_refused_or_read_but_never_crashes(value, data) -> None:
    raw = value.to_json()
    raw[data.draw(st.sampled_from(sorted(raw)))] = data.draw(JSON)
    try:
        type(value).from_json(raw)
    except FormatError as error:
        assert error.message


@pytest.mark.parametrize("name", ["../a.wav", "a/b", "..", "", "c:\\x", "x" * 300])
def test_a_clip_name_with_a_folder_in_it_is_refused(name: str) -> None:
    with pytest.raises(FormatError):
        VoiceClip.from_json({"file": name, "sha256": "0" * 64})


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "x", "1" * 10_000_000])
def test_json_that_is_a_bomb_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        checks.plain(checks.from_json_text(text, "x", 9_000_000), "x")


def test_a_take_key_depends_on_values_and_not_on_their_order_or_kind() -> None:
    one = take_key({"text": "a", "seed": 1, "top_p": 1.0, "context": (1, 2)})
    assert one == take_key({"context": [1, 2], "top_p": 1, "seed": 1.0, "text": "a"})
    for other in ({"seed": 2}, {"text": "A"}, {"top_p": 0.9}, {"context": [2, 1]}, {"more": None}):
        assert one != take_key({"text": "a", "seed": 1, "top_p": 1.0, "context": [1, 2]} | other)
    # Fixed for ever: takes of older projects must be found again.
    assert take_key({"text": "Hello.", "seed": 7}) == "327dffd7a393c80cc9ad6089cc416b31704910e1bafde39fbca282a979bd1357"


@pytest.mark.parametrize("bad", [{"a": float("nan")}, {"a": float("inf")}, {"a": b"x"}, {1: "a"}])
def test_a_take_key_of_what_has_no_canonical_form_is_refused(bad) -> None:
    with pytest.raises((TypeError, ValueError)):
        take_key({"record": bad})


def test_chapters_and_scenes_come_from_the_lines() -> None:
    lines = ["intro", "# One", "a", "## First", "b", "## Second", "# Two", "c"]
    project = Project([Block(id=f"b{index}", text=line) for index, line in enumerate(lines)])
    chapters = outline(project)
    assert [(each.title, each.first, each.end) for each in chapters] == [("", 0, 1), ("One", 1, 6), ("Two", 6, 8)]
    assert [(each.title, each.first, each.end) for each in chapters[1].scenes] == [("First", 3, 5), ("Second", 5, 6)]
    assert [each.title for each in outline(Project([Block(text=""), Block(text="# Only")]))] == ["Only"]


def test_a_failing_listener_does_not_keep_the_others_from_hearing() -> None:
    signal, heard = Signal(), []
    signal.connect(lambda value: 1 / 0)
    stop = signal.connect(heard.append)
    signal.emit(1)
    stop()
    stop()
    signal.emit(2)
    assert heard == [1]
