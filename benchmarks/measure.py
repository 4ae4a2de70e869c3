"""Runs pieces of work in turn, each in a fresh process, several times over, and keeps the medians and the spread."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_SECONDS = 3600
SLOW_SECONDS = 60
"""What takes longer is run once."""


@dataclass(frozen=True)
class Run:
    """A piece of work, as a command that prints one line of JSON."""

    name: str
    command: tuple[str, ...]
    cold: bool = False
    """Whether it is to be told when its process was started."""

    @classmethod
    def of_ours(cls, name: str, *arguments: object, cold: bool = False) -> Run:
        return cls(name, (sys.executable, "-m", "benchmarks.runs", *map(str, arguments)), cold)


@dataclass
class Figure:
    """What a piece of work took, each time."""

    found: list[Mapping[str, float]] = field(default_factory=list)
    problem: str | None = None

    def median(self, name: str = "seconds") -> float:
        return statistics.median(each[name] for each in self.found)

    def spread(self) -> str:
        """The median of the seconds, and the least and the most."""
        seconds = [each["seconds"] for each in self.found]
        if len(seconds) == 1:
            return f"{shown(self.median())} (once)"
        return f"{shown(self.median())} ({shown(min(seconds))}–{shown(max(seconds))})"

    def within(self, bound: float, name: str = "seconds") -> str:
        """Whether the least seconds are within a bound. Where only the processor's are, the clock tells of others."""
        if min(each[name] for each in self.found) <= bound:
            return "met"
        cores = os.cpu_count() or 1
        alone = min(each["processor"] for each in self.found) / cores
        busy = os.getloadavg()[0] > 1.5 * cores
        return "the machine was too busy to tell" if busy and alone <= bound else "missed"

    @property
    def peak_mb(self) -> float:
        return max(each["peak_mb"] for each in self.found)


def measure(runs: Sequence[Run], repetitions: int) -> dict[str, Figure]:
    """Each in turn, and all of them again, so that what else the machine does falls on all alike."""
    figures = {run.name: Figure() for run in runs}
    for _ in range(repetitions):
        for run in runs:
            figure = figures[run.name]
            if figure.problem is None and not (figure.found and figure.found[0]["seconds"] > SLOW_SECONDS):
                _once(run, figure)
    return figures


def _once(run: Run, figure: Figure) -> None:
    command = [*run.command, *(("--begun", repr(time.time())) if run.cold else ())]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        figure.problem = "took more than an hour"
        return
    if done.returncode:
        figure.problem = (done.stderr.strip().splitlines() or ["stopped without a word"])[-1][:200]
        print(done.stderr[-2000:], file=sys.stderr)
        return
    found = json.loads(done.stdout.splitlines()[-1])
    figure.found.append(found)
    print(f"  {run.name}: {found['seconds']:.3f} s, {found['processor']:.3f} s of processor", file=sys.stderr)


def shown(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds >= 10 else f"{seconds:.2f}" if seconds >= 1 else f"{seconds:.3f}"
