"""That all of a unit's rows are alike in the worst case, and that few cells stand for many: against all there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from dprelease.errors import IntegrityError
from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import price
from dprelease.worstcase import World, excesses, measured, true_losses
from dprelease.worstcase.loss import loss
from dprelease.worstcase.reach import Entry, Row, of_names, of_questions, of_scores, of_sums, of_units
from tests.worstcase.generated import COLUMNS
from tests.worstcase.stated import certificate, of

pytestmark = pytest.mark.quick


def certificate_of_counts() -> Any:
    """Counts by group under add_remove, at ε = 1."""
    return certificate({"kind": "count", "by": ["g"]}, NeighboringRelation.ADD_REMOVE, "row", Currency.PURE)


ROWS: dict[str, list[Row]] = {
    "cells": [{(cell,): 1} for cell in range(4)],
    "values in cells": [{(cell,): value} for cell in range(2) for value in (-3, 0, 2)],
    "one cell of both signs": [{(0,): value} for value in (-3, -1, 0, 5)],
    "pairs": [{(group, 0): code, (group, 1): 3 - code} for group in range(2) for code in (0, 1, 3)],
    "moments": [{(0, 0): c**2, (0, 1): 2 * c * (3 - c), (0, 2): (3 - c) ** 2} for c in range(4)],
}


def all_moves(rows: list[Row], most: int, substitute: bool) -> Iterator[dict[Entry, int]]:
    """Every difference of two sets of up to so many rows."""
    sums = []
    for many in range(most + 1):
        for chosen in combinations_with_replacement(rows, many):
            total: Counter[Entry] = Counter()
            for row in chosen:
                for entry, number in row.items():
                    total[entry] += number
            sums.append(total)
    for after, before in product(sums, sums if substitute else sums[:1]):
        yield {entry: after[entry] - before[entry] for entry in {*after, *before}}


@pytest.mark.parametrize("substitute", [False, True])
@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("name", ROWS)
def test_equal_rows_are_the_worst(name: str, most: int, substitute: bool) -> None:
    rows = ROWS[name]
    found = of_sums(rows, World(substitute, most, most, identified=True))
    moves = [list(move.values()) for move in all_moves(rows, most, substitute)]
    assert found.l1 == max(sum(map(abs, move)) for move in moves)
    assert found.l2_squared == max(sum(number**2 for number in move) for move in moves)
    assert found.linf == max(max(map(abs, move), default=0) for move in moves)


@pytest.mark.parametrize("substitute", [False, True])
def test_few_cells_stand_for_many(substitute: bool) -> None:
    world = World(substitute, 3, 3, identified=True)

    def cells(many: int) -> list[Row]:
        return [{(cell,): 1} for cell in range(many)]

    def scores(groups: int, values: int) -> list[Row]:
        return [{(group, value): 1} for group in range(groups) for value in range(values)]

    assert of_sums(cells(2), world) == of_sums(cells(7), world)
    assert of_scores(scores(2, 3), world, 6) == of_scores(scores(4, 6), world, 6)


@pytest.mark.parametrize("substitute", [False, True])
@pytest.mark.parametrize("cells", range(1, 8))
@pytest.mark.parametrize("groups", range(1, 5))
def test_units_by_group(groups: int, cells: int, substitute: bool) -> None:
    """Against all sets of groups."""
    sets = [chosen for chosen in product((0, 1), repeat=cells) if sum(chosen) <= groups]
    pairs = product(sets, sets if substitute else [(0,) * cells])
    changed = max(sum(a != b for a, b in zip(one, other, strict=True)) for one, other in pairs)
    assert of_units(cells, World(substitute, groups, groups, identified=True)).l1 == changed


def test_names_that_one_table_has() -> None:
    """Rows with a name, and how many such names."""
    assert of_names(World(False, 3, 2, identified=True)).alone == (((3, 1),), ((2, 1), (1, 1)))
    assert of_names(World(True, 3, 1, identified=True)).alone == (((3, 2),), ((3, 2), (1, 0)))
    assert of_names(World(True, 10**6, 10**6, identified=True)).alone[1] == ((1, 2), (1, 2 * 10**6 - 2))


def test_one_question_does_not_rise_and_fall_at_once() -> None:
    both = World(True, 2, 2, identified=True)
    assert of_questions([{(0,): 1}], both).swings == {(2, 0), (0, 2), (0, 0)}
    assert (2, 2) in of_questions([{(0,): 1}, {(1,): 1}], both).swings


def test_counts_that_follow_from_others_spend_nothing() -> None:
    """A histogram, and a mean, tell the number of rows: it is measured once, and has no mechanism."""
    columns = {"g": COLUMNS["answer"], "k": COLUMNS["k"] | {"count_missing_as": 0}}
    statistics = [
        {"id": "n", "kind": "count"},
        {"id": "h", "kind": "histogram", "column": "g"},
        {"id": "m", "kind": "mean", "column": "k", "by": ["g"]},
    ]
    privacy = {"unit": "row", "neighbors": "substitute", "epsilon": 1}
    asked = {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": columns, "statistics": statistics}
    stated = of(price(Plan.parse(asked)), asked)
    follow = {item["id"] for item in stated["statistics"] if item["derivation"] == "counts"}
    assert follow
    spent = true_losses(stated["plan"], stated["measurements"])
    assert spent.keys() == {"n", "h", "m"} - follow
    assert excesses(stated) == ()
    assert sum(loss.epsilon or 0 for loss in spent.values()) == pytest.approx(1)


def test_it_never_reads_the_stated_sensitivity() -> None:
    stated = certificate_of_counts()
    for item in stated["measurements"]:
        for mechanism in item["mechanisms"]:
            mechanism["sensitivity"] = {"l1": 0}
    assert excesses(stated) == ()


ODD: dict[str, Any] = {
    "another shape": lambda item: item["mechanisms"][0].update(shape=[1]),
    "a mechanism left out": lambda item: item.update(mechanisms=[]),
    "a mechanism too many": lambda item: item["mechanisms"].append(item["mechanisms"][0]),
    "no scale": lambda item: item["mechanisms"][0].pop("scale"),
    "a scale of 0": lambda item: item["mechanisms"][0].update(scale=0),
    "a scale that is none": lambda item: item["mechanisms"][0].update(scale=float("nan")),
    "an unknown mechanism": lambda item: item["mechanisms"][0].update(name="uniform"),
    "another statistic's": lambda item: item.update(id="t"),
}
RESTS: dict[str, Any] = {
    "nothing": lambda c: c["statistics"][0].update(measurements=[]),
    "what is not measured": lambda c: c["statistics"][0].update(measurements=["s", "t"]),
    "what is measured twice": lambda c: c["measurements"].append(c["measurements"][0]),
    "another statistic": lambda c: c["statistics"][0].update(id="t"),
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD)
def test_what_no_plan_comes_to_is_refused(change: Any) -> None:
    stated = certificate_of_counts()
    change(stated["measurements"][0])
    with pytest.raises(IntegrityError):
        excesses(stated)


@pytest.mark.parametrize("change", RESTS.values(), ids=RESTS)
def test_a_statistic_rests_on_what_was_measured_once(change: Any) -> None:
    stated = certificate_of_counts()
    change(stated)
    with pytest.raises(IntegrityError):
        excesses(stated)


@pytest.mark.parametrize("name", ["discrete_gaussian", "exponential"])
def test_noise_that_does_not_fit_spends_without_end(name: str) -> None:
    """Gaussian noise has no ε, and a selection is not made among sums."""
    stated = certificate_of_counts()
    stated["measurements"][0]["mechanisms"][0]["name"] = name
    (found,) = excesses(stated)
    assert (found.symbol, found.true) == ("ε", float("inf"))
    assert found.to_mapping()["true"] is None


def test_less_noise_is_named_with_what_it_spends() -> None:
    stated = certificate_of_counts()
    stated["measurements"][0]["mechanisms"][0]["scale"] /= 4
    (found,) = excesses(stated)
    assert str(found) == "s: spends ε = 4, and 1 was charged"
    (given,) = measured(
        stated["plan"]["statistics"][0], stated["plan"]["columns"], World.read(stated["plan"]["privacy"])
    )
    assert loss(stated["measurements"][0]["mechanisms"][0], given).epsilon == 4
