"""Word documents: paragraphs by their styles, without what cannot be spoken."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element

from app.services.importers.plain import cut_long
from app.services.importers.preview import ImportedBlock, ImportPreview, ImportRefused, LeftOut, Watch
from app.services.importers.zipped import Package

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|заголовок|标题|見出し)\s*([1-9])", re.IGNORECASE)
_NOTES = {
    "word/footnotes.xml": ("footnote", "footnotes"),
    "word/endnotes.xml": ("endnote", "endnotes"),
    "word/comments.xml": ("comment", "comments"),
}
_SKIPPED = {
    f"{_W}del": None,
    f"{_W}moveFrom": None,
    f"{_MC}Fallback": None,
    f"{_W}pPr": None,
    f"{_W}rPr": None,
    f"{_W}sectPr": None,
}


def read_docx(path: Path, watch: Watch) -> ImportPreview:
    """Blocks of a Word document. Raises ImportRefused."""
    with Package(path) as package:
        if not package.has("word/document.xml"):
            raise ImportRefused(f"{path.name} is no Word document.", "Save it as .docx.")
        levels = _style_levels(package)
        title, author = _properties(package)
        body = package.xml("word/document.xml").find(f"{_W}body")
        left_out = LeftOut()
        for part, (one, many) in _NOTES.items():
            if package.has(part):
                # Two of the notes are the lines that separate them.
                notes = [note for note in package.xml(part) if not note.get(f"{_W}type")]
                left_out.add(one, many, len(notes))
        if any(re.match(r"word/(?:header|footer)\d*\.xml", name) for name in package.names()):
            left_out.say("headers and footers")
    reader = _Reader(levels, left_out, watch)
    if body is not None:
        reader.read(body)
    return ImportPreview(title or reader.title, reader.blocks, left_out=left_out.phrases(), author=author)


def _style_levels(package: Package) -> dict[str, int]:
    """Style id to level of heading: 0 is the title of the document, 9 and more are no headings."""
    if not package.has("word/styles.xml"):
        return {}
    levels: dict[str, int] = {}
    based_on: dict[str, str] = {}
    for style in package.xml("word/styles.xml").iter(f"{_W}style"):
        style_id = style.get(f"{_W}styleId", "")
        name = _value(style.find(f"{_W}name"))
        outline = _value(style.find(f"{_W}pPr/{_W}outlineLvl"))
        match = _HEADING.match(name)
        if match:
            levels[style_id] = int(match[1])
        elif name.casefold() == "title":
            levels[style_id] = 0
        elif outline.isdigit() and int(outline) < 9:
            levels[style_id] = int(outline) + 1
        else:
            based_on[style_id] = _value(style.find(f"{_W}basedOn"))
    for style_id in based_on:
        at, seen = style_id, set()
        while at in based_on and at not in seen:
            seen.add(at)
            at = based_on[at]
        if at in levels:
            levels[style_id] = levels[at]
    return levels


def _properties(package: Package) -> tuple[str, str]:
    if not package.has("docProps/core.xml"):
        return "", ""
    root = package.xml("docProps/core.xml")
    return (root.findtext(f"{_DC}title") or "").strip()[:500], (root.findtext(f"{_DC}creator") or "").strip()[:500]


def _value(element: Element | None) -> str:
    return element.get(f"{_W}val", "") if element is not None else ""


class _Reader:
    """Walks through the body of a document."""

    def __init__(self, levels: dict[str, int], left_out: LeftOut, watch: Watch) -> None:
        self.blocks: list[ImportedBlock] = []
        self.title = ""
        self._levels = levels
        self._left_out = left_out
        self._watch = watch

    def read(self, body: Element) -> None:
        for element in body:
            if element.tag == f"{_W}p":
                self._paragraph(element)
            elif element.tag == f"{_W}tbl":
                self._left_out.add("table", "tables")
            elif element.tag in (f"{_W}sdt", f"{_W}customXml", f"{_W}ins", f"{_W}moveTo"):
                self._watch.check()
                content = element.find(f"{_W}sdtContent")
                if element.find(f".//{_W}docPartGallery[@{_W}val='Table of Contents']") is not None:
                    self._left_out.say("the table of contents")
                else:
                    self.read(content if content is not None else element)

    def _paragraph(self, paragraph: Element) -> None:
        style = _value(paragraph.find(f"{_W}pPr/{_W}pStyle"))
        if style.casefold().startswith("toc") and style[3:].strip().isdigit():
            self._left_out.say("the table of contents")
            return
        level = self._levels.get(style, 9)
        outline = _value(paragraph.find(f"{_W}pPr/{_W}outlineLvl"))
        if outline.isdigit() and level == 9:
            level = int(outline) + 1
        for line in self._text(paragraph).split("\n"):
            text = " ".join(line.split())
            self._watch.check(len(text))
            if not text:
                continue
            if level == 0 and not self.title:
                self.title = text
            mark = {1: "# ", 2: "## "}.get(level, "")
            self.blocks += [ImportedBlock(mark + part) for part in cut_long(text)]

    def _text(self, paragraph: Element) -> str:
        """Text of a paragraph as it shows: without deleted and hidden text; a line break is a line feed."""
        parts: list[str] = []
        todo = list(reversed(paragraph))
        while todo:
            element = todo.pop()
            tag = element.tag
            if tag in _SKIPPED:
                if tag == f"{_W}del":
                    self._left_out.add("deleted passage", "deleted passages")
            elif tag == f"{_W}t":
                parts.append(element.text or "")
            elif tag in (f"{_W}br", f"{_W}cr"):
                parts.append("\n")
            elif tag == f"{_W}tab":
                parts.append(" ")
            elif tag == f"{_W}noBreakHyphen":
                parts.append("-")
            elif tag in (f"{_W}drawing", f"{_W}pict", f"{_W}object"):
                is_box = element.find(f".//{_W}txbxContent") is not None
                self._left_out.add(*(("text box", "text boxes") if is_box else ("picture", "pictures")))
            elif tag.endswith("}oMath") or tag.endswith("}oMathPara"):
                self._left_out.add("formula", "formulas")
            elif tag == f"{_W}r" and self._hidden(element):
                self._left_out.add("hidden passage", "hidden passages")
            elif tag not in (f"{_W}instrText", f"{_W}delText"):
                todo += reversed(element)
        return "".join(parts)

    @staticmethod
    def _hidden(run: Element) -> bool:
        vanish = run.find(f"{_W}rPr/{_W}vanish")
        return vanish is not None and _value(vanish) not in ("0", "false", "off")
