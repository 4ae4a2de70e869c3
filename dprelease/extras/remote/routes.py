"""Work at a distance over HTTP: a token and nothing else opens these addresses, and errors are problem+json.

Cookies open nothing here. What is answered before a charge is a function of public facts and of what was sent.
"""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from dprelease.errors import (
    AccessError,
    BudgetError,
    DPReleaseError,
    InputError,
    IntegrityError,
    NotFoundError,
    WaitingError,
)
from dprelease.extras.remote.doors import (
    BASE,
    DOORS,
    EMPTY,
    KEY,
    KEYS,
    LISTS,
    PRICES,
    READ,
    SAID,
    Door,
    description,
)
from dprelease.extras.remote.noun import BusyError
from dprelease.model.actor import Actor
from dprelease.model.encoding import canonical, read_json
from dprelease.store.remote import KeyReusedError, RepeatableRequest
from dprelease.web.identity import bearer
from dprelease.web.limits import RateLimit, TooLargeError, address, body_of
from dprelease.web.operation import ANY
from dprelease.words import phrase
from dprelease.workspace.access import authorise
from dprelease.workspace.process import current

LOG = logging.getLogger("dprelease.web")
MOST = 1_000_000
"""Bytes of a body."""
BODY_SECONDS = 30.0
ECHOED = 80
"""Characters of what was sent, in one problem."""
WRONG = RateLimit(10, 60)
"""Rate limit of tokens that do not work, by address."""
CODES = {"token": "scope", "needs_role_sign_someone": "role", "needs_team": "needs_team"}
"""Codes of refused access by the phrase that says why."""


@dataclass
class TokenLimits:
    """Rate limits of one token: what is read, what is priced, what changes something, and seconds of pricing."""

    reads: RateLimit = field(default_factory=lambda: RateLimit(60, 60))
    prices: RateLimit = field(default_factory=lambda: RateLimit(10, 60))
    changes: RateLimit = field(default_factory=lambda: RateLimit(10, 60))
    seconds: RateLimit = field(default_factory=lambda: RateLimit(20, 60))

    def allows(self, door: Door, token: str) -> bool:
        """Take one try."""
        if door.operation == READ:
            return self.reads.allows(token)
        return (self.prices if door.operation == PRICES else self.changes).allows(token) and self.seconds.allows(token)

    def spend(self, token: str, seconds: float) -> None:
        """Take so many seconds of what may be worked out in a minute."""
        for _ in range(min(int(seconds), self.seconds.count)):
            self.seconds.allows(token)


LIMITS = TokenLimits()


class RemoteRefusal(Exception):  # noqa: N818 (it is an answer)
    """A refusal by its code, before anything is done."""

    def __init__(self, status: int, code: str, headers: Mapping[str, str] | None = None) -> None:
        self.status, self.code, self.headers = status, code, headers
        super().__init__(code)


async def answered(request: Request) -> Response:
    """Answer a request by the table of doors."""
    try:
        return await _answered(request)
    except DPReleaseError as error:
        return refused(error)
    except RemoteRefusal as refusal:
        return problem(refusal.status, refusal.code, headers=refusal.headers)
    except (TimeoutError, ClientDisconnect):
        return problem(408, "slow")


async def _answered(request: Request) -> Response:
    if not _is_private(request):
        raise RemoteRefusal(403, "needs_https")
    actor = await _actor(request)
    found = _found(request.scope["path"])
    if found is None:
        raise RemoteRefusal(404, "not_found")
    doors, path = found
    door = doors.get(request.method)
    if door is None:
        raise RemoteRefusal(405, "not_allowed", {"Allow": ", ".join(sorted(doors))})
    if not LIMITS.allows(door, actor.token or ""):
        raise RemoteRefusal(429, "too_often", {"Retry-After": "60"})
    authorise(door.operation, actor)  # before anything that was sent is looked at
    body = {} if door.body is None else await _body(request)
    if (door.body is SAID and body.keys() != {"text"}) or (door.body is EMPTY and body):
        raise RemoteRefusal(400, "bad_json")
    named: dict[str, Any] = {"actor": actor}
    if door.is_repeatable:
        named["request"] = _repeatable(request, body)
    if door.method == "events":
        named["after"] = _after(request)
    return await run_in_threadpool(_acted, door, list(path.values()), body, named)


def _is_private(request: Request) -> bool:
    """Return True if nobody on the way reads the token: it is encrypted, or does not leave this machine."""
    try:
        is_here = ip_address(request.client.host if request.client else "").is_loopback
    except ValueError:
        is_here = False
    return is_here or request.url.scheme == "https"


