"""The interface in Chinese: every string keeps its placeholders, and the window speaks it."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import PySide6
import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QLabel
from told_errors import error_classes, told

from app.model.commands import SetBlockSettings
from app.paths import resource
from app.services.importers import docx, epub
from app.ui.editor.import_dialog import ImportDialog, _hours
from app.ui.export.export_dialog import ExportDialog
from app.ui.import_messages import COUNTED, NAMED, left_out_words
from app.ui.language_names import NAMES, shown_language
from app.ui.messages import MESSAGES, local
from app.ui.status.status import Status
from engine import LANGUAGES


@pytest.fixture
def chinese(qapp: Any) -> Any:
    translator = QTranslator()
    assert translator.load(str(resource("translations", "studio_zh_CN.qm")))
    qapp.installTranslator(translator)
    yield translator
    qapp.removeTranslator(translator)


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


# Whose messages a person meets in the window.
SPEAKERS = (
    "app/services/feeder.py", "app/services/library.py", "app/services/player.py", "app/services/voice_records.py",
    "engine/engine.py", "engine/errors.py",
    "app/services/clip_doctor.py", "app/services/devices.py", "app/services/doctor.py", "app/services/machine.py",
    "app/services/maker.py", "app/services/render_report.py", "app/services/renderer.py", "app/services/respeak.py",
    "app/services/speaking.py", "app/services/store_problem.py", "engine/audio.py", "engine/capabilities.py",
    "engine/catalogue.py", "engine/job.py", "engine/pauses.py", "engine/references.py", "engine/text/markup.py", "engine/text/plan.py",
    "app/services/model_sources.py", "app/services/models.py", "app/services/server_keys.py", "engine/hub.py",
    "engine/hub_access.py", "engine/hub_answers.py", "engine/hub_files.py", "engine/hub_lock.py", "engine/layout.py",
    "engine/servers.py", "engine/backends/pcm.py",
    "engine/backends/server_client.py", "engine/backends/server_clips.py", "engine/backends/server_connection.py", "engine/backends/server_request.py",
    "engine/backends/server_sglang.py", "engine/backends/server_spec.py", "engine/backends/sse.py",
    "app/services/importers/__init__.py", "app/services/importers/docx.py", "app/services/importers/encoding.py",
    "app/services/importers/epub.py", "app/services/importers/markdown.py", "app/services/importers/preview.py",
    "app/services/importers/subtitle_file.py", "app/services/importers/zipped.py",
)  # fmt: skip


_DOCUMENTED = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def messages_in(file: Path) -> set[str]:
    """Sentences in a source, with %1, %2 … for what is put in; not its documentation and what goes to the log."""
    tree = ast.parse(file.read_text("utf-8"))
    aside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and isinstance(node.body[0], ast.Expr):
            aside.add(id(node.body[0].value))
        elif isinstance(node, ast.JoinedStr):
            aside.update(map(id, node.values))
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("info", "warning", "exception"):
            aside.update(map(id, ast.walk(node)))
    found = set()
    for node in ast.walk(tree):
        text = ""
        if id(node) in aside:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            numbers = iter(range(1, 99))
            text = re.sub(r"\{\w+\}", lambda _: f"%{next(numbers)}", node.value)  # noqa: B023
        elif isinstance(node, ast.JoinedStr):
            numbers = iter(range(1, 99))
            text = "".join(
                each.value if isinstance(each, ast.Constant) else f"%{next(numbers)}" for each in node.values
            )
        if text.endswith(".") and text.count(" ") >= 2 and (text[0].isupper() or text[0] == "%"):
            found.add(text)
    return found


@pytest.mark.parametrize("name", SPEAKERS)
def test_messages_of_services_and_engine_can_be_translated(name: str) -> None:
    found = messages_in(Path(__file__).resolve().parents[2] / name)
    assert found or name == "engine/job.py"
    assert found - set(MESSAGES) == set()


# Said by commands that no window gives, or only to whoever set a variable for tests.
COMMANDS_ONLY = ("bench.py", "bench_cuda.py", "bench_full.py")
VARIABLE = ("%1 is %2.", "Set it to a number of gigabytes, or remove it.")


def test_whatever_an_error_a_warning_or_a_stage_of_the_engine_says_can_be_translated() -> None:
    root = Path(__file__).resolve().parents[2]
    files = [file for file in sorted((root / "engine").rglob("*.py")) if file.name not in COMMANDS_ONLY]
    errors = error_classes(files)
    assert {"CheckpointError", "DeviceError", "HubError", "Busy"} <= errors
    said = {text: file.name for file in files for text in told(file, errors)}
    assert len(said) > 200
    lacking = [f"{name}: {text}" for text, name in said.items() if text not in {*MESSAGES, *VARIABLE}]
    assert lacking == []


def test_words_of_errors_are_found_however_they_are_given(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text(
        "class Own(SpeechError): ...\n"
        "class Deeper(Own): ...\n"
        "def f(x):\n"
        "    said = f'It is {x}.'\n"
        "    raise Deeper(said if x else 'It is none.', remedy=ADVICE)\n"
        "ADVICE = 'Do it.'\n"
        "raise KeyError('no words')\n"
    )
    assert told(source, error_classes([source])) == {"It is %1.", "It is none.", "Do it."}


def test_a_message_is_put_into_the_language_of_the_window_with_what_was_put_into_it(chinese: Any) -> None:
    assert local("Very quiet: speech is at -40 dBFS.") == "音量很小：语音电平为 -40 dBFS。"
    both = "“Starter” speaks only in the voice of a clip. Give the line a voice first."
    assert local(both) == "“Starter”只能用片段中的声音朗读。请先给这一行指定声音。"
    nested = "2 sentences are longer than the 15 s this model speaks at once, and cut inside. Write shorter sentences."
    assert local(nested) == "有 2 个句子长于该模型一次可朗读的 15 秒，已在句中切开。请写短一些的句子。"
    deep = "The tokenizer in /m is another model's: im_end_token_id is 7 (<|im_end|>), the tokenizer has no such token."
    assert local(deep) == "/m 中的分词器属于另一个模型：im_end_token_id 是 7（<|im_end|>），而分词器没有这个词元。"
    room = "Choose precision int8: int8, 4 at once, room for 9 min of speech, codec on the card: 6.0 of 8.0 GB."
    assert local(room) == (
        "请选择精度 int8：int8，同时 4 路，可容纳 9 分钟语音，编解码器在显卡上：8.0 GB 中的 6.0 GB。"
    )


def test_what_a_hub_or_a_server_did_is_told_in_chinese(chinese: Any) -> None:
    refused = "“far” says: the queue is full It is busy or starting: try again in a while."
    assert local(refused).startswith("“far”说：the queue is full")
    gone = "No server answers at http://x:1 (refused). Start it, or check its address under Models & Servers."
    assert local(gone) == "http://x:1 处没有服务器回应（refused）。请启动它，或在“模型与服务器”中检查它的地址。"
    damaged = "model.safetensors of a/b came damaged 3 times. Try again later, or another mirror."
    assert local(damaged) == "a/b 的 model.safetensors 收到了 3 次，每次都已损坏。请稍后再试，或换一个镜像。"


def test_a_clip_that_breaks_off_is_told_in_chinese(chinese: Any) -> None:
    said = local("joe.mp3 breaks off: of 3.0 s only 1.8 s are there. Copy it again if the rest is wanted.")
    assert all(part in said for part in ("joe.mp3", "3.0", "1.8")) and "breaks" not in said


def test_every_stage_of_loading_a_model_is_told_in_chinese(chinese: Any) -> None:
    root = Path(__file__).resolve().parents[2]
    sources = [root / "engine/runtime/factory.py", root / "engine/runtime/cuda.py"]
    stages = {
        found for each in sources for found in re.findall(r'(?:part|stage)\("([A-Z][^"{]+)"', each.read_text("utf-8"))
    }
    assert "Loading the codec" in stages
    assert [stage for stage in stages if local(stage) == stage] == []


def test_what_has_no_translation_stays_as_it_is(chinese: Any) -> None:
    for message in ("", "Of nobody's making.\nOn two lines.", "无法写入。", "%1"):
        assert local(message) == message
    assert local("Unheard of. Choose another seed.") == "Unheard of. 请选择其他种子。"


def test_long_texts_are_not_searched_for_messages(chinese: Any, monkeypatch: Any) -> None:
    short = "The clip is empty."
    longer = short + " and so on" * 400
    assert local(short) != short
    monkeypatch.setattr("app.ui.messages._patterns", lambda: pytest.fail("it was searched"))
    assert local(longer) == longer


def test_english_messages_are_left_alone(qapp: Any) -> None:
    assert local("Very quiet: speech is at -40 dBFS.") == "Very quiet: speech is at -40 dBFS."


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
_OF_SERVICES = {"clip_messages.py", "speech_messages.py", "system_messages.py", "project_messages.py"}
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


def test_how_long_a_text_lasts_is_told_in_chinese(chinese: Any) -> None:
    assert _hours(60.0) == "1 分钟" and _hours(3_900.0) == "1 小时 05 分钟"
