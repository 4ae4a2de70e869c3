"""The other end of the wire: an office's workspace by its address and a token, with the same nouns as a local one."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request

from dprelease.bundle.direct_opener import direct_opener
from dprelease.errors import (
    AccessError,
    BudgetError,
    DPReleaseError,
    InputError,
    IntegrityError,
    NotFoundError,
    PlanError,
    Problem,
    RefusalError,
    WaitingError,
)
from dprelease.model.encoding import canonical, read_json
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset
from dprelease.model.privacy import Currency
from dprelease.model.release import Release
from dprelease.model.schema import Schema
from dprelease.statistics.planning.price import Price, price_of
from dprelease.verdict.loading import load
from dprelease.words import NOTHING, phrase, verbatim

BASE = "/remote/v1"
LOCAL = ("localhost", "127.0.0.1", "::1")
TOKEN = re.compile(r"[!-~]{8,200}")
MOST = 64 * 2**20
"""Bytes of an answer."""
SILENCE = 60.0
TRIES = 4
"""Times that a request is sent where nothing comes back, or where it came too often."""
POLL = 5.0
"""Seconds between two looks for an approval, or for the end of a publication."""


def connect(url: str, *, token: str | None = None, key: str | None = None) -> RemoteWorkspace:
    """Return an office's workspace at its address, for whoever has a token (default: that in $DPRELEASE_TOKEN).

    `key`: fingerprint of the office's signing key, by which its releases are verified when they are loaded.

    Example: `dp.connect("https://stats.example.org", token=token)`
    """
    parts, secret = urlsplit(url), os.environ.get("DPRELEASE_TOKEN", "") if token is None else token
    is_private = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL)
    if not is_private or not parts.hostname or parts.username is not None or parts.query or parts.fragment:
        raise InputError("url", found=url, allowed=phrase("remote.url"))
    if not TOKEN.fullmatch(secret):
        raise InputError("token", found=phrase("remote.no_token_given"), allowed=phrase("remote.token_as_printed"))
    return RemoteWorkspace(RemoteWire(url.rstrip("/"), secret), key)


@dataclass(frozen=True, slots=True)
class RemoteWire:
    """Address and token, and requests with them."""

    url: str
    token: str = field(repr=False)

    def get(self, *path: str, **asked: int) -> dict[str, Any]:
        """Return the answer of an address; its parts are quoted."""
        query = "&".join(f"{name}={value}" for name, value in asked.items())
        return self._sent("GET", self._address(*path) + (f"?{query}" if query else ""), None, "")

    def post(self, *path: str, body: Mapping[str, Any], key: str | None = None) -> dict[str, Any]:
        """Send a body, with one key however often it is sent."""
        return self._sent("POST", self._address(*path), canonical(body), key or secrets.token_hex(16))

    def _address(self, *path: str) -> str:
        return f"{self.url}{BASE}/{'/'.join(quote(part, safe='') for part in path)}"

    def _sent(self, method: str, address: str, body: bytes | None, key: str) -> dict[str, Any]:
        heads = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        if body is not None:
            heads |= {"Content-Type": "application/json", "Idempotency-Key": key}
        for left in reversed(range(TRIES)):
            request = Request(address, data=body, headers=heads, method=method)  # noqa: S310 (see `connect`)
            try:
                with direct_opener().open(request, timeout=SILENCE) as answer:
                    status, data, wait = answer.status, answer.read(MOST + 1), answer.headers.get("Retry-After", "")
            except (URLError, HTTPException, OSError) as error:
                if not left:
                    why = verbatim(type(error).__name__)
                    found = phrase("remote.no_answer", why=why)
                    raise InputError("url", found=found, allowed=phrase("remote.url")) from None
                time.sleep(1)
                continue
            if status == 429 and left:
                time.sleep(min(int(wait) if wait.isdecimal() else 1, 60))
                continue
            return _read(status, data)
        raise AssertionError("the last try returns or raises")


@dataclass(frozen=True, slots=True)
class RemoteDatasets:
    """Datasets that are open to the token's person."""

    _wire: RemoteWire

    def find(self) -> list[Dataset]:
        """Return all of them, as they are declared."""
        return [_dataset(each) for each in self._wire.get("datasets")["datasets"]]

    def get(self, name: str) -> Dataset:
        """Return one of them. Its `version` is not told."""
        return _dataset(self._wire.get("datasets", name))


@dataclass(frozen=True, slots=True)
class RemotePopulations:
    """Populations of these datasets."""

    _wire: RemoteWire

    def budget(self, population: str) -> dict[str, Any]:
        """Return cap, spending and rest, with unit and relation; amounts are decimal texts."""
        return self._wire.get("populations", population, "budget")


@dataclass(frozen=True, slots=True)
class RemotePlans:
    """One's own plans."""

    _wire: RemoteWire

    def submit(self, plan: Plan) -> str:
        """Hand in a plan; return its id. The same plan for the same rows has one id."""
        return str(self._wire.post("plans", body=plan.to_mapping())["plan"])

    def find(self) -> list[dict[str, Any]]:
        """Return the latest hundred."""
        return list(self._wire.get("plans")["plans"])

    def get(self, plan_id: str) -> dict[str, Any]:
        """Return one: `state`, `content`, and in `waits` why no approval holds, where none does."""
        return self._wire.get("plans", plan_id)

    def remarks(self, plan_id: str) -> list[dict[str, Any]]:
        """Return what reviewers remarked, with the answers."""
        return list(self._wire.get("plans", plan_id, "remarks")["remarks"])

    def answer(self, plan_id: str, remark_id: str, *, text: str) -> dict[str, Any]:
        """Answer an open remark."""
        return self._wire.post("plans", plan_id, "remarks", remark_id, "answers", body={"text": text})


