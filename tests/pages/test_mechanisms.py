"""The page of mechanisms: what its address says, what a visitor turns, and the gallery. None of it is confidential."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from dprelease.extras.lab import audit
from dprelease.extras.lab.broken import BROKEN, Broken
from dprelease.extras.lab.portal.more import figure
from dprelease.ui.kit import session
from dprelease.ui.mechanisms import figures
from dprelease.ui.mechanisms.figures import PRESSES, SECONDS
from dprelease.ui.mechanisms.state import (
    COPIES,
    DELTAS,
    EPSILONS,
    MECHANISMS,
    PEOPLE,
    MechanismView,
    event_of,
    read,
    said,
)
from dprelease.ui.words import WORDS, say
from dprelease.words.language import COOKIE, speaking
from dprelease.workspace import Workspace
from tests.pages.conftest import ROOT, Opener, html, labels, words
from tests.tries import tries

PAGE = "mechanisms"
GARBAGE = (
    {"m": "rot13"},
    {"eps": "nan"},
    {"eps": "-1"},
    {"eps": "1e9"},
    {"people": "0"},
    {"people": "٣"},
    {"k": "1e3"},
    {"delta": "1"},
    {"event": "ge:"},
    {"event": "ge:99999"},
    {"event": "is:1"},
    {"m": "response", "event": "ge:1"},
    {"broken": "sound"},
    {"unknown": "x" * 5000},
)


@pytest.fixture
def page(own_workspace: Workspace, visit: Opener) -> AppTest:
    return visit(PAGE)


def defaults(page: AppTest) -> bool:
    """Tells whether the line is there; a page that fell over is nobody's answer."""
    assert page.expander
    return WORDS["mech_defaults"] in words(page)


def test_a_visitor_sees_it_without_a_word_about_any_dataset(sample_workspace: Workspace, visit: Opener) -> None:
    page = visit(PAGE)
    shown = words(page)
    assert not defaults(page)
    assert "patients" not in shown
    assert figure(0.7310585786) in shown
    assert figure(0.2689414214) in shown
    assert html(page).count("data:image/svg+xml") == 2
    assert len(page.expander) == 2  # and what is taken along, and what is folded


