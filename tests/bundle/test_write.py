"""Writing: the same bytes each time, whole or not at all, never replaced; and checkable without this program."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from dprelease.bundle import write as room
from dprelease.bundle.read import read
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import write
from dprelease.errors import IntegrityError, InternalError
from dprelease.model.release import Cell, Release
from tests.bundle.releases import changed, listed, make_release, snapshot, table


def test_the_bundle_has_its_files(written: Path, release: Release) -> None:
    names = set(snapshot(written))
    assert names == {
        *("release.json", "ledger.json", "datapackage.json", "index.html"),
        *("SHA256SUMS", "SHA256SUMS.sig", "signer.pub"),
        *("croissant.json", "datacite.json", "dcat.jsonld", "registry.yaml"),
        "sdmx/structure.xml",
        *(f"sdmx/{statistic}.csv" for statistic in release.tables),
        *(f"tables/{statistic}.csv" for statistic in release.tables),
        *(f"charts/{statistic}.{ending}" for statistic in release.tables for ending in ("svg", "vl.json")),
        *("wide/region_sex.csv", "workbook.xlsx", "all.csv", "all.parquet"),
    }
    assert written.name == release.id


def test_written_twice_is_byte_identical(release: Release, key: SigningKey, written: Path, tmp_path: Path) -> None:
    again = write(release, tmp_path, key)
    assert snapshot(again) == snapshot(written)


def test_a_release_of_a_time_before_entries_has_none(release: Release, key: SigningKey, tmp_path: Path) -> None:
    old = replace(release, entry={})
    folder = write(old, tmp_path, key)
    assert not (folder / "ledger.json").exists()
    assert "ledger.json" not in (folder / "index.html").read_text()
    assert read(folder).release.entry == {}


def test_writing_over_the_same_release_changes_nothing(release: Release, key: SigningKey, tmp_path: Path) -> None:
    target = write(release, tmp_path, key)
    before = {path: path.stat().st_mtime_ns for path in target.rglob("*")}
    assert write(release, tmp_path, key) == target
    assert {path: path.stat().st_mtime_ns for path in target.rglob("*")} == before
    assert [path.name for path in tmp_path.iterdir()] == [release.id]


def test_a_release_is_never_replaced(release: Release, key: SigningKey, tmp_path: Path) -> None:
    target = write(release, tmp_path, key)
    before = snapshot(target)
    other = changed(release, title="Another")
    with pytest.raises(IntegrityError, match="never replaced"):
        write(other, tmp_path, key)
    with pytest.raises(IntegrityError, match="never replaced"):
        write(release, tmp_path, SigningKey.in_memory())
    assert snapshot(target) == before
    (target / "more.txt").touch()
    with pytest.raises(IntegrityError, match="never replaced"):
        write(release, tmp_path, key)


def test_a_write_that_fails_leaves_nothing(
    release: Release, key: SigningKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(room, "sync_folder", full)
    with pytest.raises(OSError, match="No space"):
        write(release, tmp_path, key)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert read(write(release, tmp_path, key)).fingerprint == key.fingerprint


def test_what_a_killed_writer_left_is_hidden_and_later_removed(
    release: Release, key: SigningKey, tmp_path: Path
) -> None:
    old = tmp_path / f".{release.id}.999999999-1f.a.unfinished"
    new = tmp_path / f".{release.id}.{os.getppid()}-1f.b.unfinished"  # of a process that runs
    for path in (old, new):
        path.mkdir()
        (path / "release.json").touch()
    write(release, tmp_path, key)
    assert not old.exists()
    assert new.exists()


def test_everyone_may_read_a_bundle(release: Release, key: SigningKey, tmp_path: Path) -> None:
    mask = os.umask(0o077)
    try:
        target = write(release, tmp_path, key)
    finally:
        os.umask(mask)
    for path in (target, *target.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("name", ["../x", "", ".hidden", "a/b", "A", "a" * 200])
def test_an_id_that_is_no_file_name_is_refused(release: Release, key: SigningKey, name: str, tmp_path: Path) -> None:
    with pytest.raises(InternalError):
        write(replace(release, certificate=structs.replace(release.certificate, id=name)), tmp_path, key)
    with pytest.raises(InternalError):
        write(replace(release, outputs={"../x": release.outputs["n"]}), tmp_path, key)
    assert list(tmp_path.iterdir()) == []


def test_checksums_are_those_of_sha256sum(written: Path) -> None:
    lines = (written / "SHA256SUMS").read_text().splitlines()
    assert lines == sorted(lines, key=lambda line: line[66:])
    for line in lines:
        assert hashlib.sha256((written / line[66:]).read_bytes()).hexdigest() == line[:64]
    assert {line[66:] for line in lines} == set(snapshot(written)) - {"SHA256SUMS", "SHA256SUMS.sig"}


@pytest.mark.skipif(not shutil.which("sha256sum") or not shutil.which("openssl"), reason="needs sha256sum and openssl")
def test_the_commands_on_the_page_check_a_bundle(written: Path, tmp_path: Path) -> None:
    page = (written / "index.html").read_text()
    commands = [
        line for line in re.sub("</?pre>", "", page).splitlines() if line.strip().startswith(("sha256sum", "openssl"))
    ]
    assert len(commands) == 2
    copy = tmp_path / "copy"
    shutil.copytree(written, copy)
    for command in commands:
        assert subprocess.run(command.split(), cwd=copy, capture_output=True).returncode == 0
    (copy / "tables" / "n.csv").write_text("changed")
    (copy / "SHA256SUMS").write_text("changed")
    for command in commands:
        assert subprocess.run(command.split(), cwd=copy, capture_output=True).returncode != 0


def test_nothing_that_draws_is_loaded_before_files_are_written() -> None:
    """A release is published without the second that Altair and V8 take to load."""
    code = "import sys, dprelease.bundle.write; print({'altair', 'vl_convert', 'jinja2', 'pandas'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "set()\n"


@pytest.mark.full
def test_a_large_table_is_never_whole_in_memory(release: Release, key: SigningKey, tmp_path: Path) -> None:
    """Its files are some 110 bytes a cell: they go to disk as they are made."""
    write(release, tmp_path, key)  # what is loaded once
    side = 330
    axes = [listed(name, *map(str, range(side))) for name in ("a", "b")]
    values: list[Cell] = list(range(side * side))
    columns = {name: {"type": "category", "categories": [str(each) for each in range(side)]} for name in "ab"}
    asked = {"id": "pairs", "kind": "crosstab", "columns": ["a", "b"]}
    large = make_release([(asked, table(axes, values, 5))], columns=columns, release_id="large")
    tracemalloc.start()
    try:
        folder = write(large, tmp_path, key)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2
