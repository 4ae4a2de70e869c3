"""Columns made by telling values apart: bands of numbers or days, fewer categories, the first value that is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Self

from dprelease.model.column_fields import CATEGORY, CODED, LISTED, MAX_CATEGORIES, ORDERED, ColumnType
from dprelease.model.encoding import plain
from dprelease.model.made.function import (
    Amount,
    CategoryList,
    Columns,
    Function,
    Ordered,
    Others,
    Result,
    Value,
    common_step,
    ends_of,
    name,
    number_type,
    place,
    same_type,
    step_of,
    unknown,
)
from dprelease.model.made.numbers import Several
from dprelease.model.made.whole import KnownTest, Less, WholeValue, choice, looked_up, whole
from dprelease.model.report import Report, join, read_date
from dprelease.words import phrase, verbatim

MISSING, KEEP = "missing", "keep"
OTHER = "other"
LONGEST_PREFIX = 200
Point = Decimal | date


def _labels(value: object, path: str, report: Report) -> tuple[str, ...]:
    items = report.sequence(value, path, longest=MAX_CATEGORIES)
    texts = ["true" if item is True else "false" if item is False else item for item in items]
    plainly = [str(item) if isinstance(item, int | Decimal | float) else item for item in texts]
    return tuple(report.text(item, f"{path}[{index}]") for index, item in enumerate(plainly))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut(Function):
    """Bands of numbers or days: each point begins one, so that labels are one more than points."""

    of: str
    at: tuple[Point, ...]
    labels: tuple[str, ...]
    KEY: ClassVar[str] = "cut"
    TAKES: ClassVar[frozenset[ColumnType]] = ORDERED

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        before = len(report.problems)
        fields = report.mapping(value, path, allowed=("of", "at", "labels"), required=("of", "at", "labels"))
        if len(report.problems) > before:
            return None
        of, at = name(fields["of"], join(path, "of"), report), list[Point]()
        for index, item in enumerate(report.sequence(fields["at"], join(path, "at"), longest=MAX_CATEGORIES)):
            point = read_date(item) or report.decimal(item, f"{join(path, 'at')}[{index}]")
            at += [] if point is None else [point]
        labels = _labels(fields["labels"], join(path, "labels"), report)
        if at and labels and len(labels) != len(at) + 1:
            count = phrase("model.items", count=len(labels))
            report.add(join(path, "labels"), found=count, allowed=phrase("model.made_labels", count=len(at) + 1))
        return None if len(report.problems) > before or not of else cls(of=of, at=tuple(at), labels=labels)

    def to_value(self) -> Any:
        at = [each.isoformat() if isinstance(each, date) else plain(each) for each in self.at]
        return {"of": self.of, "at": at, "labels": list(self.labels)}

    def check(self, columns: Columns, path: str, report: Report) -> None:
        column, last = columns[self.of], 0
        for index, point in enumerate(self.at):
            code, where = column.code(point), f"{join(path, 'at')}[{index}]"
            said = point.isoformat() if isinstance(point, date) else point
            if code is None:
                low, high = _nearest(columns[self.of], point)
                report.add(where, found=said, allowed=phrase("model.made_points", low=low, high=high))
            elif code <= last:
                report.add(where, found=said, allowed=phrase("model.made_increasing"))
            last = code if code is not None else last

    def result(self, columns: Columns) -> Result:
        return CategoryList(self.labels)

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        code, starts = codes[self.of], [columns[self.of].code(point) or 0 for point in self.at]
        bands = [(Less(code, whole(start)), band) for band, start in enumerate(starts)]
        return Amount(choice(bands, len(starts)))

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        found = cells[self.of]
        if found is None:
            return None
        passed = [each for each in self.at if (each if isinstance(each, date) else Fraction(each)) <= found]  # type: ignore[operator]
        return self.labels[len(passed)]


def _nearest(column: Any, point: Point) -> tuple[str, str]:
    """Return the two values of a column that a point lies between; its ends, where there are none."""
    ends = (0, column.lattice.steps)
    if column.type is not ColumnType.DATE and isinstance(point, Decimal):
        below = int(Fraction(point) // step_of(column)) - column.lattice.start
        ends = (below, below + 1) if 0 <= below < column.lattice.steps else ends
    low, high = (str(column.value(code)) for code in ends)
    return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class Recode(Function):
    """Fewer categories: each new one names the old ones that it stands for; `rest` tells what the others become."""

    of: str
    to: tuple[tuple[str, tuple[str, ...]], ...]
    rest: str = ""
    KEY: ClassVar[str] = "recode"
    TAKES: ClassVar[frozenset[ColumnType]] = LISTED

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        before = len(report.problems)
        fields = report.mapping(value, path, allowed=("of", "to", "else"), required=("of", "to"))
        if len(report.problems) > before:
            return None
        of, where, seen = name(fields["of"], join(path, "of"), report), join(path, "to"), set[str]()
        if not isinstance(fields["to"], Mapping) or not fields["to"]:
            report.add(where, found=fields["to"], allowed=phrase("model.made_recode"))
            return None
        to = []
        for new, old in fields["to"].items():
            new = str(new).lower() if isinstance(new, bool) else str(new)
            within = join(where, report.text(new, where, shortest=1))
            labels = _labels(old, within, report)
            for label in labels:
                if label in seen:
                    report.add(within, found=label, allowed=phrase("model.made_once"))
                seen.add(label)
            to.append((new, labels))
        rest = report.optional_text(fields, "else", path)
        return None if len(report.problems) > before or not of else cls(of=of, to=tuple(sorted(to)), rest=rest)

    def to_value(self) -> Any:
        to = {new: list(old) for new, old in self.to}
        return {"of": self.of, "to": to} | ({"else": self.rest} if self.rest else {})

    def check(self, columns: Columns, path: str, report: Report) -> None:
        column = columns[self.of]
        named = [label for _, old in self.to for label in old]
        for label in named:
            if label not in column.labels:
                unknown(path, "to", label, column, report)
        if not self.rest and (left := [label for label in column.labels if label not in named]):
            found = verbatim(", ".join(left[:5]) + (", …" if len(left) > 5 else ""))
            report.add(join(path, "else"), found=found, allowed=phrase("model.made_else"))

    def result(self, columns: Columns) -> Result:
        """Return the new categories, in the order of the first declared value of each."""
        column, news = columns[self.of], self._news()
        found = dict.fromkeys(news.get(label) or self._rest(label) for label in column.labels)
        keeps_other = column.other and OTHER not in news and self.rest == KEEP
        return CategoryList(
            tuple(label for label in found if label is not None and not (keeps_other and label == OTHER)), keeps_other
        )

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        result, news = self.result(columns), self._news()
        assert isinstance(result, CategoryList)
        places = {label: at for at, label in enumerate((*result.categories, *([OTHER] if result.other else [])))}
        found = [news.get(label) or self._rest(label) for label in columns[self.of].labels]
        return Amount(looked_up(codes[self.of], [None if label is None else places[label] for label in found]))

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        found = cells[self.of]
        if found is None:
            return None
        label = ("true" if found else "false") if isinstance(found, bool) else str(found)
        for new, old in self.to:
            if label in old:
                return new
        return None if self.rest == MISSING else label if self.rest == KEEP else self.rest

    def _news(self) -> dict[str, str]:
        return {label: new for new, old in self.to for label in old}

    def _rest(self, label: str) -> str | None:
        return {MISSING: None, KEEP: label}.get(self.rest, self.rest)


@dataclass(frozen=True, slots=True)
class Prefix(Function):
    """The first characters of a code, such as the province of a municipality's."""

    of: str
    length: int
    KEY: ClassVar[str] = "prefix"
    TAKES: ClassVar[frozenset[ColumnType]] = CATEGORY

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        fields = report.mapping(value, path, allowed=("of", "length"), required=("of", "length"))
        if fields.get("of") is None or fields.get("length") is None:
            return None
        of = name(fields["of"], join(path, "of"), report)
        length = report.integer(fields["length"], join(path, "length"), lowest=1, highest=LONGEST_PREFIX)
        return cls(of, length) if of and length else None

    def to_value(self) -> Any:
        return {"of": self.of, "length": self.length}

    def result(self, columns: Columns) -> Result:
        column = columns[self.of]
        return CategoryList(tuple(dict.fromkeys(each[: self.length] for each in column.categories)), column.other)

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        column, result = columns[self.of], self.result(columns)
        assert isinstance(result, CategoryList)
        places = {label: at for at, label in enumerate(result.categories)}
        numbers = [places[each[: self.length]] for each in column.categories]
        return Amount(looked_up(codes[self.of], [*numbers, *([len(places)] if column.other else [])]))

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        found = cells[self.of]
        return found if found is None or isinstance(found, Others) else str(found)[: self.length]


