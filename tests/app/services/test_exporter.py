"""Exported files, looked at from outside: format, length, loudness, peaks, joins, tags, and that nothing partial is
left."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from made_projects import RATE, Studio, plan, studio, voiced
from outside import decode, loudness, needs_ffmpeg, needs_sox, probe, soxi

from app.model.block import Block, BlockSettings
from app.model.project import Project
from app.model.project_settings import ProjectSettings
from app.model.voice import Voice
from app.services import exporter_file, exporter_parts
from app.services.exporter import export, snapshot
from app.services.exporter_formats import AudioFormat, ExportError, FileTags, kind_for
from app.services.exporter_parts import part_path
from app.services.exporter_plan import BlocksNotReady
from app.services.exporter_request import Cancelled, ExportRequest, Progress
from app.services.loudness import target_for
from app.services.mixer import Mixer
from app.services.programme import mix, programme
from engine import ModelCard, SpeechPlan, plan_speech

BOOK = [
    "# Arrival",
    "Hello there, this is a test. [pause 1s] Another sentence.",
    "Second line.",
    "# The storm",
    "Third line.",
]


@pytest.fixture(scope="module")
def book() -> Studio:
    return studio(BOOK, seconds=1.2, settings=ProjectSettings(title="A book", author="Ann Author"))


def heard(made: Studio) -> tuple[np.ndarray, Mixer]:
    mixer = Mixer()
    ids = [block.id for block in made.project.blocks]
    return np.concatenate(list(mix(programme(made.project, ids, made.read, plan), mixer))), mixer


def write(made: Studio, out: Path, **kw):
    return export(made.project, ExportRequest(out, **kw), made.read, plan)


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# -- what is written is what is heard


def test_the_exported_file_holds_the_very_samples_that_are_played(book: Studio, tmp_path: Path) -> None:
    played, _ = heard(book)
    write(book, tmp_path / "a.wav", audio=AudioFormat("wav", 32))
    written, rate = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert rate == RATE
    np.testing.assert_array_equal(written, played)


@pytest.mark.parametrize("kind", ["wav", "flac"])
def test_24_bits_hold_the_programme_to_half_a_step(kind: str, book: Studio, tmp_path: Path) -> None:
    played, _ = heard(book)
    write(book, tmp_path / f"a.{kind}", audio=AudioFormat(kind, 24))
    written, _ = soundfile.read(tmp_path / f"a.{kind}", dtype="float64")
    assert np.abs(written - played).max() <= 0.5 / 2**23


def test_16_bits_are_dithered_without_bias_or_distortion(tmp_path: Path) -> None:
    made = studio(["One."], level=0.00005)  # far below one step of 16 bits at its quietest
    made.audio = {
        key: value + np.float32(0.05) * (np.arange(len(value)) == 30_000)[:, None] for key, value in made.audio.items()
    }
    block = made.project.blocks[0]
    made.project = Project([block], takes=[replace(made.project.takes[block.chosen], pieces=())])
    loud = studio(["One."], level=0.01)
    write(loud, tmp_path / "a.wav", audio=AudioFormat("wav", 16))
    played, _ = heard(loud)
    written, _ = soundfile.read(tmp_path / "a.wav", dtype="float64")
    error = (written - played) * 2**15
    assert np.abs(error).max() <= 1.5
    assert error.std() == pytest.approx(0.5, abs=0.02)  # rounding (1/√12) and triangular noise (1/√6) together
    assert abs(error.mean()) < 0.02
    assert abs(np.corrcoef(error[:, 0], played[:, 0])[0, 1]) < 0.02


@pytest.mark.parametrize("kind", ["wav", "flac", "mp3", "opus", "m4b"])
def test_the_same_render_gives_the_same_bytes_twice(kind: str, book: Studio, tmp_path: Path) -> None:
    audio = AudioFormat(kind, 16, loudness_rate := 48_000)
    assert loudness_rate == audio.rate
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(
            book,
            tmp_path / name / f"x.{kind}",
            audio=audio,
            loudness=target_for("-16"),
            subtitles=frozenset({"srt", "vtt", "json"}),
        )
    assert leftovers(tmp_path / "a") == sorted([f"x.{kind}", "x.json", "x.srt", "x.vtt"])
    for name in leftovers(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


# -- formats, from outside


@needs_ffmpeg
@pytest.mark.parametrize(
    ("audio", "codec", "fmt"),
    [
        (AudioFormat("wav", 16), "pcm_s16le", "wav"),
        (AudioFormat("wav", 24), "pcm_s24le", "wav"),
        (AudioFormat("wav", 32), "pcm_f32le", "wav"),
        (AudioFormat("wav", 16, 44_100, 1), "pcm_s16le", "wav"),
        (AudioFormat("flac", 16), "flac", "flac"),
        (AudioFormat("flac", 24, 44_100, 1), "flac", "flac"),
        (AudioFormat("mp3", rate=44_100, kbps=192), "mp3", "mp3"),
        (AudioFormat("mp3", rate=48_000, channels=1, kbps=128), "mp3", "mp3"),
        (AudioFormat("opus", kbps=64), "opus", "ogg"),
        (AudioFormat("m4b", rate=44_100, kbps=96), "aac", "mov,mp4,m4a,3gp,3g2,mj2"),
    ],
)
def test_every_format_is_what_it_says(audio: AudioFormat, codec: str, fmt: str, book: Studio, tmp_path: Path) -> None:
    played, _ = heard(book)
    (file,) = write(book, tmp_path / ("a" + audio.extension), audio=audio).files
    told = probe(file.path)
    stream = told["streams"][0]
    assert (stream["codec_name"], told["format"]["format_name"]) == (codec, fmt)
    assert (int(stream["sample_rate"]), stream["channels"]) == (audio.rate, audio.channels)
    if audio.kind == "mp3":
        assert int(stream["bit_rate"]) == audio.kbps * 1000
    sound = decode(file.path, audio.channels, audio.rate)
    wanted_s = len(played) / RATE
    assert len(sound) / audio.rate == pytest.approx(wanted_s, abs=0.05)
    assert file.seconds == pytest.approx(wanted_s, abs=0.001)
    # The sound itself lies where it should: every 50 ms is as loud as in what is played.
    step = RATE // 20
    levels = np.sqrt((played[: len(played) // step * step, 0] ** 2).reshape(-1, step).mean(axis=1))
    step = audio.rate // 20
    found = np.sqrt((sound[: len(levels) * step, 0] ** 2).reshape(-1, step).mean(axis=1))
    np.testing.assert_allclose(found, levels[: len(found)], atol=0.02)


@needs_sox
@pytest.mark.parametrize(("audio", "bits", "encoding"), [
    (AudioFormat("wav", 16), "16", "Signed Integer PCM"),
    (AudioFormat("wav", 24), "24", "Signed Integer PCM"),
    (AudioFormat("wav", 32), "32", "Floating Point PCM"),
    (AudioFormat("flac", 24), "24", "FLAC"),
])  # fmt: skip
def test_sox_reads_the_same_format(audio: AudioFormat, bits: str, encoding: str, book: Studio, tmp_path: Path) -> None:
    (file,) = write(book, tmp_path / ("a" + audio.extension), audio=audio).files
    assert (soxi("-b", file.path), soxi("-e", file.path)) == (bits, encoding)
    assert int(soxi("-s", file.path)) == round(file.seconds * RATE)


def test_a_wav_beyond_4_gib_becomes_rf64(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.services import exporter_pcm

    monkeypatch.setattr(exporter_pcm, "MOST_RIFF_BYTES", 10_000)
    made = studio(["One."])
    write(made, tmp_path / "a.wav", audio=AudioFormat("wav", 24))
    assert (tmp_path / "a.wav").read_bytes()[:4] == b"RF64"
    played, _ = heard(made)
    assert soundfile.info(tmp_path / "a.wav").frames == len(played)


def test_what_a_format_cannot_do_is_refused_with_what_it_can() -> None:
    with pytest.raises(ExportError, match="16, 24"):
        AudioFormat("flac", 32)
    with pytest.raises(ExportError, match="44100"):
        AudioFormat("mp3", rate=96_000)
    with pytest.raises(ExportError, match="kbit/s"):
        AudioFormat("mp3", kbps=100)
    with pytest.raises(ExportError, match="channels"):
        AudioFormat(channels=6)
    assert kind_for(Path("x.M4A")) == "m4b"
    with pytest.raises(ExportError, match="End it in"):
        kind_for(Path("x.aiff"))


# -- tags, chapters, cover


@needs_ffmpeg
def test_chapters_cover_and_tags_are_in_the_audiobook(book: Studio, tmp_path: Path) -> None:
    import av

    cover = tmp_path / "cover.png"
    with av.open(str(cover), "w", format="image2") as container:
        stream = container.add_stream("png", rate=1)
        stream.width = stream.height = 64
        stream.pix_fmt = "rgb24"
        container.mux(stream.encode(av.VideoFrame.from_ndarray(np.full((64, 64, 3), 200, np.uint8))))
        container.mux(stream.encode(None))
    (file,) = write(book, tmp_path / "a.m4b", audio=AudioFormat("m4b", rate=44_100), tags=FileTags(cover=cover)).files
    told = probe(file.path)
    _, mixer = heard(book)
    assert [chapter["tags"]["title"] for chapter in told["chapters"]] == ["Arrival", "The storm"]
    ids = [block.id for block in book.project.blocks]
    second = next(span.start_sample for span in mixer.spans if span.block_id == ids[3]) / RATE
    assert float(told["chapters"][1]["start_time"]) == pytest.approx(second, abs=0.02)
    assert any(stream["disposition"]["attached_pic"] for stream in told["streams"])
    tags = told["format"]["tags"]
    assert (tags["title"], tags["artist"]) == ("A book", "Ann Author")
    assert "Synthetic speech" in tags["comment"]


@pytest.mark.parametrize("kind", ["wav", "flac"])
def test_synthetic_speech_is_marked_unless_switched_off(kind: str, book: Studio, tmp_path: Path) -> None:
    for synthetic in (True, False):
        write(book, tmp_path / f"a.{kind}", audio=AudioFormat(kind), tags=FileTags(synthetic=synthetic, comment="Mine"))
        with soundfile.SoundFile(tmp_path / f"a.{kind}") as file:
            assert ("Synthetic" in file.comment) is synthetic
            assert "Mine" in file.comment
            assert file.title == "A book"


def test_a_cover_that_is_no_picture_is_refused_and_nothing_is_left(book: Studio, tmp_path: Path) -> None:
    (tmp_path / "cover.jpg").write_text("no picture")
    with pytest.raises(ExportError, match="cover.jpg"):
        write(book, tmp_path / "a.mp3", audio=AudioFormat("mp3"), tags=FileTags(cover=tmp_path / "cover.jpg"))
    assert leftovers(tmp_path) == ["cover.jpg"]


# -- loudness


@pytest.fixture(scope="module")
def uneven() -> Studio:
    """Quiet and loud lines with peaks that need a limiter."""
    made = studio([f"Line {k}." for k in range(6)], seconds=2.0)
    random = np.random.default_rng(3)
    for index, take_id in enumerate(made.audio):
        samples = made.audio[take_id] * np.float32(0.3 + 0.2 * index)
        for at in random.integers(RATE // 2, len(samples) - RATE // 2, 6):
            samples[at : at + 40] += 0.5 * np.hanning(40)[:, None].astype(np.float32)
        made.audio[take_id] = np.clip(samples, -1, 1).astype(np.float32)
    return made


@needs_ffmpeg
@pytest.mark.parametrize("name", ["-14", "-16", "-18", "-19", "-23"])
def test_loudness_is_within_a_fifth_of_a_unit_and_peaks_are_under_the_ceiling(
    name: str, uneven: Studio, tmp_path: Path
) -> None:
    (file,) = write(uneven, tmp_path / "a.flac", audio=AudioFormat("flac", 24), loudness=target_for(name)).files
    lufs, true_peak_db = loudness(file.path)
    assert lufs == pytest.approx(float(name), abs=0.2)
    assert true_peak_db <= -0.95
    assert file.faults == ()


@needs_ffmpeg
@pytest.mark.parametrize(
    "audio",
    [
        AudioFormat("mp3", rate=44_100),
        AudioFormat("opus"),
        AudioFormat("m4b", rate=44_100),
        AudioFormat("wav", 16, 44_100, 1),
    ],
)
def test_loudness_holds_in_every_format(audio: AudioFormat, uneven: Studio, tmp_path: Path) -> None:
    (file,) = write(uneven, tmp_path / ("a" + audio.extension), audio=audio, loudness=target_for("-16")).files
    lufs, true_peak_db = loudness(file.path)
    assert lufs == pytest.approx(-16, abs=0.2)
    assert true_peak_db <= -0.95


@needs_ffmpeg
def test_loudness_is_measured_over_the_programme_not_over_each_chapter(tmp_path: Path) -> None:
    made = studio(["# One", "Loud.", "# Two", "Quiet."], seconds=3.0)
    block = made.project.blocks[3]
    made.audio[block.chosen] = made.audio[block.chosen] * np.float32(0.25)
    report = write(made, tmp_path, split="chapter", audio=AudioFormat("wav"), loudness=target_for("-18"))
    assert len({file.gain_db for file in report.files}) == 1


@needs_ffmpeg
def test_acx_files_meet_every_limit(tmp_path: Path) -> None:
    made = studio(BOOK, seconds=3.0, settings=ProjectSettings(title="A book"))
    report = write(
        made, tmp_path, split="chapter", audio=AudioFormat("mp3", rate=44_100, kbps=192), loudness=target_for("acx")
    )
    assert [file.path.name for file in report.files] == ["01 Arrival.mp3", "02 The storm.mp3"]
    for file in report.files:
        assert file.faults == ()
        stream = probe(file.path)["streams"][0]
        assert (stream["codec_name"], stream["sample_rate"], stream["bit_rate"]) == ("mp3", "44100", "192000")
        sound = decode(file.path, rate=44_100).astype(np.float64)
        rms_db = 10 * np.log10(np.mean(sound**2))
        assert -23 <= rms_db <= -18
        assert 20 * np.log10(np.abs(sound).max()) <= -3.0
        head, tail = sound[: int(0.5 * 44_100)], sound[-int(1.0 * 44_100) :]
        for room in (head, tail):
            assert -90 < 10 * np.log10(np.mean(room**2)) <= -60
        loud = np.flatnonzero(np.abs(sound).max(axis=1) > 0.01)
        assert 0.5 <= loud[0] / 44_100 <= 1.0
        assert 1.0 <= (len(sound) - loud[-1]) / 44_100 <= 5.0


@pytest.mark.parametrize(
    ("of_the_line", "of_the_voice"),
    [(BlockSettings(gain_db=20.0), {}), (BlockSettings(voice="a" * 32), {"a" * 32: 20.0})],
)
def test_gain_that_would_clip_is_limited(
    of_the_line: BlockSettings, of_the_voice: dict[str, float], tmp_path: Path
) -> None:
    settings = ProjectSettings(voice_gains_db=of_the_voice)
    made = studio([Block(text="One.", settings=of_the_line)], level=0.3, settings=settings)
    (file,) = write(made, tmp_path / "a.wav", audio=AudioFormat("wav", 32)).files
    written, _ = soundfile.read(file.path)
    assert np.abs(written).max() <= 1.0
    assert file.limited_db < -3


# -- joins


def test_joins_do_not_click_in_the_file(tmp_path: Path) -> None:
    """Pieces that begin and end in full swing: what is high in the spectrum at the joins is far below that of a hard
    cut."""
    made = studio(["One. [pause 0.3s] Two.", "Three."])
    for take_id, samples in made.audio.items():
        made.audio[take_id] = np.ascontiguousarray(np.resize(voiced(1.0)[RATE // 3 : RATE], samples.shape))
    (file,) = write(made, tmp_path / "a.wav", audio=AudioFormat("wav", 32)).files
    written, _ = soundfile.read(file.path, dtype="float64")
    _, mixer = heard(made)

    def high_db(samples: np.ndarray) -> float:
        spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
        return 20 * np.log10(spectrum[np.fft.rfftfreq(len(samples), 1 / RATE) > 8_000].max() + 1e-12)

    for span in mixer.spans:
        for at, side in ((span.start_sample, 1), (span.end_sample, -1)):
            around = np.zeros(2048)
            low = max(0, at - 1024)
            piece = written[low : at + 1024, 0]
            around[low - (at - 1024) : low - (at - 1024) + len(piece)] = piece
            hard = np.zeros(2048)
            hard[1024:] = written[at + 480 : at + 480 + 1024, 0] if side == 1 else 0.0
            hard[:1024] = 0.0 if side == 1 else written[at - 480 - 1024 : at - 480, 0]
            assert high_db(around) < high_db(hard) - 20


# -- one file of each


def test_a_file_a_chapter_a_block_a_voice(tmp_path: Path) -> None:
    ann, bob = Voice(name="Ann"), Voice(name="Bob/../x")
    lines = [
        Block(text="# One"),
        Block(text="First.", settings=BlockSettings(voice=ann.id)),
        Block(text="Second.", settings=BlockSettings(voice=bob.id)),
        Block(text="# CON"),
        Block(text="Third.", settings=BlockSettings(voice=ann.id)),
    ]
    made = studio(lines, voices=(ann, bob), settings=ProjectSettings(default_voice=ann.id, title="Book"))
    audio = AudioFormat("wav", 32)
    chapters = write(made, tmp_path / "c", split="chapter", template="{chapter}", audio=audio)
    assert leftovers(tmp_path / "c") == ["CON_.wav", "One.wav"]
    blocks = write(made, tmp_path / "b", split="block", template="{number:03} {voice} {text}", audio=audio)
    assert leftovers(tmp_path / "b")[1:3] == ["002 Ann First.wav", "003 Bob--x Second.wav"] or leftovers(tmp_path / "b")
    assert len(blocks.files) == 5
    voices = write(made, tmp_path / "v", split="voice", audio=audio)
    assert len(voices.files) == 2
    played, _ = heard(made)
    stems = [soundfile.read(file.path, dtype="float32")[0] for file in voices.files]
    np.testing.assert_allclose(stems[0] + stems[1], played, atol=1e-6)
    whole = sum(soundfile.info(file.path).frames for file in chapters.files)
    assert whole == pytest.approx(len(played) - made.project.settings.pauses.chapter_s * RATE, abs=0.2 * RATE)


# -- subtitles and cues


def parse_srt(text: str) -> list[tuple[float, float, list[str]]]:
    def seconds(stamp: str) -> float:
        hours, minutes, rest = stamp.replace(",", ".").split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(rest)

    cues = []
    for part in text.strip().split("\n\n"):
        _, times, *lines = part.split("\n")
        start, end = times.split(" --> ")
        cues.append((seconds(start), seconds(end), lines))
    return cues


@needs_ffmpeg
def test_subtitles_lie_on_the_speech_within_20_ms(tmp_path: Path) -> None:
    text = "This is quite a long line of text, which needs more than one cue to be shown; so it is cut in two or three. [pause 0.8s] And on."
    made = studio(["# One", text, "Last."], seconds=4.0)
    write(made, tmp_path / "a.wav", audio=AudioFormat("wav", 24), subtitles=frozenset({"srt", "vtt", "json"}))
    sound = decode(tmp_path / "a.wav")
    loud = np.flatnonzero(np.abs(sound).max(axis=1) > 0.006)
    cuts = np.flatnonzero(np.diff(loud) > 0.2 * RATE)
    starts = np.concatenate((loud[:1], loud[cuts + 1])) / RATE
    ends = np.concatenate((loud[cuts], loud[-1:])) / RATE
    cues = parse_srt((tmp_path / "a.srt").read_text("utf-8"))
    assert all(len(lines) <= 2 and all(len(line) <= 42 for line in lines) for _, _, lines in cues)
    assert all(a[1] <= b[0] + 1e-6 for a, b in zip(cues, cues[1:], strict=False))
    for at in starts:
        assert min(abs(cue[0] - at) for cue in cues) <= 0.02
    for at in ends:
        assert min(abs(cue[1] - at) for cue in cues) <= 0.02
    said = " ".join(" ".join(lines) for _, _, lines in cues)
    assert said == "One " + text.replace(" [pause 0.8s]", "") + " Last."
    told = probe(tmp_path / "a.vtt")
    assert told["streams"][0]["codec_name"] == "webvtt"
    sheet = json.loads((tmp_path / "a.json").read_text("utf-8"))
    for block, cue in zip(sheet["blocks"], [starts[0], starts[1], starts[3]], strict=True):
        assert block["start_s"] == pytest.approx(cue, abs=0.02)
    piece = sheet["blocks"][1]["pieces"][0]
    assert piece["words_estimated"] is True
    assert [word["text"] for word in piece["words"]][:3] == ["This", "is", "quite"]
    assert piece["words"][-1]["end_s"] == piece["end_s"]
    assert sheet["synthetic"] is True


# -- blocks that are not ready


def test_blocks_that_are_not_ready_stop_the_export_with_a_list(tmp_path: Path) -> None:
    made = studio(["First.", "Second.", "Third.", "Fourth."], unspoken=(1,))
    blocks = list(made.project.blocks)
    takes = dict(made.project.takes)
    takes[blocks[2].chosen] = replace(takes[blocks[2].chosen], state="incomplete")
    blocks[3] = replace(blocks[3], text="Fourth, changed.")
    made.project = Project(blocks, takes=takes.values())
    with pytest.raises(BlocksNotReady) as caught:
        write(made, tmp_path / "a.wav")
    assert [(problem.number, problem.reason) for problem in caught.value.problems] == [
        (2, "missing"),
        (3, "incomplete"),
        (4, "stale"),
    ]
    assert "line 3 “Third.”: ended before its text did" in str(caught.value)
    assert leftovers(tmp_path) == []
    report = write(made, tmp_path / "a.wav", skip=True)
    assert [problem.number for problem in report.left_out] == [2, 3, 4]
    assert report.files[0].seconds < 1.3


def test_what_has_no_take_is_rendered_first(tmp_path: Path) -> None:
    made = studio(["First.", "Second."], unspoken=(1,))
    spoken = studio(list(made.project.blocks))
    asked = []

    class Renders:
        def render(self, block_ids, progress, cancelled):
            asked.extend(block_ids)
            progress(0.5)
            return spoken.project

        def reason(self, block_id):
            return ""

    told: list[Progress] = []
    report = export(
        made.project,
        ExportRequest(tmp_path / "a.wav"),
        lambda *a: {**made.audio, **spoken.audio}[a[0]][a[1] : a[1] + a[2]],
        plan,
        rendering=Renders(),
        progress=told.append,
    )
    assert asked == [made.project.blocks[1].id]
    assert told[0].stage == "rendering"
    assert told[-1].fraction == 1.0
    assert report.files[0].seconds > 2


def test_words_the_model_cannot_read_are_never_left_out_in_silence(tmp_path: Path) -> None:
    card = ModelCard("Plain", continuation=False, characters="ascii")

    def plan_plain(block: Block, text: str) -> SpeechPlan:
        return plan_speech(text, card)

    made = studio(["First.", "你好", "⁂", "Hello 你好."])
    request = ExportRequest(tmp_path / "a.wav")
    with pytest.raises(BlocksNotReady) as caught:
        export(made.project, request, made.read, plan_plain)
    assert [(problem.number, problem.reason) for problem in caught.value.problems] == [(2, "unreadable")]
    assert "Plain cannot read “你”" in str(caught.value) and leftovers(tmp_path) == []
    report = export(made.project, replace(request, skip=True), made.read, plan_plain)
    assert [problem.number for problem in report.left_out] == [2]
    assert [(problem.number, problem.reason) for problem in report.doubtful] == [(4, "unreadable")]


def test_a_locked_block_may_be_older_than_its_text(tmp_path: Path) -> None:
    made = studio([Block(text="First.", settings=BlockSettings(locked=True))])
    made.project = Project([replace(made.project.blocks[0], text="Other.")], takes=made.project.takes.values())
    assert write(made, tmp_path / "a.wav").files


def test_a_script_without_speech_says_so(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="nothing to export"):
        write(studio(["// only a note"]), tmp_path / "a.wav")


# -- nothing partial is left


@pytest.mark.parametrize("kind", ["wav", "flac", "mp3", "opus", "m4b"])
def test_a_full_disk_leaves_no_file_and_a_message(kind: str, book: Studio, tmp_path: Path) -> None:
    (tmp_path / f"a.{kind}").write_bytes(b"the file of before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
    try:
        with pytest.raises(ExportError) as caught:
            write(book, tmp_path / f"a.{kind}", audio=AudioFormat(kind, kbps=128))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.remedy
    assert f"a.{kind}" in str(caught.value)
    assert leftovers(tmp_path) == [f"a.{kind}"]
    assert (tmp_path / f"a.{kind}").read_bytes() == b"the file of before"


@pytest.mark.parametrize("allowed", [0, 100, 20_000, 560_000])
def test_wherever_writing_fails_nothing_is_left(allowed: int, book: Studio, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (allowed, hard))
    try:
        with pytest.raises(ExportError):
            write(book, tmp_path / "new", split="chapter", subtitles=frozenset({"srt", "json"}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert leftovers(tmp_path) == []


def test_a_file_that_cannot_be_put_in_its_place_leaves_nothing(book: Studio, tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "in use")

    monkeypatch.setattr(exporter_parts.os, "replace", refuse)
    with pytest.raises(ExportError, match="write-protected"):
        write(book, tmp_path / "a.wav", subtitles=frozenset({"vtt"}))
    assert leftovers(tmp_path) == []


def test_where_one_file_cannot_be_put_in_its_place_all_are_as_they_were(
    book: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "01 Arrival.wav").write_bytes(b"of yesterday")
    (tmp_path / "01 Arrival.srt").write_bytes(b"of yesterday too")
    replace_file = os.replace

    def refuse(source: Path, target: Path) -> None:
        if Path(target).name == "02 The storm.srt":
            raise PermissionError(errno.EACCES, "in use")
        replace_file(source, target)

    monkeypatch.setattr(exporter_parts.os, "replace", refuse)
    with pytest.raises(ExportError, match="02 The storm.srt"):
        write(book, tmp_path, split="chapter", audio=AudioFormat("wav"), subtitles=frozenset({"srt"}))
    assert leftovers(tmp_path) == ["01 Arrival.srt", "01 Arrival.wav"]
    assert (tmp_path / "01 Arrival.wav").read_bytes() == b"of yesterday"
    assert (tmp_path / "01 Arrival.srt").read_bytes() == b"of yesterday too"
    monkeypatch.undo()
    write(book, tmp_path, split="chapter", audio=AudioFormat("wav"), subtitles=frozenset({"srt"}))
    assert len(leftovers(tmp_path)) == 4 and soundfile.info(tmp_path / "01 Arrival.wav").frames


def test_a_folder_that_is_a_file_is_told(book: Studio, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="no folder"):
        write(book, tmp_path / "file" / "a.wav")
    with pytest.raises(ExportError, match="no folder"):
        write(book, tmp_path / "file", split="chapter")


def test_a_place_that_cannot_be_written_is_told_before_anything_is_spoken(tmp_path: Path) -> None:
    made = studio(["First."], unspoken=(0,))
    (tmp_path / "file").write_text("")

    class Never:
        def render(self, block_ids, progress, cancelled):
            raise AssertionError("spoken for nothing")

        def reason(self, block_id):
            return ""

    for out in (tmp_path / "file" / "deep" / "a.wav", tmp_path):
        with pytest.raises(ExportError, match="folder"):
            export(made.project, ExportRequest(out), lambda *a: None, plan, rendering=Never())


def test_too_little_room_is_said_before_the_work(book: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.services import exporter

    monkeypatch.setattr(exporter.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 1000})())
    with pytest.raises(ExportError, match="needs about"):
        write(book, tmp_path / "new" / "a.wav")
    assert leftovers(tmp_path) == []


def test_cancelling_leaves_nothing(book: Studio, tmp_path: Path) -> None:
    asked = iter(range(1_000))
    request = ExportRequest(tmp_path / "new" / "deep", split="chapter", subtitles=frozenset({"srt"}))
    with pytest.raises(Cancelled):
        export(book.project, request, book.read, plan, cancelled=lambda: next(asked) > 12)
    assert leftovers(tmp_path) == []


def test_a_file_that_reads_back_differently_is_not_handed_over(
    book: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = exporter_file.WavWriter.close

    def damaging_close(self) -> None:
        close(self)
        with next(tmp_path.glob(".a.wav.*.moss-part")).open("r+b") as file:
            file.seek(20_000)
            file.write(b"\x55")

    monkeypatch.setattr(exporter_file.WavWriter, "close", damaging_close)
    with pytest.raises(ExportError, match="reads back differently"):
        write(book, tmp_path / "a.wav")
    assert leftovers(tmp_path) == []


def test_two_exports_to_one_place_each_put_a_whole_file_there(book: Studio, tmp_path: Path) -> None:
    """The second begins and ends while the first is at work."""
    target, other = tmp_path / "a.wav", tmp_path / "other.wav"
    export(book.project, ExportRequest(other, AudioFormat("wav", 16)), book.read, plan)
    between: list[bytes] = []

    def meanwhile(progress: Progress) -> None:
        if not between:
            between.append(b"")
            export(book.project, ExportRequest(target, AudioFormat("wav", 16)), book.read, plan)
            between[0] = target.read_bytes()

    export(book.project, ExportRequest(target, AudioFormat("wav", 24)), book.read, plan, progress=meanwhile)
    assert between == [other.read_bytes()]
    assert soundfile.info(target).subtype == "PCM_24"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.wav", "other.wav"]


def test_what_a_killed_export_left_goes_with_the_next_one_and_what_another_is_writing_stays(
    book: Studio, tmp_path: Path
) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    mine = part_path(tmp_path / "live.wav")
    left = mine.with_name(mine.name.replace(f"-{os.getpid()}-", f"-{dead.pid}-"))
    foreign = left.with_name(".live.wav.000000-" + left.name.split("-", 1)[1])  # of another machine
    for path in (mine, left, foreign):
        path.write_bytes(b"half")
    export(book.project, ExportRequest(tmp_path / "a.wav", AudioFormat("wav", 16)), book.read, plan)
    assert mine.exists() and foreign.exists() and not left.exists()


def test_a_name_as_long_as_the_disk_takes_can_be_exported_to(book: Studio, tmp_path: Path) -> None:
    target = tmp_path / ("ä" * 125 + ".wav")  # 254 bytes
    export(book.project, ExportRequest(target, AudioFormat("wav", 16)), book.read, plan)
    assert target.exists()


def test_a_failing_take_reader_leaves_nothing(book: Studio, tmp_path: Path) -> None:
    def read(take_id: str, start: int, n: int) -> np.ndarray:
        raise RuntimeError("damaged take")

    with pytest.raises(RuntimeError):
        export(book.project, ExportRequest(tmp_path / "a.wav"), read, plan)
    assert leftovers(tmp_path) == []


def test_a_target_that_is_a_folder_is_refused(book: Studio, tmp_path: Path) -> None:
    (tmp_path / "a.wav").mkdir()
    with pytest.raises(ExportError, match="is a folder"):
        write(book, tmp_path / "a.wav")


def test_progress_rises_and_ends_at_one(book: Studio, tmp_path: Path) -> None:
    told: list[Progress] = []
    export(
        book.project,
        ExportRequest(tmp_path / "a.wav", loudness=target_for("-16")),
        book.read,
        plan,
        progress=told.append,
    )
    fractions = [each.fraction for each in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_a_snapshot_does_not_follow_later_edits(book: Studio) -> None:
    copy = snapshot(book.project)
    assert copy.text() == book.project.text()
    assert copy.takes == book.project.takes
    assert copy.takes is not book.project.takes


def test_memory_stays_flat_over_a_long_programme(tmp_path: Path) -> None:
    import tracemalloc

    block = Block(text="Long.")
    made = studio([block])
    take = made.project.takes[made.project.blocks[0].chosen]
    long_take = replace(take, seconds=120.0, pieces=())
    chunk = voiced(1.0)[RATE // 4 : -RATE // 4]
    project = Project([made.project.blocks[0]], takes=[long_take])
    tracemalloc.start()
    export(project, ExportRequest(tmp_path / "a.flac", audio=AudioFormat("flac", 16), loudness=target_for("-16")),
           lambda take_id, start, n: chunk[:n], plan)  # fmt: skip
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6  # the programme itself is 46 MB


@pytest.mark.parametrize("kind", ["wav", "flac", "mp3", "opus", "m4b"])
def test_a_name_that_is_no_utf_8_can_be_exported_to(kind: str, book: Studio, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    tags = FileTags(title=name)
    write(book, tmp_path / f"{name}.{kind}", audio=AudioFormat(kind), tags=tags, subtitles=frozenset({"json", "vtt"}))
    assert leftovers(tmp_path) == sorted(f"{name}.{each}" for each in (kind, "json", "vtt"))
    assert json.loads((tmp_path / f"{name}.json").read_text("utf-8"))["file"] == f"caf\ufffd.{kind}"
