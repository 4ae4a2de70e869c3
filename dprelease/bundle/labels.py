"""Labels beside the tables of a release: code lists, tables with labels by language, CSV on the Web (W3C).

Codes and numbers are those of the signed tables, whatever the labels are; what lies here follows from release.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from dprelease.bundle.annotated import GRADE, free
from dprelease.bundle.listing import Content
from dprelease.bundle.tables import Shape, chunks, csv_rows, neutral, written
from dprelease.model.encoding import pretty
from dprelease.model.grade import grades
from dprelease.model.release import Cell, Estimates, Release
from dprelease.model.statistic import statistic_of
from dprelease.model.texts import ByLanguage
from dprelease.statements.question import StatisticLabel

CSVW = "csv-metadata.json"
"""File where the W3C recommendation has programs look for the description of a folder's tables."""
CONTEXT = "http://www.w3.org/ns/csvw"
CODE = "code"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""Pattern of a column's name; another column is known by its title alone."""


def label_files(release: Release) -> dict[str, Content]:
    """Return every such file by its path; none where the plan has no labels."""
    texts = release.certificate.texts
    if not texts:
        return {}
    lists = {name: dict(coded(release, name)) for name in release.tables}
    used = sorted({each for keys in lists.values() for each in keys.values()})
    labelled = [name for name, keys in lists.items() if keys]
    return {
        CSVW: pretty(csvw(release, lists)),
        **{f"codelists/{each}.csv": codelist_chunks(release, each) for each in used},
        **{
            labelled_path(language, name): labelled_chunks(release, name, language)
            for language, name in product(texts.languages, labelled)
        },
    }


def labelled_path(language: str, table: str) -> str:
    """Return the path of a table with labels. Not in tables/: a part of a statistic may be called as a language is."""
    return f"labelled/{table}.{language}.csv"


def coded(release: Release, table: str) -> Iterator[tuple[str, str]]:
    """Yield the key columns of a table whose codes have labels, each with the code list."""
    texts, question = release.certificate.texts, StatisticLabel.of(release.certificate, table)
    for name in release.tables[table].key_names:
        column = question.column_of(name)
        own = None if column is None else texts.columns.get(column)
        if own is not None and own.codelist:
            yield name, own.codelist


def is_covered(release: Release, table: str, name: str) -> bool:
    """Return True if every code of a key column is in its list."""
    codes = release.certificate.texts.codelists[dict(coded(release, table))[name]].codes
    return all(cell in codes for cell in _codes(release.tables[table], name))


def _codes(estimates: Estimates, name: str) -> set[Cell]:
    return {cell[axis.names.index(name)] for axis in estimates.axes if name in axis.names for cell in axis.cells}


def codelist_chunks(release: Release, name: str) -> Iterator[bytes]:
    """Yield code, label_LANGUAGE, ...: in declared order, then others by code; a missing label is empty."""
    texts = release.certificate.texts
    codes = texts.codelists[name].codes
    yield (",".join((CODE, *(f"label_{each}" for each in texts.languages))) + "\n").encode()
    lines = (
        ",".join(map(written, (code, *(labels.get(each) for each in texts.languages)))) + "\n"
        for code, labels in ((code, codes[code]) for code in _ordered(release, name))
    )
    yield from chunks(lines)


def _ordered(release: Release, name: str) -> list[str]:
    certificate = release.certificate
    codes = certificate.texts.codelists[name].codes
    of = (column for column, said in certificate.texts.columns.items() if said.codelist == name)
    declared = [
        each for column in sorted(of) if column in certificate.columns for each in certificate.columns[column].labels
    ]
    return list(dict.fromkeys([*(code for code in declared if code in codes), *sorted(codes)]))


