"""The workbench's component, looked at without a browser: its words, its colours, and what it hands to the page."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest

from dprelease.ui.bench.component import COUNTED, HERE, IDS, words
from dprelease.ui.bench.events import Events, read
from dprelease.words.language import LANGUAGES, speaking
from tests.pages.test_look import contrast

FORGED = (0, -1, 1e-12, 1e300, 10**400, float("nan"), float("inf"), "1.5", [1], {}, None, True)
ASSETS = HERE / "assets"
SCRIPTS = {path.name: path.read_text() for path in ASSETS.glob("*.js")}
STYLE = (ASSETS / "bench.css").read_text()
THEMES = dict(
    zip(("light", "dark"), re.findall(r"\.bench(?:\[data-dark\])? \{[^}]*--paper[^}]*\}", STYLE), strict=True)
)
TOKENS = {name: dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for name, block in THEMES.items()}
TEXT = [
    *product(("ink", "dim", "accent"), ("card", "paper", "soft")),
    *(("stop", ground) for ground in ("card", "paper")),
    *((name, f"{name}-soft") for name in ("good", "care", "stop")),
]
FILLS = [(name, ground) for name in ("noisy", "spent", "stop", "ink") for ground in ("card", "track")]


@pytest.mark.parametrize("theme", TOKENS)
@pytest.mark.parametrize(("name", "ground"), TEXT)
def test_its_words_can_be_read(theme: str, name: str, ground: str) -> None:
    assert contrast(TOKENS[theme][name], TOKENS[theme][ground]) >= 4.5


@pytest.mark.parametrize("theme", TOKENS)
@pytest.mark.parametrize(("name", "ground"), FILLS)
def test_what_it_fills_stands_out(theme: str, name: str, ground: str) -> None:
    assert contrast(TOKENS[theme][name], TOKENS[theme][ground]) >= 3


def test_the_words_are_those_of_the_script() -> None:
    whole = "\n".join(SCRIPTS.values())
    mentioned = set(re.findall(r"\w+", whole))
    asked = set(re.findall(r"bench_[a-z_]*[a-z]\b(?!\$)", whole)) | {f"bench_{each}" for each in mentioned}
    short = {f"{each}_short" for each in asked}
    known = {*IDS, *COUNTED}
    assert known - asked - short == set(), "nobody says them"
    assert set(re.findall(r'"(bench_\w+)"', whole)) - known == set(), "they have no words"


@pytest.mark.parametrize("code", LANGUAGES)
def test_its_words_are_in_every_language(code: str) -> None:
    with speaking(code):
        found = words()
    assert set(found) == {*IDS, *COUNTED}
    assert all(form["one"] and form["other"] for form in (found[each] for each in COUNTED) if isinstance(form, dict))


def test_what_was_done_is_handed_over() -> None:
    look = {"epsilon": 1.5, "least": 1, "most": 2, "looks": 4, "view": "beside", "statistic": "a"}
    events = read({"look": look, "move": ["a", 2], "other": 1})
    assert (events.look, events.move, events.open) == (look, ("a", 2), None)
    assert read({}).look is None


LOOK = {"epsilon": 1.5, "least": 1, "most": 2, "looks": 4, "view": "beside", "statistic": "a"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "sent",
    [
        *({"look": each} for each in (None, [], 3, "look", {}, {"epsilon": 1})),
        *({"look": LOOK | {name: bad}} for name in ("epsilon", "least", "most") for bad in FORGED),
        *({"look": LOOK | {"looks": bad}} for bad in (0, -1, 1.5, 10**30, "4", True, None, float("nan"))),
        {"look": LOOK | {"epsilon": 0.5}},
        {"look": LOOK | {"epsilon": 3}},
        {"look": LOOK | {"least": 2, "most": 1}},
        *({name: bad} for name in ("open", "edit", "duplicate", "remove", "view") for bad in (1, [], {}, True)),
        {"view": "true"},
        *({"draw": bad} for bad in ("1", 1.5, [], True)),
        *({name: bad} for name in ("add", "undo", "redo") for bad in (1, "yes", [], {}, False)),
        *(
            {"move": bad}
            for bad in ("ab", 1, ["a"], ["a", 1, 2], [1, "a"], ["a", "1"], ["a", float("nan")], ["a", True])
        ),
    ],
)
def test_what_the_script_can_not_send_is_not_taken_in(sent: dict[str, Any]) -> None:
    """Anybody can send what they like over a dashboard's socket."""
    assert read(sent) == Events()


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_asks_another_host_or_parses_markup(name: str) -> None:
    script = SCRIPTS[name].replace("http://www.w3.org/2000/svg", "")
    if name == "drop.js":  # it sends a file to the streaming route of this host, and to nothing else
        assert script.count("XMLHttpRequest") == script.count('.open("POST", `/upload?') == 1
        script = script.replace("XMLHttpRequest", "")
    for banned in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "fetch(", "XMLHttpRequest", "http://"):
        assert banned not in script, banned
    for line, text in enumerate(SCRIPTS[name].splitlines(), 1):
        assert len(text) <= 200, f"{name}:{line}"
    assert len(SCRIPTS[name].splitlines()) <= 350
