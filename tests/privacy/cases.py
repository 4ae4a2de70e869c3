"""Statistics, and for each two neighbouring tables on which it spends as much of its ε as can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from dprelease.model.privacy import Currency, NeighboringRelation

Row = dict[str, Any]
ADD, SUB = NeighboringRelation.ADD_REMOVE, NeighboringRelation.SUBSTITUTE
PURE, ZCDP = Currency.PURE, Currency.ZCDP
COLUMNS: dict[str, dict[str, Any]] = {
    "x": {"type": "number", "lower": -2, "upper": 1.5, "resolution": 0.5},
    "far": {"type": "integer", "lower": 0, "upper": 2},
    "b": {"type": "integer", "lower": 0, "upper": 1},
    "c": {"type": "integer", "lower": 0, "upper": 1},
    "k": {"type": "integer", "lower": 0, "upper": 47},
    "g": {"type": "category", "categories": ["a", "b", "c", "d"]},
    "h": {"type": "category", "categories": ["u", "v"]},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-03"},
    "flag": {"type": "boolean"},
    "answer": {"type": "category", "categories": ["yes", "no", "none"], "count_missing_as": "none"},
    "code": {"type": "category", "categories": list("abcdef"), "count_missing_as": "f"},
    "wide": {"type": "integer", "lower": -1000, "upper": 1000},
    "name": {"type": "category", "categories": "discover"},
    "kept": {"type": "integer", "lower": 0, "upper": 1},
    "only": {"type": "category", "categories": ["a"]},
}
WHERE = [{"column": "kept", "equals": 1}]
"""The filter of each plan but `survey`'s."""
HALF = {"column": "flag", "equals": True}


def row(**own: Any) -> Row:
    """A row that passes the filter."""
    usual = {
        "x": 0.5,
        "far": 1,
        "b": 0,
        "c": 0,
        "k": 20,
        "g": "a",
        "h": "u",
        "flag": True,
        "wide": 40,
        "name": "known",
        "kept": 1,
        "only": "a",
    }
    return usual | {"day": "2025-01-02", "answer": "yes", "code": "a"} | own


NOTHING: Row = dict.fromkeys(COLUMNS)
LEFT_OUT = row(kept=0)
OTHERS = (row(), row(x=-2.0, g="b", h="v", flag=False), row(x=1.0, far=2), row(x=None, g=None), LEFT_OUT, NOTHING)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A statistic in one population, and the rows of one unit before and after."""

    name: str
    statistic: dict[str, Any]
    before: tuple[Row, ...]
    after: tuple[Row, ...]
    relation: NeighboringRelation
    people: bool
    """Units are identifiers with up to `most_rows` rows, else rows."""
    currency: Currency
    epsilon: Decimal
    """Of the statistic; ρ is half its square."""
    max_groups: int | None = None
    most_rows: int = 2
    others: tuple[Row, ...] = OTHERS
    delta: Decimal = Decimal(0)
    """Of each copy, where categories are discovered."""
    times: int = 1
    """How many times the usual draws it takes to see noise times 0.85."""
    seen: float = 0.85
    """Noise times this is seen by the full run with at least 99 %; less than 0.85 where that is in LESS."""

    def __str__(self) -> str:
        unit = "people" if self.people else "rows"
        return f"{self.name} - {self.relation} - {unit} - {self.currency}"

    @property
    def max_rows(self) -> int:
        return self.most_rows if self.people else 1

    @property
    def filtered(self) -> bool:
        return self.statistic["kind"] != "survey"


@dataclass(frozen=True)
class Variant:
    """A statistic and its worst pair under each relation: rows of a person with two; of a unit that is a row, one."""

    name: str
    statistic: dict[str, Any]
    add: tuple[Row, ...]
    """Its rows, where they appear."""
    move: tuple[tuple[Row, ...], tuple[Row, ...]]
    """Its rows before and after, where they change; none is gone, or not counted."""
    epsilon: dict[str, str] = field(default_factory=dict)
    """The ε by `add_remove`, `substitute`, `zcdp`, or two of them: other than 1."""
    others: Callable[[NeighboringRelation, bool, Currency], tuple[Row, ...]] | None = None
    """The other units' rows, one each; by default OTHERS."""
    more: dict[str, Any] = field(default_factory=dict)
    """Further fields of each case."""
    only: dict[str, Any] = field(default_factory=dict)
    """Cases with these fields alone."""
    in_rho: tuple[tuple[Row, ...], tuple[tuple[Row, ...], tuple[Row, ...]]] | None = None
    """`add` and `move` where ρ is counted, if another pair is further apart in L2."""


