"""Plan as code has it: changed into other plans, compared and saved, always by the parser of plan files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import FrozenInstanceError
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack

from dprelease.errors import PlanError
from dprelease.model.code import AnyColumns, Quantity, Where, schema_of, written
from dprelease.model.difference import Change, changes
from dprelease.model.privacy import ATTO, NANO, NeighboringRelation, PrivacyUnit, decimal_text
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import Statistic
from dprelease.model.view import View, Viewed
from dprelease.words import Phrase, phrase, quoted, verbatim

LONGEST, CUT = 60, 52
"""Characters of an id, and how many are kept of a longer one."""


class PlanKeys(TypedDict, total=False):
    """Keys of a plan that may be left out, as a plan file has them."""

    title: str
    description: str
    delta: Quantity
    where: Where | Sequence[Where]
    expected: int | Mapping[str, int]
    about: Mapping[str, Any]
    run: Mapping[str, Any]
    missing_codes: Sequence[Any]
    texts: Mapping[str, Any]
    weights: Literal["auto", "equalise", "minimise"]
    postprocess: Sequence[Literal["consistent", "nonnegative", "integer"]]
    charts: bool
    lead: str
    public: Mapping[str, Any]
    derived: Sequence[Mapping[str, Any]]
    accept: Sequence[Mapping[str, Any]]


class PlanChanges(PlanKeys, total=False):
    """Keys of a plan that may be replaced."""

    dataset: str
    columns: AnyColumns
    unit: PrivacyUnit | Literal["row"]
    neighbors: Literal["add_remove", "substitute"]
    epsilon: Quantity


PRIVACY_KEYS = ("unit", "neighbors", "epsilon", "delta")
CHANGES = ("dataset", "columns", *PRIVACY_KEYS, *(key for key in PlanKeys.__annotations__ if key != "delta"))


class PlanInCode(Viewed):
    """Changes of a plan, each another plan: it never changes itself."""

    if TYPE_CHECKING:
        dataset: str
        title: str
        unit: PrivacyUnit
        neighbors: NeighboringRelation
        epsilon_nano: int
        delta_atto: int
        statistics: tuple[Statistic, ...]
        schema: Schema

        @classmethod
        def parse(cls, value: Mapping[str, Any], *, unfinished: bool = False) -> Self: ...
        def to_mapping(self) -> dict[str, Any]: ...

    @property
    def epsilon(self) -> Decimal:
        """The plan's ε."""
        return Decimal(self.epsilon_nano) / NANO

    @property
    def delta(self) -> Decimal:
        """The plan's δ."""
        return Decimal(self.delta_atto) / ATTO

    def view(self) -> View:
        return View(
            str(phrase("model.view_plan", title=self.title or self.dataset, dataset=quoted(self.dataset))),
            [
                loss_of(self, self.epsilon, self.delta),
                str(phrase("model.view_columns", count=len(self.schema.columns))),
            ],
            ("id", "kind", "columns"),
            [(each.id, each.kind, ", ".join(each.used_columns())) for each in self.statistics],
        )

    def replace(self, **changes: Unpack[PlanChanges]) -> Self:
        """Return the plan with some keys replaced, read anew. Raises PlanError with every problem."""
        report = Report()
        given = report.mapping(dict(changes), "", allowed=CHANGES)
        report.raise_any(PlanError)
        return self.parse(replaced(self.to_mapping(), given), unfinished=True)

    def add(self, *statistics: Statistic) -> Self:
        """Return the plan with statistics more: an id that nobody gave is made different from those that are there.

        Raises PlanError with every problem.
        """
        mapping, report = self.to_mapping(), Report()
        taken = {statistic.id for statistic in self.statistics}
        given: tuple[object, ...] = statistics
        for statistic in given:
            path = f"statistics[{len(mapping['statistics'])}]"
            if not isinstance(statistic, Statistic):
                allowed, remedy = phrase("model.code_statistic"), verbatim("dprelease.count(), dprelease.mean(...)")
                report.add(path, found=_kind_of(statistic), allowed=allowed, remedy=remedy)
                continue
            _check_declared(statistic, self.schema, path, report)
            repeats = statistic.id in taken and statistic.id == usual_id(statistic)
            made = _numbered(statistic.id, taken) if repeats else statistic.id
            taken.add(made)
            mapping["statistics"].append(statistic.to_mapping() | {"id": made})
        report.raise_any(PlanError)
        return self.parse(mapping, unfinished=True)

    def without(self, *ids: str) -> Self:
        """Return the plan without some statistics. Raises PlanError where it has no such statistic."""
        report, mapping = Report(), self.to_mapping()
        for statistic_id in ids:
            report.choice(statistic_id, "statistics", [statistic.id for statistic in self.statistics])
        report.raise_any(PlanError)
        mapping["statistics"] = [each for each in mapping["statistics"] if each["id"] not in ids]
        return self.parse(mapping, unfinished=True)

    def diff(self, other: PlanInCode) -> tuple[Change, ...]:
        """Return what the other plan has otherwise, in the order of a plan file; none where they are one."""
        return changes(self.to_mapping(), other.to_mapping())

    def to_yaml(self) -> str:
        """Return the text of a plan file."""
        from dprelease.model.yaml_text import dump  # late: what only reads JSON does not wait for it

        return dump(self.to_mapping())

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write a plan file. Raises PlanError where a file is there, unless it may be overwritten."""
        target = Path(path)
        try:
            with target.open("w" if overwrite else "x", encoding="utf-8") as file:
                file.write(self.to_yaml())
        except FileExistsError:
            allowed, remedy = phrase("model.code_new_file"), verbatim("plan.save(path, overwrite=True)")
            raise PlanError("path", found=str(target), allowed=allowed, remedy=remedy) from None
        except OSError as cause:
            allowed, remedy = phrase("model.code_new_file"), verbatim(str(cause.strerror))
            raise PlanError("path", found=str(target), allowed=allowed, remedy=remedy) from None
        return target


def loss_of(plan: PlanInCode, epsilon: Decimal, delta: Decimal) -> str:
    """State an ε of a plan with its unit, relation and δ, and that what was spent before is not in it."""
    unit, amounts = plan.unit, {"epsilon": decimal_text(epsilon), "delta": decimal_text(delta)}
    key = "model.view_loss_row" if unit.column is None else "model.view_loss"
    column = quoted(unit.column or "")
    return str(phrase(key, column=column, rows=unit.max_rows, relation=plan.neighbors.value, **amounts))


def replaced(mapping: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping of a plan with keys of code in place of its own; None leaves an optional key out."""
    for key, value in given.items():
        if key in PRIVACY_KEYS:
            mapping["privacy"][key] = written(value)
        elif key == "columns" and not isinstance(value, Mapping):
            mapping[key] = schema_of(value).to_mapping()
        elif key == "where" and isinstance(value, Where | Sequence):
            mapping[key] = written(value if isinstance(value, Where) else list(value)) or None
        elif key == "expected" and isinstance(value, int):
            mapping[key] = {"rows": value}
        else:
            mapping[key] = written(value)
    return mapping


