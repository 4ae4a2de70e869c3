"""Attack a plan before it is published: what the strongest adversary learns of one unit. Reads no row of anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dprelease.adversaries.plan import Attacked, PlanAttack, attack
from dprelease.adversaries.population import OverAll, over_all
from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.column import CODED, LISTED, Column, ColumnType
from dprelease.model.encoding import canonical
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss
from dprelease.model.tally import Query
from dprelease.statistics.answer import Inputs, exact, queries
from dprelease.statistics.planning.price import Price, price_of
from dprelease.store import account, datasets, ledger, populations
from dprelease.store.event import EventKind
from dprelease.table import Engine
from dprelease.words import phrase
from dprelease.workspace.operations import Operations
from dprelease.workspace.previews import lookalike, price_for
from dprelease.workspace.state import State

if TYPE_CHECKING:
    import pyarrow

MAX_CELLS = 2_000_000
"""Most cells of all mechanisms of a plan; with more, the changes by an ordinary unit are not computed."""
MIDDLE, EXCHANGED = Fraction(1, 2), (Fraction(1, 4), Fraction(3, 4))
"""Position of an ordinary unit's values within the declared ones; and those of two units that are exchanged."""
Stated: TypeAlias = tuple[tuple[str, int], ...]
"""Code of the stated value, by column."""
SOMEBODY = "somebody"
"""An identifier that no unit of the made-up table has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackedPlan:
    """A plan with its adversaries."""

    price: Price
    rows: int
    """Rows of the ordinary unit."""
    person: Mapping[str, Any]
    """Values of the ordinary unit that somebody stated, by column."""
    found: PlanAttack
    over_all: OverAll | None
    """Over all releases of its population; None of a plan of no population."""

    def to_mapping(self) -> dict[str, Any]:
        population = {} if self.over_all is None else {"population": self.over_all.to_mapping()}
        return {
            "plan_hash": self.price.plan.hash,
            "epsilon": float(self.price.epsilon),
            "delta": float(self.price.delta),
            "ordinary_rows": self.rows,
            **({"ordinary_values": dict(self.person)} if self.person else {}),
            **self.found.to_mapping(),
            **population,
        }


class Attacks(Operations):
    """Strongest attack on what is planned."""

    def attack(
        self, plan: Plan, *, rows: int = 1, person: Mapping[str, object] | None = None, actor: Actor | None = None
    ) -> AttackedPlan:
        """Compute how well the strongest adversary of a plan, or of all releases, can tell if one unit is in the table.

        `rows`: of the ordinary unit, whose values lie in the middle of what is declared; where units are exchanged, a
        quarter up, and then three quarters. `person`: by column, a value of it that is stated instead, among those
        that are declared; of two that are exchanged the second has it. Reads no row. Raises
        PlanError where the plan contradicts its dataset or population, InputError for more rows than are used of a
        unit, and for a value that is not declared.
        """
        self._act("attack", actor)
        return self._attacked(price_for(self._state, plan), rows, person)

    def _attacked(self, priced: Price, rows: int = 1, person: Mapping[str, object] | None = None) -> AttackedPlan:
        dataset, _ = datasets.get(self._state.database, priced.plan.dataset)
        return replace(attacked(priced, rows, person), over_all=_over_all(self._state, dataset.population, priced.loss))


def attacked(priced: Price, rows: int = 1, person: Mapping[str, object] | None = None) -> AttackedPlan:
    """Attack a plan by its price alone."""
    most = priced.plan.unit.max_rows
    if not 1 <= rows <= most:
        raise InputError("rows", found=rows, allowed=phrase("workspace.rows_of_unit", most=most))
    stated = _stated(priced.plan, person or {})
    found = _found(canonical(priced.plan.to_mapping()).decode(), priced.currency, priced.discovers, rows, stated)
    shown = {name: column_of(priced.plan, name).value(code) for name, code in stated}
    return AttackedPlan(price=priced, rows=rows, person=shown, found=found, over_all=None)


def stateable(plan: Plan) -> tuple[Column, ...]:
    """Return the stored columns of which a value may be stated: those whose values are declared, but no identifiers."""
    return tuple(
        each
        for each in plan.schema
        if each.type in CODED and not each.discover and each.made is None and each.name != plan.unit.column
    )


def column_of(plan: Plan, name: str) -> Column:
    """Return one of the stateable columns by its name. Raises InputError."""
    known = {each.name: each for each in stateable(plan)}
    if name not in known:
        raise InputError("person", found=name, allowed=phrase("workspace.person_columns", names=tuple(known)))
    return known[name]


def _stated(plan: Plan, person: Mapping[str, object]) -> Stated:
    """Return the stated values as codes, by column. Raises InputError."""
    found = []
    for name, value in sorted(person.items()):
        code = column_of(plan, name).code(value)
        if code is None:
            raise InputError(f"person.{name}", found=value, allowed=phrase("workspace.person_value"))
        found.append((name, code))
    return tuple(found)


@lru_cache(maxsize=64)
def _found(plan: str, currency: Currency, discovers: bool, rows: int, stated: Stated) -> PlanAttack:
    priced = price_of(plan, currency, discovers)
    changes = _changes(priced, rows, stated)
    given = [
        Attacked(each.id, mechanism, change)
        for each in priced.measurements
        for mechanism, change in zip(each.mechanisms, changes[each.id], strict=True)
    ]
    return attack(given, float(priced.epsilon), float(priced.delta))


def _over_all(state: State, population: str, loss: PrivacyLoss) -> OverAll:
    registered, now = populations.get(state.database, population), account.account(state.database, population)
    events = ledger.events(state.database, population=population, kinds=[EventKind.CHARGE])
    return over_all(now.before + now.cap, [*(event.loss for event in events), loss], registered.currency)


def _changes(priced: Price, rows: int, stated: Stated = ()) -> dict[str, list[Any]]:
    """Return the change of each mechanism's integers, by measurement, with one more unit in a made-up table, or with
    another one in its place; None where they are no integers of declared cells, a later round's, or too many."""
    shapes = (each.sensitivity.shape for item in priced.measurements for each in item.mechanisms)
    if sum(prod(shape) for shape in shapes if shape is not None) > MAX_CELLS:
        return {each.id: [None] * len(each.mechanisms) for each in priced.measurements}
    base, plan = lookalike(replace(priced.plan, expected=None)), priced.plan
    if plan.neighbors is NeighboringRelation.SUBSTITUTE:
        first, second = EXCHANGED
        pair = [_joined(base, plan, rows, first), _joined(base, plan, rows, second, stated)]
    else:
        pair = [base, _joined(base, plan, rows, MIDDLE, stated)]
    without, within = (_inputs(priced, table) for table in pair)
    return {each.id: _difference(without[each.id], within[each.id]) for each in priced.measurements}


