"""The operations on datasets: their declared columns, their rows, and on what terms those are kept."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from dprelease.codebook import Codebook
from dprelease.codebook.catalogue import of_catalogue
from dprelease.codebook.labels import of_dictionary, with_catalogue
from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.code import AnyColumns, said_of
from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.population import Dataset
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.progress import reach
from dprelease.model.reading import Reading
from dprelease.model.reading_report import ReadingReport
from dprelease.model.schema import Schema
from dprelease.store import datasets, previews, submitted, terms
from dprelease.store.plans import PlanRecord, PlanState
from dprelease.table import Table, check_columns
from dprelease.table.address import is_address
from dprelease.table.cell_state import readable_columns
from dprelease.table.ingest_labelled import dictionary
from dprelease.table.left_out import LeftOut, left_out, looked_at
from dprelease.table.unlike import unlike
from dprelease.words import Phrase, phrase
from dprelease.workspace.earlier_rows import check_earlier_rows
from dprelease.workspace.layouts import (
    Said,
    by_layout,
    check_format,
    is_file,
    read_alike,
    read_upload_alike,
    waiting_for,
)
from dprelease.workspace.operations import Noun
from dprelease.workspace.proposed_readings import (
    ProposedReadings,
    may_see,
    undeclared_no_answers,
    with_forms,
    written,
    written_otherwise,
)
from dprelease.workspace.reading_report import report
from dprelease.workspace.staging import Staging, Upload
from dprelease.workspace.state import MEMORY, State
from dprelease.workspace.uploads import Uploads
from dprelease.workspace.warehouses import has_catalogue, is_elsewhere, read_catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependents:
    """Plans that stand on a dataset's declaration, by title, and whether its population was previewed.

    Submitted plans hold the declarations of their columns, and published ones stay as they are. An approval is bound
    to all columns of its dataset, and lapses.
    """

    changed: tuple[str, ...] = ()
    """Columns declared otherwise, for the first time, or no more."""
    approved: tuple[str, ...] = ()
    """Plans whose approval would lapse."""
    waiting: tuple[str, ...] = ()
    """Submitted plans that keep the declaration they were submitted with."""
    published: tuple[str, ...] = ()
    """Published plans that use a changed column."""
    previewed: bool = False
    """True if true values were previewed: certificates of later plans say that columns were declared after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRows:
    """Storage of a dataset's rows. For curators."""

    folder: str | None = None
    """None where they are in memory, on a server of their own, or nowhere."""
    size: int | None = None
    """Bytes on the disk."""
    deleted: bool = False
    has_catalogue: bool = False
    """True if a database describes the columns."""


