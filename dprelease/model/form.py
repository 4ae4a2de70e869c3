"""Conversion of a cell to a value, as public contract of a column: the key `reading` of a plan.

A form is a total function of text: to the text that the grammar of docs/reading.md reads, or to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal

from dprelease.model.column_fields import ColumnType, FieldReader
from dprelease.model.date_form import DateForm, written
from dprelease.model.number_form import NumberForm
from dprelease.model.report import Report
from dprelease.model.word_form import FALSE, TRUE, Spellings, YesNoWords

KEY = "reading"
MAX_EXAMPLES = 4
Form = NumberForm | DateForm | YesNoWords | Spellings


FORMS: Mapping[ColumnType, type[Form]] = {
    ColumnType.INTEGER: NumberForm,
    ColumnType.NUMBER: NumberForm,
    ColumnType.DATE: DateForm,
    ColumnType.BOOLEAN: YesNoWords,
    ColumnType.CATEGORY: Spellings,
}
"""Class of form by type of column. Texts have none."""


def settled(form: Form, bounds: tuple[object, object], categories: tuple[str, ...], path: str, report: Report) -> Form:
    """Return the same form beside what else its column declares: the bounds of its days, or its categories."""
    lower, upper = bounds
    if isinstance(form, DateForm) and isinstance(lower, date) and isinstance(upper, date):
        return form.bounded(lower, upper, path, report)
    return form.of(categories, path, report) if isinstance(form, Spellings) else form


def again(form: Form, categories: tuple[str, ...]) -> Form:
    """Return the form for another declaration of the same column: its bounds and categories have to be set anew."""
    if isinstance(form, DateForm):
        return replace(form, window=None)
    if isinstance(form, Spellings):
        kept = {category: texts for category, texts in form.spellings.items() if category in categories}
        return replace(form, spellings=kept)
    return form


WRITTEN = (Decimal("48411.71"), date(2025, 4, 13))
"""Example values written in a form: never what a cell holds."""
SHARE, SHARES = Decimal("13.5"), frozenset("%‰")
"""The number of a form with such a unit, where it has no sign between thousands to show."""


def examples(form: Form, *, whole: bool = False) -> tuple[tuple[str, str], ...]:
    """Return example values as written in a form, each with the value read. `whole`: numbers have no decimals."""
    if isinstance(form, NumberForm):
        number = WRITTEN[0] if form.thousands or not SHARES & {*form.affixes} else SHARE
        return tuple((text, read) for text in form.written(number, whole=whole) if (read := form.canonical(text)))
    if isinstance(form, DateForm):
        day = WRITTEN[1]
        if form.century is None and form.window is None:
            form = replace(form, window=(day.year, day.year))
        else:
            day = day.replace(year=form.years[0])
        texts = (text for name in form.dates for text in written(replace(form, dates=(name,)), day))
        return tuple((text, read) for text in texts if (read := form.canonical(text)))
    if isinstance(form, YesNoWords):
        return tuple((", ".join(words) or '""', said) for words, said in ((form.yes, TRUE), (form.no, FALSE)))
    spelt = tuple((", ".join(texts), category) for category, texts in form.spellings.items())
    if form.width is not None and form.width > 1:
        spelt += (("7", "7".rjust(form.width, "0")),)
    category = next(iter(form.categories), "a")
    return spelt or ((f'"\u00a0{category}\u00a0"', category),)


def told(form: Form, *, whole: bool = False) -> str:
    """Return a form by its examples, in signs that need no translation: `48.411,71 € → 48411.71`."""
    few = examples(form, whole=whole)
    line = "; ".join(f"{text} → {read}" for text, read in few[:MAX_EXAMPLES])
    return f"{line}; …" if len(few) > MAX_EXAMPLES else line


READING = FieldReader(
    lambda value, type_, path, report: FORMS[type_].read(value, path, report), lambda form: form and form.to_mapping()
)
