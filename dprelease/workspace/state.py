"""What an open workspace holds: its database, its engine, its signing key and its private tables."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dprelease.bundle.signing import SigningKey
from dprelease.errors import InputError, InternalError
from dprelease.statistics.answer import queries
from dprelease.statistics.price import Price
from dprelease.store.database import Database
from dprelease.table import Discovery, Engine, Table, Tally
from dprelease.table.engine import check_columns
from dprelease.table.ingest import ingest
from dprelease.workspace.home import Home

MEMORY = "memory:"


@dataclass
class State:
    """The effects of a workspace; `home` is None where everything is in memory."""

    home: Home | None
    database: Database
    _held: dict[str, Table] = field(default_factory=dict, repr=False)
    _opened: dict[str, Table] = field(default_factory=dict, repr=False)
    _answered: tuple[tuple[str, str], list[Tally | Discovery]] | None = field(default=None, repr=False)

    @cached_property
    def engine(self) -> Engine:
        return Engine() if self.home is None else Engine(self.home.private, self.home.own_spill)

    @cached_property
    def key(self) -> SigningKey:
        return SigningKey.in_memory() if self.home is None else SigningKey.open(self.home.keys / "signing.pem")

    def store(self, source: Any, *, filename: str) -> str:
        """Copies a table (a path or a DataFrame) into the private part and returns its location."""
        is_path = isinstance(source, str | Path)
        if is_path and not Path(source).is_file():
            raise InputError(
                "source", found=str(source), allowed="the path of a CSV, TSV or Parquet file, or a DataFrame"
            )
        if self.home is None:
            location = MEMORY + secrets.token_hex(8)
            held = self.engine.hold_file(Path(source), filename=filename) if is_path else self.engine.hold(source)
            self._held[location] = held
            return location
        path = self.home.new_table()
        if is_path:
            ingest(Path(source), path, filename=filename)
        else:
            self.engine.save(source, path)
        path.chmod(0o600)
        return path.name

    def adopt(self, path: Path) -> str:
        """Moves a Parquet file that is already in the private part among the tables."""
        if self.home is None:
            location = self.store(path, filename=path.name)
            path.unlink()
            return location
        target = self.home.new_table()
        path.rename(target)
        return target.name

    def discard(self, location: str) -> None:
        """Deletes a stored table, and what is known of it."""
        self._answered = None
        if self.home is None:
            self._held.pop(location, None)
        else:
            (self.home.tables / location).unlink(missing_ok=True)

    def tallies(self, location: str, price: Price, *, keep: bool) -> list[Tally | Discovery]:
        """The exact tallies of a plan. `keep` holds them in memory until another plan's: rows here never change."""
        key = (location, price.plan.hash)
        kept = self._answered
        if kept is None or kept[0] != key:
            kept = (key, self._answer(self.table(location), price))
            if keep:
                self._answered = kept
        return kept[1]

    def rehearse(self, location: str, price: Price) -> None:
        """Answers a plan over no rows, so that what cannot work fails before anything is charged."""
        table = self.table(location)
        check_columns(table, price.plan.schema, price.plan.unit)
        self._answer(table.without_rows(), price)

    def _answer(self, table: Table, price: Price) -> list[Tally | Discovery]:
        plan = price.plan
        return self.engine.answer(table, queries(price), schema=plan.schema, where=plan.where, unit=plan.unit)

    def table(self, location: str) -> Table:
        """The table at a location; its column names are read once, its rows are not."""
        if location.startswith(MEMORY):
            return self._held[location]
        if self.home is None:
            raise InternalError("a table on disk belongs to no workspace in memory")
        if location not in self._opened:
            self._opened[location] = self.engine.parquet(self.home.tables / location)
        return self._opened[location]
