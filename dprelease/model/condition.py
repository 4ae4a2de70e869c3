"""One line of `where`: which rows a plan looks at, decided on coded values, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dprelease.model.column import CODED, LISTED
from dprelease.model.report import Report, join
from dprelease.model.schema import Schema, check_column
from dprelease.words import phrase

BOUNDS = ("at_least", "at_most")
LISTS = ("equals", "in")
MAX_LIST = 10_000
MAX_CONDITIONS = 50


@dataclass(frozen=True, slots=True)
class Condition:
    """A row stays where its code in `column` passes every test; a row without a code does not stay.

    `at_least` and `at_most` compare with a declared value of an ordered column (after clipping to its bounds);
    `equals` and `in` name declared values.
    """

    column: str
    tests: tuple[tuple[str, Any], ...]

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Condition | None:
        before = len(report.problems)
        fields = report.mapping(value, path, allowed=("column", *BOUNDS, *LISTS), required=("column",))
        column = report.optional_text(fields, "column", path, shortest=1)
        tests: list[tuple[str, Any]] = []
        for key in (*BOUNDS, *LISTS):
            if fields.get(key) is not None:
                item = fields[key]
                if key == "in":
                    items = enumerate(report.sequence(item, join(path, key), longest=MAX_LIST))
                    tests.append((key, tuple(report.scalar(entry, f"{join(path, key)}[{i}]") for i, entry in items)))
                else:
                    tests.append((key, report.scalar(item, join(path, key))))
        if isinstance(value, Mapping) and not tests:
            report.add(path, found=phrase("model.no_test"), allowed=phrase("model.at_least_at_most"))
        if len(report.problems) > before:
            return None
        return cls(column, tuple(tests))

    def check(self, path: str, schema: Schema, report: Report) -> None:
        column = check_column(self.column, join(path, "column"), CODED, schema, report)
        if column is None:
            return
        for key, value in self.tests:
            if key in BOUNDS and column.type in LISTED:
                report.add(
                    join(path, key),
                    found=phrase("model.comparison_column", type=column.type),
                    allowed=phrase("model.equals"),
                )
                continue
            for item in value if key == "in" else (value,):
                if column.code(item) is None:
                    report.add(
                        join(path, key),
                        found=item,
                        allowed=phrase("model.declared_value_between_column"),
                    )

    def codes(self, schema: Schema) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Return the tests with values replaced by codes."""
        column = schema[self.column]
        return tuple(
            (
                key,
                tuple(code for item in (value if key == "in" else (value,)) if (code := column.code(item)) is not None),
            )
            for key, value in self.tests
        )

    def to_mapping(self) -> dict[str, Any]:
        return {"column": self.column} | {
            key: [_plain(item) for item in value] if key == "in" else _plain(value) for key, value in self.tests
        }


def read_conditions(value: object, path: str, report: Report) -> tuple[Condition, ...]:
    """Return a list of conditions; those with problems are left out."""
    conditions = [
        Condition.read(item, f"{path}[{index}]", report)
        for index, item in enumerate(report.sequence(value, path, longest=MAX_CONDITIONS))
    ]
    return tuple(condition for condition in conditions if condition is not None)


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value
