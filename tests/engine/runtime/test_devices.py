"""Devices and precisions are chosen as asked, or refused with what there is."""

from __future__ import annotations

import pytest
import torch

from engine import DeviceError, choose_device, usable_cores
from engine.runtime import devices


def test_a_cpu_computes_in_fp32_and_leaves_a_core_free() -> None:
    plan = choose_device("cpu")
    assert (plan.device, plan.dtype, plan.precision, plan.profile) == ("cpu", torch.float32, "fp32", "cpu-fp32")
    assert 1 <= plan.threads <= max(1, usable_cores() - 1)
    assert choose_device("CPU ", "bf16").dtype is torch.bfloat16


def test_auto_takes_a_cuda_device_only_where_one_works() -> None:
    assert choose_device().device.startswith("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.parametrize(
    ("device", "precision"),
    [("cuda:99", "auto"), ("tpu", "auto"), ("cuda:x", "auto"), ("", "auto"), ("cpu", "fp16"), ("cpu", "int3")],
)
def test_what_is_not_there_is_refused_with_a_remedy(device: str, precision: str) -> None:
    with pytest.raises(DeviceError) as caught:
        choose_device(device, precision)
    assert caught.value.remedy and caught.value.exit_status == 4


def test_a_second_card_may_decode_and_auto_may_step_down(monkeypatch) -> None:
    monkeypatch.setattr(devices, "cuda_works", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (9, 0) if device == 0 else (7, 5))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device=None: "A card")
    plan = choose_device("cuda:0+cuda:1")
    assert (plan.device, plan.codec_device, plan.profile) == ("cuda:0", "cuda:1", "cuda90-bf16")
    assert plan.narrower == ("int8",) and choose_device("cuda", "bf16").narrower == ()
    old = choose_device("cuda:1")
    assert (old.dtype, old.precision, old.codec_device) == (torch.float16, "fp16", "cuda:1")
    narrow = choose_device("cuda:1", "int8")
    assert (narrow.dtype, narrow.precision) == (torch.float16, "int8")
    for wrong in ("cuda:0+cuda:2", "cuda:0+cpu", "cuda:0+cuda:1+cuda:0"):
        with pytest.raises(DeviceError):
            choose_device(wrong)
    with pytest.raises(DeviceError, match="bf16"):
        choose_device("cuda:1", "bf16")


def test_fp8_is_for_cards_that_read_it_and_no_narrow_weights_for_processors(monkeypatch) -> None:
    monkeypatch.setattr(devices, "cuda_works", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (8, 9) if device == 0 else (8, 6))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device=None: "A card")
    for tier in devices.NARROW:
        plan = choose_device("cuda:0", tier)
        assert (plan.dtype, plan.precision, plan.profile) == (torch.bfloat16, tier, f"cuda89-{tier}")
        with pytest.raises(DeviceError, match=tier):
            choose_device("cpu", tier)
    assert choose_device("cuda:1", "int4").precision == "int4"
    with pytest.raises(DeviceError, match="fp8") as caught:
        choose_device("cuda:1", "fp8")
    assert "int8" in caught.value.remedy


def test_an_apple_gpu_that_lacks_what_speech_needs_is_refused(monkeypatch) -> None:
    with pytest.raises(DeviceError, match="Apple GPU"):
        choose_device("mps")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    with pytest.raises(DeviceError, match="lacks what speech needs"):
        choose_device("mps")