def twice(**own: Any) -> tuple[Row, ...]:
    return (row(**own),) * 2


GONE, NULLS = (LEFT_OUT,) * 2, (NOTHING | {"kept": 1},) * 2
LOW, HIGH = twice(x=-2.0), twice(x=1.5)
CORNER, OTHER_CORNER = twice(b=1, c=1), twice(b=0, c=0)
TWO = {"pure": "2"}
MOMENTS = {"substitute pure": "4", "add_remove pure": "2"}

VARIANTS = (
    Variant("count", {"kind": "count"}, twice(), (twice(), GONE)),
    Variant("count with x", {"kind": "count", "column": "x"}, twice(), (twice(), NULLS), only={"people": True}),
    Variant(
        "count by g",
        {"kind": "count", "by": ["g"]},
        (row(), row(g="b")),
        ((row(), row(g="b")), twice(g="c")),
        epsilon=TWO,
        in_rho=(twice(), (twice(), twice(g="c"))),
        only={"people": True},
    ),
    Variant(
        "count with weights",
        {"kind": "count", "survey_weights": "far"},
        twice(far=2),
        (twice(far=2), twice(far=0)),
        only={"people": True},
    ),
    Variant("answered", {"kind": "answered", "columns": ["x"]}, twice(), (twice(), NULLS)),
    Variant("units", {"kind": "units"}, twice(), (twice(), GONE)),
    Variant(
        "units by g",
        {"kind": "units", "by": ["g"]},
        (row(), row(g="b")),
        ((row(), row(g="b")), (row(g="c"), row(g="d"))),
        epsilon=TWO,
        only={"people": True},
    ),
    Variant(
        "units by g, in one group",
        {"kind": "units", "by": ["g"]},
        twice(),
        (twice(), twice(g="b")),
        more={"max_groups": 1},
        only={"people": True},
    ),
    Variant("sum", {"kind": "sum", "column": "x"}, LOW, (LOW, HIGH)),
    Variant(
        "sum by h",
        {"kind": "sum", "column": "x", "by": ["h"]},
        LOW,
        (LOW, twice(x=-2.0, h="v")),
        epsilon=TWO,
        in_rho=(LOW, (LOW, HIGH)),
        only={"people": True},
    ),
    Variant("mean", {"kind": "mean", "column": "x"}, HIGH, (LOW, HIGH)),
    Variant(
        "mean, centred, by h",
        {"kind": "mean", "column": "x", "method": "centred", "by": ["h"]},
        HIGH,
        (HIGH, twice(x=1.5, h="v")),
        epsilon={"add_remove pure": "2", "substitute pure": "2.5"},
        more={"times": 2},
    ),
    Variant(
        "mean, sum_and_count, by h",
        {"kind": "mean", "column": "x", "method": "sum_and_count", "by": ["h"]},
        LOW,
        (LOW, twice(x=-2.0, h="v")),
        epsilon={"add_remove pure": "2", "substitute pure": "2.5"},
        more={"times": 2},
        only={"people": True},
    ),
    Variant(
        "ratio by h",
        {"kind": "ratio", "numerator": "x", "denominator": "far", "by": ["h"]},
        twice(x=-2.0, far=2),
        (twice(x=-2.0, far=2), twice(x=-2.0, far=2, h="v")),
        epsilon={"add_remove pure": "2", "substitute pure": "2.5"},
        more={"times": 3},
    ),
    Variant("proportion", {"kind": "proportion", "where": [HALF]}, twice(), (twice(), twice(flag=False))),
    Variant(
        "proportion with weights",
        {"kind": "proportion", "where": [HALF], "survey_weights": "far"},
        twice(far=2),
        (twice(far=2), twice(far=2, flag=False)),
        only={"people": True},
    ),
    Variant("rate", {"kind": "rate", "where": [HALF], "per": 100}, twice(), (twice(), twice(flag=False))),
    Variant(
        "rate per far by h",
        {"kind": "rate", "where": [HALF], "column": "far", "by": ["h"]},
        twice(far=2),
        (twice(far=2), twice(far=2, h="v")),
        epsilon={"add_remove pure": "2", "substitute pure": "2.5"},
        more={"times": 2},
    ),
    Variant("variance", {"kind": "variance", "column": "x"}, HIGH, (LOW, HIGH)),
    Variant("std", {"kind": "std", "column": "far"}, twice(far=2), (twice(far=2), twice(far=0))),
    Variant("histogram", {"kind": "histogram", "column": "g"}, twice(), (twice(), twice(g="b"))),
    Variant(
        "histogram with weights",
        {"kind": "histogram", "column": "g", "survey_weights": "far"},
        twice(far=2),
        (twice(far=2), twice(far=2, g="b")),
        only={"people": True},
    ),
    Variant(
        "crosstab",
        {"kind": "crosstab", "columns": ["h", "x"], "bins": {"x": 2}},
        (row(x=-2.0), row(x=1.5)),
        ((row(x=-2.0), row(x=1.5)), twice(x=1.5, h="v")),
        epsilon=TWO,
        in_rho=(LOW, (LOW, twice(x=1.5, h="v"))),
    ),
    Variant(
        "workload",
        {"kind": "workload", "columns": ["h", "x"], "bins": {"x": 2}},
        LOW,
        (LOW, twice(x=1.5, h="v")),
        epsilon=TWO,
    ),
    Variant(
        "workload, order 1",
        {"kind": "workload", "columns": ["h", "x"], "bins": {"x": 2}, "order": 1},
        LOW,
        (LOW, twice(x=1.5, h="v")),
        epsilon=TWO,
        only={"people": True},
    ),
    Variant(
        "naive_bayes",
        {"kind": "naive_bayes", "outcome": "h", "on": ["x", "g"], "bins": {"x": 2}},
        LOW,
        (LOW, twice(x=1.5, g="b", h="v")),
        epsilon=TWO,
    ),
    Variant(
        "naive_bayes, one bin",
        {"kind": "naive_bayes", "outcome": "h", "on": ["x"], "bins": {"x": 1}},
        LOW,
        (LOW, twice(h="v")),
        epsilon=TWO,
        only={"people": True},
    ),
    Variant(
        "naive_bayes, normal",
        {"kind": "naive_bayes", "outcome": "h", "on": ["x"], "method": "normal"},
        twice(x=1.5),
        (twice(x=1.5), twice(x=-2.0, h="v")),
        epsilon=TWO,
    ),
    Variant(
        "scorecard",
        {"kind": "scorecard", "outcome": "h", "on": ["x", "g"], "bins": {"x": 2}, "together": "all"},
        LOW,
        (LOW, twice(x=1.5, g="b", h="v")),
        epsilon=TWO,
    ),
    Variant(
        "synthetic",
        {"kind": "synthetic", "columns": ["h", "x"], "bins": {"x": 2}, "rows": 5},
        LOW,
        (LOW, twice(x=1.5, h="v")),
        epsilon=TWO,
    ),
    Variant("cdf", {"kind": "cdf", "column": "x", "bins": 3}, LOW, (LOW, HIGH)),
    Variant(
        "cdf, at several levels",
        {"kind": "cdf", "column": "wide", "bins": 27},
        twice(wide=-900),
        (twice(wide=-900), twice(wide=900)),
        epsilon={"zcdp": "2"},
        only={"people": True, "currency": ZCDP},
    ),
    Variant(
        "linear",
        {"kind": "linear", "outcome": "far", "on": ["x"]},
        twice(x=1.5, far=2),
        (twice(x=1.5, far=2), twice(x=-2.0, far=0)),
        epsilon=TWO,
    ),
    Variant(
        "logistic",
        {"kind": "logistic", "outcome": "flag", "on": ["x"], "rounds": 0},
        LOW,
        (LOW, twice(x=1.5)),
        epsilon=TWO,
    ),
    Variant(
        "clusters",
        {"kind": "clusters", "on": ["x", "b"], "k": 2, "grid": 2},
        LOW,
        (LOW, twice(x=1.5, b=1)),
        epsilon=TWO,
    ),
    Variant(
        "linear by h",
        {"kind": "linear", "outcome": "far", "on": ["x"], "by": ["h"]},
        twice(x=1.5, far=2),
        (twice(x=1.5, far=2), twice(x=1.5, far=2, h="v")),
        epsilon=TWO,
        only={"people": True, "currency": ZCDP},
    ),
    Variant(
        "linear, functional",
        {"kind": "linear", "outcome": "far", "on": ["x"], "method": "functional"},
        twice(x=1.5, far=2),
        (twice(x=1.5, far=2), twice(x=-2.0, far=0)),
        epsilon=TWO,
    ),
    Variant(
        "logistic, functional",
        {"kind": "logistic", "outcome": "flag", "on": ["x"], "method": "functional"},
        LOW,
        (LOW, twice(x=1.5)),
        epsilon=TWO,
    ),
    Variant(
        "components",
        {"kind": "components", "on": ["x", "far"], "k": 1},
        twice(x=1.5, far=2),
        (twice(x=1.5, far=2), twice(x=-2.0, far=0)),
        epsilon=TWO,
    ),
    Variant("bounds", {"kind": "bounds", "column": "wide"}, twice(wide=-900), (twice(wide=-900), twice(wide=900))),
    Variant("top", {"kind": "top", "column": "g", "k": 2}, twice(), (twice(), twice(g="b"))),
    Variant(
        "covariance", {"kind": "covariance", "columns": ["b", "c"]}, CORNER, (CORNER, OTHER_CORNER), epsilon=MOMENTS
    ),
    Variant(
        "correlation", {"kind": "correlation", "columns": ["b", "c"]}, CORNER, (CORNER, OTHER_CORNER), epsilon=MOMENTS
    ),
    Variant(
        "survey",
        {"kind": "survey", "column": "answer"},
        (),
        (twice(answer="yes"), (NOTHING,) * 2),
        others=lambda *population: (),
        only={"people": False, "relation": SUB},
    ),
    *(
        Variant(
            f"survey by {method}",
            {"kind": "survey", "column": "code", "method": method},
            (),
            (twice(code="a"), (NOTHING,) * 2),
            others=lambda *population: (),
            only={"people": False, "relation": SUB},
        )
        for method in ("subset", "unary")
    ),
)


