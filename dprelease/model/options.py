"""Readers of a statistic's options: each knows its shape in a plan file."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dprelease.model.condition import read_conditions
from dprelease.model.encoding import plain
from dprelease.model.report import Report, as_decimal
from dprelease.model.schema import Schema
from dprelease.model.texts import ID
from dprelease.words import Phrase, phrase, quoted, verbatim


class Option(ABC):
    """Reader of one value of a statistic in a plan file."""

    @abstractmethod
    def read(self, value: Any, path: str, report: Report) -> Any:
        """Return the value, or None with a problem added."""

    def columns(self, value: Any) -> tuple[str, ...]:
        """Return the columns that a read value names."""
        return ()

    def check(self, value: Any, path: str, schema: Schema, report: Report) -> None:
        """Add problems that show only beside the declared columns."""

    def write(self, value: Any) -> Any:
        """Return the value as in a plan file."""
        return value


def option(reader: Option, *, default: Any = dataclasses.MISSING, offered: bool = True) -> Any:
    """Return a dataclass field read by `reader`; required unless a default is given.

    `offered`: False where it is an option only of the kinds that name it in `offers`.
    """
    metadata = {"option": reader, "offered": offered}
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Whole(Option):
    """A whole number in a range."""

    lowest: int
    highest: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        return report.integer(value, path, lowest=self.lowest, highest=self.highest)


@dataclass(frozen=True)
class Only(Option):
    """One whole number that may be given, or left out."""

    number: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        if isinstance(value, bool) or value != self.number:
            report.add(path, found=value, allowed=verbatim(str(self.number)))
            return None
        return self.number


@dataclass(frozen=True)
class NumberOption(Option):
    """A number in a range, with at most 15 digits."""

    lowest: Decimal
    highest: Decimal

    def read(self, value: Any, path: str, report: Report) -> Any:
        allowed = phrase("model.number_from", lowest=self.lowest, highest=self.highest)
        number = report.decimal(value, path, allowed=allowed)
        if number is not None and not self.lowest <= number <= self.highest:
            report.add(path, found=value, allowed=allowed)
            return None
        return number

    def write(self, value: Any) -> Any:
        return plain(value)


@dataclass(frozen=True)
class Choice(Option):
    """One of some words. `refused`: words that are known and not offered, each with the reason."""

    words: tuple[str, ...]
    refused: tuple[tuple[str, Phrase], ...] = ()

    def read(self, value: Any, path: str, report: Report) -> Any:
        reason = dict(self.refused).get(value) if isinstance(value, str) else None
        if reason is not None:
            report.add(
                path,
                found=phrase("model.refused", value=quoted(value)),
                allowed=verbatim(", ".join(self.words)),
                remedy=reason,
            )
            return None
        return report.choice(value, path, self.words)


@dataclass(frozen=True)
class StatisticName(Option):
    """Another statistic of the plan, by its id."""

    def read(self, value: Any, path: str, report: Report) -> Any:
        if not isinstance(value, str) or not ID.fullmatch(value):
            report.add(path, found=value, allowed=phrase("model.z_0_9_beginning"))
            return None
        return value


@dataclass(frozen=True)
class Choices(Option):
    """Subset of some words, in their order."""

    words: tuple[str, ...]

    def read(self, value: Any, path: str, report: Report) -> Any:
        items = report.sequence(value, path, longest=len(self.words))
        chosen = {report.choice(item, f"{path}[{index}]", self.words) for index, item in enumerate(items)}
        return tuple(word for word in self.words if word in chosen)

    def write(self, value: Any) -> Any:
        return list(value)


@dataclass(frozen=True)
class Flag(Option):
    """Yes or no."""

    def read(self, value: Any, path: str, report: Report) -> Any:
        return report.flag(value, path)


@dataclass(frozen=True)
class Conditions(Option):
    """A list of conditions, as under `where` of a plan."""

    def read(self, value: Any, path: str, report: Report) -> Any:
        return read_conditions(value, path, report)

    def columns(self, value: Any) -> tuple[str, ...]:
        return tuple(condition.column for condition in value)

    def check(self, value: Any, path: str, schema: Schema, report: Report) -> None:
        for index, condition in enumerate(value):
            condition.check(f"{path}[{index}]", schema, report)

    def write(self, value: Any) -> Any:
        return [condition.to_mapping() for condition in value]


@dataclass(frozen=True)
class Questions(Option):
    """An ordered list of different labels, each with the conditions of the rows that it counts."""

    longest: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        questions = []
        for index, item in enumerate(report.sequence(value, path, longest=self.longest)):
            place = f"{path}[{index}]"
            fields = report.mapping(item, place, allowed=("label", "where"), required=("label", "where"))
            if fields.get("label") is not None and fields.get("where") is not None:
                label = report.text(fields["label"], f"{place}.label", shortest=1)
                questions.append((label, read_conditions(fields["where"], f"{place}.where", report)))
        if len({label for label, _ in questions}) != len(questions):
            report.add(path, found=phrase("model.label_given_twice"), allowed=phrase("model.each_once"))
        return tuple(questions)

    def columns(self, value: Any) -> tuple[str, ...]:
        return tuple(condition.column for _, conditions in value for condition in conditions)

    def check(self, value: Any, path: str, schema: Schema, report: Report) -> None:
        for index, (_, conditions) in enumerate(value):
            for place, condition in enumerate(conditions):
                condition.check(f"{path}[{index}].where[{place}]", schema, report)

    def write(self, value: Any) -> Any:
        return [
            {"label": label, "where": [condition.to_mapping() for condition in conditions]}
            for label, conditions in value
        ]


@dataclass(frozen=True)
class Probabilities(Option):
    """A list of different probabilities strictly between 0 and 1, with at most 6 decimals; sorted."""

    def read(self, value: Any, path: str, report: Report) -> Any:
        probabilities = []
        for index, item in enumerate(report.sequence(value, path, longest=99)):
            number = as_decimal(item)
            if number is None or not 0 < number < 1 or (number * 10**6) % 1 != 0:
                report.add(f"{path}[{index}]", found=item, allowed=phrase("model.number_between_0_1"))
            else:
                probabilities.append(number)
        if len(set(probabilities)) != len(probabilities):
            report.add(path, found=phrase("model.probability_given_twice"), allowed=phrase("model.each_once"))
        return tuple(sorted(probabilities))

    def write(self, value: Any) -> Any:
        return [float(item) for item in value]


@dataclass(frozen=True)
class Values(Option):
    """A list of at least two values, numbers or ISO dates. Whether they are declared shows beside the schema."""

    longest: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        items = report.sequence(value, path, longest=self.longest)
        if items and len(items) < 2:
            report.add(path, found=phrase("model.one_value"), allowed=phrase("model.at_least_two"))
        for index, item in enumerate(items):
            if isinstance(item, bool):
                report.add(f"{path}[{index}]", found=item, allowed=phrase("model.number_date_such_2025"))
        return tuple(report.scalar(item, f"{path}[{index}]") for index, item in enumerate(items))

    def write(self, value: Any) -> Any:
        return [float(item) if isinstance(item, Decimal) else item for item in value]
