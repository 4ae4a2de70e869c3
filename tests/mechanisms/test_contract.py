"""Every mechanism is listed, documented and calibrated to the last bit."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from dataclasses import fields, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import numpy as np
import pytest
import rfc8785
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import dprelease.mechanisms as room
from dprelease.errors import PlanError
from dprelease.mechanisms import (
    MECHANISMS,
    NOISE,
    SELECTION,
    ArrivedResponse,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Mechanism,
    Noise,
    NoisyTopK,
    PermuteAndFlip,
    RandomizedResponse,
    ResidualGaussian,
    Response,
    SparseVector,
    SubsetResponse,
    ThresholdedLaplace,
    UnaryResponse,
    laplace,
    library,
    residual,
)
from dprelease.mechanisms.mechanism import LIMIT, MAX_SENSITIVITY, clamped
from dprelease.mechanisms.unary_response import LEAST
from dprelease.model.privacy import ATTO, NANO, Currency, PrivacyLoss
from dprelease.model.stated import as_json
from dprelease.model.tally import Sensitivity
from tests.tries import tries

pytestmark = pytest.mark.quick

SETTINGS: dict[type[Mechanism], dict[str, Any]] = {
    NoisyTopK: {"k": 3},
    RandomizedResponse: {"answers": 4},
    ArrivedResponse: {"answers": 4},
    SubsetResponse: {"answers": 7},
    UnaryResponse: {"answers": 7},
    ResidualGaussian: {"cells": "2", "sets": "", "rows": 1, "moves": False},
    SparseVector: {"threshold": 10, "answers": 2, "numeric": True},
}
CASES = [(mechanism, currency) for mechanism in MECHANISMS for currency in Currency]
NOT_PURE = [(DiscreteGaussian, Currency.PURE), (ResidualGaussian, Currency.PURE)]
each_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS)
each_case = pytest.mark.parametrize(("mechanism", "currency"), [case for case in CASES if case not in NOT_PURE])


def share_of(currency: Currency, nano: int, delta_atto: int = 0) -> PrivacyLoss:
    amount = {"rho_nano": nano} if currency is Currency.ZCDP else {"epsilon_nano": nano}
    return PrivacyLoss(**amount, delta_atto=delta_atto)


def sensitivity_of(cls: type[Mechanism], distance: int = 1, monotone: bool = False) -> Sensitivity:
    """A vector of which one entry changes by a distance; for changed answers, the only one that they allow."""
    if issubclass(cls, Response):
        return Sensitivity(l1=2, linf=1, l2_squared=2, l0=2, shape=(3,))
    if cls is ResidualGaussian:
        return residual.sensitivity("2", "", distance, moves=False)
    return Sensitivity(l1=distance, linf=distance, l2_squared=distance**2, l0=1, monotone=monotone, shape=(3,))


def made(
    cls: type[Mechanism],
    currency: Currency = Currency.ZCDP,
    nano: int = NANO,
    distance: int = 1,
    monotone: bool = False,
) -> Mechanism:
    delta = 10**12 if cls is ThresholdedLaplace else 0
    own = SETTINGS.get(cls, {}) | ({"rows": distance} if cls is ResidualGaussian else {})
    return cls.calibrate(sensitivity_of(cls, distance, monotone), share_of(currency, nano, delta), **own)


def unlisted() -> set[type[Mechanism]]:
    """Every mechanism that a file of the room defines and the list leaves out."""
    modules = [
        importlib.import_module(f"{room.__name__}.{module.name}") for module in pkgutil.iter_modules(room.__path__)
    ]
    found = {item for module in modules for item in vars(module).values() if inspect.isclass(item)}
    return {item for item in found if issubclass(item, Mechanism) and not inspect.isabstract(item)} - set(MECHANISMS)


def test_each_mechanism_is_listed_once() -> None:
    assert unlisted() == set()
    assert len(set(MECHANISMS)) == len(MECHANISMS) == len({mechanism.name for mechanism in MECHANISMS})


def test_an_unlisted_mechanism_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(DiscreteLaplace):
        """Somebody forgot to list it."""

    monkeypatch.setattr(laplace, "Other", Other, raising=False)
    assert unlisted() == {Other}


def test_each_currency_has_its_noise_and_its_selection() -> None:
    assert {*NOISE} == {*SELECTION} == {*Currency}
    assert all(issubclass(kind, Noise) and kind in MECHANISMS for kind in NOISE.values())
    for table, values in ((NOISE, np.array([[0, 1]])), (SELECTION, np.array([[0, 10**9]]))):
        for currency, kind in table.items():
            assert made(kind, currency).noiseless(values).ravel()[-1] == 1


@each_mechanism
def test_its_docstring_states_loss_and_source(mechanism: type[Mechanism]) -> None:
    text = inspect.getdoc(mechanism) or ""
    assert "Loss:" in text
    assert any(character.isdigit() for character in text), "no year of a source"


def stated(mechanism: Mechanism) -> tuple[Fraction, Fraction]:
    """The loss that the scale is chosen for, and what the share allows."""
    share = mechanism.share
    native = isinstance(mechanism, DiscreteGaussian | ResidualGaussian | ExponentialMechanism | NoisyTopK)
    if native and share.currency is Currency.ZCDP:
        return mechanism.rho, Fraction(share.rho_nano, NANO)
    assert mechanism.epsilon is not None
    return mechanism.epsilon, Fraction(share.pure_epsilon_nano, NANO)


@pytest.mark.parametrize("distance", [1, 7, 10**6])
@pytest.mark.parametrize("scale", [0.3, 1.0, 1234.5678, 1e9])
def test_the_library_states_no_less_than_the_formula(scale: float, distance: int) -> None:
    """So that whoever trusts OpenDP's maps finds every stated loss confirmed, but for their rounding upwards."""
    ratio = distance / Fraction(scale)
    maps = [
        (library.laplace(scale).map(distance), ratio),
        (library.gaussian(scale).map(float(distance)), ratio**2 / 2),
        (library.laplace_threshold(scale, distance + 1).map((1, distance, distance))[0], ratio),
        (library.permute_and_flip(scale, True).map(distance), ratio),
        (library.exponential(scale, True).map(distance), ratio**2 / 8),
        (library.permute_and_flip(scale, False).map(distance), 2 * ratio),
        (library.exponential(scale, False).map(distance), 4 * ratio**2 / 8),
        (library.top_k(scale, 3, True, False).map(distance), 3 * ratio),
        (library.top_k(scale, 3, False, True).map(distance), 3 * 4 * ratio**2 / 8),
    ]
    for stated, loss in maps:
        assert loss <= Fraction(float(stated)) <= loss * (1 + Fraction(1, 10**12))


