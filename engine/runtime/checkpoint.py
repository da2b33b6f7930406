"""Reads safetensors checkpoints: every name, shape and length is checked from the headers before any weight is read."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import CheckpointError

if TYPE_CHECKING:
    import torch

Shape = tuple[int, ...]
Progress = Callable[[float], None]

REMEDY = "Install or download the model again."
FLOAT_BYTES = {"F32": 4, "BF16": 2, "F16": 2}  # the stored types that are computed with
_LONGEST_HEADER = 100_000_000  # bytes; the format's own limit
_LONGEST_LISTING = 6  # names in one message


@dataclass(frozen=True)
class StoredTensor:
    """Where one tensor lies. `dtype` is the format's own name (`F32`, `BF16`, `F16`, …)."""

    file: Path
    dtype: str
    shape: Shape

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a checkpoint. Raises CheckpointError when it is missing or is none."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise CheckpointError(f"{path} is missing.", REMEDY) from error
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} cannot be read ({error}).", REMEDY) from error
    if not isinstance(value, dict):
        raise CheckpointError(f"{path} is not a JSON object.", REMEDY)
    return value


def read_config(folder: Path, model_type: str) -> dict[str, Any]:
    """`config.json` of a checkpoint of this `model_type`. Raises CheckpointError for any other architecture."""
    config = read_json(folder / "config.json")
    found = config.get("model_type")
    if found != model_type:
        raise CheckpointError(
            f"{folder / 'config.json'} is of the architecture {found!r}; {model_type!r} is needed here.",
            "Choose the folder of a model of that architecture.",
        )
    return config


