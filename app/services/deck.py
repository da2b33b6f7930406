"""What the player and its feeder share: what is played, how far it is, and what a person was told."""

from __future__ import annotations

import threading
from collections.abc import Callable

from app.model.signal import Signal
from app.services.cushion import Cushion
from app.services.devices import Devices
from app.services.meters import Meter
from app.services.playhead import Playhead
from app.services.playing import PlayState, Rewindable, Source
from engine import DeviceError


class Deck:
    """Everything but the signals is touched, and every method called, with `wake` held.

    Attributes:
        wake: the lock; whoever waits for a wish waits on it.
        version: grows with every wish; a feeder that sees a new one starts over.
        open_source: makes what is played; reading: what is played now. playhead: of the device that plays.
        heard: source and sample heard last, kept while nothing plays.
        lost: the device went, or another stands in for it. cut_off: the device that went while it played, and when.
        underruns, waits: since playing began. message: for people. device, delay_s: what plays, and its delay.
    """

    def __init__(self, devices: Devices, now: Callable[[], float]) -> None:
        self.state_changed = Signal()
        self.finished = Signal()
        self.device_lost = Signal()
        self.device_returned = Signal()
        self.devices, self.now = devices, now
        self.cushion = Cushion()
        self.meter = Meter()
        self.rtf: Callable[[], float] = lambda: 0.0
        self.wake = threading.Condition(threading.RLock())
        self.state = PlayState.STOPPED
        self.version = 0
        self.open_source: Callable[[], Source] | None = None
        self.reading: Rewindable | None = None
        self.playhead: Playhead | None = None
        self.heard: tuple[Source, int] | None = None
        self.loop = False
        self.speed = 1.0
        self.closing = False
        self.lost = False
        self.cut_off: tuple[str, float] | None = None
        self.underruns = self.waits = 0
        self.message = self.device = ""
        self.delay_s = 0.0

    def set(self, state: PlayState) -> None:
        """A new wish: whoever plays starts over."""
        self.version += 1
        self.cut_off = None
        self.tell(state)
        self.wake.notify_all()

    def tell(self, state: PlayState) -> None:
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)

    def resume(self) -> None:
        if self.state is PlayState.PAUSED:
            self.message = ""
            self.set(PlayState.BUFFERING)

    def keep_heard(self) -> None:
        """Remember what was heard last and go back to it, so that nothing the device still held is skipped."""
        playhead, self.playhead = self.playhead, None
        heard = playhead.heard() if playhead is not None else None
        if heard is not None:
            self.heard = heard
            if self.reading is not None and self.reading.source is heard[0]:
                self.reading.rewind(heard[1])

    def let_go(self) -> None:
        """Nothing is played any more."""
        if self.reading is not None:
            self.reading.source.close()
        self.reading = self.playhead = self.heard = None

    def lose(self, error: DeviceError) -> None:
        """The device went while it played."""
        self.keep_heard()
        self.lost = True
        self.message = f"{error.message} Playing is paused; making speech goes on. {error.remedy}".strip()
        self.set(PlayState.PAUSED)
        self.cut_off = (self.device, self.now())
        self.device_lost.emit(self.message)