def test_curves_are_computed_once_somebody_looks(page: AppTest, visit: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    assert say("mech_curves_open") in labels(page, "expander")
    assert WORDS["mech_profile"] not in words(page)
    page = visit(PAGE, state={"mech-curves": True})
    assert html(page).count("data:image/svg+xml") == 4
    assert say("mech_renyi_alt", one="0.7353", other="0.9652") in html(page)
    assert say("mech_delta_alt", one="0.4621", other="0.2876", half="0.5") in html(page)
    assert len(page.expander) == 3


def test_it_calls_nothing_that_reads_rows(
    own_workspace: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("rows were asked for")

    for operation in ("attack", "price", "preview"):
        monkeypatch.setattr(Workspace, operation, refused, raising=False)
    monkeypatch.setattr(type(own_workspace.datasets), "find", refused)
    assert not visit(PAGE).exception


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_every_mechanism_at_either_end(mechanism: str, epsilon: float, own_workspace: Workspace, visit: Opener) -> None:
    state = MechanismView(mechanism, epsilon, PEOPLE[1], "", COPIES[1], DELTAS[0])
    page = visit(PAGE, query=state.address())
    assert not defaults(page)
    assert say(f"mech_{mechanism}") in page.selectbox[0].options
    assert dict(page.query_params.items()) == state.address()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("query", GARBAGE, ids=str)
def test_whatever_is_not_understood_is_left_at_its_default(
    query: dict[str, str], own_workspace: Workspace, visit: Opener
) -> None:
    page = visit(PAGE, query=query)
    assert defaults(page)
    assert not page.exception
    page.run()
    assert not defaults(page)


@settings(deadline=None, max_examples=tries(150))
@given(st.dictionaries(st.sampled_from(["m", "eps", "people", "event", "k", "delta", "x"]), st.text(max_size=20)))
def test_any_address_is_read(query: dict[str, str]) -> None:
    state, _ = read(query)
    assert event_of(state) is not None
    assert read(state.address()) == (state, False)


@pytest.mark.parametrize(("mechanism", "epsilon", "people"), list(product(MECHANISMS, (0.1, 0.67, 1.0, 10.0), (1, 10))))
def test_an_address_leads_back(mechanism: str, epsilon: float, people: int) -> None:
    state = MechanismView(mechanism, epsilon, people, "", 500, 1e-9)
    worst = event_of(state)
    assert worst is not None
    own = MechanismView(mechanism, epsilon, people, said(state.pair, worst), 500, 1e-9)
    assert read(own.address()) == (own, False)
    assert event_of(own) == worst
    assert len("&".join(f"{name}={value}" for name, value in own.address().items())) < 300


def test_the_event_is_moved_and_the_worst_one_is_found(page: AppTest) -> None:
    page.select_slider[0].set_value(110.0).run()
    assert page.query_params["event"] == "ge:110"
    assert say("mech_said_ge", at="110") in words(page)
    page.button(key="mech-worst").click().run()
    assert "event" not in page.query_params
    assert say("mech_said_ge", at="108") in words(page)
    assert page.select_slider[0].value == 108.0


def test_another_mechanism_and_epsilon_stand_in_the_address(page: AppTest) -> None:
    page.selectbox[0].set_value("gaussian").run()
    next(each for each in page.number_input if each.label == WORDS["mech_epsilon"]).set_value(2.0).run()
    assert (page.query_params["m"], page.query_params["eps"]) == ("gaussian", "2")
    assert WORDS["mech_belief_most"] not in words(page), "with a δ no belief is bounded"
    page.selectbox[0].set_value("response").run()
    assert len(page.select_slider) == 0
    assert say("mech_said_is", at=WORDS["mech_answer_yes"]) in words(page)


def test_several_answers_together(page: AppTest) -> None:
    next(each for each in page.number_input if each.label == WORDS["mech_copies"]).set_value(30).run()
    shown = words(page)
    assert page.query_params["k"] == "30"
    assert say("mech_times", count="30") in shown
    assert WORDS["mech_by_exact"] in shown


def test_the_gallery_tells_claim_counterexample_real_epsilon_and_mend(page: AppTest) -> None:
    shown = words(page)
    for entry in BROKEN:
        assert say(f"broken_{entry.key}") in shown
        assert figure(entry.real(1.0)) in shown
        assert entry.real(1.0) > 1 >= entry.mended(1.0) - 1e-9
    assert figure(7.75) in shown
    for entry in BROKEN[:3]:
        page.selectbox[-1].set_value(entry.key).run()
        shown = words(page)
        assert say(f"broken_{entry.key}_claim") in shown
        assert say(f"broken_{entry.key}_proof") in shown
        assert figure(entry.witness(1.0).loss) in shown


@pytest.mark.one_in(3)
@pytest.mark.parametrize("entry", BROKEN, ids=lambda each: each.key)
def test_every_entry_has_an_address(entry: Broken, own_workspace: Workspace, visit: Opener) -> None:
    shown = words(visit(PAGE, query={"broken": entry.key, "eps": "10"}))
    assert say(f"broken_{entry.key}_proof") in shown
    assert (WORDS["broken_holds_here"] in shown) == (entry.real(10.0) <= 10)


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_the_real_noise_is_drawn_when_it_is_asked_for(mechanism: str, own_workspace: Workspace, visit: Opener) -> None:
    before = len(list(own_workspace.ledger.events()))
    page = visit(PAGE, query={"m": mechanism, "eps": "2", "people": "2"})
    assert "95 %" not in words(page)
    page.button(key="mech-audit").click().run()
    assert "95 %" in words(page)
    assert page.expander
    assert len(list(own_workspace.ledger.events())) == before


def test_one_tab_has_the_noise_drawn_six_times_a_minute(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(figures, "monotonic", lambda: now[0])
    drawn = audit.Audit(draws=10, first=5, second=5, epsilon=0.0)
    monkeypatch.setattr(audit, "audit", lambda *_, **__: drawn)
    for _ in range(PRESSES):
        page.button(key="mech-audit").click().run()
        assert "95 %" in words(page)
    page.button(key="mech-audit").click().run()
    assert say("mech_audit_often", presses=PRESSES) in words(page)
    assert "95 %" not in words(page)
    now[0] += SECONDS
    page.button(key="mech-audit").click().run()
    assert "95 %" in words(page)


def test_no_noise_is_drawn_of_textbooks(own_workspace: Workspace, visit: Opener) -> None:
    assert WORDS["mech_audit_go"] not in labels(visit(PAGE, query={"m": "laplace_real"}), "button")


def test_the_document_for_teachers_has_the_same_gallery() -> None:
    document = (ROOT / "docs" / "lab.md").read_text()
    for entry in BROKEN:
        proof = say(f"broken_{entry.key}_proof")
        assert f"| {say(f'broken_{entry.key}')} | {figure(entry.real(1.0))} | {proof} |" in document


def test_it_is_spanish(own_workspace: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "cookies", lambda: {COOKIE: "es"})
    with speaking("es"):
        shown = words(visit(PAGE))
        assert say("mech_gallery_what") in shown
        assert "0,7311" in shown
