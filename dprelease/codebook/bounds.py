"""Bounds of a list as they are typed: settled together, by the list's own evidence or by one answer, never guessed."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dprelease.codebook.fault import CodebookError
from dprelease.errors import Problem, question
from dprelease.model.column import ORDERED, ColumnType
from dprelease.model.missing import CODES
from dprelease.model.separators import EDGES, EXACT, MARKS, NUMERAL, Ambiguous, Mixed, Roles, Settled, separators
from dprelease.model.typed import Context, NotUnderstood, TwoValues, TypedValue, is_day, order_of, typed
from dprelease.words import phrase

LOWER, UPPER = ENDS = ("lower", "upper")
NINES = re.compile(r"9{3,}")
"""Pattern of the codes for no answer usual in surveys."""


NUMBERS, DAYS = ("1.234,5", "1,234.5"), ("31/12/2025", "12/31/2025")
"""Examples that say how numbers and days are written."""


class ExactText(str):
    """A text that a program wrote, with a point before its decimals: nothing is asked about it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Typed:
    """One bound, step or number in a list."""

    name: str
    """Name of the column."""
    key: str
    """Key of the declaration."""
    text: str
    type: str | None = None

    @property
    def path(self) -> str:
        return f"columns.{self.name}.{self.key}"

    @property
    def is_code(self) -> bool:
        """True if the text is a code for no answer: then it may be any text."""
        return self.key.startswith(CODES)


@dataclass(frozen=True, slots=True)
class Fault:
    """A bound that is not understood."""

    typed: Typed
    why: NotUnderstood


@dataclass(frozen=True, slots=True)
class PastedBounds:
    """Bounds of a list, once it is known how they are written."""

    asked: Ambiguous | Mixed | TwoValues | None = None
    """Question to answer first: how numbers are written, or does the day or the month come first."""
    values: Mapping[tuple[str, str], TypedValue] = field(default_factory=dict)
    """Values by column and key; of codes for no answer, only those that are numbers or days."""
    faults: tuple[Fault, ...] = ()

    def decided(self, names: Container[str]) -> PastedBounds:
        """Itself, where nobody can be asked. Raises CodebookError for a doubt, or a fault in one of `names`."""
        problems = [fault.why.problem(fault.typed.path) for fault in self.faults if fault.typed.name in names]
        if self.asked is not None:
            problems = [_question(self.asked)]
        if problems:
            raise CodebookError.from_problems(problems)
        return self

    def of(self, name: str, codes: Sequence[Any] = ()) -> dict[str, Any]:
        """Return the declared keys of one column. `codes`: those for no answer, as they are written."""
        said = {key: value.text for (column, key), value in self.values.items() if column == name}
        read = {key: text for key, text in said.items() if not key.startswith(CODES)}
        if len(read) == len(said):
            return read
        return {**read, CODES: [_read_code(code, place, said) for place, code in enumerate(codes)]}

    @property
    def swapped(self) -> tuple[str, ...]:
        """Columns whose lower end is above their upper one."""
        lowest = {name: value.value for (name, key), value in self.values.items() if key == LOWER}
        return tuple(
            name
            for (name, key), value in self.values.items()
            if key == UPPER and type(lowest.get(name)) is type(value.value) and lowest[name] > value.value  # type: ignore[operator]
        )

    def swap(self, names: Container[str]) -> PastedBounds:
        """The same with the ends of some columns exchanged, as somebody said."""
        other = {LOWER: UPPER, UPPER: LOWER}
        values = {
            (name, other.get(key, key) if name in names else key): value for (name, key), value in self.values.items()
        }
        return replace(self, values=values)

    def without_upper(self, names: Container[str]) -> PastedBounds:
        """The same without the upper ends of some columns, which stand for no answer."""
        values = {place: value for place, value in self.values.items() if place[1] != UPPER or place[0] not in names}
        return replace(self, values=values)

    def codes(self, missing: Mapping[str, Iterable[object]]) -> tuple[str, ...]:
        """Columns whose upper end looks like a code for no answer. `missing`: those that the list declares."""
        return tuple(
            name
            for (name, key), value in self.values.items()
            if key == UPPER and (NINES.fullmatch(value.text) or value.text in map(str, missing.get(name, ())))
        )


