"""What is said wherever rows that are nobody's can be downloaded."""

from __future__ import annotations

from dprelease.bundle.outputs import rows_path
from dprelease.bundle.row_files import parquet_path
from dprelease.bundle.words import say
from dprelease.model.certificate import Certificate


def row_files_of(certificate: Certificate, table: str) -> dict[str, str]:
    """The files of rows that a table's statistic answers with, by what they are; none of others."""
    own = certificate.statistic(table)
    if own.output != "rows":
        return {}
    return {"csv": rows_path(own.id), "typed": parquet_path(own.id)}


def beside_rows(certificate: Certificate, table: str) -> str:
    """What to do with such rows, and what not; empty where there are none."""
    path = next(iter(row_files_of(certificate, table).values()), None)
    return say("synthetic_rows_beside", path=path) if path is not None else ""
