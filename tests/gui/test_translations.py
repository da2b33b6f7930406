"""The interface in Chinese: every string keeps its placeholders, and the window speaks it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator

from app.paths import resource


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


def test_access_keys_stay_out_of_the_palette(chinese: Any, running: Any) -> None:
    palette = running.window.open_palette()
    assert "新建项目" in palette.names()
    assert not any("(" in name for name in palette.names())
    palette.close()
