"""What the rooms below the pages say in English, read from their source: each text with numbered places."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "dprelease"
ROOMS = (
    "accounting",
    "bundle",
    "codebook",
    "mechanisms",
    "model",
    "portal",
    "statistics",
    "store",
    "table",
    "verdict",
    "workspace",
)
PARTS = ("found", "allowed", "remedy")
WHOLE = {
    "BudgetError": ROOMS,
    "IntegrityError": ("store", *(f"workspace/{name}.py" for name in ("backup", "kept", "outside", "state"))),
}
"""Errors whose text is shown as it is, and where those arise that pages show."""
TOLD = {
    "verdict/certificate.py": ("caveats", "_answered", "_looked", "_beside"),
    "verdict/left_out.py": ("left_out", "_beyond"),
    "statistics/remarks.py": ("_above", "_below", "_apart"),
    "store/plans.py": ("lapse_within",),
}
"""Functions that put sentences together, by file."""
ALONE = ("nothing", "none")
"""Single words that are no names of keys or files."""
LETTERS = 3
"""A text with fewer letters of its own says nothing in any language."""

Node = ast.expr
Text = tuple[str | None, ...]
"""Pieces of a text; None is a place."""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def files() -> list[Path]:
    return sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def templates() -> dict[str, set[str]]:
    """Every text, with the files that say it."""
    result: dict[str, set[str]] = {}
    for path in files():
        for text in texts(path):
            template = numbered(text)
            letters = sum(letter.isalpha() for piece in text if piece for letter in piece)
            if letters >= LETTERS and (" " in template or template in ALONE) and "SELECT " not in template[:7]:
                result.setdefault(template, set()).add(path.relative_to(ROOT).as_posix())
    return result


def numbered(text: Text) -> str:
    pieces, places = "", 0
    for piece in text:
        pieces += f"{{{places}}}" if piece is None else piece.replace("{", "{{").replace("}", "}}")
        places += piece is None
    return pieces


def texts(path: Path) -> Iterator[Text]:
    file = path.relative_to(ROOT).as_posix()
    for function in tree(path).body if file in TOLD else ():
        if isinstance(function, ast.FunctionDef) and function.name in TOLD[file]:
            yield from told(function)
    for scope, node in calls(path):
        name = called(node)
        for keyword in node.keywords:
            if keyword.arg in PARTS and not (name == "mapping" and keyword.arg == "allowed"):
                yield from read(keyword.value, Place(path, scope))
        if file.startswith(WHOLE.get(name, ("nowhere",))):
            for argument in node.args:
                yield from read(argument, Place(path, scope))


def told(node: ast.AST) -> Iterator[Text]:
    """Every text of several words in a function, but its docstring."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr):
            yield tuple(part.value if isinstance(part, ast.Constant) else None for part in child.values)
        elif isinstance(child, ast.Constant) and isinstance(child.value, str) and child.value.count(" ") > 1:
            yield (child.value,)
        elif not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield from told(child)


def names(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


class Place:
    """Where an expression stands: what its names mean."""

    def __init__(self, path: Path, scope: tuple[ast.FunctionDef, ...]) -> None:
        self.path = path
        self.scope = scope

    def meanings(self, name: str) -> Iterator[tuple[Node, Place]]:
        for function in reversed(self.scope):
            found = list(assigned(function, name))
            arguments = function.args
            named = [*arguments.posonlyargs, *arguments.args]
            defaults = dict(zip([each.arg for each in named][::-1], arguments.defaults[::-1], strict=False))
            defaults |= {
                each.arg: value
                for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
                if value is not None
            }
            if found:
                yield from ((node, self) for node in found)
                return
            given = list(self.given(function, name))
            if name in defaults:
                given.append((defaults[name], self))
            if given:
                yield from given
                return
        whole = tree(self.path)
        for node in whole.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and name in names(node):
                yield node.value, Place(self.path, ())
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dprelease"):
                for alias in node.names:
                    source = ROOT.parent / (node.module.replace(".", "/") + ".py")
                    if (alias.asname or alias.name) == name and source.exists():
                        yield from Place(source, ()).meanings(alias.name)

    def given(self, function: ast.FunctionDef, name: str) -> Iterator[tuple[Node, Place]]:
        """What callers in the same file give for a parameter."""
        arguments = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        index = arguments.index(name) - (arguments[:1] in (["self"], ["cls"])) if name in arguments else -1
        for scope, node in calls(self.path):
            if called(node) == function.name:
                yield from ((word.value, Place(self.path, scope)) for word in node.keywords if word.arg == name)
                if 0 <= index < len(node.args):
                    yield node.args[index], Place(self.path, scope)

    def function(self, name: str) -> tuple[ast.FunctionDef, Place] | None:
        for node in tree(self.path).body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node, Place(self.path, (node,))
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dprelease"):
                for alias in node.names:
                    source = ROOT.parent / (node.module.replace(".", "/") + ".py")
                    if (alias.asname or alias.name) == name and source.exists():
                        return Place(source, ()).function(alias.name)
        return None


def assigned(function: ast.FunctionDef, name: str) -> Iterator[Node]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and name in names(node):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for part, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(part, ast.Name) and part.id == name:
                            yield value
                else:
                    yield node.value
        if isinstance(node, ast.NamedExpr) and node.target.id == name:
            yield node.value


def read(node: Node, place: Place, depth: int = 0) -> list[Text]:
    """The texts that an expression may come to."""
    if depth > 6:
        return []
    if isinstance(node, ast.Constant):
        return [(node.value,)] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return [tuple(part.value if isinstance(part, ast.Constant) else None for part in node.values)]
    if isinstance(node, ast.IfExp):
        return read(node.body, place, depth + 1) + read(node.orelse, place, depth + 1)
    if isinstance(node, ast.BoolOp):
        return [text for value in node.values for text in read(value, place, depth + 1)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = (read(side, place, depth + 1) or [(None,)] for side in (node.left, node.right))
        return [(*first, *last) for first, last in product(left, right)]
    if isinstance(node, ast.Name):
        return [text for value, where in place.meanings(node.id) for text in read(value, where, depth + 1)]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Dict):
        return read(node.value, place, depth + 1)
    if isinstance(node, ast.Dict):
        return [text for value in node.values for text in read(value, place, depth + 1)]
    if isinstance(node, ast.List | ast.Tuple):
        return [text for value in node.elts for text in read(value, place, depth + 1)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return [text for value in (node.func.value, *node.args[1:]) for text in read(value, place, depth + 1)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        found = place.function(node.func.id)
        if found is not None:
            return [
                text
                for part in ast.walk(found[0])
                if isinstance(part, ast.Return) and part.value is not None
                for text in read(part.value, found[1], depth + 1)
            ]
    return []


Scope = tuple[ast.FunctionDef, ...]


@cache
def calls(path: Path) -> list[tuple[Scope, ast.Call]]:
    """Every call, with the functions it stands in."""
    return [(scope, node) for scope, node in scoped(tree(path)) if isinstance(node, ast.Call)]


def scoped(node: ast.AST, scope: Scope = ()) -> Iterator[tuple[Scope, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        yield scope, child
        yield from scoped(child, (*scope, child) if isinstance(child, ast.FunctionDef) else scope)
