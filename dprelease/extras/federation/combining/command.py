"""The command that adds up released tables of several sites."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command
from dprelease.errors import InputError
from dprelease.words import phrase


def add(commands: Any) -> None:
    combined = add_command(commands, "combine", _combine, phrase("cli.combine"))
    combined.add_argument("paths", nargs="+", metavar="BUNDLE", help=str(phrase("cli.combine_paths")))
    combined.add_argument("--out", type=Path, metavar="FOLDER", help=str(phrase("cli.combine_out")))
    combined.add_argument("--check", type=Path, metavar="FOLDER", help=str(phrase("cli.combine_check")))
    combined.add_argument("--only", action="append", default=[], metavar="ID", help=str(phrase("cli.combine_only")))
    combined.add_argument("--same-population", action="store_true", help=str(phrase("cli.combine_same")))
    combined.add_argument("--key", action="append", default=[], help=str(phrase("cli.combine_key")))


def _combine(options: argparse.Namespace) -> Answer:
    from dprelease.extras.federation.combining.combine import check_combined, combine
    from dprelease.extras.federation.combining.text import statement
    from dprelease.verdict.check import line

    if (options.out is None) == (options.check is None):
        raise InputError("out", found=phrase("cli.combine_where"), allowed=phrase("cli.combine_one"))
    if options.check is not None:
        path, key = options.check, "cli.combine_checked"
        found = check_combined(path, *options.paths, keys=options.key)
    else:
        found = combine(*options.paths, only=options.only, same_population=options.same_population, keys=options.key)
        path, key = found.write(options.out), "cli.combine_written"
    sites = ", ".join(each["release"] for each in found.facts["sites"])
    words = phrase(key, path=path, tables=", ".join(found.tables), sites=sites)
    answer = {"combined": str(path), "tables": list(found.tables), "facts": dict(found.facts)}
    answer["remarks"] = {release: [check.to_mapping() for check in checks] for release, checks in found.remarks.items()}
    remarks = [f"{release}: {line(checks)}" for release, checks in found.remarks.items()]
    return answer, "\n".join([str(words), *statement(found.facts), *remarks])
