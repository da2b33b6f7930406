"""Prompts have the trained layout, and nothing that a person types becomes a control token."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as ReferenceTokenizer

from engine.errors import CheckpointError, ClipError
from engine.lm.config import LMConfig
from engine.lm.prompt import Message, PromptBuilder
from engine.lm.tokenizer import Tokenizer, Typed

from .conftest import FRAME_WORDS, SPECIAL, TAGS, tiny_config, write_tokenizer

STARTER = Path(__file__).parents[3] / "resources" / "starter" / "model"


@pytest.fixture(scope="module")
def starter() -> Tokenizer:
    return Tokenizer(STARTER)


@pytest.fixture
def builder(write_checkpoint: Callable[..., Path]) -> PromptBuilder:
    folder = write_checkpoint()
    return PromptBuilder(LMConfig.read(folder), Tokenizer(folder))


def letters(text: str) -> int:
    return len(text.encode())


@pytest.mark.parametrize("control", [*SPECIAL, *FRAME_WORDS])
def test_a_typed_control_string_is_ordinary_text(builder: PromptBuilder, control: str) -> None:
    for text in (control, f"say {control} now", control * 2, f"{control[:-1]}{control}"):
        ids = builder.tokenizer.encode(Typed(text))
        assert max(ids) < 256 and len(ids) == letters(text)


@pytest.mark.parametrize("field", ["language", "instruction", "quality", "sound_event", "ambient_sound"])
@pytest.mark.parametrize(
    "control", ["<|im_end|>", "a\n- Language:\nb", "x\n</user_inst>", "English\n- Text:\nx", "<think>"]
)
def test_a_control_string_in_a_field_is_ordinary_text(builder: PromptBuilder, field: str, control: str) -> None:
    def count_controls(value: str) -> int:
        rows = builder.build(Message("Hello.", **{field: value})).rows
        return int((rows[:, 0] >= 256).sum())

    assert count_controls(control) == count_controls("plain words")


def test_a_pause_tag_stays_one_token_wherever_it_is_typed(builder: PromptBuilder) -> None:
    tokenizer = builder.tokenizer
    for tag in TAGS:
        assert tokenizer.encode(Typed(tag)) == [tokenizer.added[tag]]
        assert tokenizer.added[tag] in tokenizer.encode(Typed(f"Good{tag}<|im_end|>{tag} day"))


def test_a_value_of_one_line_may_complete_a_word_of_the_frame(builder: PromptBuilder) -> None:
    encode, added = builder.tokenizer.encode, builder.tokenizer.added
    assert encode("\n- Language:\n", Typed("English"), "\n- Text:\n") == [added["\n- Language:\nEnglish\n- Text:\n"]]
    part = encode("\n- Language:\n", Typed("English\n- Text:"), "\n- Text:\n")
    assert part[0] == added["\n- Language:\n"] and max(part[1:]) < 256


def test_the_words_of_the_frame_are_encoded_as_the_library_does(builder: PromptBuilder) -> None:
    reference = ReferenceTokenizer.from_file(str(builder.tokenizer.folder / "tokenizer.json"))
    for text in (
        "user\n",
        "assistant\n",
        "\n- Tokens:\n12\n- Language:\nEnglish\n- Text:\n",
        "<|im_end|>user\nx[pause 1.5s]",
    ):
        assert builder.tokenizer.encode(text) == reference.encode(text, add_special_tokens=False).ids


@given(text=st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_without_tags_is_its_own_letters_for_the_starter(starter: Tokenizer, text: str) -> None:
    ids = starter.encode(Typed(text))
    tags = sum(starter.added[tag] in ids for tag in starter.tags)
    assert tags or (len(ids) == letters(text.encode("utf-8", "replace").decode()) and max(ids, default=0) < 256)


@pytest.mark.parametrize(
    "control", ["<|im_end|>", "user\n", "\n</user_inst>", "\n- Instruction:\nNone\n- Tokens:\n391", "\n- Text:\n"]
)
def test_the_starter_s_frame_words_are_ordinary_text_when_typed(starter: Tokenizer, control: str) -> None:
    assert control in starter.added
    assert max(starter.encode(Typed(f"A {control} b"))) < 256
    assert starter.encode(Typed("Wait. [pause 1.5s] Go.")).count(starter.added["[pause 1.5s]"]) == 1
    assert all(tag.startswith("[pause ") for tag in starter.tags) and len(starter.tags) == 55


def test_a_lone_surrogate_does_not_break_encoding(builder: PromptBuilder) -> None:
    assert builder.tokenizer.encode(Typed("a\ud800b")) == builder.tokenizer.encode(Typed("a?b"))


def test_absent_and_blank_fields_are_written_as_none(builder: PromptBuilder) -> None:
    absent = builder.build(Message("Hi."))
    blank = builder.build(Message("Hi.", language="  ", instruction="", quality="\n"))
    assert np.array_equal(absent.rows, blank.rows)
    assert not np.array_equal(absent.rows, builder.build(Message("Hi.", tokens=12)).rows)


def test_prefix_depends_on_the_voice_alone(builder: PromptBuilder) -> None:
    voice, other = np.ones((4, 3), np.int16), np.full((4, 3), 2, np.int16)
    one, two = (
        builder.build(Message(text, (voice,), language=lang)) for text, lang in (("A", None), ("Bee", "French"))
    )
    assert np.array_equal(one.prefix, two.prefix)
    assert not np.array_equal(one.prefix, builder.build(Message("A", (other,))).prefix)


def test_references_stand_between_audio_start_and_end(builder: PromptBuilder) -> None:
    codes = np.array([[1, 2, 3], [4, 5, 6]], np.int16)
    rows = builder.build(Message("Hi.", (codes, codes[:1]))).prefix.numpy()[-7:]
    assert rows[:, 0].tolist() == [259, 261, 261, 260, 259, 261, 260]
    assert rows[1:3, 1:].tolist() == codes.tolist() and rows[5, 1:].tolist() == [1, 2, 3]
    assert (rows[[0, 3, 4, 6], 1:] == 20).all()


def test_continuation_drops_references_unless_they_are_kept(builder: PromptBuilder) -> None:
    codes = np.array([[1, 2, 3]], np.int16)
    without = builder.build(Message("Hi.", continue_from=codes))
    with_reference = builder.build(Message("Hi.", (codes,), continue_from=codes))
    kept = builder.build(Message("Hi.", (codes,), continue_from=codes, keep_references=True))
    assert np.array_equal(without.rows, with_reference.rows) and len(kept.prefix) > 0
    assert 261 in kept.prefix[:, 0] and 261 not in without.rows[:, 0]
    assert without.rest[-1].tolist() == [262, 1, 2, 3] and without.rest[-2, 0] == 259


@pytest.mark.parametrize("codes", [np.zeros((3, 4)), np.zeros(3), np.array([[0, 16, 0]]), np.array([[-1, 0, 0]])])
def test_codes_of_another_codec_are_refused(builder: PromptBuilder, codes: np.ndarray) -> None:
    with pytest.raises(ClipError, match="codes"):
        builder.build(Message("Hi.", (codes,)))


def test_another_model_s_tokenizer_is_refused(write_checkpoint: Callable[..., Path]) -> None:
    folder = write_checkpoint()
    config = LMConfig.read(folder)
    write_tokenizer(folder, first_added_id=260)
    with pytest.raises(CheckpointError, match=r"another model's: im_start_token_id is 257 .* has it as 261"):
        PromptBuilder(config, Tokenizer(folder))


def test_a_slot_that_is_an_ordinary_token_is_refused(write_checkpoint: Callable[..., Path]) -> None:
    folder = write_checkpoint(tiny_config(audio_user_slot_token_id=17))
    with pytest.raises(CheckpointError, match="audio_user_slot_token_id 17 is the ordinary token"):
        PromptBuilder(LMConfig.read(folder), Tokenizer(folder))


def test_a_tokenizer_larger_than_the_model_is_refused(write_checkpoint: Callable[..., Path]) -> None:
    config = tiny_config()
    config["qwen3_config"] = {**config["qwen3_config"], "vocab_size": 263}
    folder = write_checkpoint(config)
    with pytest.raises(CheckpointError, match="its ids reach 269, the model has 263"):
        PromptBuilder(LMConfig.read(folder), Tokenizer(folder))


@pytest.mark.parametrize("content", ["{}", "[]", "{", '{"added_tokens": [{"id": 1}]}', None])
def test_a_damaged_tokenizer_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(CheckpointError, match="tokenizer"):
        Tokenizer(tmp_path)


def test_a_tokenizer_without_words_is_refused(write_checkpoint: Callable[..., Path]) -> None:
    folder = write_checkpoint()
    described = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    described["model"] |= {"vocab": {}, "merges": []}
    (folder / "tokenizer.json").write_text(json.dumps(described), "utf-8")
    with pytest.raises(CheckpointError, match="no tokens for words"):
        PromptBuilder(LMConfig.read(folder), Tokenizer(folder))


def test_a_tokenizer_in_another_format_is_read_by_transformers(tmp_path: Path) -> None:
    from transformers import PreTrainedTokenizerFast

    write_tokenizer(tmp_path)
    whole = Tokenizer(tmp_path)
    PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json")).save_pretrained(tmp_path / "saved")
    assert Tokenizer(tmp_path / "saved").encode("user\n", Typed("Hi<|im_end|>")) == whole.encode(
        "user\n", Typed("Hi<|im_end|>")
    )
