"""Options and files that describe the reading of a file; and the command that proposes it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, open_workspace
from dprelease.errors import InputError
from dprelease.words import Phrase, phrase, quoted, verbatim

if TYPE_CHECKING:
    from dprelease.model.dataset_file import DatasetFile
    from dprelease.model.reading import Detected, Reading
    from dprelease.workspace import Workspace

TAB = "tab"
WRITTEN = ("decimal", "dates", "yes", "no", "accept")
OPTIONS = ("sheet", "header", "delimiter", "encoding", "units", "labels", "skip_rule")


def add_reading_options(to: argparse.ArgumentParser) -> None:
    """Add what answers the questions that a file leaves open."""
    to.add_argument("--sheet", metavar="NAME", help=str(phrase("cli.read_sheet")))
    to.add_argument("--header", type=int, metavar="ROW", help=str(phrase("cli.read_header")))
    to.add_argument("--delimiter", metavar="SIGN", help=str(phrase("cli.read_delimiter")))
    to.add_argument("--encoding", metavar="NAME", help=str(phrase("cli.read_encoding")))
    to.add_argument("--units", action=argparse.BooleanOptionalAction, default=None, help=str(phrase("cli.read_units")))
    to.add_argument("--labels", action="store_true", default=None, help=str(phrase("cli.read_labels")))
    to.add_argument("--skip-rule", action="append", metavar="RULE", help=str(phrase("cli.read_skip")))
    to.add_argument("--read", type=Path, metavar="FILE.yaml", help=str(phrase("cli.read_file")))


def add_column_options(to: argparse.ArgumentParser) -> None:
    """Add what says how the cells of one column are written."""
    to.add_argument("--column", action="append", default=[], metavar="NAME=FORM", help=str(phrase("cli.written_form")))


def file_of(options: argparse.Namespace) -> DatasetFile:
    """The layout and the columns of a dataset as the files of a command say them: `--read` goes before `--schema`."""
    from dprelease.cli.describe import content_of
    from dprelease.model.dataset_file import DatasetFile

    found = DatasetFile()
    for path in (getattr(options, "schema", None), options.read):
        found = found if path is None else found.updated(DatasetFile.parse(content_of(path)))
    return found


def forms(options: argparse.Namespace) -> dict[str, Mapping[str, Any]]:
    """Return the forms that were said of columns, by name and as in a plan.

    Raises InputError where one was said twice, and where a question of a file was not answered. Whether a declared
    column is to be asked about, its table says.
    """
    from dprelease.model.form_line import parse_named

    found: dict[str, Mapping[str, Any]] = {}
    for text in options.column:
        name, form = parse_named(text, "--column")
        if name in found:
            raise InputError("--column", found=text, allowed=phrase("cli.form_once"))
        found[name] = form
    file = file_of(options)
    asked = file.left_open(columns=found, layout=_layout(options))
    if asked:
        raise InputError.from_problems(asked)
    return {**file.readings, **found}


def add_written_options(to: argparse.ArgumentParser) -> None:
    """Add what says how the cells of all columns are written."""
    to.add_argument("--decimal", metavar="SIGN", help=str(phrase("cli.written_decimal")))
    to.add_argument("--dates", metavar="ORDER", help=str(phrase("cli.written_dates")))
    to.add_argument("--yes", nargs="+", metavar="WORD", help=str(phrase("cli.written_yes")))
    to.add_argument("--no", nargs="+", metavar="WORD", help=str(phrase("cli.written_no")))
    to.add_argument("--accept", action="store_true", help=str(phrase("cli.written_accept")))


def written(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options that describe how the cells of all columns are written."""
    return {name: getattr(options, name) for name in WRITTEN if getattr(options, name)}


def said(options: argparse.Namespace) -> dict[str, Any] | None:
    """Return the parts of a reading that were said; None where none was."""
    return {**file_of(options).layout, **_layout(options)} or None


