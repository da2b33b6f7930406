"""The speech engine's public names, each loaded when first asked for, so that importing the package is cheap."""

from __future__ import annotations

import importlib
import logging
from typing import Any

# Failures reach the caller as exceptions; without a log of the program's own nothing is printed beside them.
logging.getLogger(__name__).addHandler(logging.NullHandler())

_NAMES_OF_MODULE: dict[str, str] = {
    "engine.requests": "CHANNELS FRAME_RATE FRAME_S FRAME_SAMPLES MAX_FRAMES SAMPLE_RATE Chunk Clip Event EventKind"
    " Listener Priority Sampling SamplingOptions SpeechRequest SpeechResult SpeechWarning StopReason",
    "engine.errors": "CapabilityError CheckpointError ClipError DeviceError EngineClosedError EngineFailedError"
    " RequestCancelled ServerError SpeechError TextError",
    "engine.card": "FULL_SIZE_CARD KnownVoice ModelCard PauseTags read_card",
    "engine.text.plan": "Pause Piece SpeechPlan plan_speech",
    "engine.text.markup": "Tag find_tags format_pause",
    "engine.text.normalize": "NORMALISER_VERSION",
    "engine.text.duration": "estimate_frames",
    "engine.text.segment": "sentence_ends",
    "engine.text.languages": "LANGUAGES language_name",
    "engine.engine": "Engine open_local",
    "engine.stream": "Stream",
    "engine.layout": "ModelLayout find_layout",
    "engine.runtime.devices": "DevicePlan choose_device cuda_works usable_cores",
    "engine.runtime.cards": "CardReport card_reports",
    "engine.backends.base": "Backend Job LoadProgress",
    "engine.backends.server_spec": "ServerSpec card_of",
    "engine.catalogue": "CATALOGUE CatalogueEntry Part catalogue_entry",
    "engine.hub": "Download Progress",
    "engine.hub_access": "DownloadStopped HubError HubOptions",
    "engine.hub_files": "faults_of find_in_cache has_manifest partial_folder remove_download remove_partial",
    "engine.servers": "ServerReport ServerVoice delete_voice inspect_server open_server upload_voice",
    "engine.audio": "load_clip",
}
_MODULE_OF_NAME = {name: module for module, names in _NAMES_OF_MODULE.items() for name in names.split()}

__all__ = sorted(_MODULE_OF_NAME)


def __getattr__(name: str) -> Any:
    module = _MODULE_OF_NAME.get(name)
    if module is None:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
