"""Tables that contradict each other beyond their noise are told of, and those of an honest release never."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from dprelease.model.privacy import Currency
from dprelease.model.release import Axis, Estimates
from dprelease.statistics import Plan
from dprelease.statistics.beside import tells_integers
from dprelease.statistics.planning import sharing
from dprelease.statistics.planning.price import Price, price
from dprelease.verdict import contradiction
from dprelease.verdict.check import Check
from dprelease.verdict.contradiction import RISK, contradictions

CELLS = 20


def priced(currency: Currency = Currency.PURE, unit: object = "row") -> Price:
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": unit, "neighbors": "add_remove", "epsilon": 1, "delta": 0 if currency == "pure" else 1e-6},
        "columns": {
            "a": {"type": "integer", "lower": 0, "upper": CELLS - 1},
            "c": {"type": "category", "categories": ["x"]},
        },
        "statistics": [
            {"id": "all", "kind": "count", "epsilon": 0.0125},
            {"id": "parts", "kind": "histogram", "column": "a", "epsilon": 0.0125},
            {"id": "one", "kind": "count", "by": ["c"], "epsilon": 0.0125},
            {"id": "who", "kind": "units", "epsilon": 0.0125},
        ],
    }
    if currency == "zcdp":
        for each in plan["statistics"]:  # type: ignore[attr-defined]
            each["epsilon"] = 0.1
    return price(Plan.parse(plan), currency=currency)


def table(*values: int) -> Estimates:
    axis = Axis(("k",), tuple((place,) for place in range(len(values))))
    return Estimates(axes=(axis,), value=list(values), lower95=[None] * len(values), upper95=[None] * len(values))


def told(price: Price, tables: Mapping[str, Estimates], size: int | None) -> list[str]:
    return [Check(claim.code, claim.values).words for claim in contradictions(price, tables, size)]


def found(priced: Price, size: int | None = None, **tables: Estimates) -> list[str]:
    own = {"all": table(2000), "parts": table(*[100] * CELLS), "one": table(2000), "who": table(900)}
    return told(priced, own | tables, size)


@pytest.mark.parametrize("currency", list(Currency))
def test_what_was_found_by_outsiders_is_told(currency: Currency) -> None:
    own = priced(currency)
    assert found(own, 12_000) == []
    below = found(own, all=table(-500_000))
    assert any("all: -500000 is further below 0" in words for words in below)
    assert "Rows by parts: 2000. Rows by all, which cannot be fewer: -500000." in below
    (women,) = [words for words in found(own, 12_000, who=table(9_999_999)) if words.startswith("who")]
    assert "9999999 is more than the declared population can have, 12000" in women
    assert any("sums to" in words for words in found(own, 12_000, parts=table(*[5_000] * CELLS)))


def test_one_unit_may_have_as_many_rows_as_are_kept() -> None:
    own = priced(unit={"column": "id", "max_rows": 5})
    assert found(own, 1000, all=table(4900), one=table(0)) == []
    assert found(own, 1000, all=table(90_000), one=table(0)) != []


@pytest.mark.parametrize("epsilon", ["0.333333333", "0.333333334", "0.7", "1", "3", "1000"])
def test_no_scale_is_one_that_the_bound_cannot_be_computed_for(epsilon: str) -> None:
    """The rates that are tried include 1/scale, as nearly as floats have it: there the noise has no moment."""
    mapping = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon, "delta": 0},
        "columns": {"a": {"type": "integer", "lower": 0, "upper": 1}},
        "statistics": [{"id": "all", "kind": "count"}],
    }
    own = price(Plan.parse(mapping), currency=Currency.PURE)
    assert told(own, {"all": table(20_190)}, 20_000) == [
        "all: 20190 is more than the declared population can have, 20000."
    ]
    assert contradictions(own, {"all": table(20_190)}, 30_000) == []


@pytest.mark.full
@pytest.mark.parametrize("currency", list(Currency))
def test_the_limit_is_beyond_what_noise_gives_with_the_stated_probability(currency: Currency) -> None:
    """Of one count below 0: by the exact tail, told only where that is below the risk of its claim (10 of them)."""
    own = priced(currency)
    scale = own.statistics[0].mechanisms[0].scale  # type: ignore[attr-defined]
    least = next(step for step in range(1, 10**6) if any("below 0" in words for words in found(own, one=table(-step))))
    if currency is Currency.PURE:
        q = exp(-1 / scale)
        tail = q**least / (1 + q)
        assert log(tail) < log(RISK)
        assert log(tail) > log(RISK) - 9  # and not far beyond: it would tell nothing
    else:
        width = own.statistics[2].mechanisms[0].scale  # type: ignore[attr-defined]
        assert 5 < least / width < 6


def test_sums_of_many_cells_are_given_their_noise() -> None:
    """Twenty cells, each two scales above what is there: likely noise of the cells, told only once it is not."""
    own = priced()
    scale = own.statistics[1].mechanisms[0].scale  # type: ignore[attr-defined]
    assert found(own, parts=table(*[100 + int(scale)] * CELLS)) == []
    assert found(own, parts=table(*[100 + int(4 * scale)] * CELLS)) != []


def test_degenerate_tables_say_nothing() -> None:
    own = priced()
    assert found(own, 1, all=table(0), parts=table(*[0] * CELLS), one=table(0), who=table(0)) == []
    assert contradictions(own, {**{each: table(0) for each in ("all", "one", "who")}, "parts": table()}, None) == []
    assert contradictions(own, {}, 12_000) == []  # a withheld release has no tables


def test_the_least_of_many_cells_is_judged_as_the_least_of_many() -> None:
    """All noise, 100,000 cells: a count so low that one of them is below it in 10 times the risk is not told of."""
    cells, scale = 100_000, 1.0
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": 0},
        "columns": {"a": {"type": "integer", "lower": 0, "upper": cells - 1}},
        "statistics": [{"id": "parts", "kind": "histogram", "column": "a", "bins": cells}],
    }
    own = price(Plan.parse(plan), currency=Currency.PURE)
    assert own["parts"].mechanisms[0].scale == scale
    fitting = int(log(cells / (10 * RISK) / (1 + exp(-1 / scale))) * scale)
    assert contradictions(own, {"parts": table(-fitting, *[0] * (cells - 1))}, None) == []
    assert contradictions(own, {"parts": table(-2 * fitting, *[0] * (cells - 1))}, None) != []


# Sums and means

GROUPS = ("p", "q", "r")
ROWS = 600
RNG = np.random.default_rng(7)
VALUES, PLACES = RNG.integers(-20, 81, ROWS), RNG.integers(0, len(GROUPS), ROWS)
BOUNDS = (-20, 80)
KINDS: dict[str, dict[str, object]] = {
    "rows": {"kind": "count"},
    "by_g": {"kind": "histogram", "column": "g"},
    "total": {"kind": "sum", "column": "x"},
    "parts": {"kind": "sum", "column": "x", "by": ["g"]},
    "mean": {"kind": "mean", "column": "x"},
    "means": {"kind": "mean", "column": "x", "by": ["g"]},
}


@pytest.fixture(autouse=True)
def unshared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each statistic is measured: what follows from another cannot contradict it."""
    monkeypatch.setattr(sharing, "ON", False)


