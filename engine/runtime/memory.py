"""What a model takes on a graphics card, told from its configs before anything is loaded, and the plan that fits."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.codec.config import CodecConfig, PatchStage, TransformerStage
from engine.errors import DeviceError
from engine.lm.config import LMConfig
from engine.requests import MAX_FRAMES
from engine.runtime.codec_tiles import CLIP_STEPS
from engine.runtime.devices import NARROW

GB = 2**30
MB = 2**20
PAGE_ROWS = 256
EMULATE = "MOSS_EMULATE_GPU_GB"  # plan, and allocate, as if the card had only so much

CONTEXT_BYTES = 800 * MB  # CUDA context with the code of torch and of our kernels (packaging/notes/gpu.md)
GRAPH_BYTES = 300 * MB  # captured graphs of frames, prompts and the decoder with what their pools hold
_CLIP_GRAPH_BYTES = 100 * MB  # those of the encoder
SPARE_SHARE = 0.02  # of the card: what the allocator cannot use because of its granularity
LONGEST_PROMPT = 1716  # rows: a reference of 100 s and a long text
LONGEST_ROWS = MAX_FRAMES + LONGEST_PROMPT
USUAL_PAGES = 8  # a piece of a minute with its voice, and room
FEWEST_PAGES = 8  # two and a half minutes; less would refuse ordinary pieces
PREFIX_BYTES = 256 * MB  # voices whose prompt stays computed
PROMPT_ROWS = 512  # the largest piece of a prompt that is computed at once
LIBRARY_BYTES = 33 * MB  # what products of the library work in on the largest cards
_MOMENT_BYTES = 64 * MB  # what plain operations take for a moment
_MOST_PROMPT_PARTS = 256
_MOST_PARTS = 2048
_SPLIT_BYTES = 8 * 128 * 4096 * 4 + 16384 * 4
_CODEC_PARTS = 128
_STEP_FRAMES = 25  # the longest streaming step of the codec
_PLAIN_FRAMES = 100  # the longest step of plain operations
_TURNS = 8192 + 1024
_CODEC_BLOCK = 512

Place = Literal["device", "cpu"]


def lm_weights(config: LMConfig, itemsize: int, *, tier: str = "") -> int:
    """Bytes of the language model's weights.

    Args:
        itemsize: of the dtype. tier: one of `NARROW`: so are the matrices of both transformers stored; the text
            embeddings, which only prompts need, stay in the host's memory then.
    """
    backbone, local = config.backbone, config.local
    hidden, dim = backbone.hidden, backbone.head_dim
    matrices = 0
    for rows, columns in _backbone_matrices(config):
        matrices += backbone.layers * _matrix(rows, columns, itemsize, tier)
    for rows, columns in _local_matrices(config):
        # As `quantize.local_tier` says.
        matrices += _matrix(rows, columns, itemsize, "int8" if tier == "int4" else tier)
    narrow = backbone.layers * (2 * hidden + 2 * dim) + hidden  # norms of the backbone
    narrow += 5 * hidden + local.intermediate + 6 * hidden  # biases and norms of the local transformer
    narrow += 0 if local.rotary else (config.codebooks + 1) * hidden
    tables = sum(config.codebook_sizes)
    narrow += (0 if tier else backbone.vocab * hidden) + (tables + 1) * hidden + 2 * hidden
    narrow += 0 if config.tied_audio else tables * hidden
    return matrices + narrow * itemsize


def int4_divides(config: LMConfig) -> bool:
    """Whether the backbone's matrices have whole groups of int4 columns."""
    return all(columns % 128 == 0 for _, columns in _backbone_matrices(config))


def _backbone_matrices(config: LMConfig) -> list[tuple[int, int]]:
    backbone = config.backbone
    attended = backbone.heads * backbone.head_dim
    return [
        (attended + 2 * backbone.kv_heads * backbone.head_dim, backbone.hidden),
        (backbone.hidden, attended),
        (2 * backbone.intermediate, backbone.hidden),
        (backbone.hidden, backbone.intermediate),
    ]


def _local_matrices(config: LMConfig) -> list[tuple[int, int]]:
    hidden, inner = config.backbone.hidden, config.local.intermediate
    return [(3 * hidden, hidden), (hidden, hidden), (inner, hidden), (hidden, inner)]


