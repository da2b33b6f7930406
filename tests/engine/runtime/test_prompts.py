"""Prompts in rows: what the model says of them, whatever they are filled up with, whatever was there before.

Runs on a card, or without one in Triton's interpreter: `TRITON_INTERPRET=1 python -m pytest tests/engine/runtime/test_prompts.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from kernel_device import DEVICE, INTERPRETED, on_some_device

from engine.lm.cache import KVCache
from engine.lm.model import SpeechLM
from engine.lm.prompt import Prompt
from engine.requests import Sampling, SamplingOptions
from engine.runtime import memory
from engine.runtime.paged import PAGE_ROWS
from engine.runtime.quantize import int8_rows
from engine.runtime.random_weights import FULL_LM, random_lm

pytestmark = on_some_device
CONFIG = replace(
    FULL_LM,
    backbone=replace(
        FULL_LM.backbone, vocab=50, hidden=64, intermediate=96, layers=2, heads=2, kv_heads=1, head_dim=32
    ),
    local=replace(FULL_LM.local, hidden=64, intermediate=96, heads=2),
    codebook_sizes=(16,) * 3,
    pad_code=16,
    assistant_slot_id=3,
)
SAMPLED = Sampling(SamplingOptions(0.9, 0.8, 30, 1.1), SamplingOptions(0.7, 0.6, 5, 1.0))
SENTINEL = 7.0


@pytest.fixture(scope="module")
def model() -> SpeechLM:
    torch.manual_seed(1)
    made = random_lm(CONFIG, device=DEVICE, dtype=torch.float32)
    for name, place in made.places():
        if "norm" not in name:
            place.mul_(10)  # attention and gates that are far from even
    return made


def prompt(rows: int, *, prefix: int = 0, seed: int = 0) -> Prompt:
    generator = torch.Generator().manual_seed(seed)
    made = torch.randint(0, 17, (rows, 4), generator=generator)  # 16 is no code
    return Prompt(made[:prefix], made[prefix:])


def make_loop(model: SpeechLM, **options: Any):
    from engine.runtime.batch import CudaFrameLoop

    pdl = DEVICE == "cuda" and torch.cuda.get_device_capability() >= (9, 0)
    loop = CudaFrameLoop(model, **{"rows": 3, "longest": 2 * PAGE_ROWS, "pdl": pdl, **options})
    loop.prompts.buckets = (64, 128)
    return loop


def hidden_of(loop, row: int) -> torch.Tensor:
    return loop.graphs.state.local.residual[row].clone()


def admit(loop, given: Prompt, *, seed: int = 3) -> int:
    return loop.admit(given, sampling=SAMPLED, seed=seed, max_frames=5)


@torch.inference_mode()
def expected(model: SpeechLM, given: Prompt) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Hidden state of the last row; keys and values of layer 1 `[kv_heads, T, head_dim]`, from plain operations."""
    cache = KVCache(CONFIG.backbone, 1, device=model.device, dtype=model.dtype)
    parts = [part for part in (given.prefix, given.rest) if len(part)]
    hidden = [model.backbone.prefill(model.embed(part.to(model.device)), cache, 0) for part in parts]
    keys, values = cache.copy_prefix(0)[1]
    return hidden[-1][-1], keys, values


@pytest.mark.parametrize(("rows", "prefix"), [(5, 0), (64, 0), (65, 0), (260, 0), (40, 12), (90, 70)])
def test_a_prompt_is_what_plain_operations_make_of_it(model: SpeechLM, rows: int, prefix: int) -> None:
    loop, given = make_loop(model), prompt(rows, prefix=prefix)
    admit(loop, prompt(20, seed=9))
    row = admit(loop, given)
    hidden, keys, values = expected(model, given)
    assert torch.allclose(hidden_of(loop, row), hidden, atol=1e-4, rtol=1e-4)
    pages = loop.cache.pages_of(row)
    for stored, wanted in ((loop.cache.keys, keys), (loop.cache.values, values)):
        found = stored[1, pages].transpose(0, 1).flatten(1, 2)[:, :rows]
        assert torch.allclose(found, wanted.view_as(found), atol=1e-4, rtol=1e-4)


