"""Kills a working project at random instants and compares what is in its file with what it was told to be there.

Run as a program: `rounds.py FOLDER KILLS SEED`. It forks its workers, so a round costs no start of the interpreter; it
imports no torch. Exit status 1 and a message when something acknowledged is missing.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

import numpy as np

from app.model.block import Block
from app.model.clipboard import copied, pasting
from app.model.commands import MoveBlocks, ReplaceText, SetBlockSettings, SetLexicon, SetProjectSettings, SetVoice
from app.model.project import Project
from app.model.take import Take
from app.model.voice import Voice
from app.paths import paths_for
from app.services.store import ProjectStore
from app.services.store_schema import connect

WORDS = ["once", "upon", "a", "time", "there", "was", "a", "studio", "and", "every", "word", "of", "it", "was", "kept"]


def digest(project: Project) -> str:
    """Everything of a project but its audio; a take that is being made counts as the incomplete one it becomes."""
    takes = sorted(
        (take.id, take.block_id, take.state.replace("making", "incomplete")) for take in project.takes.values()
    )
    whole = [
        [block.to_json() for block in project.blocks],
        takes,
        sorted((voice.id, voice.name) for voice in project.voices.values()),
        project.lexicon,
        project.settings.to_json(),
    ]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def noise(take_id: str, start: int, count: int) -> np.ndarray:
    """The audio of a take, a function of place and name."""
    seed = int(take_id[-6:], 16)
    at = np.arange(start, start + count, dtype=np.uint64)
    mixed = (at * np.uint64(2654435761) + np.uint64(seed)) % np.uint64(1 << 20)
    left = (mixed.astype(np.float32) - np.float32(1 << 19)) / np.float32(1 << 23)
    return np.stack([left, -left], axis=1)


class Log:
    """Lines that survive the death of their writer: each is one write to the kernel."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def line(self, *values: object) -> None:
        os.write(self._fd, (json.dumps(values) + "\n").encode())


def work(folder: Path, log: Log, seed: int) -> None:
    """Type, move, paste, undo, speak and save, until killed."""
    chance = random.Random(seed)
    paths = paths_for(folder / "profile")
    path = folder / "project.mvs"
    store = ProjectStore.open(path, paths=paths) if path.exists() else ProjectStore.create(path, paths=paths)
    store.saved.connect(lambda sequence: log.line("saved", sequence))
    store.audio_saved.connect(lambda take_id, samples: log.line("audio", take_id, samples))
    hand_in = store._writer.add

    def add(update) -> int:
        # Before the change can be in the file, so that every state the file may hold is in the log.
        log.line("edit", store.sequence + 1, digest(store.project), time.monotonic())
        return hand_in(update)

    store._writer.add = add
    log.line("edit", store.sequence, digest(store.project), time.monotonic())
    writers: list = []
    while True:
        deed = chance.random()
        if deed < 0.72:
            edit(store, chance)
        elif deed < 0.76 or not writers:
            block = chance.choice(store.project.blocks)
            if len(store.project.takes) < 30:
                writers.append(store.begin_take(Take(block_id=block.id, text=block.text)))
        elif deed < 0.79:
            writer = writers.pop()
            writer.finish(Take(id=writer.take.id, block_id=writer.take.block_id, state="done"))
        elif deed < 0.81:
            store.compact()()
        else:
            for writer in writers:
                writer.append(noise(writer.take.id, writer.samples, chance.randrange(1, 96_000)))
        if chance.random() < 0.2:
            time.sleep(chance.random() * 0.05)