def added(currency: Currency = Currency.PURE, complete: bool = True, **by_id: Mapping[str, object]) -> Price:
    """Rows, sums and means of x, in all and by g. Not `complete`: rows without a group are in the totals alone."""
    statistics = {**KINDS, **by_id}
    share = {"epsilon": 2} if currency == "pure" else {}  # with a share of its own, no count follows from another table
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {
            "unit": "row",
            "neighbors": "add_remove",
            "epsilon": 100,
            "delta": 0 if currency == "pure" else 1e-6,
        },
        "columns": {
            "x": {"type": "number", "lower": BOUNDS[0], "upper": BOUNDS[1], "resolution": 0.5, "count_missing_as": 0},
            "g": {"type": "category", "categories": list(GROUPS), **({"count_missing_as": "p"} if complete else {})},
        },
        "statistics": [{"id": name, **share, **each} for name, each in statistics.items()],
    }
    return price(Plan.parse(plan), currency=currency)


def honest(own: Price) -> dict[str, Estimates]:
    """Tables of the same rows, drawn anew by their mechanisms."""
    counts = np.bincount(PLACES, minlength=len(GROUPS))
    sums = np.array([2 * VALUES[place == PLACES].sum() for place in range(len(GROUPS))])  # in steps of 0.5
    sides = np.stack([sums - 2 * BOUNDS[0] * counts, 2 * BOUNDS[1] * counts - sums], axis=-1)
    exact = {"rows": counts.sum(), "by_g": counts, "total": sums.sum(), "parts": sums}
    exact |= {"mean": sides.sum(axis=0), "means": sides}
    made = {}
    for item in own.statistics:
        (mechanism,) = item.mechanisms
        values = np.asarray(exact[item.id], dtype=np.int64)
        drawn = mechanism.release(values)
        table = item.answered(own.plan.schema, {item.id: [drawn]})
        made[item.id] = replace(table, integers=[drawn.ravel().tolist()]) if tells_integers(item) else table
    return made


