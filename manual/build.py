"""The documentation site: `make site` writes build/site/VERSION/{en,es}/ out of docs/, docstrings and notebooks.

Guide and notebooks are in both languages; what is in English alone is in the Spanish site too, and says so. A link that
leads nowhere, an address of another server that a page would fetch from, and more than 25 MB are errors.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

import yaml

import dprelease
from dprelease.model.statistic import KINDS
from dprelease.model.version import VERSION
from dprelease.web.api import OPERATIONS
from dprelease.web.openapi import description
from dprelease.workspace import Workspace
from dprelease.workspace.operations import Operations
from manual import notebooks

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "build/site"
MAX_MB = 25
ATTRIBUTES = (property, cached_property)
NOTEBOOKS = ("first-release", "reading", "monthly")
FETCHED = re.compile(
    r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?(https?:)?//[^"'> ]+|@import|url\(["']?https?:"""
)
"""What a browser fetches by itself from another server; links that somebody presses are none."""
LOCAL = re.compile(r"""(?:href|src)=["']?(?!/)([^"'\s>#:?]+)["'\s>#?]""")
"""Links to files of the site."""
WORDS: dict[str, dict[str, str]] = {
    "en": {
        "home": "Home",
        "guide": "Guide",
        "programs": "For programs",
        "trust": "What is promised",
        "office": "In an office",
        "inside": "How it is made",
        "reference": "Reference",
        "kinds": "Options of statistics",
        "http": "HTTP",
        "names": "Public names",
        "notebooks": "Notebooks",
        "download": "Download as a notebook",
        "drawn": "Everything below was run when this page was made; its noise was drawn then.",
        "option": "option",
        "type": "takes",
        "english": "",
    },
    "es": {
        "home": "Inicio",
        "guide": "Guía",
        "programs": "Para programas",
        "trust": "Lo que se promete",
        "office": "En una oficina",
        "inside": "Cómo está hecho",
        "reference": "Referencia",
        "kinds": "Opciones de las estadísticas",
        "http": "HTTP",
        "names": "Nombres públicos",
        "notebooks": "Cuadernos",
        "download": "Descargar como cuaderno",
        "drawn": "Todo lo que sigue se ejecutó al hacer esta página; su ruido se sorteó entonces.",
        "option": "option",
        "type": "takes",
        "english": '!!! note "Solo en inglés"\n\n    Esta página no está traducida.\n\n',
    },
}
GUIDE = ("start", "bring-data", "describe-columns", "workbench", "epsilon", "approve", "several", "teach")
SECTIONS = {
    "programs": (
        "python",
        "plan",
        "reading",
        "using-models",
        "using-rows",
        "combining",
        "readers",
        "api",
        "remote",
        "stability",
    ),
    "trust": (
        "privacy",
        "trust",
        "verify",
        "security",
        "accuracy",
        "accuracy-plans",
        "accuracy-models",
        "accuracy-synthetic",
        "audit",
        "audit-models",
    ),
    "office": ("deployment", "operations", "review", "ledger", "portal", "engines", "performance", "federation", "lab"),
    "inside": ("design", "decisions", "new-statistic", "translation"),
    "reference": ("bundle", "formats"),
}
BESIDE = {
    "README.md": "index.md",
    "SECURITY.md": "SECURITY.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
}
"""Pages that lie beside docs/, with their places in the site."""


