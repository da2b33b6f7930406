"""One file of sound: written under a temporary name beside its place, read back, and only then put there."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import soundfile

from app.services.exporter_formats import AudioFormat, ExportError, FileTags
from app.services.exporter_lossy import LossyWriter
from app.services.exporter_parts import part_path
from app.services.exporter_pcm import FlacWriter, Quantiser, WavWriter
from app.services.loudness import Loudness, LoudnessMeter

_READ_FRAMES = 65_536
_FRAMES_AT_ONCE = 40  # about a second: small steps cost more than the work itself
_LOSSY_SLACK_S = 0.15  # encoder delay and padding


class SoundFileOut:
    """A file being written. `write` float samples, then `finish` (verifies), or `discard`."""

    def __init__(self, target: Path, audio: AudioFormat, tags: FileTags, *, exact: bool) -> None:
        self.target = target
        self.part = part_path(target)
        self._audio = audio
        self._frames = 0
        self._hash = hashlib.sha256()
        # Dither where bits are dropped. What comes unchanged from takes lies on the 24-bit grid already.
        dither = audio.bits == 16 or not exact
        self._quantiser = None
        if audio.lossless and audio.bits != 32:
            self._quantiser = Quantiser(audio.bits, audio.channels, dither=dither)
        make = {"wav": WavWriter, "flac": FlacWriter}.get(audio.kind, LossyWriter)
        self._writer = make(self.part, audio, tags)

    @property
    def seconds(self) -> float:
        return self._frames / self._audio.rate

    def write(self, samples: np.ndarray) -> None:
        """float32 `[n, channels]` at the file's rate."""
        if not len(samples):
            return
        self._frames += len(samples)
        if self._quantiser is not None:
            samples = self._quantiser.round(samples)
        if self._audio.lossless:
            self._hash.update(np.ascontiguousarray(samples))
        self._writer.write(samples)

    def finish(self, tick: Callable[[], None], *, measure: bool = False) -> Loudness | None:
        """Closes the file and reads it back. Raises ExportError when it is not what was written.

        Args:
            tick: called again and again; may raise to end it.

        Returns:
            With `measure`, how loud a compressed file really came out; None for lossless files, which hold what was
            written.
        """
        self._writer.close()
        with self.part.open("rb+") as file:
            os.fsync(file.fileno())
        if self._audio.lossless:
            self._check_samples(tick)
            return None
        return self._check_length(tick, measure=measure)

    def discard(self) -> None:
        self._writer.abort()
        self.part.unlink(missing_ok=True)

    def _damaged(self, why: str) -> ExportError:
        return ExportError(
            f"{self.target.name} was written but reads back differently ({why}).", "Check the disk, then export again."
        )

    def _check_samples(self, tick: Callable[[], None]) -> None:
        digest = hashlib.sha256()
        with soundfile.SoundFile(self.part) as file:
            if (file.samplerate, file.channels, file.frames) != (self._audio.rate, self._audio.channels, self._frames):
                raise self._damaged(f"{file.frames} samples of {self._frames}")
            dtype = "float32" if self._audio.bits == 32 else "int32"
            while len(block := file.read(_READ_FRAMES, dtype=dtype, always_2d=True)):
                tick()
                # libsndfile hands out integers left aligned in 32 bits.
                digest.update(np.ascontiguousarray(block if dtype == "float32" else block >> (32 - self._audio.bits)))
        if digest.digest() != self._hash.digest():
            raise self._damaged("other samples")

    def _check_length(self, tick: Callable[[], None], *, measure: bool) -> Loudness | None:
        """Of a compressed file, by decoding all of it."""
        channels = self._audio.channels
        resampler = av.AudioResampler(format="flt", layout="stereo" if channels == 2 else "mono")
        meter: LoudnessMeter | None = None
        frames = rate = 0
        gathered: list[np.ndarray] = []
        with av.open(str(self.part)) as container:
            for frame in container.decode(container.streams.audio[0]):
                if len(frame.layout.channels) != channels:
                    raise self._damaged("other channels")
                rate = frame.sample_rate  # Opus always decodes at 48 kHz
                gathered += [plain.to_ndarray().reshape(-1, channels) for plain in resampler.resample(frame)]
                if len(gathered) >= _FRAMES_AT_ONCE:
                    tick()
                    meter = meter or (LoudnessMeter(rate, channels) if measure else None)
                    frames += _count(gathered, meter)
                    gathered = []
            meter = meter or (LoudnessMeter(rate, channels) if measure and rate else None)
            frames += _count(gathered, meter)
        seconds = frames / rate if rate else 0.0
        if abs(seconds - self.seconds) > _LOSSY_SLACK_S:
            raise self._damaged(f"{seconds:.2f} s of {self.seconds:.2f} s")
        return meter.result() if meter is not None else None


def _count(gathered: list[np.ndarray], meter: LoudnessMeter | None) -> int:
    """How many samples there are; measures them on the way."""
    if meter is not None and gathered:
        meter.feed(np.concatenate(gathered))
    return sum(map(len, gathered))


def explain(error: BaseException, target: Path) -> ExportError:
    """An error of the file system or a codec as a message that says what to do."""
    number = getattr(error, "errno", None)
    folder = target.parent
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return ExportError(
            f"There is no room left in {folder} for {target.name}.", "Free some space or choose another folder."
        )
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ExportError(
            f"{target.name} cannot be written in {folder}: it is write-protected.", "Choose another folder."
        )
    if number in (errno.ENOENT, errno.ENOTDIR, errno.EEXIST):
        return ExportError(f"The folder {folder} is not there (any more), or is no folder.", "Choose another folder.")
    if number == errno.EISDIR:
        return ExportError(f"{target} is a folder.", "Choose another name.")
    if number == errno.ENAMETOOLONG:
        return ExportError(f"The name {target.name} is too long for this disk.", "Choose a shorter one.")
    return ExportError(
        f"{target.name} could not be written ({error}).", "Check the disk and try again, or choose another folder."
    )


def write_text_part(target: Path, text: str) -> Path:
    """A text file under its temporary name, UTF-8, complete or not there at all; returns that name. Raises OSError."""
    part = part_path(target)
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return part
