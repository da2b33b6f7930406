"""The voices: list, adding, recording, caring for clips."""

from app.ui.voices.voices import Voices

__all__ = ["Voices"]
