"""Tables that stay on a server of their own: where each is, what its columns were, and the servers' passwords."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dprelease.errors import InputError
from dprelease.model.catalogue import CatalogueColumn
from dprelease.registry import load
from dprelease.table import Table
from dprelease.table.address import Scheme, read_address, scheme_of
from dprelease.table.warehouse import Warehouse, check_types, open_warehouse
from dprelease.words import phrase, verbatim

PREFIX = "elsewhere:"


def is_elsewhere(location: str) -> bool:
    """Return True if the rows at a location are on a server, and may change there at any time."""
    return location.startswith(PREFIX)


def has_catalogue(location: str) -> bool:
    """Return True if the table at a location is on a server whose catalogue can be read."""
    return is_elsewhere(location) and bool(_scheme(location).catalogue)


def read_catalogue(location: str, warehouse: Warehouse) -> tuple[CatalogueColumn, ...]:
    """Return the columns of a table as the catalogue of its server describes them.

    Raises InputError where the server has no catalogue that this program reads.
    """
    place = _scheme(location).catalogue
    if not place:
        raise InputError("table", found=verbatim(_scheme(location).name), allowed=phrase("table.table_postgresql"))
    found: tuple[CatalogueColumn, ...] = load(place)(warehouse)
    return found


def _scheme(location: str) -> Scheme:
    return scheme_of(json.loads(location.removeprefix(PREFIX))["address"])


@dataclass
class Warehouses:
    """Passwords are in a private file that nobody else can read; without one, in memory. Nothing else holds them."""

    path: Path | None
    scratch: Path | None = None
    """Folder where an engine's client may write for a while, if it must."""
    _held: dict[str, str] = field(default_factory=dict, repr=False)

    def register(self, text: str) -> str:
        """Connect, keep the address's password apart, and return a location: address, column names and types."""
        address, password = read_address(text)
        table = open_warehouse(address, password or self._passwords().get(address.server), self.scratch).table()
        if password is not None:
            self._keep(self._passwords() | {address.server: password})
        facts = {"address": str(address), "columns": table.storage}
        return PREFIX + json.dumps(facts, ensure_ascii=False, separators=(",", ":"))

    def open(self, location: str) -> Warehouse:
        """Return what reaches the table at a location."""
        address, _ = read_address(self._facts(location)["address"])
        return open_warehouse(address, self._passwords().get(address.server), self.scratch)

    def check_types(self, location: str, table: Table, names: Iterable[str]) -> None:
        """Raise InputError where a column has another type than when the table was registered."""
        check_types(table, self._facts(location)["columns"], list(names))

    def forget_all_but(self, locations: Iterable[str]) -> None:
        """Delete the passwords of servers on which no dataset has its table."""
        used = {read_address(self._facts(each)["address"])[0].server for each in locations if is_elsewhere(each)}
        kept = {server: password for server, password in self._passwords().items() if server in used}
        if kept != self._passwords():
            self._keep(kept)

    def _facts(self, location: str) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(location.removeprefix(PREFIX))
        return facts

    def _passwords(self) -> dict[str, str]:
        if self.path is None:
            return self._held
        try:
            found: dict[str, str] = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            raise InputError(
                "connections",
                found=phrase("table.file_cannot_read"),
                allowed=phrase("workspace.private_file_dprelease_wrote"),
            ) from None
        return found

    def _keep(self, passwords: dict[str, str]) -> None:
        self._held = passwords
        if self.path is None:
            return
        partial = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(passwords, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self.path)


def check(address: str | None) -> tuple[int, list[dict[str, Any]]]:
    """Return how many codes of the engine at an address (or of the embedded one) were compared, and the differing ones.

    Raises InputError where there is no such server, and TableError where it cannot answer.
    """
    from dprelease.table.kit.check import check_engine

    found = check_engine(address)
    return found.codes, [asdict(each) for each in found.differences]
