"""Puts together what speaks on a CUDA device: kernels and graphs where they serve, plain operations elsewhere."""

from __future__ import annotations

import gc
import importlib.util
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from engine.codec.config import CodecConfig, PatchStage, TransformerStage
from engine.codec.model import Codec, load_codec
from engine.codec.stream import DecodeStreams
from engine.errors import DeviceError, SpeechError, is_out_of_memory
from engine.layout import ModelLayout
from engine.lm.config import LMConfig
from engine.lm.generate import FrameLoop
from engine.lm.model import SpeechLM, load_lm
from engine.runtime import memory
from engine.runtime.devices import NARROW, DevicePlan
from engine.runtime.memory import MemoryPlan

if TYPE_CHECKING:
    from engine.runtime.batch import CudaFrameLoop
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
    """

    model: SpeechLM
    loop: FrameLoop | CudaFrameLoop
    codec: Codec
    streams: DecodeStreams | CudaDecodeStreams
    kernels: bool
    codec_kernels: bool
    plan: MemoryPlan | None
    warnings: tuple[str, ...]


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
    parts = _codec(layout, plan, chosen, codec_config, lm_config.codebooks, stage)
    stage("Preparing the kernels", 0.75)

    def plain(error: Exception) -> FrameLoop:
        _raise_unless_kernels(error)
        if chosen.precision in NARROW:
            problem = f"{chosen.precision} does not run on this card ({error})."
            raise DeviceError(problem, "Choose precision bf16 or fp16.") from error
        _log.warning("The frame loop runs without kernels", exc_info=error)
        warnings.append(f"Frames are made by plain operations, slower: the kernels failed ({_short(error)}).")
        _give_back()
        return FrameLoop(model, rows=chosen.rows)

    loop: FrameLoop | CudaFrameLoop
    captures: CudaFrameLoop | None = None
    try:
        loop = captures = _frame_loop(model, chosen)
    except Exception as error:
        loop = plain(error)
    codec, streams, codec_kernels, reason = parts(chosen.rows, captures.rehearsal() if captures else [])
    if captures is not None:
        stage("Capturing the graphs of frames and prompts", 0.95)
        try:
            captures.capture()
            warnings += [why for why in (captures.graphs.fallback, captures.prompts.fallback) if why]
        except Exception as error:
            captures, loop = None, plain(error)
    if reason:
        warnings.append(reason)
    _give_back()
    return CudaParts(model, loop, codec, streams, captures is not None, codec_kernels, chosen, tuple(warnings))


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


def _codec(
    layout: ModelLayout, plan: DevicePlan, chosen: MemoryPlan, config: CodecConfig, codebooks: int, stage: Stage
) -> Callable[[int, Steps], tuple[Codec, DecodeStreams | CudaDecodeStreams, bool, str]]:
    """Load the codec's sides where the plan puts them.

    What is returned gives codec and streams for so many rows, and compiles what other `Steps` take beside its own.
    """

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
        encodes = decodes = load(device, encoder=True, decoder=True, start=0.45, share=0.3)
    else:
        decodes = load(plan.codec_device, encoder=False, decoder=True, start=0.45, share=0.15)
        encodes = load("cpu", encoder=True, decoder=False, start=0.6, share=0.15)

    def finish(rows: int, beside: Steps) -> tuple[Codec, DecodeStreams | CudaDecodeStreams, bool, str]:
        if chosen.decoder == "cpu":
            return encodes, DecodeStreams(decodes, slots=rows), False, ""
        stage("Compiling the kernels", 0.78)
        refusal = codec_refusal(config.decoder) or codec_refusal(config.encoder)
        with torch.cuda.device(plan.codec_device):
            plain = decodes.encoder, decodes.decoder
            try:
                if refusal:
                    raise ValueError(refusal)
                streams = kernel_streams(decodes, rows)
                clips = decodes.clips
                from engine.runtime.kernels.launch import rehearse

                rehearse([*beside, *streams.rehearsal(), *(clips.rehearsal() if clips is not None else ())])
                stage("Capturing the codec graphs", 0.9)
                streams.capture()
                if clips is not None:
                    clips.capture()
            except Exception as error:
                _raise_unless_kernels(error)
                _log.warning("The codec runs without kernels", exc_info=error)
                decodes.encoder, decodes.decoder, decodes.clips = *plain, None
                _give_back()
                reason = f"Audio is decoded by plain operations, slower: the kernels failed ({_short(error)})."
                return encodes, DecodeStreams(decodes, slots=rows, together=False), False, reason
        return encodes, streams, True, streams.fallback

    return finish


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


def _raise_unless_kernels(error: Exception) -> None:
    """Compilers and launches may fail in any way; a lack of memory, and what is told to people, is another matter."""
    if isinstance(error, SpeechError):
        raise error
    if is_out_of_memory(error):
        raise DeviceError(
            "The graphics card has less room than it said.", "Close programs that use it, or choose precision int8."
        ) from error


def _short(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[-1][:160]}" if lines else type(error).__name__


def _give_back() -> None:
    gc.collect()
    torch.cuda.empty_cache()
