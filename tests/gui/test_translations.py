"""The interface in Chinese: every string keeps its placeholders, and the window speaks it."""

from __future__ import annotations

import ast
import errno
import os
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
from app.services.exporter_file import explain
from app.services.exporter_plan import BlocksNotReady, Problem
from app.services.importers import docx, epub
from app.services.store_repair import Repair
from app.services.store_sums import Doubts
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


# Parts of the engine whose sentences a person meets in the window.
SPEAKERS = (
    "engine/engine.py", "engine/errors.py", "engine/audio.py", "engine/capabilities.py", "engine/catalogue.py",
    "engine/job.py", "engine/pauses.py", "engine/references.py", "engine/text/markup.py", "engine/text/plan.py",
    "engine/hub.py", "engine/hub_access.py", "engine/hub_answers.py", "engine/hub_files.py", "engine/hub_lock.py",
    "engine/layout.py", "engine/servers.py", "engine/backends/pcm.py", "engine/backends/server_client.py",
    "engine/backends/server_clips.py", "engine/backends/server_connection.py", "engine/backends/server_request.py",
    "engine/backends/server_sglang.py", "engine/backends/server_spec.py", "engine/backends/sse.py",
)  # fmt: skip


_DOCUMENTED = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def messages_in(file: Path) -> set[str]:
    """Sentences in a source, with %1, %2 … for what is put in; not its documentation and what goes to the log."""
    tree = ast.parse(file.read_text("utf-8"))
    aside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and node.body and isinstance(node.body[0], ast.Expr):
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
def test_sentences_of_the_engine_can_be_translated(name: str) -> None:
    found = messages_in(Path(__file__).resolve().parents[2] / name)
    assert found or name == "engine/job.py"
    assert found - set(MESSAGES) == set()


# Said by commands that no window gives, or only to whoever set a variable for tests.
COMMANDS_ONLY = ("bench.py", "bench_cuda.py", "bench_full.py")
VARIABLE = ("%1 is %2.", "Set it to a number of gigabytes, or remove it.")
# Of the services, the same in every language, or put together from what is looked up alone.
NEUTRAL = (
    "%1 s",
    "%1/%2 bit",
    "%1/%2 Hz",
    "%1/%2 kbit/s",
    "torch %1",
    "GPU %1: %2, %3 GB",
    "%1 (%2)",
    "%1\n%2",
    "%1 %2",
)
# Services that only commands use: what they say is said in a terminal, or to a client of the server.
FOR_COMMANDS = ("saying.py", "serve")
# Mistakes of a program, which no person can make, and what is written into files.
UNSEEN = (
    "A project cannot be changed while it tells of another change.",
    "A take key cannot hold a %1.", "A take key cannot hold a number that is not finite.",
    "The names in a take key must be text.",
    "A place in a take cannot be negative.", "Audio of a take is stereo: [n, 2].",
    "There are no settings called %1.", "%1 has no setting called %2.", "A setting of %1 has a value of the wrong type.",
    "Synthetic speech: this voice was generated by an AI model.",
)  # fmt: skip


def test_whatever_an_error_a_warning_or_a_stage_of_the_engine_says_can_be_translated() -> None:
    root = Path(__file__).resolve().parents[2]
    files = [file for file in sorted((root / "engine").rglob("*.py")) if file.name not in COMMANDS_ONLY]
    errors = error_classes(files)
    assert {"CheckpointError", "DeviceError", "HubError", "Busy"} <= errors
    said = {text: file.name for file in files for text in told(file, errors)}
    assert len(said) > 200
    lacking = [f"{name}: {text}" for text, name in said.items() if text not in {*MESSAGES, *VARIABLE}]
    assert lacking == []


def test_whatever_a_service_or_the_model_of_a_project_says_can_be_translated() -> None:
    root = Path(__file__).resolve().parents[2]
    files = [root / "app/settings.py", *sorted((root / "app/model").rglob("*.py"))]
    services = root / "app/services"
    files += [
        file for file in sorted(services.rglob("*.py")) if file.relative_to(services).parts[0] not in FOR_COMMANDS
    ]
    errors = error_classes([*files, *sorted((root / "engine").rglob("*.py"))])
    assert {"FormatError", "ProjectError", "BlocksNotReady", "OutputError", "LibraryError", "TaskCancelled"} <= errors
    said = {text.strip(): file.name for file in files for text in told(file, errors) | messages_in(file)}
    assert len(said) > 400
    known = {*MESSAGES, *NEUTRAL, *UNSEEN}
    assert [f"{name}: {text}" for text, name in said.items() if text not in known] == []


