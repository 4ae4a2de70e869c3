"""Cells of one table, chosen by the codes of its keys: rows in published order, a page at a time."""

from __future__ import annotations

import csv
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from io import BytesIO, StringIO
from threading import Lock
from typing import Any

import numpy as np
import pyarrow
from pyarrow import csv as arrow_csv

from dprelease.bundle.labels import labelled_path
from dprelease.bundle.tables import QUOTED, neutral, restored
from dprelease.errors import IntegrityError
from dprelease.model.encoding import read_json
from dprelease.portal.shelf import Bundle
from dprelease.words import phrase

USUAL = 1000
MOST = 5000
"""Largest number of rows of a page."""
KEPT = 256 * 2**20
"""Largest size of tables in memory, in bytes."""
FORMATS = ("json", "csv", "xlsx", "parquet", "sdmx-csv")
SDMX = "sdmx-csv"
OWN = ("columns", "limit", "after", "format", "lang")
"""Parameters that choose no cells. A key of such a name is asked for as `key.NAME`."""
KEY = "key."
SHOWN = 20
"""Largest number of codes that an error names."""
COMPARED = 1000
"""Largest number of codes searched for the nearest; of more, those that begin alike."""
LONGEST = 100


class AskedError(ValueError):
    """Query of cells that cannot be answered: `key` names the sentence, all else comes from what is public."""

    def __init__(self, key: str, place: str, allowed: Sequence[str], asked: str = "") -> None:
        super().__init__(key)
        self.key, self.place = key, place
        near = allowed if len(allowed) <= COMPARED else [each for each in allowed if each[:2] == asked[:2]][:COMPARED]
        self.nearest = next(iter(get_close_matches(asked[:LONGEST], near, n=1, cutoff=0.4)), None)
        self.allowed = allowed[:SHOWN]
        self.count = len(allowed)


@dataclass(frozen=True)
class TextColumn:
    """Column of texts. `places`: the distinct text of each row, where its cells can be chosen by them."""

    name: str
    kind: str
    texts: pyarrow.Array = field(repr=False)
    """Texts of all rows; the distinct ones where there are `places`."""
    places: np.ndarray | None = field(default=None, repr=False)

    def taken(self, rows: np.ndarray) -> list[str | None]:
        """Return the texts of some rows, as they stand in the file; None for an empty cell."""
        found = self.texts.take(pyarrow.array(rows if self.places is None else self.places[rows]))
        return found.to_pylist()  # type: ignore[no-any-return]

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """Place of each distinct text, without the apostrophe that keeps spreadsheets from running it."""
        return {restored(text or ""): place for place, text in enumerate(self.texts.to_pylist())}


