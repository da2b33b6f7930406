"""Projects with made-up takes, for tests of the mixer, the programme and the export."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np

from app.model.block import Block, BlockSettings
from app.model.project import Project
from app.model.project_settings import ProjectSettings
from app.model.take import PieceAudio, Take
from engine import FULL_SIZE_CARD, plan_speech

RATE = 48_000


def plan(block: Block, text: str):
    return plan_speech(text, FULL_SIZE_CARD, language="English")


def voiced(seconds: float, seed: int = 0, level: float = 0.15) -> np.ndarray:
    """Something like speech: harmonics with syllables, between silences of a quarter of a second."""
    n = round(seconds * RATE)
    t = np.arange(n) / RATE
    hz = 110 + 17 * (seed % 7)
    tone = sum(np.sin(2 * np.pi * hz * k * t + seed * k) / k for k in range(1, 12))
    syllables = 0.65 + 0.35 * np.sin(2 * np.pi * 4 * t + seed)
    quiet = np.zeros(RATE // 4)
    edge = np.minimum(1.0, np.minimum(np.arange(n), np.arange(n)[::-1]) / 240)
    mono = np.concatenate((quiet, level * tone * syllables * edge, quiet))
    return np.repeat(mono[:, None], 2, axis=1).astype(np.float32)


@dataclass
class Studio:
    """A project and the audio of its takes."""

    project: Project
    audio: dict[str, np.ndarray] = field(default_factory=dict)

    def read(self, take_id: str, start: int, n: int) -> np.ndarray:
        return self.audio[take_id][start : start + n]

    def add_take(self, block: Block, spoken: dict[int, np.ndarray]) -> Take:
        """A finished take of a block; `spoken` is the audio of each piece by its item of the plan."""
        ends = list(accumulate(map(len, spoken.values())))
        take = Take(
            block_id=block.id,
            text=block.text,
            state="done",
            stop_reason="stop",
            seconds=ends[-1] / RATE,
            pieces=tuple(
                PieceAudio(end - len(samples), len(samples), item)
                for end, (item, samples) in zip(ends, spoken.items(), strict=True)
            ),
        )
        self.audio[take.id] = np.concatenate(list(spoken.values()))
        return take


def studio(
    lines: list[str | Block],
    *,
    unspoken: tuple[int, ...] = (),
    seconds: float = 1.0,
    level: float = 0.15,
    tail_s: float = 0.0,
    settings: ProjectSettings | None = None,
    voices: tuple = (),
) -> Studio:
    """A project of these lines; every spoken one but those of the indices in `unspoken` has a take.

    Args:
        tail_s: more silence at the end of every piece.
    """
    blocks = [line if isinstance(line, Block) else Block(text=line) for line in lines]
    made = Studio(Project(voices=voices))
    takes = []
    for index, block in enumerate(blocks):
        planned = plan(block, block.text)
        if index in unspoken or block.kind.value in ("note", "empty") or not planned.pieces:
            continue
        tail = np.zeros((round(tail_s * RATE), 2), np.float32)
        take = made.add_take(
            block,
            {
                item: np.concatenate((voiced(seconds, seed=index * 10 + item, level=level), tail))
                for item, step in enumerate(planned.items)
                if hasattr(step, "text")
            },
        )
        takes.append(take)
        blocks[index] = replace(block, takes=(take.id,), chosen=take.id)
    made.project = Project(blocks, takes=takes, voices=voices, settings=settings)
    return made


__all__ = ["RATE", "Block", "BlockSettings", "ProjectSettings", "Studio", "plan", "studio", "voiced"]
