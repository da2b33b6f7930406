"""The codec against exact outputs of the reference implementation, in every golden folder of that form."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from engine.codec.model import Codec, load_codec
from engine.codec.stream import DecodeStreams

SPLITS = {"ones": [1], "mixed": [1, 3, 4, 8, 16, 28], "fives": [5], "whole": [10_000]}


def golden_folders() -> list[Path]:
    """Folders of `MOSS_GOLDENS`, or the copy beside this file; a listed one may be a golden or hold goldens."""
    listed = os.environ.get("MOSS_GOLDENS")
    roots = [Path(part) for part in listed.split(os.pathsep) if part] if listed else [Path(__file__).parent / "data"]
    folders = []
    for root in roots:
        found = [root] if (root / "cases.npz").exists() else sorted(path.parent for path in root.glob("*/cases.npz"))
        folders += found or [root]  # an absent one stays in the list and fails below
    return folders


def codec_cases() -> list[Path]:
    return [folder for folder in golden_folders() if _model_type(folder) == "moss-audio-tokenizer"]


def starter_cases() -> list[Path]:
    return [folder for folder in golden_folders() if "checkpoint" in _json(folder / "cases.json")]


def _json(path: Path) -> dict:
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def _model_type(folder: Path) -> str:
    return _json(folder / "config.json").get("model_type", "")


@pytest.fixture(scope="module")
def loaded() -> dict[Path, Codec]:
    return {}


def codec_of(folder: Path, loaded: dict[Path, Codec]) -> Codec:
    if folder not in loaded:
        loaded[folder] = load_codec(folder)
    return loaded[folder]


def arrays_of(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "cases.npz", allow_pickle=False) as cases:
        return dict(cases)


def assert_codes_match(found: np.ndarray, expected: np.ndarray) -> None:
    """Both `[T, Q]`."""
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found[:, 0], expected[:, 0])
    assert (found == expected).mean() >= 0.99


def test_every_folder_is_there():
    for folder in golden_folders():
        assert (folder / "cases.npz").exists(), f"{folder} holds no golden"
    if "MOSS_GOLDENS" not in os.environ:
        assert {"codec-mono", "codec-stereo", "starter"} <= {folder.name for folder in codec_cases() + starter_cases()}


@pytest.mark.parametrize("folder", codec_cases(), ids=lambda folder: folder.name)
def test_offline_decode_is_the_reference(folder, loaded):
    arrays, codec = arrays_of(folder), codec_of(folder, loaded)
    audio = codec.decode(arrays["decode.codes"].T)
    assert audio.shape == arrays["decode.audio"].shape
    np.testing.assert_allclose(audio, arrays["decode.audio"], rtol=0, atol=1e-5)


@pytest.mark.parametrize("folder", codec_cases(), ids=lambda folder: folder.name)
def test_four_codebooks_decode_to_the_reference(folder, loaded):
    arrays, codec = arrays_of(folder), codec_of(folder, loaded)
    audio = codec.decode(arrays["decode.codes"][:4].T)
    np.testing.assert_allclose(audio, arrays["decode4.audio"], rtol=0, atol=1e-5)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("folder", codec_cases(), ids=lambda folder: folder.name)
def test_streamed_decode_is_the_reference(folder, split, loaded):
    arrays = arrays_of(folder)
    streams = DecodeStreams(codec_of(folder, loaded), slots=1)
    slot = streams.open()
    codes = arrays["decode.codes"].T
    parts, at, turn = [], 0, 0
    while at < len(codes):
        size = SPLITS[split][turn % len(SPLITS[split])]
        parts.append(streams.step({slot: codes[at : at + size]})[slot])
        at, turn = at + size, turn + 1
    np.testing.assert_allclose(np.concatenate(parts).T, arrays["decode.audio"], rtol=0, atol=1e-5)


@pytest.mark.parametrize("folder", codec_cases(), ids=lambda folder: folder.name)
def test_encode_gives_the_reference_codes(folder, loaded):
    arrays, codec = arrays_of(folder), codec_of(folder, loaded)
    assert_codes_match(codec.encode([arrays["encode.wav"]])[0], arrays["encode.codes"].T)


@pytest.mark.parametrize("folder", codec_cases(), ids=lambda folder: folder.name)
def test_a_batch_of_unequal_clips_gives_the_reference_codes(folder, loaded):
    arrays, codec = arrays_of(folder), codec_of(folder, loaded)
    whole = arrays["encode.wav"]
    found = codec.encode([whole[:, :30_000], whole])
    for index in range(2):
        assert_codes_match(found[index], arrays[f"encode_batch.{index}"].T)


def starter_names(kind: str) -> list:
    return [
        pytest.param(folder, name.removeprefix(kind), id=f"{folder.name}-{name}")
        for folder in starter_cases()
        for name in arrays_of(folder)
        if name.startswith(kind)
    ]


def starter_codec(folder: Path, loaded: dict[Path, Codec]) -> Codec:
    checkpoint = folder / _json(folder / "cases.json")["checkpoint"]
    card = _json(checkpoint / "card.json")
    return codec_of(checkpoint / card.get("codec", "codec"), loaded)


@pytest.mark.parametrize(("folder", "voice"), starter_names("codes."))
def test_the_starter_encodes_its_voices_to_the_reference_codes(folder, voice, loaded):
    arrays = arrays_of(folder)
    codes = arrays[f"codes.{voice}"]
    found = starter_codec(folder, loaded).encode([arrays[f"wav.{voice}"]], codes.shape[1])[0]
    assert_codes_match(found, codes)


@pytest.mark.parametrize(("folder", "name"), starter_names("audio."))
def test_the_starter_decodes_speech_to_the_reference_audio(folder, name, loaded):
    arrays = arrays_of(folder)
    audio = starter_codec(folder, loaded).decode(arrays[f"greedy.{name}"])
    assert audio.shape == arrays[f"audio.{name}"].shape
    np.testing.assert_allclose(audio, arrays[f"audio.{name}"], rtol=0, atol=1e-4)
