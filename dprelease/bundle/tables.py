"""Estimates as CSV: exact numbers, harmless text, the same bytes each time; and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import isfinite, prod

from dprelease.bundle.annotated import GRADE, free
from dprelease.errors import IntegrityError, InternalError
from dprelease.model.grade import Grade
from dprelease.model.release import CHUNK, Axis, Cell, Estimates, plain
from dprelease.words import phrase

FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
"""Pattern of text that spreadsheets run as a formula. It covers leading apostrophes, so that neutralising is undone."""
QUOTED = re.compile(r'[",;\r\n\t]')
"""Characters for which a text is quoted: RFC 4180, and separators of cells in other languages."""
CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])')
NUMBERS = ("value", "lower95", "upper95")
MAX_ANSWERS = 10**9


@dataclass(frozen=True, slots=True)
class Shape:
    """Structure that a reader needs beside the CSV file to get the same Estimates back."""

    axes: tuple[tuple[tuple[str, ...], int], ...]
    """Axes: the names of the key columns of each, and its number of cells."""
    kinds: tuple[str, ...]
    """Kind of each column: `integer`, `number` or `string`."""
    extra: tuple[str, ...] = ()
    """Names of the columns after the interval."""

    @classmethod
    def of(cls, estimates: Estimates) -> Shape:
        nothing: tuple[Cell, ...] = ()
        keys = (zip(*axis.cells, strict=True) if axis.cells else [nothing] * len(axis.names) for axis in estimates.axes)
        columns = [column for part in keys for column in part]
        axes = tuple((axis.names, len(axis.cells)) for axis in estimates.axes)
        kinds = tuple(_kind(column) for column in (*columns, *estimates.numbers.values()))
        return cls(axes, kinds, tuple(estimates.extra))


def neutral(text: str) -> str:
    """Return the text, with one leading apostrophe where a spreadsheet would take it for a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def restored(text: str) -> str:
    """Undo `neutral`."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def written(cell: Cell) -> str:
    """Write one cell: integers plain, floats in their shortest exact form, None empty, text neutralised."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return framed(neutral(cell))
    if isinstance(cell, float) and not isfinite(cell):
        raise InternalError("a published number is not finite")
    return float.__repr__(cell) if isinstance(cell, float) else int.__repr__(cell)


def framed(text: str) -> str:
    """Return a text as one cell, in quotes where it is empty or holds a separator."""
    return '"' + text.replace('"', '""') + '"' if not text or QUOTED.search(text) else text


def csv_chunks(estimates: Estimates, grades: Iterable[Grade] | None = None) -> Iterator[bytes]:
    """Yield the header and rows in published order; UTF-8, LF. Equal tables give the same bytes.

    `grades`: of each row, in its last cell; a table that is not published has none.
    """
    last = () if grades is None else (free(GRADE, estimates),)
    yield (",".join(map(written, (*estimates.columns, *last))) + "\n").encode()
    if grades is None:
        yield from chunks(f"{row}\n" for row in csv_rows(estimates))
    else:
        yield from chunks(f"{row},{letter}\n" for row, letter in zip(csv_rows(estimates), grades, strict=True))


def csv_rows(estimates: Estimates) -> Iterator[str]:
    """Return each row as it stands in the file, without its grade."""
    numbers = zip(*(_texts(column) for column in estimates.numbers.values()), strict=True)
    return map("".join, zip(_key_cells(estimates.axes), map(",".join, numbers), strict=True))


def chunks(lines: Iterator[str]) -> Iterator[bytes]:
    """Yield many lines at a time."""
    while chunk := "".join(islice(lines, CHUNK)):
        yield chunk.encode()


def is_survey(estimates: Estimates) -> bool:
    """Return True if a table counts answers that were changed at random, one by one."""
    return "perturbed" in estimates.extra


def answers_chunks(estimates: Estimates) -> Iterator[bytes]:
    """Yield the answers of a survey as they were changed at random, a row each, sorted: their order tells nothing."""
    (axis,) = estimates.axes
    yield (",".join(map(written, axis.names)) + "\n").encode()
    for cell, count in zip(axis.cells, estimates.extra["perturbed"], strict=True):
        if not isinstance(count, int) or not 0 <= count <= MAX_ANSWERS:
            raise IntegrityError(phrase("bundle.table_counts_answers_cannot"))
        line = (",".join(map(written, cell)) + "\n").encode()
        for start in range(0, count, CHUNK):
            yield line * min(CHUNK, count - start)


def rows_chunks(columns: Mapping[str, Sequence[Cell]]) -> Iterator[bytes]:
    """Yield synthetic rows as CSV in the same style, under the names of their columns."""
    yield (",".join(map(written, columns)) + "\n").encode()
    yield from chunks(",".join(map(written, row)) + "\n" for row in zip(*columns.values(), strict=True))


def row_kinds(columns: Mapping[str, Sequence[Cell]]) -> dict[str, str]:
    """Return the kind of each column: `integer`, `number` or `string`."""
    return {name: _kind(column) for name, column in columns.items()}


