"""Commands of the command line, one module a group; each has `register(subparsers)` and calls services when it runs."""
