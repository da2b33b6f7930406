"""The languages the full-size model speaks: names as its prompt wants them, ISO codes, and other names."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """One language of MODEL §3.3.

    Attributes:
        name: what stands in the prompt.
        code: ISO 639-1, or 639-3 where there is no shorter one.
        native: its name in itself.
        aliases: other codes and names people write, lower case.
        right_to_left: the script runs from right to left.
    """

    name: str
    code: str
    native: str
    aliases: tuple[str, ...] = ()
    right_to_left: bool = False


LANGUAGES: tuple[Language, ...] = (
    Language("Chinese", "zh", "中文", ("zho", "chi", "cmn", "mandarin", "putonghua", "普通话", "汉语", "國語", "国语")),
    Language("Cantonese", "yue", "粵語", ("zh-yue", "zh-hk", "粤语", "廣東話", "广东话")),
    Language("English", "en", "English", ("eng", "英语")),
    Language("Arabic", "ar", "العربية", ("ara", "arb"), True),
    Language("Czech", "cs", "čeština", ("ces", "cze", "česky")),
    Language("Danish", "da", "dansk", ("dan",)),
    Language("Dutch", "nl", "Nederlands", ("nld", "dut", "flemish", "vlaams")),
    Language("Finnish", "fi", "suomi", ("fin",)),
    Language("French", "fr", "français", ("fra", "fre")),
    Language("German", "de", "Deutsch", ("deu", "ger")),
    Language("Greek", "el", "Ελληνικά", ("ell", "gre", "gr")),
    Language("Hebrew", "he", "עברית", ("heb", "iw"), True),
    Language("Hindi", "hi", "हिन्दी", ("hin",)),
    Language("Hungarian", "hu", "magyar", ("hun",)),
    Language("Italian", "it", "italiano", ("ita",)),
    Language("Japanese", "ja", "日本語", ("jpn", "jp")),
    Language("Korean", "ko", "한국어", ("kor", "kr")),
    Language("Macedonian", "mk", "македонски", ("mkd", "mac")),
    Language("Malay", "ms", "Bahasa Melayu", ("msa", "may", "zsm", "melayu")),
    Language("Persian (Farsi)", "fa", "فارسی", ("fas", "per", "persian", "farsi", "pes"), True),
    Language("Polish", "pl", "polski", ("pol",)),
    Language("Portuguese", "pt", "português", ("por", "brazilian")),
    Language("Romanian", "ro", "română", ("ron", "rum", "moldovan")),
    Language("Russian", "ru", "русский", ("rus",)),
    Language("Spanish", "es", "español", ("spa", "castilian", "castellano")),
    Language("Swahili", "sw", "Kiswahili", ("swa", "swh")),
    Language("Swedish", "sv", "svenska", ("swe",)),
    Language("Tagalog", "tl", "Tagalog", ("tgl", "fil", "filipino", "pilipino")),
    Language("Thai", "th", "ไทย", ("tha", "ภาษาไทย")),
    Language("Turkish", "tr", "Türkçe", ("tur",)),
    Language("Vietnamese", "vi", "Tiếng Việt", ("vie", "tiếng việt")),
)


def _key(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold().replace("_", "-")


_BY_KEY: dict[str, Language] = {}
for _language in LANGUAGES:
    for _spelling in (_language.name, _language.code, _language.native, *_language.aliases):
        _BY_KEY.setdefault(_key(_spelling), _language)


def find_language(code_or_name: str | None) -> Language | None:
    """The language meant by a name, an ISO code or a locale (`pt-BR`, `zh_Hant_TW`), or None when none is."""
    if not code_or_name:
        return None
    key = _key(code_or_name)
    while key:
        if key in _BY_KEY:
            return _BY_KEY[key]
        key = key.rpartition("-")[0]
    return None


def language_name(code_or_name: str | None) -> str | None:
    """Full English name as the prompt wants it (`de` -> `German`), or None when no such language is known."""
    language = find_language(code_or_name)
    return language.name if language else None


def language_code(code_or_name: str | None) -> str | None:
    """ISO code (`Persian (Farsi)` -> `fa`), or None when no such language is known."""
    language = find_language(code_or_name)
    return language.code if language else None
