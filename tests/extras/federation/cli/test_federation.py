"""A round of three sites from their terminals, in folders and processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from dprelease import cli
from tests.extras.federation.test_federations import NAMES, plan, workspace

CREATE = ["--name", "Hospitals"]


@pytest.fixture
def homes(tmp_path: Path) -> list[Path]:
    for number, name in enumerate(NAMES):
        workspace(tmp_path / name, number)
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan().to_mapping()))
    return [tmp_path / name for name in NAMES]


def run(capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0) -> Any:
    assert cli.main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def keys(capsys: pytest.CaptureFixture[str], homes: list[Path]) -> list[str]:
    shown = (run(capsys, "key", "show", "--home", home) for home in homes)
    return [f"--site={name}={each['public_key']}" for name, each in zip(NAMES, shown, strict=True)]


@pytest.mark.full
def test_a_round_from_the_roster_to_its_tables(
    homes: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared, wanted = tmp_path / "round", tmp_path / "plan.yaml"
    run(capsys, "federation", "create", shared, *CREATE, *keys(capsys, homes))
    waiting = [run(capsys, "federation", "join", shared, "--home", home)["waiting"] for home in homes]
    assert waiting == [["South", "West"], ["West"], []]
    steps = [
        [run(capsys, "federation", "contribute", shared, wanted, "--home", home)["step"] for home in homes]
        for _ in range(5)
    ]
    assert steps[0][0] == "offer"
    assert steps[-1] == ["sum"] * 3
    shown = run(capsys, "federation", "show", shared)
    assert shown["sent"]["North"] == ["roster", "offer", "key", "keys", "masked", "sum"]
    assert [sites for sites, _ in shown["losses"]] == [1, 2]
    assert shown["losses"][1][1] == pytest.approx(2 * shown["losses"][0][1], abs=4)
    found = run(capsys, "federation", "combine", shared, wanted, "--out", tmp_path / "out", "--home", homes[2])
    assert found["recomputed"]
    assert found["tables"]["by_sex"].splitlines()[0] == "sex,value,lower95,upper95"
    assert (tmp_path / "out" / "by_sex.csv").read_text() == found["tables"]["by_sex"]
    assert not list((tmp_path / "out").glob("*.u64"))
    told = [[run(capsys, "federation", "publish", shared, wanted, "--home", each) for each in homes] for _ in range(2)]
    assert [(each["step"], each["waiting"]) for each in told[0]] == [
        ("account", ["South", "West"]),
        ("account", ["West"]),
        ("bundle", ["North"]),
    ]
    assert len({each["release"] for each in told[1]}) == 1
    key = keys(capsys, homes)[0].removeprefix("--site=North=")
    checked = run(capsys, "verify", told[1][2]["path"], "--key", key)
    assert checked["signer_known"]
    assert cli.main(["federation", "show", str(shared)]) == 0
    assert "with 2 colluding sites: ρ = " in capsys.readouterr().out


LOOP = """
import contextlib, io, json, sys
from dprelease import cli
while True:
    with contextlib.redirect_stdout(io.StringIO()) as told:
        code = cli.main(["federation", "contribute", *sys.argv[1:3], "--home", sys.argv[3], "--json"])
    found = json.loads(told.getvalue())
    if code:
        sys.exit(told.getvalue())
    if found == {"step": "sum", "waiting": []}:
        break
"""


@pytest.mark.full
def test_sites_in_processes_of_their_own_finish_at_the_same_time(
    homes: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared, wanted = tmp_path / "round", tmp_path / "plan.yaml"
    run(capsys, "federation", "create", shared, *CREATE, *keys(capsys, homes))
    for home in homes:
        run(capsys, "federation", "join", shared, "--home", home)
    asked = [[sys.executable, "-c", LOOP, shared, wanted, home] for home in [*homes, homes[0]]]
    processes = [subprocess.Popen(each, stderr=subprocess.PIPE, text=True) for each in asked]
    assert [(process.communicate()[1], process.returncode) for process in processes] == [("", 0)] * 4
    assert run(capsys, "federation", "combine", shared, wanted, "--home", homes[1])["recomputed"]
    for home in homes:
        listed = run(capsys, "ledger", "list", "--home", home)
        assert sum(each["kind"] == "charge" for each in listed) == 1


@pytest.mark.full
def test_a_void_round_says_so(homes: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shared, wanted = tmp_path / "round", tmp_path / "plan.yaml"
    run(capsys, "federation", "create", shared, *CREATE, *keys(capsys, homes))
    for home in homes:
        run(capsys, "federation", "join", shared, "--home", home)
    for home in [*homes, *homes]:
        run(capsys, "federation", "contribute", shared, wanted, "--home", home)
    run(capsys, "federation", "void", shared, "--home", homes[0])
    told = run(capsys, "federation", "contribute", shared, wanted, "--home", homes[1], code=6)
    assert "North made this round void, which is final" in told["message"]


def test_wrong_rosters_are_refused(homes: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shared, sites = tmp_path / "round", keys(capsys, homes)
    told = run(capsys, "federation", "create", shared, *CREATE, *sites, "--site=no key", code=3)
    assert "NAME=KEY" in told["message"]
    doubled = sites[0].replace("North", "Else")
    told = run(capsys, "federation", "create", shared, *CREATE, *sites, doubled, code=3)
    assert "one key for North and Else" in told["message"]
    run(capsys, "federation", "create", shared, *CREATE, *sites[:2])
    told = run(capsys, "federation", "join", shared, "--home", homes[2], code=6)
    assert "the key of no site of Hospitals" in told["message"]
