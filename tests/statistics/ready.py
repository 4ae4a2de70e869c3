"""What mechanisms are given, made ready without rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dprelease.statistics.answer import Inputs
from dprelease.statistics.planning.price import Price


def ready(price: Price, *given: Sequence[Any]) -> dict[str, Inputs]:
    """The integers of each measurement of a price, in its order, one for each mechanism. All have one round."""
    pairs = zip(price.measurements, given, strict=True)
    return {measurement.id: Inputs(measurement, price.plan.schema, (), own) for measurement, own in pairs}
