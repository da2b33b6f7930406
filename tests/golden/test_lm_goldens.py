"""The language model gives exactly what the reference implementation gave, on every golden folder."""

from __future__ import annotations

import copy
import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.lm.cache import KVCache
from engine.lm.config import MODEL_TYPE
from engine.lm.generate import FrameLoop
from engine.lm.model import SpeechLM, load_lm
from engine.lm.prompt import Message, PromptBuilder
from engine.lm.sampling import RowSettings, filter_logits
from engine.lm.tokenizer import Tokenizer
from engine.requests import Sampling, SamplingOptions

FIELDS = ("text", "language", "tokens", "instruction", "quality", "sound_event", "ambient_sound")


SHIPPED = ("lm-binary", "lm-full-vocab", "starter")  # must be there where no other folders are asked for


def golden_folders() -> list[Path]:
    """Folders to test: each listed one, or the golden folders inside it."""
    listed = os.environ.get("MOSS_GOLDENS")
    if not listed:
        data = Path(__file__).with_name("data")
        return sorted({data / name for name in SHIPPED} | {path.parent for path in data.glob("*/cases.npz")})
    folders = []
    for root in map(Path, filter(None, listed.split(os.pathsep))):
        folders += sorted(path.parent for path in root.glob("*/cases.npz")) or [root]
    return folders


def is_trained(folder: Path) -> bool:
    """Whether the cases belong to a trained model that lies elsewhere."""
    cases = folder / "cases.json"
    return cases.exists() and "checkpoint" in json.loads(cases.read_text("utf-8"))


def is_lm(folder: Path) -> bool:
    """Whether it is a language model of its own. A folder that is missing or tells nothing counts, so that it fails."""
    config = folder / "config.json"
    return not is_trained(folder) and (
        not config.exists() or json.loads(config.read_text("utf-8")).get("model_type") == MODEL_TYPE
    )


LM_FOLDERS = [folder for folder in golden_folders() if is_lm(folder)]
TRAINED_FOLDERS = [folder for folder in golden_folders() if is_trained(folder)]


class Golden:
    """One folder: its checkpoint, cases and arrays."""

    def __init__(self, folder: Path) -> None:
        assert folder.is_dir(), f"{folder} is missing"
        self.cases = json.loads((folder / "cases.json").read_text("utf-8"))
        with np.load(folder / "cases.npz") as arrays:
            self.arrays = {name: arrays[name] for name in arrays}
        checkpoint = (folder / self.cases.get("checkpoint", ".")).resolve()
        if (checkpoint / "card.json").exists():  # a model with its card; otherwise the checkpoint itself
            checkpoint = checkpoint / json.loads((checkpoint / "card.json").read_text("utf-8"))["model"]
        self.model = load_lm(checkpoint)
        self.builder = PromptBuilder(self.model.config, Tokenizer(checkpoint))

    def named(self, prefix: str) -> list[str]:
        return [name.removeprefix(prefix) for name in self.arrays if name.startswith(prefix)]

    def codes(self, name: str) -> np.ndarray:
        return self.arrays[name] if name in self.arrays else self.arrays[f"codes.{name}"]

    def prompt(self, name: str):
        message = self.cases["messages"][name]
        continued = message.get("continue_from")
        return self.builder.build(
            Message(
                **{field: message.get(field) for field in FIELDS},
                references=tuple(self.codes(each) for each in message.get("reference") or ()),
                continue_from=None if continued is None else self.codes(continued),
            )
        )


@cache
def opened(folder: Path) -> Golden:
    return Golden(folder)


@pytest.fixture(params=LM_FOLDERS, ids=lambda folder: folder.name)
def golden(request: pytest.FixtureRequest) -> Golden:
    return opened(request.param)


@pytest.fixture(params=TRAINED_FOLDERS, ids=lambda folder: folder.name)
def trained(request: pytest.FixtureRequest) -> Golden:
    return opened(request.param)


