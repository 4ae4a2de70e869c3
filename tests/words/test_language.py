"""Which language is spoken, and which one a browser would like."""

from __future__ import annotations

from threading import Thread

import pytest

from dprelease.words import language
from dprelease.words.language import listen, preferred, speaking
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