def labelled_chunks(release: Release, table: str, language: str) -> Iterator[bytes]:
    """Yield a table as it is signed, with KEY_label after each key that has a code list.

    A label that is missing in the language is that of the first one which has it, else the code.
    """
    certificate, estimates, lists = release.certificate, release.tables[table], dict(coded(release, table))
    letters = grades(certificate, table, estimates)
    count = len(estimates.key_names)
    heads = [each for name in estimates.key_names for each in _headed(name, lists, estimates)]
    heads += [*estimates.columns[count:], free(GRADE, estimates)]
    yield (",".join(map(written, heads)) + "\n").encode()
    texts = certificate.texts
    columns = [texts.codelists[lists[name]].codes if name in lists else None for name in estimates.key_names]

    def line(keys: tuple[Cell, ...], row: str, letter: str) -> str:
        plain = "".join(f"{written(key)}," for key in keys)
        shown = "".join(
            f"{written(key)}," + ("" if codes is None else f"{written(_label(release, codes, key, language))},")
            for key, codes in zip(keys, columns, strict=True)
        )
        return f"{shown}{row.removeprefix(plain)},{letter}\n"

    cells = (tuple(key for cell in each for key in cell) for each in product(*(axis.cells for axis in estimates.axes)))
    yield from chunks(line(*each) for each in zip(cells, csv_rows(estimates), letters, strict=True))


def _headed(name: str, lists: Mapping[str, str], estimates: Estimates) -> tuple[str, ...]:
    return (name, free(f"{name}_label", estimates)) if name in lists else (name,)


def _label(release: Release, codes: Mapping[str, ByLanguage], key: Cell, language: str) -> str:
    return release.certificate.texts.said(codes.get(str(key), {}), language)[0] or str(key)


def csvw(release: Release, lists: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Describe tables and code lists as CSV on the Web (W3C Recommendation of 2015-12-17), with titles by language.

    `lists`: of each table the code list of a key column. A title is also what stands in the file's header, which the
    recommendation has programs compare; a foreign key names the list where every code has a place in it.
    """
    texts = release.certificate.texts
    used = sorted({each for keys in lists.values() for each in keys.values()})
    return {
        "@context": [CONTEXT, {"@language": texts.languages[0]}],
        "dc:title": _in_languages(texts.title) or release.certificate.title,
        "tables": [
            *(_table(release, name, keys) for name, keys in lists.items()),
            *(_list(release, each) for each in used),
        ],
    }


def _in_languages(words: ByLanguage) -> list[dict[str, str]]:
    return [{"@value": text, "@language": language} for language, text in words.items()]


def _table(release: Release, name: str, keys: Mapping[str, str]) -> dict[str, Any]:
    texts, estimates, question = (
        release.certificate.texts,
        release.tables[name],
        StatisticLabel.of(release.certificate, name),
    )
    shape = Shape.of(estimates)
    own = texts.statistics.get(statistic_of(name))
    columns = []
    for header, kind in zip((*estimates.columns, free(GRADE, estimates)), (*shape.kinds, "string"), strict=True):
        said = texts.columns.get(question.column_of(header) or "") if header in estimates.key_names else None
        labels = {} if said is None else said.label
        column: dict[str, Any] = {
            "titles": {each: [neutral(header), *_more(labels, each)] for each in texts.languages},
            "datatype": kind,
            **({"name": neutral(header)} if NAME.fullmatch(header) else {}),
        }
        columns.append(column | ({} if said is None or not said.note else {"dc:description": _in_languages(said.note)}))
    schema: dict[str, Any] = {"columns": columns}
    covered = {
        header: each for header, each in keys.items() if NAME.fullmatch(header) and is_covered(release, name, header)
    }
    if covered:
        schema["foreignKeys"] = [
            {
                "columnReference": neutral(header),
                "reference": {"resource": f"codelists/{each}.csv", "columnReference": CODE},
            }
            for header, each in covered.items()
        ]
    title = _in_languages(own.title) if own is not None and own.title else question.name
    note = {"dc:description": _in_languages(own.note)} if own is not None and own.note else {}
    return {"url": f"tables/{name}.csv", "dc:title": title, **note, "tableSchema": schema}


def _more(labels: ByLanguage, language: str) -> tuple[str, ...]:
    return (labels[language],) if language in labels else ()


def _list(release: Release, name: str) -> dict[str, Any]:
    texts = release.certificate.texts
    origin = ", ".join(filter(None, (texts.codelists[name].source, texts.codelists[name].version)))
    columns: list[dict[str, Any]] = [{"name": CODE, "titles": CODE, "datatype": "string", "required": True}]
    columns += [
        {"name": f"label_{each.replace('-', '_')}", "titles": f"label_{each}", "lang": each, "datatype": "string"}
        for each in texts.languages
    ]
    told = {"dc:source": origin} if origin else {}
    return {"url": f"codelists/{name}.csv", **told, "tableSchema": {"columns": columns, "primaryKey": CODE}}
