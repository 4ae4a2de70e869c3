"""Statistic, one requested result: an entry under `statistics` in a plan file."""

from __future__ import annotations

import dataclasses
import re
from abc import ABC
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, ClassVar

from dprelease.model.column import Column
from dprelease.model.encoding import plain
from dprelease.model.options import Option
from dprelease.model.presentation import Presentation
from dprelease.model.privacy import NANO, read_epsilon
from dprelease.model.report import Report, join
from dprelease.model.schema import Schema
from dprelease.words import phrase, verbatim

SHARE_KEYS = ("weight", "epsilon", "target_error")
COMMON_KEYS = ("id", "kind", *SHARE_KEYS)
ID = re.compile(r"[a-z][a-z0-9_]{0,59}")
TABLE = re.compile(rf"{ID.pattern}(?:\.{ID.pattern})?")
"""The name of a published table: the id of its statistic, with a name of its own where the statistic has several."""


def statistic_of(table: str) -> str:
    """Return the id of the statistic that a published table belongs to."""
    return table.partition(".")[0]


@dataclass(frozen=True, slots=True)
class TargetError:
    """Target margin of error of a result, with its confidence level; the ε follows."""

    value: Decimal
    """A half-width in the statistic's own units."""
    confidence: Decimal = Decimal("0.95")

    def to_mapping(self) -> dict[str, Any]:
        return {"value": plain(self.value), "confidence": plain(self.confidence)}

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> TargetError | None:
        fields = report.mapping(value, path, allowed=("value", "confidence"), required=("value",))
        before = len(report.problems)
        parts = {}
        for key, allowed, least, most in (
            ("value", phrase("model.number_above_0"), Decimal("1e-30"), Decimal("1e15")),
            ("confidence", phrase("model.number_from_0_5"), Decimal("0.5"), Decimal("0.999")),
        ):
            if fields.get(key) is not None:
                number = report.decimal(fields[key], join(path, key), allowed=allowed)
                if number is not None and not least <= number <= most:
                    report.add(join(path, key), found=fields[key], allowed=allowed)
                parts[key] = number
        return None if len(report.problems) > before or "value" not in parts else cls(**parts)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Statistic(ABC):
    """A result to publish, with its share of the budget. Kinds are the subclasses listed in `dprelease.statistics`.

    A subclass declares its options as fields made by `option(...)`; this class reads and writes them.
    """

    kind: ClassVar[str]
    presentation: ClassVar[Presentation]
    """Presentation of its numbers: facts that others ask in place of its name."""
    offers: ClassVar[tuple[str, ...]] = ()
    """Options that it takes of those that kinds share."""
    example: ClassVar[tuple[str, ...]] = ()
    """Options of its example in code, beside those that must be given."""
    declared: ClassVar[tuple[Column, ...]] = ()
    """Columns of a class in code that it was asked of: the plan that it is added to must have the same."""
    id: str
    weight: Decimal = Decimal(1)
    """Share of what the statistics with their own ε leave of the plan's ε."""
    epsilon_nano: int | None = None
    """ε of the statistic's own, or None where the weight or the target error decides."""
    target_error: TargetError | None = None
    """Target error that its ε is to be solved from."""

    @classmethod
    def options(cls) -> Mapping[str, Option]:
        """Return the option readers of this kind, by key; those that must be given come first."""
        return _options(cls)

    @classmethod
    def required(cls) -> tuple[str, ...]:
        """Return the keys without a default."""
        return tuple(field.name for field in _option_fields(cls) if field.default is dataclasses.MISSING)

    def used_columns(self) -> tuple[str, ...]:
        """Return the columns this statistic looks at, each once."""
        names = (name for key, reader in self.options().items() for name in reader.columns(getattr(self, key)))
        return tuple(dict.fromkeys(names))

    def check(self, path: str, schema: Schema, report: Report) -> None:
        """Add problems that show only beside the declared columns."""
        before = len(report.problems)
        for key, reader in self.options().items():
            reader.check(getattr(self, key), join(path, key), schema, report)
        if len(report.problems) == before:
            self.check_together(path, schema, report)

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        """Add problems of options that are sound one by one; subclasses have their own."""

    def to_mapping(self) -> dict[str, Any]:
        result: dict[str, Any] = {"id": self.id, "kind": self.kind}
        for field in _option_fields(type(self)):
            value = getattr(self, field.name)
            if value != field.default:
                result[field.name] = field.metadata["option"].write(value)
        if self.epsilon_nano is not None:
            result["epsilon"] = plain(Decimal(self.epsilon_nano) / NANO)
        elif self.target_error is not None:
            result["target_error"] = self.target_error.to_mapping()
        elif self.weight != 1:
            result["weight"] = plain(self.weight)
        return result


