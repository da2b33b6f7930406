"""Single measurements of a CUDA runtime: frames, codec steps, first audio, many blocks."""

from __future__ import annotations

import gc
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import DeviceError
from engine.requests import FRAME_S, Sampling, SamplingOptions

if TYPE_CHECKING:
    import torch

    from engine.codec.model import Codec
    from engine.codec.stream import DecodeStreams
    from engine.lm.model import SpeechLM
    from engine.lm.prompt import Prompt
    from engine.runtime.batch import CudaFrameLoop
    from engine.runtime.capture import Capturing
    from engine.runtime.graphs import Quantizer

VOICE_FRAMES = 125  # a reference of ten seconds
TEXT_ROWS = 96  # a text of 200 characters with the fixed rows after the voice
BLOCKS, BLOCK_FRAMES = 64, 63  # blocks of five seconds
CODEC_STEPS = (1, 4, 8, 25)
_PROBE_BYTES = 4 << 30
_CLIP_S = 10
# The published defaults (MODEL §4).
SAMPLING = Sampling(SamplingOptions(1.7, 0.8, 25, 1.0), SamplingOptions(1.0, 1.0, 50, 1.0))


@dataclass(frozen=True)
class WeightBytes:
    """What the weights of each part take as they are read."""

    layers: float
    local: float
    heads: float
    row: float  # keys and values of one position

    def frame(self, rows: int, position: int) -> float:
        """Bytes that one frame of `rows` rows must read: the local transformer's weights once a codebook."""
        return self.layers + self.local + self.heads + rows * position * self.row