def changed(made: dict[str, Estimates], name: str, *values: float) -> dict[str, Estimates]:
    return made | {name: replace(made[name], value=list(values))}


def beside(made: dict[str, Estimates], name: str, place: int, more: int) -> dict[str, Estimates]:
    """With more in one of the noisy sums of a mean."""
    integers = [list(each) for each in made[name].integers]
    integers[0][place] += more
    return made | {name: replace(made[name], integers=integers)}


@pytest.mark.parametrize("currency", list(Currency))
def test_sums_and_means_of_the_same_rows_that_do_not_fit_are_told(currency: Currency) -> None:
    own = added(currency)
    made = honest(own)
    assert contradictions(own, made, 2 * ROWS) == []
    total, parts = made["total"].value[0], list(made["parts"].value)
    assert isinstance(total, int | float)
    lies: list[tuple[dict[str, Estimates], int | None, str]] = [
        (changed(made, "total", total + 20_000), None, r"Sum by total: .* Sum by parts, which cannot be less: "),
        (changed(made, "total", total - 20_000), None, r"Sum by parts: .* Sum by total, which cannot be less: "),
        (beside(made, "mean", 0, 40_000), None, r"Rows by mean: .* Rows by rows, which cannot be fewer: "),
        (beside(made, "mean", 0, 40_000), None, r"Sum by mean: .* Sum by total, which cannot be less: "),
        (beside(made, "means", 3, -40_000), None, r"Rows by by_g in cell 2 of g: .* Rows by means, which cannot "),
        (changed(made, "parts", parts[0], 40_000, parts[2]), None, r"parts sums to 40000 in cell 2 of g, more than "),  # type: ignore[arg-type]
        (changed(made, "parts", parts[0], parts[1], -20_000), None, r"parts sums to -20000 in cell 3 of g, less than "),  # type: ignore[arg-type]
        (changed(made, "total", total + 500_000), 2 * ROWS, r"total: 5.* is more than the declared population can "),
        (changed(made, "total", total - 500_000), 2 * ROWS, r"total: -4.* is less than the declared population can "),
        (changed(made, "by_g", 10, 10, 10), None, r"Rows by means? .*: .* Rows by by_g, "),
        (changed(made, "by_g", 400, 800, 100), None, r"Rows by by_g: 1300. Rows by rows, "),
    ]  # fmt: skip
    for tables, size, words in lies:
        found = told(own, tables, size)
        assert any(re.match(words, each) for each in found), (words, found)


def test_tables_are_compared_only_where_they_are_of_the_same_rows() -> None:
    """Rows without a group are in the totals alone, and the column has values below 0: either may be the larger sum."""
    own = added(complete=False)
    made = honest(own)
    for lie in (changed(made, "total", 20_000), changed(made, "total", 5_000), changed(made, "by_g", 100, 100, 100)):
        found = told(own, lie, None)
        apart = re.compile("(Sum|Rows) by (total|parts|rows): .* by (total|parts|rows|by_g), ")
        assert not any(map(apart.match, found)), found
    more = told(own, changed(made, "by_g", 300, 300, 300), None)
    assert any("Rows by by_g: 900. Rows by rows, " in words for words in more)
    assert contradictions(own, changed(made, "by_g", *[1] * 3) | {"parts": made["parts"]}, None) != []


