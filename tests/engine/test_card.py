"""The card of a model: read whole, or refused by the name of the file that is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engine import CheckpointError, read_card

STARTER = Path(__file__).parents[2] / "resources" / "starter"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The starter's card and list of voices, without its weights."""
    (tmp_path / "voices").mkdir()
    for name in ("card.json", "voices/voices.json"):
        shutil.copyfile(STARTER / name, tmp_path / name)
    return tmp_path


def test_the_starters_card_is_read_with_its_voices(folder: Path) -> None:
    card = read_card(folder)
    assert card is not None and [voice.id for voice in card.voices if voice.sent_as_no_reference] == ["joe"]
    assert read_card(folder / "voices") is None


@pytest.mark.parametrize("content", ["{}", "[1, 2", '{"voices": [{}]}', ""])
def test_a_damaged_list_of_voices_is_named(folder: Path, content: str) -> None:
    (folder / "voices" / "voices.json").write_text(content)
    with pytest.raises(CheckpointError, match="list of voices .*voices.json"):
        read_card(folder)


@pytest.mark.parametrize("field", ["name", "cloning", "follows", "sampling"])
def test_a_field_that_is_missing_from_a_card_is_named(folder: Path, field: str) -> None:
    raw = json.loads((folder / "card.json").read_text("utf-8"))
    del raw[field]
    (folder / "card.json").write_text(json.dumps(raw))
    with pytest.raises(CheckpointError, match=f"card.json cannot be read .*{field}.* is missing"):
        read_card(folder)
