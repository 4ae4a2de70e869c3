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
from dprelease.errors import IntegrityError
from dprelease.mechanisms import ResidualGaussian, residual
from dprelease.mechanisms.residual import named, sensitivity
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss
from dprelease.model.release import Model, Release
from dprelease.statistics.algebra.residual import Family
from dprelease.statistics.kinds.workload import half_widths
from dprelease.statistics.planning.price import Price, price
from dprelease.verdict.recompute import compare_answers
from dprelease.worstcase import excesses
from tests.mechanisms.test_residual import queries, subsets
from tests.worstcase.stated import certificate

ADD, SUB = NeighboringRelation
COLUMNS = {
    "a": {"type": "category", "categories": ["p", "q", "r"], "count_missing_as": "p"},
    "b": {"type": "category", "categories": ["u", "v"], "count_missing_as": "u"},
    "only": {"type": "category", "categories": ["x"], "count_missing_as": "x"},
    "n": {"type": "integer", "lower": 0, "upper": 9},
}
ROWS = pd.DataFrame({"a": list("pqrpq") * 8, "b": list("uv") * 20, "only": ["x"] * 40, "n": [*range(10)] * 4})
ASKED = {"id": "w", "kind": "workload", "columns": ["a", "b", "only", "n"], "bins": {"n": 5}, "order": 3}


def release(neighbors: NeighboringRelation = ADD, **options: Any) -> tuple[dprelease.Workspace, Release]:
    workspace = dprelease.Workspace.in_memory()
    own = {"epsilon": 3, "delta": 1e-6, "currency": "zcdp", "neighbors": neighbors.value}
    workspace.add_dataset("people", ROWS, columns=COLUMNS, **own)
    plan = {
        "dprelease": 1,
        "dataset": "people",
        "title": "Tables",
        "privacy": {"unit": "row", "neighbors": neighbors.value, "epsilon": 2, "delta": 1e-6},
        "statistics": [ASKED | options],
    }
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    workspace.plans.approve(plan_id)
    return workspace, workspace.publish(plan_id)


def repriced(made: Release) -> Price:
    return price(dprelease.Plan.parse(made.certificate.plan), currency=Currency.ZCDP)


@pytest.mark.parametrize("neighbors", [ADD, SUB])
@pytest.mark.parametrize("objective", ["equalise", "minimise", "means"])
def test_all_tables_are_published_agree_and_verify(
    objective: str, neighbors: NeighboringRelation, tmp_path: Path
) -> None:
    workspace, made = release(neighbors, objective=objective)
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
    assert loss.rho_nano == repriced(made).loss.rho_nano


def forged(made: Release, change: Any) -> Release:
    """The release with a part of the answer changed."""
    output = made.outputs["w"]
    assert isinstance(output, Model)
    return replace(made, outputs={"w": change(output)})


def moved(output: Model, name: str, **by: float) -> Model:
    table = output.parts[name]
    columns = {column: [number + more for number in getattr(table, column)] for column, more in by.items()}
    return replace(output, parts={**output.parts, name: replace(table, **columns)})


FORGERIES: Mapping[str, Any] = {
    "a cell that is another": lambda output: moved(output, "a_b", value=0.5, lower95=0.5, upper95=0.5),
    "a narrower interval": lambda output: moved(output, "n", lower95=1.0, upper95=-1.0),
    "a residual that is another": lambda output: replace(
        output, facts={"residuals": [output.facts["residuals"][0] + 1, *output.facts["residuals"][1:]]}
    ),
    "a residual too few": lambda output: replace(output, facts={"residuals": output.facts["residuals"][1:]}),
    "no residuals": lambda output: replace(output, facts={}),
    "a fact too many": lambda output: replace(output, facts={**output.facts, "more": 1}),
}


def test_forged_answers_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the kind's own word, and without it by the second way in which tables are made of residuals."""
    _, made = release()
    compare_answers(made, repriced(made))
    for change in FORGERIES.values():
        with pytest.raises(IntegrityError):
            compare_answers(forged(made, change), repriced(made))
    item = repriced(made)["w"]
    monkeypatch.setattr(type(item.statistic), "could_answer", lambda *_: True)
    for name in [*FORGERIES][:4]:
        with pytest.raises((IntegrityError, ValueError)):
            compare_answers(forged(made, FORGERIES[name]), repriced(made))


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