def _matrix(rows: int, columns: int, itemsize: int, tier: str) -> int:
    if tier == "int4":
        return rows * columns // 2 + 2 * (rows * columns // 64)
    return rows * columns + 4 * rows if tier else rows * columns * itemsize


def page_bytes(config: LMConfig, itemsize: int) -> int:
    """Bytes of one page: keys and values of 256 rows in every layer."""
    backbone = config.backbone
    return 2 * backbone.layers * backbone.kv_heads * PAGE_ROWS * backbone.head_dim * itemsize


def frame_state(config: LMConfig, rows: int, longest: int, itemsize: int) -> int:
    """Bytes of what both steps of a bucket of rows work in, the extra heads and float32 norms included."""
    backbone, local = config.backbone, config.local
    hidden, width = backbone.hidden, max(config.codebook_sizes)
    on_their_way = 2 * rows * (hidden * (4 + itemsize) + 2 * _MOST_PARTS * 4)
    heads = backbone.heads + 2 * backbone.kv_heads
    buffers = rows * itemsize * (heads * backbone.head_dim + backbone.heads * backbone.head_dim + backbone.intermediate)
    buffers += rows * itemsize * (4 * hidden + local.intermediate)
    buffers += rows * (config.codebooks * width + (width + 2) * 4 + local.heads * 16 * 2 * 4 * 2 * local.head_dim)
    parts = 32 * max(rows, 2) * backbone.kv_heads * 16 * (backbone.head_dim + 2) * 4
    tables = 2 * longest * backbone.head_dim // 2 * 4
    gains = 4 * backbone.layers * 2 * (hidden + backbone.head_dim)
    gains += 4 * (2 * (3 * hidden + local.intermediate) + 8 * hidden)
    head = (config.codebook_sizes[0] + 2) * hidden * itemsize
    return on_their_way + buffers + parts + tables + gains + head + _SPLIT_BYTES


def prompt_state(config: LMConfig, itemsize: int, *, int8: bool = False) -> int:
    """Bytes of what prompts are computed in: buffers for the largest piece, the library's own (one for graphs, one for
    single launches) and their results where weights are wide, the words of text that int8 reads from the host."""
    backbone = config.backbone
    heads = backbone.heads + 2 * backbone.kv_heads
    each = backbone.hidden * (4 + itemsize) + (heads + 2 * backbone.heads) * backbone.head_dim * itemsize
    each += backbone.intermediate * itemsize + 2 * _MOST_PROMPT_PARTS * 4 + 4 * (config.codebooks + 1)
    each += backbone.hidden * itemsize if int8 else (2 * backbone.intermediate + backbone.hidden) * itemsize
    return PROMPT_ROWS * each + 64 + (0 if int8 else 2 * LIBRARY_BYTES)


def codec_side(stages: tuple[TransformerStage | PatchStage, ...], itemsize: int, *, kernels: bool = True) -> int:
    """Bytes of the weights and tables of one side of the codec."""
    total = 0
    for stage in _transformers(stages):
        width, inner = stage.width, stage.hidden
        layer = 4 * width * width + 2 * width * inner
        total += itemsize * (stage.layers * layer + width * (stage.inputs + stage.outputs))
        half = stage.head_width // 2
        if kernels:  # norms folded around their products, and their gains
            total += stage.layers * 4 * (2 * (3 * width + inner) + 2 * width) + 4 * width + 2 * _TURNS * half * 4
            continue
        total += stage.layers * 4 * 4 * width  # norms
        total += 8 * half + 16 * half * _PLAIN_FRAMES * stage.tokens_per_frame  # turns
        block = min(_CODEC_BLOCK, stage.context)
        total += 4 * block * (block + stage.context)
    return total


def quantizer(config: CodecConfig, codebooks: int, *, encoder: bool) -> int:
    """Bytes of the folded quantizer, float32 always."""
    total = 4 * (codebooks * config.codebook_size * config.latent + config.latent) + 8 * codebooks
    if encoder:
        probes = config.codebook_width * (config.inner + 1)
        rows = config.codebook_size * (config.codebook_width + config.inner)
        total += 4 * (config.inner * (config.latent + 1) + codebooks * (probes + rows))
    return total


