"""Plays a programme: one feeder thread pulls 20 ms blocks from a source and writes them to the device."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

import numpy as np

from app.model.signal import Signal
from app.services.cushion import Cushion
from app.services.devices import Devices, Output
from app.services.meters import Levels, Meter
from app.services.playhead import Playhead
from app.services.playing import BLOCK_SAMPLES, PlayerSnapshot, PlayState, Rewindable, Source
from app.services.stretch import Tempo
from engine import CHANNELS, SAMPLE_RATE, DeviceError

log = logging.getLogger(__name__)

_LOST_POLL_S = 1.0
_STUCK_S = 2.0
_GOES_ON_WITHIN_S = 300.0  # somebody who plugs headphones in much later does not expect them to speak
# Sound servers and amplifiers swallow the first moment of a stream, and keep some more than they admit to.
_LEAD_IN_SAMPLES = 3 * BLOCK_SAMPLES
_LEAD_OUT_SAMPLES = 6 * BLOCK_SAMPLES
_ROUND_AHEAD_SAMPLES = SAMPLE_RATE // 2
_SILENCE = np.zeros((BLOCK_SAMPLES, CHANNELS), np.float32)


class Player:
    """Plays one source at a time. Every method may be called from any thread and returns at once.

    Attributes:
        state_changed: emitted with the PlayState.
        finished: emitted without arguments when a source was heard to its end.
        device_lost, device_returned: emitted with a sentence for people.
            All four are emitted on the thread where it happens, most often the feeder's.
    """

    def __init__(self, devices: Devices, *, now: Callable[[], float] = time.monotonic) -> None:
        self.state_changed = Signal()
        self.finished = Signal()
        self.device_lost = Signal()
        self.device_returned = Signal()
        self.devices = devices
        self.cushion = Cushion()
        self.meter = Meter()
        self.rtf: Callable[[], float] = lambda: 0.0
        self._now = now
        self._wake = threading.Condition(threading.RLock())
        self._state = PlayState.STOPPED
        self._version = 0  # grows with every wish; a feeder that sees a new one starts over
        self._open_source: Callable[[], Source] | None = None
        self._reading: Rewindable | None = None
        self._playhead: Playhead | None = None
        self._heard: tuple[Source, int] | None = None
        self._loop = False
        self._speed = 1.0
        self._closing = False
        self._lost = False
        self._cut_off: tuple[str, float] | None = None  # the device that went while it played, and when
        self._feeder: _Feeder | None = None
        self._underruns = self._waits = 0
        self._message = self._device = ""
        self._delay_s = 0.0

    # -- what a person does -------------------------------------------------------------------------------------

    def play(self, open_source: Callable[[], Source], *, loop: bool = False) -> None:
        """Play a source from its start, whatever was played before. `open_source` is called on the feeder thread."""
        with self._wake:
            self._let_go()
            self._open_source, self._loop = open_source, loop
            self._message = ""
            self._underruns = self._waits = 0
            self._set(PlayState.BUFFERING)

    def pause(self) -> None:
        """Silence at once; the playhead stays at what was heard last."""
        with self._wake:
            if self._state in (PlayState.PLAYING, PlayState.BUFFERING):
                self._keep_heard()
                self._set(PlayState.PAUSED)

    def resume(self) -> None:
        with self._wake:
            if self._state is PlayState.PAUSED:
                self._message = ""
                self._set(PlayState.BUFFERING)

    def toggle(self) -> None:
        """Pause what plays, resume what is paused."""
        if self._state is PlayState.PAUSED:
            self.resume()
        else:
            self.pause()

    def stop(self) -> None:
        with self._wake:
            self._let_go()
            self._open_source = None
            if self._state is not PlayState.STOPPED:
                self._set(PlayState.STOPPED)

    def set_speed(self, speed: float) -> None:
        """Review speed 0.5..2 with kept pitch."""
        self._speed = min(2.0, max(0.5, speed))

    def set_loop(self, loop: bool) -> None:
        """Start a source again when it was read to its end."""
        self._loop = loop

    def choose_output(self, name: str | None) -> None:
        """Play on this device, or follow the system's default; goes on from what was heard."""
        with self._wake:
            self.devices.wanted_output = name
            self._lost = False
            if self._state in (PlayState.PLAYING, PlayState.BUFFERING):
                self._keep_heard()
                self._set(PlayState.BUFFERING)

    # -- what a view asks ---------------------------------------------------------------------------------------

    @property
    def state(self) -> PlayState:
        return self._state

    def snapshot(self) -> PlayerSnapshot:
        """What is so now; cheap enough to ask 30 times a second."""
        with self._wake:
            self._check_feeder()
            state, reading = self._state, self._reading
            heard = self._heard
            if state in (PlayState.PLAYING, PlayState.BUFFERING) and self._playhead is not None:
                heard = self._playhead.heard() or heard
            place = heard[0].place(heard[1]) if heard is not None else None
            if place is None and reading is not None:
                place = reading.source.place(reading.at)
            return PlayerSnapshot(
                state=state,
                place=place if state is not PlayState.STOPPED else None,
                lead_s=reading.ready_samples / SAMPLE_RATE if reading is not None else 0.0,
                underruns=self._underruns,
                waits=self._waits,
                device=self._device,
                audible_delay_ms=1000 * self._delay_s,
                speed=self._speed,
                message=self._message,
                levels=self.meter.levels() if state is PlayState.PLAYING else Levels(),
            )

    def close(self) -> None:
        """Stop, and end the thread."""
        self.stop()
        with self._wake:
            self._closing = True
            self._version += 1
            self._wake.notify_all()
            feeder = self._feeder
        if feeder is not None:
            feeder.thread.join(timeout=_STUCK_S)

    # -- shared with the feeder; called with the lock held -------------------------------------------------------

    def _set(self, state: PlayState) -> None:
        """A new wish: whoever plays starts over."""
        self._version += 1
        self._cut_off = None
        self._tell(state)
        if self._feeder is None and state is PlayState.BUFFERING:
            self._feeder = _Feeder(self)
        self._wake.notify_all()

    def _tell(self, state: PlayState) -> None:
        if state is not self._state:
            self._state = state
            self.state_changed.emit(state)

    def _keep_heard(self) -> None:
        """Remember what was heard last and go back to it, so that nothing the device still held is skipped."""
        playhead, self._playhead = self._playhead, None
        heard = playhead.heard() if playhead is not None else None
        if heard is not None:
            self._heard = heard
            if self._reading is not None and self._reading.source is heard[0]:
                self._reading.rewind(heard[1])

    def _let_go(self) -> None:
        if self._reading is not None:
            self._reading.source.close()
        self._reading = self._playhead = self._heard = None

    def _lose(self, error: DeviceError) -> None:
        self._keep_heard()
        self._lost = True
        self._message = f"{error.message} Playing is paused; making speech goes on. {error.remedy}".strip()
        self._set(PlayState.PAUSED)
        self._cut_off = (self._device, self._now())
        self.device_lost.emit(self._message)

    def _check_feeder(self) -> None:
        """A write that does not come back means a dead device; its thread is left behind and never touched again."""
        feeder = self._feeder
        # Read once: the feeder's own thread may set it to None between two looks.
        since_s = feeder.writing_since_s if feeder is not None else None
        if feeder is None or since_s is None or self._now() - since_s < _STUCK_S:
            return
        log.warning("the output %s does not answer", self._device)
        feeder.abandoned = True
        if feeder.output is not None:
            self.devices.forget(feeder.output)
        self._feeder = _Feeder(self)
        self._lose(DeviceError(f"{self._device or 'The output'} does not answer any more.", "Press play to go on."))


