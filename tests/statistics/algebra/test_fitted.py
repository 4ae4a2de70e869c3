"""The noise that is left in consistent counts: its exact law, against algebra on small tables and against draws."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dprelease.mechanisms.mechanism import Noise
from dprelease.model.privacy import Currency
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import Caveat
from dprelease.model.statistic import read_statistic
from dprelease.model.tally import Key
from dprelease.statistics import TallyStatistic
from dprelease.statistics.algebra.fitted import NoisyCountTable, _columns, _sizes, _weights, law, reach, reaches
from dprelease.statistics.answer import answers, draw
from dprelease.statistics.kit.check import plan_of
from dprelease.statistics.noisy import counts_rows
from dprelease.statistics.planning.price import Price, price
from dprelease.statistics.remarks import remarks
from tests.statistics.ready import ready

COLUMNS = {
    "a": {"type": "category", "categories": ["p", "q", "r"]},
    "b": {"type": "category", "categories": ["u", "v"]},
    "c": {"type": "category", "categories": ["w", "x", "y", "z"]},
    "one": {"type": "category", "categories": ["all"]},
}
WHOLE = {name: {**column, "count_missing_as": column["categories"][0]} for name, column in COLUMNS.items()}
TABLES = [("a", "b"), ("b", "c"), ("a",), (), ("one",), ("a", "b")]
"""Each with a share of its own, so that none is measured once for another."""
SHARES = [0.3, 0.2, 0.1, 0.05, 0.05, 0.3]


def priced(currency: Currency, steps: tuple[str, ...] = ("consistent",), columns: Any = None) -> Price:
    read = []
    for place, (names, share) in enumerate(zip(TABLES, SHARES, strict=True)):
        kind = {0: {"kind": "count"}, 1: {"kind": "histogram", "column": "".join(names)}}.get(
            len(names), {"kind": "crosstab", "columns": list(names)}
        )
        found = read_statistic({"id": f"t{place}", "epsilon": share, **kind}, "s", Report())
        assert isinstance(found, TallyStatistic)
        read.append(found)
    delta = {"delta_atto": 10**12} if currency is Currency.ZCDP else {}
    plan = plan_of(*read, epsilon=4 if delta else 1, schema=Schema.parse(columns or WHOLE), postprocess=steps, **delta)
    return price(plan, currency=currency)


def rows(found: Price) -> list[np.ndarray[Any, Any]]:
    """Counts of one table of rows: 0 to 23 rows of each combination, as each statistic counts them."""
    cube = np.arange(24).reshape(3, 2, 4)
    axes = {"a": 0, "b": 1, "c": 2}
    result = []
    for names in TABLES:
        kept = [axes[name] for name in names if name in axes]
        summed = cube.sum(axis=tuple(axis for axis in range(3) if axis not in kept))
        result.append(np.asarray(summed).reshape((1,) if names == ("one",) else np.shape(summed)))
    return result


def measured(found: Price) -> list[NoisyCountTable]:
    return [
        NoisyCountTable(item.statistic.keys(found.plan.schema), item.count_variance, item.mechanisms[0])
        for item in found.statistics
        if counts_rows(item.statistic)
    ]


@pytest.mark.parametrize("currency", Currency)
def test_weights_are_those_of_generalised_least_squares(currency: Currency) -> None:
    """Against X (XᵀΣ⁻¹X)⁺ XᵀΣ⁻¹ over the whole cube, cell by cell: the variance, and the weights as a multiset."""
    found = priced(currency)
    known = measured(found)
    cells = list(product(range(3), range(2), range(4)))
    lines, variances = [], []
    for names, table in zip(TABLES, known, strict=True):
        for values in product(*(range(len(COLUMNS[name]["categories"])) for name in names)):
            at = {"a": 0, "b": 1, "c": 2}
            lines.append(
                [all(cell[at[n]] == v for n, v in zip(names, values, strict=True) if n in at) for cell in cells]
            )
            variances.append(table.variance)
    design, precision = np.array(lines, dtype=float), np.diag(1 / np.array(variances))
    hat = design @ np.linalg.pinv(design.T @ precision @ design) @ design.T @ precision
    first = np.cumsum([0, 6, 8, 3, 1, 1, 6])
    sizes = _sizes([table.keys for table in known])
    assert sizes is not None
    for place, table in enumerate(known):
        own = [
            abs(weight)
            for weight, count, _ in _weights(known, _columns(table.keys, sizes), sizes)
            for _ in range(count)
        ]
        assert sorted(own) == pytest.approx(sorted(np.abs(hat[first[place]])), abs=1e-9)


@pytest.mark.full
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("steps", [("consistent",), ("consistent", "nonnegative", "integer")])
def test_intervals_of_consistent_counts_hold_and_are_narrower(currency: Currency, steps: tuple[str, ...]) -> None:
    """400 draws; each cell misses 5 % at most: more by chance once in 1e-8 a cell. The noisy ones' are wider."""
    found, truth = priced(currency, steps), rows(priced(currency, steps))
    assert not remarks(found)
    misses = [np.zeros(counts.size) for counts in truth]
    draws = 400 if steps == ("consistent",) else 60
    for _ in range(draws):
        made = answers(found, draw(found, ready(found, *((counts,) for counts in truth))))
        for place, (item, counts) in enumerate(zip(found.statistics, truth, strict=True)):
            table = made[item.id]
            low, high = np.array(table.lower95, dtype=float), np.array(table.upper95, dtype=float)
            misses[place] += (low > counts.ravel() + 1e-9) | (counts.ravel() - 1e-9 > high)
    most = stats.binom.isf(1e-8, draws, 0.05)
    assert all((missed <= most).all() for missed in misses)
    for item, table in zip(found.statistics, measured(found), strict=True):
        half = reach(measured(found), table.keys)
        (mechanism,) = item.mechanisms
        assert isinstance(mechanism, Noise)
        assert half is not None
        assert half < mechanism.half_width()