def test_what_a_value_of_a_file_belongs_to_can_be_translated() -> None:
    """`checks.string(raw, "The text of a take")` says so in the message of a value that does not fit."""
    lacking = []
    for file in sorted((Path(__file__).resolve().parents[2] / "app").rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and _CHECKING.match(ast.unparse(call.func)):
                texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
                subjects = [each for each in texts if isinstance(each, str) and each[:1].isupper()]
                lacking += [f"{file.name}: {each}" for each in subjects if each not in MESSAGES]
    assert lacking == []


_CHECKING = re.compile(
    r"checks\.(string|identifier|sha256|number|integer|boolean|one_of|optional|items|mapping|plain|from)|_read"
)


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
        "class Loud(SpeechError):\n"
        "    def __init__(self): super().__init__('It is ' 'loud.')\n"
        "def wrong(what, wanted): raise module.Deeper(f'{what} must be {wanted}.')\n"
        "wrong('The text', f'at most {1} long')\n"
        "def notices(self):\n"
        "    told = []\n"
        "    told.append('It is whole.' + f' {self} of it.')\n"
        "    return told\n"
        "self.problem = f'It broke: {error}'\n"
    )
    errors = {"It is %1.", "It is none.", "Do it.", "It is loud.", "%1 must be %2.", "The text", "at most %1 long"}
    assert told(source, error_classes([source])) == {*errors, "It is whole.", " %1 of it.", "It broke: %1"}


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


def english_in(text: str) -> list[str]:
    """Two English words in a row, in what is not quoted."""
    return re.findall(r"[A-Za-z]{2,} [a-z]{2,}", re.sub("“[^”]*”", "", text))


def test_what_is_told_of_a_damaged_project_is_chinese(chinese: Any) -> None:
    repair = Repair(Path("tale (damaged).mvs"), {"blocks", "steps", "voices"}, {"one"}, from_snapshot=2)
    said = local(" ".join([*repair.notices, "The lexicon could not be read: The lexicon must be a smaller value."]))
    assert english_in(said) == [] and "tale (damaged).mvs" in said and "2 段" in said
    assert said.endswith("无法读取读音表：读音表必须是更小的值。")
    damaged = "a.mvs is damaged (database disk image is malformed). Open a copy of it from another day."
    assert local(damaged) == "a.mvs 已损坏（数据库内容已损坏）。请打开它在其他日期的副本。"


def test_lines_that_are_quoted_stay_as_they_were_written(chinese: Any) -> None:
    doubts = Doubts(lines=[(3, "He came. Try again."), *((number, "Starting") for number in range(4, 30))], takes=2)
    said = local(" ".join(doubts.notices))
    assert "3 “He came. Try again.”" in said and "4 “Starting”" in said and english_in(said) == []
    assert local("The line “Try again. Now.” was not spoken yet.") == "“Try again. Now.”这一行还没有朗读。"


def test_what_the_system_says_is_told_in_chinese(chinese: Any) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/home/a/b.wav")
    assert local(str(full)) == "磁盘空间不足：'/home/a/b.wav'（错误 28）"
    said = local("The voice “Ann” could not be removed. The system says: Permission denied. Check the path.")
    assert said == "无法移除声音“Ann”。系统提示：没有权限。请检查路径。"


def test_lines_that_stop_an_export_are_told_in_chinese(chinese: Any, sample: Any, qtbot: Any) -> None:
    dialog = ExportDialog(sample.studio, sample.window.state, sample.window)
    qtbot.addWidget(dialog)
    problems = [Problem("a", 3, "Try again.", "stale"), Problem("b", 4, "Now.", "failed", "This take is not complete.")]
    dialog._failed(BlocksNotReady(problems))
    assert dialog._outcome.text() == "• 第 3 行“Try again.”：朗读后有改动<br>• 第 4 行“Now.”：这条录音不完整。"
    dialog._failed(explain(OSError(errno.ENOSPC, "full"), Path("/there/a.wav")))
    assert english_in(dialog._outcome.text()) == [] and "a.wav" in dialog._outcome.text()


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


def test_how_long_a_text_lasts_is_told_in_chinese(chinese: Any) -> None:
    assert _hours(60.0) == "1 分钟" and _hours(3_900.0) == "1 小时 05 分钟"