def _kind_of(value: object) -> Phrase:
    return phrase("model.code_found_type", type=type(value).__name__, value=quoted(value))


def _numbered(name: str, taken: Collection[str]) -> str:
    return next(each for number in count(2) if (each := f"{name[:54]}_{number}") not in taken)


def _check_declared(statistic: Statistic, schema: Schema, path: str, report: Report) -> None:
    """Add a problem for each column of a class in code that the plan has otherwise, or not at all."""
    for column in statistic.declared:
        own = schema.get(column.name)
        if own is None or (own.type, own.lattice, own.labels) != (column.type, column.lattice, column.labels):
            allowed = (
                verbatim(", ".join(name for name in schema.columns)) if schema.columns else phrase("model.nothing")
            )
            found = phrase("model.code_other_class", name=quoted(column.name))
            report.add(path, found=found, allowed=allowed, remedy=phrase("model.code_plan_columns"))


def usual_id(statistic: Statistic) -> str:
    """Return the id of a statistic where nobody gives one: its kind, its columns, its keys and their levels."""
    from anyascii import anyascii

    options = {key: (reader, getattr(statistic, key)) for key, reader in statistic.options().items()}
    columns = [name for key, (reader, value) in options.items() if key != "by" for name in reader.columns(value)]
    by = list(getattr(statistic, "by", ()) or ())
    levels = [level for _, level in getattr(statistic, "levels", ())]
    words = [statistic.kind, *dict.fromkeys(columns), *(["by", *by] if by else []), *levels]
    name = re.sub(r"[^a-z0-9]+", "_", anyascii("_".join(words)).lower()).strip("_")
    if len(name) <= LONGEST:
        return name
    return f"{name[:CUT]}_{hashlib.sha256(name.encode()).hexdigest()[:7]}"


def refuse_assignment(self: PlanInCode, name: str, value: object) -> None:
    """Say that a plan never changes, and how another is made."""
    raise FrozenInstanceError(phrase("model.code_frozen", name=verbatim(name)))
