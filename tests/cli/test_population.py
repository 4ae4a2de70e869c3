"""Populations from a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dprelease import cli
from dprelease.model.actor import OWNER
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import ledger
from dprelease.store.database import Database

Capture = pytest.CaptureFixture[str]


def say(capsys: Capture, home: Path, *arguments: object) -> str:
    assert cli.main([*map(str, arguments), "--home", str(home)]) == 0
    return capsys.readouterr().out


def ask(capsys: Capture, home: Path, *arguments: object) -> Any:
    return json.loads(say(capsys, home, *arguments, "--json"))


@pytest.fixture
def home(tmp_path: Path, capsys: Capture) -> Path:
    """A workspace with a population of each currency."""
    say(capsys, tmp_path, "init")
    add = ("population", "add", "--unit", "person", "--epsilon")
    say(capsys, tmp_path, *add, 3, "women")
    say(capsys, tmp_path, *add, 1, "--delta", "1e-6", "--currency", "zcdp", "--neighbors", "substitute", "men")
    return tmp_path


def charge(home: Path, population: str, loss: PrivacyLoss) -> None:
    ledger.charge(Database.open(home / "ledger.db"), population, loss, actor=OWNER)


def test_a_population_in_zcdp_is_registered_with_its_rho(home: Path, capsys: Capture) -> None:
    men, women = ask(capsys, home, "population", "list")
    assert (men["currency"], men["epsilon_nano"], men["delta_atto"]) == ("zcdp", 10**9, 10**12)
    assert men["rho_nano"] > 0
    assert (women["currency"], "rho_nano" in women) == ("pure", False)


def test_the_list_tells_cap_spent_and_left_of_each(home: Path, capsys: Capture) -> None:
    charge(home, "women", PrivacyLoss(epsilon_nano=5 * 10**8))
    charge(home, "men", PrivacyLoss(rho_nano=10**6, delta_atto=1))
    men, women = ask(capsys, home, "population", "list")
    assert (women["spent"], women["charges"]) == ({"epsilon_nano": 5 * 10**8, "delta_atto": 0}, 1)
    assert women["left"] == {"epsilon_nano": 25 * 10**8, "delta_atto": 0}
    assert men["spent"] == {"epsilon_nano": 0, "rho_nano": 10**6, "delta_atto": 1}
    assert men["left"] == {
        "epsilon_nano": 0,
        "rho_nano": men["rho_nano"] - 10**6,
        "delta_atto": 5 * 10**11 - 1,
    }
    words = say(capsys, home, "population", "list")
    for part in (
        "Population women: unit person, add_remove, pure\n  cap    ε = 3, δ = 0\n",
        "  spent  ε = 0.5, δ = 0, in charges: 1\n",
        "  left   ε = 2.5, δ = 0",
        "Population men: unit person, substitute, zcdp\n  cap    ρ = ",
        "(ε = 1, δ = 0.000001)",
        "  spent  ρ = 0.001, δ = 1e-18 (ε = ",
    ):
        assert part in words


def test_rho_that_is_all_spent_is_listed_as_0(home: Path, capsys: Capture) -> None:
    (men, _) = ask(capsys, home, "population", "list")
    assert men["spent"]["rho_nano"] == 0
    charge(home, "men", PrivacyLoss(rho_nano=men["rho_nano"]))
    (men, _) = ask(capsys, home, "population", "list")
    assert men["left"] == {"epsilon_nano": 0, "rho_nano": 0, "delta_atto": 5 * 10**11}


def test_a_population_of_which_nothing_is_discovered_has_its_whole_delta_for_rho(home: Path, capsys: Capture) -> None:
    add = ("population", "add", "--unit", "person", "--epsilon", 1, "--no-discovery")
    say(capsys, home, *add, "--delta", "1e-6", "--currency", "zcdp", "--neighbors", "substitute", "boys")
    boys, men, _ = ask(capsys, home, "population", "list")
    assert (boys["discovers"], "discovers" in men) == (False, False)
    assert boys["rho_nano"] > men["rho_nano"]
    assert boys["left"]["delta_atto"] == 0
    assert say(capsys, home, "population", "list").count("nothing is ever discovered") == 1
    assert cli.main([*map(str, add), "girls", "--home", str(home)]) == 3
    assert "Choose the currency zcdp" in capsys.readouterr().err


def test_no_population_is_said(tmp_path: Path, capsys: Capture) -> None:
    say(capsys, tmp_path, "init")
    assert ask(capsys, tmp_path, "population", "list") == []
    assert say(capsys, tmp_path, "population", "list") == "No population is registered.\n"


def test_a_list_makes_no_workspace(tmp_path: Path, capsys: Capture) -> None:
    assert cli.main(["population", "list", "--home", str(tmp_path / "nowhere")]) == 7
    assert "dprelease init" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        ["population", "add", "men", "--unit", "man", "--epsilon", "1"],
        ["dataset", "add", "visits", "visits.csv", "--epsilon", "1"],
        ["publish", "plan.yaml"],
        ["serve", "--no-browser"],
        ["invite", "ana", "--role", "curator"],
    ],
)
def test_a_mistyped_folder_gets_no_new_budget(tmp_path: Path, capsys: Capture, command: list[str]) -> None:
    assert cli.main([*command, "--home", str(tmp_path / "nowhere")]) == 7
    assert "dprelease init" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_zcdp_without_delta_is_refused_with_a_remedy(tmp_path: Path, capsys: Capture) -> None:
    say(capsys, tmp_path, "init")
    add = ["population", "add", "men", "--unit", "man", "--epsilon", "1", "--currency", "zcdp"]
    assert cli.main([*add, "--home", str(tmp_path)]) == 3
    assert "such as 1e-6" in capsys.readouterr().err


def test_a_dataset_may_bring_a_population_in_zcdp(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "visits.csv").write_text("age\n1\n")
    options = ("--epsilon", 1, "--delta", "1e-6", "--currency", "zcdp")
    say(capsys, tmp_path / "home", "init")
    ask(capsys, tmp_path / "home", "dataset", "add", "visits", tmp_path / "visits.csv", *options)
    (population,) = ask(capsys, tmp_path / "home", "population", "list")
    assert (population["name"], population["currency"]) == ("visits", "zcdp")


def test_whom_else_a_table_is_about_is_asked_before_it_is_registered(home: Path, capsys: Capture) -> None:
    table = home / "t.csv"
    table.write_text("pid\n1\n2\n")
    add = ("dataset", "add", "--unit-column", "pid")
    say(capsys, home, *add, "visits", table, "--population", "women")
    again = (*add, "more", table, "--population", "men")
    for answer in ((), ("--overlap", "others=none"), ("--overlap", "women=same")):
        assert cli.main([*map(str, (*again, *answer)), "--home", str(home)]) == 3
        told = capsys.readouterr().err
        assert {"women", "others"} & set(told.replace(".", " ").replace(":", " ").split())
    assert [each["name"] for each in ask(capsys, home, "dataset", "list")] == ["visits"]
    assert say(capsys, home, "population", "compare").startswith("No two populations")
    say(capsys, home, *again, "--overlap", "none")
    (compared,) = ask(capsys, home, "population", "compare")
    assert (compared["overlap"], compared["rows"]) == (
        "none",
        [{"dataset": "more", "other": "visits", "in_common": "file"}],
    )
    assert "  more and visits: the same rows\n" in say(capsys, home, "population", "compare")
    assert ask(capsys, home, "population", "list")[0]["overlaps"] == {"women": "none"}
    say(capsys, home, *add, "third", table, "--epsilon", 1, "--overlap", "open", "--overlap", "men=some")
    assert ask(capsys, home, "population", "list")[1]["overlaps"] == {"men": "some", "women": None}
    with pytest.raises(SystemExit):
        cli.main([*map(str, again), "--overlap", "perhaps", "--home", str(home)])