def by_example(numbers: str | None, days: str | None) -> tuple[Roles | None, str | None]:
    """Read the notation of numbers and days from one example each: `1.234,5`, `31/12/2025`. Raises CodebookError."""
    marks = Settled() if numbers is None else separators([numbers])
    if not isinstance(marks, Settled) or (numbers is not None and marks.decimal is None):
        raise CodebookError("numbers", found=numbers, allowed=phrase("codebook.example_of_numbers"))
    order = None if days is None else order_of([days])
    if days is not None and order is None:
        raise CodebookError("days", found=days, allowed=phrase("codebook.example_of_days"))
    return marks.roles or None, order


def read_bounds(cells: Sequence[Typed], roles: Roles | None = None, order: str | None = None) -> PastedBounds:
    """Read the bounds of a list. `roles`, `order`: answers about it, how numbers and how days are written."""
    asked = [cell for cell in cells if not isinstance(cell.text, ExactText)]
    marks = separators([cell.text for cell in asked if not is_day(cell.text, cell.type)], roles)
    if not isinstance(marks, Settled):
        return PastedBounds(marks)
    order = order or order_of([cell.text for cell in asked if is_day(cell.text, cell.type)])
    values: dict[tuple[str, str], TypedValue] = {}
    faults: list[Fault] = []
    for cell in cells:
        context = Context(EXACT if isinstance(cell.text, ExactText) else marks, order)
        found = typed(cell.text, cell.type, context)
        if isinstance(found, TwoValues):
            return PastedBounds(found)
        if isinstance(found, TypedValue):
            values[cell.name, cell.key] = found
        elif not cell.is_code:
            faults.append(Fault(cell, found))
    return PastedBounds(None, values, tuple(faults))


def written_codes(codes: Iterable[Any], type: str | None) -> dict[str, str]:
    """The codes for no answer of a column that somebody wrote as numbers with a mark, or as days; by their paths.

    A code without a mark is the same number to all, and one that a program wrote is that number.
    """
    if type not in ORDERED:
        return {}
    ends = {
        f"{CODES}[{place}]{f'.{key}' if key else ''}": text
        for place, code in enumerate(codes)
        for key, text in (code.items() if isinstance(code, Mapping) else [("", code)])
    }
    return {
        path: text
        for path, text in ends.items()
        if isinstance(text, str) and not isinstance(text, ExactText) and _is_in_doubt(text, type)
    }


def _is_in_doubt(text: str, type: str) -> bool:
    bare = text.strip(EDGES)
    if type == ColumnType.DATE:
        return is_day(bare, None)
    return bool(NUMERAL.fullmatch(bare)) and any(mark in bare for mark in MARKS)


def _read_code(code: Any, place: int, said: Mapping[str, str]) -> Any:
    """Return a code, or the ends of a range, as they are understood; else as they are written."""
    path = f"{CODES}[{place}]"
    if isinstance(code, Mapping):
        return {end: said.get(f"{path}.{end}", text) for end, text in code.items()}
    return said.get(path, code)


def _question(asked: Ambiguous | Mixed | TwoValues) -> Problem:
    """Return the question to answer first, as a problem whose remedy is an example that answers it."""
    if isinstance(asked, Ambiguous):
        allowed = phrase("codebook.one_number", whole=asked.whole, part=asked.part)
        return question("numbers", asked.text, allowed, phrase("codebook.answer_numbers"), answers=NUMBERS)
    if isinstance(asked, Mixed):
        counts = {"points": asked.counts["."], "commas": asked.counts[","]}
        found = phrase("codebook.both_marks", **counts)
        allowed = phrase("codebook.one_mark")
        return question("numbers", found, allowed, phrase("codebook.answer_numbers"), answers=NUMBERS)
    first, second = asked.readings
    allowed = phrase("codebook.one_day", first=first.text, second=second.text)
    return question("days", asked.written, allowed, phrase("codebook.answer_days"), answers=DAYS)
