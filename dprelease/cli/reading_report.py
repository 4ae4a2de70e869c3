"""The reading report in the terminal: how the cells of declared columns are read, for those who may see true values."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, figure, if_open, open_workspace
from dprelease.model.reading_report import STATES, ColumnReading, ReadingReport
from dprelease.words import phrase
from dprelease.words.phrases import visible

if TYPE_CHECKING:
    from dprelease.model.actor import Actor
    from dprelease.workspace import Workspace

MARK = "!"
NUMBER = 12


def add_reading(tables: Any) -> None:
    reading = add_command(tables, "reading", _reading, phrase("cli.reading_report"))
    reading.add_argument("name")
    reading.add_argument("--column", action="append", metavar="COLUMN", help=str(phrase("cli.reading_columns")))


def _reading(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found = workspace.datasets.reading(options.name, columns=options.column, actor=actor)
    return {"dataset": options.name, "reading": found.to_mapping()}, words(found)


def allowed(workspace: Workspace, dataset: str, *, actor: Actor | None) -> ReadingReport | None:
    """Return the report of a dataset for those who may see it; None for others, and where no column is declared."""
    from dprelease.workspace.layouts import is_blind

    found = if_open(lambda: workspace.datasets.get(dataset, actor=actor))
    if found is None or not found.schema.columns or is_blind(workspace):
        return None
    return if_open(lambda: workspace.datasets.reading(dataset, actor=actor))


def words(report: ReadingReport) -> str:
    """A line a column; a mark where many cells are unreadable or outside, and how unreadable ones are written."""
    if not report.columns:
        return str(phrase("cli.reading_none"))
    width = max(len(visible(each.column)) for each in report)
    heads = "".join(f"{phrase(f'cli.reading_{state}')!s:>{NUMBER}}" for state in STATES)
    lines = [str(phrase("cli.reading_head")), f"  {'':{width}}{heads}"]
    for each in report:
        lines.append(f"{MARK if each.many else ' '} {visible(each.column):{width}}{_counts(each)}")
        lines += [f"    {cells:>{width}}  {_shape(shape)}" for shape, cells in each.shapes]
    if any(each.shapes for each in report):
        lines.append(str(phrase("cli.reading_shapes")))
    if any(each.many for each in report):
        lines.append(str(phrase("cli.reading_many", mark=MARK)))
    return "\n".join(lines)


def _counts(each: ColumnReading) -> str:
    return "".join(f"{figure(str(each[state])):>{NUMBER}}" for state in STATES)


def _shape(shape: str) -> str:
    return visible(shape) if shape else str(phrase("cli.reading_other_shapes"))
