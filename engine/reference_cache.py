"""Codes of clips, kept by content: in memory, on disk, and encoded once however many ask."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType

import numpy as np

from engine.references import PreparedClip

MEMORY_ENTRIES = 1024
MEMORY_BYTES = 64 << 20

Encode = Callable[[PreparedClip], np.ndarray]
EncodeMany = Callable[[list[PreparedClip]], Sequence[np.ndarray]]


class ReferenceCache:
    """Codes of prepared clips, by content: in memory (least recently used goes first), then on disk, then encoded.

    A clip under another name costs no second encode; a changed one is another. Threads that ask for the same clip at
    once share one encode: followers wait, and get the leader's error if it fails; the next to ask tries again.

    Attributes:
        folder: on disk; None keeps codes in memory alone. Damaged entries there are ignored and written anew.
    """

    def __init__(
        self, folder: Path | None, *, memory_entries: int = MEMORY_ENTRIES, memory_bytes: int = MEMORY_BYTES
    ) -> None:
        self.folder = Path(folder) if folder is not None else None
        self._memory_entries = memory_entries
        self._memory_bytes = memory_bytes
        self._memory: OrderedDict[str, np.ndarray] = OrderedDict()
        self._held_bytes = 0
        self._encoding: dict[str, Future[np.ndarray]] = {}
        self._lock = threading.Lock()

    def get(self, prepared: PreparedClip, codec_identity: str, encode: Encode, codebooks: int = 12) -> np.ndarray:
        """Codes int16 `[T, codebooks]`, read-only. Raises what `encode` raises."""
        return self.get_many([prepared], codec_identity, lambda clips: [encode(clips[0])], codebooks)[0]

    def get_many(
        self, prepared: Sequence[PreparedClip], codec_identity: str, encode: EncodeMany, codebooks: int = 12
    ) -> list[np.ndarray]:
        """As `get`, for clips that arrive together: those not yet known are encoded by one call of `encode`."""
        with self.claim(prepared, codec_identity, codebooks) as claim:
            if claim.missing:
                claim.settle(encode(claim.missing))
        return claim.codes()

    def claim(self, prepared: Sequence[PreparedClip], codec_identity: str, codebooks: int = 12) -> Claim:
        """As `get_many`, where the caller encodes at its own pace what is missing, inside a `with` of the claim."""
        keys = [_key(clip.sha256, codec_identity, codebooks) for clip in prepared]
        claim = Claim(self, keys, codebooks)
        mine: dict[str, PreparedClip] = {}
        with self._lock:
            for key, clip in zip(keys, prepared, strict=True):
                if key in self._memory:
                    self._memory.move_to_end(key)
                    claim.found[key] = self._memory[key]
                elif key in self._encoding and key not in mine:
                    claim.others[key] = self._encoding[key]
                elif key not in mine:
                    mine[key] = clip
                    self._encoding[key] = Future()
        claim.mine = mine
        try:
            self._keep(claim, {key: codes for key in mine if (codes := self._read(key, codebooks)) is not None})
        except BaseException as error:
            self._give_up(claim, error)
            raise
        return claim

    def _keep(self, claim: Claim, found: dict[str, np.ndarray]) -> None:
        """Codes are there: for this claim, for who waits for them, and for later."""
        claim.found.update(found)
        with self._lock:
            for key, codes in found.items():
                self._remember(key, codes)
            futures = {key: self._encoding.pop(key) for key in found}
        for key, future in futures.items():
            del claim.mine[key]
            future.set_result(found[key])

    def _give_up(self, claim: Claim, error: BaseException) -> None:
        """Whatever happens, nobody is left waiting."""
        with self._lock:
            futures = [self._encoding.pop(key) for key in claim.mine]
        claim.mine.clear()
        for future in futures:
            future.set_exception(error)

    def _remember(self, key: str, codes: np.ndarray) -> None:
        codes.flags.writeable = False
        self._memory[key] = codes
        self._held_bytes += codes.nbytes
        while len(self._memory) > 1 and (
            len(self._memory) > self._memory_entries or self._held_bytes > self._memory_bytes
        ):
            self._held_bytes -= self._memory.popitem(last=False)[1].nbytes

    def _read(self, key: str, codebooks: int) -> np.ndarray | None:
        if self.folder is None:
            return None
        try:
            raw = (self.folder / f"{key}.npy").read_bytes()
            body, digest = raw[:-32], raw[-32:]
            if hashlib.sha256(body).digest() != digest:
                return None
            return _checked(np.load(io.BytesIO(body), allow_pickle=False), codebooks)
        except (OSError, ValueError, EOFError):
            return None

    def _write(self, key: str, codes: np.ndarray) -> None:
        """Whole or not at all. A full or read-only disk costs a second encode later, never the request."""
        if self.folder is None:
            return
        body = io.BytesIO()
        np.save(body, codes, allow_pickle=False)
        content = body.getvalue()
        temporary = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(content + hashlib.sha256(content).digest())
            os.replace(temporary, self.folder / f"{key}.npy")
        except OSError:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)


class Claim:
    """Clips that somebody wants the codes of at once; what nobody has yet is this claim's to encode.

    Leaving its `with` without `settle` gives that up: who waits for it gets the error that was the reason.

    Attributes:
        found: codes that are known, by key. others: those that another claim is encoding. mine: clips to encode.
    """

    def __init__(self, cache: ReferenceCache, keys: list[str], codebooks: int) -> None:
        self.found: dict[str, np.ndarray] = {}
        self.others: dict[str, Future[np.ndarray]] = {}
        self.mine: dict[str, PreparedClip] = {}
        self._cache, self._keys, self._codebooks = cache, keys, codebooks

    def __enter__(self) -> Claim:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.mine:
            self._cache._give_up(self, error or RuntimeError("clips that were claimed were not encoded"))

    @property
    def missing(self) -> list[PreparedClip]:
        """Clips to encode, each once."""
        return list(self.mine.values())

    def settle(self, encoded: Sequence[np.ndarray]) -> None:
        """Codes of `missing`, in its order. Raises ValueError: they are no codes."""
        found = {key: _checked(codes, self._codebooks) for key, codes in zip(self.mine, encoded, strict=True)}
        for key, codes in found.items():
            self._cache._write(key, codes)
        self._cache._keep(self, found)

    def codes(self) -> list[np.ndarray]:
        """Codes of all the clips as they were asked for; waits for others. Raises what their encode raised."""
        known = self.found | {key: future.result() for key, future in self.others.items()}
        return [known[key] for key in self._keys]


def _key(content: str, codec_identity: str, codebooks: int) -> str:
    return hashlib.sha256(f"1\0{content}\0{codec_identity}\0{codebooks}".encode()).hexdigest()


def _checked(codes: np.ndarray, codebooks: int) -> np.ndarray:
    """A copy of its own as int16 `[T, codebooks]`. Raises ValueError for anything else."""
    codes = np.asarray(codes)
    if codes.ndim != 2 or codes.shape[1] != codebooks or codes.dtype.kind not in "iu":
        raise ValueError(f"codes must be whole numbers [T, {codebooks}], not {codes.dtype} {list(codes.shape)}")
    return np.array(codes, dtype=np.int16, order="C")
