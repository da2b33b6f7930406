"""Loading, encoding and offline decoding of codecs in the published form."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from codec_test_helpers import config, stage, weights, write_codec
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.codec.model import STEP_FRAMES, load_codec
from engine.errors import CapabilityError, CheckpointError


def noise(codec, frames: float, seed: int = 0) -> np.ndarray:
    samples = int(frames * codec.config.hop)
    return np.random.default_rng(seed).normal(0, 0.3, (codec.config.channels, samples)).astype(np.float32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_every_stored_type_decodes_like_its_own_values_in_float32(tmp_path, dtype):
    raw = config()
    stored = {name: tensor.to(dtype) for name, tensor in weights(raw).items()}
    narrow = load_codec(write_codec(tmp_path / "narrow", raw, stored))
    wide = load_codec(write_codec(tmp_path / "wide", raw, {k: v.float() for k, v in stored.items()}))
    codes = np.random.default_rng(0).integers(0, 32, (12, 6))
    assert narrow.dtype == torch.float32
    np.testing.assert_array_equal(narrow.decode(codes), wide.decode(codes))


def test_bfloat16_compute_stays_near_float32(tiny, tmp_path):
    narrow = load_codec(write_codec(tmp_path), dtype=torch.bfloat16)
    codes = np.random.default_rng(0).integers(0, 32, (12, 6))
    exact = tiny.decode(codes)
    assert narrow.decode(codes).dtype == np.float32
    assert np.abs(narrow.decode(codes) - exact).mean() < 0.03 * np.abs(exact).mean()


def test_a_single_channel_goes_in_and_comes_out(tmp_path):
    codec = load_codec(write_codec(tmp_path, config(channels=1)))
    codes = codec.encode([noise(codec, 5.5)])[0]
    assert codes.shape == (5, 6) and codes.dtype == np.int16
    assert codec.decode(codes).shape == (1, 5 * codec.config.hop)


@pytest.mark.parametrize("count", [1, 2, 6])
def test_fewer_codebooks_are_the_first_of_all(tiny, tmp_path, count):
    clip = noise(tiny, 8)
    all_codes = tiny.encode([clip])[0]
    np.testing.assert_array_equal(tiny.encode([clip], count)[0], all_codes[:, :count])
    few = load_codec(write_codec(tmp_path), codebooks=count)
    np.testing.assert_array_equal(few.encode([clip])[0], all_codes[:, :count])
    np.testing.assert_allclose(few.decode(all_codes[:, :count]), tiny.decode(all_codes[:, :count]), rtol=0, atol=1e-6)


def test_a_batch_gives_each_clip_the_codes_it_has_alone(tiny):
    clips = [noise(tiny, frames, seed) for seed, frames in enumerate([3, 0.5, 12.9, 0, 7])]
    together = tiny.encode(clips)
    assert [len(codes) for codes in together] == [3, 0, 12, 0, 7]
    for clip, codes in zip(clips, together, strict=True):
        np.testing.assert_array_equal(codes, tiny.encode([clip])[0])


def test_rows_computed_together_encode_as_each_alone(tiny):
    clips = [noise(tiny, frames, seed) for seed, frames in enumerate([STEP_FRAMES + 20, STEP_FRAMES + 3, 30])]
    codes = [np.zeros((clip.shape[1] // tiny.config.hop, 6), np.int16) for clip in clips]
    with torch.inference_mode():
        state = tiny.encoder.new_state(3)
        for start in range(0, len(codes[0]), STEP_FRAMES):
            live = [row for row in range(3) if len(codes[row]) > start]
            tiny._encode_slice(tiny.encoder, state, start, live, clips, codes)
    for clip, found in zip(clips, codes, strict=True):
        alone = tiny.encode([clip])[0]
        np.testing.assert_array_equal(found[:, 0], alone[:, 0])
        assert (found == alone).mean() > 0.99


def test_long_audio_is_encoded_and_decoded_in_chunks_without_a_seam(tiny):
    frames = 2 * STEP_FRAMES + 30
    clip = noise(tiny, frames)
    codes = tiny.encode([clip])[0]
    # A step of its own for the whole clip, which no chunk border crosses.
    with torch.inference_mode():
        signal = torch.from_numpy(np.ascontiguousarray(clip.T))[None]
        hidden = tiny.encoder.step(signal, frames, tiny.encoder.new_state(1), oldest=0)
        whole = tiny.quantizer.encode(hidden, 6)[0].numpy()
        audio = tiny.decode_step(torch.from_numpy(codes.astype(np.int64))[None], tiny.new_decode_state(1))[0].numpy()
    assert (codes == whole).mean() > 0.99
    np.testing.assert_allclose(tiny.decode(codes), audio.T, rtol=0, atol=1e-5)


def test_what_follows_does_not_change_what_came_before(tiny):
    clip = noise(tiny, 20)
    np.testing.assert_array_equal(tiny.encode([clip[:, : 9 * 40 + 13]])[0], tiny.encode([clip])[0][:9])


def test_one_side_alone_is_loaded_without_the_other(tiny, tmp_path):
    folder = write_codec(tmp_path)
    clip = noise(tiny, 6)
    codes = tiny.encode([clip])[0]
    np.testing.assert_array_equal(load_codec(folder, decoder=False).encode([clip])[0], codes)
    decoder = load_codec(folder, encoder=False)
    np.testing.assert_array_equal(decoder.decode(codes), tiny.decode(codes))
    with pytest.raises(RuntimeError, match="encoder"):
        decoder.encode([clip])


def test_a_checkpoint_without_encoder_still_decodes(tiny, tmp_path):
    stored = {name: tensor for name, tensor in weights(config()).items() if not name.startswith("encoder.")}
    folder = write_codec(tmp_path, tensors=stored)
    assert load_codec(folder, encoder=False).decode(np.zeros((2, 6), int)).shape == (2, 80)
    with pytest.raises(CheckpointError, match="encoder.1.input_proj.weight"):
        load_codec(folder)


def test_names_of_the_first_version_are_understood(tiny, tmp_path):
    renamed = {}
    for name, tensor in weights(config()).items():
        for old, new in (
            (".self_attn.in_proj.", ".self_attn.in_projs.0."),
            (".self_attn.out_proj.", ".self_attn.out_projs.0."),
            (".ffn.0.", ".linear1."),
            (".ffn.2.", ".linear2."),
        ):
            name = name.replace(old, new)
        renamed[name] = tensor
    codes = np.random.default_rng(0).integers(0, 32, (5, 6))
    np.testing.assert_array_equal(load_codec(write_codec(tmp_path, tensors=renamed)).decode(codes), tiny.decode(codes))


@pytest.mark.parametrize(
    "name",
    [
        "decoder.0.input_proj.weight",
        "quantizer.quantizers.3.codebook.weight",
        "encoder.1.transformer.layers.0.norm1.bias",
    ],
)
def test_a_missing_or_misshapen_tensor_is_named(tmp_path, name):
    stored = weights(config())
    wrong = {**stored, name: torch.zeros(3, 3)}
    with pytest.raises(CheckpointError, match=name):
        load_codec(write_codec(tmp_path / "wrong", tensors=wrong))
    del stored[name]
    with pytest.raises(CheckpointError, match=name):
        load_codec(write_codec(tmp_path / "missing", tensors=stored))


def test_more_codebooks_than_there_are_is_refused(tmp_path):
    with pytest.raises(CapabilityError, match="6 codebooks"):
        load_codec(write_codec(tmp_path), codebooks=7)


def test_the_identity_changes_with_the_weights_and_not_with_the_folder(tiny, tmp_path):
    assert load_codec(write_codec(tmp_path / "a")).identity == tiny.identity
    other = load_codec(write_codec(tmp_path / "b", tensors=weights(config(), seed=1)))
    assert other.identity != tiny.identity


def test_progress_rises_to_one(tmp_path):
    seen: list[float] = []
    load_codec(write_codec(tmp_path), progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0 and len(seen) > 2


def test_a_stage_without_scales_has_none(tmp_path):
    raw = config()
    raw["decoder_kwargs"][0] = {**stage(12, 24, 16, 4, None), "layer_scale": None}
    stored = {k: v for k, v in weights(raw).items() if not (k.startswith("decoder.0.") and "layer_scale" in k)}
    assert np.isfinite(load_codec(write_codec(tmp_path, raw, stored)).decode(np.zeros((3, 6), int))).all()


@given(
    st.sampled_from(["model.safetensors", "config.json"]),
    st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=8)), min_size=1, max_size=4),
    st.none() | st.floats(0, 1),
    st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_a_damaged_checkpoint_is_loaded_or_refused_with_a_remedy(tmp_path_factory, name, writes, cut, at_start):
    folder = write_codec(tmp_path_factory.mktemp("damaged"))
    data = (folder / name).read_bytes()
    for place, extra in writes:
        at = int(place * min(len(data), 6000 if at_start else len(data)))
        data = data[:at] + extra + data[at + len(extra) :]
    if cut is not None:
        data = data[: int(cut * len(data))]
    (folder / name).write_bytes(data)
    try:
        codec = load_codec(folder)
    except CheckpointError as error:
        assert error.remedy
    else:
        assert codec.decode(np.zeros((1, 1), np.int16)).shape == (codec.config.channels, codec.config.hop)
