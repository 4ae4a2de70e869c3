"""The terminal speaks the language of whoever sits at it; what programs read has none."""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dprelease.cli import parser
from dprelease.words.language import language, of_terminal, speaking
from tests.cli.conftest import Terminal

FILES = sorted((Path(__file__).resolve().parents[2] / "dprelease/cli").glob("*.py"))
SAID = {"help", "description"}


def own_words(source: str) -> list[str]:
    """What a parser says that stands in the source, and in no catalogue."""
    return [
        ast.unparse(each)
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call)
        for each in (
            *(keyword.value for keyword in call.keywords if keyword.arg in SAID),
            *(call.args[-1:] if ast.unparse(call.func) in ("add_command", "add_group", "add_plan_command") else ()),
        )
        if isinstance(each, ast.Constant | ast.JoinedStr | ast.BinOp)
    ]


def texts_of(parsers: argparse.ArgumentParser) -> Iterator[str]:
    """Everything that a parser and those below it say."""
    yield parsers.description or ""
    for action in parsers._actions:
        yield action.help or ""
        if isinstance(action, argparse._SubParsersAction):
            yield from (each.help or "" for each in action._choices_actions)
            for below in action.choices.values():
                yield from texts_of(below)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_words_of_a_parser_stand_in_the_source(path: Path) -> None:
    assert own_words(path.read_text()) == []


def test_words_in_the_source_are_seen() -> None:
    assert own_words('x.add_argument("name", help="such as ana")') == ["'such as ana'"]
    assert own_words('add_command(to, "list", _list, f"List {things}.")')


def test_help_is_in_the_language_that_is_spoken() -> None:
    said = {}
    for code in ("en", "es"):
        with speaking(code):
            said[code] = list(texts_of(parser()))
    assert len(said["en"]) == len(said["es"]) > 300
    same = {words for words, others in zip(said["en"], said["es"], strict=True) if words == others}
    assert same <= {"", argparse.SUPPRESS, "show this help message and exit"}


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
    assert code == 3
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


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("init", "Las publicaciones se firman con"),
        ("ledger verify", "la cadena está íntegra y cada suma está dentro de su tope.\nNinguna publicación gasta más"),
        ("ledger checkpoint", "Guárdelo donde no esté el libro mayor"),
        ("policy previews", "Las vistas previas muestran valores verdaderos"),
        ("policy second-factor", "Necesita un segundo factor además de la contraseña: none."),
        ("request list", "No se ha solicitado nada a una segunda persona."),
        ("person list", "enlace"),
        ("person failures", "Ningún inicio de sesión ha fallado en 90 días."),
        ("session list", "No hay ninguna sesión abierta."),
        ("token list", "No hay ningún token."),
        ("key show", "Las publicaciones se firman con"),
    ],
)
def test_what_a_command_found_is_told_in_spanish(spanish: Terminal, command: str, words: str) -> None:
    assert spanish.run("init")[0] == 0
    code, told, _ = spanish.run(*command.split())
    assert code == 0
    assert words in told


def test_the_way_from_a_plan_to_its_release_is_told_in_spanish(spanish: Terminal) -> None:
    plan = spanish.plan()
    assert "En total ε = 0,5, δ = 0; unidad: una fila" in spanish.say("price", plan)
    assert "está enviado: ε = 0,5" in spanish.say("plan", "submit", plan)
    assert "enviado" in spanish.say("plan", "list")
    published = spanish.say("publish", plan)
    assert "Publicaciones de esta población: 1; gastado: ε = 0,5" in published
    bundle = published.split("Paquete: ")[1].split()[0]
    listed = spanish.say("population", "list")
    assert "gasto  ε = 0,5, δ = 0, en cargos: 1" in listed
    assert "ε = 0,5" in spanish.say("release", "list")
    assert spanish.say("release", "unfinished").strip() == "Toda publicación cargada está publicada."
    assert "columnas declaradas: " in spanish.say("dataset", "list")
    assert "se cumple: " in spanish.run_alone("verify", bundle)[1]
