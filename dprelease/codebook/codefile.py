"""Code lists as files of their own, and as what they say of a column."""

from __future__ import annotations

import hashlib
from pathlib import PurePath

from dprelease.codebook.book import Codebook, Note, Origin, Writing, without_repeats
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.ready import ReadyList
from dprelease.codebook.rows import CodeList
from dprelease.model.column_fields import MAX_CATEGORIES, ColumnType
from dprelease.model.missing import CODES
from dprelease.words import phrase, quoted

EXTENSIONS = ("csv", "tsv", "txt", "xlsx", "xlsm", "xml")
MAX_BYTES = 20_000_000


def read_codes(filename: str, content: bytes, *, source: str, version: str) -> CodeList:
    """Return the code list in a file: a code and its labels in each row, or the first code list of an SDMX message.

    `source` and `version`: whose it is, and which edition; both are stated with the file's SHA-256. Raises
    CodebookError.
    """
    name = PurePath(filename.replace("\\", "/")).name
    ending = PurePath(name).suffix.lower().lstrip(".")
    if not source.strip() or not version.strip():
        lacks = "source" if not source.strip() else "version"
        raise CodebookError(lacks, found=phrase("model.nothing"), allowed=phrase("codebook.source_and_version"))
    if len(content) > MAX_BYTES:
        raise CodebookError(
            name,
            found=phrase("codebook.bytes", count=len(content)),
            allowed=phrase("codebook.codebook_at_most_bytes", max_bytes=MAX_BYTES),
        )
    if ending not in EXTENSIONS:
        allowed = phrase("codebook.file_ending", ending=", ".join(EXTENSIONS))
        raise CodebookError(name, found=phrase("codebook.file_ending", ending=quoted(ending)), allowed=allowed)
    found = _read(name, ending, content)
    if len(found.labels) > MAX_CATEGORIES:
        raise CodebookError(
            name,
            found=phrase("model.categories", count=len(found.labels)),
            allowed=phrase("model.1_declared_categories", max_categories=MAX_CATEGORIES),
        )
    origin = Origin(source=source.strip(), version=version.strip(), digest=hashlib.sha256(content).hexdigest())
    return CodeList(found.labels, found.missing, origin)


def _read(name: str, ending: str, content: bytes) -> CodeList:
    if ending == "xml":
        from dprelease.codebook.plain_xml import parse
        from dprelease.codebook.sdmx import read_list

        return read_list(name, parse(name, content))
    from dprelease.codebook.workbook import code_lists, first_list

    if ending in ("xlsx", "xlsm"):
        return first_list(name, content)
    from dprelease.codebook.delimited import lines

    found = code_lists(name, [[cell.strip() for cell in line] for line in lines(name, content)])
    if not found:
        raise CodebookError(name, found=phrase("codebook.no_code_list"), allowed=phrase("codebook.code_and_label"))
    return next(iter(found.values()))


def of_codes(column: str, codes: CodeList | ReadyList) -> Codebook:
    """Return a codebook that declares one column by a code list, whose codes are the column's values."""
    origin = codes.origin
    listed = codes if isinstance(codes, CodeList) else CodeList(codes.codes, origin=origin)
    writing = Writing("" if origin is None else origin.source)
    missing = {code: words for code, words in listed.labels.items() if code in listed.missing}
    labels = {code: words for code, words in listed.labels.items() if code not in missing}
    declared = {"type": ColumnType.CATEGORY.value, "categories": without_repeats(labels)}
    if missing:
        writing.note(Note.MISSING_CODES, column)
        writing.add(column, {**declared, CODES: list(missing)}, labels=labels, missing=missing, origin=origin)
    else:
        writing.add(column, declared, labels=labels, origin=origin)
    return writing.done()
