"""What is said about graphics cards: the plan of the full-size model, or why there is none."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace

import pytest
import torch

from engine import card_reports
from engine.runtime import devices, memory
from engine.runtime.memory import GB


@pytest.fixture
def cards(monkeypatch) -> None:
    """Two cards, of 24 and of 4 GB, with most of it free."""
    sizes = {0: 24 * GB, 1: 4 * GB}

    def index_of(device: object = None) -> int:
        return device if isinstance(device, int) else torch.device(str(device)).index or 0

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(devices, "cuda_works", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (8, 9))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device=None: "A card")
    monkeypatch.setattr(
        torch.cuda,
        "get_device_properties",
        lambda device: SimpleNamespace(name="A card", total_memory=sizes[index_of(device)]),
    )
    monkeypatch.setattr(
        torch.cuda, "mem_get_info", lambda device=None: (sizes[index_of(device)] - GB // 2, sizes[index_of(device)])
    )
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: object() if name == "triton" else found(name, *rest)
    )


def test_each_card_has_its_plan_or_the_reason_against_one(cards: None) -> None:
    large, small = card_reports()
    assert large.plan.startswith("bf16, 1 at once") and large.limits == "" and large.device == "cuda:0"
    assert small.plan == "" and "GB can be used" in small.limits


def test_an_emulated_card_is_reported_at_its_size(cards: None, monkeypatch) -> None:
    monkeypatch.setenv(memory.EMULATE, "12")
    large = card_reports()[0]
    assert large.memory_gb == 12 and "clips are encoded on the processor" in large.limits
