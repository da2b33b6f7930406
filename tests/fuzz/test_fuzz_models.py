"""Whatever happened to a model's files, loading it and speaking with it ends in speech or in an error for people."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import CheckpointError, Engine, EngineFailedError, SpeechError, SpeechRequest
from engine.backends.local import LocalBackend

DATA = Path(__file__).parents[1] / "golden" / "data"
FILES = (
    "model/config.json",
    "model/tokenizer.json",
    "model/model.safetensors",
    "codec/config.json",
    "codec/model.safetensors",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A small random model in the published format."""
    folder = tmp_path_factory.mktemp("sound")
    shutil.copytree(DATA / "lm-binary", folder / "model", ignore=shutil.ignore_patterns("cases.*"))
    shutil.copytree(DATA / "codec-stereo", folder / "codec", ignore=shutil.ignore_patterns("cases.*"))
    return folder


@pytest.fixture
def damaged(model: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy that a test may damage."""
    shutil.copytree(model, tmp_path / "copy")
    yield tmp_path / "copy"
    shutil.rmtree(tmp_path / "copy")


def use(folder: Path) -> None:
    """Load and speak a few frames. Raises what reaches a person."""
    engine = Engine(LocalBackend(folder / "model", codec_folder=folder / "codec", device="cpu"))
    try:
        engine.start()
        engine.ready(60)
        engine.submit(SpeechRequest("Hello there.", max_frames=3)).result(60)
    finally:
        engine.close()


def use_and_expect_an_honest_end(folder: Path) -> None:
    try:
        use(folder)
    except EngineFailedError as error:
        raise AssertionError("an error of our own reached a person") from error.__cause__
    except SpeechError as error:
        assert error.message


def test_the_model_speaks_while_it_is_whole(damaged: Path) -> None:
    use(damaged)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kept", [0, 1, 7, 8, 200, -1])
def test_a_file_that_ends_early_is_named(damaged: Path, name: str, kept: int) -> None:
    content = (damaged / name).read_bytes()
    (damaged / name).write_bytes(content[:kept])
    with pytest.raises(CheckpointError) as caught:
        use(damaged)
    assert Path(name).name in str(caught.value) or "tokenizer" in str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(damaged: Path, name: str) -> None:
    (damaged / name).unlink()
    with pytest.raises(CheckpointError):
        use(damaged)


def _values() -> st.SearchStrategy[Any]:
    odd = st.sampled_from([0, -1, 1, 2**31, 2**63, 1e300, -0.5, "", "x", None, True, [], {}, [1, 2], {"a": 1}])
    return odd | st.integers(-5, 300) | st.text(max_size=5)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(["model/config.json", "codec/config.json"]), place=st.integers(0, 10_000), value=_values())
def test_any_value_in_a_config_is_speech_or_an_honest_error(model: Path, name: str, place: int, value: Any) -> None:
    original = (model / name).read_text("utf-8")
    config = json.loads(original)
    places = list(_leaves(config))
    holder, key = places[place % len(places)]
    holder[key] = value
    try:
        (model / name).write_text(json.dumps(config), "utf-8")
        use_and_expect_an_honest_end(model)
    finally:
        (model / name).write_text(original, "utf-8")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(FILES), where=st.floats(0, 1), bits=st.integers(1, 255), near_start=st.booleans())
def test_any_flipped_byte_is_speech_or_an_honest_error(
    model: Path, name: str, where: float, bits: int, near_start: bool
) -> None:
    original = (model / name).read_bytes()
    content = bytearray(original)
    # The headers of the weights are small beside the weights; half of the damage goes there.
    place = int(where * (min(len(content), 4_000 if near_start else len(content)) - 1))
    content[place] ^= bits
    try:
        (model / name).write_bytes(content)
        use_and_expect_an_honest_end(model)
    finally:
        (model / name).write_bytes(original)


def _leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value, as its holder and key."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _leaves(inner)
