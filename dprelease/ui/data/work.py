"""One tab's work on a dataset's columns: the table, what can be undone, and the draft that is kept of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from dprelease.codebook import Codebook
from dprelease.codebook.codes import write_line
from dprelease.errors import AccessError, InputError, Problem
from dprelease.model.population import Dataset
from dprelease.model.proposed_form import Proposal
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.yaml_text import one_line
from dprelease.ui.data.row import Row, split
from dprelease.ui.data.settling import SettlingState, accepted, is_settled, proposed, state
from dprelease.ui.data.sheet import ColumnSheet
from dprelease.ui.kit import session
from dprelease.words import phrase
from dprelease.workspace import SavedDraft, StaleDraftError
from dprelease.workspace.proposed_readings import ProposedReadings

KIND = "columns"
MAX_STEPS = 100
"""Maximum number of steps that can be undone."""
EVERYTHING, UNSETTLED, SETTLED = VIEWS = ("all", "unsettled", "settled")


@dataclass
class Work:
    """The work on one dataset's columns. Every change is saved as a draft, for this person alone."""

    dataset: Dataset
    names: tuple[str, ...]
    sheet: ColumnSheet
    draft: SavedDraft | None = None
    past: list[ColumnSheet] = field(default_factory=list)
    future: list[ColumnSheet] = field(default_factory=list)
    grid: int = 0
    """Count of editors drawn anew: an editor keeps what was typed in it, whatever it is given later."""
    seen: tuple[Any, ...] = ()
    """Filter by which the lines in sight were chosen."""
    sight: tuple[str, ...] = ()
    stale: bool = False
    """True if the draft was changed in another tab, which nothing here may overwrite unasked."""
    book: Codebook | None = None
    """A codebook that was read and is not decided about."""
    book_key: object = None
    """File or dataset of the codebook."""
    chosen: str | None = None
    """The column that is being settled."""
    is_opened: bool = False
    """True if somebody opened the editor: on a phone it lies over the list then."""
    refused: str | None = None
    """The column that was to be settled as it stood, and could not be."""
    written: ProposedReadings = field(default_factory=lambda: ProposedReadings({}), repr=False)
    """Readings that the cells propose."""
    written_of: tuple[str, str] | None = None
    """Version of the rows, and preview policy, under which `written` was found."""
    making: str | None = None
    """The made column that is changed; empty while a new one is made."""
    declares: tuple[ColumnSheet | None, Schema, tuple[Problem, ...]] = field(default=(None, Schema({}), ()), repr=False)
    """A sheet with what its lines declare, and what is wrong with columns made of others."""
    asked: int = 0
    """Count of plans of bounds that were handed in: each has a form of its own, and nothing of the last one."""

    @property
    def registered(self) -> ColumnSheet:
        """The sheet as it is declared."""
        return ColumnSheet.of(self.names, self.dataset.schema.said())

    @property
    def is_changed(self) -> bool:
        """True if there is anything to declare."""
        return self.sheet.declared() != self.registered.declared()

    @property
    def body(self) -> dict[str, Any]:
        """The body of a draft: the lines, or only which are left out where the rest is declared."""
        if self.is_changed or any(not (row.use or row.left or row.is_empty) for row in self.sheet.rows.values()):
            return self.sheet.body()
        left = [name for name, row in self.sheet.rows.items() if row.left]
        return {"left": left} if left else {}

    def state(self, name: str) -> SettlingState:
        """Return the state of a column."""
        found = state(self.sheet.rows[name], self.dataset.unit_column)
        doubted = found in (SettlingState.SETTLED, SettlingState.SURE) and self.asks(self.accepted(name))
        return SettlingState.ASK if doubted else found

    def proposed(self, name: str) -> Row:
        """Return a line as it would be settled, read as its cells propose."""
        row = proposed(self.sheet.rows[name])
        return row if row.use else self.read(row)

    def accepted(self, name: str) -> Row:
        """Return a line with its guess taken, read as its cells propose."""
        row = self.sheet.rows[name]
        return row if row.use or row.left else self.read(accepted(row))

    def proposal(self, row: Row) -> Proposal | None:
        """Return the reading that the cells of a line's column seem to need; None where they are read as they are."""
        if row.left or not row.type or row.name == self.dataset.unit_column:
            return None
        return self.written.propose(row.name, row.type, () if row.discover else split(row.categories))

    def read(self, row: Row) -> Row:
        """Return the line with the form that its cells settle, where nobody said another."""
        found = None if row.reading else self.proposal(row)
        codes = "" if row.missing_codes else ", ".join(write_line([word]) for word in self.no_answers(row))
        row = replace(row, missing_codes=codes) if codes else row
        return row if found is None or found.is_asked else replace(row, reading=one_line(found.readings[0]))

    def no_answers(self, row: Row) -> tuple[str, ...]:
        """Return words among the cells of a line's column that stand for no answer in many tables."""
        if row.left or row.made or row.discover or row.name == self.dataset.unit_column:
            return ()
        return self.written.no_answers(row.name, split(row.categories))

    def taken(self) -> list[str]:
        """Return the columns that are read as their cells propose."""
        lines = {name: row for name, row in self.sheet.rows.items() if row.use and row.reading}
        by_cells = lines.keys() - self.written.asked - self.written.said.keys()
        found = {name: self.proposal(row) for name, row in lines.items() if name in by_cells}
        return [name for name, each in found.items() if each and lines[name].reading in map(one_line, each.readings)]

    def asks(self, row: Row) -> bool:
        """Return True if somebody has to say how the cells of a line's column are written."""
        if row.reading or (row.name in self.written.asked and row.name in self.dataset.schema):
            return False
        found = self.proposal(row)
        return found is not None and found.is_asked

    def problems(self, row: Row) -> tuple[Problem, ...]:
        """Return the problems of a line, if it is used, and what is asked of it."""
        found = row.problems()
        if row.made and not found:
            return self.wrong(row, self.read_all()[1])
        if found or not row.use or not self.asks(row):
            return found
        path = f"columns.{row.name}.reading"
        return (Problem(path, phrase("ui.reading_open"), phrase("ui.reading_one"), phrase("ui.reading_say")),)

    def read_all(self, sheet: ColumnSheet | None = None) -> tuple[Schema, tuple[Problem, ...]]:
        """Return the schema of a sheet's lines that are in order, and the problems of columns made of others."""
        sheet = sheet or self.sheet
        if self.declares[0] is not sheet:
            unit, rows, report = self.dataset.unit_column, sheet.rows, Report()
            used = [row for name, row in rows.items() if row.use and name != unit and not row.problems()]
            said = {row.name: row.mapping() for row in used}
            schema = Schema.read(said, "columns", report) if said else Schema({})
            schema.check_made([row.name for row in used if row.made], report)
            self.declares = sheet, schema, tuple(report.problems)
        return self.declares[1:]

    def wrong(self, row: Row, problems: Sequence[Problem]) -> tuple[Problem, ...]:
        """Return those of some problems that are about a line."""
        path = f"columns.{row.name}"
        return tuple(each for each in problems if each.path == path or each.path.startswith(f"{path}."))

    def made(self) -> list[Row]:
        """Return the lines of columns that are made of others."""
        return [row for row in self.sheet.rows.values() if row.made]

    def make(self, row: Row | None, former: str) -> None:
        """Put a made column in the place of a former one; remove that where there is no other."""
        self._replace(self.sheet.put(row, former))
        self.choose(None)

    def unsettled(self) -> list[str]:
        """Return the columns of which something is still asked."""
        unit = self.dataset.unit_column
        rows = ((name, self.sheet.rows[name]) for name in self.names)
        return [name for name, row in rows if not is_settled(row, unit) or (row.use and self.asks(row))]

    def sure(self) -> list[str]:
        """Return the columns whose names say it all."""
        return [name for name in self.unsettled() if self.state(name) is SettlingState.SURE]

    def hold(self, key: object, book: Codebook | None) -> None:
        """Keep a codebook until it is decided about. `key`: which file or dataset it is from."""
        self.book_key, self.book = key, book

    def choose(self, name: str | None) -> None:
        """Open a column, as somebody asked."""
        self.chosen, self.is_opened, self.refused, self.making = name, name is not None, None, None

    def open_made(self, name: str) -> None:
        """Open a made column, or a new one, as somebody asked."""
        self.choose(None)
        self.making, self.is_opened = name, True

    def go_on(self) -> None:
        """Open the next column of which something is asked, after the one that is open."""
        names = self.unsettled()
        place = self.names.index(self.chosen) if self.chosen in self.names else -1
        later = [name for name in names if self.names.index(name) > place]
        self.choose(next(iter([*later, *names]), None))

    def change(self, rows: Mapping[str, Row], *, typed: bool = False) -> int:
        """Replace some lines; return how many differ. `typed`: in the editor, which then shows them already."""
        before = self.sheet.rows
        fresh = (
            name for name, row in rows.items() if row.use and (not before[name].use or row.type != before[name].type)
        )
        changed = self.sheet.changed({**rows, **{name: self.read(rows[name]) for name in fresh}})
        count = sum(changed.rows[name] != row for name, row in self.sheet.rows.items())
        if count:
            self._replace(changed, drawn=typed)
        return count

    def undo(self) -> None:
        """Go one step back."""
        if self.past:
            self.future.append(self.sheet)
            self._go(self.past.pop())

    def redo(self) -> None:
        """Go one step forward again."""
        if self.future:
            self.past.append(self.sheet)
            self._go(self.future.pop())

    def reset(self) -> None:
        """Go back to what is declared, which can be undone."""
        self._replace(self.registered)

    def take_declared(self, dataset: Dataset) -> None:
        """Go on from what was just declared; what was left out, or is not settled, stays so."""
        self.dataset = dataset
        now, before = self.registered.rows, self.sheet.rows
        self.change({name: replace(row, source=before[name].source) for name, row in now.items() if row.use})
        self.keep()

    def _replace(self, sheet: ColumnSheet, *, drawn: bool = False) -> None:
        self.past, self.future = [*self.past[-MAX_STEPS + 1 :], self.sheet], []
        self._go(sheet, drawn=drawn)

    def _go(self, sheet: ColumnSheet, *, drawn: bool = False) -> None:
        self.sheet = sheet
        if not drawn:
            self.grid += 1
        self.keep()

    def look(self, search: str, view: str, *, held: bool) -> None:
        """Choose the lines in sight. `held`: they stay while they are edited, also where they no longer match."""
        wanted = (search.strip().casefold(), view, held)
        if self.seen != wanted or not held:
            self.seen, self.sight = wanted, tuple(name for name in self.names if self._matches(name, *wanted[:2]))
            self.grid += held

    def _matches(self, name: str, search: str, view: str) -> bool:
        row = self.sheet.rows[name]
        if view != EVERYTHING and (self.state(name) is SettlingState.SETTLED) != (view == SETTLED):
            return False
        words = " ".join((name, row.type, row.categories, row.unit, row.description)).casefold()
        return all(word in words for word in search.split())

    def keep(self) -> None:
        """Save the draft, or delete it where it says no more than what is declared."""
        ws, actor = session.workspace(), session.actor()
        try:
            if body := self.body:
                old = self.draft
                known: dict[str, Any] = {} if old is None else {"draft_id": old.id, "revision": old.revision}
                body = {"dataset": self.dataset.name, **body}
                self.draft = ws.plans.drafts.save(body, name=self.dataset.name, kind=KIND, actor=actor, **known)
            else:
                self.forget()
        except StaleDraftError:
            self.stale = True
        except (InputError, AccessError):
            # Deleted in another tab, or the session ended: the table in this tab stays as it is.
            self.draft = None

    def forget(self) -> None:
        """Delete the draft."""
        if self.draft is not None:
            session.workspace().plans.drafts.delete(self.draft.id, actor=session.actor())
            self.draft = None

    def take_other(self) -> None:
        """Go on with the draft as it was changed in another tab."""
        self.draft, self.stale = _saved(self.dataset.name), False
        self.past, self.future = [*self.past, self.sheet], []
        self.sheet, self.grid = _begun(self.registered, self.draft), self.grid + 1

    def take_mine(self) -> None:
        """Overwrite the draft with the table in this tab."""
        self.draft, self.stale = _saved(self.dataset.name), False
        self.keep()