class Coalesce(Several):
    """The first value that is there."""

    KEY = "coalesce"
    TAKES = CODED

    def check(self, columns: Columns, path: str, report: Report) -> None:
        same_type(columns, self.of, path, report, unit=True)

    def result(self, columns: Columns) -> Result:
        found = [columns[each] for each in self.of]
        if found[0].type is ColumnType.BOOLEAN:
            return None
        if found[0].type is ColumnType.CATEGORY:
            categories = dict.fromkeys(label for column in found for label in column.categories)
            return CategoryList(tuple(categories), any(column.other for column in found))
        ends, step = [ends_of(column) for column in found], common_step(map(step_of, found))
        type_ = ColumnType.DATE if found[0].type is ColumnType.DATE else number_type(*found, step=step)
        return Ordered(type_, min(low for low, _ in ends), max(high for _, high in ends), step)

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        result, step, numbers = self.result(columns), Fraction(1), list[WholeValue]()
        if isinstance(result, Ordered):
            step = result.step
            numbers = [place(columns[each], codes[each]) * int(step_of(columns[each]) / step) for each in self.of]
        elif result is None:
            numbers = [codes[each] for each in self.of]
        else:
            labels = (*result.categories, *([OTHER] if result.other else []))
            places = {label: at for at, label in enumerate(labels)}
            numbers = [looked_up(codes[each], [places[label] for label in columns[each].labels]) for each in self.of]
        branches = [(KnownTest((each,)), number) for each, number in zip(self.of, numbers, strict=True)]
        return Amount(choice(branches[:-1], numbers[-1]) if len(branches) > 1 else numbers[-1], step)

    def guarded(self, columns: Columns, codes: Mapping[str, WholeValue], made: WholeValue) -> WholeValue:
        return choice([(KnownTest((each,)), made) for each in self.inputs], None)

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        return next((cells[each] for each in self.of if cells[each] is not None), None)
