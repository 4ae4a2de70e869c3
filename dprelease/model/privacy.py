"""Terms of a privacy guarantee: units, neighbours, currency, and privacy losses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import isqrt
from typing import Any

from dprelease.model.missing import CODES, CodeRange, as_text, read_codes
from dprelease.model.report import Report, as_decimal
from dprelease.words import phrase

NANO = 10**9
ATTO = 10**18
MAX_EPSILON = 1_000_000
MAX_DELTA = Decimal("0.001")
MAX_ROWS = 1_000_000


class NeighboringRelation(StrEnum):
    """Adjacency: the relation between two tables that differ by one privacy unit.

    `add_remove` (unbounded DP): one has a unit that the other lacks. `substitute` (bounded DP): one unit's kept
    rows, 0 to max_rows of them, become any other such set; the number of rows is never assumed fixed.
    """

    ADD_REMOVE = "add_remove"
    SUBSTITUTE = "substitute"


class Currency(StrEnum):
    """Currency of a population's budget. `pure`: sums of ε and of δ. `zcdp`: sums of ρ and of δ."""

    PURE = "pure"
    ZCDP = "zcdp"


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """Privacy unit, whose presence is hidden: a row (`column` is None), or all rows with one identifier.

    A plan keeps at most `max_rows` rows of each unit; a row is one row. With `max_groups`, a unit counts in at most so
    many groups wherever units are counted by group.
    """

    column: str | None = None
    max_rows: int = 1
    max_groups: int | None = None
    missing_codes: tuple[str, ...] = ()
    """Identifiers that stand for nobody: rows with one are left out. The dataset is registered with them."""

    @property
    def groups(self) -> int:
        """Maximum number of groups in which a unit may count: max_groups, and never more than its rows."""
        return self.max_rows if self.max_groups is None else min(self.max_rows, self.max_groups)

    def to_mapping(self) -> Any:
        if self.column is None:
            return "row"
        mapping: dict[str, Any] = {"column": self.column, "max_rows": self.max_rows}
        if self.max_groups is not None:
            mapping["max_groups"] = self.max_groups
        return {**mapping, CODES: list(self.missing_codes)} if self.missing_codes else mapping

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> PrivacyUnit:
        if value == "row":
            return cls()
        if isinstance(value, str):
            report.add(path, found=value, allowed=phrase("model.row_column_identifier_max"))
            return cls()
        fields = report.mapping(
            value, path, allowed=("column", "max_rows", "max_groups", CODES), required=("column", "max_rows")
        )
        column = report.optional_text(fields, "column", path, shortest=1)
        most = {
            key: report.integer(fields[key], f"{path}.{key}", lowest=1, highest=MAX_ROWS)
            for key in ("max_rows", "max_groups")
            if fields.get(key) is not None
        }
        return cls(column or None, most.get("max_rows") or 1, most.get("max_groups"), read_nobody(fields, path, report))


def read_nobody(fields: Mapping[str, Any], path: str, report: Report) -> tuple[str, ...]:
    """Return the identifiers that stand for nobody, as texts."""
    if fields.get(CODES) is None:
        return ()
    codes = read_codes(fields[CODES], f"{path}.{CODES}", report)
    for index, code in enumerate(codes):
        if isinstance(code, CodeRange):
            report.add(
                f"{path}.{CODES}[{index}]", found=phrase("model.range"), allowed=phrase("model.single_identifiers")
            )
    return tuple(as_text(code) for code in codes if not isinstance(code, CodeRange))


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a guarantee: the unit whose presence is hidden, the neighbours it is compared with, and the currency."""

    unit: PrivacyUnit
    neighbors: NeighboringRelation
    currency: Currency = Currency.PURE
    discovers: bool = True
    """False of a population of which nothing is ever discovered: see `Population`."""

    @property
    def max_rows(self) -> int:
        return self.unit.max_rows

    @property
    def substitute(self) -> bool:
        """True if a unit's rows may become other rows, and so move from cell to cell."""
        return self.neighbors is NeighboringRelation.SUBSTITUTE


