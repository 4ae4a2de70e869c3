"""The identity provider of a deployment: its settings, and what it vouches for by OpenID Connect.

Whatever it answers is checked: addresses, sizes, signature, issuer, audience, nonce and times (OpenID Connect Core 1.0,
3.1.3). Signatures and claims are joserfc's work.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Role
from dprelease.model.encoding import read_mapping
from dprelease.model.report import Report, join
from dprelease.store.sign_ins import LIFETIME, ProviderVisit
from dprelease.web.guard import LOCAL
from dprelease.words import Figure, phrase, verbatim

FILE = "DPRELEASE_OIDC"
"""Names a file with the settings, which nobody else can read."""
PREFIX = "DPRELEASE_OIDC_"
"""Begins the names of the same settings as variables; `..._ROLES` holds JSON."""
KEYS = ("issuer", "client_id", "client_secret", "scopes", "groups_claim", "name_claim", "address", "roles")
REQUIRED = ("issuer", "client_id", "roles")
SCOPES = "openid profile email"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Signatures by a key of the provider alone: never `none`, never a secret that both know."""
SECONDS = 10.0
MAX_BYTES = 2**20
LEEWAY = 60
"""Seconds by which two clocks may differ."""
BACK = "/sign-in/provider/back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """Somebody as a provider knows them."""

    subject: str
    """Issuer and subject: the name there that never changes hands."""
    name: str
    """Name that the person would have here."""
    roles: frozenset[Role]
    """Roles of the person's groups."""
    at: datetime | None
    """Time of the last sign-in there, if the provider states it: days ago, perhaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Identity provider of an organisation, and the roles of its groups here."""

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    """Empty for a public client, which PKCE alone protects."""
    scopes: str = SCOPES
    groups_claim: str = "groups"
    name_claim: str = "preferred_username"
    address: str = ""
    """Address at which browsers reach the dashboard; where left out, that of each request."""
    roles: Mapping[str, frozenset[Role]]
    """Roles by group."""

    @classmethod
    def parse(cls, value: Mapping[str, Any]) -> Provider:
        """Read the settings. Raises InputError with every problem; a secret is never quoted."""
        report = Report()
        told = {**value, "client_secret": "…"} if value.get("client_secret") else value
        fields = report.mapping(told, "", allowed=KEYS, required=REQUIRED)
        texts = {key: report.optional_text(fields, key, "", longest=2000) for key in KEYS if key != "roles"}
        for key in ("issuer", "address"):
            if texts[key] and not is_closed(texts[key]):
                report.add(key, found=texts[key], allowed=phrase("web.address_https"))
        roles = {
            str(group): frozenset(
                Role(role)
                for role in report.sequence(names, join("roles", str(group)), longest=len(Role))
                if report.choice(role, join("roles", str(group)), [each.value for each in Role])
            )
            for group, names in report.mapping(fields.get("roles"), "roles", allowed=fields.get("roles") or ()).items()
        }
        report.raise_any(InputError)
        given = {key: text for key, text in texts.items() if text}
        if "client_secret" in given:
            given["client_secret"] = str(value["client_secret"])
        return cls(**given, roles=roles)

    def leave(self, visit: ProviderVisit, back: str) -> str:
        """Return the address at the provider where a browser goes to sign in."""
        challenge = urlsafe_b64encode(sha256(visit.verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": back,
            "scope": self.scopes,
            "state": visit.state,
            "nonce": visit.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **({"prompt": "login", "max_age": "0"} if visit.again else {}),
        }
        there = self._discovered("authorization_endpoint")["authorization_endpoint"]
        return f"{there}{'&' if '?' in there else '?'}{urlencode(asked)}"

    def vouch(self, code: str, visit: ProviderVisit, back: str) -> Vouched:
        """Return the person who came back with a code. Raises AccessError where anything is not as it should be."""
        found = self._discovered("token_endpoint", "jwks_uri")
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": back,
            "client_id": self.client_id,
            "code_verifier": visit.verifier,
        }
        headers = {}
        if self.client_secret:
            if "client_secret_basic" in found.get("token_endpoint_auth_methods_supported", ["client_secret_basic"]):
                pair = f"{quote(self.client_id, safe='')}:{quote(self.client_secret, safe='')}"
                headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
            else:
                asked["client_secret"] = self.client_secret
        answer = _ask(found["token_endpoint"], urlencode(asked).encode(), headers)
        claims = self._checked(str(answer.get("id_token", "")), visit.nonce, _ask(found["jwks_uri"]))
        if visit.again:
            _check_just_now(claims)
        if self.groups_claim not in claims and "userinfo_endpoint" in found:
            claims = self._with_more(claims, found["userinfo_endpoint"], str(answer.get("access_token", "")))
        return self._vouched(claims)

    def _discovered(self, *needed: str) -> dict[str, Any]:
        """Fetch the provider's description of itself, at its well-known address."""
        found = _ask(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != self.issuer:
            raise AccessError(phrase("web.identity_provider_calls_itself"))
        for name in needed:
            if not is_closed(found.get(name)):
                raise AccessError(phrase("web.identity_provider_names_no", name=name))
        return found

    def _checked(self, token: str, nonce: str, keys: Mapping[str, Any]) -> dict[str, Any]:
        """Return the claims of an ID token: signed by the provider, for us, for this visit, and in time."""
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        expected = jwt.JWTClaimsRegistry(
            leeway=LEEWAY,
            iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "value": self.client_id},
            nonce={"essential": True, "value": nonce},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            azp={"value": self.client_id},
        )
        try:
            claims = jwt.decode(token, KeySet.import_key_set(keys), algorithms=ALGORITHMS).claims  # type: ignore[arg-type]
            expected.validate(claims)
        except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise AccessError(phrase("web.id_token_does_hold", kind=type(error).__name__)) from None
        if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and "azp" not in claims:
            raise AccessError(phrase("web.id_token_several_programs"))
        return claims

    def _with_more(self, claims: dict[str, Any], address: str, token: str) -> dict[str, Any]:
        """With what the provider tells beside the ID token, if it is of the same subject."""
        if not is_closed(address):
            return claims
        more = _ask(address, headers={"Authorization": f"Bearer {token}"})
        if more.get("sub") != claims["sub"]:
            raise AccessError(phrase("web.identity_provider_tells_somebody"))
        return {**more, **claims}

    def _vouched(self, claims: Mapping[str, Any]) -> Vouched:
        groups = claims.get(self.groups_claim, [])
        own = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
        roles = frozenset(role for group in own for role in self.roles.get(str(group), ()))
        name = str(claims.get(self.name_claim) or claims.get("email") or claims["sub"])
        plain = re.sub(r"[^a-z0-9._-]+", "-", name.partition("@")[0].lower()).strip("._-")[:60]
        return Vouched(subject=f"{self.issuer}|{claims['sub']}", name=plain, roles=roles, at=_signed_in(claims))


