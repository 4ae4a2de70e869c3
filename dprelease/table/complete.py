"""Which rows have every code that several measures need: told once a row, where else each measure tells it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dprelease.model.tally import Measure
from dprelease.table.dialect import Dialect


@dataclass(frozen=True)
class Complete:
    """Names of codes, by column; and of those that are made NULL where a row lacks a code that all measures need.

    No measure tests again what is needed: codes of their own tell it, or the key of the rows.
    """

    codes: Mapping[str, str]
    own: Mapping[str, str]
    needed: frozenset[str] = frozenset()

    def source(self, rows: str, dialect: Dialect) -> str:
        """The rows, beside codes of their own."""
        if not self.own:
            return rows
        whole = " AND ".join(f"{code} IS NOT NULL" for name, code in self.codes.items() if name in self.needed)
        listed = ", ".join(f"CASE WHEN {whole} THEN {self.codes[name]} END AS {own}" for name, own in self.own.items())
        return f"(SELECT *, {listed} FROM {rows}{dialect.fence}) AS complete"

    def tested(self, measure: Measure) -> list[str]:
        """The codes that a row must have to count, but for those without which its product is NULL."""
        others = [name for name in measure.present if name not in measure.factors]
        told = [] if not self.own or self.own.keys() & set(measure.factors) else [next(iter(self.own.values()))]
        return told + [self.codes[name] for name in others if name not in self.needed]

    def product(self, measure: Measure) -> str:
        """What a row adds: NULL where a factor has no code, and no text where there is no factor."""
        return " * ".join(self.own.get(name, self.codes[name]) for name in measure.factors)


def complete(measures: Sequence[Measure], codes: Mapping[str, str], *, keyed: bool = False) -> Complete:
    """Those of the measures of one GROUP BY, with codes of their own where that is quicker.

    `keyed`: the key of a row is NULL where it lacks a code that is needed.

    With codes of their own all codes needed are compared for each that is multiplied, instead of for each measure: a
    linear model of 8 predictors has 55 measures that need 9 codes each.
    """
    sets = [frozenset((*each.factors, *each.present)) for each in measures] or [frozenset()]
    needed = frozenset.intersection(*sets)
    if keyed:
        return Complete(codes, {}, needed)
    multiplied = {name for measure in measures for name in measure.factors} & needed
    if len(needed) < 2 or not multiplied or len(measures) <= 2 * len(multiplied):
        return Complete(codes, {})
    return Complete(codes, {name: f"p{code}" for name, code in codes.items() if name in multiplied}, needed)
