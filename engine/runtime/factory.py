"""Puts together what speaks on one device: the frame loop, the codec and its streams. Other runtimes join here."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.backends.base import LoadProgress
from engine.codec.model import load_codec
from engine.codec.stream import DecodeStreams
from engine.errors import CheckpointError
from engine.layout import ModelLayout
from engine.lm.generate import FrameLoop
from engine.lm.model import SpeechLM, load_lm
from engine.lm.prompt import PromptBuilder
from engine.lm.tokenizer import Tokenizer
from engine.requests import CHANNELS, FRAME_SAMPLES, SAMPLE_RATE
from engine.runtime.devices import DevicePlan
from engine.runtime.needs import check_memory

if TYPE_CHECKING:
    from engine.codec.model import Codec
    from engine.runtime.memory import MemoryPlan

# Raised whenever the same request may come to sound different: of a processor, of a graphics card.
REVISION = "2"
CARD_REVISION = "4"


@dataclass
class Runtime:
    """A loaded model, ready to speak `loop.rows` requests at once.

    Attributes:
        prompts: messages to rows.
        loop: the frame loop (`engine.lm.generate.FrameLoop` or one with its interface).
        codec: encodes references.
        streams: decodes (`engine.codec.stream.DecodeStreams` or one with its interface), as many slots as rows.
        identity: see `Backend.identity`.
        memory: the plan of a graphics card's memory; None elsewhere.
        warnings: what runs otherwise than it could, and why; for people.
        captures, fallbacks: see `engine.runtime.cuda.CudaParts`; nothing on a CPU.
    """

    prompts: PromptBuilder
    loop: FrameLoop
    codec: Codec
    streams: DecodeStreams
    identity: Mapping[str, str]
    memory: MemoryPlan | None = None
    warnings: tuple[str, ...] = ()
    captures: deque[Callable[[], object]] = field(default_factory=deque)
    fallbacks: Callable[[], list[str]] = list


def make_runtime(
    layout: ModelLayout, plan: DevicePlan, *, rows: int, progress: Callable[[LoadProgress], None]
) -> Runtime:
    """Load a model for a device.

    Args:
        rows: the bucket: how many requests are spoken at once. Part of the sound's identity. A graphics card without
            room for so many gets fewer: `Runtime.loop.rows` says how many.

    Raises:
        CheckpointError: the model is damaged. DeviceError: it does not fit.
    """

    def part(stage: str, start: float, share: float) -> Callable[[float], None]:
        return lambda fraction: progress(LoadProgress(stage, start + share * fraction))

    progress(LoadProgress("Reading the tokenizer", 0.0))
    tokenizer = Tokenizer(layout.model)
    if plan.device.startswith("cuda"):
        return _cuda_runtime(layout, plan, tokenizer, rows=rows, progress=progress)
    check_memory(layout, plan)
    model = load_lm(
        layout.model, device=plan.device, dtype=plan.dtype, progress=part("Loading the language model", 0.05, 0.6)
    )
    prompts = PromptBuilder(model.config, tokenizer)
    codec = load_codec(
        layout.codec,
        device=plan.codec_device,
        codebooks=model.config.codebooks,
        progress=part("Loading the codec", 0.65, 0.35),
    )
    _check_pair(layout, model, codec)
    loop = FrameLoop(model, rows=rows)
    kind = "-compiled" if loop.compiled else ""
    progress(LoadProgress("Ready", 1.0))
    return Runtime(
        prompts=prompts,
        loop=loop,
        codec=codec,
        streams=DecodeStreams(codec, slots=rows),
        identity={
            "model": model.hashes["model"],
            "codec": codec.identity,
            "tokenizer": model.hashes["tokenizer"],
            "numeric": f"{plan.profile}{kind}-rows{rows}",
            "revision": REVISION,
        },
    )


def _cuda_runtime(
    layout: ModelLayout,
    plan: DevicePlan,
    tokenizer: Tokenizer,
    *,
    rows: int,
    progress: Callable[[LoadProgress], None],
) -> Runtime:
    from engine.runtime.cuda import make_cuda

    parts = make_cuda(layout, plan, rows=rows, stage=lambda name, done: progress(LoadProgress(name, done)))
    _check_pair(layout, parts.model, parts.codec)
    precision = parts.plan.precision if parts.plan else plan.precision
    how = "kernels" if parts.kernels else "torch"
    how += "" if parts.codec_kernels == parts.kernels else "-codec-torch"
    progress(LoadProgress("Ready", 1.0))
    return Runtime(
        prompts=PromptBuilder(parts.model.config, tokenizer),
        loop=parts.loop,  # type: ignore[arg-type]
        codec=parts.codec,
        streams=parts.streams,
        identity={
            "model": parts.model.hashes["model"],
            "codec": parts.codec.identity,
            "tokenizer": parts.model.hashes["tokenizer"],
            "numeric": f"{plan.profile_of(precision)}-{how}-rows{parts.loop.rows}",
            "revision": CARD_REVISION,
        },
        memory=parts.plan,
        warnings=parts.warnings,
        captures=parts.captures,
        fallbacks=parts.fallbacks,
    )


def _check_pair(layout: ModelLayout, model: SpeechLM, codec: Codec) -> None:
    """A codec that does not belong to the model would turn its codes into noise, or into speech at another speed."""
    config = codec.config
    wanted = f"{SAMPLE_RATE} Hz, {FRAME_SAMPLES} samples a frame, {model.config.codebooks} codebooks"
    fits = (
        config.sample_rate == SAMPLE_RATE
        and config.hop == FRAME_SAMPLES
        and config.channels in (1, CHANNELS)
        and codec.codebooks == model.config.codebooks
        and max(model.config.codebook_sizes) <= config.codebook_size
    )
    if not fits:
        raise CheckpointError(
            f"The codec in {layout.codec} does not belong to the model in {layout.model}, which needs {wanted}.",
            "Give the codec that was published with it: MOSS-Audio-Tokenizer-v2.",
        )
