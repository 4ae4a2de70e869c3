"""Layout of a dataset's files: they are read as its first one was, until a curator says otherwise.

A reading that is detected anew from other rows could be changed by one row, for all of them. So detection beside the
layout warns whoever brings a file, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.errors import InputError, UploadError, problem
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.reading import Detected, Reading
from dprelease.model.report import Report
from dprelease.store import datasets, facts
from dprelease.table.address import is_address
from dprelease.table.detect import detect, format_of, unreadable
from dprelease.words import phrase, quoted, verbatim
from dprelease.workspace.staging import Staging, Upload
from dprelease.workspace.state import State

if TYPE_CHECKING:
    from dprelease.workspace.workspace import Workspace

Said = Reading | Mapping[str, Any]
"""Stated reading of a file: whole, or in parts, and the others are detected."""


def is_file(source: Any) -> bool:
    """Return True if a source is the path of a file here."""
    return isinstance(source, str | Path) and not is_address(source)


def is_blind(workspace: Workspace) -> bool:
    """Return True if nobody here may see what depends on rows: then nothing is detected of them."""
    return workspace.plans.preview_policy is not PreviewPolicy.TRUE


def propose(path: Path, said: Mapping[str, Any], *, blind: bool) -> Detected:
    """Detect how a file seems to be written, beside what somebody said of it."""
    if not path.is_file():
        raise InputError("file", found=str(path), allowed=phrase("model.file_can_read"))
    return detect(path, path.name, said, blind=blind)


def read_now(state: State, source: Any, said: Said | None) -> Reading | None:
    """Return how to read the first file of a dataset: as said, else as detected. Raises UploadError where that asks."""
    if isinstance(said, Reading):
        return said
    if isinstance(source, Upload):
        return source.settled()
    if not is_file(source):
        return None
    path = Path(source)
    if not path.is_file():
        raise InputError("source", found=str(source), allowed=phrase("workspace.path_csv_excel_spss"))
    return detect(path, path.name, said or {}, blind=facts.is_blind(state.database)).settled(path.name)


def read_alike(state: State, dataset: str, source: Any, said: Said | None) -> Reading | None:
    """Return how to read further rows of a dataset: by its layout, or as somebody says; never as detected of them.

    Parts that are said change the layout in these. None where rows come in no file.
    """
    kept = datasets.layout(state.database, dataset)
    if isinstance(said, Reading) or not (isinstance(source, Upload) or is_file(source)):
        return said if isinstance(said, Reading) else None
    if kept is None:
        if isinstance(source, Upload) or said is not None:
            return read_now(state, source, said)
        raise InputError(
            "reading",
            found=phrase("workspace.no_layout", dataset=quoted(dataset)),
            allowed=phrase("workspace.layout_said"),
            remedy=phrase("workspace.say_layout"),
        )
    return Reading.parse({**kept.to_mapping(), **said}) if said else kept


def waiting_for(layout: Reading | None, forms: Mapping[str, Mapping[str, Any]]) -> Reading | None:
    """The layout with how cells of columns are read once they are declared. Raises InputError of rows in no file."""
    if layout is None and forms:
        report = Report()
        for name in forms:
            allowed, remedy = phrase("workspace.declared_column"), phrase("workspace.declare_column_first")
            report.add(f"columns.{name}", found=name, allowed=allowed, remedy=remedy)
        report.raise_any(InputError)
    return replace(layout, forms={**layout.forms, **forms}) if layout and forms else layout


@contextmanager
def by_layout(said: Said | None) -> Iterator[None]:
    """Name the layout in errors, and what to do about rows that do not fit it, where nobody said otherwise."""
    try:
        yield
    except InputError as error:
        if said is not None:
            raise
        asked = problem(
            "layout",
            phrase("workspace.rows_unlike_layout"),
            phrase("workspace.rows_like_layout"),
            phrase("workspace.change_layout"),
        )
        raise type(error).from_problems([*error.problems, asked]) from None


def check_format(source: Any, reading: Reading | None) -> None:
    """Raise UploadError where a file is of another kind than it is to be read as."""
    if reading is None or not is_file(source) or not Path(source).is_file():
        return
    path = Path(source)
    try:
        found = format_of(path, path.name)
    except OSError as cause:
        raise unreadable(path.name, cause) from None
    if found is not reading.format:
        raise UploadError(
            path.name,
            found=phrase("workspace.file_of_format", format=verbatim(found.value)),
            allowed=phrase("workspace.file_of_format", format=verbatim(reading.format.value)),
        )


def read_upload_alike(state: State, upload: Upload, reading: Reading) -> Upload:
    """Read a waiting file by a layout, unless it was read so already. Where that fails, it stays as it was."""
    if upload.detected.reading == reading and not upload.detected.asks:
        return upload
    staging = Staging.of(state)
    check_format(staging.raw(upload), reading)
    staging.read(upload.id, upload.filename, reading)
    return staging.get(upload.id)
