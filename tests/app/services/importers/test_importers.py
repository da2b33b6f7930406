"""Imports: what comes in, what is left out, and what is refused."""

from __future__ import annotations

import contextlib
import io
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.model.history import History
from app.model.project import Project
from app.services.importers import ImportPreview, ImportRefused, preview_file
from app.services.importers.apply import import_command


def preview(folder: Path, name: str, content: str | bytes) -> ImportPreview:
    (folder / name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return preview_file(folder / name)


def texts(made: ImportPreview) -> list[str]:
    return [block.text for block in made.blocks]


# -- plain text


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "gb18030", "shift_jis", "cp1251"]
)
def test_encodings_are_found(encoding: str, tmp_path: Path) -> None:
    text = {
        "gb18030": "这是一个关于旅行的故事。我们从北京出发,去了很多地方,看见了许多不同的人。\n" * 5,
        "shift_jis": "これは旅についての物語です。わたしたちは東京を出発して、たくさんの場所へ行きました。\n" * 5,
        "cp1251": "Это рассказ о путешествии. Мы выехали из Москвы и побывали во многих местах.\n" * 5,
    }.get(encoding, "Ein schöner Tag für Müßiggänger, sagte die Bäckerin; à bientôt, café crème.\n" * 5)
    made = preview(tmp_path, "a.txt", text.encode(encoding))
    assert texts(made) == [line for line in text.split("\n") if line]
    assert bool(made.warnings) == (encoding in ("cp1252", "gb18030", "shift_jis", "cp1251"))


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "It’s fine."),
        ("cp1252", "“Café déjà vu,” she said — naïve."),
        ("cp1252", "L’été, où l’on s’ennuyait, Éloïse rêvait d’être à l’étranger."),
        ("cp1252", "El niño preguntó: ¿dónde está mañana el señor Muñoz?"),
        ("cp1252", "Não há ninguém aqui, disse a irmã. Então, amanhã virão."),
        ("cp1252", "Det var en gång en kung som hade tre söner på ön."),
        ("cp1252", "It was 20 °C — “fine”, she said. It’s £5."),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
        ("cp1250", "Zażółć gęślą jaźń. Dawno temu żył sobie król, który miał trzy córki."),
        ("cp1250", "Árvíztűrő tükörfúrógép."),
        ("cp1254", "Bir varmış bir yokmuş, eski zamanlarda güzel bir şehirde yaşayan çocuk varmış."),
        ("cp1257", "Kartą gyveno karalius, kuris turėjo tris sūnus ir vieną gražią dukterį."),
        ("cp1253", "Μια φορά κι έναν καιρό ήταν ένας βασιλιάς."),
        ("iso2022_jp", "これは旅についての物語です。"),
    ],
)
def test_a_short_text_is_read_in_the_letters_of_its_language(encoding: str, text: str, tmp_path: Path) -> None:
    assert texts(preview(tmp_path, "a.txt", text.encode(encoding))) == [text]


def test_lines_that_were_wrapped_by_hand_become_paragraphs(tmp_path: Path) -> None:
    text = (
        "It was a bright cold day in the middle of a long and windy\n"
        "April, and all the clocks of the old town were striking one\n"
        "after the other, as they had done since the day of the well-\n"
        "known fire.\n\nNobody listened.\n"
    )
    made = preview(tmp_path, "a.txt", text)
    assert len(made.blocks) == 2
    assert made.blocks[0].text.endswith("since the day of the well-known fire.")


def test_lines_that_are_paragraphs_stay_lines(tmp_path: Path) -> None:
    text = "A short line.\nAnother one, quite a bit longer than the first of them.\nThird.\n\nFourth.\n"
    assert len(preview(tmp_path, "a.txt", text).blocks) == 4


