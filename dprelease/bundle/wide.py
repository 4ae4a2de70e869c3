"""Tables with their last key across: a row for each combination of the other keys, as spreadsheets show cross tables.

Codes and numbers are those of the signed tables. Beside `wide/TABLE.csv` with codes lies, for each language of the
plan's labels, `pivoted/TABLE.LANGUAGE.csv`, whose keys and headings are labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from dprelease.bundle.annotated import GRADE
from dprelease.bundle.labels import coded
from dprelease.bundle.listing import Content
from dprelease.bundle.tables import chunks, written
from dprelease.model.grade import grades
from dprelease.model.release import Axis, Cell, Estimates, Release, is_cut, is_partial, plain
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import ENGLISH, LANGUAGES, speaking
from dprelease.words.releases import say as say_word

MOST = 10_000
"""Largest number of cells: larger tables are for programs."""
PARTS = ("", " lower95", " upper95", f" {GRADE}")
"""Suffixes of the columns of each cell across: value, interval and grade."""
Say = Callable[[str, Cell], str]
"""Function that returns the name of a key's cell."""


@dataclass(frozen=True, slots=True)
class Wide:
    """Headings and rows: keys, and for each cell across a value, its interval and its grade."""

    keys: tuple[str, ...]
    across: tuple[str, ...]
    rows: tuple[tuple[tuple[Cell, ...], tuple[tuple[Cell, ...], ...]], ...]
    """Rows: the keys of each, and (value, lower, upper, grade) for each cell across."""


def wide_files(release: Release) -> dict[str, Content]:
    """Return every such file by its path: of tables with two keys and more, and at most 10,000 cells."""
    names = [name for name in release.tables if is_given_wide(release, name)]
    languages = release.certificate.texts.languages if release.certificate.texts else ()
    return {
        **{f"wide/{name}.csv": _chunks(release, name) for name in names},
        **{
            f"pivoted/{name}.{language}.csv": _chunks(release, name, language)
            for language, name in product(languages, names)
            if any(True for _ in coded(release, name))
        },
    }


def is_given_wide(release: Release, name: str) -> bool:
    """Return True if a release has such a file of a table."""
    return is_wide(release.tables[name])


def is_wide(table: Estimates) -> bool:
    """Return True if a table has keys to go down and across, and is small enough to be read so."""
    return len(table.axes) > 1 and 0 < prod(len(axis.cells) for axis in table.axes) <= MOST


def wide(release: Release, name: str, language: str | None = None) -> Wide:
    """Return a table with its last key across, with codes, or labels of a language."""
    table, certificate = release.tables[name], release.certificate
    letters = grades(certificate, name, table)
    say = labelled(release, name, language)
    columns = (table.value, table.lower95, table.upper95)
    cells = list(zip(*([each for part in plain(column) for each in part] for column in columns), letters, strict=True))
    down, last = table.axes[:-1], table.axes[-1]
    width = len(last.cells)
    rows = (tuple(say(key, cell) for key, cell in _named(down, place)) for place in product(*(a.cells for a in down)))
    return Wide(
        tuple(_headed(release, name, key, language) for axis in down for key in axis.names),
        tuple(_across(say, last.names, each) for each in last.cells),
        tuple(
            (keys, tuple((value, lower, upper, grade.value) for value, lower, upper, grade in cells[at : at + width]))
            for keys, at in zip(rows, range(0, len(cells), width), strict=True)
        ),
    )


def _headed(release: Release, name: str, key: str, language: str | None) -> str:
    """Return the heading of a key: its code, or its label in a language."""
    if language is None:
        return key
    question = StatisticLabel.of(release.certificate, name)
    return question.columns.label(key, language) if question.column_of(key) == key else key


def _across(say: Say, names: Sequence[str], cell: Sequence[Cell]) -> str:
    """Return the heading of a cell across; a period that the bounds cut is marked as partial."""
    further = list(zip(names[1:], cell[1:], strict=True))
    told = [(names[0], cell[0]), *((key, each) for key, each in further if not is_partial(key))]
    heading = " – ".join(say(key, each) for key, each in told)
    return say_word("partial_period", period=heading) if is_cut(names, cell) else heading


def labelled(release: Release, name: str, language: str | None) -> Say:
    """Return the function that names cells of keys: by their codes where no language is given, or no label."""
    texts, lists = release.certificate.texts, dict(coded(release, name)) if language else {}

    question = StatisticLabel.of(release.certificate, name)
    spoken = language if language is not None and language in LANGUAGES else ENGLISH

    def say(key: str, cell: Cell) -> str:
        code = "" if cell is None else str(cell)
        if language is not None and question.beside(cell):
            with speaking(spoken):
                return question.beside(cell)
        if language is None or key not in lists:
            return code
        return texts.said(texts.codelists[lists[key]].codes.get(code, {}), language)[0] or code

    return say


def _named(axes: Sequence[Axis], place: tuple[tuple[Cell, ...], ...]) -> Iterator[tuple[str, Cell]]:
    for axis, cells in zip(axes, place, strict=True):
        yield from zip(axis.names, cells, strict=True)


def _chunks(release: Release, name: str, language: str | None = None) -> Iterator[bytes]:
    table = wide(release, name, language)
    heads = (*table.keys, *(f"{each}{part}" for each in table.across for part in PARTS))
    yield (",".join(map(written, heads)) + "\n").encode()
    yield from chunks(
        ",".join(map(written, (*keys, *(number for cell in cells for number in cell)))) + "\n"
        for keys, cells in table.rows
    )
