"""Workbook with every table of a release as a sheet, long and with its last key across, and the codes: workbook.xlsx.

The same bytes each time: its dates are that of the publication. Numbers are numbers, text is never a formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from io import BytesIO
from itertools import accumulate, product
from typing import TYPE_CHECKING, Any

from dprelease.bundle.annotated import GRADE, Annotated
from dprelease.bundle.described import Described, withheld
from dprelease.bundle.labels import coded
from dprelease.bundle.reliability import rule
from dprelease.bundle.tables import NUMBERS
from dprelease.bundle.wide import MOST, is_wide, labelled, wide
from dprelease.model.grade import Grade
from dprelease.model.release import Cell, Release, plain
from dprelease.model.statistic import statistic_of
from dprelease.statements.question import StatisticLabel
from dprelease.words.phrases import visible
from dprelease.words.releases import say

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

WORKBOOK = "workbook.xlsx"
LONGEST_NAME = 31
FORBIDDEN = re.compile(r"[\[\]:*?/\\']")
WIDE = " wide"
HEAD = 3
"""Row of the headings, from 0: above it stand the question and a note on the numbers."""
WIDEST = 60
FIRST_COLUMN = 26
MAX_ROWS = 100_000
"""Largest number of rows of all tables together, in the order of the plan."""


def workbook(described: Described) -> bytes:
    """Return the workbook as bytes. Tables beyond 10,000 rows, or 100,000 together, are left out, and
    named as such."""
    from xlsxwriter import Workbook

    release, file = described.release, BytesIO()
    made = Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    day = datetime.fromisoformat(f"{release.certificate.day}T00:00:00")
    made.set_properties({"title": visible(release.certificate.title), "author": described.publisher, "created": day})
    _Sheets(made, release).write(described)
    made.close()
    return file.getvalue()


class _Sheets:
    """Sheets of a workbook, written one after the other."""

    def __init__(self, made: Workbook, release: Release) -> None:
        self.made, self.release = made, release
        texts = release.certificate.texts
        self.language = texts.languages[0] if texts else None
        self.strong = made.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        self.text = made.add_format({"text_wrap": True, "valign": "top"})
        self.heading = made.add_format({"bold": True, "bottom": 1})
        self.weak = made.add_format({"italic": True, "font_color": "#5A6663"})
        self.plain = made.add_format()
        self.names: set[str] = set()

    def write(self, described: Described) -> None:
        """Write all sheets: the description first, the codes last."""
        first = self.sheet(say("workbook_about"))
        sizes = {name: len(table) for name, table in self.release.tables.items() if len(table) <= MOST}
        tables = [name for name, total in zip(sizes, accumulate(sizes.values()), strict=True) if total <= MAX_ROWS]
        contents = [(name, *self.table(name)) for name in tables]
        self.about(first, described, contents)
        self.codes()

    def sheet(self, name: str) -> Worksheet:
        """Add an empty sheet; its name is cut to the length that spreadsheets take, and made unique."""
        short = FORBIDDEN.sub("_", name)[:LONGEST_NAME] or "_"
        found, count = short, 1
        while found.lower() in self.names:
            count += 1
            found = f"{short[: LONGEST_NAME - len(str(count)) - 1]} {count}"
        self.names.add(found.lower())
        return self.made.add_worksheet(found)

    def about(self, sheet: Worksheet, described: Described, contents: Sequence[tuple[str, str, str]]) -> None:
        """Write the first sheet: title, population, guarantee, how to read the numbers, and the place of each table."""
        certificate = self.release.certificate
        sheet.set_column(0, 0, FIRST_COLUMN)
        sheet.set_column(1, 1, 100)
        lines = [
            ("title", visible(certificate.title)),
            ("description", visible(certificate.description)),
            ("about_whom", f"{certificate.population.name} ({certificate.population.unit})"),
            ("published", f"{certificate.day}"),
            ("publisher", described.publisher),
            ("licence", " ".join(filter(None, (described.about.licence, described.about.licence_address)))),
            ("promise", described.promise),
            ("withheld", withheld(certificate)),
            ("grades", "\n".join(rule(certificate))),
            ("release", self.release.id),
        ]
        place = 0
        for key, text in lines:
            if text:
                sheet.write_string(place, 0, say(f"workbook_{key}"), self.strong)
                sheet.write_string(place, 1, text, self.text)
                place += 1
        left = [name for name in self.release.tables if name not in {each for each, *_ in contents}]
        sums = {name: described.files[f"tables/{name}.csv"].sha256 for name in self.release.tables}
        rows = [(where, told, sums[name]) for name, where, told in contents]
        rows += [(name, say("workbook_left_out"), sums[name]) for name in left]
        sheet.set_column(2, 2, 70)
        for row in [("", "", ""), tuple(say(f"workbook_{key}") for key in ("sheet", "question", "checksum")), *rows]:
            for column, cell in enumerate(row):
                sheet.write_string(place, column, cell, self.text if column else self.strong)
            place += 1

    def table(self, name: str) -> tuple[str, str]:
        """Write one table, and once more with its last key across; return the name of its sheet and the question."""
        question = self.question(name)
        sheet = self.sheet(name)
        heads, rows = self.rows(name)
        self.fill(sheet, question, heads, rows)
        if is_wide(self.release.tables[name]):
            self.across(name, question)
        return sheet.get_name(), question

    def question(self, name: str) -> str:
        """Return the title of the plan in its first language, else the statistic's name."""
        own = self.release.certificate.texts.statistics.get(statistic_of(name))
        asked = StatisticLabel.of(self.release.certificate, name).name
        if own is None or self.language is None:
            return visible(asked)
        return self.release.certificate.texts.said(own.title, self.language)[0] or visible(asked)

    def rows(self, name: str) -> tuple[list[str], Iterator[tuple[Cell, ...]]]:
        """Return headings and an iterator of rows of a long table: keys, labels, numbers, grade and annotations."""
        certificate, table = self.release.certificate, self.release.tables[name]
        lists, texts = dict(coded(self.release, name)), certificate.texts
        called = labelled(self.release, name, self.language)
        question = StatisticLabel.of(certificate, name)
        titles = []
        for key in table.key_names:
            said = texts.columns.get(question.column_of(key) or "")
            label = texts.said(said.label, self.language)[0] if said is not None and self.language else ""
            titles += [key, label or key] if key in lists else [label or key]
        numbers = list(table.numbers)
        heads = [*titles, *numbers, GRADE, "rounded", "annotation"]
        notes = Annotated.of(certificate, name, table).notes()
        columns = [[cell for part in plain(column) for cell in part] for column in table.numbers.values()]
        keys = (tuple(cell for each in place for cell in each) for place in product(*(a.cells for a in table.axes)))

        def made() -> Iterator[tuple[Cell, ...]]:
            for place, values, note in zip(keys, zip(*columns, strict=True), notes, strict=True):
                shown: list[Cell] = []
                for key, cell in zip(table.key_names, place, strict=True):
                    shown += [cell, called(key, cell)] if key in lists else [cell]
                yield (*shown, *values, note.grade, note.rounded, note.annotation)

        return heads, made()

    def fill(self, sheet: Worksheet, question: str, heads: Sequence[str], rows: Iterator[tuple[Cell, ...]]) -> None:
        self.top(sheet, question, heads)
        grade = len(heads) - 3
        for place, row in enumerate(rows, HEAD + 1):
            format_ = self.weak if row[grade] in (Grade.UNRELIABLE.value, Grade.NONE.value) else self.plain
            for column, cell in enumerate(row):
                put(sheet, place, column, cell, format_)

    def top(self, sheet: Worksheet, question: str, heads: Sequence[str]) -> None:
        """Write the question, how to read its numbers, and the headings, which stay in sight."""
        sheet.write_string(0, 0, question, self.made.add_format({"bold": True, "font_size": 13}))
        sheet.write_string(1, 0, say("workbook_how"), self.weak)
        for column, head in enumerate(heads):
            put(sheet, HEAD, column, head, self.heading)
            sheet.set_column(column, column, min(WIDEST, max(10, len(head) + 2)))
        sheet.freeze_panes(HEAD + 1, 1)

    def across(self, name: str, question: str) -> None:
        """Write the same numbers, a column with its interval and grade for each cell of the last key."""
        sheet, found = self.sheet(f"{name[: LONGEST_NAME - len(WIDE)]}{WIDE}"), wide(self.release, name, self.language)
        heads = [*found.keys, *(head for cell in found.across for head in (cell, *NUMBERS[1:], GRADE))]
        self.top(sheet, question, heads)
        for place, (keys, cells) in enumerate(found.rows, HEAD + 1):
            for column, cell in enumerate((*keys, *(number for each in cells for number in each))):
                put(sheet, place, column, cell, self.plain)

    def codes(self) -> None:
        """Write the code lists with their labels in every language."""
        texts = self.release.certificate.texts
        if not texts or not texts.codelists:
            return
        sheet = self.sheet(say("workbook_codes"))
        heads = [say("workbook_list"), "code", *texts.languages]
        self.top(sheet, say("workbook_codes"), heads)
        place = HEAD + 1
        for name, own in sorted(texts.codelists.items()):
            for code, labels in own.codes.items():
                for column, cell in enumerate((name, code, *(labels.get(each, "") for each in texts.languages))):
                    put(sheet, place, column, cell, self.plain)
                place += 1


def put(sheet: Worksheet, row: int, column: int, cell: Cell, format_: Any) -> None:
    """Write a number as a number, all else as text: nothing is a formula."""
    write: Callable[..., Any] = sheet.write_number if isinstance(cell, int | float) else sheet.write_string
    if cell is not None and cell != "":
        write(row, column, cell if isinstance(cell, int | float) else visible(str(cell)), format_)
