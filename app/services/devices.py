"""The only owner of PortAudio: lists devices, opens them, notices one that is gone and finds it again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import soxr

from engine import CHANNELS, SAMPLE_RATE
from engine.errors import DeviceError

log = logging.getLogger(__name__)

BUFFER_S = 0.15
_LIST_IS_FRESH_S = 10.0


@dataclass(frozen=True)
class Device:
    """One place sound can go to or come from.

    Attributes:
        index: PortAudio's number, valid until the next listing; never stored.
        name: what the person chooses and what is remembered.
        host: the sound system it belongs to.
        outputs, inputs: channels.
        rate: what the device prefers, Hz.
    """

    index: int
    name: str
    host: str
    outputs: int
    inputs: int
    rate: int


class Output:
    """An open output. Used by one thread alone.

    Attributes:
        name: the device; "" for the silent clock.
        rate: Hz the device runs at; samples are given at 48 kHz whatever it is.
        latency_s: between a write that returned and its last sample being heard.
        silent: nobody hears it.
    """

    name = ""
    rate = SAMPLE_RATE
    latency_s = BUFFER_S
    silent = False

    def write(self, samples: np.ndarray) -> bool:
        """Play float32 `[n, 2]` at 48 kHz; returns when there is room for it. True: the device had run dry before.

        Raises:
            DeviceError: the device is gone.
        """
        raise NotImplementedError

    def held_s(self) -> float:
        """Seconds of sound that were written and are not heard yet; asked right after a write."""
        return self.latency_s

    def close(self) -> None:
        """Throw away what was not heard yet and let go of the device."""
        raise NotImplementedError


class SilentClock(Output):
    """Takes samples at the pace of a device where there is none, so that everything else works as usual."""

    silent = True

    def __init__(self, now: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep) -> None:
        self._now, self._sleep = now, sleep
        self._ends_at_s: float | None = None

    def write(self, samples: np.ndarray) -> bool:
        now = self._now()
        dry = self._ends_at_s is not None and self._ends_at_s < now
        if self._ends_at_s is None or dry:
            self._ends_at_s = now
        self._ends_at_s += len(samples) / SAMPLE_RATE
        wait_s = self._ends_at_s - self.latency_s - now
        if wait_s > 0:
            self._sleep(wait_s)
        return dry

    def held_s(self) -> float:
        return max(0.0, self._ends_at_s - self._now()) if self._ends_at_s is not None else 0.0

    def close(self) -> None:
        self._ends_at_s = None


class DeviceOutput(Output):
    """A PortAudio stream written to with blocking calls; resamples and folds to mono where the device wants it."""

    def __init__(self, sd: Any, device: Device, rate: int, channels: int, released: Callable[[DeviceOutput], None]):
        self.name, self.rate = device.name, rate
        self._channels = channels
        self._released = released
        self._errors = (sd.PortAudioError, OSError)
        self._resampler = (
            None
            if rate == SAMPLE_RATE
            else soxr.ResampleStream(SAMPLE_RATE, rate, CHANNELS, dtype="float32", quality="HQ")
        )
        self._stream = sd.OutputStream(
            samplerate=rate, device=device.index, channels=channels, dtype="float32", latency=BUFFER_S, blocksize=0
        )
        try:
            self._stream.start()
        except self._errors:
            self._stream.close(ignore_errors=True)
            raise
        self.latency_s = float(self._stream.latency) or BUFFER_S
        self._room = self._free()  # all that the device's buffer takes

    def write(self, samples: np.ndarray) -> bool:
        if self._resampler is not None:
            samples = self._resampler.resample_chunk(np.ascontiguousarray(samples, np.float32))
        if self._channels == 1:
            samples = samples.mean(axis=1, keepdims=True)
        if not len(samples):
            return False
        try:
            return bool(self._stream.write(np.ascontiguousarray(samples, np.float32)))
        except self._errors as error:
            raise _lost(self.name, error) from error

    def held_s(self) -> float:
        """What fills the buffer now. Some systems count the part that is being handed on not into their latency: there
        the buffer holds more than that after a write. Where they count in what lies behind the buffer, that is more."""
        return max(self.latency_s, (self._room - self._free()) / self.rate)

    def _free(self) -> int:
        try:
            return int(self._stream.write_available)
        except self._errors:
            return 0  # some systems do not tell; then their latency has to do

    def close(self) -> None:
        try:
            self._stream.abort(ignore_errors=True)
            self._stream.close(ignore_errors=True)
        finally:
            self._released(self)


class Devices:
    """Lists, chooses and opens devices. Thread-safe; calls may take some tenths of a second, so never from the
    window's thread.

    Attributes:
        wanted_output, wanted_input: name of the chosen device, or None to follow the system's default. Kept while
            it is lost.
    """

    def __init__(self, load: Callable[[], Any] | None = None, now: Callable[[], float] = time.monotonic) -> None:
        """
        Args:
            load: imports `sounddevice`; given by tests.
            now: clock in seconds.
        """
        self.wanted_output: str | None = None
        self.wanted_input: str | None = None
        self._load = load or _import_sounddevice
        self._now = now
        self._sd: Any = None
        self._no_sound = ""
        self._listed_at_s: float | None = None
        self._devices: tuple[Device, ...] = ()
        self._defaults: tuple[int, int] = (-1, -1)
        self._open: set[int] = set()
        self._lock = threading.RLock()

    @property
    def no_sound(self) -> str:
        """Why nothing can be heard at all, for people; "" when sound is there."""
        self._ready()
        return self._no_sound

    def outputs(self) -> tuple[Device, ...]:
        return tuple(device for device in self._list() if device.outputs)

    def inputs(self) -> tuple[Device, ...]:
        return tuple(device for device in self._list() if device.inputs)

    def refresh(self) -> bool:
        """List the devices again. Only possible while no stream is open; False when it was not."""
        with self._lock:
            if self._open or not self._ready():
                return False
            # PortAudio looks at the system once, when it is initialised.
            self._sd._terminate()
            self._sd._initialize()
            self._listed_at_s = None
            self._list()
            return True

    def output_is_back(self) -> bool:
        """Whether the output that should be used is there now; lists again when it can. For while one is lost."""
        self.refresh()
        target = self._wanted(self.wanted_output, output=True)
        return target is not None and (self.wanted_output is None or target.name == self.wanted_output)

    def open_output(self) -> Output:
        """The chosen output, else the default one, else any that opens, else the silent clock. Never raises."""
        with self._lock:
            if self._listed_at_s is not None and self._now() - self._listed_at_s > _LIST_IS_FRESH_S:
                self.refresh()
            for device in self._output_candidates():
                try:
                    return self._open_device(device)
                except DeviceError:
                    continue  # the log has it
        return SilentClock()

    def open_input(self, on_samples: Callable[[np.ndarray], None]) -> Any:
        """Start recording mono or stereo float32 at 48 kHz; `on_samples` gets `[n, channels]` on PortAudio's own
        thread.

        Returns:
            An object with `close()` and `name`.

        Raises:
            DeviceError: nothing to record with.
        """
        with self._lock:
            if not self._ready():
                raise DeviceError(self._no_sound)
            if not self._open:
                self.refresh()
            device = self._wanted(self.wanted_input, output=False)
            if device is None:
                raise DeviceError("No microphone was found.", "Plug one in, or drop a sound file instead.")
            return _Input(self._sd, device, on_samples, self._opened, self._closed)

    def _output_candidates(self) -> list[Device]:
        outputs = self.outputs()
        first = self._wanted(self.wanted_output, output=True)
        default = self._wanted(None, output=True)
        ordered = [device for device in (first, default) if device is not None]
        return list(dict.fromkeys(ordered)) or list(outputs[:1])

    def _wanted(self, name: str | None, *, output: bool) -> Device | None:
        devices = self.outputs() if output else self.inputs()
        if name is not None:
            for device in devices:
                if device.name == name:
                    return device
        default = self._defaults[1 if output else 0]
        return next((device for device in devices if device.index == default), devices[0] if devices else None)

    def _open_device(self, device: Device) -> Output:
        channels = min(CHANNELS, device.outputs)
        rate = SAMPLE_RATE
        try:
            try:
                self._sd.check_output_settings(device=device.index, channels=channels, dtype="float32", samplerate=rate)
            except (self._sd.PortAudioError, ValueError):
                rate = device.rate
            output = DeviceOutput(self._sd, device, rate, channels, self._closed)
        except (self._sd.PortAudioError, OSError, ValueError) as error:
            raise _lost(device.name, error) from error
        self._opened(output)
        return output

    def _opened(self, stream: object) -> None:
        with self._lock:
            self._open.add(id(stream))

    def _closed(self, stream: object) -> None:
        with self._lock:
            self._open.discard(id(stream))

    def forget(self, stream: object) -> None:
        """A stream whose call never came back is dead: do not let it keep PortAudio from starting again."""
        self._closed(stream)

    def _ready(self) -> bool:
        with self._lock:
            if self._sd is None and not self._no_sound:
                try:
                    self._sd = self._load()
                except (ImportError, OSError) as error:
                    self._no_sound = (
                        f"Sound is off: the PortAudio library could not be loaded ({error}). "
                        "Install libportaudio2 and start the studio again. Everything but hearing works."
                    )
            return self._sd is not None

    def _list(self) -> tuple[Device, ...]:
        with self._lock:
            if not self._ready():
                return ()
            if self._listed_at_s is None:
                self._devices, self._defaults = self._query()
                self._listed_at_s = self._now()
            return self._devices

    def _query(self) -> tuple[tuple[Device, ...], tuple[int, int]]:
        try:
            hosts = self._sd.query_hostapis()
            devices = tuple(
                Device(
                    index=index,
                    name=str(found["name"]),
                    host=str(hosts[found["hostapi"]]["name"]),
                    outputs=int(found["max_output_channels"]),
                    inputs=int(found["max_input_channels"]),
                    rate=int(found["default_samplerate"]),
                )
                for index, found in enumerate(self._sd.query_devices())
            )
            default = self._sd.default.device
            return devices, (int(default[0]), int(default[1]))
        except (self._sd.PortAudioError, OSError) as error:
            log.warning("devices cannot be listed: %s", error)
            return (), (-1, -1)


class _Input:
    """An open microphone."""

    def __init__(
        self,
        sd: Any,
        device: Device,
        on_samples: Callable[[np.ndarray], None],
        opened: Callable[[object], None],
        released: Callable[[object], None],
    ) -> None:
        self.name = device.name
        self._released = released
        channels = min(CHANNELS, device.inputs)
        rate = SAMPLE_RATE
        try:
            try:
                sd.check_input_settings(device=device.index, channels=channels, dtype="float32", samplerate=rate)
            except (sd.PortAudioError, ValueError):
                rate = device.rate
            resampler = (
                None
                if rate == SAMPLE_RATE
                else soxr.ResampleStream(rate, SAMPLE_RATE, channels, dtype="float32", quality="HQ")
            )

            def received(data: np.ndarray, _frames: int, _time: object, _status: object) -> None:
                on_samples(data.copy() if resampler is None else resampler.resample_chunk(data.copy()))

            self._stream = sd.InputStream(
                samplerate=rate, device=device.index, channels=channels, dtype="float32", callback=received
            )
            self._stream.start()
        except (sd.PortAudioError, OSError, ValueError) as error:
            log.warning("%s cannot record: %s", device.name, error)
            raise DeviceError(
                f"“{device.name}” cannot record: it was unplugged, or another program holds it.",
                "Plug it in again, or choose another microphone in Preferences > Sound.",
            ) from error
        opened(self)

    def close(self) -> None:
        try:
            self._stream.abort(ignore_errors=True)
            self._stream.close(ignore_errors=True)
        finally:
            self._released(self)


def _lost(name: str, error: Exception) -> DeviceError:
    """What a person reads; what the sound system said, which nobody else can use, is for the log."""
    log.warning("%s does not play: %s", name, error)
    return DeviceError(
        f"“{name}” does not play: it was unplugged, or another program holds it.",
        "Plug it in again, or choose another output in Preferences > Sound.",
    )


def _import_sounddevice() -> Any:
    import sounddevice

    return sounddevice
