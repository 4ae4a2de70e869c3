"""Reading of a table's file: declared by its curator, the same for every row of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from dprelease.errors import Problem, UploadError, question
from dprelease.model.report import nearest
from dprelease.model.row_rules import RowRules
from dprelease.words import phrase, quoted, verbatim


class Format(StrEnum):
    """Format of a file, by its content."""

    TEXT = "text"
    """Cells between delimiters: CSV, TSV and the like."""
    JSON_LINES = "json_lines"
    """A JSON object a line."""
    EXCEL = "excel"
    SPSS = "spss"
    SPSS_PORTABLE = "spss_portable"
    STATA = "stata"
    SAS = "sas"
    PARQUET = "parquet"


DELIMITERS = (",", ";", "\t", "|")
ENCODINGS = (
    "utf-8",
    "utf-16",
    "windows-1252",
    "iso-8859-1",
    "iso-8859-15",
    "windows-1250",
    "iso-8859-2",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "cp437",
    "cp850",
    "mac-roman",
    "shift_jis",
    "gb18030",
)
"""Python's names of them."""
MAX_HEADER = 1000
LABELLED = (Format.SPSS, Format.SPSS_PORTABLE, Format.STATA, Format.SAS)
APPLIES: Mapping[str, tuple[Format, ...]] = {
    "delimiter": (Format.TEXT,),
    "encoding": (Format.TEXT,),
    "header": (Format.TEXT, Format.EXCEL),
    "sheet": (Format.EXCEL,),
    "labels": LABELLED,
    "names": (Format.TEXT, Format.EXCEL),
    "units": (Format.TEXT, Format.EXCEL),
    "skip": (Format.TEXT, Format.EXCEL),
}
"""Formats for which each part of a reading is asked."""
LAYOUT = ("sheet", "encoding", "delimiter", "header", "units")
"""Parts that decide which cells are a row, and which of them hold the names; in the order in which they are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Declaration of how a file is read. Parts that its format does not ask for keep their defaults."""

    format: Format
    delimiter: str = ","
    encoding: str = "utf-8"
    header: int = 1
    """The line (of a sheet: the row) that holds the columns' names; 0 where none does."""
    sheet: str | None = None
    labels: bool = False
    """True if values that a file of SPSS or Stata has labels for are read as these."""
    names: tuple[str, ...] = ()
    """Column names in the place of the file's own, where two are alike or one lacks."""
    units: bool = False
    """True if the row under the names holds units of measure, and is no row of the table."""
    skip: RowRules = field(default_factory=RowRules)
    """Rules for rows to leave out, each by its own cells."""
    forms: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    """Written forms of cells of columns that nobody declared yet, by name and as under `reading` in a plan."""

    def __post_init__(self) -> None:
        _one_of("delimiter", self.delimiter, DELIMITERS)
        _one_of("encoding", self.encoding, ENCODINGS)
        if isinstance(self.header, bool) or not 0 <= self.header <= MAX_HEADER:
            raise UploadError("header", found=self.header, allowed=verbatim(f"0 to {MAX_HEADER}"))

    def asks(self, part: str) -> bool:
        """Return True if a part is of use for this format."""
        return self.format in APPLIES[part]

    def to_mapping(self) -> dict[str, Any]:
        """Return the parts that the format asks for; `parse` reads them again."""
        asked = {name: getattr(self, name) for name in APPLIES if self.asks(name)}
        asked |= {"names": list(asked["names"])} if "names" in asked else {}
        asked |= {"skip": self.skip.to_mapping()} if "skip" in asked else {}
        forms = {"forms": {name: dict(form) for name, form in self.forms.items()}} if self.forms else {}
        return {"format": self.format.value, **asked, **forms}

    @classmethod
    def parse(cls, mapping: Mapping[str, Any]) -> Reading:
        """Raise UploadError where a part is unknown or not of its kind."""
        names = [field.name for field in fields(cls)]
        for name in mapping:
            if name not in names:
                raise UploadError(
                    "reading", found=name, allowed=verbatim(", ".join(names)), remedy=nearest(name, names)
                )
        try:
            lists = {"names": tuple(mapping.get("names", ())), "skip": RowRules.parse(mapping.get("skip", {}))}
            return cls(**{**mapping, "format": Format(mapping["format"]), **lists})
        except (KeyError, TypeError, ValueError):
            raise UploadError(
                "reading", found=phrase("model.parts_do_fit"), allowed=verbatim(", ".join(names))
            ) from None


def _one_of(name: str, found: str, allowed: tuple[str, ...]) -> None:
    if found not in allowed:
        raise UploadError(name, found=found, allowed=verbatim(", ".join(map(repr, allowed))))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkbookSheet:
    """A sheet of a workbook that somebody can see."""

    name: str
    columns: int = 0
    rows: int = 0
    """Number of rows with cells, up to the last that was looked at; 0 where nobody looked, as are columns."""
    is_table: bool = False
    """True if the sheet has two columns or more, and three rows under their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortRow:
    """A row of text with fewer cells than the table has columns: a note, or a fault."""

    line: int
    cells: int
    width: int

    @property
    def rule(self) -> str:
        """Rule that leaves out this row, and all rows alike."""
        return f"note:{self.cells}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """Detected reading of a file, with the choices there are. Names only, never a cell."""

    reading: Reading
    sheets: tuple[WorkbookSheet, ...] = ()
    labelled: tuple[str, ...] = ()
    """The columns that a file of SPSS or Stata has labels of values for."""
    asks: tuple[str, ...] = ()
    """Parts of the reading that the file does not settle: nothing is read before somebody said them."""
    bands: tuple[str, ...] = ()
    """Names of all columns with what stands above them, where names repeat and something does."""
    formulas: int = 0
    """Columns of the sheet with formulas that no result is stored of."""
    blind: bool = False
    """True if nothing was detected of the rows, since nobody here may see results that depend on them."""
    short: ShortRow | None = None
    """The row at which reading it ended, where that may be a note: then `skip` is asked."""

    def settled(self, filename: str) -> Reading:
        """Return the reading. Raises UploadError where it is not settled, which tells no number of rows."""
        if self.asks:
            raise UploadError.from_problems(self.questions)
        return self.reading

    @property
    def questions(self) -> tuple[Problem, ...]:
        """Questions to be answered about the file first, each with its answers."""
        return tuple(map(self._question, self.asks))

    def _question(self, part: str) -> Problem:
        found = phrase("model.not_detected") if self.blind else phrase(f"model.ask_{part}")
        if part == "skip" and self.short is not None:
            found, allowed = phrase("model.ask_skip", line=self.short.line), phrase("model.answer_skip")
            return question(part, found, allowed, ASKED, answers=(self.short.rule,))
        if part == "sheet":
            names = [each.name for each in self.sheets]
            sheets = verbatim("; ".join(str(quoted(name)) for name in names))
            return question(part, found, phrase("model.one_of_sheets", sheets=sheets), ASKED, answers=names)
        return question(part, found, phrase(f"model.answer_{part}"), ASKED, answers=ANSWERS.get(part, ()))


ANSWERS: Mapping[str, tuple[str, ...]] = {
    "encoding": ENCODINGS,
    "delimiter": DELIMITERS,
    "units": ("true", "false"),
}
"""Allowed answers for a part, where they are a list which no file decides."""
ASKED = phrase("model.say_reading")
"""Instruction for answering a question in Python and in the terminal."""
