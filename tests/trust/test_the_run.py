"""A run from outside: what its noise is beside single releases, what an adversary tells of it, what a kill leaves."""

from __future__ import annotations

import shutil
from dataclasses import replace
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.stats import beta

import dprelease
from dprelease.model.privacy import Currency
from dprelease.model.recurring import window
from dprelease.model.schema import Schema
from dprelease.statistics import Plan
from dprelease.statistics.answer import queries
from dprelease.statistics.planning.price import Price, price
from dprelease.store import ledger
from dprelease.table import Engine
from tests.model.test_recurring import plan
from tests.trust import halting
from tests.trust.faults import Child
from tests.workspace.test_runs import PERSON, charges, opened

RISK = 1e-10
SIGMAS = 6.5
"""A normal deviate is beyond it once in 10^10 tries."""


def priced(rho: float, *, first: str = "2026-01", last: str = "2028-12", every: str = "month") -> Price:
    asked = plan(every=every, first=first, last=last)
    asked["privacy"] |= {"epsilon": 60, "delta": 1e-6}
    asked["statistics"][0]["epsilon"] = round(sqrt(2 * rho), 9)
    return price(Plan.parse(asked), currency=Currency.ZCDP)


def drawn(of: Price, *shape: int) -> NDArray[np.float64]:
    (mechanism,) = of.measurements[0].mechanisms
    return np.asarray(mechanism.release(np.zeros(int(np.prod(shape)), dtype=np.int64)), dtype=float).reshape(shape)


@pytest.mark.parametrize("runs", [60, pytest.param(4000, marks=pytest.mark.full)])
def test_noise_of_months_changes_sums_and_years_is_as_stated(runs: int) -> None:
    """36 months of 8 cells. A run over years takes a third of ρ: its figures are twice as exact as twelve months."""
    rho, cells = 0.02, 8
    alone, months = drawn(priced(rho), runs, 36, cells), drawn(priced(rho * 2 / 3), runs, 36, cells)
    years = drawn(priced(rho / 3, first="2026", last="2028", every="year"), runs, 3, cells)
    told = {
        "months": (months, sqrt(3 / (4 * rho))),
        "changes": (months[:, 1::2] - months[:, ::2], sqrt(2 * 3 / (4 * rho))),
        "sums of twelve": (months.reshape(runs, 3, 12, cells).sum(axis=2), sqrt(12 * 3 / (4 * rho))),
        "years": (years, sqrt(3 / (2 * rho))),
        "months of one run": (alone, sqrt(1 / (2 * rho))),
        "sums of one run": (alone.reshape(runs, 3, 12, cells).sum(axis=2), sqrt(12 / (2 * rho))),
    }
    for name, (found, stated) in told.items():
        assert found.std() / stated == pytest.approx(1, abs=SIGMAS / sqrt(2 * found.size)), name
    ratio = told["sums of one run"][0].std() / years.std()
    assert ratio == pytest.approx(2, abs=2 * SIGMAS / sqrt(years.size))
    if runs == 4000:
        assert ratio == pytest.approx(2, abs=0.04)


def test_in_zcdp_sixty_editions_have_an_eighth_of_the_noise_of_sixty_releases() -> None:
    rho = 18.0
    single = {**plan(), "run": None, "privacy": {**plan()["privacy"], "epsilon": 60, "delta": 1e-6}}
    single["statistics"] = [{**plan()["statistics"][0], "epsilon": round(sqrt(2 * rho / 60), 9)}]
    alone = price(Plan.parse(single), currency=Currency.ZCDP).measurements[0].mechanisms[0].scale
    run = priced(rho, last="2030-12")
    assert run.loss.rho_nano == rho * 10**9
    assert run.measurements[0].mechanisms[0].scale / alone == pytest.approx(1 / sqrt(60), rel=1e-6)


