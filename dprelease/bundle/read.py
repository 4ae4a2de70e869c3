"""A bundle checked and read: the files that are signed, all of them, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dprelease.bundle.container import read_files
from dprelease.bundle.datapackage import shapes
from dprelease.bundle.fetch import fetch_files, is_address
from dprelease.bundle.listing import CHECKSUMS, LEDGER, SIGNATURE, SIGNER, UNLISTED, listed
from dprelease.bundle.signing import PublicKey
from dprelease.bundle.tables import read_csv
from dprelease.errors import InputError, IntegrityError, shown
from dprelease.model.certificate import FORMAT, Certificate
from dprelease.model.encoding import read_json
from dprelease.model.release import Estimates, Release


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBundle:
    """A bundle whose files are those that a key signed. Whose key that is, the bundle cannot tell."""

    release: Release
    """Without a writer: only the workspace that published it can sign its bundle."""
    fingerprint: str
    contents: Mapping[str, bytes] = field(repr=False)
    packed: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """What its zip file holds beside it."""

    @property
    def files(self) -> int:
        """How many files there are."""
        return len(self.contents)


def read(source: str | Path) -> ReadBundle:
    """Reads a folder or zip file, given by its path or its web address.

    Raises IntegrityError, saying which check failed, unless every check holds; InputError where a path leads to
    nothing or an address does not answer.
    """
    found = fetch_files(str(source)) if is_address(source) else read_files(Path(source))
    packed = {name: data for name, data in found.items() if name.startswith("../")}
    contents = {name: data for name, data in found.items() if name not in packed}
    key = check(contents)
    return ReadBundle(release=_release(contents), fingerprint=key.fingerprint, contents=contents, packed=packed)


def check(contents: Mapping[str, bytes]) -> PublicKey:
    """The key that signed exactly these files, or IntegrityError."""
    for name in (CHECKSUMS, SIGNATURE, SIGNER, "release.json", "datapackage.json"):
        if name not in contents:
            raise IntegrityError(f"{name}: the file is missing")
    key = PublicKey(contents[SIGNER])
    try:
        key.check(contents[SIGNATURE], contents[CHECKSUMS])
    except IntegrityError:
        raise IntegrityError(f"{SIGNATURE}: {CHECKSUMS} is not what the key in {SIGNER} signed") from None
    sums = listed(contents[CHECKSUMS])
    for name in sorted(sums.keys() | contents.keys() - UNLISTED):
        if name not in contents:
            raise IntegrityError(f"{shown(name)}: the file is missing")
        if name not in sums:
            raise IntegrityError(f"{shown(name)}: the file is not listed in {CHECKSUMS}")
        if hashlib.sha256(contents[name]).hexdigest() != sums[name]:
            raise IntegrityError(f"{shown(name)}: its bytes are not those that were signed")
    return key


def _release(contents: Mapping[str, bytes]) -> Release:
    stated = read_json(contents["release.json"], "release.json")
    if type(stated.get("dprelease_release")) is int and stated["dprelease_release"] != FORMAT:
        raise InputError(
            "release.json",
            found=f"format {stated['dprelease_release']}, of another version of dprelease",
            allowed=f"format {FORMAT}",
            remedy="Verify it with the version that it was made by.",
        )
    certificate = Certificate.read(stated)
    descriptor = read_json(contents["datapackage.json"], "datapackage.json")
    described = shapes(descriptor)
    tables: dict[str, Estimates] = {}
    ids = [] if certificate.is_withheld else [item.id for item in certificate.statistics]
    for statistic in ids:
        if statistic not in described:
            raise IntegrityError("datapackage.json: it does not describe the tables of release.json")
        if f"tables/{statistic}.csv" not in contents:
            raise IntegrityError(f"tables/{statistic}.csv: the file is missing")
        tables[statistic] = read_csv(contents[f"tables/{statistic}.csv"], described[statistic])
    if len(tables) != len(ids) or tables.keys() != described.keys():
        raise IntegrityError("datapackage.json: it does not describe the tables of release.json")
    entry = read_json(contents[LEDGER], LEDGER, whole=True) if LEDGER in contents else {}
    return Release(certificate=certificate, tables=tables, entry=entry)
