"""Draws as the product makes them: copies of a statistic in one plan, published again and again on two tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import dprelease
import dprelease.workspace.publish as publication
from dprelease.mechanisms import ExponentialMechanism, Mechanism, NoisyTopK, PermuteAndFlip
from dprelease.mechanisms.mechanism import Noise
from dprelease.model import privacy
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.release import Release
from dprelease.statistics.answer import exact
from dprelease.statistics.planning import sharing
from dprelease.statistics.planning.price import Price
from dprelease.store import releases
from tests.privacy.cases import COLUMNS, WHERE, Case, Row
from tests.privacy.model import Draws, names, row_of

STORED = {
    "x": pa.float64(),
    "far": pa.int64(),
    "b": pa.int64(),
    "c": pa.int64(),
    "k": pa.int64(),
    "g": pa.string(),
    "h": pa.string(),
    "day": pa.string(),
    "flag": pa.bool_(),
    "answer": pa.string(),
    "code": pa.string(),
    "wide": pa.int64(),
    "name": pa.string(),
    "kept": pa.int64(),
    "only": pa.string(),
    "person": pa.int64(),
}
CAP = 1_000_000


@contextmanager
def without_sharing(most_delta: Decimal | None = None) -> Iterator[None]:
    """Copies are measured apart; and where a δ is to be seen, one that is large enough for it may be declared.

    The ledger has no room for such a δ: it is not charged then, and is taken from the case. No files are made: they
    follow from what is sealed, and a thousand intervals take longer than the draws.
    """
    begin = publication.releases.begin

    def uncharged(database: Any, plan_id: str, loss: PrivacyLoss, **options: Any) -> Any:
        return begin(database, plan_id, replace(loss, delta_atto=0), **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharing, "ON", False)
        patch.setattr(publication, "release_files", lambda release: {})
        if most_delta is not None:
            patch.setattr(privacy, "MAX_DELTA", most_delta)
            patch.setattr(publication.releases, "begin", uncharged)
            patch.setattr(publication.releases, "lapse_within", lambda *_: None)  # an approval is for a price
        yield


def stored(case: Case, own: tuple[Row, ...]) -> pa.Table:
    """The others' rows, one each, and the unit's."""
    rows = [item | {"person": place} for place, item in enumerate(case.others, start=1)]
    rows += [item | {"person": 0} for item in own]
    return pa.table({name: pa.array([item[name] for item in rows], type=type_) for name, type_ in STORED.items()})


@dataclass(frozen=True)
class Side:
    """One of the two tables in a workspace of its own, with the plan approved."""

    workspace: dprelease.Workspace
    plan_id: str
    price: Price
    copies: int

    def publish(self) -> Release:
        return self.workspace.publish(self.plan_id, again=True)

    def sealed(self) -> list[list[Any]]:
        """What one more publication sealed: a list of parts for each copy. All that is published follows from it."""
        release = self.publish()
        drawn = releases.payload(self.workspace._state.database, release.id)
        return [*json.loads(drawn).values()]

    def drawn(self, count: int) -> list[list[Any]]:
        """What so many publications would seal, drawn at once by the same mechanisms from the same tallies."""
        item = self.price.statistics[0]
        each = [_many(*pair, count) for pair in zip(item.mechanisms, self.given, strict=True)]
        return [list(item.statistic.drawn(self.price.plan.schema, parts, _middle)) for parts in zip(*each, strict=True)]

    @property
    def charged(self) -> PrivacyLoss:
        """What the ledger says that all publications cost."""
        return self.workspace.populations.budget("people").spent

    @cached_property
    def given(self) -> tuple[Any, ...]:
        """What the mechanisms of one copy were given: to choose events by, not as evidence."""
        state = self.workspace._state
        ((location, table),) = state._held.items()
        assert table
        inputs = exact(self.price, state.tallies(location, self.price, keep=True))
        return tuple(inputs[self.price.measurements[0].id].first)


def _middle(first: int, last: int) -> int:
    return (first + last) // 2


def _many(mechanism: Mechanism, given: Any, count: int) -> list[Any]:
    """Independent draws: noise on copies side by side, selections row by row, everything else one after the other."""
    if isinstance(mechanism, Noise | PermuteAndFlip | ExponentialMechanism | NoisyTopK) and not isinstance(given, dict):
        drawn = mechanism.release(np.concatenate([np.atleast_1d(given)] * count))
        return list(drawn.reshape(count, *np.shape(given)) if isinstance(mechanism, Noise) else np.split(drawn, count))
    return [mechanism.release(given) for _ in range(count)]


def side(case: Case, own: tuple[Row, ...], copies: int) -> Side:
    """A workspace in memory that holds the others' rows and these."""
    zcdp = case.currency is Currency.ZCDP
    delta = case.delta * copies * (2 if zcdp else 1) or Decimal("1e-6")
    workspace = dprelease.Workspace.in_memory()
    workspace.add_population(
        "people",
        unit="person",
        neighbors=case.relation,
        epsilon=CAP,
        delta=Decimal("1e-3"),
        currency=case.currency,
    )
    unit_column = "person" if case.people else None
    workspace.add_dataset("table", stored(case, own), population="people", unit_column=unit_column, columns=COLUMNS)
    unit: Any = {"column": "person", "max_rows": case.max_rows} if case.people else "row"
    if case.max_groups is not None:
        unit["max_groups"] = case.max_groups
    total = case.epsilon * copies
    plan = {
        "dprelease": 1,
        "dataset": "table",
        "privacy": {
            "unit": unit,
            "neighbors": case.relation.value,
            "epsilon": float(case.epsilon**2 * copies + 1000 if zcdp else total),
            "delta": float(delta) if zcdp or case.delta else 0,
        },
        "statistics": [{"id": f"s{copy}", "epsilon": float(case.epsilon), **case.statistic} for copy in range(copies)],
    }
    if case.filtered:
        plan["where"] = WHERE
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    workspace.plans.approve(plan_id)
    priced = workspace.price(dprelease.Plan.parse(plan))
    return Side(workspace, plan_id, priced, copies)


