"""Whose presence is hidden, from whom it cannot be told apart, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from dprelease.model.report import Report, as_decimal

NANO = 10**9
ATTO = 10**18
MAX_EPSILON = 1_000_000
MAX_DELTA = Decimal("0.001")
MAX_ROWS = 1_000_000


class NeighboringRelation(StrEnum):
    """Which two tables differ by one privacy unit.

    `add_remove` (unbounded DP): one has a unit that the other lacks. `substitute` (bounded DP): one unit's kept
    rows, 0 to max_rows of them, become any other such set; the number of rows is never assumed fixed.
    """

    ADD_REMOVE = "add_remove"
    SUBSTITUTE = "substitute"


class Currency(StrEnum):
    """In what a population's budget is counted. `pure`: sums of ε and of δ."""

    PURE = "pure"


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """Whose presence is hidden: a row (`column` is None), or all rows with one identifier.

    A plan keeps at most `max_rows` rows of each unit; a row is one row.
    """

    column: str | None = None
    max_rows: int = 1

    def to_mapping(self) -> Any:
        return "row" if self.column is None else {"column": self.column, "max_rows": self.max_rows}

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> PrivacyUnit:
        if value == "row":
            return cls()
        if isinstance(value, str):
            report.add(path, found=value, allowed="row, or {column: <identifier>, max_rows: <number>}")
            return cls()
        fields = report.mapping(value, path, allowed=("column", "max_rows"), required=("column", "max_rows"))
        column = report.optional_text(fields, "column", path, shortest=1)
        max_rows = None
        if fields.get("max_rows") is not None:
            max_rows = report.integer(fields["max_rows"], f"{path}.max_rows", lowest=1, highest=MAX_ROWS)
        return cls(column or None, max_rows or 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyLoss:
    """What a mechanism or a release costs: ε in 10^-9, δ in 10^-18, whole numbers. Losses add (composition)."""

    epsilon_nano: int = 0
    delta_atto: int = 0

    def __add__(self, other: PrivacyLoss) -> PrivacyLoss:
        return PrivacyLoss(
            epsilon_nano=self.epsilon_nano + other.epsilon_nano, delta_atto=self.delta_atto + other.delta_atto
        )

    @property
    def epsilon(self) -> Decimal:
        return Decimal(self.epsilon_nano) / NANO

    @property
    def delta(self) -> Decimal:
        return Decimal(self.delta_atto) / ATTO

    def __str__(self) -> str:
        return f"ε = {decimal_text(self.epsilon)}, δ = {decimal_text(self.delta)}"


def total(losses: Iterable[PrivacyLoss]) -> PrivacyLoss:
    """The sum of losses."""
    return sum(losses, start=PrivacyLoss())


def decimal_text(number: Decimal) -> str:
    """A decimal without trailing zeros or needless exponent, such as 0.1 or 1e-9."""
    text = format(number.normalize(), "f")
    return text if len(text) <= 14 else format(number.normalize(), "e").replace("E", "e").replace("e+", "e")


def read_epsilon(value: object, path: str, report: Report) -> int:
    """ε in nano, exactly; 0 with a problem where it is not a positive decimal of at most 9 places."""
    allowed = f"a number above 0, at most {MAX_EPSILON}, with at most 9 decimals"
    number = as_decimal(value)
    if number is None or not 0 < number <= MAX_EPSILON or (number * NANO) % 1 != 0:
        report.add(path, found=value, allowed=allowed)
        return 0
    return int(number * NANO)


def read_delta(value: object, path: str, report: Report) -> int:
    """δ in atto, exactly; 0 with a problem where it is not a small decimal of at most 18 places."""
    number = as_decimal(value)
    if number is None or not 0 <= number <= MAX_DELTA or (number * ATTO) % 1 != 0:
        report.add(path, found=value, allowed=f"a number from 0 to {MAX_DELTA} with at most 18 decimals")
        return 0
    return int(number * ATTO)
