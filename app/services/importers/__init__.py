"""Texts, documents, books and subtitles as blocks of a script, shown before anything is changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.services.importers.encoding import decode, read_file
from app.services.importers.preview import (
    MOST_BLOCKS,
    MOST_CHARACTERS,
    ImportedBlock,
    ImportPreview,
    ImportRefused,
    LeftOut,
    Watch,
    chapters_of,
)
from app.services.importers.speakers import propose_speakers

__all__ = [
    "SUFFIXES", "ImportPreview", "ImportRefused", "ImportedBlock", "kind_is_known", "preview_file", "preview_text",
]  # fmt: skip

_TEXT = (".txt", ".text")
_MARKDOWN = (".md", ".markdown")
_SUBTITLES = (".srt", ".vtt")
SUFFIXES = (*_TEXT, *_MARKDOWN, ".docx", ".epub", *_SUBTITLES)
_AS_DOCX = "Save it as .docx."
_AS_EPUB = "Convert it to .epub."
_OTHERS = {
    ".doc": _AS_DOCX,
    ".odt": _AS_DOCX,
    ".rtf": _AS_DOCX,
    ".pdf": "Save its text as .txt or .docx.",
    ".mobi": _AS_EPUB,
    ".azw3": _AS_EPUB,
    ".html": "Save its text as .txt or .md.",
}


def preview_file(path: Path, cancelled: Callable[[], bool] | None = None) -> ImportPreview:
    """What importing a file would bring. Changes nothing; may run on any thread.

    Args:
        cancelled: asked now and then; True ends the import.

    Raises:
        ImportRefused: with what to do.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        remedy = _OTHERS.get(suffix, f"Choose one of {', '.join(SUFFIXES)}.")
        raise ImportRefused(f"{path.name} is of a kind that cannot be imported.", remedy)
    watch = Watch(cancelled)
    try:
        preview = _read(path, suffix, watch)
    except RecursionError as error:
        raise ImportRefused(f"{path.name} is nested too deeply.", "It was not opened.") from error
    return _checked(preview, path, speakers=suffix not in _SUBTITLES)


def preview_text(raw: bytes, path: Path) -> ImportPreview:
    """What the bytes of a plain text would bring; `path` names them. Raises ImportRefused."""
    return _checked(_plain(*decode(raw, path.name), Watch(None)), path, speakers=True)


def kind_is_known(path: Path) -> bool:
    """Whether `preview_file` knows what to do with a file of this name, be it to refuse it."""
    return path.suffix.lower() in (*SUFFIXES, *_OTHERS)


def _checked(preview: ImportPreview, path: Path, *, speakers: bool) -> ImportPreview:
    blocks = [block for block in preview.blocks if block.text.strip()]
    if not blocks:
        raise ImportRefused(f"{path.name} has no text.", "Choose another file.")
    if len(blocks) > MOST_BLOCKS or sum(len(block.text) + 1 for block in blocks) > MOST_CHARACTERS:
        # Pauses between subtitles count too. What a project cannot hold would be missing when it is opened again.
        raise ImportRefused(
            f"{path.name} makes more than {MOST_BLOCKS:,} paragraphs or 3.9 million characters.", "Cut it into parts."
        )
    if speakers:
        blocks = propose_speakers(blocks)
    return replace(preview, title=preview.title or path.stem, blocks=blocks, chapters=chapters_of(blocks))


def _plain(text: str, warning: str, watch: Watch) -> ImportPreview:
    from app.services.importers.plain import blocks_of_text

    left_out = LeftOut()
    blocks = blocks_of_text(text, left_out, watch)
    return ImportPreview("", blocks, left_out=left_out.phrases(), warnings=[warning] if warning else [])


def _read(path: Path, suffix: str, watch: Watch) -> ImportPreview:
    # Each reader is loaded when it is first needed: the window opens without them.
    if suffix == ".docx":
        from app.services.importers.docx import read_docx

        return read_docx(path, watch)
    if suffix == ".epub":
        from app.services.importers.epub import read_epub

        return read_epub(path, watch)
    text, warning = decode(read_file(path), path.name)
    if suffix in _TEXT:
        return _plain(text, warning, watch)
    warnings = [warning] if warning else []
    if suffix in _SUBTITLES:
        from app.services.importers.subtitle_file import read_subtitles

        preview = read_subtitles(text, path.name, watch)
    else:
        from app.services.importers.markdown import read_markdown

        preview = read_markdown(text, watch)
    return replace(preview, warnings=warnings + preview.warnings)
