"""Pages of a series: what it is in words, its tables through its editions, and what was changed when."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dprelease.bundle.guarantee import whole
from dprelease.bundle.moved import moved_words
from dprelease.errors import InputError
from dprelease.model.calendar_entry import OF_RUNS
from dprelease.portal.series import Edition, Series, find, newest
from dprelease.portal.series_record import SeriesRecord
from dprelease.portal.series_tables import FILES, bundles_of, parts_of
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.trend import MAX_LINES, MAX_ROWS, Trend, trends
from dprelease.statements.display import estimate
from dprelease.statements.sentences import lead
from dprelease.words import phrase
from dprelease.words.language import ENGLISH, day_in_words, language
from dprelease.words.pages import tell

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal


@dataclass(frozen=True, slots=True)
class SeriesChange:
    """Line of a series' change log: the day, what was published, replaced or corrected, and the release."""

    day: str
    order: int
    """Number of its event in the ledger."""
    text: str
    release: str


def series_page(portal: Portal, name: str) -> str:
    """Render a series: its lead, its tables through the editions, its changes and files. InputError: there is none."""
    found = find(portal.shelf, name)
    own, record = found[0], portal.series(name)
    latest = own.latest if own.current else None
    shown = latest or own.editions[0]
    every = trends_of(own)
    first = next((each for each in every if each.is_drawn), None)
    run = None if latest is None else latest.bundle.certificate.edition_of
    return portal.render(
        "series.html.j2",
        path=f"series/{name}/index.html",
        name=name,
        kind=tell("series_kind"),
        title=record.said("title") or shown.bundle.certificate.called,
        record=record,
        line=_line(record, shown),
        found=found,
        own=own,
        latest=latest,
        about=shown.bundle.certificate.about,
        lead=lead(portal.read(latest.bundle)) if latest else "",
        first=first,
        promise=whole(latest.bundle.certificate) if latest and run else "",
        trends=every,
        changes=changes_of(own),
        files=[each for each in FILES if bundles_of(own)],
        drawn=MAX_LINES,
        listed=MAX_ROWS,
        estimate=estimate,
        day_in_words=day_in_words,
        served=portal.served,
    )


def _line(record: SeriesRecord, edition: Edition) -> str:
    """Return where the series is about, how often it comes, and when it comes next."""
    frequency = record.frequency or OF_RUNS.get(edition.bundle.certificate.plan.get("run", {}).get("every"), "")
    often = tell(f"series_{frequency}") if frequency else ""
    coming = tell("series_next", when=_when(record.next)) if record.next else ""
    return " · ".join(filter(None, (edition.bundle.certificate.about.region, often, coming)))


def _when(text: str) -> str:
    """Write a month, a day or an instant for readers; an instant with its offset, as it was stated."""
    if len(text) == len("2027-01"):
        return text
    day, _, time = text.partition("T")
    return " ".join(filter(None, (day_in_words(day), time[:5], time[5:].removeprefix(":00") if time else "")))


def changes_of(series: Series) -> Sequence[SeriesChange]:
    """Return what was published, replaced and corrected, newest first."""
    names = {each.bundle.id: each.name for each in series.editions}
    found = []
    for each in series.editions:
        facts = each.bundle.certificate
        key = "change_withheld" if facts.is_withheld else "change_published"
        found.append(SeriesChange(facts.day, facts.ledger.seq, tell(key, edition=each.name), each.bundle.id))
        for notice in each.said.notices:
            told, by = notice.statement, notice.by
            if "doi" in told:
                continue
            values = {"edition": each.name, "text": told["text"], "by": names.get(by or "", by or "")}
            text = tell("change_corrected" if by is None else "change_replaced", **values)
            text = " ".join((text, *moved_words(told.get("moved", {}), facts)))
            found.append(SeriesChange(told["published_on"], notice.seq, text, by or each.bundle.id))
    return sorted(found, key=lambda change: (change.day, change.order), reverse=True)


def series_chart(portal: Portal, name: str, table: str, *, narrow: bool = False) -> bytes:
    """Draw the lines of one table. Raises InputError where no two editions have it."""
    for trend in trends_of(find(portal.shelf, name)[0]):
        if trend.points[-1].table == table:
            return chart_of(trend, narrow=narrow)
    raise InputError("table", found=table, allowed=phrase("portal.table_of_two_editions"))


def series_files(portal: Portal, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield its files in a static site. Where nobody redirects, the tables of the latest edition are there again."""
    base, own = f"series/{name}", find(portal.shelf, name)
    yield f"{base}/index.html", series_page(portal, name).encode()
    for trend in filter(lambda each: each.is_drawn, trends_of(own[0])):
        for way, narrow in (("chart", False), ("narrow", True)):
            yield f"{base}/{way}-{trend.points[-1].table}.svg", chart_of(trend, narrow=narrow)
    for file in FILES if language() == ENGLISH and bundles_of(own[0]) else ():
        yield f"{base}/{file}", b"".join(parts_of(own[0], file))
    with suppress(InputError):
        latest = newest(portal.shelf, name)
        path = f"{base}/latest/index.html"
        called = portal.series(name).called
        yield path, portal.render("latest.html.j2", path=path, name=called, latest=latest).encode()
        for table in latest.bundle.tables if language() == ENGLISH else ():
            yield f"{base}/latest/tables/{table}.csv", latest.bundle.read(f"tables/{table}.csv")


def trends_of(series: Series) -> list[Trend]:
    """Return its tables through the editions that hold."""
    return trends([(each.name, each.bundle) for each in reversed(series.current)])


def chart_of(trend: Trend, *, narrow: bool = False) -> bytes:
    """Draw the lines of one table, as SVG."""
    from dprelease.portal.trend_chart import picture

    return picture(trend, narrow=narrow)


def known_of(shelf: BundleIndex, name: str) -> str:
    """Return a text that changes whenever its pages would. Raises InputError where there is no such series."""
    found = [(series.chain, each) for series in find(shelf, name) for each in series.editions]
    return json.dumps([[chain, each.bundle.id, *(said.digest for said in each.said.notices)] for chain, each in found])
