"""The terminal speaks the language of whoever sits at it; what programs read has none."""

from __future__ import annotations

import json

import pytest

from dprelease.words.language import language, of_terminal
from tests.cli.conftest import Terminal


@pytest.fixture
def spanish(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("DPRELEASE_LANGUAGE", "es")
    return terminal


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({}, "en"),
        ({"LANG": "es_ES.UTF-8"}, "es"),
        ({"LANG": "es_ES.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "es_AR"}, "es"),
        ({"DPRELEASE_LANGUAGE": "en", "LC_ALL": "es_ES"}, "en"),
        ({"DPRELEASE_LANGUAGE": "", "LANG": "es"}, "es"),
        ({"LANG": "tlh"}, "en"),
    ],
)
def test_the_language_is_the_one_that_is_set_or_that_of_the_locale(environment: dict[str, str], code: str) -> None:
    assert of_terminal(environment) == code


def test_an_error_is_said_in_spanish_and_nothing_is_spoken_after_it(spanish: Terminal) -> None:
    code, _, words = spanish.run("price", spanish.plan(privacy={"epsilon": -1, "unit": "row"}))
    assert code == 1
    assert "privacy.epsilon: se encontró -1; se admite: un número mayor que 0" in words
    assert language() == "en"


def test_a_mistake_on_the_command_line_is_told_in_spanish(
    spanish: Terminal, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        spanish.run("price", "--colour", "red")
    assert ended.value.code == 2
    words = capsys.readouterr().err
    assert words.startswith("uso: dprelease")
    assert "argumentos desconocidos: --colour" in words


def test_what_programs_read_is_the_same_in_every_language(spanish: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = spanish.plan(privacy={"epsilon": -1, "unit": "row"})
    _, in_spanish, _ = spanish.run("price", plan, "--json")
    monkeypatch.setenv("DPRELEASE_LANGUAGE", "en")
    _, in_english, _ = spanish.run("price", plan, "--json")
    assert in_spanish == in_english
    told = json.loads(in_english)
    (problem,) = [each for each in told["said"] if each["path"] == "privacy.epsilon"]
    assert problem["found"] == "-1"
    assert problem["allowed"]["code"].startswith("model.")
    assert "above 0" in told["message"]
