"""Reads clips of any format, never more of them than is needed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.audio_headers import is_mpeg_in_wav
from engine.errors import ClipError

LONGEST_S = 100.0  # what the encoder takes as one reference (MODEL §6)
LONGEST_DECODED_SAMPLES = 100_000_000  # over all channels; no real clip of 100 s comes near
HIGHEST_RATE = 1_536_000
MOST_CHANNELS = 64
# libsndfile's names. What it opens that is not listed here goes to FFmpeg's libraries, which have the sterner readers.
_SNDFILE_FORMATS = frozenset({"WAV", "WAVEX", "RF64", "W64", "AIFF", "FLAC", "CAF", "AU"})
# How files of these begin. MP3 is not even opened there: its decoder writes what it thinks of a file to this program's
# standard error, and gives wrong samples at the borders of blocks. Of a damaged Ogg file it gives the end twice, and of
# one that holds several streams the first alone.
_SNDFILE_STARTS = (b"RIFF", b"RIFX", b"RF64", b"riff", b"FORM", b"fLaC", b"caff", b".snd", b"dns.")
# Only formats that hold their sound themselves: a play list could name other files.
_AV_FORMATS = (
    "aac,ac3,aiff,amr,ape,asf,au,avi,caf,dsf,eac3,flac,flv,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mp3,mpeg,mpegts,"
    "mpc,mpc8,ogg,oma,qcp,rm,spx,tak,tta,voc,w64,wav,wv,xwma"
)
_BLOCK_SAMPLES = 1 << 16
_NEAR_S = 20.0  # a part that begins within this is counted from the first sample, which is exact and as fast
_RUN_UP_S = 0.5  # decoded before a part: frames of MP3, AAC and Opus lean on those before them
_HEAD_BYTES = 1 << 16
_UNREADABLE = "Choose a WAV, FLAC, MP3, Ogg, Opus, M4A or video file, or save the clip again as WAV."


def load_clip(path: str | Path, start_s: float | None = None, end_s: float | None = None) -> tuple[np.ndarray, int]:
    """Samples of a clip, or of a part of it; only that part and what lies just before it is decoded.

    WAV, FLAC and AIFF are read by libsndfile, everything else (MP3, Ogg, Opus, M4A, video, …) by FFmpeg's libraries.

    Args:
        start_s, end_s: the part, in seconds from the beginning; None is the beginning and the end.

    Returns:
        float32 `[n, channels]` with n >= 1, finite, full scale 1.0 (a float file may exceed it), and the rate in Hz.

    Raises:
        ClipError: missing, empty, damaged, no sound in it, over 100 s, or not finite; says what to do.
    """
    path = Path(path)
    start_s, end_s = _checked_range(path, start_s, end_s)
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise ClipError(f"{path.name} is not a file.", "Choose an audio file.")
    except (OSError, ValueError) as error:
        message = f"The clip {path} cannot be read ({_reason(error)})."
        raise ClipError(message, "Check that the file is there.") from error
    if size == 0:
        raise ClipError(f"{path.name} is empty.", "Record or copy it again.")
    found = _read_with_sndfile(path, start_s, end_s)
    samples, rate = found if found is not None else _read_with_av(path, start_s, end_s)
    if len(samples) == 0:
        message = f"There is no sound in {path.name}, or none in the chosen part."
        raise ClipError(message, "Choose another part or clip.")
    if not np.isfinite(samples).all():
        raise ClipError(f"{path.name} is damaged: it holds values that are no numbers.", "Save it again as 24-bit WAV.")
    return samples, rate


def _checked_range(path: Path, start_s: float | None, end_s: float | None) -> tuple[float, float | None]:
    start = 0.0 if start_s is None else float(start_s)
    end = None if end_s is None else float(end_s)
    if not math.isfinite(start) or start < 0 or (end is not None and (not math.isfinite(end) or end <= start)):
        raise ClipError(
            f"The chosen part of {path.name} ({start_s} s to {end_s} s) is none.",
            "Its start must lie at 0 s or later, and its end after its start.",
        )
    if end is not None and end - start > LONGEST_S:
        raise _too_long(path, end - start)
    return start, end


def _too_long(path: Path, seconds: float | None) -> ClipError:
    length = f"is {seconds:.1f} s long" if seconds is not None else f"is longer than {LONGEST_S:.0f} s"
    message = f"{path.name} {length}; at most {LONGEST_S:.0f} s can be used."
    return ClipError(message, "Choose a part of 5 to 20 s of it.")


def _damaged(path: Path, error: object) -> ClipError:
    return ClipError(f"{path.name} cannot be read as audio ({_reason(error)}).", _UNREADABLE)


def _reason(error: object) -> str:
    text = str(getattr(error, "strerror", None) or error or type(error).__name__).strip()
    return text.splitlines()[0][:200].rstrip(".") if text else type(error).__name__


def _check_format(path: Path, rate: float, channels: int) -> None:
    if not 1 <= channels <= MOST_CHANNELS or not 1 <= rate <= HIGHEST_RATE:
        raise _damaged(path, f"{channels} channels at {rate} Hz")


def _check_amount(path: Path, samples: int, channels: int) -> None:
    if samples * channels > LONGEST_DECODED_SAMPLES:
        raise ClipError(f"{path.name} holds too much data for a clip.", "Save it at 48 kHz with one or two channels.")


def _read_with_sndfile(path: Path, start_s: float, end_s: float | None) -> tuple[np.ndarray, int] | None:
    """None when libsndfile does not know the format, so that the other reader may try."""
    import soundfile

    try:
        if not _is_for_sndfile(path):
            return None
        with soundfile.SoundFile(str(path)) as file:
            if file.format not in _SNDFILE_FORMATS:
                return None
            rate = int(file.samplerate)
            _check_format(path, rate, file.channels)
            # A damaged or streamed header may claim any length; it is only used to refuse early, never to allocate.
            known = file.frames if 0 < file.frames < 1 << 62 else None
            if known is not None and end_s is None and known / rate - start_s > LONGEST_S:
                raise _too_long(path, known / rate - start_s)
            first = round(start_s * rate)
            wanted = None if end_s is None else round(end_s * rate) - first
            if first:
                if known is not None and first >= known:
                    return np.zeros((0, file.channels), np.float32), rate
                file.seek(first)
            return _gather(path, _sndfile_blocks(file), rate, wanted), rate
    except (soundfile.SoundFileError, OSError, ValueError, TypeError, OverflowError):
        return None  # unknown or damaged: the other reader decides, and words the error


def _is_for_sndfile(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return head.startswith(_SNDFILE_STARTS) and not is_mpeg_in_wav(head)


def _sndfile_blocks(file: object) -> Iterator[np.ndarray]:
    while True:
        block = file.read(_BLOCK_SAMPLES, dtype="float32", always_2d=True)
        if len(block) == 0:
            return
        yield block


def _gather(path: Path, blocks: Iterator[np.ndarray], rate: int, wanted: int | None) -> np.ndarray:
    """Blocks until `wanted` samples are there, or, without a wish, until the end: refused when that is over 100 s."""
    limit = math.ceil(LONGEST_S * rate)
    parts: list[np.ndarray] = []
    count = 0
    for block in blocks:
        parts.append(block)
        count += len(block)
        _check_amount(path, count, block.shape[1])
        if wanted is not None and count >= wanted:
            break
        if wanted is None and count > limit:
            raise _too_long(path, None)
    if not parts:
        return np.zeros((0, 1), np.float32)
    return np.concatenate(parts)[: wanted if wanted is not None else count]


def _read_with_av(path: Path, start_s: float, end_s: float | None) -> tuple[np.ndarray, int]:
    import av

    try:
        # `file:` keeps a name such as "http:…" or "concat:…" from being taken for a protocol.
        options = {"protocol_whitelist": "file", "format_whitelist": _AV_FORMATS}
        with av.open(f"file:{path}", options=options, metadata_errors="ignore") as container:
            stream = next(iter(container.streams.audio), None)
            if stream is None:
                raise ClipError(f"There is no sound in {path.name}.", "Choose a file that has a sound track.")
            return _read_stream(path, container, stream, start_s, end_s)
    except ClipError:
        raise
    except (av.FFmpegError, ArithmeticError, AttributeError, MemoryError, OSError, TypeError, ValueError) as error:
        raise _damaged(path, error) from error


def _read_stream(
    path: Path, container: object, stream: object, start_s: float, end_s: float | None
) -> tuple[np.ndarray, int]:
    rate, channels = int(stream.codec_context.sample_rate or 0), int(stream.codec_context.channels or 0)
    _check_format(path, rate, channels)
    if end_s is None and stream.duration is not None and stream.time_base is not None:
        seconds = float(stream.duration * stream.time_base) - start_s
        if seconds > LONGEST_S + 1:  # the header's own word; the exact count follows below
            raise _too_long(path, seconds)
    origin_s = None
    if start_s > _NEAR_S and stream.time_base:
        origin_s = _first_time_s(container, stream)
        container.seek(int((origin_s + start_s - _RUN_UP_S) / stream.time_base), stream=stream, backward=True)
    wanted = None if end_s is None else round(end_s * rate) - round(start_s * rate)
    blocks = _av_blocks(path, container, stream, rate, channels, round(start_s * rate), origin_s)
    return _gather(path, blocks, rate, wanted), rate


def _first_time_s(container: object, stream: object) -> float:
    """The time of the first sample that is decoded; the header's own word may lie 0.1 s beside it."""
    import av

    try:
        for frame in container.decode(stream):
            if frame.time is not None:
                return float(frame.time)
    except (av.FFmpegError, ValueError):
        pass  # damage at the beginning says nothing of the part
    return float((stream.start_time or 0) * stream.time_base)