def test_without_declared_cells_for_rows_without_a_value_it_is_said_that_nothing_is_made_consistent() -> None:
    """Columns that leave rows out: only tables over the same columns count the same rows."""
    told = remarks(priced(Currency.PURE, columns=COLUMNS))
    assert told == [
        Caveat.of("consistent_alone", statistics="t1, t2, t3, t4"),
        Caveat.of("consistent_apart", columns="a, b, c, one"),
    ]


def test_two_groups_of_tables_that_do_not_agree_are_told_of() -> None:
    """No table is alone here, and still the tables over `a` are not made consistent with those over nothing."""
    declared = {**WHOLE, "a": COLUMNS["a"]}
    assert remarks(priced(Currency.PURE, columns=declared)) == [Caveat.of("consistent_apart", columns="a")]


def test_weights_beyond_their_bounds_are_told() -> None:
    declared = {"w": {"type": "number", "lower": 0, "upper": 20_000, "resolution": 0.5}, "x": COLUMNS["a"]}
    read = read_statistic({"id": "n", "kind": "count", "survey_weights": "w"}, "s", Report())
    assert isinstance(read, TallyStatistic)
    assert remarks(price(plan_of(read, schema=Schema.parse(declared)))) == [
        Caveat.of("weights_above_clip", column="w", high="20000"),
        Caveat.of("sampling_left_out", statistics="n"),
    ]


@pytest.mark.parametrize("currency", list(Currency))
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.9999])
def test_a_law_stays_below_what_is_beyond_its_reach(currency: Currency, confidence: float) -> None:
    found = priced(currency)
    tables = [item.statistic.keys(found.plan.schema) for item in found.statistics if counts_rows(item.statistic)]
    noises = [item.mechanisms[0] for item in found.statistics]
    measured = [
        NoisyCountTable(keys, noise.variance, noise)
        for keys, noise in zip(tables, noises, strict=True)
        if isinstance(noise, Noise)
    ]
    for keys in tables:
        own = law(measured, keys)
        assert own is not None
        half = own.reach(confidence)
        assert own.stays_below(half * (1 + 1e-4), confidence)
        assert not own.stays_below(half, confidence)
        assert not own.stays_below(half * (1 - 1e-5), confidence)


