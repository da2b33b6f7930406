"""Configs of the published form, its aliases, and what is refused."""

from __future__ import annotations

import copy
import json
import math
from types import SimpleNamespace

import pytest
import torch
from codec_test_helpers import config, weights, write_codec
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.codec.config import CodecConfig, TransformerStage
from engine.codec.weights import CodecWeights
from engine.errors import CheckpointError


def test_rates_contexts_and_sizes_follow_from_the_stages():
    read = CodecConfig.from_json(config())
    assert (read.hop, read.frame_rate, read.channels, read.frame_values) == (40, 25.0, 2, 80)
    encoder = [s for s in read.encoder if isinstance(s, TransformerStage)]
    decoder = [s for s in read.decoder if isinstance(s, TransformerStage)]
    assert [(s.context, s.tokens_per_frame) for s in encoder] == [(5, 2), (10, 1)]
    assert [(s.context, s.tokens_per_frame) for s in decoder] == [(10, 1), (6, 2)]


def published() -> dict:
    """The stages of MODEL §5.1, the decoder written as the encoder's mirror image."""
    raw = config()
    encoder = [{"module_type": "PatchedPretransform", "patch_size": 240}]
    inputs = 240
    for index, (seconds, out) in enumerate(zip([1, 2, 4, 8, 10, 10], [384, 384, 384, 384, 640, 768], strict=True)):
        width, heads, layers = (1280, 20, 32) if index == 5 else (768, 12, 12)
        sizes = {"d_model": width, "num_heads": heads, "num_layers": layers, "dim_feedforward": 4 * width}
        ends = {"input_dimension": inputs, "output_dimension": out, "context_duration": seconds}
        encoder.append({**raw["encoder_kwargs"][1], **sizes, **ends})
        if index < 5:
            encoder.append({"module_type": "PatchedPretransform", "patch_size": 2})
        inputs = 2 * out
    del raw["decoder_kwargs"]
    raw.update(sampling_rate=48000, downsample_rate=3840, encoder_kwargs=encoder, reversed_decoder_kwargs=encoder)
    raw["quantizer_kwargs"].update(
        input_dim=768, output_dim=768, rvq_dim=512, num_quantizers=32, codebook_size=1024, codebook_dim=8
    )
    return raw


def test_the_published_stages_get_the_published_contexts():
    read = CodecConfig.from_json(published())
    contexts = [s.context for s in read.encoder if isinstance(s, TransformerStage)]
    assert contexts == [400, 400, 400, 400, 250, 125]
    assert [s.context for s in read.decoder if isinstance(s, TransformerStage)] == contexts[::-1]
    assert (read.frame_rate, read.hop) == (12.5, 3840)


def test_the_published_checkpoint_has_the_published_tensors():
    read = CodecConfig.from_json(published())
    asked: dict[str, tuple[int, ...]] = {}
    checkpoint = SimpleNamespace(tensors={}, check=lambda expected, optional: asked.update(expected))
    CodecWeights(checkpoint, read, 32, torch.device("cpu"), torch.float32).check(encoder=True, decoder=True)
    assert len(asked) == 2094
    assert sum(math.prod(shape) for shape in asked.values()) == 2_123_701_248
    assert asked["encoder.9.output_proj.weight"] == (640, 768)
    assert asked["decoder.2.input_proj.weight"] == (768, 640)
    assert asked["decoder.10.output_proj.weight"] == (240, 768)


def test_aliases_mean_the_same():
    plain = config()
    other = copy.deepcopy(plain)
    other["sample_rate"] = other.pop("sampling_rate")
    other["channels_numbers"] = other.pop("number_channels")
    other["downsample_rate"] = 80  # of the interleaved signal
    assert CodecConfig.from_json(other) == CodecConfig.from_json(plain)


def test_a_mirrored_decoder_swaps_order_and_sizes():
    raw = config()
    mirrored = copy.deepcopy(raw)
    decoder = mirrored.pop("decoder_kwargs")
    for item in decoder:
        if "input_dimension" in item:
            item["input_dimension"], item["output_dimension"] = item["output_dimension"], item["input_dimension"]
    mirrored["reversed_decoder_kwargs"] = decoder[::-1]
    assert CodecConfig.from_json(mirrored) == CodecConfig.from_json(raw)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda raw: raw["encoder_kwargs"][1].update(gating="swiglu"), "gating"),
        (lambda raw: raw["decoder_kwargs"][0].update(norm="rms_norm"), "norm"),
        (lambda raw: raw["decoder_kwargs"][0].update(causal=False), "causal"),
        (lambda raw: raw["decoder_kwargs"][0].update(num_heads=5), "heads"),
        (lambda raw: raw["decoder_kwargs"][0].update(input_dimension=13), "input_dimension"),
        (lambda raw: raw["decoder_kwargs"][0].update(max_period=0), "max_period"),
        (lambda raw: raw["decoder_kwargs"][0].update(num_layers=10**6), "num_layers"),
        (lambda raw: raw["decoder_kwargs"].pop(), "decoder_kwargs"),
        (lambda raw: raw["quantizer_kwargs"].update(quantizer_type="fsq"), "quantizer_type"),
        (lambda raw: raw["quantizer_kwargs"].update(codebook_size=-1), "codebook_size"),
        (lambda raw: raw["quantizer_kwargs"].pop("rvq_dim"), "rvq_dim"),
        (lambda raw: raw.update(downsample_rate=41), "downsample_rate"),
        (lambda raw: raw.pop("sampling_rate"), "sampling_rate"),
        (lambda raw: raw.update(sampling_rate=1e300), "sampling_rate"),
        (lambda raw: raw.update(encoder_kwargs="x"), "config.json"),
        (lambda raw: raw.update(model_type="encodec"), "encodec"),
    ],
)
def test_what_cannot_be_run_is_refused_by_name(tmp_path, change, named):
    raw = config()
    change(raw)
    with pytest.raises(CheckpointError, match=named):
        CodecConfig.read(write_codec(tmp_path, raw, weights(config())))


lists = st.lists(st.integers(), max_size=2)
values = st.none() | st.booleans() | st.integers(-5, 10**30) | st.floats() | st.text(max_size=3) | lists


@given(st.sampled_from(sorted(config())), values, st.sampled_from(["top", "stage", "quantizer"]), st.data())
@settings(deadline=None, max_examples=150)
def test_a_damaged_config_is_read_or_refused_but_never_crashes(tmp_path_factory, field, value, where, data):
    raw = config()
    if where == "top":
        raw[field] = value
    elif where == "stage":
        items = [raw["encoder_kwargs"][1], raw["decoder_kwargs"][0], raw["decoder_kwargs"][3]]
        item = data.draw(st.sampled_from(items))
        item[data.draw(st.sampled_from(sorted(item)))] = value
    else:
        raw["quantizer_kwargs"][data.draw(st.sampled_from(sorted(raw["quantizer_kwargs"])))] = value
    folder = tmp_path_factory.mktemp("config")
    (folder / "config.json").write_text(json.dumps(raw), "utf-8")
    try:
        CodecConfig.read(folder)
    except CheckpointError as error:
        assert error.remedy
