"""Timestamps (RFC 3161): an authority's statement that SHA256SUMS, and so the release, existed at a time."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dprelease.bundle.listing import CHECKSUMS, TIMESTAMP
from dprelease.bundle.read import read
from dprelease.bundle.write import put
from dprelease.errors import InputError, IntegrityError, need
from dprelease.words import phrase, quoted

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from rfc3161_client import TimeStampResponse

MAX_BYTES = 2**20
SEQUENCE, OBJECT, CERTIFICATES = 0x30, 0x06, 0xA0
GRANTED = bytes.fromhex("3003020100")
"""Status of a response with a token, in DER."""
STATUSES = (GRANTED[2:], bytes.fromhex("020101"))
"""Accepted statuses: granted; granted with changes."""
HASHES = {
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}


def check(timestamp: bytes, message: bytes, authority: bytes | None = None) -> datetime:
    """Return the time that a timestamp states for these bytes: a token or the response with it, in DER.

    `authority`: the certificates of who may state it, up to the root, as PEM. Without them only the bytes are checked,
    and anyone can have made the timestamp. Raises IntegrityError where it is none, of other bytes, or made by others;
    InputError where the certificates are none.
    """
    need("timestamp", "rfc3161_client")
    from rfc3161_client import VerificationError, decode_timestamp_response

    trusted = None if authority is None else certificates(authority)
    try:
        response = decode_timestamp_response(_response(_in_order(_token(timestamp))))
        imprint = response.tst_info.message_imprint
        name = HASHES.get(imprint.hash_algorithm.dotted_string)
        if name is None:
            raise IntegrityError(phrase("bundle.made_hash_sha_256", timestamp=TIMESTAMP))
        if imprint.message != hashlib.new(name, message).digest():
            raise IntegrityError(phrase("bundle.timestamp_other_bytes_than", timestamp=TIMESTAMP, checksums=CHECKSUMS))
        if trusted is not None:
            _check_signed(response, imprint.message, trusted)
        return response.tst_info.gen_time.astimezone(UTC)
    except VerificationError as cause:
        raise IntegrityError(
            phrase("bundle.given_certificates_do_vouch", timestamp=TIMESTAMP, cause=quoted(str(cause)))
        ) from None
    except (ValueError, KeyError, TypeError, OverflowError):
        raise IntegrityError(phrase("bundle.timestamp_der", timestamp=TIMESTAMP)) from None


def attach(folder: Path, timestamp: bytes) -> datetime:
    """Put a timestamp into a bundle that has none, and return the time that it states.

    Raises IntegrityError where bundle or timestamp fail their checks; InputError where there is no place for it.
    """
    bundle = read(folder)
    time = check(timestamp, bundle.contents[CHECKSUMS])
    if not folder.is_dir():
        raise InputError(
            "bundle", found=str(folder), allowed=phrase("bundle.folder_bundle"), remedy=phrase("bundle.unpack_first")
        )
    if TIMESTAMP in bundle.contents:
        remedy = phrase("bundle.older_one_says_more", timestamp=TIMESTAMP)
        raise InputError(
            "bundle", found=phrase("bundle.one_timestamp"), allowed=phrase("bundle.bundle_without_one"), remedy=remedy
        )
    put(folder / TIMESTAMP, _response(_token(timestamp)))
    return time


def certificates(pem: bytes) -> list[Certificate]:
    """Read certificates, of which one is a root. Raises InputError where they are not that."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        found = load_pem_x509_certificates(pem)
    except ValueError:
        found = []
    if not any(_is_root(certificate) for certificate in found):
        allowed = phrase("bundle.pem_file_certificates_timestamp")
        raise InputError(
            "tsa_certificate", found=phrase("bundle.certificates_without_root", count=len(found)), allowed=allowed
        )
    return found


def _is_root(certificate: Certificate) -> bool:
    return certificate.issuer == certificate.subject


def _check_signed(response: TimeStampResponse, imprint: bytes, trusted: list[Certificate]) -> None:
    """Raise VerificationError unless the token is signed for timestamps under these certificates."""
    from rfc3161_client import VerifierBuilder

    signers = {(each.issuer, each.serial_number) for each in response.signed_data.signer_infos}
    own = [each for each in trusted if (each.issuer, each.serial_number) in signers]
    VerifierBuilder(
        tsa_certificate=own[0] if own else None,
        intermediates=[each for each in trusted if not _is_root(each)],
        roots=[each for each in trusted if _is_root(each)],
    ).build().verify(response, imprint)


def _token(timestamp: bytes) -> bytes:
    """Return the token in a response, or by itself. Raises ValueError where it is neither."""
    if len(timestamp) > MAX_BYTES:
        raise ValueError
    parts = _parts(timestamp)
    if parts[0][0] == OBJECT:
        return timestamp
    if parts[0][0] != SEQUENCE or _parts(parts[0])[0] not in STATUSES:
        raise IntegrityError(phrase("bundle.authority_refused_make_timestamp", timestamp=TIMESTAMP))
    (token,) = parts[1:]
    return token


def _response(token: bytes) -> bytes:
    """Return an authority's response that holds a token."""
    return _element(SEQUENCE, GRANTED + token)


def _in_order(token: bytes) -> bytes:
    """Return the token with its certificates in the order of DER, which strict readers want and some authorities break.

    They are not covered by the signature.
    """
    kind, content = _parts(token)
    (signed,) = _parts(content)
    parts = [
        _element(CERTIFICATES, b"".join(sorted(_parts(part)))) if part[0] == CERTIFICATES else part
        for part in _parts(signed)
    ]
    return _element(SEQUENCE, kind + _element(content[0], _element(SEQUENCE, b"".join(parts))))


def _element(tag: int, content: bytes) -> bytes:
    """Write one element in DER."""
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes((tag, 0x80 | len(length))) + length + content


def _parts(element: bytes) -> list[bytes]:
    """Return the elements inside one element. Raises ValueError where it is not one, or does not consist of some."""
    start, end = _extent(element, 0)
    if end != len(element) or start == end:
        raise ValueError
    parts = []
    while start < end:
        _, after = _extent(element, start)
        parts.append(element[start:after])
        start = after
    return parts


def _extent(data: bytes, place: int) -> tuple[int, int]:
    """Return start and end of the content of the element at a place. Raises ValueError where it does not fit."""
    if place + 2 > len(data):
        raise ValueError
    start, size = place + 2, data[place + 1]
    if size >= 0x80:
        count = size & 0x7F
        if not 1 <= count <= 4:  # also lengths that are not stated, which DER does not have
            raise ValueError
        size = int.from_bytes(data[start : start + count])
        start += count
    if start + size > len(data):
        raise ValueError
    return start, start + size
