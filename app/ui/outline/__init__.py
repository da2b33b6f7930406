"""Chapters and scenes of the script."""
