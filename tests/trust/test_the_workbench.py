"""The workbench from outside: what reaches a browser that may see no true value, and what a crash leaves of a look."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pandas
import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import dprelease
from dprelease.table import Engine
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import written
from dprelease.workspace import sample
from tests.browser.conftest import serve
from tests.trust import world
from tests.trust.faults import Child
from tests.trust.socket import Tab, opened

OWN = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}|(?:127\.0\.0\.1|localhost):[0-9]+|(?<=draft[-=])[0-9a-f]{12}"
)
"""What is another in each process: identifiers of sessions, runs, elements and drafts, and the port."""
CLOCK = re.compile(r"\b[0-9]{2}:[0-9]{2}\b")
"""A time of day that a page shows."""
STATISTICS = [*world.STATISTICS, {"id": "ages", "kind": "histogram", "column": "age", "bins": 10}]
NEIGHBOURS = {
    "D": world.people(),
    "D'": pandas.DataFrame({"age": [99] * 7 + [None], "sex": ["F"] * 8}),
}


def shown(tab: Tab) -> Iterator[Any]:
    """What was sent, message by message, without what is drawn anew each time: a draw of OpenDP for the look-alike."""
    for message in tab.answers:
        component = message.delta.new_element.bidi_component
        if component.HasField("bytes"):
            data = json.loads(component.bytes)
            if data["open"]:
                drawn = data["open"].pop("drawn")
                yield {name: len(values) for name, values in drawn.items() if isinstance(values, list)}
                if data["open"]["ladder"]:
                    draws = data["open"]["ladder"].pop("draws")
                    yield [[len(each) for each in rung] for rung in draws]
            yield data
            component.ClearField("bytes")
        yield CLOCK.sub("", OWN.sub("", str(without_times(message))))


def without_times(message: ForwardMsg) -> ForwardMsg:
    message.ClearField("hash")
    message.ClearField("metadata")
    if message.WhichOneof("type") == "new_session":
        message.ClearField("new_session")
    return message


def sent(folder: Path, rows: pandas.DataFrame, policy: str, population: str = sample.POPULATION) -> list[Any]:
    """Everything that a browser is sent while the workbench is opened, left and opened again.

    Of the sample, by its name and its population's: true values are shown at once where they may be.
    """
    workspace = dprelease.Workspace.create(folder / "home")
    workspace.add_population(population, unit="person", neighbors="add_remove", epsilon=1)
    workspace.add_dataset(sample.DATASET, rows, columns=world.COLUMNS, population=population)
    workspace.plans.set_preview_policy(policy)
    draft = Draft.from_plan(world.plan(statistics=STATISTICS, dataset=sample.DATASET))
    workspace.plans.drafts.save(written(draft), name=draft.title)
    session = workspace.people.sign_in(workspace.people.sign_in_link())
    found: list[Any] = []
    running = serve(folder / "home")
    base = next(running).base
    with opened(base, session) as tab:
        for page in ("workbench", "", "workbench"):
            tab.ask(page)
            found += shown(tab)
            for fragment in sorted(tab.fragments()):
                tab.ask(page, fragment=fragment)
                found += shown(tab)
    running.close()
    assert any(isinstance(each, dict) and each.get("statistics") for each in found), "the workbench was shown"
    return found


def _look(home: Path, moment: str, pipe: Connection) -> None:
    """Looks at true values in a process that is killed when the rows are about to be read, or were."""
    answer = Engine.answer

    def killed(engine: Engine, *arguments: Any, **named: Any) -> Any:
        if moment == "before the rows are read":
            os.kill(os.getpid(), signal.SIGKILL)
        found = answer(engine, *arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)
        return found

    Engine.answer = killed  # type: ignore[method-assign]
    workspace = dprelease.Workspace.open(home)
    workspace.plans.look(world.plan())
    pipe.send(("published", True))


class TestTheWorkbenchTellsNoMoreThanItMay:
    """What a browser is sent under the blind policy is no function of the rows; a look is in the ledger before any is
    read."""

    def test_what_is_sent_under_the_blind_policy_is_the_same_for_any_rows(self, tmp_path: Path) -> None:
        one, other = (sent(tmp_path / name, rows, "blind") for name, rows in NEIGHBOURS.items())
        assert one == other

    def test_nothing_true_is_sent_unasked_of_a_table_that_has_the_name_of_the_sample(self, tmp_path: Path) -> None:
        one, other = (sent(tmp_path / name, rows, "true", "clinic-2025") for name, rows in NEIGHBOURS.items())
        assert one == other

    def test_where_true_values_may_be_seen_what_is_sent_is_not(self, tmp_path: Path) -> None:
        """The comparison above would find a difference."""
        one, other = (sent(tmp_path / name, rows, "true") for name, rows in NEIGHBOURS.items())
        assert one != other

    @pytest.mark.parametrize("moment", ["before the rows are read", "before tallies leave the engine"])
    def test_a_look_is_in_the_ledger_after_a_crash(self, tmp_path: Path, moment: str) -> None:
        world.solo(tmp_path / "home")
        run = Child.start(_look, tmp_path / "home", moment).finish()
        assert run.killed
        workspace = dprelease.Workspace.open(tmp_path / "home")
        assert [event.kind for event in workspace.ledger.events()][-1] == "preview_taken"
        assert workspace.ledger.verify() == workspace.ledger.count()
