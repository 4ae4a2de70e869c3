"""A mutant: a symbol of the program, the text in it that changes, and what a user would suffer from that."""

from __future__ import annotations

import ast
import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LISTED = Path(__file__).with_name("mutants.toml")
PACKAGE = "dprelease"
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class UnknownSymbolError(Exception):
    """A dotted path leads to nothing, or to no text that occurs once."""


@dataclass(frozen=True, slots=True)
class Place:
    """The lines of a symbol in a file, both ends included, counted from 1."""

    file: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One wrong line. `symbol`: the dotted path of a function, method, class, or constant of a module or class."""

    symbol: str
    old: str
    """Occurs once in the lines of the symbol."""
    new: str
    harm: str
    was: str = ""
    """The symbol before it moved, where `symbol` is not there."""

    @property
    def id(self) -> str:
        """The symbol, and a hash that tells mutants of one symbol apart."""
        digest = hashlib.sha256("\0".join((self.old, self.new)).encode()).hexdigest()
        return f"{self.symbol}~{digest[:6]}"

    @property
    def room(self) -> str:
        """The folder or module right below the package."""
        return self.symbol.split(".")[1]

    @property
    def name(self) -> str:
        """The last part of the symbol."""
        return self.symbol.rpartition(".")[2]

    def offset(self, root: Path) -> tuple[Place, int]:
        """Returns the place of the symbol and where in the file's text the old text begins."""
        try:
            place = find(root, self.symbol)
        except UnknownSymbolError:
            if not self.was:
                raise
            place = find(root, self.was)
        lines = (root / place.file).read_text(encoding="utf-8").splitlines(keepends=True)
        before, text = "".join(lines[: place.first - 1]), "".join(lines[place.first - 1 : place.last])
        if (times := text.count(self.old)) != 1:
            raise UnknownSymbolError(f"{self.symbol}: {self.old!r} occurs {times} times in {place}, not once")
        return place, len(before) + text.index(self.old)

    def applied(self, root: Path) -> tuple[str, str]:
        """Returns the file, and its text with the new text in the place of the old."""
        place, start = self.offset(root)
        text = (root / place.file).read_text(encoding="utf-8")
        mutated = text[:start] + self.new + text[start + len(self.old) :]
        ast.parse(mutated)
        return place.file, mutated


def listed() -> list[Mutant]:
    """All mutants, in the order of the file."""
    return [Mutant(**fields) for fields in tomllib.loads(LISTED.read_text(encoding="utf-8"))["mutant"]]


def find(root: Path, symbol: str) -> Place:
    """Find a symbol by its dotted path: the longest part that is a module, and names of definitions in it."""
    parts = symbol.split(".")
    for length in range(len(parts) - 1, 0, -1):
        for file in (Path(*parts[:length]).with_suffix(".py"), Path(*parts[:length], "__init__.py")):
            if (root / file).is_file():
                node: ast.AST = parsed(root / file)
                for name in parts[length:]:
                    node = named(node, name, f"{symbol}: {file} has no {name}")
                assert isinstance(node, ast.stmt)
                return Place(file.as_posix(), _first_line(node), node.end_lineno or node.lineno)
    raise UnknownSymbolError(f"{symbol}: there is no such module")


@cache
def parsed(file: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"))


def named(parent: ast.AST, name: str, otherwise: str) -> ast.stmt:
    """The definition of a name in a module, class or function, also below its `if` and `with`."""
    for node in _own_statements(parent):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, DEFINITIONS) and node.name == name:
            return node
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return node
    raise UnknownSymbolError(otherwise)


def _own_statements(parent: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.stmt):
            yield node
            if not isinstance(node, DEFINITIONS):
                yield from _own_statements(node)


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
