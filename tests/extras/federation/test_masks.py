"""Masks: as the standards have them, the same for both of a pair, another in each round, and uniform."""

from __future__ import annotations

import hashlib
import hmac
import struct
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from scipy.stats import chi2

from dprelease.errors import IntegrityError
from dprelease.extras.federation import masks
from dprelease.extras.federation.masks import RoundKey
from tests.extras.federation.sites import Sites, planned

ROUND = hashlib.sha256(b"round").hexdigest()
OTHER = hashlib.sha256(b"another round").hexdigest()
ALICE = bytes.fromhex("77076d0a7318a57d3c16c17251b26645ce6c3f22a0b1b3c5d2b8e5c5c6e0f5a1")
FALSE_ALARM = 1e-9


def chacha_block(key: bytes, counter: int, nonce: bytes) -> bytes:
    """One block of RFC 8439, 2.3, written from its text."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key)]
    start += [counter, *struct.unpack("<3I", nonce)]
    state = list(start)

    def quarter(a: int, b: int, c: int, d: int) -> None:
        for one, two, three, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[one] = (state[one] + state[two]) % 2**32
            mixed = state[three] ^ state[one]
            state[three] = (mixed << turn | mixed >> (32 - turn)) % 2**32

    for _ in range(10):
        for column in range(4):
            quarter(column, column + 4, column + 8, column + 12)
        for diagonal in range(4):
            places = ((diagonal + step) % 4 + 4 * step for step in range(4))
            quarter(*places)
    return struct.pack("<16I", *((one + two) % 2**32 for one, two in zip(state, start, strict=True)))


def test_the_block_is_that_of_the_standard() -> None:
    """RFC 8439, 2.3.2."""
    block = chacha_block(bytes(range(32)), 1, bytes.fromhex("000000090000004a00000000"))
    assert block.hex().startswith("10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c06803")


def test_a_mask_is_chacha20_keyed_by_hkdf_of_the_shared_secret() -> None:
    one, other = RoundKey.from_bytes(ALICE), RoundKey()
    theirs = X25519PublicKey.from_public_bytes(bytes.fromhex(other.public))
    shared = X25519PrivateKey.from_private_bytes(ALICE).exchange(theirs)
    pair = b"".join(sorted([bytes.fromhex(one.public), bytes.fromhex(other.public)]))
    extracted = hmac.digest(bytes.fromhex(ROUND), shared, "sha256")
    key = hmac.digest(extracted, b"dprelease mask 1" + pair + b"\x01", "sha256")
    stream = b"".join(chacha_block(key, counter, bytes(12)) for counter in range(3))
    assert masks.to_bytes(one.mask(other.public, ROUND, 20)) == stream[:160]


def test_both_of_a_pair_have_one_mask_and_another_in_each_round() -> None:
    one, other, third = RoundKey(), RoundKey(), RoundKey()
    mask = one.mask(other.public, ROUND, 50)
    assert np.array_equal(mask, other.mask(one.public, ROUND, 50))
    assert not (mask == one.mask(other.public, OTHER, 50)).any()
    assert not (mask == one.mask(third.public, ROUND, 50)).any()
    assert np.array_equal(mask[:7], one.mask(other.public, ROUND, 7))


@pytest.mark.parametrize("count", [2, 3, 7])
def test_masks_of_all_add_up_to_nothing(count: int) -> None:
    keys = [RoundKey() for _ in range(count)]
    public = {place: key.public for place, key in enumerate(keys)}
    ends = np.array([0, 1, -1, 2**62, -(2**62), 2**63 - 1, -(2**63)], dtype=np.int64)
    sent = [masks.masked(ends, key, place, public, ROUND) for place, key in enumerate(keys)]
    with np.errstate(over="ignore"):
        assert np.array_equal(np.sum(sent, axis=0, dtype=np.uint64), ends.view(np.uint64) * np.uint64(count))
    assert not any((each == ends.view(np.uint64)).any() for each in sent)


def test_a_key_that_makes_no_secret_is_refused() -> None:
    with pytest.raises(IntegrityError, match="masks that anyone knows"):
        RoundKey().mask("00" * 32, ROUND, 1)


def test_the_secret_is_not_shown() -> None:
    assert ALICE.hex()[:8] not in repr(RoundKey.from_bytes(ALICE))


def uniform(vectors: list[bytes]) -> bool:
    """Whether bytes at each of 8 places are spread as chance has them: fails by chance once in 8·10^9 times."""
    numbers = np.concatenate([np.frombuffer(vector, dtype=np.uint8) for vector in vectors]).reshape(-1, 8)
    expected = len(numbers) / 256
    found = [((np.bincount(column, minlength=256) - expected) ** 2 / expected).sum() for column in numbers.T]
    return max(found) < chi2.isf(FALSE_ALARM / 8, 255)


@pytest.mark.full
def test_each_masked_vector_looks_uniform_whatever_it_holds(tmp_path: Path) -> None:
    plan = planned(cells=40_000)
    sites = Sites(tmp_path, plan=plan)
    counts = [np.full(plan.cells, number, dtype=np.int64) for number in range(3)]
    for sent in sites.contributions(counts):
        assert uniform([sent.vector])
        numbers = masks.from_bytes(sent.vector)
        # The sign bit and neighbouring cells: 6 standard errors, by chance once in 5·10^8.
        assert abs(float((numbers >> np.uint64(63)).mean()) - 0.5) < 6 * 0.5 / np.sqrt(plan.cells)
        high = (numbers >> np.uint64(40)).astype(float)
        assert abs(float(np.corrcoef(high[1:], high[:-1])[0, 1])) < 6 / np.sqrt(plan.cells)


def test_a_vector_that_is_not_masked_is_seen() -> None:
    assert not uniform([masks.to_bytes(np.arange(40_000, dtype=np.uint64))])
    low = np.frombuffer(RoundKey().mask(RoundKey().public, ROUND, 40_000).tobytes(), dtype="<u8") >> np.uint64(32)
    assert not uniform([masks.to_bytes(low)])


def test_the_same_plan_at_the_same_sites_is_another_round_each_time(sites: Sites, tmp_path: Path) -> None:
    """Where a site's folder was lost, say: the id would be the same without the nonces."""
    assert Sites(tmp_path / "new folders", keys=sites.keys).round().id != sites.round().id


def test_a_mask_that_serves_twice_tells_the_difference_and_rounds_never_share_one(sites: Sites) -> None:
    """The mutant: with one id for two rounds of the same keys, vectors would differ by what they hold alone."""
    one, other = RoundKey(), RoundKey()
    public = {0: one.public, 1: other.public}
    first = masks.masked(np.array([5, 9]), one, 0, public, ROUND)
    again = masks.masked(np.array([7, 4]), one, 0, public, ROUND)
    assert (again - first).view(np.int64).tolist() == [2, -5]
    another = masks.masked(np.array([7, 4]), one, 0, public, OTHER)
    assert (np.abs((another - first).view(np.int64)) > 2**32).all()
    assert sites.round().id != sites.again(2).round().id
