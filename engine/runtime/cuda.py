"""Puts together what speaks on a CUDA device: kernels and graphs where they serve, plain operations elsewhere."""

from __future__ import annotations

import functools
import gc
import importlib.util
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import torch

from engine.codec.config import CodecConfig, PatchStage, TransformerStage
from engine.codec.model import Codec, load_codec
from engine.codec.stream import DecodeStreams
from engine.errors import DeviceError
from engine.layout import ModelLayout
from engine.lm.config import LMConfig
from engine.lm.generate import FrameLoop
from engine.lm.model import SpeechLM, load_lm
from engine.runtime import memory
from engine.runtime.devices import NARROW, DevicePlan
from engine.runtime.memory import MemoryPlan
from engine.runtime.trial import Trial, compile_all

if TYPE_CHECKING:
    from engine.runtime.batch import CudaFrameLoop
    from engine.runtime.capture import Capturing
    from engine.runtime.codec_graphs import CudaDecodeStreams

_log = logging.getLogger(__name__)

Stage = Callable[[str, float], None]
Steps = Sequence[Callable[[], object]]
PDL_CAPABILITY = (9, 0)  # programmatic dependent launch
KERNEL_CAPABILITY = (7, 5)  # the oldest card that Triton compiles for
_BARE_CONTEXT_BYTES = 450 * memory.MB  # of CONTEXT_BYTES: what is taken before any of our kernels is loaded


@dataclass
class CudaParts:
    """What `make_runtime` needs to know about a CUDA device.

    Attributes:
        model, loop, streams: loaded and ready; streams decodes, codec encodes (they may be on different devices).
        kernels: whether frames are made by our kernels; the codec's by them too.
        plan: of memory; None where plain operations serve.
        warnings: what runs otherwise than it could, and why.
        captures: what turns steps into graphs, a few at each call. Everything can be used before and between them, by
            single launches with the same bits, but nobody may be served during one.
        fallbacks: asked after the last: why something is not captured.
    """

    model: SpeechLM
    loop: FrameLoop | CudaFrameLoop
    codec: Codec
    streams: DecodeStreams | CudaDecodeStreams
    kernels: bool
    codec_kernels: bool
    plan: MemoryPlan | None
    warnings: tuple[str, ...]
    captures: deque[Callable[[], object]] = field(default_factory=deque)
    fallbacks: Callable[[], list[str]] = list


def make_cuda(layout: ModelLayout, plan: DevicePlan, *, rows: int, stage: Stage) -> CudaParts:
    """Load a model for a CUDA device.

    Args:
        rows: how many requests are wanted at once; fewer where memory allows no more.
        stage: told what is being done, and how far the whole is.

    Raises:
        CheckpointError: the model is damaged. DeviceError: it does not fit, or needs kernels that do not run here.
    """
    device = torch.device(plan.device)
    torch.cuda.set_device(device)
    lm_config, codec_config = LMConfig.read(layout.model), CodecConfig.read(layout.codec)
    refusal = kernels_refusal(lm_config, torch.cuda.get_device_capability(device))
    if refusal:
        return _plain(layout, plan, rows=rows, reason=refusal, stage=stage)
    if plan.precision == "int4" and not memory.int4_divides(lm_config):
        raise DeviceError(
            "int4 needs widths that are multiples of 128; this model has others.", "Choose precision int8."
        )
    chosen = plan_for(lm_config, codec_config, plan, rows)
    _hold_to_emulated(device)
    warnings = [f"The card has no room for more: {', '.join(chosen.steps)}."] if chosen.steps else []
    stage("Loading the language model", 0.05)
    model = _load_model(layout, plan, chosen, stage)
    encodes, decodes = _load_codec(layout, plan, chosen, lm_config.codebooks, stage)
    stage("Preparing the kernels", 0.75)
    plain = decodes.encoder, decodes.decoder
    kernels = [Trial("Frames are made", plan.device, lambda: [_frame_loop(model, chosen)])]
    if chosen.decoder != "cpu":
        make_streams = functools.partial(_codec_parts, decodes, codec_config, chosen.rows)
        kernels.append(Trial("Audio is decoded", plan.codec_device, make_streams))
    stage("Compiling the kernels", 0.78)
    compile_all(kernels, lambda share: stage("Compiling the kernels", 0.78 + 0.17 * share))
    stage("Trying the kernels", 0.95)
    for each in kernels:
        each.prove()
    frames, *audio = kernels
    if frames.failure and chosen.precision in NARROW:
        problem = f"{chosen.precision} does not run on this card ({frames.failure})."
        raise DeviceError(problem, "Choose precision bf16 or fp16.")
    if audio and audio[0].failure:
        decodes.encoder, decodes.decoder, decodes.clips = *plain, None
    _give_back()
    loop = frames.parts[0] if frames.parts else FrameLoop(model, rows=chosen.rows)
    codec_kernels = bool(audio and audio[0].parts)
    # On a CPU the streams themselves know what is best.
    together = False if audio else None
    streams = audio[0].parts[0] if codec_kernels else DecodeStreams(decodes, slots=chosen.rows, together=together)
    return CudaParts(
        model,
        cast("FrameLoop | CudaFrameLoop", loop),
        encodes,
        cast("DecodeStreams | CudaDecodeStreams", streams),
        kernels=bool(frames.parts),
        codec_kernels=codec_kernels,
        plan=chosen,
        warnings=(*warnings, *(each.warning for each in kernels if each.failure)),
        captures=deque(capture for each in kernels for capture in each.captures()),
        fallbacks=lambda: [reason for each in kernels for reason in each.fallbacks],
    )


