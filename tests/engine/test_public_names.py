"""What `import engine` gives."""

import subprocess
import sys

import pytest

import engine


def test_importing_the_engine_loads_neither_torch_nor_numpy():
    code = "import sys, engine; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_failure_is_raised_and_not_printed_where_the_program_keeps_no_log():
    code = "import engine, logging; logging.getLogger('engine.engine').critical('The engine stopped')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stderr == b""


def test_every_public_name_can_be_had():
    for name in engine.__all__:
        assert getattr(engine, name) is not None
    assert set(engine.__all__) <= set(dir(engine))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        engine.no_such_name  # noqa: B018
