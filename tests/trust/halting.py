"""Processes that publish, register or make a copy, and halt or die before one of their steps.

Steps are those of faults.py: what a process is about to do to the disk, to the database or to noise. How many there are
is counted on the way, so that a share of them is the same moment on every machine, however busy it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from tests.trust import faults
from tests.trust.faults import Fault, Steps


@dataclass
class Halting(Steps):
    """Before one of its steps it says so, and goes on when it is told to."""

    pipe: Connection | None = None

    def __call__(self, label: str) -> None:
        super().__call__(label)
        if self.pipe is not None and len(self.labels) == self.at:
            self.pipe.send(["halts", label])
            self.pipe.recv()


def publish(home: Path, pipe: Connection) -> None:
    """Publishes each plan that it is sent; with one comes the share of the steps of the first before which it halts."""
    import dprelease
    from dprelease.charts import picture as charts
    from dprelease.errors import DPReleaseError

    steps = Halting(Fault.NONE, 0, pipe=pipe)
    charts.picture = lambda release, statistic, **_: faults.Blank()  # type: ignore[assignment,return-value]
    steps.count()
    workspace = dprelease.Workspace.open(home)
    pipe.send(["ready"])
    first = 0
    while asked := pipe.recv():
        plan, share = asked
        steps.labels.clear()
        steps.at = 0 if share is None else 1 + int(share * first)
        try:
            answer = ["released", workspace.publish(plan).id]
        except DPReleaseError as error:
            answer = ["refused", type(error).__name__, str(error)]
        if len(steps.labels) < steps.at:  # it took fewer
            steps.at = len(steps.labels) + 1
            steps("answer")
        first = first or len(steps.labels)
        pipe.send(answer)


def register(home: Path, table: Path, name: str, at: int, pipe: Connection) -> None:
    """Registers a table, replaces its rows, and takes the same as an upload; killed before a step, 0 for none."""
    import dprelease

    steps = Steps(Fault.KILL, 0)
    steps.count()
    workspace = dprelease.Workspace.open(home)
    steps.labels.clear()
    steps.at = at
    workspace.add_dataset(name, table, population="people")
    workspace.datasets.replace_rows(name, table, same=True)
    with table.open("rb") as file:
        upload = workspace.datasets.uploads.stage("people.csv", file)
    workspace.add_dataset(f"{name}-too", upload, population="people")
    pipe.send(("steps", steps.labels))


def back_up(home: Path, out: Path, at: int, pipe: Connection) -> None:
    """Copies a workspace to a folder; killed before a step, 0 for none."""
    import dprelease

    steps = Steps(Fault.KILL, 0)
    steps.count()
    workspace = dprelease.Workspace.open(home)
    steps.labels.clear()
    steps.at = at
    workspace.ledger.backup(out)
    pipe.send(("steps", steps.labels))


def publish_edition(home: Path, period: str, at: int, pipe: Connection) -> None:
    """Publishes an edition of the run of births; killed before a step, 0 for none."""
    import dprelease

    steps = Steps(Fault.KILL, 0)
    steps.count()
    workspace = dprelease.Workspace.open(home)
    steps.labels.clear()
    steps.at = at
    workspace.runs.publish("births", period)
    pipe.send(("steps", steps.labels))