def edit(store: ProjectStore, chance: random.Random) -> None:
    project, history = store.project, store.history
    deed = chance.random()
    position = chance.randrange(project.characters + 1)
    end = min(project.characters, position + chance.randrange(30))
    block: Block = chance.choice(project.blocks)
    if deed < 0.5:
        history.do(ReplaceText(position, "", chance.choice(WORDS) + chance.choice([" ", "\n", " "])), "typing")
    elif deed < 0.6:
        history.do(ReplaceText(position, project.text_between(position, end), ""))
    elif deed < 0.7:
        clipping = copied(project, position, end)
        history.do(pasting(clipping, project, chance.randrange(project.characters + 1)))
    elif deed < 0.75 and len(project.blocks) > 2:
        history.do(MoveBlocks(chance.randrange(len(project.blocks) - 1), 1, chance.randrange(len(project.blocks) - 1)))
    elif deed < 0.85:
        history.do(
            SetBlockSettings((block.id,), {"voice": "v1", "locked": chance.random() < 0.5, "gain_db": chance.random()})
        )
    elif deed < 0.88:
        history.do(SetVoice(Voice(id=f"v{chance.randrange(5)}", name=str(chance.random()))))
    elif deed < 0.9:
        history.do(SetLexicon(((chance.choice(WORDS), "x"),)))
        history.do(SetProjectSettings({"seed": chance.randrange(1000)}))
    elif deed < 0.98:
        for _ in range(chance.randrange(4)):
            history.undo()
        if chance.random() < 0.5:
            history.redo()
    elif project.characters < 20_000:  # an import
        history.do(ReplaceText(position, "", "\n".join(" ".join(WORDS) for _ in range(40))))
    else:
        history.do(ReplaceText(0, project.text_between(0, project.characters // 2), ""))


def check(folder: Path, lines: list[list]) -> float:
    """Compare the file with the log; returns how old the oldest lost edit was, in seconds before the end."""
    path = folder / "project.mvs"
    if not path.exists():
        assert not any(line[0] == "saved" for line in lines), "the file is gone"
        return 0.0
    edits = [line for line in lines if line[0] == "edit"]
    saved = max((line[1] for line in lines if line[0] == "saved"), default=0)
    audio: dict[str, int] = {}
    for line in lines:
        if line[0] == "audio":
            audio[line[1]] = max(audio.get(line[1], 0), line[2])
    store = ProjectStore.open(path, paths=paths_for(folder / "profile"))
    try:
        assert not store.notices, f"something is told of a file that is whole: {store.notices}"
        found = digest(store.project)
        matches = [at for at, line in enumerate(edits) if line[2] == found]
        assert matches or not edits, "the file holds a state that never was"
        last = max(matches, default=0)
        assert not edits or edits[last][1] >= saved, f"change {saved} was acknowledged, {edits[last][1]} is there"
        for take_id, samples in audio.items():
            if take_id in store.project.takes:
                assert store.take_samples(take_id) >= samples, "audio that was acknowledged is missing"
        for take in store.project.takes.values():
            assert take.state != "making"
            count = store.take_samples(take.id)
            at = max(0, count - 100_000)
            assert np.array_equal(store.read_take(take.id, at), noise(take.id, at, count - at)), (
                "audio is not what was made"
            )
        steps = 0
        while store.history.can_undo:
            store.history.undo()
            steps += 1
        for _ in range(steps):
            store.history.redo()
        assert digest(store.project) == found, "undo and redo do not lead back"
    finally:
        store.close()
    assert not list(folder.glob("*.part*")), "temporary files stay behind"
    connection = connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    connection.close()
    return edits[-1][3] - edits[last + 1][3] if edits and last + 1 < len(edits) else 0.0


def main(folder: Path, kills: int, seed: int) -> int:
    chance = random.Random(seed)
    lost: list[float] = []
    for number in range(kills):
        log_path = folder / f"log {number}"
        worker = os.fork()
        if worker == 0:
            try:
                work(folder, Log(log_path), chance.randrange(1 << 30))
            except BaseException as error:
                print(f"round {number}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(3)
        chance.random()
        begin = time.monotonic()
        while not log_path.exists() and time.monotonic() < begin + 20:
            time.sleep(0.002)
        time.sleep(chance.random() ** 2 * 0.8)
        os.kill(worker, signal.SIGKILL)
        _, status = os.waitpid(worker, 0)
        if not os.WIFSIGNALED(status):
            print(f"round {number}: the worker ended by itself", file=sys.stderr)
            return 1
        lines = [json.loads(line) for line in log_path.read_text().splitlines()] if log_path.exists() else []
        checker = os.fork()
        if checker == 0:
            status = 1
            try:
                (folder / "lost").write_text(str(check(folder, lines)))
                status = 0
            except BaseException as error:
                print(f"round {number}, seed {seed}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(status)
        if os.waitpid(checker, 0)[1] != 0:
            return 1
        lost.append(float((folder / "lost").read_text()))
    print(json.dumps({"kills": kills, "longest_loss_s": round(max(lost), 3)}))
    return 0


if __name__ == "__main__":
    sqlite3.enable_callback_tracebacks(True)
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
