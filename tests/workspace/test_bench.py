"""What the workbench stands on: prices at every ε, tallies read once, and noise as it would be published."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dprelease
from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Actor, Role
from dprelease.statistics.answer import draw_many, draw_one
from dprelease.table import Engine
from dprelease.words.language import speaking
from dprelease.workspace.bench import RUNGS, ladder
from dprelease.workspace.look import inputs
from tests.workspace.test_every_kind import ASKED, COLUMNS, rows


def workspace(table: pd.DataFrame, neighbors: str = "substitute", currency: str = "pure") -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.add_population("people", unit="person", neighbors=neighbors, epsilon=20, delta=0.001, currency=currency)
    made.add_dataset("d", table, population="people", columns=COLUMNS)
    return made


def plan(
    asked: list[dict[str, Any]], neighbors: str = "substitute", epsilon: float = 2, **others: Any
) -> dprelease.Plan:
    mapping = {
        "dprelease": 1,
        "dataset": "d",
        "privacy": {"unit": "row", "neighbors": neighbors, "epsilon": epsilon, "delta": 1e-4},
        "expected": {"rows": 1000},
        "statistics": [{"id": f"s{place}", **item} for place, item in enumerate(asked)],
    }
    return dprelease.Plan.parse(mapping | others)


def of(kind: str, **options: Any) -> dict[str, Any]:
    return {"kind": kind, **options}


def looks(made: dprelease.Workspace) -> int:
    return Counter(event.kind for event in made.ledger.events())["preview_taken"]


# The ladder and the chips


@pytest.mark.parametrize(("own", "cap"), [("1", "4"), ("0.05", "4"), ("4", "4"), ("0.001", "10"), ("1", "0.02")])
def test_a_ladder_reaches_from_the_least_to_the_cap_and_has_the_plans_own(own: str, cap: str) -> None:
    rungs = ladder(Decimal(own), Decimal(cap))
    assert Decimal(own) in rungs
    assert rungs[-1] == max(Decimal(own), Decimal(cap))
    assert list(rungs) == sorted(set(rungs))
    assert RUNGS - 1 <= len(rungs) <= RUNGS + 1
    assert rungs[0] <= Decimal("0.05")


@pytest.mark.full
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_chips_on_the_way_are_those_of_the_prices_there(currency: str) -> None:
    """Between rungs that are priced, errors are read off a line: within a fifth, or .03 of a size."""
    made = workspace(rows(30), "add_remove", currency)
    asked = plan([item for item in ASKED if item["kind"] != "survey"], "add_remove")
    bench = made.plans.bench(asked)
    for place in (3, 11, 17):
        epsilon_nano = int(bench.ladder[place] * 10**9)
        there = made.price(replace(asked, epsilon_nano=epsilon_nano))
        for item in there.statistics:
            told, size = bench.errors[item.id][place], item.statistic.magnitude(there.plan.schema, there.plan.expected)
            if told is not None and item.error95 is not None and item.error95 / size < 0.2:
                assert told * size == pytest.approx(item.error95, rel=0.2, abs=0.03 * size), item.id


def test_chips_at_the_plans_own_price_are_exact_and_no_row_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another table with the same declarations has the same chips, to the last digit."""
    one, other = workspace(rows(300)), workspace(rows(1))
    for made in (one, other):
        made.plans.set_preview_policy("none")
    monkeypatch.setattr(Engine, "answer", lambda *_, **__: pytest.fail("rows were read"))
    asked = plan(ASKED)
    bench = one.plans.bench(asked)
    assert bench.errors == other.plans.bench(asked).errors
    assert bench.price == one.price(asked)
    place = bench.ladder.index(Decimal(2))
    for item in bench.price.statistics:
        told = bench.errors[item.id][place]
        if told is not None:
            assert item.error95 == pytest.approx(
                told * item.statistic.magnitude(bench.plan.schema, bench.plan.expected)
            )
    assert {len(errors) for errors in bench.errors.values()} == {len(bench.ladder)}


