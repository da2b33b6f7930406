"""Opens a project in the background, where that takes long: with progress, and a cancel that leaves it as it was."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QWidget

from app.services.store import ProjectStore
from app.ui.studio import Studio
from app.ui.widgets.progress_dialog import ProgressDialog


def open_in_background(
    studio: Studio,
    parent: QWidget,
    work: Callable[[Any], ProjectStore],
    use: Callable[[ProjectStore], None],
    failed: Callable[[BaseException], None],
    title: str,
) -> None:
    """
    Args:
        work: gets the task, and opens; runs in the background.
        use, failed: called on this thread; neither is once it was cancelled.
    """
    opened: list[ProjectStore] = []

    def let_go() -> None:
        """Whoever comes first: the cancelled work itself, or who hears of the cancel."""
        with contextlib.suppress(IndexError):
            opened.pop().close()

    def run(task: Any) -> None:
        opened.append(work(task))
        if task.is_cancelled:
            let_go()

    def succeeded(_: None) -> None:
        progress.end()
        use(opened.pop())

    def did_not(error: BaseException) -> None:
        progress.end()
        failed(error)

    task = studio.tasks.run(run, succeeded, did_not, title=title)
    task.ended.connect(lambda each: let_go() if each.state == "cancelled" else None)
    progress = ProgressDialog(parent, task)
