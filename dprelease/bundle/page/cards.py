"""Cards of a release's page: the finding of each table, its picture or grid, and its numbers folded below."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from dprelease.bundle.derived import DerivedTable, all_derived, public_path
from dprelease.bundle.listing import picture_path, specification_path
from dprelease.bundle.model_card import card as model_card
from dprelease.bundle.outputs import has_integers, measured_path
from dprelease.bundle.page.grid import grid, has_grid, labels
from dprelease.bundle.page.place import PagePlace, TableAct
from dprelease.bundle.pmml import pmml_of
from dprelease.bundle.reliability import GradeCounts, reliability
from dprelease.bundle.row_dictionary import shown_paths
from dprelease.bundle.synthetic import beside_rows, copied
from dprelease.bundle.wide import is_given_wide
from dprelease.charts.cells import TableText
from dprelease.model.certificate import Certificate
from dprelease.model.grade import COUNT, QUOTABLE, grades
from dprelease.model.release import Cell, Estimates, Release
from dprelease.model.statistic import statistic_of
from dprelease.statements.counts import copies
from dprelease.statements.display import shown
from dprelease.statements.question import StatisticLabel
from dprelease.statements.ranks import is_by_rank
from dprelease.statements.sentences import findings
from dprelease.words.language import language
from dprelease.words.pages import tell
from dprelease.words.releases import say, say_html

MAX_ROWS = 60
"""Largest number of rows of a table that are all on the page."""
FIRST_ROWS = 30
"""Number of rows on the page of a table with more."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """Table on the page: keys in words, each number with its range."""

    keys: int
    """Number of key columns."""
    heads: Sequence[tuple[str, str]]
    """Heading and look of each column: `number` or `text`."""
    rows: Sequence[Sequence[tuple[str, str]]]
    """Text of each cell, with the language of a label, or the address of the number's page."""
    single: tuple[str, str]
    """Number and range of the first row; the range is empty where none is known."""
    rest: str
    """Sentence on the rows that are not on the page; empty where all are."""

    @classmethod
    def of(cls, text: TableText, cells: int, link: Callable[[Sequence[Cell]], str] | None = None) -> PageTable:
        """Return the first rows of a table. `text`: of these rows; `link`: address of the page of one number."""
        estimates, question, keys = text.estimates, text.question, text.keys
        heads, numeric = text.heads()[keys:], text.numeric()[keys:]
        has_ranges = text.intervals
        if has_ranges:
            of = "range_penalised" if "pull" in estimates.extra else "range_head"
            heads, numeric = [heads[0], tell(of), *heads[3:]], [numeric[0], True, *numeric[3:]]
        named = [(question.axis_title(axis), "text") for axis in estimates.axes]
        looks = ["number" if each else "text" for each in numeric]
        called = islice(product(*(tuple(labels(axis, question)) for axis in estimates.axes)), text.rows)
        rows = []
        for names, row, told in zip(called, estimates.rows(), text.body(), strict=False):
            value, *more = told[keys:]
            if has_ranges:
                more = [_range(*more[:2]), *more[2:]]
            rows.append([*names, (value, link(row) if link and value else ""), *((each, "") for each in more)])
        rest = tell("rows_shown", rows=shown(text.rows), cells=shown(cells)) if text.rows < cells else ""
        own = [text for text, _ in rows[0][len(estimates.axes) :]] if rows else [""]
        single = own[0], own[1] if has_ranges else ""
        return cls(len(estimates.axes), [*named, *zip(heads, looks, strict=True)], rows, single, rest)


def _range(low: str, high: str) -> str:
    """Write a range; of one known end, a bound."""
    if low and high:
        return f"{low} – {high}"
    return f"≥ {low}" if low else f"≤ {high}" if high else ""


def cards(release: Release, place: PagePlace, counted: Mapping[str, GradeCounts]) -> Iterator[Mapping[str, Any]]:
    """Yield the card of each table that is no copy of another. `counted`: their grades."""
    derived = list(all_derived(release).values())
    for name in counted:
        yield _card(release, name, place, counted[name], [each for each in derived if each.asked.of == name])


