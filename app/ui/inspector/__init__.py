"""The inspector region of the window."""