@cache
def _option_fields(kind: type[Statistic]) -> tuple[dataclasses.Field[Any], ...]:
    """Return the option fields of a kind, those that must be given first."""
    declared = [field for field in dataclasses.fields(kind) if "option" in field.metadata]
    fields = [field for field in declared if field.metadata["offered"] or field.name in kind.offers]
    return tuple(sorted(fields, key=lambda field: field.default is not dataclasses.MISSING))


@cache
def _options(kind: type[Statistic]) -> Mapping[str, Option]:
    return MappingProxyType({field.name: field.metadata["option"] for field in _option_fields(kind)})


class Kinds(MutableMapping[str, type[Statistic]]):
    """The kinds of statistics by name. One that has a place is imported from there when it is first asked for."""

    def __init__(self) -> None:
        self._found: dict[str, type[Statistic] | str] = {}

    def place(self, kind: str, place: str) -> None:
        """Set the module and name of a kind: `module.Name`."""
        self._found[kind] = place

    def __getitem__(self, kind: str) -> type[Statistic]:
        found = self._found[kind]
        if isinstance(found, str):
            module, _, name = found.rpartition(".")
            found = self._found[kind] = getattr(import_module(module), name)
        return found

    def __setitem__(self, kind: str, statistic: type[Statistic]) -> None:
        self._found[kind] = statistic

    def __delitem__(self, kind: str) -> None:
        del self._found[kind]

    def __contains__(self, kind: object) -> bool:
        return kind in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


KINDS = Kinds()
"""Kinds of statistics, filled by `dprelease.statistics` from its list."""


def read_statistic(value: object, path: str, report: Report) -> Statistic | None:
    """Read one entry of `statistics`; None where it has problems."""
    before = len(report.problems)
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if isinstance(value, Mapping) and kind is None:
        report.add(join(path, "kind"), found=phrase("model.nothing"), allowed=verbatim(", ".join(KINDS)))
        return None
    if isinstance(value, Mapping) and report.choice(kind, join(path, "kind"), KINDS) is None:
        return None
    if not isinstance(value, Mapping):
        report.add(path, found=value, allowed=phrase("model.mapping_id_kind"))
        return None
    cls = KINDS[str(kind)]
    readers = cls.options()
    fields = report.mapping(value, path, allowed=(*COMMON_KEYS, *readers), required=("id", *cls.required()))
    common = _read_common(fields, path, report)
    chosen = {
        key: reader.read(fields[key], join(path, key), report)
        for key, reader in readers.items()
        if fields.get(key) is not None
    }
    return None if len(report.problems) > before else cls(**common, **chosen)


def _read_common(fields: Mapping[str, Any], path: str, report: Report) -> dict[str, Any]:
    common: dict[str, Any] = {}
    if fields.get("id") is not None:
        common["id"] = fields["id"]
        if not isinstance(common["id"], str) or not ID.fullmatch(common["id"]):
            report.add(
                join(path, "id"),
                found=common["id"],
                allowed=phrase("model.z_0_9_beginning"),
            )
    given = [key for key in SHARE_KEYS if fields.get(key) is not None]
    if len(given) > 1:
        report.add(path, found=phrase("model.both", given=" and ".join(given)), allowed=phrase("model.one_them"))
    if fields.get("epsilon") is not None:
        common["epsilon_nano"] = read_epsilon(fields["epsilon"], join(path, "epsilon"), report)
    if fields.get("weight") is not None:
        weight = report.decimal(fields["weight"], join(path, "weight"), allowed=phrase("model.number_above_0_at"))
        if weight is not None and not Decimal("0.000001") <= weight <= 1_000_000:
            report.add(join(path, "weight"), found=fields["weight"], allowed=phrase("model.number_from_0_000001"))
        common["weight"] = weight
    if fields.get("target_error") is not None:
        common["target_error"] = TargetError.read(fields["target_error"], join(path, "target_error"), report)
    return common
