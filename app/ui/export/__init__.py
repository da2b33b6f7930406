"""The export region of the window."""