class _Feeder:
    """The thread. Everything it shares with the player is touched under the player's lock."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.abandoned = False
        self.writing_since_s: float | None = None
        self.output: Output | None = None
        self.next_source: Source | None = None
        self.thread = threading.Thread(target=self._run, name="player", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        player = self.player
        while True:
            with player._wake:
                while player._state not in (PlayState.PLAYING, PlayState.BUFFERING) and not player._closing:
                    if not player._wake.wait(_LOST_POLL_S if player._lost else None) and player._lost:
                        break
                if player._closing or self.abandoned:
                    return
                version, idle = player._version, player._state in (PlayState.STOPPED, PlayState.PAUSED)
            if idle:
                self._look_for_lost()
                continue
            try:
                self._play(version)
            except DeviceError as error:
                with player._wake:
                    if self.abandoned:
                        return
                    if version == player._version:
                        player._lose(error)
            except Exception as error:  # a broken source must not take the sound away for ever
                log.exception("playing failed")
                with player._wake:
                    if self.abandoned:
                        return
                    player._let_go()
                    player._message = f"Playing stopped: {error}"
                    player._set(PlayState.STOPPED)

    def _look_for_lost(self) -> None:
        player = self.player
        if not player.devices.output_is_back():
            return
        with player._wake:
            if not player._lost:
                return
            cut_off = player._cut_off
        name, lost_at_s = cut_off or ("", 0.0)
        goes_on = bool(name) and player._now() - lost_at_s < _GOES_ON_WITHIN_S and self._answers(name)
        with player._wake:
            if not player._lost or player._cut_off is not cut_off:
                return
            player._lost = False
            if goes_on:
                player.resume()
                words = "The output is back; playing goes on from where you were."
            else:
                words = "The output is back. Press play to go on from where you were."
            player._message = words
            player.device_returned.emit(words)

    def _answers(self, name: str) -> bool:
        """Whether the output that went can be opened again: a device is listed a moment before it plays."""
        output = self.player.devices.open_output()
        output.close()
        return output.name == name

    def _play(self, version: int) -> None:
        """Play until there is a new wish, the end, or no device."""
        player = self.player
        if not self._get_source(version):
            return
        self.output = output = player.devices.open_output()
        try:
            self._pump(version, output)
        finally:
            if self.next_source is not None:
                self.next_source.close()
                self.next_source = None
            if not self.abandoned:
                self.output = None
                output.close()

    def _get_source(self, version: int) -> bool:
        player = self.player
        with player._wake:
            open_source = player._open_source
            if player._version != version or open_source is None:
                return False
            if player._reading is not None:
                return True
        source = open_source()
        with player._wake:
            if player._version == version:
                player._reading = Rewindable(source)
                return True
        source.close()
        return False

    def _pump(self, version: int, output: Output) -> None:
        player = self.player
        playhead = Playhead(output.latency_s, player._now)
        player.meter.reset()
        with player._wake:
            if player._version != version:
                return
            player._playhead = playhead
            player._device, player._delay_s = output.name, output.latency_s
            player._lost = bool(output.silent and player.devices.wanted_output)
            if output.silent and not player._message:
                player._message = player.devices.no_sound or (
                    "No output was found: the playhead moves, but nothing can be heard. Plug in headphones or speakers."
                )
        tempo = Tempo(player._speed)
        waiting, started, quiet = True, False, 0  # silence is written while waiting, so that the device never runs dry
        while True:
            with player._wake:
                if player._version != version or self.abandoned:
                    return
                reading = player._reading
                assert reading is not None
                if waiting and quiet >= _LEAD_IN_SAMPLES and self._enough(reading):
                    waiting = False
                    player._tell(PlayState.PLAYING)
                if tempo.speed != player._speed:
                    # What the old tempo had swallowed and not given back is read again.
                    if tempo.running:
                        reading.rewind(tempo.sample)
                    tempo = Tempo(player._speed)
                at = reading.at
                block = _SILENCE[:0] if waiting else reading.read()
                if block is not None and not len(block) and not waiting:
                    waiting = True
                    player._waits += 1
                    player.cushion.had_to_wait()
                    player._tell(PlayState.BUFFERING)
            self._prepare_round(reading)
            if waiting:
                self._write(output, _SILENCE, count_dry=False)
                playhead.wrote(len(_SILENCE), held_s=output.held_s())
                quiet += len(_SILENCE)
                continue
            sample, sound = tempo.feed(block, at)
            if len(sound):
                self._write(output, sound, count_dry=started)
                if self.abandoned:
                    return  # another feeder plays by now: what it uses must not be touched
                started = True
                player.meter.feed(sound)
                playhead.wrote(len(sound), reading.source, sample, tempo.speed, output.held_s())
            if block is None:
                if not self._next_round(version, output, playhead):
                    return
                tempo = Tempo(player._speed)

    def _enough(self, reading: Rewindable) -> bool:
        player, source = self.player, reading.source
        needed_s = player.cushion.needed_s(player.rtf(), source.remaining_s)
        return source.complete or reading.ready_samples >= needed_s * SAMPLE_RATE

    def _write(self, output: Output, samples: np.ndarray, *, count_dry: bool) -> None:
        self.writing_since_s = self.player._now()
        try:
            dry = output.write(samples)
        finally:
            self.writing_since_s = None
        if dry and count_dry and not self.abandoned:
            self.player._underruns += 1

    def _prepare_round(self, reading: Rewindable) -> None:
        """In a loop the next round is opened before this one ends, so that there is no gap between them."""
        player = self.player
        if not player._loop or self.next_source is not None or not reading.source.complete:
            return
        open_source = player._open_source
        if reading.ready_samples < _ROUND_AHEAD_SAMPLES and reading.at > 0 and open_source is not None:
            self.next_source = open_source()

    def _next_round(self, version: int, output: Output, playhead: Playhead) -> bool:
        """The source was read to its end: start it again, or let the device play what it holds and stop."""
        player = self.player
        with player._wake:
            if player._version != version:
                return False
            looping, open_source, old = player._loop, player._open_source, player._reading
        if looping and open_source is not None and old is not None and old.at > 0:
            source, self.next_source = self.next_source or open_source(), None
            with player._wake:
                if player._version != version:
                    source.close()
                    return False
                old.source.close()
                player._reading = Rewindable(source)
            return True
        left = int(output.latency_s * SAMPLE_RATE) + _LEAD_OUT_SAMPLES
        while left > 0:
            self._write(output, _SILENCE, count_dry=False)
            playhead.wrote(len(_SILENCE), held_s=output.held_s())
            left -= len(_SILENCE)
            if player._version != version:
                return False
        with player._wake:
            if player._version != version:
                return False
            if old is not None and old.source.problem:
                player._message = old.source.problem
            elif player._waits == 0:
                player.cushion.went_well()
            player._let_go()
            player._open_source = None
            player._set(PlayState.STOPPED)
        player.finished.emit()
        return False
