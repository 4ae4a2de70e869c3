"""Could a difference be noise? The answers against the distributions themselves, summed term by term."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from math import exp, floor, tanh

import pytest

from dprelease.accounting.zcdp import epsilon_of
from dprelease.model.noise import Drawn
from dprelease.model.privacy import Currency
from dprelease.model.release import TOTAL, Release
from dprelease.model.stated import as_json
from dprelease.portal.compare import Comparable, comparable, reach
from dprelease.statistics import Plan
from dprelease.statistics.answer import answers
from dprelease.statistics.planning.price import price
from tests.bundle.releases import COLUMNS, changed, listed, make_release
from tests.bundle.releases import table as numbers

DELTA = 1e-6
Published = Callable[[float], Release]


@pytest.fixture
def published() -> Published:
    """Releases of a zcdp population, of counts with noise of a given σ and of sums in steps of a half."""

    def make(scale: float) -> Release:
        rho = Decimal(1) / (2 * Decimal(repr(scale)) ** 2)
        # Each share is half of ρ; a histogram that a row enters once has l2 = 1.
        epsilon = max(epsilon_of(floor(2 * rho * 10**9) + 2, round(DELTA * 10**18 / 2)), Decimal("0.1"))
        plan = Plan.parse(
            {
                "dprelease": 1,
                "dataset": "d",
                "privacy": {
                    "unit": "row",
                    "neighbors": "add_remove",
                    "epsilon": float(round(epsilon, 9)),
                    "delta": 1e-6,
                },
                "columns": {
                    "c": {"type": "category", "categories": ["a", "b", "c"]},
                    "x": {"type": "number", "lower": 0, "upper": 50, "resolution": 0.5},
                },
                "statistics": [
                    {"id": "h", "kind": "histogram", "column": "c"},
                    {"id": "s", "kind": "sum", "column": "x"},
                ],
            }
        )
        priced = price(plan, currency=Currency.ZCDP)
        found = answers(priced, {"h": [[50, 40, 30]], "s": [[700]]})
        asked = [(item.statistic.to_mapping(), found[item.id]) for item in priced.statistics]
        made = make_release(asked, columns=priced.plan.schema.to_mapping())
        return changed(
            made,
            measurements=as_json([each.stated() for each in priced.measurements]),
            statistics=as_json([item.stated(priced.plan.schema) for item in priced.statistics]),
        )

    return make


def apart(name: str, scale: float, confidence: float) -> float:
    """The half-width of one difference of counts."""
    return Comparable((), (), (), (), Drawn(name, scale)).apart(1, confidence)


def laplace(scale: float, most: int) -> list[float]:
    """P(X = k) for k from -most to most."""
    return [tanh(1 / scale / 2) * exp(-abs(k) / scale) for k in range(-most, most + 1)]


def gaussian(scale: float, most: int) -> list[float]:
    weights = [exp(-(k * k) / (2 * scale * scale)) for k in range(-most, most + 1)]
    return [weight / sum(weights) for weight in weights]


def beyond(terms: list[float], half: int) -> float:
    """P(|X - Y| > half) of two independent draws."""
    size = len(terms)
    total = 0.0
    for shift in range(half + 1):
        same = sum(terms[place] * terms[place + shift] for place in range(size - shift))
        total += same if shift == 0 else 2 * same
    return 1 - total


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.5, 12.25])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99, 0.9995])
def test_an_interval_of_a_difference_holds_and_is_hardly_wider_than_needed(scale: float, confidence: float) -> None:
    risk = 1 - confidence
    half = apart("discrete_laplace", scale, confidence)
    terms = laplace(scale, int(40 * scale) + 5)
    assert beyond(terms, half) <= risk + 1e-9
    assert half == 0 or beyond(terms, half - 1) > risk
    wide = apart("discrete_gaussian", scale, confidence)
    terms = gaussian(scale, int(10 * scale) + 5)
    assert beyond(terms, wide) <= risk + 1e-12
    assert wide == 0 or beyond(terms, wide - 1) > risk


@pytest.mark.parametrize("scale", [0.79, 1.80, 2.81, 8.93, 17.6, 0.5, 3.99, 4.01])
def test_levels_of_gaussian_noise_are_those_of_its_own_distribution(scale: float, published: Published) -> None:
    """Rounding to whole steps must not be taken for another lattice: σ = 1.80 gives a 95 % margin of 3, not of 4."""
    release = published(scale)
    table, stated = comparable(release, "h"), release.certificate.measurements[0].mechanisms[0]
    assert (stated.step, table.step, table.noise) == ("1", 1, Drawn("discrete_gaussian", stated.scale))
    assert stated.scale == pytest.approx(scale, rel=1e-6)
    terms = gaussian(stated.scale, int(10 * scale) + 5)
    for level in (0.9, 0.95, 0.99):
        low, high = table.interval(0, level) or (0, 0)
        half = (high - low) / 2
        assert 1 - sum(terms[len(terms) // 2 - round(half) : len(terms) // 2 + round(half) + 1]) <= 1 - level + 1e-12
        (found,) = table.differences([(0, 1)], level)
        assert beyond(terms, round((found.upper - found.lower) / 2)) <= 1 - level + 1e-12
        alone, many = table.to_mapping()["halves"][f"{100 * level:.0f}"]
        assert alone == (found.upper - found.lower) / 2
        assert many == apart("discrete_gaussian", stated.scale, 1 - (1 - level) / 2)
    assert table.interval(0, 0.95) == (release.tables["h"].lower95[0], release.tables["h"].upper95[0])


def test_a_step_that_is_not_one_is_the_certificates(published: Published) -> None:
    table = comparable(published(30.0), "s")
    assert table.step == 0.5
    low, high = table.interval(0, 0.95) or (0, 0)
    assert (low, high) == (published(30.0).tables["s"].lower95[0], published(30.0).tables["s"].upper95[0])


@pytest.mark.parametrize("name", ["discrete_laplace", "discrete_gaussian"])
def test_higher_levels_are_wider(name: str) -> None:
    for near, far in pairwise([reach(Drawn(name, 7.5), level) for level in (0.9, 0.95, 0.99)]):
        assert near < far


def test_the_usual_level_is_that_of_the_table(release: Release) -> None:
    """The noise's step is what the certificate states."""
    table = comparable(release, "region_sex")
    assert table.noise is not None
    assert table.noise.name == "discrete_laplace"
    estimates = release.tables["region_sex"]
    for place, (lower, upper) in enumerate(zip(estimates.lower95, estimates.upper95, strict=True)):
        assert table.interval(place, 0.95) == pytest.approx((lower, upper))
        low, high = table.interval(place, 0.99) or (0, 0)
        assert low < float(lower or 0)
        assert high > float(upper or 0)


