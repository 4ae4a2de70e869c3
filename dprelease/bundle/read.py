"""Bundle that was checked and read: all of its signed files, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dprelease.bundle.container import read_files
from dprelease.bundle.descriptor import kinds, shapes
from dprelease.bundle.fetch import fetch_files, is_address
from dprelease.bundle.listing import CHECKSUMS, LEDGER, SIGNATURE, SIGNER, UNLISTED, listed
from dprelease.bundle.outputs import CERTIFICATE, published, read_outputs, round_paths
from dprelease.bundle.signing import PublicKey
from dprelease.errors import IntegrityError
from dprelease.model.certificate import Certificate
from dprelease.model.encoding import read_json
from dprelease.model.features import unread
from dprelease.model.release import Release
from dprelease.words import phrase, quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBundle:
    """Bundle whose files are those that a key signed. The bundle cannot prove whose key that is."""

    release: Release
    """Release without a writer: only the workspace that published it can sign its bundle."""
    fingerprint: str
    contents: Mapping[str, bytes] = field(repr=False)
    unread: tuple[str, ...] = ()
    """Paths of keys of release.json that this version does not know."""
    packed: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Files beside the bundle in its zip file."""

    @property
    def files(self) -> int:
        """Number of files."""
        return len(self.contents)


def read(source: str | Path) -> ReadBundle:
    """Read a folder or zip file, given by its path or its web address.

    Raises IntegrityError, saying which check failed, unless every check holds; InputError where a path leads to
    nothing or an address does not answer.
    """
    found = fetch_files(str(source)) if is_address(source) else read_files(Path(source))
    packed = {name: data for name, data in found.items() if name.startswith("../")}
    contents = {name: data for name, data in found.items() if name not in packed}
    key = check(contents)
    stated = read_json(contents[CERTIFICATE], CERTIFICATE)
    certificate = Certificate.read(stated)
    return ReadBundle(
        release=_release(certificate, contents),
        fingerprint=key.fingerprint,
        contents=contents,
        unread=tuple(unread(stated, certificate.to_mapping())),
        packed=packed,
    )


def check(contents: Mapping[str, bytes]) -> PublicKey:
    """Return the key that signed exactly these files. Raises IntegrityError where none did."""
    for name in (CHECKSUMS, SIGNATURE, SIGNER, "release.json", "datapackage.json"):
        if name not in contents:
            raise IntegrityError(phrase("bundle.file_missing", name=name))
    key = PublicKey(contents[SIGNER])
    try:
        key.check(contents[SIGNATURE], contents[CHECKSUMS])
    except IntegrityError:
        raise IntegrityError(
            phrase("bundle.what_key_signed", signature=SIGNATURE, checksums=CHECKSUMS, signer=SIGNER)
        ) from None
    sums = listed(contents[CHECKSUMS])
    for name in sorted(sums.keys() | contents.keys() - UNLISTED):
        if name not in contents:
            raise IntegrityError(phrase("bundle.file_missing", name=quoted(name)))
        if name not in sums:
            raise IntegrityError(phrase("bundle.file_listed", name=quoted(name), checksums=CHECKSUMS))
        if hashlib.sha256(contents[name]).hexdigest() != sums[name]:
            raise IntegrityError(phrase("bundle.bytes_those_were_signed", name=quoted(name)))
    return key


def _release(certificate: Certificate, contents: Mapping[str, bytes]) -> Release:
    descriptor = read_json(contents["datapackage.json"], "datapackage.json")
    described = shapes(descriptor)

    def file(path: str) -> bytes:
        if path not in contents:
            raise IntegrityError(phrase("bundle.file_missing", name=path))
        return contents[path]

    outputs = read_outputs(published(certificate), file, described, kinds(descriptor))
    if described.keys() != {name for each in certificate.statistics for name in each.tables if each.id in outputs}:
        raise IntegrityError(phrase("bundle.datapackage_json_does_describe_tables"))
    entry = read_json(contents[LEDGER], LEDGER, whole=True) if LEDGER in contents else {}
    beside = {path: contents[path] for path in sorted(round_paths(certificate) & contents.keys())}
    return Release(certificate=certificate, outputs=outputs, entry=entry, beside=beside)
