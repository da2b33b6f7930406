"""Opens the model behind the window: the person writes while it loads."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from app.ui.messages import local
from app.ui.studio import Studio
from engine.errors import SpeechError

if TYPE_CHECKING:
    from engine import Engine

log = logging.getLogger(__name__)

STATUS_MS = 500


class EngineLoader(QObject):
    """One model at a time. torch is imported on a thread of its own, never before the window is shown.

    `load` may be called again with another model: the engine before is closed first.
    """

    def __init__(self, studio: Studio, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._number = 0
        self._thread: threading.Thread | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(STATUS_MS)
        self._timer.timeout.connect(self._tell_status)

    def read_card(self, model: str | None = None) -> None:
        """What the model can do, before anything heavy is loaded."""
        from app.services.model_choice import known_card  # late, as all that leads to the engine

        try:
            card = known_card(model, self._studio.paths)
        except SpeechError as error:
            self._studio.engine_failed.emit(error.message, error.remedy)
            return
        self._studio.set_card(card)

    def load(self, model: str | None = None, device: str = "auto", precision: str = "auto") -> None:
        """Start loading; the studio's signals tell how it goes."""
        self._number += 1
        before = self._studio.engine
        if before is not None:
            self._studio.set_engine(None)
        self._studio.engine_loading.emit(self.tr("Starting"), 0.0)
        self._thread = threading.Thread(
            target=self._work, args=(self._number, before, model, device, precision), name="open model", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        self._number += 1
        self._timer.stop()
        engine = self._studio.engine
        if engine is not None:
            self._studio.set_engine(None)
            engine.close()
        if self._studio.run_log is not None:
            self._studio.run_log.close()

    # On the loading thread

    def _work(self, number: int, before: Engine | None, model: str | None, device: str, precision: str) -> None:
        bridge = self._studio.bridge
        try:
            if before is not None:
                before.close()
            from app.services.model_choice import open_engine

            engine = open_engine(
                self._studio.paths,
                model=model,
                device=device,
                precision=precision,
                run_log=self._studio.run_log,
                on_status=lambda progress: bridge.post_latest(
                    "engine loading", lambda: self._progress(number, progress)
                ),
            )
            engine.ready()
        except SpeechError as error:
            message, remedy = error.message, error.remedy
            bridge.post(lambda: self._failed(number, message, remedy))
            return
        except Exception as error:
            log.exception("the model could not be opened")
            words = f"{type(error).__name__}: {error}"
            bridge.post(lambda: self._failed(number, words, ""))
            return
        bridge.post(lambda: self._ready(number, engine))

    # On the GUI thread

    def _progress(self, number: int, progress: Any) -> None:
        if number == self._number and self._studio.engine is None:
            self._studio.engine_loading.emit(local(progress.stage), float(progress.fraction))

    def _ready(self, number: int, engine: Engine) -> None:
        if number != self._number:
            threading.Thread(target=engine.close, daemon=True).start()
            return
        self._studio.set_engine(engine)
        self._timer.start()
        self._tell_status()

    def _failed(self, number: int, message: str, remedy: str) -> None:
        if number != self._number:
            return
        self._studio.engine_failed.emit(message, remedy)
        self._studio.say("error", f"{message} {remedy}".strip())

    def _tell_status(self) -> None:
        if self._studio.engine is not None:
            self._studio.engine_status_changed.emit(dict(self._studio.engine.status()))
