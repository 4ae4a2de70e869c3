"""Bundles that are shown and served: only what was signed, and nothing from elsewhere on the disk."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from dprelease.bundle.listing import CHECKSUMS, SIGNATURE
from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError
from dprelease.portal.shelf import Bundle, BundleIndex
from dprelease.portal.source import PublicFolder


@pytest.fixture
def copied(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "public" / written.name))


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "tables/../../secret", "a/b/c", ".hidden", "", "tables/"])
def test_a_list_that_leads_elsewhere_is_refused_whoever_signed_it(copied: Path, key: SigningKey, name: str) -> None:
    (copied.parent / "secret").write_bytes(b"of the machine")
    sums = (copied / CHECKSUMS).read_bytes() + f"{hashlib.sha256(b'of the machine').hexdigest()}  {name}\n".encode()
    (copied / CHECKSUMS).write_bytes(sums)
    (copied / SIGNATURE).write_bytes(key.sign(sums))
    with pytest.raises(IntegrityError):
        Bundle.open(copied.name, copied)
    assert BundleIndex(PublicFolder(copied.parent)).bundles() == []


def test_a_large_file_is_checked_before_it_is_sent(copied: Path) -> None:
    bundle = Bundle.open(copied.name, copied)
    name = next(name for name in bundle.sums if name.startswith("tables/"))
    assert bundle.checked(name) == copied / name
    (copied / name).write_bytes(b"changed")
    with pytest.raises(IntegrityError, match="not what was signed"):
        bundle.checked(name)
