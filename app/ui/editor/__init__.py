"""The editor region of the window."""
