"""Commands for datasets: the private tables."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.cli import describe, reading_report
from dprelease.cli.command import Answer, add_command, add_group, day, if_open, open_workspace, positive
from dprelease.cli.populations import add_budget_options, add_overlap_option, overlaps_of
from dprelease.cli.reading import (
    add_column_options,
    add_detect,
    add_reading_options,
    add_written_options,
    detected_of,
    file_of,
    forms,
    layout_lines,
    layout_mapping,
    said,
    stray_lines,
    written,
)
from dprelease.cli.reading_report import add_reading
from dprelease.words import Phrase, phrase

if TYPE_CHECKING:
    from dprelease.model.actor import Actor
    from dprelease.model.population import Dataset
    from dprelease.workspace import Workspace


def add(commands: Any) -> None:
    tables = add_group(commands, "dataset", phrase("cli.private_tables"))
    add_command(tables, "list", _list, phrase("cli.list_datasets"))
    dataset = add_command(tables, "add", _add, phrase("cli.register_table_file_copied"))
    dataset.add_argument("name", help=str(phrase("cli.such_visits")))
    dataset.add_argument("source", help=str(phrase("cli.source_of_table")))
    dataset.add_argument("--population", help=str(phrase("cli.registered_population_default_new")))
    dataset.add_argument(
        "--unit-column",
        metavar="COLUMN",
        help=str(phrase("cli.unit_column")),
    )
    dataset.add_argument(
        "--unit-codes",
        nargs="+",
        default=[],
        metavar="CODE",
        help=str(phrase("cli.values_column_stand_nobody")),
    )
    dataset.add_argument("--schema", type=Path, metavar="FILE", help=str(phrase("cli.yaml_json_file_columns")))
    dataset.add_argument("--epsilon", help=str(phrase("cli.cap_new_population")))
    dataset.add_argument("--unit", help=str(phrase("cli.new_population_unit_word")))
    dataset.add_argument("--max-rows", type=positive, metavar="ROWS", help=str(phrase("cli.rows_of_one_unit")))
    dataset.add_argument("--delete-on", type=day, metavar="DAY", help=str(phrase("cli.delete_table_on")))
    dataset.add_argument("--after", metavar="DATASET", help=str(phrase("cli.read_like_dataset")))
    add_reading_options(dataset)
    add_column_options(dataset)
    add_written_options(dataset)
    add_budget_options(dataset)
    add_overlap_option(dataset)

    add_detect(tables)
    add_reading(tables)
    describe.add(tables)
    replace = add_command(tables, "replace", _replace, phrase("cli.register_other_rows_same"))
    replace.add_argument("name")
    replace.add_argument("source", help=str(phrase("cli.source_of_table")))
    replace.add_argument(
        "--same-rows",
        action="store_true",
        help=str(phrase("cli.same_rows")),
    )
    replace.add_argument("--removed-rows", action="store_true", help=str(phrase("cli.removed_rows")))
    add_reading_options(replace)
    add_column_options(replace)
    analysts = add_command(tables, "analysts", _analysts, phrase("cli.open_to_analysts"))
    analysts.add_argument("name")
    analysts.add_argument("--close", action="store_true", help=str(phrase("cli.close_to_analysts")))
    delete = add_command(tables, "delete-table", _delete_table, phrase("cli.delete_dataset_rows_releases"))
    delete.add_argument("name")


def _list(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    datasets = workspace.datasets.find(actor=actor)
    lines = [
        str(
            phrase(
                "cli.dataset_line",
                dataset=dataset.name,
                population=dataset.population,
                unit=_unit(dataset),
                columns=len(dataset.schema.to_mapping()),
            )
        )
        for dataset in datasets
    ]
    return [_mapping(dataset) for dataset in datasets], "\n".join(lines) or phrase("cli.no_dataset")


def _add(options: argparse.Namespace) -> Answer:
    columns, readings = file_of(options).declared or None, forms(options)
    workspace, actor = open_workspace(options)
    overlaps = overlaps_of(options, workspace, actor)
    detected = None if options.after else detected_of(options, workspace)
    dataset = workspace.add_dataset(
        options.name,
        options.source,
        population=options.population,
        unit_column=options.unit_column,
        unit_codes=options.unit_codes,
        columns=columns,
        readings=readings,
        epsilon=options.epsilon,
        delta=options.delta,
        unit=options.unit,
        neighbors=options.neighbors,
        currency=options.currency,
        size=options.size,
        discovers=not options.no_discovery,
        reading=said(options) if detected is None else detected.settled(Path(options.source).name),
        after=options.after,
        max_rows=options.max_rows,
        delete_on=options.delete_on,
        written=written(options),
        overlaps=overlaps,
        actor=actor,
    )
    told = "cli.dataset_on_server" if "://" in options.source else "cli.dataset_stored"
    lines = [phrase(told, dataset=dataset.name, population=dataset.population, unit=_unit(dataset))]
    layout = if_open(lambda: workspace.datasets.layout(dataset.name, actor=actor))
    strays = _strays(workspace, dataset.name, actor)
    lines += [*layout_lines(layout, detected), *stray_lines(dataset.name, strays)]
    waiting = [name for name in (layout.forms if layout else ()) if name not in dataset.schema]
    lines += [phrase("cli.read_once_declared", columns=tuple(waiting))] if waiting else []
    book = if_open(lambda: workspace.datasets.codebook(dataset.name, actor=actor))
    described = 0 if book is None else len(book.entries)
    if described:
        lines.append(phrase("cli.file_describes", count=described, dataset=dataset.name))
    told_as = {**_mapping(dataset), **layout_mapping(layout, detected), "described_by_file": described}
    told_as["strays"] = strays
    unsaid = if_open(lambda: workspace.datasets.no_answers(dataset.name, actor=actor)) or {}
    lines += [phrase("cli.words_of_no_answer", column=name, words=each) for name, each in unsaid.items()]
    told_as["no_answer"] = {name: list(each) for name, each in unsaid.items()}
    report = None if "://" in options.source else reading_report.allowed(workspace, dataset.name, actor=actor)
    if report is None:
        return told_as, "\n".join(map(str, lines))
    words = "\n".join(map(str, lines))
    return {**told_as, "reading": report.to_mapping()}, f"{words}\n\n{reading_report.words(report)}"


def _replace(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    reading = said(options)
    dataset = workspace.datasets.replace_rows(
        options.name,
        options.source,
        reading=reading,
        readings=forms(options),
        same=options.same_rows,
        removed=options.removed_rows,
        actor=actor,
    )
    warned = () if reading else workspace.datasets.unlike(options.name, options.source, actor=actor)
    words = phrase("cli.rows_replaced", dataset=dataset.name, population=dataset.population)
    layout = if_open(lambda: workspace.datasets.layout(dataset.name, actor=actor))
    strays = _strays(workspace, dataset.name, actor)
    lines = (*warned, words, *layout_lines(layout, None), *stray_lines(dataset.name, strays))
    told_as = {**_mapping(dataset), **layout_mapping(layout, None), "strays": strays}
    return told_as, "\n".join(map(str, lines))


def _strays(workspace: Workspace, dataset: str, actor: Actor | None) -> list[dict[str, Any]]:
    """Return the rules that would leave out a few rows, with how many each; none to those who may not know it."""
    found = if_open(lambda: workspace.datasets.strays(dataset, actor=actor)) or ()
    return [{"rule": each.rule, "rows": each.rows} for each in found]


def _analysts(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    dataset = workspace.datasets.open_to_analysts(options.name, is_open=not options.close, actor=actor)
    said = phrase("cli.analysts_in" if dataset.analysts else "cli.analysts_out", dataset=dataset.name)
    return {"dataset": dataset.name, "analysts": dataset.analysts}, said


def _delete_table(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    workspace.datasets.delete_table(options.name, actor=actor)
    words = phrase("cli.rows_deleted", dataset=options.name)
    return {"name": options.name, "deleted": True}, words


def _mapping(dataset: Dataset) -> dict[str, Any]:
    return {
        "name": dataset.name,
        "population": dataset.population,
        "unit_column": dataset.unit_column,
        "unit_codes": list(dataset.unit_codes),
        "version": dataset.version,
        "columns": dataset.schema.to_mapping(),
    }


def _unit(dataset: Dataset) -> Phrase:
    column = dataset.unit_column
    return phrase("cli.unit_row") if column is None else phrase("cli.unit_rows", column=column)
