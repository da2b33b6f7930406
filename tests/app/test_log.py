"""The log is there when it is needed, and never in the way."""

from __future__ import annotations

import logging
import os
import sys
import threading
from pathlib import Path

import pytest

from app.cli import main
from app.log import FILE, start_log
from app.paths import paths_for


@pytest.fixture(autouse=True)
def untouched():
    """The root logger and the hooks as they were."""
    root, hooks = logging.getLogger(), (sys.excepthook, threading.excepthook)
    handlers, level = list(root.handlers), root.level
    yield
    for handler in [each for each in root.handlers if each not in handlers]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)
    sys.excepthook, threading.excepthook = hooks


def test_messages_and_uncaught_errors_are_in_the_file(tmp_path: Path) -> None:
    paths = paths_for(tmp_path)
    assert start_log(paths) == paths.logs / FILE
    logging.getLogger("x").info("half \ud800 a pair")
    try:
        raise ValueError("boom")
    except ValueError as error:
        sys.excepthook(ValueError, error, error.__traceback__)
    thread = threading.Thread(target=lambda: 1 / 0, name="worker")
    thread.start()
    thread.join()
    text = (paths.logs / FILE).read_text("utf-8")
    assert "half" in text and "ValueError: boom" in text and "worker" in text and "ZeroDivisionError" in text


def test_a_log_that_cannot_be_written_keeps_nothing_from_working(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    assert start_log(paths_for(tmp_path)) is None
    logging.getLogger("x").warning("still works")


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX systems")
def test_a_new_profile_belongs_to_its_owner_alone(tmp_path):
    profile = tmp_path / "new" / "profile"
    start_log(paths_for(profile))
    assert profile.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_of_the_log_is_nobodys_business(tmp_path, capsys):
    paths = paths_for(tmp_path)
    paths.logs.mkdir(parents=True)
    (paths.logs / FILE).symlink_to("/dev/full")
    start_log(paths, to_console=False)
    logging.getLogger("x").error("what happened")
    for handler in [each for each in logging.getLogger().handlers if getattr(each, "baseFilename", "")]:
        logging.getLogger().removeHandler(handler)
        handler.close()
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_command_on_a_full_disk_fails_with_its_own_status_and_words(tmp_path, capsys):
    paths = paths_for(tmp_path)
    paths.logs.mkdir(parents=True)
    (paths.logs / FILE).symlink_to("/dev/full")
    assert main(["--profile", str(tmp_path), "voices", "remove", "Nobody"]) == 3
    said = capsys.readouterr().err
    assert "Nobody" in said and "Traceback" not in said and "Logging error" not in said
