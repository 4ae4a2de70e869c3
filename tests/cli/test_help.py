"""Help with examples, completion in a shell, progress for whoever looks on, and what `--json` prints, documented."""

from __future__ import annotations

import argparse
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dprelease import cli
from dprelease.cli import completion, progress
from dprelease.cli.command import EXAMPLES
from dprelease.model.progress import reach
from tests.cli.conftest import Terminal
from tests.cli.shapes import SHAPES

ROOT = Path(__file__).resolve().parents[2]
LINES = EXAMPLES.read_text(encoding="utf-8").splitlines()
SHELL = {"HOME": "~", "PATH": os.environ["PATH"]}


def leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers of commands."""
    groups = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if not groups:
        yield parser
    for group in groups:
        for each in group.choices.values():
            yield from leaves(each)


COMMANDS = {each.prog: each for each in leaves(cli.parser())}


def test_every_command_has_one_example_and_its_help_ends_with_it() -> None:
    shown = {prog: each.format_help().splitlines()[-1].strip() for prog, each in COMMANDS.items()}
    assert sorted(shown.values()) == sorted(LINES)
    assert [prog for prog, line in shown.items() if not f"{line} ".startswith(f"{prog} ")] == []


def test_the_help_of_a_group_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    for line in (["--help"], ["plan", "--help"]):
        with pytest.raises(SystemExit):
            cli.main(line)
    assert "example:" not in capsys.readouterr().out


@pytest.mark.parametrize("line", LINES)
def test_an_example_is_well_written(line: str) -> None:
    words = shlex.split(line.partition(" > ")[0])
    options = cli.parser().parse_args(words[1:])
    assert f"dprelease {options.verb} " in f"{line} "


def test_an_example_that_is_no_command_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.parser().parse_args(["price", "plan.yaml", "--datta"])
    assert "--data" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["dprelease", "pub"], {"publish"}),
        (["dprelease", "plan", "app"], {"approve"}),
        (["dprelease", "publish", "--dry"], {"--dry-run"}),
        (["dprelease", "population", "add", "p", "--neighbors", "s"], {"substitute"}),
    ],
)
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(words: list[str], found: set[str], terminal: Terminal) -> None:
    script = terminal.folder / "completion"
    script.write_text(terminal.run_alone("completion", "bash")[1])
    typed = " ".join(map(shlex.quote, words))
    asked = (
        f"source {script}; COMP_WORDS=({typed}) COMP_CWORD={len(words) - 1}; _shtab_dprelease; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == found


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_there_is_a_script_for_each_shell(shell: str, terminal: Terminal) -> None:
    assert "approve" in terminal.run_alone("completion", shell)[1]


def looked_on(*arguments: object, env: dict[str, str]) -> tuple[int, str]:
    """Run a command whose error stream is a terminal; its exit code, and what stood there."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", SLOW, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=os.environ | env, cwd=ROOT)
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # the end of a terminal
        while part := os.read(ours, 1024):
            seen += part
    process.communicate()
    os.close(ours)
    return process.returncode, seen.decode()


SLOW = """
import sys, time
from dprelease.cli import main, releases
load = releases.load_plan
releases.load_plan = lambda options: releases.reach("drawing") or time.sleep(1.5) or load(options)
sys.exit(main(sys.argv[1:]))
"""
"""A command that takes its time."""


def test_progress_is_shown_to_whoever_looks_on_alone(terminal: Terminal) -> None:
    line = ["publish", terminal.plan(), "--home", terminal.home]
    code, seen = looked_on(*line, env={"LANG": "es_ES.UTF-8", "LC_ALL": "es_ES.UTF-8"})
    assert (code, "lectura de las filas y sorteo del ruido: 1 s" in seen) == (0, True)
    assert seen.endswith(progress.CLEARED)
    assert looked_on(*line, "--quiet", env={}) == (0, "")
    assert terminal.run("publish", terminal.plan())[2] == ""  # no terminal


def test_steps_are_told_to_nobody_by_default() -> None:
    reach("drawing")