def test_without_expected_rows_the_declared_size_is_the_guess_and_without_that_nothing_is_told() -> None:
    asked = [of("mean", column="age"), of("count")]
    without = dprelease.Plan.parse({key: value for key, value in plan(asked).to_mapping().items() if key != "expected"})
    assert workspace(rows(9)).plans.bench(without).errors["s0"][5] is None
    made = dprelease.Workspace.in_memory()
    made.add_population("people", unit="person", neighbors="substitute", epsilon=20, size=1000)
    made.add_dataset("d", rows(9), population="people", columns=COLUMNS)
    guessed = made.plans.bench(without)
    assert guessed.errors == made.plans.bench(plan(asked)).errors
    assert guessed.price == made.price(without)


def test_rungs_that_own_shares_leave_too_little_for_have_no_error_and_no_scale() -> None:
    made = workspace(rows(300))
    look = made.plans.look(plan([of("count", epsilon=1), of("sum", column="age")]))
    known = [error is not None for error in look.bench.errors["s1"]]
    assert known == [rung > 1 for rung in look.bench.ladder]
    assert [scale is not None for scale in look.open("s1").to_json()["law"]["scale"]] == known


@pytest.mark.full
def test_at_another_epsilon_a_bench_says_what_the_price_says_there() -> None:
    made = workspace(rows(300))
    for others in ({}, {"weights": "equalise"}):
        asked = plan([item for item in ASKED if item["kind"] in ("count", "mean", "histogram")], **others)
        moved = replace(asked, epsilon_nano=777_000_000)
        bench = made.plans.look(asked).at(moved).bench
        assert bench.price == made.price(moved)
        assert bench.ladder == made.plans.bench(moved).ladder


@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_a_look_draws_where_another_epsilon_measures_in_another_way(currency: str) -> None:
    """Many bins of a cdf are counted at several levels; not at an ε at which whole numbers have hardly any noise."""
    made = workspace(rows(300), "add_remove", currency)
    asked = plan([of("cdf", column="income", bins=200)], "add_remove")
    look = made.plans.look(asked)
    levels = []
    for epsilon_nano in (10**8, 20 * 10**9):
        there = look.at(replace(asked, epsilon_nano=epsilon_nano))
        levels.append(len(there.bench.price["s0"].mechanisms))
        drawn = there.draw("s0")
        assert len(drawn) == 200
        assert there.bench.price["s0"].could_answer(asked.schema, drawn)
    assert levels[0] > levels[1] == 1


# Looks: told first, read once


def test_a_look_is_told_before_one_scan_and_nothing_is_read_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    made, scans = workspace(rows(300)), []
    answer = Engine.answer

    def counting(engine: Engine, table: Any, wanted: Any, **how: Any) -> Any:
        scans.append((looks(made), sum(not query.states for query in wanted)))  # those of the reading report aside
        return answer(engine, table, wanted, **how)

    monkeypatch.setattr(Engine, "answer", counting)
    asked = [of("histogram", column="age", bins=5), of("mean", column="income"), of("count", by=["sex"])]
    look = made.plans.look(plan(asked))
    assert [told for told, _ in scans] == [1]
    moved = look.at(plan(asked, epsilon=0.3, title="Other words", weights="minimise"))
    for name in moved.names:
        moved.draw(name)
        list(moved.prepare(name))
        moved.open(name).to_json()
    assert len(scans) == 1
    made.plans.look(plan([*asked, of("count", by=["region"])]), since=look)
    assert scans[1:] == [(2, 1)], "one tally is new; the look is told all the same"
    made.plans.look(plan(asked[:1], where=[{"column": "age", "at_least": 30}]), since=look)
    assert scans[2][1] == 1, "of other rows everything is counted anew"