class Checkpoint:
    """The tensors of a folder with `model.safetensors` or `model.safetensors.index.json` and its shards.

    Opening reads headers only. `check` compares them with what the architecture expects; `fill` and `load` read
    weights, each one straight into its final place.

    Attributes:
        folder: the checkpoint.
        files: its weight files, in the order in which they are read.
        tensors: by name.
    """

    def __init__(self, folder: Path) -> None:
        """Raises CheckpointError: no weights, a damaged or truncated file, a shard outside the folder."""
        self.folder = Path(folder)
        listed = None
        if (self.folder / "model.safetensors").exists():
            self.files: tuple[Path, ...] = (self.folder / "model.safetensors",)
        elif (self.folder / "model.safetensors.index.json").exists():
            listed = _read_index(self.folder / "model.safetensors.index.json")
            self.files = tuple(sorted(set(listed.values())))
        else:
            raise CheckpointError(f"{self.folder} holds no model.safetensors.", REMEDY)
        self.tensors: dict[str, StoredTensor] = {}
        for file in self.files:
            for name, tensor in _read_header(file).items():
                if name in self.tensors:
                    other = self.tensors[name].file
                    raise CheckpointError(f"{name} is stored twice: in {other} and in {file}.", REMEDY)
                self.tensors[name] = tensor
        for name, file in (listed or {}).items():
            if name not in self.tensors or self.tensors[name].file != file:
                raise CheckpointError(f"{file} does not hold {name}, which the index places there.", REMEDY)
        self._digest: Future[str] | None = None

    def check(self, expected: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> None:
        """Compare what is stored with what the architecture needs; nothing is read.

        Args:
            expected: shape of every tensor that must be there.
            optional: shape of those that may be there, such as copies of tied weights. Any other name is refused.

        Raises:
            CheckpointError: naming file and tensor: missing, unknown, misshapen, or of a type that is no float.
        """
        allowed = {**(optional or {}), **expected}
        missing = [name for name in expected if name not in self.tensors]
        if missing:
            raise CheckpointError(f"{self._where()} lacks {_listing(missing)}.", REMEDY)
        unknown = [name for name in self.tensors if name not in allowed]
        if unknown:
            file = self.tensors[unknown[0]].file
            raise CheckpointError(f"{file} holds {_listing(unknown)}, unknown to this architecture.", REMEDY)
        for name, tensor in self.tensors.items():
            if tensor.shape != tuple(allowed[name]):
                raise CheckpointError(
                    f"{tensor.file}: {name} has the shape {list(tensor.shape)}; "
                    f"config.json makes it {list(allowed[name])}.",
                    REMEDY,
                )
            if tensor.dtype not in FLOAT_BYTES:
                raise CheckpointError(
                    f"{tensor.file}: {name} is stored as {tensor.dtype}.", "float32, bfloat16 and float16 can be read."
                )

    def fill(self, targets: Iterable[tuple[str, torch.Tensor]], progress: Progress | None = None) -> None:
        """Read tensors into places already allocated, on any device, converting to their type on the way.

        Args:
            targets: (name, destination of that shape); a destination may be a slice of a fused tensor.
            progress: called with 0..1 as bytes are read.
        """
        from safetensors import SafetensorError, safe_open

        self._start_digest()
        by_file: dict[Path, list[tuple[str, torch.Tensor]]] = {}
        for name, place in targets:
            by_file.setdefault(self.tensors[name].file, []).append((name, place))
        total = sum(self.tensors[name].elements for items in by_file.values() for name, _ in items) or 1
        done = 0
        for file, items in by_file.items():
            try:
                with safe_open(file, framework="pt", device="cpu") as stored:  # a view of the mapped file, not a copy
                    for name, place in items:
                        place.copy_(stored.get_tensor(name))
                        done += self.tensors[name].elements
                        if progress is not None:
                            progress(done / total)
            except (OSError, SafetensorError) as error:
                raise CheckpointError(f"{file} cannot be read ({error}).", REMEDY) from error

    def load(
        self,
        names: Iterable[str],
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype | None = None,
        progress: Progress | None = None,
    ) -> dict[str, torch.Tensor]:
        """Tensors by name, each allocated once on `device` as `dtype` (None: as stored)."""
        import torch

        stored_as = {"F32": torch.float32, "BF16": torch.bfloat16, "F16": torch.float16}
        weights = {
            name: torch.empty(
                self.tensors[name].shape, device=device, dtype=dtype or stored_as[self.tensors[name].dtype]
            )
            for name in names
        }
        self.fill(weights.items(), progress)
        return weights

    def digest(self) -> str:
        """SHA-256 over the content of `config.json` and the weight files; it runs beside `fill` and is awaited here."""
        return self._start_digest().result()

    def _start_digest(self) -> Future[str]:
        if self._digest is None:
            pool = ThreadPoolExecutor(1, thread_name_prefix="checkpoint-digest")
            self._digest = pool.submit(content_digest, [self.folder / "config.json", *self.files])
            pool.shutdown(wait=False)
        return self._digest

    def _where(self) -> Path:
        return self.files[0] if len(self.files) == 1 else self.folder


def content_digest(files: Iterable[Path]) -> str:
    """SHA-256 (hex) over names and contents of files, a missing one counting as empty; the folder does not matter."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.name.encode() + b"\0")
        if file.exists():
            with file.open("rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
    return whole.hexdigest()


def _read_index(path: Path) -> dict[str, Path]:
    """Tensor name -> shard. A shard must lie right beside the index: a path of any other form is refused."""
    weight_map = read_json(path).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise CheckpointError(f"{path} has no weight_map.", REMEDY)
    shards: dict[str, Path] = {}
    for name, file in weight_map.items():
        if not isinstance(file, str) or not file.endswith(".safetensors") or set(file) & set("/\\:\0"):
            raise CheckpointError(f"{path} places {name} in {file!r}, which is not a file beside it.", REMEDY)
        shards[name] = path.parent / file
    return shards


def _read_header(path: Path) -> dict[str, StoredTensor]:
    """The table of one safetensors file: 8 bytes of length (little endian), JSON, data. Every byte range is checked."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            prefix = stream.read(8)
            length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else 0
            if not 2 <= length <= min(_LONGEST_HEADER, size - 8):
                raise CheckpointError(f"{path} is truncated or no safetensors file: its header is not whole.", REMEDY)
            header = json.loads(stream.read(length))
    except FileNotFoundError as error:
        raise CheckpointError(f"{path} is missing.", REMEDY) from error
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} cannot be read: its header is damaged ({error}).", REMEDY) from error
    if not isinstance(header, dict):
        raise CheckpointError(f"{path} cannot be read: its header is damaged.", REMEDY)
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        try:
            shape = tuple(int(n) for n in entry["shape"])
            start, end = (int(n) for n in entry["data_offsets"])
            dtype = str(entry["dtype"])
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"{path}: the entry of {name} in the header is damaged.", REMEDY) from error
        element_bytes = FLOAT_BYTES.get(dtype)
        if min(shape, default=0) < 0 or not 0 <= start <= end:
            raise CheckpointError(f"{path}: the entry of {name} in the header is damaged.", REMEDY)
        if element_bytes is not None and end - start != math.prod(shape) * element_bytes:
            raise CheckpointError(f"{path}: {name} has {end - start} bytes, which does not fit {shape}.", REMEDY)
        if 8 + length + end > size:
            raise CheckpointError(f"{path} is truncated: it ends before the end of {name}.", REMEDY)
        tensors[name] = StoredTensor(path, dtype, shape)
    return tensors


def _listing(names: list[str]) -> str:
    shown = ", ".join(names[:_LONGEST_LISTING])
    return shown if len(names) <= _LONGEST_LISTING else f"{shown} and {len(names) - _LONGEST_LISTING} more"
