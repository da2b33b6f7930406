"""A damaged description is refused with a CheckpointError or served; nothing else ever comes out of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import CheckpointError
from engine.lm.model import load_lm
from engine.lm.prompt import Message, PromptBuilder
from engine.lm.tokenizer import Tokenizer

ODD = [None, -1, 0, 1, 10**12, 10**30, 1.5, float("inf"), float("nan"), "x", "", True, [], {}, [1], {"a": 1}]


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """Paths of everything inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [inner for key, each in items for inner in [(*path, key), *places(each, (*path, key))]]


def damage(value: Any, data: st.DataObject) -> Any:
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(places(value)))
        inside = value
        for key in way:
            inside = inside[key]
        inside[last] = copy.deepcopy(data.draw(st.sampled_from(ODD)))  # else a later damage could put one inside itself
    return value


@given(data=st.data(), name=st.sampled_from(["config.json", "tokenizer.json"]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_description_is_refused_or_served(
    write_checkpoint: Callable[..., Path], data: st.DataObject, name: str
) -> None:
    folder = write_checkpoint()
    (folder / name).write_text(json.dumps(damage(json.loads((folder / name).read_text("utf-8")), data)), "utf-8")
    try:
        model = load_lm(folder)
        prompt = PromptBuilder(model.config, Tokenizer(folder)).build(
            Message("Hi <|im_end|> [pause 0.5s]", language="a\nb")
        )
    except CheckpointError as error:
        assert str(folder) in str(error) and error.remedy
    else:
        assert len(prompt) > 0


def test_a_folder_without_its_tokenizer_is_told_so_in_one_line(write_checkpoint: Callable[..., Path]) -> None:
    folder = write_checkpoint()
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text("{}", "utf-8")
    with pytest.raises(CheckpointError) as caught:
        Tokenizer(folder)
    assert "tokenizer.json" in str(caught.value) and "\n" not in str(caught.value)
    (folder / "tokenizer.model").write_bytes(b"no such format")
    with pytest.raises(CheckpointError) as caught:
        Tokenizer(folder)
    assert "\n" not in str(caught.value)
