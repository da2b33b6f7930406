"""Names and codes of the languages."""

import pytest

from engine.text.languages import LANGUAGES, find_language, language_code, language_name


def test_there_are_the_thirty_one_of_the_model_with_distinct_names_and_codes():
    assert len(LANGUAGES) == 31
    assert len({language.name for language in LANGUAGES}) == len({language.code for language in LANGUAGES}) == 31


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("en", "English"),
        ("ENGLISH", "English"),
        ("en-US", "English"),
        ("pt_BR", "Portuguese"),
        ("zh", "Chinese"),
        ("cmn", "Chinese"),
        ("zh-Hant-TW", "Chinese"),
        ("zh-yue", "Cantonese"),
        ("粤语", "Cantonese"),
        ("farsi", "Persian (Farsi)"),
        ("Persian (Farsi)", "Persian (Farsi)"),
        ("deutsch", "German"),
        ("fil", "Tagalog"),
        (" ja ", "Japanese"),
    ],
)
def test_names_codes_and_locales_are_understood(written, name):
    assert language_name(written) == name


@pytest.mark.parametrize("written", [None, "", "xx", "Klingon", "-", "en us"])
def test_what_is_no_language_is_none(written):
    assert language_name(written) is None and find_language(written) is None and language_code(written) is None


def test_every_spelling_of_a_language_leads_to_it():
    for language in LANGUAGES:
        for spelling in (language.name, language.code, language.native, *language.aliases):
            assert find_language(spelling) is language
        assert language_code(language.name) == language.code
