"""What happens around a command: an output that lacks letters, nobody who listens, Ctrl-C, a mistyped path."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dprelease.cli import main
from dprelease.model.release import Release
from dprelease.model.version import VERSION
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import price
from dprelease.store import releases
from dprelease.workspace import publish as publishing
from dprelease.workspace.state import State
from tests.cli.conftest import PLAN, Terminal

ROOT = Path(__file__).resolve().parents[2]


def run(terminal: Terminal, *arguments: object, encoding: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "dprelease", *map(str, arguments), "--home", str(terminal.home)]
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, env=environment, cwd=terminal.folder, check=False)


def told(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, *arguments: object, encoding: str
) -> tuple[int, bytes, bytes]:
    """Run a command in this process, whose output has an encoding."""
    out, error = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
    with monkeypatch.context() as lacking:
        lacking.setattr(sys, "stdout", out)
        lacking.setattr(sys, "stderr", error)
        code = main([*map(str, arguments), "--home", str(terminal.home)])
    for stream in (out, error):
        stream.flush()
    return code, out.buffer.getvalue(), error.buffer.getvalue()  # type: ignore[attr-defined]


@pytest.mark.full
@pytest.mark.parametrize("encoding", ["ascii", pytest.param("cp1252", marks=pytest.mark.full)])
def test_a_terminal_that_lacks_letters_fails_nothing(
    terminal: Terminal, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ε is in neither: a release that was charged would look like a failure, and be tried again.

    The full run adds the letters of Western Windows.
    """
    plan = terminal.plan(title="Añadas — 日本")
    done = run(terminal, "publish", plan, encoding=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u03b5 = 0.5" in done.stdout
    code, out, _ = told(terminal, monkeypatch, "publish", plan, "--json", encoding=encoding)
    assert (code, out.isascii()) == (0, True)
    assert json.loads(out)["certificate"]["title"] == "Añadas — 日本"
    code, out, _ = told(terminal, monkeypatch, "population", "list", encoding=encoding)
    assert (code, b"spent" in out) == (0, True)
    large = terminal.plan("large", privacy={**PLAN["privacy"], "epsilon": 9})
    code, _, error = told(terminal, monkeypatch, "publish", large, encoding=encoding)
    assert (code, b"Traceback" in error) == (4, False)
    assert b"\\u03b5" in error
    assert terminal.workspace().populations.budget("visits").charges == 1


@pytest.mark.full
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_nobody_listens_to_an_error(terminal: Terminal, more: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "dprelease", "publish", "nowhere.yaml", "--home", str(terminal.home), *more]
    with open(terminal.folder / "error.txt", "w+b") as other, os.fdopen(writer, "wb") as closed:
        streams: dict[str, Any] = {"stdout": closed, "stderr": other} if more else {"stdout": other, "stderr": closed}
        done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False, **streams)
        other.seek(0)
        told = other.read()
    assert (done.returncode, told) == (1, b"")


@pytest.mark.full
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="No device here is always full")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_disk_is_told_elsewhere(terminal: Terminal, more: list[str]) -> None:
    command = [sys.executable, "-m", "dprelease", "publish", str(terminal.plan()), "--home", str(terminal.home), *more]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"dprelease: what was done cannot be told here: No space left on device\n"


def test_a_folder_that_cannot_be_written_is_refused_before_a_charge(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    (terminal.folder / "file").write_text("")
    refused = terminal.refused("publish", terminal.plan(), "--out", terminal.folder / "file" / "out")
    assert "a folder that can be written" in refused
    assert refused.endswith("Nothing was charged.")
    assert terminal.workspace().populations.budget("visits").charges == 0

    write, out = Release.write, terminal.folder / "out"

    def full(release: Release, folder: Path) -> Path:
        if folder == out:
            raise OSError(28, "No space left on device")
        return write(release, folder)

    with monkeypatch.context() as filling:
        filling.setattr(Release, "write", full)
        told = terminal.refused("publish", terminal.plan(), "--out", out)
    assert "No space left on device" in told
    assert "is published all the same" in told
    assert "Release" in terminal.say("publish", terminal.plan(), "--out", out)
    assert terminal.workspace().populations.budget("visits").charges == 1


STEPS: dict[str, tuple[Any, str, str]] = {
    "before the draw": (publishing, "draw", "charged, not drawn yet"),
    "after the seal": (publishing, "stated", "charged and drawn, not published yet"),
    "before the files": (State, "show", "published in the ledger, its public files are missing"),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("step", STEPS)
def test_an_interruption_says_what_stands_and_what_finishes_it(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def stop(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    owner, name, words = STEPS[step]
    with monkeypatch.context() as interrupting:
        interrupting.setattr(owner, name, stop)
        code, out, error = terminal.run("publish", terminal.plan())
    assert (code, out) == (130, "")
    assert error.startswith("dprelease: Interrupted. ")
    assert words in error
    assert error.endswith("dprelease release resume\n")
    (begun,) = releases.every(terminal.workspace()._state.database)
    assert f"{begun.id}  " in terminal.say("release", "unfinished")
    assert words in terminal.say("release", "unfinished")
    assert f"Release {begun.id}" in terminal.say("release", "resume")
    assert terminal.say("release", "unfinished") == "Every release that was charged is published.\n"
    assert (terminal.home / "public" / begun.id / "index.html").is_file()
    assert terminal.workspace().populations.budget("visits").charges == 1


def test_an_interruption_before_a_charge_says_that_nothing_was_charged(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(releases, "begin", stop)
    code, _, error = terminal.run("publish", terminal.plan())
    assert (code, error) == (130, "dprelease: Interrupted. Nothing is charged that is not published.\n")


def test_a_mistyped_path_is_not_called_tampering(terminal: Terminal) -> None:
    code, out, _ = terminal.run_alone("verify", terminal.folder / "nowhere", "--json")
    told = json.loads(out)
    assert (code, told["error"]) == (7, "NotFoundError")
    assert "no such file or folder" in told["message"]
    assert "Do not use" not in told["message"]
    (terminal.folder / "empty").mkdir()
    code, out, _ = terminal.run_alone("verify", terminal.folder / "empty", "--json")
    assert (code, json.loads(out)["error"]) == (6, "IntegrityError")


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"dprelease {VERSION}\n")


def test_the_price_of_an_unknown_statistic_is_a_key_error() -> None:
    priced = price(Plan.parse(PLAN))
    assert priced["people"].id == "people"
    with pytest.raises(KeyError, match="Did you mean 'people'"):
        priced["poeple"]
    with pytest.raises(KeyError):
        list(map(priced.__getitem__, ["people", "typo"]))