def test_chapter_lines_become_chapters(tmp_path: Path) -> None:
    text = "Chapter 1. Arrival\n\nText.\n\nCHAPTER II\n\nMore.\n\nChapter Three\n\nEnd.\n\n第四章 风暴\n\n正文。\n\nEpilogue\n\nFin."
    made = preview(tmp_path, "a.txt", text)
    assert made.chapters == ["Chapter 1. Arrival", "CHAPTER II", "Chapter Three", "第四章 风暴", "Epilogue"]
    assert "Part of me was glad." in texts(preview(tmp_path, "b.txt", "Part of me was glad.\n\nSo."))


def test_the_licence_of_a_free_book_is_left_out(tmp_path: Path) -> None:
    text = "Title page\n*** START OF THE PROJECT GUTENBERG EBOOK X ***\nThe story.\n*** END OF THE PROJECT GUTENBERG EBOOK X ***\nLicence"
    made = preview(tmp_path, "a.txt", text)
    assert texts(made) == ["The story."]
    assert made.left_out == ["the Project Gutenberg licence"]


def test_tags_survive_the_import(tmp_path: Path) -> None:
    text = 'One. [pause 1.5s] Two. <break time="1s"/> [length 4.0s] [GIF=>jif]'
    for name in ("a.txt", "a.md"):
        assert texts(preview(tmp_path, name, text)) == [text]


# -- names


def test_names_before_colons_are_proposed_as_voices(tmp_path: Path) -> None:
    made = preview(
        tmp_path,
        "a.txt",
        "Joe: Hello there.\nAna: Good morning!\nJoe (tired): Oh.\nNote: none of this is real.\nAna:\nAgain.\n",
    )
    assert made.speakers == {"Joe": 2, "Ana": 2}
    assert texts(made) == ["Hello there.", "Good morning!", "Oh.", "Note: none of this is real.", "Again."]
    assert made.blocks[0].as_written == "Joe: Hello there."
    assert made.blocks[4].speaker == "Ana"


def test_prose_with_colons_has_no_speakers(tmp_path: Path) -> None:
    text = "He said this: nothing.\nSee http://example.org: a page.\nThe list of what we need: bread.\nOnce: a colon.\nPlain.\nPlain.\n"
    made = preview(tmp_path, "a.txt", text)
    assert made.speakers == {}
    assert "\n".join(texts(made)) == text.strip()


def test_names_in_capitals_and_in_chinese(tmp_path: Path) -> None:
    made = preview(tmp_path, "a.txt", "MARY ANNE: Hello.\nMARY ANNE: Bye.\n小明：你好。\n小明：再见。\n")
    assert made.speakers == {"Mary Anne": 2, "小明": 2}


# -- Markdown


def test_markdown_becomes_plain_paragraphs(tmp_path: Path) -> None:
    text = (
        "---\ntitle: 'A walk'\nauthor: Ann\n---\n# One\n\nSome *words* with **weight**, a [link](http://x.y) and `code`.\nSame paragraph.\n\n"
        "## Scene\n\n- first\n- second\n\n> Quoted.\n\n```\ncode\n```\n\n![picture](x.png)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "Marked.[^1]\n\n[^1]: The note.\n\n***\n\n# Two\n\nEnd.\n"
    )
    made = preview(tmp_path, "a.md", text)
    assert (made.title, made.author) == ("A walk", "Ann")
    assert texts(made) == [
        "# One", "Some words with weight, a link and code. Same paragraph.", "## Scene", "first", "second", "Quoted.", "Marked.", "# Two", "End.",
    ]  # fmt: skip
    assert set(made.left_out) == {
        "the block of properties at the top", "1 block of code", "1 picture", "1 table", "1 footnote mark", "1 footnote", "1 ornamental line",
    }  # fmt: skip


def test_one_heading_above_all_others_is_the_title(tmp_path: Path) -> None:
    made = preview(tmp_path, "a.md", "# The book\n\n## One\n\nText.\n\n### Part\n\n## Two\n\nText.\n")
    assert made.title == "The book"
    assert made.chapters == ["One", "Two"]
    assert texts(made)[0] == "The book"


