"""Garbage is collected on the window's thread alone."""

from __future__ import annotations

import gc
import threading
import weakref


def test_other_threads_never_collect(running, qtbot):
    collecting: list[int] = []
    gc.callbacks.append(lambda phase, info: collecting.append(threading.get_ident()))
    try:
        worker = threading.Thread(target=lambda: [[index] for index in range(200_000)])
        worker.start()
        worker.join()
        qtbot.wait(1_200)
    finally:
        gc.callbacks.pop()
    assert set(collecting) <= {threading.get_ident()}


def test_cycles_are_still_collected_while_the_window_is_open(running, qtbot):
    class Node:
        pass

    node = Node()
    node.itself = node
    gone = weakref.ref(node)
    del node
    keep = []

    def allocated() -> bool:
        keep.append([[index] for index in range(2_000)])
        return gone() is None

    qtbot.waitUntil(allocated, timeout=20_000)


def test_closing_the_thumbnails_ends_their_thread(qtbot, tmp_path):
    from app.model.voice import VoiceClip
    from app.ui.voices.thumbnails import Thumbnails

    thumbnails = Thumbnails(lambda deed: deed(), lambda: None)
    thumbnails.of(tmp_path / "missing.wav", VoiceClip("missing.wav", "0" * 64, "", None))
    (reader,) = [thread for thread in threading.enumerate() if thread is thumbnails._thread]
    thumbnails.close()
    reader.join(timeout=10)
    assert not reader.is_alive()