def rho_delta(delta_atto: int, discovers: bool) -> int:
    """Return the part of δ at which ρ is told as an ε: half, rounded down; all of it where nothing is discovered."""
    return delta_atto // 2 if discovers else delta_atto


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyLoss:
    """Privacy loss of a mechanism or a release: ε and ρ in 10^-9, δ in 10^-18, whole numbers. Losses add (composition).

    A population counts in ε (currency `pure`) or in ρ (currency `zcdp`), never in both.
    """

    epsilon_nano: int = 0
    rho_nano: int = 0
    delta_atto: int = 0

    @classmethod
    def of(cls, currency: Currency, nano: int, delta_atto: int = 0) -> PrivacyLoss:
        """Return an amount of a population's currency, in 10^-9 of ε or of ρ."""
        pure = currency is Currency.PURE
        return cls(epsilon_nano=nano if pure else 0, rho_nano=0 if pure else nano, delta_atto=delta_atto)

    @property
    def nano(self) -> int:
        """Amount of the loss in the currency it is counted in."""
        return self.epsilon_nano + self.rho_nano

    def __add__(self, other: PrivacyLoss) -> PrivacyLoss:
        return PrivacyLoss(
            epsilon_nano=self.epsilon_nano + other.epsilon_nano,
            rho_nano=self.rho_nano + other.rho_nano,
            delta_atto=self.delta_atto + other.delta_atto,
        )

    def __sub__(self, other: PrivacyLoss) -> PrivacyLoss:
        return PrivacyLoss(
            epsilon_nano=self.epsilon_nano - other.epsilon_nano,
            rho_nano=self.rho_nano - other.rho_nano,
            delta_atto=self.delta_atto - other.delta_atto,
        )

    def within(self, other: PrivacyLoss) -> bool:
        """Return True if no part of the loss is more than the other's."""
        return (
            self.epsilon_nano <= other.epsilon_nano
            and self.rho_nano <= other.rho_nano
            and self.delta_atto <= other.delta_atto
        )

    @property
    def currency(self) -> Currency:
        """Currency in which the loss is counted."""
        return Currency.ZCDP if self.rho_nano else Currency.PURE

    @property
    def pure_epsilon_nano(self) -> int:
        """The largest pure ε that this pays for, in nano: all of ε, or what is within ε²/2 <= ρ."""
        return self.epsilon_nano or isqrt(2 * self.rho_nano * NANO)

    @property
    def epsilon(self) -> Decimal:
        return Decimal(self.epsilon_nano) / NANO

    @property
    def rho(self) -> Decimal:
        return Decimal(self.rho_nano) / NANO

    @property
    def delta(self) -> Decimal:
        return Decimal(self.delta_atto) / ATTO

    @property
    def symbol(self) -> str:
        """ε or ρ, whichever it is counted in."""
        return "ρ" if self.rho_nano else "ε"

    @property
    def amount(self) -> Decimal:
        """ε or ρ, whichever it is counted in."""
        return self.rho if self.rho_nano else self.epsilon

    def to_mapping(self) -> dict[str, int]:
        """Return the mapping as in the ledger and on certificates; ρ only where the loss is counted in ρ."""
        rho = {"rho_nano": self.rho_nano} if self.rho_nano else {}
        return {"epsilon_nano": self.epsilon_nano, **rho, "delta_atto": self.delta_atto}

    def __str__(self) -> str:
        return f"{self.symbol} = {decimal_text(self.amount)}, δ = {decimal_text(self.delta)}"


def total(losses: Iterable[PrivacyLoss]) -> PrivacyLoss:
    """Return the sum of losses."""
    return sum(losses, start=PrivacyLoss())


def decimal_text(number: Decimal) -> str:
    """Return a decimal without trailing zeros or needless exponent, such as 0.1 or 1e-9."""
    text = format(number.normalize(), "f")
    return text if len(text) <= 14 else format(number.normalize(), "e").replace("E", "e").replace("e+", "e")


def significant(number: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, written out: 29960, not 2.996e+04."""
    return decimal_text(Decimal(f"{number:.{digits}g}"))


def read_epsilon(value: object, path: str, report: Report) -> int:
    """Return ε in nano, exactly; 0 with a problem where it is not a positive decimal of at most 9 places."""
    allowed = phrase("model.number_above_0_at_most", max_epsilon=MAX_EPSILON)
    number = as_decimal(value)
    if number is None or not 0 < number <= MAX_EPSILON or (number * NANO) % 1 != 0:
        report.add(path, found=value, allowed=allowed)
        return 0
    return int(number * NANO)


def read_delta(value: object, path: str, report: Report) -> int:
    """Return δ in atto, exactly; 0 with a problem where it is not a small decimal of at most 18 places."""
    number = as_decimal(value)
    if number is None or not 0 <= number <= MAX_DELTA or (number * ATTO) % 1 != 0:
        report.add(path, found=value, allowed=phrase("model.number_from_0_at", max_delta=MAX_DELTA))
        return 0
    return int(number * ATTO)
