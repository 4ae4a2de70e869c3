"""The state of a column: settled, surely or perhaps guessed, or open. Guesses come from names and codebooks."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from dprelease.codebook.guess import Guess, guess
from dprelease.model.column import NUMERIC, ColumnType
from dprelease.model.report import as_decimal
from dprelease.statements.display import grouped
from dprelease.ui.data.row import Row, split
from dprelease.ui.kit.fields import with_point
from dprelease.ui.words import say

NAME = "name"
"""Source of a declaration guessed from the column's own name; others are a codebook and a pasted list."""
FEW_LABELS = 3


class SettlingState(StrEnum):
    """The states of a column, each with its mark and its words."""

    SETTLED = "settled"
    SURE = "sure"
    """Column whose name says it all: one click accepts it, with the others of its kind."""
    ASK = "ask"
    """Column of which something is known, and something lacks or was not confirmed."""
    OPEN = "open"


def guessed(row: Row) -> Guess | None:
    """Return the guess from the column's name beside what stands in the line."""
    return guess(row.name, row.mapping())


def proposed(row: Row) -> Row:
    """Return the line as it would be settled: by its name beside a codebook. What somebody typed stays so."""
    found = guessed(row)
    is_typed = not row.is_empty and not row.source
    if row.use or is_typed or found is None or not found.declared:
        return row
    then = replace(Row.of(row.name, found.declared), use=False, source=row.source or NAME)
    return replace(then, outside="missing") if then.proposes_missing and not then.outside else then


def is_settled(row: Row, unit_column: str | None) -> bool:
    """Return True if nothing more is asked of a column."""
    return row.name == unit_column or row.left or (row.use and not row.problems())


def state(row: Row, unit_column: str | None) -> SettlingState:
    """Return the state of a column."""
    if is_settled(row, unit_column):
        return SettlingState.SETTLED
    found = None if row.use else guessed(row)
    if found is None:
        return SettlingState.OPEN if row.is_empty else SettlingState.ASK
    is_typed = not row.is_empty and not row.source
    return SettlingState.SURE if found.sure and not is_typed and is_whole(accepted(row)) else SettlingState.ASK


def is_whole(row: Row) -> bool:
    """Return True if a line could be declared as it is, or says that the column is left out."""
    return row.left or not replace(row, use=True).problems()


def accepted(row: Row) -> Row:
    """Return the line with its guess taken: declared, or left out."""
    found = guessed(row)
    if found is not None and found.leave:
        return replace(Row(row.name), left=True, source=NAME)
    return replace(proposed(row), use=True)


def domain_words(row: Row, unit_column: str | None) -> str:
    """Return in words what a column may hold; with a question where that lacks."""
    if row.name == unit_column:
        return say("domain_key")
    if row.left:
        return say("domain_left")
    if row.type in (*NUMERIC, ColumnType.DATE):
        if row.type == ColumnType.DATE and not (row.lower or row.upper):
            return say("domain_period")
        lower, upper = (spaced(end) or "?" for end in (row.lower, row.upper))
        return say("domain_range", lower=lower, upper=upper, unit=row.unit).strip()
    if row.type == ColumnType.CATEGORY:
        return say("domain_discover") if row.discover else _labels(split(row.categories), other=row.other)
    if row.type == ColumnType.BOOLEAN:
        return say("domain_boolean")
    return say("domain_text") if row.type else say("domain_none")


def spaced(end: str) -> str:
    """Return a bound with its thousands apart, from five digits on; what is no number as it is."""
    number = as_decimal(with_point(end))
    return end if number is None or abs(number) < 10_000 else grouped(number)


def codes_words(row: Row) -> str:
    """Return in words a column's codes of missing answers; empty where there are none, or nobody said."""
    codes = "" if row.left else row.missing_codes.strip()
    return say("domain_codes", codes=codes) if codes.strip("-–— ") else ""


def _labels(categories: list[str], *, other: bool) -> str:
    if not categories:
        return say("domain_which")
    few = ", ".join(categories[:FEW_LABELS])
    rest = len(categories) - FEW_LABELS
    shown = say("domain_more", few=few, more=rest) if rest > 0 else few
    return say("domain_other", few=shown) if other else shown
