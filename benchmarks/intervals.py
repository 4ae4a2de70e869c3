"""How often the intervals of a linear model are given, how wide they are, and how often they hold, on real tables.

    .venv/bin/python -m benchmarks.intervals [--draws 400] [--epsilons 0.1 1] [--tables cars] [--write]

A table is released many times, and each of its coefficients without noise looked for in the interval of the noise; then
as often with as many rows drawn from it anew, and the coefficients of the table itself looked for in the interval of
noise and sampling. One that is not given counts as holding, but where it says otherwise. `--write` puts the report into
docs/accuracy.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import dprelease
from benchmarks.accuracy import REPORT
from benchmarks.environments import machine, put
from benchmarks.models import DELTA, chosen_of
from benchmarks.real import REGRESSIONS, Real
from dprelease.model.privacy import Currency
from dprelease.model.release import Model
from dprelease.statistics.kinds.linear import BOTH, Linear
from dprelease.statistics.planning.price import price

Array = NDArray[Any]
EPSILONS = (0.1, 0.3, 1.0, 3.0)
HEADS = ("by one solution", "by a region", "hold, of the former", "of the latter", "wider", "noise: hold", "both: given", "both: hold")


@dataclass(frozen=True, kw_only=True)
class Line:
    """A table's terms and outcome from -1 to 1, a one before them, and what makes of them integers to release."""

    real: Real
    epsilon: float
    currency: Currency
    frame: pd.DataFrame
    rows: Array

    def __post_init__(self) -> None:
        plan = dprelease.Plan.parse(
            {
                "dprelease": 1,
                "dataset": "t",
                "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": self.epsilon, "delta": DELTA},
                "columns": self.real.columns,
                "expected": {"rows": len(self.frame)},
                "statistics": [
                    {"id": "m", "kind": "linear", "outcome": self.real.outcome, "on": self.real.predictors}
                ],
            }
        )
        item = price(plan, currency=self.currency, discovers=self.currency is Currency.PURE)["m"]
        assert isinstance(item.statistic, Linear)
        for name, own in (("plan", plan), ("statistic", item.statistic), ("mechanism", item.mechanisms[0])):
            object.__setattr__(self, name, own)

    def released(self, counts: Array) -> Any:
        """The table of coefficients of a release in which each row stands so many times."""
        statistic: Any = getattr(self, "statistic")
        mechanism: Any = getattr(self, "mechanism")
        schema = getattr(self, "plan").schema
        own, unit, weights = statistic.predictors(schema), statistic.unit(schema), statistic.weights(type(mechanism))
        sums, last = self.rows.T @ (self.rows * counts[:, None]), self.rows.shape[1] - 1
        exact = [int(weights.of(i, j, last) * unit * sums[i, j]) for i, j in own.entries]
        drawn = mechanism.release(np.array(exact, dtype=np.int64))
        model = statistic.answered(schema, [drawn], [mechanism])
        assert isinstance(model, Model)
        return model.parts["coefficients"], model.facts["function"]["intervals"]


def terms(real: Real, frame: pd.DataFrame) -> Array:
    """A row's one, terms and outcome; the lists of these tables have two values each."""
    columns = [np.ones(len(frame))]
    for name in (*real.predictors, real.outcome):
        own = real.columns[name]
        if "categories" in own:
            assert len(own["categories"]) == 2  # noqa: PLR2004
            columns.append(np.where(frame[name] == own["categories"][1], 1.0, -1.0))
        else:
            low, high = float(own["lower"]), float(own["upper"])
            columns.append(2 * (frame[name].to_numpy(float).clip(low, high) - low) / (high - low) - 1)
    return np.stack(columns, axis=1)


def true(line: Line) -> Array:
    """The coefficients without noise, as the table of a release has them."""
    schema = getattr(line, "plan").schema
    statistic: Any = getattr(line, "statistic")
    found, *_ = np.linalg.lstsq(line.rows[:, :-1], line.rows[:, -1], rcond=None)
    return np.array(statistic._in_units(schema, statistic._turned(schema), found.tolist()))


def holds(ends: Sequence[Sequence[Any]], truth: Array) -> Array:
    """By coefficient whether it is between the ends, where there are any."""
    pairs = zip(*ends, truth.tolist(), strict=True)
    return np.array([low is None or low <= number <= high for low, high, number in pairs])


def share(found: Sequence[Any]) -> str:
    return f"{100 * np.mean(found):.1f}" if len(found) else ""


def row(real: Real, epsilon: float, currency: Currency, draws: int) -> str:
    frame = real.frame()
    line = Line(real=real, epsilon=epsilon, currency=currency, frame=frame, rows=terms(real, frame))
    truth, rng = true(line), np.random.default_rng(0)
    by: dict[str, list[Array]] = {"normal": [], "region": [], "none": []}
    both, given, width = [], 0, {"normal": [], "region": []}
    ones = np.ones(len(frame))
    for _ in range(draws):
        table, way = line.released(ones)
        by[way].append(holds((table.lower95, table.upper95), truth))
        if way != "none":
            width[way].append(np.subtract(table.upper95[1:], table.lower95[1:]))
        again = rng.multinomial(len(frame), ones / len(frame)).astype(float)
        table, _ = line.released(again)
        ends = [table.extra[name] for name in BOTH]
        given += ends[0][0] is not None
        both.append(holds(ends, truth))
    every = np.concatenate([np.array(each) for each in by.values() if each])
    texts = [share([True] * len(by[way]) + [False] * (draws - len(by[way]))) for way in ("normal", "region")]
    texts += [share(by[way]) for way in ("normal", "region")]
    sizes = [np.median(each) if each else np.nan for each in width.values()]
    texts += [f"{sizes[1]:.3g}" if by["region"] else "", f"{100 * every.mean(axis=0).min():.1f}"]
    texts += [f"{100 * given / draws:.1f}", f"{100 * np.mean(both, axis=0).min():.1f}"]
    return f"| {real.name} | {epsilon:g} | {currency.value} | {' | '.join(texts)} |"


def report(chosen: argparse.Namespace) -> Iterator[str]:
    yield f"Made by `.venv/bin/python -m benchmarks.intervals` on {machine()}; {chosen.draws} draws, δ = {DELTA} in zcdp."
    yield ""
    yield f"| % of releases, or of coefficients | ε | budget | {' | '.join(HEADS)} |"
    yield "|---|---:|---|" + "---:|" * len(HEADS)
    for real in chosen_of(REGRESSIONS, chosen.tables):
        for currency in Currency:
            for epsilon in chosen.epsilons:
                yield row(real, epsilon, currency, chosen.draws)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="put the report into docs/accuracy.md")
    options.add_argument("--draws", type=int, default=400)
    options.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    options.add_argument("--tables", nargs="+", default=[], help="names of tables begin like this; all by default")
    chosen = options.parse_args()
    lines = []
    for line in report(chosen):
        print(line, flush=True)
        lines.append(line)
    if chosen.write:
        put(REPORT, "benchmarks.intervals", "\n".join(lines))


if __name__ == "__main__":
    main()