class Datasets(Noun):
    """Registered private tables. No operation shows a row."""

    _listed, _heads = "datasets", ("dataset", "population", "declared columns")

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.uploads = Uploads(state)

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (each.name, each.population, str(len(each.schema.columns))) for each in datasets.every(self._state.database)
        ]

    def find(self, *, actor: Actor | None = None) -> list[Dataset]:
        """Return all registered datasets."""
        self._act("datasets", actor)
        return datasets.every(self._state.database)

    def get(self, name: str, *, actor: Actor | None = None) -> Dataset:
        """Return one registered dataset."""
        self._act("datasets", actor)
        return datasets.get(self._state.database, name)[0]

    def describe(
        self,
        dataset: str,
        columns: Mapping[str, Any] | AnyColumns,
        *,
        proposed: Collection[str] = (),
        actor: Actor | None = None,
    ) -> Dataset:
        """Declare a dataset's schema anew: a class of columns, or a mapping as in a plan file. Reads no rows.

        `proposed`: columns whose cells proposed how they are read, which the ledger and certificates state.
        """
        acting = self._act("describe", actor)
        schema = Schema.parse(said_of(columns))
        found, location = datasets.get(self._state.database, dataset)
        check_columns(self._state.table(location), schema, PrivacyUnit(found.unit_column))
        return datasets.replace_schema(self._state.database, dataset, schema, proposed=proposed, actor=acting)

    def replace_rows(
        self,
        dataset: str,
        source: Any,
        *,
        reading: Said | None = None,
        readings: Mapping[str, Mapping[str, Any]] | None = None,
        same: bool = False,
        removed: bool = False,
        actor: Actor | None = None,
    ) -> Dataset:
        """Register other rows of the same population under a dataset's name; the budget stays what it was.

        A file is read by the layout that was accepted when the dataset was registered, whatever would be detected of
        it: else one row could change how all others are read. `reading` changes the layout, and is an event. `readings`
        changes how the cells of some columns are read, by name and as in a plan: then they are declared anew, or, once
        they are declared, read so.
        Plans that were submitted for the rows before need to be submitted, and approved, again. Raises InputError where
        the stored table is, byte for byte, the one before: `same` says that it may be; and, in a run that keeps a unit
        to some of its periods, where a unit has no rows any more in one that was begun: `removed` says that rows had to
        be removed. A job says both always: what it does must not depend on the rows.
        """
        acting = self._act("replace_rows", actor)
        found, old = datasets.get(self._state.database, dataset)
        schema = found.schema
        layout, forms = read_alike(self._state, dataset, source, reading), dict[str, Mapping[str, Any]]()
        if readings:
            acting = self._act("describe", actor)
            columns, forms = with_forms(schema.said(), readings)
            schema = Schema.parse(columns)
            layout = waiting_for(layout, forms)
        if isinstance(source, Upload):  # checked where it waits: else it would be gone when asked
            with by_layout(reading):
                source = read_upload_alike(self._state, source, layout or source.settled())
                waiting = str(Staging.of(self._state).table(source))
                check_columns(self._state.table(waiting), schema, PrivacyUnit(found.unit_column), forms)
            self._check_rows(found, old, waiting, same=same, removed=removed, actor=acting)
        with by_layout(reading if layout else {}):
            check_format(source, layout)
            location = stored(self._state, source, layout)
        try:
            with by_layout(reading if layout else {}):
                check_table(self._state, location, found.unit_column, schema, forms)
            if not isinstance(source, Upload):
                self._check_rows(found, old, location, same=same, removed=removed, actor=acting)
            replaced = datasets.replace_rows(
                self._state.database,
                dataset,
                secrets.token_hex(16),
                location,
                checksum=self._state.checksum(location),
                reading=layout,
                schema=schema if readings else None,
                actor=acting,
            )
        except Exception:
            self._state.discard(location)
            raise
        self._state.settle(location)
        self._state.discard(old)
        return replaced

    def _check_rows(self, dataset: Dataset, old: str, new: str, *, same: bool, removed: bool, actor: Actor) -> None:
        if not same:
            _check_other(self._state, old, new)
        if not removed:
            check_earlier_rows(self._state, dataset, old, new, actor=actor)

    def reading(
        self,
        dataset: str,
        *,
        columns: Collection[str] | None = None,
        schema: Schema | None = None,
        actor: Actor | None = None,
    ) -> ReadingReport:
        """Count how the cells of declared columns are read: understood, empty, missing, unreadable, outside.

        `schema`: as a plan declares them, where it does so otherwise than the dataset.

        Exact counts, for the curator alone: told to the ledger as a look, then one scan. Nothing of them is kept.
        Raises InputError where the policy for previews shows no true values.
        """
        acting = self._act("preview", actor)
        found, location = datasets.get(self._state.database, dataset)
        declared = found.schema if schema is None else schema
        names = [name for name in readable_columns(declared) if columns is None or name in columns]
        previews.take_reading(self._state.database, names, found, actor=acting)
        engine, table = self._state.engine_of(location), self._state.table(location)
        return report(engine, table, dataset, schema=declared, columns=names)

    def layout(self, dataset: str, *, actor: Actor | None = None) -> Reading | None:
        """Return how files of a dataset's rows are read; None where they came in none. For curators."""
        self._act("table_columns", actor)
        return datasets.layout(self._state.database, datasets.get(self._state.database, dataset)[0].name)

    def unlike(self, dataset: str, source: Any, *, actor: Actor | None = None) -> tuple[Phrase, ...]:
        """Return how other rows would be read if they decided it, where that is not by its layout and readings.

        For whoever brings them; nothing where this workspace shows no true values, and to a token that sees none.
        """
        acting = self._act("table_columns", actor)
        kept = datasets.layout(self._state.database, dataset)
        if kept is None or not may_see(self._state, acting):
            return ()
        found, location = datasets.get(self._state.database, dataset)
        if isinstance(source, Upload):
            staging = Staging.of(self._state)
            table = self._state.table(str(staging.table(source)))
            told = unlike(staging.raw(source), source.filename, kept)
        elif is_file(source):
            table, told = self._state.table(location), unlike(Path(source), Path(source).name, kept)
        else:
            return ()
        return (*told, *written_otherwise(written(self._state, table, here=True, actor=acting), found.schema))

    def strays(self, dataset: str, *, actor: Actor | None = None) -> tuple[LeftOut, ...]:
        """Return the rules that would leave out a few rows, such as notes, of a table that came in a file.

        Exact counts, for whoever brings it alone: told to the ledger as a look, then one scan. Nothing where this
        workspace shows no true values, and to a token that sees none.
        """
        acting = self._act("table_columns", actor)
        found, location = datasets.get(self._state.database, dataset)
        kept = datasets.layout(self._state.database, dataset)
        if kept is None or not location or not may_see(self._state, acting):
            return ()
        table = self._state.table(location)
        if not looked_at(table, kept):
            return ()
        previews.take_reading(self._state.database, readable_columns(found.schema), found, actor=acting)
        return left_out(self._state.engine, table, kept)

    def written(self, dataset: str, *, actor: Actor | None = None) -> ProposedReadings:
        """Return what the cells of a dataset's table propose of how they are written. For curators.

        Where the workspace shows no true values, and to a token that sees none, all columns of texts are asked about
        alike, and no cell is read.
        """
        acting = self._act("table_columns", actor)
        location = datasets.get(self._state.database, dataset)[1]
        layout = datasets.layout(self._state.database, dataset)
        found = written(self._state, self._state.table(location), here=not is_elsewhere(location), actor=acting)
        return replace(found, said={} if layout is None else layout.forms)

    def no_answers(self, dataset: str, *, actor: Actor | None = None) -> dict[str, tuple[str, ...]]:
        """Return words among the cells of declared columns that stand for no answer in many tables, undeclared.

        For curators: told to the ledger as a look, then cells are read. Nothing where this workspace shows no true
        values, to a token that sees none, and of a table on a server.
        """
        acting = self._act("table_columns", actor)
        found, location = datasets.get(self._state.database, dataset)
        if is_elsewhere(location) or not may_see(self._state, acting):
            return {}
        table = self._state.table(location)
        if names := [name for name in found.schema.columns if table.dialect.is_text(table.storage.get(name, ""))]:
            previews.take_reading(self._state.database, names, found, actor=acting)
        cells = written(self._state, table, here=True, names=names, actor=acting)
        said = {column.name: undeclared_no_answers(column, cells) for column in found.schema}
        return {name: words for name, words in said.items() if words}

    def columns(self, dataset: str, *, actor: Actor | None = None) -> tuple[str, ...]:
        """Return the names of the stored table's columns, for the curator."""
        self._act("table_columns", actor)
        return self._state.table(datasets.get(self._state.database, dataset)[1]).columns

    def codebook(
        self, dataset: str, *, catalogue: tuple[str, bytes] | None = None, actor: Actor | None = None
    ) -> Codebook | None:
        """Return what the file of a dataset's table said of its columns; None where it said nothing.

        `catalogue`: the name and content of the file (.sas7bcat) with the labels of a table of SAS.
        """
        self._act("codebook", actor)
        _, location = datasets.get(self._state.database, dataset)
        path = None if self._state.home is None else self._state.home.tables / location
        found = dictionary(path) if path is not None and location and path.is_file() else None
        if catalogue is not None:
            found = with_catalogue(found, *catalogue)
        return None if found is None else of_dictionary(dataset, found)

    def catalogue(self, dataset: str, *, public: bool, actor: Actor | None = None) -> Codebook:
        """Return what the catalogue of a dataset's database says of its columns. Reads none of its rows.

        `public`: whoever asks vouches that types, constraints, comments and tables of codes were not made by looking at
        the rows. Raises InputError where nobody does, and where the table is not on PostgreSQL.
        """
        self._act("catalogue", actor)
        if not public:
            raise InputError("public", found=phrase("model.nothing"), allowed=phrase("workspace.catalogue_vouched_for"))
        location = datasets.get(self._state.database, dataset)[1]
        if not is_elsewhere(location):
            raise InputError("table", found=phrase("workspace.table_here"), allowed=phrase("table.table_postgresql"))
        return of_catalogue(dataset, read_catalogue(location, self._state.warehouses.open(location)))

    def dependents(self, dataset: str, columns: Mapping[str, Any], *, actor: Actor | None = None) -> Dependents:
        """Return what stands on the registered declaration, where another is about to take its place. Reads no rows.

        Raises SchemaError where the other one is not usable.
        """
        self._act("dependents", actor)
        database = self._state.database
        found, _ = datasets.get(database, dataset)
        before = found.schema.to_mapping()
        after = Schema.parse(columns).to_mapping() if columns else {}
        changed = tuple(name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name))
        if not changed:
            return Dependents()
        records = submitted.find(database, dataset=dataset)
        with database.reading() as connection:
            previewed = previews.any_before(connection, found.population)
        return Dependents(
            changed=changed,
            approved=_titles(records, PlanState.APPROVED),
            waiting=_titles(records, PlanState.SUBMITTED),
            published=_titles([record for record in records if _uses(record, changed)], PlanState.PUBLISHED),
            previewed=previewed,
        )

    def terms(self, name: str, *, actor: Actor | None = None) -> DatasetTerms:
        """Return how many rows of one unit plans use by default, and when the table is deleted."""
        self._act("dataset_terms", actor)
        return terms.get(self._state.database, datasets.get(self._state.database, name)[0].name)

    def set_terms(
        self, name: str, *, max_rows: int | None = None, delete_on: date | None = None, actor: Actor | None = None
    ) -> DatasetTerms:
        """Set the terms of a dataset anew. Plans that were submitted stay as they are."""
        self._act("set_terms", actor)
        said = DatasetTerms(max_rows=max_rows, delete_on=delete_on)
        terms.put(self._state.database, datasets.get(self._state.database, name)[0].name, said)
        self._state.delete_what_is_due()
        return said

    def open_to_analysts(self, name: str, *, is_open: bool = True, actor: Actor | None = None) -> Dataset:
        """Let analysts see the declared columns of a dataset and write plans about it, or, if not open, no longer."""
        acting = self._act("open_to_analysts", actor)
        return datasets.open_to_analysts(self._state.database, name, is_open=is_open, actor=acting)

    def kept(self, name: str, *, actor: Actor | None = None) -> StoredRows:
        """Return where a dataset's rows are stored."""
        self._act("kept", actor)
        location = datasets.get(self._state.database, name)[1]
        if not location or location.startswith(MEMORY) or is_elsewhere(location) or self._state.home is None:
            return StoredRows(deleted=not location, has_catalogue=has_catalogue(location))
        path = self._state.home.tables / location
        return StoredRows(folder=str(path.parent), size=path.stat().st_size if path.exists() else None)

    def delete_table(self, dataset: str, *, actor: Actor | None = None) -> None:
        """Delete the rows of a dataset. Its releases and the ledger stay; rows can be registered again."""
        acting = self._act("delete_table", actor)
        self._state.delete_table(dataset, actor=acting)


