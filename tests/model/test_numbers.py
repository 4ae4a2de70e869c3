"""Hostile numbers: each place that takes a number reads it exactly or refuses it."""

from __future__ import annotations

from decimal import Decimal
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.errors import PlanError, SchemaError
from dprelease.model.privacy import MAX_EPSILON, NANO, PrivacyLoss, decimal_text, total
from dprelease.model.report import as_decimal
from dprelease.model.schema import Schema
from dprelease.statistics import Plan
from tests.model.plans import small

pytestmark = pytest.mark.quick

NEVER = [
    nan,
    inf,
    -inf,
    1e300,
    -1e300,
    10**400,
    True,
    False,
    None,
    "",
    "x",
    "nan",
    "inf",
    "1_0",
    " 1",
    "1 ",
    "0x1",
    "١",
    b"1",
]
NEVER += [[1], {"a": 1}, 1j, "1e400", "01", Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1e999999")]


def problem_paths(plan: dict[str, Any]) -> set[str]:
    try:
        Plan.parse(plan)
    except PlanError as error:
        return {problem.path for problem in error.problems}
    return set()


def with_privacy(**privacy: Any) -> dict[str, Any]:
    return small(privacy={"unit": "row", "neighbors": "add_remove", "epsilon": 1} | privacy)


def epsilon(value: Any) -> int:
    return Plan.parse(with_privacy(epsilon=value)).epsilon_nano


@pytest.mark.parametrize(
    "value", [*NEVER, -1, 0, 0.0, "0", -0.0, 1e-300, 1e-10, "0.0000000001", 0.1234567891, 1_000_001]
)
def test_no_epsilon(value: Any) -> None:
    assert "privacy.epsilon" in problem_paths(with_privacy(epsilon=value))


@pytest.mark.parametrize("value", [value for value in [*NEVER, -1, 1, 0.01, 1e-19, 1e-300] if value is not None])
def test_no_delta(value: Any) -> None:
    assert "privacy.delta" in problem_paths(with_privacy(delta=value))


@pytest.mark.parametrize("value", [*NEVER, -1, 0, 2.5, 1e-300, 1_000_001])
def test_no_max_rows(value: Any) -> None:
    assert "privacy.unit.max_rows" in problem_paths(with_privacy(unit={"column": "a", "max_rows": value}))


@pytest.mark.parametrize("value", [*NEVER, 1e-300, 10**15 + 1])
@pytest.mark.parametrize("key", ["lower", "upper"])
@pytest.mark.parametrize("type_", ["integer", "number"])
def test_no_bound(value: Any, key: str, type_: str) -> None:
    with pytest.raises(SchemaError):
        Schema.parse({"a": {"type": type_, "lower": 0, "upper": 1} | {key: value}})


@pytest.mark.parametrize("value", [*[value for value in NEVER if value is not None], -1, 0, 1e-300, 1e-30, 0.3])
def test_no_resolution(value: Any) -> None:
    with pytest.raises(SchemaError):
        Schema.parse({"a": {"type": "number", "lower": 0, "upper": 1, "resolution": value}})


@pytest.mark.parametrize("value", [value for value in [*NEVER, -1, 0, 1e-7, 1_000_001] if value is not None])
def test_no_weight(value: Any) -> None:
    plan = small(statistics=[{"id": "n", "kind": "count", "weight": value}])
    assert "statistics[0].weight" in problem_paths(plan)


@pytest.mark.parametrize("value", [value for value in [*NEVER, -1, 0, 2.5] if value is not None])
@pytest.mark.parametrize("key", ["rows", "units"])
def test_no_expectation(value: Any, key: str) -> None:
    assert f"expected.{key}" in problem_paths(small(expected={"rows": 1} | {key: value}))


@pytest.mark.parametrize(
    ("value", "nano"),
    [
        (1, NANO),
        (1.0, NANO),
        ("0.1", 10**8),
        (0.1, 10**8),
        (0.1 + 0.2, 3 * 10**8),
        (Decimal("0.123456789"), 123_456_789),
        (1e-9, 1),
        ("1e-9", 1),
        (Decimal("1.000000000000000000000000000000"), NANO),
        (999_999.999999999, 999_999_999_999_999),
        (MAX_EPSILON, MAX_EPSILON * NANO),
    ],
)
def test_epsilon_is_exactly_nano(value: Any, nano: int) -> None:
    assert epsilon(value) == nano


@settings(deadline=None)
@given(st.integers(1, MAX_EPSILON * NANO))
def test_every_epsilon_in_nano_is_read_exactly_however_written(nano: int) -> None:
    number = Decimal(nano) / NANO
    assert epsilon(number) == epsilon(float(number)) == epsilon(f"{number:f}") == nano


@settings(deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_epsilon_is_never_rounded(value: Decimal) -> None:
    """A decimal is read as it is, or refused; digits beyond the 9th are never dropped."""
    try:
        nano = epsilon(value)
    except PlanError:
        return
    assert Decimal(nano).scaleb(-9) == value


def test_digits_far_behind_the_point_are_not_lost() -> None:
    with pytest.raises(PlanError, match=r"privacy\.epsilon"):
        epsilon(Decimal("0.10000000000000000000000000000000000001"))


@settings(deadline=None)
@given(st.floats() | st.integers() | st.text() | st.decimals(allow_nan=True, allow_infinity=True) | st.booleans())
def test_a_number_that_is_read_survives_json_and_arithmetic(value: Any) -> None:
    number = as_decimal(value)
    if number is None:
        return
    assert number.is_finite()
    assert as_decimal(float(number)) == number
    if not isinstance(value, float | str):
        assert number == value


def test_losses_add_exactly() -> None:
    loss = total([PrivacyLoss(epsilon_nano=10**7, delta_atto=1)] * 100)
    assert (loss.epsilon, loss.delta) == (Decimal(1), Decimal("1e-16"))
    assert str(loss) == "ε = 1, δ = 1e-16"


@pytest.mark.parametrize(
    ("number", "text"),
    [("1.0", "1"), ("0.10", "0.1"), ("1e-9", "0.000000001"), ("1e-18", "1e-18"), ("0", "0"), ("1e6", "1000000")],
)
def test_decimals_are_shown_without_needless_digits(number: str, text: str) -> None:
    assert decimal_text(Decimal(number)) == text
