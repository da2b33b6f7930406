"""Files of a downloaded model: which are fetched, which belong to it, and whether they are all there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from engine.catalogue import CatalogueEntry
from engine.hub_access import HubError

MANIFEST = "download.json"
MANIFEST_VERSION = 1
PARTIAL = ".partial"
MOST_FILES, DEEPEST = 1000, 4  # files of a model, folders of a path; what has more is no model

# Weights, settings and tokenizers: none of these can carry code. Everything else stays where it is.
_ALLOWED = re.compile(
    r"(.+\.safetensors|.+\.safetensors\.index\.json|(config|generation_config|tokenizer|tokenizer_config|special_tokens_map"
    r"|added_tokens|vocab|preprocessor_config|processor_config)\.json|merges\.txt|LICENSE(\.txt|\.md)?|NOTICE(\.txt)?|README\.md)",
    re.IGNORECASE,
)
_COMPONENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,199}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class RemoteFile:
    """One file to get: its path in the repository, its size, and its SHA-256 (LFS) or git blob hash."""

    path: str
    size: int
    sha256: str = ""
    blob: str = ""


def wanted_file(sibling: Any) -> RemoteFile | None:
    """A listed file, if it is of a kind that is fetched and can be checked."""
    path = str(sibling.rfilename)
    parts = path.split("/")
    safe = len(parts) <= DEEPEST and all(
        _COMPONENT.fullmatch(part) and not _RESERVED.fullmatch(part) and not part.endswith(".") for part in parts
    )
    if not safe or not _ALLOWED.fullmatch(parts[-1]) or path == MANIFEST:
        return None
    lfs = sibling.lfs
    sha256 = str(lfs["sha256"]) if lfs else ""
    size = (lfs or {}).get("size", sibling.size)
    blob = str(sibling.blob_id or "")
    known = _SHA256.fullmatch(sha256) if sha256 else COMMIT.fullmatch(blob)
    if type(size) is not int or size < 0 or not known:
        raise HubError(f"The hub does not say what {path} should be.", "Try another mirror, or again later.")
    return RemoteFile(path, size, sha256, blob)


def check_apart(files: Iterable[tuple[str, RemoteFile]]) -> None:
    """Every file has a place of its own on any disk: none is another's in capitals, or its folder.

    Args:
        files: (folder of the part, file).

    Raises:
        HubError: two files would be one.
    """
    places = [f"{folder}/{file.path}".strip("/").casefold() for folder, file in files]
    folders = {parent.as_posix() for place in places for parent in PurePosixPath(place).parents}
    twice = len(set(places)) < len(places)
    if len(places) > MOST_FILES or twice or folders & set(places):
        raise HubError("The hub lists files that cannot lie beside each other.", "Try another mirror, or again later.")


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a finished download; None where there is none that can be read."""
    try:
        value = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.get("version") == MANIFEST_VERSION else None


def faults_of(folder: Path) -> list[str]:
    """What is missing of a downloaded model or has another size than its manifest says; empty when it is whole."""
    manifest = read_manifest(folder)
    if manifest is None:
        return [f"{MANIFEST} is missing"]
    try:
        listed = [
            (PurePosixPath(part["folder"], file["path"]), file["size"])
            for part in manifest["parts"]
            for file in part["files"]
        ]
    except (KeyError, TypeError):
        listed = []
    if not listed:
        return [f"{MANIFEST} is damaged"]
    faults = []
    for name, size in listed:
        path = folder / name
        if not path.is_file():
            faults.append(f"{name} is missing")
        elif path.stat().st_size != size:
            faults.append(f"{name} has another size")
    return faults


def has_manifest(folder: Path) -> bool:
    """Whether a folder was made by a download (a person's own folder was not)."""
    return (folder / MANIFEST).is_file()


def partial_folder(entry: CatalogueEntry, root: Path) -> Path:
    """Where a download that is not finished is gathered."""
    return root / PARTIAL / entry.id


def remove_download(entry: CatalogueEntry, root: Path) -> None:
    """Delete a downloaded model, and what has come of it so far. Raises HubError."""
    _remove(root / entry.id)
    remove_partial(entry, root)


def remove_partial(entry: CatalogueEntry, root: Path) -> None:
    """Delete what has come of an unfinished download. Raises HubError."""
    _remove(partial_folder(entry, root))
    with contextlib.suppress(OSError):
        (root / PARTIAL).rmdir()  # empty now, or it stays


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
        return
    try:
        # First it stops being a model: a deletion that breaks off leaves nothing that looks whole.
        (folder / MANIFEST).unlink(missing_ok=True)
        if folder.exists():
            shutil.rmtree(folder)
    except OSError as error:
        raise HubError(
            f"{folder} cannot be deleted ({error.strerror}).", "Close what uses it and try again."
        ) from error


def find_in_cache(entry: CatalogueEntry) -> dict[str, Path] | None:
    """Folders by repository where the hub's own cache on this machine has every part of an entry whole; else None."""
    folder = _cache_folder()
    if not all((folder / f"models--{part.repo_id.replace('/', '--')}").is_dir() for part in entry.parts):
        return None  # most machines: the client, whose import takes its time, is not needed to see that
    from huggingface_hub import try_to_load_from_cache

    found = {}
    for part in entry.parts:
        config = try_to_load_from_cache(part.repo_id, "config.json")
        if not isinstance(config, str) or not _has_weights(Path(config).parent):
            return None
        found[part.repo_id] = Path(config).parent
    return found


def _cache_folder() -> Path:
    """Where the hub's client keeps what it fetched, found as it does, without importing it."""
    loaded = sys.modules.get("huggingface_hub.constants")
    if loaded is not None:
        return Path(loaded.HF_HUB_CACHE)
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if named:
        return Path(os.path.expandvars(named)).expanduser()
    above = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(os.path.expandvars(os.environ.get("HF_HOME") or str(above))).expanduser() / "hub"


def _has_weights(folder: Path) -> bool:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            names = set(json.loads(index.read_text("utf-8"))["weight_map"].values())
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return False
        return bool(names) and all((folder / PurePosixPath(str(name)).name).is_file() for name in names)
    return any(path.is_file() for path in folder.glob("*.safetensors"))
