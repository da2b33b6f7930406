"""Shared codecs of the codec's tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_NAME = "codec_test_helpers"
_SPEC = importlib.util.spec_from_file_location(_NAME, Path(__file__).with_name("helpers.py"))
helpers = importlib.util.module_from_spec(_SPEC)
sys.modules[_NAME] = helpers
_SPEC.loader.exec_module(helpers)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A loaded stereo codec with contexts of a few positions."""
    from engine.codec.model import load_codec

    return load_codec(helpers.write_codec(tmp_path_factory.mktemp("tiny")))


@pytest.fixture(scope="session")
def starter():
    """The codec that ships with the product."""
    from engine.codec.model import load_codec

    return load_codec(Path(__file__).parents[3] / "resources" / "starter" / "codec", encoder=False)