def _card(
    release: Release, name: str, place: PagePlace, counted: GradeCounts, derived: Sequence[DerivedTable]
) -> Mapping[str, Any]:
    certificate, estimates = release.certificate, release.tables[name]
    question = StatisticLabel.of(certificate, name)
    text = TableText.of(release, name, _most(estimates))
    first, *others = findings(release, name) or [""]
    number = place.number
    own = grid(release, name, number)
    figure = place.figure(name) if has_figure(release, name) else None
    link = (lambda row: number(name, estimates, row)) if number else None
    table = PageTable.of(text, len(estimates), link)
    return {
        "id": name,
        "anchor": anchor(name),
        "name": question.name,
        "title": first or question.name,
        "others": others,
        "question": question.name if first else question.text,
        "asks": question.text,
        "nothing": say("no_category"),
        "contents": counted.contents,
        "grid": own,
        "figure": figure,
        "alt": say("chart", question=question.name),
        "single": table.single if is_single(estimates) else None,
        "measure": question.measure,
        "table": table,
        "notes": figure.notes if figure else (),
        "is_open": own is None and figure is None and not is_single(estimates),
        "is_wide": own is not None and len(own.across) > 4,
        "caption": say_html(_caption(release, name, text), measure=question.measure),
        "reliability": list(reliability(release, name, counted)),
        "remark": remark_on(certificate, name),
        "synthetic": beside_rows(certificate, name),
        "copied": copied(certificate, name),
        "model": model_card(release, name),
        "tried": place.tried(name),
        "compare": place.compare(name),
        "acts": [TableAct("data", [*_files(release, name, place), *place.files(name)]), *place.acts(name)],
        "derived": [_derived(each, place) for each in derived],
    }


def _most(estimates: Estimates) -> int:
    return len(estimates) if len(estimates) <= MAX_ROWS else FIRST_ROWS


def _caption(release: Release, name: str, text: TableText) -> str:
    """Return the key of the sentence on what the numbers are, and how far off they may be."""
    if text.estimates.extra.keys() >= set(COUNT):
        return "counts_with_intervals"
    if text.intervals:
        return "values_with_intervals"
    if is_by_rank(release.certificate, name):
        return "values_by_rank"
    return "values_graded" if text.grades else "values"


def _files(release: Release, name: str, place: PagePlace) -> Iterator[tuple[str, str]]:
    """Yield address and text of the files of a table."""
    folder, certificate = place.folder, release.certificate
    yield f"{folder}tables/{name}.csv", tell("csv")
    if is_given_wide(release, name):
        yield f"{folder}wide/{name}.csv", tell("wide")
    if "perturbed" in release.tables[name].extra:
        yield f"{folder}tables/{name}.answers.csv", tell("answers_csv")
    own, files = statistic_of(name), list(shown_paths(certificate.statistic(name)))
    if has_integers(release.outputs[own]) and measured_path(own) not in files:
        files.append(measured_path(own))
    for path in (*_copied_files(release, name), *files, *filter(None, [pmml_of(release, name)])):
        yield f"{folder}{path}", path
    if certificate.has_charts:
        yield f"{folder}{picture_path(name)}", tell("chart_svg")
        yield f"{folder}{specification_path(name)}", "Vega-Lite"
    yield f"{folder}sdmx/{name}.csv", tell("sdmx")
    yield f"{folder}workbook.xlsx", tell("workbook")


def _copied_files(release: Release, statistic: str) -> Iterator[str]:
    """Yield the files of the tables that stand elsewhere on the page, linked from their statistic."""
    own = statistic_of(statistic)
    for name in copies(release.certificate) if copied(release.certificate, statistic) else ():
        if statistic_of(name) == own:
            yield from (f"tables/{name}.csv", f"sdmx/{name}.csv")
            if is_given_wide(release, name):
                yield f"wide/{name}.csv"
            if release.certificate.has_charts:
                yield from (picture_path(name), specification_path(name))


def _derived(derived: DerivedTable, place: PagePlace) -> Mapping[str, Any]:
    """Return what the page shows of a derived table, below the table of its counts."""
    asked, folder = derived.asked, place.folder
    files = [(f"{folder}{derived.path}", tell("rates_csv" if derived.public else "derived_csv"))]
    files.append((f"{folder}derived/{asked.id}.json", tell("rates_json" if derived.public else "derived_json")))
    for path, words in ((derived.public, "rates_public"), (derived.weights, "rates_weights")):
        if path is not None:
            files.append((f"{folder}{public_path(path)}", tell(words)))
    return {
        "id": asked.id,
        "anchor": anchor(asked.id),
        "name": derived.question.name,
        "question": derived.question.text,
        "how": derived.explanation,
        "table": PageTable.of(derived.text(_most(derived.estimates)), len(derived.estimates)),
        "files": files,
    }


def remark_on(certificate: Certificate, table: str) -> str:
    """Return the plan's note on a statistic in the current language; empty where there is none."""
    own = certificate.texts.statistics.get(table)
    return " ".join(certificate.texts.said(own.note, language())[0].split()) if own is not None else ""


def anchor(statistic: str) -> str:
    """Return the anchor of a statistic on the page."""
    return f"statistic-{statistic}"


def is_single(table: Estimates) -> bool:
    """Return True for a table of one number, whose page needs no picture."""
    return len(table) == 1 and table.value[0] is not None


def has_figure(release: Release, table: str) -> bool:
    """Return True if the page shows the picture of a table: none for one number, beside a grid, or of noise alone."""
    estimates = release.tables[table]
    if is_single(estimates) or has_grid(release, table):
        return False
    return any(letter in QUOTABLE for letter in grades(release.certificate, table, estimates))
