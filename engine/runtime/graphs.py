"""What one frame computes on a CUDA device: a backbone step and a frame step, each a graph on state at fixed
addresses."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
import triton

from engine.lm.backbone import rotary_table
from engine.runtime.capture import Capture, Graphs
from engine.runtime.kernels import attention, sampling
from engine.runtime.kernels.launch import launch
from engine.runtime.kernels.ops import Linear, Norm, Rows
from engine.runtime.paged import PAGE_ROWS, PagedCache

if TYPE_CHECKING:
    from engine.lm.model import SpeechLM

ATTENTION_TILE = 64
ATTENTION_STAGES = 3
RING = 8  # frames of codes kept on the device for the host to read
Quantizer = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor | None]]


class FrameState:
    """Everything that changes while rows speak, `rows` of each, at addresses that never change.

    Attributes:
        live int32, frame int32, position int32, seed int64 `[rows]`; floats float32 `[rows, 5]`, ints int32 `[rows, 2]`
        as `sampling.sample_kernel` says; history uint8 `[rows, C, V]`; codes int32 `[rows, C]`. ring: int32 `[RING,
        rows, C + 1]`: codes and live flag of the last frames; ring_at int32 `[rows]`. never_stop: int32 `[1]`: 1
        overrides the stop head (measurements with random weights). backbone: rows that enter the backbone; local: rows
        that enter the local transformer.
    """

    def __init__(self, model: SpeechLM, rows: int, width: int) -> None:
        device, config = model.device, model.config

        def zeros(*shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
            return torch.zeros(shape, device=device, dtype=dtype)

        self.live, self.frame, self.position, self.ring_at = zeros(rows), zeros(rows), zeros(rows), zeros(rows)
        self.seed = zeros(rows, dtype=torch.int64)
        self.floats = torch.ones(rows, 5, device=device)
        self.ints = zeros(rows, 2)
        self.history = zeros(rows, config.codebooks, width, dtype=torch.uint8)
        self.codes = zeros(rows, config.codebooks)
        self.ring = zeros(RING, rows, config.codebooks + 1)
        self.never_stop = zeros(1)
        hidden = config.backbone.hidden
        self.backbone = Rows.empty(rows, hidden, device=device, dtype=model.dtype)
        self.local = Rows.empty(rows, hidden, device=device, dtype=model.dtype)


class FrameGraphs:
    """Both steps for buckets of rows, as graphs or eagerly (the same kernels either way, so the same bits).

    Attributes:
        state, cache: see there; the host writes a row's part when it admits a request.
        graphs: by rows and step.
    """

    def __init__(
        self,
        model: SpeechLM,
        cache: PagedCache,
        *,
        rows: int,
        quantize: Quantizer | None = None,
        pdl: bool = True,
    ) -> None:
        self.model, self.cache, self.rows, self.pdl = model, cache, rows, pdl
        self.launch = {"launch_pdl": True} if pdl else {}
        self.width = max(model.config.codebook_sizes)
        self.state = FrameState(model, rows, self.width)
        self.graphs: Graphs[tuple[int, str]] = Graphs(
            "graphs could not be captured ({}); steps run one kernel at a time"
        )
        self._quantize = quantize or (lambda weight: (weight, None))
        self._pack()
        self._scratch()

    # Weights

    def _linear(self, weight: torch.Tensor, **options: object) -> Linear:
        stored, scale = self._quantize(weight)
        return Linear(stored, scale=scale, pdl=self.pdl, **options)  # type: ignore[arg-type]

    def _pack(self) -> None:
        """Products with their norms and epilogues. Weights are shared with the model, not copied, unless they are
        quantized."""
        model = self.model
        backbone, local, config = model.backbone, model.local, model.config
        eps, layers = config.backbone.norm_eps, backbone.layers
        gains = [layer.input_norm.float() for layer in layers] + [backbone.norm.float()]
        self.layers = []
        for index, layer in enumerate(layers):
            post = layer.post_norm.float()
            self.layers.append(
                (
                    self._linear(layer.qkv, norm=Norm("rms", eps, gains[index])),
                    (layer.q_norm.float(), layer.k_norm.float()),
                    self._linear(layer.out, next_gain=post),
                    self._linear(layer.gate_up, norm=Norm("rms", eps, post), act="swiglu"),
                    self._linear(layer.down, next_gain=gains[index + 1]),
                )
            )
        self.first_gain, self.final_gain = gains[0], gains[-1]
        local_eps = config.local.norm_eps
        ln_1, ln_2, ln_f = ((norm[0].float(), norm[1].float()) for norm in (local.ln_1, local.ln_2, local.ln_f))
        self.local_gain = ln_1[0]
        self.local_qkv = self._linear(local.qkv, norm=Norm("layer", local_eps, *ln_1), bias=local.qkv_bias)
        # Of what each codebook reads again, this has room in the level-2 cache beside all that passes through it.
        self.local_out = self._linear(local.out, bias=local.out_bias, next_gain=ln_2[0], evict="evict_last")
        self.local_in = self._linear(
            local.fc_in, norm=Norm("layer", local_eps, *ln_2), bias=local.fc_in_bias, act="silu"
        )
        self.local_down = self._linear(local.fc_out, bias=local.fc_out_bias, next_gain=ln_f[0])
        final = Norm("layer", local_eps, *ln_f)
        # The stop head reads the same y as the first codebook: two more rows of one product.
        heads = [torch.cat((model.audio_heads[0], model.stop_head)), *model.audio_heads[1:]]
        self.heads = [Linear(head.contiguous(), norm=final, pdl=self.pdl) for head in heads]
        sizes = config.codebook_sizes
        if len(set(sizes)) == 1:
            self.tables = model.audio_embeddings[: sum(sizes)].view(len(sizes), self.width, -1)
        else:
            self.tables = model.audio_embeddings.new_zeros(len(sizes), self.width, model.audio_embeddings.shape[1])
            for table, weight in zip(self.tables, model.audio_embeddings[: sum(sizes)].split(list(sizes)), strict=True):
                table[: len(weight)] = weight
        self.slot = model.backbone.embed_tokens[config.assistant_slot_id].clone()

    # Buffers

    def _scratch(self) -> None:
        config, device, dtype, rows = self.model.config, self.model.device, self.model.dtype, self.rows
        backbone, local = config.backbone, config.local

        def empty(*shape: int, dtype: torch.dtype = dtype) -> torch.Tensor:
            return torch.zeros(shape, device=device, dtype=dtype)

        self.qkv = empty(rows, (backbone.heads + 2 * backbone.kv_heads) * backbone.head_dim)
        self.attended = empty(rows, backbone.heads * backbone.head_dim)
        self.inner = empty(rows, backbone.intermediate)
        pad = max(16, triton.next_power_of_2(backbone.heads // backbone.kv_heads))
        self.group_pad = pad
        parts = max(size * attention_splits(size) for size in range(1, rows + 1)) * backbone.kv_heads * pad
        self.part = empty(parts, backbone.head_dim, dtype=torch.float32)
        self.part_max, self.part_sum = empty(parts, dtype=torch.float32), empty(parts, dtype=torch.float32)
        self.counter = empty(rows * backbone.kv_heads, dtype=torch.int32)
        longest = self.cache.pages_per_row * PAGE_ROWS + 1  # a finished row stands one position further
        self.cos, self.sin = rotary_table(longest, backbone.head_dim, backbone.rope_theta, device, torch.float32)
        self.local_cos, self.local_sin = rotary_table(
            config.codebooks + 1, local.head_dim, local.rope_base, device, torch.float32
        )
        self.local_qkv_out = empty(rows, 3 * local.hidden)
        self.local_attended = empty(rows, local.hidden)
        self.local_inner = empty(rows, local.intermediate)
        self.half_pad = triton.next_power_of_2(local.head_dim // 2)
        self.dim_pad = triton.next_power_of_2(local.head_dim)
        length = 16 if config.codebooks <= 16 else triton.next_power_of_2(config.codebooks)
        self.local_length = length
        self.local_keys = empty(rows, local.heads, length, 2, self.half_pad, dtype=torch.float32)
        self.local_values = empty(rows, local.heads, length, self.dim_pad, dtype=torch.float32)
        self.logits = empty(rows, self.width + 2, dtype=torch.float32)

    # Steps

    def backbone_step(self, rows: int) -> None:
        """The next input of the first `rows` rows through the backbone; its hidden state becomes the local
        transformer's input."""
        state, cache, config = self.state, self.cache, self.model.config.backbone
        x = state.backbone
        x.parts = 1
        scale = config.head_dim**-0.5
        splits = attention_splits(rows)
        for index, (qkv, (q_gain, k_gain), out, gate_up, down) in enumerate(self.layers):
            qkv.store(x.gained[:rows], x, self.qkv[:rows])
            launch(attention.paged_attention_kernel, (config.kv_heads, splits, rows))(
                self.qkv, cache.keys[index], cache.values[index], cache.table, state.position, q_gain, k_gain, self.cos, self.sin,
                self.part, self.part_max, self.part_sum, self.counter, self.attended, cache.table.shape[1], scale, config.norm_eps,
                HEADS=config.heads, KV_HEADS=config.kv_heads, DIM=config.head_dim, PAGE=PAGE_ROWS, SPLITS=splits,
                GROUP_PAD=self.group_pad, BLOCK_T=ATTENTION_TILE, STAGES=ATTENTION_STAGES, EARLY=rows <= 4, PDL=self.pdl, num_warps=8 if rows <= 2 else 4, **self.launch,
            )  # fmt: skip
            out.add(self.attended[:rows], x)
            gate_up.store(x.gained[:rows], x, self.inner[:rows])
            down.add(self.inner[:rows], x)
        local = state.local
        launch(sampling.advance_kernel, (rows,))(
            x.residual, x.stats, self.final_gain, self.local_gain, local.residual, local.gained, local.stats, state.live, state.position,
            x.parts, x.stride, config.hidden, config.norm_eps,
            BLOCK_P=triton.next_power_of_2(x.parts), BLOCK_D=triton.next_power_of_2(config.hidden), PDL=self.pdl, **self.launch,
        )  # fmt: skip
        local.parts = 1

    def frame_step(self, rows: int) -> None:
        """Stop decision and the codes of one frame for the first `rows` rows, then the next input of the backbone."""
        state, config, local = self.state, self.model.config, self.model.config.local
        x = state.local
        x.parts = 1
        hidden = config.backbone.hidden
        block_d = triton.next_power_of_2(hidden)
        for channel, size in enumerate(config.codebook_sizes):
            self.local_qkv.store(x.gained[:rows], x, self.local_qkv_out[:rows])
            launch(attention.local_attention_kernel, (local.heads, rows))(
                self.local_qkv_out, self.local_keys, self.local_values, self.local_cos, self.local_sin, self.local_attended,
                local.head_dim**-0.5, channel, HEADS=local.heads, DIM=local.head_dim, HALF_PAD=self.half_pad, DIM_PAD=self.dim_pad,
                LENGTH=self.local_length, ROTATE=local.rotary, PDL=self.pdl, num_warps=1, **self.launch,
            )  # fmt: skip
            self.local_out.add(self.local_attended[:rows], x)
            self.local_in.store(x.gained[:rows], x, self.local_inner[:rows])
            self.local_down.add(self.local_inner[:rows], x)
            head = self.heads[channel]
            # The product writes rows of its own width; the sampler reads with the same stride.
            logits = self.logits.view(-1)[: rows * head.N].view(rows, head.N)
            head.store(x.gained[:rows], x, logits)
            launch(sampling.sample_kernel, (rows,))(
                logits, state.history, state.codes, state.live, state.frame, state.seed, state.floats, state.ints,
                self.tables[channel], self.local_gain, x.residual, x.gained, x.stats, state.never_stop,
                channel, size, self.width, head.N, hidden, x.stride,
                FIRST=channel == 0, CHANNELS=config.codebooks, BLOCK=triton.next_power_of_2(size), BLOCK_D=block_d,
                LAST=channel == config.codebooks - 1, PDL=self.pdl, num_warps=4, **self.launch,
            )  # fmt: skip
            x.parts = 1
        x = state.backbone
        launch(sampling.next_input_kernel, (rows,))(
            state.codes, state.live, state.frame, state.ring, state.ring_at, self.slot, self.tables, self.first_gain,
            x.residual, x.gained, x.stats, hidden, self.width, RING, x.stride,
            CHANNELS=config.codebooks, BLOCK_D=block_d, PDL=self.pdl, num_warps=4, **self.launch,
        )  # fmt: skip
        x.parts = 1

    # Graphs

    def captures(self, buckets: list[int]) -> list[Capture]:
        """What captures both steps for each bucket, one call a bucket, in this order; no row may be live meanwhile."""
        return [functools.partial(self._capture, rows) for rows in sorted(buckets, reverse=True)]

    def _capture(self, rows: int) -> None:
        self.graphs.capture((rows, "frame"), functools.partial(self.frame_step, rows))
        self.graphs.capture((rows, "backbone"), functools.partial(self.backbone_step, rows))
        self.forget()

    def forget(self) -> None:
        """Undo what steps without live rows wrote into the state."""
        state = self.state
        for tensor in (state.live, state.frame, state.position, state.ring_at, state.history, state.codes):
            tensor.zero_()

    def step(self, rows: int) -> None:
        """One frame for the first `rows` rows: codes into the ring, then the backbone on what they say."""
        frame, backbone = self.graphs.get((rows, "frame")), self.graphs.get((rows, "backbone"))
        if frame is None or backbone is None:
            self.frame_step(rows)
            self.backbone_step(rows)
        else:
            frame.replay()
            backbone.replay()

    def silence(self, row: int) -> None:
        """No frame launched from now on moves the row on. A launch, no wait."""
        self.state.live[row].zero_()

    def bucket(self, rows: int) -> int:
        """The smallest captured bucket that holds so many rows."""
        return min((size for size, _ in self.graphs if size >= rows), default=rows)


def attention_splits(rows: int) -> int:
    """How many blocks share one row's keys: enough to fill the card at one row, few at many."""
    return 16 if rows <= 2 else 8 if rows <= 8 else 4 if rows <= 16 else 2
