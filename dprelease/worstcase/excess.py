"""The measurements of a certificate whose true loss is above what was charged for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.words import phrase
from dprelease.worstcase.editions import editions_changed
from dprelease.worstcase.loss import NOTHING, Loss, loss
from dprelease.worstcase.made_columns import check_made
from dprelease.worstcase.measured import measured
from dprelease.worstcase.world import World

NANO, ATTO = 10**9, 10**18
ODD = (KeyError, IndexError, TypeError, ValueError, ArithmeticError, AttributeError)
"""Errors that come of JSON that is no plan or no mechanism."""
TOLERANCE = Fraction(1, 10**12)
"""Relative: scales are floats, and a logarithm is cut somewhere. Sensitivities are compared exactly."""


@dataclass(frozen=True, slots=True)
class Excess:
    """A measurement that spends more than was charged for it."""

    measurement: str
    symbol: str
    """ε, ρ or δ: in which of them."""
    true: float
    """May be infinite."""
    charged: float

    def __str__(self) -> str:
        return f"{self.measurement}: spends {self.symbol} = {self.true:.6g}, and {self.charged:.6g} was charged"

    def to_mapping(self) -> dict[str, Any]:
        """Return the excess as JSON has it; an infinite loss is null."""
        true = None if self.true == inf else self.true
        return {"measurement": self.measurement, "symbol": self.symbol, "true": true, "charged": self.charged}


def true_losses(plan: Mapping[str, Any], stated: Sequence[Mapping[str, Any]]) -> dict[str, Loss]:
    """Return what each measurement of a plan spends, by id, with the mechanisms that a certificate states for it.

    `plan` is complete, with its columns; `stated` is the certificate's list `measurements`. Raises IntegrityError where
    they do not fit each other: then nothing is known of the loss.
    """
    try:
        world, columns = World.read(plan["privacy"]), plan.get("columns", {})
        check_made(columns)
        asked = {statistic["id"]: statistic for statistic in plan["statistics"]}
        if len(asked) != len(plan["statistics"]) or len({item["id"] for item in stated}) != len(stated):
            raise IntegrityError(phrase("worstcase.measured_twice"))
        return {item["id"]: _loss(item, asked[item["id"]], columns, world) for item in stated}
    except ODD as cause:
        raise _unknown(cause) from None


def _unknown(cause: Exception) -> IntegrityError:
    return IntegrityError(phrase("worstcase.worst_case_cannot_worked", kind=type(cause).__name__, cause=cause))


def _loss(item: Mapping[str, Any], asked: Mapping[str, Any], columns: Mapping[str, Any], world: World) -> Loss:
    name, mechanisms = item["id"], item["mechanisms"]
    by, stated = mechanisms[0]["name"] if mechanisms else "", [tuple(each["shape"]) for each in mechanisms]
    given = measured(asked, columns, world, by, stated)
    if len(mechanisms) != len(given):
        raise IntegrityError(
            phrase("worstcase.mechanisms_stated_measurements", name=name, count=len(mechanisms), count_2=len(given))
        )
    total = NOTHING
    for mechanism, each in zip(mechanisms, given, strict=True):
        if tuple(mechanism["shape"]) != each.shape:
            raise IntegrityError(
                phrase("worstcase.noise_shape", name=name, mechanism=mechanism["shape"], shape=list(each.shape))
            )
        total += loss(mechanism, each)
    return total


def _check_rests(certificate: Mapping[str, Any]) -> None:
    """Raise IntegrityError where a statistic of the plan rests on nothing that was measured."""
    measured = {item["id"] for item in certificate["measurements"]}
    asked, stated = (sorted(item["id"] for item in each["statistics"]) for each in (certificate["plan"], certificate))
    if asked != stated or not all(
        item["measurements"] and measured >= {*item["measurements"]} for item in certificate["statistics"]
    ):
        raise IntegrityError(phrase("worstcase.rests_on_nothing"))


def excesses(certificate: Mapping[str, Any]) -> tuple[Excess, ...]:
    """Return the measurements of a certificate that spend more than it says was charged for them, in its order.

    Raises IntegrityError where the certificate states what no plan comes to.
    """
    try:
        stated, in_rho = certificate["measurements"], certificate["population"]["currency"] == "zcdp"
        _check_rests(certificate)
        spent = true_losses(certificate["plan"], stated)
        return (
            *(excess for item in stated for excess in _of(item, spent[item["id"]], in_rho)),
            *_of_run(certificate),
        )
    except ODD as cause:
        raise _unknown(cause) from None


def _of_run(certificate: Mapping[str, Any]) -> Iterator[Excess]:
    """Yield what all editions that one unit can change lose together beyond what was charged for them."""
    if "run" not in certificate["plan"]:
        return
    factor = editions_changed(certificate["plan"])
    for symbol, key, unit in (("ε", "epsilon_nano", NANO), ("ρ", "rho_nano", NANO), ("δ", "delta_atto", ATTO)):
        spent = factor * sum(item["loss"][key] for item in certificate["measurements"])
        charged = certificate["loss"][key]
        if spent > charged:
            yield Excess("run", symbol, float(Fraction(spent, unit)), float(Fraction(charged, unit)))


def _of(item: Mapping[str, Any], true: Loss, in_rho: bool) -> Iterator[Excess]:
    """In ε or ρ, whichever the population counts, and in δ."""
    symbol, amount, nano = ("ρ", true.rho, "rho_nano") if in_rho else ("ε", true.epsilon, "epsilon_nano")
    for sign, value, charged in (
        (symbol, amount, Fraction(item["loss"][nano], NANO)),
        ("δ", true.delta, Fraction(item["loss"]["delta_atto"], ATTO)),
    ):
        if value is None or value > charged * (1 + TOLERANCE):
            yield Excess(item["id"], sign, inf if value is None else float(value), float(charged))
