"""Each statistic of a typical plan: what is true of its rows, and how other libraries are asked for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, prod
from typing import Any

import numpy as np

from benchmarks.compared import Figure
from benchmarks.generated import Array, Rows, cell
from benchmarks.plans import BOOK, EQUAL, Case, priced, typical
from dprelease.model.privacy import Currency
from dprelease.model.tally import Key, TallyQuery
from dprelease.statistics.planning.price import Price

ONE_OF_EACH = {"count": 1, "mean_q0": 100, "histogram_q1": 100, "histogram_q2": 100}
"""Of the codebook, whose columns of one sort are alike: a statistic of each sort, and how many are like it."""


def _as_it_is(answer: Array) -> Array:
    return answer


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way to ask a peer for a statistic."""

    statistic: str
    """As its worker knows it."""
    columns: Mapping[str, Array]
    cells: Mapping[str, int] = field(default_factory=dict)
    bounds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    step: float = 1.0
    probs: Sequence[float] = ()
    name: str = ""
    """Where something is made of the answers by hand."""
    after: Callable[[Array], Array] = _as_it_is
    """What that is."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One statistic of a plan."""

    case: Case
    id: str
    label: str
    truth: Array
    range: tuple[float, float]
    """Possible values. Everyone's answers are clipped to them, which costs no privacy."""
    ways: tuple[Way, ...]
    typical: float
    alike: int
    """How many statistics of the plan it stands for."""

    @property
    def epsilon(self) -> float:
        return 1 / len(self.case.statistics)

    def figure(self, draws: Array, way: str = "") -> Figure:
        """The error of answers, one a release, as a part of a typical value."""
        errors = (np.clip(draws, *self.range) - self.truth) / self.typical
        return Figure.root((errors**2).mean(axis=1), way)


def lines_of(case: Case, rows: Rows) -> list[Line]:
    """The statistics of a plan; of the codebook one of each sort."""
    bill = priced(case, Currency.PURE, EQUAL)
    return [_line(case, item, bill, rows) for item in case.statistics if case is not BOOK or item["id"] in ONE_OF_EACH]


def _line(case: Case, item: Mapping[str, Any], bill: Price, rows: Rows) -> Line:
    kind, column = item["kind"], item.get("column")
    query = bill[item["id"]].statistic.queries(bill.plan.schema)[0]
    assert isinstance(query, TallyQuery)
    keys = {key.column: key for key in query.keys}
    coded = {name: cell(case, key, rows) for name, key in keys.items()} if kind not in ("median", "quantiles") else {}
    cells = {name: keys[name].cells for name in coded}
    limits: tuple[float, float] = (-inf, inf)
    if kind in ("count", "histogram", "crosstab"):
        truth, ways = _counts(kind, case, rows, coded, cells)
    elif kind == "cdf":
        truth, ways = _shares(coded, cells)
        limits = (0, 1)
    elif kind == "proportion":
        truth, ways = _proportion(item, rows, coded, cells)
        limits = (0, 1)
    elif kind in ("median", "quantiles"):
        limits = bounds_of(case, column)
        truth, ways = _quantiles(item, case, rows)
    else:
        low, high = bounds_of(case, column)
        ranges = {"mean": (low, high), "variance": (0, (high - low) ** 2 / 4), "std": (0, (high - low) / 2)}
        limits = ranges.get(kind, limits)
        truth, ways = _moments(kind, column, case, rows, coded, cells)
    return Line(
        case=case,
        id=item["id"],
        label=_label(item, keys if coded else {}),
        truth=np.atleast_1d(np.asarray(truth, dtype=float)),
        range=limits,
        ways=ways,
        typical=typical(bill, item["id"]),
        alike=ONE_OF_EACH[item["id"]] if case is BOOK else 1,
    )


def bounds_of(case: Case, column: str) -> tuple[float, float]:
    return case.columns[column]["lower"], case.columns[column]["upper"]


