"""A verdict is codes with values: each has a sentence in every language, and none stands in the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dprelease.verdict.check import Check, line
from dprelease.verdict.verify import verify
from dprelease.words import Figure, languages
from dprelease.words.catalogue import forms
from dprelease.words.language import speaking
from tests.bundle.entries import key_of
from tests.verdict.forging import published, signed

ROOT = Path(__file__).resolve().parents[2] / "dprelease"
FILES = sorted([*(ROOT / "verdict").glob("*.py"), *ROOT.glob("extras/*/checks/*.py")])
CODE = re.compile(r"(state|check|finding|cannot)\.[a-z_]+")
IN_CELL = "_in_cell"
"""Ends the code of a finding in one cell of several."""
SENTENCES = {code: {key: each for key, each in forms("verdict", code).items() if "." in key} for code in languages()}


def spoken(source: str) -> list[str]:
    """What a check is given beside its code, where that is words and no values."""
    return [
        ast.unparse(part)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Check", "Claim")
        for part in (*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "values"))
        if isinstance(part, ast.Constant | ast.JoinedStr)
    ]


def codes(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
            yield node.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_sentence_of_a_verdict_stands_in_the_source(path: Path) -> None:
    assert spoken(path.read_text()) == []


def test_a_sentence_in_the_source_is_seen() -> None:
    assert spoken('Check("check.files", "All files are listed.")')
    assert spoken('Check("check.files", f"All {count} files are listed.")')
    assert spoken('Check("check.files", {"count": count})') == []


def test_every_code_has_a_sentence_in_every_language_and_every_sentence_is_of_a_code() -> None:
    used = {code for path in FILES for code in codes(path.read_text())}
    for sentences in SENTENCES.values():
        assert {key.removesuffix(IN_CELL) for key in sentences} == used


def test_a_sentence_that_counts_has_a_form_for_each_plural_and_no_other_has() -> None:
    for sentences in SENTENCES.values():
        assert {key for key, each in sentences.items() if len(each) > 1} == {
            key for key, each in sentences.items() if "{count}" in each[-1]
        }


def test_no_sentence_is_the_same_in_two_languages() -> None:
    said = [each for sentences in SENTENCES.values() for key in sentences for each in set(sentences[key])]
    assert len(said) == len(set(said))


def test_a_check_is_said_in_the_language_that_is_spoken() -> None:
    check = Check("finding.below_zero", {"table": "a.b", "value": Figure("-2.5")})
    assert check.words.startswith("a.b: -2.5 is further below 0")
    with speaking("es"):
        assert check.words.startswith("a.b: -2,5 queda por debajo de 0")
        assert check.to_mapping() == {
            "code": "finding.below_zero",
            "values": {"table": "a.b", "value": "-2.5"},
            "words": "a.b: -2.5 is further below 0 than noise of its scale goes.",
        }


def test_numbers_choose_the_plural_and_hidden_characters_are_shown() -> None:
    assert [Check("state.corrected", {"count": count}).words for count in (1, 2)] == [
        "corrected by 1 notice",
        "corrected by 2 notices",
    ]
    assert line([Check("state.contradictory"), Check("state.superseded", {"by": "x\u202ey"})]) == (
        "the release's own numbers do not agree; superseded by x\ufffdy"
    )


def test_the_mapping_of_a_verdict_has_codes_and_english_words_in_every_language(tmp_path: Path) -> None:
    verdict = verify(signed(published(tmp_path / "published"), tmp_path / "bundle", key_of(1)))
    told = verdict.to_mapping()
    with speaking("es"):
        assert verdict.words == "íntegra, firmante desconocido"
        assert verdict.to_mapping() == told
    assert told["verdict"] == [{"code": "state.intact_signer_unknown", "values": {}, "words": "intact, signer unknown"}]
    assert {"code", "values", "words"} == {key for each in (*told["checks"], *told["cannot_show"]) for key in each}