def _layout(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parts of a reading that stand on the command line."""
    said = {name: value for name in OPTIONS if (value := getattr(options, name)) is not None}
    return {"skip" if name == "skip_rule" else name: "\t" if value == TAB else value for name, value in said.items()}


def add_detect(tables: Any) -> None:
    """Add `dataset detect`."""
    command = add_command(tables, "detect", _detect, phrase("cli.detect_reading"))
    command.add_argument("file", type=Path)
    command.add_argument("--schema", type=Path, metavar="FILE", help=str(phrase("cli.yaml_json_file_columns")))
    add_reading_options(command)


def _detect(options: argparse.Namespace) -> Answer:
    """Print how a file and its cells seem to be written, as YAML that `--read` takes, and what they leave open."""
    from dprelease.model.schema import Schema
    from dprelease.workspace.home import Home
    from dprelease.workspace.layouts import is_blind, propose
    from dprelease.workspace.proposed import propose_file

    blind = Home.is_at(options.home) and is_blind(open_workspace(options)[0])
    columns = file_of(options).declared
    found = propose(options.file, said(options) or {}, blind=blind)
    proposed = propose_file(options.file, found, Schema.parse(columns) if columns else Schema({}))
    mapping = json.loads(json.dumps(proposed.file.to_mapping()))  # words for what is listed
    sheets: list[Phrase] = [
        verbatim(str(quoted(each.name)))
        if found.blind
        else phrase("model.sheet_line", name=verbatim(each.name), columns=each.columns, rows=each.rows)
        for each in found.sheets
    ]
    told = [*sheets, *proposed.asks, *_unsure(found)]
    told += [_stray_line(each.rule, each.rows, each.lines) for each in proposed.strays]
    told += [phrase("cli.words_seem_no_answer", column=name, words=each) for name, each in proposed.no_answer.items()]
    lines = [*(f"# {each}" for each in told), *_yaml(mapping, proposed.types)]
    return {
        "columns": {},
        **mapping,
        "asks": [each.to_mapping() for each in proposed.asks],
        "sheets": [
            {"name": each.name, **({} if found.blind else {"columns": each.columns, "rows": each.rows})}
            for each in found.sheets
        ],
        "strays": [asdict(each) for each in proposed.strays],
        "no_answer": {name: list(words) for name, words in proposed.no_answer.items()},
        **_unsure_mapping(found),
    }, "\n".join(lines)


def _yaml(mapping: Mapping[str, Any], types: Mapping[str, str]) -> Iterator[str]:
    """The file of a dataset, with a made-up example of each reading beside it; an answer a line where one is asked."""
    from dprelease.model.dataset_file import ONE_OF
    from dprelease.model.form import KEY
    from dprelease.model.yaml_text import dump, one_line
    from dprelease.workspace.proposed_readings import example

    yield dump({"layout": mapping["layout"]}).rstrip()
    columns = mapping.get("columns", {})
    if columns:
        yield "columns:"
    for name, column in columns.items():
        said, key = column[KEY], one_line({name: None}).strip("{}").removesuffix("null").rstrip()
        if ONE_OF not in said:
            yield f"  {key} {one_line(column)}  # {example(types[name], said)}"
            continue
        yield f"  {key}"
        yield f"    {KEY}:  # {phrase('cli.leave_one')}"
        yield f"      {ONE_OF}:{'' if said[ONE_OF] else ' []'}"
        yield from (f"      - {one_line(each)}  # {example(types[name], each)}" for each in said[ONE_OF])


def detected_of(options: argparse.Namespace, workspace: Workspace) -> Detected | None:
    """Return the reading of a command's file, by its options and else as detected; None where it is no file."""
    from dprelease.workspace.layouts import is_blind, is_file, propose

    if not is_file(options.source) or not Path(options.source).is_file():
        return None
    return propose(Path(options.source), said(options) or {}, blind=is_blind(workspace))


def layout_lines(layout: Reading | None, found: Detected | None) -> list[Phrase]:
    """Return words on which part of a file was read, as far as it does not go without saying."""
    if layout is None:
        return []
    lines = [phrase("cli.sheet_was_read", sheet=quoted(layout.sheet))] if layout.sheet is not None else []
    if layout.asks("header") and layout.header != 1:
        lines.append(phrase("cli.names_in_row", row=layout.header) if layout.header else phrase("cli.no_names"))
    lines += [phrase("cli.units_left_out")] if layout.units else []
    rules = verbatim(", ".join(layout.skip.to_texts()))
    return [*lines, *([phrase("cli.rows_left_out", rules=rules)] if layout.skip else []), *_unsure(found)]


def stray_lines(dataset: str, strays: Sequence[Mapping[str, Any]]) -> list[Phrase]:
    """Say which rows look like no rows of the table, and how they are left out."""
    return [
        phrase("cli.rows_stray", dataset=dataset, rule=verbatim(each["rule"]), count=each["rows"]) for each in strays
    ]


def _stray_line(rule: str, rows: int, lines: tuple[int, ...]) -> Phrase:
    """Say how many rows a rule would leave out, and in which lines the first of them stand."""
    places = (*lines, *([verbatim("…")] if rows > len(lines) else []))
    return phrase("cli.rows_stray_of_file", count=rows, lines=places, rule=verbatim(rule))


def layout_mapping(layout: Reading | None, found: Detected | None) -> dict[str, Any]:
    """The same for `--json`."""
    mapping = None if layout is None else json.loads(json.dumps(layout.to_mapping()))
    return {"layout": mapping, **({} if found is None else _unsure_mapping(found))}


def _unsure(found: Detected | None) -> list[Phrase]:
    """Describe the parts of a file that may have been meant otherwise."""
    if found is None:
        return []
    lines = [phrase("cli.formulas_without_results", count=found.formulas)] if found.formulas else []
    return [*lines, *([phrase("cli.names_with_bands", names=tuple(found.bands))] if found.bands else [])]


def _unsure_mapping(found: Detected) -> dict[str, Any]:
    return {"names_with_bands": list(found.bands), "formulas_without_results": found.formulas}
