"""Many tables at once: what they lose, how often their intervals hold, and which forgeries are seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import log, prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from msgspec import to_builtins
from scipy import stats
from scipy.signal import fftconvolve

import dprelease
from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError, PlanError
from dprelease.mechanisms import DiscreteLaplace, Mechanism, ResidualGaussian, residual
from dprelease.mechanisms.residual import named, sensitivity
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss, PrivacyUnit, Terms
from dprelease.model.release import MeasuredTables, Release
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statements.question import StatisticLabel
from dprelease.statistics.algebra.residual import AxisFamily
from dprelease.statistics.algebra.widest import Widest
from dprelease.statistics.measuring import WidestTables, half_widths, measuring
from dprelease.statistics.planning.price import Price, price
from dprelease.verdict.recompute import compare_answers
from dprelease.worstcase import excesses
from tests.mechanisms.test_residual import queries, subsets
from tests.verdict.forging import signed
from tests.worstcase.stated import certificate

ADD, SUB = NeighboringRelation
COLUMNS = {
    "a": {"type": "category", "categories": ["p", "q", "r"], "count_missing_as": "p"},
    "b": {"type": "category", "categories": ["u", "v"], "count_missing_as": "u"},
    "only": {"type": "category", "categories": ["x"], "count_missing_as": "x"},
    "n": {"type": "integer", "lower": 0, "upper": 9},
}
ROWS = pd.DataFrame({"a": list("pqrpq") * 8, "b": list("uv") * 20, "only": ["x"] * 40, "n": [*range(10)] * 4})
each_currency = pytest.mark.parametrize("currency", Currency)
ASKED = {"id": "w", "kind": "workload", "columns": ["a", "b", "only", "n"], "bins": {"n": 5}, "order": 3}


def release(
    neighbors: NeighboringRelation = ADD, currency: Currency = Currency.ZCDP, **options: Any
) -> tuple[dprelease.Workspace, Release]:
    workspace, plan = asked(neighbors, currency, **options)
    plan_id = workspace.plans.submit(plan)
    workspace.plans.approve(plan_id)
    return workspace, workspace.publish(plan_id)


def asked(neighbors: NeighboringRelation, currency: Currency, **options: Any) -> tuple[dprelease.Workspace, Any]:
    """A workspace with the rows, and a plan of one family."""
    workspace = dprelease.Workspace.in_memory()
    own = {"epsilon": 3, "delta": 1e-6, "currency": currency.value, "neighbors": neighbors.value}
    workspace.add_dataset("people", ROWS, columns=COLUMNS, **own)
    plan = {
        "dprelease": 1,
        "dataset": "people",
        "title": "Tables",
        "charts": False,
        "privacy": {"unit": "row", "neighbors": neighbors.value, "epsilon": 2, "delta": 1e-6},
        "statistics": [{key: value for key, value in (ASKED | options).items() if value is not None}],
    }
    return workspace, dprelease.Plan.parse(plan)


def repriced(made: Release) -> Price:
    return price(dprelease.Plan.parse(made.certificate.plan), currency=Currency(made.certificate.population.currency))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("objective", "neighbors", "currency"),
    [
        ("equalise", ADD, Currency.ZCDP),
        ("minimise", SUB, Currency.ZCDP),
        ("means", ADD, Currency.PURE),
        ("minimise", SUB, Currency.PURE),
    ],
)
def test_all_tables_are_published_agree_and_verify(
    objective: str, neighbors: NeighboringRelation, currency: Currency, tmp_path: Path
) -> None:
    workspace, made = release(neighbors, currency, objective=objective)
    assert len(made.tables) == 4 + 6 + 4
    whole = sum(made.tables["w.only"].value)
    for name in ("w.a", "w.b", "w.a_b", "w.b_only_n"):
        assert sum(made.tables[name].value) == pytest.approx(whole, abs=1e-9)
    by_a = np.array(made.tables["w.a_b"].value).reshape(3, 2).sum(axis=1)
    assert by_a == pytest.approx(made.tables["w.a"].value, abs=1e-9)
    assert made.tables["w.only"].axes[0].names == ("only",)
    assert dprelease.verify(made.write(tmp_path / "bundle"), key=workspace.public_key).signer_known
    assert excesses(to_builtins(made.certificate)) == ()
    loss = made.certificate.measurements[0].loss
    assert (loss.epsilon_nano, loss.rho_nano) == (repriced(made).loss.epsilon_nano, repriced(made).loss.rho_nano)


@each_currency
def test_listed_tables_are_published_and_no_other(currency: Currency, tmp_path: Path) -> None:
    """Also where the smaller one comes first, and its columns are the last of all."""
    tables = [["n"], ["b", "a"], ["only", "n"]]
    workspace, made = release(SUB, currency, order=None, tables=tables)
    assert [*made.tables] == ["w.n", "w.a_b", "w.only_n"]
    assert made.tables["w.n"].value == pytest.approx(made.tables["w.only_n"].value, abs=1e-9)
    assert sum(made.tables["w.a_b"].value) == pytest.approx(sum(made.tables["w.n"].value), abs=1e-9)
    assert dprelease.verify(made.write(tmp_path / "bundle"), key=workspace.public_key).signer_known
    assert excesses(to_builtins(made.certificate)) == ()
    assert len(made.certificate.measurements[0].mechanisms) == (1 if currency is Currency.ZCDP else 2)


def test_each_table_is_asked_about_by_its_own_columns(tmp_path: Path) -> None:
    """Before it is published and afterwards."""
    workspace, plan = asked(ADD, Currency.ZCDP, order=None, tables=[["a", "b"], ["only", "n"]])
    look = workspace.plans.look(plan)
    assert [look.open(name).question.text for name in look.names] == [
        "How many records are there, by a and b?",
        "How many records are there, by only and n?",
    ]
    _, made = release(order=None, tables=[["a", "b"], ["only", "n"]])
    questions = [StatisticLabel.of(made.certificate, name).text for name in made.tables]
    assert questions == [look.open(name).question.text for name in look.names]
    assert (made.write(tmp_path) / "measured" / "w.json").exists()


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "an order and tables": ({"tables": [["a"]]}, "tables", "both an order and a list"),
    "a column that is none of its own": ({"order": None, "tables": [["a", "x"]]}, "tables[0]", "x"),
    "a column in no table": ({"order": None, "tables": [["a", "b"], ["n"]]}, "columns", "'only'"),
    "one table twice": ({"order": None, "tables": [["a", "b"], ["b", "a"]]}, "tables", "same columns twice"),
    "a column twice": ({"order": None, "tables": [["a", "a"]]}, "tables[0]", "named twice"),
    "a table that is no list": ({"order": None, "tables": ["a"]}, "tables[0]", "a"),
    "another objective": ({"objective": "best"}, "objective", "best"),
    "order 0": ({"order": 0}, "order", "0"),
    "more bins than values": ({"bins": {"n": 11}}, "bins.n", "11"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_cannot_be_is_refused_at_its_place(fault: str) -> None:
    options, place, found = REFUSED[fault]
    with pytest.raises(PlanError) as caught:
        release(**options)
    assert any(each.path.endswith(place) and found in str(each) for each in caught.value.problems)


def many(columns: int, categories: int, currency: Currency, **options: Any) -> Price:
    names = [f"c{number}" for number in range(columns)]
    declared = {"type": "category", "categories": [str(number) for number in range(categories)]}
    plan = {
        "dprelease": 1,
        "dataset": "d",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": 1e-6},
        "columns": dict.fromkeys(names, declared),
        "statistics": [{"id": "w", "kind": "workload", "columns": names, **options}],
    }
    return price(dprelease.Plan.parse(plan), currency=currency)


def test_families_that_are_too_large_are_refused_with_their_size() -> None:
    with pytest.raises(PlanError, match="found 61528410 cells; allowed: at most 50000000"):
        many(9, 90, Currency.ZCDP, order=3)  # 84 · 90³ + 36 · 90² + 9 · 90
    with pytest.raises(PlanError, match="tables"):
        many(14, 2, Currency.ZCDP, order=5)
    with pytest.raises(PlanError, match="66 tables that are part of no larger one"):
        many(12, 2, Currency.PURE)


def test_tables_up_to_three_of_fourteen_columns_are_priced() -> None:
    assert len(many(14, 4, Currency.ZCDP, order=3)["w"].statistic.table_names(Schema({}))) == 469


def forged(made: Release, change: Any) -> Release:
    """The release with a part of the answer changed."""
    output = made.outputs["w"]
    assert isinstance(output, MeasuredTables)
    return replace(made, outputs={"w": change(output)})


def moved(output: MeasuredTables, name: str, **by: float) -> MeasuredTables:
    table = output.parts[name]
    columns = {column: [number + more for number in getattr(table, column)] for column, more in by.items()}
    return replace(output, parts={**output.parts, name: replace(table, **columns)})


def with_integers(output: MeasuredTables, change: Any) -> MeasuredTables:
    first, *others = output.integers
    return replace(output, integers=[change(first), *others])


FORGERIES: Mapping[str, Any] = {
    "a cell that is another": lambda output: moved(output, "a_b", value=0.5, lower95=0.5, upper95=0.5),
    "a narrower interval": lambda output: moved(output, "n", lower95=1.0, upper95=-1.0),
    "a wider interval": lambda output: moved(output, "n", lower95=-20.0, upper95=20.0),
    "an integer that is another": lambda output: with_integers(output, lambda own: [own[0] + 5, *own[1:]]),
    "an integer too few": lambda output: with_integers(output, lambda own: own[1:]),
    "no integers": lambda output: replace(output, integers=[]),
    "integers too many": lambda output: replace(output, integers=[*output.integers, [1]]),
    "integers that are none": lambda output: with_integers(output, lambda own: [float(own[0]), *own[1:]]),
}


@each_currency
def test_forged_answers_are_seen(currency: Currency, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the kind's own word, and without it by the second way in which tables are made of noisy integers."""
    _, made = release(currency=currency)
    compare_answers(made, repriced(made))
    for change in FORGERIES.values():
        with pytest.raises(IntegrityError):
            compare_answers(forged(made, change), repriced(made))
    item = repriced(made)["w"]
    monkeypatch.setattr(type(item.statistic), "could_answer", lambda *_: True)
    for name in [*FORGERIES][:5]:
        with pytest.raises((IntegrityError, ValueError)):
            compare_answers(forged(made, FORGERIES[name]), repriced(made))