# -- Word


def docx(body: str, **more: str) -> bytes:
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    parts = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"<w:document {w} {mc}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f'<w:styles {w}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Mine"><w:name w:val="My chapter"/><w:basedOn w:val="berschrift1"/></w:style>'
        '<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="T"><w:name w:val="Title"/></w:style></w:styles>',
        "docProps/core.xml": '<x xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Ann</dc:creator></x>',
        **more,
    }
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return raw.getvalue()


def p(text: str, style: str = "") -> str:
    mark = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{mark}<w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def test_a_word_document_by_its_styles(tmp_path: Path) -> None:
    body = (
        p("The book", "T") + p("One", "berschrift1") + p("A scene", "H2") + p("Text &amp; more.") + p("Two", "Mine")
        + "<w:p><w:r><w:t>Kept </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>"
        + "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:t>shown</w:t><w:br/><w:t>second line</w:t></w:r></w:p>"
        + "<w:tbl><w:tr><w:tc>" + p("cell") + "</w:tc></w:tr></w:tbl>"
        + "<w:p><w:r><w:drawing/></w:r></w:p>" + p("Contents ... 3", "TOC1")
        + "<w:sdt><w:sdtContent>" + p("In a field.") + "</w:sdtContent></w:sdt>"
    )  # fmt: skip
    made = preview(tmp_path, "a.docx", docx(body))
    assert (made.title, made.author) == ("The book", "Ann")
    assert texts(made) == [
        "The book",
        "# One",
        "## A scene",
        "Text & more.",
        "# Two",
        "Kept new",
        "shown",
        "second line",
        "In a field.",
    ]
    assert set(made.left_out) == {
        "1 deleted passage",
        "1 hidden passage",
        "1 table",
        "1 picture",
        "the table of contents",
    }


# -- EPUB


def epub(
    pages: dict[str, str],
    toc: str = "",
    *,
    ncx: str = "",
    more: dict[str, str | bytes] | None = None,
    meta: str = "",
    spine_more: str = "",
) -> bytes:
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in pages)
    refs = "".join(f'<itemref idref="{name}"/>' for name in pages)
    nav = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>' if toc else ""
    old = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if ncx else ""
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>My book</dc:title>'
        f'<dc:creator>Ann</dc:creator></metadata><manifest>{items}{nav}{old}</manifest><spine toc="ncx">{refs}{spine_more}</spine>{meta}</package>',
        **{
            f"OEBPS/{name}": f'<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>no</title></head><body>{page}</body></html>'
            for name, page in pages.items()
        },
    }
    if toc:
        parts["OEBPS/nav.xhtml"] = (
            f'<html xmlns:epub="x"><body><nav epub:type="landmarks"><ol><li><a href="p1.xhtml">Nope</a></li></ol></nav><nav epub:type="toc"><ol>{toc}</ol></nav></body></html>'
        )
    if ncx:
        parts["OEBPS/toc.ncx"] = (
            f'<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{ncx}</navMap></ncx>'
        )
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in {**parts, **(more or {})}.items():
            package.writestr(name, content)
    return raw.getvalue()


PAGES = {
    "p1.xhtml": "<h1 id='a'>Chapter 1</h1><h2>Arrival</h2><p>First text<sup><a epub:type='noteref' href='#n'>1</a></sup>.</p><aside epub:type='footnote' id='n'>Note.</aside>",
    "p2.xhtml": "<p>Still chapter one&nbsp;&mdash; &amp; on.</p><img src='x.png'/><h1 id='b'>Chapter 2</h1><p>Second <ruby>漢<rt>kan</rt></ruby>.</p><h1 id='c'>Chapter 3</h1><p>Third.<br/>Line.</p>",
}