Rows = tuple[Row, ...]
Others = Callable[[NeighboringRelation, bool, Currency], Rows]


def near(quarter: bool) -> Others:
    """Where permute-and-flip, or in zcdp the exponential mechanism, comes nearest to its loss: found by search."""

    def others(relation: NeighboringRelation, people: bool, currency: Currency) -> Rows:
        rows = {PURE: (43,), ZCDP: (16,) if relation is ADD else (27,)}[currency]
        if quarter:
            rows = {PURE: (2, 47, 47), ZCDP: (23, 47, 47)}[currency]
        return tuple(row(k=k) for k in rows) * (2 if people else 1)

    return others


def ahead(**own: Any) -> Others:
    """As many rows as a unit may have."""
    return lambda relation, people, currency: (row(**own),) * (2 if people else 1)


def for_mode(relation: NeighboringRelation, people: bool, currency: Currency) -> Rows:
    """The person's rows make equal, or in zcdp turn the order around."""
    if currency is PURE:
        return ahead(h="v")(relation, people, currency)
    return (row(h="v"),) if people and relation is ADD else ()


def for_threshold(relation: NeighboringRelation, people: bool, currency: Currency) -> Rows:
    """The first three counts are 1 unit below the threshold of 2, the last one at it or, under substitute, below."""
    below, last = (0 if people else 1), (2 if relation is ADD else 0 if people else 1)
    return (row(),) * below + (row(g="b"),) * last


