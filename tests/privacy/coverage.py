"""How often published intervals hold: every statistic that has them, few rows and many, both currencies, three levels.

Drawn with the product's mechanisms and made into tables by the product; the true figures are worked out here, row by
row, with no code of the product. `python -m tests.privacy.coverage` prints the table of docs/privacy.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprelease.mechanisms.mechanism import Noise
from dprelease.model.plan import Expected
from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import read_statistic
from dprelease.model.tally import TallyQuery
from dprelease.statistics import Tabulated
from dprelease.statistics.kit.check import plan_of
from dprelease.statistics.planning.price import price
from dprelease.statistics.planning.priced import StatisticPrice

LEVELS = (0.9, 0.95, 0.99)
ROWS = (0, 1, 2, 3, 5, 10, 30, 300)
TOP = 20
"""Codes of x run to this, those of y to half of it."""
COLUMNS = {
    "x": {"type": "integer", "lower": 0, "upper": TOP},
    "y": {"type": "integer", "lower": 0, "upper": TOP // 2},
    "w": {"type": "integer", "lower": 0, "upper": 3},
    "f": {"type": "category", "categories": ["no", "yes"]},
}
Rows = dict[str, np.ndarray[Any, Any]]
Truth = Callable[[Rows], Any]


def rows_of(shape: str, count: int) -> Rows:
    """Rows at both ends of a column, at its lower end but one, or spread evenly."""
    place = np.arange(count)
    x = {"ends": place % 2 * TOP, "one": np.where(place == 0, TOP, 0), "even": (place * 7 + 3) % (TOP + 1)}[shape]
    y = {"ends": place % 2 * TOP // 2, "one": np.where(place == 0, 3, 0), "even": (place * 3 + 2) % (TOP // 2 + 1)}
    return {"x": x, "y": y[shape], "w": place % 4, "f": (place % 3 == 0).astype(int)}


def _mean(numbers: Any, weights: Any = None) -> Any:
    numbers = np.asarray(numbers, dtype=float)
    whole = float(np.sum(weights)) if weights is not None else len(numbers)
    return float(np.sum(numbers * (1 if weights is None else weights))) / whole if whole else None


def _spread(rows: Rows, power: int) -> float | None:
    return float(np.std(rows["x"])) ** power if len(rows["x"]) else None


def _matrix(rows: Rows, *, correlated: bool) -> Any:
    if not len(rows["x"]):
        return None
    found = np.cov(np.stack([rows["x"], rows["y"]]).astype(float), bias=True)
    if not correlated:
        return found.ravel()
    spread = np.sqrt(np.outer(np.diag(found), np.diag(found)))
    correlation = np.where(spread > 0, found / np.where(spread > 0, spread, 1), 0.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation.ravel()


def _shares(rows: Rows) -> Any:
    total = len(rows["x"])
    return np.cumsum(np.bincount(np.minimum(rows["x"] // 5, 3), minlength=4)) / total if total else None


HALF = [{"column": "f", "equals": "yes"}]
BY = {"by": ["copy"]}


@dataclass(frozen=True)
class Kind:
    """A statistic, what it truly is, and what stands for that where it is not defined."""

    name: str
    declared: dict[str, Any]
    truth: Truth
    unknown: tuple[float, ...] = ()
    """Without rows, where the figure is not defined, each of these must be held as often."""
    exact: bool = False
    """Whether the interval is one integer's: then its coverage is known, and observed coverage must agree with it."""


