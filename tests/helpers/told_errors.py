"""What errors, warnings and stages of loading say to a person, found in the sources."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable
from pathlib import Path

_TOLD_AS = {"SpeechWarning": (1, 2), "stage": (0, 1), "_stage": (0, 1)}  # of the arguments: from, to; of errors all


def error_classes(files: Iterable[Path]) -> set[str]:
    """Names of the classes that come from SpeechError."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for file in files
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    found = {"SpeechError"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


def told(file: Path, errors: set[str]) -> set[str]:
    """What the errors and warnings made in a source say, with %1, %2 … for what is put in.

    A name stands for every text that is given to it anywhere in the file. What comes from elsewhere is left out.
    """
    tree = ast.parse(file.read_text("utf-8"))
    given: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    given.setdefault(target.id, []).append(node.value)
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in errors:
                parts = [*node.args, *(each.value for each in node.keywords if each.arg in ("message", "remedy"))]
            elif node.func.id in _TOLD_AS:
                parts = node.args[slice(*_TOLD_AS[node.func.id])]
            else:
                continue
            for part in parts:
                found.update(_texts(part, given, set()))
    return {text for text in found if text.strip()}


def _texts(node: ast.expr, given: dict[str, list[ast.expr]], seen: set[str]) -> Iterable[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        numbers = itertools.count(1)
        yield "".join(
            str(each.value) if isinstance(each, ast.Constant) else f"%{next(numbers)}" for each in node.values
        )
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body, given, seen)
        yield from _texts(node.orelse, given, seen)
    elif isinstance(node, ast.BoolOp):
        for each in node.values:
            yield from _texts(each, given, seen)
    elif isinstance(node, ast.Name) and node.id not in seen:
        for value in given.get(node.id, ()):
            yield from _texts(value, given, {*seen, node.id})
