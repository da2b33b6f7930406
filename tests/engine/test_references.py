"""Clips are prepared as the model was trained on, repaired openly, and encoded once."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import av
import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.audio import load_clip
from engine.audio_headers import promised_seconds
from engine.audio_ogg import ogg_sound
from engine.errors import ClipError
from engine.reference_cache import ReferenceCache
from engine.references import PreparedClip, file_sha256, prepare_clip
from engine.requests import Clip

RATE = 48_000
CODEC = SimpleNamespace(sample_rate=RATE, channels=2)


def voice(seconds: float = 2.0, rate: int = RATE, level: float = 0.1, seed: int = 0) -> np.ndarray:
    """Syllables of noise with gaps: `[n, 1]`, RMS of the syllables = level."""
    n = round(seconds * rate)
    random = np.random.default_rng(seed)
    gate = np.sin(2 * np.pi * 3 * np.arange(n) / rate + 0.5) > -0.5
    return (random.normal(0, level, n) * gate).astype(np.float32)[:, None]


def prepared(samples: np.ndarray, rate: int = RATE, codec=CODEC, **part) -> PreparedClip:
    return prepare_clip(Clip(samples=samples, rate=rate, **part), codec)


def codes_of(clip: PreparedClip) -> list[str]:
    return [warning.code for warning in clip.repairs]


def dbfs(samples: np.ndarray) -> float:
    return 10 * np.log10(np.mean(samples.astype(np.float64) ** 2) + 1e-9)


def test_mono_becomes_two_equal_channels():
    clip = prepared(voice())
    assert clip.samples.dtype == np.float32 and clip.samples.shape == (2, 2 * RATE)
    np.testing.assert_array_equal(clip.samples[0], clip.samples[1])
    assert clip.repairs == () and clip.seconds == 2.0


@pytest.mark.parametrize(("rate", "seconds"), [(8_000, 1.0), (44_100, 1.5), (96_000, 2.0)])
def test_any_rate_is_brought_to_the_codecs_before_the_channels(rate, seconds):
    clip = prepared(voice(seconds, rate), rate)
    assert abs(clip.samples.shape[1] - seconds * RATE) <= 2


@pytest.mark.parametrize(("level", "gain_db"), [(0.02, 3.0), (0.115, None), (0.5, -3.0)])
def test_the_level_moves_towards_minus_20_dbfs_by_at_most_3_db(level, gain_db):
    samples = voice(level=level)
    before, after = dbfs(samples), dbfs(prepared(samples).samples)
    wanted = gain_db if gain_db is not None else -20 - before
    assert abs(wanted) <= 3 and after - before == pytest.approx(wanted, abs=0.01)


def test_gain_may_lift_a_peak_above_full_scale():
    samples = voice(level=0.02)
    samples[RATE] = 0.9
    assert np.abs(prepared(samples).samples).max() > 1


def test_of_many_channels_the_first_two_are_used_unless_they_are_silent():
    many = np.concatenate([voice(seed=seed) for seed in range(6)], axis=1)
    clip = prepared(many)
    assert codes_of(clip) == ["clip_channels"]
    np.testing.assert_allclose(clip.samples / clip.samples[0, 100], many[:, :2].T / many[100, 0], rtol=1e-4)
    many[:, :2] = 0
    clip = prepared(many)
    assert codes_of(clip) == ["clip_channels"] and "mixed" in clip.repairs[0].message
    np.testing.assert_array_equal(clip.samples[0], clip.samples[1])
    assert np.corrcoef(clip.samples[0], many.mean(axis=1))[0, 1] > 0.9999


def test_a_codec_of_one_channel_gets_one():
    stereo = np.concatenate([voice(seed=1), voice(seed=2)], axis=1)
    clip = prepared(stereo, codec=SimpleNamespace(sample_rate=24_000, channels=1))
    assert clip.samples.shape == (1, RATE)


def test_long_silence_at_the_ends_is_cut_and_reported():
    quiet = np.zeros((2 * RATE, 1), np.float32)
    clip = prepared(np.concatenate([quiet, voice(), quiet]))
    assert codes_of(clip) == ["clip_silence"] and clip.seconds == pytest.approx(3.0, abs=0.1)
    assert codes_of(prepared(np.concatenate([quiet[: RATE // 3], voice()]))) == []


def test_an_offset_is_taken_away_and_reported():
    clip = prepared(voice() + 0.05)
    assert codes_of(clip) == ["clip_offset"] and abs(clip.samples.mean()) < 1e-4


def test_what_cannot_be_repaired_is_reported():
    assert "clip_clipped" in codes_of(prepared(np.clip(voice(level=0.8), -1, 1)))
    assert "clip_quiet" in codes_of(prepared(voice(level=0.006)))
    hiss = np.random.default_rng(1).normal(0, 0.05, (2 * RATE, 1)).astype(np.float32)
    assert "clip_noisy" in codes_of(prepared(voice() + hiss))


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (np.zeros((RATE, 1), np.float32), "silent"),
        (np.full((RATE, 1), 1e-5, np.float32), "silent"),
        (np.zeros((0, 2), np.float32), "empty"),
        (voice(0.4), "0.5 s"),
        (voice(102, 8_000), "100 s"),
        (np.full((RATE, 1), np.nan, np.float32), "no numbers"),
        (np.random.default_rng(0).normal(0, 0.001, (RATE, 1)).astype(np.float32), "quiet"),
    ],
)
def test_what_cannot_be_a_voice_is_refused_with_a_remedy(samples, said):
    with pytest.raises(ClipError, match=said) as caught:
        prepared(samples, 8_000 if len(samples) > 10 * RATE else RATE)
    assert caught.value.remedy


def test_a_file_that_cannot_be_read_fails(tmp_path):
    (tmp_path / "clip.wav").write_bytes(b"RIFF....")
    for name in ("clip.wav", "absent.wav"):
        with pytest.raises(ClipError):
            prepare_clip(Clip(path=tmp_path / name), CODEC)


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
def test_a_file_that_breaks_off_before_its_header_says_is_used_with_a_note(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    soundfile.write(path, voice(4.0), RATE, subtype="PCM_16")
    assert prepare_clip(Clip(path=path), CODEC).repairs == ()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    (note,) = prepare_clip(Clip(path=path), CODEC).repairs
    assert note.code == "clip_breaks_off" and "of 4.0 s only" in note.message
    assert prepare_clip(Clip(path=path, end_s=1.0), CODEC).repairs == ()


@pytest.mark.parametrize(("suffix", "codec_name"), [(".mp3", "libmp3lame"), (".m4a", "aac"), (".mkv", "aac")])
def test_a_compressed_file_that_breaks_off_is_used_with_a_note(tmp_path, suffix, codec_name):
    path = tmp_path / f"a{suffix}"
    options = {"movflags": "faststart"} if suffix == ".m4a" else {}
    with av.open(str(path), "w", options=options) as container:
        stream = container.add_stream(codec_name, rate=RATE, layout="mono")
        pcm = (voice(4.0).T * 32_767).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(pcm), format="s16", layout="mono")
        frame.rate = RATE
        resampler = av.AudioResampler(stream.format, "mono", RATE, stream.frame_size or 1024)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    assert "clip_breaks_off" not in codes_of(prepare_clip(Clip(path=path), CODEC))
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10])
    notes = [each for each in prepare_clip(Clip(path=path), CODEC).repairs if each.code == "clip_breaks_off"]
    assert len(notes) == 1 and notes[0].message.count("of 4.0 s") + notes[0].message.count("of 3.9 s") == 1


def write_ogg(path: Path, coding: str, seconds: float = 4.0) -> Path:
    soundfile.write(path, voice(seconds), RATE, format="OGG", subtype=coding)
    return path


@pytest.mark.parametrize("coding", ["VORBIS", "OPUS"])
@pytest.mark.parametrize("share", [0.35, 0.6, 0.999])
def test_an_ogg_file_without_its_end_is_used_with_a_note_of_what_was_read(tmp_path, coding, share):
    path = write_ogg(tmp_path / "a.ogg", coding)
    assert prepare_clip(Clip(path=path), CODEC).repairs == ()
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    samples, rate = load_clip(path)
    (note,) = [each for each in prepare_clip(Clip(path=path), CODEC).repairs if each.code == "clip_breaks_off"]
    assert f"after {len(samples) / rate:.1f} s" in note.message
    assert "clip_breaks_off" not in codes_of(prepare_clip(Clip(path=path, end_s=0.8), CODEC))


def test_an_ogg_file_that_lost_its_middle_says_how_much_is_there(tmp_path):
    path = write_ogg(tmp_path / "a.opus", "OPUS")
    content = bytearray(path.read_bytes())
    page = content.index(b"OggS", len(content) // 2)
    content[page + 300] ^= 0xFF  # a page whose sum is wrong is left out by every reader
    path.write_bytes(content)
    (note,) = [each for each in prepare_clip(Clip(path=path), CODEC).repairs if each.code == "clip_breaks_off"]
    assert "of 4.0 s only" in note.message


def test_ogg_streams_one_behind_the_other_are_read_as_one(tmp_path):
    one = write_ogg(tmp_path / "a.ogg", "VORBIS", 1.5)
    both = tmp_path / "both.ogg"
    both.write_bytes(one.read_bytes() * 2)
    clip = prepare_clip(Clip(path=both), CODEC)
    assert clip.seconds == pytest.approx(3.0, abs=0.05) and clip.repairs == ()
    soundfile.write(tmp_path / "other.ogg", voice(1.5, 44_100), 44_100)
    both.write_bytes(one.read_bytes() + (tmp_path / "other.ogg").read_bytes())
    (note,) = prepare_clip(Clip(path=both), CODEC).repairs  # of another rate: readers end there
    assert "of 3.0 s only 1.5 s" in note.message


def test_a_recording_from_the_middle_of_an_ogg_stream_promises_nothing(tmp_path):
    path = write_ogg(tmp_path / "a.ogg", "VORBIS")
    pages = [b"OggS" + rest for rest in path.read_bytes().split(b"OggS")[1:]]
    path.write_bytes(b"".join(pages[:2] + pages[len(pages) // 2 :]))
    assert ogg_sound(path).seconds is None
    assert "clip_breaks_off" not in codes_of(prepare_clip(Clip(path=path), CODEC))


def test_a_stream_of_unknown_length_breaks_off_nowhere(tmp_path):
    path = tmp_path / "a.wav"
    soundfile.write(path, voice(2.0), RATE, subtype="PCM_16")
    content = bytearray(path.read_bytes())
    at = content.index(b"data") + 4
    content[at : at + 4] = b"\xff" * 4
    path.write_bytes(content)
    assert prepare_clip(Clip(path=path), CODEC).repairs == ()


@given(
    st.binary(max_size=200),
    st.sampled_from(
        [b"RIFF1234WAVE", b"RF641234WAVE", b"fLaC", b"ID3", b"\xff\xfb\x94", b"\xff\xfb\x94\0" + b"\0" * 32 + b"Xing"]
        + [b"OggS\0\2", b"OggS\0\2" + b"\0" * 20 + b"\1\x13OpusHead\1\1", b"\0\0\0\x18ftypM4A ", b"\x1aE\xdf\xa3", b""]
    ),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_header_promises_something_or_nothing(tmp_path, content, start):
    path = tmp_path / "x"
    path.write_bytes(start + content)
    promised = promised_seconds(path)
    assert promised is None or promised > 0


def test_the_starters_own_voices_need_no_repair():
    from app.paths import starter

    clips = sorted((starter() / "voices").glob("*.wav"))
    assert clips
    for path in clips:
        assert prepare_clip(Clip(path=path), CODEC).repairs == (), path.name


def test_a_part_of_a_clip_is_another_clip(tmp_path):
    path = tmp_path / "clip.wav"
    soundfile.write(path, voice(4), RATE)
    whole, part = prepare_clip(Clip(path=path), CODEC), prepare_clip(Clip(path=path, start_s=1, end_s=2), CODEC)
    assert part.seconds == 1.0 and part.sha256 != whole.sha256
    assert prepared(voice(4), start_s=1.0, end_s=2.0).seconds == 1.0


class Encoder:
    """Counts what it encodes; codes follow from the samples."""

    def __init__(self, delay_s: float = 0.0, fail: int = 0) -> None:
        self.batches: list[int] = []
        self.delay_s = delay_s
        self.failures_left = fail
        self.running = threading.Event()

    def many(self, clips: list[PreparedClip]) -> list[np.ndarray]:
        self.batches.append(len(clips))
        self.running.set()
        time.sleep(self.delay_s)
        if self.failures_left:
            self.failures_left -= 1
            raise ClipError("broken encoder", "try again")
        return [np.full((len(clip.samples[0]) // 3840, 12), int(clip.sha256[:2], 16), np.int16) for clip in clips]

    def one(self, clip: PreparedClip) -> np.ndarray:
        return self.many([clip])[0]


def test_a_copied_and_renamed_clip_costs_no_second_encode(tmp_path):
    soundfile.write(tmp_path / "a.wav", voice(), RATE, subtype="FLOAT")
    shutil.copy(tmp_path / "a.wav", tmp_path / "another name.wav")
    cache, encoder = ReferenceCache(None), Encoder()
    first = cache.get(prepare_clip(Clip(path=tmp_path / "a.wav"), CODEC), "codec", encoder.one)
    second = cache.get(prepare_clip(Clip(path=tmp_path / "another name.wav"), CODEC), "codec", encoder.one)
    np.testing.assert_array_equal(first, second)
    assert encoder.batches == [1]


def test_a_changed_file_is_encoded_again(tmp_path):
    path = tmp_path / "a.wav"
    cache, encoder = ReferenceCache(tmp_path / "cache"), Encoder()
    for seed in (0, 1):
        soundfile.write(path, voice(seed=seed), RATE)
        cache.get(prepare_clip(Clip(path=path), CODEC), "codec", encoder.one)
    assert encoder.batches == [1, 1]


def test_another_codec_or_number_of_codebooks_is_encoded_for_itself():
    cache, encoder, clip = ReferenceCache(None), Encoder(), prepared(voice())
    cache.get(clip, "codec", encoder.one)
    cache.get(clip, "other", encoder.one)
    cache.get(clip, "codec", lambda c: encoder.one(c)[:, :4], codebooks=4)
    assert encoder.batches == [1, 1, 1]
    assert cache.get(clip, "codec", encoder.one, codebooks=4).shape[1] == 4


def test_codes_survive_on_disk_and_damaged_ones_are_made_again(tmp_path):
    clip, encoder = prepared(voice()), Encoder()
    codes = ReferenceCache(tmp_path).get(clip, "codec", encoder.one)
    np.testing.assert_array_equal(ReferenceCache(tmp_path).get(clip, "codec", encoder.one), codes)
    assert encoder.batches == [1]
    (entry,) = tmp_path.iterdir()
    whole = entry.read_bytes()
    for damaged in (b"", whole[:-1], whole[:100] + bytes([whole[100] ^ 1]) + whole[101:], b"\x80\x04N."):
        entry.write_bytes(damaged)
        encoder.batches.clear()
        np.testing.assert_array_equal(ReferenceCache(tmp_path).get(clip, "codec", encoder.one), codes)
        assert encoder.batches == [1] and entry.read_bytes() == whole


def test_a_folder_that_cannot_be_written_costs_nothing_but_the_cache(tmp_path):
    (tmp_path / "file").write_text("in the way")
    encoder = Encoder()
    assert len(ReferenceCache(tmp_path / "file" / "cache").get(prepared(voice()), "codec", encoder.one)) == 25


def test_the_least_recently_used_codes_leave_memory_first():
    clips = [prepared(voice(seed=seed)) for seed in range(3)]
    for limits in ({"memory_entries": 2}, {"memory_bytes": 2 * 25 * 12 * 2}):
        cache, encoder = ReferenceCache(None, **limits), Encoder()
        for index in (0, 1, 0, 2, 0, 1):
            cache.get(clips[index], "codec", encoder.one)
        assert len(encoder.batches) == 4  # 0, 1, 2, and 1 again


def test_clips_that_arrive_together_are_encoded_in_one_batch():
    clips = [prepared(voice(seed=seed)) for seed in range(3)]
    cache, encoder = ReferenceCache(None), Encoder()
    cache.get(clips[1], "codec", encoder.one)
    found = cache.get_many([clips[0], clips[1], clips[2], clips[0]], "codec", encoder.many)
    assert encoder.batches == [1, 2]
    for clip, codes in zip([clips[0], clips[1], clips[2], clips[0]], found, strict=True):
        np.testing.assert_array_equal(codes, cache.get(clip, "codec", encoder.one))
    assert encoder.batches == [1, 2]


def test_threads_that_want_the_same_clip_share_one_encode():
    clip, cache, encoder = prepared(voice()), ReferenceCache(None), Encoder(delay_s=0.1)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(cache.get(clip, "codec", encoder.one))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert encoder.batches == [1] and len(found) == 8
    assert all(np.array_equal(codes, found[0]) for codes in found)


def test_followers_get_the_leaders_error_and_the_next_try_encodes_again():
    clip, cache, encoder = prepared(voice()), ReferenceCache(None), Encoder(delay_s=0.2, fail=1)
    errors: list[Exception] = []

    def ask() -> None:
        try:
            cache.get(clip, "codec", encoder.one)
        except ClipError as error:
            errors.append(error)

    leader = threading.Thread(target=ask)
    leader.start()
    assert encoder.running.wait(30)
    follower = threading.Thread(target=ask)
    follower.start()
    leader.join(30)
    follower.join(30)
    assert encoder.batches == [1] and [error.message for error in errors] == ["broken encoder"] * 2
    assert len(cache.get(clip, "codec", encoder.one)) == 25 and encoder.batches == [1, 1]


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=6))
@settings(deadline=None, max_examples=15)
def test_threads_asking_for_overlapping_clips_never_wait_for_ever(requests):
    clips = [PreparedClip(np.zeros((2, 3840), np.float32), 0.08, (), f"{index:02x}") for index in range(4)]
    cache, encoder = ReferenceCache(None), Encoder(delay_s=0.001)
    answers: dict[int, list[np.ndarray]] = {}

    def ask(number: int, wanted: list[int]) -> None:
        answers[number] = cache.get_many([clips[index] for index in wanted], "codec", encoder.many)

    threads = [threading.Thread(target=ask, args=item, daemon=True) for item in enumerate(requests)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    for number, wanted in enumerate(requests):
        assert [int(codes[0, 0]) for codes in answers[number]] == wanted
    assert sum(encoder.batches) == len({index for wanted in requests for index in wanted})


def test_codes_handed_out_cannot_be_changed():
    codes = ReferenceCache(None).get(prepared(voice()), "codec", Encoder().one)
    with pytest.raises(ValueError):
        codes[0, 0] = 1


def test_the_hash_of_a_file_is_remembered_until_the_file_changes(tmp_path):
    import hashlib

    path = tmp_path / "a.wav"
    path.write_bytes(b"one")
    assert file_sha256(path) == hashlib.sha256(b"one").hexdigest() == file_sha256(path)
    path.write_bytes(b"two!")
    assert file_sha256(path) == hashlib.sha256(b"two!").hexdigest()
    with pytest.raises(ClipError):
        file_sha256(tmp_path / "absent")
