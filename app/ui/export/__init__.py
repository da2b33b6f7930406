"""Export: what to write, how far it is, what came of it."""
