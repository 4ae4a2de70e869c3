"""Statements of a release on its numbers: findings, as ways, places and values, of which words are made."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from dprelease.model.stated import Fact, TableName, Whole

Way = Literal[
    "most",
    "ahead",
    "least",
    "stretch",
    "first_last",
    "share",
    "spread",
    "apart",
    "lowest",
    "envelope",
    "better",
    "no_better",
    "unclear",
]
"""The claim: docs/formats.md has the sentence, the test and the formula of each."""
Text = Annotated[str, Meta(pattern=r"\A-?[0-9]{1,40}(\.[0-9]{1,12})?\Z")]
"""A decimal with the digits that are told."""
Level = Annotated[str, Meta(pattern=r"\A[0-9]{1,20}/[0-9]{1,40}\Z")]
"""A probability as a fraction: 3/100."""


class Reason(StrEnum):
    """Rule by which a number is not of grade A: the width of its interval beside the number itself (`amount`), the
    smaller side of a share (`side`) or all that can be (`range`); it lies at an end of what can be (`edge`); noise
    alone may look so (`nothing`); it is near the threshold under which nothing is published (`threshold`); log-odds
    whose interval is wide, or that are far from 0 (`odds`); an interval that holds about as often as said
    (`approximate`); it has no interval, and the rows on its wrong side are few (`rank`)."""

    AMOUNT = "amount"
    SIDE = "side"
    RANGE = "range"
    EDGE = "edge"
    NOTHING = "nothing"
    THRESHOLD = "threshold"
    ODDS = "odds"
    APPROXIMATE = "approximate"
    RANK = "rank"


class Finding(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """One claim about a table that noise alone leads to with probability `alpha` at most."""

    way: Way
    alpha: Level
    places: tuple[Whole, ...] = ()
    """Rows of the table, from 0, in its order; of `first_last` the first and the last."""
    axis: Whole | UnsetType = UNSET
    """The key whose totals are compared, in a table with margins."""
    factor: Text | UnsetType = UNSET
    """`most`: at least so many times any other. `stretch`: the part that is passed. `spread`: at most so many times."""
    share: Text | UnsetType = UNSET
    """An estimate: a part of all, a quotient, or the highest value."""
    least: Text | UnsetType = UNSET
    most: Text | UnsetType = UNSET
    """The ends of what is claimed of it."""
    guess: Text | UnsetType = UNSET
    """Accuracy, for a model, of always naming the commoner class."""
    code: Whole | UnsetType = UNSET
    """Code of that class, in the declared order."""
    basis: Literal["exact", "bounded"] = "exact"
    """Basis of the finding: the distribution of the noise, or a bound for log-concave noise with these intervals."""
    strength: Text
    """Strength by which findings of one class are put in order."""


class Lead(Fact, frozen=True, kw_only=True):
    """Leading statement of a release: a finding at the level of all tables together, or the number of one table."""

    table: TableName
    way: Way | Literal["number"]
    axis: Whole | UnsetType = UNSET


class Rank(Fact, frozen=True, kw_only=True):
    """Rank error of values chosen by rank, with 95 %: rows that are too many on either side, and out of how many."""

    off: Whole
    rows: tuple[Whole, ...]
    """Minimum number of rows with a value, by group."""
    places: tuple[Whole, ...]
    """Rows of the table of which that is little: these can be quoted, with caution."""


class Statements(Fact, frozen=True, kw_only=True):
    """All statements on the numbers of a release."""

    tables: dict[TableName, tuple[Finding, ...]]
    """The findings of each table that has some, in the order in which they are told."""
    lead: Lead | None
    """Leading statement; None where no number can be quoted."""
    reasons: dict[TableName, tuple[Reason, ...]]
    """Rules that lower numbers to grade C, by table with such numbers, in the order of `model.grade`."""
    quotable: dict[TableName, tuple[Whole, Whole]]
    """Number of quotable numbers and of all numbers, by table that is no copy of another."""
    ranks: dict[TableName, Rank]
    """Rank errors by table of values chosen by rank of which some can be quoted."""
