"""Bundles as they lie on disk, index.html first: what a reader opens and links to."""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from dprelease.bundle.listing import TIMESTAMP
from dprelease.bundle.notices import CHECKPOINT, FOLDER
from dprelease.errors import InputError, IntegrityError
from dprelease.web.api import JSON, checkpoint_json, listed_file
from dprelease.web.notice import notice
from dprelease.web.public import Look, Window
from dprelease.web.served import ASK, Served, answer, media_type
from dprelease.words import phrase

PROSE = (".html", ".svg")
"""Endings of files that a browser shows with sentences of whoever wrote them."""


def file(window: Window, release_id: str, name: str) -> Served:
    """Return one file of a bundle, kept once it was read. Raises InputError where the bundle does not list it.

    Page and pictures that another version wrote were not compared with the tables: they are downloads, as received.
    """
    bundle = window.shelf.bundle(release_id)
    if name == TIMESTAMP and bundle.timestamp is not None:
        return Served.of(bundle.timestamp, media_type(name), cache=ASK)
    foreign = name.endswith(PROSE) and not bundle.certificate.is_ours
    save_as = f"as-received-{name.rpartition('/')[2]}" if foreign else ""
    return window.kept.make((release_id, "file", name), lambda: listed_file(bundle, name, save_as=save_as))


def notices_file(window: Window, release_id: str) -> Served:
    """The notices about a release as they lie there, for others to check. Raises InputError where there are none."""
    data = window.shelf.source.notices_file(window.shelf.bundle(release_id).id)
    if data is None:
        raise InputError("notices", found=phrase("statistics.none"), allowed=phrase("web.release_something_was_said"))
    return Served.of(data, JSON)


def checkpoint_file(window: Window) -> Served:
    """Return the last checkpoint. Raises InputError where there is none."""
    return Served.of(checkpoint_json(window), JSON)


def routes(look: Look) -> list[BaseRoute]:
    """Return the routes of every address below /r: bundles, and what lies beside them."""

    async def page(request: Request) -> Response:
        release_id, name = request.path_params["id"], request.path_params["path"] or "index.html"
        window = look()
        if not request.path_params["path"] and await run_in_threadpool(_is_foreign, window, release_id):
            return RedirectResponse(f"/public/release/{release_id}/index.html", status_code=302)
        kept = window.kept.get((release_id, "file", name))
        if kept is not None:
            return await answer(request, kept)
        return await _answered(request, file, window, release_id, name)

    async def notices(request: Request) -> Response:
        return await _answered(request, notices_file, look(), request.path_params["id"])

    async def checkpoint(request: Request) -> Response:
        return await _answered(request, checkpoint_file, look())

    return [
        Route(f"/r/{CHECKPOINT}", checkpoint),
        Route(f"/r/{FOLDER}/{{id}}.json", notices),
        Route("/r/{id}", into_folder),
        Route("/r/{id}/{path:path}", page),
    ]


def _is_foreign(window: Window, release_id: str) -> bool:
    """True if another version wrote the bundle, whose page is then drawn from its tables."""
    try:
        return not window.shelf.bundle(release_id).certificate.is_ours
    except (InputError, IntegrityError):
        return False  # which is said where it is read


async def _answered(request: Request, make: Callable[..., Served], *given: object) -> Response:
    try:
        return await answer(request, await run_in_threadpool(make, *given))
    except InputError:
        return notice("missing_title", "missing_text", status=404)
    except IntegrityError:
        return notice("damaged_title", "damaged", status=500)


async def into_folder(request: Request) -> Response:
    """The page's relative links need the slash at the end."""
    return RedirectResponse(f"/r/{request.path_params['id']}/", status_code=308)