def discovered(relation: NeighboringRelation, people: bool, currency: Currency) -> Rows:
    """The names that are known have about as many rows as the threshold."""
    many = {(ADD, False): 25, (ADD, True): 50, (SUB, False): 46, (SUB, True): 96}[relation, people]
    return tuple(row(name=name) for name in ("known", "other") for _ in range(many))


ASKED = [{"label": str(place), "where": [{"column": "g", "equals": "a"}]} for place in range(3)]
ASKED += [{"label": "last", "where": [{"column": "g", "equals": "b"}]}]
THRESHOLD = {"kind": "threshold", "threshold": 2, "questions": ASKED}
SELECTED = (
    Variant("median", {"kind": "median", "column": "k"}, twice(k=0), (twice(k=0), twice(k=47)), TWO, near(False)),
    Variant(
        "median with an interval",
        {"kind": "median", "column": "k", "interval": True},
        twice(k=0),
        (twice(k=0), twice(k=47)),
        TWO,
        near(False),
        only={"people": True},
    ),
    Variant(
        "quantiles",
        {"kind": "quantiles", "column": "k", "probs": [0.25]},
        twice(k=0),
        (twice(k=47), twice(k=0)),
        TWO,
        near(True),
    ),
    Variant(
        "five_numbers",
        {"kind": "five_numbers", "column": "k"},
        twice(k=0),
        (twice(k=0), twice(k=47)),
        {"pure": "5"},
        near(False),
    ),
    Variant(
        "mode", {"kind": "mode", "column": "h"}, twice(), (twice(), twice(h="v")), others=for_mode, more={"times": 2}
    ),
    Variant(
        "mode by g",
        {"kind": "mode", "column": "h", "by": ["g"]},
        twice(),
        (twice(), twice(h="v", g="b")),
        others=lambda *population: ahead(h="v")(*population) + ahead(g="b")(*population),
        only={"people": True},
    ),
    Variant(
        "top, selected",
        {"kind": "top", "column": "g", "k": 2, "method": "noisy_top_k"},
        twice(),
        (twice(g="b"), twice()),
        TWO,
        lambda relation, people, currency: ahead()(relation, people, currency) if currency is PURE else (),
    ),
    Variant(
        "threshold", THRESHOLD, twice(), (twice(), twice(g="b")), {"add_remove": "3", "substitute": "5"}, for_threshold
    ),
    Variant(
        "threshold, numeric",
        THRESHOLD | {"numeric": True},
        twice(),
        (twice(), twice(g="b")),
        {"add_remove": "3", "substitute": "5"},
        for_threshold,
        only={"people": True},
    ),
    Variant(
        "histogram, discovered",
        {"kind": "histogram", "column": "name"},
        twice(),
        (twice(), twice(name="other")),
        others=discovered,
        more={"delta": Decimal("1e-9")},
    ),
    Variant(
        "crosstab, discovered",
        {"kind": "crosstab", "columns": ["name", "h"]},
        twice(),
        (twice(), twice(name="other")),
        others=discovered,
        more={"delta": Decimal("1e-9")},
        only={"people": True},
    ),
    Variant(
        "top, discovered",
        {"kind": "top", "column": "name", "k": 3},
        twice(),
        (twice(), twice(name="other")),
        others=discovered,
        more={"delta": Decimal("1e-9")},
        only={"people": True},
    ),
    Variant(
        "histogram, a name that one unit has",
        {"kind": "histogram", "column": "name"},
        (row(name="one"), row(name="two")),
        ((row(name="one"), row(name="two")), (row(name="three"), row(name="four"))),
        {"pure": "1"},
        more={"delta": Decimal("0.001")},
        only={"currency": PURE},
    ),
    Variant(
        "count, laplace",
        {"kind": "count", "noise": "laplace"},
        twice(),
        (twice(), GONE),
        only={"currency": ZCDP, "people": True},
    ),
    Variant(
        "histogram, once a cell",
        {"kind": "histogram", "column": "g", "max_rows_per_cell": 1},
        (row(), row(g="b")),
        ((row(), row(g="b")), (row(g="c"), row(g="d"))),
        only={"currency": ZCDP, "people": True},
    ),
    Variant(
        "histogram, once a cell, all in one",
        {"kind": "histogram", "column": "g", "max_rows_per_cell": 1},
        (row(),) * 5,
        ((row(),) * 5, (row(g="b"),) * 5),
        more={"most_rows": 5},
        only={"currency": ZCDP, "people": True},
    ),
    Variant(
        "crosstab, once a cell, of fewer cells than rows",
        {"kind": "crosstab", "columns": ["only", "h"], "max_rows_per_cell": 1},
        (row(), row(h="v"), row()),
        ((row(), row(h="v"), row()), (LEFT_OUT,) * 3),
        more={"most_rows": 3},
        only={"people": True},
    ),
    Variant(
        "histogram, laplace",
        {"kind": "histogram", "column": "g", "noise": "laplace"},
        twice(),
        (twice(), twice(g="b")),
        only={"currency": ZCDP, "people": True},
    ),
)