def test_chapters_follow_the_table_of_contents_not_the_files(tmp_path: Path) -> None:
    toc = "<li><a href='p1.xhtml#a'>Chapter 1: Arrival</a></li><li><a href='p2.xhtml#b'>Chapter 2</a></li><li><a href='p2.xhtml#c'>Chapter 3</a></li>"
    made = preview(tmp_path, "a.epub", epub(PAGES, toc))
    assert (made.title, made.author) == ("My book", "Ann")
    assert made.chapters == ["Chapter 1: Arrival", "Chapter 2", "Chapter 3"]
    assert texts(made) == [
        "# Chapter 1: Arrival", "First text.", "Still chapter one — & on.", "# Chapter 2", "Second 漢.", "# Chapter 3", "Third.", "Line.",
    ]  # fmt: skip
    assert set(made.left_out) == {"1 footnote mark", "1 footnote", "1 picture"}


def test_an_old_table_of_contents_with_parts(tmp_path: Path) -> None:
    def point(title: str, src: str, inner: str = "") -> str:
        return f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{src}"/>{inner}</navPoint>'

    ncx = point("Part One", "p1.xhtml", point("Chapter 1", "p1.xhtml#a") + point("Chapter 2", "p2.xhtml#b")) + point(
        "Chapter 3", "p2.xhtml#c"
    )
    made = preview(tmp_path, "a.epub", epub(PAGES, ncx=ncx))
    assert made.chapters == ["Part One", "Chapter 1", "Chapter 2", "Chapter 3"]
    scenes = point("One", "p1.xhtml", point("Section", "p2.xhtml#b"))
    assert "## Section" in texts(preview(tmp_path, "b.epub", epub(PAGES, ncx=scenes)))


def test_a_book_without_contents_has_its_headings_as_chapters(tmp_path: Path) -> None:
    made = preview(tmp_path, "a.epub", epub(PAGES))
    assert made.chapters == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert "no table of contents" in made.warnings[0]


def test_a_book_of_pictures_says_so(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="only pictures"):
        preview(tmp_path, "a.epub", epub({"p.xhtml": "<img src='a.jpg'/>"}))


def test_missing_pages_and_lost_chapters_are_told(tmp_path: Path) -> None:
    raw = epub(
        PAGES,
        "<li><a href='gone.xhtml'>Lost</a></li><li><a href='p1.xhtml'>One</a></li>",
        spine_more='<itemref idref="nowhere"/>',
    )
    made = preview(tmp_path, "a.epub", raw)
    assert any("Lost" in warning for warning in made.warnings)


def test_a_protected_book_is_refused(tmp_path: Path) -> None:
    scrambled = '<x xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptionMethod Algorithm="{}"/></x>'
    with pytest.raises(ImportRefused, match="protected"):
        preview(tmp_path, "a.epub", epub(PAGES, more={"META-INF/encryption.xml": scrambled.format("aes")}))
    fonts = scrambled.format("http://www.idpf.org/2008/embedding")
    assert preview(tmp_path, "b.epub", epub(PAGES, more={"META-INF/encryption.xml": fonts})).blocks


# -- subtitles


SRT = "1\n00:00:01,000 --> 00:00:03,500\n<i>Hello</i> there,\nfriend.\n\n2\n00:00:04,000 --> 00:00:05,000\n[door slams]\n\n3\n00:00:16,000 --> 00:00:17,000\n- Bye.\n"


def test_cues_become_blocks_that_fit_their_slots(tmp_path: Path) -> None:
    made = preview(tmp_path, "a.srt", SRT)
    assert texts(made) == ["[pause 1.0s] Hello there, friend.", "[pause 10.0s][pause 2.5s] Bye."]
    assert [block.target_s for block in made.blocks] == [2.5, 1.0]
    assert made.left_out == ["1 sound or song"]


