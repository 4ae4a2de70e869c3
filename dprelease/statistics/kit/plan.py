"""Plans of one statistic."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dprelease.model.plan import Expected
from dprelease.model.privacy import NANO, NeighboringRelation, PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.statistics import Plan, Tabulated
from dprelease.statistics.kit.rows import SCHEMA


def plan_of(
    *statistics: Tabulated,
    epsilon: float | str = 1,
    neighbors: NeighboringRelation = NeighboringRelation.ADD_REMOVE,
    expected: Expected | None = None,
    schema: Schema = SCHEMA,
    unit: PrivacyUnit = PrivacyUnit(),  # noqa: B008 (frozen)
    **others: Any,
) -> Plan:
    """A plan that publishes these statistics and nothing else."""
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
