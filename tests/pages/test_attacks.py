"""The page of attacks: what is chosen, what stands in its address, and what it never reads."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dprelease.extras.lab.experiment import EXPERIMENTS, PRIVATE, read
from dprelease.extras.lab.snippets import snippet
from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, say
from dprelease.words.language import COOKIE, speaking
from dprelease.workspace import Workspace
from tests.pages.conftest import ROOT, Opener, html, words
from tests.test_architecture import imported


@pytest.mark.full
@pytest.mark.parametrize("attack", EXPERIMENTS)
def test_each_attack_by_its_address(attack: str, sample_workspace: Workspace, visit: Opener) -> None:
    page = visit("attacks", query={"e": attack, "defence": PRIVATE, "eps": "2"})
    shown = words(page)
    assert say(f"attacks_story_{attack}") in shown
    assert "With ε = 2 nobody can win more than" in shown
    assert 'class="dp-odds"' in html(page)
    assert "does not exist here" not in shown
    for private in ("person_id", "visits", "patients-2025"):
        assert private not in shown


@pytest.mark.full
def test_the_first_attack_needs_no_address(sample_workspace: Workspace, visit: Opener) -> None:
    page = visit("attacks")
    assert WORDS["attacks_story_difference"] in words(page)
    assert "This attack wins 100 %. This defence promises nothing" in words(page)
    page.selectbox(key="attacks-difference-defence").set_value(PRIVATE).run()
    assert "This attack wins 56.5 %. With ε = 1 nobody can win more than 73.2 %" in words(page)
    assert page.query_params["defence"] == PRIVATE
    page.radio(key="attacks-choice").set_value("repeat").run()
    assert page.query_params["e"] == "repeat"
    assert "defence" not in page.query_params


def test_a_figure_is_taken_along(sample_workspace: Workspace, visit: Opener) -> None:
    page = visit("attacks", query={"e": "repeat", "defence": PRIVATE, "eps": "0.7"})
    assert "With ε = 0.7 nobody can win more than 66.9 %" in words(page)
    assert page.select_slider(key="attacks-repeat-epsilon").value == 0.7
    assert 'href="/attacks?e=repeat&amp;defence=private&amp;eps=0.7"' in html(page)
    assert snippet(read({"e": "repeat", "defence": PRIVATE, "eps": "0.7"})[0]).splitlines()[4] in words(page) + html(
        page
    )
    labels = [each.proto.label for each in page.get("download_button")]
    assert labels == ["Picture: repeat (SVG)", "Numbers (CSV)", "Program (Python)"]


def test_a_tracker_shows_what_was_refused(sample_workspace: Workspace, visit: Opener) -> None:
    page = visit("attacks", query={"e": "tracker", "defence": "between-3"})
    assert WORDS["attacks_refused"] in html(page)
    assert WORDS["attacks_refused"] not in html(visit("attacks", query={"e": "tracker", "defence": "minimum-5"}))


@pytest.mark.parametrize(
    "query",
    [
        {"e": "<script>alert(1)</script>"},
        {"e": "cells", "eps": "nan", "world": "x" * 3000},
        {"defence": "rounded-7", "n": "-1", "eps": "1e309", "seed": "\x00"},
        {"unknown": "1"},
    ],
)
def test_garbage_gets_the_usual_and_one_line(query: dict[str, str], sample_workspace: Workspace, visit: Opener) -> None:
    page = visit("attacks", query=query)
    assert words(page).count("does not exist here") == 1
    assert "<script>" not in html(page)
    assert not page.exception
    assert "Guessing wins" in words(page)


@pytest.mark.parametrize("path", sorted([*(ROOT / "dprelease/ui/attacks").glob("*.py"), ROOT / "pages/attacks.py"]))
def test_it_knows_no_workspace_and_no_rows(path: Path) -> None:
    names = set(imported(ast.parse(path.read_text("utf-8"))))
    closed = ("dprelease.workspace", "dprelease.store", "dprelease.table", "dprelease.ui.kit.session")
    assert not [name for name in names if name.startswith(closed)]


def test_in_spanish(sample_workspace: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "cookies", lambda: {COOKIE: "es"})
    with speaking("es"):
        story = say("attacks_story_twice")
    assert story in words(visit("attacks", query={"e": "twice"}))
