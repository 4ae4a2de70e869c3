"""Prices and expected errors in words."""

from __future__ import annotations

from dprelease.bundle import guarantee
from dprelease.model.presentation import ChartType, Quantity, Trait, ValueKind
from dprelease.model.privacy import Currency
from dprelease.model.schema import Schema
from dprelease.statements.display import exact, margin, shown
from dprelease.statistics.kinds.linear import Linear
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.remarks import remarks
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill
from dprelease.ui.words import say, say_html
from dprelease.words.releases import enumerate_words
from dprelease.words.sentences import Html

NUMBERS = (2, 3, 4, 5)
DIGITS = 3


def unit_of(item: StatisticPrice, schema: Schema) -> str:
    """Return the unit of a statistic's error."""
    counted = item.statistic.presented.error
    if counted in (Quantity.RECORDS, Quantity.UNITS, Quantity.WIDTH):
        return say(f"unit_{counted}")
    column = getattr(item.statistic, "column", None) if counted is Quantity.COLUMN else None
    return schema[column].unit if isinstance(column, str) and column in schema else ""


def error(item: StatisticPrice, schema: Schema) -> str:
    """Return the expected error in the statistic's own units."""
    if not item.error95:
        return say("error", margin=0) if item.error95 == 0 else say("price_unknown")
    unit = unit_of(item, schema)
    shown = item.statistic.presented
    if item.basis == "bound" and (shown.look is ChartType.WORDS or not shown.has(Trait.RANKED)):
        return say("error_most", margin=margin(item.error95), unit=unit)
    return say("error_unit" if unit else "error", margin=margin(item.error95), unit=unit)


def amount(item: StatisticPrice) -> str:
    """Return a statistic's part of ε or ρ, in short; the table of prices has all digits."""
    return say("amount", symbol=item.loss.symbol, amount=shown(float(item.loss.amount), DIGITS))


def price_line(item: StatisticPrice, schema: Schema) -> Html:
    """Return one sentence on one statistic."""
    spent = fill('<span class="dp-keep">{}</span>', amount(item))
    if item.source is not None:
        source = enumerate_words(item.sources)
        if item.error95 is None:
            return say_html("price_line_computed", source=source)
        return say_html("price_line_follows", source=source, error=error(item, schema))
    if item.error95 is None:
        return say_html("price_line_unknown", spent=spent)
    if item.basis == "bound":
        return say_html(f"price_bound_{_bound(item)}", margin=margin(item.error95), spent=spent)
    if isinstance(item.statistic, Linear):
        return say_html("price_line_prediction", error=error(item, schema), spent=spent)
    told = say_html("price_line", error=error(item, schema), basis=say(f"basis_{item.basis}"), spent=spent)
    return told if item.trial95 is None else fill("{} {}", told, say("price_trial", margin=margin(item.trial95)))


def _bound(item: StatisticPrice) -> str:
    """Return the key of the words for a limit: what it limits differs."""
    shown = item.statistic.presented
    selected = shown.values is ValueKind.NAMED and shown.look is ChartType.WORDS
    return "selection" if selected else item.kind


def price_table(price: Price, title: str = "") -> None:
    """Show mechanism, scale, loss and expected error by statistic. `title`: tells it apart from other plans' tables."""
    heads = ["statistic", "mechanism", "scale", "cells", "loss", "error", "basis"]
    if price.currency is Currency.ZCDP:
        heads[heads.index("loss")] = "loss_rho"
    rows = [
        (
            item.id,
            mechanism(item),
            scales(item),
            say("price_discovered") if item.statistic.discovers(price.plan.schema) else shown(item.size),
            exact(item.loss.amount) if price.currency is Currency.PURE else guarantee.computed(item.loss.amount),
            error(item, price.plan.schema),
            say(f"basis_{item.basis}") if item.basis else "",
        )
        for item in price.statistics
    ]
    caption = say("price_caption_of", title=title) if title else say("price_caption")
    blocks.table(caption, [say(f"price_{head}") for head in heads], rows, numbers=NUMBERS, whole=True)
    for remark in remarks(price):
        blocks.markup(fill("{}", guarantee.caveat(remark)), "dp-note")
    if any(item.statistic.declared_epsilon(price.plan.schema) is not None for item in price.statistics):
        blocks.note("price_arrived")


def scales(item: StatisticPrice) -> str:
    """Return the scale of a statistic's noise; from the smallest to the largest where it has several."""
    found = sorted({float(f"{each.scale:.3g}") for each in item.mechanisms})
    if len(found) > 1:
        return say("price_scales", least=shown(found[0]), most=shown(found[-1]))
    return shown(found[0]) if found else ""


def mechanism(item: StatisticPrice) -> str:
    """Return the names of a statistic's mechanisms, or whose counts it follows from."""
    if item.source is not None:
        return say("price_follows", source=enumerate_words(item.sources))
    return "; ".join(dict.fromkeys(guarantee.mechanism(each.name) for each in item.mechanisms))
