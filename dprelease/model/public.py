"""Public figures that travel with a release, such as how many live where: tables in the plan, of keys and one number.

They are the publisher's, from another source than the confidential table, and nothing in them is noisy.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from dprelease.errors import PlanError
from dprelease.model.report import Report, as_decimal, join
from dprelease.model.texts import ID
from dprelease.words import Phrase, phrase, quoted, verbatim

MAX_TABLES = 20
MAX_BYTES = 1_000_000
"""Maximum size of all of them together: they stand in the plan."""
MAX_KEYS = 10
LONGEST_CELL = 200
MAX_NAMED = 10
"""Codes of a table that an error names."""
FORMULA = re.compile(r"[=+\-@\t\r＝＋－＠]")
"""Signs at the beginning of a cell for which spreadsheets run the cell instead of showing it."""
KEYS = ("keys", "value", "source", "licence", "content")
Cells = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PublicTable:
    """A CSV file with a row for each combination of keys, and one column of numbers from 0 on."""

    name: str
    keys: tuple[tuple[str, str], ...]
    """Each key column of the tables that it belongs to, and what it is called in the file."""
    value: str
    """The column of its numbers."""
    source: str
    licence: str = ""
    content: str
    """The file: cells apart by commas, a heading, lines that end in a line feed."""

    @cached_property
    def numbers(self) -> Mapping[Cells, Fraction | None]:
        """Numbers by their keys, in the order of `keys`; None where the cell is empty."""
        return {cells: number for _, cells, number in self._read()}

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan file."""
        found: dict[str, Any] = {"keys": dict(self.keys), "value": self.value, "source": self.source}
        return found | ({"licence": self.licence} if self.licence else {}) | {"content": self.content}

    def check(self, path: str, report: Report) -> None:
        """Add what is wrong with its content: rows that are none, keys that stand twice, numbers that are none."""
        try:
            lines = list(csv.reader(io.StringIO(self.content, newline=""), strict=True))
        except csv.Error:
            report.add(path, found=phrase("model.public_not_csv"), allowed=phrase("model.public_csv"))
            return
        names = [*dict(self.keys).values(), self.value]
        heads = lines[0] if lines else []
        if (wrong := _unfit(heads)) is not None:
            report.add(path, found=phrase("model.public_line", number=1), allowed=wrong)
            return
        wanted = [name for name in names if heads.count(name) != 1]
        if wanted or len(set(names)) < len(names):
            has = phrase("model.public_columns", names=", ".join(heads[:20]))
            report.add(path, found=has, allowed=phrase("model.public_each_column_once", names=", ".join(names)))
            return
        for number, line in enumerate(lines[1:], 2):
            if (wrong := _wrong(line, heads, self.value)) is not None:
                report.add(path, found=phrase("model.public_line", number=number), allowed=wrong)
                return
        if len(lines) < 2:
            report.add(path, found=phrase("model.public_no_rows"), allowed=phrase("model.public_some_rows"))
        seen: set[Cells] = set()
        for number, cells, _ in self._read():
            if cells in seen:
                found = phrase("model.public_twice", number=number, keys=", ".join(cells))
                remedy = phrase("model.public_one_row_each")
                report.add(path, found=found, allowed=phrase("model.public_once"), remedy=remedy)
                return
            seen.add(cells)

    def check_beside(self, axes: Sequence[tuple[str, Sequence[str]]], path: str, report: Report) -> None:
        """Add what keeps it from being divided by, cell by cell of a table. `axes`: its keys with their codes."""
        names = [name for name, _ in axes]
        if set(names) != dict(self.keys).keys():
            own, remedy = ", ".join(dict(self.keys)), phrase("model.public_keys_of_table", keys=", ".join(names))
            report.add(f"{path}.keys", found=own, allowed=phrase("model.public_same_keys"), remedy=remedy)
            return
        codes = {name: set(codes) for name, codes in axes}
        for cells in self.numbers:
            for (key, column), code in zip(self.keys, cells, strict=True):
                if code not in codes[key]:
                    found = phrase("model.public_unknown_code", code=quoted(code), column=quoted(column))
                    remedy = phrase("model.public_leave_out", codes=", ".join(axes[names.index(key)][1][:MAX_NAMED]))
                    report.add(f"{path}.content", found=found, allowed=phrase("model.public_codes"), remedy=remedy)
                    return

    def _read(self) -> Iterator[tuple[int, Cells, Fraction | None]]:
        """Yield the line, the keys and the number of each row."""
        lines = csv.reader(io.StringIO(self.content, newline=""))
        heads = next(lines)
        places = [heads.index(column) for _, column in self.keys]
        at = heads.index(self.value)
        for number, line in enumerate(lines, 2):
            yield number, tuple(line[place] for place in places), (Fraction(line[at]) if line[at] else None)