def _av_blocks(
    path: Path, container: object, stream: object, rate: int, channels: int, first: int, origin_s: float | None
) -> Iterator[np.ndarray]:
    """Float32 `[n, channels]` from sample `first` on; frames of another rate or layout are brought to the first's.

    Args:
        origin_s: the time of sample 0; None where the first frame begins with it.
    """
    import av

    resampler, kind = None, None
    layout = stream.codec_context.layout
    position = None if origin_s is not None else 0
    failed: Exception | None = None
    some = False
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except StopIteration:
            break
        except (av.FFmpegError, ValueError) as error:
            failed = error  # what was read before the damage is kept, as every player does
            break
        try:
            frames = packet.decode()
        except (av.FFmpegError, ValueError) as error:
            failed = error  # what comes after a damaged place is kept as well
            continue
        for frame in frames:
            if position is None:
                position = 0 if frame.time is None else round((frame.time - origin_s) * rate)
            if kind != (kind := (frame.format.name, frame.layout.name, frame.sample_rate)):
                resampler = av.AudioResampler(format="flt", layout=layout, rate=rate)
            for part in resampler.resample(frame):
                block = part.to_ndarray().reshape(-1, channels).astype(np.float32, copy=False)
                skip = min(len(block), max(0, first - position))
                position += len(block)
                if len(block) > skip:
                    some = True
                    yield block[skip:]
    if failed is not None and not some:
        raise _damaged(path, failed)