NESTED = {"age": {"type": "integer", "lower": 0, "upper": 11, "count_missing_as": 0}, "b": WHOLE["b"]}
CUT: list[dict[str, Any]] = [
    {"kind": "histogram", "column": "age", "bins": 12},
    {"kind": "crosstab", "columns": ["age", "b"], "bins": {"age": 4}},
    {"kind": "histogram", "column": "age", "edges": [0, 6, 11]},
    {"kind": "count"},
]


def nested(currency: Currency) -> Price:
    read = []
    for place, (declared, share) in enumerate(zip(CUT, (0.4, 0.3, 0.2, 0.1), strict=True)):
        found = read_statistic({"id": f"t{place}", "epsilon": share, **declared}, "s", Report())
        assert isinstance(found, TallyStatistic)
        read.append(found)
    delta = {"delta_atto": 10**12} if currency is Currency.ZCDP else {}
    epsilon = 4 if delta else 1
    return price(
        plan_of(*read, epsilon=epsilon, schema=Schema.parse(NESTED), postprocess=("consistent",), **delta),
        currency=currency,
    )


@pytest.mark.parametrize("currency", Currency)
def test_tables_that_cut_a_column_differently_have_the_variances_of_least_squares(currency: Currency) -> None:
    """The half-width of each fitted cell of four nested tables, against the hat matrix over all ages and both b."""
    found = nested(currency)
    known = measured(found)
    ages, lines, variances = range(12), [], []
    ends = [[(age, age + 1) for age in ages], [(3 * part, 3 * part + 3) for part in range(4)], [(0, 6), (6, 12)]]
    for place, table in enumerate(known):
        for first, last in ends[place] if place < 3 else [(0, 12)]:
            for b in (0, 1) if place == 1 else (None,):
                lines.append([first <= age < last and b in (None, own) for age in ages for own in (0, 1)])
                variances.append(table.variance)
    design, spread = np.array(lines, dtype=float), np.array(variances)
    precision = np.diag(1 / spread)
    hat = design @ np.linalg.pinv(design.T @ precision @ design) @ design.T @ precision
    deviations = np.sqrt((hat**2 * spread).sum(axis=1))
    first = np.cumsum([0, 12, 8, 2, 1])
    for place in range(4):
        halves = reaches(tuple(known), place)
        assert halves is not None
        own = deviations[first[place] : first[place + 1]]
        assert (halves >= 1.95 * own).all()
        assert (halves <= 2.16 * own + 0.51).all()
        (mechanism,) = found.statistics[place].mechanisms
        assert isinstance(mechanism, Noise)
        assert (halves < mechanism.half_width()).all()


@pytest.mark.full
@pytest.mark.parametrize("currency", Currency)
def test_intervals_of_nested_tables_hold(currency: Currency) -> None:
    """400 draws; each cell misses 5 % at most: more by chance once in 1e-8 a cell."""
    found = nested(currency)
    cube = np.arange(24).reshape(12, 2)
    truth = [cube.sum(1), cube.reshape(4, 3, 2).sum(1), cube.sum(1).reshape(2, 6).sum(1), np.array([cube.sum()])]
    truth[-1] = truth[-1].reshape(())
    misses = [np.zeros(counts.size) for counts in truth]
    for _ in range(400):
        made = answers(found, draw(found, ready(found, *((counts,) for counts in truth))))
        for place, (item, counts) in enumerate(zip(found.statistics, truth, strict=True)):
            low, high = (np.array(end, dtype=float) for end in (made[item.id].lower95, made[item.id].upper95))
            misses[place] += (low > counts.ravel() + 1e-9) | (counts.ravel() - 1e-9 > high)
    most = stats.binom.isf(1e-8, 400, 0.05)
    assert all((missed <= most).all() for missed in misses)
    assert {part for item in found.statistics for part in made[item.id].extra} == {"raw"}


def test_large_tables_that_cut_a_column_differently_keep_the_intervals_of_their_noise() -> None:
    keys = (Key("age", 601, 601), Key("age", 2, 601))
    noise = measured(nested(Currency.PURE))[0].mechanism
    assert reaches(tuple(NoisyCountTable((key,), 1.0, noise) for key in keys), 0) is None
