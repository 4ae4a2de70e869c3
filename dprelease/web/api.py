"""The public interface: what may be fetched, from releases as a list down to one table in three formats."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from dprelease.bundle import exports
from dprelease.bundle.labels import labelled_path
from dprelease.bundle.notices import CHECKPOINT as PUBLIC_LEDGER
from dprelease.bundle.notices import PublisherNotices, notices_path
from dprelease.errors import InputError
from dprelease.model.encoding import pretty
from dprelease.model.release import Release, alone
from dprelease.model.stated import RELEASE_ID
from dprelease.portal.cell_files import cells_workbook, parquet_file
from dprelease.portal.cells import FORMATS, MOST, USUAL, Page
from dprelease.portal.select import CatalogueFilter, summary
from dprelease.portal.series import find
from dprelease.portal.shelf import Bundle
from dprelease.portal.spending import spending
from dprelease.web.openapi import BUDGET, CATALOGUE, CELLS, CERTIFICATE, CHECKPOINT, NOTICES, SERIES, TABLE, description
from dprelease.web.operation import ANY, Operation, operation, refusal
from dprelease.web.public import Look, Window
from dprelease.web.served import ASK, FOREVER, LARGE, Served, etag, media_type, zipped
from dprelease.words import phrase

JSON = "application/json"
CSV = "text/csv; charset=utf-8"
PARQUET = "application/vnd.apache.parquet"
ZIP = "application/zip"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SDMX_CSV = "application/vnd.sdmx.data+csv; version=2.0.0; charset=utf-8"
ALSO = (CSV, XLSX, PARQUET, SDMX_CSV)
"""Further media types of cells."""
CATALOGUE_PATH = "/api/releases"
ONE = f"{CATALOGUE_PATH}/{{id}}"
TABLE_PATH = f"{ONE}/tables/{{table}}"
USUALLY_LISTED = 100
MAX_LISTED = 1000
PAGES = {
    "limit": f"how many releases a page has, up to {MAX_LISTED}; usually {USUALLY_LISTED}",
    "after": "the id of the last release of the page before",
}
CELLS_ASKED = {
    "columns": "names of columns, between commas; all where it is missing",
    "limit": f"how many rows a page has, up to {MOST}; usually {USUAL}",
    "after": "the number of the last row of the page before, counted from 1 in published order",
    "format": f"one of {', '.join(FORMATS)}",
    "lang": "the language of labels, in a column after each key that has some; none where it is missing",
}
CELLS_SHAPES = {
    "limit": {"type": "integer", "minimum": 1, "maximum": MOST},
    "after": {"type": "integer", "minimum": 0},
    "format": {"type": "string", "enum": list(FORMATS)},
}
CHOSEN = "by the name of a key column: codes that it may have, between commas"


def listed_file(bundle: Bundle, name: str, *, save_as: str = "") -> Served:
    """Return a file that the bundle lists. Raises InputError for another one."""
    if name not in bundle.sums:
        raise InputError("file", found=name, allowed=phrase("web.file_bundle_lists"))
    large = bundle.size(name) >= LARGE
    path, data = (bundle.checked(name), b"") if large else (None, bundle.read(name))
    return Served(media_type(name), etag(bundle.sums[name]), FOREVER, data, path, save_as)


@operation(CATALOGUE_PATH, JSON, queries={**CatalogueFilter.QUERIES, **PAGES}, schema=CATALOGUE)
def releases(window: Window, request: Request) -> Served:
    """All published releases, newest first, a page at a time."""
    # A page begins after a release, not after a number of them: one that is published meanwhile shifts nothing.
    query, listing = request.query_params, window.shelf.listing()
    spines = listing.after(query["after"]) if query.get("after") else listing.spines
    chosen, most = CatalogueFilter.of(query), _limit(query.get("limit", ""))
    by_words = {each.id for each in window.portal.select(chosen, spines)}
    found = list(window.shelf.open((each for each in spines if each.id in by_words), most + 1))
    page = found[:most]
    more = chosen.query(limit=most, after=page[-1].id) if len(found) > most else None
    following = None if more is None else f"{CATALOGUE_PATH}?{more}"
    listed = [summary(*each) for each in zip(page, window.shelf.said_of(page), strict=True)]
    return replace(Served.of(pretty({"releases": listed, "next": following}), JSON), following=following)


def _limit(asked: str) -> int:
    """Return the number of releases on a page; the usual number where none can be read."""
    is_number = asked.isascii() and asked.isdecimal() and len(asked) < 7
    return min(max(int(asked), 1), MAX_LISTED) if is_number else USUALLY_LISTED


@operation(ONE, JSON, final=True, schema=CERTIFICATE)
def release(window: Window, request: Request) -> Served:
    """The certificate: release.json as it stands in the bundle."""
    return listed_file(_bundle(window, request), "release.json")


@operation(f"{TABLE_PATH}.csv", CSV, final=True)
def table_csv(window: Window, request: Request) -> Served:
    """One table, as it stands in the bundle."""
    bundle, table = _bundle(window, request), request.path_params["table"]
    return listed_file(bundle, f"tables/{table}.csv", save_as=f"{bundle.id}-{table}.csv")


@operation(f"{TABLE_PATH}.json", JSON, schema=TABLE)
def table_json(window: Window, request: Request) -> Served:
    """One table with margin of error, noise scale, status and annotation of each estimate."""
    release, statistic = _table(window, request)
    said = window.shelf.said(window.shelf.bundle(release.id))
    return replace(Served.of(exports.table_json(release, statistic, said), JSON), successor=successor(said))


@operation(f"{TABLE_PATH}.parquet", PARQUET, final=True)
def table_parquet(window: Window, request: Request) -> Served:
    """The same as a Parquet file."""
    release, statistic = _table(window, request)
    return Served.of(exports.table_parquet(release, statistic), PARQUET, save_as=f"{release.id}-{statistic}.parquet")


@operation(TABLE_PATH, JSON, queries=CELLS_ASKED, schema=CELLS, also=ALSO, shapes=CELLS_SHAPES, keys=CHOSEN)
def cells(window: Window, request: Request) -> Served:
    """Cells of one table by the codes of their keys, in published order, a page at a time."""
    bundle, table = _bundle(window, request), request.path_params["table"]
    _check_table(bundle, table)
    held, query = window.held.cells(bundle, table), request.query_params.multi_items()
    asked = held.asked(query)
    page = held.page(asked)
    following = None
    if page.last is not None:
        more = urlencode([*(each for each in query if each[0] != "after"), ("after", page.last)])
        following = f"{request.url.path}?{more}"
    if asked.lang:
        page = page.labelled(held.labels(window.held.beside(bundle, labelled_path(asked.lang, table))))
    return replace(_written(window, bundle, table, asked.format, page, following), following=following)


def _written(window: Window, bundle: Bundle, table: str, form: str, page: Page, following: str | None) -> Served:
    """Return a page of cells in one of the formats. None of them ever changes."""
    match form:
        case "csv":
            return Served.of(page.csv(), CSV, cache=FOREVER)
        case "sdmx-csv":
            return Served.of(page.of(window.held.beside(bundle, f"sdmx/{table}.csv")).csv(), SDMX_CSV, cache=FOREVER)
        case "xlsx":
            book = cells_workbook(page, bundle, table)
            return Served.of(book, XLSX, cache=FOREVER, save_as=f"{bundle.id}-{table}.xlsx")
        case "parquet":
            data = parquet_file(page, bundle, table)
            return Served.of(data, PARQUET, cache=FOREVER, save_as=f"{bundle.id}-{table}.parquet")
    told = {"release": bundle.id, "table": table, "found": page.found, "next": following}
    columns = [each.name for each in page.columns]
    return Served.of(msgspec.json.encode({**told, "columns": columns, "rows": page.mappings()}), JSON, cache=FOREVER)


@operation(f"{ONE}/bundle.zip", ZIP)
def bundle(window: Window, request: Request) -> Served:
    """All files of the bundle in one zip file."""
    return packed(window, _bundle(window, request))


def packed(window: Window, bundle: Bundle) -> Served:
    """A bundle as a zip file, with what lies beside it. A timestamp and notices may join it: caches ask again."""
    stamp, beside = bundle.timestamp, {PUBLIC_LEDGER: checkpoint_json(window)}
    said = window.shelf.source.notices_file(bundle.id)
    if said is not None:
        beside[notices_path(bundle.id)] = said
    key = (bundle.id, "zip", *(hashlib.sha256(each).hexdigest() for each in (stamp or b"", *beside.values())))
    return window.kept.make(key, lambda: Served.of(zipped(bundle, beside), ZIP, cache=ASK, save_as=f"{bundle.id}.zip"))


@operation(f"{ONE}/notices", JSON, schema=NOTICES)
def notices(window: Window, request: Request) -> Served:
    """Signed errata, and which release supersedes it."""
    said = window.shelf.said(_bundle(window, request))
    told = {"notices": [each.to_mapping() for each in said.notices], **said.to_mapping()}
    return replace(Served.of(pretty(told), JSON), successor=successor(said))


def successor(said: PublisherNotices, base: str = CATALOGUE_PATH) -> str | None:
    """Return the address of the release that took the place of one, below `base`; None where none did."""
    by = said.superseded_by
    return None if by is None or not RELEASE_ID.fullmatch(by) else f"{base}/{by}"


@operation("/api/series/{id}", JSON, schema=SERIES)
def series(window: Window, request: Request) -> Served:
    """One series: what the office says of it, the run that it is, and all editions, newest first."""
    name = request.path_params["id"]
    own = find(window.shelf, name)[0]
    listed = [summary(each.bundle, each.said) for each in own.editions]
    told = {"name": name, "told": window.portal.series(name).to_mapping(), "run": own.run, "editions": listed}
    return Served.of(pretty(told), JSON)


@operation("/api/populations/{id}/budget", JSON, schema=BUDGET)
def budget(window: Window, request: Request) -> Served:
    """The loss that a population has spent in all its releases, and its cap, by the last checkpoint."""
    known = window.shelf.checkpoint()
    name = request.path_params["id"]
    found = [] if known is None else spending(known.signed, window.shelf.certificates, window.portal.calendar().held)
    own = next((each for each in found if each["population"] == name), None)
    if own is None:
        raise InputError("population", found=name, allowed=phrase("web.population_last_checkpoint"))
    return Served.of(pretty(own), JSON)


@operation("/api/checkpoint", JSON, schema=CHECKPOINT)
def checkpoint(window: Window, request: Request) -> Served:
    """The last signed checkpoint of the ledger."""
    return Served.of(checkpoint_json(window), JSON)


def checkpoint_json(window: Window) -> bytes:
    """Return the last checkpoint, with the hand-overs of earlier keys. Raises InputError where there is none."""
    known = window.shelf.checkpoint()
    if known is None:
        raise InputError("checkpoint", found=phrase("statistics.none"), allowed=phrase("web.ledger_checkpoint"))
    return pretty(known.to_mapping())


def _bundle(window: Window, request: Request) -> Bundle:
    return window.shelf.bundle(request.path_params["id"])


def _table(window: Window, request: Request) -> tuple[Release, str]:
    bundle, table = _bundle(window, request), request.path_params["table"]
    _check_table(bundle, table)
    return alone(bundle.certificate, table, bundle.table(table)), table


def _check_table(bundle: Bundle, table: str) -> None:
    """Raise InputError where the release has no such table."""
    if f"tables/{table}.csv" not in bundle.sums:
        raise InputError("table", found=table, allowed=phrase("web.statistic_release"))


OPERATIONS: Sequence[Operation] = (
    *(table_csv, table_json, table_parquet, cells),
    *(releases, release, notices, bundle, series, budget, checkpoint),
)


@operation("/api/openapi.json", JSON, final=True)
def openapi(window: Window, request: Request) -> Served:
    """This description."""
    return Served.of(pretty(description(OPERATIONS)), JSON)


async def missing(request: Request) -> Any:
    """404 in JSON, whatever the method."""
    return refusal(404, "not_found")


def routes(look: Look) -> list[BaseRoute]:
    """Return the routes of every address below /api; what is not there answers in JSON too."""
    return [
        *(operation.route(look) for operation in (*OPERATIONS, openapi)),
        Route("/api", missing, methods=ANY),
        Route("/api/{rest:path}", missing, methods=ANY),
    ]
