"""The public portal over HTTP: the pages of the static site at the same relative addresses, made when asked for."""

from __future__ import annotations

import json
import re
from asyncio import Semaphore
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from functools import partial
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from dprelease.bundle.notices import CHECKPOINT
from dprelease.charts import render
from dprelease.errors import InputError, IntegrityError
from dprelease.portal.calendar import FILE as CALENDAR
from dprelease.portal.calendar_pages import ICS, calendar_page, icalendar
from dprelease.portal.extra import extras
from dprelease.portal.feeds import feeds
from dprelease.portal.index import index, population_page, topic_page
from dprelease.portal.number_page import embedded_chart, embedded_number, number_page
from dprelease.portal.pages import READER, SCRIPT, script, style_sheet
from dprelease.portal.predict import MODEL_SCRIPT
from dprelease.portal.press import PRESS, PressSize, press_picture
from dprelease.portal.select import CatalogueFilter
from dprelease.portal.series import find, newest
from dprelease.portal.series_pages import known_of, series_chart, series_page
from dprelease.portal.series_record import record_path
from dprelease.portal.series_tables import bundles_of, digest_of, parts_of
from dprelease.portal.shelf import Bundle
from dprelease.portal.sitemap import sitemaps
from dprelease.web.api import packed, successor
from dprelease.web.limits import RateLimit, api_per_minute
from dprelease.web.notice import notice
from dprelease.web.operation import too_often
from dprelease.web.public import Look, Window
from dprelease.web.releases import checkpoint_file, file, notices_file
from dprelease.web.served import ASK, CROSS_ORIGIN, FOREVER, Served, answer, etag, media_type
from dprelease.words import phrase
from dprelease.words.language import ENGLISH, LANGUAGES, language, speaking

PREFIX = "/public"
SHORT = "/v"
"""Address prefix of the page of one number: it stands in articles for years."""
SERIES_SHORT = "/series"
EMBED = "/embed"
"""Address prefix of the pages that other sites may show in a frame, and of nothing else."""
HTML = "text/html; charset=utf-8"
JAVASCRIPT = "text/javascript; charset=utf-8"
KINDS = {"atom": "application/atom+xml", "json": "application/feed+json"}
RELEASE_FILE = re.compile(r"release/([^/]+)/([^/]+)")
RELEASE = re.compile(r"release/([^/]+)/(?:|index\.html)")
LABS_ASKED = RateLimit(min(120, api_per_minute()), 60)
"""Rate limit of computed pages for one address: a page with its pictures takes a few."""
LABS = Semaphore(2)
"""Maximum number of pages computed at once; the others wait, and the dashboard goes on."""
PAGE = re.compile(r"release/([^/]+)/(check|compare-([A-Za-z0-9_-]+))\.html")
INTERVALS = re.compile(r"release/([^/]+)/intervals-([A-Za-z0-9_-]+)-(90|95|99|all)\.csv")
CHART = re.compile(r"release/([^/]+)/(chart|narrow)-([A-Za-z0-9_.-]+)\.svg")
LEAD_CHART = re.compile(r"release/([^/]+)/lead-(wide|narrow)\.svg")
PICTURE = re.compile(r"release/([^/]+)/picture/([A-Za-z0-9_.]+)(?:-(wide|tall)\.png|\.svg)")
PICTURES = BoundedSemaphore(4)
"""Maximum number of pictures for the press drawn at once; whoever asks for one more is asked to come again."""
NUMBER = re.compile(r"v/([^/]+)/([^/]+)/(.*)", re.DOTALL)
SERIES = re.compile(r"series/([^/]+)/(?:|index\.html)")
SERIES_CHART = re.compile(r"series/([^/]+)/(chart|narrow)-([A-Za-z0-9_.-]+)\.svg")
SERIES_TABLE = re.compile(r"series/([^/]+)/(all\.(?:csv|parquet))")
SERIES_RECORD = re.compile(r"series/([^/]+)\.json")
LATEST = re.compile(r"series/([^/]+)/latest(?:/|/index\.html|/tables/([^/]+)\.csv)?")
COLLECTION = re.compile(r"(population|topic)/([^/]+)/(?:|index\.html)")
FILE = re.compile(r"releases/([^/]+)/(.+)")
NOTICES = re.compile(r"releases/notices/([^/]+)\.json")
ZIP = re.compile(r"releases/([^/]+)\.zip")