def copy_bandwidth(device: torch.device) -> float:
    """Bytes a second, read plus written, of a copy inside the device's memory."""
    import torch

    size = min(_PROBE_BYTES, torch.cuda.mem_get_info(device)[0] // 4)
    source = torch.ones(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    spent_ms = min(_device_ms(partial(target.copy_, source)) for _ in range(6))
    del source, target
    clear()
    return 2 * size / (spent_ms / 1000)


def frame_ms(loop: CudaFrameLoop, position: int, repeats: int = 40) -> tuple[float, float, float]:
    """Milliseconds of a frame of all rows at `position`, then of its two steps alone."""
    import torch

    rows, graphs = loop.rows, loop.graphs
    state = graphs.state
    with torch.inference_mode():
        for row in range(rows):
            loop.cache.reserve(row, position + 4 * repeats)
        state.live.fill_(1)
        state.never_stop.fill_(1)
        audio, stop = SAMPLING.audio, SAMPLING.stop
        state.floats.copy_(
            torch.tensor([audio.temperature, audio.top_p, audio.repetition_penalty, stop.temperature, stop.top_p])
        )
        state.ints.copy_(torch.tensor([audio.top_k, stop.top_k]))
        state.position.fill_(position)

        def each(deed: Callable[[], None]) -> float:
            for _ in range(5):
                deed()
            return _device_ms(lambda: [deed() for _ in range(repeats)]) / repeats

        whole = each(lambda: graphs.step(rows))
        state.position.fill_(position)
        speak = each(graphs.graphs[rows, "frame"].replay)
        state.position.fill_(position)
        advance = each(graphs.graphs[rows, "backbone"].replay)
        for row in range(rows):
            loop.release(row)
    return whole, speak, advance


def make_loop(
    model: SpeechLM, *, rows: int, pages: int, pdl: bool, quantize: Quantizer | None = None
) -> tuple[CudaFrameLoop, float]:
    """A loop with its graphs, and the seconds that compiling and capturing took."""
    started_s = time.monotonic()
    loop = _bare_loop(model, rows=rows, pages=pages, pdl=pdl, quantize=quantize)
    _start_up([loop])
    loop.graphs.state.never_stop.fill_(1)
    return loop, time.monotonic() - started_s


def make_all(
    model: SpeechLM, codec: Codec, *, pages: int, pdl: bool
) -> tuple[CudaFrameLoop, DecodeStreams, float, float]:
    """A loop of one row and the codec with one slot, started as the product does, and two parts of the seconds that it
    took: until somebody could have been served, and from there until everything was captured."""
    from engine.runtime.cuda import kernel_streams

    started_s = time.monotonic()
    loop, streams = _bare_loop(model, rows=1, pages=pages, pdl=pdl), kernel_streams(codec, 1)
    assert codec.clips is not None
    capture_s = _start_up([loop, streams, codec.clips])
    loop.graphs.state.never_stop.fill_(1)
    return loop, streams, time.monotonic() - started_s - capture_s, capture_s  # type: ignore[return-value]


def _bare_loop(
    model: SpeechLM, *, rows: int, pages: int, pdl: bool, quantize: Quantizer | None = None
) -> CudaFrameLoop:
    from engine.runtime.batch import CudaFrameLoop

    return CudaFrameLoop(model, rows=rows, pages=pages, longest=36 * 256, quantize=quantize, pdl=pdl)


def _start_up(parts: Sequence[Capturing]) -> float:
    """Compile together, try, capture; the seconds of the last."""
    import torch

    from engine.runtime.kernels.launch import rehearse

    rehearse([step for part in reversed(parts) for step in part.rehearsal()])
    for part in parts:
        part.prove()
    ready_s = time.monotonic()
    for part in parts:
        for capture in part.captures():
            capture()
        if part.fallbacks:
            raise DeviceError(f"Nothing worth measuring: {part.fallbacks[0]}.", "Update torch and the driver.")
    torch.cuda.synchronize()
    return time.monotonic() - ready_s


def codec_times(codec: Codec, streams: DecodeStreams) -> Iterator[tuple[str, float, int]]:
    """Name, milliseconds, and how often the weights have to be read."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 1024, (125, codec.codebooks)).astype(np.int16)
    slot = streams.open()
    for _ in range(6):
        streams.step({slot: codes[:25]})  # until every window is full, as in a long speech
    for size in CODEC_STEPS:
        # A step returns with its samples on the host: there is nothing to wait for after it.
        spent = [_wall_ms(partial(streams.step, {slot: codes[:size]}), until_idle=False) for _ in range(30)]
        yield f"codec, {size} frames", statistics.median(spent), 1
    streams.close(slot)
    clip = (0.1 * rng.standard_normal((codec.config.channels, _CLIP_S * codec.config.sample_rate))).astype(np.float32)
    codec.encode([clip])
    spent = [_wall_ms(lambda: codec.encode([clip])) for _ in range(5)]
    yield f"encode {_CLIP_S} s", statistics.median(spent), 2
    codec.decode(codes)
    spent = [_wall_ms(lambda: codec.decode(codes)) for _ in range(5)]
    yield f"decode {_CLIP_S} s", statistics.median(spent), 2


def made_up_prompt(model: SpeechLM, number: int) -> Prompt:
    """A cloned voice, the same for all numbers, and a text of its own: rows as `PromptBuilder` makes them."""
    import torch

    from engine.lm.prompt import Prompt

    config = model.config

    def text(ids: torch.Tensor) -> torch.Tensor:
        rows = torch.full((len(ids), config.codebooks + 1), config.pad_code, dtype=torch.int64)
        rows[:, 0] = ids
        return rows

    voice = torch.from_numpy(np.random.default_rng(5).integers(0, 1024, (VOICE_FRAMES, config.codebooks + 1)))
    voice[:, 0] = config.user_slot_id
    ids = torch.from_numpy(np.random.default_rng(100 + number).integers(0, 50_000, TEXT_ROWS))
    opening = text(torch.arange(11))
    start, end = text(torch.tensor([config.audio_start_id])), text(torch.tensor([config.audio_end_id]))
    return Prompt(torch.cat((opening, start, voice, end)), text(ids))


def admission_ms(loop: CudaFrameLoop, repeats: int = 12) -> tuple[float, float]:
    """Of a prompt whose voice is in the store: milliseconds until its row can speak, and until the call has
    returned."""
    import torch

    spent: list[tuple[float, float]] = []
    for number in range(repeats + 2):
        prompt = made_up_prompt(loop.model, number)
        torch.cuda.synchronize()
        started_s = time.perf_counter()
        row = loop.admit(prompt, sampling=SAMPLING, seed=number, max_frames=100)
        called_s = time.perf_counter()
        torch.cuda.synchronize()
        spent.append((1000 * (time.perf_counter() - started_s), 1000 * (called_s - started_s)))
        loop.release(row)
    whole, call = zip(*spent[2:], strict=True)
    return statistics.median(whole), statistics.median(call)


def first_audio_ms(loop: CudaFrameLoop, streams: DecodeStreams, repeats: int = 10) -> float:
    """From the prompt to the samples of the first frame on the host; the voice's prefix is in the store."""
    spent: list[float] = []
    for number in range(repeats + 2):
        prompt = made_up_prompt(loop.model, number)

        def first(prompt: Prompt = prompt, number: int = number) -> None:
            row = loop.admit(prompt, sampling=SAMPLING, seed=number, max_frames=100)
            slot = streams.open()
            made = loop.step()
            while not made:
                made = loop.step()
            streams.step({slot: made[0].codes[None]})
            streams.close(slot)
            loop.release(row)

        spent.append(_wall_ms(first))
    return statistics.median(spent[2:])


def processor_share(loop: CudaFrameLoop, streams: DecodeStreams, frames: int = 400) -> tuple[float, float]:
    """Share of a core that the thread uses while it speaks, decoding eight frames at a time; milliseconds a frame."""
    row = loop.admit(made_up_prompt(loop.model, 0), sampling=SAMPLING, seed=1, max_frames=frames)
    slot = streams.open()
    waiting: list[np.ndarray] = []
    busy_s, started_s = time.thread_time(), time.perf_counter()
    done = 0
    while done < frames:
        for frame in loop.step():
            done += 1
            waiting.append(frame.codes)
        if len(waiting) >= 8:
            streams.step({slot: np.stack(waiting[:8])})
            del waiting[:8]
    wall_s = time.perf_counter() - started_s
    busy_s = time.thread_time() - busy_s
    loop.release(row)
    streams.close(slot)
    return busy_s / wall_s, 1000 * wall_s / frames


def block_rates(loop: CudaFrameLoop, codec: Codec) -> Iterator[tuple[str, float]]:
    """Name, and seconds of speech a second: blocks as rows of one batch, refilled as they end, decoded in steps of 25:
    each alone, as an export does, and all that are due together."""
    import torch

    from engine.runtime.codec_graphs import CudaDecodeStreams

    together = CudaDecodeStreams(codec, loop.rows)
    together.capture(frames=(5, 8, 25))
    for name, alone in (("speech a second", True), ("speech a second, decoded together", False)):
        spoken_s = 0.0
        for _ in range(2):  # the first run compiles what is left
            spoken_s = BLOCKS * BLOCK_FRAMES * FRAME_S / (_speak_blocks(loop, together, alone) / 1000)
        yield name, spoken_s
    torch.cuda.synchronize()


def _speak_blocks(loop: CudaFrameLoop, streams: DecodeStreams, alone: bool) -> float:
    prompts = [made_up_prompt(loop.model, number) for number in range(BLOCKS)]

    def speak() -> None:
        waiting = deque(enumerate(prompts))
        codes: dict[int, list[np.ndarray]] = {}
        slots: dict[int, int] = {}
        while waiting or codes:
            while waiting and loop.free_rows:
                number, prompt = waiting.popleft()
                row = loop.admit(prompt, sampling=SAMPLING, seed=number, max_frames=BLOCK_FRAMES)
                codes[row], slots[row] = [], streams.open()
            ended = []
            for frame in loop.step():
                codes[frame.row].append(frame.codes)
                if frame.finished:
                    ended.append(frame.row)
            due = {
                slots[row]: np.stack(made) for row, made in codes.items() if made and (len(made) >= 25 or row in ended)
            }
            for chunk in [{slot: made} for slot, made in due.items()] if alone else [due] if due else []:
                streams.step(chunk)
            for row in codes:
                if slots[row] in due:
                    codes[row] = []
            for row in ended:
                loop.release(row)
                streams.close(slots.pop(row))
                del codes[row]

    return _wall_ms(speak)


def weight_sizes(model: SpeechLM) -> WeightBytes:
    config, itemsize = model.config, model.dtype.itemsize
    backbone, local = config.backbone, model.local
    layers = sum(
        each.numel() for layer in model.backbone.layers for each in (layer.qkv, layer.out, layer.gate_up, layer.down)
    )
    once = sum(each.numel() for each in (local.qkv, local.out, local.fc_in, local.fc_out))
    heads = sum(head.numel() for head in model.audio_heads)
    row = 2 * backbone.layers * backbone.kv_heads * backbone.head_dim * itemsize
    return WeightBytes(layers * itemsize, config.codebooks * once * itemsize, heads * itemsize, row)


def planned_gb() -> float:
    """What the memory plan says of the same: one row, everything on the card, no stored voices and no passing work."""
    from engine.runtime.memory import plan_memory
    from engine.runtime.random_weights import FULL_CODEC, FULL_LM

    plan = plan_memory(FULL_LM, FULL_CODEC, budget=64 << 30, rows=1, precisions=("bf16",))
    return (plan.total - plan.parts["voices"] - plan.parts["workspace"]) / 2**30


def _device_ms(deed: Callable[[], object]) -> float:
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    deed()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def _wall_ms(deed: Callable[[], object], *, until_idle: bool = True) -> float:
    import torch

    torch.cuda.synchronize()
    started_s = time.perf_counter()
    deed()
    if until_idle:
        torch.cuda.synchronize()
    return 1000 * (time.perf_counter() - started_s)


def clear() -> None:
    import torch

    gc.collect()
    torch.cuda.empty_cache()