def stream_state(stages: tuple[TransformerStage | PatchStage, ...], rows: int, most_frames: int, itemsize: int) -> int:
    """Bytes of the rings of `rows` streams, and of the buffers that steps of all of them work in."""
    head = max((stage.head_width for stage in _transformers(stages)), default=0)
    positions = most_frames * max((stage.tokens_per_frame for stage in _transformers(stages)), default=0)
    total = 4 * rows + rows * (positions * (4 * head + 8) + 4)
    longest: dict[int, int] = {}
    inner: dict[int, int] = {}
    for stage in _transformers(stages):
        capacity = stage.context + most_frames * stage.tokens_per_frame
        total += stage.layers * 2 * rows * capacity * stage.width * itemsize
        longest[stage.width] = max(longest.get(stage.width, 0), rows * most_frames * stage.tokens_per_frame)
        inner[stage.width] = max(inner.get(stage.width, 0), stage.hidden)
    for width, count in longest.items():
        total += count * (width * (4 + itemsize) + 2 * _CODEC_PARTS * 4 + (2 * width + inner[width]) * itemsize)
    return total


def _transformers(stages: tuple[TransformerStage | PatchStage, ...]) -> Iterator[TransformerStage]:
    return (stage for stage in stages if isinstance(stage, TransformerStage))


