"""The outline region of the window."""