@dataclass(frozen=True)
class Pair:
    """The same plan on two neighbouring tables."""

    case: Case
    sides: tuple[Side, Side]
    published: bool = True
    """Whether draws are published, rather than drawn alone."""

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        return self.sides[0].price.statistics[0].mechanisms

    @property
    def given(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return self.sides[0].given, self.sides[1].given

    def draws(self, count: int) -> tuple[list[Draws], list[Draws]]:
        """At least so many draws of each table: for each measurement an array with a row a draw."""
        first, second = (self._draws(place, count) for place in (0, 1))
        return first, second

    def _draws(self, place: int, count: int) -> list[Draws]:
        side = self.sides[place]
        found: list[list[list[int]]] = [[] for _ in self.mechanisms]
        known = [names(*both) for both in zip(*self.given, strict=True)]
        while len(found[0]) < count:
            for parts in side.sealed() if self.published else side.drawn(count):
                for column, part, of in zip(found, parts, known, strict=True):
                    column.append(row_of(part, of))
        arrays = [np.array(column) for column in found]
        assert all(array.dtype.kind == "i" for array in arrays), "something else than integers was sealed"
        return arrays

    @property
    def declared(self) -> PrivacyLoss:
        """What the ledger charged for one draw, on either table alike; of draws alone, what it would charge."""
        if not self.published:
            return replace(self.sides[0].price.statistics[0].loss, delta_atto=int(self.case.delta * privacy.ATTO))
        charged = [side.charged for side in self.sides]
        times = [side.workspace.populations.budget("people").charges * side.copies for side in self.sides]
        amounts = {
            (Decimal(loss.epsilon_nano) / n, Decimal(loss.rho_nano) / n, Decimal(loss.delta_atto) / n)
            for loss, n in zip(charged, times, strict=True)
        }
        assert len(amounts) == 1, "two neighbouring tables were charged differently"
        ((epsilon, rho, delta),) = amounts
        own = int(delta) or int(self.case.delta * privacy.ATTO)
        return PrivacyLoss(epsilon_nano=int(epsilon), rho_nano=int(rho), delta_atto=own)

    def charged_as_asked(self) -> bool:
        """Whether the ledger charged the statistic's own ε, or ρ = ε²/2, for each draw."""
        nano = int(self.case.epsilon * privacy.NANO)
        pure = self.case.currency is Currency.PURE
        asked = PrivacyLoss(
            epsilon_nano=nano if pure else 0,
            rho_nano=0 if pure else nano**2 // (2 * privacy.NANO),
            delta_atto=int(self.case.delta * privacy.ATTO),
        )
        return self.declared == asked


def pair(case: Case, copies: int) -> Pair:
    """Both tables, with the plan submitted and approved, and nothing published."""
    publication.price_of.cache_clear()
    return Pair(case, (side(case, case.before, copies), side(case, case.after, copies)))