async def _actor(request: Request) -> Actor:
    secret = bearer(request)
    actor = None if not secret else await run_in_threadpool(current().people.token_actor, secret)
    if actor is not None:
        return actor
    if not WRONG.allows(address(request)):
        raise RemoteRefusal(429, "too_often", {"Retry-After": "60"})
    raise RemoteRefusal(401, "no_token", {"WWW-Authenticate": 'Bearer realm="dprelease"'})


PATTERNS = {path: re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)) for path in {door.path for door in DOORS}}


def _found(whole: str) -> tuple[dict[str, Door], dict[str, str]] | None:
    """Return the doors of an address by method, with its places; None where there is none."""
    for path, pattern in PATTERNS.items():
        if (match := pattern.fullmatch(whole.removeprefix(BASE))) is not None:
            return {door.verb: door for door in DOORS if door.path == path}, match.groupdict()
    return None


def _after(request: Request) -> int:
    text = request.query_params.get("after", "0")
    if not (text.isascii() and text.isdecimal() and len(text) <= 9) and text != "1000000000":
        raise RemoteRefusal(400, "bad_number")
    return int(text)


def _repeatable(request: Request, body: Mapping[str, Any]) -> RepeatableRequest:
    key = request.headers.get(KEY, "")
    if not re.fullmatch(KEYS, key):
        raise RemoteRefusal(428, "needs_key")
    content = canonical([request.method, request.scope["path"]]) + canonical(body)
    return RepeatableRequest(hashlib.sha256(key.encode()).hexdigest(), hashlib.sha256(content).hexdigest())


async def _body(request: Request) -> dict[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RemoteRefusal(415, "needs_json")
    try:
        body = read_json(await body_of(request, MOST, BODY_SECONDS), "body")
        canonical(body)
    except (IntegrityError, ValueError):
        raise RemoteRefusal(400, "bad_json") from None
    except TooLargeError:
        raise RemoteRefusal(413, "too_long") from None
    return body


def _acted(door: Door, given: list[str], body: Mapping[str, Any], named: dict[str, Any]) -> Response:
    began = time.thread_time()
    try:
        told = door.act(current().remote, given, body, **named)
    except DPReleaseError as error:
        return refused(error)
    except Exception as error:  # noqa: BLE001 (its text may hold anything)
        LOG.error("%s in %s", type(error).__name__, door.method)
        return problem(503, "failed_here")
    finally:
        if door.operation != READ:
            LIMITS.spend(named["actor"].token or "", time.thread_time() - began)
    if door.method in LISTS:
        return JSONResponse({door.method: told})
    if not door.is_repeatable:
        wait = {"Retry-After": "2"} if isinstance(told, dict) and told.get("state") == "running" else {}
        return JSONResponse(told, headers=wait)
    reply, is_repeated = told
    place = f"{BASE}/plans/{reply['plan']}" + ("/publication" if door.status == 202 else "")
    repeated = {"Idempotency-Replayed": "true"} if is_repeated else {}
    return JSONResponse(reply, status_code=door.status, headers={"Location": place, **repeated})


def refused(error: DPReleaseError) -> Response:
    """Return what an error is over HTTP: the words are those of the terminal."""
    match error:
        case WaitingError():
            return problem(409, "waits_for_approval", str(error), plan=error.plan)
        case BudgetError():
            return problem(409, "no_budget", str(error))
        case BusyError():
            return problem(429, "one_at_a_time", str(error), headers={"Retry-After": "10"})
        case AccessError():
            return problem(403, CODES.get(error.said.id.rpartition(".")[2], "refused"), str(error))
        case NotFoundError():
            return problem(404, "not_found")
        case InputError():
            code = "key_reused" if isinstance(error, KeyReusedError) else "invalid"
            found = [
                {
                    "path": each.path[:ECHOED],
                    "found": str(each.found)[:ECHOED],
                    "allowed": str(each.allowed),
                    "remedy": str(each.remedy) if each.remedy else "",
                }
                for each in error.problems
            ]
            return problem(422, code, problems=found)
    LOG.error("%s", type(error).__name__)
    return problem(503, "failed_here")


def problem(
    status: int, code: str, detail: str = "", *, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """Return an error as RFC 9457 has it. `code`: as in docs/remote.md, which says each."""
    told = {
        "type": f"urn:dprelease:problem:{code}",
        "title": str(phrase(f"remote.problem_{code}")),
        "status": status,
        "code": code,
        **more,
    }
    body = {**told, "detail": detail} if detail else told
    return JSONResponse(body, status_code=status, headers=headers, media_type="application/problem+json")


async def openapi(request: Request) -> Response:
    """The OpenAPI description of these addresses, for anybody."""
    return JSONResponse(description())


ROUTES: list[BaseRoute] = [
    Route(f"{BASE}/openapi.json", openapi, methods=["GET"]),
    Route("/remote/{rest:path}", answered, methods=ANY),
]
