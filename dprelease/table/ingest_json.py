"""JSON Lines: an object a line, its values as text. The columns are the keys of all lines, in the order they appear."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from dprelease.errors import UploadError
from dprelease.table.ingest_text import MAX_LINE, Note, checked_names
from dprelease.words import Phrase, phrase

SAMPLE_LINES = 200
BATCH = 2**18
"""Cells that are held at a time."""
MAX_KEYS = 10_000
ALLOWED = phrase("table.json_object_line_utf")


class _RefusedError(Exception):
    """Why a line cannot be read."""

    def __init__(self, found: Phrase) -> None:
        self.found = found
        super().__init__(found)


def is_json_lines(source: Path) -> bool:
    """Return True if the first line that is not empty is an object, even one that no table can be made of."""
    with source.open("rb") as file:
        for raw in iter(lambda: file.readline(MAX_LINE), b""):
            if raw.strip():
                try:
                    return isinstance(json.loads(raw.decode("utf-8-sig")), dict)
                except (ValueError, RecursionError):
                    return False
    return False


def json_batches(source: Path, filename: str, note: Note) -> Generator[Any, None, None]:
    """Yield a schema, then Arrow batches, in two passes. Raises UploadError with the line of what cannot be read."""
    import pyarrow

    names: dict[str, None] = {}
    for line, row in _rows(source, filename, lambda done: note(done / 2)):
        names.update(dict.fromkeys(row))
        if len(names) > MAX_KEYS:
            raise UploadError(
                filename, found=phrase("table.line_more_than_different", line=line, max_keys=MAX_KEYS), allowed=ALLOWED
            )
    checked = checked_names(list(names), filename)
    schema = pyarrow.schema([(name, pyarrow.string()) for name in checked])
    yield schema
    size = max(1, BATCH // len(names))
    held: list[dict[str, str | None]] = []

    def batch() -> Any:
        columns = [pyarrow.array([row.get(name) for row in held], pyarrow.string()) for name in names]
        return pyarrow.record_batch(columns, schema=schema)

    for _, row in _rows(source, filename, lambda done: note(0.5 + done / 2)):
        held.append(row)
        if len(held) == size:
            yield batch()
            held = []
    yield batch()


def _rows(source: Path, filename: str, note: Note) -> Iterator[tuple[int, dict[str, str | None]]]:
    size, read = max(1, source.stat().st_size), 0
    with source.open("rb") as file:
        for line, raw in enumerate(iter(lambda: file.readline(MAX_LINE), b""), start=1):
            read += len(raw)
            if raw.strip():
                try:
                    yield line, _object(raw)
                except _RefusedError as why:
                    raise UploadError(
                        filename, found=phrase("table.line", line=line, why=why.found), allowed=ALLOWED
                    ) from None
            if line % 4096 == 0:
                note(read / size)


def _object(raw: bytes) -> dict[str, str | None]:
    """Return the cells of a line by their keys. Raises _RefusedError, which quotes nothing but a key's place."""
    try:
        found = DECODER.decode(raw.decode("utf-8-sig").strip())
    except UnicodeDecodeError as cause:
        raise _RefusedError(phrase("table.no_utf_8_at", character=cause.start + 1)) from None
    except json.JSONDecodeError as cause:
        raise _RefusedError(phrase("table.no_json_at", character=cause.pos + 1)) from None
    except (RecursionError, ValueError):
        raise _RefusedError(phrase("table.no_json")) from None
    if not isinstance(found, dict):
        raise _RefusedError(phrase("table.no_object"))
    for place, cell in enumerate(found.values(), start=1):
        if not (cell is None or isinstance(cell, str)):
            raise _RefusedError(phrase("table.nested_value", place=place))
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = {name: ("true" if cell else "false") if isinstance(cell, bool) else cell for name, cell in pairs}
    if len(found) != len(pairs):
        raise _RefusedError(phrase("table.key_twice"))
    return found


DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=str, parse_int=str)
"""Numbers stay as they are written."""
