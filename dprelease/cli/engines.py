"""Commands for the engines that hold tables."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from dprelease.cli.command import Answer, add_command, add_group
from dprelease.words import phrase, quoted

LISTED = 200
"""Lines of a table of differences; --json has them all."""


def add(commands: Any) -> None:
    engine = add_group(commands, "engine", phrase("cli.engines_hold_tables"))
    check = add_command(engine, "check", _check, phrase("cli.compare_engine"))
    check.add_argument(
        "address", nargs="?", metavar="ADDRESS", help=str(phrase("cli.postgresql_spark_default_embedded"))
    )


def _check(options: argparse.Namespace) -> Answer:
    from dprelease.workspace.warehouses import check

    codes, differences = check(options.address)
    engine = "duckdb" if options.address is None else options.address.split(":")[0]
    answer = {"engine": engine, "codes": codes, "differences": differences}
    if not differences:
        return answer, phrase("cli.codes_agree", engine=engine, codes=codes)
    options.exit_code = 1
    return answer, "\n".join(
        [
            str(phrase("cli.codes_differ", engine=engine, codes=codes, differences=len(differences))),
            *_table(differences[:LISTED]),
            *([str(phrase("cli.and_more", count=len(differences) - LISTED))] if len(differences) > LISTED else []),
        ]
    )


def _table(differences: Sequence[Mapping[str, Any]]) -> list[str]:
    rows: list[tuple[str, ...]] = [
        tuple(str(phrase(f"cli.head_{each}")) for each in ("stored", "declared", "value", "expected", "found"))
    ]
    rows += [
        (each["stored"], each["declared"], *(_cell(each[name]) for name in ("value", "expected", "found")))
        for each in differences
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _cell(value: int | str | None) -> str:
    return str(phrase("cli.missing")) if value is None else quoted(value)