def slug(text: str, separator: str) -> str:
    """Return the anchor of a heading, as GitHub makes it: the links of docs/ are read there too."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def staged(language: str, executed: dict[str, list[notebooks.NotebookCell]], folder: Path) -> None:
    """Lay out the pages of a language, as docs/ has them."""
    words = WORDS[language]
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("es", "notebooks"))
    for path in folder.rglob("*.md"):
        own = ROOT / "docs/guide/es" / path.name
        if language == "es" and path.parent.name == "guide":
            path.write_text(own.read_text().replace("](../../", "](../").replace("](../images/", "](images/"))
        elif words["english"]:
            path.write_text(f"{words['english']}{path.read_text()}")
    for source, place in BESIDE.items():
        own = ROOT / (source.replace(".md", ".es.md") if source == "README.md" and language == "es" else source)
        text = re.sub(r"^\[[^\]]+\]\(README(\.es)?\.md\)\n", "", own.read_text(), flags=re.M)
        text = re.sub(r"""(\]\(|src=")docs/(guide/)?(es/)?""", r"\1\2", text)
        (folder / place).write_text(text)
    (folder / "notebooks").mkdir()
    for name, cells in executed.items():
        download = f"{words['drawn']} [{words['download']}]({name}.ipynb)"
        text = notebooks.as_markdown(cells, download).replace("](../../", "](../")
        (folder / f"notebooks/{name}.md").write_text(text)
        (folder / f"notebooks/{name}.ipynb").write_text(notebooks.as_notebook(cells))
    for path in (path for path in folder.rglob("*.md") if path.parent.name != "notebooks"):
        path.write_text(_without_outside(path.read_text().replace("](../SECURITY.md", "](SECURITY.md"), path))
    for name, text in {
        "names": "\n".join(_names()),
        "kinds": "\n".join(_kinds(words)),
        "http": "\n".join(_http()),
    }.items():
        (folder / "reference").mkdir(exist_ok=True)
        (folder / f"reference/{name}.md").write_text(f"{words['english']}# {words[name]}\n\n{text}\n")
    shutil.copy(ROOT / "manual/site.css", folder / "site.css")


def _without_outside(text: str, path: Path) -> str:
    """Turn links to files that are no pages into their names: the site holds no sources."""

    def name(found: re.Match[str]) -> str:
        target = found[2].partition("#")[0]
        stays = "://" in target or not target or (path.parent / target).is_file()
        return found[0] if stays else found[1]

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", name, text)


def _names() -> Iterator[str]:
    """Yield the reference: every public name, and every operation of the nouns of a workspace."""
    nouns = {name: type(each) for name, each in vars(Workspace.in_memory()).items() if isinstance(each, Operations)}
    for name in dprelease.__all__:
        if name not in dprelease.KINDS.split() and name != "errors":
            found = getattr(dprelease, name)
            yield _told(name, f"dp.{name}", found, 2)
            if inspect.isclass(found) and not issubclass(found, Exception):
                yield from _members(f"{name}.", found)
    for name, cls in nouns.items():
        yield f"## `ws.{name}`\n\n{inspect.cleandoc(cls.__doc__ or '')}\n"
        yield from _members(f"ws.{name}.", cls)


def _members(prefix: str, cls: type) -> Iterator[str]:
    for name in sorted(vars(cls).keys() | {each for base in cls.__mro__[1:-1] for each in vars(base)}):
        found = getattr(cls, name, None)
        if not name.startswith("_") and (isinstance(found, ATTRIBUTES) or inspect.isroutine(found)):
            yield _told(name, f"{prefix}{name}", found, 3)


def _told(name: str, shown: str, found: Any, level: int) -> str:
    """Return a name with its signature and its docstring, whose examples are code."""
    said = inspect.getdoc(found) or ""
    text = re.sub(r"((?:^    .*\n?)+)", _as_code, f"{said}\n", flags=re.M) if "    >>> " in said else said
    head = f"{'#' * level} `{shown}`\n"
    if isinstance(found, ATTRIBUTES) or inspect.isclass(found):
        return f"{head}\n{text}\n"
    signature = re.sub(r"^\((?:self|cls)(?:, )?", "(", str(inspect.signature(found)))
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature)
    told = textwrap.fill(
        f"{name}{signature}", 96, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return f"{head}\n```python\n{told}\n```\n\n{text}\n"


def _as_code(found: re.Match[str]) -> str:
    return f"\n```pycon\n{textwrap.dedent(found[1]).rstrip()}\n```\n"


def _kinds(words: dict[str, str]) -> Iterator[str]:
    """Yield the options of each kind, as its class declares them."""
    for kind, cls in sorted(KINDS.items()):
        yield f"## `{kind}`\n\n{(getattr(dprelease, kind).__doc__ or '').strip()}\n"
        if options := cls.options():
            yield f"| {words['option']} | {words['type']} |\n|---|---|"
            yield from (f"| `{name}` | {_takes(reader)} |" for name, reader in options.items())
            yield ""


def _takes(reader: Any) -> str:
    told = getattr(reader, "words", None)
    return (
        ", ".join(f"`{word}`" for word in told)
        if told
        else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(reader).__name__).lower()
    )