@dataclass(frozen=True, slots=True)
class RemoteReleases:
    """Published releases."""

    _wire: RemoteWire
    _key: str | None

    def get(self, release_id: str) -> Release:
        """Return one, fetched and verified."""
        return load(f"{self._wire.url}/r/{quote(release_id, safe='')}/", self._key)


class RemoteWorkspace:
    """An office's workspace at a distance: nothing of it is here, and no row ever comes."""

    def __init__(self, wire: RemoteWire, key: str | None) -> None:
        self._wire = wire
        self.datasets = RemoteDatasets(wire)
        self.populations = RemotePopulations(wire)
        self.plans = RemotePlans(wire)
        self.releases = RemoteReleases(wire, key)

    def __repr__(self) -> str:
        return f"RemoteWorkspace({self._wire.url})"

    def me(self) -> dict[str, Any]:
        """Return who acts with the token, for which operations and dataset, and when it ends."""
        return self._wire.get("me")

    def events(self, after: int = 0) -> list[dict[str, Any]]:
        """Return a hundred events of one's own plans and releases, from the one after a number on."""
        return list(self._wire.get("events", after=after)["events"])

    def price(self, plan: Plan) -> Price:
        """Return the price of a plan, worked out here too. Raises IntegrityError where the server's is another."""
        told = self._wire.post("prices", body=plan.to_mapping())
        text = canonical(told["plan"]).decode()
        priced = price_of(text, Currency(told["currency"]), bool(told["discovers"]))
        if canonical(priced.to_mapping()) != canonical(told["price"]):
            raise IntegrityError(phrase("remote.another_price"))
        return priced

    def load(self, release_id: str) -> Release:
        """Return a published release, as `releases.get`."""
        return self.releases.get(release_id)

    def publish(self, plan: Plan | str, *, wait: float = 0) -> Release:
        """Hand in a plan, or take the id of one, and publish it as soon as another person approves.

        `wait`: seconds to wait for that. Raises WaitingError where it is not approved by then, BudgetError where it
        does not fit. A job that is run again goes on where it stopped, and never charges twice.
        """
        deadline = time.monotonic() + wait
        plan_id = plan if isinstance(plan, str) else self.plans.submit(plan)
        key = hashlib.sha256(f"publish {plan_id}".encode()).hexdigest()
        while True:
            try:
                told = self._wire.post("plans", plan_id, "publication", body={}, key=key)
                break
            except WaitingError:
                while (left := deadline - time.monotonic()) > 0 and self.plans.get(plan_id)["waits"] is not None:
                    time.sleep(min(POLL, left))
                if left <= 0:
                    raise
        while (told := self._wire.get("plans", plan_id, "publication"))["state"] == "running":
            time.sleep(POLL)
        if told["state"] != "published":
            raise _refusal(told)
        return self.load(str(told["release"]))


def _dataset(told: Mapping[str, Any]) -> Dataset:
    return Dataset(
        name=told["name"],
        population=told["population"],
        unit_column=told["unit_column"],
        unit_codes=tuple(told["unit_codes"]),
        schema=Schema.parse(told["columns"]),
        version="",
        analysts=True,
    )


def _read(status: int, data: bytes) -> dict[str, Any]:
    """Return an answer. Raises the error that it is, in the server's words."""
    if len(data) > MOST:
        raise IntegrityError(phrase("remote.too_long_answer"))
    try:
        told = read_json(data, "answer") if status < 300 else json.loads(data)
    except ValueError:
        told = None
    if not isinstance(told, dict) or (status >= 300 and not isinstance(told.get("code"), str)):
        raise IntegrityError(phrase("remote.strange_answer", status=status))
    if status < 300:
        return told
    raise _refusal(told)


def _refusal(told: Mapping[str, Any]) -> DPReleaseError:
    code = told["code"] if "code" in told else told["state"]
    said = verbatim(f"{code}: {told.get('detail') or told.get('title') or ''}".rstrip(": ")[:1000])
    if code == "waits_for_approval":
        return WaitingError(said, str(told.get("plan")))
    if code == "not_found":
        return NotFoundError("address", found=said, allowed=phrase("remote.of_ones_own"))
    if code == "invalid":
        return PlanError.from_problems(_problem(each) for each in told.get("problems", ()))
    kinds: dict[str, type[RefusalError]] = {"no_budget": BudgetError}
    kinds |= dict.fromkeys(("scope", "role", "no_token", "needs_team", "needs_https", "refused"), AccessError)
    return kinds.get(str(code), RefusalError)(said)


def _problem(told: Mapping[str, Any]) -> Problem:
    found, allowed, remedy = (str(told.get(name, ""))[:1000] for name in ("found", "allowed", "remedy"))
    return Problem(
        str(told.get("path", "")), verbatim(found), verbatim(allowed), verbatim(remedy) if remedy else NOTHING
    )
