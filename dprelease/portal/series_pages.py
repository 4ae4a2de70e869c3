"""Pages of a series: its editions, and its tables through them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from dprelease.errors import InputError
from dprelease.portal.series import Series, find, newest
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.trend import MAX_LINES, MAX_ROWS, Trend, trends
from dprelease.statements.display import estimate
from dprelease.words import phrase
from dprelease.words.language import ENGLISH, language

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal


def series_page(portal: Portal, name: str) -> str:
    """Render the editions of a series, and the changes of its tables between them. InputError where there is none."""
    found = find(portal.shelf, name)
    return portal.render(
        "series.html.j2",
        path=f"series/{name}/index.html",
        name=name,
        found=found,
        own=found[0],
        ambiguous=len(found) > 1,
        trends=trends_of(found[0]),
        drawn=MAX_LINES,
        listed=MAX_ROWS,
        estimate=estimate,
    )


def series_chart(portal: Portal, name: str, table: str) -> bytes:
    """Draw the lines of one table. Raises InputError where no two editions have it."""
    for trend in trends_of(find(portal.shelf, name)[0]):
        if trend.points[-1].table == table:
            return chart_of(trend)
    raise InputError("table", found=table, allowed=phrase("portal.table_of_two_editions"))


def series_files(portal: Portal, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield its files in a static site. Where nobody redirects, the tables of the latest edition are there again."""
    base, own = f"series/{name}", find(portal.shelf, name)
    yield f"{base}/index.html", series_page(portal, name).encode()
    for trend in filter(lambda each: each.is_drawn, trends_of(own[0])):
        yield f"{base}/chart-{trend.points[-1].table}.svg", chart_of(trend)
    with suppress(InputError):
        latest = newest(portal.shelf, name)
        path = f"{base}/latest/index.html"
        yield path, portal.render("latest.html.j2", path=path, name=name, latest=latest).encode()
        for table in latest.bundle.tables if language() == ENGLISH else ():
            yield f"{base}/latest/tables/{table}.csv", latest.bundle.read(f"tables/{table}.csv")


def trends_of(series: Series) -> list[Trend]:
    """Return its tables through the editions that hold."""
    return trends([(each.name, each.bundle) for each in reversed(series.current)])


def chart_of(trend: Trend) -> bytes:
    """Draw the lines of one table, as SVG."""
    from dprelease.portal.trend_chart import picture

    return picture(trend)


def known_of(shelf: BundleIndex, name: str) -> str:
    """Return a text that changes whenever its pages would. Raises InputError where there is no such series."""
    found = [(series.chain, each) for series in find(shelf, name) for each in series.editions]
    return json.dumps([[chain, each.bundle.id, each.said.status, each.said.superseded_by] for chain, each in found])
