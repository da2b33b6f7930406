"""Plays a programme: what a person does with it, and what views ask; the sound itself is a feeder's."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from app.services.deck import Deck
from app.services.devices import Devices
from app.services.feeder import STUCK_S, Feeder
from app.services.meters import Levels
from app.services.playing import PlayerSnapshot, PlayState, Source
from engine import SAMPLE_RATE, DeviceError

log = logging.getLogger(__name__)


class Player:
    """Plays one source at a time. Every method may be called from any thread and returns at once.

    Attributes:
        state_changed: emitted with the PlayState.
        finished: emitted without arguments when a source was heard to its end.
        device_lost, device_returned: emitted with a sentence for people.
            All four are emitted on the thread where it happens, most often the feeder's.
    """

    def __init__(self, devices: Devices, *, now: Callable[[], float] = time.monotonic) -> None:
        self._deck = deck = Deck(devices, now)
        self.state_changed, self.finished = deck.state_changed, deck.finished
        self.device_lost, self.device_returned = deck.device_lost, deck.device_returned
        self.devices, self.cushion, self.meter = deck.devices, deck.cushion, deck.meter
        self._feeder: Feeder | None = None

    @property
    def rtf(self) -> Callable[[], float]:
        """Asks how long a second of speech takes to make; 0 while that is unknown."""
        return self._deck.rtf

    @rtf.setter
    def rtf(self, asks: Callable[[], float]) -> None:
        self._deck.rtf = asks

    # -- what a person does -------------------------------------------------------------------------------------

    def play(self, open_source: Callable[[], Source], *, loop: bool = False) -> None:
        """Play a source from its start, whatever was played before. `open_source` is called on the feeder thread."""
        with self._deck.wake:
            self._deck.let_go()
            self._deck.open_source, self._deck.loop = open_source, loop
            self._deck.message = ""
            self._deck.underruns = self._deck.waits = 0
            self._deck.set(PlayState.BUFFERING)
            if self._feeder is None:
                self._feeder = Feeder(self._deck)

    def pause(self) -> None:
        """Silence at once; the playhead stays at what was heard last."""
        with self._deck.wake:
            if self._deck.state in (PlayState.PLAYING, PlayState.BUFFERING):
                self._deck.keep_heard()
                self._deck.set(PlayState.PAUSED)

    def resume(self) -> None:
        with self._deck.wake:
            self._deck.resume()

    def toggle(self) -> None:
        """Pause what plays, resume what is paused."""
        if self._deck.state is PlayState.PAUSED:
            self.resume()
        else:
            self.pause()

    def stop(self) -> None:
        with self._deck.wake:
            self._deck.let_go()
            self._deck.open_source = None
            if self._deck.state is not PlayState.STOPPED:
                self._deck.set(PlayState.STOPPED)

    def set_speed(self, speed: float) -> None:
        """Review speed 0.5..2 with kept pitch."""
        self._deck.speed = min(2.0, max(0.5, speed))

    def set_loop(self, loop: bool) -> None:
        """Start a source again when it was read to its end."""
        self._deck.loop = loop

    def choose_output(self, name: str | None) -> None:
        """Play on this device, or follow the system's default; goes on from what was heard."""
        with self._deck.wake:
            self.devices.wanted_output = name
            self._deck.lost = False
            if self._deck.state in (PlayState.PLAYING, PlayState.BUFFERING):
                self._deck.keep_heard()
                self._deck.set(PlayState.BUFFERING)

    # -- what a view asks ---------------------------------------------------------------------------------------

    @property
    def state(self) -> PlayState:
        return self._deck.state

    def snapshot(self) -> PlayerSnapshot:
        """What is so now; cheap enough to ask 30 times a second."""
        deck = self._deck
        with deck.wake:
            self._check_feeder()
            state, reading = deck.state, deck.reading
            heard = deck.heard
            if state in (PlayState.PLAYING, PlayState.BUFFERING) and deck.playhead is not None:
                heard = deck.playhead.heard() or heard
            place = heard[0].place(heard[1]) if heard is not None else None
            if place is None and reading is not None:
                place = reading.source.place(reading.at)
            return PlayerSnapshot(
                state=state,
                place=place if state is not PlayState.STOPPED else None,
                lead_s=reading.ready_samples / SAMPLE_RATE if reading is not None else 0.0,
                underruns=deck.underruns,
                waits=deck.waits,
                device=deck.device,
                audible_delay_ms=1000 * deck.delay_s,
                speed=deck.speed,
                message=deck.message,
                levels=self.meter.levels() if state is PlayState.PLAYING else Levels(),
            )

    def close(self) -> None:
        """Stop, and end the thread."""
        self.stop()
        with self._deck.wake:
            self._deck.closing = True
            self._deck.version += 1
            self._deck.wake.notify_all()
            feeder = self._feeder
        if feeder is not None:
            feeder.thread.join(timeout=STUCK_S)

    def _check_feeder(self) -> None:
        """A write that does not come back means a dead device; its thread is left behind and never touched again."""
        feeder, deck = self._feeder, self._deck
        # Read once: the feeder's own thread may set it to None between two looks.
        since_s = feeder.writing_since_s if feeder is not None else None
        if feeder is None or since_s is None or deck.now() - since_s < STUCK_S:
            return
        log.warning("the output %s does not answer", deck.device)
        feeder.abandoned = True
        if feeder.output is not None:
            self.devices.forget(feeder.output)
        self._feeder = Feeder(deck)
        deck.lose(DeviceError(f"{deck.device or 'The output'} does not answer any more.", "Press play to go on."))
