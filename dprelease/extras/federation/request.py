"""A request of a site to the server of a round, signed with the key that the roster names: no account is needed."""

from __future__ import annotations

import base64
import binascii
import time
from dataclasses import dataclass
from hashlib import sha256

from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError
from dprelease.extras.federation.envelope import Signed
from dprelease.words import phrase

SCHEME = "DPRelease-Site"
REQUEST = "dprelease_request"
VERSION = 1
APART = 300
"""Seconds that the clocks of site and server may be apart."""
LONGEST = 4096
"""Characters of the header."""


def authorization(key: SigningKey, method: str, host: str, target: str, body: bytes, now: float | None = None) -> str:
    """Return the header `Authorization`. `target`: path and query. For this request only, at this server and time."""
    at = int(time.time() if now is None else now)
    signed = Signed.by(key, {**_stated(method, host, target, sha256(body).hexdigest()), "at": at})
    return f"{SCHEME} {base64.b64encode(signed.to_bytes()).decode()}"


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A signed request whose body is still to come."""

    signer: str
    """The fingerprint of the key."""
    body: str
    """SHA-256 of the body that was signed, in hexadecimal digits."""

    def check_body(self, body: bytes) -> None:
        """Raises IntegrityError where another body came."""
        if sha256(body).hexdigest() != self.body:
            raise IntegrityError(phrase("federation.other_request"))


def asked(header: str, method: str, host: str, target: str, now: float | None = None) -> SignedRequest:
    """Read who signed a request, before its body is. Raises IntegrityError where they signed another one."""
    scheme, _, text = header.partition(" ")
    try:
        data = base64.b64decode(text, validate=True) if scheme == SCHEME and len(text) <= LONGEST else b""
    except binascii.Error:
        data = b""
    if not data:
        raise IntegrityError(phrase("federation.unsigned_request"))
    found = Signed.from_bytes(data, "Authorization")
    at, digest = found.message.get("at"), found.message.get("body")
    if type(at) is not int or dict(found.message) != {**_stated(method, host, target, digest), "at": at}:
        raise IntegrityError(phrase("federation.other_request"))
    here = time.time() if now is None else now
    if abs(here - at) > APART:
        raise IntegrityError(phrase("federation.clocks_apart", seconds=round(abs(here - at)), most=APART))
    return SignedRequest(found.signer, str(digest))


def _stated(method: str, host: str, target: str, digest: object) -> dict[str, object]:
    return {
        REQUEST: VERSION,
        "method": method,
        "host": host,
        "target": target,
        "body": digest,
    }