LIES: Mapping[str, tuple[str, Any, str]] = {
    "another integer": ("measured/w.json", lambda data: data.replace(b"[[", b"[[1", 1), "cannot give these numbers"),
    "no lists of integers": ("measured/w.json", lambda data: data.replace(b"[[", b"[[0.5,", 1), "whole numbers"),
    "another cell": ("tables/w.b.csv", lambda data: data.replace(b"\nu,", b"\nu,1", 1), "cannot give these numbers"),
}


def test_forged_files_are_seen_whoever_signs(tmp_path: Path) -> None:
    _, made = release()
    folder = made.write(tmp_path)
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert dprelease.verify(folder).release.outputs == made.outputs
    for number, (path, change, words) in enumerate(LIES.values()):
        forged_files = files | {path: change(files[path])}
        with pytest.raises(IntegrityError, match=words):
            dprelease.verify(signed(forged_files, tmp_path / str(number), SigningKey.in_memory()))


def without_moves(patch: pytest.MonkeyPatch) -> None:
    """Rows that move are charged as rows that come."""
    patch.setattr(residual, "_moved", lambda weights, cells: Fraction(0))


def without_a_factor(patch: pytest.MonkeyPatch) -> None:
    """p_B dropped: d² − d taken to be d."""
    patch.setattr(residual, "_weight", lambda cells, scale: int(prod(cells) / scale**2 * 2**residual.BITS))


