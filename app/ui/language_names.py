"""Names of the languages a model speaks, in the language of the window; what is sent to a model stays English."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

# As the engine calls them; a test holds the two together.
NAMES: tuple[str, ...] = (
    QT_TRANSLATE_NOOP("Languages", "Chinese"),
    QT_TRANSLATE_NOOP("Languages", "Cantonese"),
    QT_TRANSLATE_NOOP("Languages", "English"),
    QT_TRANSLATE_NOOP("Languages", "Arabic"),
    QT_TRANSLATE_NOOP("Languages", "Czech"),
    QT_TRANSLATE_NOOP("Languages", "Danish"),
    QT_TRANSLATE_NOOP("Languages", "Dutch"),
    QT_TRANSLATE_NOOP("Languages", "Finnish"),
    QT_TRANSLATE_NOOP("Languages", "French"),
    QT_TRANSLATE_NOOP("Languages", "German"),
    QT_TRANSLATE_NOOP("Languages", "Greek"),
    QT_TRANSLATE_NOOP("Languages", "Hebrew"),
    QT_TRANSLATE_NOOP("Languages", "Hindi"),
    QT_TRANSLATE_NOOP("Languages", "Hungarian"),
    QT_TRANSLATE_NOOP("Languages", "Italian"),
    QT_TRANSLATE_NOOP("Languages", "Japanese"),
    QT_TRANSLATE_NOOP("Languages", "Korean"),
    QT_TRANSLATE_NOOP("Languages", "Macedonian"),
    QT_TRANSLATE_NOOP("Languages", "Malay"),
    QT_TRANSLATE_NOOP("Languages", "Persian (Farsi)"),
    QT_TRANSLATE_NOOP("Languages", "Polish"),
    QT_TRANSLATE_NOOP("Languages", "Portuguese"),
    QT_TRANSLATE_NOOP("Languages", "Romanian"),
    QT_TRANSLATE_NOOP("Languages", "Russian"),
    QT_TRANSLATE_NOOP("Languages", "Spanish"),
    QT_TRANSLATE_NOOP("Languages", "Swahili"),
    QT_TRANSLATE_NOOP("Languages", "Swedish"),
    QT_TRANSLATE_NOOP("Languages", "Tagalog"),
    QT_TRANSLATE_NOOP("Languages", "Thai"),
    QT_TRANSLATE_NOOP("Languages", "Turkish"),
    QT_TRANSLATE_NOOP("Languages", "Vietnamese"),
)


def shown_language(name: str) -> str:
    """For people; a name that is not among the known ones, such as one of a server, stays as it is."""
    return QCoreApplication.translate("Languages", name) if name in NAMES else name


def shown_languages(names: str) -> str | None:
    """A list of known languages ("English, German") for people; None when it is something else."""
    parts = names.split(", ")
    if not all(part in NAMES for part in parts):
        return None
    return QCoreApplication.translate("Languages", ", ").join(map(shown_language, parts))
