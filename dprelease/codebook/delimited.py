"""Codebooks as tables: a row for each column, or a row for each category of a column."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dprelease.codebook.book import Codebook, CodebookError, Note, Writing, number_text, without_repeats
from dprelease.codebook.codes import read_line
from dprelease.errors import Problem, SchemaError
from dprelease.model.column import DISCOVER, ORDERED, ColumnType
from dprelease.model.domain import domain
from dprelease.model.missing import CODES
from dprelease.model.report import as_decimal
from dprelease.model.schema import FILLED
from dprelease.words import phrase

PAIR = re.compile(r"(?P<value>[^=]*[^=<>!\s])\s*=\s*(?P<label>[^=].*)", re.DOTALL)
"""A category and its label, such as `1 = male`; `>=65` is a category."""
COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+")
HEADERS = {
    "name": "name column variable field var nombre columna campo",
    "type": "type datatype data_type tipo tipo_de_dato tipo_dato clase",
    "lower": "lower min minimum lower_bound from inferior limite_inferior minimo desde",
    "upper": "upper max maximum upper_bound to superior limite_superior maximo hasta",
    "resolution": "resolution step precision resolucion paso",
    "unit": "unit units unit_of_measure measured_in unidad unidades unidad_de_medida",
    "categories": "categories values levels allowed_values labels value_labels codes "
    "categorias valores etiquetas codigos",
    "description": "description label title definition descripcion etiqueta titulo definicion",
    "other": "other otro otros otra",
    "missing_codes": "missing_codes missing_values codes_for_no_answer na_values na codigos_de_ausencia "
    "codigos_sin_respuesta valores_perdidos valores_ausentes",
    "count_missing_as": "count_missing_as missing_counts_as empty_counts_as vacio_cuenta_como ausente_cuenta_como",
    "missing": "missing ausente ausentes faltante faltantes",
    "domain": "domain ready_domain dominio",
    "value": "value code category valor codigo categoria",
    "value_label": "value_label category_label code_label etiqueta_valor etiqueta_del_valor etiqueta_categoria",
}
"""By key of a declaration: the headers that mean it. `value` is one category, where each has a row of its own;
`missing` may mean codes for no answer or what empty cells count as, so that it is asked about and not taken over."""
EXTREMES = frozenset(["min", "minimum", "minimo", "max", "maximum", "maximo"])
"""Headers that mean bounds, except beside statistics: there they are what was observed."""
OBSERVED = frozenset(
    word
    for words in (
        "mean average sd std std_dev standard_deviation median mode n count freq frequency frequencies percent",
        "media promedio desviacion_tipica mediana moda recuento frecuencia frecuencias porcentaje",
        "missing_count n_missing nulls unique distinct q1 q3 p25 p75",
        "observed_min observed_max min_observed max_observed minimo_observado maximo_observado",
    )
    for word in words.split()
)
"""Headers of facts about rows, which are never taken over."""
TYPES = {
    ColumnType.INTEGER: "integer int long whole smallint bigint entero entera numero_entero",
    ColumnType.NUMBER: "number numeric float double decimal real continuous numero numerico numerica decimales",
    ColumnType.CATEGORY: "category categorical factor enum nominal ordinal coded categoria categorica categorico",
    ColumnType.BOOLEAN: "boolean bool logical flag binary booleano booleana logico si_no",
    ColumnType.DATE: "date day fecha dia",
    ColumnType.TEXT: "text identifier id key identificador clave",
}
FREE_TEXT = frozenset(["string", "str", "character", "char", "varchar", "texto", "cadena", "caracter", "alfanumerico"])
"""Types without a counterpart: what is neither a list nor an identifier is not declared."""
YES = frozenset(["yes", "y", "true", "1", "x", "si", "s", "verdadero"])
MEANINGS = {word: key for key, words in HEADERS.items() for word in words.split()}
KINDS = {word: kind for kind, words in TYPES.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Line:
    """What stands about one column, over all its rows."""

    fields: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    """Categories that have rows of their own, with their labels."""


def read_delimited(source: str, content: bytes, *, by_label: bool) -> Codebook:
    """Reads CSV or TSV with any of the usual delimiters, in UTF-8 or Windows-1252. Raises CodebookError."""
    lines = _lines(source, _text(content))
    heads = [plain_word(cell) for cell in lines[0]] if lines else []
    observed = {head for head in heads if head in OBSERVED}
    if observed:
        observed |= EXTREMES & set(heads)
    keys = {place: MEANINGS[head] for place, head in enumerate(heads) if head in MEANINGS and head not in observed}
    if "name" not in keys.values():
        raise CodebookError(
            source,
            found=", ".join(filter(None, heads)) or phrase("codebook.no_header"),
            allowed=phrase("codebook.header_name_any_type"),
        )
    writing = Writing(source, by_label=by_label)
    for head in sorted(observed):
        writing.note(Note.STATISTICS, head)
    problems: list[Problem] = []
    for name, line in _gathered(lines[1:], keys).items():
        try:
            _entry(writing, name, line)
        except SchemaError as error:
            problems += [replace(problem, path=f"columns.{name}.{problem.path}") for problem in error.problems]
    if problems:
        raise CodebookError.from_problems(problems)
    return writing.done()


def _text(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _lines(source: str, text: str) -> list[list[str]]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t|", key=first.count)
    try:
        return [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(line)]
    except csv.Error as cause:
        raise CodebookError(source, found=str(cause), allowed=phrase("codebook.table_text_such_csv")) from None


def _gathered(rows: Sequence[Sequence[str]], keys: Mapping[int, str]) -> dict[str, Line]:
    """Each column with what its rows say. A row without a name goes on with the column above."""
    found: dict[str, Line] = {}
    name = ""
    for row in rows:
        cells: dict[str, str] = {}
        for place, key in keys.items():
            if place < len(row) and row[place].strip():
                cells.setdefault(key, row[place].strip())
        name = cells.pop("name", name)
        if not name:
            continue
        later = name in found
        line = found.setdefault(name, Line())
        value, label = cells.pop("value", ""), cells.pop("value_label", "")
        if value:
            line.values[value] = label or (cells.pop("description", "") if later else "")
        for key, text in cells.items():
            line.fields.setdefault(key, text)
    return found


def _entry(writing: Writing, name: str, line: Line) -> None:
    """Writes down one column. Raises SchemaError where it names a domain that there is not."""
    fields = line.fields
    declared: dict[str, Any] = domain(plain_word(fields["domain"])).to_mapping() if "domain" in fields else {}
    declared |= _kind(writing, name, fields)
    declared |= {key: number(fields[key]) for key in ("lower", "upper", "resolution", FILLED) if key in fields}
    if CODES in fields:
        declared[CODES] = read_line(fields[CODES])
    if "missing" in fields:
        writing.note(Note.MISSING_UNCLEAR, name)
    if "unit" in fields:
        declared["unit"] = fields["unit"]
    if plain_word(fields.get("other", "")) in YES:
        declared["other"] = True
    labels: dict[str, str] = {}
    if plain_word(fields.get("categories", "")) == DISCOVER:
        declared |= {"type": ColumnType.CATEGORY.value, "categories": DISCOVER}
    else:
        labels = dict(split_labels(fields.get("categories", ""))) | line.values
        if labels and declared.setdefault("type", ColumnType.CATEGORY.value) not in ORDERED:
            declared["categories"] = without_repeats(labels)
    own = str(declared.pop("description", ""))
    writing.add(name, declared, labels=labels, description=fields.get("description") or own)


def _kind(writing: Writing, name: str, fields: Mapping[str, str]) -> dict[str, str]:
    """The type that is meant, if there is one."""
    word = plain_word(fields.get("type", ""))
    if word in KINDS:
        return {"type": KINDS[word].value}
    if word:
        listed = bool(fields.get("categories") or fields.get("domain"))
        if word not in FREE_TEXT:
            writing.note(Note.UNKNOWN_TYPE, name)
        elif not listed:
            writing.note(Note.TEXT, name)
    return {}


def number(text: str) -> str:
    """A number as a declaration writes it; a decimal comma becomes a point. Other text (a date) as it is."""
    bare = text.replace("−", "-").replace("\u00a0", "").replace("\u202f", "").strip()
    if COMMA.fullmatch(bare):
        bare = bare.replace(",", ".")
    return number_text(bare) if as_decimal(bare) is not None else bare


def split_labels(text: str) -> list[tuple[str, str]]:
    """Categories apart by lines, tabs, |, ; or commas, each with its label where one follows a `=`."""
    delimiter = next((each for each in ("\n", "\t", "|", ";") if each in text), ",")
    parts = next(csv.reader([text], skipinitialspace=True), []) if delimiter == "," else text.split(delimiter)
    pairs = [(PAIR.fullmatch(part.strip()), part.strip()) for part in parts]
    return [(found["value"].strip(), found["label"].strip()) if found else (part, "") for found, part in pairs if part]


def plain_word(text: str) -> str:
    """A word without accents, capitals and spaces."""
    bare = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return re.sub(r"[^a-z0-9]+", "_", bare.lower()).strip("_")
