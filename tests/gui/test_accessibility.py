"""What a screen reader meets: every control of every window and dialog has a name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.paths import starter
from app.settings import Server
from app.ui.status import Status
from engine import ServerVoice

_ROLES = QAccessible.Role
# What a person works with, whether or not the Tab key stops there.
CONTROLS = {
    _ROLES.Button, _ROLES.ButtonMenu, _ROLES.ButtonDropDown, _ROLES.CheckBox, _ROLES.RadioButton, _ROLES.ComboBox,
    _ROLES.EditableText, _ROLES.SpinBox, _ROLES.Slider, _ROLES.List, _ROLES.Tree, _ROLES.Table, _ROLES.ListItem,
    _ROLES.TreeItem, _ROLES.MenuItem, _ROLES.PageTab, _ROLES.ProgressBar, _ROLES.Link,
}  # fmt: skip


def unnamed(top: QWidget) -> list[str]:
    """Where in a window there are controls without a name, as paths of roles and classes."""
    found: list[str] = []

    def look(at: QAccessibleInterface | None, path: str) -> None:
        if at is None or not at.isValid():
            return
        state, role = at.state(), at.role()
        thing = at.object()
        here = f"{path}/{type(thing).__name__ if thing is not None else role.name}"
        wanted = state.focusable or role in CONTROLS
        if wanted and not state.invisible and not at.text(QAccessible.Text.Name).strip() and not is_part(at):
            found.append(here)
        for number in range(min(at.childCount(), 200)):
            look(at.child(number), here)

    look(QAccessible.queryAccessibleInterface(top), "")
    return found


def is_part(at: QAccessibleInterface) -> bool:
    """Parts that Qt makes of a control and that speak through it: the field of a combo box, arrows of a scroll bar."""
    parent = at.parent()
    while parent is not None and parent.isValid() and parent.role() not in (_ROLES.Window, _ROLES.Dialog):
        if parent.role() in (_ROLES.ComboBox, _ROLES.SpinBox, _ROLES.ScrollBar):
            return bool(parent.text(QAccessible.Text.Name).strip()) or parent.role() is _ROLES.ScrollBar
        parent = parent.parent()
    return False


def surfaces(running: Any, tmp_path: Path) -> Iterator[tuple[str, QWidget]]:
    from app.ui.editor.import_dialog import ImportDialog
    from app.ui.models.download_dialog import DownloadDialog
    from app.ui.recovery_dialog import RecoveryDialog
    from app.ui.versions_dialog import VersionsDialog
    from engine import CATALOGUE

    window, work, studio = running.window, running.work, running.studio
    yield "window", window
    studio.actions.trigger("replace")
    yield "window with the find bar", window
    window.script.find_bar.close_bar()
    window.script.editor.select_rows([2, 3], 2)
    yield "window with several lines", window
    yield "palette", window.open_palette()
    window.open_palette().close()
    queue = window.findChild(Status).queue
    queue.open_above(window.mapToGlobal(QPoint(900, 700)))
    yield "queue", queue
    queue.hide()
    editor = window.script.editor
    editor.viewport().repaint()
    pill = next(iter(editor.painting.pills))
    popup = editor.tags.edit_tag(pill.block_number, pill.tag)
    yield "pause", popup
    popup.close()
    voices = window.docks["voices"].content
    voices.recording.open()
    yield "recording", window
    voices.recording.leave()
    own = studio.library.add(starter() / "voices" / "gon.wav", "A voice")
    voices.select(own.id)
    voices.care_for(own.id)
    assert voices.care.isVisible()
    yield "care of a voice", window
    voices.care.leave()
    for page in ("appearance", "project", "speech", "sound", "shortcuts"):
        dialog = work.open_preferences(page)
        yield f"preferences: {page}", dialog
        dialog.close()
    models = work.open_models()
    for page in ("models", "servers", "machine", "runs"):
        models.show_page(page)
        yield f"models: {page}", models
    studio.models.save_server(Server("", name="Far", address="http://localhost:1"), None)
    models.show_page("servers")
    models.servers_page.form.voices.show_voices(
        studio.models.spec(studio.models.settings.servers[0]), [ServerVoice("bo", 1200)]
    )
    yield "a server", models
    models.close()
    yield "download", shown(DownloadDialog(studio.models, next(each for each in CATALOGUE if each.parts), window))
    yield "export", work.open_export(None)
    work.open_export(None).close()
    yield "pronunciations", work.open_lexicon("Leif")
    work.open_lexicon().close()
    text = tmp_path / "play.txt"
    text.write_text("Ana: Good morning.\n\nJoe: Come in.\n", "utf-8")
    yield "import", shown(ImportDialog(studio, text, window))
    yield "recovery", shown(RecoveryDialog(studio, window))
    yield "earlier versions", shown(VersionsDialog(studio, window))
    work._open_about()
    yield "about", work._dialogs["about"]
    work._dialogs["about"].close()


def shown(dialog: Any) -> Any:
    dialog.open()
    return dialog


def test_every_control_of_every_window_has_a_name(sample: Any, qtbot: Any, tmp_path: Path) -> None:
    missing: dict[str, list[str]] = {}
    for name, widget in surfaces(sample, tmp_path):
        qtbot.wait(60)
        QApplication.processEvents()
        if where := unnamed(widget):
            missing[name] = where
        if widget is not sample.window and widget.isVisible() and name in ("download", "import", "recovery"):
            widget.close()
    assert missing == {}


def test_a_control_without_a_name_is_found(sample: Any, qtbot: Any) -> None:
    from PySide6.QtWidgets import QPushButton

    button = QPushButton(sample.window.toolbar)
    button.show()
    QApplication.processEvents()
    assert any("QPushButton" in each for each in unnamed(sample.window))
    button.deleteLater()


def test_large_text_is_not_cut_off_in_what_is_scrolled(sample: Any, qtbot: Any) -> None:
    """Scrolling goes up and down only: everything must be as wide as its words are."""
    from app.ui.theme import theme
    from app.ui.widgets.scroll import Scrolled

    before = QApplication.font().pointSizeF()
    theme().apply("dark", 17.0)
    try:
        places = [sample.window]
        for page in ("appearance", "project", "speech", "sound", "shortcuts"):
            places.append(sample.work.open_preferences(page))
            qtbot.wait(80)
            for area in (area for place in places for area in place.findChildren(Scrolled)):
                if area.isVisible():
                    assert area.widget().width() <= area.viewport().width(), (page, area.accessibleName())
        pages = sample.work.open_preferences("appearance").pages
        names = [pages.item(row).text() for row in range(pages.count())]
        assert max(map(pages.fontMetrics().horizontalAdvance, names)) + 40 < pages.width()
        sample.work.open_preferences("appearance").close()
    finally:
        theme().apply("dark", before)


def test_sentences_of_a_card_in_the_voices_dock_are_never_cut(sample: Any, qtbot: Any) -> None:
    window, voices = sample.window, sample.window.docks["voices"].content
    own = sample.studio.library.add(starter() / "voices" / "kumo.wav", "Granny with a very long winded name")
    window.resize(1280, 720)
    voices.select(own.id)
    voices.care_for(own.id)
    qtbot.waitUntil(lambda: bool(voices.care.findings), timeout=10_000)
    qtbot.wait(200)
    for label in (label for label in voices.care.findChildren(QLabel) if label.isVisible() and label.wordWrap()):
        assert label.height() >= label.heightForWidth(label.width()), label.text()
    voices.care.leave()
    voices.recording.open()
    qtbot.wait(200)
    text = voices.recording._text
    assert text.height() >= text.heightForWidth(text.width())
    voices.recording.leave()
    voices.new.consent.ask([own])
    docks = [window.docks["voices"], window.docks["outline"]]
    window.resizeDocks(docks, [100, 600], Qt.Orientation.Vertical)  # as low as it may be
    qtbot.wait(200)
    for label in voices.new.consent.findChildren(QLabel):
        assert label.height() >= label.heightForWidth(label.width())


def test_words_on_labels_are_those_that_are_spoken_without_marks_and_tags() -> None:
    from app.ui.words import words_of

    assert words_of("# The  [Leif=>layf] saga [pause 1.5s]of\told") == "The Leif saga of old"
    assert words_of("A tag left half: [pause 1.") == "A tag left half: [pause 1."
    assert words_of("word " * 50, 9) == "word word"
