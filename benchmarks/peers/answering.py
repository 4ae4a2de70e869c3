"""A peer's side of benchmarks/accuracy.py and beside.py: jobs come as JSON, one a line, each answered by one line."""

from __future__ import annotations

import json
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Draws = list[list[float]]
"""One released vector a repetition."""


@dataclass(frozen=True, slots=True)
class Job:
    """A statistic to be released many times, each time afresh, each time at the whole ε."""

    statistic: str
    epsilon: float
    repetitions: int
    columns: Mapping[str, Array]
    bounds: Mapping[str, tuple[float, float]]
    """Public bounds of the numeric columns."""
    cells: Mapping[str, int]
    """How many values a coded column may take: 0 up to, not including, this."""
    step: float
    """The public resolution of the column whose quantiles are asked."""
    probs: tuple[float, ...] = ()
    """Which quantiles are asked, where they are not the median or the quartiles."""

    @property
    def column(self) -> Array:
        """The column named first, which most statistics are about."""
        return next(iter(self.columns.values()))

    @property
    def limits(self) -> tuple[float, float]:
        """The bounds of the column named first."""
        return self.bounds[next(iter(self.columns))]

    def lattice(self) -> list[Any]:
        """Every value that the first column may take, as its own type."""
        lower, upper = self.limits
        steps = round((upper - lower) / self.step)
        values = lower + np.arange(steps + 1) * self.step
        whole = np.issubdtype(self.column.dtype, np.integer)
        listed: list[Any] = values.round().astype(int).tolist() if whole else np.round(values, 6).tolist()
        return listed

    def again(self, run: Callable[[], Any], at_most: int | None = None) -> list[Any]:
        """The results of as many runs as are asked, or of at most so many where one takes long."""
        return [run() for _ in range(min(self.repetitions, at_most or self.repetitions))]


Answer = Callable[[Job], Draws]
Peer = Mapping[str, Mapping[str, Answer]]
"""By statistic, the ways to release it by the name that the report shows; '' for the library's own call."""


def serve(peer: Peer) -> None:
    """Answers every job on standard input. What a library prints goes to standard error."""
    warnings.filterwarnings("ignore")
    out = sys.stdout
    for line in sys.stdin:
        with redirect_stdout(sys.stderr):
            answered = _answered(peer, json.loads(line))
        out.write(json.dumps(answered) + "\n")
        out.flush()


def _answered(peer: Peer, job: dict[str, Any]) -> dict[str, Any]:
    if job["statistic"] not in peer:
        return {}
    columns = {name: np.load(path) for name, path in job.pop("columns").items()}
    bounds = {name: tuple(limits) for name, limits in job.pop("bounds").items()}
    read = Job(columns=columns, bounds=bounds, probs=tuple(job.pop("probs", ())), **job)
    answers: dict[str, Any] = {}
    for way, release in peer[read.statistic].items():
        try:
            answers[way] = np.asarray(release(read), dtype=float).tolist()
        except Exception as cause:  # noqa: BLE001 - a peer that fails is a result, and the others go on
            traceback.print_exc()
            answers[way] = f"{type(cause).__name__}: {str(cause).strip()[:200]}"
    return answers
