"""Plain text: paragraphs that were wrapped by hand are put together again, chapter lines become chapters."""

from __future__ import annotations

import re

from app.services.importers.preview import LONGEST_BLOCK, ImportedBlock, LeftOut, Watch

_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    "nineteen|twenty|first|second|third|last"
)
_CHAPTER = re.compile(
    rf"(?:(?:chapter|part|book|letter|stave|kapitel|teil|chapitre|partie|cap[ií]tulo|capitolo|parte|глава|часть)\s+"
    rf"(?:[ivxlcdm]{{1,8}}|\d{{1,4}}|(?:the\s+)?(?:{_NUMBER_WORDS})(?:[ -]\w+)?)\b.{{0,80}}"
    rf"|(?:prologue|epilogue|foreword|preface|introduction|afterword|prolog|epilog|vorwort|prólogo|epílogo|пролог|эпилог)\s*\.?"
    rf"|第\s?[0-9０-９一二三四五六七八九十百千零〇两]{{1,8}}\s?[章回节節卷部篇].{{0,40}})\Z",
    re.IGNORECASE,
)
_LONGEST_HEADING = 100
_GUTENBERG_START = re.compile(r"^\*{3}\s*START OF TH(?:E|IS) PROJECT GUTENBERG EBOOK.*$", re.IGNORECASE | re.MULTILINE)
_GUTENBERG_END = re.compile(r"^\*{3}\s*END OF TH(?:E|IS) PROJECT GUTENBERG EBOOK.*$", re.IGNORECASE | re.MULTILINE)
_RULE = re.compile(r"[\s*_\-=~#•·.]{3,}\Z")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\"'”’»)\]]?\s+|(?<=[。！？])")
_CJK_EDGE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


def blocks_of_text(text: str, left_out: LeftOut, watch: Watch) -> list[ImportedBlock]:
    """Paragraphs of a plain text, in order."""
    text = _without_licence(text, left_out)
    wrapped = is_wrapped(text)
    blocks: list[ImportedBlock] = []
    for paragraph in re.split(r"\n[ \t]*\n", text):
        watch.check(len(paragraph))
        lines = [" ".join(line.split()) for line in paragraph.split("\n")]
        lines = [line for line in lines if line]
        keeps_lines = not wrapped or any(line.startswith(("# ", "## ", "//")) for line in lines)
        for whole in lines if keeps_lines else [join_lines(lines)] if lines else []:
            if _RULE.match(whole) and not any(each.isalnum() for each in whole):
                left_out.add("ornamental line", "ornamental lines")
                continue
            if len(whole) <= _LONGEST_HEADING and _CHAPTER.match(whole):
                whole = f"# {whole}"
            blocks += [ImportedBlock(part) for part in cut_long(whole)]
    return blocks


def is_wrapped(text: str) -> bool:
    """Whether lines were broken by hand to a width, so that a paragraph is what lies between empty lines."""
    paragraphs = [
        [line for line in paragraph.split("\n") if line.strip()]
        for paragraph in re.split(r"\n[ \t]*\n", text[:1_000_000])
    ]
    lines = [line.rstrip() for lines in paragraphs if len(lines) > 1 for line in lines[:-1]]
    if len(lines) < 2:
        return False
    # Wrapped lines are nearly as long as the longest and seldom end where a sentence does; paragraphs are the other
    # way round.
    inner = [len(line) for line in lines]
    widest = sorted(inner)[int(len(inner) * 0.95)]
    near = sum(0.7 * widest <= length <= widest + 12 for length in inner)
    ended = sum(line.endswith((".", "!", "?", "…", "。", "！", "？", ".”", '."', "»")) for line in lines)
    return 40 <= widest <= 130 and near >= 0.7 * len(inner) and ended <= 0.5 * len(inner)


def join_lines(lines: list[str]) -> str:
    """One paragraph of wrapped lines; languages without spaces get none, a word's own hyphen keeps its word
    together."""
    whole = lines[0] if lines else ""
    for line in lines[1:]:
        tight = whole.endswith("-") and not whole.endswith(("--", " -")) and line[:1].islower()
        cjk = _CJK_EDGE.match(whole[-1:]) and _CJK_EDGE.match(line[:1])
        whole += line if tight or cjk else f" {line}"
    return whole


def cut_long(paragraph: str) -> list[str]:
    """A paragraph longer than a block may be, cut at sentence ends, else at spaces."""
    if len(paragraph) <= LONGEST_BLOCK:
        return [paragraph]
    parts, part = [], ""
    for sentence in _SENTENCE.split(paragraph):
        while len(sentence) > LONGEST_BLOCK:
            at = sentence.rfind(" ", 0, LONGEST_BLOCK)
            at = at if at > 0 else LONGEST_BLOCK
            parts += [part, sentence[:at]] if part else [sentence[:at]]
            part, sentence = "", sentence[at:].strip()
        if len(part) + len(sentence) + 1 > LONGEST_BLOCK:
            parts.append(part)
            part = sentence
        else:
            part = f"{part} {sentence}".strip()
    return [*parts, part] if part else parts


def _without_licence(text: str, left_out: LeftOut) -> str:
    """The text between the marks of a Project Gutenberg file."""
    start, end = _GUTENBERG_START.search(text), _GUTENBERG_END.search(text)
    if start is None or (end is not None and end.start() < start.end()):
        return text
    left_out.say("the Project Gutenberg licence")
    return text[start.end() : end.start() if end is not None else len(text)]