@pytest.fixture(params=[True, False], ids=["compiled", "torch"])
def compiled(request: pytest.FixtureRequest) -> bool:
    return request.param


def frame_loop(model: SpeechLM, compiled: bool, rows: int = 1) -> FrameLoop:
    loop = FrameLoop(model, rows=rows, compiled=compiled)
    assert loop.compiled == compiled
    return loop


def greedy(penalty: float = 1.0) -> Sampling:
    return Sampling(SamplingOptions(0.0, 1.0, 0, penalty), SamplingOptions(0.0))


def never_stopping(model: SpeechLM) -> SpeechLM:
    """The same weights with a stop head whose two logits are equal: arg-max takes the first, continue."""
    other = copy.copy(model)
    other.stop_head = torch.zeros_like(model.stop_head)
    return other


def speak(loop: FrameLoop, *prompts, penalty: float = 1.0, budgets: tuple[int, ...]) -> list[np.ndarray]:
    """All prompts at once; each is released as soon as it has finished."""
    rows = {
        loop.admit(prompt, sampling=greedy(penalty), seed=0, max_frames=max(budget, 1)): index
        for index, (prompt, budget) in enumerate(zip(prompts, budgets))
    }
    frames: list[list[np.ndarray]] = [[] for _ in prompts]
    while rows:
        for frame in loop.step():
            if frame.codes is not None:
                frames[rows[frame.row]].append(frame.codes)
            if frame.finished:
                loop.release(frame.row)
                del rows[frame.row]
    codebooks = loop.model.config.codebooks
    return [np.array(each, np.int16).reshape(-1, codebooks) for each in frames]


def test_there_are_golden_folders() -> None:
    assert LM_FOLDERS or TRAINED_FOLDERS


def test_prompts_have_the_reference_rows(golden: Golden) -> None:
    for name in golden.cases["messages"]:
        prompt = golden.prompt(name)
        assert np.array_equal(prompt.rows.numpy(), golden.arrays[f"rows.{name}"]), name


def test_batched_prompts_are_the_single_ones_left_padded(golden: Golden) -> None:
    rows, mask = golden.arrays["batch.rows"], golden.arrays["batch.mask"]
    for index, name in enumerate(("direct", "clone", "tokens")):
        assert np.array_equal(golden.prompt(name).rows.numpy(), rows[index][mask[index]]), name


@torch.inference_mode()
def test_hidden_states_match(golden: Golden) -> None:
    model = golden.model
    for name in golden.named("hidden."):
        for split in (0, len(golden.prompt(name).prefix)):
            rows = torch.from_numpy(golden.arrays[f"rows.{name}"])
            cache = KVCache(model.config.backbone, 1, device=model.device, dtype=model.dtype)
            parts = [part for part in (rows[:split], rows[split:]) if len(part)]
            hidden = torch.cat([model.backbone.prefill(model.embed(part), cache, 0) for part in parts])
            assert np.abs(hidden.numpy() - golden.arrays[f"hidden.{name}"]).max() <= 1e-4, (name, split)


@torch.inference_mode()
def test_hidden_states_match_row_by_row(golden: Golden) -> None:
    model = golden.model
    for name in golden.named("hidden."):
        cache = KVCache(model.config.backbone, 1, device=model.device, dtype=model.dtype)
        rows = torch.from_numpy(golden.arrays[f"rows.{name}"])
        hidden = [model.backbone.step(model.embed(row[None]), cache, [True]) for row in rows]
        assert np.abs(torch.cat(hidden).numpy() - golden.arrays[f"hidden.{name}"]).max() <= 1e-4, name