def _inputs(priced: Price, rows: pyarrow.Table) -> Mapping[str, Inputs]:
    engine, plan = Engine(), priced.plan
    wanted: Sequence[Query] = queries(priced)
    return exact(priced, engine.answer(engine.hold(rows), wanted, schema=plan.schema, where=plan.where, unit=plan.unit))


def _difference(without: Inputs, within: Inputs) -> list[Any]:
    given = iter(zip(without.first, within.first, strict=True))
    found: list[Any] = []
    for turn in without.measurement.turns:
        if turn:
            found.append(None)
            continue
        before, after = next(given)
        apart = isinstance(before, Mapping) or np.shape(before) != np.shape(after)
        found.append(None if apart else np.asarray(after) - np.asarray(before))
    return found


def _joined(base: pyarrow.Table, plan: Plan, rows: int, at: Fraction, stated: Stated = ()) -> pyarrow.Table:
    """The table with one more unit, which has so many rows, all alike, of values so far up the declared ones, or of
    those that are stated."""
    import pyarrow

    own_codes = dict(stated)
    values = {
        column.name: _value(column, own_codes[column.name]) if column.name in own_codes else _ordinary(column, plan, at)
        for column in plan.schema
    }
    if plan.unit.column is not None:
        values[plan.unit.column] = SOMEBODY
    own = [pyarrow.array([values.get(field.name, 0)] * rows, type=field.type) for field in base.schema]
    return pyarrow.concat_tables([base, pyarrow.table(own, schema=base.schema)])


def _ordinary(column: Column, plan: Plan, at: Fraction) -> Any:
    """Return the value so far up those that the plan's filter lets pass."""
    if column.discover or column.type is ColumnType.TEXT:
        return f"{column.name} 1"
    codes = _passing(column, plan)
    far = (len(codes) - 1 if codes else column.lattice.steps) * at
    place = ceil(far) if at > MIDDLE else floor(far)
    return _value(column, codes[place] if codes else place)


def _value(column: Column, code: int) -> Any:
    """Return the value that a table has for a code."""
    value = column.value(code)
    if column.type is ColumnType.BOOLEAN:
        return value == "true"
    if column.type is ColumnType.DATE:
        return date.fromisoformat(str(value))
    return value if column.type in LISTED else float(value)


def _passing(column: Column, plan: Plan) -> Sequence[int]:
    """Return the codes of a column that pass; none where no value does."""
    low, high = 0, column.lattice.steps
    listed: set[int] | None = None
    for condition in plan.where:
        if condition.column != column.name:
            continue
        for test, codes in condition.codes(plan.schema):
            if test == "at_least":
                low = max(low, *codes)
            elif test == "at_most":
                high = min(high, *codes)
            else:
                listed = set(codes) if listed is None else listed & set(codes)
    return range(low, high + 1) if listed is None else sorted(code for code in listed if low <= code <= high)
