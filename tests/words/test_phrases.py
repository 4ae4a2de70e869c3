"""What goes wrong is a code with values, and is said in the language of whoever reads it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from dprelease.errors import InputError, IntegrityError, PlanError
from dprelease.model.report import Report
from dprelease.words import NOTHING, Figure, Phrase, phrase, texts, verbatim
from dprelease.words.language import speaking

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "dprelease").rglob("*.py"), *(ROOT / "pages").glob("*.py")])
SHARED = ("bundle", "formats", "lab", "portal", "statements", "ui", "web")
"""Rooms whose catalogues hold more than what goes wrong: other tests look whether that is used."""
ROOMS = sorted(path.stem for path in (ROOT / "dprelease/words/en").glob("*.po"))
LITERAL = re.compile(r"[A-Za-z]+ .*[A-Za-z]")
ID = re.compile(r"[a-z]+\.\w+")
CHECK = re.compile(r"verdict\.\w+\.")
"""Sentences of a verdict: tests/verdict/test_check.py looks whether they are used."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one file of ours says."""

    sentences: list[str]
    """What an error says that was found, where that is a sentence of ours and no phrase. (Types forbid the rest.)"""
    ids: set[str]
    """The ids of phrases; with a place in them, as a pattern."""
    constants: set[str]


@cache
def said(source: str) -> Said:
    nodes = list(ast.walk(ast.parse(source)))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    constants = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return Said(list(sentences(calls)), set(ids(calls)), constants)


def sentences(calls: list[ast.Call]) -> Iterator[str]:
    for node in calls:
        for keyword in node.keywords:
            if keyword.arg != "found" or not {"found", "allowed"} <= {each.arg for each in node.keywords}:
                continue
            part = keyword.value
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and LITERAL.fullmatch(part.value):
                yield ast.unparse(part)
            if isinstance(part, ast.JoinedStr) and LITERAL.search(ast.unparse(part)):
                yield ast.unparse(part)


def ids(calls: list[ast.Call]) -> Iterator[str]:
    for node in calls:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for part in ast.walk(node.args[0]) if name == "phrase" and node.args else ():
            if isinstance(part, ast.Constant) and ID.fullmatch(str(part.value)) and part.value[-1] != "_":
                yield re.escape(part.value)
            if isinstance(part, ast.JoinedStr):
                pieces = (re.escape(each.value) if isinstance(each, ast.Constant) else r"\w+" for each in part.values)
                yield "".join(pieces)


def test_no_sentence_of_an_error_stands_in_the_source() -> None:
    assert {path: found for path in FILES if (found := said(path.read_text()).sentences)} == {}


def test_a_sentence_in_the_source_is_seen() -> None:
    assert said('raise InputError("x", found="no such file", allowed=NOTHING)').sentences
    assert said('report.add("x", found=f"{count} of the rows", allowed=NOTHING)').sentences
    assert said('raise InputError("x", found=f"{name}={value}", allowed=NOTHING)').sentences == []


def test_every_phrase_is_in_a_catalogue_and_every_entry_is_a_phrase_of_somebody() -> None:
    all_said = [said(path.read_text()) for path in FILES]
    used = set().union(*(each.ids for each in all_said))
    named = set().union(*(each.constants for each in all_said))
    plain = {f"{room}.{key}": re.escape(f"{room}.{key}") for room in ROOMS for key in texts(room, "en")}
    with_places = [re.compile(each) for each in used - set(plain.values())]
    assert [each.pattern for each in with_places if not any(map(each.fullmatch, plain))] == []
    own = {entry for entry in plain if entry.partition(".")[0] not in SHARED and not CHECK.match(entry)}
    known = {entry for entry in own if plain[entry] in used or entry in named}
    assert [entry for entry in sorted(own - known) if not any(each.fullmatch(entry) for each in with_places)] == []


def test_an_error_is_said_in_the_language_of_whoever_reads_it() -> None:
    with speaking("es"), pytest.raises(PlanError) as raised:
        raise PlanError("bins", found="7", allowed=phrase("model.whole_number_from", lowest=1, highest=5))
    assert str(raised.value) == "bins: found '7'; allowed: a whole number from 1 to 5"
    with speaking("es"):
        assert str(raised.value) == "bins: se encontró '7'; se admite: un número entero de 1 a 5"


def test_words_of_ours_are_not_quoted_and_those_of_people_are() -> None:
    report = Report()
    report.mapping({"foo": 1}, "plan", allowed=("bins", "food"))
    assert str(report.problems[0]) == "plan.foo: found unknown key 'foo'; allowed: bins, food. Did you mean 'food'?"
    assert "found 'unknown key'" in str(InputError("x", found="unknown key", allowed=verbatim("y")))


def test_numbers_have_the_point_of_the_language_and_names_are_left_alone() -> None:
    said = phrase("errors.over_budget", population="a.b", remaining=Figure("0.25"), requested=Figure("1e-6"))
    with speaking("es"):
        assert str(said).startswith("a la población a.b le quedan 0,25 y el plan pide 1e-6.")


def test_a_phrase_among_the_values_is_said_in_the_same_language() -> None:
    said = IntegrityError(phrase("bundle.checkpoint", cause=phrase("model.whole_checkpoint")))
    with speaking("es"):
        assert str(said) == "checkpoint: esto no es un punto de control completo"


def test_nothing_is_no_phrase() -> None:
    assert not NOTHING
    assert Phrase("errors.problem")
    assert str(NOTHING) == ""


@pytest.mark.parametrize(("count", "said"), [(1, "1 row looks"), (2, "2 rows look")])
def test_a_phrase_that_counts_has_the_form_of_its_number(count: int, said: str) -> None:
    assert str(phrase("cli.rows_stray_of_file", count=count, lines=(6,), rule="empty")).startswith(said)
    assert str(phrase("model.items", count=count)).startswith(str(count)), "one that has one form says it of all"
