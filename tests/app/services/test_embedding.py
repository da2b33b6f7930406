"""A project carries the clips of its voices."""

from __future__ import annotations

import queue
import time

import numpy as np
import soundfile

from app.model.commands import SetVoice
from app.paths import paths_for
from app.services.embedding import Embedding
from app.services.library import Library
from app.services.project_clips import ProjectClips
from app.services.store import ProjectStore


def run(calls, until):
    ends_at_s = time.monotonic() + 5
    while not until():
        assert time.monotonic() < ends_at_s
        try:
            calls.get(timeout=0.02)()
        except queue.Empty:
            continue


def test_a_project_opened_where_the_voice_is_not_still_has_its_clip(tmp_path):
    clip = tmp_path / "ana.wav"
    soundfile.write(clip, np.random.default_rng(1).uniform(-0.1, 0.1, 48_000).astype(np.float32), 24_000)
    calls = queue.SimpleQueue()
    library = Library(tmp_path / "voices")
    voice = library.add(clip, "Ana")
    store = ProjectStore.create(tmp_path / "book.mvs", paths=paths_for(tmp_path / "here"), deliver=calls.put)
    embedding = Embedding(library, calls.put)
    embedding.set_store(store)
    store.history.do(SetVoice(voice))
    run(calls, lambda: store.clip(voice.references[0].sha256) is not None)
    store.close()
    elsewhere = ProjectStore.open(tmp_path / "book.mvs", paths=paths_for(tmp_path / "there"))
    clips = ProjectClips(Library(tmp_path / "no voices"), elsewhere, tmp_path / "cache").clips(
        elsewhere.project.voices[voice.id]
    )
    assert clips[0].path.read_bytes() == clip.read_bytes()
    elsewhere.close()


def test_voices_that_are_there_when_a_project_is_opened_are_kept_too(tmp_path):
    clip = tmp_path / "ana.wav"
    soundfile.write(clip, np.zeros(24_000, np.float32), 24_000)
    calls = queue.SimpleQueue()
    library = Library(tmp_path / "voices")
    voice = library.add(clip, "Ana")
    store = ProjectStore.untitled(paths_for(tmp_path / "here"), deliver=calls.put)
    store.history.do(SetVoice(voice))
    embedding = Embedding(library, calls.put)
    embedding.set_store(store)
    run(calls, lambda: store.clip(voice.references[0].sha256) is not None)
    embedding.set_store(None)
    store.close()
