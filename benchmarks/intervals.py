"""How often the intervals of a linear model are given, how wide they are, and how often they hold, on real tables.

    .venv/bin/python -m benchmarks.intervals [--draws 400] [--epsilons 0.1 1] [--tables cars] [--write]

A table is released many times, and each of its coefficients without noise looked for in the interval of the noise; then
as often with as many rows drawn from it anew, and the coefficients of the table itself looked for in the interval of
noise and sampling. One that is not given counts as holding, but where it says otherwise. `--write` puts the report into
docs/accuracy-models.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
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
from dprelease.model.release import Estimates, FittedOutput
from dprelease.statistics.kinds.linear import BOTH, Linear
from dprelease.statistics.planning.price import price

Array = NDArray[Any]
EPSILONS = (0.1, 0.3, 1.0, 3.0)
HEADS = (
    "given by one solution",
    "by a region",
    "hold, of the former",
    "of the latter",
    "all, least of a coefficient",
    "noise and sampling: given",
    "all, least of a coefficient",
)


class Line:
    """What makes integers to release of a table's terms and outcome, from -1 to 1, with a one before them."""

    def __init__(self, real: Real, epsilon: float, currency: Currency) -> None:
        frame = real.frame()
        plan = dprelease.Plan.parse(
            {
                "dprelease": 1,
                "dataset": "t",
                "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon, "delta": DELTA},
                "columns": real.columns,
                "expected": {"rows": len(frame)},
                "statistics": [{"id": "m", "kind": "linear", "outcome": real.outcome, "on": real.predictors}],
            }
        )
        item = price(plan, currency=currency, discovers=currency is Currency.PURE)["m"]
        assert isinstance(item.statistic, Linear)
        self.schema, self.statistic, self.mechanism = plan.schema, item.statistic, item.mechanisms[0]
        self.rows = terms(real, frame)
        self.sums = self.rows.T @ self.rows

    def released(self, counts: Array | None = None) -> tuple[Estimates, str]:
        """The coefficients of a release in which each row stands so many times (or once); by what its intervals are."""
        own, unit = self.statistic.predictors(self.schema), self.statistic.unit(self.schema)
        weights, last = self.statistic.weights(type(self.mechanism)), self.rows.shape[1] - 1
        sums = self.sums if counts is None else self.rows.T @ (self.rows * counts[:, None])
        exact = [int(weights.of(i, j, last) * unit * sums[i, j]) for i, j in own.entries]
        drawn = self.mechanism.release(np.array(exact, dtype=np.int64))
        model = self.statistic.answered(self.schema, [drawn], [self.mechanism])
        assert isinstance(model, FittedOutput)
        return model.parts["coefficients"], model.facts["function"]["intervals"]

    @property
    def without_noise(self) -> Array:
        """The coefficients of least squares, in the columns' own units."""
        found, *_ = np.linalg.lstsq(self.rows[:, :-1], self.rows[:, -1], rcond=None)
        return np.array(self.statistic._in_units(self.schema, self.statistic._turned(self.schema), found.tolist()))


def terms(real: Real, frame: pd.DataFrame) -> Array:
    """A row's one, terms and outcome; the lists of these tables have two values each."""
    columns = [np.ones(len(frame))]
    for name in (*real.predictors, real.outcome):
        own = real.columns[name]
        if "categories" in own:
            assert len(own["categories"]) == 2
            columns.append(np.where(frame[name] == own["categories"][1], 1.0, -1.0))
        else:
            low, high = float(own["lower"]), float(own["upper"])
            columns.append(2 * (frame[name].to_numpy(float).clip(low, high) - low) / (high - low) - 1)
    return np.stack(columns, axis=1)


def holds(ends: Sequence[Sequence[Any]], truth: Array) -> Array:
    """By coefficient whether it is between the ends, where there are any."""
    pairs = zip(*ends, truth.tolist(), strict=True)
    return np.array([low is None or low <= number <= high for low, high, number in pairs])


def row(real: Real, epsilon: float, currency: Currency, draws: int) -> str:
    line = Line(real, epsilon, currency)
    truth, rng, many = line.without_noise, np.random.default_rng(0), len(line.rows)
    by: dict[str, list[Array]] = {"normal": [], "region": [], "none": []}
    both, given = [], 0
    for _ in range(draws):
        table, way = line.released()
        by[way].append(holds((table.lower95, table.upper95), truth))
        table, _ = line.released(np.bincount(rng.integers(0, many, many), minlength=many).astype(float))
        ends = [table.extra[name] for name in BOTH]
        given += ends[0][0] is not None
        both.append(holds(ends, truth))
    every = np.concatenate([np.array(each) for each in by.values() if each])
    figures: list[float] = [100 * len(by[way]) / draws for way in ("normal", "region")]
    figures += [100 * float(np.mean(by[way])) if by[way] else np.nan for way in ("normal", "region")]
    figures += [100 * every.mean(axis=0).min(), 100 * given / draws, 100 * np.mean(both, axis=0).min()]
    texts = ["" if np.isnan(figure) else f"{figure:.1f}" for figure in figures]
    return f"| {real.name} | {epsilon:g} | {currency.value} | {' | '.join(texts)} |"


def report(chosen: argparse.Namespace) -> Iterator[str]:
    command = ".venv/bin/python -m benchmarks.intervals"
    yield f"Made by `{command}` on {machine()}; {chosen.draws} draws, δ = {DELTA} in zcdp."
    yield ""
    yield f"| % of releases, or of coefficients | ε | budget | {' | '.join(HEADS)} |"
    yield "|---|---:|---|" + "---:|" * len(HEADS)
    for real in chosen_of(REGRESSIONS, chosen.tables):
        for currency in Currency:
            for epsilon in chosen.epsilons:
                yield row(real, epsilon, currency, chosen.draws)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="put the report into docs/accuracy-models.md")
    options.add_argument("--draws", type=int, default=200)
    options.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    options.add_argument("--tables", nargs="+", default=[], help="names of tables begin like this; all by default")
    chosen = options.parse_args()
    lines = []
    for line in report(chosen):
        print(line, flush=True)
        lines.append(line)
    if chosen.write:
        put(REPORT.with_name("accuracy-models.md"), "benchmarks.intervals", "\n".join(lines))


if __name__ == "__main__":
    main()
