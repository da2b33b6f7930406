"""`doctor` shows one line for each graphics card, with the plan of the full-size model."""

from __future__ import annotations

import pytest

from app.paths import Paths
from app.services import doctor
from engine import CardReport

LARGE = CardReport("cuda:0", "A card", 24.0, "bf16, 1 at once, codec on the card: 15.1 of 23.5 GB", "")
MIDDLE = CardReport("cuda:1", "Another", 12.0, "bf16, 1 at once: 11.7 of 11.8 GB", "clips are encoded on the processor")
SMALL = CardReport("cuda:2", "A third", 4.0, "", "The model needs 5.6 GB; 3.9 GB can be used.")


@pytest.fixture
def findings(monkeypatch, tmp_path) -> list[doctor.Finding]:
    monkeypatch.setattr("engine.cuda_works", lambda: True, raising=False)
    monkeypatch.setattr("engine.card_reports", lambda: [LARGE, MIDDLE, SMALL], raising=False)
    return list(doctor._gpu(Paths(tmp_path, tmp_path, tmp_path, tmp_path)))


def test_a_card_with_room_is_shown_with_its_plan(findings: list[doctor.Finding]) -> None:
    assert findings[0].state == "ok" and LARGE.plan in findings[0].message and "24.0 GB" in findings[0].message


def test_what_a_smaller_card_gives_up_is_told(findings: list[doctor.Finding]) -> None:
    assert findings[1].state == "note" and MIDDLE.plan in findings[1].message and MIDDLE.limits in findings[1].remedy


def test_a_card_that_is_too_small_has_its_reason(findings: list[doctor.Finding]) -> None:
    assert findings[2].state == "note" and "too small" in findings[2].message and findings[2].remedy == SMALL.limits