def made(window: Window, path: str, query: Mapping[str, str], base: str) -> Served:
    """Return what lies at a path of the portal, in the language that is spoken. InputError where there is nothing."""
    if path in ("", "index.html"):
        return _page(index(window.portal, CatalogueFilter.of(query), _number_of(query)))
    if path == style_sheet()[0]:
        return Served.of(style_sheet()[1], "text/css; charset=utf-8", cache=FOREVER)
    if path in (SCRIPT, READER, MODEL_SCRIPT):
        return Served.of(script(path), JAVASCRIPT)
    folder, _, rest = path.partition("/")
    for name, extra in extras().items():
        if path in extra.SCRIPTS:
            return Served.of((extra.TEMPLATES / path).read_bytes(), JAVASCRIPT)
        if folder == name and "/" in path:
            return _of_room(window, folder, rest, query)
        if (page := RELEASE_FILE.fullmatch(path)) and page[2] in extra.RELEASE_PAGES:
            return _page(extra.release_page(window.portal, window.shelf.bundle(page[1])))
    if path and path == window.portal.office().logo:
        return Served.of((window.shelf.source.path / path).read_bytes(), media_type(path))
    if path == CHECKPOINT:
        return checkpoint_file(window)
    if path == CALENDAR and (window.shelf.source.path / CALENDAR).is_file():
        return Served.of((window.shelf.source.path / CALENDAR).read_bytes(), "application/json")
    if path in ("calendar/", "calendar/index.html"):
        return _page(calendar_page(window.portal))
    if path == ICS:
        return Served.of(icalendar(window.portal, base), "text/calendar; charset=utf-8")
    for name, data in feeds(window.shelf, base) if path.startswith("feed.") else ():
        if path == name:
            return Served.of(data, KINDS[name.rpartition(".")[2]])
    for name, data in sitemaps(window.shelf, base.rstrip("/")) if path.startswith("sitemap") else ():
        if path == name:
            return Served.of(data, "application/xml")
    for pattern, make in PARTS:
        match = pattern.fullmatch(path)
        if match is not None:
            return make(window, match, query, base)
    match = FILE.fullmatch(path)
    if match is None:
        raise InputError("page", found=path, allowed=phrase("web.page_portal"))
    return file(window, match[1], match[2])


def _number_of(query: Mapping[str, str]) -> int:
    """Return the number of the page that an address asks for; the first where none can be read."""
    page = query.get("page", "")
    return max(1, int(page)) if page.isascii() and page.isdecimal() and len(page) < 7 else 1


