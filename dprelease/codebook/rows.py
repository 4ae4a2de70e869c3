"""Codebooks as rows of cells: what a row, or several, say of a column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dprelease.codebook import limits
from dprelease.codebook.book import ByLanguage, Codebook, Note, Origin, Writing, check_columns, without_repeats
from dprelease.codebook.bounds import ExactText, written_codes
from dprelease.codebook.codes import read_line, read_quoted
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.ready import is_ready, ready
from dprelease.codebook.vocabulary import (
    EXTREMES,
    FREE_TEXT,
    IN_YAML,
    KINDS,
    OBSERVED,
    YES,
    meaning,
    plain_word,
    split_labels,
)
from dprelease.errors import Problem, SchemaError
from dprelease.model.column import DISCOVER, NUMERIC, ORDERED, ColumnType
from dprelease.model.domain import domain
from dprelease.model.encoding import read_mapping
from dprelease.model.missing import CODES, FILLED
from dprelease.model.schema import MAX_COLUMNS
from dprelease.words import phrase

SPAN = re.compile(r"(?P<lower>[0-9]+)\s*(?:-|–|\.\.+|…| a | to )\s*(?P<upper>[0-9]+)")
"""A line of a code list that stands for many numbers: `000-120`."""
PARTED = re.compile(r"[,;\t\n\r]")
WORK_OF_A_CODE = 3
"""A code for no answer is as much work as so many categories: it is read twice, as a number may be written."""
Keys = Mapping[int, tuple[str, str]]
"""Meaning and language of the headings, by place in a row."""


@dataclass(frozen=True, slots=True)
class CodeList:
    """Codes with their labels by language, in their order; and which of them stand for no answer."""

    labels: Mapping[str, ByLanguage]
    missing: frozenset[str] = frozenset()
    origin: Origin | None = None


@dataclass(slots=True)
class ColumnLine:
    """Statements about one column, over all its rows."""

    fields: dict[str, str] = field(default_factory=dict)
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    """Label and description, by language."""
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    """Categories that have rows of their own, with their labels."""
    missing: set[str] = field(default_factory=set)
    """Categories among them that stand for no answer."""


def read_rows(
    source: str,
    lines: Sequence[Sequence[str]],
    *,
    by_label: bool,
    lists: Mapping[str, CodeList] | None = None,
    resources: Sequence[str] = (),
) -> Codebook:
    """Read rows under a heading. `lists`: code lists that they may name. Raises CodebookError."""
    heads = [plain_word(cell) for cell in lines[0]] if lines else []
    keys = meanings(heads)
    if ("name", "") not in keys.values():
        raise CodebookError(
            source,
            found=", ".join(filter(None, heads)) or phrase("codebook.no_header"),
            allowed=phrase("codebook.header_name_any_type"),
        )
    writing = Writing(source, by_label=by_label)
    for head in sorted(observed(heads)):
        writing.note(Note.STATISTICS, head)
    problems: list[Problem] = []
    limits.CODES.check(source, len(lines) - MAX_COLUMNS)  # a row is a column or a code
    gathered = _gathered(lines[1:], keys)
    check_columns(source, len(gathered))
    for name, line in gathered.items():
        try:
            _entry(writing, name, line, lists or {})
        except SchemaError as error:
            problems += [replace(problem, path=f"columns.{name}.{problem.path}") for problem in error.problems]
    if problems:
        raise CodebookError.from_problems(problems)
    return writing.done(resources)


def observed(heads: Sequence[str]) -> set[str]:
    """Return the headings of facts about rows; beside statistics, minima and maxima are such facts too."""
    found = {head for head in heads if head in OBSERVED}
    return found | EXTREMES & set(heads) if found else found


def meanings(heads: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Return the meaning of each heading, by its place, without those of facts about rows."""
    left = observed(heads)
    return {place: found for place, head in enumerate(heads) if head not in left and (found := meaning(head))}


def _gathered(rows: Sequence[Sequence[str]], keys: Keys) -> dict[str, ColumnLine]:
    """Each column with what its rows say. A row without a name goes on with the column above."""
    found: dict[str, ColumnLine] = {}
    name = ""
    read = [_cells(row, keys) for row in rows]
    of_values = _are_of_values(read)
    for cells, texts in read:
        name = cells.pop("name", name)
        if not name:
            continue
        later = name in found
        line = found.setdefault(name, ColumnLine())
        value = cells.pop("value", "")
        labels = texts.pop("value_label", {})
        if value:
            if later or of_values:
                labels = labels or texts.pop("label", {}) or (texts.pop("description", {}) if later else {})
            line.values[value] = labels
            if plain_word(cells.pop("missing", "")) in YES:
                line.missing.add(value)
        for key, text in cells.items():
            line.fields.setdefault(key, text)
        for key, words in texts.items():
            line.texts[key] = words | line.texts.get(key, {})
    return found


