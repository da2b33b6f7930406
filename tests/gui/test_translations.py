"""The interface in Chinese: every string keeps its placeholders, and the window speaks it."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import PySide6
import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QToolButton, QWidget

from app.model.commands import SetBlockSettings
from app.paths import paths_for, resource
from app.services.importers import docx, epub
from app.settings import Settings
from app.ui.editor.import_dialog import ImportDialog, _hours
from app.ui.export.export_dialog import ExportDialog
from app.ui.import_messages import COUNTED, NAMED, left_out_words
from app.ui.language_names import NAMES, shown_language
from app.ui.messages import local
from app.ui.preferences.preferences_dialog import PAGES as PREFERENCES
from app.ui.status.status import Status
from app.ui.theme import theme
from app.ui.words import sentence
from engine import LANGUAGES


def test_translations_keep_the_placeholders_of_their_source() -> None:
    root = ElementTree.parse(resource("translations", "studio_zh_CN.ts")).getroot()
    pairs = [
        (message.findtext("source") or "", message.findtext("translation") or "") for message in root.iter("message")
    ]
    assert len(pairs) > 500
    wrong = [
        (source, translated)
        for source, translated in pairs
        if translated and sorted(re.findall(r"%\d", source)) != sorted(re.findall(r"%\d", translated))
    ]
    assert wrong == []


def test_the_window_is_chinese_from_menu_to_reason(chinese: Any, running: Any) -> None:
    assert running.window.menuBar().actions()[0].text().startswith("文件")
    assert running.window.docks["inspector"].windowTitle() == "检查器"
    assert running.studio.actions.action("undo").text().startswith("撤销")
    assert "撤销" in running.studio.actions.why_not("undo")
    assert QCoreApplication.translate("BlockState", "Spoken") == "已朗读"


def test_why_a_clip_is_refused_is_told_in_the_language_of_the_window(
    chinese: Any, running: Any, tmp_path: Path, qtbot: Any
) -> None:
    broken = tmp_path / "broken.wav"
    broken.write_bytes(b"RIFF no sound at all")
    assert running.studio.drop_files([broken])
    toast = running.window.toast
    qtbot.waitUntil(lambda: "broken.wav 未能成为声音" in toast.text, timeout=10_000)
    assert "作为音频读取" in toast.text and "cannot be read" not in toast.text


def test_access_keys_stay_out_of_the_palette(chinese: Any, running: Any) -> None:
    palette = running.window.open_palette()
    assert "新建项目" in palette.names()
    assert not any("(" in name for name in palette.names())
    palette.close()


def test_no_string_lacks_its_chinese(tmp_path: Path) -> None:
    """The sources are looked through as for a release: a new string without a translation is told by name."""
    root = Path(__file__).resolve().parents[2]
    copy = tmp_path / "studio_zh_CN.ts"
    shutil.copy(resource("translations", "studio_zh_CN.ts"), copy)
    sources = [str(path) for path in sorted((root / "app" / "ui").rglob("*.py"))]
    sources += [str(path) for path in sorted((root / "app").glob("*.py"))]
    tool = str(Path(PySide6.__file__).parent / "lupdate")
    options = ["-locations", "none", "-no-obsolete", "-target-language", "zh_CN"]
    subprocess.run([tool, *options, *sources, "-ts", str(copy)], check=True, capture_output=True)
    lacking = [
        f"{context.findtext('name')}: {message.findtext('source')}"
        for context in ElementTree.parse(copy).getroot().iter("context")
        for message in context.iter("message")
        if (message.find("translation")).get("type") == "unfinished"  # type: ignore[union-attr]
    ]
    assert lacking == []


def test_the_reason_of_a_line_and_a_notice_are_chinese(chinese: Any, running: Any) -> None:
    running.studio.say("error", "The clip is empty. Record it again.")
    assert running.window.toast.text == "片段是空的。请重新录制。"


def test_every_language_of_the_models_has_a_chinese_name(chinese: Any) -> None:
    assert [language.name for language in LANGUAGES] == list(NAMES)
    shown = [shown_language(name) for name in NAMES]
    assert len(set(shown)) == len(NAMES) and not [name for name in shown if name.isascii()]
    assert shown_language("Klingon") == "Klingon"


def test_a_language_is_shown_in_chinese_and_kept_as_the_engine_calls_it(chinese: Any, sample: Any) -> None:
    studio, window = sample.studio, sample.window
    studio.set_card(replace(studio.card, languages=()))
    block = next(block for block in studio.project.blocks if len(block.text) > 20)
    window.script.editor.select_block(block.id)
    inspector = window.docks["inspector"].content
    inspector.refresh()
    menu = window.toolbar.language.menu()
    menu.aboutToShow.emit()
    names = [action.text() for action in menu.actions()]
    assert "德语" in names and "German" not in names
    next(action for action in menu.actions() if action.text() == "德语").trigger()
    assert studio.project.block(block.id).settings.language == "German"
    inspector.refresh()
    assert inspector.speaker.language.currentText() == "德语" and inspector.speaker.language.currentData() == "German"
    window.toolbar._show()
    assert "德语" in window.toolbar.language.accessibleName()
    studio.do(SetBlockSettings((block.id,), {"language": "Klingon"}))
    inspector.refresh()
    assert inspector.speaker.language.currentText() == "Klingon"


def left_out_in(file: Path) -> set[str]:
    """What is counted or named as left out in an importer."""
    calls = [each for each in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(each, ast.Call)]
    counts = [each for each in calls if ast.unparse(each.func).endswith(("left_out.add", "left_out.say"))]
    return {
        each.value
        for call in counts
        for argument in call.args[:2]
        for each in ast.walk(argument)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


def test_what_an_import_leaves_out_can_be_translated() -> None:
    files = sorted((Path(__file__).resolve().parents[2] / "app" / "services" / "importers").glob("*.py"))
    found = set().union(*map(left_out_in, files), *docx._NOTES.values(), epub._SKIPPED_GUIDE.values())
    assert found == {*COUNTED, *NAMED}


def test_an_import_says_in_chinese_what_it_leaves_out_and_what_to_look_at(chinese: Any) -> None:
    assert left_out_words(["1 picture", "12 footnotes", "the index"]) == "1 张图片、12 条脚注、索引"
    assert left_out_words(["3 wild boars"]) == "3 wild boars"
    assert local("Nought.epub is no EPUB book.") == "Nought.epub 不是 EPUB 电子书。"
    overlaps = "2 cues begin before the one before has ended; they are spoken one after the other."
    assert local(overlaps) == "有 2 条字幕在前一条结束之前开始；它们将依次朗读。"
    kinds = "a.xyz is of a kind that cannot be imported. Choose one of .txt, .md, .vtt."
    assert local(kinds) == "a.xyz 是无法导入的文件类型。请选择以下类型之一：.txt, .md, .vtt。"


@pytest.mark.parametrize("name", ["subtitles.srt", "book.epub"])
def test_the_import_window_speaks_chinese(chinese: Any, sample: Any, tmp_path: Path, qtbot: Any, name: str) -> None:
    path = tmp_path / name
    cues = "1\n00:00:00,000 --> 00:00:02,000\nA\n\n2\n00:00:01,000 --> 00:00:03,000\n[door]\nB\n"
    path.write_text(cues, "utf-8")
    dialog = ImportDialog(sample.studio, path, sample.window)
    qtbot.addWidget(dialog)
    wanted = {
        "subtitles.srt": ("有 1 条字幕在前一条结束之前开始", "1 处声音或歌曲"),
        "book.epub": ("已损坏", "请重新打开"),
    }[name]

    def shown() -> str:
        return "\n".join(label.text() for label in dialog.findChildren(QLabel))

    qtbot.waitUntil(lambda: all(words in shown() for words in wanted))
    dialog.close()


def test_languages_in_a_message_are_chinese_too(chinese: Any) -> None:
    said = local("“Starter” speaks English, German, not French. Choose one of its languages, or another model.")
    assert "英语、德语" in said and "法语" in said


# What is counted in the window; these have what the services counted.
_OF_SERVICES = {
    "clip_messages.py", "speech_messages.py", "system_messages.py", "project_messages.py", "store_messages.py",
    "export_messages.py", "data_messages.py",
}  # fmt: skip
_COUNTED = re.compile(r"%[12] (?:\w+ )?(?:line|word|take|voice|file|chapter|second|language|run|character|thing)s\b")
# These are shown for two and more alone.
_SEVERAL = {
    "new_voices.py: %1 voices are ready.", "queue_panel.py: %1, %2 takes", "length.py:  (%1 lines)",
    "heading.py: %1 lines",
}  # fmt: skip


def strings_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    return {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def test_how_many_is_told_in_words_for_one_as_well() -> None:
    lacking = []
    for file in sorted((Path(__file__).resolve().parents[2] / "app" / "ui").rglob("*.py")):
        strings = strings_in(file)
        assert [text for text in strings if text.startswith("%n ")] == [], "English has no forms of its own"
        for text in strings if file.name not in _OF_SERVICES else ():
            found = _COUNTED.search(text)
            if found and not any(re.search(rf"1 {found[0][3:-1]}\b", each) for each in strings):
                lacking.append(f"{file.name}: {text}")
    assert set(lacking) == _SEVERAL


def test_one_line_that_is_not_spoken_is_one_line(sample: Any) -> None:
    studio = sample.studio
    dialog = ExportDialog(studio, sample.window.state, sample.window)
    blocks = [block for block in studio.project.blocks if studio.renderer.states.needs_speaking(block)]
    for count, words in ((1, "1 line is not spoken yet"), (2, "2 lines are not spoken yet")):
        dialog.set_blocks([block.id for block in blocks[:count]])
        assert words in dialog.choices.missing.text()
        assert dialog.sentence.text() == ("1 line" if count == 1 else "2 lines")
    dialog.close()


def test_no_string_hides_in_a_formatted_one_where_translators_never_see_it() -> None:
    hidden = [
        f"{file.name}:{call.lineno}"
        for file in sorted((Path(__file__).resolve().parents[2] / "app").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.JoinedStr)
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("tr", "translate") and call.args
        if isinstance(call.args[-1], ast.Constant)
    ]
    assert hidden == []


def test_what_is_shown_while_a_model_loads_is_chinese(chinese: Any, running: Any) -> None:
    running.studio.engine_loading.emit("Starting", 0.1)
    assert running.window.findChild(Status).doing.text().endswith("正在启动")
    assert "正在启动" in running.window.toolbar.model.toolTip()


def test_the_qualities_of_an_export_are_told_in_chinese(chinese: Any, sample: Any, qtbot: Any) -> None:
    dialog = ExportDialog(sample.studio, sample.window.state, sample.window)
    qtbot.addWidget(dialog)
    quality = dialog.choices.quality
    assert [quality.itemText(at) for at in range(quality.count())] == [
        "24 位，48 kHz",
        "16 位，44.1 kHz",
        "32 位浮点，48 kHz",
    ]
    quality.setCurrentIndex(1)
    dialog.choices.keep()
    again = ExportDialog(sample.studio, sample.window.state, sample.window)
    qtbot.addWidget(again)
    assert again.choices.quality.currentText() == "16 位，44.1 kHz"
    kept = sample.studio.project.settings.export
    assert kept["quality"] == "16 bit, 44.1 kHz", "another language finds it as well"


def test_how_long_a_text_lasts_is_told_in_chinese(chinese: Any) -> None:
    assert _hours(60.0) == "1 分钟" and _hours(3_900.0) == "1 小时 05 分钟"


def test_a_row_of_facts_has_the_marks_of_the_language(qapp: Any) -> None:
    assert sentence("1 line spoken", "1 failed") == "1 line spoken, 1 failed."


def test_a_row_of_facts_has_chinese_marks_in_chinese(chinese: Any) -> None:
    assert sentence("已朗读 1 行", "1 行失败") == "已朗读 1 行，1 行失败。"


def cut_off(widget: QWidget) -> list[str]:
    """Buttons and labels on one line that are smaller than what is written on them."""
    shown = [each for kind in (QAbstractButton, QLabel) for each in widget.findChildren(kind) if each.isVisible()]
    return [
        f"{each.text()}: {each.size().toTuple()} of {hint.toTuple()}"
        for each in shown
        if each.text() and not (isinstance(each, QLabel) and each.wordWrap())
        if not (isinstance(each, QToolButton) and each.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly)
        for hint in [each.minimumSizeHint() if isinstance(each, QLabel) else each.sizeHint()]
        if hint.width() > each.width() + 1 or hint.height() > each.height() + 1
    ]


@pytest.fixture
def plain_theme() -> Iterator[None]:
    yield
    theme().apply("dark")


@pytest.mark.parametrize("points", ["10", "14"])
@pytest.mark.usefixtures("plain_theme")
def test_nothing_is_cut_off_in_chinese(
    chinese: Any, open_studio_at: Any, tmp_path: Path, qtbot: Any, points: str
) -> None:
    Settings.load(paths_for(tmp_path / "profile")).change("window", value={"interface_points": points})
    running = open_studio_at()
    running.studio.actions.trigger("open_sample")
    for name in running.window.docks:
        running.window.docks[name].show()
    script = tmp_path / "cues.srt"
    script.write_text("1\n00:00:00,000 --> 00:00:02,000\nA\n\n2\n00:00:01,000 --> 00:20:03,000\n[door]\nB\n", "utf-8")
    preview = ImportDialog(running.studio, script, running.window)
    preview.open()
    qtbot.waitUntil(preview.accept_button.isEnabled)
    models = running.work.open_models()
    preferences = running.work.open_preferences("appearance")
    qtbot.wait(50)
    found = cut_off(running.window) + cut_off(preview) + cut_off(running.work.open_export(None))
    for page in PREFERENCES:
        preferences.show_page(page)
        qtbot.wait(20)
        found += cut_off(preferences)
    for page in ("models", "servers", "runs"):
        models.show_page(page)
        qtbot.wait(20)
        found += cut_off(models)
    for dialog in (preview, models, preferences, running.work.open_export(None)):
        dialog.close()
    assert found == []
