"""The command of a terminal by which a file is read, and its columns are declared, as a dataset's are."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dprelease.model.dataset_file import DatasetFile
from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.form import KEY
from dprelease.model.form_line import named_line
from dprelease.model.population import Dataset
from dprelease.model.reading import Format, Reading
from dprelease.model.yaml_text import dump

Words = tuple[str, ...]
MOST = 12
"""Columns whose readings stand in the command; those of more stand in the file."""
ENDINGS: Mapping[Format, str] = {
    Format.TEXT: "csv",
    Format.JSON_LINES: "jsonl",
    Format.EXCEL: "xlsx",
    Format.SPSS: "sav",
    Format.SPSS_PORTABLE: "por",
    Format.STATA: "dta",
    Format.SAS: "sas7bdat",
    Format.PARQUET: "parquet",
}
"""Filename extension by format, for a file whose own name nobody kept."""


@dataclass(frozen=True)
class SameCommand:
    """Command to type, and the file beside it that declares the columns."""

    command: str
    """For a shell of POSIX, an option a line."""
    filename: str
    content: str
    """Content of the file, as YAML; empty where the command takes no file."""


def same_command(
    dataset: Dataset,
    layout: Reading,
    terms: DatasetTerms,
    source: str = "",
    overlaps: Mapping[str, str] | None = None,
) -> SameCommand:
    """Return the command that registers a dataset like this one of the same population, from the same file.

    `source`: what the file is called, where that is known. `overlaps`: what was answered of other populations.
    """
    waiting = {name: {KEY: form} for name, form in layout.forms.items() if name not in dataset.schema}
    columns: dict[str, Mapping[str, Any]] = {**waiting, **dataset.schema.said()}
    said = {name: column[KEY] for name, column in columns.items() if column.get(KEY) is not None}
    lines = [named_line(name, form) for name, form in said.items()] if len(said) <= MOST else []
    if lines:
        columns = {
            name: {key: part for key, part in column.items() if key != KEY}
            for name, column in columns.items()
            if name not in waiting
        }
    file = DatasetFile({"names": list(layout.names)} if layout.names else {}, columns)
    filename, content = f"{dataset.name}.yaml", dump(file.to_mapping()) if file.to_mapping() else ""
    parts: list[Words] = [
        ("dprelease", "dataset", "add", dataset.name, source or f"{dataset.name}.{ENDINGS[layout.format]}")
    ]
    parts += [("--population", dataset.population)]
    parts += [] if dataset.unit_column is None else [_option("--unit-column", dataset.unit_column)]
    parts += [("--unit-codes", *dataset.unit_codes)] if dataset.unit_codes else []
    parts += [] if terms.max_rows is None else [("--max-rows", str(terms.max_rows))]
    parts += [] if terms.delete_on is None else [("--delete-on", terms.delete_on.isoformat())]
    parts += [_option("--overlap", f"{other}={answer}") for other, answer in (overlaps or {}).items()]
    parts += [*_options(layout), *([("--schema", filename)] if content else [])]
    parts += [_option("--column", line) for line in lines]
    return SameCommand(" \\\n  ".join(map(shlex.join, parts)), filename, content)


def _options(layout: Reading) -> Iterator[Words]:
    """Yield the options that say a layout, whatever would be detected of the file."""
    asked: dict[str, Any] = {name: part for name, part in layout.to_mapping().items() if name != "names"}
    for name in ("sheet", "encoding", "header"):
        if asked.get(name) is not None:
            yield _option(f"--{name}", str(asked[name]))
    if "delimiter" in asked:
        yield _option("--delimiter", "tab" if layout.delimiter == "\t" else layout.delimiter)
    if "units" in asked:
        yield ("--units" if layout.units else "--no-units",)
    if layout.labels:
        yield ("--labels",)
    for rule in layout.skip.to_texts():
        yield _option("--skip-rule", rule)


def _option(name: str, value: str) -> Words:
    """Return an option with its value, which may begin like an option itself."""
    return (f"{name}={value}",) if value.startswith("-") else (name, value)