def tallies(rows: list[tuple[str, str]], *, enforced: bool) -> tuple[Price, list[int]]:
    """Return the run's price and the exact count of each of its four months; a unit counts in two."""
    run = Plan.parse(plan(unit={"column": "person", "max_rows": 1}, last="2026-04", at_most=2)).with_schema(Schema({}))
    person, day = zip(*rows, strict=True)
    engine = Engine()
    held = engine.hold(pa.table({"person": person, "day": day, "x": [True] * len(rows)}))
    found, of = [], price(run)
    for name in of.plan.whole.run.periods if of.plan.whole.run else ():
        edition = run.edition(name)
        table = replace(held, window=window(edition) if enforced else None)
        (tally,) = engine.answer(table, queries(of), schema=edition.schema, where=edition.where, unit=edition.unit)
        found.append(int(np.asarray(tally.values)[1]))
    return of, found


@pytest.mark.parametrize("runs", [20_000, pytest.param(100_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("enforced", [True, False])
def test_an_adversary_tells_no_more_of_a_unit_in_every_month_than_is_stated(runs: int, enforced: bool) -> None:
    """Its strongest test of all four editions, at 10^-10 risk: half of ε at least, and never more; without k, more."""
    others = [(f"p{number}", f"2026-{1 + number % 4:02}-10") for number in range(8)]
    of, without = tallies(others, enforced=enforced)
    _, with_it = tallies([*others, *(("p9", f"2026-{month:02}-05") for month in range(1, 5))], enforced=enforced)
    assert sum(with_it) - sum(without) == (2 if enforced else 4)
    (mechanism,) = of.measurements[0].mechanisms

    def told(counts: list[int]) -> int:
        """Return in how many runs all that differs speaks for the unit as loudly as it can."""
        noisy = np.asarray(mechanism.release(np.tile(np.array(counts, dtype=np.int64), runs))).reshape(runs, -1)
        differ = np.array(with_it) != np.array(without)
        return int((noisy[:, differ] >= np.array(with_it)[differ]).all(axis=1).sum())

    there, absent = told(with_it), told(without)
    low = beta.ppf(RISK, there, runs - there + 1)
    high = beta.ppf(1 - RISK, absent + 1, runs - absent)
    observed, stated = log(low / high), float(of.epsilon)
    assert observed > stated / 2
    assert (observed <= stated) == enforced


def killed(home: Path, at: int = 0) -> Any:
    return Child.start(halting.publish_edition, home, "2025-02", at).finish()


def check_killed(made: Path, folder: Path, at: int) -> None:
    home = Path(shutil.copytree(made, folder / "home"))
    for _ in range(2):
        assert killed(home, at).killed or at > 1
    workspace = dprelease.Workspace.open(home)
    run = workspace.runs.get("births")
    begun = None if run.unfinished is None else run.unfinished.release
    release = workspace.runs.publish("births", "2025-02")
    assert begun in (None, release.id)
    kinds = [event.kind for event in ledger.events(workspace._state.database)]
    assert (kinds.count("run_opened"), kinds.count("edition_begun"), kinds.count("sealed")) == (0, 2, 2)
    assert (charges(workspace), workspace.ledger.verify()) == (1, len(kinds))
    assert sorted(each.period for each in workspace.runs.get("births").editions) == ["2025-01", "2025-02"]
    shutil.rmtree(home)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    opened(tmp_path / "home", unit=PERSON, at_most=2).runs.publish("births", "2025-01")
    return tmp_path / "home"


def test_an_edition_that_is_killed_twice_at_some_steps_is_drawn_once(made: Path, tmp_path: Path) -> None:
    steps = killed(Path(shutil.copytree(made, tmp_path / "counted"))).steps
    assert "noise" in steps
    for at in (steps.index("noise") + 1, steps.index("noise") + 2):
        check_killed(made, tmp_path / f"at-{at}", at)


@pytest.mark.full
def test_an_edition_that_is_killed_twice_at_any_step_is_drawn_once(made: Path, tmp_path: Path) -> None:
    steps = killed(Path(shutil.copytree(made, tmp_path / "counted"))).steps
    for at in range(1, len(steps) + 1):
        check_killed(made, tmp_path / f"at-{at}", at)


def test_a_run_begins_after_its_first_periods_and_takes_them_in_order() -> None:
    workspace = opened(unit=PERSON, at_most=2, first="2024-11")
    assert [workspace.runs.publish("births").certificate.edition for _ in range(3)] == ["2024-11", "2024-12", "2025-01"]