def _cells(row: Sequence[str], keys: Keys) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return the cells of a row by key: one value each, and texts by language."""
    cells: dict[str, str] = {}
    texts: dict[str, dict[str, str]] = {}
    for place, (key, language) in keys.items():
        if place < len(row) and (text := _stripped(row[place])):
            if key in ("label", "description", "value_label"):
                texts.setdefault(key, {}).setdefault(language, text)
            else:
                cells.setdefault(key, text)
    return cells, texts


def _stripped(text: str) -> str:
    """Return a cell without blanks at its ends; one that a program wrote as a number stays such."""
    return text if isinstance(text, ExactText) else text.strip()


def _are_of_values(read: Sequence[tuple[Mapping[str, str], Mapping[str, Any]]]) -> bool:
    """Return True if labels are those of values: where a column has several rows, each with its own."""
    labels: dict[str, Any] = {}
    for cells, texts in read:
        name, label = cells.get("name"), texts.get("label")
        if "value" in cells and name and label and labels.setdefault(name, label) != label:
            return "value_label" not in texts
    return False


def _entry(writing: Writing, name: str, line: ColumnLine, lists: Mapping[str, CodeList]) -> None:
    """Write down one column. Raises SchemaError where it names a domain that there is not."""
    fields, texts = line.fields, line.texts
    declared: dict[str, Any] = domain(plain_word(fields["domain"])).to_mapping() if "domain" in fields else {}
    declared |= _kind(writing, name, fields)
    typed: dict[str, str] = {key: fields[key] for key in ("lower", "upper", "resolution") if key in fields}
    if FILLED in fields:
        (typed if declared.get("type") in ORDERED else declared)[FILLED] = fields[FILLED]
    if CODES in fields:
        writing.count_codes(WORK_OF_A_CODE * (1 + len(PARTED.findall(fields[CODES]))))
        declared[CODES] = read_quoted(fields[CODES])
    if "missing" in fields:
        writing.note(Note.MISSING_UNCLEAR, name)
    if "unit" in fields:
        declared["unit"] = fields["unit"]
    if plain_word(fields.get("other", "")) in YES:
        declared["other"] = True
    for key in IN_YAML:
        if key in fields:
            writing.count_yaml(fields[key])
            declared[key] = _in_yaml(name, key, fields[key])
    own = str(declared.pop("description", ""))
    labels: dict[str, ByLanguage] = {}
    unanswered: dict[str, ByLanguage] = {}
    origin: Origin | None = None
    if plain_word(fields.get("categories", "")) == DISCOVER:
        declared |= {"type": ColumnType.CATEGORY.value, "categories": DISCOVER}
    else:
        labels, unanswered = _codes(name, line, lists)
        codes = _list(name, fields, lists)
        origin = None if codes is None else codes.origin
        _declare(declared, labels, unanswered, listed=codes is not None)
        if unanswered:
            writing.note(Note.MISSING_CODES, name)
    note = texts.get("description") or {"": own}
    told = {"label": texts.get("label", {}), "note": note}
    typed |= written_codes(declared.get(CODES, ()), declared.get("type"))
    writing.add(name, declared, **told, labels=labels, missing=unanswered, origin=origin, typed=typed)


def _in_yaml(name: str, key: str, text: str) -> Any:
    """Return the value of a cell that is written as in a plan file. Raises CodebookError where it is no YAML."""
    return read_mapping(f"{{{key}: {text}}}", error=CodebookError, what=f"columns.{name}.{key}").get(key)


def _codes(
    name: str, line: ColumnLine, lists: Mapping[str, CodeList]
) -> tuple[dict[str, ByLanguage], dict[str, ByLanguage]]:
    """Categories with their labels, and codes for no answer with theirs: of cells, of rows, of a code list."""
    found = _list(name, line.fields, lists)
    own = {value: {"": label} for value, label in split_labels(line.fields.get("categories", ""))}
    every: dict[str, ByLanguage] = {**(found.labels if found else {}), **own, **line.values}
    missing = line.missing | (found.missing if found else set())
    missing |= {code for code in read_line(line.fields.get(CODES, "")) if isinstance(code, str) and code in every}
    labels = {value: words for value, words in every.items() if value not in missing}
    return labels, {value: words for value, words in every.items() if value in missing}


def _list(name: str, fields: Mapping[str, str], lists: Mapping[str, CodeList]) -> CodeList | None:
    """Return the code list that a column names, else the one that has its name; a ready one where it names that."""
    named = plain_word(fields.get("codelist", ""))
    found = lists.get(named) or lists.get(plain_word(name))
    if found is None and is_ready(named):
        chosen = ready(named)
        return CodeList(chosen.codes, origin=chosen.origin)
    return found


def _declare(
    declared: dict[str, Any], labels: dict[str, ByLanguage], unanswered: dict[str, ByLanguage], *, listed: bool
) -> None:
    """Write categories and codes for no answer. A code list makes a category of a number, unless it has a span."""
    spans = [found for value in labels if (found := SPAN.fullmatch(value))]
    if listed and len(spans) == 1:  # such as 000-120: a number; its other codes are none
        declared |= {"type": ColumnType.INTEGER.value}
        declared |= {end: str(int(spans[0][end])) for end in ("lower", "upper")}
        unanswered |= {value: words for value, words in labels.items() if value != spans[0].group()}
        labels.clear()
    if listed and labels and declared.get("type") in NUMERIC:
        declared["type"] = ColumnType.CATEGORY.value
    if labels and declared.setdefault("type", ColumnType.CATEGORY.value) not in ORDERED:
        declared["categories"] = without_repeats(labels)
    if unanswered:
        known = {str(code) for code in declared.get(CODES, ())}
        declared[CODES] = [*declared.get(CODES, ()), *(code for code in unanswered if code not in known)]


def _kind(writing: Writing, name: str, fields: Mapping[str, str]) -> dict[str, str]:
    """Return the type that is meant, if there is one."""
    word = plain_word(fields.get("type", ""))
    if word in KINDS:
        kind = KINDS[word]
        whole = kind is ColumnType.NUMBER and fields.get("decimals") == "0"
        return {"type": (ColumnType.INTEGER if whole else kind).value}
    if word:
        listed = bool({"categories", "domain", "codelist"} & fields.keys())
        if word not in FREE_TEXT:
            writing.note(Note.UNKNOWN_TYPE, name)
        elif not listed:
            writing.note(Note.TEXT, name)
    return {}