def test_many_at_once_share_the_risk(release: Release) -> None:
    table = comparable(release, "region_sex")
    (alone,) = table.differences([(0, 1)], 0.95)
    trend = table.differences(table.pairs("next", 0, 0), 0.95)
    assert len(trend) == 9
    assert (trend[0].first, trend[0].second) == (1, 0)
    assert trend[0].upper - trend[0].lower > alone.upper - alone.lower
    (ninth,) = table.differences([(0, 1)], 1 - 0.05 / 9)
    assert trend[0].upper - trend[0].lower == pytest.approx(ninth.upper - ninth.lower)
    assert [pair for pair in table.pairs("all", 3, 0) if 3 not in pair] == []


def test_a_plain_answer(release: Release) -> None:
    table = comparable(release, "region_sex")
    verdicts = {
        (found.first, found.second): found.verdict for found in table.differences(table.pairs("all", 0, 0), 0.95)
    }
    assert verdicts[0, 8] == "more"
    assert verdicts[0, 1] == "noise"
    assert next(iter(table.differences([(8, 0)], 0.95))).verdict == "less"


def test_numbers_without_known_noise_have_their_intervals_only(release: Release) -> None:
    means = comparable(release, "income_by_region")
    assert (means.noise, means.possible, means.interval(0, 0.99)) == (None, True, None)
    assert means.level(0.95) == pytest.approx(0.9)
    (found,) = means.differences([(4, 2)], 0.95)
    assert (found.lower, found.verdict) == (pytest.approx(13600 - 2 * 1840.5), "more")
    assert not comparable(release, "income_quartiles").possible


def test_cells_without_a_value_are_left_out() -> None:
    table = Comparable(("a", "b", "c"), (1, None, 9), (0, None, 8), (2, None, 10))
    assert [(each.first, each.second) for each in table.differences(table.pairs("all", 0, 0), 0.95)] == [(0, 2)]


def test_no_answer_denies_what_is_found_in_the_table() -> None:
    """At 99 %, and of many at once, an interval may hold 0 where the finding, at its own level, tells the order."""
    columns = {"c": {"type": "category", "categories": ["a", "b", "c"]}}
    cells = numbers([listed("c", "a", "b", "c")], [130, 100, 30], 15)
    release = make_release([({"id": "h", "kind": "histogram", "column": "c"}, cells)], columns=columns)
    assert release.certificate.statements
    ways = [(each.way, each.places) for each in release.certificate.statements.tables["h"]]
    assert ways == [("most", (0,)), ("least", (2,))]
    found = comparable(release, "h")
    verdicts = [found.differences([pair], 0.99)[0].verdict for pair in ((0, 1), (1, 0), (0, 2), (2, 1))]
    assert verdicts == ["found_more", "found_less", "more", "less"]
    assert [list(map(list, each)) for each in found.to_mapping()["ordered"]] == [[[0], [1, 2]], [[0, 1], [2]]]


def test_of_totals_beside_their_cells_only_the_intervals_are_known_and_the_finding_stands() -> None:
    """A total and a cell of it share noise: no distribution of their difference is taken for known."""
    regions, sexes = listed("region", "a", "b", TOTAL), listed("sex", "F", "M", TOTAL)
    cells = numbers([regions, sexes], [500, 400, 900, 430, 420, 850, 930, 820, 1750], 30)
    asked = {"id": "by", "kind": "count", "by": ["region", "sex"], "margins": True}
    columns = COLUMNS | {"region": {"type": "category", "categories": ["a", "b"]}}
    found = comparable(make_release([(asked, cells)], columns=columns), "by")
    assert found.noise is None
    assert found.to_mapping()["halves"] is None
    for more, less in found.ordered:
        assert {each.verdict for each in found.differences([(one, two) for one in more for two in less], 0.95)} <= {
            "more",
            "found_more",
        }
