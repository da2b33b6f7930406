"""EPUB books: chapters as the table of contents has them, wherever in the files they begin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from app.services.importers.encoding import decode
from app.services.importers.plain import cut_long
from app.services.importers.preview import ImportedBlock, ImportPreview, ImportRefused, LeftOut, Watch
from app.services.importers.web_text import Paragraph, paragraphs_of
from app.services.importers.zipped import Package, inside

_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
_ENC = "{http://www.w3.org/2001/04/xmlenc#}"
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PART = re.compile(
    r"(?:part|book|volume|section|teil|buch|band|partie|livre|parte|libro|часть|книга)\b|第.{1,6}[部编編卷篇]",
    re.IGNORECASE,
)
_MOST_ENTRIES = 20_000
_SKIPPED_GUIDE = {"cover": "the cover", "toc": "the table of contents", "copyright-page": "the copyright page"}


@dataclass(frozen=True)
class _Entry:
    """A line of the table of contents."""

    title: str
    part: str
    anchor: str
    depth: int


def read_epub(path: Path, watch: Watch) -> ImportPreview:
    """Blocks of a book. Raises ImportRefused: no book, protected, damaged, or without any text."""
    left_out, warnings = LeftOut(), list[str]()
    with Package(path) as package:
        _refuse_protected(package, path.name)
        opf_name = _opf_name(package, path.name)
        opf = package.xml(opf_name)
        manifest = {
            item.get("id", ""): (
                inside(opf_name, item.get("href", "")),
                item.get("media-type", ""),
                item.get("properties", ""),
            )
            for item in opf.iter(f"{_OPF}item")
        }
        spine = _spine(opf, manifest, left_out)
        entries = _contents(package, opf, manifest, watch)
        skipped = _guide(opf, opf_name)
        blocks: list[ImportedBlock] = []
        levels = _levels(entries)
        by_place: dict[tuple[str, str], list[_Entry]] = {}
        for entry in entries:
            by_place.setdefault((entry.part, entry.anchor), []).append(entry)
        missing = 0
        for part in spine:
            watch.check()
            if not package.has(part):
                missing += 1
                continue
            if part in skipped and (part, "") not in by_place:
                left_out.say(skipped[part])
                continue
            page, warning = decode(package.read(part), part)
            warnings += [warning] if warning and not _declares_encoding(page) else []
            blocks += _blocks(paragraphs_of(page, left_out, watch), part, by_place, levels)
    if missing == 1:
        warnings.append("1 file of the book is missing in it.")
    elif missing:
        warnings.append(f"{missing} files of the book are missing in it.")
    if not any(not block.text.startswith("#") for block in blocks):
        raise ImportRefused(f"{path.name} has no text, only pictures or headings.", "Choose an edition with text.")
    if not entries:
        warnings.append("The book has no table of contents; its headings became chapters.")
    else:
        lost = [entry.title for entry in entries if entry.part and entry.part not in spine]
        if len(lost) == 1:
            warnings.append(f"1 chapter of the table of contents was not found: “{lost[0][:60]}”.")
        elif lost:
            warnings.append(
                f"{len(lost)} chapters of the table of contents were not found, among them “{lost[0][:60]}”."
            )
    metadata = opf.find(f"{_OPF}metadata")
    title = (metadata.findtext(f"{_DC}title") or "").strip()[:500] if metadata is not None else ""
    author = (metadata.findtext(f"{_DC}creator") or "").strip()[:500] if metadata is not None else ""
    return ImportPreview(title, blocks, left_out=left_out.phrases(), warnings=warnings, author=author)


def _declares_encoding(page: str) -> bool:
    return "charset" in page[:1000] or "encoding=" in page[:200]


def _refuse_protected(package: Package, name: str) -> None:
    if package.has("META-INF/rights.xml"):
        raise ImportRefused(f"{name} is protected against copying.", "Choose an edition without protection.")
    if not package.has("META-INF/encryption.xml"):
        return
    for method in package.xml("META-INF/encryption.xml").iter(f"{_ENC}EncryptionMethod"):
        if method.get("Algorithm") not in _FONT_SCRAMBLING:
            raise ImportRefused(f"{name} is protected against copying.", "Choose an edition without protection.")


def _opf_name(package: Package, name: str) -> str:
    if not package.has("META-INF/container.xml"):
        raise ImportRefused(f"{name} is no EPUB book.", "Check the file.")
    root = package.xml("META-INF/container.xml").find(f".//{_CONTAINER}rootfile")
    opf_name = inside("", root.get("full-path", "")) if root is not None else ""
    if not opf_name:
        raise ImportRefused(f"{name} does not say where its text is.", "Open and save it again.")
    return opf_name


def _spine(opf: Element, manifest: dict[str, tuple[str, str, str]], left_out: LeftOut) -> list[str]:
    """The pages in reading order, each once."""
    pages: dict[str, None] = {}
    for item in opf.iter(f"{_OPF}itemref"):
        part, kind, properties = manifest.get(item.get("idref", ""), ("", "", ""))
        if not part or "html" not in kind:
            continue
        if item.get("linear") == "no":
            left_out.add("page outside the reading order", "pages outside the reading order")
        elif "nav" in properties.split():
            left_out.say("the table of contents")
        else:
            pages[part] = None
    return list(pages)


def _guide(opf: Element, opf_name: str) -> dict[str, str]:
    """Pages that are no reading, with what they are."""
    found = {}
    for reference in opf.iter(f"{_OPF}reference"):
        what = _SKIPPED_GUIDE.get(reference.get("type", "").lower())
        if what:
            found[inside(opf_name, reference.get("href", ""))] = what
    return found


# -- the table of contents


def _contents(package: Package, opf: Element, manifest: dict[str, tuple[str, str, str]], watch: Watch) -> list[_Entry]:
    for part, _, properties in manifest.values():
        if "nav" in properties.split() and package.has(part):
            entries = _nav_entries(part, decode(package.read(part), part)[0], watch)
            if entries:
                return entries
    spine = opf.find(f"{_OPF}spine")
    ncx = manifest.get(spine.get("toc", "") if spine is not None else "", ("", "", ""))[0]
    if not ncx:
        ncx = next((part for part, kind, _ in manifest.values() if kind == "application/x-dtbncx+xml"), "")
    if ncx and package.has(ncx):
        nav_map = package.xml(ncx).find(f"{_NCX}navMap")
        return list(_ncx_entries(ncx, nav_map, 0)) if nav_map is not None else []
    return []


def _ncx_entries(ncx: str, parent: Element, depth: int) -> Iterator[_Entry]:
    # The depth of XML is bounded where it is read.
    for point in parent.findall(f"{_NCX}navPoint"):
        title = " ".join((point.findtext(f"{_NCX}navLabel/{_NCX}text") or "").split())
        content = point.find(f"{_NCX}content")
        if content is not None and title:
            yield _entry(ncx, title, content.get("src", ""), depth)
        yield from _ncx_entries(ncx, point, depth + 1)


def _entry(base: str, title: str, link: str, depth: int) -> _Entry:
    return _Entry(title[:300], inside(base, link), unquote(link.partition("#")[2]), depth)


class _NavReader(HTMLParser):
    """The links of a navigation page: (title, address, depth)."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[tuple[str, str, int]] = []
        self._in_toc = 0
        self._depth = 0
        self._link: str | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "nav":
            is_toc = "toc" in given.get("epub:type", "toc").split() or given.get("role") == "doc-toc"
            self._in_toc = self._in_toc + 1 if self._in_toc or is_toc else 0
            self._depth = 0
        elif self._in_toc and tag in ("ol", "ul"):
            self._depth += 1
        elif self._in_toc and tag in ("a", "span") and self._link is None:
            self._link, self._text = given.get("href", ""), []
            self._tag = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == "nav" and self._in_toc:
            self._in_toc -= 1
        elif tag in ("ol", "ul"):
            self._depth = max(0, self._depth - 1)
        elif self._link is not None and tag == self._tag:
            title = " ".join("".join(self._text).split())
            if title and len(self.links) < _MOST_ENTRIES and self._link:
                self.links.append((title, self._link, max(0, self._depth - 1)))
            self._link = None

    def handle_data(self, data: str) -> None:
        if self._link is not None:
            self._text.append(data)