@pytest.mark.full
@pytest.mark.parametrize("currency", list(Currency))
@pytest.mark.parametrize(
    ("few", "noisiest"), [(False, ""), (True, ""), (False, "mean"), (True, "mean"), (False, "rows")]
)
def test_honest_releases_are_told_of_as_seldom_as_is_stated(
    currency: Currency, few: bool, noisiest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a risk of 5 %, not 10^-6, of 150 honest releases at most 19 have a finding: more have at 5 % with 1e-4.

    `few`: of no rows, where means are cut to the bounds or set to the middle. `noisiest`: has nearly all of the noise.
    """
    monkeypatch.setattr(contradiction, "RISK", 0.05)
    only = {name: {"epsilon": 0.02 if name == noisiest else 5} for name in ("rows", "total", "mean")}
    own = added(currency, **({name: {**KINDS[name], **only[name]} for name in only} if noisiest else {}))
    if few:
        monkeypatch.setattr("tests.verdict.test_contradiction.PLACES", np.array([], dtype=int))
        monkeypatch.setattr("tests.verdict.test_contradiction.VALUES", np.array([], dtype=int))
    found = sum(contradictions(own, honest(own), ROWS) != [] for _ in range(150))
    assert found <= 19


def test_the_worst_of_many_cells_is_given_the_chance_of_each() -> None:
    """Of 2,000 empty cells, the lowest is told where all of them together are that low with less than the risk."""
    cells = 2000
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 0.1, "delta": 0},
        "columns": {"a": {"type": "integer", "lower": 0, "upper": cells - 1}},
        "statistics": [{"id": "parts", "kind": "histogram", "column": "a", "bins": cells}],
    }
    own = price(Plan.parse(plan), currency=Currency.PURE)
    q = exp(-1 / own.statistics[0].mechanisms[0].scale)  # type: ignore[attr-defined]
    lowest = next(
        step for step in range(1, 10**5) if contradictions(own, {"parts": table(-step, *[0] * (cells - 1))}, None)
    )
    together = cells * q**lowest / (1 + q)
    assert RISK * exp(-9) < together < RISK


@pytest.mark.full
def test_a_plan_of_many_tables_is_looked_through() -> None:
    names = [f"c{number}" for number in range(150)]
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 15, "delta": 0},
        "columns": {name: {"type": "category", "categories": [*"abcdefgh"], "count_missing_as": "a"} for name in names},
        "statistics": [{"id": name, "kind": "histogram", "column": name} for name in names],
    }
    own = price(Plan.parse(plan), currency=Currency.PURE)
    assert contradictions(own, {name: table(*[100] * 8) for name in names}, None) == []
    assert (
        len(contradictions(own, {name: table(*[100] * 8) for name in names} | {"c7": table(*[900] * 8)}, None)) == 149
    )


# Answers and repeated questions

ASKED = {
    "x": {"type": "integer", "lower": 0, "upper": 9},
    "g": {"type": "category", "categories": [*"ab"], "count_missing_as": "a"},
}


def asked(*statistics: dict[str, object], unit: object = "row") -> Price:
    """Each with an ε of its own, so that none follows from another."""
    privacy = {"unit": unit, "neighbors": "add_remove", "epsilon": len(statistics)}
    each = [{"id": f"s{place}", "epsilon": 1, **own} for place, own in enumerate(statistics)]
    plan = {"dprelease": 1, "dataset": "t", "privacy": privacy, "columns": ASKED, "statistics": each}
    return price(Plan.parse(plan), currency=Currency.PURE)


ANSWERED = {"kind": "answered", "columns": ["x"]}
VALUES_OF_X = {"kind": "histogram", "column": "x", "bins": 2}


@pytest.mark.parametrize(
    ("statistics", "tables", "words"),
    [
        ((ANSWERED, VALUES_OF_X), [(80, 20), (40, 40)], ""),
        ((ANSWERED, VALUES_OF_X), [(80, 20), (90, 90)], "Rows by s1: 180. Rows by s0, which cannot be fewer: 80."),
        ((ANSWERED, VALUES_OF_X), [(80, 20), (0, 0)], "Rows by s0: 80. Rows by s1, which cannot be fewer: 0."),
        ((ANSWERED, {"kind": "count"}), [(80, 20), (100,)], ""),
        ((ANSWERED, {"kind": "count"}), [(80, 20), (300,)], "Rows by s1: 300. Rows by s0, which cannot be fewer: 100."),
        (({"kind": "units"}, {"kind": "units"}), [(100,), (107,)], ""),
        (({"kind": "units"}, {"kind": "units"}), [(100,), (180,)], "Units by s1: 180. Units by s0, which asks the sa"),
        (({"kind": "units"}, {"kind": "units", "by": ["g"]}), [(100,), (90, 90)], ""),
    ],
)
def test_answers_and_questions_that_are_asked_twice_are_compared(
    statistics: tuple[dict[str, object], ...], tables: list[tuple[int, ...]], words: str
) -> None:
    """A unit may be in two groups: units of all and units by group are not compared."""
    by_unit = any(each["kind"] == "units" for each in statistics)
    own = asked(*statistics, unit={"column": "g", "max_rows": 2} if by_unit else "row")
    found = told(own, {f"s{place}": table(*cells) for place, cells in enumerate(tables)}, None)
    assert found[:1] == [] if not words else any(each.startswith(words) for each in found), found


def test_a_share_tells_how_many_rows_it_is_of() -> None:
    own = asked({"kind": "proportion", "where": [{"column": "g", "equals": "a"}]}, {"kind": "count"})
    for rows, found in ((100, []), (190, ["Rows by s1: 190. Rows by s0, which cannot be fewer: 100."])):
        share = replace(table(0), value=[0.3], integers=[[30, 70]])
        assert told(own, {"s0": share, "s1": table(rows)}, None) == found
    assert told(own, {"s0": replace(table(0), value=[0.3], integers=[]), "s1": table(190)}, None) == []
