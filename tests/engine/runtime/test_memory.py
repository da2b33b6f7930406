"""The memory plan counts what is really allocated, and never plans more than there is."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest
import torch

from engine.codec.config import CodecConfig
from engine.codec.layers import Stack
from engine.codec.model import load_codec
from engine.errors import DeviceError
from engine.lm.model import SpeechLM, load_lm
from engine.runtime import memory
from engine.runtime.devices import NARROW
from engine.runtime.memory import GB, MemoryPlan, plan_memory
from engine.runtime.narrow import load_narrow_lm
from engine.runtime.paged import PAGE_ROWS, PagedCache
from engine.runtime.random_weights import FULL_CODEC, FULL_LM

STARTER = Path(__file__).parents[3] / "resources" / "starter"
AUTO = ("bf16", "int8")


def plan(gigabytes: float, *, rows: int = 1, precisions: tuple[str, ...] = AUTO) -> MemoryPlan:
    budget = memory.budget_bytes(int(gigabytes * GB), int(gigabytes * GB))
    return plan_memory(FULL_LM, FULL_CODEC, budget=budget, rows=rows, precisions=precisions)


@pytest.fixture(scope="module")
def model() -> SpeechLM:
    return load_lm(STARTER / "model", device="cpu", dtype=torch.float32)


def test_weights_of_the_language_model_are_counted_to_the_byte(model: SpeechLM) -> None:
    local = [value for value in vars(model.local).values() if isinstance(value, torch.Tensor)]
    tables = (model.local.cos, model.local.sin)  # the kernels bring their own
    tensors = [model.backbone.embed_tokens, model.backbone.norm, model.audio_embeddings, model.stop_head]
    tensors += [getattr(layer, each.name) for layer in model.backbone.layers for each in fields(layer)]
    tensors += [value for value in local if not any(value is table for table in tables)]
    assert memory.lm_weights(model.config, 4) == sum(tensor.nbytes for tensor in tensors)


@pytest.mark.parametrize("tier", NARROW)
def test_narrow_weights_are_counted_to_the_byte(model: SpeechLM, tier: str) -> None:
    narrow = load_narrow_lm(STARTER / "model", device="cpu", dtype=torch.bfloat16, tier=tier)
    layers, local = narrow.backbone.layers, narrow.local
    matrices = [getattr(layer, name) for layer in layers for name in ("qkv", "out", "gate_up", "down")]
    matrices += [local.qkv, local.out, local.fc_in, local.fc_out]
    stored = sum(matrix.nbytes for matrix in matrices) + sum(scale.nbytes for scale in narrow.scales.values())
    names = ("qkv", "out", "gate_up", "down")
    wide = sum(getattr(layer, name).nbytes for layer in model.backbone.layers for name in names)
    wide += sum(getattr(model.local, name).nbytes for name in ("qkv", "out", "fc_in", "fc_out"))
    table = model.backbone.embed_tokens.nbytes
    rest = memory.lm_weights(model.config, 4) - wide - table
    assert memory.lm_weights(model.config, 2, tier=tier) - stored == rest // 2


def test_int4_needs_whole_groups_of_columns() -> None:
    assert memory.int4_divides(FULL_LM)
    for change in ({"hidden": 2560 + 64}, {"intermediate": 9728 + 64}, {"heads": 33, "head_dim": 64}):
        assert not memory.int4_divides(replace(FULL_LM, backbone=replace(FULL_LM.backbone, **change)))


def test_a_card_too_small_for_bytes_is_told_of_half_bytes() -> None:
    least = plan(16.0, precisions=("int4",))
    assert least.precision == "int4" and least.decoder == "device"
    assert plan(6.0, precisions=("int4",)).decoder == "device" and plan(6.0, precisions=("int8",)).decoder == "cpu"
    with pytest.raises(DeviceError) as caught:
        plan(4.0)
    assert "Choose precision int4" in caught.value.remedy and "of 3.9 GB" in caught.value.remedy


def test_the_full_size_weights_are_those_of_the_published_model() -> None:
    assert memory.lm_weights(FULL_LM, 2) == 2 * (4_129_990_144 + FULL_LM.backbone.hidden)  # and the row of no audio
    table = 2 * FULL_LM.backbone.vocab * FULL_LM.backbone.hidden
    assert memory.lm_weights(FULL_LM, 2, tier="int8") < memory.lm_weights(FULL_LM, 2) / 2
    assert memory.lm_weights(FULL_LM, 2, tier="int8") + table > memory.lm_weights(FULL_LM, 2) / 2


def test_pages_are_counted_to_the_byte(model: SpeechLM) -> None:
    cache = PagedCache(
        model.config.backbone, pages=3, rows=2, longest=512, device=torch.device("cpu"), dtype=torch.float32
    )
    assert cache.keys.nbytes + cache.values.nbytes == 4 * memory.page_bytes(model.config, 4)
    assert memory.page_bytes(FULL_LM, 2) == PAGE_ROWS * 147_456  # MODEL §1.4


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_the_codec_is_counted_to_the_byte(side: str) -> None:
    codec = load_codec(STARTER / "codec", codebooks=12)
    stack: Stack = getattr(codec, side)
    found = 0
    for stage in stack.transformers:
        found += sum(each.weight.nbytes for each in (stage.input_proj, stage.output_proj) if each is not None)
        found += stage.frequencies.nbytes + stage.turns.nbytes + stage.band.nbytes
        for layer in stage.layers:
            found += sum(norm.nbytes for norm in (*layer.norm1, *layer.norm2))
            found += sum(each.weight.nbytes for each in (layer.qkv, layer.attention_out, layer.feed_in, layer.feed_out))
    assert memory.codec_side(getattr(codec.config, side), 4, kernels=False) == found


def test_the_quantizer_is_counted_to_the_byte() -> None:
    for encoder in (False, True):
        codec = load_codec(STARTER / "codec", codebooks=12, encoder=encoder, decoder=not encoder)
        found = [value for value in vars(codec.quantizer).values() if isinstance(value, torch.Tensor)]
        if codec.quantizer.encoding is not None:
            for value in vars(codec.quantizer.encoding).values():
                found.extend([value] if isinstance(value, torch.Tensor) else value)
        assert memory.quantizer(codec.config, 12, encoder=encoder) == sum(tensor.nbytes for tensor in found)


def test_state_of_a_stream_grows_with_rows_and_is_that_of_the_published_codec() -> None:
    one = memory.stream_state(FULL_CODEC.decoder, 1, 1, 2)
    assert 2 * 44_340_000 < one < 2.2 * 44_340_000 * 1.1  # MODEL §5.9, with one frame of room and the buffers
    assert memory.stream_state(FULL_CODEC.decoder, 4, 1, 2) == 4 * one


@pytest.mark.parametrize("gigabytes", [80, 24, 16, 12, 8, 6])
@pytest.mark.parametrize("rows", [1, 4, 16])
def test_cards_that_people_own_run_the_full_size_model(gigabytes: int, rows: int) -> None:
    found = plan(gigabytes, rows=rows)
    assert found.total <= found.budget <= gigabytes * GB
    assert 1 <= found.rows <= rows and found.pages >= memory.FEWEST_PAGES and found.longest >= 2_048


def test_a_large_card_gives_up_nothing() -> None:
    found = plan(24, rows=8)
    assert (found.precision, found.rows, found.encoder, found.decoder) == ("bf16", 8, "device", "device")
    assert found.steps == ()
    assert found.longest >= 7_500 and f"{found.total / GB:.1f} of" in found.describe()


def test_steps_down_are_taken_in_the_stated_order() -> None:
    sixteen, twelve, eight, six = (plan(size, rows=16) for size in (16, 12, 8, 6))
    assert sixteen.rows < 16 and (sixteen.precision, sixteen.encoder) == ("bf16", "device")
    assert (twelve.precision, twelve.encoder, twelve.decoder) == ("bf16", "cpu", "device")
    assert (eight.precision, eight.encoder, eight.decoder) == ("int8", "cpu", "device")
    assert (six.precision, six.decoder) == ("int8", "cpu")
    assert six.steps == (
        "1 at once instead of 16",
        "clips are encoded on the processor",
        "weights in int8",
        "audio is decoded on the processor",
    )


def test_less_memory_never_plans_more() -> None:
    totals = [plan(size / 2, rows=8).total for size in range(12, 60)]
    budgets = [plan(size / 2, rows=8).budget for size in range(12, 60)]
    assert all(total <= budget for total, budget in zip(totals, budgets, strict=True))


def test_a_precision_that_was_asked_for_is_refused_with_the_nearest_that_fits() -> None:
    with pytest.raises(DeviceError) as caught:
        plan(8, precisions=("bf16",))
    assert "int8" in caught.value.remedy and "of 7.8 GB" in caught.value.remedy and caught.value.exit_status == 4


def test_a_card_that_is_too_small_is_told_the_least() -> None:
    with pytest.raises(DeviceError, match=r"needs \d\.\d GB on the graphics card; 2\.9 GB can be used") as caught:
        plan(3)
    assert "smaller" in caught.value.remedy


def test_a_smaller_card_can_be_emulated_and_never_a_larger_one(monkeypatch) -> None:
    monkeypatch.setenv(memory.EMULATE, "8")
    assert memory.budget_bytes(20 * GB, 24 * GB) == int(8 * GB * (1 - memory.SPARE_SHARE))
    assert memory.budget_bytes(5 * GB, 24 * GB) == int(5 * GB * (1 - memory.SPARE_SHARE))
    for nonsense in ("much", "-3", "nan", "inf"):
        monkeypatch.setenv(memory.EMULATE, nonsense)
        with pytest.raises(DeviceError, match="MOSS_EMULATE_GPU_GB"):
            memory.emulated_bytes()


def test_the_starter_fits_any_card() -> None:
    codec = CodecConfig.read(STARTER / "codec")
    config = load_lm(STARTER / "model").config
    found = plan_memory(config, codec, budget=2 * GB, rows=4, precisions=AUTO)
    assert found.precision == "bf16" and found.steps == ()