def of_one_side(relation: NeighboringRelation, people: bool, currency: Currency) -> Rows:
    """With as many rows at the lower value as a unit may have, two values are alike where its own are at the upper."""
    return ahead(b=0)(relation, people, currency) if relation is SUB else ()


DEGENERATE = (
    Variant("top, one shown", {"kind": "top", "column": "g", "k": 1}, twice(), (twice(), twice(g="b"))),
    Variant(
        "top, one selected",
        {"kind": "top", "column": "h", "k": 1, "method": "noisy_top_k"},
        twice(),
        (twice(), twice(h="v")),
        others=for_mode,
        more={"times": 2},
    ),
    Variant(
        "top, one discovered",
        {"kind": "top", "column": "name", "k": 1},
        twice(),
        (twice(), twice(name="other")),
        others=discovered,
        more={"delta": Decimal("1e-9")},
    ),
    Variant(
        "histogram, discovered, one group a person",
        {"kind": "histogram", "column": "name"},
        twice(),
        (twice(), twice(name="other")),
        others=discovered,
        more={"delta": Decimal("1e-9"), "max_groups": 1},
        only={"people": True},
    ),
    Variant("histogram of one bin", {"kind": "histogram", "column": "x", "bins": 1}, twice(), (twice(), GONE)),
    Variant("histogram of one category", {"kind": "histogram", "column": "only"}, twice(), (twice(), GONE)),
    Variant(
        "crosstab of one cell",
        {"kind": "crosstab", "columns": ["only", "x"], "bins": {"x": 1}},
        twice(),
        (twice(), GONE),
    ),
    Variant("cdf of two bins", {"kind": "cdf", "column": "x", "bins": 2}, LOW, (LOW, HIGH)),
    Variant("count by one group", {"kind": "count", "by": ["only"]}, twice(), (twice(), GONE)),
    Variant("units by one group", {"kind": "units", "by": ["only"]}, twice(), (twice(), GONE)),
    Variant("sum by one group", {"kind": "sum", "column": "x", "by": ["only"]}, LOW, (LOW, HIGH)),
    Variant("mean of two values", {"kind": "mean", "column": "b"}, twice(b=1), (twice(b=0), twice(b=1))),
    Variant("variance of two values", {"kind": "variance", "column": "b"}, twice(b=1), (twice(b=0), twice(b=1))),
    Variant(
        "median of two values",
        {"kind": "median", "column": "b"},
        twice(b=0),
        (twice(b=1), twice(b=0)),
        TWO,
        of_one_side,
    ),
    Variant("mode of one value", {"kind": "mode", "column": "only"}, twice(), (twice(), GONE)),
    Variant(
        "threshold, one question",
        THRESHOLD | {"questions": ASKED[:1]},
        twice(),
        (twice(), GONE),
        {"pure": "3"},
        lambda relation, people, currency: (row(),) * (0 if people else 1),
    ),
    Variant(
        "histogram, one row a person",
        {"kind": "histogram", "column": "g"},
        (row(),),
        ((row(),), (row(g="b"),)),
        more={"most_rows": 1},
        only={"people": True},
    ),
    Variant(
        "count, one row a person",
        {"kind": "count"},
        (row(),),
        ((row(),), (LEFT_OUT,)),
        more={"most_rows": 1},
        only={"people": True},
    ),
)
"""The least that an option can be: k = 1, one bin, category, group or question, two values, one row a person."""


