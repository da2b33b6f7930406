"""The preferences region of the window."""
