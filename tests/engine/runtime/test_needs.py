"""A model that cannot fit is refused before its weights are read, with the nearest plan that fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import DeviceError, choose_device, find_layout
from engine.runtime.needs import GB, check_memory, needs_of

STARTER = Path(__file__).parents[3] / "resources" / "starter"


def test_the_starter_needs_what_its_headers_say() -> None:
    needs = needs_of(find_layout(STARTER), choose_device("cpu"))
    assert 0.07 * GB < needs.model < 0.2 * GB and 0.02 * GB < needs.codec < 0.1 * GB and needs.total < 1.2 * GB


def test_a_narrower_precision_needs_less() -> None:
    layout = find_layout(STARTER)
    assert needs_of(layout, choose_device("cpu", "bf16")).model < needs_of(layout, choose_device("cpu")).model


def test_what_does_not_fit_is_refused_with_figures_and_a_remedy() -> None:
    layout, plan = find_layout(STARTER), choose_device("cpu")
    check_memory(layout, plan, free_bytes=2 * GB)
    with pytest.raises(DeviceError, match=r"Starter.*0\.\d GB.*0\.1 GB are free") as caught:
        check_memory(layout, plan, free_bytes=0.1 * GB)
    assert "Close other programs" in caught.value.remedy and caught.value.exit_status == 4


def test_the_nearest_plan_that_fits_is_named() -> None:
    layout, plan = find_layout(STARTER), choose_device("cpu")
    between = (needs_of(layout, plan).total + needs_of(layout, choose_device("cpu", "bf16")).total) / 2
    with pytest.raises(DeviceError) as caught:
        check_memory(layout, plan, free_bytes=between)
    assert "bf16" in caught.value.remedy
