"""A release that spent more than it was charged is named afterwards: in the workspace, in the terminal, by anybody."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease import cli
from dprelease.errors import IntegrityError
from dprelease.model.release import Release
from dprelease.model.tally import Sensitivity
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.kinds import mode
from dprelease.statistics.kinds.top import Top
from dprelease.statistics.tabulated import Measurement

ROWS = {"c": ["a", "b", "a", "c", "d"] * 8, "person": list(range(40))}
COLUMNS = {"c": {"type": "category", "categories": ["a", "b", "c", "d"]}}
UNIT = {"column": "person", "max_rows": 3}


def asked(**statistic: Any) -> dict[str, Any]:
    return {
        "dprelease": 1,
        "title": f"{statistic['kind']}s",
        "dataset": "people",
        "privacy": {"unit": UNIT, "neighbors": "substitute", "epsilon": 1, "delta": 1e-6},
        "statistics": [{"id": "best", **statistic}],
    }


TOP = {"kind": "top", "column": "c", "k": 1}


def workspace(home: Path, currency: str) -> dprelease.Workspace:
    import pandas as pd

    made = dprelease.Workspace.create(home)
    made.add_population(
        "people", unit="person", neighbors="substitute", epsilon=10, delta=1e-5, currency=currency, size=1000
    )
    made.add_dataset("people", pd.DataFrame(ROWS), columns=COLUMNS, population="people", unit_column="person")
    return made


def published(made: dprelease.Workspace, plan: dict[str, Any]) -> Release:
    plan_id = made.plans.submit(dprelease.Plan.parse(plan))
    made.plans.approve(plan_id)
    return made.publish(plan_id)


def as_it_was(patch: pytest.MonkeyPatch) -> None:
    """The sensitivity of `top` as it was: of the values that are shown, not of the counts that get noise."""

    def measurements(self: Any, schema: Any, terms: Any) -> tuple[Measurement, ...]:
        shape = self.count_query(schema).shape
        wrong: Sensitivity = replace(simplex(terms, (self.k,)), shape=shape)
        return (Measurement(self.noise_for(terms), shape, wrong),)

    patch.setattr(Top, "measurements", measurements)


class TestALossAboveItsChargeIsNamed:
    @pytest.mark.parametrize(("currency", "symbol", "charged"), [("pure", "ε", 1.0), ("zcdp", "ρ", None)])
    def test_a_release_with_a_planted_sensitivity_is_named(
        self, currency: str, symbol: str, charged: float | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        home = tmp_path / "home"
        made = workspace(home, currency)
        published(made, asked(kind="histogram", column="c"))
        with pytest.MonkeyPatch.context() as patch:
            as_it_was(patch)
            wrong = published(made, asked(**TOP))
            wrong.write(tmp_path / "out")
            assert made.ledger.verify() > 0
        (found,) = made.ledger.overspent()
        assert found.excess is not None
        assert (found.release, found.excess.measurement, found.excess.symbol) == (wrong.id, "best", symbol)
        assert found.excess.true == pytest.approx(2 * found.excess.charged, rel=1e-6)
        assert charged in (None, found.excess.charged)
        with pytest.raises(IntegrityError, match=rf"worst case: best: spends {symbol} = .*, and .* was charged"):
            dprelease.verify(tmp_path / "out" / wrong.id)
        capsys.readouterr()
        assert cli.main(["ledger", "verify", "--home", str(home)]) == 6
        assert f"{wrong.id}, best: spends {symbol} = " in capsys.readouterr().out
        assert cli.main(["ledger", "verify", "--home", str(home), "--json"]) == 6
        (stated,) = json.loads(capsys.readouterr().out)["overspent"]
        assert stated == {"release": wrong.id, **found.excess.to_mapping()}

    def test_honest_releases_are_not_named(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        home = tmp_path / "home"
        made = workspace(home, "pure")
        honest = published(made, asked(**TOP) | {"title": "Priced as it should be"})
        honest.write(tmp_path / "out")
        checks = dprelease.verify(tmp_path / "out" / honest.id).checks
        assert "check.worst_case" in [check.code for check in checks]
        assert made.ledger.overspent() == ()
        capsys.readouterr()
        assert cli.main(["ledger", "verify", "--home", str(home)]) == 0
        assert "No release spends more than it was charged" in capsys.readouterr().out

    def test_the_first_implementation_alone_sees_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was published by a wrong formula agrees with that formula: only the second one tells."""
        made = workspace(tmp_path / "home", "pure")
        real = mode.Mode.measurements

        def monotone(self: Any, *given: Any) -> tuple[Measurement, ...]:
            return tuple(
                replace(item, sensitivity=replace(item.sensitivity, monotone=True)) for item in real(self, *given)
            )

        monkeypatch.setattr(mode.Mode, "measurements", monotone)
        wrong = published(made, asked(kind="mode", column="c"))
        wrong.write(tmp_path / "out")
        with pytest.raises(IntegrityError, match="worst case: best: spends ε = 2, and 1 was charged"):
            dprelease.verify(tmp_path / "out" / wrong.id)
        assert [found.release for found in made.ledger.overspent()] == [wrong.id]
