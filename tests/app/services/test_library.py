"""Voices on disk survive restarts, are never doubled, and come from strangers only as what they are."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from app.paths import starter
from app.services import voice_archive
from app.services.library import Library, LibraryError
from app.services.voice_records import file_sha256
from engine import read_card


def make_clip(path: Path, pitch_hz: float = 220.0) -> Path:
    samples = 0.3 * np.sin(2 * np.pi * pitch_hz * np.arange(12_000) / 48_000)
    soundfile.write(path, samples, 48_000)
    return path


@pytest.fixture
def built_in():
    card = read_card(starter())
    assert card is not None
    return card.voices


@pytest.fixture
def library(tmp_path: Path, built_in) -> Library:
    return Library(tmp_path / "voices", built_in)


def test_voices_of_the_model_are_there_and_point_at_their_clips(library: Library) -> None:
    assert [voice.name for voice in library.voices] == ["Joe", "Joe light", "Kumo", "Gon", "Nezumi"]
    (clip,) = library.clips(library.find("kumo"))
    assert clip.path is not None and file_sha256(clip.path) == library.find("Kumo").references[0].sha256
    assert clip.transcript


def test_an_added_voice_is_found_after_a_restart_with_its_own_copy_of_the_clip(
    library: Library, tmp_path: Path
) -> None:
    source = make_clip(tmp_path / "Ana speaks.WAV")
    voice = library.add(source, " Ana\n Maria ", transcript="Good  morning.", language="English")
    source.unlink()
    again = Library(library.folder)
    found = again.find("ana maria")
    assert found == voice and found.name == "Ana Maria"
    (clip,) = again.clips(found)
    assert clip.path is not None and clip.path.is_file() and clip.transcript == "Good morning."


def test_the_same_clip_under_the_same_name_is_one_voice(library: Library, tmp_path: Path) -> None:
    first = library.add(make_clip(tmp_path / "a.wav"), "Ana")
    second = library.add(make_clip(tmp_path / "copy.wav"), "ana")
    assert first == second
    with pytest.raises(LibraryError, match="already"):
        library.add(make_clip(tmp_path / "b.wav", 300), "Ana")


def test_a_copied_clip_of_the_model_is_known_again(library: Library, tmp_path: Path, built_in) -> None:
    copied = tmp_path / "renamed.wav"
    copied.write_bytes(built_in[2].path.read_bytes())
    assert library.add(copied, "My Kumo").known == built_in[2].id


def test_names_of_the_model_cannot_be_taken_and_its_voices_cannot_be_changed(library: Library, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="already"):
        library.add(make_clip(tmp_path / "a.wav"), "JOE")
    with pytest.raises(LibraryError, match="comes with the model"):
        library.remove(library.find("Joe").id)


def test_a_name_that_shows_nothing_is_refused(library: Library, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="needs a name"):
        library.add(make_clip(tmp_path / "a.wav"), " \n\u200b\t")


@pytest.mark.parametrize("name", ["missing.wav", "notes.txt"])
def test_what_is_no_clip_is_refused_with_a_remedy(library: Library, tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(LibraryError) as caught:
        library.add(tmp_path / name, "Ana")
    assert caught.value.remedy
    assert not library.folder.exists()


def test_a_removed_voice_waits_in_the_trash_and_comes_back(library: Library, tmp_path: Path) -> None:
    voice = library.add(make_clip(tmp_path / "a.wav"), "Ana")
    library.remove(voice.id)
    assert library.find("Ana") is None and Library(library.folder).find("Ana") is None
    ((key, trashed),) = library.trash()
    assert trashed.name == "Ana"
    library.add(make_clip(tmp_path / "b.wav", 300), "Ana")
    restored = library.restore(key)
    assert restored.name == "Ana 2" and library.trash() == ()
    assert Library(library.folder).find("Ana 2").references == voice.references


def test_rename_and_second_clip_are_stored(library: Library, tmp_path: Path) -> None:
    voice = library.add(make_clip(tmp_path / "a.wav"), "Ana")
    library.rename(voice.id, "Anna")
    library.add_clip(voice.id, make_clip(tmp_path / "b.wav", 300), transcript="Two.")
    library.add_clip(voice.id, make_clip(tmp_path / "b.wav", 300))
    found = Library(library.folder).find("Anna")
    assert [clip.transcript for clip in found.references] == ["", "Two."]
    assert len(library.clips(found)) == 2


def test_changes_are_announced(library: Library, tmp_path: Path) -> None:
    heard = []
    library.voices_changed.connect(lambda: heard.append(len(library.voices)))
    voice = library.add(make_clip(tmp_path / "a.wav"), "Ana")
    library.remove(voice.id)
    assert heard == [6, 5]


def test_a_damaged_voice_hides_no_other(library: Library, tmp_path: Path) -> None:
    kept = library.add(make_clip(tmp_path / "a.wav"), "Ana")
    broken = library.add(make_clip(tmp_path / "b.wav", 300), "Bob")
    (library.folder / broken.id / "voice.json").write_text('{"version": 1, "name": ')
    again = Library(library.folder)
    assert [voice.id for voice in again.voices] == [kept.id]
    assert len(again.problems) == 1 and broken.id in again.problems[0]


def test_a_clip_that_is_gone_is_an_error_and_never_another_voice(library: Library, tmp_path: Path) -> None:
    voice = library.add(make_clip(tmp_path / "a.wav"), "Ana")
    library.clip_path(voice, voice.references[0]).unlink()
    with pytest.raises(LibraryError, match="gone"):
        library.clips(voice)


def test_a_voice_travels_as_one_file(library: Library, tmp_path: Path) -> None:
    voice = library.add(make_clip(tmp_path / "a.wav"), "Ána 声", transcript="Good morning.")
    archive = library.export(voice.id, tmp_path / "ana")
    assert archive.name == "ana.mvoice"
    other = Library(tmp_path / "other")
    imported = other.import_(archive)
    assert (imported.name, imported.references) == (voice.name, voice.references)
    assert imported.id != voice.id
    assert file_sha256(other.clips(imported)[0].path) == voice.references[0].sha256
    assert other.import_(archive) == imported
    assert len(other.voices) == 1


def test_a_voice_of_the_model_exports_and_is_recognised_on_import(library: Library, tmp_path: Path) -> None:
    archive = library.export(library.find("Gon").id, tmp_path / "gon.mvoice")
    assert library.import_(archive).known == "gon"
    assert len(library.voices) == 5


def test_a_missing_file_is_no_matter_of_space_or_permissions(library: Library, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="no file") as caught:
        library.import_(tmp_path / "absent.mvoice")
    assert caught.value.remedy == "Check the path."


def test_an_import_names_the_voice_it_is_and_no_other_with_the_same_clip(library: Library, tmp_path: Path) -> None:
    gon = library.find("Gon")
    mine = library.add(library.clips(gon)[0].path, "My Gon")
    archive = library.export(mine.id, tmp_path / "mine.mvoice")
    assert library.import_(archive) == mine
    library.remove(mine.id)
    again = library.import_(archive)
    assert again.name == "My Gon" and len(library.voices) == 6
    renamed = library.rename(again.id, "Other")
    assert library.import_(archive) == renamed and len(library.voices) == 6


def repack(archive: Path, change) -> Path:
    """The archive with its entries (name -> bytes) changed."""
    with zipfile.ZipFile(archive) as read:
        entries = {name: read.read(name) for name in read.namelist()}
    change(entries)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as write:
        for name, content in entries.items():
            write.writestr(name, content)
    return archive


def changed_record(**changes):
    def change(entries: dict[str, bytes]) -> None:
        record = json.loads(entries["voice.json"])
        for key, value in changes.items():
            if key in record["references"][0]:
                record["references"][0][key] = value
            else:
                record[key] = value
        entries["voice.json"] = json.dumps(record).encode()

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda entries: entries.update({"../../evil.wav": b"x"}),
        lambda entries: entries.update({"/etc/evil.wav": b"x"}),
        lambda entries: entries.update({"clips/../voice.json": b"x"}),
        lambda entries: entries.update({"run.sh": b"x"}),
        lambda entries: entries.pop("voice.json"),
        lambda entries: entries.update({"voice.json": b"[" * 100_000}),
        lambda entries: entries.update({"voice.json": b'{"version": 1}'}),
        lambda entries: entries.update({"voice.json": b" " * (2 << 20)}),
        lambda entries: [entries.pop(name) for name in list(entries) if name.startswith("clips/")],
        lambda entries: entries.update({f"clips/c{number}.wav": b"x" for number in range(100)}),
        changed_record(file="../../evil.wav"),
        changed_record(file="evil.sh"),
        changed_record(sha256="0" * 64),
        changed_record(version=99),
        changed_record(name=7),
    ],
)
def test_an_archive_that_is_no_honest_voice_is_refused_and_leaves_nothing(
    library: Library, tmp_path: Path, change
) -> None:
    voice = library.add(make_clip(tmp_path / "a.wav"), "Ana")
    archive = repack(library.export(voice.id, tmp_path / "ana"), change)
    other = Library(tmp_path / "deep" / "other")
    with pytest.raises(LibraryError):
        other.import_(archive)
    assert other.voices == () and not list(tmp_path.glob("**/evil*")) and not (tmp_path / "deep").exists()


def test_an_archive_that_grows_when_unpacked_is_stopped(tmp_path: Path, library: Library, monkeypatch) -> None:
    voice = library.add(make_clip(tmp_path / "a.wav"), "Ana")
    archive = repack(
        library.export(voice.id, tmp_path / "ana"), lambda entries: entries.update({"clips/b.wav": bytes(3 << 20)})
    )
    assert archive.stat().st_size < 1 << 20
    monkeypatch.setattr(voice_archive, "LARGEST_CLIP_BYTES", 1 << 20)
    with pytest.raises(LibraryError, match="larger"):
        library.import_(archive)


@settings(max_examples=60, deadline=None)
@given(where=st.floats(0, 1), bits=st.integers(1, 255), cut=st.booleans())
def test_any_damage_to_an_archive_is_an_error_for_people(
    where: float, bits: int, cut: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("damage")
    library = Library(folder / "voices")
    voice = library.add(make_clip(folder / "a.wav"), "Ana")
    content = bytearray(library.export(voice.id, folder / "ana").read_bytes())
    place = int(where * (len(content) - 1))
    content[place] ^= bits
    damaged = folder / "damaged.mvoice"
    damaged.write_bytes(bytes(content[:place] if cut else content))
    try:
        imported = Library(folder / "other").import_(damaged)
    except LibraryError as error:
        assert error.remedy
    else:  # the damaged byte may lie where nothing depends on it
        assert imported.references[0].sha256 == voice.references[0].sha256


def test_a_file_that_is_no_zip_is_refused(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "x.mvoice"
    file.write_bytes(b"hello")
    with pytest.raises(LibraryError):
        library.import_(file)


def test_voices_of_the_model_have_colours_of_their_own(tmp_path):
    library = Library(tmp_path / "voices", read_card(starter()).voices)
    colours = [voice.colour for voice in library.voices]
    assert len(set(colours)) == len(colours) == 5