@torch.inference_mode()
def test_stop_and_code_logits_match(golden: Golden) -> None:
    model = golden.model
    for name in golden.named("stop_logits."):
        hidden = torch.from_numpy(golden.arrays[f"hidden.{name}"][-1:])
        frame = torch.from_numpy(golden.arrays[f"frame.{name}"])
        cache = model.local.new_cache(1, model.config.codebooks)
        y = model.local.step(hidden, 0, cache)
        assert np.abs(model.stop_logits(y)[0].numpy() - golden.arrays[f"stop_logits.{name}"]).max() <= 1e-4, name
        for k in range(model.config.codebooks):
            if k > 0:
                y = model.local.step(model.embed_code(frame[k - 1 : k], k - 1), k, cache)
            expected = golden.arrays[f"code_logits.{name}.{k}"]
            assert np.abs(model.code_logits(y, k)[0].numpy() - expected).max() <= 1e-4, (name, k)


def test_greedy_frames_match(golden: Golden, compiled: bool) -> None:
    loop = frame_loop(never_stopping(golden.model), compiled)
    for case in golden.named("greedy."):
        name, penalty = case.rsplit(".pen", 1)
        expected = golden.arrays[f"greedy.{case}"]
        (frames,) = speak(loop, golden.prompt(name), penalty=float(penalty), budgets=(len(expected),))
        assert np.array_equal(frames, expected), case


def test_greedy_frames_of_a_batch_match(golden: Golden, compiled: bool) -> None:
    expected = [golden.arrays[f"greedy_batch.{index}"] for index in range(3)]
    prompts = [golden.prompt(name) for name in ("direct", "clone", "tokens")]
    frames = speak(frame_loop(never_stopping(golden.model), compiled, 3), *prompts, budgets=tuple(map(len, expected)))
    for index in range(3):
        assert np.array_equal(frames[index], expected[index]), index


def test_rows_that_stop_leave_the_others_alone(golden: Golden, compiled: bool) -> None:
    expected = [golden.arrays[f"ragged_batch.{index}"] for index in range(3)]
    prompts = [golden.prompt(name) for name in ("direct", "clone", "tokens")]
    frames = speak(frame_loop(never_stopping(golden.model), compiled, 4), *prompts, budgets=tuple(map(len, expected)))
    for index in range(3):
        assert np.array_equal(frames[index][: len(expected[index])], expected[index]), index


def test_the_stop_head_ends_the_natural_generation(golden: Golden, compiled: bool) -> None:
    for name in golden.named("natural."):
        expected = golden.arrays[f"natural.{name}"]
        (frames,) = speak(frame_loop(golden.model, compiled), golden.prompt(name), budgets=(60,))
        assert np.array_equal(frames, expected), name


def test_filtered_probabilities_match(golden: Golden) -> None:
    for case, options in golden.cases["filter"].items():
        logits = torch.from_numpy(golden.arrays[f"filter.{case}.logits"])
        seen = torch.zeros(logits.shape, dtype=torch.bool)
        seen.scatter_(1, torch.from_numpy(golden.arrays[f"filter.{case}.previous"]), True)
        settings = RowSettings.allocate(len(logits), logits.device)
        for row in range(len(logits)):
            settings.write(row, SamplingOptions(**options))
        probabilities = filter_logits(logits, settings, seen).softmax(-1)
        assert np.abs(probabilities.numpy() - golden.arrays[f"filter.{case}.probs"]).max() <= 1e-6, case


def test_trained_prompts_have_the_reference_rows(trained: Golden) -> None:
    for name in trained.cases["messages"]:
        assert np.array_equal(trained.prompt(name).rows.numpy(), trained.arrays[f"rows.{name}"]), name


def test_trained_greedy_speech_matches(trained: Golden, compiled: bool) -> None:
    loop = frame_loop(trained.model, compiled)
    for name in trained.named("greedy."):
        expected = trained.arrays[f"greedy.{name}"]
        (frames,) = speak(loop, trained.prompt(name), budgets=(len(expected) + 20,))
        assert np.array_equal(frames[:20], expected[:20]), name
        assert abs(len(frames) - len(expected)) <= 2, name
