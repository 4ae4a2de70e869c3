"""Tables of counts of a plan that would err less if they were planned together, as one `workload`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf
from statistics import median
from typing import Any

from dprelease.errors import PlanError
from dprelease.model.column import ORDERED
from dprelease.model.column_options import GROUP
from dprelease.model.encoding import plain
from dprelease.model.families import KIND
from dprelease.model.plan import Plan
from dprelease.model.tally import Key
from dprelease.statistics.noisy import counts_rows
from dprelease.statistics.planning.price import Price, price
from dprelease.statistics.planning.priced import StatisticPrice

ENOUGH = 0.95
"""Largest ratio of the new error to the median of those before, for a gain."""
WORSE = 1.01
"""Largest ratio of any other statistic's new error to that before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPricing:
    """Some tables of a plan, and the statistic that would give the same ones. Errors are half of 95 % intervals."""

    ids: tuple[str, ...]
    asked: Mapping[str, Any]
    """A `workload`, as in a plan file."""
    least: float
    most: float
    """Largest error of the tables as they are planned."""
    after: float
    """Error of the table that would err most."""


def together(priced: Price) -> JointPricing | None:
    """Return the largest group of tables that would err less, and nothing else more; None where there is none.

    They count the same rows by the same cells of each column, share the budget by weights, and nothing else is asked
    of them: no shares, totals or post-processing, no derived table and no criterion. What they would err is their price
    in the plan that has the workload instead of them, so it counts what others would then have to pay themselves.
    """
    plan = priced.plan
    if plan.postprocess:
        return None
    for group in sorted(_groups(priced), key=len, reverse=True):
        asked = _workload(priced, group)
        other = _priced(priced, group, asked)
        errors = [item.error95 for item in group if item.error95 is not None]
        if other is None or len(errors) < len(group):
            continue
        after = other[asked["id"]].error95
        if after is not None and after <= ENOUGH * median(errors) and _no_worse(priced, other):
            ids = tuple(item.id for item in group)
            return JointPricing(ids=ids, asked=asked, least=min(errors), most=max(errors), after=after)
    return None


def _groups(priced: Price) -> Iterator[list[StatisticPrice]]:
    """Yield tables of the same rows, each column by those cells that most of them have."""
    plan, schema = priced.plan, priced.plan.schema
    used = {each.of for each in plan.derived} | {each.statistic for each in plan.accept}
    alike: dict[Any, list[tuple[StatisticPrice, tuple[Key, ...]]]] = {}
    for item in priced.statistics:
        each = item.statistic
        if counts_rows(each) and each.is_plain(schema) and each.epsilon_nano is None is each.target_error:
            keys = each.keys(schema)
            if keys and item.id not in used:
                alike.setdefault((each.noise, each.null_rule(schema)), []).append((item, keys))
    for tables in alike.values():
        cells = Counter(key for _, keys in tables for key in keys)
        usual: dict[str, Key] = {}
        for key, _ in cells.most_common():
            usual.setdefault(key.column, key)
        group = [item for item, keys in tables if all(usual[key.column] == key for key in keys)]
        if len(group) > 1:
            yield group


def _workload(priced: Price, group: Sequence[StatisticPrice]) -> dict[str, Any]:
    """Return the statistic that gives the same tables, as in a plan file."""
    plan, schema = priced.plan, priced.plan.schema
    sets: dict[frozenset[str], list[str]] = {}
    bins: dict[str, int] = {}
    levels: dict[str, str] = {}
    missing: dict[str, str] = {}
    for item in group:
        assert counts_rows(item.statistic)
        keys = item.statistic.keys(schema)
        names = [key.column for key in keys]
        sets.setdefault(frozenset(names), names)
        levels |= {key.column: key.level for key in keys if key.level}
        bins |= {key.column: key.coded for key in keys if schema[key.column].type in ORDERED and not key.level}
        missing |= dict.fromkeys((key.column for key in keys if key.missing), GROUP)
    taken = {item.id for item in priced.statistics}
    name = next(each for each in ("tables", *(f"tables_{number}" for number in range(2, 1000))) if each not in taken)
    weight = sum((item.statistic.weight for item in group), Decimal(0))
    return {
        "id": name,
        "kind": KIND,
        "columns": list(dict.fromkeys(column for names in sets.values() for column in names)),
        "tables": list(sets.values()),
        **({"bins": bins} if bins else {}),
        **({"levels": levels} if levels else {}),
        **({"missing": missing} if missing else {}),
        **({} if plan.weights else {"weight": plain(weight)}),
    }


def _priced(priced: Price, group: Sequence[StatisticPrice], asked: Mapping[str, Any]) -> Price | None:
    """Return the price of the plan with the workload instead of its tables; None where that is no plan."""
    mapping, gone = priced.plan.to_mapping(), {item.id for item in group}
    mapping["statistics"] = [asked, *(each for each in mapping["statistics"] if each["id"] not in gone)]
    mapping.pop("texts", None)
    try:
        return price(Plan.parse(mapping), currency=priced.currency, discovers=priced.discovers)
    except PlanError:
        return None


def _no_worse(before: Price, after: Price) -> bool:
    errors = {item.id: item.error95 for item in before.statistics}
    return all((item.error95 or 0) <= WORSE * (errors.get(item.id) or inf) for item in after.statistics)