@cache
def configured() -> Provider | None:
    """The provider that the environment of this process names, if any. Raises InputError where it is not usable."""
    path = os.environ.get(FILE)
    if path:
        return Provider.parse(_private(Path(path)))
    given = {key: os.environ[PREFIX + key.upper()] for key in KEYS if os.environ.get(PREFIX + key.upper())}
    if not given:
        return None
    roles = {"roles": read_mapping(given["roles"], error=InputError, what=f"{PREFIX}ROLES")} if "roles" in given else {}
    return Provider.parse(given | roles)


def _check_just_now(claims: Mapping[str, Any]) -> None:
    """A provider that was asked to has somebody sign in anew, and says when they did (OpenID Connect Core 1.0, 2)."""
    at = _signed_in(claims)
    if at is None or at < datetime.now(UTC) - LIFETIME - timedelta(seconds=LEEWAY):
        raise AccessError(phrase("web.identity_provider_does_say"))


def _signed_in(claims: Mapping[str, Any]) -> datetime | None:
    """Return the time at which somebody last signed in at the provider; None where it does not say so."""
    at = claims.get("auth_time")
    try:
        return datetime.fromtimestamp(at, UTC) if isinstance(at, int | float) else None
    except (ValueError, OverflowError, OSError):
        return None


def is_closed(address: object) -> bool:
    """Return True if nobody on the way can read along: https, or this machine."""
    try:
        parts = urlsplit(address if isinstance(address, str) else "")
    except ValueError:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL)


def _private(path: Path) -> dict[str, Any]:
    """Return the settings in a file. Raises InputError where others can read it."""
    try:
        text, mode = path.read_bytes(), path.stat().st_mode
    except OSError as cause:
        raise InputError(
            FILE, found=str(path), allowed=phrase("model.file_can_read"), remedy=verbatim(cause.strerror or "")
        ) from None
    if mode & 0o077:
        allowed = phrase("web.file_nobody_else_can")
        raise InputError(
            FILE,
            found=phrase("web.mode", path=path, number=Figure(f"{mode & 511:o}")),
            allowed=allowed,
            remedy=phrase("web.chmod_600", path=path),
        )
    return read_mapping(text, error=InputError, what=FILE)


class _Stay(HTTPRedirectHandler):
    """A provider answers at the address it named: a secret is never sent on."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _ask(address: str, data: bytes | None = None, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON object at an address of the provider. Raises AccessError, which tells nothing of what was sent."""
    request = Request(address, data, {"Accept": "application/json", **(headers or {})})  # noqa: S310 (see is_closed)
    try:
        with build_opener(_Stay).open(request, timeout=SECONDS) as response:
            found = json.loads(response.read(MAX_BYTES))
    except (OSError, HTTPException, ValueError, RecursionError) as error:
        where = urlsplit(address)
        raise AccessError(
            phrase("web.does_answer_should", netloc=where.netloc, path=where.path, kind=type(error).__name__)
        ) from None
    if not isinstance(found, dict):
        raise AccessError(phrase("web.identity_provider_answers_something"))
    return found
