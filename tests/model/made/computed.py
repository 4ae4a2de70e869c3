"""What an expression in whole numbers comes to in a row, by Python: a third way beside SQL and `Function.value`."""

from __future__ import annotations

from collections.abc import Mapping

from dprelease.model.made.whole import (
    AddedValue,
    All,
    Code,
    ConditionalValue,
    ConstantValue,
    Filled,
    IntegerQuotient,
    KnownTest,
    Less,
    Product,
    Ranged,
    Test,
    WholeValue,
)


def computed(each: WholeValue, row: Mapping[str, int | None]) -> int | None:
    """The number; None where the row lacks what it is computed of. Fails where it is outside its own range."""
    found = _computed(each, row)
    assert found is None or each.low <= found <= each.high, (type(each).__name__, each.low, found, each.high)
    return found


def _computed(each: WholeValue, row: Mapping[str, int | None]) -> int | None:
    match each:
        case ConstantValue():
            return each.low
        case Code(column=column):
            return row[column]
        case Ranged(inner=inner):
            return computed(inner, row)
        case Filled(inner=inner, otherwise=otherwise):
            found = computed(inner, row)
            return otherwise if found is None else found
        case ConditionalValue(branches=branches, otherwise=last):
            chosen = next((number for test, number in branches if _holds(test, row)), last)
            return None if chosen is None else computed(chosen, row)
        case AddedValue(one=one, two=two) | Product(one=one, two=two) | IntegerQuotient(one=one, two=two):
            first, second = computed(one, row), computed(two, row)
            if first is None or second is None:
                return None
            if isinstance(each, AddedValue | Product):
                return first + second if isinstance(each, AddedValue) else first * second
            assert first >= 0
            assert second > 0
            return first // second
    raise AssertionError(each)


def _holds(test: Test, row: Mapping[str, int | None]) -> bool:
    match test:
        case KnownTest(columns=columns):
            return all(row[name] is not None for name in columns)
        case All(tests=tests):
            return all(_holds(each, row) for each in tests)
        case Less(one=one, two=two):
            first, second = computed(one, row), computed(two, row)
            assert first is not None
            assert second is not None
            return first < second
    raise AssertionError(test)
