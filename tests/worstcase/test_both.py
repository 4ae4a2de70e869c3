"""Two implementations of every sensitivity and loss, that share no code, say the same of generated statistics."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest

from dprelease.model.options import StatisticName
from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.statistics import STATISTICS
from dprelease.statistics.planning.price import Price
from dprelease.worstcase import Loss, excesses, true_losses
from tests.worstcase.generated import COLUMNS, DEGENERATE, UNITS, WORLDS, generated, plan, priced
from tests.worstcase.stated import of

MIN_VARIANTS = 300
TIGHT = Fraction(1, 10**9)
"""Relative: OpenDP's maps are rounded upwards, by an ulp or two."""
SUB = NeighboringRelation.SUBSTITUTE


def why_looser(statistic: Mapping[str, object], relation: NeighboringRelation, unit: object) -> str | None:
    """Why the first implementation takes more noise than the second finds necessary; None where it should not."""
    kind, by = statistic["kind"], statistic.get("by")
    one = statistic.get("column") == "only"
    if kind in ("variance", "std", "covariance", "correlation") or statistic.get("method") == "normal":
        return "moments of fine lattices are divided, and their rounding is bounded"
    if kind == "mode" and one:
        return "a choice among one value tells nothing"
    if kind == "mode" and (by not in (None, ["only"]) or (by and statistic.get("missing"))) and relation is SUB:
        return "rows that leave a group and enter another move the scores of each in one direction"
    if kind == "top" and statistic.get("method") == "noisy_top_k":
        return "the last of all candidates needs no choice"
    if statistic.get("method") in ("mwem", "pmw") and len(statistic["columns"]) == 2:  # type: ignore[arg-type]
        return "a choice among one table tells nothing"
    if kind in ("linear", "components", "logistic"):
        return "sums are divided, and their rounding is bounded; under substitute a proved bound is not attained"
    if kind == "threshold" and relation is SUB and len(statistic["questions"]) == 1:  # type: ignore[arg-type]
        return "a single count does not rise and fall at once"
    return None


def looser_in_delta(unit: object) -> bool:
    """The names of a unit have all its rows together; the first implementation takes each of them to have all."""
    return isinstance(unit, dict) and min(unit["max_rows"], unit.get("max_groups", unit["max_rows"])) > 1


def stated(item: Price) -> Loss:
    """What the first implementation says that its mechanisms spend at their scales."""
    mechanisms = item["s"].mechanisms
    in_rho = item.currency is Currency.ZCDP
    epsilon = None if in_rho else sum((each.epsilon or Fraction(0) for each in mechanisms), Fraction(0))
    rho = sum((each.rho for each in mechanisms), Fraction(0)) if in_rho else None
    return Loss(epsilon, rho, sum((each.delta for each in mechanisms), Fraction(0)))


SLICES = 40
"""Each world has one variant in so many, others than the world before; in `make test` one world of each relation."""


@pytest.mark.one_in(10)
@pytest.mark.parametrize("place", range(len(WORLDS)))
def test_neither_is_smaller_and_both_are_equal_for_a_fortieth(place: int) -> None:
    seen, _ = compared(generated()[place % SLICES :: SLICES], *WORLDS[place])
    assert seen >= MIN_VARIANTS // (3 * SLICES)


@pytest.mark.full
@pytest.mark.parametrize(("relation", "unit", "currency"), WORLDS)
def test_neither_is_smaller_and_both_are_equal_but_for_named_exceptions(
    relation: NeighboringRelation, unit: object, currency: Currency
) -> None:
    seen, reasons = compared(generated(), relation, unit, currency)
    assert seen >= MIN_VARIANTS
    assert reasons, "an exception that is none any more"


def compared(
    statistics: Sequence[Mapping[str, object]], relation: NeighboringRelation, unit: object, currency: Currency
) -> tuple[int, Counter[str]]:
    """Compare both implementations, and return how many a plan takes and how often each exception is needed."""
    seen, reasons = 0, Counter[str]()
    for statistic in statistics:
        found = priced(statistic, relation, unit, currency)
        if found is None:
            continue
        given = of(found, plan(statistic, relation, unit))
        assert excesses(given) == (), statistic
        first, second = stated(found), true_losses(given["plan"], given["measurements"])["s"]
        pairs = [(first.delta, second.delta, looser_in_delta(unit) and "names")]
        if currency is Currency.PURE:
            pairs.append((first.epsilon, second.epsilon, why_looser(statistic, relation, unit)))  # type: ignore[arg-type]
        else:
            pairs.append((first.rho, second.rho, why_looser(statistic, relation, unit)))  # type: ignore[arg-type]
        for mine, other, reason in pairs:
            assert other <= mine * (1 + TIGHT), statistic
            if other < mine * (1 - TIGHT):
                assert reason, f"{statistic}: the first implementation takes {float(mine / other)} times what is spent"
                reasons[str(reason)] += 1
        seen += 1
    return seen, reasons


def test_every_kind_and_option_is_varied() -> None:
    """A new kind or option cannot be forgotten: it has to be tried here with at least two values."""
    variants = generated()
    assert len(variants) >= MIN_VARIANTS
    for cls in STATISTICS:
        of_kind = [each for each in variants if each["kind"] == cls.kind]
        for name, reader in cls.options().items():
            if isinstance(reader, StatisticName):
                continue  # what is measured then is measured for another statistic
            tried = {json.dumps(each.get(name)) for each in of_kind}
            assert len(tried) >= 2, f"{cls.kind}: {name} is tried with {tried} only"
        if "by" in cls.options():
            assert any(each.get("by") == ["only"] for each in of_kind), f"{cls.kind}: no group that is alone"


@pytest.mark.full
def test_degenerate_values_are_among_them() -> None:
    assert all(each in generated() for each in DEGENERATE)
    assert {unit["max_rows"] for unit in UNITS[1:]} >= {1, 3}
    assert any(unit.get("max_groups") == 1 for unit in UNITS[1:])
    assert [name for name, column in COLUMNS.items() if len(column.get("categories", ())) == 1] == ["only"]
    for each in DEGENERATE:
        taken = [priced(each, relation, unit, currency) for relation, unit, currency in WORLDS]
        least = {"survey": 2, "logistic": len(WORLDS) // 2}.get(each["kind"], len(WORLDS) - 5)
        assert sum(found is not None for found in taken) >= least, each


def test_what_each_mechanism_of_the_program_spends_is_known_here() -> None:
    from dprelease.mechanisms import MECHANISMS
    from dprelease.worstcase.loss import FORMULAS
    from dprelease.worstcase.measured import KINDS

    assert {cls.name for cls in MECHANISMS} == set(FORMULAS)
    assert {cls.kind for cls in STATISTICS} == set(KINDS)
