"""Messages of imports, for `app.ui.messages`, and what an import leaves out, in the language of the window."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

IMPORT_MESSAGES: tuple[str, ...] = (
    QT_TRANSLATE_NOOP("Messages", "%1 has no text."),
    QT_TRANSLATE_NOOP("Messages", "%1 is nested too deeply."),
    QT_TRANSLATE_NOOP("Messages", "%1 is of a kind that cannot be imported."),
    QT_TRANSLATE_NOOP("Messages", "%1 makes more than %2 paragraphs or 3.9 million characters."),
    QT_TRANSLATE_NOOP("Messages", "Choose another file."),
    QT_TRANSLATE_NOOP("Messages", "Choose one of %1."),
    QT_TRANSLATE_NOOP("Messages", "Convert it to .epub."),
    QT_TRANSLATE_NOOP("Messages", "Cut it into parts."),
    QT_TRANSLATE_NOOP("Messages", "It was not opened."),
    QT_TRANSLATE_NOOP("Messages", "Save it as .docx."),
    QT_TRANSLATE_NOOP("Messages", "Save its text as .txt or .docx."),
    QT_TRANSLATE_NOOP("Messages", "Save its text as .txt or .md."),
    QT_TRANSLATE_NOOP("Messages", "%1 is no Word document."),
    QT_TRANSLATE_NOOP("Messages", "%1 is larger than %2 MB."),
    QT_TRANSLATE_NOOP("Messages", "%1 is not a text."),
    QT_TRANSLATE_NOOP("Messages", "Check the file."),
    QT_TRANSLATE_NOOP("Messages", "Choose a text, a document, a book or subtitles."),
    QT_TRANSLATE_NOOP("Messages", "The encoding of %1 was guessed as %2; look at letters with accents."),
    QT_TRANSLATE_NOOP("Messages", "1 chapter of the table of contents was not found: “%1”."),
    QT_TRANSLATE_NOOP("Messages", "%1 chapters of the table of contents were not found, among them “%2”."),
    QT_TRANSLATE_NOOP("Messages", "%1 does not say where its text is."),
    QT_TRANSLATE_NOOP("Messages", "1 file of the book is missing in it."),
    QT_TRANSLATE_NOOP("Messages", "%1 files of the book are missing in it."),
    QT_TRANSLATE_NOOP("Messages", "%1 has no text, only pictures or headings."),
    QT_TRANSLATE_NOOP("Messages", "%1 is no EPUB book."),
    QT_TRANSLATE_NOOP("Messages", "%1 is protected against copying."),
    QT_TRANSLATE_NOOP("Messages", "Choose an edition with text."),
    QT_TRANSLATE_NOOP("Messages", "Choose an edition without protection."),
    QT_TRANSLATE_NOOP("Messages", "Open and save it again."),
    QT_TRANSLATE_NOOP("Messages", "The book has no table of contents; its headings became chapters."),
    QT_TRANSLATE_NOOP(
        "Messages", "A paragraph is too long or has too many marks for Markdown, so the file was read as plain text."
    ),
    QT_TRANSLATE_NOOP("Messages", "The import was cancelled."),
    QT_TRANSLATE_NOOP("Messages", "The text is longer than 3.9 million characters."),
    QT_TRANSLATE_NOOP("Messages", "1 cue begins before the one before has ended; they are spoken one after the other."),
    QT_TRANSLATE_NOOP(
        "Messages", "%1 cues begin before the one before has ended; they are spoken one after the other."
    ),
    QT_TRANSLATE_NOOP("Messages", "1 cue stands for more than ten minutes; its line has no length of its own."),
    QT_TRANSLATE_NOOP("Messages", "%1 cues stand for more than ten minutes; their lines have no length of their own."),
    QT_TRANSLATE_NOOP("Messages", "%1 has no subtitles that could be read."),
    QT_TRANSLATE_NOOP("Messages", "Check that it is an SRT or WebVTT file."),
    QT_TRANSLATE_NOOP("Messages", "The cues were not in the order of time; they are now."),
    QT_TRANSLATE_NOOP("Messages", "%1 cannot be understood (%2)."),
    QT_TRANSLATE_NOOP("Messages", "%1 defines entities, which can hide any amount of data."),
    QT_TRANSLATE_NOOP("Messages", "%1 has more than %2 parts."),
    QT_TRANSLATE_NOOP("Messages", "%1 is damaged in its part %2."),
    QT_TRANSLATE_NOOP("Messages", "%1 is damaged or not what its name says (%2)."),
    QT_TRANSLATE_NOOP("Messages", "%1 is larger than 1 GB."),
    QT_TRANSLATE_NOOP("Messages", "%1 is nested or divided beyond any real document."),
    QT_TRANSLATE_NOOP("Messages", "%1 is packed as no document is."),
    QT_TRANSLATE_NOOP("Messages", "%1 is protected by a password."),
    QT_TRANSLATE_NOOP("Messages", "%1 lacks its part %2."),
    QT_TRANSLATE_NOOP("Messages", "%1 unpacks to far more than a text could be."),
    QT_TRANSLATE_NOOP("Messages", "Save it without one."),
)

# By what the importers count: for one of it, and for several.
COUNTED: dict[str, str] = {
    "picture": QT_TRANSLATE_NOOP("LeftOut", "1 picture"),
    "pictures": QT_TRANSLATE_NOOP("LeftOut", "%1 pictures"),
    "table": QT_TRANSLATE_NOOP("LeftOut", "1 table"),
    "tables": QT_TRANSLATE_NOOP("LeftOut", "%1 tables"),
    "footnote": QT_TRANSLATE_NOOP("LeftOut", "1 footnote"),
    "footnotes": QT_TRANSLATE_NOOP("LeftOut", "%1 footnotes"),
    "endnote": QT_TRANSLATE_NOOP("LeftOut", "1 endnote"),
    "endnotes": QT_TRANSLATE_NOOP("LeftOut", "%1 endnotes"),
    "comment": QT_TRANSLATE_NOOP("LeftOut", "1 comment"),
    "comments": QT_TRANSLATE_NOOP("LeftOut", "%1 comments"),
    "footnote mark": QT_TRANSLATE_NOOP("LeftOut", "1 footnote mark"),
    "footnote marks": QT_TRANSLATE_NOOP("LeftOut", "%1 footnote marks"),
    "deleted passage": QT_TRANSLATE_NOOP("LeftOut", "1 deleted passage"),
    "deleted passages": QT_TRANSLATE_NOOP("LeftOut", "%1 deleted passages"),
    "hidden passage": QT_TRANSLATE_NOOP("LeftOut", "1 hidden passage"),
    "hidden passages": QT_TRANSLATE_NOOP("LeftOut", "%1 hidden passages"),
    "text box": QT_TRANSLATE_NOOP("LeftOut", "1 text box"),
    "text boxes": QT_TRANSLATE_NOOP("LeftOut", "%1 text boxes"),
    "formula": QT_TRANSLATE_NOOP("LeftOut", "1 formula"),
    "formulas": QT_TRANSLATE_NOOP("LeftOut", "%1 formulas"),
    "ornamental line": QT_TRANSLATE_NOOP("LeftOut", "1 ornamental line"),
    "ornamental lines": QT_TRANSLATE_NOOP("LeftOut", "%1 ornamental lines"),
    "block of code": QT_TRANSLATE_NOOP("LeftOut", "1 block of code"),
    "blocks of code": QT_TRANSLATE_NOOP("LeftOut", "%1 blocks of code"),
    "block of HTML": QT_TRANSLATE_NOOP("LeftOut", "1 block of HTML"),
    "blocks of HTML": QT_TRANSLATE_NOOP("LeftOut", "%1 blocks of HTML"),
    "note or style": QT_TRANSLATE_NOOP("LeftOut", "1 note or style"),
    "notes and styles": QT_TRANSLATE_NOOP("LeftOut", "%1 notes and styles"),
    "sound or song": QT_TRANSLATE_NOOP("LeftOut", "1 sound or song"),
    "sounds and songs": QT_TRANSLATE_NOOP("LeftOut", "%1 sounds and songs"),
    "cue without a length": QT_TRANSLATE_NOOP("LeftOut", "1 cue without a length"),
    "cues without a length": QT_TRANSLATE_NOOP("LeftOut", "%1 cues without a length"),
    "page outside the reading order": QT_TRANSLATE_NOOP("LeftOut", "1 page outside the reading order"),
    "pages outside the reading order": QT_TRANSLATE_NOOP("LeftOut", "%1 pages outside the reading order"),
}
NAMED: tuple[str, ...] = (
    QT_TRANSLATE_NOOP("LeftOut", "the table of contents"),
    QT_TRANSLATE_NOOP("LeftOut", "the index"),
    QT_TRANSLATE_NOOP("LeftOut", "the cover"),
    QT_TRANSLATE_NOOP("LeftOut", "the copyright page"),
    QT_TRANSLATE_NOOP("LeftOut", "headers and footers"),
    QT_TRANSLATE_NOOP("LeftOut", "the Project Gutenberg licence"),
    QT_TRANSLATE_NOOP("LeftOut", "the block of properties at the top"),
    QT_TRANSLATE_NOOP("LeftOut", "a damaged passage"),
)


def left_out_words(phrases: Iterable[str]) -> str:
    """What an import leaves out, such as `3 pictures` and `the index`, as one list for people."""
    return QCoreApplication.translate("LeftOut", ", ").join(map(_words, phrases))


def _words(phrase: str) -> str:
    count, _, what = phrase.partition(" ")
    if not count.isdecimal() or what not in COUNTED:
        return QCoreApplication.translate("LeftOut", phrase) if phrase in NAMED else phrase
    return QCoreApplication.translate("LeftOut", COUNTED[what]).replace("%1", count)
