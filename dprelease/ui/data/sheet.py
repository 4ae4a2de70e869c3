"""The columns' table as a value: every change makes another one, so that it can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from dprelease.errors import Problem
from dprelease.model.column import COLUMN_OPTIONS
from dprelease.model.column_fields import Widget
from dprelease.model.made import KEY
from dprelease.ui.data.row import FLAGS, Row
from dprelease.ui.words import say

if TYPE_CHECKING:
    import pandas

SHEET = {name: option for name, option in sorted(COLUMN_OPTIONS.items(), key=lambda item: item[1].rank) if option.width}
"""The properties that have cells, as they stand from left to right."""
FIELDS = ("name", "check", "use", "type", *SHEET)
"""Fields of a line, from left to right."""


@dataclass(frozen=True, slots=True)
class ColumnSheet:
    """A line for each column of the stored table, in its order; and behind them one for each that is made of others."""

    rows: Mapping[str, Row]

    @classmethod
    def of(cls, names: Iterable[str], declared: Mapping[str, Mapping[str, Any]]) -> ColumnSheet:
        """Return the declared lines, and empty lines for the other columns: nothing else is known of them."""
        lines = {name: Row.of(name, declared.get(name)) for name in names}
        made = (name for name, said in declared.items() if said.get(KEY) is not None)
        return cls(lines | {name: Row.of(name, declared[name]) for name in made if name not in lines})

    @classmethod
    def stored(cls, names: Iterable[str], body: Mapping[str, Any]) -> ColumnSheet:
        """Return the inverse of `body`, for the columns that the table has now."""
        kept = body.get("rows")
        rows = kept if isinstance(kept, Mapping) else {}
        made = [name for name, row in rows.items() if isinstance(row, Mapping) and row.get(KEY)]
        lines = ((name, rows.get(name)) for name in dict.fromkeys([*names, *made]))
        return cls({name: Row.stored(name, row) if isinstance(row, Mapping) else Row(name) for name, row in lines})

    def body(self) -> dict[str, Any]:
        """Return the lines with anything in them, for a draft."""
        return {"rows": {name: asdict(row) for name, row in self.rows.items() if not row.is_empty}}

    def changed(self, rows: Mapping[str, Row]) -> ColumnSheet:
        """Return the sheet with other lines in the place of some."""
        return ColumnSheet({name: rows.get(name, row) for name, row in self.rows.items()})

    def put(self, row: Row | None, former: str) -> ColumnSheet:
        """Return the sheet with a made column in the place of a former one, or last; without it where there is none."""
        new = {} if row is None else {row.name: row}
        kept = [new if name == former else {name: line} for name, line in self.rows.items()]
        return ColumnSheet({name: line for lines in (*kept, new) for name, line in lines.items()})

    def declared(self) -> dict[str, dict[str, Any]]:
        """Return the columns that are used, as in a plan file."""
        return {name: row.mapping() for name, row in self.rows.items() if row.use}

    def problems(self) -> list[Problem]:
        """Return the problems of all lines."""
        return [problem for row in self.rows.values() for problem in row.problems()]

    def frame(self, names: Iterable[str], unit_column: str | None) -> pandas.DataFrame:
        """Return some lines for the editor, each with what is wrong with it, or that the unit is known by it."""
        import pandas

        lines = [{**asdict(self.rows[name]), "check": check(self.rows[name], unit_column)} for name in names]
        kinds = {key: "bool" if key in ("use", *FLAGS) else "str" for key in FIELDS}
        frame = pandas.DataFrame(lines, columns=list(FIELDS)).astype(kinds)
        for chosen in ("type", *(name for name, option in SHEET.items() if option.widget is Widget.SELECT)):
            frame[chosen] = frame[chosen].astype(object).replace("", None)
        return frame


def check(row: Row, unit_column: str | None) -> str:
    """Return a line's problems in words; for an unused line, no problem unless something was written in it."""
    problems = row.problems()
    if not problems:
        return say("column_good") if row.use else say("column_identifies") if row.name == unit_column else ""
    return " ".join(beside(problem) for problem in problems)


def beside(problem: Problem) -> str:
    """Return one problem beside its column."""
    key = problem.path.rpartition(".")[2].partition("[")[0]
    values = {"found": problem.found, "allowed": problem.allowed, "remedy": problem.remedy}
    if key in ("type", *SHEET):
        values["field"] = say(f"column_{key}")
        return say("column_problem_field_remedy" if problem.remedy else "column_problem_field", **values)
    return say("column_problem_remedy" if problem.remedy else "column_problem", **values)
