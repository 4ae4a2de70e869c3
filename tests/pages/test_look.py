"""The tokens of the look can be read: contrast computed as WCAG 2.2 does, in both themes; places are listed by role."""

from __future__ import annotations

import re
import tomllib
from itertools import product
from pathlib import Path

import pytest
import streamlit as st

from dprelease.model.actor import PUBLIC, Actor
from dprelease.model.plan import Plan
from dprelease.ui import screens
from dprelease.ui.kit import session
from dprelease.ui.kit.blocks import STYLE
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import PLAN, Opener, SignIn, html, labels
from tests.pages.test_team import ADMINISTRATOR, ANN, BEN

ROOT = Path(__file__).resolve().parents[2]
TOKEN = re.compile(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\);")
TOKENS = {name: {"light": light, "dark": dark} for name, light, dark in TOKEN.findall(STYLE.read_text())}
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
TEXT = ("ink", "muted", "accent", "good", "care", "warn")
FILLS = ("noisy", "spent")
GROUNDS = ("paper", "card", "tint")
THEMES = ("light", "dark")


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def test_black_on_white_is_as_far_as_it_goes() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize(("name", "ground", "theme"), list(product(TEXT, GROUNDS, THEMES)))
def test_text_can_be_read_on_every_ground(name: str, ground: str, theme: str) -> None:
    assert contrast(TOKENS[name][theme], TOKENS[ground][theme]) >= 4.5


@pytest.mark.parametrize(("name", "ground", "theme"), list(product(FILLS, GROUNDS, THEMES)))
def test_what_a_chart_fills_stands_out(name: str, ground: str, theme: str) -> None:
    assert contrast(TOKENS[name][theme], TOKENS[ground][theme]) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_streamlit_has_the_same_colours(theme: str) -> None:
    stated = {key: str(value).lower() for key, value in THEME[theme].items()}
    same = {"button": "primaryColor", "paper": "backgroundColor", "ink": "textColor", "line": "borderColor"}
    assert {name: stated[key] for name, key in same.items()} == {name: TOKENS[name][theme] for name in same}
    assert contrast(stated["primaryColor"], "#ffffff") >= 4.5, "its buttons have white words"
    assert contrast(stated["linkColor"], stated["backgroundColor"]) >= 4.5


PLACES = {
    PUBLIC: ["desk", "releases"],
    ANN: ["desk", "tables", "workbench", "releases"],
    BEN: ["desk", "review", "releases", "budget"],
    ADMINISTRATOR: ["desk", "releases"],
}


def places(monkeypatch: pytest.MonkeyPatch) -> list[st.Page]:
    """The pages of the navigation, once one is opened."""
    offered: list[st.Page] = []
    made = screens.navigation
    monkeypatch.setattr(screens, "navigation", lambda titles: offered.extend(made(titles)) or offered)
    return offered


def visible(offered: list[st.Page]) -> dict[str, str]:
    return {each.url_path or "desk": each.title for each in offered if each.visibility == "visible"}


@pytest.mark.parametrize("actor", PLACES, ids=lambda actor: actor.name)
def test_the_navigation_offers_the_places_of_whoever_looks(
    actor: Actor, small: Workspace, sign_in: SignIn, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.people.require_two_people()
    offered = places(monkeypatch)
    if actor == PUBLIC:
        monkeypatch.setattr(session, "cookies", dict)
    else:
        sign_in(actor)
    page = visit("desk")
    assert list(visible(offered)) == PLACES[actor]
    assert ("/sign-in" in html(page)) == (actor == PUBLIC)
    assert ("/sign-out" in html(page)) == (actor != PUBLIC)
    assert (WORDS["settings_nav"] in labels(page, "page_link")) == (actor != PUBLIC)
    assert (WORDS["budget_nav"] in labels(page, "page_link")) == (actor == ANN), "reviewers have it in the navigation"
    assert ('href="/public/lab/"' in html(page), 'href="/guide?lang=en"' in html(page)) == (True, True)


def test_one_person_alone_reviews_nothing(
    small: Workspace, sign_in: SignIn, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = places(monkeypatch)
    visit("desk")
    assert list(visible(offered)) == ["desk", "tables", "workbench", "releases"]


def test_reviews_say_how_many_wait_for_whoever_looks(
    small: Workspace, sign_in: SignIn, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.people.require_two_people()
    small.plans.submit(Plan.parse(PLAN), actor=ANN)
    offered = places(monkeypatch)
    sign_in(BEN)
    visit("desk")
    assert visible(offered)["review"] == say("review_nav_count", count=1)


TABS = ["account", "people", "policy", "office"]


@pytest.mark.parametrize("tab", ["account", "people", "policy", "office"])
def test_settings_open_at_the_tab_of_the_address(tab: str, small: Workspace, visit: Opener) -> None:
    page = visit("settings", query={"tab": tab})
    (opened,) = [each.proto for each in page.main.children.values() if each.type == "tab_container"]
    assert [each.label for each in page.tabs] == [WORDS[f"settings_{key}"] for key in TABS]
    assert opened.tab_container.default_tab_index == TABS.index(tab)


def test_every_rule_of_the_look_is_closed() -> None:
    assert STYLE.read_text().count("{") == STYLE.read_text().count("}")
