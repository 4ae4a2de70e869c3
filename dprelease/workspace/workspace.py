"""The façade: every use of the product, from pages, terminal and scripts, goes through these operations."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, overload

from dprelease.accounting.rho_conversion import with_rho
from dprelease.errors import InputError, NotFoundError
from dprelease.model.actor import Actor
from dprelease.model.code import AnyColumns, said_of
from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.missing import CODES
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset, Population, read_name
from dprelease.model.privacy import read_nobody
from dprelease.model.release import Release
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.view import as_table
from dprelease.registry import added, load
from dprelease.statistics.planning.price import Price
from dprelease.store import (
    checkpoints,
    datasets,
    populations,
    terms,
)
from dprelease.store.database import Database
from dprelease.store.facts import WorkspaceMode
from dprelease.words import phrase, quoted
from dprelease.workspace.attacks import Attacks
from dprelease.workspace.backup import remove_abandoned_copies, restore
from dprelease.workspace.calendar import Calendar, Sealing
from dprelease.workspace.datasets import Datasets, check_stored, check_table, stored
from dprelease.workspace.embargo import EmbargoedRelease, Embargoes, as_shown
from dprelease.workspace.home import Home
from dprelease.workspace.layouts import (
    Said,
    by_layout,
    check_format,
    read_alike,
    read_now,
    read_upload_alike,
    waiting_for,
)
from dprelease.workspace.ledger import Ledger
from dprelease.workspace.operations import read_text
from dprelease.workspace.outside import VARIABLE, OutsideCheckpoint
from dprelease.workspace.people import People
from dprelease.workspace.plans import Plans, ready
from dprelease.workspace.populations import Populations, read_overlap, read_overlaps
from dprelease.workspace.preview import Preview
from dprelease.workspace.previews import look, price_for
from dprelease.workspace.proposed_readings import ReadingAnswers, proposed, with_forms, with_readings
from dprelease.workspace.publish import publish
from dprelease.workspace.releases import Releases
from dprelease.workspace.runs import Runs
from dprelease.workspace.staging import Staging, Upload
from dprelease.workspace.state import State
from dprelease.workspace.warehouses import is_elsewhere


class Workspace(Attacks):
    """One installation: private tables, ledger database, keys, public folder.

    Every operation takes the acting person as `actor` and checks their role itself; without one, the owner of a solo
    workspace acts. Refusals are AccessError, bad input InputError, a short budget BudgetError.

    Example: `dp.Workspace.in_memory()`.
    """

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.populations = Populations(state)
        self.datasets = Datasets(state)
        self.plans = Plans(state)
        self.releases = Releases(state)
        self.runs = Runs(state)
        self.ledger = Ledger(state)
        self.embargoes = Embargoes(state)
        self.calendar = Calendar(state)
        self.people = People(state)

    def __getattr__(self, name: str) -> Any:
        """Return the noun that a room adds, made when it is first asked for."""
        place = None if name.startswith("_") else added("nouns").get(name)
        if place is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        noun = load(place)(self._state)
        setattr(self, name, noun)
        return noun

    def __repr__(self) -> str:
        return f"Workspace({self.home or 'in memory'}, {self._mode.value}, {self.releases.count()} releases)"

    def _repr_html_(self) -> str:
        """Return the nouns with what each shows; in a team the public ones."""
        nouns = (self.populations, self.datasets, self.plans, self.releases, self.runs, self.people)
        facts = [("signing key", self.public_key), ("mode", self._mode.value)]
        return as_table(
            ("workspace", str(self.home or "in memory")), [*facts, *((type(n).__name__, repr(n)) for n in nouns)]
        )

    @classmethod
    def open(cls, home: str | Path, *, checkpoint: str | None = None) -> Workspace:
        """The workspace in a folder. Raises InputError where there is none: a new one would have its whole budget left.

        `checkpoint`: the path or address of a signed checkpoint kept outside ($DPRELEASE_CHECKPOINT by default), which
        the ledger must continue before anything is spent, and which is renewed after each release where it is a file.

        Where nothing can be written, as on a read-only medium, the ledger and the releases can be read and verified,
        and whatever would write is refused.
        """
        if not Home.is_at(Path(home)):
            raise NotFoundError(
                "home",
                found=str(home),
                allowed=phrase("workspace.folder_workspace"),
                remedy=phrase("workspace.make_one_dprelease_init"),
            )
        found = Home(Path(home).resolve())
        if not found.can_be_written:
            address = checkpoint or os.environ.get(VARIABLE)
            outside = OutsideCheckpoint(address) if address else None
            return cls(State(found, Database.open_read_only(found.database), outside=outside))
        return cls._at(Path(home), checkpoint)

    @classmethod
    def create(cls, home: str | Path, *, exist_ok: bool = False, checkpoint: str | None = None) -> Workspace:
        """Return a new workspace in a folder, with nothing in it and nothing spent; `checkpoint` as of `open`.

        Raises InputError where there is one already; with `exist_ok`, it is opened.
        """
        if not exist_ok and Home.is_at(Path(home)):
            raise InputError(
                "home",
                found=phrase("workspace.workspace", home=home),
                allowed=phrase("workspace.new_folder"),
                remedy=phrase("workspace.open_workspace_open"),
            )
        return cls._at(Path(home), checkpoint)

    @classmethod
    def _at(cls, home: Path, checkpoint: str | None) -> Workspace:
        prepared = Home.prepare(home)
        address = checkpoint or os.environ.get(VARIABLE)
        outside = OutsideCheckpoint(address) if address else None
        state = State(prepared, Database.open(prepared.database), outside=outside)
        prepared.remove_orphans(lambda: datasets.locations(state.database))
        Staging(prepared.uploads, state).remove_orphans()
        state.abandoned = remove_abandoned_copies(prepared.path.parent)
        _ = state.keys.first  # made now, so that a backup has it too
        return cls(state)

    @staticmethod
    def restore(backup: str | Path, home: str | Path) -> Workspace:
        """Return a workspace in a new folder from a backup. Spending since the backup shows only beside a checkpoint.

        What was charged and not drawn by then is lost: the other copy may have drawn and published it.
        """
        abandoned = restore(Path(backup), Path(home))
        workspace = Workspace.open(home)
        workspace._state.abandoned = abandoned
        checkpoints.restored(workspace._state.database)
        return workspace

    @classmethod
    def in_memory(cls) -> Workspace:
        """Return a workspace that behaves the same and leaves nothing on disk."""
        return cls(State(None, Database.in_memory()))

    @property
    def home(self) -> Path | None:
        """Folder of the workspace; None in memory."""
        return None if self._state.home is None else self._state.home.path

    @property
    def mode(self) -> WorkspaceMode:
        """`solo`, or `team` where decisions take two people."""
        return self._mode

    @property
    def public_key(self) -> str:
        """The fingerprint of the key that signs releases now, for `verify(..., key=...)`."""
        return self._state.keys.current.fingerprint

    # Populations and datasets

    def add_population(
        self,
        name: str,
        *,
        unit: str,
        neighbors: str,
        epsilon: Any,
        delta: Any = 0,
        currency: str = "pure",
        size: int | None = None,
        discovers: bool = True,
        overlaps: Mapping[str, str] | None = None,
        earlier_releases: Sequence[str] = (),
        actor: Actor | None = None,
    ) -> Population:
        """Register whose privacy is spent, and the cap (ε, δ) of all releases about them together.

        `currency`: `pure` adds up ε; `zcdp` adds up ρ, needs δ > 0, and keeps half of it for mechanisms with a δ.
        `discovers`: False, in zcdp, promises for all time that no plan discovers categories: all of δ is then for ρ.
        `overlaps`: by other population, whether it has the `same` units, `some` in common or `none`, as the curator
        attests. `earlier_releases`: what was published about these units without a guarantee that is counted here.
        In a team, the population is there once a second person approves the request.
        """
        acting = self._act("add_population", actor)
        population = Population.read(
            name,
            unit=unit,
            neighbors=neighbors,
            epsilon=epsilon,
            delta=delta,
            currency=currency,
            size=size,
            discovers=discovers,
        )
        return populations.add(
            self._state.database,
            with_rho(population),
            actor=acting,
            overlaps={other: read_overlap(overlap, other) for other, overlap in (overlaps or {}).items()},
            earlier_releases=[read_text(each, "earlier_releases") for each in earlier_releases],
        )

    def add_dataset(
        self,
        name: str,
        source: Any,
        *,
        population: str | None = None,
        unit_column: str | None = None,
        unit_codes: Sequence[Any] = (),
        columns: Mapping[str, Any] | AnyColumns | None = None,
        readings: Mapping[str, Mapping[str, Any]] | None = None,
        epsilon: Any = None,
        delta: Any = 0,
        unit: str | None = None,
        neighbors: str = "add_remove",
        currency: str = "pure",
        size: int | None = None,
        discovers: bool = True,
        reading: Said | None = None,
        after: str | None = None,
        max_rows: int | None = None,
        delete_on: date | None = None,
        written: Mapping[str, Any] | None = None,
        overlaps: Mapping[str, str] | None = None,
        actor: Actor | None = None,
    ) -> Dataset:
        """Register a private table: the path of a file, rows that a program hands over, or a staged upload.

        Files may be text with delimiters (CSV, TSV), Excel (.xlsx), SPSS, Stata, JSON Lines or Parquet; `reading` says
        how one is read, or parts of it such as `{"sheet": "Data"}`, where that is not to be detected. It is kept, and
        later rows are read so. `after`: the dataset that this one is the next edition of, and is read like. Rows are a
        frame of pandas or polars, whatever else offers an Arrow stream, records, or `(connection, "table")`; an index
        with a name is a column.
        `max_rows`: how many rows of one unit plans use by default. `delete_on`: the day on which the table is deleted.

        Or the address of a table on a server, such as postgresql://reader@host/database/schema.table: the rows stay
        there, only tallies leave it, and a password in the address is kept apart, in a private file.

        Where cells of declared columns are not written as 1234.5, 2025-12-31, yes or no, their `reading` says how.
        Where that lacks, and the cells show it, InputError names the readings there are; where this workspace shows no
        true values it does so of every column of texts, and looks at no cell. `written` says it of all
        columns: `{"decimal": ",", "dates": "dmy", "yes": ["J"], "no": ["N"]}`; `"accept": True` takes what is settled.
        `readings` says it of some, by name; of one that is declared later, for then.

        `unit_column` says who a row is about; without it the curator attests that a row is a unit. `unit_codes`:
        identifiers that stand for nobody, such as 0, whose rows are left out. `columns` declares the schema, as a class
        of columns or as in a plan file, now or later by `describe`. Without `population` but with `epsilon`, a
        population of the same name is registered on the way. The table is copied into the private folder.

        `overlaps`: by other population with a table, whether it has `some` of the same units or `none`, as the curator
        attests (`populations.open_overlaps` names those that nobody said it of). With the `same` ones InputError is
        raised: the table belongs to that population then. What is left out stays open, which is serious in review.
        """
        acting = self._act("add_dataset", actor)
        if overlaps:
            self._act("attest_overlap", actor)
        report = Report()
        read_name(name, "dataset", report)
        nobody = read_nobody({CODES: list(unit_codes)}, "unit", report)
        if nobody and unit_column is None:
            report.add(
                "unit.missing_codes",
                found=phrase("workspace.codes_without_column"),
                allowed=phrase("workspace.codes_unit_column"),
            )
        report.raise_any(InputError)
        columns, forms = with_forms(said_of(columns or {}), readings or {})
        schema = declared = Schema.parse(columns) if columns else Schema({})
        if after is not None:
            former = datasets.get(self._state.database, after)[0].schema
            schema = Schema({each.name: each.read_like(former.get(each.name)) for each in schema}, schema.texts)
        if population is None and epsilon is None:
            raise InputError(
                "population",
                found=phrase("workspace.none_2"),
                allowed=phrase("workspace.registered_population_new_one"),
            )
        known = {item.name for item in populations.every(self._state.database)}
        owner = population or name
        if population is not None:
            populations.get(self._state.database, population)
        elif owner not in known and self.mode is WorkspaceMode.TEAM:
            raise InputError(
                "population",
                found=phrase("workspace.new_one_takes_second"),
                allowed=phrase("store.registered_population"),
                remedy=phrase("workspace.ask_population_first_dprelease"),
            )
        if name in {item.name for item in datasets.every(self._state.database)}:
            raise InputError(
                "dataset", found=phrase("workspace.registered", name=quoted(name)), allowed=phrase("workspace.new_name")
            )
        attested = read_overlaps(self._state.database, owner, overlaps or {})
        said, answers = DatasetTerms(max_rows=max_rows, delete_on=delete_on), ReadingAnswers.parse(written or {})
        state = self._state
        layout = read_now(state, source, reading) if after is None else read_alike(state, after, source, reading)
        layout = waiting_for(layout, forms)
        told = {} if after is None else reading
        if isinstance(source, Upload):
            with by_layout(told):
                source = read_upload_alike(self._state, source, layout or source.settled())
            waiting = self._state.engine.parquet(Staging.of(self._state).table(source))
            check_stored(self._state, waiting, unit_column, schema, forms)
            # Before it is taken, and gone when asked.
            again = after is not None
            schema = with_readings(self._state, waiting, schema, answers, actor=acting, again=again)
        with by_layout(told if layout else {}):
            check_format(source, layout)
            location = stored(self._state, source, layout)
        try:
            check_table(self._state, location, unit_column, schema, forms)
            table, here = self._state.table(location), not is_elsewhere(location)
            again = after is not None
            schema = with_readings(self._state, table, schema, answers, here=here, actor=acting, again=again)
            check_table(self._state, location, unit_column, schema)
            if owner not in known:
                word = unit or ("person" if unit_column else "row")
                self.add_population(
                    owner,
                    unit=word,
                    neighbors=neighbors,
                    epsilon=epsilon,
                    delta=delta,
                    currency=currency,
                    size=size,
                    discovers=discovers,
                    actor=actor,
                )
            for other, overlap in attested.items():
                populations.attest_overlap(self._state.database, owner, other, overlap, actor=acting)
            dataset = Dataset(
                name=name,
                population=owner,
                unit_column=unit_column,
                unit_codes=nobody,
                schema=schema,
                version=secrets.token_hex(16),
            )
            checksum = self._state.checksum(location)
            datasets.add(
                self._state.database,
                dataset,
                location,
                checksum=checksum,
                reading=layout,
                proposed=proposed(self._state, declared, schema, after=after, actor=acting),
                actor=acting,
            )
        except Exception:
            self._state.discard(location)
            raise
        self._state.settle(location)
        if said != DatasetTerms():
            terms.put(self._state.database, name, said)
        return dataset

    def price(self, plan: Plan, *, actor: Actor | None = None) -> Price:
        """Return mechanism, scale, loss and expected error of each statistic. Reads no rows.

        Raises PlanError where the plan contradicts its dataset or population.
        """
        self._act("price", actor)
        return price_for(self._state, plan)

    def preview(self, plan: Plan, draws: int = 200, *, sources: bool = False, actor: Actor | None = None) -> Preview:
        """Show true values beside simulated ones, for the curator. Spends nothing, stores only that it was taken.

        `sources`: also how much of the error is noise, bounds and rows left out. Under the policy `blind` everything
        is of a made-up table and no rows are read; under `none` InputError is raised.
        """
        return look(self._state, plan, draws, sources=sources, actor=self._act("preview", actor))

    @overload
    def publish(
        self,
        plan: Plan | str,
        *,
        again: bool = False,
        supersedes: str | None = None,
        due: None = None,
        actor: Actor | None = None,
    ) -> Release: ...

    @overload
    def publish(
        self,
        plan: Plan | str,
        *,
        again: bool = False,
        supersedes: str | None = None,
        due: str | datetime,
        readers: Sequence[Mapping[str, Any]] = (),
        untitled: bool = False,
        actor: Actor | None = None,
    ) -> EmbargoedRelease: ...

    def publish(
        self,
        plan: Plan | str,
        *,
        again: bool = False,
        supersedes: str | None = None,
        due: str | datetime | None = None,
        readers: Sequence[Mapping[str, Any]] = (),
        untitled: bool = False,
        actor: Actor | None = None,
    ) -> Release | EmbargoedRelease:
        """Charge, draw, seal and publish a plan: one that is approved, by its id, or any.

        Where one person decides, a plan is submitted and approved on the way; in a team it is submitted, and needs a
        reviewer's approval: AccessError is raised until there is one. A plan that is published already gives the same
        release, unless `again`, which charges and draws anew.

        `supersedes`: an earlier release that this one takes the place of; that one stays, with a notice.

        `due`: the instant until which it is embargoed, such as 2027-01-15T09:00+01:00: charged, drawn, signed and whole
        now, public then. No number of it is returned. `readers`: who sees it before, beside author and approver, such
        as {"name": "lena", "office": "Ministry of Health", "from": "2027-01-15T08:00+01:00"}. `untitled`: the calendar
        says that something comes, and not what.
        """
        acting = self._act("publish", actor)
        sealing = Sealing.read(self._state, due, readers, untitled=untitled)
        plan_id = ready(self._state, plan, anew=again, actor=actor)
        release = publish(self._state, plan_id, again=again, supersedes=supersedes, actor=acting, sealing=sealing)
        return as_shown(self._state, release)
