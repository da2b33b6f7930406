"""The studio's engine for other programs, by the interfaces of the speech servers it can use itself."""
