"""`dprelease.check_statistic`, as somebody who adds a kind calls it: each promise that is broken is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

import dprelease
from dprelease.errors import InternalError, PlanError
from dprelease.mechanisms import Mechanism
from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation
from dprelease.model.privacy import Currency, PrivacyUnit, Terms
from dprelease.model.release import Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics import Plan
from dprelease.statistics.kinds.count import Count
from dprelease.statistics.kit import check
from dprelease.statistics.kit.check import accepted_with
from dprelease.statistics.kit.rows import UNITS
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement


@dataclass(frozen=True, kw_only=True)
class Toy(Count):
    """A kind that nobody listed, as somebody who adds one has it. Sensitivity and noise are those of a count."""

    kind: ClassVar[str] = "toy"
    presentation: ClassVar[Presentation] = Count.presentation


TOY = Toy(id="s", by=("g",))


def test_a_kind_that_does_not_say_what_its_numbers_are_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Silent(Toy):
        """Sensitivity and noise are those of a count."""

        kind: ClassVar[str] = "silent"

    with pytest.raises(InternalError, match="what its numbers are"):
        dprelease.check_statistic(Silent(id="s", by=("g",)))


def test_a_new_kind_that_keeps_the_contract_passes_before_it_is_listed() -> None:
    dprelease.check_statistic(TOY)


class Little(Toy):
    """Sensitivity: 1, as if a unit had one row. Its noise is too small."""

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        return super().measurements(schema, replace(terms, unit=PrivacyUnit()))


class Much(Toy):
    """Sensitivity: that of one row more. Its noise is too large."""

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        return super().measurements(schema, replace(terms, unit=PrivacyUnit("person", terms.max_rows + 1)))


class Parts(Toy):
    """Sensitivity and noise as of a count."""

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return tuple(each / 2 for each in super().exact(schema, tallies))


class Shapeless(Toy):
    """Sensitivity and noise as of a count."""

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return tuple(each.reshape(1, -1) for each in super().exact(schema, tallies))


class Sure(Toy):
    """Sensitivity and noise as of a count."""

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        return ExpectedError(3000 / expected.rows if expected else 1.0, "expected")


class Endless(Toy):
    """Sensitivity and noise as of a count."""

    def error(self, *_: Any) -> ExpectedError:
        return ExpectedError(float("nan"), "mechanism")


class Doubtful(Toy):
    """Sensitivity and noise as of a count."""

    def could_be(self, *_: Any) -> bool:
        return False


class Outside(Toy):
    """Sensitivity and noise as of a count."""

    def estimates(self, *given: Any) -> Estimates:
        made = super().estimates(*given)
        return replace(made, upper95=[value - 1 for value in made.lower95])  # type: ignore[operator]

    def could_be(self, *_: Any) -> bool:
        return True


class Telling(Toy):
    """Sensitivity and noise as of a count."""

    def estimates(self, *given: Any) -> Estimates:
        made = super().estimates(*given)
        return replace(made, extra={"full": made.value} if max(made.value) > 10 else {})  # type: ignore[type-var]


class Selective(Toy):
    """Sensitivity and noise as of a count."""

    def estimates(self, *given: Any) -> Estimates:
        made = super().estimates(*given)
        if max(made.value) < 10:  # type: ignore[type-var,operator]
            return made
        return replace(made, axes=tuple(replace(axis, cells=axis.cells[::-1]) for axis in made.axes))


class Sized(Toy):
    """Sensitivity and noise as of a count."""

    def size(self, schema: Schema) -> int:
        return 1


class Silent(Toy):
    """Nothing is said here."""


class Mute(Silent):
    """Nor here."""


class Loud(Silent):
    """Sensitivity only."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        (Little, "l1 2 beats the stated 1 under add_remove"),
        (Much, "no pair attains the stated l1 2 under add_remove, only 1"),
        (Parts, "not whole numbers but float64"),
        (Shapeless, "the stated shapes of what is measured"),
        (Sure, "rests on a number of rows, and none was expected"),
        (Endless, "states the error nan"),
        (Outside, "a value outside its interval"),
        (Telling, "the columns of what is published depend on the rows"),
        (Selective, "the keys of what is published depend on the rows"),
        (Sized, "states another size"),
        (Doubtful, "that it could not be"),
        (Mute, "does not say its sensitivity"),
        (Loud, "does not say which noise"),
    ],
)
def test_a_new_kind_that_breaks_a_promise_is_told_which(
    kind: type[Toy], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "EPSILON", 50)  # some of these look at their numbers: noise is 0 but once in 10^20 draws
    with pytest.raises(InternalError, match=complaint):
        dprelease.check_statistic(kind(id="s", by=("g",)))


class Refusing(Toy):
    """Sensitivity and noise as of a count."""

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        report.add(path, found="a plan", allowed="no plan at all")


def test_what_fits_no_column_or_no_plan_is_refused() -> None:
    with pytest.raises(PlanError, match="nobody"):
        dprelease.check_statistic(Toy(id="s", by=("nobody",)))
    with pytest.raises(PlanError, match="no plan at all"):
        dprelease.check_statistic(Refusing(id="s"))


def test_a_statistic_is_tried_where_it_is_accepted() -> None:
    """Gaussian noise is refused where ε is counted."""
    gaussian = Count(id="s", noise="gaussian")
    assert {terms.currency for terms in accepted_with(gaussian, UNITS["people, 2 rows"])} == {Currency.ZCDP}
    dprelease.check_statistic(gaussian)