def without_a_residual(patch: pytest.MonkeyPatch) -> None:
    """The noise of one set is not charged."""
    real = residual.joint_rho

    def joint_rho(scales: Any, *others: Any, **more: Any) -> Any:
        last = max(scales, key=len)
        return real({places: scale for places, scale in scales.items() if places != last}, *others, **more)

    patch.setattr(residual, "joint_rho", joint_rho)


@pytest.mark.parametrize(
    ("mutant", "neighbors"),
    [(without_moves, SUB), (without_a_factor, ADD), (without_a_factor, SUB), (without_a_residual, ADD),
     (without_a_residual, SUB)],
)  # fmt: skip
def test_the_second_implementation_sees_what_is_not_charged(
    mutant: Any, neighbors: NeighboringRelation, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"kind": "workload", "columns": ["g", "h", "k"], "order": 2}
    for unit in ("row", {"column": "person", "max_rows": 3}):
        assert excesses(certificate(asked, neighbors, unit, Currency.ZCDP)) == ()
    residual.sensitivity.cache_clear()
    mutant(monkeypatch)
    try:
        found = excesses(certificate(asked, neighbors, "row", Currency.ZCDP))
    finally:
        residual.sensitivity.cache_clear()
    assert [each.symbol for each in found] == ["ρ"]


