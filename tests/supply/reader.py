"""Builds dprelease-reader, `make reader`: the modules that reading takes, by their imports, under a name of their own.

A module is taken if one of ROOTS imports it when it is loaded. Each import of `dprelease`, and each text that is the
place of one of its modules, is renamed; nothing else changes.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from dprelease.words.catalogue import ENGLISH, compiled, compiled_name

ROOT = Path(__file__).resolve().parents[2]
OWN, NAME = "dprelease", "dprelease_reader"
ROOTS = ("dprelease.verdict.loading", "dprelease.bundle.release_view")
FOLDER = Path("adapters", "reader")


def path_of(module: str, root: Path = ROOT) -> Path | None:
    """File of a module of the checkout; None where it has none."""
    place = root.joinpath(*module.split("."))
    found = (place / "__init__.py", place.with_suffix(".py"))
    return next((path for path in found if path.is_file()), None)


def imported(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports that take place when a module is loaded: not those of functions, or for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from (each for other in node.orelse for each in imported(other))
        elif not isinstance(node, ast.FunctionDef):
            yield from imported(node)


def modules() -> tuple[list[str], set[str]]:
    """The modules that reading takes, and the packages of others that these import."""
    waiting, taken, others = list(ROOTS), set[str](), set[str]()
    while waiting:
        module = waiting.pop()
        path = path_of(module)
        if module in taken or module == OWN or path is None:
            continue
        taken.add(module)
        names = [module.rpartition(".")[0]]
        for node in imported(ast.parse(path.read_text("utf-8"))):
            own = [each.name for each in node.names]
            names += own if isinstance(node, ast.Import) else [node.module or "", *(f"{node.module}.{n}" for n in own)]
        waiting += [name for name in names if name.startswith(f"{OWN}.")]
        others |= {name.partition(".")[0] for name in names if name}
    return sorted(taken), others - {OWN} - sys.stdlib_module_names


def renamed(source: str) -> str:
    """A module with its imports of `dprelease`, and the places of modules in it, under the other name."""
    lines = source.encode().splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            places = [(node.lineno, node.col_offset)] if (node.module or "").partition(".")[0] == OWN else []
        elif isinstance(node, ast.Import):
            places = [(each.lineno, each.col_offset) for each in node.names if each.name.partition(".")[0] == OWN]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(f"{OWN}."):
            places = [(node.lineno, node.col_offset)] if path_of(node.value.partition(":")[0]) else []
        else:
            continue
        for line, column in places:
            before, after = lines[line - 1][:column], lines[line - 1][column:]
            lines[line - 1] = before + after.replace(OWN.encode(), NAME.encode(), 1)
    return b"".join(lines).decode()


def lay(out: Path) -> None:
    """Write what the distribution is built from into an empty folder."""
    taken, _ = modules()
    for module in taken:
        path = path_of(module)
        assert path is not None
        place = out / NAME / path.relative_to(ROOT / OWN)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(renamed(path.read_text("utf-8")), "utf-8")
    (out / NAME / "__init__.py").write_text(renamed((ROOT / FOLDER / "__init__.py").read_text("utf-8")), "utf-8")
    words = out / NAME / "words" / ENGLISH
    words.mkdir()
    rooms = {module.split(".")[1] for module in taken}
    for path in sorted((ROOT / OWN / "words" / ENGLISH).glob("*.po")):
        if path.stem in rooms:
            source = path.read_bytes()
            (words / path.name).write_bytes(source)
            (words / compiled_name(path, source)).write_bytes(compiled(source, ENGLISH))
    for name in ("README.md", "pyproject.toml"):
        shutil.copyfile(ROOT / FOLDER / name, out / name)
    shutil.copyfile(ROOT / "LICENSE", out / "LICENSE")


def build(out: Path) -> Path:
    """Write the wheel into a folder. Raises CalledProcessError."""
    offline = ("--no-deps", "--no-build-isolation", "--no-index")
    with TemporaryDirectory() as place:
        lay(Path(place))
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", *offline, "--wheel-dir", str(out), place]
        subprocess.run(command, check=True, capture_output=True, text=True)
    (wheel,) = out.glob(f"{NAME}-*.whl")
    return wheel


if __name__ == "__main__":
    print(build(ROOT / "dist"))
