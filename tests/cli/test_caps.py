"""Raised caps, periods, overlaps and earlier releases in a terminal."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Terminal

ADD = ("--unit", "person", "--epsilon", 1)
LISTED = {
    *("name", "unit", "neighbors", "currency", "epsilon_nano", "delta_atto", "size"),
    *("period", "spent", "used", "left", "charges", "overlaps", "earlier_releases"),
}


def test_a_population_comes_with_what_is_known_of_it(terminal: Terminal) -> None:
    terminal.ask("population", "add", "kids", *ADD)
    overlaps = ("--overlap", "visits=some", "--overlap", "kids=none")
    earlier = ("--earlier-release", "a report of 2019", "--earlier-release", "a map")
    added = terminal.ask("population", "add", "women", *ADD, *overlaps, *earlier)
    assert (added["name"], added["request"]) == ("women", None)
    kids, visits, women = terminal.ask("population", "list")
    assert kids.keys() == visits.keys() == women.keys() == LISTED
    assert women["overlaps"] == {"kids": "none", "visits": "some"}
    assert women["earlier_releases"] == ["a report of 2019", "a map"]
    assert kids["overlaps"] == {"visits": None, "women": "none"}
    words = terminal.say("population", "list")
    assert "  overlap attested: kids (none), visits (some)\n  released earlier: a report of 2019\n" in words
    assert "  overlap attested: women (none)\n  overlap not attested: visits\n" in words

    assert terminal.ask("population", "overlap", "kids", "visits", "same") == {
        "population": "kids",
        "other": "visits",
        "overlap": "same",
    }
    assert "kids and visits have no unit in common" in terminal.say("population", "overlap", "kids", "visits", "none")
    assert terminal.ask("population", "list")[0]["overlaps"] == {"visits": "none", "women": "none"}
    declared = terminal.ask("population", "earlier-release", "kids", "one", "two")
    assert declared == {"population": "kids", "earlier_releases": ["one", "two"]}
    assert terminal.say("population", "earlier-release", "kids", "three").endswith("  one\n  two\n  three\n")


def test_a_cap_is_raised(terminal: Terminal) -> None:
    raised = terminal.ask("population", "raise-cap", "visits", "--epsilon", 4, "--reason", "another year")
    assert (raised["epsilon_nano"], raised["delta_atto"], raised["request"]) == (4 * 10**9, 0, None)
    cap = ("population", "raise-cap", "visits", "--epsilon", 4, "--delta", "1e-6", "--reason", "thresholds")
    assert "cap ε = 4, δ = 0.000001" in terminal.say(*cap)
    (event, _) = terminal.ask("ledger", "list", "--kind", "cap_raised")
    assert event["body"]["reason"] == "another year"


def test_what_is_spent_is_told_for_the_period_and_ever(terminal: Terminal) -> None:
    terminal.ask("publish", terminal.plan())
    period = ("population", "open-period", "visits", "2027", "--epsilon", 2, "--reason", "a new year")
    opened = terminal.ask(*period)
    assert (opened["period"], opened["epsilon_nano"], opened["request"]) == ("2027", 2 * 10**9, None)
    terminal.ask("publish", terminal.plan("second", title="Second"))
    (visits,) = terminal.ask("population", "list")
    half = {"epsilon_nano": 5 * 10**8, "delta_atto": 0}
    assert (visits["period"], visits["used"], visits["charges"]) == ("2027", half, 2)
    assert visits["spent"] == half | {"epsilon_nano": 10**9}
    assert visits["left"] == half | {"epsilon_nano": 15 * 10**8}
    assert terminal.say("population", "list") == (
        "Population visits: unit visit, add_remove, pure\n"
        "  cap    ε = 2, δ = 0, in the period 2027\n"
        "  spent  ε = 0.5, δ = 0 in the period; ε = 1, δ = 0 in all, in charges: 2\n"
        "  left   ε = 1.5, δ = 0\n"
    )
    assert "in the period 2028" in terminal.say(*period[:3], "2028", *period[4:])


def test_in_rho_a_period_tells_what_it_means(terminal: Terminal) -> None:
    terminal.ask("population", "add", "men", *ADD, "--delta", "1e-6", "--currency", "zcdp")
    terminal.ask("population", "open-period", "men", "2027", "--epsilon", 2, "--reason", "a new year")
    men, _ = terminal.ask("population", "list")
    assert men["used"] == men["spent"] == {"epsilon_nano": 0, "rho_nano": 0, "delta_atto": 0}
    words = terminal.say("population", "list")
    assert "  spent  ρ = 0, δ = 0 (ε = 0, δ = 0) in the period; ρ = 0, δ = 0 (ε = 0, δ = 0) in all, in ch" in words


def test_a_budget_is_refused_in_words(terminal: Terminal) -> None:
    lower = ("population", "raise-cap", "visits", "--epsilon", 1, "--reason", "less")
    assert "a cap is raised, never lowered" in terminal.refused(*lower)
    assert "some words" in terminal.refused("population", "raise-cap", "visits", "--epsilon", 9, "--reason", " ")
    period = ("population", "open-period", "visits", "2027", "--epsilon", 2, "--reason", "a new year")
    terminal.ask(*period)
    assert "a name that no period of this population has" in terminal.refused(*period)
    for command in (
        ["raise-cap", "visit", "--epsilon", 9, "--reason", "more"],
        ["open-period", "visit", "2027", "--epsilon", 9, "--reason", "more"],
        ["overlap", "visits", "visit", "none"],
        ["earlier-release", "visit", "a report"],
    ):
        assert "Did you mean 'visits'?" in terminal.refused("population", *command)
    assert "another population" in terminal.refused("population", "overlap", "visits", "visits", "none")
    assert "some words" in terminal.refused("population", "earlier-release", "visits", "a report", " ")
    assert "registered" in terminal.refused("population", "add", "kids", *ADD, "--overlap", "nobody=none")
    assert [each["name"] for each in terminal.ask("population", "list")] == ["visits"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["population", "raise-cap", "visits", "--epsilon", "4"],
        ["population", "raise-cap", "visits", "--reason", "more"],
        ["population", "open-period", "visits", "--epsilon", "4", "--reason", "more"],
        ["population", "open-period", "visits", "2027", "--epsilon", "4"],
        ["population", "overlap", "visits", "kids"],
        ["population", "overlap", "visits", "kids", "few"],
        ["population", "earlier-release", "visits"],
        ["population", "add", "kids", "--unit", "kid", "--epsilon", "1", "--overlap", "visits"],
        ["population", "add", "kids", "--unit", "kid", "--epsilon", "1", "--overlap", "=same"],
        ["population", "add", "kids", "--unit", "kid", "--epsilon", "1", "--overlap", "visits=few"],
    ],
)
def test_wrong_usage_is_code_2(arguments: list[str], empty: Terminal) -> None:
    with pytest.raises(SystemExit) as left:
        empty.run(*arguments)
    assert left.value.code == 2
