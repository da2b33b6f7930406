"""Clips of every format are read as far as needed; what is no clip is refused with a remedy."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from engine import audio
from engine.audio import load_clip
from engine.audio_measures import measure_clip
from engine.errors import ClipError

RATE = 48_000
ROOT = Path(__file__).resolve().parents[2]


def tone(seconds: float, rate: int = RATE, channels: int = 2, amplitude: float = 0.3) -> np.ndarray:
    """440 Hz in the first channel, each other one half as loud as the one before."""
    wave = amplitude * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)
    return np.stack([wave / 2**channel for channel in range(channels)], axis=1).astype(np.float32)


def write_av(path: Path, samples: np.ndarray, codec: str, rate: int = RATE, video: bool = False) -> Path:
    with av.open(str(path), "w") as container:
        if video:
            picture = container.add_stream("mpeg4", rate=5)
            picture.width = picture.height = 32
            picture.pix_fmt = "yuv420p"
        stream = container.add_stream(codec, rate=rate)
        stream.layout = "stereo"
        for at in range(0, len(samples), 1024):
            block = np.ascontiguousarray(samples[at : at + 1024].T)
            frame = av.AudioFrame.from_ndarray(block, format="fltp", layout="stereo")
            frame.sample_rate, frame.pts = rate, at
            container.mux(stream.encode(frame))
        if video:
            for index in range(10):
                image = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")
                image.pts = index
                container.mux(picture.encode(image))
            container.mux(picture.encode(None))
        container.mux(stream.encode(None))
    return path


def written(folder: Path, suffix: str, samples: np.ndarray, rate: int = RATE) -> Path:
    path = folder / f"clip.{suffix}"
    if suffix in ("m4a", "mp4", "mkv"):
        return write_av(path, samples, "aac", rate, video=suffix != "m4a")
    if suffix == "opus":
        soundfile.write(path, samples, rate, format="OGG", subtype="OPUS")
    else:
        soundfile.write(path, samples, rate)
    return path


FORMATS = ["wav", "flac", "mp3", "ogg", "opus", "m4a", "mp4", "mkv"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_gives_its_samples(tmp_path, suffix):
    samples, rate = load_clip(written(tmp_path, suffix, tone(2)))
    assert rate == RATE and samples.dtype == np.float32 and samples.shape[1] == 2
    assert abs(len(samples) / rate - 2) < 0.05
    middle = samples[RATE // 2 : RATE]
    assert np.sqrt(np.mean(middle[:, 0] ** 2)) == pytest.approx(0.3 / math.sqrt(2), rel=0.05)
    assert np.sqrt(np.mean(middle[:, 1] ** 2)) == pytest.approx(0.15 / math.sqrt(2), rel=0.1)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_part_is_what_lies_there_in_the_whole(tmp_path, suffix):
    samples = tone(3) * np.linspace(0.2, 1.0, 3 * RATE, dtype=np.float32)[:, None]  # louder and louder: places differ
    path = written(tmp_path, suffix, samples)
    whole, _ = load_clip(path)
    part, _ = load_clip(path, 1.25, 1.75)
    assert abs(len(part) - RATE // 2) <= 2
    expected = whole[round(1.25 * RATE) :][: len(part)]
    level = lambda x: np.sqrt(np.mean(x**2))  # noqa: E731
    assert level(part) == pytest.approx(level(expected), rel=0.03)


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW"])
@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (44_100, 3), (96_000, 6)])
def test_any_depth_rate_and_number_of_channels(tmp_path, subtype, rate, channels):
    path = tmp_path / "clip.wav"
    soundfile.write(path, tone(0.5, rate, channels), rate, subtype=subtype)
    samples, found = load_clip(path)
    assert found == rate and samples.shape == (rate // 2, channels)
    np.testing.assert_allclose(samples, tone(0.5, rate, channels), atol=0.02)


def sweep(seconds: float) -> np.ndarray:
    """A tone that rises: no two places of it are alike."""
    at = np.arange(round(seconds * RATE)) / RATE
    return np.stack([0.4 * np.sin(2 * np.pi * (f * at + 20 * at * at)) for f in (200, 300)], axis=1).astype(np.float32)


def test_an_mp3_is_what_was_written_at_every_place_and_in_every_part(tmp_path):
    path = written(tmp_path, "mp3", sweep(12))
    whole, _ = load_clip(path)
    assert np.abs(whole - sweep(12)[: len(whole)]).max() < 0.1
    for start_s in (0.4, 1.25, 7.01):
        part, _ = load_clip(path, start_s, start_s + 1)
        at = round(start_s * RATE)
        np.testing.assert_allclose(part, whole[at : at + len(part)], atol=1e-4)


@pytest.mark.parametrize(("suffix", "coding"), [("mp3", "libmp3lame"), ("mka", "libopus")])
@pytest.mark.parametrize(("rate", "start_s"), [(8_000, 0.1), (16_000, 0.05), (16_000, 27.3)])
def test_a_part_begins_where_it_does_in_the_whole(tmp_path, suffix, coding, rate, start_s):
    path = tmp_path / f"clip.{suffix}"
    pcm = (voice_like(start_s + 3, rate) * 32_767).astype(np.int16)[None]
    rate_out = 48_000 if coding == "libopus" else rate
    with av.open(str(path), "w") as container:
        stream = container.add_stream(coding, rate=rate_out, layout="mono")
        frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout="mono")
        frame.rate = rate
        resampler = av.AudioResampler(stream.format, "mono", rate_out, stream.frame_size or 1024)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    whole, rate = load_clip(path)
    part, _ = load_clip(path, start_s, start_s + 1)
    search = whole[:, 0][max(0, round((start_s - 0.2) * rate)) :][: round(1.4 * rate)]
    found = int(np.argmax(np.correlate(search, part[:, 0][: len(search) // 2], "valid")))
    found += max(0, round((start_s - 0.2) * rate))
    # Matroska counts in milliseconds, so a part far behind the beginning may lie one beside it.
    assert abs(found - round(start_s * rate)) <= (rate // 1000 if start_s > 20 and suffix != "mp3" else 0)


def voice_like(seconds: float, rate: int) -> np.ndarray:
    return np.random.default_rng(3).normal(0, 0.1, round(seconds * rate)).astype(np.float32)


def test_an_mp3_that_goes_on_at_another_rate_is_read_through(tmp_path):
    one, other = written(tmp_path, "mp3", tone(2)).read_bytes(), tmp_path / "other"
    other.mkdir()
    path = tmp_path / "both.mp3"
    path.write_bytes(one + written(other, "mp3", tone(2, 24_000, channels=1), 24_000).read_bytes())
    samples, rate = load_clip(path)
    assert rate == RATE and samples.shape[1] == 2 and abs(len(samples) / rate - 4) < 0.1
    assert np.sqrt(np.mean(samples[-RATE : -RATE // 4] ** 2)) > 0.1


def test_what_comes_after_a_damaged_place_of_an_m4a_is_kept(tmp_path):
    path = written(tmp_path, "m4a", sweep(8))
    content = bytearray(path.read_bytes())
    third = len(content) // 3
    content[third : third + 400] = b"\xff" * 400
    path.write_bytes(content)
    samples, _ = load_clip(path)
    assert len(samples) > 7 * RATE


def wav_of_mp3(path: Path, samples: np.ndarray) -> Path:
    with av.open(str(path), "w", format="wav") as container:
        stream = container.add_stream("libmp3lame", rate=RATE, layout="stereo")
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples.T), format="fltp", layout="stereo")
        frame.rate = RATE
        resampler = av.AudioResampler(stream.format, "stereo", RATE, 1152)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    return path


@pytest.mark.parametrize("within", ["mp3", "wav"])
def test_a_damaged_mp3_is_read_without_a_word_of_the_libraries(tmp_path, within):
    path = written(tmp_path, "mp3", tone(4)) if within == "mp3" else wav_of_mp3(tmp_path / "clip.wav", tone(4))
    content = bytearray(path.read_bytes())
    for at in range(len(content) // 3, len(content), 997):
        content[at : at + 9] = b"\x00\xff\xfb\x10abcde"
    for name, data in (("damaged", content), ("cut", content[: len(content) * 6 // 10])):
        (tmp_path / f"{name}.{within}").write_bytes(data)
    read = "import sys; from engine.audio import load_clip; [load_clip(path) for path in sys.argv[1:]]"
    paths = [str(tmp_path / f"{name}.{within}") for name in ("damaged", "cut")]
    done = subprocess.run([sys.executable, "-c", read, *paths], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout + done.stderr == ""


def test_a_ten_hour_file_is_refused_unread_and_its_part_is_read(tmp_path, monkeypatch):
    path = tmp_path / "long.wav"
    frames = 36_000 * 8_000
    with path.open("wb") as file:  # sparse: takes no room
        fmt = struct.pack("<HHIIHH", 1, 1, 8_000, 8_000, 1, 8)
        file.write(b"RIFF" + struct.pack("<I", 36 + frames) + b"WAVEfmt " + struct.pack("<I", 16) + fmt)
        file.write(b"data" + struct.pack("<I", frames))
        file.truncate(44 + frames)
    decoded = []
    gather = audio._gather
    monkeypatch.setattr(audio, "_gather", lambda *args: decoded.append(gather(*args)) or decoded[-1])
    with pytest.raises(ClipError, match="36000.0 s long.*Choose a part"):
        load_clip(path)
    assert not decoded
    samples, rate = load_clip(path, 35_000, 35_002)
    assert len(samples) == 2 * rate
    with pytest.raises(ClipError, match="at most 100 s"):
        load_clip(path, 0, 101)


@pytest.mark.parametrize("suffix", ["mp3", "ogg", "m4a"])
def test_longer_than_a_reference_may_be_is_refused_in_every_format(tmp_path, suffix):
    with pytest.raises(ClipError, match="at most 100 s"):
        load_clip(written(tmp_path, suffix, np.zeros((8_000 * 102, 2), np.float32), 8_000))


def test_what_is_no_clip_is_refused_with_a_remedy(tmp_path):
    soundfile.write(tmp_path / "none.wav", np.zeros((0, 1), np.float32), RATE)
    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "text.wav").write_text("no sound")
    (tmp_path / "list.m3u8").write_text(f"#EXTM3U\n#EXTINF:1,\n{tmp_path}/real.wav\n")
    (tmp_path / "list.ffconcat").write_text(f"ffconcat version 1.0\nfile '{tmp_path}/real.wav'\n")
    soundfile.write(tmp_path / "real.wav", tone(1), RATE)
    broken = tone(1)
    broken[100] = np.nan
    soundfile.write(tmp_path / "nan.wav", broken, RATE, subtype="FLOAT")
    write_av(tmp_path / "cut.m4a", tone(1), "aac")
    (tmp_path / "cut.m4a").write_bytes((tmp_path / "cut.m4a").read_bytes()[:500])
    names = ["none.wav", "empty.wav", "text.wav", "list.m3u8", "list.ffconcat", "nan.wav", "cut.m4a", "absent.wav", "."]
    for name in names:
        with pytest.raises(ClipError) as caught:
            load_clip(tmp_path / name)
        assert caught.value.remedy and "Traceback" not in str(caught.value), name
    for name in ("http://127.0.0.1:1/a.mp3", "concat:a.wav|b.wav", "a\0b.wav"):
        with pytest.raises(ClipError):
            load_clip(name)


@pytest.mark.parametrize(
    ("start", "end"), [(-1, None), (2, 1), (1, 1), (math.nan, None), (0, math.inf), (5, None), (5, 6)]
)
def test_an_impossible_part_is_refused(tmp_path, start, end):
    with pytest.raises(ClipError):
        load_clip(written(tmp_path, "wav", tone(2)), start, end)


def test_a_film_without_sound_says_so(tmp_path):
    path = tmp_path / "film.mp4"
    with av.open(str(path), "w") as container:
        picture = container.add_stream("mpeg4", rate=5)
        picture.width = picture.height = 32
        picture.pix_fmt = "yuv420p"
        container.mux(picture.encode(av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")))
        container.mux(picture.encode(None))
    with pytest.raises(ClipError, match="no sound"):
        load_clip(path)


def test_measures_tell_a_good_clip_from_bad_ones():
    speech = tone(2)
    speech[RATE // 2 : RATE] = 0
    good = measure_clip(speech, RATE)
    assert good.peak_dbfs == pytest.approx(20 * math.log10(0.3), abs=0.01)
    assert good.clipped_share == 0 and good.silence_share == pytest.approx(0.25, abs=0.02)
    clipped = measure_clip(np.clip(tone(1, amplitude=2.0), -1, 1), RATE)
    assert clipped.clipped_share > 0.2
    noise = np.random.default_rng(0).normal(0, 0.02, speech.shape).astype(np.float32)
    noisy = measure_clip(speech + noise, RATE)
    assert noisy.noise_floor_dbfs == pytest.approx(20 * math.log10(0.02), abs=1)
    padded_noise = np.concatenate([np.zeros((RATE, 2), np.float32), speech + noise])
    assert measure_clip(padded_noise, RATE).noise_floor_dbfs == pytest.approx(noisy.noise_floor_dbfs, abs=0.5)
    assert noisy.snr_db == pytest.approx(noisy.rms_dbfs - noisy.noise_floor_dbfs) and math.isinf(good.snr_db)
    assert measure_clip(speech + 0.1, RATE).dc_offset == pytest.approx(0.1, abs=0.01)
    padded = np.concatenate([np.zeros((RATE, 2), np.float32), speech, np.zeros((RATE // 2, 2), np.float32)])
    measured = measure_clip(padded, RATE)
    assert measured.leading_silence_s == pytest.approx(1, abs=0.05)
    assert measured.trailing_silence_s == pytest.approx(0.5, abs=0.05)
    assert measure_clip(np.zeros((100, 1), np.float32), RATE).rms_dbfs == -math.inf
    assert measure_clip(np.zeros((0, 1), np.float32), RATE).silence_share == 1