def test_webvtt_with_voices_notes_and_styles(tmp_path: Path) -> None:
    text = "WEBVTT\n\nSTYLE\n::cue { color: red }\n\nNOTE hi\n\nid\n00:01.000 --> 00:02.000 align:start\n<v.loud Joe>Hi <00:01.500>&amp; bye</v>\n\n00:00:00.000 --> 00:00:00.500\nFirst\n"
    made = preview(tmp_path, "a.vtt", text)
    assert [(block.text, block.speaker, block.target_s) for block in made.blocks] == [
        ("First", "", 0.5),
        ("[pause 0.5s] Hi & bye", "Joe", 1.0),
    ]
    assert "order of time" in made.warnings[0]


def test_overlapping_cues_are_told(tmp_path: Path) -> None:
    made = preview(tmp_path, "a.srt", "1\n00:00:00,000 --> 00:00:02,000\nA\n\n2\n00:00:01,000 --> 00:00:03,000\nB\n")
    assert [block.target_s for block in made.blocks] == [2.0, 1.0]
    assert made.warnings[0].startswith("1 cue begins before")
    more = "1\n00:00:00,000 --> 00:00:05,000\nA\n\n2\n00:00:01,000 --> 00:00:03,000\nB\n\n3\n00:00:02,000 --> 00:00:04,000\nC\n"
    assert preview(tmp_path, "b.srt", more).warnings[0].startswith("2 cues begin before")


def test_a_cue_inside_another_takes_its_time_from_the_gap_after_it(tmp_path: Path) -> None:
    cues = "1\n00:00:00,000 --> 00:00:02,000\nA\n\n2\n00:00:01,000 --> 00:00:01,500\nB\n\n3\n00:00:03,000 --> 00:00:04,000\nC\n"
    made = preview(tmp_path, "a.srt", cues)
    assert [block.target_s for block in made.blocks] == [2.0, 0.2, 1.0]
    assert texts(made)[2] == "[pause 0.8s] C"


def test_a_cue_without_end_has_no_length_of_its_own(tmp_path: Path) -> None:
    made = preview(tmp_path, "a.srt", "1\n00:00:00,000 --> 99:00:00,000\nHello.\n")
    assert made.blocks[0].target_s is None and "ten minutes" in made.warnings[0]
    History(Project()).do(import_command(Project(), made, position=0))


def test_what_a_project_cannot_hold_is_refused_before_it_is_lost(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="200,000 paragraphs"):
        preview(tmp_path, "a.txt", "a\n\n" * 200_001)
    with pytest.raises(ImportRefused, match="3.9 million"):  # of pauses, before the first cue
        preview(tmp_path, "a.srt", "1\n999:00:00,000 --> 999:00:05,000\nHello.\n")


def test_exported_subtitles_come_back_with_their_times(tmp_path: Path) -> None:
    from app.services.subtitles import Cue, srt, vtt

    cues = [Cue(0.5, 2.0, ("One & two",)), Cue(3.25, 4.0, ("Three",))]
    for name, text in (("a.srt", srt(cues)), ("a.vtt", vtt(cues, note="made by a model"))):
        made = preview(tmp_path, name, text)
        assert texts(made) == ["[pause 0.5s] One & two", "[pause 1.25s] Three"]


# -- into a project


def test_an_import_is_one_step_that_can_be_undone(tmp_path: Path) -> None:
    from app.model.commands import SetVoice
    from app.model.voice import Voice

    project = Project()
    history = History(project)
    joe = Voice(name="Joe")
    history.do(SetVoice(joe))
    made = preview(tmp_path, "a.txt", "Joe: Hello.\nAna: Hi.\nJoe: Bye.\nAna: Bye.\n")
    history.do(import_command(project, made, voices={"Joe": joe.id}))
    assert project.text() == "Hello.\nAna: Hi.\nBye.\nAna: Bye."
    assert [block.settings.voice for block in project.blocks] == [joe.id, None, joe.id, None]
    more = preview(tmp_path, "b.srt", SRT)
    history.do(import_command(project, more))
    assert len(project.blocks) == 6
    assert project.blocks[4].settings.length == "fit"
    assert project.blocks[4].settings.target_s == 2.5
    history.undo()
    history.undo()
    assert project.text() == ""


