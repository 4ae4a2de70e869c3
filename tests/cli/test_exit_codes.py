"""Exit codes by meaning, and options of every command."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dprelease import cli
from dprelease.cli.releases import seconds
from dprelease.model.schema import Schema
from dprelease.statistics.plan_source import columns
from tests.cli.conftest import Terminal

LARGE = {"unit": "row", "neighbors": "add_remove", "epsilon": 99}


def state_of(folder: Path) -> dict[str, str]:
    """The bytes of every file of a workspace."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_each_meaning_has_its_code(terminal: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan, large = (
        terminal.plan(),
        terminal.plan("large", privacy={"unit": "row", "neighbors": "add_remove", "epsilon": 99}),
    )
    assert terminal.run("price", terminal.plan("bad", statistics=[]))[0] == 3
    assert terminal.run("publish", large)[0] == 4
    assert terminal.run("price", tmp_path / "none.yaml")[0] == 7
    assert terminal.run("plan", "show", "plan-none")[0] == 7
    assert terminal.run("schema", "columns", "none")[0] == 7
    assert terminal.run("publish", plan)[0] == 0
    for usage in (["prise", str(plan)], ["price", "--hom", str(plan)], ["price"]):
        with pytest.raises(SystemExit) as left:
            cli.main(usage)
        assert left.value.code == 2
    said = capsys.readouterr().err
    assert "Did you mean 'price'?" in said
    assert "Did you mean '--home'?" in said


def test_options_stand_before_or_after_the_command(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    home = ["--home", str(terminal.home)]
    told = []
    for line in ([*home, "--json", "population", "list"], ["population", "list", "--json", *home]):
        assert cli.main(line) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1]


def test_a_quiet_command_prints_the_id_alone(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, words = terminal.run("publish", terminal.plan(), "--quiet")
    assert (code, words) == (0, "")
    assert len(out.split()) == 1
    assert terminal.run("publish", terminal.plan(), "--quiet")[1] == out
    assert terminal.ask("release", "list")[0]["release"] == out.strip()


def test_a_trial_says_what_would_be_and_writes_nothing(terminal: Terminal) -> None:
    plan = terminal.plan()
    terminal.run("population", "list")  # what is due once a day is done
    before = state_of(terminal.home)
    code, out, _ = terminal.run("publish", plan, "--dry-run", "--json")
    told = json.loads(out)
    assert (code, told["state"]) == (0, "would_publish")
    large = terminal.plan("large", privacy=LARGE)
    code, out, _ = terminal.run("publish", large, "--dry-run", "--json")
    assert (code, json.loads(out)["state"]) == (4, "no_budget")
    assert state_of(terminal.home) == before
    terminal.run("publish", plan)
    assert json.loads(terminal.run("publish", plan, "--dry-run", "--json")[1])["state"] == "published"


@pytest.mark.full
def test_a_plan_comes_from_standard_input(terminal: Terminal) -> None:
    command = [sys.executable, "-m", "dprelease", "price", "-", "--json", "--home", str(terminal.home)]
    done = subprocess.run(
        command, input=terminal.plan().read_bytes(), capture_output=True, cwd=Path(__file__).parents[2]
    )
    assert (done.returncode, json.loads(done.stdout)["epsilon_text"]) == (0, "0.5")


def test_schemas_are_printed(terminal: Terminal) -> None:
    assert json.loads(terminal.run("schema", "plan")[1])["title"].startswith("dprelease plan")
    assert json.loads(terminal.run("schema", "dataset")[1])["title"].startswith("dprelease dataset")
    assert "import dprelease as dp" in terminal.run("schema", "columns", "visits")[1]
    names: dict[str, Any] = {}
    exec(columns("hospital visits", Schema.parse({"age": {"type": "integer", "lower": 0, "upper": 9}})), names)
    assert names["HospitalVisits"].age.name == "age"


@pytest.mark.parametrize(("text", "found"), [("90s", 90), ("30m", 1800), ("2h", 7200)])
def test_a_time_to_wait(text: str, found: int) -> None:
    assert seconds(text) == found
