"""What `render` makes of its options, before anything is spoken."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from made_projects import plan, studio

from app.commands import render
from app.services.exporter import export
from app.services.exporter_formats import ExportError


def asked(*words: object):
    parser = argparse.ArgumentParser()
    render.register(parser.add_subparsers())
    return render.requests_of(parser.parse_args(["render", *map(str, words)]))


def test_a_file_of_a_part_never_takes_the_place_of_the_programme(tmp_path: Path) -> None:
    made = studio(["# One", "First line.", "# Two", "Second line."])
    out = tmp_path / "x.wav"
    requests = asked(tmp_path / "p.mvs", "-o", out, "--stems", "x", "--stems-by", "chapter")
    reports = [export(made.project, request, made.read, plan) for request in requests]
    paths = [file.path for report in reports for file in report.files]
    assert [path.name for path in paths] == ["x.wav", "x (2).wav", "x (3).wav"]
    (elsewhere,) = asked(tmp_path / "p.mvs", "-o", out, "--stems", "parts/x")[1:]
    assert elsewhere.taken == ()


@pytest.mark.parametrize("words", [("--rate", 0), ("--bits", 0)])
def test_nothing_is_no_rate_and_no_bits(words: tuple[str, int], tmp_path: Path) -> None:
    with pytest.raises(ExportError):
        asked(tmp_path / "p.mvs", "-o", tmp_path / "x.wav", *words)
