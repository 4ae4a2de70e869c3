"""The terminal: three commands from an empty folder to a verified bundle, and every other command once."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml

from dprelease import cli
from tests.workspace.tables import PIMA_PLAN, RAND_PLAN, pima, rand


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dprelease", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("terminal")
    rand().to_csv(folder / "rand.csv", index=False)
    pima().to_parquet(folder / "pima.parquet")
    (folder / "rand.yaml").write_text(yaml.safe_dump(RAND_PLAN))
    (folder / "pima.yaml").write_text(yaml.safe_dump(PIMA_PLAN))
    return folder


def test_three_commands_end_in_a_verified_bundle(place: Path) -> None:
    home = place / "home"
    made = run("init", "--home", home, "--json")
    key = json.loads(made.stdout)["public_key"]
    added = run("dataset", "add", "rand", place / "rand.csv", "--epsilon", "3", "--unit", "person-year", "--home", home)
    assert added.returncode == 0, added.stderr
    published = run("publish", place / "rand.yaml", "--home", home, "--out", place / "out", "--json")
    assert published.returncode == 0, published.stderr
    bundle = Path(json.loads(published.stdout)["bundle"])
    assert bundle.parent == place / "out"
    verified = run("verify", bundle, "--key", key)
    assert verified.returncode == 0, verified.stderr
    assert "signed by the expected key" in verified.stdout
    assert "cannot be shown" in verified.stdout

    with (bundle / "tables" / "people.csv").open("a") as file:
        file.write("7,7,7\n")
    tampered = run("verify", bundle)
    assert tampered.returncode == 6
    assert "people.csv" in tampered.stderr


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any]:
    code = cli.main([*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.full
def test_every_other_command(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = ["--home", tmp_path / "home"]
    assert call(capsys, "init", *home)[0] == 0
    code, population = call(
        capsys, "population", "add", "women", "--unit", "woman", "--epsilon", "4", "--neighbors", "substitute", *home
    )
    assert (code, population["epsilon_nano"]) == (0, 4 * 10**9)
    table = place / "pima.parquet"
    options = ["--population", "women", "--unit-column", "id", "--schema", place / "pima.yaml"]
    code, dataset = call(capsys, "dataset", "add", "pima", table, *options, *home)
    assert (code, dataset["unit_column"]) == (0, "id")
    assert dataset["columns"]["glu"]["unit"] == "mg/dl"

    assert call(capsys, "price", place / "pima.yaml", *home)[0] == 0
    code, preview = call(capsys, "preview", place / "pima.yaml", *home)
    assert [row["true"] for row in preview["statistics"]["women"]] == pima().query(
        "age <= 60"
    ).type.value_counts().tolist()
    code, first = call(capsys, "publish", place / "pima.yaml", *home)
    _, same = call(capsys, "publish", place / "pima.yaml", *home)
    _, again = call(capsys, "publish", place / "pima.yaml", "--again", *home)
    assert first["release"] == same["release"] != again["release"]
    code, refused = call(capsys, "publish", place / "pima.yaml", "--again", *home)
    assert (code, refused["error"]) == (1, "InsufficientBudgetError")

    code, events = call(capsys, "ledger", "list", "--population", "women", *home)
    assert [event["kind"] for event in events].count("charge") == 2
    _, checked = call(capsys, "ledger", "verify", *home)
    code, exported = call(capsys, "ledger", "export", tmp_path / "ledger.jsonl", *home)
    assert checked["events"] == exported["events"] == len((tmp_path / "ledger.jsonl").read_text().splitlines())
    code, site = call(capsys, "site", tmp_path / "site", *home)
    assert site["releases"] == 2
    assert first["release"] in (tmp_path / "site" / "index.html").read_text()
    code, refused = call(capsys, "site", tmp_path / "site" / "index.html" / "below", *home)
    assert (code, refused["error"]) == (1, "InputError")


def test_price_needs_no_table_and_no_workspace(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, price = call(capsys, "price", place / "rand.yaml")
    assert code == 0
    assert list(tmp_path.iterdir()) == []
    assert [item["id"] for item in price["statistics"]] == [item["id"] for item in RAND_PLAN["statistics"]]
    for item in price["statistics"]:
        assert item["mechanism"] in ("discrete_laplace", "permute_and_flip")
        assert item["scale"] > 0
        assert 0 < item["epsilon"] < 1 or item["derivation"] != "own"
        assert item["error95"] > 0
        assert item["basis"] in ("mechanism", "expected")


def test_a_bad_plan_fails_with_every_problem_and_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = RAND_PLAN | {"statistics": [{"id": "a", "kind": "meen"}, {"id": "b", "kind": "histogram"}]}
    (tmp_path / "bad.yaml").write_text(yaml.safe_dump(bad))
    assert cli.main(["price", str(tmp_path / "bad.yaml")]) == 3
    words = capsys.readouterr().err
    assert "statistics[0].kind" in words
    assert "'mean'" in words
    assert "statistics[1].column" in words


@pytest.mark.parametrize("arguments", [[], ["submit"], ["nonsense"], ["price", "x", "--wrong"]])
def test_wrong_usage_is_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(arguments)
    assert left.value.code == 2


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["--help"])
    assert left.value.code == 0
    words = capsys.readouterr().out
    for command in {words[0] for words in commands()}:
        assert command in words


def commands(parser: argparse.ArgumentParser | None = None, *before: str) -> Iterator[tuple[str, ...]]:
    """The words of every command."""
    for action in (parser or cli.parser())._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from commands(below, *before, name)
            return
    yield before


def test_every_command_has_the_common_options(capsys: pytest.CaptureFixture[str]) -> None:
    for words in commands():
        with pytest.raises(SystemExit):
            cli.main([*words, "--help"])
        told = capsys.readouterr().out
        for option in ("--home DIR", "--as NAME", "--json"):
            assert option in told, words


def test_every_command_is_in_the_design() -> None:
    lines = (Path(__file__).parents[2] / "docs" / "python.md").read_text("utf-8").splitlines()
    block = lines[lines.index("Console script `dprelease` (and `python -m dprelease`):") + 2 :]
    told = [re.split(r"[^a-z-]+", line) for line in block[: block.index("```")]]
    assert [words for words in commands() if not any(set(words) <= set(line) for line in told)] == []


@pytest.mark.full
def test_publishing_loads_no_chart_or_page_library_before_the_seal(place: Path, tmp_path: Path) -> None:
    script = f"""
import sys, dprelease
ws = dprelease.Workspace.in_memory()
ws.add_dataset("rand", {str(place / "rand.csv")!r}, epsilon=3)
plan_id = ws.plans.submit(dprelease.Plan.load({str(place / "rand.yaml")!r}))
ws.plans.approve(plan_id)
ws.publish(plan_id)
print([name for name in ("altair", "vl_convert", "streamlit", "sklearn", "scipy") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_frames_of_a_release_are_pandas(place: Path, tmp_path: Path) -> None:
    import dprelease

    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("rand", str(place / "rand.csv"), epsilon=3)
    plan_id = workspace.plans.submit(dprelease.Plan.load(place / "rand.yaml"))
    workspace.plans.approve(plan_id)
    assert isinstance(workspace.publish(plan_id).estimates["people"], pandas.DataFrame)


def test_reading_commands_make_no_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["ledger", "list"], ["ledger", "verify"], ["site", str(tmp_path / "site")]):
        assert cli.main([*command, "--home", str(tmp_path / "nowhere")]) == 7
        assert "dprelease init" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
