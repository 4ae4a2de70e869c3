"""State of an open workspace: its database, its engine, its signing key and its private tables."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.bundle.notices import CHECKPOINT, FOLDER, notices_path, written
from dprelease.bundle.write import dated, put
from dprelease.errors import InputError, IntegrityError, InternalError
from dprelease.model.actor import WORKSPACE, Actor
from dprelease.model.checkpoint import SignedCheckpoint
from dprelease.model.encoding import pretty
from dprelease.model.policy import Policy
from dprelease.model.reading import Reading
from dprelease.model.release import Release
from dprelease.portal.calendar import FILE as CALENDAR
from dprelease.portal.office import FILE as OFFICE
from dprelease.portal.office import LOGOS
from dprelease.statistics.answer import queries
from dprelease.statistics.planning.price import Price
from dprelease.store import checkpoints, datasets, notices, terms
from dprelease.store.database import Database
from dprelease.store.verify import verify
from dprelease.table import Discovery, Engine, Table, Tally, check_columns
from dprelease.table.address import is_address
from dprelease.table.ingest import ingest
from dprelease.table.warehouse import Warehouse
from dprelease.words import Phrase, phrase, quoted
from dprelease.workspace.home import Home, writing_public
from dprelease.workspace.jobs import Jobs
from dprelease.workspace.keys import CODES_KEY, Keys, sealing_key
from dprelease.workspace.noise_library import NoiseLibrary
from dprelease.workspace.outside import OutsideCheckpoint
from dprelease.workspace.readings import Readings
from dprelease.workspace.scans import first, rehearse
from dprelease.workspace.warehouses import Warehouses, is_elsewhere
from dprelease.workspace.witnesses import PublicWitness, witnesses

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

MEMORY = "memory:"
MAX_REHEARSED = 32


@dataclass
class State:
    """The effects of a workspace; `home` is None where everything is in memory."""

    home: Home | None
    database: Database
    _held: dict[str, Table] = field(default_factory=dict, repr=False)
    _opened: dict[str, Table] = field(default_factory=dict, repr=False)
    _answered: tuple[tuple[str, str], list[Tally | Discovery]] | None = field(default=None, repr=False)
    outside: OutsideCheckpoint | None = None
    """Outside checkpoint that the ledger must continue."""
    jobs: Jobs = field(default_factory=Jobs, repr=False)
    """Publications under way."""
    readings: Readings = field(default_factory=Readings, repr=False)
    """Files that are being read."""
    _rehearsed: tuple[Any, ...] = field(default=(), repr=False)
    """Latest requests of stored tables without rows that could be answered."""
    compared: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    """Rows in common of two datasets, as administrators were told; by the versions of their rows."""
    _looked: date | None = field(default=None, repr=False)
    """The day on which tables were last looked for that are to be deleted."""
    verified: int | None = None
    """Number of events that the last check of the whole ledger went through."""
    written: tuple[int, int, int] | None = field(default=None, repr=False)
    """The public folder and the ledger when every release was last seen to have its files."""
    outside_problem: Exception | None = None
    """Why the checkpoint kept outside was not renewed after the last release."""
    abandoned: list[Path] = field(default_factory=list, repr=False)
    """Copies of workspaces, with rows and keys, that killed processes left and that could not be removed."""
    _continues: bool = field(default=False, repr=False)

    @cached_property
    def engine(self) -> Engine:
        return Engine() if self.home is None else Engine(self.home.private, self.home.own_spill)

    @cached_property
    def warehouses(self) -> Warehouses:
        return Warehouses(None) if self.home is None else Warehouses(self.home.connections, self.home.own_spill)

    @cached_property
    def keys(self) -> Keys:
        return Keys(None if self.home is None else self.home.keys, self.database)

    @cached_property
    def codes_key(self) -> Fernet:
        """Key by which the secrets of second factors are encrypted."""
        return sealing_key(None if self.home is None else self.home.keys / CODES_KEY)

    def policy(self) -> Policy:
        """Return the policy of this workspace: its `policy.yaml`, or the ordinary one. Raises InputError."""
        return Policy() if self.home is None else Policy.load(self.home.policy)

    def witnesses(self, *, quickly: bool = True) -> list[PublicWitness]:
        """Return the public files that speak against the ledger, the longest first. `quickly`: as in `difference`."""
        return [] if self.home is None else witnesses(self.home.public, self.database, self.keys, kept=quickly)

    def check_public(self, *, quickly: bool = True) -> None:
        """Raise IntegrityError where public files tell of another ledger than this one, which would replace them."""
        for witness in self.witnesses(quickly=quickly):
            raise IntegrityError(witness.words)

    def check_continues(self) -> None:
        """Refuse to spend where the ledger continues neither the public files nor the checkpoint kept outside.

        Every event is checked once a process where one is kept outside; that checkpoint, where it is a file, each time.
        """
        self.check_public()
        if self.outside is None or (self._continues and self.outside.is_url):
            return
        if not self._continues:
            self.verified = verify(self.database)
        different = self.difference(self.outside, quickly=self._continues)
        if different is not None:
            raise IntegrityError(phrase("workspace.ledger_does_continue_checkpoint_kept", different=different))
        self._continues = True

    def difference(self, outside: OutsideCheckpoint, *, quickly: bool = False) -> Phrase | None:
        """Return what speaks against the ledger beside a checkpoint kept outside; None where it continues that one."""
        kept = outside.signed()
        if checkpoints.accepted(self.database, kept.checkpoint):
            return None
        different = checkpoints.difference(self.database, kept.checkpoint, kept=quickly)
        stranger = phrase("workspace.checkpoint_signed_key_workspace_2", signer=kept.signer)
        if kept.signer in self.keys.fingerprints():
            return different
        return stranger if different is None else phrase("workspace.and_also", first=different, second=stranger)

    def keep_outside(self) -> None:
        """Write the latest checkpoint to where one is kept outside, if that is a file with an older one.

        What goes wrong is kept in `outside_problem`: the release stands.
        """
        self.outside_problem = None
        if self.outside is None or self.outside.is_url:
            return
        latest = checkpoints.latest(self.database)
        if latest is None:
            return
        try:
            kept = self.outside.signed().checkpoint
            newer = latest.checkpoint.size > kept.size or checkpoints.accepted(self.database, kept)
            if newer and self.difference(self.outside, quickly=True) is None:
                self.outside.write(latest)
        except (InputError, IntegrityError) as problem:
            self.outside_problem = problem

    def show(self, release: Release, *, embargoed: bool = False) -> None:
        """Put the bundle of a release among the public files, or among those that wait, unless it is there."""
        if self.home is None:
            return
        with writing_public():
            if not (self.home.public / release.id).exists() and not (self.home.embargoed / release.id).exists():
                release.write(self.home.embargoed if embargoed else self.home.public)

    def write_checkpoint(self, signed: SignedCheckpoint) -> None:
        """Put a checkpoint that is given out among the public files."""
        if self.home is not None:
            with writing_public():
                put(self.home.public / CHECKPOINT, pretty(self.keys.known(signed).to_mapping()), signed.checkpoint.on)
                dated(self.home.public, signed.checkpoint.on)

    def renew_checkpoint(self) -> None:
        """Put the last checkpoint among the public files; a new one where that does not state every notice."""
        with self.database.reading() as connection:
            signed, digests = checkpoints.latest(self.database), notices.digests_within(connection)
        if signed is not None and signed.checkpoint.notices == digests:
            self.write_checkpoint(signed)
        elif digests:
            self.give_checkpoint()

    def give_checkpoint(self) -> SignedCheckpoint:
        """Return a signed checkpoint of the ledger as it stands, public from now on."""
        signed = checkpoints.take(self.database, on=datetime.now(UTC).date().isoformat(), sign=self.keys.sign)
        self.write_checkpoint(signed)
        return signed

    def write_office(self, statement: Mapping[str, Any], logo: Mapping[str, bytes]) -> None:
        """Put a signed statement on who publishes among the public files, and its logo; no other logo stays.

        A checkpoint stands beside it from now on: by its keys readers know that the statement is the publisher's.
        """
        if self.home is None:
            raise InputError("office", found=phrase("workspace.in_memory"), allowed=phrase("workspace.in_a_folder"))
        self.give_checkpoint()
        with writing_public():
            for name in LOGOS:
                (self.home.public / name).unlink(missing_ok=True)
            for name, data in (*logo.items(), (OFFICE, pretty(self.keys.sign_statement(statement)))):
                put(self.home.public / name, data, datetime.now(UTC).date().isoformat())

    def write_series(self, path: str, statement: Mapping[str, Any]) -> None:
        """Put a signed statement on a series among the public files, and a checkpoint by whose keys readers know it."""
        if self.home is None:
            raise InputError("series", found=phrase("workspace.in_memory"), allowed=phrase("workspace.in_a_folder"))
        self.give_checkpoint()
        with writing_public():
            place = self.home.public / path
            place.parent.mkdir(exist_ok=True)
            put(place, pretty(self.keys.sign_statement(statement)), datetime.now(UTC).date().isoformat())

    def write_calendar(self, statement: Mapping[str, Any]) -> None:
        """Put the signed calendar among the public files."""
        if self.home is not None:
            with writing_public():
                data = pretty(self.keys.sign_statement(statement))
                put(self.home.public / CALENDAR, data, datetime.now(UTC).date().isoformat())

    def write_notices(self, release_id: str) -> None:
        """Put what is said of a release among the public files."""
        if self.home is not None:
            with writing_public():
                found = notices.of_release(self.database, release_id)
                if found:
                    (self.home.public / FOLDER).mkdir(parents=True, exist_ok=True)
                    said = written(release_id, (notice.statement for notice in found))
                    put(self.home.public / notices_path(release_id), pretty(said), found[-1].published_on)
                    for folder in (self.home.public / FOLDER, self.home.public):
                        dated(folder, found[-1].published_on)

    def store(self, source: Any, *, filename: str, reading: Reading | None = None) -> str:
        """Copy a table (a path, or rows that a program hands over) into the private part and return its location.

        A table given by the address of a server stays there.
        """
        if is_address(source):
            return self.warehouses.register(str(source))
        is_path = isinstance(source, str | Path)
        if is_path and not Path(source).is_file():
            raise InputError("source", found=str(source), allowed=phrase("workspace.path_csv_excel_spss"))
        if self.home is None:
            location = MEMORY + secrets.token_hex(8)
            self._held[location] = (
                self.engine.hold_file(Path(source), filename=filename, reading=reading)
                if is_path
                else self.engine.hold(source)
            )
            return location
        path = self.home.new_table()
        try:
            if is_path:
                ingest(Path(source), path, filename=filename, reading=reading)
            else:
                self.engine.save(source, path)
            path.chmod(0o600)
        except BaseException:
            path.unlink(missing_ok=True)
            self.home.settle(path.name)
            raise
        return path.name

    def adopt(self, path: Path) -> str:
        """Move a Parquet file that is already in the private part among the tables."""
        if self.home is None:
            location = self.store(path, filename=path.name)
            path.unlink()
            return location
        target = self.home.new_table()
        path.rename(target)
        return target.name

    def checksum(self, location: str) -> str | None:
        """Return the SHA-256 of a table's file, kept with the dataset and shown nowhere; None where no file is here.

        `location` may be the path of a table that is not among the registered ones yet.
        """
        if self.home is None or not location or is_elsewhere(location):
            return None
        with (self.home.tables / location).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def settle(self, location: str) -> None:
        """Give up the claim to a table that is registered: it is no process's own any more."""
        if self.home is not None and location and not is_elsewhere(location):
            self.home.settle(location)

    def check_bytes(self, location: str) -> None:
        """Raise IntegrityError where the file of a table is not, byte for byte, the one that was registered."""
        name, stated = datasets.registered_at(self.database, location)
        if stated is None:
            return
        try:
            found = self.checksum(location)
        except OSError:
            found = None
        if found != stated:
            raise IntegrityError(phrase("workspace.table_dataset_what_was_registered", name=quoted(name)))

    def discard(self, location: str) -> None:
        """Delete a stored table, and what is known of it."""
        self._answered = None
        self.compared.clear()
        if not location:
            return
        if is_elsewhere(location):
            self.warehouses.forget_all_but(datasets.locations(self.database))
        elif self.home is None:
            self._held.pop(location, None)
        else:
            self._opened.pop(location, None)
            (self.home.tables / location).unlink(missing_ok=True)
            self.home.settle(location)
            self.home.wipe_leftovers()

    def delete_what_is_due(self) -> None:
        """Delete the tables whose day has come."""
        for name in terms.due(self.database, datetime.now(UTC).date()):
            self.delete_table(name, actor=WORKSPACE)

    def delete_table(self, name: str, *, actor: Actor) -> None:
        """Delete the rows of a dataset, and with them the day they were to be deleted on."""
        self.discard(datasets.delete_table(self.database, name, actor=actor))
        terms.put(self.database, name, replace(terms.get(self.database, name), delete_on=None))

    def look_after(self) -> None:
        """Do what is due once a day, by whichever operation is the day's first."""
        today = datetime.now(UTC).date()
        if self._looked != today and not self.database.read_only:
            self._looked = today
            self.delete_what_is_due()

    def tallies(self, location: str, price: Price, *, keep: bool) -> list[Tally | Discovery]:
        """Return a plan's exact tallies. `keep` holds them in memory until another plan's: rows here never change."""
        if is_elsewhere(location):
            return first(self.engine_of(location), self.table(location), price)
        key = (location, price.plan.hash)
        kept = self._answered
        if kept is None or kept[0] != key:
            kept = (key, first(self.engine, self.table(location), price))
            if keep:
                self._answered = kept
        return kept[1]

    def rehearse(self, location: str, price: Price) -> None:
        """Answer a plan over no rows, so that what cannot work fails before anything is charged."""
        table, plan = self.check(location, price), price.plan
        later = plan.statistics if price.rounds > 1 else ()
        asked = (location, tuple(queries(price)), later, tuple(plan.schema), plan.where, plan.unit)
        if is_elsewhere(location) or asked not in self._rehearsed:  # stored rows never change, nor what they can answer
            rehearse(self.engine_of(location), table.without_rows(), price)
            self._rehearsed = (*self._rehearsed[1 - MAX_REHEARSED :], asked)

    @cached_property
    def noise(self) -> NoiseLibrary:
        return NoiseLibrary(None if self.home is None else self.home.noise_library)

    def check_before_charge(self, location: str, price: Price, *, charged: bool = False) -> None:
        """Test the noise library where that is due, and check what may have changed since a plan was rehearsed.

        That is everything, where the table is on a server. Every charge passes here. `charged`: it was made before, and
        its noise is still to be drawn.
        """
        self.noise.require(charged=charged)
        if is_elsewhere(location):
            self.rehearse(location, price)
            return
        if self._answered is None or self._answered[0] != (location, price.plan.hash):  # else no row is read
            self.check_bytes(location)
        self.check(location, price)

    def check(self, location: str, price: Price) -> Table:
        """Return the table, if it has the plan's columns."""
        table, plan = self.table(location), price.plan
        if is_elsewhere(location):
            used = [column.name for column in plan.schema] + ([plan.unit.column] if plan.unit.column else [])
            self.warehouses.check_types(location, table, used)
        check_columns(table, plan.schema, plan.unit)
        return table

    def engine_of(self, location: str) -> Engine | Warehouse:
        """Return what answers questions about the table at a location."""
        return self.warehouses.open(location) if is_elsewhere(location) else self.engine

    def table(self, location: str) -> Table:
        """Return the table at a location; its column names are read once, its rows are not."""
        if not location:
            raise InputError(
                "dataset",
                found=phrase("workspace.one_whose_table_was"),
                allowed=phrase("workspace.dataset_table"),
                remedy=phrase("workspace.register_other_rows"),
            )
        if is_elsewhere(location):
            return self.warehouses.open(location).table()
        if location.startswith(MEMORY):
            return self._held[location]
        if self.home is None:
            raise InternalError("a table on disk belongs to no workspace in memory")
        if location not in self._opened:
            self._opened[location] = self.engine.parquet(self.home.tables / location)
        return self._opened[location]
