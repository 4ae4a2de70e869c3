"""Whether an engine reads values as docs/formats.md says; for that no workspace is needed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dprelease.table.kit.engine import check_engine


def check(address: str | None) -> tuple[int, list[dict[str, Any]]]:
    """Tells how many codes of the engine at an address (or of the embedded one) were compared, and those that differ.

    Raises InputError where there is no such server, and TableError where it cannot answer.
    """
    found = check_engine(address)
    return found.codes, [asdict(each) for each in found.differences]
