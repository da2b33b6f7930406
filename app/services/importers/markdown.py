"""Markdown: headings become chapters and scenes, marks of emphasis go, what cannot be spoken is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.services.importers.plain import blocks_of_text, cut_long
from app.services.importers.preview import ImportedBlock, ImportPreview, LeftOut, Watch

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
_FRONT_FIELD = re.compile(r"^(title|author)[ \t]*:[ \t]*[\"']?(.{1,500}?)[\"']?[ \t]*$", re.MULTILINE | re.IGNORECASE)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,80}\]")
_FOOTNOTE_TEXT = re.compile(r"\A\[\^[^\]\s]{1,80}\]:")
_LONGEST_PARAGRAPH = 50_000
_MOST_MARKS = 2_000
_BREAK_TAG = re.compile(r"<\s*break\b[^<>]{0,60}>", re.IGNORECASE)


def read_markdown(text: str, watch: Watch) -> ImportPreview:
    """Blocks of a Markdown text."""
    left_out = LeftOut()
    about: dict[str, str] = {}
    front = _FRONT_MATTER.match(text)
    if front is not None:
        about = {name.lower(): value.strip() for name, value in _FRONT_FIELD.findall(front[1])}
        text = text[front.end() :]
        left_out.say("the block of properties at the top")
    if any(len(part) > _LONGEST_PARAGRAPH or _marks(part) > _MOST_MARKS for part in text.split("\n\n")):
        # The time that marks take grows with their square; a paragraph of so many is no Markdown anyway.
        return ImportPreview(
            about.get("title", ""),
            blocks_of_text(text, left_out, watch),
            left_out=left_out.phrases(),
            warnings=[
                "A paragraph is too long or has too many marks for Markdown, so the file was read as plain text."
            ],
        )
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    pieces = list(_pieces(parser.parse(text), left_out, watch))
    levels = [level for level, _ in pieces if level]
    # One heading above all others is the title of the text, the next ones are its chapters.
    top = min(levels, default=1)
    titled = levels.count(top) == 1 and len(levels) > 2 and pieces[0][0] == top
    if titled:
        about.setdefault("title", pieces[0][1])
        top += 1
    blocks: list[ImportedBlock] = []
    for level, piece in pieces:
        if titled and level == top - 1:
            level = 0
        mark = {top: "# ", top + 1: "## "}.get(level, "") if level else ""
        blocks += [ImportedBlock(mark + part) for part in cut_long(piece)]
    return ImportPreview(about.get("title", ""), blocks, left_out=left_out.phrases(), author=about.get("author", ""))


def _marks(paragraph: str) -> int:
    return sum(map(paragraph.count, "[*_`<!~"))


def _pieces(tokens: list[Token], left_out: LeftOut, watch: Watch) -> Iterator[tuple[int, str]]:
    """(level of heading or 0, text) of every paragraph in order."""
    level = 0
    number = ""
    in_table = False
    for token in tokens:
        match token.type:
            case "heading_open":
                level = int(token.tag[1])
            case "heading_close":
                level = 0
            case "list_item_open":
                number = f"{token.info}{token.markup} " if token.info else ""
            case "table_open":
                in_table = True
                left_out.add("table", "tables")
            case "table_close":
                in_table = False
            case "fence" | "code_block":
                left_out.add("block of code", "blocks of code")
            case "html_block":
                left_out.add("block of HTML", "blocks of HTML")
            case "hr":
                left_out.add("ornamental line", "ornamental lines")
            case "inline" if not in_table:
                watch.check(len(token.content))
                text = " ".join(_inline(token.children or [], left_out).split())
                if _FOOTNOTE_TEXT.match(text):
                    left_out.add("footnote", "footnotes")
                    continue
                left_out.add("footnote mark", "footnote marks", len(_FOOTNOTE.findall(text)))
                text = _FOOTNOTE.sub("", text)
                if text:
                    yield level, number + text
                number = ""


def _inline(children: list[Token], left_out: LeftOut) -> str:
    parts = []
    for child in children:
        match child.type:
            case "text" | "code_inline":
                parts.append(child.content)
            case "softbreak" | "hardbreak":
                parts.append(" ")
            case "image":
                left_out.add("picture", "pictures")
            case "html_inline" if _BREAK_TAG.fullmatch(child.content):
                parts.append(child.content)  # a pause, as some people write it
    return "".join(parts)
