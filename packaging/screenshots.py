"""Pictures of every region and state, dark and light, at 1x and 2x: `python packaging/screenshots.py --out
screenshots`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SIZE = (1440, 900)
THEMES = ("dark", "light")
SCALES = ("1", "2")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument("--theme", choices=THEMES, help="only this one")
    parser.add_argument("--scale", choices=SCALES, help="only this one")
    parser.add_argument("--language", default="en", help="of the interface, such as zh_CN")
    parser.add_argument("--here", action="store_true", help="take them in this process (used by the command itself)")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.here:
        take_all(given.out.absolute(), given.theme, given.scale, given.language)
        return 0
    environment = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    for theme in [given.theme] if given.theme else THEMES:
        for scale in [given.scale] if given.scale else SCALES:
            # The scale is read when Qt starts, so each has a process of its own.
            command = [sys.executable, __file__, "--here", "--theme", theme, "--scale", scale]
            command += ["--out", str(given.out), "--language", given.language]
            subprocess.run(command, env={**environment, "QT_SCALE_FACTOR": scale}, check=True)
    print(f"{len(list(given.out.glob('*.png')))} pictures in {given.out}")
    return 0


def take_all(out: Path, theme: str, scale: str, language: str) -> None:
    """All pictures of one theme and scale; lines are spoken by the starter, so that waveforms are real."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from PySide6.QtWidgets import QApplication, QWidget

    from app.main import make_application, open_studio
    from app.paths import paths_for

    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder)
        general = {"theme": theme, "language": language}
        (profile / "settings.json").write_text(json.dumps({"version": 1, "general": general}), "utf-8")
        running = open_studio(paths_for(profile))
        running.window.resize(*SIZE)
        running.window.show()

        def settle(seconds: float = 0.4, until: Callable[[], Any] | None = None) -> None:
            end = time.monotonic() + seconds
            while time.monotonic() < end and not (until is not None and until()):
                application.processEvents()
                time.sleep(0.005)

        for name, widget in scenes(running, settle, profile):
            settle()
            shown: QWidget = widget
            shown.grab().save(str(out / f"{name}-{theme}-{scale}x.png"))
            while (popup := QApplication.activePopupWidget()) is not None:
                popup.close()
        running.window.set_close_guard(lambda: True)
        running.window.close()
        running.close()


def scenes(running: Any, settle: Callable[..., None], folder: Path) -> Iterator[tuple[str, Any]]:
    """(name, widget to picture), each after the studio was brought into that state."""
    studio, window = running.studio, running.window
    editor = window.script.editor
    yield "01-first-start", window
    running.after_show()
    settle(0.3, lambda: studio.engine is not None)
    yield "02-model-loading", window
    studio.actions.trigger("open_sample")
    yield "03-sample", window
    settle(90, lambda: studio.engine is not None)
    studio.actions.trigger("play_pause")
    settle(60, lambda: any(studio.block_state(block.id) == "speaking" for block in studio.project.blocks[4:]))
    yield "04-being-spoken", window
    settle(120, lambda: not studio.renderer.queue())
    window.toast.hide()
    yield "05-playing", window
    studio.actions.trigger("stop")
    window.toast.hide()
    block = studio.project.blocks[4]
    editor.select_block(block.id)
    studio.renderer.again(block.id, 2)
    settle(60, lambda: not studio.renderer.queue())
    yield "06-takes", window
    editor.select_rows([2, 3, 4], 2)
    yield "07-several-lines", window
    studio.actions.trigger("replace")
    window.script.find_bar.wanted.setText("voice")
    yield "08-find", window
    window.script.find_bar.close_bar()
    yield "09-palette", window.open_palette()
    pill = next(iter(editor.painting.pills))
    yield "10-pause", editor.tags.edit_tag(pill.block_number, pill.tag)
    yield from _voices(running, settle)
    yield from _making(running, settle)
    yield from _dialogs(running, settle, folder)
    yield from _long_script(running, settle)


def _voices(running: Any, settle: Callable[..., None]) -> Iterator[tuple[str, Any]]:
    """A voice of one's own, with a question about it, looked after, and recorded."""
    from app.paths import starter

    studio, window = running.studio, running.window
    voices = window.docks["voices"].content
    own = studio.library.add(starter() / "voices" / "kumo.wav", "Granny with the very long winded name")
    voices.new.consent.ask([own])
    yield "11-whose-voice", window
    voices.new.consent.later.click()
    voices.care_for(own.id)
    settle(3)
    yield "12-care-of-a-voice", window
    voices.care.leave()
    voices.record()
    yield "13-recording", window
    voices.recording.leave()
    studio.library.remove(own.id)


