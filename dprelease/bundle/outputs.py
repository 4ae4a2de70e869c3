"""What a release tells its readers, as bytes: its certificate and its tables, and their one hash for the ledger."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from dprelease.bundle.tables import answers_bytes, csv_bytes
from dprelease.model.encoding import digest, pretty
from dprelease.model.release import Release

CERTIFICATE = "release.json"
OUTPUT = re.compile(r"release\.json|tables/[^/]*\.csv")


def release_files(release: Release) -> dict[str, bytes]:
    """release.json and every file below tables/, as they stand in the bundle; the same bytes each time."""
    files = {CERTIFICATE: pretty(dict(release.certificate))}
    for statistic, estimates in release.tables.items():
        files[f"tables/{statistic}.csv"] = csv_bytes(estimates)
        answers = answers_bytes(estimates)
        if answers is not None:
            files[f"tables/{statistic}.answers.csv"] = answers
    return files


def outputs_hash(contents: Mapping[str, bytes]) -> str:
    """The digest of the SHA-256 of each of these files by its path. Other files of a bundle are left out."""
    return digest({path: hashlib.sha256(data).hexdigest() for path, data in contents.items() if OUTPUT.fullmatch(path)})
