"""Variables as described in a file itself: names, formats, labels. Public metadata, none of its rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from dprelease.model.encoding import plain
from dprelease.model.report import as_decimal

EXTENDED = re.compile("[A-Za-z_]")
"""Pattern of the names of labelled missing values: .a to .z of Stata, and .A to .Z and ._ of SAS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One variable, as the file's dictionary has it."""

    name: str
    label: str = ""
    format: str = ""
    """Display format in the statistics program, such as F8.2, %td or DATE9."""
    text: bool = False
    scale: bool = False
    """True if the file declares a scale measurement level, labels or not."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels by value, as text: 1.0 is 1."""
    missing: tuple[str, ...] = ()
    """Labelled values that stand for missing values."""
    codes: tuple[Any, ...] = ()
    """All values that stand for missing ones, labelled or not, and ranges {from, to} of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryField:
    """A column of Parquet or Arrow that has metadata of its own."""

    name: str
    type: str
    """Type in the words of codebooks; empty where it is text."""
    said: Mapping[str, str]
    """Metadata of the column, by their keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dictionary:
    """Description of a file's columns, kept with the table that is made of it."""

    variables: tuple[Variable, ...] = ()
    fields: tuple[DictionaryField, ...] = ()
    by_label: bool = False
    """True if the table stores labels instead of values."""
    hides_codes: bool = False
    """True if the format may declare codes for no answer that cannot be read from it."""
    has_formats: bool = False
    """True if value labels stand in another file, by the formats of variables, as those of SAS do."""

    def to_text(self) -> str:
        """Write it as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def of_text(cls, text: str | bytes) -> Dictionary:
        """Return the inverse of `to_text`."""
        kept = json.loads(text)
        return cls(
            **{
                **kept,
                "variables": variables_of(kept["variables"]),
                "fields": tuple(DictionaryField(**each) for each in kept["fields"]),
            }
        )

    def with_formats(self, labels: Mapping[str, Mapping[Any, object]]) -> Dictionary:
        """Return the dictionary with the labels of a catalogue, by format name. No label is one of a missing number."""
        told = {
            name.upper(): {written(value): str(label) for value, label in each.items() if value == value}
            for name, each in labels.items()
        }
        found = (replace(each, labels=told.get(_bare(each.format), each.labels)) for each in self.variables)
        return replace(self, variables=tuple(map(_with_extended, found)))


def variables_of(told: Iterable[Mapping[str, Any]]) -> tuple[Variable, ...]:
    """Return variables as `dataclasses.asdict` and JSON tell them."""
    return tuple(Variable(**{**each, **{key: tuple(each[key]) for key in ("missing", "codes")}}) for each in told)


def variables(meta: Any) -> tuple[Variable, ...]:
    """Return the dictionary as pyreadstat gives it."""
    return tuple(_variable(name, meta) for name in meta.column_names)


def _variable(name: str, meta: Any) -> Variable:
    labels = {written(value): str(label) for value, label in meta.variable_value_labels.get(name, {}).items()}
    ranges = [(item.get("lo"), item.get("hi")) for item in meta.missing_ranges.get(name, [])]
    codes = tuple(code for low, high in ranges if (code := _code(low, high)) is not None)
    ranges += [(value, value) for value in meta.missing_user_values.get(name, [])]
    return Variable(
        name=name,
        label=str(meta.column_names_to_labels.get(name) or ""),
        format=str(meta.original_variable_types.get(name) or ""),
        text=meta.readstat_variable_types.get(name) == "string",
        scale=meta.variable_measure.get(name) == "scale",
        labels=labels,
        missing=tuple(
            value
            for value in labels
            if any(_within(value, low, high) for low, high in ranges) or _is_extended(value, name, meta)
        ),
        codes=codes,
    )


def _is_extended(value: str, name: str, meta: Any) -> bool:
    """Return True if a labelled value is one of Stata's .a to .z, which are no values of a number."""
    return meta.readstat_variable_types.get(name) != "string" and bool(EXTENDED.fullmatch(value))


def _code(low: object, high: object) -> Any:
    """Return a declared range as a code; an end that no column reaches is open. None for one that holds everything."""
    if low == high:
        return written(low)
    ends = {"from": low, "to": high}
    code = {key: written(end) for key, end in ends.items() if as_decimal(end) is not None}
    return code or None


def written(value: object) -> str:
    """Return a value as it stands in the table: 1.0 is 1."""
    number = as_decimal(value)
    return str(value).strip() if number is None else str(plain(number))


def _within(value: str, low: object, high: object) -> bool:
    number = as_decimal(value)
    if number is None or not (isinstance(low, int | float) and isinstance(high, int | float)):
        return value == str(low)
    return low <= number <= high


def _bare(format: str) -> str:
    """Return the name of a format, without its width and decimals."""
    return format.upper().rstrip("0123456789.")


def _with_extended(variable: Variable) -> Variable:
    """Return a variable with those of its labelled values that are missing ones by themselves."""
    if variable.text:
        return variable
    own = [value for value in variable.labels if EXTENDED.fullmatch(value) and value not in variable.missing]
    return replace(variable, missing=(*variable.missing, *own))
