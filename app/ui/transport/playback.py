"""What the play actions do, and what the studio is told while something is heard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.model.block import BlockKind
from app.services.listening import Listening, Range
from app.services.mastered import Mastered
from app.services.playing import Place, PlayerSnapshot, PlayState, Source
from app.services.programme import is_spoken
from app.services.timeline import Timeline
from app.ui.studio import Studio
from app.ui.throttle import UI_RATE_HZ, Throttle
from app.ui.transport.export_loudness import ExportLoudness
from engine import SAMPLE_RATE


class Playback(QObject):
    """Ties the player, the renderer and the script together. One for a studio: `playback_of(studio)`.

    Attributes:
        timeline: where blocks lie in the programme.
        snapshot: what the player told last; renewed 30 times a second while it plays.
        cued: where playing starts next, when a place was chosen while nothing played.
        caret_samples: asks the editor how far into a block's sound the word at the caret begins.
        selected_s: the stretch of time that was dragged on the waveform, or None.
        loudness: plays the programme as loud as its export, when that is wished.

    Signals:
        ticked(PlayerSnapshot): the playhead may have moved, or the state changed.
        timeline_changed(): lengths or order of blocks; at most 30 a second.
        grown(block id): more sound of a block that is being spoken.
        selected_changed(): see `selected_s`.
    """

    ticked = Signal(object)
    timeline_changed = Signal()
    grown = Signal(str)
    selected_changed = Signal()

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio)
        self._studio = studio
        self.snapshot = PlayerSnapshot()
        self.selected_s: tuple[float, float] | None = None
        self.cued: Place | None = None
        self.caret_samples: Callable[[str], int] = lambda _block_id: 0
        self._loop = False
        self._previewing = False
        self._paused_at_block = ""
        self._timeline: Timeline | None = None
        self._disconnects: list[Callable[[], None]] = []
        self._attached: tuple[Any, Any] = (None, None)
        self._timer = QTimer(self)
        self._timer.setInterval(1000 // UI_RATE_HZ)
        self._timer.timeout.connect(self._tick)
        self._tell_timeline = Throttle(self.timeline_changed.emit, parent=self, at_once=False)
        self.loudness = ExportLoudness(studio, lambda: self.timeline, self)
        self.timeline_changed.connect(self.loudness.follow)
        studio.services_changed.connect(self._attach)
        studio.project_replaced.connect(self._project_replaced)
        studio.block_state_changed.connect(self._block_changed)
        studio.card_changed.connect(self._invalidate)
        self._attach()
        self._bind()

    # -- what a person does -------------------------------------------------------------------------------------

    def play_pause(self) -> None:
        """Pause what plays; go on where it was paused, unless the caret went elsewhere; else play from the caret."""
        player = self._studio.player
        if player is None:
            return
        if player.state in (PlayState.PLAYING, PlayState.BUFFERING) and not self._previewing:
            self._paused_at_block = self._studio.current_block
            player.pause()
        elif (
            player.state is PlayState.PAUSED
            and not self._previewing
            and self._studio.current_block == self._paused_at_block
        ):
            player.resume()
        elif self.cued is not None and self.cued.block_id == self._studio.current_block:
            self.play_from(self.cued.block_id, self.cued.offset_samples)
        else:
            current = self._studio.current_block
            self.play_from(current, self.caret_samples(current) if current else 0)
        self._tick()

    def play_from(self, block_id: str, offset_samples: int = 0) -> None:
        """Play from a block, or from the next that is spoken, until the end."""
        first = self._spoken_from(block_id)
        if first is None:
            self._studio.say("info", self.tr("There is nothing to speak here. Write a line first."))
            return
        if first != block_id:
            offset_samples = 0
        self._play(Range(first, offset_samples))

    def play_from_start(self) -> None:
        project = self._studio.project
        if project is not None:
            self.play_from(project.blocks[0].id)

    def play_selection(self) -> None:
        """The stretch that was dragged on the waveform, else the selected blocks."""
        if self.selected_s is not None:
            self.play_stretch(*self.selected_s)
            return
        ids = [each for each in self._studio.selection if self._is_spoken(each)]
        if ids:
            self._play(Range(ids[0], only=frozenset(ids)))
        else:
            self.play_from(self._studio.current_block)

    def play_stretch(self, start_s: float, end_s: float) -> None:
        """A stretch of the programme."""
        place = self.timeline.place_at(start_s) if self.timeline else None
        if place is not None:
            length = round((end_s - start_s) * SAMPLE_RATE)
            self._play(Range(place.block_id, place.offset_samples, length_samples=max(length, SAMPLE_RATE // 20)))

    def seek(self, seconds: float) -> None:
        """Go to a time of the programme: plays on from there when something plays, else only the caret goes there."""
        place = self.timeline.place_at(seconds) if self.timeline else None
        if place is None:
            return
        playing = self._studio.player is not None and self._studio.player.state in (
            PlayState.PLAYING,
            PlayState.BUFFERING,
        )
        if playing and not self._previewing:
            self.play_from(place.block_id, place.offset_samples)
        else:
            self.stop()
            self.cued = place
            self._studio.set_selection((place.block_id,), place.block_id)
            self.ticked.emit(self.snapshot)

    def stop(self) -> None:
        if self._studio.player is not None:
            self._studio.player.stop()
        self._tick()

    def previous(self) -> None:
        """To the start of the line that is heard, or of the one before within its first second and a half."""
        here = self._here()
        if here is None:
            return
        ids = self._ids()
        at = ids.index(here.block_id) if here.block_id in ids else 0
        if here.offset_samples < 1.5 * SAMPLE_RATE and at > 0:
            at -= 1
        self._go(ids[at])

    def next(self) -> None:
        here = self._here()
        ids = self._ids()
        if here is not None and here.block_id in ids and ids.index(here.block_id) + 1 < len(ids):
            self._go(ids[ids.index(here.block_id) + 1])

    def set_loop(self, on: bool) -> None:
        self._loop = on
        if self._studio.player is not None:
            self._studio.player.set_loop(on)

    def select_stretch(self, stretch: tuple[float, float] | None) -> None:
        if stretch != self.selected_s:
            self.selected_s = stretch
            self.selected_changed.emit()

    def preview(self, open_source: Callable[[], Source]) -> None:
        """Play something that is not the programme: a clip, a sample of a voice."""
        if self._studio.player is not None:
            self._previewing = True
            self._studio.player.play(open_source)
            self._timer.start()
            self._tick()

    @property
    def previewing(self) -> bool:
        return self._previewing and self.snapshot.state is not PlayState.STOPPED

    # -- what views ask -----------------------------------------------------------------------------------------

    @property
    def timeline(self) -> Timeline | None:
        renderer = self._studio.renderer
        if renderer is None or renderer.store is None:
            return None
        if self._timeline is None:
            self._timeline = Timeline(renderer.states, self._live_s)
        return self._timeline

    def playhead_s(self) -> float | None:
        """Time of what is heard, or None when nothing of the programme is."""
        if self.snapshot.place is None or self.timeline is None or self._previewing:
            return None
        return self.timeline.seconds_of(self.snapshot.place)

    def position_s(self) -> float:
        """Where the playhead is drawn: what is heard, else what was cued, else the line with the caret."""
        heard_s = self.playhead_s()
        if heard_s is not None or self.timeline is None:
            return heard_s or 0.0
        if self.cued is not None and self.cued.block_id == self._studio.current_block:
            return self.timeline.seconds_of(self.cued)
        return self.timeline.seconds_of(Place(self._studio.current_block))

    # -- inside -------------------------------------------------------------------------------------------------

    def _bind(self) -> None:
        actions = self._studio.actions
        if actions is None:
            return
        for name, deed in (
            ("play_pause", self.play_pause),
            ("play_selection", self.play_selection),
            ("play_from_start", self.play_from_start),
            ("stop", self.stop),
            ("previous_block", self.previous),
            ("next_block", self.next),
            ("loop", self.set_loop),
        ):
            actions.bind(name, deed)

    def _attach(self) -> None:
        player, renderer = self._studio.player, self._studio.renderer
        if self._attached == (player, renderer):
            return
        self._attached = (player, renderer)
        for disconnect in self._disconnects:
            disconnect()
        self._disconnects = []
        self._timeline = None
        post = self._studio.bridge.post
        if player is not None:
            self._disconnects += [
                player.state_changed.connect(lambda _state: post(self._state_changed)),
                player.device_lost.connect(lambda words: post(lambda: self._studio.say("warning", words))),
                player.device_returned.connect(lambda words: post(lambda: self._studio.say("info", words))),
            ]
        if renderer is not None:
            self._disconnects += [renderer.grown.connect(self._grown)]
            if player is not None:
                player.rtf = lambda: renderer.rtf or 0.0
        self._invalidate(everything=True)

    def _play(self, wanted: Range) -> None:
        studio = self._studio
        if studio.player is None or studio.renderer is None or studio.project is None:
            return
        self._previewing = False
        self._paused_at_block = ""
        self.cued = None
        renderer, post, mastering = studio.renderer, studio.bridge.post, self.loudness.mastering
        waiting = [Mastered(Listening(renderer, post, wanted), mastering)]

        def open_source() -> Source:
            # The first was made at once, so that speaking starts before the device is open; a loop makes more of them.
            return waiting.pop() if waiting else Mastered(Listening(renderer, post, wanted), mastering, goes_on=True)

        studio.player.play(open_source, loop=self._loop)
        self._timer.start()
        self._tick()

    def _go(self, block_id: str) -> None:
        if self.snapshot.state is PlayState.STOPPED or self._previewing:
            self._studio.set_selection((block_id,), block_id)
        elif self.snapshot.state is PlayState.PAUSED:
            self._studio.player.stop()
            self._studio.set_selection((block_id,), block_id)
        else:
            self.play_from(block_id)

    def _here(self) -> Place | None:
        if self.snapshot.place is not None and not self._previewing:
            return self.snapshot.place
        ids = self._ids()
        current = self._studio.current_block
        return Place(current if current in ids else ids[0]) if ids else None

    def _ids(self) -> list[str]:
        return self.timeline.ids if self.timeline else []

    def _is_spoken(self, block_id: str) -> bool:
        project = self._studio.project
        return project.has_block(block_id) and is_spoken(project, project.block(block_id))

    def _spoken_from(self, block_id: str) -> str | None:
        project = self._studio.project
        if project is None:
            return None
        start = project.index(block_id) if block_id and project.has_block(block_id) else 0
        for index in range(start, len(project.blocks)):
            block = project.blocks[index]
            if is_spoken(project, block) and block.kind is not BlockKind.EMPTY:
                return block.id
        return None

    def _state_changed(self) -> None:
        if self._studio.player.state is not PlayState.STOPPED:
            self._timer.start()
        self._tick()

    def _tick(self) -> None:
        studio, player = self._studio, self._studio.player
        if player is None:
            return
        before = self.snapshot
        self.snapshot = now = player.snapshot()
        if now.message and now.message != before.message:
            studio.say("warning", now.message)
        if now.state is PlayState.STOPPED:
            self._timer.stop()
            self._previewing = False
        elif now.state is PlayState.PAUSED:
            self._timer.setInterval(250)
        else:
            self._timer.setInterval(1000 // UI_RATE_HZ)
        seconds = self.playhead_s()
        studio.set_playing_block(now.place.block_id if now.place is not None and seconds is not None else "")
        self.ticked.emit(now)

    def _project_replaced(self) -> None:
        if self._studio.player is not None:
            self._studio.player.stop()
        self._timeline = None
        self.select_stretch(None)
        project = self._studio.project
        if project is not None:
            project.blocks_changed.connect(self._blocks_changed)
            project.settings_changed.connect(self._invalidate)
        self._invalidate(everything=True)
        self._tick()

    def _blocks_changed(self, *_: object) -> None:
        if self._timeline is not None:
            self._timeline.follow()
        self._tell_timeline()

    def _block_changed(self, block_id: str) -> None:
        if self._timeline is not None:
            self._timeline.touch(block_id)
        self._tell_timeline()

    def _grown(self, block_id: str) -> None:
        self._block_changed(block_id)
        self.grown.emit(block_id)

    def _invalidate(self, *, everything: bool = False) -> None:
        if self._timeline is not None:
            self._timeline.invalidate(everything=everything)
        self._tell_timeline()

    def _live_s(self, block_id: str) -> float:
        renderer = self._studio.renderer
        live = renderer.live(block_id) if renderer is not None else None  # the studio may be ending
        return live.seconds if live is not None else 0.0


def playback_of(studio: Studio) -> Playback:
    """The playback of a studio, made when it is asked for first."""
    return studio.findChild(Playback) or Playback(studio)
