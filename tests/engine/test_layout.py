"""A model is found in the studio's own layout and as it was published; a card cannot point out of its folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engine.errors import CheckpointError
from engine.layout import find_layout

STARTER = Path(__file__).parents[2] / "resources" / "starter"


def published(folder: Path, codec_at: Path) -> Path:
    """Only the small files: the layout is found without weights."""
    folder.mkdir(parents=True, exist_ok=True)
    codec_at.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(STARTER / "model" / "config.json", folder / "config.json")
    shutil.copyfile(STARTER / "codec" / "config.json", codec_at / "config.json")
    return folder


def test_the_starter_has_its_card() -> None:
    layout = find_layout(STARTER)
    assert layout.card.name == "Starter" and layout.model == STARTER / "model" and layout.codec == STARTER / "codec"


@pytest.mark.parametrize("codec_at", ["MOSS-TTS/codec", "MOSS-Audio-Tokenizer-v2"])
def test_a_published_checkpoint_finds_the_codec_inside_or_beside_it(tmp_path: Path, codec_at: str) -> None:
    layout = find_layout(published(tmp_path / "MOSS-TTS", tmp_path / codec_at))
    assert layout.codec == tmp_path / codec_at and layout.model == tmp_path / "MOSS-TTS"
    assert layout.card.cloning == "zero_shot" and layout.card.continuation and layout.card.name == "MOSS-TTS"


def test_the_codec_can_be_given(tmp_path: Path) -> None:
    folder = published(tmp_path / "a" / "model", tmp_path / "b" / "my codec")
    assert find_layout(folder, tmp_path / "b" / "my codec").codec == tmp_path / "b" / "my codec"
    with pytest.raises(CheckpointError, match="--codec"):
        find_layout(folder)


@pytest.mark.parametrize("codec", ["missing", "model"])
def test_what_is_no_codec_is_refused(tmp_path: Path, codec: str) -> None:
    published(tmp_path / "model", tmp_path / "codec")
    with pytest.raises(CheckpointError, match="no codec"):
        find_layout(tmp_path / "model", tmp_path / codec)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no model") as caught:
        find_layout(tmp_path)
    assert caught.value.remedy


@pytest.mark.parametrize("key", ["model", "codec"])
@pytest.mark.parametrize("path", ["../elsewhere", "/etc"])
def test_a_card_cannot_point_out_of_its_folder(tmp_path: Path, key: str, path: str) -> None:
    card = json.loads((STARTER / "card.json").read_text("utf-8"))
    (tmp_path / "card.json").write_text(json.dumps({**card, key: path, "voices": None}), "utf-8")
    with pytest.raises(CheckpointError, match="outside"):
        find_layout(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", '{"name": 1}', "[" * 200_000])
def test_a_damaged_card_is_an_error_for_people(tmp_path: Path, content: str) -> None:
    (tmp_path / "card.json").write_text(content)
    with pytest.raises(CheckpointError) as caught:
        find_layout(tmp_path)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cloning": "weird"}, "cloning"),
        ({"languages": "English"}, "languages"),
        ({"frame_rate": 0}, "division"),
        ({"longest_piece_seconds": -1}, "a piece may last"),
        ({"default_voice": "nobody"}, "nobody"),
        ({"text": {"characters": "klingon"}}, "klingon"),
        ({"follows": {"pause_tags": {"min_s": 0, "max_s": 0, "step_s": 0}}}, "pause_tags"),
        ({"sampling": {"audio": {"temperature": "hot"}, "stop": {}}}, "card.json"),
        ({"sampling": {"audio": {}, "stop": {"temperature": None}}}, "card.json"),
        ({"sampling": {"audio": {"top_k": -1}, "stop": {}}}, "sampling"),
    ],
)
def test_a_card_without_sense_is_refused_before_anything_is_spoken(tmp_path: Path, change: dict, said: str) -> None:
    shutil.copytree(STARTER / "voices", tmp_path / "voices")
    card = json.loads((STARTER / "card.json").read_text("utf-8"))
    (tmp_path / "card.json").write_text(json.dumps({**card, **change}), "utf-8")
    with pytest.raises(CheckpointError, match="card.json") as caught:
        find_layout(tmp_path)
    assert said in caught.value.message and caught.value.remedy


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("this is no JSON", "not readable JSON"),
        ("[" * 200_000, "not readable JSON"),
        ("[1, 2]", "not readable JSON"),
        ("\ud800", "not readable JSON"),
        ("{}", "names no architecture"),
        ('{"hello": 1}', "names no architecture"),
        ('{"model_type": "moss-audio-tokenizer"}', "holds a codec"),
        ('{"model_type": "moss_tts_local"}', "codec of the model .* was not found"),
    ],
)
def test_a_config_without_sense_is_not_told_as_a_missing_codec(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "config.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(CheckpointError, match=said) as caught:
        find_layout(tmp_path)
    assert caught.value.remedy and ("codec" not in said) == ("codec" not in caught.value.message)
