"""The JSON Schema of a plan file, for editors and for programs that write plans; `plan.schema.json` holds it.

It tells the shape of a plan: keys, types and ranges. Whatever the parser accepts is valid. What shows only beside
another value (a bound off its lattice, a column nobody declared, a repeated id, shares that exceed ε) or takes
arithmetic (a number of more than 15 digits, or below 1e-30) is for the parser alone.

After a change, `UPDATE_SCHEMA=1 pytest tests/model/test_json_schema.py` writes the file anew.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from itertools import combinations

import msgspec

from dprelease.model import column_fields as of
from dprelease.model.about import (
    ADDRESS,
    IDENTIFIER,
    LONGEST_EDITION,
    LONGEST_USE,
    MAIL,
    MAX_TOPICS,
    PERIOD,
    SECTORS,
    SERIES,
)
from dprelease.model.column import COLUMN_OPTIONS, ColumnType
from dprelease.model.condition import MAX_CONDITIONS
from dprelease.model.criterion import MAX_CRITERIA, MAX_RANKS, Requirement
from dprelease.model.date_form import FIRST, LAST, LAST_CENTURY, MAX_FORMS, READY, WRITTEN
from dprelease.model.derived import MAX_DERIVED, MAX_LAG, MAX_TIMES, MIN_TIMES
from dprelease.model.encoding import pretty
from dprelease.model.form import FORMS, READING
from dprelease.model.level import MAX_EDGES, MAX_GROUPS, MAX_LEVELS, NAME, WAYS
from dprelease.model.made import FUNCTIONS, MADE
from dprelease.model.made.days import PARTS
from dprelease.model.made.function import MAX_INPUTS
from dprelease.model.made.groups import LONGEST_PREFIX
from dprelease.model.missing import CODES, MAX_CODES, End
from dprelease.model.number_form import LONGEST_AFFIX, MAX_AFFIXES, Negative
from dprelease.model.plan import MAX_DESCRIPTION as PLAN_DESCRIPTION
from dprelease.model.plan import MAX_EXPECTED, MAX_STATISTICS, STEPS, VERSION, WEIGHTS
from dprelease.model.privacy import MAX_DELTA, MAX_EPSILON, MAX_ROWS, NeighboringRelation
from dprelease.model.public import MAX_BYTES, MAX_KEYS, MAX_TABLES
from dprelease.model.randomized import METHODS
from dprelease.model.reading import DELIMITERS, ENCODINGS, MAX_HEADER, Format
from dprelease.model.recurring import ALL, EVERY, MOST_PERIODS
from dprelease.model.report import DAY, MAX_NUMBER
from dprelease.model.row_rules import LONGEST_WORD as LONGEST_ROW_WORD
from dprelease.model.row_rules import MAX_NOTE
from dprelease.model.row_rules import MAX_WORDS as MAX_ROW_WORDS
from dprelease.model.schema import MAX_COLUMNS
from dprelease.model.separators import APOSTROPHES, MARKS, SPACES
from dprelease.model.statistic import ID, SHARE_KEYS, Statistic
from dprelease.model.texts import (
    GENDERS,
    LANGUAGE,
    LONGEST_LABEL,
    LONGEST_NOTE,
    MAX_LABELLED_CODES,
    MAX_LANGUAGES,
    MAX_LISTS,
)
from dprelease.model.texts import (
    LONGEST_WORD as LONGEST_RECORD,
)
from dprelease.model.word_form import LONGEST_WORD, MAX_SPELLINGS, MAX_WORDS, WIDEST
from tests.model.option_shapes import Shape, condition_shape, number_shape, shape_of, text_shape, whole_shape

NULL: Shape = {"type": "null"}


def written(schema: Shape) -> bytes:
    """A schema as its file holds it: a line a key, with one blank a level."""
    return msgspec.json.format(pretty(schema), indent=1) + b"\n"


def plan_schema(kinds: Mapping[str, type[Statistic]]) -> Shape:
    """The JSON Schema (draft 2020-12) of a plan file whose statistics are of the given kinds.

    An optional key may be null, which counts as left out.
    """
    required = {
        "dprelease": {"const": VERSION},
        "dataset": text_shape(shortest=1),
        "privacy": _privacy(),
        "statistics": _list({"oneOf": [_statistic(cls) for cls in kinds.values()]}, longest=MAX_STATISTICS),
    }
    optional = {
        "title": text_shape(),
        "description": text_shape(longest=PLAN_DESCRIPTION),
        "about": _about(),
        "run": _run(),
        "expected": _mapping({"rows": whole_shape(1, MAX_EXPECTED)}, {"units": whole_shape(1, MAX_EXPECTED)}),
        "columns": {
            "type": "object",
            "minProperties": 1,
            "maxProperties": MAX_COLUMNS,
            "propertyNames": text_shape(shortest=1),
            "additionalProperties": {"oneOf": [*map(_column, ColumnType), _made_column()]},
        },
        "missing_codes": _codes(),
        "texts": _texts(),
        "where": _list(condition_shape(), longest=MAX_CONDITIONS),
        "weights": {"type": "string", "enum": ["auto", *WEIGHTS]},
        "postprocess": _list({"type": "string", "enum": list(STEPS)}, longest=len(STEPS)),
        "charts": {"type": "boolean"},
        "lead": text_shape(shortest=1),
        "public": _public(),
        "derived": _list(_derived(), longest=MAX_DERIVED),
        "accept": _list({"oneOf": [_criterion(each) for each in Requirement]}, longest=MAX_CRITERIA),
    }
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "dprelease plan, version 1"}
    return head | _mapping(required, optional)


def _run() -> Shape:
    """A period may be written as a number where it is a year, or as a day."""
    named = {"anyOf": [text_shape(shortest=4), {"type": "integer"}]}
    most = {"anyOf": [whole_shape(1, MOST_PERIODS), {"const": ALL}]}
    required = {"column": text_shape(shortest=1), "every": {"enum": list(EVERY)}, "first": named, "last": named}
    return _mapping({**required, "at_most": most}, {"period": named})


def dataset_schema() -> Shape:
    """The JSON Schema of the file of a dataset: its layout, and columns as in a plan or their readings alone."""
    words = {"type": "array", "items": text_shape(longest=LONGEST_ROW_WORD, shortest=1), "maxItems": MAX_ROW_WORDS}
    rules = {"empty": {"type": "boolean"}, "note": whole_shape(0, MAX_NOTE), "words": words}
    shapes = {
        "format": {"enum": [each.value for each in Format]},
        "delimiter": {"enum": list(DELIMITERS)},
        "encoding": {"enum": list(ENCODINGS)},
        "header": whole_shape(0, MAX_HEADER),
        "sheet": text_shape(),
        "labels": {"type": "boolean"},
        "names": {"type": "array", "items": text_shape()},
        "units": {"type": "boolean"},
        "skip": {"type": "object", "properties": rules, "additionalProperties": False},
    }
    readings = [_mapping({"reading": _reading(type_)}, {}) for type_ in FORMS]
    layout = {"type": "object", "properties": shapes, "additionalProperties": False}
    columns = {
        "type": "object",
        "maxProperties": MAX_COLUMNS,
        "propertyNames": text_shape(shortest=1),
        "additionalProperties": {"anyOf": [*(_column(type_) for type_ in ColumnType), *readings]},
    }
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "dprelease dataset, version 1"}
    return head | _mapping({}, {"layout": layout, "columns": columns})


def _public() -> Shape:
    """That the content has the columns, the parser sees."""
    named = {"propertyNames": text_shape(shortest=1), "minProperties": 1, "maxProperties": MAX_KEYS}
    keys = {"type": "object", "additionalProperties": text_shape(shortest=1), **named}
    each = _list(text_shape(shortest=1), longest=MAX_KEYS)
    required = {"keys": {"oneOf": [keys, each]}, "value": text_shape(shortest=1), "source": text_shape(shortest=1)}
    content = text_shape(longest=MAX_BYTES, shortest=1)
    table = _mapping({**required, "content": content}, {"licence": text_shape(shortest=1)})
    return _by_name(table, MAX_TABLES) | {"minProperties": 1, "propertyNames": {"pattern": f"^(?:{ID.pattern})$"}}


def _derived() -> Shape:
    times = number_shape(minimum=float(MIN_TIMES), maximum=float(MAX_TIMES))
    name = text_shape(shortest=1)
    standard = _mapping({"over": name, "weights": name}, {})
    own = {"id": {"type": "string", "pattern": f"^(?:{ID.pattern})$"}, "of": name}
    rate = _mapping({**own, "per": name}, {"times": times, "standardise": standard})
    index = _mapping({**own, "over": name, "base": {"anyOf": [name, {"type": "integer"}]}}, {})
    return {"anyOf": [rate, index, _mapping({**own, "over": name, "lag": whole_shape(1, MAX_LAG)}, {})]}


def _texts() -> Shape:
    """Which languages there are shows beside `languages` only."""
    label, note = _by_name(_words(LONGEST_LABEL), MAX_LANGUAGES), _by_name(_words(LONGEST_NOTE), MAX_LANGUAGES)
    codes = _by_name(label, MAX_LABELLED_CODES) | {"minProperties": 1}
    word = _by_name(_words(LONGEST_RECORD), MAX_LANGUAGES)
    predicate = _by_name(word, MAX_LABELLED_CODES) | {"minProperties": 1}
    words = {"label": label, "unit": label, "note": note, "codelist": text_shape(), "predicate": predicate}
    column = _mapping({}, words)
    gender = _by_name({"type": "string", "enum": list(GENDERS)}, MAX_LANGUAGES)
    record = _mapping({"one": word, "many": word}, {"gender": gender})
    lists = _mapping({"codes": codes}, {"source": text_shape(), "version": text_shape()})
    parts = {"columns": column, "statistics": _mapping({}, {"title": label, "note": note}), "codelists": lists}
    languages = _list({"type": "string", "pattern": f"^(?:{LANGUAGE.pattern})$"}, longest=MAX_LANGUAGES)
    named = {name: _by_name(each, MAX_LISTS) for name, each in parts.items()}
    return _mapping({"languages": languages}, {"title": label, "record": record, **named})


def _words(longest: int) -> Shape:
    return text_shape(longest=longest, shortest=1)


def _by_name(shape: Shape, most: int) -> Shape:
    return {"type": "object", "maxProperties": most, "additionalProperties": shape}


def _about() -> Shape:
    texts = {key: text_shape() for key in ("publisher", "region")}
    allowed = {"contact": (ADDRESS, MAIL), "licence": (ADDRESS, IDENTIFIER)}
    for key, patterns in (allowed | {"series": (SERIES,), "reference_period": (PERIOD,)}).items():
        texts[key] = text_shape() | {"pattern": f"^(?:{'|'.join(pattern.pattern for pattern in patterns)}|)$"}
    texts |= {"use": text_shape(longest=LONGEST_USE), "edition": text_shape(longest=LONGEST_EDITION)}
    others: dict[str, Shape] = {"sector": {"type": "string", "enum": list(SECTORS)}}
    others["reference"] = _mapping({"column": text_shape(shortest=1)}, {})
    return _mapping({}, {**texts, **others, "topics": _list(text_shape(longest=60, shortest=1), longest=MAX_TOPICS)})


def _criterion(requirement: Requirement) -> Shape:
    limit = {
        Requirement.ERROR: number_shape(exclusiveMinimum=0, maximum=MAX_NUMBER),
        Requirement.RELATIVE_ERROR: number_shape(exclusiveMinimum=0, exclusiveMaximum=1),
        Requirement.RANKING: whole_shape(1, MAX_RANKS),
    }[requirement]
    others = {other.value: NULL for other in Requirement if other is not requirement}
    return _mapping({"statistic": text_shape(shortest=1), requirement.value: limit}, others)


def _privacy() -> Shape:
    unit = _mapping(
        {"column": text_shape(shortest=1), "max_rows": whole_shape(1, MAX_ROWS)},
        {"max_groups": whole_shape(1, MAX_ROWS), CODES: {**_codes(), "items": _code()}},
    )
    return _mapping(
        {
            "unit": {"oneOf": [{"const": "row"}, unit]},
            "neighbors": {"enum": [relation.value for relation in NeighboringRelation]},
            "epsilon": _epsilon(),
        },
        {
            "delta": number_shape(minimum=0, maximum=float(MAX_DELTA)),
        },
    )


def _epsilon() -> Shape:
    return number_shape(exclusiveMinimum=0, maximum=MAX_EPSILON)


def _column(type_: ColumnType) -> Shape:
    """A declaration of one type. Keys that the type does not have may only be null (or false)."""
    required: Shape = {"type": {"const": type_.value}}
    optional: Shape = {}
    for name, option in COLUMN_OPTIONS.items():
        if not option.key:
            shapes = required if option.required and type_ in option.types else optional
            absent = {"const": False} if option.default is False else NULL
            if option.reader is MADE:
                optional[name] = NULL
                continue
            shapes[name] = _property(option.reader, type_) if type_ in option.types else absent
        if type_ in option.idle:
            optional[name] = {"const": 1}
    return _mapping(required, optional)


def _property(reader: of.FieldReader, type_: ColumnType) -> Shape:
    """What the reader of a property accepts on a column of a type."""
    scalar = text_shape() | {"type": ["string", "number", "boolean"]}
    end = {"type": "string", "enum": [end.value for end in End]}
    if reader.longest:
        return text_shape(longest=reader.longest)
    return {
        of.FLAG: {"type": "boolean"},
        of.BOUND: _bound(type_),
        of.STEP: whole_shape(1, MAX_NUMBER)
        if type_ is ColumnType.INTEGER
        else number_shape(exclusiveMinimum=0, maximum=MAX_NUMBER),
        of.CATEGORIES: {"anyOf": [{"const": of.DISCOVER}, _list(scalar, longest=of.MAX_CATEGORIES)]},
        of.MISSING: _codes(),
        of.OUTSIDE: {"anyOf": [end, _mapping({}, {"below": end, "above": end})]},
        of.DECLARED: scalar,
        of.ANSWERS: _mapping({"method": {"enum": list(METHODS)}, "epsilon": _epsilon()}, {}),
        READING: _reading(type_),
        of.LEVELS: _levels(_bands() if type_ is ColumnType.INTEGER else _groups()),
    }[reader]


def _made_column() -> Shape:
    """A column made of others, of whatever type follows from them."""
    coded = [type_ for type_ in ColumnType if type_ is not ColumnType.TEXT]
    types = {
        name: [_property(option.reader, each) for each in coded if each in option.types]
        for name, option in COLUMN_OPTIONS.items()
        if not option.key and option.reader is not MADE
    }
    optional = {
        name: shapes[0] if len({*map(str, shapes)}) == 1 else {"anyOf": shapes} for name, shapes in types.items()
    }
    return _mapping({"made": _made()}, {"type": {"type": "string", "enum": [each.value for each in coded]}, **optional})


def _made() -> Shape:
    """That columns are there, of types that fit, the parser sees."""
    name = text_shape(shortest=1)
    numbers = number_shape(minimum=-MAX_NUMBER, maximum=MAX_NUMBER)
    days = {"type": "string", "format": "date", "pattern": f"^{DAY}$"}
    label = text_shape() | {"type": ["string", "number", "boolean"]}
    labels = _list(label, longest=of.MAX_CATEGORIES)
    pair = {"type": "array", "items": name, "minItems": 2, "maxItems": 2}
    several = {"type": "array", "items": name, "minItems": 2, "maxItems": MAX_INPUTS}
    weights = {"type": "object", "additionalProperties": numbers, "minProperties": 1, "maxProperties": MAX_INPUTS}
    sums = _mapping({"of": {"anyOf": [weights, several]}}, {"plus": numbers, "ignore_missing": {"type": "boolean"}})
    points = _list({"anyOf": [numbers, days]}, longest=of.MAX_CATEGORIES)
    to = {"type": "object", "propertyNames": name, "additionalProperties": labels, "minProperties": 1}
    times = number_shape(exclusiveMinimum=0, maximum=MAX_NUMBER)
    shapes = {
        **dict.fromkeys(("days_between", "months_between", "years_between", "difference", "product"), pair),
        **dict.fromkeys(("least", "greatest", "coalesce"), several),
        "age": _mapping({"born": name, "on": name}, {}),
        "sum": {"anyOf": [several, sums]},
        "ratio": _mapping({"of": name, "to": name}, {"times": times}),
        "cut": _mapping({"of": name, "at": points, "labels": labels}, {}),
        "recode": _mapping({"of": name, "to": to}, {"else": text_shape()}),
        "part": _mapping({"of": name, "is": {"type": "string", "enum": list(PARTS)}}, {}),
        "prefix": _mapping({"of": name, "length": whole_shape(1, LONGEST_PREFIX)}, {}),
        "holds": _list(condition_shape(), longest=MAX_CONDITIONS),
        "known": name,
    }
    return {"oneOf": [_mapping({key: shapes[key]}, {}) for key in FUNCTIONS]}


def _reading(type_: ColumnType) -> Shape:
    """That a list holds a text once, a day has all its parts, and no text means two values, the parser sees."""
    word = text_shape(longest=LONGEST_WORD)
    if type_ is ColumnType.BOOLEAN:
        return _mapping({key: _some(word, MAX_WORDS, fewest=1) for key in ("yes", "no")}, {})
    if type_ is ColumnType.CATEGORY:
        spellings = {"type": "object", "additionalProperties": _some(word, MAX_SPELLINGS, fewest=1)}
        return _mapping({}, {"spellings": spellings, "width": whole_shape(1, WIDEST)})
    if type_ is ColumnType.DATE:
        months = {"anyOf": [text_shape(), {"type": "array", "items": text_shape()}]}
        periods, years = {"enum": [FIRST, LAST], "type": "string"}, whole_shape(1, LAST_CENTURY)
        forms = _list(
            {"anyOf": [{"enum": list(READY)}, {"type": "string", "pattern": f"^(?:{WRITTEN.pattern})$"}]},
            longest=MAX_FORMS,
        )
        return _mapping(
            {"dates": forms}, {"months": months, "of_period": periods, "century": years, "time": {"const": "any"}}
        )
    signs = {"type": "string", "enum": [*MARKS, *SPACES, *APOSTROPHES]}
    ways = {"type": "string", "enum": [way.value for way in Negative]}
    unit = text_shape(longest=LONGEST_AFFIX, shortest=1)
    return _mapping(
        {},
        {
            "decimal": {"type": "string", "enum": list(MARKS)},
            "thousands": _some(signs, MAX_AFFIXES),
            "affixes": _some(unit, MAX_AFFIXES),
            "negative": {"anyOf": [ways, {"type": "array", "items": ways}]},
            "exponent": {"type": "boolean"},
            "lakh": {"type": "boolean"},
        },
    )


def _some(item: Shape, most: int, *, fewest: int = 0) -> Shape:
    """One, or a list of them."""
    return {"anyOf": [item, {"type": "array", "items": item, "minItems": fewest, "maxItems": most}]}


def _bound(type_: ColumnType) -> Shape:
    if type_ is ColumnType.DATE:
        return {"type": "string", "format": "date", "pattern": f"^{DAY}$"}
    if type_ is ColumnType.INTEGER:
        return whole_shape(-MAX_NUMBER, MAX_NUMBER)
    return number_shape(minimum=-MAX_NUMBER, maximum=MAX_NUMBER)


def _levels(shape: Shape) -> Shape:
    names = {"type": "string", "pattern": f"^{NAME.pattern}$"}
    return {
        "type": "object",
        "propertyNames": names,
        "additionalProperties": shape,
        "minProperties": 1,
        "maxProperties": MAX_LEVELS,
    }


def _groups() -> Shape:
    text = text_shape() | {"type": ["string", "integer"]}
    return {
        "type": "object",
        "propertyNames": text_shape(shortest=1),
        "additionalProperties": _list(text, longest=MAX_GROUPS),
        "minProperties": 1,
        "maxProperties": MAX_GROUPS,
    }


def _bands() -> Shape:
    width, edge = whole_shape(1, MAX_NUMBER), whole_shape(-MAX_NUMBER, MAX_NUMBER)
    bands = _mapping({}, {"width": width, "edges": _list(edge, longest=MAX_EDGES)})
    return bands | {"anyOf": [_given([way]) for way in WAYS]}


def _codes() -> Shape:
    """What `read_codes` accepts: an empty list too."""
    end = {"anyOf": [number_shape(minimum=-MAX_NUMBER, maximum=MAX_NUMBER), {"type": "string", "pattern": f"^{DAY}$"}]}
    ends = _mapping({}, {"from": end, "to": end})
    given = [{"required": [key], "properties": {key: {"not": NULL}}} for key in ("from", "to")]
    return {"type": "array", "items": {"anyOf": [_code(), {**ends, "anyOf": given}]}, "maxItems": MAX_CODES}


def _code() -> Shape:
    return text_shape() | {"type": ["string", "number", "boolean"], "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER}


def _statistic(cls: type[Statistic]) -> Shape:
    shapes = {key: shape_of(reader) for key, reader in cls.options().items()}
    required = {key: shapes.pop(key) for key in cls.required()}
    shape = _mapping(
        {"id": {"type": "string", "pattern": f"^{ID.pattern}$"}, "kind": {"const": cls.kind}, **required},
        {
            "weight": number_shape(minimum=0.000001, maximum=1_000_000),
            "epsilon": _epsilon(),
            "target_error": _mapping(
                {"value": number_shape(exclusiveMinimum=0)}, {"confidence": number_shape(minimum=0.5, maximum=0.999)}
            ),
            **shapes,
        },
    )
    summary = " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())
    return (
        {"title": cls.kind, "description": summary}
        | shape
        | {"allOf": [{"not": _given(pair)} for pair in combinations(SHARE_KEYS, 2)]}
    )


def _mapping(required: Shape, optional: Shape) -> Shape:
    return {
        "type": "object",
        "properties": required | {key: _or_null(shape) for key, shape in optional.items()},
        "required": list(required),
        "additionalProperties": False,
    }


def _list(items: Shape, *, longest: int) -> Shape:
    return {"type": "array", "items": items, "minItems": 1, "maxItems": longest}


def _given(keys: Iterable[str]) -> Shape:
    """All of these keys are there, with a value."""
    names = list(keys)
    return {"required": names, "properties": {name: {"not": NULL} for name in names}}


def _or_null(shape: Shape) -> Shape:
    if "type" not in shape and "anyOf" in shape:
        return {**shape, "anyOf": [*shape["anyOf"], NULL]}
    if "enum" in shape and None not in shape["enum"]:
        shape = {**shape, "enum": [*shape["enum"], None]}
    if "const" in shape:
        return {"enum": [shape["const"], None]}
    types = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
    return {**shape, "type": [*types, *(["null"] if "null" not in types else [])]}
