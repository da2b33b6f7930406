"""The compiled decoder: the frame loop's two halves on one processor core, where numba can serve; otherwise there is none."""

from __future__ import annotations

import importlib.util
import logging
import platform
import threading
import weakref
from typing import TYPE_CHECKING

import numpy as np
import torch

from engine.lm.model import SpeechLM

if TYPE_CHECKING:
    from engine.lm.generate import BucketState

_log = logging.getLogger(__name__)


def compiled_decoder(model: SpeechLM, state: BucketState) -> CompiledDecoder | None:
    """A decoder for a float32 model on a CPU; None where numba is missing or cannot compile for this processor."""
    if model.device.type != "cpu" or model.dtype != torch.float32 or importlib.util.find_spec("numba") is None:
        return None
    try:
        return CompiledDecoder(model, state)
    except Exception as error:  # numba fails in many ways on machines it does not know; torch serves all of them
        _log.warning("The compiled decoder is not available (%s: %s).", type(error).__name__, error)
        return None


class CompiledDecoder:
    """Same interface and, up to rounding, same results as `TorchDecoder`; idle rows cost nothing.

    Attributes:
        stored: how matrices lie in memory: `float16`, `bfloat16` or `float32`; the arithmetic is float32 in each case.
    """

    def __init__(self, model: SpeechLM, state: BucketState) -> None:
        from engine.lm import kernels

        config, rows = model.config, state.rows
        self._kernels, self._model, self._state = kernels, model, state
        self._weights = model_arrays(model)
        self.stored = self._weights.stored
        widest = max(
            config.backbone.hidden,
            config.backbone.heads * config.backbone.head_dim,
            (config.backbone.heads + 2 * config.backbone.kv_heads) * config.backbone.head_dim,
            2 * config.backbone.intermediate,
            3 * config.local.hidden,
            config.local.intermediate,
        )
        self._rows_work = tuple(np.zeros((rows, widest), np.float32) for _ in range(4))
        self._scores = np.zeros(0, np.float32)
        self._local_cache = model.local.new_cache(rows, config.codebooks).numpy()
        largest = max(2, *config.codebook_sizes)
        self._logits = np.zeros((rows, largest), np.float32)
        self._heap = np.zeros((2, largest), np.int64)
        self._stops = _settings(kernels, state.stop_settings)
        self._audio = _settings(kernels, state.audio)
        self._warm_up()

    def advance(self, speaking: list[bool]) -> None:
        """Feed each speaking row its last frame."""
        state, backbone = self._state, self._model.backbone
        lengths = state.cache.lengths
        backbone.reserve(state.cache, max(lengths) + 1)
        self._kernels.advance(
            self._weights.backbone,
            self._weights.tables,
            state.frame_rows.numpy(),
            self._model.config.pad_code,
            state.cache.kv.numpy(),
            np.array(lengths),
            backbone.cos.numpy(),
            backbone.sin.numpy(),
            np.float32(backbone.config.norm_eps),
            backbone.config.heads,
            np.flatnonzero(speaking),
            self._work(),
            state.hidden.numpy(),
        )
        for row, moved in enumerate(speaking):
            lengths[row] += moved

    def speak(self, live: list[bool]) -> None:
        """From `hidden` to a stop decision and the C codes of a frame."""
        state = self._state
        self._kernels.speak(
            self._weights.local,
            self._weights.tables,
            self._audio,
            self._stops,
            state.seed.numpy(),
            state.frame.numpy(),
            state.seen.numpy(),
            state.hidden.numpy(),
            self._local_cache,
            np.float32(self._model.config.local.norm_eps),
            np.flatnonzero(live),
            self._work(),
            self._logits,
            self._heap,
            state.stop.numpy(),
            state.frame_rows.numpy(),
        )

    def _work(self) -> tuple[np.ndarray, ...]:
        if len(self._scores) < self._state.cache.capacity:
            self._scores = np.zeros(self._state.cache.capacity, np.float32)
        return (*self._rows_work, self._scores)

    def _warm_up(self) -> None:
        """Compile, or read what was compiled, before the first request waits for it: no row is live, nothing changes."""
        nobody = [False] * self._state.rows
        self.advance(nobody)
        self.speak(nobody)


