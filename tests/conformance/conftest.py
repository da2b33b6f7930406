"""A service of each interface with a fast engine, and one that speaks with the starter."""

from __future__ import annotations

import pytest
from served import Served, client_of


@pytest.fixture(scope="module")
def sglang():
    served = Served("sglang")
    yield served
    served.close()


@pytest.fixture(scope="module")
def vllm():
    served = Served("vllm")
    yield served
    served.close()


@pytest.fixture
def ask_sglang(sglang):
    with client_of(sglang) as client:
        yield client


@pytest.fixture
def ask_vllm(vllm):
    with client_of(vllm) as client:
        yield client