def test_narrow_weights_are_multiplied_as_they_are_stored(model: SpeechLM) -> None:
    loop, given = make_loop(model, quantize=int8_rows), prompt(40, prefix=12)
    row = admit(loop, given)
    rounded = random_lm(CONFIG, device=DEVICE, dtype=torch.float32)
    for ours, theirs in zip(rounded.places(), model.places(), strict=True):
        ours[1].copy_(theirs[1])
    for layer in rounded.backbone.layers:
        for matrix in (layer.qkv, layer.out, layer.gate_up, layer.down):
            stored, scale = int8_rows(matrix)
            matrix.copy_(stored.float() * scale[:, None])
    assert torch.allclose(hidden_of(loop, row), expected(rounded, given)[0], atol=1e-4, rtol=1e-4)
    assert not torch.allclose(hidden_of(loop, row), expected(model, given)[0], atol=1e-4, rtol=1e-4)


def test_rows_that_fill_a_bucket_up_write_nothing(model: SpeechLM) -> None:
    loop = make_loop(model)
    loop.cache.keys.fill_(SENTINEL)
    loop.cache.values.fill_(SENTINEL)
    row = admit(loop, prompt(5))
    page = loop.cache.pages_of(row)[0]
    for stored in (loop.cache.keys, loop.cache.values):
        assert (stored[:, page, :, :5] != SENTINEL).all()
        stored[:, page, :, :5] = SENTINEL
        assert (stored == SENTINEL).all()


def test_no_bit_depends_on_what_was_computed_before(model: SpeechLM) -> None:
    given, worn, fresh = prompt(30, seed=4), make_loop(model), make_loop(model)
    for number in range(2):
        admit(worn, prompt(100 + number, seed=number))
    worn.prompts.attended.fill_(1e30)  # what earlier prompts left where this one has no rows
    assert torch.equal(hidden_of(worn, admit(worn, given)), hidden_of(fresh, admit(fresh, given)))


def test_a_kept_prefix_changes_no_bit(model: SpeechLM) -> None:
    loop, given = make_loop(model), prompt(90, prefix=70)
    first, second = admit(loop, given), admit(loop, given)
    assert torch.equal(hidden_of(loop, first), hidden_of(loop, second))
    assert torch.equal(loop.cache.copy(first, 90), loop.cache.copy(second, 90))
    assert loop.prefixes.nbytes == 70 * loop.cache.position_bytes


def test_a_row_starts_with_a_state_of_its_own_and_leaves_the_others_alone(model: SpeechLM) -> None:
    loop = make_loop(model)
    state = loop.graphs.state
    tensors = (
        state.live,
        state.frame,
        state.position,
        state.ring_at,
        state.seed,
        state.floats,
        state.ints,
        state.history,
    )
    for tensor in (*tensors, state.local.residual, state.local.gained):
        tensor.fill_(9)
    loop._launches = 13
    loop._work[0] = loop._work[2] = object()  # rows of others
    row = admit(loop, prompt(20), seed=2**63 - 2)
    assert row == 1
    assert [tensor[row].item() for tensor in tensors[:5]] == [1, 0, 20, 13 % 8, 2**63 - 2]
    assert state.floats[row].tolist() == pytest.approx([0.9, 0.8, 1.1, 0.7, 0.6])
    assert state.ints[row].tolist() == [30, 5] and not state.history[row].any()
    local, hidden = state.local, hidden_of(loop, row)
    assert torch.allclose(local.gained[row], hidden * loop.graphs.local_gain)
    sums = local.stats[row], local.stats[local.stride + row]
    assert torch.allclose(torch.stack(sums), torch.stack((hidden.sum(), hidden.square().sum())), rtol=1e-4, atol=1e-4)
    for tensor in (*tensors, local.residual, local.gained):
        assert (tensor[[0, 2]] == 9).all()


