"""The compiled decoder: the frame loop's two halves on one processor core, where numba can serve."""

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
from engine.lm.sampling import RowSettings

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
    """Same interface and, up to rounding, same results as `TorchDecoder`; each row is computed alone, idle ones never.

    Attributes:
        stored: how matrices lie in memory: `float16`, `bfloat16` or `float32`; the arithmetic is float32 in each case.
    """

    def __init__(self, model: SpeechLM, state: BucketState) -> None:
        from engine.lm import kernels

        config = model.config
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
        self._vectors = tuple(np.zeros(widest, np.float32) for _ in range(3))
        self._scores = np.zeros(0, np.float32)
        self._local_cache = model.local.new_cache(1, config.codebooks)[:, 0].numpy()
        largest = max(2, *config.codebook_sizes)
        self._logits, self._heap = np.zeros(largest, np.float32), np.zeros((2, largest), np.int64)
        # Views of the bucket's buffers, which stay where they are (the cache alone may move: it grows).
        self._hidden, self._frame_rows, self._seen = state.hidden.numpy(), state.frame_rows.numpy(), state.seen.numpy()
        self._seed, self._frame, self._stop = state.seed.numpy(), state.frame.numpy(), state.stop.numpy()
        self._audio, self._stop_settings = _views(state.audio), _views(state.stop_settings)
        self._compile()

    def advance(self, speaking: list[bool]) -> None:
        """Feed each speaking row its last frame."""
        backbone, cache = self._model.backbone, self._state.cache
        backbone.reserve(cache, max(cache.lengths) + 1)
        work, kv, cos, sin = self._work(), cache.kv.numpy(), backbone.cos.numpy(), backbone.sin.numpy()
        for row in np.flatnonzero(speaking):
            position = cache.lengths[row]
            self._kernels.advance(
                self._weights.backbone,
                self._weights.tables,
                self._frame_rows[row],
                self._model.config.pad_code,
                kv[row],
                position,
                cos[position],
                sin[position],
                np.float32(backbone.config.norm_eps),
                backbone.config.heads,
                work,
                self._hidden[row],
            )
            cache.lengths[row] += 1

    def speak(self, live: list[bool]) -> None:
        """From `hidden` to a stop decision and the C codes of a frame."""
        work = self._work()
        for row in np.flatnonzero(live):
            self._stop[row] = self._kernels.speak(
                self._weights.local,
                self._weights.tables,
                tuple(column[row, 0] for column in self._audio),
                tuple(column[row, 0] for column in self._stop_settings),
                self._seed[row],
                self._frame[row],
                self._seen[row],
                self._hidden[row],
                self._local_cache,
                np.float32(self._model.config.local.norm_eps),
                work,
                self._logits,
                self._heap,
                self._frame_rows[row],
            )
            self._frame[row] += 1

    def _work(self) -> tuple[np.ndarray, ...]:
        positions = max(self._state.cache.capacity, self._model.config.codebooks)
        if len(self._scores) < positions:
            self._scores = np.zeros(positions, np.float32)
        return (*self._vectors, self._scores)

    def _compile(self) -> None:
        """One frame of an empty row, so that compiling or reading the compiled is done before a request waits."""
        first = [row == 0 for row in range(self._state.rows)]
        self.advance(first)
        self.speak(first)
        self._state.cache.clear(0)


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
    """The narrowest type that holds every weight exactly, and the matrices in it; uint16 and int16 arrays are bits."""
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
    """Whether compiled code may widen float16 itself; without, the compiler would call a library that is not there."""
    import llvmlite.binding as llvm
    from numba import config

    if config.CPU_NAME or config.CPU_FEATURES:  # code for another processor than this one was asked for
        return False
    return platform.machine().lower() not in ("x86_64", "amd64") or bool(llvm.get_host_cpu_features().get("f16c"))


def _views(settings: RowSettings) -> tuple[np.ndarray, ...]:
    """temperature, top_p, top_k, penalty, each `[rows, 1]`."""
    return tuple(each.numpy() for each in (settings.temperature, settings.top_p, settings.top_k, settings.penalty))
