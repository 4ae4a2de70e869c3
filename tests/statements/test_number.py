"""One statement a number: the claim of each sentence is evaluated on the numbers by other code than wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from math import ceil, floor, inf
from typing import Any

import pytest

from dprelease.model.grade import Grade, Scale, grade
from dprelease.model.presentation import Presentation, Quantity, Trait, ValueKind, shown
from dprelease.model.schema import Schema
from dprelease.model.stated import Grades
from dprelease.statements.number import said, sentence, share, tail
from dprelease.statements.phrases import record
from dprelease.statements.question import StatisticLabel
from dprelease.statistics import Plan
from dprelease.words.language import LANGUAGES, speaking
from tests.model.plans import example

pytestmark = pytest.mark.quick

THIN, MINUS = "\u202f", "\u2212"
TEXTS = {
    "languages": ["en", "es"],
    "record": {
        "one": {"en": "visit", "es": "visita"},
        "many": {"en": "visits", "es": "visitas"},
        "gender": {"es": "f"},
    },
    "columns": {"income": {"unit": {"en": "€", "es": "€"}}},
}
KINDS: dict[str, tuple[dict[str, Any], Presentation]] = {
    "count": ({"kind": "count"}, shown(Quantity.RECORDS, Trait.ADDITIVE, Trait.NEVER_NEGATIVE)),
    "sum": ({"kind": "sum", "column": "income"}, shown(Quantity.COLUMN, Trait.ADDITIVE, Trait.NEVER_NEGATIVE)),
    "mean": ({"kind": "mean", "column": "income"}, shown(Quantity.COLUMN)),
    "share": ({"kind": "proportion", "where": [{"column": "sex", "equals": "F"}]}, shown(Quantity.SHARE)),
    "covariance": ({"kind": "covariance", "columns": ["age", "income"]}, shown(Quantity.PRODUCT)),
}
NUMBERS = {
    "count": [-900, -3, 0, 7, 130, 4_213, 1_234_567],
    "sum": [-90_000.5, 0.0, 81.25, 5_300_000.0],
    "mean": [-40.0, 0.0, 812.5, 31_415.9, 199_999.0, 210_000.0],
    "share": [-0.02, 0.0, 0.0004, 0.07, 0.58, 0.999, 1.03],
    "covariance": [-2_000.5, 0.0, 31.4],
}
HALVES = {
    "count": [1, 40, 900],
    "sum": [0.5, 90_000.0],
    "mean": [0.25, 120.0, 260_000.0],
    "share": [0.001, 0.03, 0.4, 1.2],
    "covariance": [0.5, 9_000.0],
}


def question(kind: str) -> tuple[StatisticLabel, Schema]:
    plan = Plan.parse(example(texts=TEXTS))
    schema, (asked, presentation) = plan.schema.called(plan.texts), KINDS[kind]
    return StatisticLabel.asked({"id": "x", **asked}, presentation, schema, "person"), schema


def cases() -> Iterator[tuple[str, Any, Any, Any]]:
    for kind in KINDS:
        for value, below, above in product(NUMBERS[kind], HALVES[kind], HALVES[kind]):
            yield kind, value, value - below, value + above


def numbers_in(text: str) -> list[Decimal]:
    """The numbers of a text, whichever language wrote them."""
    plain = text.replace(THIN, "").replace(MINUS, "-")
    return [Decimal(each.replace(",", ".")) for each in re.findall(r"-?[0-9]+(?:[.,][0-9]+)?", plain)]


def limits_of(kind: str) -> tuple[float, float]:
    """What each of these kinds can be, written down again."""
    return {"count": (0, inf), "sum": (0, inf), "mean": (0, 200_000), "share": (0, 1)}.get(kind, (-inf, inf))


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sentence_claims_what_the_numbers_bear_and_nothing_that_cannot_be(code: str) -> None:
    """Of each kind, sign and width: every figure of the sentence is a rounding outward of what the interval says."""
    seen = set()
    with speaking(code):
        for kind, value, lower, upper in cases():
            asked, schema = question_of(kind)
            low, high = limits_of(kind)
            scale = Scale(
                feasible=(low, high), is_share=kind == "share", step=1.0 if kind in ("count", "sum") else None
            )
            letter = grade(value, lower, upper, scale, Grades(caution=0.333, unreliable=0.667))
            text = sentence(asked, record(schema.texts), "X", value, lower, upper, letter)
            seen.add((kind, letter))
            told, times = numbers_in(text), 100 if kind == "share" else 1
            assert re.fullmatch(r"X: [^{}]*\.", text)
            ends = [min(max(end, low), high) for end in (lower, upper)]
            if letter is Grade.NONE:
                most = Decimal(repr(max(upper, value - lower, upper - value)))
                assert len(told) == 1, text
                assert most <= told[0] <= most * 2 + 1, text
            elif lower <= low and upper >= high:
                assert (letter, told) == (Grade.UNRELIABLE, []), text
            else:
                assert len(told) == (2 if letter is Grade.UNRELIABLE else 3), text
                first, last = (Decimal(repr(end)) * times for end in ends)
                assert low * times <= told[-2] <= first, text
                assert last <= told[-1] <= high * times, text
                slack = (ends[1] - ends[0]) * times / 2 + (0.2 if kind == "share" else 2)
                assert max(float(first - told[-2]), float(told[-1] - last)) <= slack, text
                assert letter is Grade.UNRELIABLE or told[-2] <= told[0] <= told[-1], text
    assert {letter for _, letter in seen} == set("ACUN")


QUESTIONS: dict[str, tuple[StatisticLabel, Schema]] = {}


def question_of(kind: str) -> tuple[StatisticLabel, Schema]:
    if kind not in QUESTIONS:
        QUESTIONS[kind] = question(kind)
    return QUESTIONS[kind]


@pytest.mark.parametrize(
    ("kind", "numbers", "letter", "english", "spanish"),
    [
        ("count", (7370, 7220, 7520), "A", "X: 7 370 visits (7 220 to 7 520).", "X: 7 370 visitas (de 7 220 a 7 520)."),
        (
            "count",
            (120, 60, 180),
            "C",
            "X: about 120 visits (60 to 180; use with caution).",
            "X: alrededor de 120 visitas (de 60 a 180; con cautela).",
        ),
        (
            "mean",
            (10_000, -20_000, 20_000),
            "U",
            "X: no number to quote; between 0 and 20 000 €.",
            "X: ninguna cifra que citar; entre 0 y 20 000 €.",
        ),
        ("mean", (9, -1, 300_000), "U", "X: nothing can be said.", "X: no se puede decir nada."),
        ("count", (-120, -300, 60), "N", "X: none to 180 visits.", "X: entre ninguna y 180 visitas."),
        ("sum", (-120, -300, 60), "N", "X: none to 180 €.", "X: entre nada y 180 €."),
        ("share", (0.412, 0.38, 0.4401), "A", "X: 41 % (38 to 45 %).", "X: 41 % (de 38 a 45 %)."),
        ("count", (None, None, None), "O", "X: no value is published.", "X: no se publica ningún valor."),
    ],
)
def test_the_sentence_of_each_grade(kind: str, numbers: Any, letter: str, english: str, spanish: str) -> None:
    for code, expected in (("en", english), ("es", spanish)):
        with speaking(code):
            asked, schema = question(kind)
            text = sentence(asked, record(schema.texts), "X", *numbers, Grade(letter))
            assert text.replace(THIN, " ") == expected


def test_the_cells_of_a_table_say_the_same() -> None:
    count, share_ = question_of("count")[0], question_of("share")[0]
    with speaking("en"):
        assert said(count, -120, -300, 60, grade=Grade.NONE) == ("none – 180", "", "")
        assert said(share_, 0.9994, 0.99, 1.02, grade=Grade.CAUTION) == (
            f"99.9{THIN}% (c)",
            f"99.0{THIN}%",
            f"100.0{THIN}%",
        )
        assert said(share_, 0.5, -0.2, 1.2, grade=Grade.UNRELIABLE) == ("–", "", "")
        assert said(count, -3, -9, 3)[0] == f"{MINUS}3", "a number that is not published is shown as it is"


def test_the_share_of_a_count_is_as_unsure_as_the_count() -> None:
    with speaking("en"):
        assert share(0.0, 0.0, 0.007, grade=Grade.NONE) == (f"none – 0.7{THIN}%", "", "")
        assert share(0.1, -0.05, 0.3, grade=Grade.UNRELIABLE) == ("–", "", "")
        assert share(0.58, 0.55, 0.61, grade=Grade.RELIABLE) == (f"58{THIN}%", f"55{THIN}%", f"61{THIN}%")
        assert share(None, None, None, grade=Grade.RELIABLE) == ("", "", "")


def test_the_tail_says_of_a_sample_that_it_is_one() -> None:
    with speaking("en"):
        assert tail(is_sample=False) == "With 95 % confidence; noise was added on purpose."
        assert "sampling" in tail(is_sample=True)


def test_no_end_is_rounded_beyond_what_can_be() -> None:
    """Bounds that are no multiple of a step: the limit itself is shown."""
    asked, _ = question_of("mean")
    with speaking("en"):
        _, lower, upper = said(asked, 150_000, 90_000, 199_999, grade=Grade.CAUTION)
        assert [lower, upper] == [f"90{THIN}000", f"200{THIN}000"]
        assert floor(90_000 / 10_000) == ceil(90_000 / 10_000)


def test_one_record_is_one_and_a_category_counts_none() -> None:
    asked, schema = question_of("count")
    top = StatisticLabel.asked(
        {"id": "x", "kind": "mode", "column": "sex"}, shown(Quantity.RECORDS, values=ValueKind.NAMED), schema, "person"
    )
    with speaking("en"):
        word = record(schema.texts)
        assert sentence(asked, word, "X", 0, -1, 1, Grade.NONE) == "X: none to 1 visit."
        assert sentence(asked, word, "X", 1, 1, 1, Grade.RELIABLE) == "X: 1 visit (1 to 1)."
        assert sentence(top, word, "X", "F", None, None, Grade.RELIABLE) == "X: F."
        unsure = sentence(top, word, "X", "F", None, None, Grade.UNRELIABLE)
        assert unsure == "X: F, without an interval; no number to quote."
