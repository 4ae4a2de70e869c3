"""Prices and figures from a terminal: every kind, both currencies, and figures that are only shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dprelease import cli
from dprelease.workspace import Workspace
from tests.bundle.kinds import COLUMNS, IN_RHO, PLAN, install

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("prices")
    install(Workspace.create(folder / "home"))
    declared = {name: column for name, column in COLUMNS.items() if column.get("categories") != "discover"}
    for name, plan in (("all", PLAN), ("rho", IN_RHO), ("whole", {**IN_RHO, "columns": declared})):
        (folder / f"{name}.yaml").write_text(json.dumps(plan))
    return folder


def run(capsys: Capture, home: Path, command: str, plan: str, *more: str) -> str:
    assert cli.main([command, str(home / f"{plan}.yaml"), "--home", str(home / "home"), *more]) == 0
    return capsys.readouterr().out


def ask(capsys: Capture, home: Path, command: str, plan: str, *more: str) -> Any:
    return json.loads(run(capsys, home, command, plan, "--json", *more))


def test_a_price_of_every_kind_names_sources_and_limits(home: Path, capsys: Capture) -> None:
    found = ask(capsys, home, "price", "all")
    sources = {item["id"]: item["measurements"][0] for item in found["statistics"] if item["derivation"] != "own"}
    words = run(capsys, home, "price", "all")
    assert sources
    for name, source in sources.items():
        assert f"{name:24} computed of what is measured for {source}" in words
    assert "5 x " not in words.split("age_five")[0]
    assert "2 x Permute-and-flip choice" in words
    for basis in ("mechanism", "expected", "bound"):
        assert f"  {basis}\n" in words
    assert "In all ε = 200, δ = 0.000001; unit: up to 2 rows of one pid; add_remove." in words


@pytest.mark.parametrize("plan", ["rho", "whole"])
def test_a_price_in_rho_is_that_of_the_registered_population(plan: str, home: Path, capsys: Capture) -> None:
    found = ask(capsys, home, "price", plan)
    assert found["currency"] == "zcdp"
    assert found["rho"] > 0
    words = run(capsys, home, "price", plan)
    assert " ρ   95 % error" in words.splitlines()[0]
    assert f"(ρ = {found['rho']}, δ = 0)" in words
    assert "Discrete Gaussian noise" in words


def test_figures_are_labelled_as_shown_only(home: Path, capsys: Capture) -> None:
    words = run(capsys, home, "figures", "all")
    assert words.startswith("Figures for this release alone: shown only, never charged or summed.\n")
    assert "plain sum, which is charged" in words
    found = ask(capsys, home, "figures", "all", "--delta", "1e-5")
    assert found["note"] == "shown only, never charged or summed"
    assert set(found["figures"]) == {"basic", "renyi", "advanced", "pld"}
    assert found["figures"]["pld"]["delta"] == 1e-5
    assert found["figures"]["pld"]["epsilon"] <= found["figures"]["basic"]["epsilon"]
    assert Workspace.open(home / "home").populations.budget("few").charges == 0


def test_figures_of_a_plan_in_rho_have_no_advanced_composition(home: Path, capsys: Capture) -> None:
    assert set(ask(capsys, home, "figures", "rho")["figures"]) == {"basic", "renyi", "pld"}


def test_figures_at_a_delta_that_means_nothing_are_refused(home: Path, capsys: Capture) -> None:
    arguments = ["figures", str(home / "rho.yaml"), "--home", str(home / "home"), "--delta"]
    assert cli.main([*arguments, "1e-20"]) == 3
    assert "delta" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        cli.main([*arguments, "little"])
    assert left.value.code == 2


def test_publishing_in_rho_says_both(home: Path, capsys: Capture) -> None:
    words = run(capsys, home, "publish", "rho", "--out", str(home / "out"))
    assert " (ρ = 0." in words.splitlines()[1]
    assert " (ρ = 0." in words.splitlines()[2]
    bundle = next((home / "out").iterdir())
    assert cli.main(["verify", str(bundle)]) == 0
    assert "holds:" in capsys.readouterr().out
