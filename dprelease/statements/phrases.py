"""Names of a record, a column and a statistic, as noun phrases by rule where the plan has no title."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.model.calendar import PERIODS
from dprelease.model.column import ColumnType
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait
from dprelease.model.schema import Schema
from dprelease.model.texts import ByLanguage, Texts, code_of
from dprelease.statements.display import shown, shown_key
from dprelease.words.language import language
from dprelease.words.phrases import visible
from dprelease.words.releases import enumerate_words
from dprelease.words.releases import say as said
from dprelease.words.sentences import Words

WORDS = Words("statements")
say = WORDS.say
LONGEST_NAME = 60
LONGEST_CONDITION = 160
USUAL_PER = 1000
"""Default denominator of a rate."""
IN_UNITS = (Quantity.COLUMN, Quantity.SQUARED)
"""Quantities with the unit of measure of a column: it stands behind the name."""
TESTS = ("at_least", "at_most", "equals", "in")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Readers' word for one record and for several, and its grammatical gender: f, m or n."""

    one: str
    many: str
    gender: str


def record(texts: Texts) -> Record:
    """Return the plan's own words for a record in the current language, else record and records.

    Words of another language would not agree with the sentence around them: they are not taken.
    """
    own = texts.record
    codes = [code for code in own.many if code.partition("-")[0] == language()]
    if codes:
        code = min(codes, key=len)
        one, many = (visible(words[code], LONGEST_NAME) for words in (own.one, own.many))
        return Record(one=one, many=many, gender=own.gender.get(code, "m"))
    return Record(one=say("record_one"), many=say("record_many"), gender="m")


def title_or_phrase(
    asked: Mapping[str, Any], presentation: Presentation, columns: Schema, unit: str, part: str = ""
) -> str:
    """Name a statistic: by the plan's title where it has one, else by rule; one of several tables with both."""
    own = columns.texts.statistics.get(str(asked["id"]))
    title = visible(columns.texts.said(own.title, language())[0]) if own is not None else ""
    if not title:
        return noun_phrase(asked, presentation, columns, unit, part)
    return (
        say("name_of_part", title=title, part=noun_phrase(asked, presentation, columns, unit, part)) if part else title
    )


def noun_phrase(
    asked: Mapping[str, Any], presentation: Presentation, columns: Schema, unit: str, part: str = ""
) -> str:
    """Name a statistic by its kind and columns, such as: Mean cost by ward, €.

    `asked`: its options, as in a plan file. `unit`: whose privacy is protected. `part`: the own one of several tables.
    """
    values = _values(asked, presentation, columns, unit)
    name = say(_key(asked, part, values), **values)
    own, squared = str(asked.get("column", "")), presentation.measure is Quantity.SQUARED
    in_unit = own and presentation.measure in IN_UNITS and presentation.look is not ChartType.SPAN
    measured = visible(columns.unit(own, language()), LONGEST_NAME) if in_unit else ""
    if measured:
        name = say("name_in_unit", name=name, unit=said("squared", unit=measured) if squared else measured)
    return capital(name)


def _values(asked: Mapping[str, Any], presentation: Presentation, columns: Schema, unit: str) -> dict[str, str]:
    levels, kind = asked.get("levels", {}), asked["kind"]
    word = record(columns.texts)

    def told(names: Iterable[str]) -> str:
        named = [lowered(_called(name, levels, columns)) for name in names if name]
        return enumerate_words(named) if named else ""

    is_subject = presentation.has(Trait.OF_COLUMNS)
    where = list(asked.get("where", ()))
    held = visible(enumerate_words(list(conditions(where, columns))), LONGEST_CONDITION) if where else ""
    return {
        "kind": str(kind).replace("_", " "),
        "one": word.one,
        "many": word.many,
        "column": told([str(asked.get("column") or asked.get("numerator") or "")]),
        "divisor": told([str(asked.get("denominator", ""))]),
        "outcome": told([str(asked.get("outcome", ""))]),
        "on": told(asked.get("on", ())),
        "columns": told(asked.get("columns", ())) if is_subject else "",
        "by": told([*asked.get("by", ()), *(() if is_subject else asked.get("columns", ()))]),
        "unit": visible(unit, LONGEST_NAME),
        "where": lowered(held),
        "predicate": predicate(where, columns.texts),
        "per": shown(asked.get("per", USUAL_PER)),
        "threshold": shown(asked.get("threshold")),
    }


