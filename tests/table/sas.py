"""Files of SAS, which pyreadstat reads and does not write: written by ReadStat, the library inside it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyreadstat

STRING, DOUBLE = 0, 5
POINTER, TEXT, WHOLE, NUMBER = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_double
WRITE = ctypes.CFUNCTYPE(ctypes.c_ssize_t, POINTER, ctypes.c_size_t, POINTER)


@dataclass(frozen=True)
class Column:
    """A variable of SAS with its cells: numbers, None, a capital letter for a missing value of its own; or texts."""

    name: str
    cells: Sequence[float | str | None]
    format: str = ""
    label: str = ""
    text: bool = False


class Library:
    """The functions that write, with the types of their arguments."""

    def __init__(self) -> None:
        (path,) = Path(pyreadstat.__file__).parent.glob("_readstat_writer*.so")
        self.library = ctypes.CDLL(str(path))

    def call(self, name: str, result: Any, *arguments: tuple[Any, Any]) -> Any:
        found = getattr(self.library, f"readstat_{name}")
        found.restype, found.argtypes = result, [kind for kind, _ in arguments]
        return found(*(value for _, value in arguments))

    def written(self, fill: Callable[[Any], None]) -> bytes:
        """What a writer writes, which is filled with variables, rows or labels."""
        content = bytearray()

        def take(data: Any, size: int, _: Any) -> int:
            content.extend(ctypes.string_at(data, size))
            return size

        writer, taking = self.call("writer_init", POINTER), WRITE(take)
        self.call("set_data_writer", WHOLE, (POINTER, writer), (WRITE, taking))
        fill(writer)
        assert self.call("end_writing", WHOLE, (POINTER, writer)) == 0
        self.call("writer_free", None, (POINTER, writer))
        return bytes(content)


def table(columns: Sequence[Column]) -> bytes:
    """A .sas7bdat file."""
    library = Library()

    def fill(writer: Any) -> None:
        made = []
        for column in columns:
            kind = STRING if column.text else DOUBLE
            about = ((POINTER, writer), (TEXT, column.name.encode()), (WHOLE, kind), (ctypes.c_size_t, 8))
            variable = library.call("add_variable", POINTER, *about)
            for key, said in (("label", column.label), ("format", column.format)):
                library.call(f"variable_set_{key}", None, (POINTER, variable), (TEXT, said.encode()))
            made.append(variable)
        rows = len(columns[0].cells)
        begin = "begin_writing_sas7bdat"
        assert library.call(begin, WHOLE, (POINTER, writer), (POINTER, None), (ctypes.c_long, rows)) == 0
        for row in range(rows):
            library.call("begin_row", WHOLE, (POINTER, writer))
            for column, variable in zip(columns, made, strict=True):
                cell, place = column.cells[row], ((POINTER, writer), (POINTER, variable))
                if cell is None:
                    library.call("insert_missing_value", WHOLE, *place)
                elif column.text:
                    library.call("insert_string_value", WHOLE, *place, (TEXT, str(cell).encode()))
                elif isinstance(cell, str):
                    library.call("insert_tagged_missing_value", WHOLE, *place, (ctypes.c_char, cell.encode()))
                else:
                    library.call("insert_double_value", WHOLE, *place, (NUMBER, cell))
            library.call("end_row", WHOLE, (POINTER, writer))

    return library.written(fill)


def catalogue(formats: Mapping[str, Mapping[float | str, str]]) -> bytes:
    """A .sas7bcat file: labels of values by the names of formats; those of texts begin with a $."""
    library = Library()

    def fill(writer: Any) -> None:
        for name, labels in formats.items():
            is_text = name.startswith("$")
            about = ((POINTER, writer), (WHOLE, STRING if is_text else DOUBLE), (TEXT, name.encode()))
            listed = library.call("add_label_set", POINTER, *about)
            for value, label in labels.items():
                key, of = ("string", (TEXT, str(value).encode())) if is_text else ("double", (NUMBER, value))
                library.call(f"label_{key}_value", None, (POINTER, listed), of, (TEXT, label.encode()))
        assert library.call("begin_writing_sas7bcat", WHOLE, (POINTER, writer), (POINTER, None)) == 0

    return library.written(fill)
