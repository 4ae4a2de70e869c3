"""What a release tells its readers, as bytes: its certificate and its tables, and their one hash for the ledger."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dprelease.bundle.listing import Content, Facts
from dprelease.bundle.tables import answers_chunks, csv_chunks, is_survey
from dprelease.model.encoding import digest, pretty
from dprelease.model.release import Release

CERTIFICATE = "release.json"
OUTPUT = re.compile(r"release\.json|tables/[^/]*\.csv")


def release_files(release: Release) -> dict[str, Content]:
    """release.json and every file below tables/, as they stand in the bundle; the same bytes each time.

    Tables are parts that can be read once.
    """
    files: dict[str, Content] = {CERTIFICATE: pretty(release.certificate.to_mapping())}
    for statistic, estimates in release.tables.items():
        files[f"tables/{statistic}.csv"] = csv_chunks(estimates)
        if is_survey(estimates):
            files[f"tables/{statistic}.answers.csv"] = answers_chunks(estimates)
    return files


def outputs_hash(files: Mapping[str, Facts]) -> str:
    """The digest of the SHA-256 of each of these files by its path. Other files of a bundle are left out."""
    return digest({path: file.sha256 for path, file in files.items() if OUTPUT.fullmatch(path)})