def mechanism(family: Family, rho: float, *, moves: bool, rows: int = 1) -> ResidualGaussian:
    own = {"cells": " ".join(map(str, family.cells)), "sets": named(family.sets), "rows": rows, "moves": moves}
    share = PrivacyLoss(rho_nano=round(rho * 10**9))
    squares = family.planned("equalise", np.ones(len(family.tables)))
    return ResidualGaussian.calibrate(sensitivity(**own), share, **own, ratios=family.ratios(squares))


def neighbours(cells: int, moves: bool) -> Iterator[tuple[int | None, int]]:
    """A row in each cell that comes, or moves from each other one."""
    yield from permutations(range(cells), 2) if moves else product([None], range(cells))


DRAWS = 20_000
"""Run once with 100,000: nothing else came of it."""


@pytest.mark.parametrize("moves", [False, True])
def test_what_is_seen_of_a_row_is_no_more_than_was_charged(moves: bool) -> None:
    """For each pair of neighbours the best test there is, the likelihood ratio, on 20,000 draws.

    Its power gives ρ = (difference of means)² / 2 variances, and by events a lower bound of ε at the stated δ. Either
    is above what was charged by 6 standard errors once in 10^8 runs.
    """
    family = Family((3, 2, 2), tuple(subsets(3, 2)[1:]))
    rho, delta = 0.05, 1e-6
    noise = mechanism(family, rho, moves=moves)
    matrix = np.concatenate([queries(family.cells, places) for places in family.sets])
    scales = np.repeat([*noise.by_set.values()], family.sizes(family.sets).astype(int))
    drawn = noise.release(np.zeros((DRAWS, len(scales)), dtype=np.int64))
    epsilon = rho + 2 * (rho * log(1 / delta)) ** 0.5
    largest = 0.0
    for before, after in neighbours(12, moves):
        change = matrix[:, after] - (0 if before is None else matrix[:, before])
        told = drawn @ (change / scales**2)
        shift = float(change @ (change / scales**2))
        seen = shift**2 / told.var() / 2
        largest = max(largest, seen)
        assert seen <= rho * (1 + 6 * (2 / DRAWS) ** 0.5)
        for limit in np.quantile(told, [0.5, 0.9, 0.99]):
            one, other = (told + shift > limit).sum(), (told > limit).sum()
            low = stats.beta.ppf(1e-9, one, DRAWS - one + 1)
            high = stats.beta.ppf(1 - 1e-9, other + 1, DRAWS - other)
            assert log((low - delta) / high) <= epsilon
    assert largest >= rho * 0.98  # what was charged is not too much either


def test_intervals_hold_for_all_cells_of_all_tables() -> None:
    """20,000 independent releases of three tables: coverage is .95 to .96, to 6 standard errors of .0015."""
    family = Family((3, 2, 4), ((0,), (0, 1), (0, 1, 2)))
    noise = mechanism(family, 0.02, moves=False)
    size = int(family.sizes(family.sets).sum())
    drawn = noise.release(np.zeros((DRAWS, size), dtype=np.int64))
    for places in family.tables:
        half = float(half_widths(family, noise)[places])
        units = [family.table(family.split(unit), places).ravel()[0] for unit in np.eye(size, dtype=int)]
        off = drawn @ (np.array(units, dtype=float) / family.step(places))
        assert 0.95 - 6 * 0.0015 <= (np.abs(off) <= half + 1e-9).mean() <= 0.96 + 6 * 0.0015
        variance = family.variances(family.squares(noise.by_set))[family.tables.index(places)]
        assert off.var() == pytest.approx(variance, rel=6 * (2 / DRAWS) ** 0.5)


@pytest.mark.parametrize("cells", [(2,), (3,), (2, 2)])
@pytest.mark.parametrize("rho", [0.02, 0.1, 0.5, 1, 3, 10, 50])
def test_intervals_hold_where_noise_is_small(cells: tuple[int, ...], rho: float) -> None:
    """The exact law of a cell's noise: all its integers' laws, folded."""
    places = tuple(range(len(cells)))
    family = Family(cells, tuple(subsets(len(cells), len(cells))[1:]))
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
