"""Samples as the interfaces send them: 16-bit values by each server's own rule, and files around them."""

from __future__ import annotations

import io
import struct

import numpy as np
import soundfile

RATE = 48_000
MEDIA_TYPES = {
    "wav": "audio/wav",
    "pcm": "audio/pcm",
    "flac": "audio/flac",
    "mp3": "audio/mpeg",
    "aac": "audio/aac",
    "opus": "audio/ogg",
}
STREAMED_SIZE = 0xFFFFFFFF


def to_int16_truncating(samples: np.ndarray) -> np.ndarray:
    """int16 `[n, ch]`: clipped, times 32767, cut off towards zero (SGLang-Omni)."""
    return np.trunc(np.clip(samples, -1.0, 1.0).astype(np.float64) * 32767.0).astype("<i2")


def to_int16_flooring(samples: np.ndarray) -> np.ndarray:
    """int16 `[n, ch]`: times 32768, rounded down, clipped (libsndfile, vLLM-Omni)."""
    return np.clip(np.floor(np.asarray(samples, np.float64) * 32768.0), -32768, 32767).astype("<i2")


def wav_header(channels: int, data_bytes: int = STREAMED_SIZE) -> bytes:
    """The 44 bytes before 16-bit samples; `STREAMED_SIZE` leaves both sizes open."""
    whole = STREAMED_SIZE if data_bytes == STREAMED_SIZE else 36 + data_bytes
    form = struct.pack("<HHIIHH", 1, channels, RATE, RATE * channels * 2, channels * 2, 16)
    return (
        b"RIFF"
        + struct.pack("<I", whole)
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + form
        + b"data"
        + struct.pack("<I", data_bytes)
    )


def encode(values: np.ndarray, response_format: str) -> bytes:
    """A whole file of int16 `[n, ch]` at 48 kHz."""
    raw = np.ascontiguousarray(values).tobytes()
    channels = values.shape[1]
    if response_format == "pcm":
        return raw
    if response_format == "wav":
        return wav_header(channels, len(raw)) + raw
    if response_format == "aac":
        return _aac(values)
    target = io.BytesIO()
    form, subtype = {"flac": ("FLAC", "PCM_16"), "mp3": ("MP3", "MPEG_LAYER_III"), "opus": ("OGG", "OPUS")}[
        response_format
    ]
    soundfile.write(target, values, RATE, format=form, subtype=subtype)
    return target.getvalue()


def resampled_to_speed(samples: np.ndarray, speed: float) -> np.ndarray:
    """Faster or slower by linear interpolation, which moves the pitch too (SGLang-Omni). float32 `[n, ch]`."""
    if speed == 1.0 or len(samples) < 2:
        return samples
    at = np.linspace(0.0, len(samples) - 1, max(1, round(len(samples) / speed)))
    left = np.minimum(at.astype(np.int64), len(samples) - 2)
    share = (at - left)[:, None].astype(np.float32)
    return samples[left] * (1 - share) + samples[left + 1] * share


def stretched_to_speed(samples: np.ndarray, speed: float, size: int = 768, hop: int = 192) -> np.ndarray:
    """Faster or slower at the same pitch, by a phase vocoder (vLLM-Omni). float32 `[n, ch]`, `int(n / speed)`
    samples."""
    if speed == 1.0 or not len(samples):
        return samples
    wanted = int(len(samples) / speed)
    window = np.hanning(size + 1)[:-1]
    expected = 2 * np.pi * hop * np.arange(size // 2 + 1) / size
    channels = []
    for channel in samples.T:
        padded = np.pad(channel, (size // 2, size + hop))
        count = 1 + (len(padded) - size) // hop
        frames = np.fft.rfft(np.stack([padded[at * hop : at * hop + size] for at in range(count)]) * window)
        steps = np.arange(0, count - 1, speed)
        phase = np.angle(frames[0])
        out = np.zeros(size + hop * len(steps))
        weight = np.zeros_like(out)
        for number, step in enumerate(steps):
            index, share = int(step), step - int(step)
            near, far = frames[index], frames[index + 1]
            size_now = (1 - share) * np.abs(near) + share * np.abs(far)
            place = slice(number * hop, number * hop + size)
            out[place] += np.fft.irfft(size_now * np.exp(1j * phase)) * window
            weight[place] += window**2
            moved = np.angle(far) - np.angle(near) - expected
            phase += expected + moved - 2 * np.pi * np.round(moved / (2 * np.pi))
        body = (out / np.maximum(weight, 1e-3))[size // 2 :][:wanted]
        channels.append(np.pad(body, (0, wanted - len(body))))
    return np.stack(channels, axis=1).astype(np.float32)


def _aac(values: np.ndarray) -> bytes:
    import av

    target = io.BytesIO()
    layout = "mono" if values.shape[1] == 1 else "stereo"
    with av.open(target, "w", format="adts") as file:
        stream = file.add_stream("aac", rate=RATE, layout=layout)
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(values).reshape(1, -1), format="s16", layout=layout)
        frame.sample_rate = RATE
        for packet in (*stream.encode(frame), *stream.encode(None)):
            file.mux(packet)
    return target.getvalue()
