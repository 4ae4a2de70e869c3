"""A whole round: the sum is that of the pooled tally, bit by bit, and everything is found again from its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation.check import check
from dprelease.extras.federation.folder import PLAN as PLAN_FILE
from dprelease.extras.federation.folder import TOTAL, RoundFolder
from dprelease.extras.federation.noise import most, spreads
from dprelease.extras.federation.own_round import checked
from tests.extras.federation.sites import PART, PLAN, Sites, a_charge, planned, values, without_noise
from tests.tries import tries


@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_sum_before_noise_is_that_of_the_pooled_tally_in_every_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    without_noise(monkeypatch)
    sites = Sites(tmp_path, count=count)
    assert np.array_equal(sites.total(values(count)), sum(values(count)))


def test_integers_beyond_64_bits_and_below_0_are_clamped_and_never_wrap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_noise(monkeypatch)
    sites = Sites(tmp_path, plan=planned(cells=4))
    huge = np.array([10**30, -(10**30), 2**63, -1], dtype=object)
    bound = most(sites.federation)
    assert sites.total([huge] * 3).tolist() == [3 * bound, -3 * bound, 3 * bound, -3]


def test_parts_have_their_own_noise_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """σ = 100 in the first cells, 30 in the others; cut elsewhere, a cell of 20,000 would have the other noise."""
    parts = (replace(PART, cells=6_000, l2_squared=100), replace(PART, cells=4_000, l2_squared=9))
    plan = replace(PLAN, parts=parts)
    sites = Sites(tmp_path / "noisy", count=2, plan=plan)
    total = sites.total([np.zeros(plan.cells, dtype=np.int64)] * 2).astype(float)
    for own, spread in zip((total[:6_000], total[6_000:]), spreads(sites.federation, plan), strict=True):
        # 6 standard errors: by chance once in 10^8 times.
        assert abs((own**2).mean() / spread**2 - 1) < 6 * (2 / len(own)) ** 0.5
    assert plan.rho_nano == 2 * PART.rho_nano
    without_noise(monkeypatch)
    exact = Sites(tmp_path / "exact", count=2, plan=plan).total(values(2, plan.cells))
    assert np.array_equal(exact, sum(values(2, plan.cells)))


def test_noise_is_added_and_differs_each_time(tmp_path: Path) -> None:
    counts = [np.zeros(6, dtype=np.int64)] * 3
    one, other = (Sites(tmp_path / name).total(counts).tolist() for name in ("one", "other"))
    assert one != other  # alike by chance once in 10^7 · 10^3 times: six cells with σ = 12


def test_a_finished_round_is_found_again_from_its_files(sites: Sites, tmp_path: Path) -> None:
    folder = sites.finish(tmp_path / "shared", values(3))
    found = check(RoundFolder(folder.path))
    assert np.array_equal(found.total, sites.round().combine(sites.round_keys(), sites.contributions(values(3))))
    assert found.round.id == sites.round().id
    assert found.round.federation == sites.federation
    assert found.charges == {f"Hospital {number}": a_charge((number, 1)) for number in range(3)}
    assert found.recomputed
    assert found.losses[0] == (1, found.losses[0][1])
    assert found.losses[0][1] <= PLAN.rho_nano
    assert found.spreads == pytest.approx([found.sigmas[0] * 3**0.5])


def test_what_is_published_holds_no_vector_and_is_still_checked(sites: Sites, tmp_path: Path) -> None:
    folder = sites.finish(tmp_path / "shared", values(3))
    folder.publish(tmp_path / "public")
    folder.publish(tmp_path / "public")
    assert not list((tmp_path / "public").glob("*.u64"))
    found, public = check(folder), check(RoundFolder(tmp_path / "public"))
    assert public == replace(found, recomputed=False)
    assert np.array_equal(public.total, found.total)


@pytest.mark.full
def test_every_byte_of_every_published_file_matters(sites: Sites, tmp_path: Path) -> None:
    folder = sites.finish(tmp_path / "shared", values(3))
    files = sorted(path for path in folder.path.iterdir())
    assert len(files) == 1 + 6 * 3 + 3 + 1
    for path in files:
        data = path.read_bytes()
        for place in {0, len(data) // 3, len(data) // 2, len(data) - 1}:
            path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            with pytest.raises(IntegrityError):
                check(folder)
        path.write_bytes(data + b"\n")
        with pytest.raises(IntegrityError):
            check(folder)
        path.unlink()
        with pytest.raises(IntegrityError, match=r"missing|has come from|no roster"):
            check(folder)
        path.write_bytes(data)
    assert check(folder).recomputed


def test_a_message_travels_once_and_a_resend_changes_nothing(sites: Sites, tmp_path: Path) -> None:
    folder = sites.finish(tmp_path / "shared", values(3))
    before = {path.name: path.read_bytes() for path in folder.path.iterdir()}
    sites.finish(tmp_path / "shared", values(3))
    assert {path.name: path.read_bytes() for path in folder.path.iterdir()} == before
    with pytest.raises(IntegrityError, match=PLAN_FILE):
        folder.put_plan(sites.plan, 2)
    with pytest.raises(IntegrityError, match=TOTAL):
        folder.put_total(np.zeros(6, dtype=np.int64))


def test_plans_that_cannot_be_are_refused_before_anything_is_kept(tmp_path: Path) -> None:
    sites = Sites(tmp_path, plan=planned(rho_nano=10**9))
    with pytest.raises(InputError, match="σ"):
        sites.own(0)
    with pytest.raises(InputError, match="attempt"):
        Sites(tmp_path).again(0).own(0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "wrong", [np.zeros(6), np.zeros(5, dtype=int), np.zeros((2, 3), dtype=int), [1.0] * 6, [True] * 6, ["1"] * 6, 3]
)
def test_what_is_no_row_of_integers_is_refused_and_not_quoted(wrong: Any) -> None:
    with pytest.raises(InputError, match="allowed: 6 integers in one row"):
        checked(wrong, 6)


def test_a_refused_row_of_integers_leaves_the_round_as_it_was(sites: Sites) -> None:
    keys, agreed = sites.round_keys(), sites.agreements()
    with pytest.raises(InputError):
        sites.own(0).contribute(np.zeros(6), keys, agreed)
    assert len(sites.contributions(values(3))) == 3


@settings(max_examples=tries(200), deadline=None)
@given(st.lists(st.integers(), min_size=3, max_size=3))
def test_integers_of_any_type_are_taken_exactly(numbers: list[int]) -> None:
    found = np.array(numbers, dtype=object)
    assert checked(found, 3).tolist() == numbers
    small = [number % 2**63 for number in numbers]
    for dtype in (np.int64, np.uint64):
        assert checked(np.array(small, dtype=dtype), 3).tolist() == small