def _making(running: Any, settle: Callable[..., None]) -> Iterator[tuple[str, Any]]:
    """Lines that wait, and where they are seen."""
    from app.ui.status import Status

    studio, window = running.studio, running.window
    studio.renderer.pause()
    studio.actions.trigger("select_all")
    studio.actions.trigger("three_takes")
    settle(0.5)
    yield "14-many-takes", window
    queue = window.findChild(Status).queue
    queue.open_above(window.mapToGlobal(window.rect().bottomRight()))
    yield "15-queue", queue
    queue.hide()
    studio.renderer.cancel()
    studio.renderer.resume()
    settle(1)
    window.toast.hide()


def _dialogs(running: Any, settle: Callable[..., None], folder: Path) -> Iterator[tuple[str, Any]]:
    from app.ui.editor.import_dialog import ImportDialog
    from app.ui.recovery_dialog import RecoveryDialog

    studio, window, work = running.studio, running.window, running.work
    export = work.open_export(None)
    yield "20-export", export
    export.choices.place.setText(str(folder / "Welcome.wav"))
    export.start()
    settle(60, lambda: export._task is None)
    yield "21-export-done", export
    export.close()
    work.open_lexicon().close()
    settle(0.1)
    lexicon = work.open_lexicon()
    yield "22-pronunciations", lexicon
    lexicon.close()
    for page in ("appearance", "project", "speech", "sound", "shortcuts"):
        dialog = work.open_preferences(page)
        yield f"23-preferences-{page}", dialog
        dialog.close()
        settle(0.1)
    models = work.open_models()
    for page in ("models", "servers", "machine", "runs"):
        models.show_page(page)
        settle(6 if page == "machine" else 0.3)
        yield f"24-models-{page}", models
    models.show_page("servers")
    models.servers_page.new()
    yield "24-models-server", models
    models.close()
    text = folder / "The Storm.md"
    text.write_text(_TALE, "utf-8")
    importing = ImportDialog(studio, text, window)
    importing.open()
    settle(5, importing.accept_button.isEnabled)
    yield "25-import", importing
    importing.reject()
    recovery = RecoveryDialog(studio, window)
    recovery.open()
    yield "26-recovery", recovery
    recovery.reject()
    work._open_about()
    about = work._dialogs["about"]
    yield "27-about", about
    about.close()


def _long_script(running: Any, settle: Callable[..., None]) -> Iterator[tuple[str, Any]]:
    """Every kind of line, state and script, with long names."""
    from app.model.commands import ReplaceText, SetBlockSettings

    studio, window = running.studio, running.window
    studio.do(ReplaceText(0, studio.project.text(), _MANY_KINDS))
    blocks = studio.project.blocks
    voice = studio.library.find("Gon")
    studio.give_voice([block.id for block in blocks if "她" in block.text], voice.id)
    studio.do(SetBlockSettings((blocks[3].id,), {"length": "fit", "target_s": 2.0}))
    studio.do(SetBlockSettings((blocks[4].id,), {"locked": True}))
    window.script.editor.select_block(blocks[3].id)
    settle(1)  # until the lines of every voice are counted
    yield "30-kinds-of-lines", window
    window.resize(1024, 700)
    yield "31-small-window", window
    window.resize(*SIZE)


_TALE = """# Arrival

Ana: Good morning. Is anybody here?

Joe: Come in, the door is open.

The rain had begun again, and the street was empty.

Ana: Then I will stay until it ends.

# The storm

Nobody knew how long it would last.
"""

_MANY_KINDS = """# The house at the end of the long and winding road that nobody remembers
// Read slowly; the second speaker is tired.
“Good morning,” she said. [pause 1.5s] Nobody answered.
This line has far more words than anybody could ever say in the two seconds that it was given.
A locked line stays as it is.
The name [Leif=>layf] is spoken as it sounds, and [pause 12s] is longer than a pause may be.
A tag that was left half written: [pause 1.
## 夜
她说：“早上好。”[pause 0.8s]然后，她慢慢地走进了录音室，听见了自己的声音。
昔々、あるところに小さなスタジオがありました。
مرحبا بكم في الاستوديو [pause 1.0s] Moss Voice، شكرا جزيلا
ברוכים הבאים אל האולפן Moss Voice

The last line of all."""


if __name__ == "__main__":
    sys.exit(main())