def read_rows(data: bytes, kinds: Mapping[str, str]) -> dict[str, Sequence[Cell]]:
    """Undo `rows_chunks`. Raises IntegrityError where the bytes are not rows of such columns."""
    try:
        texts = csv_columns(data.decode(), len(kinds))
        if [restored(column[0] or "") for column in texts] != [*kinds]:
            raise IntegrityError(phrase("bundle.rows_columns"))
        return {name: READERS[kind](column[1:]) for (name, kind), column in zip(kinds.items(), texts, strict=True)}
    except (ValueError, KeyError, TypeError):
        raise IntegrityError(phrase("bundle.rows_not_csv")) from None


def read_csv(data: bytes, shape: Shape) -> Estimates:
    """Undo `csv_chunks`. Raises IntegrityError where the bytes are not a table of this shape.

    The grades are checked against the numbers by `dprelease.verdict.grades`, which knows the certificate.
    """
    names = [*(name for axis, _ in shape.axes for name in axis), *NUMBERS, *shape.extra]
    try:
        *texts, stated = csv_columns(data.decode(), len(names) + 1)
        if [restored(column[0] or "") for column in texts] != names or not is_letter(stated[0]):
            raise IntegrityError(phrase("bundle.table_other_columns_than"))
        columns = [READERS[kind](column[1:]) for kind, column in zip(shape.kinds, texts, strict=True)]
    except (ValueError, KeyError, TypeError):
        raise IntegrityError(phrase("bundle.table_csv_program_writes")) from None
    width = len(columns) - len(NUMBERS) - len(shape.extra)
    keys, (value, lower, upper, *others) = columns[:width], columns[width:]
    if prod(count for _, count in shape.axes) != len(value):
        raise IntegrityError(phrase("bundle.table_another_number_rows"))
    axes = tuple(_axes(shape.axes, keys))
    extra = dict(zip(shape.extra, others, strict=True))
    return Estimates(axes=axes, value=value, lower95=lower, upper95=upper, extra=extra)


def is_letter(name: str | None) -> bool:
    """Return True if the last column may have this name."""
    return name is not None and name.rstrip("_") == GRADE


def _axes(axes: Sequence[tuple[tuple[str, ...], int]], columns: list[list[Cell]]) -> Iterator[Axis]:
    """Split the key columns into axes; IntegrityError where the rows are not their product."""
    outer, inner = 1, prod(count for _, count in axes)
    remaining = iter(columns)
    for names, count in axes:
        if count == 0:
            yield Axis(names, ())
            continue
        inner //= count
        own = list(islice(remaining, len(names)))
        entries = [column[: inner * count : inner] for column in own]
        for column, cells in zip(own, entries, strict=True):
            if column != [cell for cell in cells for _ in range(inner)] * outer:
                raise IntegrityError(phrase("bundle.table_rows_order_description"))
        outer *= count
        yield Axis(names, tuple(zip(*entries, strict=True)))


def _key_cells(axes: Sequence[Axis]) -> Iterator[str]:
    """Return the key cells of each row, each with its comma; every cell of an axis is written once."""
    texts = [["".join(f"{written(entry)}," for entry in cell) for cell in axis.cells] for axis in axes]
    return map("".join, product(*texts))


def _kind(column: Sequence[Cell]) -> str:
    """Return the kind of a column; `number` without any cell."""
    types = set().union(*(map(type, chunk) for chunk in plain(column))) - {type(None)}
    if str in types and len(types) > 1:
        raise InternalError("a column of a table holds both text and numbers")
    if str in types:
        return "string"
    return "integer" if types == {int} else "number"


def _texts(column: Sequence[Cell]) -> Iterator[str]:
    """Yield `written` of each cell; faster where all are floats."""
    for chunk in plain(column):
        floats = set(map(type, chunk)) == {float} and all(map(isfinite, chunk))  # type: ignore[arg-type]
        yield from map(float.__repr__ if floats else written, chunk)


def csv_columns(text: str, count: int) -> list[Sequence[str | None]]:
    """Return the cells of each column, its header first; None for a cell that is empty and not in quotes."""
    if '"' in text:
        return list(zip(*_records(text), strict=True))
    text = text.removesuffix("\n")
    if any(line.count(",") != count - 1 for line in text.split("\n")):
        raise ValueError
    cells = text.replace("\n", ",").split(",")
    return [[cell or None for cell in cells[index::count]] for index in range(count)]


def _records(text: str) -> Iterator[list[str | None]]:
    """Yield the cells of each row of a file with quotes."""
    cells: list[str | None] = []
    position = 0
    while position < len(text):
        match = CELL.match(text, position)
        if match is None:
            raise ValueError
        quoted, bare, end = match.groups()
        cells.append(bare or None if quoted is None else quoted.replace('""', '"'))
        if end == "\n":
            yield cells
            cells = []
        position = match.end()
    if cells:
        raise ValueError


def _numbers(column: Sequence[str | None]) -> list[Cell]:
    """Read numbers: a cell with a point or an exponent is a float; everything else is an integer."""
    if "".join(filter(None, column)).encode().translate(None, b"-+.e0123456789"):
        raise ValueError
    cells: list[Cell] = [
        None if cell is None else float(cell) if "." in cell or "e" in cell else int(cell) for cell in column
    ]
    if not all(isfinite(cell) for cell in cells if isinstance(cell, float)):
        raise ValueError
    return cells


def _strings(column: Sequence[str | None]) -> list[Cell]:
    return [None if cell is None else restored(cell) for cell in column]


READERS = {"integer": _numbers, "number": _numbers, "string": _strings}
