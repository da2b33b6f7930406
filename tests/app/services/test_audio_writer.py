"""What is written is what was given, playable at every moment."""

from __future__ import annotations

import io
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.services import audio_writer
from app.services.audio_writer import SUFFIXES, AudioWriter, OutputError
from engine.job import to_grid


def speech(seconds: float = 2.0) -> np.ndarray:
    time_s = np.arange(round(48_000 * seconds)) / 48_000
    return to_grid(np.stack([0.4 * np.sin(2 * np.pi * 220 * time_s), 0.3 * np.sin(2 * np.pi * 330 * time_s)], axis=1))


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".WAV"])
def test_lossless_formats_hold_every_bit(tmp_path: Path, suffix: str) -> None:
    samples = speech()
    samples[:3] = [[-1, 1 - 2**-23], [2**-23, -(2**-23)], [0, 0.5]]
    with AudioWriter(tmp_path / f"a{suffix}") as writer:
        for part in np.array_split(samples, 7):
            writer.write(part)
    read, rate = soundfile.read(tmp_path / f"a{suffix}", dtype="float64")
    assert rate == 48_000 and np.array_equal(read, samples.astype(np.float64))
    assert soundfile.info(tmp_path / f"a{suffix}").subtype == "PCM_24" and writer.seconds == 2.0


@pytest.mark.parametrize("suffix", [".mp3", ".ogg", ".opus"])
def test_lossy_formats_are_48_khz_stereo_and_sound_alike(tmp_path: Path, suffix: str) -> None:
    samples = speech()
    with AudioWriter(tmp_path / f"a{suffix}") as writer:
        writer.write(samples)
    read, rate = soundfile.read(tmp_path / f"a{suffix}", always_2d=True)
    assert rate == 48_000 and read.shape[1] == 2 and abs(len(read) - len(samples)) <= 4_800
    middle = slice(24_000, 72_000)
    for channel, pitch_hz in ((0, 220), (1, 330)):
        spectrum = np.abs(np.fft.rfft(read[middle, channel]))
        assert int(spectrum.argmax()) == pitch_hz


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_sound_is_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    sound = np.random.default_rng(1).uniform(-0.3, 0.3, (150_000, 2)).astype(np.float32)
    for name in ("a", "b"):
        with AudioWriter(tmp_path / f"{name}{suffix}") as writer:
            writer.write(sound)
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    assert abs(soundfile.info(tmp_path / f"a{suffix}").frames - len(sound)) < 2_500  # every page is accepted


def test_a_wav_that_is_never_closed_is_playable_to_the_last_second(tmp_path: Path) -> None:
    writer = AudioWriter(tmp_path / "a.wav")
    writer.write(speech(5.5))
    with wave.open(str(tmp_path / "a.wav")) as read:
        assert (read.getnchannels(), read.getframerate(), read.getsampwidth()) == (2, 48_000, 3)
        assert read.getnframes() >= 5 * 48_000
    writer.close()


def test_a_pipe_gets_a_wav_of_unknown_length(tmp_path: Path) -> None:
    samples = speech(1.0)
    pipe = io.BytesIO()
    with AudioWriter(pipe) as writer:
        writer.write(samples)
    content = pipe.getvalue()
    assert (
        content[:4] == b"RIFF"
        and content[-len(samples) * 6 :]
        == audio_writer.to_int24(samples).astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    )
    read, rate = soundfile.read(io.BytesIO(content))
    assert rate == 48_000 and len(read) == len(samples)


def test_a_wav_larger_than_4_gib_becomes_rf64(tmp_path: Path) -> None:
    with AudioWriter(tmp_path / "a.wav") as writer:
        writer.write(speech(1.0))
        writer._encoder._data_bytes += 5 << 30  # as if it were that long
    content = (tmp_path / "a.wav").read_bytes()
    assert content[:4] == b"RF64" and content[12:16] == b"ds64"
    assert int.from_bytes(content[28:36], "little") == (5 << 30) + 48_000 * 6
    assert len(content) == 80 + 48_000 * 6


def test_nothing_is_created_before_the_first_sample(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"older")
    AudioWriter(tmp_path / "a.wav").close()
    assert (tmp_path / "a.wav").read_bytes() == b"older"


@pytest.mark.parametrize("name", ["a.xyz", "a", "file.txt/a.wav", "folder.wav"])
def test_an_impossible_target_is_refused_before_any_work(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(OutputError) as caught:
        AudioWriter(tmp_path / name)
    assert caught.value.remedy


def test_a_full_disk_is_told_and_the_file_is_kept(tmp_path: Path, monkeypatch) -> None:
    writer = AudioWriter(tmp_path / "a.wav")
    writer.write(speech(1.5))

    def full(samples: np.ndarray) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer._encoder, "write", full)
    with pytest.raises(OutputError, match="disk is full") as caught:
        writer.write(speech(1.0))
    assert caught.value.exit_status == 5, "the file holds an incomplete result"
    writer.close()
    assert len(soundfile.read(tmp_path / "a.wav")[0]) == 72_000


@pytest.mark.parametrize("suffix", [".flac", ".mp3", ".ogg", ".opus"])
def test_a_full_disk_is_told_where_the_encoder_keeps_the_reason_to_itself(
    tmp_path: Path, monkeypatch, suffix: str
) -> None:
    writer = AudioWriter(tmp_path / f"a{suffix}")
    writer.write(speech(0.5))

    def full(samples: np.ndarray) -> None:
        raise soundfile.LibsndfileError(2)  # "System error."

    def no_room(**_) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer._encoder, "write", full)
    monkeypatch.setattr("tempfile.TemporaryFile", no_room)
    with pytest.raises(OutputError, match="disk is full") as caught:
        writer.write(speech(0.5))
    assert "System error" not in caught.value.message and "room" in caught.value.remedy


def test_missing_folders_are_made_with_the_first_sample(tmp_path: Path) -> None:
    target = tmp_path / "chapter 1" / "take" / "a.wav"
    with AudioWriter(target) as writer:
        assert not target.parent.exists()
        writer.write(speech(0.5))
    assert len(soundfile.read(target)[0]) == 24_000
