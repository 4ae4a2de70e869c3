"""A table that stays in an engine of its own: only tallies come back. One file an engine, listed by its scheme."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from dprelease.errors import InputError
from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Query
from dprelease.table.address import Address, scheme_of
from dprelease.table.answer import Session, Table
from dprelease.table.dialect import Dialect
from dprelease.table.tally import Discovery, Tally
from dprelease.words import phrase


@dataclass(frozen=True)
class Warehouse(ABC):
    """One table of an engine that runs elsewhere. A connection lasts as long as a session."""

    dialect: ClassVar[type[Dialect]]
    address: Address = field(repr=False)
    password: str | None = field(default=None, repr=False)
    scratch: Path | None = field(default=None, repr=False)
    """A private folder for what an engine's client may have to write; by default one among temporary files."""

    @abstractmethod
    def session(self) -> AbstractContextManager[Session]:
        """A read-only session, all of whose answers are of one snapshot. Raises InputError where there is none."""

    def apart(self) -> AbstractContextManager[Session]:
        """Return a session that looks at no table."""
        return self.session()

    @abstractmethod
    def table(self) -> Table:
        """Return the table's columns as they are now. Raises InputError where it cannot be reached or read."""

    def answer(
        self,
        table: Table,
        queries: Sequence[Query],
        *,
        schema: Schema,
        where: tuple[Condition, ...],
        unit: PrivacyUnit,
        after: Sequence[Query] = (),
    ) -> list[Tally | Discovery]:
        """Return every tally of a plan, as `Engine.answer`."""
        with self.session() as session:
            return session.answer(table, queries, schema=schema, where=where, unit=unit, after=after)

    def shapes(
        self, table: Table, columns: Sequence[str], *, schema: Schema, where: tuple[Condition, ...]
    ) -> dict[str, list[tuple[str, int]]]:
        """Return the shapes of unreadable cells, as `Session.shapes`."""
        with self.session() as session:
            return session.shapes(table, columns, schema=schema, where=where)


def open_warehouse(address: Address, password: str | None, scratch: Path | None = None) -> Warehouse:
    """Return what reaches the table of an address. Connects to nothing yet."""
    kind = scheme_of(address.scheme)
    try:
        warehouse: type[Warehouse] = getattr(import_module(kind.module), kind.warehouse)
    except ImportError:
        raise InputError(
            "address",
            found=phrase("table.whose_client_installed", scheme=address.scheme),
            allowed=phrase("table.engine_whose_client_installed"),
            remedy=phrase("table.pip_install_dprelease", scheme=address.scheme),
        ) from None
    return warehouse(address, password, scratch)


def check_types(table: Table, registered: dict[str, str], names: Sequence[str]) -> None:
    """Raise InputError where a column has another type than when its dataset was registered."""
    report = Report()
    for name in names:
        before, now = registered.get(name), table.storage.get(name)
        if before is not None and now is not None and before != now:
            report.add(
                f"columns.{name}",
                found=phrase("table.stored_column_type", split=now),
                allowed=phrase("table.type_when_dataset_was", before=before),
                remedy=phrase("table.replace_dataset_rows_same"),
            )
    report.raise_any(InputError)
