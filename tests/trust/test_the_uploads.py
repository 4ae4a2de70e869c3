"""Promise 18, and what else an attacker hands in: files, names and plans that mean harm; none leaves anything."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet
import pytest

import dprelease
from dprelease.errors import DPReleaseError, InputError, IntegrityError, PlanError, UploadError
from dprelease.table import ingest, ingest_excel
from tests.trust import world

SECRET = "Zq7Xwabcd"
ROWS = pandas.DataFrame({"age": [1, 2, 3], "note": [SECRET] * 3})


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> dprelease.Workspace:
    return dprelease.Workspace.create(tmp_path_factory.mktemp("uploads") / "home")


def parquet(rows: pandas.DataFrame = ROWS) -> bytes:
    file = io.BytesIO()
    rows.to_parquet(file)
    return file.getvalue()


def workbook(sheet: bytes = b"", **parts: bytes) -> bytes:
    """An Excel file, some of whose parts are others."""
    made = io.BytesIO()
    ROWS.to_excel(made, index=False)
    file = io.BytesIO()
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            given = sheet if sheet and name.startswith("xl/worksheets/") else parts.get(Path(name).stem, old.read(name))
            new.writestr(name, given)
    return file.getvalue()


LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><worksheet>&c;</worksheet>'
)
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet>&a;</worksheet>'
CSV = ROWS.to_csv(index=False).encode()
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "an Excel file of laughs": ("a.xlsx", lambda: workbook(LAUGHS)),
    "an Excel file that reads another file": ("a.xlsx", lambda: workbook(OUTSIDE)),
    "a zip file with a path that leads out": ("a.xlsx", lambda: zipped("../../evil.csv", CSV)),
    "a packed table": ("a.csv.gz", lambda: gzip.compress(CSV)),
    "a packed bomb": ("a.csv", lambda: gzip.compress(bytes(10**7))),
    "a picture as CSV": ("a.csv", lambda: PICTURE),
    "a picture as Parquet": ("a.parquet", lambda: PICTURE),
    "a picture as Excel": ("a.xlsx", lambda: PICTURE),
    "a picture as SPSS": ("a.sav", lambda: PICTURE),
    "a pickle": ("a.pkl", lambda: pickle.dumps(ROWS)),
    "a program": ("a.csv", lambda: b"\x7fELF" + bytes(200)),
    "half of a Parquet file": ("a.parquet", lambda: parquet()[: len(parquet()) // 2]),
    "a Parquet file without its beginning": ("a.parquet", lambda: parquet()[100:]),
    "a Parquet file and a table behind it": ("a.parquet", lambda: parquet() + CSV),
    "half of an Excel file": ("a.xlsx", lambda: workbook()[: len(workbook()) // 2]),
    "a table and a Parquet file behind it": ("a.csv", lambda: CSV + parquet()),
    "a Parquet file whose footer is too long": ("a.parquet", lambda: parquet()[:-8] + b"\xff\xff\xff\x7fPAR1"),
    "nothing": ("a.csv", bytes),
    "zeros": ("a.csv", lambda: bytes(10**6)),
    "a header of a megabyte": ("a.csv", lambda: b"x" * 10**6 + b"\n1\n"),
    "10 001 columns": ("a.csv", lambda: (",".join(f"c{place}" for place in range(10_001)) + "\n").encode()),
}


NAMES = [
    *("../../evil.csv", "/etc/evil.csv", "..", "", "\\\\server\\evil.csv", "a\0b.csv", "x" * 5000, "\u202evsc.live"),
    *("<script>alert(1)</script>.csv", "'; DROP TABLE ledger; --.csv", "=cmd()|x.csv", "a\nb.csv", "con.csv"),
]


def zipped(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, data)
    return file.getvalue()


def there(workspace: dprelease.Workspace) -> set[str]:
    """Everything in and beside the folder of a workspace."""
    assert workspace.home is not None
    return {str(path) for path in workspace.home.parent.rglob("*") if "ledger.db" not in path.name}


class TestARefusedUploadLeavesNothing:
    """Type is told by content. Bombs, wrong and broken content, too many columns and cells are refused with a place and
    without a cell; nothing of them stays, and nothing is written anywhere else."""

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("what", FILES)
    def test_it_is_refused(self, what: str, workspace: dprelease.Workspace) -> None:
        before = there(workspace)
        name, made = FILES[what]
        with pytest.raises(UploadError) as refused:
            workspace.datasets.uploads.stage(name, io.BytesIO(made()))
        assert SECRET not in str(refused.value)
        assert there(workspace) == before
        assert workspace.datasets.uploads.find() == []

    def test_bombs_of_both_kinds(self, workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """What unpacks to more cells or bytes than are taken; with lower limits, so that it is quick."""
        monkeypatch.setattr(ingest, "MAX_CELLS", 10**6)
        monkeypatch.setattr(ingest_excel, "MAX_UNPACKED", 10**6)
        nulls = pyarrow.table({"x": pyarrow.nulls(2 * 10**6)})
        small = io.BytesIO()
        pyarrow.parquet.write_table(nulls, small)
        blanks = workbook(b"<worksheet>" + b" " * 10**7 + b"</worksheet>")
        assert max(len(small.getvalue()), len(blanks)) < 100_000
        before = there(workspace)
        for name, data in (("a.parquet", small.getvalue()), ("a.xlsx", blanks)):
            with pytest.raises(UploadError):
                workspace.datasets.uploads.stage(name, io.BytesIO(data))
        monkeypatch.setattr(ingest, "MAX_CELLS", 10**9)
        monkeypatch.setattr(ingest, "MAX_UNPACKED", 10)
        with pytest.raises(UploadError):
            workspace.datasets.uploads.stage("a.parquet", io.BytesIO(small.getvalue()))
        assert there(workspace) == before

    @pytest.mark.full
    def test_10_000_columns_are_taken(self, workspace: dprelease.Workspace) -> None:
        names = ",".join(f"c{place}" for place in range(10_000))
        upload = workspace.datasets.uploads.stage("wide.csv", io.BytesIO(f"{names}\n{'1,' * 9_999}1\n".encode()))
        assert len(upload.columns) == 10_000
        workspace.datasets.uploads.discard(upload.id)

    @pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
    def test_a_file_name_is_only_shown(self, name: str, workspace: dprelease.Workspace) -> None:
        before = there(workspace)
        upload = workspace.datasets.uploads.stage(name, io.BytesIO(CSV))
        new = there(workspace) - before
        assert all("private/uploads/" in path for path in new)
        assert not any("evil" in path or "script" in path for path in new)
        workspace.datasets.uploads.discard(upload.id)
        assert there(workspace) == before


HOSTILE: list[dict[str, Any]] = [
    *({"privacy": {"epsilon": epsilon}} for epsilon in (0, -1, 1e-300, 1e300, "inf", "nan", float("inf"), 10**400)),
    *({"privacy": {"epsilon": epsilon}} for epsilon in (None, True, [], {}, "1e-300", "٣", "1_0", "0x1", " 1")),
    *({"privacy": {"delta": delta}} for delta in (-1, 1, 2, float("nan"), "1e-400")),
    {"dataset": "../../etc/passwd"},
    {"dataset": "people'; DROP TABLE ledger; --"},
    {"title": "x" * 10**6},
    {"expected": {"rows": 10**30}},
    {"statistics": [{"id": f"s{place}", "kind": "count"} for place in range(100_000)]},
    {"statistics": [{"id": "../x", "kind": "count"}]},
    {"statistics": [{"id": "h", "kind": "histogram", "column": "age", "bins": 10**12}]},
    {"columns": {"age": {"type": "integer", "lower": -(10**30), "upper": 10**30}}},
    {"columns": {"age": {"type": "number", "lower": 0, "upper": 1e15, "resolution": 1e-15}}},
    {"columns": {"x" * 10**6: {"type": "integer", "lower": 0, "upper": 1}}},
]


@pytest.fixture(scope="module")
def solo() -> dprelease.Workspace:
    return world.solo()


class TestAHostilePlanIsRefused:
    """Numbers beyond use, paths, SQL, a megabyte of text: an error that says where, of some length, and no charge."""

    @pytest.mark.parametrize("changes", HOSTILE, ids=range(len(HOSTILE)))
    def test_before_anything_is_charged(self, changes: dict[str, Any], solo: dprelease.Workspace) -> None:
        mapping = json.loads(json.dumps(world.plan().to_mapping(), default=str))
        for key, value in changes.items():
            mapping[key] = {**mapping[key], **value} if key in ("privacy", "columns") else value
        before = solo.ledger.count()
        with pytest.raises((PlanError, InputError)) as refused:
            solo.plans.submit(dprelease.Plan.parse(mapping))
        assert len(str(refused.value)) < 20_000
        assert solo.ledger.count() == before


class TestAHostileBundleIsRefused:
    """Given to `verify`: names that lead out, links, giant counts, bombs. It writes nothing, and says what is wrong."""

    @pytest.mark.parametrize("name", ["../../evil", "/etc/evil", "a/b/c", "a\\b", ".", "release.json\0"])
    def test_names_that_lead_elsewhere(self, name: str, tmp_path: Path) -> None:
        (tmp_path / "b.zip").write_bytes(zipped(name, b"x"))
        with pytest.raises(IntegrityError):
            dprelease.verify(tmp_path / "b.zip")
        assert [path.name for path in tmp_path.iterdir()] == ["b.zip"]

    def test_links(self, tmp_path: Path) -> None:
        folder = tmp_path / "b"
        folder.mkdir()
        (folder / "release.json").symlink_to("/etc/passwd")
        with pytest.raises(IntegrityError, match="links"):
            dprelease.verify(folder)

    def test_counts(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
            for place in range(10_001):
                archive.writestr(str(place), b"")
        with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("release.json", bytes(2**24))
            archive.filelist[0].file_size = 2**40
        for name in ("many.zip", "bomb.zip"):
            with pytest.raises(DPReleaseError):
                dprelease.verify(tmp_path / name)