KINDS = (
    Kind("count", {"kind": "count", **BY}, lambda r: len(r["x"]), exact=True),
    Kind("count, weighted", {"kind": "count", "survey_weights": "w", **BY}, lambda r: r["w"].sum(), exact=True),
    Kind("sum", {"kind": "sum", "column": "x", **BY}, lambda r: r["x"].sum(), exact=True),
    Kind("histogram", {"kind": "histogram", "column": "f"}, lambda r: np.bincount(r["f"], minlength=2), exact=True),
    Kind(
        "crosstab",
        {"kind": "crosstab", "columns": ["f", "w"]},
        lambda r: np.bincount(r["f"] * 4 + r["w"], minlength=8),
        exact=True,
    ),
    Kind(
        "histogram, weighted",
        {"kind": "histogram", "column": "f", "survey_weights": "w"},
        lambda r: np.bincount(r["f"], weights=r["w"], minlength=2),
        exact=True,
    ),
    Kind("mean", {"kind": "mean", "column": "x", **BY}, lambda r: _mean(r["x"]), (0, 7, TOP)),
    *(
        Kind(
            f"mean, {method}", {"kind": "mean", "column": "x", "method": method, **BY}, lambda r: _mean(r["x"]), (0, 7)
        )
        for method in ("centred", "sum_and_count")
    ),
    Kind(
        "mean, weighted",
        {"kind": "mean", "column": "x", "survey_weights": "w", **BY},
        lambda r: _mean(r["x"], r["w"]),
        (0, 7, TOP),
    ),
    Kind("proportion", {"kind": "proportion", "where": HALF, **BY}, lambda r: _mean(r["f"]), (0, 0.3, 1)),
    Kind(
        "proportion, weighted",
        {"kind": "proportion", "where": HALF, "survey_weights": "w", **BY},
        lambda r: _mean(r["f"], r["w"]),
        (0, 0.3, 1),
    ),
    Kind("rate", {"kind": "rate", "where": HALF, **BY}, lambda r: 1000 * _mean(r["f"]) if len(r["f"]) else None, (0,)),
    Kind(
        "rate, of a column",
        {"kind": "rate", "where": HALF, "column": "x", **BY},
        lambda r: 1000 * r["f"].sum() / r["x"].sum() if r["x"].sum() else None,
        (0.0, 1000.0),
    ),
    Kind(
        "ratio",
        {"kind": "ratio", "numerator": "y", "denominator": "x", **BY},
        lambda r: r["y"].sum() / r["x"].sum() if r["x"].sum() else None,
        (0.0, 1.0),
    ),
    Kind("variance", {"kind": "variance", "column": "x", **BY}, lambda r: _spread(r, 2), (0, 100)),
    Kind("std", {"kind": "std", "column": "x", **BY}, lambda r: _spread(r, 1), (0, 10)),
    Kind("covariance", {"kind": "covariance", "columns": ["x", "y"]}, lambda r: _matrix(r, correlated=False), (0,)),
    Kind("correlation", {"kind": "correlation", "columns": ["x", "y"]}, lambda r: _matrix(r, correlated=True)),
    Kind("cdf", {"kind": "cdf", "column": "x", "edges": [0, 5, 10, 15, 20]}, _shares, (0.0, 0.4)),
    Kind("survey", {"kind": "survey", "column": "f"}, lambda r: np.bincount(r["f"], minlength=2) / len(r["f"])),
)


@dataclass(frozen=True)
class Case:
    kind: Kind
    currency: Currency
    shape: str
    rows: int

    @property
    def name(self) -> str:
        return f"{self.kind.name}-{self.currency.value}-{self.shape}-{self.rows}"


@dataclass(frozen=True)
class Observed:
    """Of so many intervals, how many held, by the truth of each number: the least of them."""

    case: Case
    level: float
    held: int
    draws: int
    known: float | None
    """The exact coverage, where there is one."""

    @property
    def share(self) -> float:
        return self.held / self.draws


def cases(rows: Sequence[int] = ROWS, shapes: Sequence[str] = ("ends", "one", "even")) -> Iterator[Case]:
    for kind in KINDS:
        for currency in Currency:
            for shape in ("even",) if kind.exact else shapes:
                for count in rows:
                    if count or kind.name not in ("survey", "correlation"):
                        yield Case(kind, currency, shape, count)


def observe(case: Case, draws: int) -> list[Observed]:
    """At each level."""
    priced, inputs = _inputs(case, draws)
    schema, item = priced
    grouped = "by" in case.kind.declared
    drawn = _draws(item, inputs, 1 if grouped else draws)
    truths = _truths(case)
    found = []
    for level in LEVELS:
        tables = [item.statistic.estimates(schema, each, item.mechanisms, level) for each in drawn]
        low = np.array([_filled(table.lower95, -np.inf) for table in tables])
        high = np.array([_filled(table.upper95, np.inf) for table in tables])
        if grouped:
            low, high = low.reshape(-1, 1), high.reshape(-1, 1)
        for truth in truths:
            held = ((low <= truth + 1e-9) & (truth - 1e-9 <= high)).sum(axis=0)
            found.append(Observed(case, level, int(held.min()), len(low), _known(case, item, level)))
    return [min((each for each in found if each.level == level), key=lambda each: each.held) for level in LEVELS]


def _filled(column: Sequence[Any], empty: float) -> list[float]:
    return [empty if cell is None else float(cell) for cell in column]