def _nav_entries(part: str, page: str, watch: Watch) -> list[_Entry]:
    reader = _NavReader()
    for at in range(0, len(page), 65_536):
        watch.check()
        reader.feed(page[at : at + 65_536])
        if len(reader.rawdata) > 300_000:  # a tag that never ends
            break
    reader.close()
    return [_entry(part, title, link, depth) for title, link, depth in reader.links]


def _levels(entries: list[_Entry]) -> dict[int, int]:
    """Depth in the table of contents to level: 1 a chapter, 2 a scene.

    The first depth is chapters. Where those are the parts of a book, the chapters are one deeper.
    """
    has_children = {
        index for index, entry in enumerate(entries[:-1]) if entry.depth == 0 and entries[index + 1].depth > 0
    }
    parts = [index for index in has_children if _PART.match(entries[index].title)]
    deeper = bool(parts) and len(parts) >= 0.5 * len(has_children)
    return {0: 1, 1: 1, 2: 2} if deeper else {0: 1, 1: 2}


def _blocks(
    paragraphs: list[Paragraph], part: str, by_place: dict[tuple[str, str], list[_Entry]], levels: dict[int, int]
) -> Iterator[ImportedBlock]:
    """Blocks of one page; a chapter begins at its anchor, or at the beginning of the page."""
    waiting = list(by_place.get((part, ""), ()))
    has_contents = bool(by_place)
    shown = ""
    for paragraph in paragraphs:
        for anchor in paragraph.anchors:
            waiting += by_place.get((part, anchor), ())
        for entry in waiting:
            mark = {1: "# ", 2: "## "}.get(levels.get(entry.depth, 3), "")
            if mark:
                yield ImportedBlock(mark + entry.title)
                shown = f"{shown} {entry.title}"
        if waiting:
            shown = " ".join(entry.title for entry in waiting)
            waiting = []
        if not paragraph.text:
            continue
        if shown and _same(paragraph.text, shown):
            # The heading on the page that the table of contents has said already.
            shown = shown if _key(paragraph.text) != _key(shown) else ""
            continue
        if not has_contents and paragraph.level in (1, 2):
            yield ImportedBlock({1: "# ", 2: "## "}[paragraph.level] + paragraph.text)
            continue
        if not paragraph.level:
            shown = ""
        for text in cut_long(paragraph.text):
            yield ImportedBlock(text)


def _key(text: str) -> str:
    return "".join(each for each in text.casefold() if each.isalnum())


def _same(heading: str, title: str) -> bool:
    """Whether a paragraph is the heading of a chapter, or one line of it: `Chapter 1` and `Arrival` of `Chapter 1:
    Arrival`."""
    key, whole = _key(heading), _key(title)
    return bool(key) and (key == whole or (len(key) >= 2 and (whole.startswith(key) or whole.endswith(key))))
