"""Prices and expected errors in words."""

from __future__ import annotations

from dprelease.bundle.display import margin, shown
from dprelease.bundle.question import COUNTED
from dprelease.bundle.words import Html
from dprelease.model.privacy import decimal_text
from dprelease.model.schema import Schema
from dprelease.statistics.price import Price, StatisticPrice
from dprelease.ui import blocks
from dprelease.ui.words import known, say, say_html

NUMBERS = (2, 3, 4, 5)


def unit_of(item: StatisticPrice, schema: Schema) -> str:
    """What its numbers are counted in."""
    if item.kind in COUNTED:
        return say("unit_records")
    column = getattr(item.statistic, "column", None)
    return schema[column].unit if isinstance(column, str) and column in schema else ""


def error(item: StatisticPrice, schema: Schema) -> str:
    """The expected error in the statistic's own units."""
    if not item.error95:
        return say("error", margin=0) if item.error95 == 0 else say("price_unknown")
    unit = unit_of(item, schema)
    return say("error_unit" if unit else "error", margin=margin(item.error95), unit=unit)


def price_line(item: StatisticPrice, schema: Schema) -> Html:
    """One sentence on one statistic."""
    epsilon = decimal_text(item.loss.epsilon)
    if item.error95 is None:
        return say_html("price_line_unknown", epsilon=epsilon)
    return say_html("price_line", error=error(item, schema), basis=say(f"basis_{item.basis}"), epsilon=epsilon)


def price_table(price: Price) -> None:
    """Mechanism, scale, loss and expected error of each statistic."""
    heads = ["statistic", "mechanism", "scale", "cells", "loss", "error", "basis"]
    rows = [
        (
            item.id,
            mechanism(item),
            "; ".join(dict.fromkeys(shown(float(f"{each.scale:.4g}")) for each in item.mechanisms)),
            shown(item.size),
            decimal_text(item.loss.epsilon),
            error(item, price.plan.schema),
            say(f"basis_{item.basis}") if item.basis else say("basis_none"),
        )
        for item in price.statistics
    ]
    blocks.table(say("price_caption"), [say(f"price_{head}") for head in heads], rows, numbers=NUMBERS, whole=True)


def mechanism(item: StatisticPrice) -> str:
    """The name of its mechanism."""
    name = item.mechanisms[0].name
    return known(f"mechanism_{name}", name)