def plan_for(lm: LMConfig, codec: CodecConfig, plan: DevicePlan, rows: int) -> MemoryPlan:
    """The memory plan of a device as it is now. Raises DeviceError."""
    _give_back()
    free, total = torch.cuda.mem_get_info(plan.device)
    budget = memory.budget_bytes(free + _BARE_CONTEXT_BYTES, total)
    return memory.plan_memory(lm, codec, budget=budget, rows=rows, precisions=(plan.precision, *plan.narrower))


def _hold_to_emulated(device: torch.device) -> None:
    """Where a smaller card is emulated, have its memory run out where that card's would."""
    emulated = memory.emulated_bytes()
    total = torch.cuda.mem_get_info(device)[1]
    if emulated is not None and emulated < total:
        share = (emulated - memory.CONTEXT_BYTES) / total
        torch.cuda.set_per_process_memory_fraction(max(0.001, share), device)


def kernels_refusal(config: LMConfig, capability: tuple[int, int]) -> str:
    """Why our kernels cannot run this model on this card, or "". Nothing is compiled."""
    if importlib.util.find_spec("triton") is None:
        return "Triton is not installed"
    if capability < KERNEL_CAPABILITY:
        return f"the card's compute capability {capability[0]}.{capability[1]} is too old for them"
    backbone = config.backbone
    if backbone.head_dim < 32 or backbone.head_dim & (backbone.head_dim - 1):
        return f"heads of {backbone.head_dim} values"
    if not config.local.rotary:
        return "a local transformer with absolute positions"
    if backbone.heads // backbone.kv_heads > 64:
        return f"{backbone.heads // backbone.kv_heads} query heads to a key head"
    if backbone.attention_bias:
        return "attention with biases"
    return ""


def codec_refusal(stages: Sequence[TransformerStage | PatchStage]) -> str:
    """Why our kernels cannot run this side of the codec, or ""."""
    for stage in stages:
        if isinstance(stage, TransformerStage) and (stage.head_width < 32 or stage.head_width & (stage.head_width - 1)):
            return f"heads of {stage.head_width} values"
    return ""


# -- the language model -----------------------------------------------------------------------------------------


def _load_model(layout: ModelLayout, plan: DevicePlan, chosen: MemoryPlan, stage: Stage) -> SpeechLM:
    def progress(done: float) -> None:
        stage("Loading the language model", 0.05 + 0.4 * done)

    if chosen.precision in NARROW:
        from engine.runtime.narrow import load_narrow_lm

        return load_narrow_lm(
            layout.model, device=plan.device, dtype=plan.dtype, tier=chosen.precision, progress=progress
        )
    return load_lm(layout.model, device=plan.device, dtype=plan.dtype, progress=progress)


