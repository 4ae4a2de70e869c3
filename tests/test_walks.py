"""The picture and the walks of docs/design.md: the files named exist, and call one another as it says."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WALK = re.compile(r"\*\*([^*\n]+)\*\*[^`]*```walk\n(.*?)\n```", re.S)
STEP = re.compile(r"(?P<depth> *)(?P<file>[\w/.]+\.(?:py|po))(?:: (?P<name>\w+(?:\.\w+)?))?(?: {2,}.*)?")
TEXT = (ROOT / "docs" / "design.md").read_text()


@dataclass(frozen=True)
class Step:
    """A file, what is called there, and by which step before."""

    path: str
    name: str
    by: Step | None


def walks() -> dict[str, list[Step]]:
    """The steps of each walk, by what stands above it."""
    return {title: steps(block) for title, block in WALK.findall(TEXT)}


def steps(block: str) -> list[Step]:
    """A line is called by the last one before it that stands further out."""
    open_: list[tuple[int, Step]] = []
    found = []
    for line in block.splitlines():
        told = STEP.fullmatch(line)
        assert told, line
        depth = len(told["depth"])
        open_ = [each for each in open_ if each[0] < depth]
        step = Step(told["file"], told["name"] or "", open_[-1][1] if open_ else None)
        open_.append((depth, step))
        found.append(step)
    return found


@cache
def defined(path: str) -> dict[str, ast.AST]:
    """What a file defines, by name; methods by their class too. Under no name, the whole file."""
    whole = ast.parse((ROOT / path).read_text())
    found: dict[str, ast.AST] = {"": whole}
    for node in whole.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}": each for each in node.body if isinstance(each, ast.FunctionDef)}
    return found


def mentioned(node: ast.AST) -> set[str]:
    """The names that stand in a piece of code."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


@pytest.mark.parametrize("walk", walks().values(), ids=walks())
def test_each_step_is_there_and_is_called_by_the_one_before(walk: list[Step]) -> None:
    assert len(walk) > 4
    for step in walk:
        assert (ROOT / step.path).is_file(), step.path
        if step.path.endswith(".py"):
            assert step.name in defined(step.path), f"{step.path}: {step.name}"
            if step.by is not None:
                called = mentioned(defined(step.by.path)[step.by.name])
                *_, own = step.name.split(".")
                assert own in called, f"{step.by.path}: {step.by.name} does not call {step.name}"


def test_there_are_five_walks() -> None:
    assert len(walks()) == 5


def test_the_picture_has_the_floors_that_imports_are_held_to() -> None:
    """The layers of import-linter, in their order."""
    (picture,) = re.findall(r"```floors\n(.*?)```", TEXT, re.S)
    drawn = [re.findall(r"(\w+) +(?=│)", line.rpartition("│")[0] + "│") for line in picture.splitlines() if "│" in line]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert drawn == [layer.split(" | ") for layer in contracts[0]["layers"]]