def test_every_step_has_words(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    token = progress.heard.set(steps.append)
    try:
        terminal.ask("dataset", "add", "more", terminal.table(4), "--population", "visits")
        bundle = terminal.ask("publish", terminal.plan())["bundle"]
        terminal.run_alone("verify", bundle)
    finally:
        progress.heard.reset(token)
    assert steps == ["reading", "charging", "drawing", "sealing", "writing", "recomputing", "comparing"]


def test_what_a_command_prints_is_documented() -> None:
    verbs = {prog.removeprefix("dprelease ") for prog in COMMANDS}
    known = set(json.loads(SHAPES.read_text()))
    assert known - verbs == {"error"}
    assert verbs - known == UNTRIED


SCHEMAS = {"schema plan", "schema dataset", "schema json"}
"""Commands that print a schema."""
ELSEWHERE = {"calendar cancel", "combine", "doi", "engine check", "ledger report", "model from", "office set", "portal"}
ELSEWHERE |= {"release embargo cancel", "rows from", "run abandon", "serve", "series set", "series show"}
ELSEWHERE |= {"session revoke", "site", "timestamp"}
"""Commands that need a server, a bundle of its own kind or an hour, and are tried with their rooms."""
UNTRIED = SCHEMAS | ELSEWHERE | {each for each in (prog[10:] for prog in COMMANDS) if each.startswith("federation ")}


def test_commands_that_other_tests_run_without_json_have_their_shape(terminal: Terminal, tmp_path: Path) -> None:
    plan, submitted = terminal.plan(), terminal.ask("plan", "submit", terminal.plan())["id"]
    terminal.ask("plan", "remark", submitted, "Why?", "--on", "people")
    quick = "person list, person failures, population compare, release embargo list, office show, run list"
    for line in (
        *quick.split(", "),
        "plan codebook visits",
        "schema columns visits",
        "completion fish",
        "dataset analysts visits",
        "token create job --for read --dataset visits",
    ):
        terminal.ask(*line.split())
    for line in (
        ["figures", plan],
        ["plan", "remarks", submitted],
        ["plan", "script", plan],
        ["plan", "notebook", plan],
    ):
        terminal.ask(*line)
    days = terminal.folder / "days.csv"
    days.write_text("day\n2025-01-01\n2025-02-01\n2025-03-01\n")
    schema = terminal.folder / "days.yaml"
    schema.write_text("columns:\n  day: {type: date, lower: 2025-01-01, upper: 2025-12-31}\n")
    added = ["dataset", "add", "births", days, "--schema", schema, "--epsilon", 1, "--unit", "birth"]
    terminal.ask(*added, "--overlap", "visits=none")
    run = {"column": "day", "every": "month", "first": "2025-01", "last": "2025-03", "at_most": 1}
    columns = {"day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"}}
    monthly = terminal.plan("monthly", dataset="births", title="Births", run=run, columns=columns)
    terminal.ask("run", "open", monthly)
    terminal.ask("run", "edition", "births", "--period", "2025-01")
    terminal.ask("run", "show", "births")
    terminal.ask("run", "end", "births", "--reason", "stopped")


def test_the_shape_of_a_command_is_printed(terminal: Terminal) -> None:
    told = json.loads(terminal.run("schema", "json", "plan", "show")[1])
    assert (told["title"], told["version"]) == ("dprelease plan show --json", 1)
    assert "lapse" in told["required"]
    assert "did you mean 'publish'" in terminal.refused("schema", "json", "publsh").lower()


def waiting(team: Terminal, plan: Path, time_: str = "60s") -> subprocess.Popen[str]:
    command = ["publish", str(plan), "--wait", time_, "--quiet", "--as", "ana", "--home", str(team.home)]
    return subprocess.Popen(
        [sys.executable, "-m", "dprelease", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def submitted(team: Terminal) -> str:
    """The id of the plan that somebody else has handed in by now."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if found := team.workspace().plans.find(actor=team.workspace().people.get("ben")):
            return found[-1].id
        time.sleep(0.1)
    raise AssertionError("no plan was submitted")


def test_a_job_waits_for_an_approval_and_goes_on_after_it_was_killed(stocked: Terminal) -> None:
    """Killed while it waits, begun again, approved by another process meanwhile: one release, charged once."""
    plan = stocked.plan()
    job = waiting(stocked, plan)
    plan_id = submitted(stocked)
    job.kill()
    job.communicate()
    assert stocked.run("publish", plan, "--wait", "0s", "--as", "ana")[0] == 8
    job = waiting(stocked, plan)
    approve = ["plan", "approve", plan_id, "--as", "ben", "--home", str(stocked.home)]
    subprocess.run([sys.executable, "-m", "dprelease", *approve], check=True, capture_output=True, cwd=ROOT)
    out, error = job.communicate()
    assert (job.returncode, error) == (0, "")
    assert stocked.run("publish", plan, "--wait", "60s", "--quiet", "--as", "ana")[1] == out
    assert [each["release"] for each in stocked.ask("release", "list")] == [out.strip()]
    assert stocked.workspace().populations.budget("visits", actor=stocked.workspace().people.get("ana")).charges == 1


def test_a_job_ends_where_its_plan_is_returned(stocked: Terminal) -> None:
    plan = stocked.plan()
    job = waiting(stocked, plan)
    stocked.ask("plan", "return", submitted(stocked), "--comment", "Of which year?", "--as", "ben")
    out, error = job.communicate()
    assert (job.returncode, out) == (3, "")
    assert re.search("Of which year", error)
