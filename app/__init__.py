"""Moss Voice Studio: the window, the commands, and the services behind both."""