def test_tallies_are_not_used_again_where_other_rows_of_a_unit_would_be_kept() -> None:
    table = rows(300).assign(who=[f"p{number % 40}" for number in range(300)])
    made = dprelease.Workspace.in_memory()
    made.add_dataset("d", table, columns=COLUMNS, unit_column="who", epsilon=20, unit="person")
    privacy = {"unit": {"column": "who", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 2}
    first, second = of("histogram", column="age", bins=5), of("sum", column="years")
    look = made.plans.look(plan([first], privacy=privacy))
    both = plan([first, second], privacy=privacy)
    again = made.plans.look(both, since=look)
    assert again.open("s0").true == made.plans.look(both).open("s0").true


@pytest.mark.parametrize(
    "changed",
    [
        {"where": [{"column": "age", "at_least": 30}]},
        {"statistics": [{"id": "s0", "kind": "histogram", "column": "age", "bins": 6}]},
        {"columns": {"age": {"type": "integer", "lower": 0, "upper": 50}}},
        {"columns": {"sex": {"type": "category", "categories": ["m", "f"], "count_missing_as": "f"}}},
    ],
)
def test_what_measures_something_else_takes_a_new_look(changed: dict[str, Any]) -> None:
    made = workspace(rows(300))
    look = made.plans.look(plan([of("histogram", column="age", bins=5), of("count", by=["sex"])]))
    with pytest.raises(InputError, match="measures something else"):
        look.at(plan([of("histogram", column="age", bins=5), of("count", by=["sex"])], **changed))


def test_policies_and_roles_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made, asked = workspace(rows(300)), plan([of("count")])
    with pytest.raises(AccessError):
        made.plans.look(asked, actor=Actor("rea", frozenset({Role.REVIEWER})))
    made.plans.set_preview_policy("blind")
    monkeypatch.setattr(made._state.engine, "cursor", lambda: pytest.fail("the engine of the private tables was asked"))
    with pytest.raises(InputError, match="the policy blind"):
        made.plans.look(asked)
    assert made.plans.look(asked, invented=True).invented == 1000
    made.plans.set_preview_policy("none")
    for invented in (False, True):
        with pytest.raises(InputError, match="the policy none"):
            made.plans.look(asked, invented=invented)
    assert looks(made) == 0


def test_a_look_that_is_held_reads_no_row_once_the_policy_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    made = workspace(rows(300))
    look = made.plans.look(plan([of("count")]))
    made.plans.set_preview_policy("blind")
    monkeypatch.setattr(Engine, "answer", lambda *_, **__: pytest.fail("a row was read"))
    with pytest.raises(InputError, match="the policy blind"):
        look.sources()


@pytest.mark.full
def test_made_up_looks_are_the_same_whatever_the_rows() -> None:
    """What the browser gets of a look-alike is byte by byte the same for two tables with the same declarations."""
    sent = []
    for table in (rows(300), rows(1)):
        look = workspace(table).plans.look(plan(ASKED), invented=True)
        sent.append(json.dumps([look.open(name).to_json() for name in look.names]))
    assert sent[0] == sent[1]


def test_a_look_shows_no_value_of_itself() -> None:
    table = rows(257).assign(age=83, income=61_234)
    look = workspace(table).plans.look(plan([of("histogram", column="age", bins=5), of("mean", column="income")]))
    list(look.prepare("s1"))
    look.draw("s0")
    for told in (look, look.held, look.open("s0"), look.open("s1"), look._shared, look.sources()):
        shown = repr(told)
        assert not re.search(r"(?<![\d.])(257|61_?234)(?!\d)", shown), (
            "a law of noise may have such digits, behind a point"
        )
        assert "array" not in shown, type(told)


# Noise as it would be published


@pytest.mark.one_in(3)
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_a_law_says_what_is_published_of_a_draw(currency: str) -> None:
    """The table is the true one plus the step times one noise a cell, at the scale that the price has at each rung."""
    made = workspace(rows(300), "add_remove", currency)
    look = made.plans.look(plan([item for item in ASKED if item["kind"] != "survey"], "add_remove"))
    lawful = 0
    for item in look.bench.price.statistics:
        opened = look.open(item.statistic.table_names(look.bench.plan.schema)[0])
        if opened.law is None:
            continue
        lawful += 1
        (exact,) = inputs(item.derivation.measurement, look.bench.plan.schema, look.held).first
        noise = np.arange(exact.size).reshape(exact.shape) * 3 - 4
        drawn = item.statistic.estimates(look.bench.plan.schema, [np.asarray(exact + noise)], item.mechanisms)
        expected = [
            value + opened.law.step * each for value, each in zip(opened.true.value, noise.ravel(), strict=True)
        ]
        assert list(drawn.value) == pytest.approx(expected), item.id
        place = look.bench.ladder.index(Decimal(2))
        assert opened.law.scale[place] == item.mechanisms[0].scale
        there = made.price(replace(look.bench.plan, epsilon_nano=int(look.bench.ladder[4] * 10**9)))
        assert opened.law.scale[4] == there[item.id].mechanisms[0].scale
    assert lawful >= 5


@pytest.mark.full
def test_what_is_adjusted_or_follows_from_others_has_no_law() -> None:
    made = workspace(rows(300))
    asked = [of("count", by=["region"]), of("crosstab", columns=["region", "sex"])]
    follows = made.plans.look(plan(asked))
    assert [follows.open(name).law is None for name in ("s0", "s1")] == [True, False]
    adjusted = made.plans.look(plan(asked, postprocess=["consistent", "nonnegative"]))
    assert [adjusted.open(name).law for name in ("s0", "s1")] == [None, None]
    list(adjusted.prepare("s1"))
    draws = adjusted.open("s1").to_json()["ladder"]["draws"]
    assert min(value for each in draws for draw in each for value in draw) >= 0


def test_draws_of_a_ladder_are_calmer_the_larger_epsilon_is_and_middle_around_the_truth() -> None:
    """20 to 100 draws of a mean at the largest ε: their middle is off by a tenth of the error at the least, or less."""
    made = workspace(rows(300), "add_remove")
    look = made.plans.look(plan([of("mean", column="age")], "add_remove"))
    assert look.open("s0").to_json()["ladder"] is None
    list(look.prepare("s0"))
    told = look.open("s0").to_json()
    (true,) = told["true"]
    away = [np.mean([abs(value - true) for (value,) in draws]) for draws in told["ladder"]["draws"]]
    assert away[-1] < away[0] / 10
    assert list(look.prepare("s0")) == [], "prepared once"
    moved = look.at(plan([of("mean", column="age")], "add_remove", epsilon=1.5))
    assert moved.open("s0").to_json()["ladder"] == told["ladder"]


def test_a_draw_stays_until_another_is_asked_for() -> None:
    asked = plan([of("sum", column="income"), of("mean", column="income")], epsilon=0.1)
    look = workspace(rows(300)).plans.look(asked)
    assert look.open("s0").to_json()["drawn"] is None
    first = look.draw("s0")
    assert look.draw("s0") is first
    told = look.open("s0").to_json()["drawn"]
    assert (told["epsilon"], told["value"]) == (0.1, list(first.value))
    # A scale of 4e8 steps: two draws are the same number with probability below 1e-8.
    assert look.draw("s0", anew=True).value != first.value
    assert look.at(asked).open("s0").drawn is None


# What the screen gets


def test_cells_of_two_keys_are_small_multiples_with_labels() -> None:
    look = workspace(rows(300)).plans.look(plan([of("crosstab", columns=["region", "sex"])]))
    told = look.open("s0").to_json()
    assert [panel["label"] for panel in told["panels"]] == ["n", "s", "e"]
    assert [cell["label"] for cell in told["cells"][:3]] == ["f", "m", "f"]
    assert [key["labels"] for key in told["keys"]] == [["n", "s", "e"], ["f", "m"]]


def test_words_stand_in_the_language_of_the_page() -> None:
    look = workspace(rows(300)).plans.look(plan([of("histogram", column="age", bins=5)]))
    english = look.open("s0").to_json()
    with speaking("es"):
        spanish = look.open("s0").to_json()
    assert english["title"] != spanish["title"]
    assert english["ordered"]
    assert [(cell["start"], cell["end"]) for cell in english["cells"]][:2] == [(0, 20), (20, 40)]


@pytest.mark.full
def test_a_large_table_is_cut_and_its_ladder_stays_small() -> None:
    made = workspace(rows(300))
    wide = of("crosstab", columns=["age", "region", "sex"])
    columns = {"age": {"type": "integer", "lower": 0, "upper": 899}}
    look = made.plans.look(plan([wide], columns=columns, postprocess=["nonnegative"]))
    told = look.open("s0").to_json()
    assert (len(told["cells"]), told["left_out"]) == (5000, 900 * 6 - 5000)
    for _ in look.prepare("s0"):
        pass
    told = look.open("s0").to_json()
    assert 9 <= len(told["ladder"]["epsilon"]) <= 25
    assert len(json.dumps(told)) < 3_000_000


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", [0, 1, 300])
def test_what_is_barely_there_opens(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dprelease.workspace.look.DRAWS", 2)
    asked = [
        of("histogram", column="age", bins=1),
        of("top", column="age", k=1),
        of("count", by=["only"]),
        of("crosstab", columns=["only", "sex"]),
        of("mode", column="only"),
        of("cdf", column="only_number", bins=2),
        of("mean", column="only_number"),
        of("quantiles", column="age", probs=[0.5]),
    ]
    columns = {
        "only": {"type": "category", "categories": ["a"], "count_missing_as": "a"},
        "only_number": {"type": "integer", "lower": 0, "upper": 1},
    }
    made = workspace(rows(count).assign(only="a", only_number=1))
    for invented in (False, True):
        look = made.plans.look(plan(asked, columns=columns, expected={"rows": 1}), invented=invented)
        for name in look.names:
            list(look.prepare(name))
            look.draw(name)
            json.dumps(look.open(name).to_json(), allow_nan=False)


# Every kind


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("count", "neighbors", "invented"),
    [
        pytest.param(*each, marks=pytest.mark.full if each[0] == 300 and each != (300, "substitute", False) else ())
        for each in product((0, 1, 300), ("add_remove", "substitute"), (False, True))
    ],
)
def test_every_kind_opens_and_is_drawn(
    count: int, neighbors: str, invented: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = workspace(rows(count), neighbors)
    monkeypatch.setattr("dprelease.workspace.look.DRAWS", 2)
    asked = [item for item in ASKED if item["kind"] != "survey" or (neighbors == "substitute" and count)]
    look = made.plans.look(plan(asked, neighbors), invented=invented)
    assert look.names
    for name in look.names:
        if count == 300:
            assert list(look.prepare(name))[-1:] in ([], [1.0])
        look.draw(name)
        told = json.loads(json.dumps(look.open(name).to_json(), allow_nan=False))
        assert len(told["true"]) == len(told["cells"]) == len(told["drawn"]["value"]), name
        assert sorted(cell for panel in told["panels"] for cell in panel["cells"]) == list(range(len(told["cells"])))
        if count == 300:
            assert (told["law"] is None) != (told["ladder"] is None), name


@pytest.mark.full
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_many_draws_at_once_choose_like_single_ones(currency: str) -> None:
    """Quantiles on 200,001 candidates. Two samples of 300 differ by so much with probability below 1e-6 (KS, 0.22)."""
    made = workspace(rows(300), currency=currency)
    asked = plan([of("median", column="income")], epsilon=1)
    priced = made.price(asked)
    look, item = made.plans.look(asked), priced.statistics[0]
    given = inputs(item.derivation.measurement, priced.plan.schema, look.held)
    many = np.sort([np.ravel(part[0])[0] for part in draw_many(given, 300)])
    single = np.sort([np.ravel(draw_one(given)[0])[0] for _ in range(300)])
    at = np.concatenate([many, single])
    shares = [np.searchsorted(sample, at, side="right") / 300 for sample in (many, single)]
    assert np.abs(shares[0] - shares[1]).max() < 0.22
