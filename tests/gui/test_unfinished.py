"""Lines that were still to be made when the studio was left are offered when the project is opened again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from tones import ToneBackend

from app.model.commands import ReplaceText
from app.paths import paths_for
from app.services.store import ProjectStore
from app.ui.status.unfinished import Unfinished
from engine import Engine, ModelCard


@pytest.fixture
def give_model() -> Iterator[Callable[..., ToneBackend]]:
    engines = []

    def give(running: Any, *, speaks: bool) -> ToneBackend:
        backend = ToneBackend(ModelCard("Tones"))
        if not speaks:
            backend.gate.clear()
        engine = Engine(backend)
        engine.start()
        engine.ready(5)
        engines.append((backend, engine))
        running.studio.set_engine(engine)
        return backend

    yield give
    for backend, engine in engines:
        backend.gate.set()
        engine.close()


def asked_of(path: Path, profile: Path) -> list[str]:
    with ProjectStore.open(path, paths=paths_for(profile), read_only=True, force=True) as store:
        return store.asked


def leave_unfinished(running: Any, give_model: Any, path: Path, qtbot: Any, lines: int = 12) -> list[str]:
    """A project with lines that were asked for and not made, last first."""
    ProjectStore.create(path, paths=running.studio.paths).close()
    assert running.session.open(path)
    text = "\n".join(f"This is line {number}." for number in range(lines))
    running.studio.history.do(ReplaceText(0, "", text))
    give_model(running, speaks=False)
    qtbot.waitUntil(lambda: not running.studio.actions.why_not("render_stale"), timeout=5_000)
    running.studio.actions.trigger("render_stale")
    ids = [block.id for block in running.studio.project.blocks]
    qtbot.waitUntil(lambda: len(running.studio.store.asked) == lines, timeout=5_000)
    waiting = [block_id for block_id, state in running.studio.renderer.queue() if state == "queued"]
    running.studio.renderer.move(waiting[::-1])
    qtbot.waitUntil(lambda: running.studio.store.asked[-1] != ids[-1], timeout=5_000)
    assert running.studio.store.flush()
    return list(running.studio.store.asked)


def test_what_was_to_be_made_is_offered_after_a_restart_and_made_in_the_same_order(
    open_studio_at: Callable[..., Any], give_model: Any, tmp_path: Path, qtbot: Any
) -> None:
    first = open_studio_at()
    path = tmp_path / "book.mvs"
    asked = leave_unfinished(first, give_model, path, qtbot)
    first.window.set_close_guard(lambda: True)
    first.window.close()
    first.close()
    assert asked_of(path, tmp_path / "profile") == asked
    second = open_studio_at(path)
    bar = second.window.findChild(Unfinished)
    assert bar.isVisible() and bar.resume.text() == "Resume rendering 12 lines" and not bar.resume.isEnabled()
    backend = give_model(second, speaks=True)
    qtbot.mouseClick(bar.resume, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not second.studio.renderer.queue(), timeout=20_000)
    texts = {block.id: block.text for block in second.studio.project.blocks}
    assert backend.spoken == [texts[block_id] for block_id in asked]
    assert not bar.isVisible() and "12 lines spoken" in second.window.toast.text
    qtbot.waitUntil(lambda: second.studio.store.asked == [], timeout=5_000)


def test_what_is_not_wanted_is_not_offered_again(
    open_studio_at: Callable[..., Any], give_model: Any, tmp_path: Path, qtbot: Any
) -> None:
    first = open_studio_at()
    path = tmp_path / "book.mvs"
    leave_unfinished(first, give_model, path, qtbot)
    first.studio.actions.trigger("new_project")
    bar = first.window.findChild(Unfinished)
    assert not bar.isVisible()
    assert first.session.open(path)
    assert len(bar.offered) == 12
    qtbot.mouseClick(bar.dismiss, Qt.MouseButton.LeftButton)
    assert not bar.isVisible() and first.studio.store.asked == []
    first.studio.actions.trigger("new_project")
    assert first.session.open(path) and not bar.isVisible()


def test_cancelling_forgets_what_was_to_be_made(running: Any, give_model: Any, tmp_path: Path, qtbot: Any) -> None:
    leave_unfinished(running, give_model, tmp_path / "book.mvs", qtbot)
    running.studio.actions.trigger("cancel_making")
    qtbot.waitUntil(lambda: running.studio.store.asked == [], timeout=5_000)


def test_a_killed_studio_leaves_its_list_in_the_file(running: Any, give_model: Any, tmp_path: Path, qtbot: Any) -> None:
    asked = leave_unfinished(running, give_model, tmp_path / "book.mvs", qtbot)
    # As after a kill: the file is read as it lies there while nothing was closed.
    copy = tmp_path / "copy"
    copy.mkdir()
    for part in tmp_path.glob("book.mvs*"):
        (copy / part.name).write_bytes(part.read_bytes())
    with ProjectStore.open(copy / "book.mvs", paths=paths_for(tmp_path / "other"), force=True) as store:
        assert store.asked == asked
