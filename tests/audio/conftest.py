"""A real sound server for a test: pulseaudio with a null sink whose monitor is recorded."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

RATE = 48_000
SINK = "studio_test"


class SoundServer:
    """Pulseaudio of one test, with nothing but a 48 kHz stereo float null sink."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.socket = folder / "native"
        self.env = {
            **os.environ,
            "XDG_RUNTIME_DIR": str(folder),
            "HOME": str(folder),
            "PULSE_SERVER": f"unix:{self.socket}",
        }
        self.env.pop("PULSE_COOKIE", None)
        self.daemon: subprocess.Popen | None = None
        self.recorder: subprocess.Popen | None = None
        self.sink: str | None = None

    def start(self) -> None:
        self.daemon = subprocess.Popen(
            [
                "pulseaudio", "-n",
                "--system=false", "--exit-idle-time=-1", "--disable-shm=true", "--use-pid-file=false",
                "--daemonize=false", "--log-target=stderr", "--log-level=error",
                "-L", f"module-native-protocol-unix auth-anonymous=1 socket={self.socket}",
            ],
            env=self.env,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "pulseaudio.log").open("w"),
        )  # fmt: skip
        for _ in range(100):
            if self.socket.exists() and self.ask("info", check=False):
                break
            time.sleep(0.05)
        self.add_sink()

    def ask(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(["pactl", *words], env=self.env, capture_output=True, text=True, timeout=10)
        if check and done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip() if not done.returncode else ""

    def add_sink(self) -> None:
        # Resampling off and volume 100 %: what is written must arrive bit for bit.
        self.sink = self.ask(
            "load-module", "module-null-sink", f"sink_name={SINK}", "rate=48000", "format=float32le", "channels=2"
        )
        self.ask("set-sink-volume", SINK, "100%")
        self.ask("set-default-sink", SINK)

    def remove_sink(self) -> None:
        assert self.sink is not None
        self.ask("unload-module", self.sink)
        self.sink = None

    def record(self) -> Path:
        target = self.folder / f"recorded-{time.time_ns()}.f32"
        self.recorder = subprocess.Popen(
            [
                "parec", "--raw", f"--device={SINK}.monitor", "--format=float32le", "--rate=48000", "--channels=2",
                "--latency-msec=10",
            ],
            env=self.env,
            stdout=target.open("wb"),
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for _ in range(100):
            if target.stat().st_size:
                return target
            time.sleep(0.05)
        raise RuntimeError("the monitor gives nothing")

    def recorded(self, target: Path) -> np.ndarray:
        time.sleep(0.5)
        assert self.recorder is not None
        self.recorder.terminate()
        self.recorder.wait(5)
        self.recorder = None
        raw = np.frombuffer(target.read_bytes(), np.float32)
        return raw[: len(raw) // 2 * 2].reshape(-1, 2)

    def listen(self) -> Monitor:
        """What the sink plays, as it comes."""
        self.recorder = subprocess.Popen(
            [
                "parec", "--raw", f"--device={SINK}.monitor", "--format=float32le", "--rate=48000", "--channels=2",
                "--latency-msec=1",
            ],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return Monitor(self.recorder)

    def stop(self) -> None:
        for process in (self.recorder, self.daemon):
            if process is not None:
                process.terminate()
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()


class Monitor:
    """The sink's monitor, read as it comes."""

    def __init__(self, recorder: subprocess.Popen):
        self._recorder = recorder
        self._rest = b""

    def newest(self) -> float | None:
        """The newest sample of sound that came since the last call; waits for some. None: silence."""
        data = self._rest + os.read(self._recorder.stdout.fileno(), 1 << 16)
        whole = len(data) // 8 * 8
        self._rest = data[whole:]
        samples = np.frombuffer(data[:whole], np.float32)[::2]
        loud = samples[samples != 0]
        return float(loud[-1]) if len(loud) else None

    def close(self) -> None:
        self._recorder.terminate()


@pytest.fixture
def sound_server(tmp_path, monkeypatch):
    if not shutil.which("pulseaudio") or not shutil.which("parec"):
        pytest.skip("pulseaudio is not installed")
    server = SoundServer(tmp_path)
    server.start()
    alsa = tmp_path / "asound.conf"
    alsa.write_text(
        f'pcm.!default {{ type pulse server "unix:{server.socket}" }}\n'
        f'ctl.!default {{ type pulse server "unix:{server.socket}" }}\n'
        f'pcm.pulse {{ type pulse server "unix:{server.socket}" }}\n'
    )
    # Without the system's own file the list holds this sound server alone.
    monkeypatch.setenv("ALSA_CONFIG_PATH", f"/usr/share/alsa/alsa.conf:{alsa}")
    monkeypatch.setenv("PULSE_SERVER", f"unix:{server.socket}")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    _look_again()
    yield server
    server.stop()


def _look_again() -> None:
    """PortAudio lists devices once in a process; an earlier test may have asked for the list."""
    import sounddevice

    sounddevice._terminate()
    sounddevice._initialize()
