"""Codebooks: what other files say of a table's columns. Reads public metadata only, never a row."""

from __future__ import annotations

from pathlib import PurePath

from dprelease.codebook.book import Codebook, ColumnEntry, EntryTexts, Note
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.propose import ColumnProposal, Proposals, compatible, described, propose
from dprelease.codebook.said import texts_of
from dprelease.words import phrase, quoted

__all__ = [
    "EXTENSIONS",
    "Codebook",
    "CodebookError",
    "ColumnEntry",
    "ColumnProposal",
    "EntryTexts",
    "Note",
    "Proposals",
    "compatible",
    "described",
    "propose",
    "read",
    "texts_of",
]

OF_PROGRAMS = ("sav", "zsav", "por", "dta", "sas7bdat")
EXTENSIONS = ("csv", "tsv", "txt", "xlsx", "xlsm", "json", "yaml", "yml", "xml", *OF_PROGRAMS)
MAX_BYTES = 50_000_000
"""Maximum bytes of a codebook of text. A file of SPSS, Stata or SAS holds rows as well, which are not read."""


def read(filename: str, content: bytes, *, resource: str | None = None, by_label: bool = False) -> Codebook:
    """Return the codebook in a file, by the ending of its name and by what stands in it.

    A CSV codebook, an Excel workbook of one or of a record design, a Frictionless Table Schema or data package, CSVW
    metadata, DDI Codebook or an SDMX structure message (XML), a file of SPSS, Stata or SAS, or the columns of a plan.
    `resource`: which table of a data package, sheet of a workbook or data structure. `by_label`: the table holds the
    labels of categories, not their codes. Raises CodebookError.
    """
    name = PurePath(filename.replace("\\", "/")).name
    ending = PurePath(name).suffix.lower().lstrip(".")
    if ending in OF_PROGRAMS:
        from dprelease.codebook.labels import read_labels

        return read_labels(name, ending, content, by_label=by_label)
    if len(content) > MAX_BYTES:
        raise CodebookError(
            name,
            found=phrase("codebook.bytes", count=len(content)),
            allowed=phrase("codebook.codebook_at_most_bytes", max_bytes=MAX_BYTES),
        )
    if ending == "xml":
        from dprelease.codebook.ddi import read_ddi
        from dprelease.codebook.plain_xml import parse
        from dprelease.codebook.sdmx import is_structure, read_structure

        root = parse(name, content)
        return (
            read_structure(name, root, resource, by_label=by_label)
            if is_structure(root)
            else read_ddi(name, root, by_label=by_label)
        )
    if ending in ("json", "yaml", "yml"):
        from dprelease.codebook.table_schema import read_document

        return read_document(name, content, resource, by_label=by_label)
    if ending in ("xlsx", "xlsm"):
        from dprelease.codebook.workbook import read_workbook

        return read_workbook(name, content, resource, by_label=by_label)
    if ending in ("csv", "tsv", "txt"):
        from dprelease.codebook.delimited import read_delimited

        return read_delimited(name, content, by_label=by_label)
    allowed = phrase("codebook.file_ending", ending=", ".join(EXTENSIONS))
    raise CodebookError(
        name,
        found=phrase("codebook.file_ending", ending=quoted(ending)) if ending else phrase("codebook.no_ending"),
        allowed=allowed,
    )