def _http() -> Iterator[str]:
    """Yield the public interface, as its OpenAPI description has it."""
    for path, verbs in description(OPERATIONS)["paths"].items():
        for verb, told in verbs.items():
            if verb == "get":
                yield f"## `GET {path}`\n\n{told.get('description') or told.get('summary', '')}\n"
                for each in told.get("parameters", ()):
                    yield f"- `{each['name']}`: {each.get('description', '')}"
                yield ""


def nav(language: str) -> list[Any]:
    """Return what the menu of a language lists."""
    words = WORDS[language]
    pages = {key: [f"{name}.md" for name in names] for key, names in SECTIONS.items()}
    pages["trust"][1:1] = sorted(f"privacy/{path.name}" for path in (ROOT / "docs/privacy").glob("*.md"))
    pages["trust"].append("SECURITY.md")
    pages["inside"] += ["CONTRIBUTING.md", "CHANGELOG.md"]
    pages["reference"] = [{words[each]: f"reference/{each}.md"} for each in ("names", "kinds", "http")] + pages[
        "reference"
    ]
    pages["programs"].insert(0, {words["notebooks"]: [f"notebooks/{name}.md" for name in NOTEBOOKS]})  # type: ignore[arg-type]
    guide = {words["guide"]: [f"guide/{name}.md" for name in GUIDE]}
    return [
        {words["home"]: "index.md"},
        guide,
        *({words[key]: pages[key]} for key in ("programs", "trust", "office", "inside", "reference")),
    ]


def build(out: Path = SITE / VERSION) -> Path:
    """Build both languages. Raises SystemExit with what is wrong."""
    shutil.rmtree(out, ignore_errors=True)
    with TemporaryDirectory() as scratch:
        for language in WORDS:
            folder = Path(scratch, language)
            staged(language, dict(executed(language)), folder / "docs")
            other = {"es": "../en/", "en": "../es/"}[language]
            names = {"en": "English", "es": "Español"}
            own = {
                "INHERIT": str(ROOT / "manual/mkdocs.yml"),
                "docs_dir": str(folder / "docs"),
                "site_dir": str(out / language),
                "theme": {"language": language},
                "nav": nav(language),
                "extra": {
                    "alternate": [
                        {"name": names[each], "lang": each, "link": other if each != language else "./"}
                        for each in names
                    ]
                },
            }
            (folder / "mkdocs.yml").write_text(yaml.safe_dump(own, allow_unicode=True))
            command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-f", str(folder / "mkdocs.yml")]
            subprocess.run(command, check=True, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    versions = sorted((path.name for path in out.parent.iterdir() if path.is_dir()), reverse=True)
    (out.parent / "versions.json").write_text(json.dumps(versions) + "\n")
    if wrong := list(faults(out)):
        raise SystemExit("\n".join(wrong))
    return out


def executed(language: str) -> Iterator[tuple[str, list[notebooks.NotebookCell]]]:
    """Yield the notebooks of a language, run."""
    from dprelease.words.language import speaking

    for name in NOTEBOOKS:
        path = notebooks.FOLDER / ("es" if language == "es" else "") / f"{name}.md"
        with TemporaryDirectory() as folder, speaking(language):
            yield name, list(notebooks.run(path.read_text(), Path(folder)))


def faults(out: Path) -> Iterator[str]:
    """Yield what is wrong with a built site: its size, and what it would fetch from elsewhere."""
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
    if size > MAX_MB:
        yield f"{out}: {size:.1f} MB, at most {MAX_MB}"
    for path in (*out.rglob("*.html"), *out.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        if found := FETCHED.search(text):
            yield f"{path}: fetches {found[0]}"
        for target in sorted(set(LOCAL.findall(text)) if path.name != "404.html" else ()):
            if not (path.parent / unquote(target)).exists():
                yield f"{path}: leads to {target}, which is not there"


if __name__ == "__main__":
    sys.stdout.write(f"{build()}\n")