def real_loss(mechanism: Mechanism) -> Fraction:
    """The same loss in exact arithmetic, from the docstring's formula."""
    scale, known = Fraction(mechanism.scale), mechanism.sensitivity
    spread = known.linf * (1 if known.monotone else 2)
    zcdp = mechanism.share.currency is Currency.ZCDP
    match mechanism:
        case DiscreteLaplace() | ThresholdedLaplace():
            return known.l1 / scale
        case DiscreteGaussian():
            return known.l2_squared / (2 * scale**2)
        case ResidualGaussian():
            return mechanism.rows**2 / (2 * scale**2)  # with one set, that of no axis
        case PermuteAndFlip():
            return spread / scale
        case ExponentialMechanism():
            return (spread / scale) ** 2 / 8 if zcdp else spread / scale
        case NoisyTopK():
            return mechanism.k * ((spread / scale) ** 2 / 8 if zcdp else spread / scale)
        case SparseVector():
            assert mechanism.answer_scale is not None
            told = mechanism.answers * known.linf / Fraction(mechanism.answer_scale)
            return known.linf / Fraction(mechanism.threshold_scale) + mechanism.answers * spread / scale + told
        case RandomizedResponse():
            truth = Fraction(mechanism.truth)
            return logarithm_above(truth * (mechanism.answers - 1) / (1 - truth))
        case SubsetResponse():
            truth = Fraction(mechanism.truth)
            return logarithm_above(truth * (mechanism.answers - mechanism.size) / ((1 - truth) * mechanism.size))
        case UnaryResponse():
            return logarithm_above((1 - Fraction(mechanism.lie)) / Fraction(mechanism.lie))
    raise AssertionError(mechanism)


def logarithm_above(ratio: Fraction) -> Fraction:
    """At least the natural logarithm, to 30 digits."""
    context = Context(prec=60, rounding=ROUND_CEILING)
    quotient = context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    return Fraction(context.next_plus(context.ln(quotient)))


def with_less_noise(mechanism: Mechanism) -> Mechanism:
    """The next float; of several scales, each smaller by some floats."""
    if isinstance(mechanism, RandomizedResponse):
        return replace(mechanism, truth=nextafter(mechanism.truth, inf))
    if isinstance(mechanism, SubsetResponse):
        return replace(mechanism, truth=mechanism.truth * (1 + 1e-14))
    if isinstance(mechanism, UnaryResponse):
        return replace(mechanism, lie=mechanism.lie * (1 - 1e-14))
    if isinstance(mechanism, ResidualGaussian):
        scales = [scale * (1 - 1e-14) for scale in mechanism.by_set.values()]
        return replace(mechanism, scale=min(scales), scales=" ".join(map(repr, scales)))
    return replace(mechanism, scale=nextafter(mechanism.scale, 0))


