"""The rules of the house that a program can check: who imports whom, what nobody imports, and what is pinned.

Every check here is also shown a violation, so that a check which can no longer fail is noticed.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ROOMS = (
    *("adversaries", "bundle", "charts", "cli", "codebook", "mechanisms", "model", "portal"),
    *("statements", "statistics", "store", "table", "ui", "verdict", "web", "words", "workspace", "worstcase"),
)

NOWHERE: tuple[str, ...] = ()
ONLY_IN = {
    # Randomness that protects people comes from OpenDP, in one room.
    "random": NOWHERE,
    "numpy.random": NOWHERE,
    "opendp": ("dprelease/mechanisms/library.py", "dprelease/mechanisms/self_test.py"),
    # Chance that everybody knows, for pictures: it protects nobody.
    "dprelease.extras.lab.chance": ("dprelease/extras/lab/",),
    # Reading a pickle runs whatever is in it.
    "pickle": NOWHERE,
    "joblib": NOWHERE,
    "marshal": NOWHERE,
    "shelve": NOWHERE,
    # What a published model may be made an estimator of.
    "sklearn": ("dprelease/model/function/scikit.py",),
    # The private rows, and the SQL of our own.
    "duckdb": ("dprelease/table/",),
    "psycopg": ("dprelease/extras/warehouses/",),
    "pyspark": ("dprelease/extras/warehouses/",),
    "py4j": ("dprelease/extras/warehouses/",),
    "sqlite3": ("dprelease/store/", "dprelease/portal/search.py"),
    "sqlite_utils": ("dprelease/store/",),
    # The screen and the wire.
    "streamlit": ("app.py", "pages/", "dprelease/ui/", "dprelease/extras/federation/page/"),
    "starlette": (
        "app.py",
        "dprelease/web/",
        "dprelease/extras/federation/routes.py",
        "dprelease/extras/remote/routes.py",
    ),
    # The screens stand on the library, never the other way round.
    "app": NOWHERE,
    "pages": ("app.py",),
}
"""Module to the files and folders that may import it."""

CLOSED_TO_PAGES = ("dprelease.table", "dprelease.store", "dprelease.mechanisms", "dprelease.accounting")
IMPORT_NAMES = {
    "argon2-cffi": "argon2",
    "markdown-it-py": "markdown_it",
    "pyyaml": "yaml",
    "vl-convert-python": "vl_convert",
}
"""Distribution to the module it installs, where the two differ by more than a hyphen."""
OF_AN_EXTRA = ("spark.py", "spark_application.py", "spark_fault.py")
"""Imported where the extra is installed only."""
PARTS = ("desk", "codebooks", "figures", "pdf", "postgresql", "timestamp")
"""Extras that every lock holds."""
IF_THERE = {"sklearn"}
"""What one function uses where somebody has it, and which no installation asks for."""
DRAWN_BY_HAND = ("dprelease/ui/shell.py", "dprelease/bundle/page.py", "dprelease/charts/spark.py")
"""The mark of the product, an empty picture in the place of one that is put there later, and bars without words."""
VAGUE_NAMES = ("utils.py", "util.py", "helpers.py", "common.py", "misc.py")
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM"
    r"|(CREATE|DROP|ALTER)\s+(TABLE|VIEW|INDEX|TRIGGER)|PRAGMA\s+\w|BEGIN\s+IMMEDIATE)\b",
    re.DOTALL,
)


def production_files() -> list[Path]:
    folders = [path for name in ("dprelease", "pages") for path in sorted((ROOT / name).rglob("*.py"))]
    return [*([ROOT / "app.py"] if (ROOT / "app.py").exists() else []), *folders]


def imported(tree: ast.AST) -> Iterator[str]:
    """Every dotted name that a file imports, wherever in the file it does so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_within(name: str, module: str) -> bool:
    return name == module or name.startswith(module + ".")


