"""Proposals from a file before it is registered: how it is read, and how its cells are. Registers nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprelease.errors import Problem
from dprelease.model.column import Column, ColumnType
from dprelease.model.dataset_file import DatasetFile, one_of
from dprelease.model.form import KEY
from dprelease.model.proposed_form import Proposal, no_answers, propose, propose_any
from dprelease.model.reading import Detected
from dprelease.model.row_rules import RowRules
from dprelease.model.schema import Schema
from dprelease.table.left_out import LeftOut, left_out_of_file
from dprelease.table.sampled import texts_of_file
from dprelease.workspace.proposed_readings import question_of, usual


@dataclass(frozen=True)
class ProposedFile:
    """The file of a dataset, and what its table leaves open, which stands in it as a list of answers."""

    file: DatasetFile
    types: dict[str, ColumnType]
    """Proposed types of the columns with a reading, by name."""
    asks: tuple[Problem, ...]
    """Open questions, each with its answers."""
    strays: tuple[LeftOut, ...]
    """Rules that would leave out rows which look like notes, totals or nothing. None where nobody may see rows."""
    no_answer: dict[str, tuple[str, ...]]
    """Words among the cells of a column that stand for no answer in many tables."""


def propose_file(path: Path, detected: Detected, schema: Schema) -> ProposedFile:
    """Propose the file of a dataset for a table. `schema`: columns that are declared already, for their types.

    Cells are looked at for whoever brings the file. Where this workspace shows no true values none is: then every
    declared column that can be written in several ways is asked about alike.
    """
    layout = {name: part for name, part in detected.reading.to_mapping().items() if name not in detected.asks}
    layout |= {each.path: one_of(_answers(each)) for each in detected.questions}
    columns, types, asks = dict[str, dict[str, Any]](), dict[str, ColumnType](), list(detected.questions)
    looks = not detected.blind and not detected.asks
    texts = texts_of_file(path, path.name, detected.reading) if looks else {}
    for name, kind, found in _proposals(texts, schema) if looks else _asked(schema) if detected.blind else ():
        types[name] = kind
        columns[name] = {KEY: one_of(found.readings) if found.is_asked else dict[str, Any](found.readings[0])}
        if found.is_asked:
            asks.append(question_of(name, kind, found, blind=detected.blind))
    strays = left_out_of_file(path, path.name, detected.reading) if looks else ()
    words = {name: said for name, cells in texts.items() if (said := _no_answers(cells, schema.get(name)))}
    return ProposedFile(DatasetFile(layout, columns), types, tuple(asks), strays, words)


def _proposals(texts: Mapping[str, list[str]], schema: Schema) -> Iterator[tuple[str, ColumnType, Proposal]]:
    for name, cells in texts.items():
        column = schema.get(name)
        if column is None:
            found = propose_any(cells)
        elif column.reading is None and not column.discover:
            own = propose(cells, column.type, column.categories)
            found = None if own is None else (column.type, own)
        else:
            found = None
        if found is not None:
            yield name, *found


def _asked(schema: Schema) -> Iterator[tuple[str, ColumnType, Proposal]]:
    """Yield the readings among which is asked of every column alike where no cell is looked at."""
    for column in schema:
        of_words = column.type in (ColumnType.CATEGORY, ColumnType.TEXT)
        readings = () if of_words or column.reading is not None else usual(column.type)
        if readings:
            yield column.name, column.type, Proposal(readings)


def _no_answers(cells: list[str], column: Column | None) -> tuple[str, ...]:
    is_said = column is not None and column.missing_codes is not None
    return () if is_said else no_answers(cells, column.categories if column else ())


def _answers(asked: Problem) -> list[Any]:
    """Return the allowed answers for a part of the layout, as they are written in the file."""
    texts = list(asked.answers or ())
    if asked.path == "skip":
        return [*(RowRules.parse([text]).to_mapping() for text in texts), {}]
    return [text == "true" for text in texts] if asked.path == "units" else texts
