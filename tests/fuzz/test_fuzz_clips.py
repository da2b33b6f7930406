"""Damaged clips give a valid array or a ClipError, never anything else."""

from __future__ import annotations

import io

import av
import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.audio import load_clip
from engine.errors import ClipError

SUFFIXES = ["wav", "flac", "mp3", "ogg", "m4a", "mkv"]


@pytest.fixture(scope="module")
def whole() -> dict[str, bytes]:
    """A sound clip of each format, 0.3 s."""
    rate = 16_000
    samples = np.random.default_rng(0).normal(0, 0.1, (4800, 2)).astype(np.float32)
    made = {}
    for suffix in SUFFIXES:
        file = io.BytesIO()
        if suffix in ("m4a", "mkv"):
            with av.open(file, "w", format="mp4" if suffix == "m4a" else "matroska") as container:
                stream = container.add_stream("aac", rate=rate)
                stream.layout = "stereo"
                for at in range(0, len(samples), 1024):
                    block = np.ascontiguousarray(samples[at : at + 1024].T)
                    frame = av.AudioFrame.from_ndarray(block, format="fltp", layout="stereo")
                    frame.sample_rate, frame.pts = rate, at
                    container.mux(stream.encode(frame))
                container.mux(stream.encode(None))
        else:
            soundfile.write(file, samples, rate, format=suffix.upper())
        made[suffix] = file.getvalue()
    return made


def read_or_refused(path, start_s=None, end_s=None) -> None:
    try:
        samples, rate = load_clip(path, start_s, end_s)
    except ClipError as error:
        assert error.remedy and len(str(error)) < 600
        return
    assert samples.ndim == 2 and samples.size and samples.dtype == np.float32
    assert np.isfinite(samples).all() and rate > 0 and len(samples) <= 101 * rate


damage = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "drop", "repeat", "insert"]), st.floats(0, 1), st.binary(min_size=1, max_size=9)
    ),
    min_size=1,
    max_size=6,
)
quick = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])


def damaged(data: bytes, steps: list[tuple[str, float, bytes]], headers_first: bool) -> bytes:
    for kind, place, extra in steps:
        at = int(place * min(len(data), 200 if headers_first else len(data)))
        if kind == "flip":
            data = data[:at] + extra + data[at + len(extra) :]
        elif kind == "cut":
            data = data[: max(at, 4)]
        elif kind == "drop":
            data = data[:at] + data[at + len(extra) :]
        elif kind == "repeat":
            data = data[:at] + data[max(0, at - 64) : at] + data[at:]
        else:
            data = data[:at] + extra + data[at:]
    return data


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(steps=damage, headers_first=st.booleans(), ranged=st.booleans())
@quick
def test_a_damaged_clip_is_read_or_refused(tmp_path, whole, suffix, steps, headers_first, ranged):
    path = tmp_path / f"clip.{suffix}"
    path.write_bytes(damaged(whole[suffix], steps, headers_first))
    read_or_refused(path, *((0.1, 0.2) if ranged else ()))


MAGICS = [b"", b"RIFF", b"fLaC", b"OggS", b"ID3\x04", b"\x00\x00\x00\x18ftyp"]


@given(data=st.binary(max_size=300), suffix=st.sampled_from(SUFFIXES), magic=st.sampled_from(MAGICS))
@quick
def test_any_bytes_are_read_or_refused(tmp_path, data, suffix, magic):
    path = tmp_path / f"clip.{suffix}"
    path.write_bytes(magic + data)
    read_or_refused(path)


@given(st.floats() | st.none(), st.floats() | st.none())
@quick
def test_any_range_is_read_or_refused(tmp_path, whole, start_s, end_s):
    for suffix in ("wav", "m4a"):
        path = tmp_path / f"clip.{suffix}"
        if not path.exists():
            path.write_bytes(whole[suffix])
        read_or_refused(path, start_s, end_s)
