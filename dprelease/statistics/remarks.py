"""Caveats on a plan's numbers that no interval says, from public facts alone."""

from __future__ import annotations

from collections.abc import Iterator

from dprelease.model.missing import End
from dprelease.model.presentation import Trait
from dprelease.model.privacy import PrivacyLoss, Terms, decimal_text
from dprelease.model.stated import Caveat
from dprelease.statistics.adjust import adjusts, family
from dprelease.statistics.planning.price import Price


def remarks(price: Price) -> list[Caveat]:
    """Warn of weights beyond their bounds, sampling errors left out, what statistics say of themselves (`caveats`),
    tables that are not made consistent, and answers that were changed before they arrived."""
    every = (_weights, _sampled, _own, _apart, _arrived)
    return [caveat for each in every for caveat in each(price)]


def _weights(price: Price) -> Iterator[Caveat]:
    statistics = (item.statistic for item in price.statistics)
    names = {each.survey_weights for each in statistics} - {None}
    for name in sorted(filter(None, names)):
        column = price.plan.schema[name]
        lattice, ends = column.lattice, column.outside
        low, high = (decimal_text(code * lattice.resolution) for code in (lattice.start, lattice.start + lattice.steps))
        yield Caveat.of(f"weights_above_{'clip' if ends.above is End.CLIP else 'missing'}", column=name, high=high)
        if lattice.start > 0:
            yield Caveat.of(f"weights_below_{'clip' if ends.below is End.CLIP else 'missing'}", column=name, low=low)


def _sampled(price: Price) -> Iterator[Caveat]:
    """Yield caveats of weighted rows: a sample, whose error no interval of the noise holds."""
    every = (item.statistic for item in price.statistics)
    weighted = [each for each in every if each.survey_weights is not None]
    alone = [each.id for each in weighted if not each.sampling]
    if alone:
        yield Caveat.of("sampling_left_out", statistics=", ".join(alone))
    for each in weighted:
        if each.sampling:
            yield Caveat.of("sampling_held", statistic=each.id, effect=decimal_text(each.effect))


def _own(price: Price) -> Iterator[Caveat]:
    """Yield what each statistic says of itself."""
    plan = price.plan
    terms = Terms(plan.unit, plan.neighbors, price.currency)
    for item in price.statistics:
        yield from item.statistic.caveats(plan.schema, terms, item.mechanisms)


def _apart(price: Price) -> Iterator[Caveat]:
    """Yield caveats of tables that a plan asks to be consistent and that are not, or not with others."""
    if "consistent" not in price.plan.postprocess:
        return
    families: dict[frozenset[str], list[str]] = {}
    for item in filter(lambda each: adjusts(each, price), price.statistics):
        families.setdefault(family(item, price), []).append(item.id)
    alone = [ids[0] for ids in families.values() if len(ids) == 1]
    if alone:
        yield Caveat.of("consistent_alone", statistics=", ".join(alone))
    if len(families) > 1:
        apart = frozenset.union(*families) - frozenset.intersection(*families)
        yield Caveat.of("consistent_apart", columns=", ".join(sorted(apart)))
    counted = (item for item in price.statistics if item.statistic.presentation.has(Trait.COUNTS_ROWS))
    others = [item.id for item in counted if not adjusts(item, price)]
    if others:
        yield Caveat.of("consistent_others", statistics=", ".join(others))


def _arrived(price: Price) -> Iterator[Caveat]:
    """Yield caveats of columns whose answers are counted as they arrived, each with the ε that it declares."""
    schema = price.plan.schema
    found: dict[str, str] = {}
    for statistic in (item.statistic for item in price.statistics):
        declared = statistic.declared_epsilon(schema)
        if declared is not None:
            epsilon = decimal_text(PrivacyLoss(epsilon_nano=declared).epsilon)
            found |= dict.fromkeys(statistic.used_columns(), epsilon)
    if found:
        yield Caveat.of("arrived", columns=", ".join(f"{name} (ε = {epsilon})" for name, epsilon in found.items()))