@dataclass(frozen=True, slots=True)
class CellQuery:
    """Query of a table's cells; checked."""

    chosen: Mapping[str, frozenset[str]]
    """Chosen codes by the name of a key column."""
    columns: tuple[str, ...]
    limit: int = USUAL
    after: int = 0
    """Number of the last row of the page before; rows are counted from 1, as they stand in the file."""
    format: str = "json"
    lang: str = ""
    """Language of labels beside keys that have some; none where it is empty."""


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a table: the number found in all, and the number of the last row where more follow."""

    columns: tuple[TextColumn, ...]
    rows: np.ndarray
    found: int
    last: int | None

    def labelled(self, labels: Mapping[str, TextColumn]) -> Page:
        """Return the same with labels after the keys that have some."""
        return replace(
            self, columns=tuple(each for own in self.columns for each in (own, labels.get(own.name)) if each)
        )

    def of(self, other: TextTable) -> Page:
        """Return the same rows of another file."""
        return replace(self, columns=tuple(other.columns.values()))

    def csv(self) -> bytes:
        """Return a header and the rows as CSV, each cell as it stands in the file of the table."""
        cells = [_quoted(each, each.taken(self.rows)) for each in self.columns]
        lines = map(",".join, zip(*cells, strict=True))
        return "".join(
            f"{line}\n" for line in (",".join(_text(neutral(each.name)) for each in self.columns), *lines)
        ).encode()

    def mappings(self) -> list[dict[str, Any]]:
        """Return a mapping per row, numbers as numbers."""
        cells = [_values(each, each.taken(self.rows)) for each in self.columns]
        names = [each.name for each in self.columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


@dataclass(frozen=True)
class TextTable:
    """Table in memory: texts as they stand in its file."""

    columns: Mapping[str, TextColumn]
    keys: tuple[str, ...]
    """Key columns."""
    names: tuple[str, ...]
    """Names of the key columns in the release."""
    count: int
    languages: tuple[str, ...] = ()
    """Languages in which keys have labels."""

    @classmethod
    def of(cls, bundle: Bundle, table: str) -> TextTable:
        """Read a table. Raises InputError where the release has none such, IntegrityError where the bytes are none."""
        data = bundle.read(f"tables/{table}.csv")
        described = read_json(bundle.read("datapackage.json"), "datapackage.json")
        try:
            resource = next(each for each in described["resources"] if each["name"] == table and "axes" in each)
            fields = [(restored(each["name"]), each["type"]) for each in resource["schema"]["fields"]]
            width = sum(len(axis["names"]) for axis in resource["axes"])
            found = cls._read(data, fields, width)
            spoken = bundle.certificate.texts.languages
            return replace(found, languages=tuple(each for each in spoken if labelled_path(each, table) in bundle.sums))
        except (StopIteration, KeyError, TypeError, ValueError, pyarrow.ArrowException):
            raise IntegrityError(phrase("bundle.table_csv_program_writes")) from None

    @classmethod
    def beside(cls, data: bytes) -> TextTable:
        """Read another file of the same rows, with texts as cells. Raises IntegrityError where it is no table."""
        try:
            names = next(csv.reader(StringIO(data.decode(), newline="")))
            return cls._read(data, [(restored(name), "string") for name in names], 0)
        except (StopIteration, ValueError, csv.Error, pyarrow.ArrowException):
            raise IntegrityError(phrase("bundle.table_csv_program_writes")) from None

    def labels(self, labelled: TextTable) -> Mapping[str, TextColumn]:
        """Return the labels of each key, from the same table with labels, where they stand after their keys."""
        raw, found, last = iter([*self.names, *list(self.columns)[len(self.keys) :]]), {}, -1
        expected = next(raw, None)
        for name, column in labelled.columns.items():
            if name == expected:
                last, expected = last + 1, next(raw, None)
            elif 0 <= last < len(self.keys):
                found[self.keys[last]] = column
        return found

    @classmethod
    def _read(cls, data: bytes, fields: Sequence[tuple[str, str]], width: int) -> TextTable:
        """Read columns of a file; `width`: the number of key columns."""
        places = [str(place) for place in range(len(fields))]  # a key may be called as a number is
        reading = arrow_csv.ReadOptions(column_names=places, skip_rows_after_names=1, use_threads=False)
        parsing = arrow_csv.ParseOptions(newlines_in_values=b'"' in data)
        converting = arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(places, pyarrow.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        found = arrow_csv.read_csv(BytesIO(data), reading, parsing, converting)
        others = {name for name, _ in fields[width:]}
        columns = []
        for place, (name, kind) in enumerate(fields):
            is_key = place < width
            own = f"{KEY}{name}" if is_key and name in others else name
            # Letters beside numbers, as a status, are few and choose cells like keys.
            columns.append(_column(own, kind, found.column(place), is_chosen_by=is_key or kind == "string"))
        keys = tuple(each.name for each in columns[:width])
        names = tuple(name for name, _ in fields[:width])
        return cls({each.name: each for each in columns}, keys, names, found.num_rows)

    @property
    def size(self) -> int:
        """Size in bytes."""
        places = (0 if each.places is None else each.places.nbytes for each in self.columns.values())
        return sum(places) + sum(int(each.texts.nbytes) for each in self.columns.values())

    @property
    def parameters(self) -> Mapping[str, str]:
        """Column that each parameter chooses cells by."""
        keys = [name for name, column in self.columns.items() if column.places is not None]
        return {f"{KEY}{name}" if name in OWN else name: name for name in keys}

    def asked(self, query: Iterable[tuple[str, str]]) -> CellQuery:
        """Read the parameters of an address. Raises AskedError for one that means nothing here."""
        chosen: dict[str, frozenset[str]] = {}
        stated: dict[str, str] = {}
        parameters = self.parameters
        for name, value in query:
            if name in parameters:
                column = parameters[name]
                chosen[column] = chosen.get(column, frozenset()) | self._codes(column, value)
            elif name in OWN:
                stated[name] = value
            else:
                raise AskedError("unknown_parameter", "", [*parameters, *OWN], name)
        if stated.get("format", "json") not in FORMATS:
            raise AskedError("unknown_value", "format", FORMATS, stated["format"])
        if stated.get("format") == SDMX and {"columns", "lang"} & stated.keys():  # its columns are all of a structure
            raise AskedError("unknown_value", "format", [each for each in FORMATS if each != SDMX])
        if "lang" in stated and stated["lang"] not in self.languages:
            raise AskedError("unknown_value", "lang", self.languages, stated["lang"])
        return CellQuery(
            chosen,
            self._columns(stated.get("columns")),
            _whole("limit", stated.get("limit", str(USUAL)), 1, MOST),
            _whole("after", stated.get("after", "0"), 0, self.count),
            stated.get("format", "json"),
            stated.get("lang", ""),
        )

    def page(self, asked: CellQuery) -> Page:
        """Return the rows that were asked for, from the one after `asked.after` on."""
        wanted = np.ones(self.count, dtype=bool)
        for name, codes in asked.chosen.items():
            column = self.columns[name]
            among = np.zeros(len(column.texts), dtype=bool)
            known = column.codes
            among[[known[code] for code in codes]] = True
            wanted &= among[column.places]
        rows = np.flatnonzero(wanted)
        start = int(np.searchsorted(rows, asked.after))
        shown = rows[start : start + asked.limit]
        last = int(shown[-1]) + 1 if start + asked.limit < len(rows) else None
        return Page(tuple(self.columns[name] for name in asked.columns), shown, len(rows), last)

    def _codes(self, column: str, value: str) -> frozenset[str]:
        """Read codes: several stand between commas; one that holds a comma stands alone or in quotes."""
        known = self.columns[column].codes
        listed = [value] if value in known else _listed(value)
        for code in listed:
            if code not in known:
                raise AskedError("unknown_code", column, [*known], code)
        return frozenset(listed)

    def _columns(self, value: str | None) -> tuple[str, ...]:
        """Return the columns asked for, in the order of the file, each once."""
        if value is None:
            return tuple(self.columns)
        listed = _listed(value)
        for name in listed:
            if name not in self.columns:
                raise AskedError("unknown_value", "columns", [*self.columns], name)
        return tuple(name for name in self.columns if name in listed)


class TableCache:
    """Tables in memory, the least recently asked for forgotten first."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._tables: OrderedDict[tuple[str, str], TextTable] = OrderedDict()
        self._reading: dict[tuple[str, str], Lock] = {}
        """Locks by the table that is being read: held until it is."""
        self._lock = Lock()
        """Lock held for moments, never while a table is read."""

    def cells(self, bundle: Bundle, table: str) -> TextTable:
        """Return the table, read and compared with its signed checksum once."""
        return self._held(bundle, f"tables/{table}.csv", lambda: TextTable.of(bundle, table))

    def beside(self, bundle: Bundle, path: str) -> TextTable:
        """Return another file of the bundle with the same rows, likewise."""
        return self._held(bundle, path, lambda: TextTable.beside(bundle.read(path)))

    def _held(self, bundle: Bundle, path: str, read: Callable[[], TextTable]) -> TextTable:
        key = (bundle.sums.get(path, ""), path)
        with self._lock:
            reading = self._reading.setdefault(key, Lock())
        with reading:  # while a large table is read, others who ask for it wait; who asks for another one does not
            with self._lock:
                found = self._tables.get(key)
            try:
                found = read() if found is None else found
            finally:
                with self._lock:
                    self._reading.pop(key, None)
                    if found is not None:
                        self._keep(key, found)
        return found

    def _keep(self, key: tuple[str, str], table: TextTable) -> None:
        self._tables[key] = table
        self._tables.move_to_end(key)
        while len(self._tables) > 1 and sum(each.size for each in self._tables.values()) > self._most:
            self._tables.popitem(last=False)


def _column(name: str, kind: str, texts: pyarrow.ChunkedArray, *, is_chosen_by: bool) -> TextColumn:
    if not is_chosen_by:
        return TextColumn(name, kind, texts.combine_chunks())
    encoded = texts.combine_chunks().dictionary_encode("encode")
    return TextColumn(name, kind, encoded.dictionary, encoded.indices.to_numpy())


def _listed(value: str) -> list[str]:
    try:
        return next(csv.reader([value], strict=True)) or [""]
    except csv.Error:
        return [value]


def _whole(name: str, value: str, least: int, most: int) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and least <= int(value) <= most):
        raise AskedError("not_whole", name, [str(least), str(most)])
    return int(value)


def _text(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if not text or QUOTED.search(text) else text


def _quoted(column: TextColumn, cells: Sequence[str | None]) -> list[str]:
    if column.kind != "string":
        return [cell or "" for cell in cells]
    return ["" if cell is None else _text(cell) for cell in cells]


def _values(column: TextColumn, cells: Sequence[str | None]) -> list[Any]:
    if column.kind == "string":
        return [None if cell is None else restored(cell) for cell in cells]
    return [None if cell is None else float(cell) if "." in cell or "e" in cell else int(cell) for cell in cells]
