"""Names of exported files: templates, and names that are safe everywhere."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.exporter_formats import ExportError
from app.services.exporter_names import Names, check_template, fill, safe_name


def test_a_template_is_filled() -> None:
    assert fill("{number:02} - {chapter}", {"number": 7, "chapter": "Arrival"}) == "07 - Arrival"
    assert fill("{number}{voice}", {"number": 12}) == "12"


def test_a_field_cannot_reach_into_objects() -> None:
    with pytest.raises(ExportError):
        check_template("{number.__class__}")
    with pytest.raises(ExportError, match="no field called {secret}"):
        check_template("{secret}")
    with pytest.raises(ExportError, match="bracket"):
        check_template("{number")
    check_template("{number:02} {title} {chapter} {voice} {text} {block}")


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("/root", "root"),
        ("C:\\temp\\x", "C--temp-x"),
        ("CON", "CON_"),
        ("nul.txt", "nul_.txt"),
        ("com1", "com1_"),
        ("What? Who: me", "What- Who- me"),
        ("  spaced  out . ", "spaced out"),
        ("..", "untitled"),
        ("", "untitled"),
        ("a\x00b\nc", "a b c"),
        ("right\u202eleft", "right left"),
        ("第一章 · 到达", "第一章 · 到达"),
    ],
)
def test_names_are_safe(wanted: str, name: str) -> None:
    assert safe_name(wanted) == name


@given(st.text(max_size=400))
def test_any_text_becomes_one_plain_name(wanted: str) -> None:
    name = safe_name(wanted)
    assert name
    assert len(name.encode()) <= 181
    assert PurePosixPath(name).name == name == PureWindowsPath(name).name
    assert not PureWindowsPath(name + ".wav").is_reserved()
    assert name not in (".", "..")
    assert not name.endswith((" ", "."))
    assert safe_name(name) == name


def test_names_that_differ_only_in_case_or_composition_are_kept_apart() -> None:
    names = Names()
    assert [names.take(each) for each in ("One", "one", "ONE", "Café", "Cafe\u0301")] == [
        "One",
        "one (2)",
        "ONE (3)",
        "Café",
        "Café (2)",
    ]


def test_a_name_that_another_file_has_is_not_given() -> None:
    names = Names(["Tale"])
    assert [names.take("tale"), names.take("tale")] == ["tale (2)", "tale (3)"]
