"""Units that two stored tables have in common, by what identifiers are compared by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import pandas
import pytest

from dprelease.table import Engine
from dprelease.table.in_common import Identified, units_in_common


def identified(engine: Engine, values: Sequence[Any], dtype: str, codes: Sequence[str] = ()) -> Identified:
    frame = pandas.DataFrame({"who": pandas.Series(list(values), dtype=dtype)})
    return Identified(table=engine.hold(frame), column="who", codes=tuple(codes))


@pytest.mark.parametrize(
    ("one", "other", "counted"),
    [
        (([1, 2, 2, 3], "int64"), ([3, 3, 4], "int64"), (3, 2, 1)),
        (([1, 2, 7], "int64"), (["07", " 7.0 ", "1e0", "x", None, ""], "str"), (3, 3, 2)),
        (([1.0, 7.5, None], "float64"), (["7.50", "1"], "str"), (2, 2, 2)),
        (([-1, -1, 5], "int64", ["-1"]), (["-1", "5"], "str", ["-1"]), (1, 1, 1)),
        (([], "int64"), ([1], "int64"), (0, 1, 0)),
        (([None, None], "str"), (["", " "], "str"), (0, 0, 0)),
    ],
    ids=["whole", "text", "floats", "codes", "empty", "nobody"],
)
def test_units_are_counted_by_value_whatever_their_type(
    one: Sequence[Any], other: Sequence[Any], counted: tuple[int, int, int]
) -> None:
    engine = Engine()
    first, second = identified(engine, *one), identified(engine, *other)
    assert units_in_common(engine, first, second) == counted
    assert units_in_common(engine, second, first) == (counted[1], counted[0], counted[2])


def test_what_takes_too_long_is_given_up() -> None:
    class Slow(Engine):
        def try_to(self, use: Callable[[Any], Any]) -> Any:
            class Cursor:
                def interrupt(self) -> None: ...

                def execute(self, _: str) -> None:
                    raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")

            return use(Cursor())

    engine = Slow()
    one = identified(engine, [1], "int64")
    assert units_in_common(engine, one, one) is None
