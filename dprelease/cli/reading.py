"""How a file is read, in options and in a file; and the command that proposes it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, open_workspace
from dprelease.errors import InputError
from dprelease.words import Phrase, phrase, quoted, verbatim

TAB = "tab"
OPTIONS = ("sheet", "header", "delimiter", "encoding", "units", "labels", "skip_rule")


def add_reading_options(to: argparse.ArgumentParser) -> None:
    """Adds what answers the questions that a file leaves open."""
    to.add_argument("--sheet", metavar="NAME", help=str(phrase("cli.read_sheet")))
    to.add_argument("--header", type=int, metavar="ROW", help=str(phrase("cli.read_header")))
    to.add_argument("--delimiter", metavar="SIGN", help=str(phrase("cli.read_delimiter")))
    to.add_argument("--encoding", metavar="NAME", help=str(phrase("cli.read_encoding")))
    to.add_argument("--units", action=argparse.BooleanOptionalAction, default=None, help=str(phrase("cli.read_units")))
    to.add_argument("--labels", action="store_true", default=None, help=str(phrase("cli.read_labels")))
    to.add_argument("--skip-rule", action="append", metavar="RULE", help=str(phrase("cli.read_skip")))
    to.add_argument("--read", type=Path, metavar="FILE.yaml", help=str(phrase("cli.read_file")))


def said(options: argparse.Namespace) -> dict[str, Any] | None:
    """The parts of a reading that were said; None where none was."""
    from dprelease.cli.describe import content_of
    from dprelease.model.encoding import read_mapping

    parts: dict[str, Any] = {}
    if options.read is not None:
        parts |= read_mapping(content_of(options.read), error=InputError, what="reading")
    for name in OPTIONS:
        value = getattr(options, name)
        if value is not None:
            parts["skip" if name == "skip_rule" else name] = "\t" if value == TAB else value
    return parts or None


def add_detect(tables: Any) -> None:
    """Adds `dataset detect`."""
    command = add_command(tables, "detect", _detect, phrase("cli.detect_reading"))
    command.add_argument("file", type=Path)
    add_reading_options(command)


def _detect(options: argparse.Namespace) -> Answer:
    """Prints how a file seems to be written, as YAML that `--read` takes. Registers nothing, reads no cell aloud."""
    import yaml

    from dprelease.workspace.home import Home
    from dprelease.workspace.layouts import propose

    shows_true = not Home.is_at(options.home) or _shows_true(options)
    found = propose(options.file, said(options) or {}, blind=not shows_true)
    parts = {name: part for name, part in found.reading.to_mapping().items() if name not in found.asks}
    mapping = json.loads(json.dumps(parts))  # words for what is listed
    lines = [yaml.safe_dump(mapping, sort_keys=False, allow_unicode=True).rstrip()]
    sheets: list[Phrase] = [
        verbatim(str(quoted(each.name)))
        if found.blind
        else phrase("model.sheet_line", name=verbatim(each.name), columns=each.columns, rows=each.rows)
        for each in found.sheets
    ]
    asked = [
        phrase("model.asked_part", part=part) if found.blind else phrase(f"model.ask_{part}") for part in found.asks
    ]
    told = [*sheets, *asked]
    if found.formulas:
        told.append(phrase("cli.formulas_without_results", count=found.formulas))
    if found.bands:
        told.append(phrase("cli.names_with_bands", names=tuple(found.bands)))
    lines = [*(f"# {each}" for each in told), *lines]
    return {
        "reading": mapping,
        "asks": list(found.asks),
        "sheets": [
            {"name": each.name, **({} if found.blind else {"columns": each.columns, "rows": each.rows})}
            for each in found.sheets
        ],
        "names_with_bands": list(found.bands),
        "formulas_without_results": found.formulas,
    }, "\n".join(lines)


def _shows_true(options: argparse.Namespace) -> bool:
    """Tells whether the workspace that --home names shows true values: else nothing is told of a file's rows."""
    from dprelease.model.preview_policy import PreviewPolicy

    return open_workspace(options)[0].plans.preview_policy is PreviewPolicy.TRUE
