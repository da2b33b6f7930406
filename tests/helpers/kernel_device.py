"""Where tests of kernels run: on a CUDA device, or without one in Triton's interpreter (`TRITON_INTERPRET=1`)."""

from __future__ import annotations

import importlib.util
import os

import pytest
import torch

from engine.runtime.devices import cuda_works

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = torch.device("cpu" if INTERPRETED else "cuda")
CAPABILITY = torch.cuda.get_device_capability() if not INTERPRETED and cuda_works() else (0, 0)
HAS_TRITON = importlib.util.find_spec("triton") is not None
on_some_device = pytest.mark.skipif(
    not HAS_TRITON or not (INTERPRETED or cuda_works()),
    reason="there is neither a CUDA device nor the interpreter" if HAS_TRITON else "Triton is not installed",
)
