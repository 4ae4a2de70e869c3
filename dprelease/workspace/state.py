"""What an open workspace holds: its database, its engine, its signing key and its private tables."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dprelease.bundle.history import sign
from dprelease.bundle.listing import LEDGER
from dprelease.bundle.write import put
from dprelease.errors import InputError, IntegrityError, InternalError
from dprelease.model.checkpoint import Checkpoint, SignedCheckpoint
from dprelease.model.encoding import canonical, pretty
from dprelease.model.release import Release
from dprelease.statistics.answer import queries
from dprelease.statistics.price import Price
from dprelease.store import checkpoints, notices
from dprelease.store.database import Database
from dprelease.store.verify import verify
from dprelease.table import Discovery, Engine, Table, Tally
from dprelease.table.engine import check_columns
from dprelease.table.ingest import ingest
from dprelease.workspace.home import Home
from dprelease.workspace.keys import Keys
from dprelease.workspace.outside import Outside

MEMORY = "memory:"


@dataclass
class State:
    """The effects of a workspace; `home` is None where everything is in memory."""

    home: Home | None
    database: Database
    _held: dict[str, Table] = field(default_factory=dict, repr=False)
    _opened: dict[str, Table] = field(default_factory=dict, repr=False)
    _answered: tuple[tuple[str, str], list[Tally | Discovery]] | None = field(default=None, repr=False)
    outside: Outside | None = None
    """Where a checkpoint is kept that the ledger must continue."""
    verified: int | None = None
    """How many events the last check of the whole ledger went through."""
    outside_problem: str | None = None
    """Why the checkpoint kept outside was not renewed after the last release."""
    _continues: bool = field(default=False, repr=False)

    @cached_property
    def engine(self) -> Engine:
        return Engine() if self.home is None else Engine(self.home.private, self.home.own_spill)

    @cached_property
    def keys(self) -> Keys:
        return Keys(None if self.home is None else self.home.keys, self.database)

    def sign(self, checkpoint: Checkpoint) -> SignedCheckpoint:
        """A checkpoint with the present key's signature."""
        return sign(checkpoint, self.keys.current)

    def sign_statement(self, statement: Mapping[str, Any]) -> Mapping[str, Any]:
        """A statement with the present key's signature of its canonical JSON."""
        key = self.keys.current
        return {
            "statement": statement,
            "signer": key.fingerprint,
            "signature": key.sign(canonical(statement)).hex(),
        }

    def check_continues(self) -> None:
        """Refuses to spend where the ledger does not continue the checkpoint kept outside.

        Every event is checked once a process; the checkpoint, where it is a file, each time.
        """
        if self.outside is None or (self._continues and self.outside.is_url):
            return
        if not self._continues:
            self.verified = verify(self.database)
        different = self.difference(self.outside, quickly=self._continues)
        if different is not None:
            raise IntegrityError(
                f"the ledger does not continue the checkpoint kept outside: {different}. Nothing is spent until a "
                "reviewer accepts that."
            )
        self._continues = True

    def difference(self, outside: Outside, *, quickly: bool = False) -> str | None:
        """What speaks against the ledger beside a checkpoint kept outside; None where it continues that one."""
        kept = outside.signed()
        if checkpoints.accepted(self.database, kept.checkpoint):
            return None
        different = checkpoints.difference(self.database, kept.checkpoint, kept=quickly)
        stranger = f"the checkpoint is signed by {kept.signer}, which is not a key of this workspace"
        words = [different] if different else []
        return "; ".join([*words, stranger] if kept.signer not in self.keys.fingerprints() else words) or None

    def keep_outside(self) -> None:
        """Writes the latest checkpoint to where one is kept outside, if that is a file with an older one.

        What goes wrong is kept in `outside_problem`: the release stands.
        """
        self.outside_problem = None
        latest = checkpoints.latest(self.database)
        if self.outside is None or self.outside.is_url or latest is None:
            return
        try:
            kept = self.outside.signed().checkpoint
            newer = latest.checkpoint.size > kept.size or checkpoints.accepted(self.database, kept)
            if newer and self.difference(self.outside, quickly=True) is None:
                self.outside.write(latest)
        except (InputError, IntegrityError) as problem:
            self.outside_problem = str(problem)

    def show(self, release: Release) -> None:
        """Puts the bundle of a published release among the public files, unless it is there."""
        if self.home is None:
            return
        with _public_folder():
            folder = self.home.public / release.id
            if release.entry and folder.exists() and not (folder / LEDGER).exists():
                shutil.rmtree(folder)  # an earlier version wrote it, and stopped before it was published
            if not folder.exists():
                release.write(self.home.public)

    def write_notices(self, release_id: str) -> None:
        """Puts what is said of a release among the public files."""
        if self.home is not None:
            with _public_folder():
                for notice in notices.of_release(self.database, release_id):
                    folder = self.home.public / "notices" / release_id
                    folder.mkdir(parents=True, exist_ok=True)
                    put(folder / f"{notice.seq}.json", pretty(notice.statement))

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
        if not location:
            return
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
        if not location:
            raise InputError(
                "dataset",
                found="one whose table was deleted",
                allowed="a dataset with a table",
                remedy="Register other rows for it.",
            )
        if location.startswith(MEMORY):
            return self._held[location]
        if self.home is None:
            raise InternalError("a table on disk belongs to no workspace in memory")
        if location not in self._opened:
            self._opened[location] = self.engine.parquet(self.home.tables / location)
        return self._opened[location]


@contextmanager
def _public_folder() -> Iterator[None]:
    """Says in our words that the public folder cannot be written; what is public by the ledger stays so."""
    try:
        yield
    except OSError as cause:
        raise InputError(
            "public folder",
            found=cause.strerror or "an error",
            allowed="a folder that can be written, with room",
            remedy="What the ledger says is published stays so: mend that, and publish or resume again.",
        ) from None
