"""From the tensors of a codec checkpoint to weights that are computed with: names, shapes, folding (MODEL §5.6)."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from engine.codec.config import CodecConfig, PatchStage, Stage, TransformerStage
from engine.codec.layers import (
    STEP_FRAMES,
    LayerWeights,
    Stack,
    StageWeights,
    band,
    frequencies,
    neighbouring_patch,
    order_for_patch_after,
    order_for_patch_before,
    turns_of,
)
from engine.codec.linear import Linear
from engine.codec.quantizer import Quantizer, build_quantizer, fold_weight_norm
from engine.runtime.checkpoint import Checkpoint, Progress, Shape

# Spellings of the first version of the codec, and of weight norm before it became a parametrization.
_OLDER_NAMES = (
    (".self_attn.in_projs.0.", ".self_attn.in_proj."),
    (".self_attn.out_projs.0.", ".self_attn.out_proj."),
    (".linear1.", ".ffn.0."),
    (".linear2.", ".ffn.2."),
    (".weight_g", ".parametrizations.weight.original0"),
    (".weight_v", ".parametrizations.weight.original1"),
)
_GAIN, _DIRECTION = "parametrizations.weight.original0", "parametrizations.weight.original1"


class CodecWeights:
    """Reads one side, or the quantizer, at a time, so that hardly more than the finished weights is ever in memory."""

    def __init__(
        self, checkpoint: Checkpoint, config: CodecConfig, codebooks: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self._checkpoint = checkpoint
        self._config = config
        self._codebooks = codebooks
        self._device = device
        self._dtype = dtype
        self._stored_as: dict[str, str] = {}
        for stored in checkpoint.tensors:
            name = stored
            for older, newer in _OLDER_NAMES:
                name = name.replace(older, newer)
            self._stored_as[name] = stored
        # The first version had no projection where the sizes are equal; the second always has one.
        self._first_version = any(".in_projs.0." in stored for stored in checkpoint.tensors)

    def check(self, *, encoder: bool, decoder: bool) -> None:
        """Compare the checkpoint with its config before anything is read. Raises CheckpointError naming the tensor."""
        sides = {
            "encoder": self._side_shapes("encoder", self._config.encoder),
            "decoder": self._side_shapes("decoder", self._config.decoder),
        }
        wanted = {"encoder": encoder, "decoder": decoder}
        expected, optional = self._quantizer_shapes(self._codebooks), self._quantizer_shapes(self._config.codebooks)
        for side, shapes in sides.items():
            (expected if wanted[side] else optional).update(shapes)
        self._checkpoint.check(self._as_stored(expected), self._as_stored(optional))

    def stack(self, side: str, stages: tuple[Stage, ...], progress: Progress | None, halved: bool) -> Stack:
        """The stages of `encoder` or `decoder`. `halved`: the other side is loaded too, this is half the progress."""
        weights: list[StageWeights | PatchStage] = []
        total = sum(stage.layers for stage in stages if isinstance(stage, TransformerStage))
        begin, share = (0.5 if halved and side == "decoder" else 0.0), (0.5 if halved else 1.0)
        done = 0
        for index, stage in enumerate(stages):
            if isinstance(stage, PatchStage):
                weights.append(stage)
                continue
            layers = []
            for layer in range(stage.layers):
                layers.append(self._layer(f"{side}.{index}.transformer.layers.{layer}", stage))
                done += 1
                if progress is not None:
                    progress(begin + share * done / total)
            before = neighbouring_patch(stages, index - 1) if side == "encoder" else 1
            after = neighbouring_patch(stages, index + 1) if side == "decoder" else 1
            radians = frequencies(stage, self._device)
            weights.append(
                StageWeights(
                    config=stage,
                    input_proj=self._projection(f"{side}.{index}.input_proj.weight", before, 1),
                    output_proj=self._projection(f"{side}.{index}.output_proj.weight", 1, after),
                    layers=layers,
                    frequencies=radians,
                    turns=turns_of(radians, STEP_FRAMES * stage.tokens_per_frame),
                    band=band(stage.context, self._device),
                )
            )
        return Stack(weights, self._device, self._dtype)

    def quantizer(self, *, encoder: bool) -> Quantizer:
        """The first codebooks, folded, in float32."""
        numbers = range(self._codebooks)
        prefix = "quantizer.quantizers"
        return build_quantizer(
            output_proj=self._convolution("quantizer.output_proj"),
            codebooks=[self._read([f"{prefix}.{i}.codebook.weight"])[0] for i in numbers],
            out_projs=[self._convolution(f"{prefix}.{i}.out_proj") for i in numbers],
            input_proj=self._convolution("quantizer.input_proj") if encoder else None,
            in_projs=[self._convolution(f"{prefix}.{i}.in_proj") for i in numbers] if encoder else None,
        )

    def _layer(self, name: str, stage: TransformerStage) -> LayerWeights:
        scales = ["layer_scale_1.scale", "layer_scale_2.scale"] if stage.scaled else []
        short = list(_layer_shapes(stage)) + scales
        tensors = dict(zip(short, self._read(f"{name}.{part}" for part in short), strict=True))
        attention_out, feed_out = tensors["self_attn.out_proj.weight"], tensors["ffn.2.weight"]
        if scales:
            attention_out = tensors["layer_scale_1.scale"].float()[:, None] * attention_out.float()
            feed_out = tensors["layer_scale_2.scale"].float()[:, None] * feed_out.float()
        return LayerWeights(
            norm1=(tensors["norm1.weight"].float(), tensors["norm1.bias"].float()),
            qkv=Linear(tensors["self_attn.in_proj.weight"].to(self._dtype)),
            attention_out=Linear(attention_out.to(self._dtype)),
            norm2=(tensors["norm2.weight"].float(), tensors["norm2.bias"].float()),
            feed_in=Linear(tensors["ffn.0.weight"].to(self._dtype)),
            feed_out=Linear(feed_out.to(self._dtype)),
        )

    def _projection(self, name: str, patch_before: int, patch_after: int) -> Linear | None:
        if self._first_version and name not in self._stored_as and patch_before == patch_after == 1:
            return None
        (weight,) = self._read([name])
        weight = order_for_patch_after(order_for_patch_before(weight, patch_before), patch_after)
        return Linear(weight.to(self._dtype).contiguous())

    def _convolution(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        gain, direction, bias = self._read([f"{name}.{_GAIN}", f"{name}.{_DIRECTION}", f"{name}.bias"])
        return fold_weight_norm(gain, direction), bias.float()

    def _read(self, names: Iterable[str]) -> list[torch.Tensor]:
        stored = [self._stored_as[name] for name in names]
        tensors = self._checkpoint.load(stored, device=self._device)
        return [tensors[name] for name in stored]

    def _as_stored(self, shapes: dict[str, Shape]) -> dict[str, Shape]:
        return {self._stored_as.get(name, name): shape for name, shape in shapes.items()}

    def _side_shapes(self, side: str, stages: tuple[Stage, ...]) -> dict[str, Shape]:
        shapes: dict[str, Shape] = {}
        for index, stage in enumerate(stages):
            if isinstance(stage, PatchStage):
                continue
            for name, rows, columns in (
                (f"{side}.{index}.input_proj.weight", stage.width, stage.inputs),
                (f"{side}.{index}.output_proj.weight", stage.outputs, stage.width),
            ):
                if not (self._first_version and rows == columns and name not in self._stored_as):
                    shapes[name] = (rows, columns)
            for layer in range(stage.layers):
                prefix = f"{side}.{index}.transformer.layers.{layer}"
                shapes.update({f"{prefix}.{name}": shape for name, shape in _layer_shapes(stage).items()})
                if stage.scaled:
                    shapes.update({f"{prefix}.layer_scale_{n}.scale": (stage.width,) for n in (1, 2)})
        return shapes

    def _quantizer_shapes(self, codebooks: int) -> dict[str, Shape]:
        config = self._config
        shapes: dict[str, Shape] = {}

        def convolution(name: str, outputs: int, inputs: int) -> None:
            shapes[f"{name}.{_GAIN}"] = (outputs, 1, 1)
            shapes[f"{name}.{_DIRECTION}"] = (outputs, inputs, 1)
            shapes[f"{name}.bias"] = (outputs,)

        convolution("quantizer.input_proj", config.inner, config.latent)
        convolution("quantizer.output_proj", config.latent, config.inner)
        for index in range(codebooks):
            prefix = f"quantizer.quantizers.{index}"
            convolution(f"{prefix}.in_proj", config.codebook_width, config.inner)
            convolution(f"{prefix}.out_proj", config.inner, config.codebook_width)
            shapes[f"{prefix}.codebook.weight"] = (config.codebook_size, config.codebook_width)
        return shapes


def _layer_shapes(stage: TransformerStage) -> dict[str, Shape]:
    width, hidden = stage.width, stage.hidden
    return {
        "norm1.weight": (width,),
        "norm1.bias": (width,),
        "self_attn.in_proj.weight": (3 * width, width),
        "self_attn.out_proj.weight": (width, width),
        "norm2.weight": (width,),
        "norm2.bias": (width,),
        "ffn.0.weight": (hidden, width),
        "ffn.2.weight": (width, hidden),
    }
