"""The pages of a series: its editions, and its tables through them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from dprelease.bundle.display import estimate
from dprelease.errors import InputError
from dprelease.portal.series import Series, find, newest
from dprelease.portal.trend import MOST_LINES, Trend, trends
from dprelease.words import phrase
from dprelease.words.language import ENGLISH, language

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal


def series_page(portal: Portal, name: str) -> str:
    """The editions of a series, and how its tables went on from one to the next. InputError where there is none."""
    found = find(portal.shelf, name)
    return portal.render(
        "series.html.j2",
        path=f"series/{name}/index.html",
        name=name,
        found=found,
        own=found[0],
        ambiguous=len(found) > 1,
        trends=_trends(portal, found[0]),
        drawn=MOST_LINES,
        estimate=estimate,
    )


def series_chart(portal: Portal, name: str, table: str) -> bytes:
    """The lines of one table. Raises InputError where no two editions have it."""
    from dprelease.portal.trend_chart import picture

    for trend in _trends(portal, find(portal.shelf, name)[0]):
        if trend.points[-1].table == table:
            return picture(trend)
    raise InputError("table", found=table, allowed=phrase("portal.table_of_two_editions"))


def series_files(portal: Portal, name: str) -> Iterator[tuple[str, bytes]]:
    """Its files in a static site. Where nobody redirects, the tables of the latest edition are there again."""
    base, own = f"series/{name}", find(portal.shelf, name)
    yield f"{base}/index.html", series_page(portal, name).encode()
    for trend in _trends(portal, own[0]):
        yield f"{base}/chart-{trend.points[-1].table}.svg", series_chart(portal, name, trend.points[-1].table)
    with suppress(InputError):
        latest = newest(portal.shelf, name)
        path = f"{base}/latest/index.html"
        yield path, portal.render("latest.html.j2", path=path, name=name, latest=latest).encode()
        for table in latest.bundle.tables if language() == ENGLISH else ():
            yield f"{base}/latest/tables/{table}.csv", latest.bundle.read(f"tables/{table}.csv")


def _trends(portal: Portal, series: Series) -> list[Trend]:
    """Its tables through the editions that hold."""
    return trends([(each.name, portal.read(each.bundle)) for each in reversed(series.current)])
