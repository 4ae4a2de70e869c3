"""A terminal on a workspace on disk, of one person or of a team."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from dprelease import cli, errors
from dprelease.codebook.fault import CodebookError
from dprelease.model.actor import OWNER
from dprelease.statistics import Plan
from dprelease.store import releases
from dprelease.store.database import Database
from dprelease.workspace import Workspace
from tests.cli.shapes import compare, verb_of

PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Ages",
    "dataset": "visits",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 0.5},
    "expected": {"rows": 3},
    "columns": {"age": {"type": "integer", "lower": 0, "upper": 10}},
    "statistics": [{"id": "people", "kind": "count"}],
}


@dataclass(frozen=True)
class Terminal:
    """Runs commands on the workspace in `folder / "home"`."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def run(self, *arguments: object) -> tuple[int, str, str]:
        return self.run_alone(*arguments, "--home", self.home)

    def run_alone(self, *arguments: object) -> tuple[int, str, str]:
        """A command that takes no workspace."""
        self.capsys.readouterr()
        words = [*map(str, arguments)]
        code = cli.main(words)
        out, error = self.capsys.readouterr()
        if "--json" in words and out:
            told = json.loads(out)
            compare("error" if isinstance(told, dict) and "error" in told else verb_of(words), told)
        return code, out, error

    def say(self, *arguments: object) -> str:
        """In words."""
        code, out, error = self.run(*arguments)
        assert (code, error) == (0, "")
        return out

    def ask(self, *arguments: object) -> Any:
        """As JSON."""
        code, out, _ = self.run(*arguments, "--json")
        assert code == 0, out
        return json.loads(out)

    def refused(self, *arguments: object, error: str = "InputError") -> str:
        """Why a command failed, which is the same in words and as JSON."""
        code, out, _ = self.run(*arguments, "--json")
        told = json.loads(out)
        found = getattr(errors, told["error"], CodebookError)
        assert issubclass(found, getattr(errors, error, CodebookError))
        assert (code, told.keys() - {"state", "plan"}) == (found.exit_code, {"error", "message", "said"})
        again, out, words = self.run(*arguments)
        assert (again, out, words) == (code, "", f"dprelease: {told['message']}\n")
        return str(told["message"])

    def asked(self, *arguments: object, error: str = "UploadError") -> dict[str, list[str]]:
        """What a command asks first, with the answers that it names: the same in words and as JSON."""
        code, out, _ = self.run(*arguments, "--json")
        told = json.loads(out)
        assert (code, told["code"], told["error"]) == (2, "reading.ask", error)
        code, out, words = self.run(*arguments)
        assert (code, out, words) == (2, "", f"dprelease: {told['message']}\n")
        return {each["path"]: each["answers"] for each in told["said"] if "answers" in each}

    def plan(self, name: str = "plan", **changes: Any) -> Path:
        """A plan file of its own name."""
        path = self.folder / f"{name}.yaml"
        path.write_text(yaml.safe_dump(PLAN | changes))
        return path

    def table(self, rows: int = 3) -> Path:
        path = self.folder / f"{rows}.csv"
        path.write_text("age\n" + "1\n" * rows)
        return path

    def workspace(self) -> Workspace:
        return Workspace.open(self.home)

    def interrupt(self, **changes: Any) -> str:
        """A release that is charged, and of which no process draws; its id."""
        workspace = self.workspace()
        plan_id = workspace.plans.submit(Plan.parse(PLAN | changes))
        workspace.plans.approve(plan_id)
        loss = workspace.plans.price_of(plan_id).loss
        database = Database.open(self.home / "ledger.db")
        return releases.begin(database, plan_id, loss, actor=OWNER, slug="interrupted").id

    def kinds(self, *more: object) -> list[str]:
        """Of every event."""
        return [event["kind"] for event in self.ask("ledger", "list", *more)]


@pytest.fixture
def empty(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("DPRELEASE_CHECKPOINT", "DPRELEASE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return Terminal(tmp_path, capsys)


@pytest.fixture
def terminal(empty: Terminal) -> Terminal:
    """With a population and a dataset called visits."""
    empty.ask("init")
    empty.ask("dataset", "add", "visits", empty.table(), "--epsilon", 3, "--unit", "visit")
    return empty


@pytest.fixture
def team(empty: Terminal) -> Terminal:
    """With ana, a curator, ben, a reviewer, and cleo, who is both; no population yet."""
    empty.ask("init", "--team")
    for name, roles in {"ana": ["curator"], "ben": ["reviewer"], "cleo": ["curator", "reviewer"]}.items():
        empty.ask("invite", name, *(word for role in roles for word in ("--role", role)), "--as", "owner")
    return empty


@pytest.fixture
def stocked(team: Terminal) -> Terminal:
    """A team with the population and the dataset visits."""
    team.ask("population", "add", "visits", "--unit", "visit", "--epsilon", 3, "--as", "ana")
    team.ask("request", "approve", 1, "--as", "ben")
    team.ask("dataset", "add", "visits", team.table(), "--population", "visits", "--as", "ana")
    return team


def without(mapping: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The rest of a mapping."""
    return {name: value for name, value in mapping.items() if name not in names}
