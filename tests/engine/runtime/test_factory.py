"""A runtime is put together as the device allows, says what it is, and serves frames that come late or not at all."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from engine import DeviceError, Engine, SpeechRequest, open_local
from engine.backends.base import LoadProgress
from engine.codec.stream import DecodeStreams
from engine.layout import find_layout
from engine.lm.generate import Frame, FrameLoop
from engine.runtime import cuda, memory
from engine.runtime.devices import NARROW, DevicePlan, choose_device
from engine.runtime.factory import make_runtime
from engine.runtime.memory import GB
from engine.runtime.random_weights import FULL_CODEC, FULL_LM

STARTER = Path(__file__).parents[3] / "resources" / "starter"
TEXTS = ("The train leaves at noon.", "Good morning.")


@pytest.fixture
def pretended_card(monkeypatch) -> DevicePlan:
    """A plan for a card that computes on the processor: everything but kernels and graphs is really done."""
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (9, 0))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device=None: (20 * GB, 24 * GB))
    monkeypatch.setattr(torch.cuda, "device", lambda device: nullcontext())
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    plan = DevicePlan("cpu", torch.float32, "fp32", 1, "A card", kind="cuda90")
    return plan


def load_pretended(plan: DevicePlan, rows: int = 2) -> tuple[cuda.CudaParts, list[float]]:
    seen: list[float] = []
    parts = cuda.make_cuda(find_layout(STARTER), plan, rows=rows, stage=lambda name, done: seen.append(done))
    return parts, seen


def test_kernels_that_fail_leave_plain_operations_and_a_reason(pretended_card: DevicePlan, monkeypatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("ptxas: unknown card")

    monkeypatch.setattr(cuda, "_frame_loop", broken)
    monkeypatch.setattr(cuda, "kernel_streams", broken)
    parts, seen = load_pretended(pretended_card)
    assert not parts.kernels and not parts.codec_kernels and isinstance(parts.loop, FrameLoop) and parts.loop.rows == 2
    assert len(parts.warnings) == 2 and all("ptxas: unknown card" in warning for warning in parts.warnings)
    assert parts.plan is not None and parts.plan.rows == 2 and parts.codec.encoder is not None
    assert seen == sorted(seen)


class OnKernels:
    """A loop or streams as if they had kernels: what happens to them, in order, is in `seen`."""

    def __init__(self, plain: FrameLoop | DecodeStreams, name: str, seen: list[str], fails: bool = False) -> None:
        self._plain, self._name, self._seen, self._fails = plain, name, seen, fails
        self.fallbacks = [f"{name} is not captured"]

    def __getattr__(self, name: str):
        return getattr(self._plain, name)

    def rehearsal(self):
        return [lambda: self._seen.append(f"{self._name} rehearsed")]

    def prove(self) -> None:
        self._seen.append(f"{self._name} proven")
        if self._fails:
            raise RuntimeError("a launch: too many resources")

    def captures(self):
        return [lambda size=size: self._seen.append(f"{self._name} captured {size}") for size in (2, 1)]


@pytest.fixture
def with_kernels(pretended_card: DevicePlan, monkeypatch):
    """A function that loads for the pretended card, where the parts named do not run; and what happened so far."""

    def load(*failing: str) -> tuple[cuda.CudaParts, list[str]]:
        seen: list[str] = []

        def loop(model, chosen):
            return OnKernels(FrameLoop(model, rows=chosen.rows), "frames", seen, "frames" in failing)

        def streams(codec, slots):
            return OnKernels(DecodeStreams(codec, slots=slots), "codec", seen, "codec" in failing)

        monkeypatch.setattr(cuda, "_frame_loop", loop)
        monkeypatch.setattr(cuda, "kernel_streams", streams)
        compiler = SimpleNamespace(rehearse=lambda steps, progress: [step() for step in steps])
        monkeypatch.setitem(sys.modules, "engine.runtime.kernels.launch", compiler)  # the real one needs Triton
        return load_pretended(pretended_card)[0], seen

    return load


def test_kernels_are_compiled_and_tried_before_the_model_is_ready_and_captured_later(with_kernels) -> None:
    parts, seen = with_kernels()
    assert seen == ["codec rehearsed", "frames rehearsed", "frames proven", "codec proven"]
    assert parts.kernels and parts.codec_kernels and parts.warnings == ()
    del seen[:]
    while parts.captures:
        parts.captures.popleft()()
    assert seen == ["frames captured 2", "frames captured 1", "codec captured 2", "codec captured 1"]
    assert parts.fallbacks() == ["frames is not captured", "codec is not captured"]


@pytest.mark.parametrize(("fails", "other"), [("frames", "codec"), ("codec", "frames")])
def test_a_part_whose_kernels_do_not_run_is_made_of_plain_operations(with_kernels, fails, other) -> None:
    parts, seen = with_kernels(fails)
    assert (parts.kernels, parts.codec_kernels) == (fails == "codec", fails == "frames")
    assert isinstance(parts.loop, FrameLoop) == (fails == "frames")
    assert isinstance(parts.streams, DecodeStreams) == (fails == "codec")
    assert len(parts.warnings) == 1 and "too many resources" in parts.warnings[0] and "slower" in parts.warnings[0]
    for capture in parts.captures:
        capture()
    assert seen[-2:] == [f"{other} captured 2", f"{other} captured 1"]
    assert parts.fallbacks() == [f"{other} is not captured"]


def test_what_fails_before_it_is_tried_leaves_the_other_part_on_kernels(with_kernels, monkeypatch) -> None:
    def rehearsal(part: OnKernels) -> list[Callable[[], object]]:
        def step() -> None:
            part._seen.append(f"{part._name} rehearsed")
            if part._fails:
                raise RuntimeError("sizes that do not match")

        return [step]

    monkeypatch.setattr(OnKernels, "rehearsal", rehearsal)
    parts, seen = with_kernels("codec")
    assert seen == ["codec rehearsed", "frames rehearsed", "frames proven", "codec proven"]
    assert parts.kernels and not parts.codec_kernels and len(parts.warnings) == 1


def test_a_window_alone_collects_garbage_while_it_is_open(monkeypatch) -> None:
    collected: list[bool] = []
    monkeypatch.setattr("gc.collect", lambda *args: collected.append(True))
    monkeypatch.setattr("gc.isenabled", lambda: False)
    cuda._give_back()
    assert not collected
    monkeypatch.setattr("gc.isenabled", lambda: True)
    cuda._give_back()
    assert collected


def test_a_card_that_runs_out_while_loading_is_no_matter_of_kernels(pretended_card: DevicePlan, monkeypatch) -> None:
    def full(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr(cuda, "_frame_loop", full)
    with pytest.raises(DeviceError, match="less room"):
        load_pretended(pretended_card)


def test_without_triton_speech_is_made_by_plain_operations(pretended_card: DevicePlan, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    parts, _ = load_pretended(pretended_card)
    assert not parts.kernels and parts.plan is None and "Triton is not installed" in parts.warnings[0]
    for tier in NARROW:
        with pytest.raises(DeviceError, match=tier) as caught:
            load_pretended(replace(pretended_card, precision=tier, dtype=torch.bfloat16))
        assert "bf16" in caught.value.remedy


def test_int4_is_refused_where_groups_do_not_divide_the_widths(pretended_card: DevicePlan, monkeypatch) -> None:
    monkeypatch.setattr(cuda, "kernels_refusal", lambda *args: "")
    monkeypatch.setattr(memory, "int4_divides", lambda config: False)
    with pytest.raises(DeviceError, match="multiples of 128") as caught:
        load_pretended(replace(pretended_card, precision="int4", dtype=torch.bfloat16))
    assert "int8" in caught.value.remedy


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"backbone": replace(FULL_LM.backbone, head_dim=80)}, "heads of 80"),
        ({"backbone": replace(FULL_LM.backbone, head_dim=16)}, "heads of 16"),
        ({"local": replace(FULL_LM.local, rotary=False)}, "absolute positions"),
    ],
)
def test_models_that_the_kernels_cannot_run_are_known_before_loading(change, reason, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert cuda.kernels_refusal(FULL_LM, (9, 0)) == ""
    assert reason in cuda.kernels_refusal(replace(FULL_LM, **change), (9, 0))
    assert "too old" in cuda.kernels_refusal(FULL_LM, (6, 1))


def test_the_published_codec_can_be_run_by_kernels() -> None:
    assert cuda.codec_refusal(FULL_CODEC.decoder) == cuda.codec_refusal(FULL_CODEC.encoder) == ""
    odd = [replace(stage, heads=stage.heads * 4) if hasattr(stage, "heads") else stage for stage in FULL_CODEC.decoder]
    assert "heads of 16" in cuda.codec_refusal(odd)


def test_the_identity_says_device_precision_and_bucket(monkeypatch, pretended_card: DevicePlan) -> None:
    seen: list[LoadProgress] = []
    plain = make_runtime(find_layout(STARTER), choose_device("cpu"), rows=2, progress=seen.append)
    assert plain.identity["numeric"].startswith("cpu-fp32") and plain.identity["numeric"].endswith("rows2")
    assert plain.memory is None and plain.warnings == () and seen[-1].fraction == 1.0
    assert pretended_card.profile == "cuda90-fp32" and pretended_card.profile_of("int8") == "cuda90-int8"


class LateLoop:
    """A frame loop whose frames come two steps late, as those of a graphics card do; one row may run out of pages."""

    def __init__(self, loop: FrameLoop) -> None:
        self._loop, self._late = loop, deque()
        self.errors: dict[int, DeviceError] = {}
        self.starve_after: int | None = None
        self.model, self.rows = loop.model, loop.rows

    @property
    def free_rows(self) -> int:
        return self._loop.free_rows

    def admit(self, prompt, **options) -> int:
        row = self._loop.admit(prompt, **options)
        self.errors.pop(row, None)
        return row

    def release(self, row: int) -> None:
        self._late = deque([[frame for frame in frames if frame.row != row] for frames in self._late])
        self._loop.release(row)

    def step(self) -> list[Frame]:
        made = self._loop.step()
        self._late.append(made)
        if self.starve_after is not None:
            self.starve_after -= 1
            if self.starve_after == 0:
                self.errors[0] = DeviceError("The device has no room left for a text of this length.", "Split it.")
                self._late = deque([[frame for frame in frames if frame.row != 0] for frames in self._late])
                return [Frame(0, None, False, True)]
        return self._late.popleft() if len(self._late) > 2 or not made else []


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


@pytest.fixture
def late() -> Iterator[tuple[Engine, LateLoop]]:
    engine = open_local(STARTER, device="cpu", slots=2)
    engine.start()
    assert engine.ready(120)
    runtime = engine.backend._runtime
    runtime.loop = LateLoop(runtime.loop)
    yield engine, runtime.loop
    engine.close()


def test_speech_is_the_same_before_and_after_the_backend_got_faster(late: tuple[Engine, LateLoop]) -> None:
    engine, _ = late
    backend, done = engine.backend, []
    first = engine.submit(SpeechRequest(TEXTS[0], seed=4)).result(120)
    assert "warning" not in backend.status() and "faster" not in backend.status()["doing"]
    backend._runtime.fallbacks = lambda: ["Some steps are not captured."]
    backend._runtime.captures.extend([lambda: done.append(1), lambda: done.append(2)])
    assert "faster" in backend.status()["doing"]
    again = engine.submit(SpeechRequest(TEXTS[0], seed=4)).result(120)
    wait_until(lambda: "warning" in backend.status())
    assert done == [1, 2] and "not captured" in str(backend.status()["warning"])
    assert np.array_equal(first.codes, again.codes)


def test_what_cannot_get_faster_goes_on_as_it_is(late: tuple[Engine, LateLoop]) -> None:
    engine, _ = late
    backend, done = engine.backend, []
    backend._runtime.captures.extend([lambda: 1 / 0, lambda: done.append(2)])
    assert engine.submit(SpeechRequest(TEXTS[0], seed=4)).result(120).complete
    wait_until(lambda: backend.improvements_left == 0)
    assert not done and engine.submit(SpeechRequest(TEXTS[1], seed=4)).result(120).complete


def test_frames_that_come_late_make_the_same_speech(late: tuple[Engine, LateLoop]) -> None:
    engine, loop = late
    streams = [engine.submit(SpeechRequest(text, seed=4)) for text in TEXTS]
    found = [stream.result(120) for stream in streams]
    runtime = engine.backend._runtime
    runtime.loop = loop._loop
    again = [engine.submit(SpeechRequest(text, seed=4)) for text in TEXTS]
    for ours, theirs in zip(found, (stream.result(120) for stream in again), strict=True):
        assert ours.complete and np.array_equal(ours.codes, theirs.codes)


def test_a_row_without_room_fails_alone(late: tuple[Engine, LateLoop]) -> None:
    engine, loop = late
    loop.starve_after = 6
    first, second = (engine.submit(SpeechRequest(text, seed=4)) for text in TEXTS)
    with pytest.raises(DeviceError, match="no room left"):
        first.result(120)
    assert second.result(120).complete
    assert engine.submit(SpeechRequest(TEXTS[0], seed=4)).result(120).complete and loop.free_rows == 2


def test_not_enough_memory_to_decode_fails_who_was_decoded_and_lowers_the_number_at_once(late, monkeypatch) -> None:
    engine, _ = late
    streams = engine.backend._runtime.streams
    step = streams.step

    def hungry(chunks):
        monkeypatch.setattr(streams, "step", step)
        raise MemoryError

    monkeypatch.setattr(streams, "step", hungry)
    with pytest.raises(DeviceError):
        engine.submit(SpeechRequest(TEXTS[0], seed=4)).result(120)
    assert engine.backend.capacity == 1
    assert engine.submit(SpeechRequest(TEXTS[1], seed=4)).result(120).complete