def _collection(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    make = population_page if match[1] == "population" else topic_page
    return _page(make(window.portal, match[2], _number_of(query)))


def _page(html: str) -> Served:
    return Served.of(html.encode(), HTML)


def _release(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    """Kept until something else is said of it."""
    bundle = window.shelf.bundle(match[1])
    said = window.shelf.said(bundle)
    calendar = window.portal.calendar()
    line = calendar.of_release(bundle.id)
    waited = [bool(calendar.entries), None if line is None else line.to_mapping()]
    known = json.dumps([said.to_mapping(), [each.digest for each in said.notices], waited])
    key = (bundle.id, "page", language(), base, known)
    page = window.kept.make(key, lambda: _page(window.portal.release(bundle, base.rstrip("/"))))
    return replace(page, successor=successor(said, f"{PREFIX}/release"))


def _further(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    if match[3] is None:
        return _page(window.portal.check(window.shelf.bundle(match[1]), base.rstrip("/")))
    return _page(window.portal.compare(*_statistic(window, match[1], match[3]), query))


def _of_room(window: Window, folder: str, path: str, query: Mapping[str, str]) -> Served:
    """Return a file of a room's folder, as the address asks for it. InputError where there is none."""
    data, kind, save_as = extras()[folder].made(window.portal, path, query)
    return Served.of(data, kind, save_as=save_as)


def _is_computed(path: str) -> bool:
    """Return True if the answer is computed for the sender of a request, from any values in the address."""
    pages = {page for extra in extras().values() for page in extra.RELEASE_PAGES}
    return path.partition("/")[0] in extras() or path.rpartition("/")[2] in pages


def _intervals(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    data = window.portal.intervals(*_statistic(window, match[1], match[2]), match[3])
    return Served.of(data, "text/csv; charset=utf-8", save_as=match[0].split("/")[-1])


def _chart(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    bundle, table = _charted(window, match[1], match[3])
    return Served.of(window.portal.chart(bundle, table, narrow=match[2] == "narrow"), "image/svg+xml")


def _lead_chart(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    bundle = window.shelf.bundle(match[1])
    return Served.of(window.portal.lead_chart(bundle, narrow=match[2] == "narrow"), "image/svg+xml")


def _charted(window: Window, release_id: str, table: str) -> tuple[Bundle, str]:
    """Return a release with one of its tables. Raises InputError where there is none, or no chart of it."""
    bundle, table = _statistic(window, release_id, table)
    if not bundle.certificate.has_charts:
        raise InputError("chart", found=table, allowed=phrase("web.release_charts"))
    return bundle, table


def _number(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    bundle, table = _statistic(window, match[1], match[2])
    cells, said = window.held.cells(bundle, table), window.shelf.said(bundle)
    page = _page(number_page(window.portal, bundle, table, cells, match[3], base.rstrip("/")))
    return replace(page, successor=successor(said, f"{PREFIX}/release"))


class PicturesBusyError(Exception):
    """Refusal to draw more pictures than may be drawn at once."""


def _picture(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    """Return a table for the press as PNG or SVG, kept until something else is said of its release."""
    bundle, table = _charted(window, match[1], match[2])
    size, address = PRESS[match[3] or "wide"], f"{base}release/{bundle.id}/"
    key = (bundle.id, "picture", match[0], language(), base, window.shelf.said(bundle).status)
    return window.kept.make(key, lambda: _drawn(window, bundle, table, size, address, is_png=bool(match[3])))


def _drawn(window: Window, bundle: Bundle, table: str, size: PressSize, address: str, *, is_png: bool) -> Served:
    if not PICTURES.acquire(blocking=False):
        raise PicturesBusyError
    try:
        svg = press_picture(window.portal.read(bundle), table, size, window.shelf.said(bundle), address)
        return Served.of(render.png(svg, 1), "image/png") if is_png else Served.of(svg, "image/svg+xml")
    finally:
        PICTURES.release()


def embedded(window: Window, path: str) -> Served:
    """Return one number, or one chart, for a frame of another site. Raises InputError where there is none."""
    release_id, _, rest = path.partition("/")
    table, slash, keys = rest.partition("/")
    if not slash:
        return _page(embedded_chart(window.portal, *_charted(window, release_id, table)))
    bundle, table = _statistic(window, release_id, table)
    return _page(embedded_number(window.portal, bundle, table, window.held.cells(bundle, table), keys))


def _statistic(window: Window, release_id: str, statistic: str) -> tuple[Bundle, str]:
    """Return a release with one of its statistics. Raises InputError where there is none."""
    bundle = window.shelf.bundle(release_id)
    if statistic not in bundle.tables:
        raise InputError("table", found=statistic, allowed=phrase("web.statistic_release"))
    return bundle, statistic


def _series(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    """Kept until something else is said of an edition, or another one joins."""
    told = repr((window.portal.series(match[1]), window.portal.office()))
    key = (match[1], "series", language(), known_of(window.shelf, match[1]), told)
    return window.kept.make(key, lambda: _page(series_page(window.portal, match[1])))


def _series_chart(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    key = (match[1], "series chart", match[0], language(), known_of(window.shelf, match[1]))
    narrow, svg = match[2] == "narrow", "image/svg+xml"
    return window.kept.make(key, lambda: Served.of(series_chart(window.portal, match[1], match[3], narrow=narrow), svg))


def _series_table(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    """Make the table of all numbers while it is sent: its tag is that of the editions it is made of."""
    series, name = find(window.shelf, match[1])[0], match[2]
    if not bundles_of(series):
        raise InputError("series", found=match[1], allowed=phrase("portal.edition_that_holds"))
    tag, save_as = etag(digest_of(series, name)), f"{match[1]}-{name}"
    return Served(media_type(name), tag, ASK, save_as=save_as, parts=lambda: parts_of(series, name))


def _series_record(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    """Return what the office signed of a series, as it lies there. Raises InputError where it signed nothing."""
    record = window.portal.series(match[1])
    if not record.title:
        raise InputError("series", found=match[1], allowed=phrase("portal.name_of_published_series"))
    return Served.of((window.shelf.source.path / record_path(match[1])).read_bytes(), "application/json")


def _latest(window: Window, path: str) -> str | None:
    """Return the path of a series' latest edition, or its table; None for another address. InputError: it has none."""
    match = LATEST.fullmatch(path)
    if match is None:
        return None
    bundle = newest(window.shelf, match[1]).bundle
    if match[2] is None:
        return f"release/{bundle.id}/"
    _statistic(window, bundle.id, match[2])
    return f"releases/{bundle.id}/tables/{match[2]}.csv"


def _notices(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    return notices_file(window, match[1])


def _zip(window: Window, match: re.Match[str], query: Mapping[str, str], base: str) -> Served:
    return packed(window, window.shelf.bundle(match[1]))


Make = Callable[[Window, re.Match[str], Mapping[str, str], str], Served]
PARTS: tuple[tuple[re.Pattern[str], Make], ...] = (
    (RELEASE, _release),
    (PAGE, _further),
    (INTERVALS, _intervals),
    (CHART, _chart),
    (LEAD_CHART, _lead_chart),
    (PICTURE, _picture),
    (ZIP, _zip),
    (NOTICES, _notices),
    (NUMBER, _number),
    (SERIES, _series),
    (COLLECTION, _collection),
    (SERIES_CHART, _series_chart),
    (SERIES_TABLE, _series_table),
    (SERIES_RECORD, _series_record),
)


def _in_language(path: str) -> tuple[str, str]:
    """Return the language that an address begins with, and the rest."""
    first, _, rest = path.partition("/")
    return (first, rest) if first in LANGUAGES and first != ENGLISH else (ENGLISH, path)


def _moved(address: str, status: int = 302) -> Response:
    """To what may be elsewhere tomorrow, and for other sites too."""
    headers = {"Cache-Control": "no-cache", "Vary": "Accept-Language, Cookie", **CROSS_ORIGIN}
    return RedirectResponse(address, status_code=status, headers=headers)


def routes(look: Look) -> list[BaseRoute]:
    """Return the routes of every address below /public."""

    async def page(request: Request) -> Response:
        spoken, path = _in_language(str(request.path_params["path"]))
        if not request.path_params["path"] and language() != ENGLISH:
            return RedirectResponse(
                f"{PREFIX}/{language()}/", status_code=307, headers={"Vary": "Accept-Language, Cookie"}
            )
        with speaking(spoken):
            computed = _is_computed(path)
            hasty = (too_often(request) or too_often(request, LABS_ASKED)) if computed else None
            if hasty is not None:
                return hasty
            try:
                latest = await run_in_threadpool(_latest, look(), path)
                if latest is not None:
                    return _moved(f"{PREFIX}/{'' if spoken == ENGLISH else f'{spoken}/'}{latest}")
                base = str(request.base_url.replace(path=f"{PREFIX}/"))
                make = partial(made, look(), path, request.query_params, base)
                gate: AbstractAsyncContextManager[None] = LABS if computed else nullcontext()
                async with gate:
                    served = await run_in_threadpool(make)
                return await answer(request, served)
            except InputError:
                return notice("missing_title", "missing_text", status=404)
            except PicturesBusyError:
                return notice("busy_title", "busy_text", status=503, headers={"Retry-After": "2"})
            except IntegrityError:
                return notice("damaged_title", "damaged", status=500)

    async def embed(request: Request) -> Response:
        """In the language that whoever embeds it asks for: the reader's is not that of the article."""
        spoken, path = _in_language(str(request.path_params["path"]))
        with speaking(spoken):
            try:
                return await answer(request, await run_in_threadpool(embedded, look(), path))
            except InputError:
                return notice("missing_title", "missing_text", status=404)
            except IntegrityError:
                return notice("damaged_title", "damaged", status=500)

    async def series(request: Request) -> Any:
        """The short address of a series: its latest edition at once, for programs too, or its page."""
        path, spoken = f"series/{request.path_params['path']}", "" if language() == ENGLISH else f"{language()}/"
        try:
            latest = await run_in_threadpool(_latest, look(), path)
        except InputError:
            return notice("missing_title", "missing_text", status=404)
        if latest is not None:
            return _moved(f"{PREFIX}/{spoken}{latest}")
        return _moved(f"{PREFIX}/{spoken}{quote(path)}", status=307)

    async def into_folder(request: Request) -> Any:
        return RedirectResponse(f"{PREFIX}/", status_code=308)

    async def into_page(request: Request) -> Any:
        """The short address of a number, which is the same in every language."""
        spoken = "" if language() == ENGLISH else f"/{language()}"
        parts = (quote(part, safe="=,") for part in str(request.path_params["path"]).split("/", 2))
        headers = {"Vary": "Accept-Language, Cookie"}
        return RedirectResponse(f"{PREFIX}{spoken}{SHORT}/{'/'.join(parts)}", status_code=307, headers=headers)

    return [
        Route(f"{EMBED}/{{path:path}}", embed),
        Route(f"{SERIES_SHORT}/{{path:path}}", series),
        Route(f"{SHORT}/{{path:path}}", into_page),
        Route(PREFIX, into_folder),
        Route(f"{PREFIX}/{{path:path}}", page),
    ]