def test_prompts_that_cannot_be_captured_are_computed_all_the_same(model: SpeechLM, monkeypatch) -> None:
    def refuse(step: object, pool: object, stream: object) -> None:
        raise RuntimeError("no graphs here")

    loop, given = make_loop(model), prompt(5)
    monkeypatch.setattr("engine.runtime.capture.captured", refuse)
    for capture in loop.captures():
        capture()
    assert not loop.prompts.graphs and not loop.graphs.graphs
    assert len(loop.fallbacks) == 2 and all("no graphs here" in reason for reason in loop.fallbacks)
    assert torch.allclose(hidden_of(loop, admit(loop, given)), expected(model, given)[0], atol=1e-4, rtol=1e-4)


def test_trying_the_kernels_leaves_no_trace(model: SpeechLM) -> None:
    tried, untried, given = make_loop(model), make_loop(model), prompt(70, prefix=12)
    tried.prove()
    for loop in (tried, untried):
        admit(loop, given)
        loop.graphs.step(3)
    for name, tensor in vars(tried.graphs.state).items():
        if isinstance(tensor, torch.Tensor):
            ours, theirs = (
                each[:, :1] if name == "ring" else each[:1] for each in (tensor, vars(untried.graphs.state)[name])
            )
            assert torch.equal(ours, theirs), name
    assert torch.equal(hidden_of(tried, 0), hidden_of(untried, 0))


def test_text_that_the_host_keeps_gives_the_same_bits(model: SpeechLM) -> None:
    loop, given = make_loop(model), prompt(70)
    first = hidden_of(loop, admit(loop, given))
    try:
        model.text_table = model.backbone.embed_tokens.cpu()  # type: ignore[attr-defined]
        narrow = make_loop(model)
    finally:
        del model.text_table  # type: ignore[attr-defined]
    assert torch.equal(hidden_of(narrow, admit(narrow, given)), first)


@pytest.mark.parametrize("narrow", [False, True])
def test_the_buffers_of_prompts_are_counted_to_the_byte(model: SpeechLM, narrow: bool) -> None:
    made = make_loop(model, quantize=int8_rows if narrow else None).prompts
    found = [made.rows.residual, made.rows.gained, made.rows.stats, made.qkv, made.query, made.attended, made.job.bytes]
    found += [value for value in vars(made.products).values() if isinstance(value, torch.Tensor)]
    counted = sum(tensor.nbytes for tensor in found)
    if narrow:
        assert counted == memory.prompt_state(CONFIG, 4, int8=True) - memory.PROMPT_ROWS * CONFIG.backbone.hidden * 4
    else:
        assert counted == memory.prompt_state(CONFIG, 4) - 2 * memory.LIBRARY_BYTES


def test_pieces_cover_a_prompt_in_the_smallest_buckets() -> None:
    from engine.runtime.prompts import BUCKETS, pieces

    for count in (1, 63, 64, 65, 200, 511, 512, 513, 1100, 1716):
        found = pieces(count)
        assert sum(size for size, _ in found) == count and all(size <= bucket for size, bucket in found)
        assert all(size == bucket == BUCKETS[-1] for size, bucket in found[:-1])
        size, bucket = found[-1]
        assert all(smaller < size for smaller in BUCKETS if smaller < bucket)


def test_tiles_of_attention_fit_the_block_of_every_card() -> None:
    from engine.runtime.prompts import attention_tile

    for kilobytes in (64, 99, 227):
        shared = (kilobytes << 10) - 4096
        block_q, block_t, stages = attention_tile(128, 2, shared)
        assert (block_q + 2 * stages * block_t) * 128 * 2 <= shared and PAGE_ROWS % block_t == 0


@pytest.mark.gpu
@pytest.mark.skipif(INTERPRETED, reason="graphs need a card")
@pytest.mark.parametrize("rows", [5, 64, 100, 260])
def test_a_graph_gives_the_bits_of_single_launches(model: SpeechLM, rows: int) -> None:
    eager, graphs = make_loop(model), make_loop(model)
    graphs.capture()
    assert graphs.fallbacks == []
    for loop in (eager, graphs):
        admit(loop, prompt(150, seed=8))
    assert torch.equal(hidden_of(graphs, admit(graphs, prompt(rows))), hidden_of(eager, admit(eager, prompt(rows))))
    assert torch.equal(graphs.cache.copy(1, rows), eager.cache.copy(1, rows))
