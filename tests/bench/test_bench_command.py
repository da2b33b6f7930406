"""`bench` measures every part of a model and sets a floor beside what memory binds."""

from __future__ import annotations

import json
import math
from pathlib import Path

from app import cli
from engine.bench import measure

STARTER = Path(__file__).parents[2] / "resources" / "starter"


def test_every_part_is_measured_and_none_is_faster_than_its_floor() -> None:
    figures = {figure.name: figure for figure in measure(STARTER, device="cpu", repeats=1)}
    assert {"load", "first audio, cached voice", "real-time factor, listening", "peak memory", "frame"} <= set(figures)
    assert any(name.startswith("prefill of ") for name in figures)
    assert sum(name.startswith("codec, ") for name in figures) >= 3
    for figure in figures.values():
        assert math.isfinite(figure.value) and figure.value > 0, figure
    # The weights of a frame are more than the processor's nearest caches hold, so reading them sets a real floor.
    assert figures["codec, 25 frames"].value > figures["codec, 25 frames"].floor > 0


def test_the_figures_can_be_read_by_a_program(capsys, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("app.services.benching.cold_say_s", lambda: 1.0)
    monkeypatch.setattr("engine.bench.CHUNKS", (1, 25))
    assert cli.main(["--profile", str(tmp_path), "bench", "--json", "--repeats", "1"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {"name", "value", "unit", "floor"} == set(figures[0]) and figures[-1]["value"] == 1.0