def mechanism(family: AxisFamily, rho: float, *, moves: bool, rows: int = 1) -> ResidualGaussian:
    own = {"cells": " ".join(map(str, family.cells)), "sets": named(family.sets), "rows": rows, "moves": moves}
    share = PrivacyLoss(rho_nano=round(rho * 10**9))
    squares = family.planned("equalise", np.ones(len(family.tables)))
    return ResidualGaussian.calibrate(sensitivity(**own), share, **own, ratios=family.ratios(squares))


def neighbours(cells: int, moves: bool) -> Iterator[tuple[int | None, int]]:
    """A row in each cell that comes, or moves from each other one."""
    yield from permutations(range(cells), 2) if moves else product([None], range(cells))


each_number = pytest.mark.parametrize("draws", [4_000, pytest.param(100_000, marks=pytest.mark.full)])


@each_number
@pytest.mark.parametrize("moves", [False, True])
def test_what_is_seen_of_a_row_is_no_more_than_was_charged(moves: bool, draws: int) -> None:
    """For each pair of neighbours the best test there is, the likelihood ratio.

    Its power gives ρ = (difference of means)² / 2 variances, and by events a lower bound of ε at the stated δ. Either
    is above what was charged by 6 standard errors once in 10^8 runs.
    """
    family = AxisFamily((3, 2, 2), tuple(subsets(3, 2)[1:]))
    rho, delta = 0.05, 1e-6
    noise = mechanism(family, rho, moves=moves)
    matrix = np.concatenate([queries(family.cells, places) for places in family.sets])
    scales = np.repeat([*noise.by_set.values()], family.sizes(family.sets).astype(int))
    drawn = noise.release(np.zeros((draws, len(scales)), dtype=np.int64))
    epsilon = rho + 2 * (rho * log(1 / delta)) ** 0.5
    largest = 0.0
    for before, after in neighbours(12, moves):
        change = matrix[:, after] - (0 if before is None else matrix[:, before])
        told = drawn @ (change / scales**2)
        shift = float(change @ (change / scales**2))
        seen = shift**2 / told.var() / 2
        largest = max(largest, seen)
        assert seen <= rho * (1 + 6 * (2 / draws) ** 0.5)
        for limit in np.quantile(told, [0.5, 0.9, 0.99]):
            one, other = (told + shift > limit).sum(), (told > limit).sum()
            low = stats.beta.ppf(1e-9, one, draws - one + 1)
            high = stats.beta.ppf(1 - 1e-9, other + 1, draws - other)
            assert log((low - delta) / high) <= epsilon
    assert largest >= rho * (1 - 6 * (2 / draws) ** 0.5)  # what was charged is not too much either


def laplaces(way: WidestTables, epsilon: float) -> list[Mechanism]:
    terms = Terms(PrivacyUnit(), ADD, Currency.PURE)
    measured = way.measurements(terms, "equalise")
    whole = sum(each.weight for each in measured)
    return [
        DiscreteLaplace.calibrate(
            each.sensitivity, PrivacyLoss(epsilon_nano=int(epsilon * 10**9 * each.weight / whole))
        )
        for each in measured
    ]


@each_number
@each_currency
def test_intervals_hold_for_all_cells_of_all_tables(currency: Currency, draws: int) -> None:
    """Independent releases of some tables: coverage is .95 to .96, to 6 standard errors; a false alarm in 10^8 runs."""
    keys = tuple(Key(name, cells, cells) for name, cells in (("a", 3), ("b", 2), ("c", 4)))
    places = ((0,), (0, 1), (0, 1, 2)) if currency is Currency.ZCDP else ((0,), (0, 1), (1, 2), (0, 2))
    way = measuring(keys, places, ResidualGaussian if currency is Currency.ZCDP else DiscreteLaplace)
    noise = [mechanism(way.family, 0.02, moves=False)] if currency is Currency.ZCDP else laplaces(way, 0.3)
    none = [np.zeros(each.sensitivity.shape, dtype=np.int64) for each in noise]
    drawn = [each.release(np.zeros((draws, *own.shape), dtype=np.int64)) for each, own in zip(noise, none, strict=True)]
    for table, half in way.half_widths(noise).items():
        off = np.zeros(draws)
        for number, own in enumerate(none):
            for entry in np.ndindex(own.shape):
                one = [each.copy() for each in none]
                one[number][entry] = 1
                of_one = way.family.table(way.residuals(one, noise), table).ravel()[0]
                off += drawn[number][(slice(None), *entry)] * (int(of_one) / way.step(table))
        reached = float((np.abs(off) <= float(half) + 1e-9).mean())
        error = 6 * (0.05 * 0.95 / draws) ** 0.5
        assert 0.95 - error <= reached <= 0.96 + error, table
        if currency is Currency.ZCDP:
            variance = way.family.variances(way.family.squares(noise[0].by_set))[way.family.tables.index(table)]
            assert off.var() == pytest.approx(variance, rel=6 * (2 / draws) ** 0.5)


