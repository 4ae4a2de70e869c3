"""Whatever is killed and whenever: a site tells the same bytes again, or nothing; and void is final."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from stat import S_IMODE

import numpy as np
import pytest

from dprelease.bundle import signing
from dprelease.errors import IntegrityError
from dprelease.extras.federation import own_round
from dprelease.extras.federation.check import check
from dprelease.extras.federation.folder import RoundFolder
from dprelease.extras.federation.messages import VOID, sign
from dprelease.extras.federation.own_round import HEEDED, SECRET, VECTOR
from tests.extras.federation.mortal import KilledError, Mortal
from tests.extras.federation.sites import Sites, a_charge, values


def driven(sites: Sites, shared: RoundFolder, told: list[bytes]) -> None:
    """All that all sites do, one after the other, as far as they come; what leaves a site is told."""
    shared.put_plan(sites.plan, sites.attempt)
    for message in sites.rosters:
        shared.put(sites.federation, message)
    for own in sites.all:
        told.append((sent := own.offer(sites.rosters)).to_bytes())
        shared.put(sites.federation, sent)
    for number, own in enumerate(sites.all):
        told.append((sent := own.give_key(shared.messages("offer"), sites.charge(number))).to_bytes())
        shared.put(sites.federation, sent)
    keys = shared.messages("key")
    for own in sites.all:
        told.append((sent := own.agree(keys)).to_bytes())
        shared.put(sites.federation, sent)
    for own, counts in zip(sites.all, values(sites.count), strict=True):
        given = own.contribute(counts, keys, shared.messages("keys"))
        told.extend((given.signed.to_bytes(), given.vector))
        shared.put_contribution(sites.federation, given)
    for own in sites.all:
        sent, total = own.cosign(keys, shared.contributions(sites.federation))
        told.append(sent.to_bytes())
        shared.put_total(total)
        shared.put(sites.federation, sent)


def moments() -> Iterator[int]:
    """Every moment of a round of two sites (about 110)."""
    yield from range(1, 140)


@pytest.mark.full
def test_a_round_survives_a_kill_at_every_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mortal, deaths = Mortal(monkeypatch), 0
    for moment in moments():
        sites = Sites(tmp_path / str(moment), count=2)
        shared, told = RoundFolder(tmp_path / str(moment) / "shared"), []
        mortal.left = moment
        try:
            driven(sites, shared, told)
        except KilledError:
            deaths += 1
        mortal.left = None
        driven(sites, shared, told)
        assert check(shared).recomputed
        # Of each site: an offer, a key, a list, a message about its vector, the vector, a sum; each always the same.
        assert len(set(told)) == 2 * 6
        assert not list((tmp_path / str(moment)).rglob(SECRET))
    assert 60 < deaths < 139, "moments() no longer covers the round"


@pytest.mark.full
def test_two_hundred_random_kills_and_restarts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mortal, chance, deaths, rounds = Mortal(monkeypatch), random.Random(7), 0, 0
    while deaths < 200:
        rounds += 1
        sites = Sites(tmp_path / str(rounds), count=3)
        shared, told = RoundFolder(tmp_path / str(rounds) / "shared"), []
        for _ in range(40):
            mortal.left = chance.randint(1, 90)
            try:
                driven(sites, shared, told)
                break
            except KilledError:
                deaths += 1
        mortal.left = None
        driven(sites, shared, told)
        assert check(shared).recomputed
        assert len(set(told)) == 3 * 6


def test_a_resend_is_the_same_bytes_whatever_the_counts_are_now(sites: Sites) -> None:
    keys, agreed = sites.round_keys(), sites.agreements()
    first = sites.own(0).contribute(values(3)[0], keys, agreed)
    assert sites.own(0).contribute(values(3)[1], keys, agreed) == first
    assert sites.own(0).contribute(np.zeros(6), keys, agreed) == first  # not even looked at


def test_of_processes_that_contribute_at_once_all_send_one_vector(sites: Sites) -> None:
    keys, agreed = sites.round_keys(), sites.agreements()
    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(lambda _: sites.own(0).contribute(values(3)[0], keys, agreed).vector, range(24)))
    assert len(set(sent)) == 1


def test_the_round_key_is_destroyed_once_the_vector_is_kept(sites: Sites) -> None:
    keys, agreed = sites.round_keys(), sites.agreements()
    private = sites.own(0).keep
    assert len(private.read(SECRET) or b"") == 32
    assert S_IMODE(private.path(SECRET).stat().st_mode) == 0o600
    sites.own(0).contribute(values(3)[0], keys, agreed)
    assert not private.has(SECRET)
    os.unlink(private.path(VECTOR))  # lost by accident: there is no second one
    with pytest.raises(IntegrityError, match=r"destroyed and nothing was sent\. Make the round void"):
        sites.own(0).contribute(values(3)[0], keys, agreed)


def test_nothing_confidential_is_kept(sites: Sites) -> None:
    """Neither the integers nor their noise stand in a site's folder: the vector is masked before it is kept."""
    counts = [np.full(6, 2**40 + number, dtype=np.int64) for number in range(3)]
    sites.contributions(counts)
    for path in sites.root.rglob("*"):
        if path.is_file():
            numbers = np.frombuffer(path.read_bytes()[: path.stat().st_size // 8 * 8], dtype="<i8")
            assert (np.abs(numbers - 2**40) > 2**30).all()  # by chance once in 10^8 times


# Void


def test_void_is_final_for_whoever_made_or_saw_it(sites: Sites) -> None:
    keys, agreed = sites.round_keys(), sites.agreements()
    message = sites.own(2).make_void()
    assert sites.own(2).make_void() == message
    sites.own(0).heed(message)
    sites.own(0).heed(message)
    sent = sites.own(1).contribute(values(3)[1], keys, agreed)
    for number in (0, 2):
        own = sites.own(number)
        for step in (
            lambda own=own: own.contribute(values(3)[0], keys, agreed),
            lambda own=own, number=number: own.give_key(sites.offers(), sites.charge(number)),
            lambda own=own: own.agree(keys),
            lambda own=own: own.cosign(keys, [sent]),
        ):
            with pytest.raises(IntegrityError, match="Hospital 2 made this round void, which is final"):
                step()
        assert not own.keep.has(SECRET)
        assert not own.keep.has(VECTOR)


def test_what_was_sent_before_a_void_is_not_sent_again(sites: Sites) -> None:
    keys, agreed = sites.round_keys(), sites.agreements()
    sites.own(0).contribute(values(3)[0], keys, agreed)
    sites.own(0).heed(sites.own(2).make_void())
    with pytest.raises(IntegrityError, match="void"):
        sites.own(0).contribute(values(3)[0], keys, agreed)


def test_a_void_that_arrives_while_a_vector_is_made_stops_it(sites: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    keys, agreed = sites.round_keys(), sites.agreements()
    message, real = sites.own(2).make_void(), signing.store_secret

    def slow(path: Path, data: bytes) -> None:
        if path.name == VECTOR and not path.with_name(HEEDED).exists():
            real(path.with_name(HEEDED), message.to_bytes())
        real(path, data)

    monkeypatch.setattr(own_round, "store_secret", slow)
    with pytest.raises(IntegrityError, match="void"):
        sites.own(0).contribute(values(3)[0], keys, agreed)


def test_a_void_of_another_round_or_of_a_stranger_changes_nothing(sites: Sites) -> None:
    sites.round_keys()
    later = sites.again(2)
    later.round_keys()
    with pytest.raises(IntegrityError, match="of Hospital 2 is of another attempt"):
        sites.own(0).heed(later.own(2).make_void())
    with pytest.raises(IntegrityError, match="is not of the kind void"):
        sites.own(0).heed(sites.offers()[2])
    assert len(sites.contributions(values(3))) == 3


def test_a_site_either_signs_the_sum_or_makes_the_round_void(sites: Sites, tmp_path: Path) -> None:
    keys, sent = sites.round_keys(), sites.contributions(values(3))
    sites.own(0).cosign(keys, sent)
    with pytest.raises(IntegrityError, match="Hospital 0 co-signed the sum"):
        sites.own(0).make_void()
    message = sites.own(1).make_void()
    with pytest.raises(IntegrityError, match="Hospital 1 made this round void"):
        sites.own(1).cosign(keys, sent)
    sites.own(0).heed(message)
    with pytest.raises(IntegrityError, match="void"):
        sites.own(0).cosign(keys, sent)


def test_a_void_round_is_never_complete(sites: Sites, tmp_path: Path) -> None:
    shared = sites.finish(tmp_path / "shared", values(3))
    fresh = Sites(tmp_path / "fresh", keys=sites.keys)
    begun = sites.round()
    dishonest = sign(fresh.keys[1], sites.federation, VOID, begun.fields)
    shared.put(sites.federation, dishonest)
    with pytest.raises(IntegrityError, match="Hospital 1 signed both the sum and that the round is void"):
        check(shared)
    (shared.path / "2.sum.json").unlink()
    with pytest.raises(IntegrityError, match="Hospital 1 made this round void"):
        check(shared)


def test_another_attempt_after_a_void_has_other_keys_noise_and_charges(sites: Sites) -> None:
    """The mutant: the round again, with the same noise for fewer sites, would show what the lost site counted."""
    first, keys = sites.contributions(values(3)), sites.round_keys()
    sites.own(2).make_void()
    again = sites.again(2)
    second = again.contributions(values(3))
    assert again.round().id != sites.round().id
    assert {each.message["key"] for each in keys}.isdisjoint(each.message["key"] for each in again.round_keys())
    with pytest.raises(IntegrityError, match="paid for another attempt"):
        sites.again(3).own(0).give_key(sites.again(3).offers(), sites.charge(0))
    one = sites.round().combine(keys, first)
    other = again.round().combine(again.round_keys(), second)
    assert one.tolist() != other.tolist()  # alike by chance once in 10^10 times
    for number in range(3):
        assert not (np.frombuffer(first[number].vector, "<u8") == np.frombuffer(second[number].vector, "<u8")).any()
    assert a_charge((0, 1)) != a_charge((0, 2))
