"""Small random codecs in the published form, so that tests need no trained weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file


def stage(
    inputs: int, outputs: int, width: int, heads: int, context_s: float | None, layers: int = 1
) -> dict[str, Any]:
    item: dict[str, Any] = {
        "module_type": "Transformer",
        "input_dimension": inputs,
        "output_dimension": outputs,
        "d_model": width,
        "num_heads": heads,
        "num_layers": layers,
        "dim_feedforward": 2 * width,
        "causal": True,
        "norm": "layer_norm",
        "positional_embedding": "rope",
        "max_period": 10000,
        "gating": "none",
        "layer_scale": 0.01,
    }
    if context_s is not None:
        item["context_duration"] = context_s
    return item


def patch(size: int) -> dict[str, Any]:
    return {"module_type": "PatchedPretransform", "patch_size": size}


def config(channels: int = 2) -> dict[str, Any]:
    """1,000 Hz, frames of 40 samples a channel, three rates, contexts of 5, 6 and 10 positions; 6 codebooks of 32."""
    first = 20 * channels
    return {
        "model_type": "moss-audio-tokenizer",
        "sampling_rate": 1000,
        "downsample_rate": 40,
        "number_channels": channels,
        "enable_channel_interleave": channels > 1,
        "causal_transformer_context_duration": 0.4,
        "encoder_kwargs": [patch(first), stage(first, 12, 16, 2, 0.1), patch(2), stage(24, 12, 16, 4, None)],
        "decoder_kwargs": [
            stage(12, 24, 16, 4, None),
            patch(2),
            stage(12, first, 16, 2, 0.12, layers=2),
            patch(first),
        ],
        "quantizer_kwargs": {
            "input_dim": 12,
            "rvq_dim": 8,
            "output_dim": 12,
            "num_quantizers": 6,
            "codebook_size": 32,
            "codebook_dim": 4,
            "quantizer_type": "rlfq",
        },
    }


def weights(raw: dict[str, Any], seed: int = 0) -> dict[str, torch.Tensor]:
    random = torch.Generator().manual_seed(seed)

    def normal(*shape: int, scale: float = 1.0) -> torch.Tensor:
        return torch.randn(*shape, generator=random) * scale

    tensors: dict[str, torch.Tensor] = {}
    for side in ("encoder", "decoder"):
        for index, item in enumerate(raw[f"{side}_kwargs"]):
            if item["module_type"] != "Transformer":
                continue
            width, hidden = item["d_model"], item["dim_feedforward"]
            name = f"{side}.{index}"
            tensors[f"{name}.input_proj.weight"] = normal(width, item["input_dimension"], scale=0.3)
            tensors[f"{name}.output_proj.weight"] = normal(item["output_dimension"], width, scale=0.3)
            for layer in range(item["num_layers"]):
                part = f"{name}.transformer.layers.{layer}"
                for norm in ("norm1", "norm2"):
                    tensors[f"{part}.{norm}.weight"] = 1 + normal(width, scale=0.1)
                    tensors[f"{part}.{norm}.bias"] = normal(width, scale=0.1)
                tensors[f"{part}.self_attn.in_proj.weight"] = normal(3 * width, width, scale=0.4)
                tensors[f"{part}.self_attn.out_proj.weight"] = normal(width, width, scale=0.3)
                tensors[f"{part}.ffn.0.weight"] = normal(hidden, width, scale=0.3)
                tensors[f"{part}.ffn.2.weight"] = normal(width, hidden, scale=0.3)
                for scale in ("layer_scale_1", "layer_scale_2"):
                    tensors[f"{part}.{scale}.scale"] = 0.5 + normal(width, scale=0.1)
    quantizer = raw["quantizer_kwargs"]
    latent, inner, narrow = quantizer["input_dim"], quantizer["rvq_dim"], quantizer["codebook_dim"]

    def convolution(name: str, outputs: int, inputs: int) -> None:
        tensors[f"{name}.parametrizations.weight.original0"] = 1 + normal(outputs, 1, 1, scale=0.1)
        tensors[f"{name}.parametrizations.weight.original1"] = normal(outputs, inputs, 1)
        tensors[f"{name}.bias"] = normal(outputs, scale=0.1)

    convolution("quantizer.input_proj", inner, latent)
    convolution("quantizer.output_proj", latent, inner)
    for index in range(quantizer["num_quantizers"]):
        name = f"quantizer.quantizers.{index}"
        convolution(f"{name}.in_proj", narrow, inner)
        convolution(f"{name}.out_proj", inner, narrow)
        tensors[f"{name}.codebook.weight"] = normal(quantizer["codebook_size"], narrow)
    return tensors


def write_codec(
    folder: Path, raw: dict[str, Any] | None = None, tensors: dict[str, torch.Tensor] | None = None
) -> Path:
    raw = raw or config()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(raw), "utf-8")
    save_file({k: v.contiguous() for k, v in (tensors or weights(raw)).items()}, folder / "model.safetensors")
    return folder
