"""The address that takes a file in pieces, never the whole in memory; the drop zone sends them there."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Actor
from dprelease.web.cookies import is_from_own_page
from dprelease.web.identity import bearer, visitor
from dprelease.web.words import say
from dprelease.words import Phrase, phrase
from dprelease.workspace.access import authorise
from dprelease.workspace.process import current
from dprelease.workspace.staging import MAX_BYTES, NO_ROOM, TOO_LARGE, TOO_MANY, too_large

PIECE = 2**20
UNANNOUNCED = phrase("web.size_announced")
INCOMPLETE = phrase("web.another_number_bytes")
REFUSED: Mapping[Phrase | str, str] = {
    TOO_LARGE: "upload_too_large",
    TOO_MANY: "upload_too_many",
    NO_ROOM: "upload_no_room",
    UNANNOUNCED: "upload_unannounced",
}
"""Message about a file that is refused, by what was found."""


async def receive(request: Request) -> Response:
    """Take the body as it comes, after who sends it, from which page and how much of it there is were checked."""
    try:
        actor = await run_in_threadpool(visitor, request)
        authorise("receive_upload", actor)
        if bearer(request) is None:  # no browser sends a token of itself
            _check_origin(request)
        expected = _expected(request)
        taken = await _take(request, actor, expected)
    except AccessError:
        return _refused("no_access_text", 403)
    except InputError as error:
        return _refused(_why(error), 422)
    except ClientDisconnect:
        return _refused("upload_failed", 400)
    return JSONResponse({"id": taken}, status_code=201)


async def _take(request: Request, actor: Actor, expected: int) -> str:
    """Write the file down, and have it read. `after` in the address: a dataset by whose layout that is done."""
    name, after = request.query_params.get("name", ""), request.query_params.get("after")
    take = partial(current().datasets.uploads.receive, name, expected=expected, after=after, actor=actor)
    with ExitStack() as stack:
        arriving = await run_in_threadpool(take)
        file = await run_in_threadpool(stack.enter_context, arriving)
        held = bytearray()
        async for piece in request.stream():
            held += piece
            if file.size + len(held) > expected:  # a body in chunks may be longer than what was announced beside them
                raise InputError(
                    "file", found=INCOMPLETE, allowed=phrase("web.bytes_were_announced", expected=expected)
                )
            if len(held) >= PIECE:
                await run_in_threadpool(file.write, bytes(held))
                held.clear()
        await run_in_threadpool(file.write, bytes(held))
        if file.size != expected:
            raise InputError("file", found=INCOMPLETE, allowed=phrase("web.bytes_were_announced", expected=expected))
    return file.id


def _check_origin(request: Request) -> None:
    """Only a page of this server may send a file with somebody's cookie."""
    if not is_from_own_page(request) or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise AccessError(phrase("web.file_sent_from_server"))


def _expected(request: Request) -> int:
    """Return the announced size. A body without one is not taken: nothing could be refused before it arrived."""
    text = request.headers.get("content-length", "")
    if not text.isdecimal():
        raise InputError("file", found=UNANNOUNCED, allowed=phrase("web.content_length"))
    if int(text) > MAX_BYTES:
        raise too_large("file")
    return int(text)


def _why(error: InputError) -> str:
    """Return the key of what is said of a file that is not taken."""
    return next((REFUSED[each.found] for each in error.problems if each.found in REFUSED), "upload_failed")


def _refused(key: str, status: int) -> Response:
    return JSONResponse({"error": "refused", "message": say(key)}, status_code=status)


ROUTES = [Route("/upload", receive, methods=["POST"])]