LESS = (
    ("median", None, None, PURE, 0.75),
    ("median with an interval", None, None, None, 0.5),
    ("quantiles", None, None, PURE, 0.75),
    ("quantiles", SUB, None, ZCDP, 0.8),
    ("five_numbers", None, None, PURE, 0),
    ("five_numbers", None, None, ZCDP, 0.3),
    ("mode by g", ADD, None, ZCDP, 0.8),
    ("mode by g", SUB, None, PURE, 0.3),
    ("mode by g", SUB, None, ZCDP, 0),
    ("top, selected", ADD, None, PURE, 0.7),
    ("top, selected", ADD, None, ZCDP, 0.75),
    ("top, selected", SUB, None, None, 0.5),
    ("threshold", None, True, None, 0.5),
    ("threshold", SUB, False, None, 0.8),
    ("threshold, numeric", None, True, None, 0.4),
    ("linear", None, None, PURE, 0),  # six sums with parts of ε each
    ("linear by h", SUB, None, ZCDP, 0.65),  # two rows of one group are bounded by somewhat more than is attained
    ("linear, functional", None, None, PURE, 0),  # six sums with a fourth or less of ε each
    ("logistic, functional", None, None, None, 0),  # five sums with a third or less of ε each
    ("components", None, None, PURE, 0),  # six sums with a sixth of ε each
    ("logistic", None, None, PURE, 0),  # five sums with a fifth of ε each
    ("covariance", SUB, True, PURE, 0.6),
    ("covariance", SUB, False, PURE, 0.7),
    ("correlation", SUB, True, PURE, 0.6),
    ("correlation", SUB, False, PURE, 0.7),
    ("mean, centred, by h", SUB, None, ZCDP, 0.7),
    ("mean, sum_and_count, by h", SUB, None, ZCDP, 0.8),
    ("ratio by h", SUB, None, ZCDP, 0.8),
    ("rate per far by h", SUB, None, ZCDP, 0.8),
    ("histogram, a name that one unit has", None, None, None, 0),
    ("median of two values", None, None, ZCDP, 0.8),
    ("mode of one value", None, None, None, 0),
    ("histogram, once a cell, all in one", None, None, None, 0),
    ("threshold, one question", None, None, None, 0),
)
"""Name, relation, people and currency (None: any) of the cases that see less than noise times 0.85.

Selections, the sparse vector and sums of several answers come near their ε only at events that are too rare to be
counted; `mode by g` spends at most half of it under substitute, and sums in L2 that cannot both be attained somewhat
less. A unit in one of the five cells that it may be in shows nothing. Of five selections with a fifth of ε each, none
is seen in counts. A new name shows its δ, not its noise. A mode of one value tells nothing, and a single question
seldom comes near what several may spend.
"""


