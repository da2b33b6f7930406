"""The full-size model and codec with random weights: for measuring speed and memory, which do not depend on their
values."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from engine.codec.config import CodecConfig
from engine.codec.model import Codec
from engine.codec.weights import CodecWeights
from engine.lm.config import BackboneConfig, LMConfig, LocalConfig
from engine.lm.model import SpeechLM

# MODEL §1: sizes and ids of the published 4B checkpoint.
FULL_LM = LMConfig(
    backbone=BackboneConfig(
        vocab=151_936, hidden=2560, intermediate=9728, layers=36, heads=32, kv_heads=8, head_dim=128,
        norm_eps=1e-6, rope_theta=1e6, attention_bias=False,
    ),
    local=LocalConfig(hidden=2560, intermediate=9728, heads=32, norm_eps=1e-6, rope_base=1e6, rotary=True),
    codebook_sizes=(1024,) * 12,
    pad_code=1024,
    pad_id=151_643,
    im_start_id=151_644,
    im_end_id=151_645,
    audio_start_id=151_669,
    audio_end_id=151_670,
    user_slot_id=151_654,
    assistant_slot_id=151_656,
    binary_stop_head=True,
    tied_text=True,
    tied_audio=True,
    sampling_rate=48_000,
)  # fmt: skip


def _transformer(inputs: int, outputs: int, width: int, heads: int, layers: int, context_s: float) -> dict[str, object]:
    return {
        "module_type": "Transformer", "input_dimension": inputs, "output_dimension": outputs, "d_model": width,
        "num_heads": heads, "num_layers": layers, "dim_feedforward": 4 * width, "max_period": 10_000,
        "norm": "layer_norm", "positional_embedding": "rope", "gating": "none", "layer_scale": 0.01, "causal": True,
        "conv_layout": True, "context_duration": context_s,
    }  # fmt: skip


def _patch(size: int) -> dict[str, object]:
    return {"module_type": "PatchedPretransform", "patch_size": size}


# MODEL §5.1: stages of the published 2B codec.
_CODEC = {
    "model_type": "moss-audio-tokenizer",
    "sampling_rate": 48_000,
    "downsample_rate": 3840,
    "number_channels": 2,
    "enable_channel_interleave": True,
    "causal_transformer_context_duration": 10.0,
    "encoder_kwargs": [
        _patch(240), _transformer(240, 384, 768, 12, 12, 1), _patch(2), _transformer(768, 384, 768, 12, 12, 2),
        _patch(2), _transformer(768, 384, 768, 12, 12, 4), _patch(2), _transformer(768, 384, 768, 12, 12, 8),
        _patch(2), _transformer(768, 640, 768, 12, 12, 10), _patch(2), _transformer(1280, 768, 1280, 20, 32, 10),
    ],
    "decoder_kwargs": [
        _transformer(768, 1280, 1280, 20, 32, 10), _patch(2), _transformer(640, 768, 768, 12, 12, 10), _patch(2),
        _transformer(384, 768, 768, 12, 12, 8), _patch(2), _transformer(384, 768, 768, 12, 12, 4), _patch(2),
        _transformer(384, 768, 768, 12, 12, 2), _patch(2), _transformer(384, 240, 768, 12, 12, 1), _patch(240),
    ],
    "quantizer_kwargs": {
        "input_dim": 768, "rvq_dim": 512, "output_dim": 768, "num_quantizers": 32, "codebook_size": 1024,
        "codebook_dim": 8, "quantizer_type": "rlfq",
    },
}  # fmt: skip
FULL_CODEC = CodecConfig.from_json(_CODEC)


def random_lm(config: LMConfig = FULL_LM, *, device: torch.device | str, dtype: torch.dtype) -> SpeechLM:
    """Normal weights of deviation 0.02, gains 1, biases 0: activations stay in range through all layers."""
    model = SpeechLM(config, device=torch.device(device), dtype=dtype)
    for name, place in model.places():
        is_norm = "norm" in name or ".ln_" in name
        if is_norm and name.endswith("weight"):
            place.fill_(1.0)
        elif name.endswith("bias"):
            place.zero_()
        else:
            place.normal_(0.0, 0.02)
    model.hashes = {"model": "random", "tokenizer": "none"}
    return model


class _RandomCheckpoint:
    """What `CodecWeights` reads from, made up on the way."""

    def __init__(self, shapes: dict[str, tuple[int, ...]]) -> None:
        self.tensors = shapes

    def check(self, *_: object) -> None:
        """Nothing to compare: the shapes are the expected ones."""

    def digest(self) -> str:
        return "random"

    def load(
        self, names: Iterable[str], *, device: torch.device, dtype: torch.dtype | None = None
    ) -> dict[str, torch.Tensor]:
        made = {}
        for name in names:
            tensor = torch.empty(self.tensors[name], device=device, dtype=dtype or torch.float32)
            if name.endswith("scale"):
                tensor.fill_(0.01)
            elif name.endswith("bias"):
                tensor.zero_()
            elif ".norm" in name or name.endswith("original0"):
                tensor.fill_(1.0)
            else:
                tensor.normal_(0.0, 0.02 if tensor.ndim == 2 else 1.0)
            made[name] = tensor
        return made


def random_codec(*, device: torch.device | str, dtype: torch.dtype, encoder: bool = True, codebooks: int = 12) -> Codec:
    """The full-size codec; its decoder's signal is noise of ordinary size."""
    device = torch.device(device)
    config = CodecConfig.from_json(_CODEC)
    empty = CodecWeights(_RandomCheckpoint({}), config, config.codebooks, device, dtype)  # type: ignore[arg-type]
    shapes = empty._side_shapes("encoder", config.encoder) | empty._side_shapes("decoder", config.decoder)
    checkpoint = _RandomCheckpoint(shapes | empty._quantizer_shapes(config.codebooks))
    weights = CodecWeights(checkpoint, config, codebooks, device, dtype)  # type: ignore[arg-type]
    with torch.inference_mode():
        encoder_stack = weights.stack("encoder", config.encoder, None, True) if encoder else None
        decoder_stack = weights.stack("decoder", config.decoder, None, encoder)
        quantizer = weights.quantizer(encoder=encoder)
    return Codec(config, quantizer, encoder_stack, decoder_stack, checkpoint, device, dtype)  # type: ignore[arg-type]
