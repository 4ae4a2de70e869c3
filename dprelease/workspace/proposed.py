"""What a file proposes before it is registered: how it is read, and how its cells are. It registers nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprelease.errors import Problem
from dprelease.model.column import Column, ColumnType
from dprelease.model.dataset_file import DatasetFile, one_of
from dprelease.model.form import KEY
from dprelease.model.proposed_form import Proposal, Reading, propose, propose_any
from dprelease.model.reading import Detected
from dprelease.model.row_rules import RowRules
from dprelease.model.schema import Schema
from dprelease.table.left_out import LeftOut, left_out_of_file
from dprelease.table.sampled import texts_of_file
from dprelease.workspace.written import question_of, usual


@dataclass(frozen=True)
class ProposedFile:
    """The file of a dataset, and what its table leaves open, which stands in it as a list of answers."""

    file: DatasetFile
    types: dict[str, ColumnType]
    """What the columns with a reading are taken for, by name."""
    asks: tuple[Problem, ...]
    """Open questions, each with its answers."""
    strays: tuple[LeftOut, ...]
    """Rules that would leave out rows which look like notes, totals or nothing. None where nobody may see rows."""


def propose_file(path: Path, detected: Detected, schema: Schema) -> ProposedFile:
    """Proposes the file of a dataset for a table. `schema`: columns that are declared already, for their types.

    Cells are looked at for whoever brings the file. Where this workspace shows no true values none is: then every
    declared column that can be written in several ways is asked about alike.
    """
    layout = {name: part for name, part in detected.reading.to_mapping().items() if name not in detected.asks}
    layout |= {each.path: one_of(_answers(each)) for each in detected.questions}
    columns, types, asks = dict[str, dict[str, Any]](), dict[str, ColumnType](), list(detected.questions)
    for name, kind, found in _proposals(path, detected, schema):
        types[name] = kind
        columns[name] = {KEY: one_of(found.readings) if found.is_asked else dict[str, Any](found.readings[0])}
        if found.is_asked:
            asks.append(question_of(name, kind, found, blind=detected.blind))
    strays = () if detected.blind or detected.asks else left_out_of_file(path, path.name, detected.reading)
    return ProposedFile(DatasetFile(layout, columns), types, tuple(asks), strays)


def _proposals(path: Path, detected: Detected, schema: Schema) -> list[tuple[str, ColumnType, Proposal]]:
    if detected.blind:
        return [(each.name, each.type, Proposal(readings)) for each in schema if (readings := _asked(each))]
    if detected.asks:
        return []
    told = []
    for name, texts in texts_of_file(path, path.name, detected.reading).items():
        column = schema.get(name)
        if column is None:
            found = propose_any(texts)
        elif column.reading is None and not column.discover:
            own = propose(texts, column.type, column.categories)
            found = None if own is None else (column.type, own)
        else:
            found = None
        told += [] if found is None else [(name, *found)]
    return told


def _answers(asked: Problem) -> list[Any]:
    """What may be said of a part of the layout, as it is said in the file."""
    texts = list(asked.answers or ())
    if asked.path == "skip":
        return [*(RowRules.parse([text]).to_mapping() for text in texts), {}]
    return [text == "true" for text in texts] if asked.path == "units" else texts


def _asked(column: Column) -> tuple[Reading, ...]:
    """The readings among which is asked where no cell is looked at."""
    of_words = column.type in (ColumnType.CATEGORY, ColumnType.TEXT)
    return () if of_words or column.reading is not None else usual(column.type)