def violations(path: str, source: str) -> list[str]:
    """What one production file, given by its path from the root, does against the rules."""
    tree = ast.parse(source)
    names = list(imported(tree))
    found = [
        f"imports {name}"
        for name in names
        for module, allowed in ONLY_IN.items()
        if is_within(name, module) and not path.startswith(allowed)
    ]
    if path.startswith("pages/"):
        found += [
            f"a page imports {name}" for name in names if any(is_within(name, closed) for closed in CLOSED_TO_PAGES)
        ]
    if path.startswith("dprelease/") and path != "dprelease/__main__.py":
        found += [
            f"imports {name} from the top of the package, which stands above every room"
            for name in names
            if is_within(name, "dprelease") and not is_a_room(name)
        ]
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="random"):
                found.append("uses numpy.random")
            case ast.Call(func=ast.Name(id="eval" | "exec" | "__import__" as name)):
                found.append(f"calls {name}")
            case ast.ImportFrom(level=level) if level:
                found.append("imports relatively")
            case ast.Constant(value=str(text)) if path.startswith("pages/") and SQL.search(text):
                found.append("a page holds SQL")
            case ast.Constant(value=str(text)) if path not in DRAWN_BY_HAND and re.search(r"<(svg|path)\b", text):
                found.append("draws by hand what the room of charts draws")
            case ast.Call(func=ast.Attribute(attr="execute" | "executemany" | "executescript")) if path.startswith(
                "pages/"
            ):
                found.append("a page runs SQL")
    if Path(path).name in VAGUE_NAMES:
        found.append("has a name that says nothing")
    return found


def is_a_room(name: str) -> bool:
    parts = name.split(".")
    return len(parts) > 1 and parts[1] in (*ROOMS, "accounting", "errors", "extras", "registry")


def third_party(source: str) -> set[str]:
    """The packages a file imports that are neither Python's own nor this project's."""
    tops = {name.split(".")[0] for name in imported(ast.parse(source))}
    return tops - sys.stdlib_module_names - {"dprelease", "pages", "app"}


def test_every_file_keeps_the_house_rules() -> None:
    sources = {path.relative_to(ROOT).as_posix(): path.read_text() for path in production_files()}
    assert {path: found for path, source in sources.items() if (found := violations(path, source))} == {}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("dprelease/mechanisms/laplace.py", "import random"),
        ("dprelease/mechanisms/laplace.py", "from numpy import random"),
        ("dprelease/mechanisms/laplace.py", "import numpy as np\nrng = np.random.default_rng()"),
        ("dprelease/statistics/kinds/count.py", "def draw():\n    import opendp.prelude as dp"),
        ("dprelease/mechanisms/laplace.py", "from dprelease.extras.lab.chance import uniforms"),
        ("dprelease/ui/workbench/attack.py", "from dprelease.extras.lab import chance"),
        ("dprelease/store/ledger.py", "import pickle"),
        ("dprelease/store/ledger.py", "from dprelease import __version__"),
        ("dprelease/store/ledger.py", "import dprelease"),
        ("dprelease/store/ledger.py", "from .rows import Row"),
        ("dprelease/table/engine.py", "import joblib"),
        ("dprelease/table/engine.py", "eval('1')"),
        ("dprelease/table/engine.py", "exec('1')"),
        ("dprelease/table/utils.py", ""),
        ("dprelease/workspace/publish.py", "import sqlite3"),
        ("dprelease/workspace/publish.py", "import streamlit as st"),
        ("dprelease/workspace/publish.py", "from pages import home"),
        ("dprelease/ui/kit/charts.py", "from starlette.responses import Response"),
        ("dprelease/helpers.py", ""),
        ("pages/plan.py", "import duckdb"),
        ("pages/plan.py", "import sqlite_utils"),
        ("pages/plan.py", "from opendp.mod import Measurement"),
        ("pages/plan.py", "from dprelease.table import Table"),
        ("pages/plan.py", "from dprelease import store"),
        ("pages/plan.py", "from dprelease.mechanisms.laplace import DiscreteLaplace"),
        ("pages/plan.py", "QUERY = 'SELECT name FROM datasets'"),
        ("pages/plan.py", "connection.execute(query)"),
        ("dprelease/portal/card.py", "BAR = '<path d=\"M0,0h9\"/>'"),
    ],
)
def test_a_broken_rule_is_seen(path: str, source: str) -> None:
    assert violations(path, source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("app.py", "import streamlit as st\nfrom starlette.routing import Route\nfrom pages import home"),
        ("pages/plan.py", "import streamlit as st\nst.write('Select a dataset from the list')"),
        (
            "pages/plan.py",
            "import dprelease\nfrom dprelease import ui\nfrom dprelease.workspace import Workspace",
        ),
        ("dprelease/cli/data.py", "from dprelease import errors\nfrom dprelease.workspace import Workspace"),
        ("dprelease/table/engine.py", "import duckdb\nimport re\nre.compile('x')"),
    ],
)
def test_a_kept_rule_is_left_alone(path: str, source: str) -> None:
    assert violations(path, source) == []


