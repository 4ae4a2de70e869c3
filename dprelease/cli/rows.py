"""The command that makes synthetic rows of a published bundle."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, add_group
from dprelease.errors import InputError
from dprelease.words import phrase


def add(commands: Any) -> None:
    rows = add_group(commands, "rows", phrase("cli.rows_group"))
    made = add_command(rows, "from", _make, phrase("cli.rows_from"))
    made.add_argument("path", help=str(phrase("cli.bundle_folder_zip_file")))
    made.add_argument("--statistic", required=True, metavar="ID", help=str(phrase("cli.rows_statistic")))
    made.add_argument("--rows", type=int, metavar="N", help=str(phrase("cli.rows_count")))
    made.add_argument("--column", action="append", metavar="COLUMN", help=str(phrase("cli.rows_column")))
    made.add_argument("--order", type=int, metavar="N", help=str(phrase("cli.rows_order")))
    made.add_argument("--key", help=str(phrase("cli.signer_fingerprint_signer_pub")))
    made.add_argument("--out", type=Path, required=True, metavar="FOLDER", help=str(phrase("cli.rows_out")))


def _make(options: argparse.Namespace) -> Answer:
    from dprelease.verdict.check import line
    from dprelease.verdict.rows_from import rows_from

    found = rows_from(
        options.path,
        options.statistic,
        rows=options.rows,
        columns=options.column or (),
        order=options.order,
        key=options.key,
    )
    try:
        options.out.mkdir()
    except OSError:
        raise InputError("out", found=str(options.out), allowed=phrase("cli.new_folder")) from None
    for path, data in found.files.items():
        (options.out / path).parent.mkdir(exist_ok=True)
        (options.out / path).write_bytes(data)
    words = phrase(
        "cli.rows_written", path=options.out, count=found.count, statistic=found.statistic, release=found.release
    )
    answer = {
        "release": found.release,
        "statistic": found.statistic,
        "synthetic": True,
        "rows": found.count,
        "files": [str(options.out / path) for path in found.files],
        "remarks": [check.to_mapping() for check in found.remarks],
    }
    remarks = [f"{found.release}: {line(found.remarks)}"] if found.remarks else []
    return answer, "\n".join(map(str, (words, phrase("cli.rows_synthetic"), *remarks)))
