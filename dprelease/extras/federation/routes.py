"""Rounds of several sites over HTTP: signed messages in, signed messages out, for the sites of a roster alone.

The rounds are the folders in `private/rounds/` of the workspace. Requests are signed with a site's key, so that nobody
needs an account here, and no cookie opens anything. Everything may be sent again: the same bytes change nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from dprelease.errors import DPReleaseError, InputError, IntegrityError
from dprelease.extras.federation.envelope import MAX_BYTES
from dprelease.extras.federation.folder import PROPOSED, RoundFolder
from dprelease.extras.federation.post import PIECE, BehindError, Post
from dprelease.extras.federation.request import SignedRequest, asked
from dprelease.extras.federation.round_files import NAME, ROUNDS
from dprelease.web.limits import RateLimit, TooLargeError, address, api_per_minute, body_of
from dprelease.web.words import say
from dprelease.workspace.process import current

BODY_SECONDS = 120.0
"""For a body to arrive, of 4 MiB at most."""
ASKED = RateLimit(api_per_minute(), 60)
MAX_START = 15
"""Digits of the number of a byte."""


async def listed(request: Request) -> Response:
    """Answer `GET /federation/NAME`: files by name with SHA-256, and how many bytes of one's own vector are here."""
    return await _answered(request, 0, lambda post, key, _: JSONResponse(post.files(key)))


async def fetched(request: Request) -> Response:
    """Answer `GET /federation/NAME/FILE`: one file, in parts where asked. The roster is anybody's; all else, sites'."""
    name = request.path_params["file"]
    return await _answered(request, 0, lambda post, _, __: _file(post, name), public=name == PROPOSED)


async def message(request: Request) -> Response:
    """Answer `POST /federation/NAME/message`: one signed message."""
    return await _answered(request, MAX_BYTES, lambda post, _, body: _taken(post.take(body)))


async def plan(request: Request) -> Response:
    """Answer `POST /federation/NAME/plan`: the plan of the round, by the first site that has it."""
    return await _answered(request, MAX_BYTES, lambda post, _, body: _taken(post.take_plan(body)))


async def masked(request: Request) -> Response:
    """Answer `POST /federation/NAME/masked?from=BYTE`: a piece of one's own vector, before the message about it."""
    start = _number(request, "from")
    return await _answered(
        request, PIECE, lambda post, key, body: JSONResponse({"received": post.take_piece(key, start, body)})
    )


async def bundle(request: Request) -> Response:
    """`POST /federation/NAME/bundle?from=BYTE&size=BYTES&sha256=HEX`: a piece of the release, by the first site."""
    start, size = (_number(request, name) for name in ("from", "size"))
    digest = request.query_params.get("sha256", "")
    return await _answered(
        request,
        PIECE,
        lambda post, key, body: JSONResponse({"received": post.take_bundle(key, start, size, digest, body)}),
    )


def _number(request: Request, name: str) -> int:
    """Return a number of bytes; -1 where it is none."""
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_START else -1


Act = Callable[[Post, str, bytes], Response]
"""Handler of a request, given a round, the key of a site and a body."""


async def _answered(request: Request, most: int, act: Act, *, public: bool = False) -> Response:
    """Return the answer of `act`, where a site of this round signed the request; else why not, in JSON."""
    if not ASKED.allows(address(request)):
        return _refused(429, say("too_often_text"), {"Retry-After": "60"})
    post = await run_in_threadpool(_post, request.path_params["round"])
    if post is None:
        return _refused(404, say("not_found"))
    try:
        signed = None if public else await run_in_threadpool(_asked, request, post)
        body = await body_of(request, most, BODY_SECONDS)
        if signed is not None:
            signed.check_body(body)
        return await run_in_threadpool(_acted, post, "" if signed is None else signed.signer, body, act)
    except DPReleaseError as error:
        return _refused(403, str(error))
    except TooLargeError:
        return _refused(413, say("round_too_large", most=f"{most:,}".replace(",", " ")))
    except (TimeoutError, ClientDisconnect):
        return _refused(408, say("round_cut"))


def _acted(post: Post, key: str, body: bytes, act: Act) -> Response:
    try:
        return act(post, key, body)
    except BehindError as error:
        return JSONResponse({"error": "behind", "message": str(error), "received": error.received}, status_code=409)
    except (IntegrityError, InputError) as error:
        return _refused(422, str(error))


def _post(name: str) -> Post | None:
    """Return the round of a name; None where there is none."""
    home = current().home
    if home is None or not NAME.fullmatch(name):
        return None
    folder = RoundFolder(home / "private" / ROUNDS / name)
    return Post(folder) if (folder.path / PROPOSED).is_file() else None


def _asked(request: Request, post: Post) -> SignedRequest:
    """Read the request as a site of the round signed it, before its body is held. IntegrityError where no site did."""
    url = request.url
    target = f"{url.path}?{url.query}" if url.query else url.path
    host = request.headers.get("host", "")
    found = asked(request.headers.get("authorization", ""), request.method, host, target)
    post.federation.of_key(found.signer)
    return found


def _file(post: Post, name: str) -> Response:
    found = post.path(name)
    if found is None:
        return _refused(404, say("not_found"))
    return FileResponse(found, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


def _taken(new: bool) -> Response:
    return JSONResponse({"new": new}, status_code=201 if new else 200)


def _refused(status: int, words: str, headers: dict[str, Any] | None = None) -> Response:
    return JSONResponse({"error": "refused", "message": words}, status_code=status, headers=headers)


ROUTES: list[BaseRoute] = [
    Route("/federation/{round}", listed, methods=["GET"]),
    Route("/federation/{round}/message", message, methods=["POST"]),
    Route("/federation/{round}/plan", plan, methods=["POST"]),
    Route("/federation/{round}/masked", masked, methods=["POST"]),
    Route("/federation/{round}/bundle", bundle, methods=["POST"]),
    Route("/federation/{round}/{file}", fetched, methods=["GET"]),
]
