"""Settings and takes of the selected blocks."""
