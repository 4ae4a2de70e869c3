"""Defects are put into the product one at a time, and each makes a named check of the audit fail.

The checks: `refuted` (the draws disprove the charge), `charged` (the ledger says something else than was asked for),
`integers` (something else was sealed), `fit` (the noise is not of its distribution). What is asserted of honest code is
in the other files; a mutant is missed with a chance below 1 %, mostly far below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dprelease.workspace.publish as publication
from dprelease.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Mechanism,
    NoisyTopK,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    ThresholdedLaplace,
)
from dprelease.model.privacy import NeighboringRelation, PrivacyLoss, Terms
from dprelease.model.tally import Sensitivity, Shape
from dprelease.statistics import noisy
from dprelease.statistics.algebra.sensitivity import once, simplex
from dprelease.statistics.kinds import mode
from dprelease.statistics.kinds.count import Count
from dprelease.statistics.kinds.histogram import Histogram
from dprelease.statistics.kinds.mean import Mean
from dprelease.statistics.kinds.top import Top
from dprelease.statistics.kinds.units import Units
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import Measurement, TallyStatistic
from dprelease.table import Engine
from tests.privacy.audit import audit
from tests.privacy.cases import Case, cases, row
from tests.privacy.fit import fits
from tests.privacy.model import weaker
from tests.privacy.publishing import pair, without_sharing

pytestmark = pytest.mark.full
CASES = {str(case): case for case in cases()}
Patch = pytest.MonkeyPatch


def refuted(case: Case, draws: int = 2000, factor: float = 1.0) -> bool:
    """By the events that show most of noise so many times what the product believes it draws."""
    return any(item.refuted for item in audit(case, draws, copies=500, factor=factor))


NOISES: list[tuple[type[Mechanism], float, str, int]] = [
    (DiscreteLaplace, 0.6, "count - add_remove - rows - pure", 1000),
    (DiscreteGaussian, 0.5, "count - add_remove - rows - zcdp", 4000),
    (PermuteAndFlip, 0.6, "mode - add_remove - rows - pure", 2500),
    (ExponentialMechanism, 0.6, "mode - substitute - rows - zcdp", 4000),
    (NoisyTopK, 0.4, "top, selected - substitute - rows - pure", 5000),
    (RandomizedResponse, 0.6, "survey - substitute - rows - pure", 1500),
    (SparseVector, 0.6, "threshold - add_remove - rows - pure", 2000),
    (ThresholdedLaplace, 0.6, "histogram, discovered - add_remove - rows - pure", 1000),
]


def weakened(patch: Patch, mechanism: type[Mechanism], factor: float) -> None:
    real = mechanism.release
    patch.setattr(mechanism, "release", lambda self, values: real(weaker(self, factor), values))


@pytest.mark.parametrize(("mechanism", "factor", "name", "draws"), NOISES)
def test_weaker_noise_is_refuted(
    mechanism: type[Mechanism], factor: float, name: str, draws: int, monkeypatch: Patch
) -> None:
    weakened(monkeypatch, mechanism, factor)
    assert refuted(CASES[name], draws, factor)


@pytest.mark.full
@pytest.mark.parametrize(
    ("mechanism", "name"),
    [(mechanism, name) for mechanism, _, name, _ in NOISES if mechanism is not NoisyTopK],
)
def test_noise_at_85_percent_is_refuted(mechanism: type[Mechanism], name: str, monkeypatch: Patch) -> None:
    weakened(monkeypatch, mechanism, 0.85)
    findings = audit(CASES[name], 50_000, copies=1000, factor=0.85)
    assert any(item.refuted for item in findings)


def measured(patch: Patch, statistic: type[TallyStatistic], change: Callable[..., tuple[Measurement, ...]]) -> None:
    real = statistic.measurements
    patch.setattr(statistic, "measurements", lambda self, schema, terms: change(real, self, schema, terms))


def halved(real: Any, self: Any, schema: Any, terms: Terms) -> tuple[Measurement, ...]:
    return tuple(
        replace(
            item,
            sensitivity=replace(
                item.sensitivity,
                **{norm: getattr(item.sensitivity, norm) // 2 for norm in ("l0", "l1", "linf", "l2_squared")},
            ),
        )
        for item in real(self, schema, terms)
    )


def as_if_added(real: Any, self: Any, schema: Any, terms: Terms) -> tuple[Measurement, ...]:
    return real(self, schema, replace(terms, neighbors=NeighboringRelation.ADD_REMOVE))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("statistic", "name"),
    [
        (Count, "count - add_remove - people - pure"),
        (Mean, "mean - add_remove - people - pure"),
        (mode.Mode, "mode - add_remove - people - pure"),
    ],
)
def test_a_halved_sensitivity_is_refuted(statistic: type[TallyStatistic], name: str, monkeypatch: Patch) -> None:
    measured(monkeypatch, statistic, halved)
    assert refuted(CASES[name])


def of_what_is_shown(real: Any, self: Any, schema: Any, terms: Terms) -> tuple[Measurement, ...]:
    """As `top` once took the one value that it shows for the counts that noise goes on."""
    return tuple(
        replace(item, sensitivity=replace(simplex(terms, (self.k,)), shape=item.shape))
        for item in real(self, schema, terms)
    )


@pytest.mark.parametrize("unit", ["rows", "people"])
def test_noise_for_the_cells_that_are_shown_is_refuted(unit: str, monkeypatch: Patch) -> None:
    measured(monkeypatch, Top, of_what_is_shown)
    assert refuted(CASES[f"top, one shown - substitute - {unit} - pure"])


@pytest.mark.parametrize(
    ("statistic", "name"),
    [(Histogram, "histogram - substitute - people - pure"), (Mean, "mean - substitute - rows - pure")],
)
def test_the_wrong_relation_is_refuted(statistic: type[TallyStatistic], name: str, monkeypatch: Patch) -> None:
    measured(monkeypatch, statistic, as_if_added)
    assert refuted(CASES[name])


def crowded() -> Case:
    """A person with three times as many rows as are kept."""
    return replace(CASES["count - add_remove - people - pure"], after=(row(),) * 6)


def test_rows_beyond_max_rows_cost_nothing() -> None:
    assert not refuted(crowded())


def test_max_rows_ignored_is_refuted(monkeypatch: Patch) -> None:
    real = Engine.answer

    def uncut(self: Engine, table: Any, queries: Any, *, unit: Any, **others: Any) -> Any:
        return real(self, table, queries, unit=replace(unit, max_rows=1000), **others)

    monkeypatch.setattr(Engine, "answer", uncut)
    assert refuted(crowded())


def test_groups_counted_as_one_are_refuted(monkeypatch: Patch) -> None:
    """Of counts by group, and of units by group."""

    def of_one_row(terms: Terms, shape: Shape) -> Sensitivity:
        return simplex(replace(terms, unit=replace(terms.unit, max_rows=1)), shape)

    monkeypatch.setattr(noisy, "simplex", of_one_row)
    assert refuted(CASES["count by g - add_remove - people - pure"])
    one = Sensitivity(l1=1, linf=1, l2_squared=1, monotone=True)

    def of_one_group(real: Any, *given: Any) -> Any:
        return tuple(replace(item, sensitivity=replace(one, shape=item.shape)) for item in real(*given))

    measured(monkeypatch, Units, of_one_group)
    assert refuted(CASES["units by g - add_remove - people - pure"])


@pytest.mark.parametrize("relation", NeighboringRelation)
def test_all_rows_counted_in_a_cell_that_takes_one_are_refuted(
    relation: NeighboringRelation, monkeypatch: Patch
) -> None:
    """The cut left out: five rows of a unit in one cell, with the noise of one in each of five."""
    case = CASES[f"histogram, once a cell, all in one - {relation} - people - zcdp"]
    real = NoisyTable.count_query
    monkeypatch.setattr(NoisyTable, "count_query", lambda self, schema: replace(real(self, schema), units=False))
    assert refuted(case, 4000)


@pytest.mark.parametrize("relation", NeighboringRelation)
def test_one_cell_counted_for_several_is_refuted(relation: NeighboringRelation, monkeypatch: Patch) -> None:
    """A unit once in a cell, taken for once in all."""
    case = CASES[f"histogram, once a cell - {relation} - people - zcdp"]

    def of_one_cell(terms: Terms, shape: Shape) -> Sensitivity:
        return once(replace(terms, unit=replace(terms.unit, max_rows=1)), shape)

    monkeypatch.setattr(noisy, "once", of_one_cell)
    assert refuted(case, 8000)


@pytest.mark.parametrize("times", [0, 2])
def test_a_wrong_charge_is_seen(times: int, monkeypatch: Patch) -> None:
    """`charged`; and where nothing is charged, `refuted` as well."""
    real = publication.releases.begin

    def begin(database: Any, plan: str, loss: PrivacyLoss, **options: Any) -> Any:
        wrong = PrivacyLoss(epsilon_nano=loss.epsilon_nano * times or 1)
        return real(database, plan, wrong, **options)

    monkeypatch.setattr(publication.releases, "begin", begin)
    monkeypatch.setattr(publication.releases, "lapse_within", lambda *_: None)  # an approval is for a price
    case = CASES["count - add_remove - rows - pure"]
    with without_sharing():
        both = pair(case, 10)
        both.draws(20)
        assert not both.charged_as_asked()
    assert refuted(case) == (times == 0)


def floats(self: DiscreteLaplace, values: Any) -> Any:
    return np.asarray(values, dtype=float) + np.random.default_rng().laplace(scale=self.scale, size=np.shape(values))


def test_a_float_sampler_is_seen(monkeypatch: Patch) -> None:
    """`integers`; and where its floats are rounded, `fit`: at scale 1, zero has a chance of 39 % instead of 46 %."""
    case = CASES["count - add_remove - rows - pure"]
    assert fits(case, 2500)[0] > 1e-6
    monkeypatch.setattr(DiscreteLaplace, "release", floats)
    with without_sharing(), pytest.raises(AssertionError, match="something else than integers"):
        pair(case, 10).draws(10)
    monkeypatch.setattr(DiscreteLaplace, "release", lambda self, values: np.rint(floats(self, values)).astype(np.int64))
    assert fits(case, 2500)[0] < 1e-6


class Flattered(PermuteAndFlip):
    """Permute-and-flip as if its ρ were that of the exponential mechanism, ε²/8."""

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, **settings: Any) -> Flattered:
        scale = ExponentialMechanism.calibrate(sensitivity, share).scale
        return cls(sensitivity=sensitivity, share=share, scale=scale)


def test_the_rho_of_the_exponential_mechanism_is_refuted_for_permute_and_flip(monkeypatch: Patch) -> None:
    selection = dict.fromkeys(mode.SELECTION, Flattered)
    monkeypatch.setattr(mode, "SELECTION", selection)
    assert refuted(CASES["mode - substitute - rows - zcdp"], 3000)


def test_a_threshold_that_lets_names_through_is_refuted(monkeypatch: Patch) -> None:
    """The margin above one unit's rows is a third of what δ needs."""
    real = ThresholdedLaplace.release

    def release(self: ThresholdedLaplace, values: Any) -> Any:
        margin = self.threshold - self.sensitivity.linf
        return real(replace(self, threshold=self.sensitivity.linf + margin // 3), values)

    monkeypatch.setattr(ThresholdedLaplace, "release", release)
    assert refuted(CASES["histogram, a name that one unit has - add_remove - rows - pure"], 1500)