@pytest.mark.parametrize("cells", [(3,), (1, 1), (2, 2, 2), (3, 2, 4, 5), (2, 7, 1, 30)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("epsilon", [0.01, 1, 40])
def test_the_largest_half_width_is_that_of_all(cells: tuple[int, ...], confidence: float, epsilon: float) -> None:
    """Where tables are alike, and where they are not; it is found without most of the others."""
    keys = tuple(Key(f"c{place}", count, count) for place, count in enumerate(cells))
    way = measuring(keys, tuple(subsets(len(cells), 2)[1:]), DiscreteLaplace)
    noise = laplaces(way, epsilon)
    assert way.largest(noise, confidence) == max(way.half_widths(noise, confidence).values())


@pytest.mark.parametrize(
    ("cells", "tables", "least"),
    [
        ((30, 4, 4, 3), ((0,), (1,), (2,), (0, 1), (1, 2), (2, 3), (0, 1, 2), (0, 1, 3)), 151.3),
        ((3, 2, 6, 4), ((1,), (0, 2), (1, 3), (0, 1, 2), (0, 2, 3), (1, 2, 3)), 42.467),
    ],
)
def test_the_largest_variance_is_the_least_of_several(
    cells: tuple[int, ...], tables: tuple[tuple[int, ...], ...], least: float
) -> None:
    """From equal shares on the search ends at 194.4 and 44.47; another method finds this from many starts."""
    widest = Widest(AxisFamily(cells, tables))
    shares = np.array(widest.shares("equalise"), dtype=float)
    variances = widest.family.variances(widest.squares((shares.sum() / shares) ** 2))
    assert variances.max() == pytest.approx(least, rel=0.003)


@pytest.mark.parametrize("objective", ["equalise", "minimise", "means"])
def test_many_tables_of_many_columns_have_shares(objective: str) -> None:
    """218 tables of which 56 are measured: no step of the search leaves what numbers can hold."""
    widest = Widest(AxisFamily((2, 3, 4, 5, 6, 7, 8, 9), tuple(subsets(8, 5)[1:])))
    shares = widest.shares(objective)
    assert len(shares) == 56
    assert min(shares) >= 1
    assert max(shares) == 10**6


@pytest.mark.parametrize("cells", [(2,), (3,), (2, 2)])
@pytest.mark.parametrize("rho", [0.02, 0.1, 0.5, 1, 3, 10, 50])
def test_intervals_hold_where_noise_is_small(cells: tuple[int, ...], rho: float) -> None:
    """The exact law of a cell's noise: all its integers' laws, folded."""
    places = tuple(range(len(cells)))
    family = AxisFamily(cells, tuple(subsets(len(cells), len(cells))[1:]))
    noise = mechanism(family, rho, moves=False)
    size = int(family.sizes(family.sets).sum())
    units = [int(family.table(family.split(unit), places).ravel()[0]) for unit in np.eye(size, dtype=int)]
    scales = np.repeat([*noise.by_set.values()], family.sizes(family.sets).astype(int))
    law = np.ones(1)
    for unit, scale in zip(units, scales.tolist(), strict=True):
        if not unit:
            continue
        far = int(12 * scale) + 2
        mass = np.exp(-(np.arange(-far, far + 1) ** 2) / (2 * scale**2))
        spread = np.zeros(2 * far * abs(unit) + 1)
        spread[:: abs(unit)] = mass / mass.sum()
        law = np.maximum(fftconvolve(law, spread), 0)
    offsets = np.arange(len(law)) - len(law) // 2
    half = int(half_widths(family, noise)[places] * family.step(places))
    assert law[np.abs(offsets) <= half].sum() >= 0.95 - 1e-9
