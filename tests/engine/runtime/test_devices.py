"""Devices and precisions are chosen as asked, or refused with what there is."""

from __future__ import annotations

import pytest
import torch

from engine import DeviceError, choose_device, usable_cores


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
