"""Which language is spoken, and which one a browser would like."""

from __future__ import annotations

from threading import Thread

import pytest

from dprelease.words import language
from dprelease.words.language import listen, preferred, speaking
from dprelease.words.releases import enumerate_words
from dprelease.words.sentences import Words

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("chosen", "accepted", "code"),
    [
        (None, "", "en"),
        (None, "es", "es"),
        (None, "es-ES,es;q=0.9,en;q=0.8", "es"),
        (None, "en-GB,en;q=0.9,es;q=0.8", "en"),
        (None, "en;q=0.5, es;q=0.9", "es"),
        (None, "fr, de;q=0.9, es;q=0.1", "es"),
        (None, "fr, *;q=0.5", "en"),
        (None, "es;q=0", "en"),
        (None, "ES-419", "es"),
        (None, "q;;;=,,\x00, es", "es"),
        ("en", "es", "en"),
        ("es", "en", "es"),
        ("fr", "es", "es"),
        ("", "", "en"),
    ],
)
def test_what_was_chosen_comes_before_what_the_browser_asks_for(chosen: str | None, accepted: str, code: str) -> None:
    assert preferred(chosen, accepted) == code


def test_each_thread_speaks_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words("web")
    monkeypatch.setattr(language, "_ask", language._ask)
    heard: list[str] = []
    with speaking("es"):
        assert words["name"] == "Nombre"
        thread = Thread(target=lambda: heard.append(words["name"]))
        thread.start()
        thread.join()
        listen(lambda: "es")
        with speaking("en"):
            assert words["name"] == "Name"
    assert heard == ["Name"]
    assert words["name"] == "Nombre", "where nobody has spoken, whoever looks is asked"


@pytest.mark.parametrize(
    ("items", "joined"),
    [
        (["Norte"], "Norte"),
        (["a", "b", "c"], "a, b y c"),
        (["edad", "ingresos"], "edad e ingresos"),
        (["edad", "Índice"], "edad e Índice"),
        (["a", "hijos"], "a e hijos"),
        (["agua", "hielo"], "agua y hielo"),
        (["a", "VIH"], "a y VIH"),
        (["a", "HIV"], "a y HIV"),
        (["a", "hospital"], "a y hospital"),
    ],
)
def test_spanish_joins_words_by_the_sound_of_the_next(items: list[str], joined: str) -> None:
    with speaking("es"):
        assert enumerate_words(items) == joined
    with speaking("en"):
        assert enumerate_words(["x", "icon"]) == "x and icon"


@pytest.mark.parametrize(
    ("last", "joined"),
    [("otro", "u"), ("hora", "u"), ("8", "u"), ("800", "u"), ("11", "u"), ("110", "o"), ("Óscar", "u"), ("hijo", "o")],
)
def test_spanish_or_is_another_before_its_own_sound(last: str, joined: str) -> None:
    with speaking("es"):
        assert enumerate_words(["7", last], "or") == f"7 {joined} {last}"
        assert enumerate_words(["6", "7", last], "or") == f"6, 7 {joined} {last}"