def _truths(case: Case) -> list[Any]:
    rows = rows_of(case.shape, case.rows)
    truth = case.kind.truth(rows)
    if truth is not None:
        return [np.asarray(truth, dtype=float)]
    return [np.asarray(value, dtype=float) for value in case.kind.unknown]


def _known(case: Case, item: StatisticPrice, level: float) -> float | None:
    """P(|noise| <= h), summed term by term."""
    if not case.kind.exact:
        return None
    (mechanism,) = item.mechanisms
    assert isinstance(mechanism, Noise)
    half, scale = mechanism.half_width(level), mechanism.scale
    k = np.arange(-int(60 * scale) - 10, int(60 * scale) + 11)
    weights = np.exp(-np.abs(k) / scale) if mechanism.name == "discrete_laplace" else np.exp(-((k / scale) ** 2) / 2)
    return float(weights[np.abs(k) <= half].sum() / weights.sum())


def _inputs(case: Case, draws: int) -> tuple[tuple[Schema, StatisticPrice], tuple[Any, ...]]:
    """The statistic, priced, and what its mechanisms are given: in each of many groups the same."""
    columns = {"copy": {"type": "integer", "lower": 0, "upper": draws - 1}, **COLUMNS}
    if case.kind.name == "survey":
        columns["f"] = {**columns["f"], MISSING: "no"}
    schema = Schema.parse(columns)
    statistic = read_statistic({"id": "s", **case.kind.declared}, "s", Report())
    assert isinstance(statistic, Tabulated)
    survey = case.kind.name == "survey"
    plan = plan_of(
        statistic,
        epsilon=1,
        schema=schema,
        expected=Expected(max(1, case.rows)),
        neighbors=NeighboringRelation.SUBSTITUTE if survey else NeighboringRelation.ADD_REMOVE,
        **({"delta_atto": 10**12} if case.currency is Currency.ZCDP else {}),
    )
    item = price(plan, currency=case.currency)["s"]
    rows = rows_of(case.shape, case.rows)
    tallies = [_tallied(query, rows, draws) for query in statistic.queries(schema)]  # type: ignore[arg-type]
    return (schema, item), statistic.exact(schema, tallies)


MISSING = "count_missing_as"
"""The key of a column by which nobody is without an answer."""


def _tallied(query: TallyQuery, rows: Rows, groups: int) -> np.ndarray[Any, Any]:
    kept = np.ones(len(rows["x"]), dtype=bool)
    for condition in query.measure.where:
        kept &= rows[condition.column] == 1
    weight = np.prod([rows[name][kept] for name in query.measure.factors], axis=0) if query.measure.factors else 1
    own = [key for key in query.keys if key.column != "copy"]
    result = np.zeros(tuple(key.cells for key in own), dtype=np.int64)
    cells = []
    for key in own:
        firsts = np.array([key.first_code(cell) for cell in range(key.cells)])
        cells.append(np.searchsorted(firsts, rows[key.column][kept], side="right") - 1)
    weights = np.broadcast_to(weight, int(kept.sum()))
    if own:
        np.add.at(result, tuple(cells), weights)
    else:
        result[()] = weights.sum()
    if len(own) == len(query.keys):
        return result
    return np.repeat(result[None], groups, axis=0)


def _draws(item: StatisticPrice, inputs: Sequence[Any], times: int) -> list[list[Any]]:
    """Noise on all copies at once; what is no noise, one after the other."""
    parts = []
    for mechanism, given in zip(item.mechanisms, inputs, strict=True):
        if isinstance(mechanism, Noise):
            parts.append(mechanism.release(np.repeat(np.asarray(given)[None], times, axis=0)))
        else:
            parts.append(np.array([mechanism.release(given) for _ in range(times)]))
    return [[part[place] for part in parts] for place in range(times)]


def main(arguments: Sequence[str]) -> int:
    """Prints the least coverage of each statistic, over all shapes and numbers of rows."""
    draws = int(arguments[0]) if arguments else 2000
    least: dict[tuple[str, str, float], Observed] = {}
    for case in cases():
        for each in observe(case, draws if "by" in case.kind.declared or case.kind.exact else max(200, draws // 10)):
            key = case.kind.name, case.currency.value, each.level
            if key not in least or each.share < least[key].share:
                least[key] = each
    print("| least coverage over 0 to 300 rows | pure 90 % | 95 % | 99 % | zcdp 90 % | 95 % | 99 % |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        shares = [f"{100 * least[kind.name, each.value, level].share:.1f}" for each in Currency for level in LEVELS]
        print(f"| {kind.name} | {' | '.join(shares)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
