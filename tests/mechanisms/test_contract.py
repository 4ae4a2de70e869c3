"""Every mechanism is listed, documented and calibrated to the last bit."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from fractions import Fraction
from math import nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dprelease.mechanisms as room
from dprelease.errors import PlanError
from dprelease.mechanisms import MECHANISMS, DiscreteLaplace, Mechanism, PermuteAndFlip, laplace, library
from dprelease.mechanisms.mechanism import LIMIT, MAX_SENSITIVITY, clamped
from dprelease.model.privacy import NANO, PrivacyLoss
from dprelease.model.tally import Sensitivity


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


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_its_docstring_states_loss_and_source(mechanism: type[Mechanism]) -> None:
    text = inspect.getdoc(mechanism) or ""
    assert "Loss:" in text
    assert any(character.isdigit() for character in text), "no year of a source"


def privacy_map(mechanism: Mechanism, scale: float) -> Fraction:
    """OpenDP's own statement of the loss."""
    if isinstance(mechanism, DiscreteLaplace):
        return Fraction(library.laplace(scale).map(mechanism.sensitivity.l1))
    made = library.permute_and_flip(scale, mechanism.sensitivity.monotone)
    return Fraction(made.map(mechanism.sensitivity.linf))


def real_loss(mechanism: Mechanism) -> Fraction:
    """The loss in exact arithmetic, from the docstring's formula."""
    scale = Fraction(mechanism.scale)
    if isinstance(mechanism, DiscreteLaplace):
        return mechanism.sensitivity.l1 / scale
    return mechanism.sensitivity.linf * (1 if mechanism.sensitivity.monotone else 2) / scale


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(MECHANISMS),
    st.integers(1, MAX_SENSITIVITY) | st.integers(1, 1000),
    st.integers(1, 10**15) | st.integers(1, 100).map(lambda hundredths: hundredths * NANO // 100),
    st.booleans(),
)
@example(DiscreteLaplace, 1, 10**8, False)
@example(DiscreteLaplace, MAX_SENSITIVITY, 1, False)
@example(PermuteAndFlip, 1, 10**15, True)
def test_the_scale_is_the_smallest_whose_loss_is_within_the_share(
    cls: type[Mechanism], distance: int, nano: int, monotone: bool
) -> None:
    sensitivity = Sensitivity(l1=distance, linf=distance, monotone=monotone)
    mechanism = cls.calibrate(sensitivity, PrivacyLoss(epsilon_nano=nano))
    epsilon = Fraction(nano, NANO)
    assert privacy_map(mechanism, mechanism.scale) <= epsilon
    assert real_loss(mechanism) <= epsilon
    assert privacy_map(mechanism, nextafter(mechanism.scale, 0)) > epsilon


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_sensitivity_beyond_exact_floats_is_refused(mechanism: type[Mechanism]) -> None:
    sensitivity = Sensitivity(l1=MAX_SENSITIVITY + 1, linf=MAX_SENSITIVITY + 1)
    with pytest.raises(PlanError, match="tighter bounds"):
        mechanism.calibrate(sensitivity, PrivacyLoss(epsilon_nano=1))


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
    stated = {"sensitivity": Sensitivity(l1=1, linf=1), "share": PrivacyLoss(epsilon_nano=1), "scale": scale}
    noisy = DiscreteLaplace(**stated).release(np.array([value, 0], dtype=object))
    assert noisy.dtype == np.int64
    chosen = PermuteAndFlip(**stated).release(np.array([[value, 0, -value]], dtype=object))
    assert chosen.tolist()[0] in (0, 1, 2)


def test_a_mechanism_states_what_a_certificate_needs() -> None:
    mechanism = DiscreteLaplace.calibrate(Sensitivity(l1=4, linf=2), PrivacyLoss(epsilon_nano=NANO // 2))
    assert mechanism.to_mapping() == {
        "name": "discrete_laplace",
        "scale": 8.0,
        "sensitivity": {"l1": 4, "linf": 2},
        "epsilon_nano": NANO // 2,
        "delta_atto": 0,
    }
    chooser = PermuteAndFlip.calibrate(Sensitivity(l1=0, linf=2, monotone=True), PrivacyLoss(epsilon_nano=NANO))
    assert chooser.to_mapping()["sensitivity"] == {"linf": 2, "monotone": True}


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan")])
@pytest.mark.parametrize("cls", MECHANISMS)
def test_an_unusable_scale_is_refused(cls: type[Mechanism], scale: float) -> None:
    with pytest.raises(PlanError, match="scale"):
        cls(sensitivity=Sensitivity(l1=1, linf=1), share=PrivacyLoss(epsilon_nano=1), scale=scale)