# -- refused


def zip_of(parts: dict[str, bytes], name: str = "a.docx") -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as package:
        for part, content in parts.items():
            package.writestr(part, content)
    return raw.getvalue()


LAUGHS = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.docx", b"not a zip", "damaged"),
        ("a.docx", zip_of({"other.xml": b"<x/>"}), "no Word document"),
        ("a.docx", zip_of({"word/document.xml": LAUGHS}), "entities"),
        ("a.docx", zip_of({"word/document.xml": OUTSIDE}), "entities"),
        ("a.docx", zip_of({"word/document.xml": b"<a>" * 100_000}), "nested"),
        ("a.docx", zip_of({"word/document.xml": b"<a>" + b"<b/>" * 3_100_000 + b"</a>"}), "nested|unpacks"),
        ("a.docx", zip_of({"word/document.xml": b"<unclosed>"}), "cannot be understood"),
        ("a.docx", zip_of({"word/document.xml": b" " * (40 << 20)}), "unpacks"),
        ("a.epub", zip_of({"x": b""}), "no EPUB"),
        ("a.epub", zip_of({"META-INF/container.xml": LAUGHS}), "entities"),
        ("a.epub", epub({"p.xhtml": "x"}).replace(b"OEBPS", b"OEBP/"), "damaged|lacks|no EPUB"),
        ("a.txt", b"\x00\x01\x02" * 1000, "not a text"),
        ("a.txt", bytes(range(256)) * 40, "not a text"),
        ("a.txt", b"  \n\n ", "no text"),
        ("a.srt", b"no cue here", "no subtitles"),
        ("a.pdf", b"%PDF", "cannot be imported"),
        ("a.xyz", b"", "cannot be imported"),
    ],
)
def test_what_is_harmful_or_broken_is_refused_in_little_time_and_memory(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    tracemalloc.start()
    started_s = time.process_time()
    with pytest.raises(ImportRefused, match=message) as caught:
        preview(tmp_path, name, content)
    assert caught.value.remedy
    assert tracemalloc.get_traced_memory()[1] < 700e6
    tracemalloc.stop()
    assert time.process_time() - started_s < 30


@pytest.mark.parametrize("marks", ["[" * 300_000, "*a " * 200_000, "> " * 100_000 + "x", ("![[" * 6_000 + "\n\n") * 20])
def test_marks_without_end_take_no_time_without_end(marks: str, tmp_path: Path) -> None:
    started_s = time.process_time()
    with contextlib.suppress(ImportRefused):
        preview(tmp_path, "a.md", marks)
    assert time.process_time() - started_s < 30


@pytest.mark.parametrize("page", ["<" * 900_000, "<a " * 300_000, "&#" * 400_000, "<p a='" + "x" * 900_000])
def test_a_tag_without_end_takes_no_time_without_end(page: str, tmp_path: Path) -> None:
    started_s = time.process_time()
    with contextlib.suppress(ImportRefused):
        preview(tmp_path, "a.epub", epub({"p1.xhtml": page, "p2.xhtml": "<p>End.</p>"}))
    assert time.process_time() - started_s < 30


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    from app.services.importers import zipped

    bomb = zip_of({"word/document.xml": b"\0" * (31 << 20)})
    with pytest.raises(ImportRefused, match="unpacks"):
        preview(tmp_path, "a.docx", bomb)
    many = zip_of({f"{number}": b"" for number in range(zipped.MOST_ENTRIES + 1)})
    with pytest.raises(ImportRefused, match="parts"):
        preview(tmp_path, "b.docx", many)


def test_a_list_of_parts_without_end_is_not_read(tmp_path: Path) -> None:
    entry = b"PK\1\2" + bytes(24) + (6).to_bytes(2, "little") + bytes(16)
    number = 400_000
    listed = b"".join(entry + b"%06x" % each for each in range(number))
    end = b"PK\5\6" + bytes(8) + len(listed).to_bytes(4, "little") + bytes(6)
    (tmp_path / "a.docx").write_bytes(listed + end)
    tracemalloc.start()
    with pytest.raises(ImportRefused, match="too many parts"):
        preview_file(tmp_path / "a.docx")
    assert tracemalloc.get_traced_memory()[1] < 40e6
    tracemalloc.stop()


def test_a_part_that_is_packed_as_no_document_is_refused(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_LZMA) as package:
        package.writestr("word/document.xml", "<a>" + "text " * 300 + "</a>")
    raw = bytearray(made.getvalue())
    raw[70:90] = b"\xff" * 20
    with pytest.raises(ImportRefused, match="packed"):
        preview(tmp_path, "a.docx", bytes(raw))


def test_a_part_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    raw = bytearray(zip_of({"word/document.xml": b"<a/>"}))
    raw[7] |= 8  # its name is said to be UTF-8, before the part itself
    at = raw.index(b"word/document.xml")
    raw[at + 6] = 0xCB
    with pytest.raises(ImportRefused, match="damaged"):
        preview(tmp_path, "a.docx", bytes(raw))


def test_a_paragraph_of_lines_without_end_takes_no_time_without_end(tmp_path: Path) -> None:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    lines = "<w:r><w:t>a b</w:t><w:br/></w:r>" * 100_000
    document = f'<w:document xmlns:w="{word}"><w:body><w:p>{lines}</w:p></w:body></w:document>'
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as package:
        package.writestr("word/document.xml", document)
    started_s = time.process_time()
    assert len(preview_file(tmp_path / "a.docx").blocks) == 100_000
    assert time.process_time() - started_s < 30


@pytest.mark.parametrize("trick", ["../../../etc/passwd", "/etc/passwd", "C:\\windows\\x", "..\\..\\x"])
def test_links_that_lead_out_of_a_book_lead_nowhere(trick: str, tmp_path: Path) -> None:
    raw = epub({"p1.xhtml": "<p>Fine.</p>"}, f"<li><a href='{trick}'>Bad</a></li>", more={trick: b"<p>stolen</p>"})
    made = preview(tmp_path, "a.epub", raw)
    assert "stolen" not in made.text
    assert not any(tmp_path.parent.glob("**/passwd"))


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(ImportRefused, match="64 MB"):
        preview_file(path)
    (tmp_path / "b.txt").write_text("word " * 900_000)
    with pytest.raises(ImportRefused, match="million"):
        preview_file(tmp_path / "b.txt")


def test_cancelling_an_import_ends_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.\n\nTwo.")
    with pytest.raises(ImportRefused, match="cancelled"):
        preview_file(tmp_path / "a.txt", cancelled=lambda: True)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["a.txt", "a.md", "a.srt", "a.vtt", "a.docx", "a.epub"]), st.binary(max_size=3_000))
def test_no_bytes_break_the_importers(tmp_path: Path, name: str, content: bytes) -> None:
    try:
        made = preview(tmp_path, name, content)
    except ImportRefused:
        return
    assert all("\n" not in block.text and block.text.strip() for block in made.blocks)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<h1 id='a'>",
                "</h1>",
                "<div hidden>",
                "</div>",
                "<b",
                "text ",
                "&amp",
                "<!--",
                "-->",
                "<br>",
                "<script>",
                "]]>",
            ]
        ),
        max_size=40,
    )
)
def test_no_page_breaks_a_book(tmp_path: Path, parts: list[str]) -> None:
    try:
        made = preview(
            tmp_path,
            "a.epub",
            epub({"p1.xhtml": "".join(parts), "p2.xhtml": "<p>End.</p>"}, "<li><a href='p1.xhtml#a'>One</a></li>"),
        )
    except ImportRefused:
        return
    assert made.blocks[-1].text == "End."
