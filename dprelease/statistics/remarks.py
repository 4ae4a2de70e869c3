"""What a plan's readers must know of its numbers that no interval says: sentences, from public facts alone."""

from __future__ import annotations

from collections.abc import Iterator

from dprelease.model.column import Column
from dprelease.model.missing import End
from dprelease.model.privacy import decimal_text
from dprelease.statistics.adjust import adjusts, family
from dprelease.statistics.planning.price import Price
from dprelease.statistics.weighted import Weighted

COUNTS = ("count", "histogram", "crosstab")


def remarks(price: Price) -> list[str]:
    """Warns of weights beyond their bounds, and of tables that post-processing does not make consistent."""
    return [*_weights(price), *_apart(price)]


def _weights(price: Price) -> Iterator[str]:
    statistics = (item.statistic for item in price.statistics)
    names = {each.survey_weights for each in statistics if isinstance(each, Weighted)} - {None}
    for name in sorted(filter(None, names)):
        column = price.plan.schema[name]
        lattice = column.lattice
        low, high = (decimal_text(code * lattice.resolution) for code in (lattice.start, lattice.start + lattice.steps))
        yield _above(name, high, column)
        if lattice.start > 0:
            yield _below(name, low, column)


def _above(name: str, high: str, column: Column) -> str:
    if column.outside.above is End.CLIP:
        return f"Survey weights ({name}) above {high} count as {high}: weighted results may be off by more than noise."
    return f"Rows with a survey weight ({name}) above {high} are left out of weighted results."


def _below(name: str, low: str, column: Column) -> str:
    if column.outside.below is End.CLIP:
        return f"Survey weights ({name}) below {low} count as {low}: weighted results may be off by more than noise."
    return f"Rows with a survey weight ({name}) below {low} are left out of weighted results."


def _apart(price: Price) -> Iterator[str]:
    """Tables that a plan asks to be consistent and that are not, or not with others."""
    if "consistent" not in price.plan.postprocess:
        return
    families: dict[frozenset[str], list[str]] = {}
    for item in filter(lambda each: adjusts(each, price), price.statistics):
        families.setdefault(family(item, price), []).append(item.id)
    alone = [ids[0] for ids in families.values() if len(ids) == 1]
    if alone:
        yield f"Not made consistent with any other table, since none counts the same rows: {', '.join(alone)}."
    if len(families) > 1:
        apart = frozenset.union(*families) - frozenset.intersection(*families)
        yield (
            f"Rows without a value in {', '.join(sorted(apart))} are left out of some tables and not of others, which "
            "are not made consistent with one another. With a declared value for such rows (count_missing_as), "
            "best a category of its own, all of them count."
        )
    others = [item.id for item in price.statistics if item.kind in COUNTS and not adjusts(item, price)]
    if others:
        yield f"Not made consistent, since they are not plain counts of declared cells: {', '.join(others)}."
