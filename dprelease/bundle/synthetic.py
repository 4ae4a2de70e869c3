"""What is said wherever rows that are nobody's can be downloaded."""

from __future__ import annotations

from dprelease.bundle.outputs import rows_path
from dprelease.bundle.words import say
from dprelease.model.certificate import Certificate


def rows_of(certificate: Certificate, table: str) -> str | None:
    """The file of rows that a table's statistic answers with; None of others."""
    own = certificate.statistic(table)
    return rows_path(own.id) if own.output == "rows" else None


def beside_rows(certificate: Certificate, table: str) -> str:
    """What to do with such rows, and what not; empty where there are none."""
    path = rows_of(certificate, table)
    return say("synthetic_rows_beside", path=path) if path is not None else ""
