"""Reading: exactly the signed files, or an error in words; whatever a stranger sends."""

from __future__ import annotations

import json
import os
import shutil
import stat
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dprelease.bundle import container
from dprelease.bundle.listing import checksums, facts_of
from dprelease.bundle.read import check, read
from dprelease.bundle.signing import SigningKey
from dprelease.errors import InputError, IntegrityError
from dprelease.model.release import Release
from tests.bundle.releases import snapshot


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "copy"))


def packed(folder: Path, path: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in snapshot(folder).items():
            archive.writestr(prefix + name, data)
    return path


def resigned(folder: Path, changes: Mapping[str, bytes], key: SigningKey | None = None) -> Path:
    """The bundle of a publisher who signs anything."""
    key = key or SigningKey.in_memory()
    contents = {**snapshot(folder), **changes, "signer.pub": key.public.pem}
    del contents["SHA256SUMS"], contents["SHA256SUMS.sig"]
    contents["SHA256SUMS"] = checksums(facts_of(contents))
    contents["SHA256SUMS.sig"] = key.sign(contents["SHA256SUMS"])
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("fixture", ["release", "hostile_release"])
def test_what_was_written_is_read(fixture: str, key: SigningKey, request: pytest.FixtureRequest) -> None:
    release: Release = request.getfixturevalue(fixture)
    bundle = read(request.getfixturevalue({"release": "written", "hostile_release": "hostile_written"}[fixture]))
    assert bundle.fingerprint == key.fingerprint
    wide = sum("region" in each.key_names and "sex" in each.key_names for each in release.tables.values())
    assert bundle.files == 15 + 4 * len(release.tables) + wide
    assert bundle.release.id == release.id
    assert bundle.release.certificate == release.certificate
    assert bundle.release.entry == release.entry
    assert bundle.release.tables == release.tables
    assert list(bundle.release.tables) == list(release.tables)


@pytest.mark.parametrize("prefix", ["", "hospital-visits-2025-1f2e3d/"])
def test_a_zip_file_is_read_like_its_folder(written: Path, tmp_path: Path, prefix: str) -> None:
    bundle, expected = read(packed(written, tmp_path / "bundle.zip", prefix)), read(written)
    assert bundle.contents == expected.contents
    assert bundle.release == expected.release


def test_a_changed_byte_anywhere_is_detected(written: Path) -> None:
    contents = snapshot(written)
    check(contents)
    for name, data in contents.items():
        places = range(0, len(data), 7 if len(data) < 2000 else 997)
        for place in (*places, len(data) - 1):
            changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            with pytest.raises(IntegrityError):
                check({**contents, name: changed})


def test_a_cut_or_longer_file_is_detected(written: Path) -> None:
    contents = snapshot(written)
    for name, data in contents.items():
        for changed in (data[:-1], data + b"\n", b""):
            with pytest.raises(IntegrityError):
                check({**contents, name: changed})


def test_a_missing_file_is_named(written: Path) -> None:
    contents = snapshot(written)
    for name in contents:
        with pytest.raises(IntegrityError, match=name):
            check({other: data for other, data in contents.items() if other != name})


@pytest.mark.parametrize("name", ["more.txt", "tables/more.csv", ".DS_Store", "tables/.hidden", "SHA256SUMS.old"])
def test_an_unlisted_file_is_refused_and_named(copy: Path, name: str) -> None:
    (copy / name).write_text("unlisted")
    with pytest.raises(IntegrityError, match=name.rpartition("/")[2]):
        read(copy)


def test_another_key_is_not_the_signer(written: Path) -> None:
    contents = snapshot(written)
    with pytest.raises(IntegrityError):
        check({**contents, "signer.pub": SigningKey.in_memory().public.pem})
    with pytest.raises(IntegrityError):
        check({**contents, "SHA256SUMS.sig": SigningKey.in_memory().sign(contents["SHA256SUMS"])})


def test_links_are_refused(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes((copy / "tables" / "n.csv").read_bytes())
    (copy / "tables" / "n.csv").unlink()
    (copy / "tables" / "n.csv").symlink_to(tmp_path / "outside")
    with pytest.raises(IntegrityError, match="links"):
        read(copy)
    (copy / "tables" / "n.csv").unlink()
    os.mkfifo(copy / "tables" / "n.csv")
    with pytest.raises(IntegrityError, match="plain files"):
        read(copy)


def test_linked_and_deeper_folders_are_refused(copy: Path, tmp_path: Path) -> None:
    shutil.move(copy / "tables", tmp_path / "tables")
    (copy / "tables").symlink_to(tmp_path / "tables")
    with pytest.raises(IntegrityError, match="links"):
        read(copy)
    (copy / "tables").unlink()
    shutil.move(tmp_path / "tables", copy / "tables")
    (copy / "tables" / "deeper").mkdir()
    with pytest.raises(IntegrityError, match="deeper"):
        read(copy)


@pytest.mark.parametrize(
    "name", ["../escape.txt", "/etc/passwd", "tables/../../escape", "a\\b", "C:evil", "tables/x/y.csv", "tables/é.csv"]
)
def test_names_that_lead_elsewhere_are_refused(written: Path, tmp_path: Path, name: str) -> None:
    path = packed(written, tmp_path / "bundle.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, "x")
    with pytest.raises(IntegrityError, match="does not belong"):
        read(path)


def test_a_name_that_is_there_twice_is_refused(written: Path, tmp_path: Path) -> None:
    path = packed(written, tmp_path / "bundle.zip")
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("tables/n.csv", "x")
    with pytest.raises(IntegrityError, match="twice"):
        read(path)


def test_a_link_in_a_zip_file_is_refused(written: Path, tmp_path: Path) -> None:
    path = packed(written, tmp_path / "bundle.zip")
    link = zipfile.ZipInfo("tables/link.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(IntegrityError, match="links"):
        read(path)


def test_absurd_sizes_are_refused_before_they_are_unpacked(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(written, tmp_path / "bundle.zip")
    monkeypatch.setattr(container, "MAX_BYTES", 1000)
    for bundle in (path, written):
        with pytest.raises(IntegrityError, match="not a bundle"):
            read(bundle)
    monkeypatch.undo()
    monkeypatch.setattr(container, "MAX_FILES", 5)
    for bundle in (path, written):
        with pytest.raises(IntegrityError, match="not a bundle"):
            read(bundle)


def test_a_zip_file_that_lies_about_sizes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("release.json", b"0" * 5_000_000)
    data = path.read_bytes().replace(struct.pack("<L", 5_000_000), struct.pack("<L", 10))
    path.write_bytes(data)
    monkeypatch.setattr(container, "MAX_BYTES", 1_000_000)
    with pytest.raises(IntegrityError):
        read(path)


def test_a_damaged_zip_file_is_refused(written: Path, tmp_path: Path) -> None:
    path = packed(written, tmp_path / "bundle.zip")
    data = path.read_bytes()
    for damaged in (data[: len(data) // 2], data[:200] + b"\xff" * 50 + data[250:], b"", b"PK\x05\x06" + bytes(18)):
        path.write_bytes(damaged)
        with pytest.raises(IntegrityError):
            read(path)
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "nowhere")


def change(name: str, old: str, new: str) -> Callable[[Path], Mapping[str, bytes]]:
    def changed(folder: Path) -> Mapping[str, bytes]:
        text = (folder / name).read_text()
        assert old in text
        return {name: text.replace(old, new).encode()}

    return changed


@pytest.mark.parametrize(
    "changes",
    [
        lambda folder: {"release.json": b"[]"},
        lambda folder: {"release.json": b"{"},
        lambda folder: {"release.json": b"[" * 100_000},
        lambda folder: {"release.json": b'{"id": 1, "id": 2}'},
        lambda folder: {"release.json": b'{"a": NaN}'},
        lambda folder: {"release.json": b"\xff\xfe"},
        lambda folder: {"datapackage.json": b"{}"},
        lambda folder: {"ledger.json": b"[]"},
        lambda folder: {"ledger.json": b'{"size": 1.0}'},
        lambda folder: {"ledger.json": b'{"size": 1, "size": 1}'},
        change("release.json", '"id": "hospital-visits-2025-1f2e3d"', '"id": "../../x"'),
        change("release.json", '"format": "1.0"', '"format": 1.0'),
        change("release.json", '"id": "ages"', '"id": "aged"'),
        change("release.json", '"id": "ages"', '"id": "n"'),
        change("datapackage.json", '"cells": 20', '"cells": 19'),
        change("datapackage.json", '"cells": 20', '"cells": 1000000000000'),
        change("datapackage.json", '"name": "ages"', '"name": "aged"'),
        change("datapackage.json", '"resources": [', '"resources": [{"name": "ages"},'),
        change("datapackage.json", '"type": "integer"', '"type": "any"'),
        change("tables/ages.csv", "age_from", "age"),
        change("tables/ages.csv", "\n5,", "\nfive,"),
    ],
)
def test_what_is_signed_but_not_a_release_is_refused(
    copy: Path, changes: Callable[[Path], Mapping[str, bytes]]
) -> None:
    with pytest.raises(IntegrityError):
        read(resigned(copy, changes(copy)))


def test_a_bundle_signed_by_someone_else_reads_as_theirs(copy: Path, key: SigningKey) -> None:
    bundle = read(resigned(copy, {}))
    assert bundle.fingerprint != key.fingerprint


def test_errors_quote_no_control_characters(copy: Path) -> None:
    (copy / "evil\x1b[2J\u202e.txt").write_text("x")
    with pytest.raises(IntegrityError) as caught:
        read(copy)
    assert str(caught.value).isprintable()


def test_the_certificate_is_readable_json(written: Path, release: Release) -> None:
    assert json.loads((written / "release.json").read_bytes()) == release.certificate.to_mapping()
