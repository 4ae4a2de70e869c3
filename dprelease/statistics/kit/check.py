"""Checks that a statistic keeps its contract, before any rows of people are entrusted to it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache
from itertools import chain, product
from math import isfinite
from typing import Any

import numpy as np

from dprelease.errors import InternalError, PlanError
from dprelease.mechanisms import MECHANISMS, Mechanism
from dprelease.model.condition import Condition
from dprelease.model.plan import Expected
from dprelease.model.privacy import NANO, Currency, NeighboringRelation, PrivacyUnit, Terms
from dprelease.model.release import Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import Statistic
from dprelease.model.tally import UNDECLARED, Query, TallyQuery
from dprelease.statistics import Plan
from dprelease.statistics.answer import answers, draw, exact, queries
from dprelease.statistics.kit.distance import check_sensitivity
from dprelease.statistics.kit.pool import engine, pool_of
from dprelease.statistics.kit.rows import PALETTE, SCHEMA, UNITS, WHERE, stored_table
from dprelease.statistics.planning.price import Price, price
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.table import Discovery, Tally

RELATIONS = tuple(NeighboringRelation)
FILTERED = "people, 2 rows"
"""The unit for which neighbours are also tried under a filter."""
DELTA_ATTO = 10**12
EPSILON = 0.5


def check_statistic(statistic: TallyStatistic) -> None:
    """Check one statistic against everything that a kind has to keep; for whoever adds a kind (docs/new-statistic.md).

    `statistic` names columns of `dprelease.statistics.kit.rows.SCHEMA`, such as `k` (integer), `x` (number) and `g`
    (category). Checked are, in this order: that its docstring says its sensitivity and its noise, and that each option
    has one; that what is measured has the stated shape; that its error is priced from public facts, in both currencies
    and relations; that no pair of neighbouring tables beats a stated sensitivity, and that some pair attains it, for
    each privacy unit; and that what is published has the same keys whatever the rows, and passes its own `could_be`.
    Terms that pricing refuses are left out. Some pairs are not all pairs: a proof is still needed.

    Takes about a second. Raises InternalError with the first promise that is broken, PlanError where its options do not
    fit the columns or where it refuses every unit and relation. Its class has to stand in a file.

    Example: `dp.check_statistic(dp.count(id="s"))`.
    """
    _check_options(statistic)
    check_words(type(statistic))
    accepted = [terms for unit in UNITS.values() for terms in accepted_with(statistic, unit)]
    if not accepted:
        _price(statistic, Terms(UNITS[FILTERED], RELATIONS[0]))
    for terms in accepted:
        check_shapes(statistic, terms)
    for terms in {(terms.neighbors, terms.currency): terms for terms in accepted}.values():
        check_prices(statistic, terms)
    for unit, where in [*((unit, ()) for unit in UNITS.values()), (UNITS[FILTERED], WHERE)]:
        accepted_here = accepted_with(statistic, unit, where)
        taken = {(mechanisms_of(statistic, terms), terms.neighbors): terms for terms in accepted_here}
        pools = {by: pool_of(statistic, unit, where, by) for by in {by for by, _ in taken}}
        for (by, _), terms in taken.items():
            check_sensitivity(statistic, terms, pools[by])
    check_published(statistic, accepted[0])


def _check_options(statistic: TallyStatistic) -> None:
    report = Report()
    statistic.check(statistic.id, SCHEMA, report)
    report.raise_any(PlanError)


def accepted_with(statistic: TallyStatistic, unit: PrivacyUnit, where: tuple[Condition, ...] = ()) -> Iterator[Terms]:
    """Yield the relations and currencies in which a plan with this unit and filter may hold the statistic."""
    for relation, currency in product(RELATIONS, Currency):
        terms = Terms(unit, relation, currency)
        with suppress(PlanError):
            _price(statistic, terms, where=where)
            yield terms


def _price(statistic: TallyStatistic, terms: Terms, **others: Any) -> Price:
    """Raise PlanError where the statistic refuses these terms."""
    plan = plan_of(
        statistic, epsilon=EPSILON, unit=terms.unit, neighbors=terms.neighbors, delta_atto=DELTA_ATTO, **others
    )
    return price(plan, currency=terms.currency)


def mechanisms_of(statistic: TallyStatistic, terms: Terms) -> tuple[type[Mechanism], ...]:
    """Return the mechanisms of its first round, where these decide on what they are given."""
    if type(statistic).given is TallyStatistic.given:
        return ()
    return tuple(each.mechanism for each in statistic.measurements(SCHEMA, terms) if each.round == 0)


def of_no_rows(statistic: TallyStatistic, by: tuple[type[Mechanism], ...] = ()) -> tuple[Any, ...]:
    """Return what its mechanisms are given of a table without rows."""
    empty: list[Any] = [
        np.zeros(query.shape, dtype=np.int64) if isinstance(query, TallyQuery) else {}
        for query in statistic.queries(SCHEMA)
    ]
    return statistic.given(SCHEMA, empty, by)


def check_shapes(statistic: TallyStatistic, terms: Terms) -> None:
    """Raise InternalError where what is measured has another shape than is stated, of it or of its sensitivity."""
    empty = of_no_rows(statistic, mechanisms_of(statistic, terms))
    shapes = [UNDECLARED if isinstance(given, dict) else np.shape(given) for given in empty]
    stated = [each for each in statistic.measurements(SCHEMA, terms) if each.round == 0]
    for what, found in (
        ("of what is measured", [each.shape for each in stated]),
        ("of a sensitivity", [each.sensitivity.shape for each in stated]),
    ):
        if found != shapes:
            raise InternalError(f"{statistic.kind}: the stated shapes {what} are {found}, and it measures {shapes}")


def check_prices(statistic: TallyStatistic, terms: Terms) -> None:
    """Raise InternalError where an error is not stated, or rests on a number of rows that was not given."""
    for expected in (None, Expected(3000)):
        item = _price(statistic, terms, expected=expected)[statistic.id]
        if not {type(mechanism) for mechanism in item.mechanisms} <= set(MECHANISMS):
            raise InternalError(f"{statistic.kind}: draws from a mechanism that is not listed")
        if item.error is None:
            if expected is not None:
                raise InternalError(f"{statistic.kind}: no error is stated, though the number of rows is expected")
        elif not (item.error.error95 >= 0 and isfinite(item.error.error95)):
            raise InternalError(f"{statistic.kind}: states the error {item.error.error95}")
        elif item.error.basis == "expected" and expected is None:
            raise InternalError(f"{statistic.kind}: its error rests on a number of rows, and none was expected")


def check_published(statistic: TallyStatistic, terms: Terms) -> None:
    """Raise InternalError where rows decide on the keys of the published table, or it could not have been drawn.

    An empty table and a full one, released once each, may differ in numbers only.
    """
    priced = _price(statistic, terms)
    published = [released(statistic, priced, rows) for rows in ((), PALETTE * 3)]
    empty, full = (answer.named(statistic.id) for answer in published)
    if [answer.kind for answer in published] != [statistic.output] * 2:
        raise InternalError(f"{statistic.kind}: publishes {published[0].kind}, and states {statistic.output}")
    if not tuple(empty) == tuple(full) == statistic.table_names(SCHEMA):
        raise InternalError(f"{statistic.kind}: publishes other tables than it states")
    if [table.columns for table in empty.values()] != [table.columns for table in full.values()]:
        raise InternalError(f"{statistic.kind}: the columns of what is published depend on the rows")
    if not statistic.discovers(SCHEMA):
        if [table.axes for table in empty.values()] != [table.axes for table in full.values()]:
            raise InternalError(f"{statistic.kind}: the keys of what is published depend on the rows")
        sizes = [sum(map(len, tables.values())) for tables in (empty, full)]
        if sizes != [priced[statistic.id].size] * 2:
            raise InternalError(f"{statistic.kind}: publishes {sizes} rows, and states another size")
    for answer in published:
        if not statistic.could_answer(SCHEMA, answer, priced[statistic.id].mechanisms):
            raise InternalError(f"{statistic.kind}: says of what it published that it could not be")
        for one in chain(*answer.named(statistic.id).values()):
            bounds = [bound for bound in (one.lower95, one.value, one.upper95) if bound is not None]
            if one.value is not None and bounds != sorted(bounds):
                raise InternalError(f"{statistic.kind}: publishes a value outside its interval")


def released(statistic: TallyStatistic, priced: Price, rows: tuple[dict[str, Any], ...]) -> Output:
    """Publish the rows of one person. Raises InternalError where something else than integers is sealed."""
    held = engine().hold(stored_table([item | {"person": 0, "trial": 0} for item in rows]))
    unit = priced.plan.unit
    asked = queries(priced)

    def ask(wanted: Sequence[Query]) -> list[Tally | Discovery]:
        return engine().answer(held, wanted, schema=priced.plan.schema, where=(), unit=unit, after=asked)

    drawn = draw(priced, exact(priced, ask(asked), ask))
    if not all(type(number) is int for part in drawn[statistic.id] for number in _flat(part)):
        raise InternalError(f"{statistic.kind}: what is sealed is not whole numbers")
    return answers(priced, drawn)[statistic.id]


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return [number for part in value for number in _flat(part)] if isinstance(value, list) else [value]


def check_words(kind: type[Statistic]) -> None:
    """Raise InternalError where a kind does not say its sensitivity, how it is made private, what its numbers are, or
    what an option means."""
    documents = " ".join(inspect.getdoc(ancestor) or "" for ancestor in kind.__mro__[:2])
    if "sensitivity" not in documents.lower():
        raise InternalError(f"{kind.kind}: its docstring does not say its sensitivity")
    if "oise" not in documents and "chosen privately" not in documents:
        raise InternalError(
            f"{kind.kind}: its docstring does not say which noise it gets, or how it is chosen privately"
        )
    named = next(ancestor for ancestor in kind.__mro__ if "kind" in vars(ancestor))
    if "presentation" not in vars(named):
        raise InternalError(f"{kind.kind}: it does not say what its numbers are (presentation)")
    untold = undocumented(kind)
    if untold:
        raise InternalError(f"{kind.kind}: options without a docstring below them: {', '.join(untold)}")


def undocumented(kind: type[Statistic]) -> list[str]:
    """Return the options of a kind without a docstring below them, as its source file has it."""
    told = {name for ancestor in kind.__mro__ if issubclass(ancestor, Statistic) for name in _told(ancestor)}
    return [name for name in kind.options() if name not in told]


@cache
def _told(kind: type[Statistic]) -> set[str]:
    """Return the fields that a class defines with a docstring below them."""
    told = set()
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    for field, below in zip(definition.body, definition.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str())):
                told.add(name)
    return told


def plan_of(
    *statistics: TallyStatistic,
    epsilon: float | str = 1,
    neighbors: NeighboringRelation = NeighboringRelation.ADD_REMOVE,
    expected: Expected | None = None,
    schema: Schema = SCHEMA,
    unit: PrivacyUnit = PrivacyUnit(),  # noqa: B008 (frozen)
    **others: Any,
) -> Plan:
    """Return a plan that publishes these statistics and nothing else."""
    return Plan(
        dataset="d",
        unit=unit,
        neighbors=neighbors,
        epsilon_nano=int(Decimal(str(epsilon)) * NANO),
        statistics=statistics,
        expected=expected,
        schema=schema,
        **others,
    )