def seen(case: Case) -> float:
    """The largest factor of noise that the full run sees."""
    for name, relation, people, currency, factor in LESS:
        wanted = zip((relation, people, currency), (case.relation, case.people, case.currency), strict=True)
        if name == case.name and all(want in (None, found) for want, found in wanted):
            return factor
    return 0.85


def cases() -> Iterator[Case]:
    """Every variant under every relation, unit and currency."""
    for variant in VARIANTS + SELECTED + DEGENERATE:
        for relation in (ADD, SUB):
            for people in (False, True):
                for currency in (PURE, ZCDP):
                    yield from _case(variant, relation, people, currency)


def _case(variant: Variant, relation: NeighboringRelation, people: bool, currency: Currency) -> Iterator[Case]:
    fields = {"relation": relation, "people": people, "currency": currency}
    if any(fields[name] != value for name, value in variant.only.items()):
        return
    add, move = (variant.add, variant.move) if currency is PURE or variant.in_rho is None else variant.in_rho
    before, after = ((), add) if relation is ADD else move
    keys = (f"{relation} {currency}", currency.value, relation.value)
    epsilon = next((variant.epsilon[key] for key in keys if key in variant.epsilon), "1")
    made = Case(
        name=variant.name,
        statistic=variant.statistic,
        before=before if people else before[:1],
        after=after if people else after[:1],
        epsilon=Decimal(epsilon),
        **fields,
    )
    if variant.others is not None:
        made = replace(made, others=variant.others(relation, people, currency))
    made = replace(made, **variant.more)
    yield replace(made, seen=seen(made))
