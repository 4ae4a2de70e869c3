"""The command that declares columns from a codebook."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dprelease.cli.command import Answer, add_command, open_workspace
from dprelease.errors import InputError
from dprelease.words import phrase, verbatim

if TYPE_CHECKING:
    from dprelease.codebook import Codebook, ColumnProposal
    from dprelease.model.schema import Schema
    from dprelease.workspace import Workspace


def add(tables: Any) -> None:
    """Add `dataset describe`."""
    describe = add_command(tables, "describe", _describe, phrase("cli.declare_columns_from_codebook"))
    describe.add_argument("name")
    source = describe.add_mutually_exclusive_group(required=True)
    source.add_argument("--codebook", type=Path, metavar="FILE", help=str(phrase("cli.codebooks")))
    source.add_argument("--like", metavar="DATASET", help=str(phrase("cli.another_dataset_whose_declaration")))
    source.add_argument("--own", action="store_true", help=str(phrase("cli.spss_stata_file_table")))
    source.add_argument("--public-file", type=Path, metavar="FILE", help=str(phrase("cli.public_file_same_columns")))
    describe.add_argument("--file-is-public", action="store_true", help=str(phrase("cli.attest_public_file")))
    source.add_argument("--catalogue", action="store_true", help=str(phrase("cli.database_catalogue")))
    describe.add_argument("--catalogue-is-public", action="store_true", help=str(phrase("cli.vouch_for_catalogue")))
    source.add_argument("--codes", metavar="FILE|LIST", help=str(phrase("cli.code_list_file_ready")))
    source.add_argument("--write", type=Path, metavar="FILE", help=str(phrase("cli.write_codebook")))
    describe.add_argument("--column", metavar="COLUMN", help=str(phrase("cli.column_code_list_is")))
    describe.add_argument("--codes-source", default="", metavar="TEXT", help=str(phrase("cli.whose_code_list")))
    describe.add_argument("--codes-version", default="", metavar="TEXT", help=str(phrase("cli.which_version_list")))
    describe.add_argument("--by-label", action="store_true", help=str(phrase("cli.table_holds_labels_codebook")))
    describe.add_argument("--resource", metavar="NAME", help=str(phrase("cli.table_data_package_default")))
    describe.add_argument("--numbers", metavar="1.234,5", help=str(phrase("cli.how_numbers_are_written")))
    describe.add_argument("--days", metavar="31/12/2025", help=str(phrase("cli.how_days_are_written")))
    describe.add_argument("--only", nargs="+", metavar="COLUMN", help=str(phrase("cli.take_over_these_columns")))
    describe.add_argument("--dry-run", action="store_true", help=str(phrase("cli.say_what_would_change")))


def _describe(options: argparse.Namespace) -> Answer:
    from dprelease.codebook import described, propose
    from dprelease.model.form import KEY

    workspace, actor = open_workspace(options)
    schema = workspace.datasets.get(options.name, actor=actor).schema
    if options.write is not None:
        return _written(options.name, schema, options.write)
    now = schema.said()
    book, names = _book(options, workspace, actor), workspace.datasets.columns(options.name, actor=actor)
    book = book.decided(numbers=options.numbers, days=options.days, columns=described(book, names))
    layout = workspace.datasets.layout(options.name, actor=actor)
    waiting = {name: {KEY: form} for name, form in (layout.forms if layout else {}).items()}
    found = propose(book, names, {**waiting, **now})
    wanted = [each for each in found.changes if options.only is None or each.name in options.only]
    taken = [each for each in wanted if each.then.get("type")]
    if taken and not options.dry_run:
        workspace.datasets.describe(options.name, {**now, **{each.name: each.then for each in taken}}, actor=actor)
    lines = [_line(each) for each in taken]
    untyped = [each.name for each in wanted if each not in taken]
    if untyped:
        lines.append(str(phrase("cli.left_undeclared", columns=tuple(untyped))))
    if found.unknown:
        lines.append(str(phrase("cli.not_columns", columns=tuple(found.unknown))))
    for note, names in book.notes.items():
        lines.append(str(phrase("cli.note", note=phrase(f"cli.note_{note.value}"), columns=tuple(names))))
    done = "cli.columns_would_be" if options.dry_run else "cli.columns_declared"
    lines.append(str(phrase(done, count=len(taken))))
    mapping = {
        "dataset": options.name,
        "changed": {each.name: dict(each.then) for each in taken},
        "undeclared": untyped,
        "unknown": list(found.unknown),
        "notes": {note.value: list(names) for note, names in book.notes.items()},
        "dry_run": options.dry_run,
    }
    return mapping, "\n".join(lines)


def _written(dataset: str, schema: Schema, path: Path) -> Answer:
    """Write declared columns as a codebook that can be taken over again: rows of CSV, else `columns` as in a plan."""
    from dprelease.codebook.delimited import write_delimited

    is_csv = path.suffix.lower() == ".csv"
    if not is_csv and path.suffix.lower() != ".json":
        raise InputError("write", found=path.name, allowed=verbatim(".csv, .json"))
    said = {"columns": schema.said()}
    text = write_delimited(schema) if is_csv else f"{json.dumps(said, ensure_ascii=False, indent=2)}\n"
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as cause:
        allowed, remedy = phrase("cli.new_file"), verbatim(cause.strerror or "")
        raise InputError("write", found=str(path), allowed=allowed, remedy=remedy) from None
    count = len(schema.columns)
    told = phrase("cli.columns_written", path=verbatim(str(path)), count=count)
    return {"dataset": dataset, "written": str(path), "columns": count}, str(told)


def _book(options: argparse.Namespace, workspace: Workspace, actor: Any) -> Codebook:
    from dprelease.codebook import read
    from dprelease.codebook.apart import CATALOGUE
    from dprelease.codebook.table_schema import of_columns

    if options.own:
        own = workspace.datasets.codebook(options.name, actor=actor)
        if own is None:
            raise InputError("own", found=phrase("cli.table_another_file"), allowed=phrase("cli.table_spss_stata_file"))
        return own
    if options.public_file is not None:
        from dprelease.codebook.sample import read_sample

        path = options.public_file
        return read_sample(path.name, content_of(path), public=options.file_is_public)
    if options.catalogue:
        return workspace.datasets.catalogue(options.name, public=options.catalogue_is_public, actor=actor)
    if options.like is not None:
        return of_columns(options.like, workspace.datasets.get(options.like, actor=actor).schema.said())
    if options.codes is not None:
        return _codes(options)
    content = content_of(options.codebook)
    if options.codebook.suffix.lower() == f".{CATALOGUE}":
        catalogue = (options.codebook.name, content)
        return cast("Codebook", workspace.datasets.codebook(options.name, catalogue=catalogue, actor=actor))
    return read(options.codebook.name, content, resource=options.resource, by_label=options.by_label)


def _codes(options: argparse.Namespace) -> Codebook:
    """Read the code list of one column: a file of somebody's, else a ready list."""
    from dprelease.codebook.codefile import of_codes, read_codes
    from dprelease.codebook.ready import ready

    if options.column is None:
        raise InputError("column", found=phrase("model.nothing"), allowed=phrase("cli.column_code_list_is"))
    path = Path(options.codes)
    if not path.suffix:
        return of_codes(options.column, ready(options.codes))
    said = {"source": options.codes_source, "version": options.codes_version}
    return of_codes(options.column, read_codes(path.name, content_of(path), **said))


def content_of(path: Path) -> bytes:
    """Return the bytes of a file. Raises InputError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as cause:
        remedy = verbatim(cause.strerror or "")
        raise InputError("file", found=str(path), allowed=phrase("model.file_can_read"), remedy=remedy) from None


def _line(proposal: ColumnProposal) -> str:
    """Describe the changes of one column in a line."""
    said = (f"{key} {_told(proposal.now.get(key))} → {_told(proposal.then.get(key))}" for key in proposal.changed)
    return f"{proposal.name}: {'; '.join(said)}"


def _told(value: Any) -> str:
    if isinstance(value, list | tuple):
        return str(phrase("cli.values", count=len(value))) if len(value) > 6 else ", ".join(map(str, value))
    return str(phrase("model.nothing") if value in (None, "") else value)
