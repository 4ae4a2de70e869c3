"""Every charge waits for the noise library's test, whose result is kept and stated."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import NoiseLibraryError
from dprelease.mechanisms import self_test
from dprelease.workspace import publish as publishing
from tests.mechanisms.test_self_test import COLUMNS, PLAN

ROOT = Path(dprelease.__file__).parent
CHARGING = {"charge", "charge_within", "charge_round", "begin"}
"""What commits a charge, in `store`."""


@pytest.fixture
def tested(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The versions that were tested, in turn."""
    found: list[str] = []
    monkeypatch.setattr(self_test, "_passed", found.append)
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    workspace.add_dataset("t", [{"f": "a"}, {"f": "b"}], columns=COLUMNS, epsilon=9, unit="row")
    return tmp_path / "home"


def publish(home: Path, **options: Any) -> dprelease.Release:
    """As a program does that begins anew."""
    return dprelease.Workspace.open(home).publish(dprelease.Plan.parse(PLAN), **options)


def test_it_is_tested_at_the_first_charge_and_at_each_new_version(
    home: Path, tested: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tested == []
    first = publish(home)
    publish(home, again=True)
    now = self_test.installed()
    assert tested == [now]
    assert first.certificate.to_mapping()["noise_self_test"] == {
        "library": "opendp",
        "version": now,
        "result": "passed",
    }
    kept = home / "private" / "noise_library.json"
    assert json.loads(kept.read_text())["version"] == now
    assert kept.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(self_test, "installed", lambda: "0.16.1")
    assert publish(home, again=True).certificate.noise_self_test.version == "0.16.1"
    assert tested == [now, "0.16.1"]
    kept.write_text("torn")
    publish(home, again=True)
    assert tested == [now, "0.16.1", "0.16.1"]


def test_a_draw_that_a_crash_left_open_waits_for_the_test_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "_draw", fail)
        with pytest.raises(KeyboardInterrupt):
            publish(home)
    monkeypatch.setattr(self_test, "installed", lambda: "0.17.0")
    with pytest.raises(NoiseLibraryError, match="No noise was drawn; the earlier charge stands"):
        publish(home)
    monkeypatch.undo()
    assert publish(home).certificate.noise_self_test.version == self_test.installed()


def test_every_function_that_charges_passes_the_one_door() -> None:
    """Outside `store`, what commits a charge is called only where `check_before_charge` was called first."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text("utf-8")
        if path.parent.name == "store" or not any(f".{name}(" in text for name in CHARGING):
            continue
        for function in ast.walk(ast.parse(text)):
            if not isinstance(function, ast.FunctionDef):
                continue
            calls = {
                f"{call.func.value.id}.{call.func.attr}": call.lineno
                for call in ast.walk(function)
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
                if isinstance(call.func.value, ast.Name)
                if call.func.value.id in ("releases", "rounds", "ledger", "charging") and call.func.attr in CHARGING
            }
            doors = [
                call.lineno
                for call in ast.walk(function)
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
                if call.func.attr == "check_before_charge"
            ]
            for name, line in calls.items():
                found[name] = bool(doors) and min(doors) < line
    assert found == {"releases.begin": True, "rounds.charge_round": True}
