"""Writes into a copy of the program, before the statement that a mutant changes, a call that records who reaches it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.mutants.mutant import DEFINITIONS, PACKAGE, Mutant, parsed

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NOW = "DPRELEASE_MUTANTS_FIXTURE"
"""In the environment: the fixture of several tests that is being made."""
SHARED = "shared "
"""Begins the name of what several processes share."""
RECORDER = """
def _reached(mutant, seen=set(), written=__import__("os").open, close=__import__("os").close):
    import os
    by = os.environ.get("{now}") or os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    if by and (mutant, by) not in seen:
        seen.add((mutant, by))
        file = written({reached!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{{mutant}}\\t{{by}}\\n".encode())
        close(file)
__import__("sys")._reached = _reached
"""


def insert(root: Path, mutants: Iterable[Mutant], reached: Path) -> None:
    """Puts the calls into the tree at `root`; what they record is added to the file `reached`, a line each."""
    calls: dict[Path, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for mutant in mutants:
        for file, line in places(root, mutant):
            calls[file][line].add(mutant.id)
    for file, by_line in calls.items():
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        for line in sorted(by_line, reverse=True):
            text = lines[line - 1]
            indent = text[: len(text) - len(text.lstrip())]
            probes = (f'__import__("sys")._reached({name!r})' for name in sorted(by_line[line]))
            lines.insert(line - 1, f"{indent}{'; '.join(probes)}\n")
        file.write_text("".join(lines), encoding="utf-8")
    package = root / PACKAGE / "__init__.py"
    lines = package.read_text(encoding="utf-8").splitlines(keepends=True)
    future = next(number for number, text in enumerate(lines, start=1) if text.startswith("from __future__"))
    lines.insert(future, RECORDER.format(now=NOW, reached=str(reached)))
    package.write_text("".join(lines), encoding="utf-8")


def places(root: Path, mutant: Mutant) -> Iterator[tuple[Path, int]]:
    """The lines before which a call belongs: of the statement in a function, else of all functions that name it."""
    place, start = mutant.offset(root)
    file = root / place.file
    source = file.read_text(encoding="utf-8")
    line = source.count("\n", 0, start) + 1
    if (found := statement(file, line)) is not None:
        yield file, found
        return
    for other in sorted((root / PACKAGE).rglob("*.py")):
        if mutant.name in other.read_text(encoding="utf-8"):
            yield from ((other, _body(node)) for node in _functions(parsed(other)) if _names(node, mutant.name))
    for node in _functions(parsed(file)):
        if place.first <= node.lineno <= place.last:
            yield file, _body(node)


def statement(file: Path, line: int) -> int | None:
    """The first line of the innermost statement of a function at a line, one that another can be put before."""
    texts = file.read_text(encoding="utf-8").splitlines()
    firsts = [
        node.lineno
        for function in _functions(parsed(file))
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and not isinstance(node, DEFINITIONS)
        if _body(function) <= node.lineno <= line <= (node.end_lineno or 0)
        if not texts[node.lineno - 1][: node.col_offset].strip()
        if not texts[node.lineno - 1].lstrip().startswith("elif ")
    ]
    return max(firsts, default=None)


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))


def _body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The first line of a function after its docstring; that of the docstring where there is nothing else."""
    stated = ast.get_docstring(function) is not None and len(function.body) > 1
    node = function.body[1 if stated else 0]
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])


def _names(function: ast.AST, name: str) -> bool:
    return any(getattr(node, "id", None) == name or getattr(node, "attr", None) == name for node in ast.walk(function))
