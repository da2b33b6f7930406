"""The thread that plays: it pulls 20 ms blocks from a source and writes them to the device."""

from __future__ import annotations

import logging
import threading

import numpy as np

from app.services.deck import Deck
from app.services.devices import Output
from app.services.playhead import Playhead
from app.services.playing import BLOCK_SAMPLES, PlayState, Rewindable, Source
from app.services.stretch import Tempo
from engine import CHANNELS, SAMPLE_RATE, DeviceError

log = logging.getLogger(__name__)

STUCK_S = 2.0
_LOST_POLL_S = 1.0
_GOES_ON_WITHIN_S = 300.0  # somebody who plugs headphones in much later does not expect them to speak
# Sound servers and amplifiers swallow the first moment of a stream, and keep some more than they admit to.
_LEAD_IN_SAMPLES = 3 * BLOCK_SAMPLES
_LEAD_OUT_SAMPLES = 6 * BLOCK_SAMPLES
_ROUND_AHEAD_SAMPLES = SAMPLE_RATE // 2
_SILENCE = np.zeros((BLOCK_SAMPLES, CHANNELS), np.float32)


class Feeder:
    """Pulls blocks from the source and writes them to the device, until the deck is closed or it is left behind.

    Attributes:
        abandoned: its write never came back; what it still does is of no interest.
        writing_since_s: since when it waits for the device. output: what it writes to.
    """

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.abandoned = False
        self.writing_since_s: float | None = None
        self.output: Output | None = None
        self.next_source: Source | None = None
        self.thread = threading.Thread(target=self._run, name="player", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        deck = self.deck
        while True:
            with deck.wake:
                while deck.state not in (PlayState.PLAYING, PlayState.BUFFERING) and not deck.closing:
                    if not deck.wake.wait(_LOST_POLL_S if deck.lost else None) and deck.lost:
                        break
                if deck.closing or self.abandoned:
                    return
                version, idle = deck.version, deck.state in (PlayState.STOPPED, PlayState.PAUSED)
            if idle:
                self._look_for_lost()
                continue
            try:
                self._play(version)
            except DeviceError as error:
                with deck.wake:
                    if self.abandoned:
                        return
                    if version == deck.version:
                        deck.lose(error)
            except Exception as error:  # a broken source must not take the sound away for ever
                log.exception("playing failed")
                with deck.wake:
                    if self.abandoned:
                        return
                    deck.let_go()
                    deck.message = f"Playing stopped: {error}"
                    deck.set(PlayState.STOPPED)

    def _look_for_lost(self) -> None:
        deck = self.deck
        if not deck.devices.output_is_back():
            return
        with deck.wake:
            if not deck.lost:
                return
            cut_off = deck.cut_off
        # A device is listed a moment before it plays, and that of a sound server also while the server has no output.
        output = deck.devices.open_output()
        output.close()
        if output.silent or output.name != (deck.devices.wanted_output or output.name):
            return
        name, lost_at_s = cut_off or ("", 0.0)
        goes_on = output.name == name and deck.now() - lost_at_s < _GOES_ON_WITHIN_S
        with deck.wake:
            if not deck.lost or deck.cut_off is not cut_off:
                return
            deck.lost = False
            if goes_on:
                deck.resume()
                words = "The output is back; playing goes on from where you were."
            else:
                words = "The output is back. Press play to go on from where you were."
            deck.message = words
            deck.device_returned.emit(words)

    def _play(self, version: int) -> None:
        """Play until there is a new wish, the end, or no device."""
        deck = self.deck
        if not self._get_source(version):
            return
        self.output = output = deck.devices.open_output()
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
        deck = self.deck
        with deck.wake:
            open_source = deck.open_source
            if deck.version != version or open_source is None:
                return False
            if deck.reading is not None:
                return True
        source = open_source()
        with deck.wake:
            if deck.version == version:
                deck.reading = Rewindable(source)
                return True
        source.close()
        return False

    def _pump(self, version: int, output: Output) -> None:
        deck = self.deck
        playhead = Playhead(output.latency_s, deck.now)
        deck.meter.reset()
        with deck.wake:
            if deck.version != version:
                return
            deck.playhead = playhead
            deck.device, deck.delay_s = output.name, output.latency_s
            deck.lost = bool(output.silent and deck.devices.wanted_output)
            if output.silent and not deck.message:
                deck.message = deck.devices.no_sound or (
                    "No output was found: the playhead moves, but nothing can be heard. Plug in headphones or speakers."
                )
        tempo = Tempo(deck.speed)
        waiting, started, quiet = True, False, 0  # silence is written while waiting, so that the device never runs dry
        while True:
            with deck.wake:
                if deck.version != version or self.abandoned:
                    return
                reading = deck.reading
                assert reading is not None
                if waiting and quiet >= _LEAD_IN_SAMPLES and self._enough(reading):
                    waiting = False
                    deck.tell(PlayState.PLAYING)
                if tempo.speed != deck.speed:
                    # What the old tempo had swallowed and not given back is read again.
                    if tempo.running:
                        reading.rewind(tempo.sample)
                    tempo = Tempo(deck.speed)
                at = reading.at
                block = _SILENCE[:0] if waiting else reading.read()
                if block is not None and not len(block) and not waiting:
                    waiting = True
                    deck.waits += 1
                    deck.cushion.had_to_wait()
                    deck.tell(PlayState.BUFFERING)
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
                deck.meter.feed(sound)
                playhead.wrote(len(sound), reading.source, sample, tempo.speed, output.held_s())
            if block is None:
                if not self._next_round(version, output, playhead):
                    return
                tempo = Tempo(deck.speed)

    def _enough(self, reading: Rewindable) -> bool:
        deck, source = self.deck, reading.source
        needed_s = deck.cushion.needed_s(deck.rtf(), source.remaining_s)
        return source.complete or reading.ready_samples >= needed_s * SAMPLE_RATE

    def _write(self, output: Output, samples: np.ndarray, *, count_dry: bool) -> None:
        self.writing_since_s = self.deck.now()
        try:
            dry = output.write(samples)
        finally:
            self.writing_since_s = None
        if dry and count_dry and not self.abandoned:
            self.deck.underruns += 1

    def _prepare_round(self, reading: Rewindable) -> None:
        """In a loop the next round is opened before this one ends, so that there is no gap between them."""
        deck = self.deck
        if not deck.loop or self.next_source is not None or not reading.source.complete:
            return
        open_source = deck.open_source
        if reading.ready_samples < _ROUND_AHEAD_SAMPLES and reading.at > 0 and open_source is not None:
            self.next_source = open_source()

    def _next_round(self, version: int, output: Output, playhead: Playhead) -> bool:
        """The source was read to its end: start it again, or let the device play what it holds and stop."""
        deck = self.deck
        with deck.wake:
            if deck.version != version:
                return False
            looping, open_source, old = deck.loop, deck.open_source, deck.reading
        if looping and open_source is not None and old is not None and old.at > 0:
            source, self.next_source = self.next_source or open_source(), None
            with deck.wake:
                if deck.version != version:
                    source.close()
                    return False
                old.source.close()
                deck.reading = Rewindable(source)
            return True
        left = int(output.latency_s * SAMPLE_RATE) + _LEAD_OUT_SAMPLES
        while left > 0:
            self._write(output, _SILENCE, count_dry=False)
            playhead.wrote(len(_SILENCE), held_s=output.held_s())
            left -= len(_SILENCE)
            if deck.version != version:
                return False
        with deck.wake:
            if deck.version != version:
                return False
            if old is not None and old.source.problem:
                deck.message = old.source.problem
            elif deck.waits == 0:
                deck.cushion.went_well()
            deck.let_go()
            deck.open_source = None
            deck.set(PlayState.STOPPED)
        deck.finished.emit()
        return False
