"""Where a text may be cut: at sentence ends, clause marks, spaces, and between characters of unspaced scripts."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from engine.text.languages import language_code

# Marks that end a sentence wherever they stand, and those that do so only before white space.
_WIDE_ENDS = "。！？｡"
_NARROW_ENDS = ".!?…؟۔।॥።؛៕။‽"
_CLOSERS = "\"'”’»›)\\]}」』】〉》＂）］｝〕〗"
_OPENERS = "\"'“‘«‹„‚([{「『【〈《（［｛¿¡—–- "
# No spaces between words: Han, kana, Thai, Lao, Myanmar, Khmer.
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    + (r"\uff66-\uff9d\U00020000-\U0003ffff")
)
_EASTERN = (
    r"\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3000-\u303f\uff01-\uff9f\U00020000-\U0003ffff"
)
_SPACED_BY_PHRASE = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"

# A quote may close after a space (French »), or with what opens one elsewhere (German “): then no letter comes right
# after.
_CLOSING = rf"(?:[{_CLOSERS}]|(?:[“‘]|[ \u00a0\u202f]»)(?=[\s.,;:!?)]|$))*+"
_END = re.compile(
    rf"(?P<wide>[{_WIDE_ENDS}][{_WIDE_ENDS}{_NARROW_ENDS}]*+{_CLOSING})\s*"
    rf"|(?<![{_NARROW_ENDS}])(?P<narrow>[{_NARROW_ENDS}][{_NARROW_ENDS}{_WIDE_ENDS}]*+{_CLOSING})(?:\s+|(?=[{_EASTERN}])|$)"
    r"|(?P<paragraph>\n[^\S\n]*+\n\s*)"
    rf"|(?<=[{_SPACED_BY_PHRASE}])(?P<phrase> +)(?=[{_SPACED_BY_PHRASE}])"
)
_CLAUSE = re.compile(
    rf"[,;:،؛—–‒―][{_CLOSERS}]*(?:\s+|(?=[{_EASTERN}]))|[，、；：﹐﹑､…—]+[{_CLOSERS}]*\s*|(?<=\s)[-–—]+\s+|\n\s*"
)
_SPACE = re.compile(r"[^\S\u00a0\u202f\u2007\u2060]+")
_UNSPACED_BORDER = re.compile(rf"(?<=[{UNSPACED}{_EASTERN}])(?=[{UNSPACED}])")
_LEADING_VOWELS = "เแโใไເແໂໃໄ"
_SYLLABLE = re.compile(rf"(?<=[\u0e00-\u0eff])(?=[{_LEADING_VOWELS}])")
_LAST_WORD = re.compile(r"[^\W_](?:[\w.'’\-]*[^\W_])?$")

# Never end a sentence: something always follows them.
_ALWAYS_FOLLOWED = frozenset(
    "mr mrs ms mx messrs dr prof rev hon pres gov sen rep gen col lt sgt capt cmdr adm maj cpl pvt st ste mt ft"
    " fr br vs cf e.g i.e viz no nos nr fig figs vol vols pp pg eq sec ch art approx ca dept est tel ext ed eds"
    " trans al hr frl bzw vgl z.b d.h u.a evtl ggf abs str hrsg m mm mme mmes mlle p.ex env av sra srta dra dres"
    " ud uds núm pág sig dott avv ing exmo exma dhr mevr bijv d.w.z o.a t.ex d.v.s bl.a f.eks t.eks esim np tzn"
    " mgr inż tj např г ул д кв им стр рис т.е см пр проф акад гр г-н г-жа к.а π.χ κ κα δρ örn bkz av doç pr dl"
    " dna".split()
)
# May stand at the end of a sentence: there the next word decides.
_SOMETIMES_LAST = frozenset(
    "etc inc ltd co corp jr sr bros ave blvd rd a.m p.m u.s u.k u.n u.s.a d.c b.c a.d ph.d m.d b.a m.a usw ecc"
    " enz itd itp atd apod osv jne stb т.д т.п др oz lb lbs cm mm km kg".split()
)
_DAYS_AND_MONTHS = frozenset(
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun".split()
)
_SENTENCE_STARTERS = frozenset(
    "the a an this that these those there here he she it we they you i his her its our their your my but and or"
    " so yet then when where what who why how if as in on at by for from with after before while although though"
    " because since until now once one some many most no not yes however moreover later soon today yesterday"
    " tomorrow meanwhile finally do does did is are was were can could will would should may might must have has"
    " had let".split()
)
# "3. Oktober": a number with a full stop is "third" here.
_ORDINAL_LANGUAGES = frozenset("de da fi cs hu pl tr mk".split())


def sentence_ends(text: str, language: str | None = None) -> list[int]:
    """Offsets at which a new sentence (or the end of the text) begins, rising; the last is `len(text)`.

    Closing quotes and white space stay with the sentence they end. No offset lies inside a word, a number, an
    abbreviation, an initial, an address, or before a closing quote. Time is linear in the length of the text.
    """
    code = language_code(language)
    ends: list[int] = []
    for match in _END.finditer(text):
        cut = match.end()
        if match["wide"] is not None:
            ends_here = not _goes_on_in_japanese(text, match)
        elif match["narrow"] is not None:
            ends_here = _narrow_end(text, match, code)
        else:
            ends_here = True
        if ends_here and 0 < cut < len(text):
            ends.append(cut)
    if text:
        ends.append(len(text))
    return ends


def clause_ends(text: str) -> list[int]:
    """Offsets just behind clause marks and single line ends, rising, without 0 and the end of the text."""
    return [match.end() for match in _CLAUSE.finditer(text) if 0 < match.end() < len(text)]


def space_ends(text: str) -> list[int]:
    """Offsets just behind white space that may be broken, rising, without 0 and the end of the text."""
    return [match.end() for match in _SPACE.finditer(text) if 0 < match.end() < len(text)]


def unspaced_ends(text: str) -> list[int]:
    """Offsets between two characters of scripts written without spaces, rising; never inside a grapheme cluster.

    Thai is cut only before a leading vowel or a consonant, never before what hangs on the one before.
    """
    return [
        match.start()
        for match in _UNSPACED_BORDER.finditer(text)
        if 0 < match.start() < len(text) and _may_part(text, match.start())
    ]


def syllable_ends(text: str) -> list[int]:
    """Offsets at which a Thai or Lao syllable surely begins (its vowel is written first), rising."""
    return [match.start() for match in _SYLLABLE.finditer(text) if _may_part(text, match.start())]


def cluster_end(text: str, start: int, at: int) -> int:
    """The first offset from `at` on at which no grapheme cluster is cut, `len(text)` when there is none."""
    for i in range(max(at, start + 1), len(text)):
        if is_cluster_border(text, i):
            return i
    return len(text)


def is_cluster_border(text: str, i: int) -> bool:
    """Whether `text[:i]` and `text[i:]` share no grapheme cluster; it says no too often rather than too rarely."""
    before, after = text[i - 1], text[i]
    if before == "\r" and after == "\n":
        return False
    if after.isascii() and before.isascii():
        return True
    if _extends(after) or before == "\u200d" or _is_prepended(before):
        return False
    if _extends(before) and _is_bound(text, i):
        return False
    if _is_regional(before) and _is_regional(after):
        return False
    return not (_is_hangul(before) and _is_hangul(after) and (_is_letter_part(before) or _is_letter_part(after)))


def _is_bound(text: str, i: int) -> bool:
    """A virama binds the next consonant, also from behind other marks (as many as a real cluster may have)."""
    for at in range(i - 1, max(-1, i - 33), -1):
        if unicodedata.combining(text[at]) == 9:
            return True
        if not _extends(text[at]):
            return False
    return False


@lru_cache(maxsize=4096)
def _extends(character: str) -> bool:
    code = ord(character)
    return (
        unicodedata.category(character) in ("Mn", "Mc", "Me", "Cn")  # Cn: newer than this Python's tables
        or character in "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f"
        or 0x1F3FB <= code <= 0x1F3FF
        or 0xE0020 <= code <= 0xE007F
    )


# Characters that only live before another: number signs, repha, signs of Indic scripts.
_PREPENDED = frozenset(
    [*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x0D4E, 0x1CF5, 0x1CF6, 0x110BD, 0x110CD, 0x111C2]
    + [0x111C3, 0x113D0, 0x113D1, 0x1193F, 0x11941, 0x11A3A, *range(0x11A84, 0x11A8A), 0x11D46, 0x11F02, 0x11F42]
)


def _is_prepended(character: str) -> bool:
    return ord(character) in _PREPENDED


def _is_regional(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _is_hangul(character: str) -> bool:
    return _is_letter_part(character) or "\uac00" <= character <= "\ud7a3"


def _is_letter_part(character: str) -> bool:
    """A single Korean letter that joins others to a syllable."""
    return "\u1100" <= character <= "\u11ff" or "\ua960" <= character <= "\ua97f" or "\ud7b0" <= character <= "\ud7ff"


def _may_part(text: str, i: int) -> bool:
    before, after = text[i - 1], text[i]
    if before in _LEADING_VOWELS or after in "ะาำๅๆฯะາຳໆ々ーｰぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ":
        return False
    if before in _OPENERS or unicodedata.category(before) in ("Ps", "Pi") or unicodedata.category(after)[0] != "L":
        return False
    return is_cluster_border(text, i)


def _goes_on_in_japanese(text: str, match: re.Match[str]) -> bool:
    """「…。」と言った: what is quoted is part of the sentence."""
    return match["wide"][-1] in "」』" and text[match.end() : match.end() + 1] in ("と", "っ", "な", "の")


def _narrow_end(text: str, match: re.Match[str], code: str | None) -> bool:
    marks = match["narrow"]
    at = match.end()
    while at < len(text) and text[at] in _OPENERS:
        at += 1
    following = text[at : at + 1]
    if not following:
        return True
    if following.islower() and "\n" not in text[match.end("narrow") : match.end()]:
        return False  # "e.g. this", "Stop!" she said
    bare = marks.rstrip(_CLOSERS.replace("\\", "") + " \u00a0\u202f")
    if bare != ".":
        return True
    window = text[max(0, match.start() - 24) : match.start()]
    word_match = _LAST_WORD.search(window)
    if word_match is None:
        return True
    word = word_match[0]
    if word.isdigit():
        return _number_ends_sentence(text, match.start(), word, following, code)
    lowered = word.lower()
    if lowered in _ALWAYS_FOLLOWED:
        # "No." is a number's short form only before a number.
        return lowered in ("no", "nos", "art", "sec", "ch", "ed", "est") and not following.isdigit()
    one_letter = len(word) == 1 and word.isalpha()
    letters = "." in word and all(len(part) == 1 for part in word.split("."))
    dated = lowered in _DAYS_AND_MONTHS and word[0].isupper()
    if lowered in _SOMETIMES_LAST or dated or letters or one_letter:
        next_word = _next_word(text, at)
        return next_word in _SENTENCE_STARTERS and not (one_letter and len(next_word) == 1)
    return True


def _number_ends_sentence(text: str, end: int, number: str, following: str, code: str | None) -> bool:
    line_start = text.rfind("\n", max(0, end - 24), end) + 1
    if text[line_start : end - len(number)].strip() == "" and (line_start > 0 or end - len(number) < 4):
        return False  # "1. First": the number of an item
    return not (code in _ORDINAL_LANGUAGES and len(number) <= 2 and following.isalpha())


def _next_word(text: str, at: int) -> str:
    match = re.compile(r"[^\W\d_]+").match(text, at)
    return match[0].lower() if match else ""
