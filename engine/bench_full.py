"""Measures the full-size model with random weights on a CUDA device: speed and memory do not depend on their values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from engine.bench import Figure
from engine.bench_cuda import (
    TEXT_ROWS,
    WeightBytes,
    admission_ms,
    block_rates,
    clear,
    codec_times,
    copy_bandwidth,
    first_audio_ms,
    frame_ms,
    make_all,
    make_loop,
    planned_gb,
    processor_share,
    weight_sizes,
)
from engine.errors import DeviceError

if TYPE_CHECKING:
    from engine.runtime.batch import CudaFrameLoop

BATCH = 32  # blocks spoken at once
SHORT_ROWS, LONG_ROWS = 500, 7_500
_NEEDS_CUDA = "Measure it on a machine with a CUDA device, or measure another model."
LATEST_S = 225.0  # figures that have not begun by then are left out

# At least, aim, and what the reference implementation takes on the same card.
TARGETS = {
    "compiling and trying, 1 row and codec": (15.0, None, None),
    "frame, 1 row at 500": (3.5, 2.7, 75.5),
    "frame, 1 row at 7500": (4.2, 3.1, None),
    "frame, 16 rows at 500": (5.0, 3.5, None),
    "frame, 32 rows at 500": (6.0, 4.2, None),
    "frame, 1 row at 500, int8": (2.4, 1.6, None),
    "codec, 4 frames": (3.0, 1.2, 184.0),
    "codec, 1 frames": (None, None, 192.0),
    "encode 10 s": (40.0, 15.0, 173.0),
    "decode 10 s": (None, None, 162.0),
    "first audio, cached voice": (60.0, 30.0, None),
    "speech a second": (120.0, 250.0, None),
    "processor share of the thread": (1.0, 0.25, None),
}


def measure_random(
    *, device: str = "auto", on_progress: Callable[[str], None] = lambda stage: None
) -> Iterator[Figure]:
    """Figures one by one, compilation included in less than four minutes. Raises DeviceError without a CUDA device."""
    import torch

    from engine.runtime.cuda import kernels_refusal
    from engine.runtime.devices import FP8_CAPABILITY, NARROW, choose_device
    from engine.runtime.memory import codec_side, lm_weights
    from engine.runtime.quantize import quantizer
    from engine.runtime.random_weights import FULL_LM, random_codec, random_lm

    try:
        plan = choose_device("cuda" if device == "auto" else device)
    except DeviceError as error:
        raise DeviceError(error.message, _NEEDS_CUDA) from error  # not the processor, which is refused below
    if not plan.device.startswith("cuda"):
        raise DeviceError("The full-size model is measured on a CUDA device.", _NEEDS_CUDA)
    where = torch.device(plan.device)
    torch.cuda.set_device(where)
    capability = torch.cuda.get_device_capability(where)
    refusal = kernels_refusal(FULL_LM, capability)
    if refusal:
        raise DeviceError(f"The kernels do not run here: {refusal}.", "Install Triton with a build of torch for CUDA.")
    started_s = time.monotonic()
    pdl = capability >= (9, 0)

    def in_time() -> bool:
        return time.monotonic() - started_s < LATEST_S

    on_progress("Measuring the memory")
    bandwidth = copy_bandwidth(where)
    yield Figure("memory bandwidth, copy", bandwidth / 1e9, "GB/s")
    on_progress("Making up the language model")
    model = random_lm(device=where, dtype=plan.dtype)
    sizes = weight_sizes(model)
    yield Figure("weights, language model", torch.cuda.memory_allocated(where) / 1e9, "10⁹ B")

    def frames(
        loop: CudaFrameLoop, positions: tuple[int, ...], note: str = "", bytes_: WeightBytes = sizes
    ) -> Iterator[Figure]:
        rows = loop.rows
        for position in positions:
            name = f"frame, {rows} {'row' if rows == 1 else 'rows'} at {position}{note}"
            whole, speak, advance = frame_ms(loop, position)
            yield _figure(name, whole, "ms", 1000 * bytes_.frame(rows, position) / bandwidth)
            yield Figure(f"  of it the codes{note}", speak, "ms", 1000 * (bytes_.local + bytes_.heads) / bandwidth)
            read = bytes_.layers + rows * position * bytes_.row
            yield Figure(f"  of it the backbone{note}", advance, "ms", 1000 * read / bandwidth)

    on_progress("Compiling and capturing")
    codec = random_codec(device=where, dtype=plan.dtype)
    loop, streams, ready_s, capture_s = make_all(model, codec, pages=36, pdl=pdl)
    yield _figure("compiling and trying, 1 row and codec", ready_s, "s")
    yield Figure("capturing after it", capture_s, "s")
    on_progress("One row")
    yield from frames(loop, (SHORT_ROWS, LONG_ROWS))
    on_progress("Codec")
    codec_bytes = float(codec_side(codec.config.decoder, codec.dtype.itemsize, kernels=False))
    clear()
    used = torch.cuda.mem_get_info(where)
    yield Figure("memory in use, one row, all loaded", (used[1] - used[0]) / 2**30, "GB", planned_gb())
    for name, spent_ms, passes in codec_times(codec, streams):
        yield _figure(name, spent_ms, "ms", passes * 1000 * codec_bytes / bandwidth)

    on_progress("First audio")
    admitted_ms, call_ms = admission_ms(loop)
    yield _figure(f"admission, {TEXT_ROWS} rows, cached voice", admitted_ms, "ms", 1000 * sizes.layers / bandwidth)
    yield Figure("  of it the call", call_ms, "ms")
    yield _figure("first audio, cached voice", first_audio_ms(loop, streams), "ms")
    share, generated_ms = processor_share(loop, streams)
    yield _figure("processor share of the thread", share, "")
    yield Figure("frame, 1 row, decoded in steps of 8", generated_ms, "ms")
    del loop
    clear()

    for tier in NARROW:
        if not in_time():
            break
        if tier == "fp8" and capability < FP8_CAPABILITY:
            continue
        on_progress(tier)
        loop, capture_s = make_loop(model, rows=1, pages=36, pdl=pdl, quantize=quantizer(tier, model))
        yield Figure(f"capture, 1 row, {tier}", capture_s, "s")
        stored = lm_weights(FULL_LM, plan.dtype.itemsize, tier=tier)
        yield Figure(f"weights, language model, {tier}", stored / 1e9, "10⁹ B")
        # An int4 takes 4.25 bits with its scale; the local transformer stays int8 beside it.
        share = 4.25 / 16 if tier == "int4" else 0.5
        narrow = WeightBytes(sizes.layers * share, sizes.local / 2, sizes.heads, sizes.row)
        yield from frames(loop, (SHORT_ROWS,), f", {tier}", narrow)
        del loop
        clear()
    for rows in (BATCH, 16):
        if not in_time():
            break
        on_progress(f"{rows} rows")
        loop, capture_s = make_loop(model, rows=rows, pages=rows * 4, pdl=pdl)
        yield Figure(f"capture, {rows} rows", capture_s, "s")
        yield from frames(loop, (SHORT_ROWS,))
        if rows == BATCH and in_time():
            on_progress("Many blocks")
            del streams
            clear()
            for name, rate in block_rates(loop, codec):
                yield _figure(name, rate, "s/s")
            streams = None  # type: ignore[assignment]
        del loop
        clear()
    yield Figure("time of all", time.monotonic() - started_s, "s")


def _figure(name: str, value: float, unit: str, floor: float | None = None) -> Figure:
    least, aim, reference = TARGETS.get(name, (None, None, None))
    return Figure(name, value, unit, floor, least, aim, reference)