def test_production_imports_only_what_it_declares() -> None:
    declared = {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in direct_dependencies("runtime")}
    files = (path for path in production_files() if path.name not in OF_AN_EXTRA)
    used = set().union(*(third_party(path.read_text()) for path in files))
    assert used - declared == IF_THERE


def test_what_an_extra_installs_is_imported_in_its_own_files_only() -> None:
    used = set().union(
        *(third_party((ROOT / "dprelease/extras/warehouses" / name).read_text()) for name in OF_AN_EXTRA)
    )
    assert used - {"numpy"} == spark_extra()


def spark_extra() -> set[str]:
    return {re.split("[<>=]", line)[0] for line in PYPROJECT["project"]["optional-dependencies"]["spark"]}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_imports_go_down_only() -> None:
    answer = lint_imports(ROOT)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def circles(sources: dict[str, str]) -> set[tuple[str, str]]:
    """Pairs of modules that import one another, wherever in the file; what only a type checker reads is left out."""
    needs = {module: set(_needed(source, sources)) for module, source in sources.items()}
    return {(one, other) for one in needs for other in needs[one] if one < other and one in needs.get(other, ())}


def _needed(source: str, modules: dict[str, str]) -> Iterator[str]:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    for name in imported(tree):
        yield name if name in modules else name.rpartition(".")[0]


