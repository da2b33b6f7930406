"""An optional cleaner of text for the full-size model; off by default, as its makers feed text as written."""

from __future__ import annotations

import re

from engine.text.mapped import FREE, MappedText

# Belongs to what a take is made from: a change of any rule below is another version. The first part is the model's.
NORMALISER_VERSION = "local-1.5/1"

_HAN = r"\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WIDE = rf"{_HAN}\u3000-\u303f\uff01-\uff65"
# Left as they are: addresses, mentions, hash tags, names with dots, files.
_KEPT = re.compile(
    r"(?:https?://|www\.)[^\s\u3000-\u303f\u3400-\u9fff\uff00-\uffef<>\"]+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
    r"|(?<!\w)[@#][A-Za-z_]\w*|(?<![\w/])[ru]/\w+|(?<![\w.])(?:[A-Za-z0-9_-]{1,64}\.)+[A-Za-z0-9_]{1,64}",
)
_Rule = tuple[re.Pattern[str], str]


def _breath(mark: str, wide: str, plain: str) -> tuple[_Rule, _Rule]:
    """A mark between words, with the spaces around it: the wide sign behind Chinese and Japanese, else the plain
    one."""
    return (re.compile(rf"(?<=[{_WIDE}]) *{mark} *"), wide), (re.compile(rf" *{mark} *"), plain)


def _mixed(exclamation: str, question: str) -> _Rule:
    """A row that holds both marks is one of each."""
    either = f"[{exclamation}{question}]"
    row = rf"(?={either}*[{question}])(?={either}*[{exclamation}]){either}{{2,}}"
    return re.compile(row), question + exclamation


_RULES: tuple[_Rule, ...] = (
    (re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]"), "\n"),
    (re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]"), ""),
    (re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\t]"), " "),
    # Markdown: a link is its words and its address; marks of headings, quotations and items go.
    (re.compile(r"\[([^\[\]\n]{1,300})\]\(([^()\s]{1,600})\)"), r"\1 \2"),
    (re.compile(r"(?m)^ *(?:(?:#{1,6}|[-*+]|\d{1,3}[.)]) +|>+ *)+"), ""),
    # Line ends are sentence ends, in the writing of what stands before.
    (re.compile(r"\s*\n\s*\Z|\A\s*\n\s*"), ""),
    (re.compile(rf"(?<=[{_HAN}A-Za-z0-9]) *\n\s*(?=[{_HAN}])|(?<=[{_HAN}]) *\n\s*"), "。"),
    (re.compile(r"(?<=\w) *\n\s*"), ". "),
    (re.compile(rf"(?<=[{_WIDE}])\s*\n\s*"), ""),
    (re.compile(r"(?<=\S) *\n\s*|\n\s*"), " "),
    # Titles in brackets at the start of a sentence.
    (re.compile(r"(?:(?<=^)|(?<=[。！？]))[【〖『「]([^【】〖〗『』「」]{1,80})[】〗』」](?=[^。！？，、])"), r"\1。"),
    (re.compile(r"\A《([^《》]{1,200})》\Z"), r"\1"),
    # Arrows, dashes and dots are breaths: the wide marks beside Chinese and Japanese, plain ones elsewhere.
    *_breath(r"(?:[→⇒➜➔⟶]|(?<![-=<])[-=]>)+", "，", ", "),
    *_breath(r"(?:[—―]+|-{2,})", "。", ". "),
    (re.compile(rf"(?<=[{_WIDE}]) *(?:…+|\.{{3,}}|。{{2,}}|・{{3,}})[…。]*"), "。"),
    (re.compile(r"(?:…+|\.{3,})[….]*"), ". "),
    # Marks in a row.
    _mixed("！", "？"),
    _mixed("!", "?"),
    (re.compile(r"([!?])\1+|([！？，、；：,;])\2+"), r"\1\2"),
    (re.compile(r"([，、；：])(?=[。！？])|(?<=[。！？])[，、；：]+"), ""),
    (re.compile(r"(?<=[。])。+"), ""),
    (re.compile(r" +(?=[,.;!?](?:\s|\Z))"), ""),
    (re.compile(r"(?<=[.!?]) (?:[.,] )+"), " "),
    (re.compile(r"\A[\s.,，。]+(?=[\w【「『《])"), ""),
    # Spaces: none inside Chinese and Japanese, one between them and Latin words.
    (re.compile(r" {2,}"), " "),
    (re.compile(rf"(?<=[{_WIDE}]) +(?=[{_WIDE}0-9])|(?<=[0-9]) +(?=[{_WIDE}])"), ""),
    (re.compile(rf"(?<=[{_HAN}])(?=[A-Za-z])|(?<=[A-Za-z])(?=[{_HAN}])"), " "),
    (re.compile(r"\A +| +\Z"), ""),
)
_MOST_ROUNDS = 12  # each rule only shortens or settles; real text is settled after two


def normalise(text: str) -> str:
    """Cleaned `text`: markdown, invisible characters, line ends, arrows, dashes, repeated marks, spaces beside Chinese.

    Idempotent. Addresses, mentions, hash tags, file names and `[...]` are kept.
    """
    return normalise_mapped(MappedText.of_source(text, 0, len(text))).text


def normalise_mapped(text: MappedText) -> MappedText:
    """`normalise` for text that remembers where it came from; chosen pronunciations and tags are left alone."""
    for _ in range(_MOST_ROUNDS):
        before = text.text
        for pattern, new in _RULES:
            kept = _kept_ranges(text.text)
            text = text.edited(_edits(text, pattern, new, kept))
        if text.text == before:
            break
    return text


def _kept_ranges(text: str) -> list[tuple[int, int]]:
    if not any(mark in text for mark in "@#/.") and "www" not in text:
        return []
    return [match.span() for match in _KEPT.finditer(text)]


def _edits(
    text: MappedText, pattern: re.Pattern[str], new: str, kept: list[tuple[int, int]]
) -> list[tuple[int, int, str]]:
    edits: list[tuple[int, int, str]] = []
    at = 0
    for match in pattern.finditer(text.text):
        start, end = match.span()
        while at < len(kept) and kept[at][1] <= start:
            at += 1
        inside = at < len(kept) and kept[at][0] < end and (start > kept[at][0] or end < kept[at][1])
        is_link = new == r"\1 \2"
        if (inside and not is_link) or max(text.marks[start:end], default=FREE) > FREE:
            continue
        edits.append((start, end, match.expand(new)))
    return edits
