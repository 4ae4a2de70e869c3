"""Publications that are under way in this process, each in a thread of its own, so that nobody waits for a page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from dprelease.model.setting import whole_number

FIRST_TICK = 1.0
"""Seconds. Doubling leaves few moments, so that what a table's size shows is less than one bit for most tables."""


class Stage(StrEnum):
    """Stage of a publication, in this order. No stage says how long it takes."""

    CHARGING = "charging"
    DRAWING = "drawing"
    SEALING = "sealing"
    WRITING = "writing"


Reached = Callable[[Stage], None]
"""Is called as each stage begins."""


@dataclass(slots=True)
class Job:
    """The publication of a plan, as far as it has come."""

    plan_id: str
    by: str
    """Person who began it."""
    stage: Stage = Stage.CHARGING
    release_id: str | None = None
    """Once it is published."""
    error: Exception | None = field(default=None, repr=False)
    """Error that stopped it; a charge stays."""
    ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def runs(self) -> bool:
        return not self.ended.is_set()


class Jobs:
    """At most one a plan runs at a time; what became of the last one is kept until the next."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}

    def all(self) -> list[Job]:
        """Return the jobs in the order in which they began."""
        with self._lock:
            return list(self._jobs.values())

    def start(self, plan_id: str, by: str, work: Callable[[Reached], str]) -> Job:
        """Begin `work`, which returns a release's id, unless the plan is being published already."""
        with self._lock:
            known = self._jobs.get(plan_id)
            if known is not None and known.runs:
                return known
            self._jobs.pop(plan_id, None)
            job = self._jobs[plan_id] = Job(plan_id, by)
        # Not a daemon: a server that is told to stop finishes what is charged.
        threading.Thread(target=_run, args=(job, work), name=f"publish {plan_id}").start()
        return job


def _run(job: Job, work: Callable[[Reached], str]) -> None:
    def reached(stage: Stage) -> None:
        job.stage = stage

    try:
        job.release_id = work(reached)
    except Exception as error:  # noqa: BLE001 (whoever asked is shown it)
        job.error = error.with_traceback(None)  # its frames hold what was counted
    finally:
        job.ended.set()


def remote_hold() -> float:
    """Return the seconds from the charge of a publication at a distance to the first moment at which it can end."""
    return float(whole_number("DPRELEASE_REMOTE_HOLD", 60))


@contextmanager
def on_the_tick(first: float = FIRST_TICK) -> Iterator[None]:
    """Leave the block on a tick, whether it ends well or not."""
    began = time.monotonic()
    try:
        yield
    finally:
        time.sleep(until_next(time.monotonic() - began, first))


def until_next(elapsed: float, first: float = FIRST_TICK) -> float:
    """Return the seconds from `elapsed` to the next tick: the `first`, and then each after twice as long."""
    tick = first
    while tick < elapsed:
        tick *= 2
    return tick - elapsed
