"""The whole interface in Spanish: chosen, remembered, complete, with its own numbers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element

from dprelease.errors import InputError
from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.ui.data.row import Row
from dprelease.ui.kit import language, session
from dprelease.ui.kit.fields import amount
from dprelease.ui.kit.phrases import day, day_format
from dprelease.ui.screens import SCREENS
from dprelease.ui.workbench import dialogs
from dprelease.words import catalogue, texts
from dprelease.words.language import COOKIE, speaking
from dprelease.workspace import Workspace
from tests.pages.conftest import PATIENCE, PLAN, Opener, SignIn, dialog, go, html, in_hand, words

Chooser = Callable[[], None]
ENGLISH, SPANISH = texts("ui", "en"), texts("ui", "es")
RELEASES, RELEASES_ES = texts("bundle", "en"), texts("bundle", "es")
PLACE = re.compile(r"\{\w*\}")
LEAST = 13
"""Characters of a piece of English that no page may show."""
ENGLISH_WORDS = re.compile(r"(?i)(?<![\w.])(?:the|and|with|which|from|this|that|are|were|not|have)(?![\w:])")
"""No page in Spanish has one of these, unless somebody wrote it."""


def places(text: str) -> set[str]:
    return set(PLACE.findall(text))


def test_no_sentence_was_left_in_english() -> None:
    english, spanish = catalogue.forms("ui", "en"), catalogue.forms("ui", "es")
    alike = [(key, text) for key, said in english.items() for text in said if text in spanish[key]]
    assert [key for key, text in alike if len(PLACE.sub("", text)) >= LEAST] == []


def test_markup_stands_where_it_stands_in_english() -> None:
    """Words reach both HTML and Markdown."""
    marked = re.compile(r"[<>`*_\[\]]")
    found = {key for key, text in SPANISH.items() if marked.search(PLACE.sub("", text))}
    assert found - {key for key, text in ENGLISH.items() if marked.search(PLACE.sub("", text))} == set()


@pytest.fixture
def in_spanish(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chooser]:
    """From then on this browser sends the cookie of the language, too; labels are looked for in it."""
    with ExitStack() as spoken:

        def choose() -> None:
            sent = session.cookies
            monkeypatch.setattr(session, "cookies", lambda: {**sent(), COOKIE: "es"})
            spoken.enter_context(speaking("es"))

        yield choose


RELEASE_NAME = re.compile(r"[a-z0-9-]+-[0-9a-f]{8}\b")
"""Id of a release, which is made of the title that somebody wrote."""


def everything(page: AppTest) -> str:
    """All text that a page sends to the browser, in labels, help and options too."""
    assert not page.exception

    def of(node: Block | Element) -> Iterator[str]:
        proto = getattr(node, "proto", None)
        if proto is not None and not isinstance(proto, str) and getattr(node, "type", "") != "code":
            yield from strings(MessageToDict(proto))
        if isinstance(node, Block):
            for child in node.children.values():
                yield from of(child)

    def strings(value: Any) -> Iterator[str]:
        if isinstance(value, str) and not value.startswith(("<style", "data:")):
            yield RELEASE_NAME.sub("", value)
        elif isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from strings(item)

    parts = [
        re.sub(r"</?(?:bdi|span)[^>]*>|\\|\(/[^)]*\)", "", text)
        for root in (page.main, page.sidebar)
        for text in of(root)
    ]
    return re.sub(r"\s+", " ", unescape("\n".join(parts)))


@cache
def pieces() -> dict[str, str]:
    """What may not be on a page in Spanish: the longest piece of each English text, by what it is of."""
    own = "\n".join([*SPANISH.values(), *RELEASES_ES.values()])
    texts = {**RELEASES, **ENGLISH}
    found = {key: max(PLACE.split(text), key=len).strip() for key, text in texts.items()}
    return {key: piece for key, piece in found.items() if len(piece) >= LEAST and piece not in own}


def assert_spanish(page: AppTest, written: str = "") -> None:
    """Nothing is English but what somebody wrote."""
    shown = everything(page).replace(written, "") if written else everything(page)
    near = {key: piece for key, piece in pieces().items() if piece in shown}  # few: each is a pattern of its own
    left = {key: piece for key, piece in near.items() if re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", shown)}
    assert left == {}
    assert [shown[max(0, each.start() - 60) : each.end() + 60] for each in ENGLISH_WORDS.finditer(shown)] == []


KEYS = [screen.key for screen in SCREENS]


def test_what_a_visitor_sees_is_spanish(sample_workspace: Workspace, visit: Opener, in_spanish: Chooser) -> None:
    in_spanish()
    (release,) = sample_workspace.releases.find()
    page = visit("releases", query={"release": release.id})
    assert_spanish(page, written=release.certificate.description)
    for key in ("desk", "releases", "budget"):
        assert_spanish(go(page, key))


def test_an_empty_workspace_is_spanish(
    own_workspace: Workspace, visit: Opener, sign_in: SignIn, in_spanish: Chooser
) -> None:
    sign_in()
    in_spanish()
    page = visit("desk")
    for key in KEYS:
        assert_spanish(go(page, key))


@pytest.mark.full
def test_work_in_hand_is_spanish(small: Workspace, visit: Opener, in_spanish: Chooser) -> None:
    plan_id = small.plans.submit(Plan.parse({**PLAN, "title": "Published"}))
    small.plans.approve(plan_id)
    small.publish(plan_id)
    in_spanish()
    page = visit("desk", state=in_hand())
    for key in KEYS:
        assert_spanish(go(page, key))
    go(page, "workbench")
    for name in dialogs.DIALOGS:
        assert_spanish(dialog(page, name))


def test_a_team_reads_spanish(small: Workspace, visit: Opener, sign_in: SignIn, in_spanish: Chooser) -> None:
    small.people.require_two_people()
    author = Actor("ann", frozenset({Role.CURATOR}))
    small.plans.submit(Plan.parse(PLAN), actor=author)
    small.populations.raise_cap("few", epsilon=5, reason="more", actor=author)
    sign_in(Actor("ben", frozenset({Role.REVIEWER})))
    in_spanish()
    page = visit("desk")
    for key in ("review", "budget", "tables"):
        assert_spanish(go(page, key))


def test_problems_are_told_in_spanish(small: Workspace, visit: Opener, in_spanish: Chooser) -> None:
    in_spanish()
    page = visit("workbench", state=in_hand({**PLAN, "statistics": [{"id": "m", "kind": "mean", "column": "agee"}]}))
    assert_spanish(page)
    assert "una columna declarada" in words(page)


@pytest.mark.parametrize(
    ("typed", "english", "spanish"),
    [
        ("0,5", "0.5", "0.5"),
        (" 1,5e-6 ", "1.5e-6", "1.5e-6"),
        ("1,234,567", "1,234,567", "1,234,567"),
        ("0.5", "0.5", "0.5"),
    ],
)
def test_a_typed_number_may_have_a_comma(typed: str, english: str, spanish: str) -> None:
    assert amount(typed) == english
    with speaking("es"):
        assert amount(typed) == spanish


@pytest.mark.parametrize(
    ("code", "written", "field"),
    [
        ("en", "22 Nov 2026", "YYYY-MM-DD"),
        ("es", "22 nov 2026", "DD/MM/YYYY"),
        ("hu", "2026. nov. 22.", "YYYY/MM/DD"),
    ],
)
def test_a_day_is_written_as_the_language_does(code: str, written: str, field: str) -> None:
    with speaking(code):
        assert (day("2026-11-22T20:08:31"), day_format()) == (written, field)
        assert day("") == ""


def test_what_may_be_thousands_or_decimals_is_asked_for_again() -> None:
    """200.000 is two hundred to one and two hundred thousand to another."""
    row = Row("cost").changed({"type": "number", "lower": "0", "upper": "200.000"})
    assert amount("200.000") == "200.000"
    assert "Write 200000 or 200." in str(row.problems()[0])
    assert row.changed({"upper": "200000"}).problems() == ()
    assert row.changed({"upper": "1.234.567,5"}).mapping()["upper"] == "1234567.5"
    assert "Write 1234 or 1.2340." in str(row.changed({"upper": "1.234"}).problems()[0])
    assert row.changed({"upper": "1.2340"}).mapping()["upper"] == "1.234"
    with pytest.raises(InputError, match=r"Write 200000, or 200\.000 with a decimal point"):
        amount("200,000")
    with speaking("es"):
        with pytest.raises(InputError, match="Escriba 200000, o 200,000 con coma decimal"):
            amount("200.000")
        (problem,) = row.problems()
        assert (problem.path, problem.found) == ("columns.cost.upper", "200.000")
        shown = Row.of("cost", {"type": "number", "lower": 0, "upper": 12.125, "resolution": 0.125})
        assert (shown.upper, shown.resolution, shown.problems()) == ("12,125", "0,125", ())
        assert shown.mapping()["upper"] == "12.125"


def test_the_footer_leads_to_the_other_language_and_back_here(
    sample_workspace: Workspace, visit: Opener, in_spanish: Chooser
) -> None:
    (release,) = sample_workspace.releases.find()
    page = visit("releases", query={"release": release.id})
    assert (
        f'<a href="/language/es?to=%2Freleases&amp;release={release.id}" lang="es" hreflang="es">Español</a>'
        in html(page)
    )
    in_spanish()
    assert '<a href="/language/en?to=%2F" lang="en" hreflang="en">English</a>' in html(visit("desk"))


def test_a_language_is_offered_once_it_has_a_folder(
    sample_workspace: Workspace, visit: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No program knows of it: what nobody translated yet is English, and its numbers are as its country writes them."""
    folder = tmp_path / "words"
    shutil.copytree(catalogue.FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "*.mo", "__pycache__"))
    frame = '"Language: ca"\n\nmsgid "desk_public_title"\nmsgstr "Inici d’aquest espai"\n'
    (folder / "ca").mkdir()
    for room in ("bundle", "portal", "statements", "ui", "web"):
        (folder / "ca" / f"{room}.po").write_text(f'msgid ""\nmsgstr ""\n{frame if room == "ui" else ""}')
    monkeypatch.setattr(catalogue, "FOLDER", folder)
    assert '<a href="/language/ca?to=%2F" lang="ca" hreflang="ca">Català</a>' in html(visit("desk"))
    sent = session.cookies
    monkeypatch.setattr(session, "cookies", lambda: {**sent(), COOKIE: "ca"})
    with speaking("ca"):
        assert "Inici d’aquest espai" in words(visit("desk"))
        for screen in SCREENS:
            assert not visit(screen.key).exception
        (release,) = sample_workspace.releases.find()
        page = visit("releases", query={"release": release.id})
        assert ENGLISH["all_releases"] in [each.label for each in page.get("page_link")]


def test_the_browser_is_asked_where_nothing_was_chosen(
    sample_workspace: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "accepted", lambda: "es-MX, en;q=0.5")
    assert SPANISH["desk_public_title"] in words(visit("desk"))


def test_a_fragment_and_a_button_speak_the_language_of_the_visitor() -> None:
    """They run in threads of their own, where no page has spoken."""

    def script() -> None:
        import streamlit as st

        from dprelease.ui.kit import session
        from dprelease.ui.kit.language import of_visitor  # noqa: F401 (listens from now on)
        from dprelease.ui.words import say

        session.cookies = lambda: {"dprelease_language": "es"}

        def pressed() -> None:
            st.session_state["said"] = say("sign_out")

        @st.fragment
        def part() -> None:
            st.button("press", on_click=pressed)
            st.write(say("desk_nav"))

        part()

    kept = session.cookies
    try:
        page = AppTest.from_function(script, default_timeout=PATIENCE).run()
        page.button[0].click().run()
        assert page.markdown[0].value == SPANISH["desk_nav"]
        assert page.session_state["said"] == SPANISH["sign_out"]
    finally:
        session.cookies = kept


def test_nobody_who_looks_is_no_language() -> None:
    assert language.of_visitor() is None
