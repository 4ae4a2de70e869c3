"""Timestamps of a real authority, made with openssl; and what is not one."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rfc3161_client import decode_timestamp_response

from dprelease.bundle.listing import CHECKSUMS, TIMESTAMP
from dprelease.bundle.read import read
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.timestamp import MAX_BYTES, attach, check
from dprelease.bundle.write import place, write
from dprelease.errors import InputError, IntegrityError
from dprelease.model.release import Release
from dprelease.portal.site import write_site
from tests.bundle.authority import Authority
from tests.bundle.releases import snapshot

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")

MESSAGE = b"0 release.json\n"
REFUSED = bytes.fromhex("30053003020102")
"""A response without a token: rejected."""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.make(tmp_path_factory.mktemp("authority") / "one", "Authority")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.make(tmp_path_factory.mktemp("authority") / "two", "Other", chain=True)


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / written.name))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("token", [False, True])
@pytest.mark.parametrize("digest", ["sha256", "sha384", "sha512"])
def test_the_time_is_the_authoritys(authority: Authority, token: bool, digest: str) -> None:
    stamp = authority.stamp(MESSAGE, token=token, digest=digest)
    for trusted in (None, authority.root, authority.own + authority.root):
        time = check(stamp, MESSAGE, trusted)
        assert time.tzinfo is UTC
        assert abs(time - datetime.now(UTC)) < timedelta(minutes=5)


@pytest.mark.full
def test_an_answer_with_the_whole_chain_is_read(other: Authority) -> None:
    """openssl sends certificates in the order of its settings, which is not that of DER."""
    stamp = other.stamp(MESSAGE)
    with pytest.raises(ValueError, match="InvalidSetOrdering"):
        decode_timestamp_response(stamp)
    check(stamp, MESSAGE, other.root)


def test_an_answer_without_certificates_needs_the_authoritys_own(authority: Authority) -> None:
    stamp = authority.stamp(MESSAGE, certificate=False)
    check(stamp, MESSAGE)
    check(stamp, MESSAGE, authority.own + authority.root)
    with pytest.raises(IntegrityError, match="vouch"):
        check(stamp, MESSAGE, authority.root)


def test_a_timestamp_of_other_bytes_is_refused(authority: Authority) -> None:
    with pytest.raises(IntegrityError, match="other bytes"):
        check(authority.stamp(MESSAGE), MESSAGE + b"\n")


def test_a_weak_hash_is_refused(authority: Authority) -> None:
    with pytest.raises(IntegrityError, match="SHA-256"):
        check(authority.stamp(MESSAGE, digest="sha1"), MESSAGE)


def test_an_authority_that_was_not_named_is_refused(authority: Authority, other: Authority) -> None:
    for trusted in (other.root, other.own + other.root, authority.own + other.root):
        with pytest.raises(IntegrityError, match="vouch"):
            check(authority.stamp(MESSAGE), MESSAGE, trusted)


@pytest.mark.parametrize("usage", ["timeStamping", "critical, serverAuth"])
def test_a_certificate_for_something_else_is_refused(authority: Authority, usage: str) -> None:
    stamp = authority.stamp(MESSAGE, certificate=False)
    with pytest.raises(IntegrityError, match="vouch"):
        check(stamp, MESSAGE, authority.certificate(usage) + authority.root)


@pytest.mark.parametrize("pem", [b"", b"text", SigningKey.in_memory().public.pem])
def test_certificates_that_are_none_are_the_askers_mistake(authority: Authority, pem: bytes) -> None:
    with pytest.raises(InputError, match="root"):
        check(authority.stamp(MESSAGE), MESSAGE, pem)
    with pytest.raises(InputError, match="root"):
        check(authority.stamp(MESSAGE), MESSAGE, authority.own)


@pytest.mark.parametrize(
    "data",
    [
        *(
            b"",
            b"\x30",
            b"\x30\x00",
            b"\x30\x80\x00\x00",
            b"\x30\x84\xff\xff\xff\xff",
            b"<html>",
            b"\x30\x03\x30\x01\x00",
        ),
        *(REFUSED, REFUSED + b"x", b"\x06\x01\x00", b"\x30\x03\x06\x01\x00", b"\x30" * 3000, bytes(MAX_BYTES + 1)),
    ],
)
def test_what_is_no_timestamp_is_refused(data: bytes) -> None:
    with pytest.raises(IntegrityError, match=TIMESTAMP):
        check(data, MESSAGE)


def test_a_damaged_timestamp_is_refused_or_still_that_of_the_authority(authority: Authority) -> None:
    stamp = authority.stamp(MESSAGE)
    time, draws = check(stamp, MESSAGE, authority.root), random.Random(1)
    refused = 0
    for _ in range(1500):
        place, kind = draws.randrange(len(stamp)), draws.randrange(3)
        more = bytes([draws.randrange(256)])
        damaged = (
            stamp[:place] + (more, b"", stamp[place : place + 1] + more)[kind] + stamp[place + 1 :]
            if draws.randrange(20)
            else stamp[:place]
        )
        try:
            assert check(damaged, MESSAGE, authority.root) == time
        except IntegrityError:
            refused += 1
    assert refused > 1200


def test_a_timestamp_is_attached_and_read(authority: Authority, copy: Path) -> None:
    before = snapshot(copy)
    stamp = authority.stamp(before[CHECKSUMS], token=True)
    time = attach(copy, stamp)
    assert snapshot(copy).keys() == before.keys() | {TIMESTAMP}
    bundle = read(copy)
    assert check(bundle.contents[TIMESTAMP], bundle.contents[CHECKSUMS], authority.root) == time
    assert bundle.files == len(before) + 1
    verified = ("ts", "-verify", "-data", CHECKSUMS, "-in", TIMESTAMP, "-CAfile", str(authority.folder / "root.pem"))
    assert subprocess.run(["openssl", *verified], cwd=copy, capture_output=True).returncode == 0


def test_a_timestamp_of_another_release_is_not_attached(authority: Authority, copy: Path, tmp_path: Path) -> None:
    before = snapshot(copy)
    for stamp in (authority.stamp(MESSAGE), b"", REFUSED):
        with pytest.raises(IntegrityError):
            attach(copy, stamp)
    stamp = authority.stamp(before[CHECKSUMS])
    archive = Path(shutil.make_archive(str(tmp_path / "bundle"), "zip", copy))
    with pytest.raises(InputError, match="folder"):
        attach(archive, stamp)
    assert snapshot(copy) == before
    attach(copy, stamp)
    with pytest.raises(InputError, match="without one"):
        attach(copy, authority.stamp(before[CHECKSUMS]))
    (copy / "tables" / "n.csv").write_text("changed")
    (copy / TIMESTAMP).unlink()
    with pytest.raises(IntegrityError, match=r"n\.csv"):
        attach(copy, stamp)


def test_a_timestamp_does_not_replace_a_release(
    authority: Authority, copy: Path, release: Release, key: SigningKey, tmp_path: Path
) -> None:
    attach(copy, authority.stamp((copy / CHECKSUMS).read_bytes()))
    assert write(release, copy.parent, key) == copy
    assert (copy / TIMESTAMP).exists()
    plain = write(release, tmp_path / "plain", key)
    place(snapshot(copy), plain.parent, plain.name)
    assert snapshot(plain) == snapshot(copy)


@pytest.mark.full
def test_a_site_takes_timestamps_along(authority: Authority, copy: Path, tmp_path: Path) -> None:
    write_site([copy], tmp_path / "site")
    shown = tmp_path / "site" / "releases" / copy.name
    assert not (shown / TIMESTAMP).exists()
    attach(copy, authority.stamp((copy / CHECKSUMS).read_bytes()))
    write_site([copy], tmp_path / "site")
    assert snapshot(shown) == snapshot(copy)


def test_reading_a_bundle_without_one_loads_no_timestamp_library(written: Path) -> None:
    code = "import sys; from pathlib import Path; from dprelease.bundle import read, timestamp; "
    code += "read.read(Path(sys.argv[1])); print('rfc3161_client' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code, str(written)], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"
