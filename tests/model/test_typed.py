"""What people type for numbers and days: sixty texts, each in a settled list, alone, and in a column with a form."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dprelease.model.number_form import Negative, NumberForm
from dprelease.model.separators import settled_by
from dprelease.model.typed import Context, NotUnderstood, TwoValues, TypedValue, order_of, typed

pytestmark = pytest.mark.quick

NO = "not understood"
ALONE = Context()
LIST = Context(settled_by(","))
COLUMN = Context(
    form=NumberForm(decimal=",", thousands=(" ",), affixes=("€",), negative=tuple(Negative), exponent=False)
)
TEXTS = [
    # text, in a list with decimal commas, alone, in a column of € with decimal commas and blanks between thousands
    ("200.000", "200000", "200000 or 200", NO),
    ("1.000", "1000", "1000 or 1", NO),
    ("2,5", "2.5", "2.5", "2.5"),
    ("0,125", "0.125", "0.125", "0.125"),
    ("1.000.000", "1000000", "1000000", NO),
    ("1.234,5", "1234.5", "1234.5", NO),
    ("1,234.5", NO, "1234.5", NO),
    ("1,000,000", NO, "1000000", NO),
    ("200,000", "200", "200000 or 200", "200"),
    ("12,50", "12.5", "12.5", "12.5"),
    ("12.50", NO, "12.5", NO),
    ("1234,567", "1234.567", "1234.567", "1234.567"),
    ("1234.567", NO, "1234.567", NO),
    (".5", NO, "0.5", NO),
    (",5", "0.5", "0.5", "0.5"),
    ("5,", "5", "5", "5"),
    ("1 000", "1000", "1000", "1000"),
    ("1\u00a0000\u00a0000", "1000000", "1000000", "1000000"),
    ("1 000,25", "1000.25", "1000.25", "1000.25"),
    ("1'000", "1000", "1000", NO),
    ("1\u2019000", "1000", "1000", NO),
    ("12 34", NO, NO, NO),
    ("1.00.000", NO, NO, NO),
    ("1.23.456", NO, NO, NO),
    ("1..000", NO, NO, NO),
    ("1.000,000,0", NO, NO, NO),
    ("0", "0", "0", "0"),
    ("-0", "0", "0", "0"),
    ("7", "7", "7", "7"),
    ("007", "7", "7", "7"),
    ("+5", "5", "5", "5"),
    ("-5", "-5", "-5", "-5"),
    ("\u22125", "-5", "-5", "-5"),
    ("\u20135,5", "-5.5", "-5.5", "-5.5"),
    ("--5", NO, NO, NO),
    ("5-", NO, NO, "-5"),
    ("(5)", NO, NO, "-5"),
    ("(1 000)", NO, NO, "-1000"),
    ("-(5)", NO, NO, NO),
    ("1e3", "1000", "1000", NO),
    ("1,5e3", "1500", "1500", NO),
    ("1e400", NO, NO, NO),
    ("12 €", NO, NO, "12"),
    ("€12", NO, NO, "12"),
    ("-€12", NO, NO, "-12"),
    ("12 $", NO, NO, NO),
    ("12 kg", NO, NO, NO),
    ("5 %", NO, NO, NO),
    ("1/2", NO, NO, NO),
    ("10-19", NO, NO, NO),
    ("2 Mio.", NO, NO, NO),
    ("1k", NO, NO, NO),
    ("abc", NO, NO, NO),
    ("?", NO, NO, NO),
    ("inf", NO, NO, NO),
    ("\uff11\uff12", NO, NO, NO),
    ("\u0661", NO, NO, NO),
    (" 12\t", "12", "12", "12"),
    ("\ufeff12", "12", "12", "12"),
    ("1234567890123456", NO, NO, NO),
]


def said(text: str, context: Context = ALONE) -> str:
    found = typed(text, "number", context)
    if isinstance(found, TypedValue):
        assert found.written == text
        assert found.value == Decimal(found.text)
        return found.text
    if isinstance(found, TwoValues):
        return " or ".join(each.text for each in found.readings)
    assert isinstance(found, NotUnderstood)
    assert found.allowed
    assert found.remedy
    return NO


@pytest.mark.parametrize(("text", "listed", "alone", "declared"), TEXTS)
def test_what_a_typed_number_says(text: str, listed: str, alone: str, declared: str) -> None:
    assert (said(text, LIST), said(text), said(text, COLUMN)) == (listed, alone, declared)


def test_there_are_sixty_of_them() -> None:
    assert len({text for text, *_ in TEXTS}) == 60


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-29", "2024-02-29"),
        ("2024/2/9", "2024-02-09"),
        ("31.12.2024", "2024-12-31"),
        ("1. 2. 2024", "2024-02-01"),
        ("31/12/2024", "2024-12-31"),
        ("12/31/2024", "2024-12-31"),
        ("05/05/2024", "2024-05-05"),
        ("01/02/2024", "2024-02-01 or 2024-01-02"),
        ("2023-02-29", NO),
        ("31/02/2024", NO),
        ("13/13/2024", NO),
        ("0000-01-01", NO),
        ("20240101", NO),
        ("12/31/24", NO),
        ("yesterday", NO),
    ],
)
def test_what_a_typed_day_says(text: str, day: str) -> None:
    found = typed(text, "date")
    shown = found.text if isinstance(found, TypedValue) else NO
    assert (" or ".join(each.text for each in found.readings) if isinstance(found, TwoValues) else shown) == day


def test_days_of_a_list_say_together_which_comes_first() -> None:
    assert order_of(["01/02/2024", "31/12/2024"]) == "day"
    assert order_of(["01/02/2024", "12/31/2024"]) == "month"
    assert order_of(["31/12/2024", "12/31/2024"]) is None
    assert order_of(["01.02.2024", "31.12.2024"]) is None, "dots say nothing of slashes"
