"""Checkpoints are checked before they are read, and every refusal names file and tensor."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import save, save_file

from engine.errors import CheckpointError
from engine.runtime.checkpoint import Checkpoint, content_digest, read_config

SHAPES = {"a.weight": (3, 4), "a.bias": (3,), "b.weight": (2, 2)}


def some_tensors(dtype: torch.dtype = torch.float32) -> dict[str, torch.Tensor]:
    return {
        name: (torch.arange(24.0).reshape(-1)[: torch.Size(shape).numel()].reshape(shape)).to(dtype)
        for name, shape in SHAPES.items()
    }


def write_single(folder: Path, tensors: dict[str, torch.Tensor]) -> Path:
    save_file(tensors, folder / "model.safetensors")
    return folder


def write_shards(folder: Path, names: dict[str, str], tensors: dict[str, torch.Tensor]) -> Path:
    for file in set(names.values()):
        save_file({name: tensors[name] for name in names if names[name] == file}, folder / file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    return folder


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_single_file_is_read_as_stored_or_converted(tmp_path: Path, dtype: torch.dtype) -> None:
    tensors = some_tensors(dtype)
    checkpoint = Checkpoint(write_single(tmp_path, tensors))
    checkpoint.check(SHAPES)
    for name, loaded in checkpoint.load(SHAPES).items():
        assert loaded.dtype == dtype and torch.equal(loaded, tensors[name])
    for name, loaded in checkpoint.load(SHAPES, dtype=torch.float32).items():
        assert torch.equal(loaded, tensors[name].float())


def test_shards_are_read_as_one_checkpoint(tmp_path: Path) -> None:
    tensors = some_tensors()
    files = {"a.weight": "model-1.safetensors", "a.bias": "model-2.safetensors", "b.weight": "model-2.safetensors"}
    checkpoint = Checkpoint(write_shards(tmp_path, files, tensors))
    checkpoint.check(SHAPES)
    assert all(torch.equal(loaded, tensors[name]) for name, loaded in checkpoint.load(SHAPES).items())


def test_tensors_are_read_into_slices_of_a_fused_one(tmp_path: Path) -> None:
    tensors = some_tensors()
    fused = torch.zeros(4, 4)
    seen: list[float] = []
    Checkpoint(write_single(tmp_path, tensors)).fill(
        [("a.weight", fused[:3]), ("b.weight", fused[3].view(2, 2))], seen.append
    )
    assert torch.equal(fused[:3], tensors["a.weight"]) and torch.equal(fused[3], tensors["b.weight"].flatten())
    assert seen == sorted(seen) and seen[-1] == 1.0


def test_a_missing_tensor_is_named(tmp_path: Path) -> None:
    tensors = some_tensors()
    del tensors["a.bias"]
    with pytest.raises(CheckpointError, match=r"model\.safetensors lacks a\.bias"):
        Checkpoint(write_single(tmp_path, tensors)).check(SHAPES)


def test_an_unknown_tensor_is_named_unless_it_is_optional(tmp_path: Path) -> None:
    checkpoint = Checkpoint(write_single(tmp_path, some_tensors() | {"odd": torch.zeros(1)}))
    with pytest.raises(CheckpointError, match=r"model\.safetensors holds odd, unknown"):
        checkpoint.check(SHAPES)
    checkpoint.check(SHAPES, {"odd": (1,), "absent": (7,)})


def test_a_misshapen_tensor_is_named_with_both_shapes(tmp_path: Path) -> None:
    checkpoint = Checkpoint(write_single(tmp_path, some_tensors()))
    with pytest.raises(CheckpointError, match=r"b\.weight has the shape \[2, 2\]; config\.json makes it \[2, 3\]"):
        checkpoint.check(SHAPES | {"b.weight": (2, 3)})


def test_whole_numbers_are_no_weights(tmp_path: Path) -> None:
    checkpoint = Checkpoint(write_single(tmp_path, some_tensors() | {"b.weight": torch.zeros(2, 2, dtype=torch.int32)}))
    with pytest.raises(CheckpointError, match=r"b\.weight is stored as I32"):
        checkpoint.check(SHAPES)


def test_a_folder_without_weights_says_so(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="holds no model.safetensors"):
        Checkpoint(tmp_path)


def test_a_truncated_file_names_a_tensor_that_is_cut(tmp_path: Path) -> None:
    file = write_single(tmp_path, some_tensors()) / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match=r"truncated: it ends before the end of (a|b)\."):
        Checkpoint(tmp_path)


@pytest.mark.parametrize(
    "place", ["../x.safetensors", "/etc/x.safetensors", "c:\\x.safetensors", "x/y.safetensors", "x.bin", 7]
)
def test_a_shard_outside_the_folder_is_refused(tmp_path: Path, place: object) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a.bias": place}}))
    with pytest.raises(CheckpointError, match="not a file beside it"):
        Checkpoint(tmp_path)


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a.bias": "gone.safetensors"}}))
    with pytest.raises(CheckpointError, match=r"gone\.safetensors is missing"):
        Checkpoint(tmp_path)


def test_a_shard_without_the_tensor_that_the_index_places_there_is_named(tmp_path: Path) -> None:
    save_file({"a.weight": torch.zeros(1)}, tmp_path / "one.safetensors")
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a.bias": "one.safetensors"}}))
    with pytest.raises(CheckpointError, match=r"one\.safetensors does not hold a\.bias"):
        Checkpoint(tmp_path)


def test_a_tensor_stored_twice_is_refused(tmp_path: Path) -> None:
    save_file({"a.bias": torch.zeros(1)}, tmp_path / "one.safetensors")
    save_file({"a.bias": torch.zeros(1), "b": torch.zeros(1)}, tmp_path / "two.safetensors")
    index = {"weight_map": {"a.bias": "one.safetensors", "b": "two.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(CheckpointError, match=r"a\.bias is stored twice"):
        Checkpoint(tmp_path)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]},
        {"dtype": "F32", "shape": "x", "data_offsets": [0, 4]},
        {"dtype": "F32", "data_offsets": [0, 4]},
        7,
    ],
)
def test_a_damaged_entry_of_the_header_names_the_tensor(tmp_path: Path, entry: object) -> None:
    header = json.dumps({"a.bias": entry}).encode()
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
    with pytest.raises(CheckpointError, match=r"model\.safetensors.*a\.bias"):
        Checkpoint(tmp_path)


@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_refused_or_read_but_never_crashes(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(save(some_tensors()))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    (tmp_path / "model.safetensors").write_bytes(bytes(content[:cut]) if data.draw(st.booleans()) else bytes(content))
    try:
        checkpoint = Checkpoint(tmp_path)
        checkpoint.check(SHAPES)
        loaded = checkpoint.load(SHAPES)
    except CheckpointError as error:
        assert "model.safetensors" in str(error) and error.remedy
    else:
        assert {name: tuple(tensor.shape) for name, tensor in loaded.items()} == SHAPES


def test_another_architecture_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(CheckpointError, match="architecture 'llama'; 'moss_tts_local' is needed"):
        read_config(tmp_path, "moss_tts_local")


@pytest.mark.parametrize("content", [None, b"", b"[1]", b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_configuration_that_is_none_is_refused(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(CheckpointError, match="config.json"):
        read_config(tmp_path, "moss_tts_local")


def test_the_digest_is_of_the_content_and_not_of_the_place(tmp_path: Path) -> None:
    digests = []
    for name, value in (("one", 0.0), ("two", 0.0), ("three", 1.0)):
        folder = tmp_path / name
        folder.mkdir()
        write_single(folder, {"x": torch.full((4,), value)})
        digests.append(Checkpoint(folder).digest())
    assert digests[0] == digests[1] != digests[2]
    assert content_digest([tmp_path / "absent"]) == content_digest([tmp_path / "other" / "absent"])