def test_no_two_files_import_one_another() -> None:
    paths = [path for path in production_files() if path.name != "__init__.py"]
    named = {".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text() for path in paths}
    assert circles(named) == set()


def test_a_circle_is_seen() -> None:
    lazy = "def f():\n    from h.a import x"
    assert circles({"h.a": "from h.b import y", "h.b": lazy}) == {("h.a", "h.b")}
    assert circles({"h.a": "from h import b", "h.b": "import h.a"}) == {("h.a", "h.b")}
    assert circles({"h.a": "from h.b import y", "h.b": "if TYPE_CHECKING:\n    from h.a import X"}) == set()


@pytest.fixture
def bare_house(tmp_path: Path) -> Path:
    """A project with these contracts and rooms, and nothing in them but the imports a contract asks for."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    package = tmp_path / "dprelease"
    contracts = PYPROJECT["tool"]["importlinter"]["contracts"]
    named = {
        name
        for contract in contracts
        for key in ("source_modules", "allowed_importers")
        for name in contract.get(key, ())
    }
    extras = {
        name.removeprefix("dprelease.").replace(".", "/") for name in named if "extras" in name and "*" not in name
    }
    for folder in sorted({*ROOMS, "extras", *extras, *(str(Path(name).parent) for name in extras)}):
        (package / folder).mkdir(parents=True, exist_ok=True)
        (package / folder / "__init__.py").touch()
    closed = [name.split(".")[1:] for contract in contracts for name in contract.get("forbidden_modules", ())]
    inner = ["/".join(parts) for parts in closed if len(parts) == 2]
    for module in ("__init__", "__main__", "accounting", "errors", "registry", *inner):
        (package / f"{module}.py").touch()
    (package / "ui" / "__init__.py").write_text("import streamlit\n")
    (package / "web" / "__init__.py").write_text("import starlette\n")
    (package / "charts" / "render.py").write_text("import altair\nimport vl_convert\n")
    return tmp_path


def test_the_bare_house_keeps_every_contract(bare_house: Path) -> None:
    answer = lint_imports(bare_house)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("path", "source", "complaint"),
    [
        ("model/plan.py", "import dprelease.table", "Imports go down only"),
        ("statistics/answer.py", "import dprelease.store", "Imports go down only"),
        ("table/engine.py", "import dprelease.mechanisms", "Imports go down only"),
        ("web/routes.py", "import dprelease.ui", "Imports go down only"),
        ("cellar/__init__.py", "", "Imports go down only"),
        ("cli/data.py", "import dprelease.table", "Private rows"),
        ("bundle/tables.py", "import dprelease.table", "Private rows"),
        ("workspace/preview.py", "import streamlit", "Streamlit"),
        ("store/users.py", "import starlette", "Starlette"),
        ("ui/shell.py", "from dprelease.store import plans", "no table of the ledger"),
        ("ui/told.py", "from dprelease.bundle import write", "by the doors"),
        ("bundle/write.py", "import dprelease.portal", "Imports go down only"),
        ("charts/data.py", "import dprelease.bundle", "Imports go down only"),
        ("ui/burn_chart.py", "import altair", "composed and drawn in one room"),
        ("charts/forms.py", "import vl_convert", "drawn by one file"),
        ("portal/pages.py", "import dprelease.workspace", "Imports go down only"),
        ("portal/shelf.py", "import dprelease.store", "The portal knows what is public only"),
        ("verdict/verify.py", "import dprelease.workspace", "A release is checked without the ledger"),
        ("verdict/standing.py", "import dprelease.store", "A release is checked without the ledger"),
        ("statistics/mean.py", "import dprelease.verdict", "Imports go down only"),
        ("extras/remote/noun.py", "import dprelease.table", "no way of its own to a row"),
        ("worstcase/loss.py", "import dprelease.mechanisms", "shares nothing with the first"),
        ("worstcase/world.py", "import dprelease.model", "shares nothing with the first"),
        ("worstcase/reach.py", "import opendp", "shares nothing with the first"),
    ],
)
def test_import_linter_sees_a_broken_contract(bare_house: Path, path: str, source: str, complaint: str) -> None:
    target = bare_house / "dprelease" / path
    target.parent.mkdir(exist_ok=True)
    target.write_text(source + "\n")
    answer = lint_imports(bare_house)
    assert answer.returncode != 0
    assert re.search(rf"{complaint}.* BROKEN", answer.stdout), answer.stdout


def normal(name: str) -> str:
    """A distribution's name in the one spelling that locks use."""
    return re.sub(r"[-_.]+", "-", name).lower()


def direct_dependencies(kind: str) -> set[str]:
    project = PYPROJECT["project"]
    declared = list(project["dependencies"])
    for part in PARTS:
        declared += project["optional-dependencies"][part]
    if kind == "development":
        declared += project["optional-dependencies"]["dev"]
    return {normal(re.split(r"[<>=!~;\[ ]", line)[0]) for line in declared}


def pins(lock: str) -> dict[str, tuple[str, int]]:
    """What a lock pins: distribution to its version and the number of its hashes."""
    entries = re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)[^\n]*\n((?:    --hash=\S+(?: \\)?\n)*)", lock, re.MULTILINE)
    return {normal(name): (version, hashes.count("--hash=sha256:")) for name, version, hashes in entries}


SPARK_LOCK = "requirements-spark.txt"
FLOWER_LOCK = "adapters/flower/requirements.txt"
LOCKS = {"requirements.txt": "runtime", "requirements-dev.txt": "development"}


@pytest.mark.parametrize(("name", "kind"), LOCKS.items())
def test_every_dependency_is_pinned_with_hashes(name: str, kind: str) -> None:
    lock = (ROOT / name).read_text()
    pinned = pins(lock)
    requirements = [line for line in lock.splitlines() if re.match(r"[^\s#]", line)]
    assert len(pinned) == len(requirements), "a line of the lock is not a pin"
    assert [package for package, (_, hashes) in pinned.items() if not hashes] == []
    assert direct_dependencies(kind) - pinned.keys() == set()


def test_both_locks_agree() -> None:
    runtime, development = (pins((ROOT / name).read_text()) for name in LOCKS)
    assert {name: development.get(name) for name in runtime} == runtime


def test_the_lock_of_the_extra_holds_nothing_else() -> None:
    assert pins((ROOT / SPARK_LOCK).read_text()).keys() == spark_extra()


@pytest.mark.parametrize("name", [*LOCKS, SPARK_LOCK, FLOWER_LOCK])
def test_a_lock_names_no_place(name: str) -> None:
    """The same lock serves every machine and every mirror of the package index."""
    assert (
        re.findall(r".*(?:://|file:|--index-url|--extra-index-url|--find-links|^/).*", (ROOT / name).read_text()) == []
    )
