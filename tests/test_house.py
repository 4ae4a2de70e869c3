"""What keeps the house small and its names apart: lines a room, one class a name, no file named by a participle."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "dprelease"
BUDGET: dict[str, int] = tomllib.loads((ROOT / "tests/budget.toml").read_text())["lines"]
GROWTH, SLACK = 1.03, 0.92
"""A room may grow to so much of its budget; below so much the budget is to be lowered."""
PARTICIPLES = {"asked", "chosen", "familied", "given", "judged", "kept", "made", "said", "shown", "told"}
STILL = {"codebook/said.py", "extras/federation/page/shown.py", "model/made", "ui/workbench/shown.py"}
"""Named so: this list may only become shorter."""


def rooms() -> Counter[str]:
    """Return the lines of Python by room."""
    lines: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).parts
        room = "/".join(parts[: 2 if parts[0] == "extras" and len(parts) > 2 else 1]) if len(parts) > 1 else "top"
        lines[room.removesuffix("/__init__.py")] += path.read_text(encoding="utf-8").count("\n")
    return lines


def over(lines: Counter[str], budget: dict[str, int]) -> list[str]:
    """Return what is to be done about rooms that left their budget."""
    found = [
        f"{room}: {lines[room]} lines, budget {budget.get(room, 0)}: cut, or raise it and say why"
        for room in lines
        if lines[room] > GROWTH * budget.get(room, 0)
    ]
    return found + [
        f"{room}: {lines[room]} lines, lower its budget of {budget[room]}"
        for room in budget
        if lines[room] < SLACK * budget[room]
    ]


def test_no_room_outgrows_its_budget() -> None:
    assert over(rooms(), BUDGET) == []


def test_a_room_that_grows_or_shrinks_is_seen() -> None:
    assert over(Counter({"a": 104, "new": 1}), {"a": 100}) == [
        "a: 104 lines, budget 100: cut, or raise it and say why",
        "new: 1 lines, budget 0: cut, or raise it and say why",
    ]
    assert over(Counter({"a": 91}), {"a": 100}) == ["a: 91 lines, lower its budget of 100"]


BANNED = {"As", "By", "How", "It", "Of", "Tells", "That", "Those", "What", "When", "Where", "Whether", "Which", "Who"}
"""First words of docstrings that say what something is for, and not what it is."""


def beginnings(source: str) -> list[str]:
    """Return the first words of docstrings, of attributes too."""
    bodies = (getattr(node, "body", None) for node in ast.walk(ast.parse(source)))
    texts = (
        node.value.value
        for body in bodies
        if isinstance(body, list)
        for node in body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )
    return [text.split()[0].strip(".,:;") for text in texts if text.split()]


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): BANNED & set(beginnings(path.read_text(encoding="utf-8")))
        for path in PACKAGE.rglob("*.py")
    }
    assert {path: words for path, words in found.items() if words} == {}


def test_a_fragment_is_seen() -> None:
    assert beginnings('def f():\n    """Whether it is."""\nx = 1\n"""What it is."""') == ["What", "Whether"]


def test_no_class_name_stands_for_two_things() -> None:
    names = Counter(
        name
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_no_file_is_named_by_a_participle() -> None:
    named = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.stem in PARTICIPLES and (path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py"))))
    }
    assert named == STILL
