"""Counts of a release's numbers that can be quoted, and tables that are copies of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dprelease.model.certificate import Certificate
from dprelease.model.grade import QUOTABLE, Grade, Graded, graded, grades
from dprelease.model.release import Estimates
from dprelease.model.statement import Reason
from dprelease.statements.display import shown
from dprelease.statements.phrases import say


def copies(certificate: Certificate) -> dict[str, str]:
    """Return the tables that stand in a release a second time, each with the first: one measurement, told once.

    Such are the tables that synthetic rows were made from, where they are those of a family of their own.
    """
    found: dict[str, str] = {}
    tables = {name for each in certificate.statistics for name in each.tables}
    for each in certificate.statistics:
        if each.output == "rows" and each.source is not None:
            named = {name: f"{each.source}.{name.partition('.')[2]}" for name in each.tables}
            found |= {name: first for name, first in named.items() if first in tables}
    return found


def quotable(certificate: Certificate, tables: Mapping[str, Estimates]) -> dict[str, tuple[int, int]]:
    """Count, for each table that is no copy, the numbers that can be quoted (grades A and C), and all."""
    left_out, found = copies(certificate), {}
    for name, table in tables.items():
        if name not in left_out:
            letters = list(grades(certificate, name, table))
            found[name] = (sum(letter in QUOTABLE for letter in letters), len(letters))
    return found


def reasons(certificate: Certificate, tables: Mapping[str, Estimates]) -> dict[str, tuple[Reason, ...]]:
    """Return the reasons of each table with numbers of grade C."""
    each = {name: why_caution(graded(certificate, name, table)) for name, table in tables.items()}
    return {name: found for name, found in each.items() if found}


def why_caution(letters: Iterable[Graded]) -> tuple[Reason, ...]:
    """Return the reasons of the numbers of grade C, each once."""
    found = {reason for letter, reason in letters if letter is Grade.CAUTION}
    return tuple(reason for reason in Reason if reason in found)


def contents(can_be_quoted: int, numbers: int) -> str:
    """State how many numbers can be quoted: 80 numbers; 3 of 80 can be quoted; none of 80 can be quoted."""
    if can_be_quoted == numbers:
        return say("numbers", numbers, count=shown(numbers))
    if not can_be_quoted:
        return say("numbers_none", numbers, count=shown(numbers))
    return say("numbers_quotable", can_be_quoted, quotable=shown(can_be_quoted), count=shown(numbers))
