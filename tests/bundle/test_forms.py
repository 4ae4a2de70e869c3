"""The charts and tables of kinds that have a form of their own, drawn from tables built by hand."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.charts.cells import TableText
from dprelease.model.release import Axis, Cell, Estimates, Release
from dprelease.statements.question import StatisticLabel
from tests.bundle.releases import REGION, SEX, listed, make_release, table
from tests.bundle.test_charts import INK, NOISY, SVG, drawn, intervals, marks, single, texts

FIVE = listed("probability", 0.05, 0.25, 0.5, 0.75, 0.95)
BOXES = {"kind": "five_numbers", "column": "income"}
TOP = {"kind": "top", "column": "region"}
THRESHOLD = {"kind": "threshold", "threshold": 500, "questions": []}
COLUMNS: dict[str, Any] = {
    "income": {"type": "number", "lower": 0, "upper": 200000, "resolution": 1, "unit": "EUR"},
    "age": {"type": "integer", "lower": 0, "upper": 99, "unit": "years"},
    "doctor": {"type": "category", "categories": "discover"},
}


def ranked(values: list[Cell], counts: list[Cell] | None) -> Estimates:
    nothing: list[Cell] = [None] * len(values)
    extra = {}
    if counts is not None:
        ends = [[None if count is None else count + sign * 30 for count in counts] for sign in (-1, 1)]  # type: ignore[operator]
        extra = {"count": counts, "count_lower95": ends[0], "count_upper95": ends[1]}
    axis = listed("rank", *range(1, len(values) + 1))
    return Estimates(axes=(axis,), value=values, lower95=nothing, upper95=nothing, extra=extra)


def reading(release: Release) -> TableText:
    return TableText.of(release, "x", 200)


def body(release: Release) -> list[list[str]]:
    return [[cell.replace("\u202f", " ") for cell in row] for row in reading(release).body()]


def test_a_distribution_is_a_step_line_from_its_lower_bound_in_its_band() -> None:
    axis = Axis(("age_up_to",), ((49,), (99,)))
    shares = Estimates(
        axes=(axis,), value=[0.4, 1.0], lower95=[0.3, 0.9], upper95=[0.5, 1.0], extra={"raw": [0.4, 1.0]}
    )
    release = make_release([({"id": "x", "kind": "cdf", "column": "age", "bins": 2}, shares)], columns=COLUMNS)
    root = drawn(release)
    lines = [element for element in root.iter(f"{SVG}path") if element.attrib.get("stroke") == NOISY]
    assert len(lines) == marks(root) == 1
    assert lines[0].attrib["d"].count("L") == 4, "right and up, twice"
    assert "Band: 95 % interval, noise only" in texts(root)
    assert reading(release).heads()[-1] == "Noisy value before post-processing", "the last share is 1 by definition"


@pytest.mark.parametrize(("axes", "groups"), [((FIVE,), 1), ((REGION, FIVE), 5), ((REGION, SEX, FIVE), 10)])
def test_five_numbers_are_one_box_a_group(axes: tuple[Axis, ...], groups: int) -> None:
    values: list[Cell] = [10, 20, 30, 40, 50] * groups
    root = drawn(single({**BOXES, "by": ["region", "sex"][: len(axes) - 1]}, table(axes, values, 0.5)))
    assert marks(root) == groups
    assert sum(element.attrib.get("stroke") == INK for element in root.iter(f"{SVG}line")) == groups
    assert any("from 5 % to 95 % of the records" in text for text in texts(root))
    if groups == 1:
        assert {"10", "20", "30", "40", "50"} <= set(texts(root))


def test_a_box_of_which_a_range_is_unknown_is_hollow_and_one_of_none_is_not_drawn() -> None:
    values: list[Cell] = [1000, 2000, 3000, 4000, 5000] * 5
    known = table((REGION, FIVE), values, 20)
    part = Estimates(
        axes=known.axes,
        value=values,
        lower95=[*known.lower95[:22], None, None, None],
        upper95=[*known.upper95[:22], None, None, None],
    )
    for estimates, filled in ((known, 5), (part, 4), (table((REGION, FIVE), values, None), 0)):
        root = drawn(single({**BOXES, "by": ["region"]}, estimates))
        boxes = [element for element in root.iter(f"{SVG}path") if element.attrib.get("stroke") == NOISY]
        assert sum(box.attrib["fill"] == NOISY for box in boxes) == filled
        assert any(text.startswith("None of these 25 numbers can be quoted") for text in texts(root)) == (filled == 0)


def test_top_values_with_counts_are_bars_in_order_with_intervals() -> None:
    release = single(TOP, ranked(["west", "north", "2025-01-01"], [900, 700, 100]))
    root = drawn(release)
    assert marks(root) == intervals(root) == 3
    words = texts(root)
    assert words.index("west") < words.index("north") < words.index("2025-01-01")
    assert reading(release).heads() == ["rank", "Value", "Count", "Count, lower 95 %", "Count, upper 95 %"]
    assert body(release)[0] == ["1", "west", "900", "870", "930"]


def test_top_values_without_counts_are_a_list() -> None:
    root = drawn(single({**TOP, "column": "age", "method": "noisy_top_k"}, ranked([44, 41], None)))
    assert marks(root) == 0
    assert {"1", "2", "(44)", "(41)"} <= set(texts(root))


def test_answers_about_a_threshold_are_a_list_in_words() -> None:
    answers = ranked(["below", "above", "not reached"], [None, 612, None])
    axis = listed("question", "in the north", "in the south", "in the east")
    release = single(
        THRESHOLD,
        Estimates(
            **{**{name: getattr(answers, name) for name in ("value", "lower95", "upper95", "extra")}, "axes": (axis,)}
        ),
    )
    words = texts(drawn(release))
    assert {"in the north", "(does not reach it)", "reaches it", "(not asked any more)", "610 ± 30"} <= set(words)
    assert body(release) == [
        ["in the north", "(does not reach it)", "", "", "", "unreliable"],
        ["in the south", "reaches it", "610", "580", "650", ""],
        ["in the east", "(not asked any more)", "", "", "", "unreliable"],
    ]


@pytest.mark.parametrize(("kind", "colours", "one"), [("covariance", 1, "1"), ("correlation", 3, "1")])
def test_a_matrix_writes_each_number_with_its_margin(kind: str, colours: int, one: str) -> None:
    axes = (listed("column", "age", "income"), listed("with_column", "age", "income"))
    numbers = Estimates(
        axes=axes, value=[1.0, -0.5, -0.5, 1.0], lower95=[1.0, -0.6, -0.6, 1.0], upper95=[1.0, -0.4, -0.4, 1.0]
    )
    root = drawn(single({"kind": kind, "columns": ["age", "income"]}, numbers))
    words = texts(root)
    assert words.count("−0.50") == words.count("± 0.1") == words.count(one) == 2
    fills = {element.attrib.get("fill") for element in root.iter(f"{SVG}path")} - {None, "none", "#ffffff"}
    assert len(fills) >= min(colours, 2)


def test_bounds_are_a_span_with_both_ends_written() -> None:
    words = texts(
        drawn(single({"kind": "bounds", "column": "age"}, table([listed("bound", "lower", "upper")], [4, 127], None)))
    )
    assert {"(4)", "(127)"} <= set(words)


@pytest.mark.parametrize(
    ("column", "ends", "written"),
    [
        ("age", [None, 127], ["(127)"]),
        ("age", [4, None], ["(4)"]),
        ("age", [4, 4], ["(4)", "(4)"]),
        ("age", [None, None], []),
        ("day", ["2025-01-01", None], ["(2025-01-01)"]),
        ("day", ["2025-01-01", "2025-01-01"], ["(2025-01-01)", "(2025-01-01)"]),
    ],
)
def test_a_bound_that_is_not_published_leaves_the_other_one(column: str, ends: list[Cell], written: list[str]) -> None:
    release = single({"kind": "bounds", "column": column}, table([listed("bound", "lower", "upper")], ends, None))
    words = texts(drawn(release))
    assert [text for text in words if text.startswith("(")] == written
    assert ("Cells without a published value: 1" in words) == (ends.count(None) == 1)
    assert ("No value was published." in words) == (ends.count(None) == 2)


def test_shares_of_answers_are_bars_and_the_answers_after_perturbation_stand_beside() -> None:
    shares = Estimates(
        axes=(SEX,), value=[0.6, 0.4], lower95=[0.5, 0.3], upper95=[0.7, 0.5], extra={"perturbed": [311, 289]}
    )
    release = single({"kind": "survey", "column": "sex"}, shares)
    assert marks(drawn(release)) == intervals(drawn(release)) == 2
    assert body(release)[0] == ["F", "60 %", "50 %", "70 %", "311"]


def test_missing_values_and_open_intervals_are_said_in_words() -> None:
    ratio = {"kind": "ratio", "numerator": "income", "denominator": "age", "by": ["region"]}
    values: list[Cell] = [720.123, 345.404837, None, 1.0, 2.0]
    ends: list[list[Cell]] = [[640.0, None, None, 0.5, 1.5], [820.0, None, None, 1.5, 2.5]]
    release = single(ratio, Estimates(axes=(REGION,), value=values, lower95=ends[0], upper95=ends[1]))
    assert body(release)[:3] == [
        ["north", "720", "640", "820", ""],
        ["south", "–", "", "", "unreliable"],
        ["east", "no value", "", "", "no value"],
    ]
    words = texts(drawn(release))
    assert "Cells without a published value: 1" in words
    assert "Values of which no interval, or only one end, is known: 1" in words


@pytest.mark.parametrize(
    ("asked", "axis"),
    [
        ({"kind": "histogram", "column": "doctor"}, Axis(("doctor",), ())),
        ({"kind": "crosstab", "columns": ["doctor", "age"]}, Axis(("doctor", "age_from", "age_to"), ())),
        ({"kind": "top", "column": "doctor"}, Axis(("rank",), ())),
    ],
)
def test_a_table_without_rows_is_drawn_as_a_sentence(asked: dict[str, Any], axis: Axis) -> None:
    empty = Estimates(axes=(axis,), value=[], lower95=[], upper95=[])
    release = make_release([({"id": "x", **asked}, empty)], columns=COLUMNS)
    assert "No category reached the threshold, so none is published." in texts(drawn(release))
    assert body(release) == []
    assert reading(release).heads()[: len(axis.names)] == list(axis.names)


def test_discovered_combinations_are_named_part_by_part() -> None:
    axis = Axis(("doctor", "age_from", "age_to"), (("Dr A", 0, 49), ("2025-01-01", 50, 99)))
    release = make_release(
        [({"id": "x", "kind": "crosstab", "columns": ["doctor", "age"]}, table([axis], [40, 30], 4))], columns=COLUMNS
    )
    assert {"Dr A · 0 to 49", "2025-01-01 · 50 to 99"} <= set(texts(drawn(release)))


def test_categories_that_look_like_days_stay_categories() -> None:
    axis = listed("doctor", "2025-01-01", "2025-03-01")
    release = make_release(
        [({"id": "x", "kind": "histogram", "column": "doctor"}, table([axis], [40, 30], 4))], columns=COLUMNS
    )
    assert {"2025-01-01", "2025-03-01"} <= set(texts(drawn(release)))


WHERE = [{"column": "age", "at_least": 65}, {"column": "sex", "in": ["F", "M"]}]
QUESTIONS = [
    ({"kind": "count", "column": "income"}, "How many records have a value of income (EUR)?", "records"),
    ({"kind": "count", "survey_weights": "age"}, "How many records are there?", "records, weighted by age (years)"),
    (
        {"kind": "answered", "columns": ["income"]},
        "How many records have a value of income (EUR), and how many do not?",
        "records",
    ),
    (
        {"kind": "answered", "columns": ["income"], "detail": True},
        "How are the cells of income (EUR) read: how many as declared, and how many not?",
        "records",
    ),
    ({"kind": "units"}, "How many are there, counting each person once?", "units (person)"),
    (
        {"kind": "ratio", "numerator": "income", "denominator": "age"},
        "What is the total of income (EUR) divided by the total of age (years)?",
        "income (EUR) per age (years)",
    ),
    (
        {"kind": "proportion", "where": WHERE, "by": ["region"]},
        "For which share of the records, by region, does this hold: age at least 65 and sex is F or M?",
        "share of the records",
    ),
    (
        {"kind": "rate", "where": WHERE[:1]},
        "Of every 1\u202f000 records, for how many does this hold: age at least 65?",
        "records of every 1\u202f000",
    ),
    (
        {"kind": "rate", "where": WHERE[:1], "per": 10, "column": "age"},
        "For every 10 of age (years), for how many records does this hold: age at least 65?",
        "records for every 10 of age (years)",
    ),
    ({"kind": "variance", "column": "income"}, "What is the variance of income (EUR)?", "variance of income (EUR²)"),
    (THRESHOLD, "Which of these counts reach 500?", "whether the count of records reaches 500"),
    (
        {"kind": "correlation", "columns": ["age", "income"]},
        "How closely do age (years) and income (EUR) go together?",
        None,
    ),
    ({**TOP, "method": "noisy_top_k"}, "What are the most common values of region?", "region"),
]


@pytest.mark.parametrize(("asked", "text", "measure"), QUESTIONS)
def test_a_question_says_what_is_asked_and_what_the_values_are(
    asked: dict[str, Any], text: str, measure: str | None
) -> None:
    question = StatisticLabel.of(single(asked, table((), [1], 1)).certificate, "x")
    assert question.text == text
    assert measure is None or question.measure == measure