def work(dataset: Dataset) -> Work:
    """Return this tab's work for a dataset: begun from the draft, else from what is declared, and from nothing else."""
    actor = session.actor()
    key = f"columns-{dataset.name}-{actor.name}"
    names = session.workspace().datasets.columns(dataset.name, actor=actor)
    found: Work | None = st.session_state.get(key)
    if found is None or found.names != names:
        draft = _saved(dataset.name)
        declared = ColumnSheet.of(names, dataset.schema.said())
        found = st.session_state[key] = Work(dataset, names, _begun(declared, draft), draft)
    shown = session.workspace().plans.preview_policy
    if found.written_of != (dataset.version, shown):
        found.written = session.workspace().datasets.written(dataset.name, actor=actor)
        found.written_of = dataset.version, shown
    found.dataset = dataset
    return found


def _begun(declared: ColumnSheet, draft: SavedDraft | None) -> ColumnSheet:
    """Return the lines of a draft, or those that are declared with what the draft leaves out."""
    if draft is None or "rows" in draft.body:
        return declared if draft is None else ColumnSheet.stored(declared.rows, draft.body)
    left = draft.body.get("left")
    names = [name for name in left if name in declared.rows] if isinstance(left, list) else []
    return declared.changed({name: replace(declared.rows[name], left=True) for name in names})


def _saved(dataset: str) -> SavedDraft | None:
    found = session.workspace().plans.drafts.find(KIND, actor=session.actor())
    return next((draft for draft in found if draft.body.get("dataset") == dataset), None)
