"""Paragraphs of an HTML page, with the anchors that a table of contents can point at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from app.services.importers.preview import LeftOut, Watch

_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th "
    "thead title tr ul".split()
)
_SILENT = frozenset(
    "head script style template noscript svg math iframe object audio video canvas rt rp select textarea".split()
)
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_NOT_READ_TYPES = frozenset(
    "footnote footnotes endnote endnotes rearnote rearnotes noteref pagebreak page-list toc landmarks index loi "
    "lot".split()
)
_NOT_READ_ROLES = frozenset(
    "doc-footnote doc-endnote doc-endnotes doc-noteref doc-pagebreak doc-toc doc-index doc-pagelist".split()
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MOST_DEPTH = 1_000
_LONGEST_TAG = 300_000


@dataclass
class Paragraph:
    """`level` 1..6 for headings, 0 for text; `anchors` are the ids met since the paragraph before."""

    text: str
    level: int = 0
    anchors: list[str] = field(default_factory=list)


def paragraphs_of(page: str, left_out: LeftOut, watch: Watch) -> list[Paragraph]:
    """Paragraphs in order; the last one may be empty and hold the anchors at the end of the page."""
    reader = _Reader(left_out)
    for part in _parts(page):
        watch.check(len(part) // 4)  # marks count for little
        reader.feed(part)
        if len(reader.rawdata) > _LONGEST_TAG:
            # A tag that never ends would be looked at again with every part that comes.
            reader.rawdata = ""
            left_out.say("a damaged passage")
    reader.close()
    reader.end_paragraph()
    if reader.anchors:
        reader.paragraphs.append(Paragraph("", anchors=reader.anchors))
    return reader.paragraphs


def _parts(page: str, size: int = 65_536) -> Iterator[str]:
    for at in range(0, len(page), size):
        yield page[at : at + size]


class _Reader(HTMLParser):
    def __init__(self, left_out: LeftOut) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[Paragraph] = []
        self.anchors: list[str] = []
        self._left_out = left_out
        self._text: list[str] = []
        self._level = 0
        self._open: list[tuple[str, bool]] = []  # open elements, and whether each began a silence
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        anchor = given.get("id") or (given.get("name") if tag == "a" else "")
        if tag in _BLOCKS:
            self.end_paragraph()
        if anchor:
            self.anchors.append(anchor)
        if tag == "br":
            self._text.append("\n")
        elif tag in ("img", "svg") and not self._silent:
            self._left_out.add("picture", "pictures")
        if tag in _VOID:
            return
        silence = self._is_silent(tag, given)
        self._silent += silence
        if len(self._open) < _MOST_DEPTH:
            self._open.append((tag, silence))
        elif silence:
            self._silent -= 1
        if tag[0] == "h" and tag[1:].isdigit() and not self._silent:
            self._level = int(tag[1])

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.end_paragraph()
        # Closes what was left open inside, as browsers do; a closing tag of nothing is nothing.
        for index in range(len(self._open) - 1, max(-1, len(self._open) - 50), -1):
            if self._open[index][0] == tag:
                self._silent -= sum(silence for _, silence in self._open[index:])
                del self._open[index:]
                return

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text.append(re.sub(r"[\s\u00a0]+", " ", data))

    def end_paragraph(self) -> None:
        lines = "".join(self._text).split("\n")
        self._text = []
        for line in lines:
            text = " ".join(line.split())
            if text:
                self.paragraphs.append(Paragraph(text, self._level, self.anchors))
                self.anchors = []
        self._level = 0

    def _is_silent(self, tag: str, given: dict[str, str]) -> bool:
        if tag in _SILENT or "hidden" in given or _HIDDEN.search(given.get("style", "")):
            return True
        types = set(given.get("epub:type", "").split()) | {given.get("role", "")}
        if not types & (_NOT_READ_TYPES | _NOT_READ_ROLES):
            return False
        if types & {"noteref", "doc-noteref"}:
            self._left_out.add("footnote mark", "footnote marks")
        elif types & {"footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"}:
            self._left_out.add("footnote", "footnotes")
        elif types & {"toc", "landmarks", "doc-toc"}:
            self._left_out.say("the table of contents")
        elif types & {"index", "doc-index"}:
            self._left_out.say("the index")
        return True
