"""What a codec checkpoint's `config.json` says: its stages, its rates, its quantizer (MODEL §5.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import CheckpointError
from engine.runtime.checkpoint import read_config

MODEL_TYPE = "moss-audio-tokenizer"
_LARGEST = 1 << 20  # no size of a real codec comes near; keeps a damaged file from asking for all memory
_MOST = 1 << 10  # likewise of layers and codebooks, each of which has tensors of its own


@dataclass(frozen=True)
class PatchStage:
    """Folds `size` neighbouring positions into channels (encoder) or unfolds them (decoder). No weights, no state."""

    size: int


@dataclass(frozen=True)
class TransformerStage:
    """A causal transformer between two linear projections.

    Attributes:
        index: place in the config's list, which names its tensors.
        inputs, outputs: channels before and after the projections.
        width, heads, layers, hidden: of the transformer; `hidden` is the inner size of the feed-forward block.
        max_period: base of the rotary frequencies.
        context: positions that one query sees, itself included.
        tokens_per_frame: positions of this stage in one frame of codes.
        scaled: whether layers have learned scales on their two branches.
    """

    index: int
    inputs: int
    outputs: int
    width: int
    heads: int
    layers: int
    hidden: int
    max_period: float
    context: int
    tokens_per_frame: int
    scaled: bool = True

    @property
    def head_width(self) -> int:
        return self.width // self.heads


Stage = PatchStage | TransformerStage


@dataclass(frozen=True)
class CodecConfig:
    """Sizes of one codec.

    Attributes:
        sample_rate: Hz.
        channels: of the audio that goes in and comes out.
        interleaved: whether channels run as one signal L0, R0, L1, R1, … through the first and last stage (§5.2).
        hop: samples a channel in one frame.
        encoder, decoder: stages in order.
        latent, inner: channels outside and inside the quantizer (§5.5).
        codebooks, codebook_size, codebook_width: of the quantizer.
        compute: type asked for by the checkpoint: `fp32`, `bf16` or `fp16`.
    """

    sample_rate: int
    channels: int
    interleaved: bool
    hop: int
    encoder: tuple[Stage, ...]
    decoder: tuple[Stage, ...]
    latent: int
    inner: int
    codebooks: int
    codebook_size: int
    codebook_width: int
    compute: str

    @property
    def frame_rate(self) -> float:
        return self.sample_rate / self.hop

    @property
    def frame_values(self) -> int:
        """Values of one frame in the signal that the first stage takes and the last one gives."""
        return self.hop * (self.channels if self.interleaved else 1)

    @classmethod
    def read(cls, folder: Path) -> CodecConfig:
        """The config of a checkpoint folder.

        Raises:
            CheckpointError: missing, damaged, or of a codec this code does not know; names the field.
        """
        path = Path(folder) / "config.json"
        raw = read_config(Path(folder), MODEL_TYPE)
        try:
            return cls.from_json(raw)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            reason = f"field {error} is missing" if isinstance(error, KeyError) else str(error)
            raise CheckpointError(
                f"{path} does not describe a codec that can be run here: {reason}.",
                "Choose a MOSS-Audio-Tokenizer checkpoint, or download it again.",
            ) from error

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> CodecConfig:
        """As `read`, from parsed JSON. Raises KeyError, TypeError or ValueError."""
        sample_rate = _size(_either(raw, "sampling_rate", "sample_rate"), "sampling_rate")
        channels = _size(_either(raw, "number_channels", "channels_numbers", default=1), "number_channels")
        interleaved = bool(raw.get("enable_channel_interleave", channels > 1)) and channels > 1
        if channels > 1 and not interleaved:
            raise ValueError("number_channels above 1 needs enable_channel_interleave")
        quantizer = dict(raw["quantizer_kwargs"])
        kind = str(quantizer.get("quantizer_type", raw.get("quantizer_type", "rlfq")))
        if kind != "rlfq":
            raise ValueError(f"quantizer_type {kind!r} is not known, only 'rlfq'")

        encoder_raw = list(raw["encoder_kwargs"])
        if raw.get("decoder_kwargs") is not None:
            decoder_raw = list(raw["decoder_kwargs"])
        else:  # the decoder written as the encoder's mirror image
            decoder_raw = [_mirrored(stage) for stage in reversed(raw["reversed_decoder_kwargs"])]
        patches = 1
        for stage in encoder_raw:
            if _is_patch(stage):
                patches *= _size(stage["patch_size"], "patch_size")
        width = channels if interleaved else 1
        hop, odd = divmod(patches, width)
        if odd:
            raise ValueError(f"the patches of encoder_kwargs ({patches}) do not hold {channels} channels")
        # Written per channel in some configs and for the interleaved signal in others.
        if raw.get("downsample_rate") not in (None, hop, patches):
            raise ValueError(f"downsample_rate is {raw['downsample_rate']}, the patches of encoder_kwargs make {hop}")

        fallback_s = float(raw.get("causal_transformer_context_duration", 10.0))
        rate = sample_rate * width
        encoder, latent = _stages(encoder_raw, "encoder_kwargs", 1, rate, 1 / patches, fallback_s, up=False)
        input_dim = _size(quantizer["input_dim"], "quantizer_kwargs.input_dim")
        output_dim = _size(quantizer.get("output_dim", input_dim), "quantizer_kwargs.output_dim")
        if latent != input_dim:
            raise ValueError(f"encoder_kwargs ends with {latent} channels, quantizer_kwargs.input_dim is {input_dim}")
        if output_dim != input_dim:
            raise ValueError(f"quantizer_kwargs.output_dim is {output_dim}, input_dim is {input_dim}")
        decoder, outputs = _stages(
            decoder_raw, "decoder_kwargs", output_dim, rate / patches, 1 / patches, fallback_s, up=True
        )
        unfolded = 1
        for stage in decoder:
            unfolded *= stage.size if isinstance(stage, PatchStage) else 1
        if outputs != 1 or unfolded != patches:
            raise ValueError(f"decoder_kwargs makes {outputs} x {unfolded} values a frame instead of 1 x {patches}")
        return cls(
            sample_rate=sample_rate,
            channels=channels,
            interleaved=interleaved,
            hop=hop,
            encoder=encoder,
            decoder=decoder,
            latent=latent,
            inner=_size(quantizer["rvq_dim"], "quantizer_kwargs.rvq_dim"),
            codebooks=_size(quantizer["num_quantizers"], "quantizer_kwargs.num_quantizers", _MOST),
            codebook_size=_size(quantizer["codebook_size"], "quantizer_kwargs.codebook_size"),
            codebook_width=_size(quantizer["codebook_dim"], "quantizer_kwargs.codebook_dim"),
            compute=str(_either(raw, "compute_dtype", "codec_compute_dtype", default="fp32")),
        )


def _stages(
    raw: Sequence[Mapping[str, Any]],
    field: str,
    channels: int,
    rate: float,
    frames_per_value: float,
    fallback_s: float,
    *,
    up: bool,
) -> tuple[tuple[Stage, ...], int]:
    """Stages of one side, and the channels that leave the last one. `rate` is that of the signal entering, in Hz."""
    frame_rate = rate if up else rate * frames_per_value
    stages: list[Stage] = []
    for index, item in enumerate(raw):
        where = f"{field}[{index}]"
        if _is_patch(item):
            size = _size(item["patch_size"], f"{where}.patch_size")
            if up:
                if channels % size:
                    raise ValueError(f"{where}: {channels} channels cannot be unfolded by {size}")
                channels, rate = channels // size, rate * size
            else:
                channels, rate = channels * size, rate / size
            stages.append(PatchStage(size))
            continue
        stage = _transformer(item, where, index, rate, round(rate / frame_rate), fallback_s)
        if stage.inputs != channels:
            raise ValueError(f"{where}.input_dimension is {stage.inputs}, the stage before gives {channels}")
        channels = stage.outputs
        stages.append(stage)
    kinds = [isinstance(stage, PatchStage) for stage in stages]
    if not stages or kinds[0 if up else -1] or any(a and b for a, b in zip(kinds, kinds[1:], strict=False)):
        raise ValueError(f"{field}: a patch needs a transformer on its latent side and no other patch beside it")
    return tuple(stages), channels


def _transformer(
    item: Mapping[str, Any], where: str, index: int, rate: float, tokens_per_frame: int, fallback_s: float
) -> TransformerStage:
    for name, known in (("norm", "layer_norm"), ("positional_embedding", "rope"), ("gating", "none"), ("causal", True)):
        if item.get(name, known) != known:
            raise ValueError(f"{where}.{name} is {item[name]!r}, only {known!r} is known")
    width, heads = _size(item["d_model"], f"{where}.d_model"), _size(item["num_heads"], f"{where}.num_heads")
    if width % (2 * heads):
        raise ValueError(f"{where}.d_model {width} cannot be shared by {heads} heads in pairs")
    max_period = float(item.get("max_period", 10_000))
    if not 0 < max_period < math.inf:
        raise ValueError(f"{where}.max_period is {item['max_period']!r}, which is not above 0")
    if tokens_per_frame < 1:
        raise ValueError(f"{where} runs below the frame rate")
    # Some configs count the context in positions, most in seconds; a stage without either takes the codec's own.
    context = item.get("context")
    if context is None:
        duration_s = item.get("context_duration")
        context = max(1, round(rate * float(fallback_s if duration_s is None else duration_s)))
    return TransformerStage(
        index=index,
        inputs=_size(item["input_dimension"], f"{where}.input_dimension"),
        outputs=_size(item["output_dimension"], f"{where}.output_dimension"),
        width=width,
        heads=heads,
        layers=_size(item["num_layers"], f"{where}.num_layers", _MOST),
        hidden=_size(item["dim_feedforward"], f"{where}.dim_feedforward"),
        max_period=max_period,
        context=_size(context, f"{where}.context"),
        tokens_per_frame=tokens_per_frame,
        scaled=item.get("layer_scale", True) is not None,
    )


def _is_patch(item: Mapping[str, Any]) -> bool:
    kind = str(item["module_type"])
    if kind not in ("PatchedPretransform", "Transformer"):
        raise ValueError(f"module_type {kind!r} is not known")
    return kind == "PatchedPretransform"


def _mirrored(item: Mapping[str, Any]) -> dict[str, Any]:
    mirrored = dict(item)
    if not _is_patch(item):
        mirrored["input_dimension"], mirrored["output_dimension"] = item["output_dimension"], item["input_dimension"]
    return mirrored


def _either(raw: Mapping[str, Any], *names: str, default: Any = None) -> Any:
    for name in names:
        if raw.get(name) is not None:
            return raw[name]
    if default is None:
        raise KeyError(names[0])
    return default


def _size(value: Any, field: str, largest: int = _LARGEST) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise ValueError(f"{field} is {value!r}, a whole number is needed")
    if not 1 <= value <= largest:
        raise ValueError(f"{field} is {value!r}, which is out of range")
    return int(value)
