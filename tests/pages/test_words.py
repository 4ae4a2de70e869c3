"""Words on screen are in one place, complete, and all in use; pages are listed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from dprelease.model.column import COLUMN_OPTIONS
from dprelease.model.options import Choice
from dprelease.model.plan import STEPS, WEIGHTS
from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.model.stated import Basis
from dprelease.model.statistic import KINDS
from dprelease.statistics import STATISTICS
from dprelease.store.event import EventKind
from dprelease.ui.screens import SCREENS
from dprelease.ui.words import WORDS
from dprelease.ui.workbench.statistic_draft import SHARES

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (ROOT / "dprelease").glob("extras/*/page/**/*.py")
FILES = sorted([*(ROOT / "pages").glob("*.py"), *(ROOT / "dprelease" / "ui").rglob("*.py"), *ROOMS])
LAB = sorted((ROOT / "dprelease" / "extras" / "lab").rglob("*.py"))
"""Its public pages say the same words as the dashboard."""
SPEAKERS = {"say", "say_label", "say_html", "known", "counted", "text", "note", "heading", "lead", "flash", "act"}
PLACE = re.compile(r"\{(\w*)\}")


def spoken(tree: ast.AST) -> Iterator[str]:
    """Every literal that a function of words is called with as its key."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in SPEAKERS:
                yield from (
                    part.value
                    for part in ast.walk(node.args[0])
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                )


def mentioned(tree: ast.AST) -> Iterator[str]:
    return (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_spoken_key_has_words(path: Path) -> None:
    tree = ast.parse(path.read_text())
    formatted = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in mentioned(node)}
    compared = {part for node in ast.walk(tree) if isinstance(node, ast.Compare) for part in mentioned(node)}
    unknown = set(spoken(tree)) - WORDS.keys() - formatted - compared
    assert unknown <= {"", "fields", "label"}, unknown


def test_every_word_is_used() -> None:
    trees = [ast.parse(path.read_text()) for path in (*FILES, *LAB)]
    literal = {text.removeprefix("ui.") for tree in trees for text in mentioned(tree)}
    patterns = [
        re.compile("".join(re.escape(part.value) if isinstance(part, ast.Constant) else r"\w+" for part in node.values))
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        and all(not isinstance(part, ast.Constant) or re.fullmatch(r"\w+", str(part.value)) for part in node.values)
        and any(isinstance(part, ast.Constant) and len(str(part.value)) > 2 for part in node.values)
    ]
    unused = [key for key in WORDS if key not in literal and not any(each.fullmatch(key) for each in patterns)]
    assert unused == []


def test_every_kind_option_event_and_basis_has_words() -> None:
    wanted = {f"kind_{kind}" for kind in KINDS} | {f"name_{kind}" for kind in KINDS}
    wanted |= {f"option_{name}" for statistic in STATISTICS for name in statistic.options()}
    wanted |= {f"event_{kind.value}" for kind in EventKind}
    wanted |= {f"basis_{basis}" for basis in get_args(Basis)}
    wanted |= {f"relation_{each.value}" for each in NeighboringRelation}
    wanted |= {f"neighbors_{each.value}{end}" for each in NeighboringRelation for end in ("", "_help")}
    wanted |= {f"currency_{each.value}{end}" for each in Currency for end in ("", "_help")}
    wanted |= {f"column_{name}{end}" for name in COLUMN_OPTIONS for end in ("", "_help")}
    choices = (reader for statistic in STATISTICS for reader in statistic.options().values())
    wanted |= {f"choice_{word}" for reader in choices if isinstance(reader, Choice) for word in reader.words}
    wanted |= {f"share_{share}" for share in SHARES}
    wanted |= {f"weights_{way}" for way in ("itself", "own", *WEIGHTS)} | {f"step_{step}" for step in STEPS}
    wanted |= {f"{screen.key}_nav" for screen in SCREENS}
    assert wanted - WORDS.keys() == set()


def test_every_page_is_listed() -> None:
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == {screen.key for screen in SCREENS}


def test_no_word_holds_markup() -> None:
    """Words reach both HTML and Markdown."""
    assert [key for key, text in WORDS.items() if re.search(r"[<>`*_\[\]]", PLACE.sub("", text))] == [
        "neighbors_add_remove_help"
    ]
