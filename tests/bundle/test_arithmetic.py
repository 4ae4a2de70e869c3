"""Sums, differences, ratios and shares of published numbers: their noise together."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.bundle.arithmetic import Form, share, total
from dprelease.mechanisms.half_width import half_width
from dprelease.model.noise import GAUSSIAN, LAPLACE, Drawn

NORTH = ["north", "south", "east"]
FRAME = pandas.DataFrame(
    {
        "region": [NORTH[number % 3] for number in range(30_000)],
        "sex": ["F" if number % 2 else "M" for number in range(30_000)],
        "income": [number % 100 for number in range(30_000)],
    }
)


class Visits(dprelease.Columns):
    region = dprelease.category(*NORTH)
    sex = dprelease.category("F", "M")
    income = dprelease.integer(0, 100, unit="EUR")


@pytest.fixture(scope="module")
def release() -> dprelease.Release:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("visits", FRAME, epsilon=9)
    plan = dprelease.plan("visits", Visits, unit="row", neighbors="add_remove", epsilon=4, title="Visits").add(
        dprelease.count(by=Visits.region, id="regions"),
        dprelease.crosstab([Visits.region, Visits.sex], id="both", margins=True),
        dprelease.sum(Visits.income, by=Visits.region, id="incomes"),
        dprelease.mean(Visits.income, by=Visits.region, id="means"),
    )
    return workspace.publish(plan)


def form(*parts: tuple[int, str, float, int]) -> Form:
    """A form of 0 with so many draws of coefficients, each with a law and a scale."""
    draws = [(Fraction(c), Drawn(name, scale)) for c, name, scale, many in parts for _ in range(many)]
    return Form(Fraction(0), {("k", "r", "m", place): each for place, each in enumerate(draws)})


@pytest.mark.parametrize(
    ("parts", "margin"),
    [
        ([(1, LAPLACE, 10, 2)], 41),
        ([(1, LAPLACE, 10, 5)], 63),
        ([(1, LAPLACE, 10, 12)], 97),
        ([(1, LAPLACE, 10, 1)], half_width(LAPLACE, 10)),
        ([(3, GAUSSIAN, 10, 1)], 3 * half_width(GAUSSIAN, 10)),
    ],
)
def test_margins_of_linear_forms_are_exact(parts: list[Any], margin: int) -> None:
    assert form(*parts).margin == margin


def test_a_form_that_is_too_wide_for_a_lattice_is_bounded_from_above() -> None:
    wide = form((1, LAPLACE, 900, 3), (20_000, LAPLACE, 900, 1))
    alone = 20_000 * half_width(LAPLACE, 900)
    assert 1 <= float(wide.margin) / alone < 1.001


FORMS: list[list[tuple[int, str, float, int]]] = [
    [(1, LAPLACE, 10, 2)],
    [(1, LAPLACE, 10, 12)],
    [(1, LAPLACE, 45, 1), (1, LAPLACE, 22.5, 20)],
    [(1, LAPLACE, 10, 1), (-3, LAPLACE, 10, 1)],
    [(1, GAUSSIAN, 12, 4)],
    [(2, GAUSSIAN, 3, 2), (1, LAPLACE, 8, 3)],
    [(1, LAPLACE, 4500, 2)],
    [(20_000, LAPLACE, 900, 2)],
    [(1, LAPLACE, 3, 200)],
]


def draw(rng: np.random.Generator, name: str, scale: float, size: int) -> Any:
    """Discrete noise from a seed, for pictures of coverage alone."""
    if name == LAPLACE:
        success = -math.expm1(-1 / scale)
        return rng.geometric(success, size) - rng.geometric(success, size)
    k = np.arange(-int(12 * scale), int(12 * scale) + 1)
    weights = np.exp(-(k**2) / (2 * scale**2))
    return rng.choice(k, size, p=weights / weights.sum())


@pytest.mark.full
@pytest.mark.parametrize("parts", FORMS)
def test_intervals_of_linear_forms_cover(parts: list[Any]) -> None:
    rng, size = np.random.default_rng(1), 10_000
    drawn = sum(c * draw(rng, name, scale, size) for c, name, scale, many in parts for _ in range(many))
    covered = np.mean(np.abs(drawn) <= float(form(*parts).margin))
    assert 0.943 <= covered <= 0.975


@pytest.mark.full
@pytest.mark.parametrize(("a", "b"), [(500, 1000), (30, 90), (20, 2000)])
def test_intervals_of_ratios_cover(a: int, b: int) -> None:
    rng, size, noise = np.random.default_rng(2), 4_000, Drawn(LAPLACE, 10)
    covered = 0
    for one, other in zip(draw(rng, LAPLACE, 10, size), draw(rng, LAPLACE, 10, size), strict=True):
        top = Form(Fraction(a + int(one)), {("k", "r", "m", 0): (Fraction(1), noise)})
        bottom = Form(Fraction(b + int(other)), {("k", "r", "m", 1): (Fraction(1), noise)})
        off = top.plus(bottom, -Fraction(a, b))
        covered += off.outside(abs(float(off.value))) > 0.05
    assert 0.94 <= covered / size <= 0.975


def test_the_interval_of_a_ratio_has_the_quotients_that_noise_explains(release: dprelease.Release) -> None:
    one, other = release["regions"].cells[:2]
    found = one / other
    assert one.form is not None
    assert other.form is not None
    for end, side in ((found.lower95, -1), (found.upper95, 1)):
        for times, is_in in ((-1e-4, True), (1e-4, False)):
            off = one.form.plus(other.form, -Fraction(end * (1 + side * times)))  # type: ignore[operator]
            assert (off.outside(abs(float(off.value))) > 0.05) == is_in


def test_a_number_minus_itself_is_nothing(release: dprelease.Release) -> None:
    north = release["regions"].cell(region="north")
    assert ((north - north).value, (north - north).lower95, (north - north).upper95) == (0, 0, 0)
    twice = north + north
    assert twice.value == 2 * north.value  # type: ignore[operator]
    assert twice.upper95 - twice.value == 2 * (north.upper95 - north.value)  # type: ignore[operator]


def test_a_derived_number_shows_itself_with_its_interval(release: dprelease.Release) -> None:
    cell = next(iter(release)).cells[0]
    assert repr(cell - cell).startswith(f"0 {(cell - cell).unit} [0, 0], 95%. Noise only")


def test_a_part_and_its_whole_share_their_noise(release: dprelease.Release) -> None:
    both = release["both"]
    part, whole = both.cell(region="north", sex="F"), both.cell(region="north", sex="_T")
    other = both.cell(region="north", sex="M")
    rest = whole - part
    assert rest.value == other.value
    assert rest.upper95 - rest.value == other.upper95 - other.value  # type: ignore[operator]
    found = share(part, whole)
    assert 0 <= found.lower95 < 0.5 < found.upper95 <= 1  # type: ignore[operator]
    assert share(whole, whole).lower95 == share(whole, whole).upper95 == 1


def test_a_total_counts_each_part_once(release: dprelease.Release) -> None:
    both = release["both"]
    assert both.total().value == both.cell(region="_T", sex="_T").value
    with pytest.raises(dprelease.InputError, match="Leave totals out"):
        total(both.cells)
    with pytest.raises(dprelease.InputError, match="Leave totals out"):
        total([both.cells[0], both.cells[0]])
    with pytest.raises(dprelease.InputError, match="nothing"):
        total([])


def test_what_has_no_known_noise_is_refused_beyond_two(release: dprelease.Release) -> None:
    means = release["means"].cells
    found = means[0] - means[1]
    assert found.confidence == Fraction(9, 10)
    assert found.upper95 - found.value == pytest.approx(  # type: ignore[operator]
        means[0].upper95 - means[0].value + means[1].value - means[1].lower95
    )
    with pytest.raises(dprelease.InputError, match="two such numbers"):
        total(means)
    with pytest.raises(dprelease.InputError, match="two such numbers"):
        found + means[2]
    with pytest.raises(dprelease.InputError, match="counts and sums"):
        share(means[0], means[1])
    assert (means[0] / means[1]).confidence == Fraction(9, 10)


def test_units_do_not_mix(release: dprelease.Release) -> None:
    count, money = release["regions"].cells[0], release["incomes"].cells[0]
    with pytest.raises(dprelease.InputError, match="'records' and 'EUR'"):
        count + money
    assert (money / count).unit == "EUR/records"
    average = money / count
    assert average.lower95 < 49.5 < average.upper95  # type: ignore[operator]


def test_a_denominator_that_may_be_nothing_has_no_quotient(release: dprelease.Release) -> None:
    north = release["regions"].cell(region="north")
    found = north / (north - north)
    assert (found.value, found.grade) == (None, "N")


def test_estimates_are_not_compared_as_numbers(release: dprelease.Release) -> None:
    one, other = release["regions"].cells[:2]
    for wrong in (lambda: one > other, lambda: bool(one), lambda: one <= 3):
        with pytest.raises(TypeError, match="sign"):
            wrong()  # type: ignore[no-untyped-call]
    assert (one - other).sign() in {"more", "less", "not_told"}
    assert one.sign() == "more"


def test_numbers_of_other_rows_are_added_with_a_warning(release: dprelease.Release) -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("visits", FRAME, population=None, epsilon=2)
    plan = dprelease.plan(
        "visits", Visits, unit="row", neighbors="add_remove", epsilon=1, where=Visits.income >= 50
    ).add(dprelease.count(by=Visits.region, id="regions"))
    other = workspace.publish(plan)
    one, two = release["regions"].cells[0], other["regions"].cells[0]
    with pytest.warns(UserWarning, match="conditions"):
        found = one + two
    assert found.form is not None
    assert len(found.form.draws) == 2


def test_a_loaded_release_is_the_published_one(release: dprelease.Release, tmp_path: Path) -> None:
    path = release.write(tmp_path)
    key = (path / "signer.pub").read_text()
    found = dprelease.load(path, key=[str(path / "signer.pub")])
    assert key
    assert (found.signer_known, found.id) == (True, release.id)
    assert [each.value for each in found["regions"]] == [each.value for each in release["regions"]]
    assert "expected key" in repr(found)
    quick = dprelease.load(path, checks="signature")
    assert quick.signer_known is False
    assert "signer unknown" in repr(quick)
    one, same = found["regions"].cells[0], quick["regions"].cells[0]
    assert (one - same).upper95 == 0  # the same draws, wherever they were read
    again = pickle.loads(pickle.dumps(found))
    assert (again == found, again.signer_known) == (True, True)
    with pytest.raises(dprelease.AccessError):
        again.write(tmp_path / "again")
    with pytest.raises(dprelease.IntegrityError):
        dprelease.load(path, key=["ed25519:" + "0" * 64, "ed25519:" + "1" * 64])
    with pytest.raises(dprelease.NotFoundError):
        dprelease.load(tmp_path / "nothing")
    table = path / "tables/regions.csv"
    table.write_text(table.read_text().replace("north", "nord"))
    with pytest.raises(dprelease.IntegrityError):
        dprelease.load(path, checks="signature")
