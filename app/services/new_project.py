"""What a new project takes from the preferences, wherever it is made."""

from __future__ import annotations

from app.model.content_commands import SetProjectSettings
from app.model.history import History
from app.settings import Settings


def follow_preferences(history: History, settings: Settings) -> None:
    """Set what a person prefers in the project of a history, as no step of it."""
    if settings.generation.pauses == "natural":
        history.note(SetProjectSettings({"pauses_mode": "natural"}))