def stored(state: State, source: Any, reading: Reading | None) -> str:
    """Put a table among the private ones, and return its location."""
    reach("reading")
    if isinstance(source, Upload):
        return Staging.of(state).take(source)
    return state.store(source, filename=_filename(source), reading=reading)


def check_table(
    state: State, location: str, unit_column: str | None, schema: Schema, forms: Collection[str] = ()
) -> None:
    """Raise InputError where the table at a location has not these columns, or no use of its identifiers.

    `forms`: further columns whose cells somebody said how to read.
    """
    check_stored(state, state.table(location), unit_column, schema, forms, here=not is_elsewhere(location))


def check_stored(
    state: State,
    table: Table,
    unit_column: str | None,
    schema: Schema,
    forms: Collection[str] = (),
    *,
    here: bool = True,
) -> None:
    """Check a table. `here`: whether its rows are, so that identifiers can be looked at for whoever brings it."""
    check_columns(table, schema, PrivacyUnit(unit_column), forms)
    if here:
        state.engine.check_identifiers(table, unit_column)


def _filename(source: Any) -> str:
    return Path(source).name if isinstance(source, str | Path) and not is_address(source) else "the table"


def _check_other(state: State, old: str, new: str) -> None:
    """Raise InputError where two locations hold the same stored table; `new` may be the path of an upload's, too.

    Rows on a server are not compared: their address says nothing of them.
    """
    if _are_same(state, old, new):
        raise InputError(
            "rows",
            found=phrase("workspace.bytes_registered_already"),
            allowed=phrase("workspace.other_rows"),
            remedy=phrase("workspace.publishing_them_again_charged"),
        )


def _are_same(state: State, old: str, new: str) -> bool:
    if old.startswith(MEMORY) and new.startswith(MEMORY):
        return state.engine.hold_the_same(state.table(old), state.table(new))
    _, stated = datasets.registered_at(state.database, old)
    return stated is not None and stated == state.checksum(new)


def _uses(record: PlanRecord, names: tuple[str, ...]) -> bool:
    return not set(names).isdisjoint(record.mapping.get("columns", {}))


def _titles(records: list[PlanRecord], state: PlanState) -> tuple[str, ...]:
    titles = [record.mapping.get("title") or record.id for record in records if record.state is state]
    return tuple(dict.fromkeys(titles))
