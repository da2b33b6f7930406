"""What errors, warnings, findings and stages say to a person, found in the sources."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path

# Of the arguments: from, to; of errors all.
_TOLD_AS = {
    "SpeechWarning": (1, 2), "stage": (0, 1), "_stage": (0, 1), "Finding": (2, 4), "Made": (1, 2), "fault": (0, 1),
    "Problem": (1, 3),
}  # fmt: skip
_TOLD_IN = ("message", "problem", "notice", "remedy")  # names of what is shown as it is
_LISTED_BY = ("notices", "acx_faults", "_faults")  # functions whose texts are all for people
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


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
    """What a source says in errors and warnings, in what it lists and in what it hands on to be shown, with %1, %2 …
    for what is put in.

    A name stands for every text that is given to it anywhere in the file, also as an argument. What comes from
    elsewhere is left out.
    """
    tree = ast.parse(file.read_text("utf-8"))
    given = _given(tree)
    parts: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            parts += _parts(node, errors)
        elif isinstance(node, ast.ClassDef) and node.name in errors:
            own = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
            parts += [part for call in own if ast.unparse(call.func) == "super().__init__" for part in call.args]
        elif isinstance(node, ast.Assign):
            names = {getattr(target, "attr", "") for target in node.targets}
            parts += [node.value] if names & set(_TOLD_IN) else []
        elif isinstance(node, _Function) and node.name in _LISTED_BY:
            parts += _listed(node)
    found = set(itertools.chain.from_iterable(_texts(part, given, set()) for part in parts))
    return {text for text in found if text.strip()}


def _name(node: ast.expr) -> str:
    return getattr(node, "id", "") or getattr(node, "attr", "")


def _parts(call: ast.Call, errors: set[str]) -> list[ast.expr]:
    name = _name(call.func)
    if name in errors:
        return [*call.args, *(each.value for each in call.keywords if each.arg in ("message", "remedy"))]
    return call.args[slice(*_TOLD_AS[name])] if name in _TOLD_AS else []


def _listed(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterable[ast.expr]:
    """What a function puts into lists and gives back."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _name(node.func) == "append":
            yield from node.args
        elif isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
            yield from node.elts


def _given(tree: ast.Module) -> Mapping[str, list[ast.expr]]:
    """By name, what is assigned to it and given for it in calls of the functions of the file."""
    given: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    given.setdefault(target.id, []).append(node.value)
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, _Function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (function := functions.get(_name(node.func))):
            names = [each.arg for each in function.args.args]
            names = names[1:] if names[:1] == ["self"] else names
            for name, value in zip(names, node.args, strict=False):
                given.setdefault(name, []).append(value)
    return given


def _texts(node: ast.expr, given: Mapping[str, list[ast.expr]], seen: set[str]) -> Iterable[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        numbers = itertools.count(1)
        yield "".join(
            str(each.value) if isinstance(each, ast.Constant) else f"%{next(numbers)}" for each in node.values
        )
        put_in = [each.value for each in node.values if isinstance(each, ast.FormattedValue)]
        for each in put_in:
            # One word alone is a name, a number or a mark.
            yield from (text for text in _texts(each, given, seen) if " " in text.strip())
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body, given, seen)
        yield from _texts(node.orelse, given, seen)
    elif isinstance(node, ast.BoolOp):
        for each in node.values:
            yield from _texts(each, given, seen)
    elif isinstance(node, ast.BinOp):
        yield from _texts(node.left, given, seen)
        yield from _texts(node.right, given, seen)
    elif isinstance(node, ast.Name) and node.id not in seen:
        for value in given.get(node.id, ()):
            yield from _texts(value, given, {*seen, node.id})
