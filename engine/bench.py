"""Measures a model on this machine, beside each figure the floor that memory sets: weights to read / bandwidth."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.engine import open_local
from engine.errors import SpeechError
from engine.layout import ModelLayout, find_layout
from engine.requests import FRAME_S, Clip, Priority, SpeechRequest

if TYPE_CHECKING:
    import torch

    from engine.engine import Engine
    from engine.runtime.devices import DevicePlan
    from engine.runtime.factory import Runtime

FULL_RANDOM = "full-random"  # the full-size model with random weights
SHORT_TEXT = "Hello, and welcome to the studio."
LONG_TEXT = (
    "I would like a cup of coffee and two slices of toast. The train leaves at noon, so we still have some time."
)
CHUNKS = (1, 2, 4, 8, 25)
_PROBE_BYTES = 256 << 20


@dataclass(frozen=True)
class Figure:
    """One line of the table, all in the same unit.

    Attributes:
        floor: the least that reading the weights allows, where it binds.
        least, aim: what this project asks of the figure. reference: what the reference implementation takes.
    """

    name: str
    value: float
    unit: str
    floor: float | None = None
    least: float | None = None
    aim: float | None = None
    reference: float | None = None

    def to_json(self) -> dict[str, Any]:
        """`least`, `aim` and `reference` are there only where they are known."""
        known = asdict(self)
        return {key: value for key, value in known.items() if value is not None or key == "floor"}

    def __str__(self) -> str:
        floor = "" if self.floor is None else f"floor {self.floor:.2f}"
        aims = "" if self.aim is None else f"  at least {self.least:g}, aim {self.aim:g}"
        reference = "" if self.reference is None else f"  reference {self.reference:g}"
        return f"{self.name:40}{self.value:10.2f} {self.unit:6}{floor:14}{aims}{reference}".rstrip()


def measure(
    model_folder: Path,
    *,
    codec_folder: Path | None = None,
    device: str = "auto",
    precision: str = "auto",
    repeats: int = 5,
    on_progress: Callable[[str], None] = lambda stage: None,
) -> Iterator[Figure]:
    """Figures one by one, each a median. Takes about a minute on two cores. Raises SpeechError."""
    layout = find_layout(model_folder, codec_folder)
    on_progress("Loading")
    started_s = time.monotonic()
    engine = open_local(model_folder, codec_folder=codec_folder, device=device, precision=precision)
    engine.start()
    engine.ready()
    yield Figure("load", time.monotonic() - started_s, "s")
    try:
        on_progress("Speaking")
        yield from _spoken(engine, layout, repeats)
    finally:
        engine.close()
    yield Figure("peak memory", peak_memory_gb(), "GB")
    del engine

    on_progress("Measuring the parts")
    from engine.runtime.devices import choose_device
    from engine.runtime.factory import make_runtime

    plan = choose_device(device, precision)
    runtime = make_runtime(layout, plan, rows=1, progress=lambda progress: None)
    bandwidth = memory_bandwidth(plan)
    yield Figure("memory bandwidth", bandwidth / 1e9, "GB/s")
    yield from _parts(runtime, layout, plan, bandwidth, repeats)


def memory_bandwidth(plan: DevicePlan) -> float:
    """Bytes a second that reading gets from the device's memory (one thread on a CPU, as in the frame loop)."""
    import torch

    probe = torch.ones(_PROBE_BYTES // 4, dtype=torch.float32, device=plan.device)
    if plan.device == "cpu":
        values = probe.numpy()
        return _PROBE_BYTES / min(_timed(lambda: np.add.reduce(values)) for _ in range(5))
    return 2 * _PROBE_BYTES / min(_timed(lambda: probe.clone(), plan) for _ in range(8))


def peak_memory_gb() -> float:
    """The most memory this process ever held."""
    if sys.platform == "win32":
        import psutil

        return psutil.Process().memory_info().peak_wset / 2**30
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**30 if sys.platform == "darwin" else peak / 2**20


def _spoken(engine: Engine, layout: ModelLayout, repeats: int) -> Iterator[Figure]:
    """What a listener and an export meet, measured through the engine."""
    references = _voice(layout)
    _speak(engine, SHORT_TEXT, references, listening=True)  # the voice's codes and prefix are kept from now on
    waits = [_speak(engine, SHORT_TEXT, references, listening=True).ttfa_ms or 0.0 for _ in range(2 * repeats)]
    yield Figure("first audio, cached voice", statistics.median(waits), "ms")
    for name, listening in (("real-time factor, listening", True), ("real-time factor, to a file", False)):
        factors = [_speak(engine, LONG_TEXT, references, listening=listening).rtf for _ in range(repeats)]
        yield Figure(name, statistics.median(factors), "")


def _voice(layout: ModelLayout) -> tuple[Clip, ...]:
    """A clip that the model has to be given: one of its own, none where it has none."""
    voice = next((voice for voice in layout.card.voices if not voice.sent_as_no_reference), None)
    return () if voice is None else (Clip(path=voice.path, transcript=voice.transcript),)


def _speak(engine: Engine, text: str, references: tuple[Clip, ...], *, listening: bool):
    """One request; a listener is simulated whose player has consumed everything, so chunks stay small at first."""
    first_s: list[float] = []
    made_s = [0.0]

    def lead_s() -> float:
        return made_s[0] - (time.monotonic() - first_s[0]) if first_s else 0.0

    stream = engine.submit(
        SpeechRequest(text, references=references, seed=1, priority=Priority.LISTENING),
        lead_s=lead_s if listening else None,
    )
    for chunk in stream:
        first_s = first_s or [time.monotonic()]
        made_s[0] += len(chunk.codes) * FRAME_S
    return stream.result()


def _parts(runtime: Runtime, layout: ModelLayout, plan: DevicePlan, bandwidth: float, repeats: int) -> Iterator[Figure]:
    """Prefill, frame and codec alone."""
    weights = _weight_bytes(runtime, layout, plan)
    config = runtime.prompts.config
    codes = np.random.default_rng(1).integers(0, min(config.codebook_sizes), (150, config.codebooks)).astype(np.int16)
    runs = [_prefill_and_frames(runtime, layout, plan, codes[:40], repeat) for repeat in range(repeats)]
    yield Figure(
        f"prefill of {runs[0][0]} rows",
        1000 * statistics.median(prefill_s for _, prefill_s, _ in runs),
        "ms",
        1000 * weights["backbone"] / bandwidth,
    )
    frame_bytes = weights["backbone"] + weights["local"] + weights["heads"]
    frame_s = statistics.median(spent_s for _, _, frames_s in runs for spent_s in frames_s)
    yield Figure("frame", 1000 * frame_s, "ms", 1000 * frame_bytes / bandwidth)
    for size in CHUNKS:
        chunk_s = _codec_chunk(runtime, plan, codes, size, 2 * repeats)
        yield Figure(f"codec, {size} frames", 1000 * chunk_s, "ms", 1000 * weights["decoder"] / bandwidth)


def _prefill_and_frames(
    runtime: Runtime, layout: ModelLayout, plan: DevicePlan, voice: np.ndarray, seed: int
) -> tuple[int, float, list[float]]:
    """Rows of a prompt, seconds of its prefill, seconds of each frame after it."""
    from engine.lm.prompt import Message

    voice = voice.copy()
    voice[0, 0] = seed % min(runtime.prompts.config.codebook_sizes)  # a new voice, whose prefix is not remembered
    prompt = runtime.prompts.build(Message(LONG_TEXT, references=(voice,), language="English"))
    started_s = time.perf_counter()
    row = runtime.loop.admit(prompt, sampling=layout.card.sampling, seed=seed, max_frames=60)
    _wait_for(plan)
    prefill_s = time.perf_counter() - started_s
    frames_s: list[float] = []
    finished = False
    while not finished:
        started_s = time.perf_counter()
        made = runtime.loop.step()
        frames_s.append(time.perf_counter() - started_s)
        finished = any(frame.finished for frame in made)
    runtime.loop.release(row)
    return len(prompt), prefill_s, frames_s


def _codec_chunk(runtime: Runtime, plan: DevicePlan, codes: np.ndarray, size: int, repeats: int) -> float:
    """Median seconds of decoding `size` frames."""
    slot = runtime.streams.open()
    runtime.streams.step({slot: codes})  # now its caches are full, as in a long speech
    spent_s = [_timed(lambda: runtime.streams.step({slot: codes[:size]}), plan) for _ in range(repeats)]
    runtime.streams.close(slot)
    return statistics.median(spent_s)


def _weight_bytes(runtime: Runtime, layout: ModelLayout, plan: DevicePlan) -> dict[str, float]:
    """Bytes of each part's weights as they lie in memory while it computes."""
    from engine.runtime.checkpoint import FLOAT_BYTES, Checkpoint

    sizes = {"backbone": 0.0, "local": 0.0, "heads": 0.0, "decoder": 0.0}
    compiled = getattr(runtime.loop, "compiled", False)
    for name, tensor in Checkpoint(layout.model).tensors.items():
        bytes_each = FLOAT_BYTES[tensor.dtype] if compiled else plan.dtype.itemsize
        part = {"transformer": "backbone", "local_transformer": "local", "audio_embeddings": "heads"}.get(
            name.split(".")[0]
        )
        if part is not None and "embed_tokens" not in name:
            sizes[part] += tensor.elements * bytes_each
    codec_dtype: torch.dtype = runtime.codec.dtype
    for name, tensor in Checkpoint(layout.codec).tensors.items():
        if name.startswith("decoder."):
            sizes["decoder"] += tensor.elements * codec_dtype.itemsize
    return sizes


def _timed(deed: Callable[[], object], plan: DevicePlan | None = None) -> float:
    """Seconds that a deed takes, the device's queue included."""
    started_s = time.perf_counter()
    deed()
    _wait_for(plan)
    return time.perf_counter() - started_s


def _wait_for(plan: DevicePlan | None) -> None:
    """Until the device's queue is empty."""
    if plan is not None and plan.device != "cpu":
        import torch

        torch.cuda.synchronize(plan.device)


def main(arguments: list[str] | None = None) -> int:
    """`python -m engine.bench`: the same figures where only the engine's own packages are installed."""
    import argparse
    import json

    parser = argparse.ArgumentParser(prog="python -m engine.bench", description=__doc__)
    parser.add_argument("--model", required=True, help=f"a model's folder, or {FULL_RANDOM}")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON at the end")
    wish = parser.parse_args(arguments)

    def show(text: str) -> None:
        print(text, file=sys.stderr if wish.json else sys.stdout, flush=True)

    try:
        figures = []
        for figure in figures_of(wish.model, wish.device, wish.precision, wish.repeats, lambda stage: None):
            figures.append(figure)
            show(str(figure))
    except SpeechError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    if wish.json:
        print(json.dumps([figure.to_json() for figure in figures], ensure_ascii=False))
    return 0


def figures_of(
    model: str, device: str, precision: str, repeats: int, on_progress: Callable[[str], None]
) -> Iterator[Figure]:
    """The figures of a model's folder, or of the full-size model with random weights. Raises SpeechError."""
    if model == FULL_RANDOM:
        from engine.bench_full import measure_random

        return measure_random(device=device, on_progress=on_progress)
    return measure(Path(model), device=device, precision=precision, repeats=repeats, on_progress=on_progress)


if __name__ == "__main__":
    sys.exit(main())