def _wrong(line: Sequence[str], heads: Sequence[str], value: str) -> Phrase | None:
    """Return the rule that a row breaks; None where it breaks none."""
    if len(line) != len(heads):
        return phrase("model.public_as_many_cells", count=len(heads))
    number = line[heads.index(value)]
    parsed = as_decimal(number) if number else 0
    if parsed is None or parsed < 0:
        return phrase("model.public_number", column=quoted(value))
    return _unfit(line)


def _unfit(line: Sequence[str]) -> Phrase | None:
    """Return the rule that a cell breaks, where one is not fit to be published; else None."""
    for cell in line:
        if len(cell) > LONGEST_CELL or not cell.isprintable():
            return phrase("model.public_short_cell", longest=LONGEST_CELL)
        if FORMULA.match(cell) and as_decimal(cell) is None:
            return phrase("model.public_no_formula")
    return None


def read_public(value: object, report: Report) -> tuple[PublicTable, ...]:
    """Read what stands under `public` in a plan: tables by name, in the order of their names."""
    if value is None:
        return ()
    if not isinstance(value, Mapping) or not 1 <= len(value) <= MAX_TABLES:
        report.add("public", found=value, allowed=phrase("model.public_by_name", most=MAX_TABLES))
        return ()
    found = tuple(filter(None, (_table(name, each, report) for name, each in value.items())))
    found = tuple(sorted(found, key=lambda each: each.name))
    size = sum(len(each.content.encode(errors="replace")) for each in found)
    if size > MAX_BYTES:
        allowed = phrase("model.public_at_most", most=MAX_BYTES)
        report.add("public", found=phrase("model.public_too_large", count=size), allowed=allowed)
    return found


def _table(name: object, value: object, report: Report) -> PublicTable | None:
    path, before = join("public", str(name)), len(report.problems)
    if not isinstance(name, str) or not ID.fullmatch(name):
        report.add(path, found=name, allowed=phrase("model.list_id"))
        return None
    fields = report.mapping(value, path, allowed=KEYS, required=("keys", "value", "source"))
    if fields and fields.get("content") is None:
        remedy = phrase("model.public_bring", name=name)
        report.add(f"{path}.content", found=phrase("model.nothing"), allowed=phrase("model.public_csv"), remedy=remedy)
    keys = _keys(fields.get("keys"), f"{path}.keys", report) if fields.get("keys") is not None else ()
    texts = {
        key: report.optional_text(fields, key, path, shortest=1, longest=most)
        for key, most in (("value", 200), ("source", 200), ("licence", 200), ("content", MAX_BYTES))
    }
    if len(report.problems) > before:
        return None
    table = PublicTable(name=name, keys=keys, **texts)
    table.check(f"{path}.content", report)
    return table if len(report.problems) == before else None


def _keys(value: object, path: str, report: Report) -> tuple[tuple[str, str], ...]:
    """Return keys in name order. Names alike may be listed: `[region, sex]` is `{region: region, sex: sex}`."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = {each: each for each in value if isinstance(each, str)}
    if not isinstance(value, Mapping) or not 1 <= len(value) <= MAX_KEYS:
        report.add(path, found=value, allowed=phrase("model.public_keys", most=MAX_KEYS))
        return ()
    named = ((report.text(key, path, shortest=1), report.text(each, path, shortest=1)) for key, each in value.items())
    return tuple(sorted(named))


def with_files(plan: Mapping[str, Any], files: Mapping[str, str | Path]) -> dict[str, Any]:
    """Return a plan file's mapping with the lines of files, by the names that it has for them.

    Raises PlanError where the plan has no such name, or a file cannot be read or is too large.
    """
    report, named = Report(), plan.get("public")
    stated = dict(named) if isinstance(named, Mapping) else {}
    for name, path in files.items():
        if report.choice(name, "public", stated) is not None:
            own = stated[name] if isinstance(stated[name], Mapping) else {}
            stated[name] = {**own, "content": _lines(Path(path), f"public.{name}", report)}
    report.raise_any(PlanError)
    return {**plan, "public": stated}


def _lines(path: Path, place: str, report: Report) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) <= MAX_BYTES:
            return data.decode("utf-8-sig").replace("\r\n", "\n")
        report.add(place, found=str(path), allowed=phrase("model.public_at_most", most=MAX_BYTES))
    except OSError as cause:
        remedy = verbatim(str(cause.strerror))
        report.add(place, found=str(path), allowed=phrase("model.file_can_read"), remedy=remedy)
    except UnicodeDecodeError:
        report.add(place, found=str(path), allowed=phrase("model.utf_8_text"))
    return ""
