"""What dishonest sites and a dishonest coordinator may try: each is refused, and the error says what it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dprelease.bundle.signing import SigningKey
from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation import masks
from dprelease.extras.federation.check import check
from dprelease.extras.federation.envelope import Signed
from dprelease.extras.federation.folder import RoundFolder
from dprelease.extras.federation.roster import Federation, Site
from dprelease.extras.federation.round import Contribution
from dprelease.words.language import speaking
from tests.extras.federation.sites import PART, PLAN, Sites, a_charge, altered, forged, values


def swapped(messages: list[Signed], place: int, other: Signed) -> list[Signed]:
    return [other if number == place else each for number, each in enumerate(messages)]


# The roster


def test_two_sites_with_one_key_are_refused(sites: Sites) -> None:
    key = sites.keys[0].fingerprint
    with pytest.raises(InputError, match=r"one key for A and B.*Each site sends the fingerprint"):
        Federation(name="x", sites=(Site("A", key), Site("B", key)))
    with pytest.raises(InputError, match="name that no other site has"):
        Federation(name="x", sites=(Site("A", key), Site("A", sites.keys[1].fingerprint)))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": ""}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"sites": ()}, "sites: found 0; allowed: a whole number from 2 to 100"),
        ({"lost_sites": 3}, "lost_sites: found 3; allowed: a whole number from 0 to 2"),
        ({"lost_sites": True}, "lost_sites"),
        ({"max_sites": 0}, "max_sites"),
        ({"sites": (Site("A", "ed25519:00"), Site("B", "x"))}, r"sites\[0\].key"),
    ],
)
def test_a_roster_that_cannot_be_is_refused(sites: Sites, changes: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        replace(sites.federation, **changes)


def test_a_coordinator_that_shows_sites_different_rosters_is_seen(sites: Sites) -> None:
    stranger = SigningKey.in_memory()
    other = replace(sites.federation, sites=(*sites.federation.sites[:2], Site("Hospital 2", stranger.fingerprint)))
    shown = swapped(sites.rosters, 1, other.signed(sites.keys[1]))
    with pytest.raises(IntegrityError, match="Hospital 1 signed another roster"):
        sites.own(0).offer(shown)
    with pytest.raises(IntegrityError, match="the key of no site of Hospitals"):
        sites.own(0).offer([*sites.rosters[:2], other.signed(stranger)])
    with pytest.raises(IntegrityError, match=r"nothing of this kind \(roster\) has come from Hospital 2"):
        sites.own(0).offer(sites.rosters[:2])
    for changes in ({"lost_sites": 0}, {"max_sites": 2}, {"name": "Hospitals "[:-1] + "!"}):
        changed = replace(sites.federation, **changes).signed(sites.keys[1])
        with pytest.raises(IntegrityError, match="another roster"):
            sites.own(0).offer(swapped(sites.rosters, 1, changed))


def test_whoever_is_no_site_takes_no_part(sites: Sites) -> None:
    with pytest.raises(IntegrityError, match="no site of Hospitals"):
        replace(sites.own(0), key=SigningKey.in_memory())


# Offers and the id of the round


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda s, m: altered(m, attempt=2), "signature does not belong"),
        (lambda s, m: replace(m, signature="0" * 128), "signature does not belong"),
        (lambda s, m: replace(m, signature="0"), "signature does not belong"),
        (lambda s, m: replace(m, signer=s.keys[0].fingerprint), "signature does not belong"),
        (lambda s, m: forged(SigningKey.in_memory(), m), "the key of no site"),
        (lambda s, m: forged(s.keys[0], m), r"Hospital 0 signed a message \(offer\) that names another site"),
        (lambda s, m: forged(s.keys[1], m, kind="key"), "is not of the kind offer"),
        (lambda s, m: forged(s.keys[1], m, dprelease_round=2), "is not of the kind offer"),
        (lambda s, m: forged(s.keys[1], m, federation="0" * 64), "of Hospital 1 is of another roster"),
        (lambda s, m: forged(s.keys[1], m, plan="0" * 64), "of Hospital 1 is of another plan: one byte"),
        (lambda s, m: forged(s.keys[1], m, attempt=2), "of Hospital 1 is of another attempt"),
        (lambda s, m: forged(s.keys[1], m, attempt=True), "of Hospital 1 is of another attempt"),
        (lambda s, m: forged(s.keys[1], m, nonce="short"), "not valid: nonce"),
        (lambda s, m: forged(s.keys[1], m, more=1), "unknown or not valid: more"),
    ],
)
def test_an_offer_that_is_not_as_it_has_to_be_is_refused(
    sites: Sites, forge: Callable[[Sites, Signed], Signed], said: str
) -> None:
    offers = sites.offers()
    with pytest.raises(IntegrityError, match=said):
        sites.own(0).give_key(swapped(offers, 1, forge(sites, offers[1])), a_charge())


def test_an_offer_that_is_missing_or_doubled_is_refused(sites: Sites) -> None:
    offers = sites.offers()
    with pytest.raises(IntegrityError, match=r"has come from Hospital 1, Hospital 2\. Wait"):
        sites.own(0).give_key(offers[:1], a_charge())
    second = forged(sites.keys[1], offers[1], nonce="0" * 64)
    with pytest.raises(IntegrityError, match=r"Hospital 1 sent two messages \(offer\) that differ"):
        sites.own(0).give_key([*offers, second], a_charge())
    assert sites.own(0).give_key([*offers, *offers], a_charge((0, 1))) == sites.round_keys()[0]


def test_a_plan_that_differs_by_a_byte_is_another_round(sites: Sites, tmp_path: Path) -> None:
    for changes in (
        {"plan": ("0" if PLAN.plan[0] != "0" else "1") + PLAN.plan[1:]},
        {"parts": (PART, PART)},
        *(
            {"parts": (replace(PART, **{name: getattr(PART, name) + 1}),)}
            for name in ("cells", "l2_squared", "rho_nano")
        ),
    ):
        other = Sites(tmp_path / "other", plan=replace(PLAN, **changes), keys=sites.keys)
        assert other.federation == sites.federation
        with pytest.raises(IntegrityError, match="another plan"):
            sites.own(0).give_key(swapped(sites.offers(), 1, other.offers()[1]), a_charge())


def test_one_attempt_has_one_round(sites: Sites) -> None:
    sites.round_keys()
    second = forged(sites.keys[1], sites.offers()[1], nonce="0" * 64)
    with pytest.raises(IntegrityError, match="other offers than those that this attempt began with"):
        sites.own(0).give_key(swapped(sites.offers(), 1, second), a_charge("another"))
    with pytest.raises(IntegrityError, match="do not hold the nonce that Hospital 0 offered"):
        sites.own(0).give_key(swapped(sites.offers(), 0, forged(sites.keys[0], second, site="Hospital 0")), a_charge())


# Charges


def test_a_key_is_given_for_a_charge_of_its_own(sites: Sites) -> None:
    with pytest.raises(InputError, match="charge"):
        sites.own(0).give_key(sites.offers(), "not charged")
    assert not sites.own(0).keep.has("key.json")
    sites.round_keys()
    later = sites.again(2)
    with pytest.raises(IntegrityError, match="paid for another attempt"):
        later.own(0).give_key(later.offers(), sites.charge(0))
    with pytest.raises(IntegrityError, match=r"charged already, by the event"):
        sites.own(0).give_key(sites.offers(), a_charge("again"))


def test_two_sites_that_name_one_charge_are_refused_before_rows_are_read(sites: Sites) -> None:
    """Else one charge would pay for the rows of both. The name is made by real code: their events are the same."""
    offers = sites.offers()
    keys = [own.give_key(offers, a_charge(max(number, 1))) for number, own in enumerate(sites.all)]
    for own in sites.all:
        with pytest.raises(IntegrityError, match=r"Hospital 0 and Hospital 1 name one charge.*its own ledger.*void"):
            own.agree(keys)
        assert not own.keep.has("keys.json")
        assert not own.keep.has("masked.u64")
    with speaking("es"), pytest.raises(IntegrityError, match="Hospital 0 y Hospital 1 nombran un mismo cargo"):
        sites.own(2).agree(keys)
    sites.own(2).make_void()
    later = sites.again(2)
    later.total(values(3))  # each with an event of its own


# Keys and the list of them


def test_a_list_that_differs_between_sites_is_seen_before_anything_is_sent(sites: Sites) -> None:
    """A dishonest site gives two keys, and the coordinator shows each to some."""
    keys = sites.round_keys()
    second = forged(sites.keys[2], keys[2], key=masks.RoundKey().public)
    first, other = sites.own(0).agree(keys), sites.own(1).agree(swapped(keys, 2, second))
    third = sites.own(2).agree(keys)
    with pytest.raises(IntegrityError, match="Hospital 1 saw another list of round keys"):
        sites.own(0).contribute(values(3)[0], keys, [first, other, third])
    with pytest.raises(IntegrityError, match="Hospital 0 saw another list"):
        sites.own(1).contribute(values(3)[1], swapped(keys, 2, second), [first, other, third])
    with pytest.raises(IntegrityError, match="another list of round keys than the one that was signed here"):
        sites.own(0).agree(swapped(keys, 2, second))
    assert not any(own.keep.has("masked.u64") for own in sites.all)


def test_nothing_is_sent_before_all_signed_the_list(sites: Sites) -> None:
    keys, agreed = sites.round_keys(), sites.agreements()
    with pytest.raises(IntegrityError, match=r"nothing of this kind \(keys\) has come from Hospital 2"):
        sites.own(0).contribute(values(3)[0], keys, agreed[:2])
    with pytest.raises(IntegrityError, match=r"nothing of this kind \(key\) has come from Hospital 1, Hospital 2"):
        sites.own(0).agree(keys[:1])
    assert not sites.own(0).keep.has("masked.u64")


def test_keys_of_another_round_of_another_site_or_shared_ones_are_refused(sites: Sites) -> None:
    keys, later = sites.round_keys(), sites.again(2)
    with pytest.raises(IntegrityError, match="of Hospital 1 is of another attempt"):
        sites.own(0).agree(swapped(keys, 1, later.round_keys()[1]))
    with pytest.raises(IntegrityError, match="is of another round"):
        sites.own(0).agree(swapped(keys, 1, forged(sites.keys[1], keys[1], round="0" * 64)))
    with pytest.raises(IntegrityError, match="Hospital 0 and Hospital 1 gave one round key"):
        sites.own(0).agree(swapped(keys, 1, forged(sites.keys[1], keys[1], key=keys[0].message["key"])))
    with pytest.raises(IntegrityError, match="does not hold the one that Hospital 0 gave"):
        sites.own(0).agree(swapped(keys, 0, forged(sites.keys[0], keys[0], key=masks.RoundKey().public)))
    with pytest.raises(IntegrityError, match="no round has begun for Hospital 0 yet"):
        sites.again(3).own(0).agree(keys)


# Contributions


def finished(sites: Sites) -> tuple[list[Signed], list[Contribution]]:
    return sites.round_keys(), sites.contributions(values(3))


def test_a_vector_that_differs_by_a_byte_is_refused(sites: Sites) -> None:
    keys, sent = finished(sites)
    for place in range(len(sent[1].vector)):
        data = bytearray(sent[1].vector)
        data[place] ^= 1
        with pytest.raises(IntegrityError, match="the masked vector of Hospital 1 is not the one that it signed"):
            sites.round().combine(keys, [sent[0], replace(sent[1], vector=bytes(data)), sent[2]])
    for wrong in (sent[1].vector[:-8], sent[1].vector + bytes(8), sent[0].vector, b""):
        with pytest.raises(IntegrityError, match="Hospital 1"):
            sites.round().combine(keys, [sent[0], replace(sent[1], vector=wrong), sent[2]])


def test_a_vector_of_another_length_is_refused_though_it_is_signed(sites: Sites) -> None:
    keys, sent = finished(sites)
    short = Contribution(forged(sites.keys[1], sent[1].signed, masked=""), sent[1].vector[:-8])
    short = replace(short, signed=forged(sites.keys[1], sent[1].signed, masked=short.hash))
    with pytest.raises(IntegrityError, match="Hospital 1"):
        sites.round().combine(keys, [sent[0], short, sent[2]])


def test_a_contribution_that_is_missing_doubled_foreign_or_replayed_is_refused(sites: Sites) -> None:
    keys, sent = finished(sites)
    begun, stranger = sites.round(), SigningKey.in_memory()
    with pytest.raises(IntegrityError, match="has come from Hospital 2"):
        begun.combine(keys, sent[:2])
    other = bytes(len(sent[1].vector))
    second = Contribution(forged(sites.keys[1], sent[1].signed, masked=replace(sent[1], vector=other).hash), other)
    with pytest.raises(IntegrityError, match=r"Hospital 1 sent two messages \(masked\) that differ"):
        begun.combine(keys, [*sent, second])
    with pytest.raises(IntegrityError, match="the key of no site"):
        begun.combine(keys, [*sent, replace(sent[1], signed=forged(stranger, sent[1].signed))])
    replayed = sites.again(2).contributions(values(3))
    with pytest.raises(IntegrityError, match="Hospital 1 is of another attempt"):
        begun.combine(keys, [sent[0], replayed[1], sent[2]])
    assert np.array_equal(begun.combine(keys, [*sent, *sent]), begun.combine(keys, sent))


def test_nonsense_beyond_what_honest_sites_reach_is_refused(sites: Sites) -> None:
    keys, sent = finished(sites)
    vector = masks.to_bytes(masks.from_bytes(sent[1].vector) + np.uint64(2**63 - 1))
    nonsense = Contribution(sent[1].signed, vector)
    nonsense = replace(nonsense, signed=forged(sites.keys[1], sent[1].signed, masked=nonsense.hash))
    with pytest.raises(IntegrityError, match="at least one sent something else"):
        sites.round().combine(keys, [sent[0], nonsense, sent[2]])


def test_a_site_signs_no_sum_in_which_its_vector_is_another(sites: Sites) -> None:
    keys, sent = finished(sites)
    data = masks.to_bytes(masks.from_bytes(sent[0].vector) + np.uint64(1))
    moved = Contribution(sent[0].signed, data)
    moved = replace(moved, signed=forged(sites.keys[0], sent[0].signed, masked=moved.hash))
    with pytest.raises(IntegrityError, match="do not hold the one that Hospital 0 sent"):
        sites.own(0).cosign(keys, [moved, *sent[1:]])
    sites.own(0).cosign(keys, sent)
    second = Contribution(sent[1].signed, masks.to_bytes(masks.from_bytes(sent[1].vector) + np.uint64(1)))
    second = replace(second, signed=forged(sites.keys[1], sent[1].signed, masked=second.hash))
    with pytest.raises(IntegrityError, match="There is one sum in a round"):
        sites.own(0).cosign(keys, [sent[0], second, sent[2]])


def test_a_published_sum_that_not_all_signed_is_refused(sites: Sites, tmp_path: Path) -> None:
    folder = sites.finish(tmp_path / "shared", values(3))
    message = folder.messages("sum")[1]
    (folder.path / "2.sum.json").write_bytes(forged(sites.keys[1], message, sum="0" * 64).to_bytes())
    with pytest.raises(IntegrityError, match=r"Hospital 1 signed \(sum\) another sum of the same vectors"):
        check(folder)
    masked = ["0" * 64, *message.message["masked"][1:]]
    (folder.path / "2.sum.json").write_bytes(forged(sites.keys[1], message, masked=masked).to_bytes())
    with pytest.raises(IntegrityError, match=r"Hospital 1 signed \(sum\) the sum of other vectors"):
        check(folder)


def test_a_false_sum_beside_true_vectors_is_seen(sites: Sites, tmp_path: Path) -> None:
    folder = sites.finish(tmp_path / "shared", values(3))
    total = (folder.path / "sum.i64").read_bytes()
    (folder.path / "sum.i64").write_bytes(bytes([total[0] ^ 1]) + total[1:])
    with pytest.raises(IntegrityError, match="not that of the masked vectors"):
        check(folder)


# Files


@pytest.mark.parametrize("kind", ["../escape", "key/../../x", "", "cosign", "sum.json", None, 3])
def test_a_message_of_no_kind_makes_no_file(sites: Sites, tmp_path: Path, kind: object) -> None:
    folder = RoundFolder(tmp_path / "shared")
    with pytest.raises(IntegrityError, match="no signed message of a federation"):
        folder.put(sites.federation, Signed.by(sites.keys[0], {"kind": kind}))
    assert not folder.path.exists()


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"{}", b"[]", b"\xff", b"{" * 5000, b" " * 2_000_000),
        b'{"message":{},"signer":"x","signature":"y"}',
        b'{"message":{"a":1e999},"signer":"","signature":""}',
        b'{"message":{},"message":{},"signer":"","signature":""}',
        b'{"message":{"a":123456789012345678901234567890},"signature":"","signer":""}',
        b'{"message":{"a":"\\ud800"},"signature":"","signer":""}',
    ],
)
def test_what_is_no_message_is_refused_as_such(data: bytes) -> None:
    with pytest.raises(IntegrityError, match=r"1\.key\.json"):
        Signed.from_bytes(data, "1.key.json")


def test_errors_are_said_in_spanish(sites: Sites) -> None:
    with speaking("es"), pytest.raises(IntegrityError, match="no ha llegado nada de este tipo") as refused:
        sites.own(0).offer(sites.rosters[:2])
    assert "Hospital 2" in str(refused.value)
