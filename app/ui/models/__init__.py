"""Models: which speaks, where, and which others there are."""
