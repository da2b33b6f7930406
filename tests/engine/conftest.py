"""What the tests of the engine share."""

from __future__ import annotations

import pytest
from scripted_backend import ScriptedBackend


@pytest.fixture
def scripted() -> ScriptedBackend:
    return ScriptedBackend()
