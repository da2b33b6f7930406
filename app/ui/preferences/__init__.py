"""Preferences: appearance, speech, the project, sound, keys."""
