"""What others need to know of a kind it says itself: nobody but `statistics/kinds` asks for its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from dprelease.model.statistic import KINDS

ROOT = Path(__file__).resolve().parents[2]
MOST = 8
CONSTANT = re.compile(r"([a-z_]+\.)?[A-Z_]+")
"""Name of a constant, of its own module or of another one."""
NOT_OF_STATISTICS = ("dprelease/extras/federation/post.py",)
"""Whose kinds are those of messages."""


def _names(value: Any) -> set[str]:
    """Kinds of statistics among a value, or its items or keys."""
    if isinstance(value, str):
        return {value} & {*KINDS}
    found = value if isinstance(value, tuple | list | set | frozenset | dict) else ()
    return {name for item in found for name in _names(item)}


def _is_kind(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="kind") | ast.Name(id="kind") | ast.Subscript(slice=ast.Constant(value="kind")):
            return True
        case ast.Call(args=[first, *_]):
            return _is_kind(first) or (isinstance(first, ast.Constant) and first.value == "kind")
        case ast.Tuple(elts=parts):
            return any(map(_is_kind, parts))
    return False


def _asked(tree: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    """Lines that compare a kind, or look it up, with what they compare it to."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others) if any(map(_is_kind, [left, *others])):
                yield from ((node.lineno, each) for each in [left, *others] if not _is_kind(each))
            case ast.Subscript(value=table, slice=key) if _is_kind(key):
                yield node.lineno, table
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[key, *_]) if _is_kind(key):
                yield node.lineno, table


def compared() -> list[str]:
    """Every place outside `statistics/kinds` at which the name of a kind decides."""
    found = []
    for path in sorted((ROOT / "dprelease").rglob("*.py")):
        name, source = str(path.relative_to(ROOT)), path.read_text()
        if "kind" not in source or "statistics/kinds/" in name or name in NOT_OF_STATISTICS:
            continue
        asked = list(_asked(ast.parse(source)))
        known = vars(import_module(name.removesuffix(".py").replace("/", "."))) if asked else {}
        for line, other in asked:
            text = ast.unparse(other)
            simple = isinstance(other, ast.Constant | ast.Tuple | ast.Dict) or text.split(".")[0] in known
            if simple and _names(eval(text, dict(known))):
                found.append(f"{name}:{line}")
    return sorted({*found})


def test_few_places_ask_for_the_name_of_a_kind() -> None:
    assert len(compared()) <= MOST, compared()


def test_one_who_asks_for_a_name_is_found() -> None:
    tree = ast.parse('if stated.kind in ("mean", "proportion"): pass\nif asked["kind"] == "mode": pass\nOWN.get(kind)')
    assert [line for line, _ in _asked(tree)] == [1, 2, 3]