@dataclass(frozen=True)
class MemoryPlan:
    """Where everything goes.

    Attributes:
        precision: `fp32`, `bf16`, `fp16` or one of `NARROW`.
        rows: requests at once. pages: of 256 rows, shared by them. longest: rows one request may have.
        encoder, decoder: where the two sides of the codec compute.
        parts: bytes by name, in the order in which they are taken.
        budget: bytes there are.
        steps: what was given up for it to fit, in the order of giving up.
    """

    precision: str
    rows: int
    pages: int
    encoder: Place
    decoder: Place
    parts: Mapping[str, int] = field(hash=False)
    budget: int
    steps: tuple[str, ...] = ()

    @property
    def longest(self) -> int:
        return min(-(-LONGEST_ROWS // PAGE_ROWS), self.pages) * PAGE_ROWS

    @property
    def total(self) -> int:
        return sum(self.parts.values())

    def describe(self) -> str:
        """One line for people."""
        where = "codec on the card"
        if self.decoder == "cpu":
            where = "codec on the processor"
        elif self.encoder == "cpu":
            where = "clips encoded on the processor"
        minutes = self.pages * PAGE_ROWS * 0.08 / 60
        return (
            f"{self.precision}, {self.rows} at once, room for {minutes:.0f} min of speech, {where}: "
            f"{self.total / GB:.1f} of {self.budget / GB:.1f} GB"
        )


def plan_memory(
    lm: LMConfig,
    codec: CodecConfig,
    *,
    budget: int,
    rows: int,
    precisions: tuple[str, ...],
    encoder_itemsize: int | None = None,
) -> MemoryPlan:
    """The first plan that fits, going down in this order: fewer rows, fewer pages, clips encoded on the processor, the
    next precision, the whole codec on the processor.

    Args:
        budget: bytes that the process may take, the CUDA context included.
        precisions: those allowed, the best first (`bf16`, then `int8`).

    Raises:
        DeviceError: none fits; it names the smallest plan and what would make it fit.
    """
    fits, wanted, smallest = _first_fit(lm, codec, budget, rows, precisions)
    if fits is not None:
        return _with_steps(fits, wanted)
    remedy = f"Choose a model that is smaller; the least this one takes is {smallest.total / GB:.1f} GB."
    for narrower in ("int8", "int4"):
        if narrower not in precisions and (narrower != "int4" or int4_divides(lm)):
            plan = _first_fit(lm, codec, budget, rows, (narrower,))[0]
            if plan is not None:
                remedy = f"Choose precision {narrower}: {plan.describe()}."
                break
    raise DeviceError(
        f"The model needs {smallest.total / GB:.1f} GB on the graphics card; {budget / GB:.1f} GB can be used.", remedy
    )


def _first_fit(
    lm: LMConfig, codec: CodecConfig, budget: int, rows: int, precisions: tuple[str, ...]
) -> tuple[MemoryPlan | None, MemoryPlan, MemoryPlan]:
    """The first plan that fits or None, the one that was wished for, and the smallest that was looked at."""
    seen: list[MemoryPlan] = []
    for precision, encoder, decoder in _tiers(precisions):
        for count, pages in _buckets(rows):
            seen.append(_plan(lm, codec, precision, count, pages, encoder, decoder, budget))
            if seen[-1].total <= budget:
                return seen[-1], seen[0], seen[-1]
    return None, seen[0], min(seen, key=lambda plan: plan.total)


def _tiers(precisions: tuple[str, ...]) -> Iterator[tuple[str, Place, Place]]:
    for precision in precisions:
        yield precision, "device", "device"
        yield precision, "cpu", "device"
    yield precisions[-1], "cpu", "cpu"


def _buckets(rows: int) -> Iterator[tuple[int, int]]:
    """(rows, pages), from what is wished for down to one row that speaks two and a half minutes."""
    whole = -(-LONGEST_ROWS // PAGE_ROWS)
    count = rows
    while True:
        yield count, whole + (count - 1) * USUAL_PAGES
        if count == 1:
            break
        count = max(1, count // 2)
    for pages in (24, 16, FEWEST_PAGES):
        yield 1, pages


def _plan(
    lm: LMConfig,
    codec: CodecConfig,
    precision: str,
    rows: int,
    pages: int,
    encoder: Place,
    decoder: Place,
    budget: int,
) -> MemoryPlan:
    itemsize = 4 if precision == "fp32" else 2
    longest = min(-(-LONGEST_ROWS // PAGE_ROWS), pages) * PAGE_ROWS
    books = min(lm.codebooks, codec.codebooks)
    parts = {
        "CUDA context": CONTEXT_BYTES,
        "language model": lm_weights(lm, itemsize, tier=precision if precision in NARROW else ""),
        "keys and values": (pages + 1) * page_bytes(lm, itemsize),
        "frame state": frame_state(lm, rows, longest, itemsize),
        "prompts": prompt_state(lm, itemsize, int8=precision in NARROW),
    }
    work = _MOMENT_BYTES
    if decoder == "device":
        parts["codec decoder"] = codec_side(codec.decoder, itemsize) + quantizer(codec, books, encoder=False)
        parts["codec streams"] = stream_state(codec.decoder, rows + 1, _STEP_FRAMES, itemsize) + _SPLIT_BYTES
    if encoder == "device":
        both = quantizer(codec, books, encoder=True) - quantizer(codec, books, encoder=False)
        parts["codec encoder"] = codec_side(codec.encoder, itemsize) + both
        parts["clips"] = stream_state(codec.encoder, 1, max(CLIP_STEPS), itemsize) + _SPLIT_BYTES + _CLIP_GRAPH_BYTES
    parts["graphs"] = GRAPH_BYTES
    parts["voices"] = min(PREFIX_BYTES, max(0, (budget - sum(parts.values()) - work) // 2))
    parts["workspace"] = work
    return MemoryPlan(precision, rows, pages, encoder, decoder, parts, budget)


def _with_steps(plan: MemoryPlan, wanted: MemoryPlan) -> MemoryPlan:
    steps = []
    if plan.rows < wanted.rows:
        steps.append(f"{plan.rows} at once instead of {wanted.rows}")
    if plan.pages < wanted.pages and plan.rows == wanted.rows:
        steps.append(f"room for {plan.pages * PAGE_ROWS} rows instead of {wanted.pages * PAGE_ROWS}")
    if plan.encoder != wanted.encoder:
        steps.append("clips are encoded on the processor")
    if plan.precision != wanted.precision:
        steps.append(f"weights in {plan.precision}")
    if plan.decoder != wanted.decoder:
        steps.append("audio is decoded on the processor")
    return replace(plan, steps=tuple(steps))


def budget_bytes(free: int, total: int) -> int:
    """What the process may take in all, its context included, from what the card reports free before a context exists.

    `MOSS_EMULATE_GPU_GB` makes the card smaller, never larger.
    """
    usable = min(free, total)
    emulated = emulated_bytes()
    if emulated is not None:
        usable = min(usable, emulated)
    return int(usable * (1 - SPARE_SHARE))


def emulated_bytes() -> int | None:
    """The size that a card is made out to have. Raises DeviceError when the variable is no number."""
    text = os.environ.get(EMULATE)
    if not text:
        return None
    try:
        size = float(text)
    except ValueError:
        size = 0.0
    if not 0 < size < math.inf:
        raise DeviceError(f"{EMULATE} is {text!r}.", "Set it to a number of gigabytes, or remove it.")
    return int(size * GB)