def _label(item: Mapping[str, Any], keys: Mapping[str, Key]) -> str:
    about = [item["column"]] if "column" in item else item.get("columns", [])
    about = about or [test["column"] for test in item.get("where", ())]
    text = item["kind"] + (f" of {' × '.join(about)}" if about else "")
    text += f" by {' × '.join(item['by'])}" if "by" in item else ""
    size = prod(key.cells for key in keys.values()) if keys else len(item.get("probs", ())) or 1
    return text if size == 1 else f"{text} ({size})"


Asked = tuple[Any, tuple[Way, ...]]
"""What is true, and how peers are asked."""


def counted(coded: Mapping[str, Array], cells: Mapping[str, int]) -> Array:
    """How many rows each combination of cells has."""
    return np.bincount(grouped(coded, cells), minlength=prod(cells.values()))


def grouped(coded: Mapping[str, Array], cells: Mapping[str, int]) -> Array:
    """The combination of each row, as one code."""
    codes: Array = np.ravel_multi_index(list(coded.values()), tuple(cells.values()))
    return codes


def _counts(kind: str, case: Case, rows: Rows, coded: Mapping[str, Array], cells: Mapping[str, int]) -> Asked:
    if coded:
        return counted(coded, cells), (Way(statistic=kind, columns=coded, cells=cells),)
    numeric = next(name for name, column in case.columns.items() if column["type"] in ("integer", "number"))
    given = Way(statistic="count", columns={"x": rows[numeric]}, bounds={"x": bounds_of(case, numeric)})
    return case.rows, (given,)


def cumulated(counts: Array) -> Array:
    """Shares of the rows up to the end of each bin, of releases of their counts."""
    sums = np.cumsum(counts, axis=-1)
    shares: Array = sums / np.maximum(sums[..., -1:], 1)
    return shares


def _shares(coded: Mapping[str, Array], cells: Mapping[str, int]) -> Asked:
    given = Way(statistic="histogram", columns=coded, cells=cells, name="histogram, added up", after=cumulated)
    return cumulated(counted(coded, cells)), (given,)


def passing(counts: Array) -> Array:
    """The share of rows that pass in each group, of counts of those that do not and that do, next to one another."""
    pairs = counts.reshape(*counts.shape[:-1], -1, 2)
    shares: Array = pairs[..., 1] / np.maximum(pairs.sum(axis=-1), 1)
    return shares


def _proportion(item: Mapping[str, Any], rows: Rows, coded: Mapping[str, Array], cells: Mapping[str, int]) -> Asked:
    (test,) = item["where"]
    passes = (rows[test["column"]] == int(test["equals"])).astype(np.int64)
    both, sizes = {**coded, "passes": passes}, {**cells, "passes": 2}
    group, groups = {"group": grouped(coded, cells)}, {"group": prod(cells.values())}
    return passing(counted(both, sizes)), (
        Way(statistic="crosstab", columns=both, cells=sizes, name="two counts a group", after=passing),
        Way(statistic="mean_by", columns={"x": passes, **group}, cells=groups, bounds={"x": (0, 1)}),
    )


def _quantiles(item: Mapping[str, Any], case: Case, rows: Rows) -> Asked:
    values, probs = rows[item["column"]], item.get("probs", [0.5])
    given = Way(
        statistic=item["kind"],
        columns={"x": values},
        bounds={"x": bounds_of(case, item["column"])},
        step=case.columns[item["column"]].get("resolution", 1.0),
        probs=probs,
    )
    return np.quantile(values, probs, method="inverted_cdf"), (given,)


def _moments(
    kind: str, column: str, case: Case, rows: Rows, coded: Mapping[str, Array], cells: Mapping[str, int]
) -> Asked:
    bounds, values = {"x": bounds_of(case, column)}, rows[column]
    if not coded:
        truth = {"sum": np.sum, "mean": np.mean, "variance": np.var, "std": np.std}[kind](values)
        return truth, (Way(statistic=kind, columns={"x": values}, bounds=bounds),)
    codes, groups = grouped(coded, cells), prod(cells.values())
    truth = np.bincount(codes, weights=values, minlength=groups) / np.bincount(codes, minlength=groups)
    columns = {"x": values, "group": codes}
    return truth, (Way(statistic=f"{kind}_by", columns=columns, cells={"group": groups}, bounds=bounds),)