def _key(asked: Mapping[str, Any], part: str, values: Mapping[str, str]) -> str:
    """Return the key of the words of a name."""
    kind = asked["kind"]
    for of_part in (f"name_{kind}_{part}", f"name_model_{part}") if part else ():
        if of_part in WORDS:
            return of_part
    own = f"name_{kind}"
    more = {"once": "max_rows_per_cell", "detail": "detail", "of": "column"}
    options = [f"{own}_{end}" for end, option in more.items() if asked.get(option)]
    options += [f"{own}_that"] if values["predicate"] else []
    key = next((each for each in options if each in WORDS), own if own in WORDS else "name_other")
    return f"{key}_by" if values["by"] and f"{key}_by" in WORDS else key


def _called(name: str, levels: Mapping[str, str], columns: Schema) -> str:
    """Return a column's label without its unit of measure, with the level at which it is told apart."""
    return at_level(name, levels, columns) if name in levels else visible(columns.label(name, language()), LONGEST_NAME)


def predicate(where: Sequence[Mapping[str, Any]], texts: Texts) -> str:
    """Return the plan's words for records that meet one condition, a code of a column; empty where it has none."""
    if len(where) != 1 or "equals" not in where[0]:
        return ""
    own = texts.columns.get(where[0]["column"])
    words = {} if own is None else own.predicate.get(code_of(where[0]["equals"]), {})
    codes = [code for code in words if code.partition("-")[0] == language()]
    return visible(words[min(codes, key=len)], LONGEST_NAME) if codes else ""


def lowered(text: str) -> str:
    """Return a label inside a phrase: its first letter small, unless the second is a capital (ICD) or missing."""
    return text[:1].lower() + text[1:] if len(text) > 1 and not text[1].isupper() else text


def capital(text: str) -> str:
    """Return a phrase with a capital letter, as at the beginning of a line."""
    return text[:1].upper() + text[1:]


def conditions(stated: Sequence[Mapping[str, Any]], columns: Schema | None = None) -> Iterator[str]:
    """Yield conditions as in a plan file, in words. `columns`: those with readers' names."""
    texts = columns.texts if columns is not None else Texts()
    for condition in stated:
        for key in TESTS:
            if key in condition:
                items = condition[key] if key == "in" else [condition[key]]
                name = condition["column"]
                labels = texts.labels(name)
                value = enumerate_words([_shown(item, texts, labels) for item in items], "or")
                own = texts.columns.get(name)
                called = (texts.said(own.label, language())[0] if own else "") or name
                yield said(
                    "where_equals" if key == "in" else f"where_{key}", column=visible(called, LONGEST_NAME), value=value
                )


def _shown(value: Any, texts: Texts, labels: Mapping[str, ByLanguage]) -> str:
    code = code_of(value) if isinstance(value, bool) else visible(shown_key(value))
    return visible(texts.said(labels.get(code_of(value), {}), language())[0]) or code


def at_level(name: str, levels: Mapping[str, str], columns: Schema) -> str:
    """Return a column's name, with the level at which it is told apart: in words where it is one of the calendar."""
    level = levels.get(name)
    if level is None:
        return titled(name, columns)
    declared = columns.get(name)
    dated = declared is not None and declared.type is ColumnType.DATE
    period = said(f"level_{level}") if dated and level in PERIODS else visible(level, LONGEST_NAME)
    called = columns.label(name, language())
    return said("with_unit", name=visible(called, LONGEST_NAME), unit=period)


def titled(name: str, columns: Schema, *, squared: bool = False) -> str:
    """Return the readers' name of a column, with its unit of measure."""
    short = visible(columns.label(name, language()), LONGEST_NAME)
    unit = visible(columns.unit(name, language()), LONGEST_NAME)
    if unit and squared:
        unit = said("squared", unit=unit)
    return said("with_unit", name=short, unit=unit) if unit else short