@settings(max_examples=tries(400), deadline=None)
@given(
    st.sampled_from(CASES),
    st.integers(1, MAX_SENSITIVITY) | st.integers(1, 1000),
    st.integers(1, 10**15) | st.integers(1, 100).map(lambda hundredths: hundredths * NANO // 100),
    st.booleans(),
)
@example((DiscreteLaplace, Currency.PURE), 1, 10**8, False)
@example((DiscreteLaplace, Currency.PURE), MAX_SENSITIVITY, 1, False)
@example((DiscreteGaussian, Currency.ZCDP), MAX_SENSITIVITY, 1, False)
@example((PermuteAndFlip, Currency.PURE), 1, 10**15, True)
@example((ExponentialMechanism, Currency.ZCDP), MAX_SENSITIVITY, 1, True)
@example((RandomizedResponse, Currency.PURE), 1, 1, False)
@example((RandomizedResponse, Currency.PURE), 1, 10**15, False)
@example((SubsetResponse, Currency.PURE), 1, 1, False)
@example((SubsetResponse, Currency.PURE), 1, 10**15, False)
@example((UnaryResponse, Currency.PURE), 1, 1, False)
@example((UnaryResponse, Currency.PURE), 1, 10**15, False)
def test_the_scale_is_the_smallest_whose_loss_is_within_the_share(
    case: tuple[type[Mechanism], Currency], distance: int, nano: int, monotone: bool
) -> None:
    cls, currency = case
    assume(case not in NOT_PURE)
    smallest_share = 2 * nano if currency is Currency.ZCDP else nano**2 // NANO
    if cls in (SparseVector, ThresholdedLaplace):  # refuse noise that int64 could not hold
        assume(distance < 10**10 and smallest_share > 10**6)
    mechanism = made(cls, currency, nano, distance, monotone)
    paid, allowed = stated(mechanism)
    assert paid <= allowed
    assert real_loss(mechanism) <= paid
    assert mechanism.loss(currency).within(mechanism.share)
    if cls is SparseVector:  # each of its three scales is held against its own part of ε in its own file
        assert paid > allowed * (1 - Fraction(1, 10**12))
    elif isinstance(mechanism, RandomizedResponse | SubsetResponse) and mechanism.truth >= 1 - 2**-40:
        assert allowed > 27  # no float is nearer to 1
    elif not isinstance(mechanism, UnaryResponse) or mechanism.lie > LEAST:
        assert stated(with_less_noise(mechanism))[0] > allowed


@each_case
def test_it_states_a_loss_in_both_currencies(mechanism: type[Mechanism], currency: Currency) -> None:
    """ρ is at most ε²/2, and rounding upwards to whole nano never gains."""
    item = made(mechanism, currency)
    zcdp = item.loss(Currency.ZCDP)
    assert Fraction(zcdp.rho_nano - 1, NANO) < item.rho <= Fraction(zcdp.rho_nano, NANO)
    assert Fraction(zcdp.delta_atto - 1, ATTO) < item.delta <= Fraction(zcdp.delta_atto, ATTO)
    if item.epsilon is None:
        with pytest.raises(PlanError, match="currency zcdp"):
            item.loss(Currency.PURE)
    else:
        pure = item.loss(Currency.PURE)
        assert Fraction(pure.epsilon_nano - 1, NANO) < item.epsilon <= Fraction(pure.epsilon_nano, NANO)
        assert item.rho <= item.epsilon**2 / 2


def test_gaussian_noise_is_refused_where_epsilon_is_counted() -> None:
    with pytest.raises(PlanError, match=r"discrete_gaussian noise.*discrete Laplace noise, or"):
        made(DiscreteGaussian, Currency.PURE)


@each_case
def test_a_share_of_nothing_is_refused(mechanism: type[Mechanism], currency: Currency) -> None:
    with pytest.raises(PlanError):
        made(mechanism, currency, nano=0)


@each_mechanism
def test_an_unknown_sensitivity_is_refused(mechanism: type[Mechanism]) -> None:
    with pytest.raises(Exception, match=r"scale|l0, l1 and linf|changes counts by 0|not that of"):
        mechanism.calibrate(
            Sensitivity(l1=0, linf=0), share_of(Currency.ZCDP, NANO, 10**12), **SETTINGS.get(mechanism, {})
        )


@each_case
def test_a_sensitivity_beyond_exact_floats_is_refused(mechanism: type[Mechanism], currency: Currency) -> None:
    distance = MAX_SENSITIVITY + 1
    sensitivity = Sensitivity(l1=distance, linf=distance, l2_squared=distance**2, l0=1)
    message = "substitute" if issubclass(mechanism, Response) else "tighter bounds"
    with pytest.raises(PlanError, match=message):
        mechanism.calibrate(sensitivity, share_of(currency, 1, 10**12), **SETTINGS.get(mechanism, {}))


@each_case
def test_it_states_what_a_certificate_needs(mechanism: type[Mechanism], currency: Currency) -> None:
    item = made(mechanism, currency)
    told = item.stated("0.5")
    assert json.loads(rfc8785.dumps(as_json(told))) == as_json(told)
    assert (told.name, told.scale, told.step) == (mechanism.name, item.scale, "0.5")
    assert as_json(told.sensitivity) != {}
    own = {field.name for field in fields(item)} - {"sensitivity", "share", "scale"}
    assert own <= {*told.settings}
    assert told.loss.exactly == item.share
    assert mechanism.calibrate(item.sensitivity, item.share, **item.settings) == item
    if mechanism not in (SparseVector, ThresholdedLaplace):  # whose noise would be refused
        rfc8785.dumps(as_json(made(mechanism, currency, distance=MAX_SENSITIVITY).stated(None)))


def test_certificates_say_these_words() -> None:
    """Bundles that were published keep being read: names and keys do not change."""
    half = PrivacyLoss(epsilon_nano=NANO // 2)
    assert as_json(DiscreteLaplace.calibrate(Sensitivity(l1=4, linf=2, shape=(3, 2)), half).stated("1")) == {
        "name": "discrete_laplace",
        "shape": [3, 2],
        "step": "1",
        "scale": 8.0,
        "sensitivity": {"l1": 4, "linf": 2},
        "settings": {},
        "round": 0,
        "loss": {"epsilon_nano": NANO // 2, "rho_nano": 0, "delta_atto": 0},
    }
    assert as_json(made(PermuteAndFlip, monotone=True).norms) == {"linf": 1, "monotone": True}
    assert as_json(made(ThresholdedLaplace).norms) == {"l0": 1, "l1": 1, "linf": 1}
    gaussian = made(DiscreteGaussian, nano=NANO // 2)
    assert (gaussian.name, gaussian.scale, as_json(gaussian.norms)) == ("discrete_gaussian", 1.0, {"l2": 1.0})


@pytest.mark.parametrize("scale", [0.0, -1.0, inf, float("nan")])
@each_mechanism
def test_an_unusable_scale_is_refused(mechanism: type[Mechanism], scale: float) -> None:
    with pytest.raises(PlanError, match="scale"):
        replace(made(mechanism), scale=scale)


HUGE = [LIMIT, LIMIT + 1, -LIMIT - 1, 2**63 - 1, -(2**63), 2**63, 2**64, -(2**70), 10**30]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array(HUGE, dtype=object), [max(-LIMIT, min(LIMIT, value)) for value in HUGE]),
        (np.array([[1, -2], [3, 2**63 - 1]]), [1, -2, 3, LIMIT]),
        (np.array(2**70, dtype=object), [LIMIT]),
        (2**70, [LIMIT]),
        (-(2**70), [-LIMIT]),
        (5, [5]),
    ],
)
def test_values_are_clamped_whatever_their_kind(values: Any, expected: list[int]) -> None:
    result = clamped(values)
    assert isinstance(result, np.ndarray)
    assert result.dtype == np.int64
    assert result.ravel().tolist() == expected


@pytest.mark.parametrize("scale", [0.01, 1.0, 1e6, 1e12, 1e18, 1e25])
@pytest.mark.parametrize("value", HUGE)
def test_huge_values_and_scales_never_raise(value: int, scale: float) -> None:
    """OpenDP refuses 2^63 with an error that prints it: no value may get that far."""
    for noise in (DiscreteLaplace, DiscreteGaussian):
        noisy = replace(made(noise), scale=scale).release(np.array([value, 0], dtype=object))
        assert noisy.dtype == np.int64
    matrix = np.array([[value, 0, -value]], dtype=object)
    for selection in (PermuteAndFlip, ExponentialMechanism):
        assert replace(made(selection), scale=scale).release(matrix).tolist()[0] in (0, 1, 2)
    for currency in Currency:
        assert sorted(replace(made(NoisyTopK, currency), scale=scale).release(matrix).tolist()[0]) == [0, 1, 2]
    asked = replace(made(SparseVector), scale=min(scale, 1e15), answer_scale=scale, threshold=value)
    assert asked.release(matrix[0]).shape == (3, 2)
    names = replace(made(ThresholdedLaplace), scale=scale)
    assert {*names.release({"a": value, "b": -value})} <= {"a", "b"}