def _frame_loop(model: SpeechLM, chosen: MemoryPlan) -> CudaFrameLoop:
    from engine.runtime.batch import CudaFrameLoop

    return CudaFrameLoop(
        model,
        rows=chosen.rows,
        pages=chosen.pages,
        longest=chosen.longest,
        quantize=getattr(model, "narrowed", None),
        prefix_bytes=chosen.parts["voices"],
        pdl=torch.cuda.get_device_capability(model.device) >= PDL_CAPABILITY,
    )


# -- the codec --------------------------------------------------------------------------------------------------


def _load_codec(
    layout: ModelLayout, plan: DevicePlan, chosen: MemoryPlan, codebooks: int, stage: Stage
) -> tuple[Codec, Codec]:
    """What encodes and what decodes, each where the plan puts it; one object where that is the same place."""

    def load(device: str, *, encoder: bool, decoder: bool, start: float, share: float) -> Codec:
        return load_codec(
            layout.codec,
            device=device,
            dtype=None if device == "cpu" else plan.dtype,
            encoder=encoder,
            decoder=decoder,
            codebooks=codebooks,
            progress=lambda done: stage("Loading the codec", start + share * done),
        )

    if chosen.encoder == chosen.decoder:
        device = "cpu" if chosen.decoder == "cpu" else plan.codec_device
        both = load(device, encoder=True, decoder=True, start=0.45, share=0.3)
        return both, both
    decodes = load(plan.codec_device, encoder=False, decoder=True, start=0.45, share=0.15)
    return load("cpu", encoder=True, decoder=False, start=0.6, share=0.15), decodes


def _codec_parts(codec: Codec, config: CodecConfig, slots: int) -> list[Capturing]:
    refusal = codec_refusal(config.decoder) or codec_refusal(config.encoder)
    if refusal:
        raise ValueError(refusal)
    streams = kernel_streams(codec, slots)
    return [streams] if codec.clips is None else [streams, codec.clips]


def kernel_streams(codec: Codec, slots: int) -> CudaDecodeStreams:
    """Put the sides of a codec that are on a CUDA device on kernels, and give its streams."""
    from engine.runtime.codec_clips import ClipGraphs
    from engine.runtime.codec_graphs import CudaDecodeStreams
    from engine.runtime.codec_stack import KernelStack

    pdl = torch.cuda.get_device_capability(codec.device) >= PDL_CAPABILITY
    if codec.encoder is not None:
        codec.encoder = KernelStack(codec.encoder, pdl=pdl)
        codec.clips = ClipGraphs(codec)
    assert codec.decoder is not None
    codec.decoder = KernelStack(codec.decoder, pdl=pdl, resident=codec.dtype.itemsize == 2)

    return CudaDecodeStreams(codec, slots)


# -- where kernels do not serve ---------------------------------------------------------------------------------


def _plain(layout: ModelLayout, plan: DevicePlan, *, rows: int, reason: str, stage: Stage) -> CudaParts:
    from engine.runtime.needs import check_memory

    if plan.precision in NARROW:
        problem = f"{plan.precision} needs kernels that do not run here: {reason}."
        raise DeviceError(problem, "Choose precision bf16, fp16 or fp32.")
    check_memory(layout, plan)
    stage("Loading the language model", 0.05)
    model = load_lm(
        layout.model,
        device=plan.device,
        dtype=plan.dtype,
        progress=lambda done: stage("Loading the language model", 0.05 + 0.6 * done),
    )
    codec = load_codec(
        layout.codec,
        device=plan.codec_device,
        codebooks=model.config.codebooks,
        progress=lambda done: stage("Loading the codec", 0.65 + 0.35 * done),
    )
    warning = f"Speech is made by plain operations, slower: the kernels do not serve here ({reason})."
    streams = DecodeStreams(codec, slots=rows, together=False)
    return CudaParts(model, FrameLoop(model, rows=rows), codec, streams, False, False, None, (warning,))


def _give_back() -> None:
    if gc.isenabled():  # else a window collects, on its own thread, which alone may tear widgets down
        gc.collect()
    torch.cuda.empty_cache()
