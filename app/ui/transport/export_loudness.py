"""The switch that plays the script as loud as it is exported, and the measuring behind it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer

from app.model.errors import ProjectError
from app.services.excerpt import Excerpt
from app.services.loudness import LoudnessTarget, target_for
from app.services.master import Mastering, Wish
from app.services.programme_loudness import HeardLine, ProgrammeLoudness
from app.services.timeline import Timeline
from app.ui.slices import Slices
from app.ui.studio import Studio

log = logging.getLogger(__name__)

_USUAL = "-16"
_LINES_AT_ONCE = 20
_NEW_LINES_AT_ONCE = 500
_FIRST_FOR_S, _FOR_S = 0.3, 2.0
_LOOK_AGAIN_MS = 300
# Lines of a book are looked through bit by bit; how long that took is left free before the next time, many times over.
_PAUSES_FOR_WORK = 10


class ExportLoudness(QObject):
    """Tells the player how loud the programme is to be. Belongs to the project's thread.

    While it is on, lines are measured on another thread, each take once; a change of a line measures that line.

    Attributes:
        mastering: what the player's thread reads.
    """

    def __init__(self, studio: Studio, timeline: Callable[[], Timeline | None], parent: QObject) -> None:
        super().__init__(parent)
        self.mastering = Mastering()
        self._studio, self._timeline = studio, timeline
        self._loudness = ProgrammeLoudness(studio.paths.cache / "loudness")
        self._gain_db: float | None = None
        self._target: LoudnessTarget | None = None  # what the gain is for
        self._task: Any = None
        self._again = False  # something changed while it was measured
        self._measured: Any = None  # what the gain was told from
        self._slices = Slices(self)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_LOOK_AGAIN_MS)
        self._later.timeout.connect(self._look)
        self._disconnect: Callable[[], None] = lambda: None
        studio.project_replaced.connect(self._project_replaced)
        studio.services_changed.connect(self.follow)
        post = studio.bridge.post
        # The settings may be changed on any thread.
        studio.settings.shared.changed.connect(lambda group: post(self._apply) if group == "playback" else None)
        if studio.actions is not None:
            studio.actions.bind("export_loudness", self.switch)
        self._attach()
        self._apply()

    @property
    def is_on(self) -> bool:
        return self._studio.settings.loudness_preview

    @property
    def gain_db(self) -> float | None:
        """That of the export, by the takes that are there; None while nothing was measured."""
        return self._gain_db

    def switch(self, on: bool) -> None:
        self._studio.settings.loudness_preview = on
        self._apply()

    def follow(self) -> None:
        """The programme, or what the export was asked for, is another."""
        if self.is_on:
            self._wish()
            if not self._later.isActive():
                self._later.start()

    # -- inside -------------------------------------------------------------------------------------------------

    def _apply(self) -> None:
        if self._studio.actions is not None:
            self._studio.actions.action("export_loudness").setChecked(self.is_on)
        if self.is_on:
            self.follow()
            return
        self.mastering.wish = None
        self._later.stop()
        self._stop()

    def _wish(self) -> None:
        target = self._chosen()
        if target != self._target:
            # Until it is measured anew the difference of the two is near enough.
            if self._gain_db is not None and self._target is not None and self._target.lufs and target.lufs:
                self._gain_db += target.lufs - self._target.lufs
            else:
                self._gain_db = self.mastering.heard_db = None
            self._target, self._measured = target, None
        self.mastering.wish = Wish(target, self._gain_db)

    def _chosen(self) -> LoudnessTarget:
        """What the project was exported with last; where levels were left as they are, the usual."""
        project = self._studio.project
        kept = project.settings.export.get("loudness") if project is not None else None
        try:
            target = target_for(kept) if isinstance(kept, str) else None
        except ProjectError:
            target = None
        return target or target_for(_USUAL)  # type: ignore[return-value]

    def _attach(self) -> None:
        self._disconnect()
        if self._studio.project is not None:
            self._disconnect = self._studio.project.settings_changed.connect(self.follow)

    def _project_replaced(self) -> None:
        self._stop()
        self._attach()
        self._loudness = ProgrammeLoudness(self._studio.paths.cache / "loudness")
        self._gain_db = self._target = self._measured = self.mastering.heard_db = None
        self.follow()

    def _stop(self) -> None:
        self._slices.cancel()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _look(self) -> None:
        """What is heard now, line by line; then what is new of it is measured."""
        if self._task is not None:
            self._again = True
        elif self._studio.tasks is not None and self._studio.renderer is not None and self._timeline() is not None:
            self._again = False
            self._slices.start(self._looking())

    def _looking(self) -> Iterator[None]:
        began_s = time.monotonic()
        renderer, timeline, loudness = self._studio.renderer, self._timeline(), self._loudness
        assert renderer is not None and timeline is not None
        project, states = renderer.project, renderer.states
        lines: list[HeardLine] = []
        ended_s, new = 0.0, 0
        for number, block_id in enumerate(list(timeline.ids), 1):
            row = timeline.row(block_id)
            if row is not None and project.has_block(block_id):
                block = project.block(block_id)
                take = states.take(block)
                if take is not None and row.length_s:
                    # Rounded, so that what is the same is seen to be the same wherever it stands.
                    gap_s = round(max(0.0, row.start_s - ended_s), 3)
                    gain_db, heard_as = project.settings.gain_db(block), states.heard_as(block, take)
                    line = HeardLine(take.id, heard_as, gain_db, gap_s, block)
                    if loudness.knows(line):
                        lines.append(line)
                    elif (new := new + 1) <= _NEW_LINES_AT_ONCE:
                        excerpt = Excerpt(project, [block_id], states.manner)
                        lines.append(line if excerpt.lacks_model else replace(line, excerpt=excerpt))
                ended_s = row.start_s + row.length_s
            if number % _LINES_AT_ONCE == 0:
                yield
        self._later.setInterval(max(_LOOK_AGAIN_MS, round(1000 * _PAUSES_FOR_WORK * (time.monotonic() - began_s))))
        self._measure(lines, all_of_them=new <= _NEW_LINES_AT_ONCE)

    def _measure(self, lines: list[HeardLine], *, all_of_them: bool) -> None:
        studio, loudness, target = self._studio, self._loudness, self._target
        heard = (target, [(line.key, line.gain_db, line.gap_s, line.excerpt is None) for line in lines])
        if target is None or studio.tasks is None or heard == self._measured:
            return
        read = studio.store.read_take
        # A first gain comes soon; then more of a book is listened to before it is told again.
        for_s = _FIRST_FOR_S if self._gain_db is None else _FOR_S

        def done(found: tuple[float | None, bool]) -> None:
            gain_db, complete = found
            self._task = None
            if gain_db is not None and target == self._target and self.is_on:
                self._gain_db = gain_db
                self._wish()
            if complete and all_of_them:
                self._measured = heard
            else:
                self._later.setInterval(_LOOK_AGAIN_MS)
            if self._again or not complete or not all_of_them:
                self.follow()

        def failed(error: BaseException) -> None:
            log.error("the loudness of the script could not be measured", exc_info=error)
            self._task = None

        try:
            self._task = studio.tasks.run(
                lambda task: loudness.gain_db(lines, target, read, task.check, for_s=for_s),
                done,
                failed,
                title=self.tr("Measuring loudness"),
                owner=self,
            )
        except RuntimeError:
            log.debug("the studio is closing: nobody will hear it")