class ModelArrays:
    """A model's weights as the kernels take them, made once a model and shared by its loops."""

    def __init__(self, model: SpeechLM) -> None:
        from engine.lm import kernels

        backbone, local = model.backbone, model.local
        layers = backbone.layers
        heads = model.audio_embeddings if model.config.tied_audio else torch.cat(model.audio_heads)
        matrices = {
            **{f"backbone_{name}": torch.stack([getattr(layer, name) for layer in layers]) for name in _LAYER_MATRICES},
            **{f"local_{name}": getattr(local, name) for name in _LOCAL_MATRICES},
            "heads": heads,
            "stop_head": model.stop_head,
        }
        self.stored, stored = narrowest(matrices)
        vectors = {
            name: torch.stack([getattr(layer, name) for layer in layers]).numpy()
            for name in ("input_norm", "q_norm", "k_norm", "post_norm")
        }
        self.backbone = kernels.BackboneArrays(
            embed_tokens=backbone.embed_tokens.numpy(),
            norm=backbone.norm.numpy(),
            **vectors,
            **{name: stored[f"backbone_{name}"] for name in _LAYER_MATRICES},
        )
        self.local = kernels.LocalArrays(
            **{name: stored[f"local_{name}"] for name in _LOCAL_MATRICES},
            **{name: getattr(local, name).numpy() for name in _LOCAL_VECTORS},
            wpe=local.ln_f[:0].numpy() if local.wpe is None else local.wpe.numpy(),
        )
        self.tables = kernels.Tables(
            embeddings=model.audio_embeddings.numpy(),
            offsets=model.offsets.numpy(),
            sizes=np.array(model.config.codebook_sizes),
            heads=stored["heads"],
            stop_head=stored["stop_head"],
        )


_LAYER_MATRICES = ("qkv", "out", "gate_up", "down")
_LOCAL_MATRICES = ("qkv", "out", "fc_in", "fc_out")
_LOCAL_VECTORS = ("ln_1", "qkv_bias", "out_bias", "ln_2", "fc_in_bias", "fc_out_bias", "ln_f", "cos", "sin")
_made: weakref.WeakKeyDictionary[SpeechLM, ModelArrays] = weakref.WeakKeyDictionary()
_making = threading.Lock()


def model_arrays(model: SpeechLM) -> ModelArrays:
    """The arrays of this model, made at the first call and kept as long as the model."""
    with _making:
        if model not in _made:
            _made[model] = ModelArrays(model)
        return _made[model]


def narrowest(matrices: dict[str, torch.Tensor]) -> tuple[str, dict[str, np.ndarray]]:
    """The narrowest type that holds every weight exactly, and the matrices in it: uint16 and int16 arrays are the bits."""
    for name, dtype, bits in (("float16", torch.float16, np.uint16), ("bfloat16", torch.bfloat16, np.int16)):
        if name == "float16" and not _has_half_conversion():
            continue
        narrow = {}
        for key, wide in matrices.items():
            narrow[key] = wide.to(dtype)
            if not torch.equal(narrow[key].float(), wide):
                break
        else:
            return name, {key: each.view(torch.int16).numpy().view(bits) for key, each in narrow.items()}
    return "float32", {key: each.numpy() for key, each in matrices.items()}


def _has_half_conversion() -> bool:
    """Whether the processor widens float16 itself; without, the compiler would call a library that is not there."""
    import llvmlite.binding as llvm

    return platform.machine().lower() not in ("x86_64", "amd64") or bool(llvm.get_host_cpu_features().get("f16c"))


def _settings(kernels, settings):
    return kernels.Settings(
        settings.temperature.numpy(), settings.top_p.numpy(), settings.top_k.numpy(), settings.penalty.numpy()
    )
