"""What the first implementation states of a plan of one statistic, as a certificate would."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.model.stated import as_json
from dprelease.statistics.planning.price import Price
from tests.worstcase.generated import plan, priced


def certificate(statistic: Mapping[str, Any], relation: NeighboringRelation, unit: Any, currency: Currency) -> Any:
    """The parts of a certificate that the second implementation reads."""
    found = priced(statistic, relation, unit, currency)
    assert found is not None
    return of(found, plan(statistic, relation, unit))


def of(found: Price, asked: Mapping[str, Any]) -> Any:
    """From JSON and back, so that nothing else goes over."""
    stated = {
        "plan": asked,
        "population": {"currency": found.currency.value},
        "measurements": as_json([each.stated() for each in found.measurements]),
        "statistics": as_json([item.stated(found.plan.schema) for item in found.statistics]),
    }
    return json.loads(json.dumps(stated))
