"""Synthetic rows that anybody makes of a published release: the same for everybody, and of published integers alone."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.cli import main
from dprelease.errors import InputError, IntegrityError
from dprelease.verdict import rows_from
from dprelease.verdict.verify import verify
from tests.bundle.releases import snapshot
from tests.statistics.kinds.test_synthetic import BINS, COLUMNS, apart, people
from tests.statistics.kinds.test_synthetic_source import TABLES, opened, plan_of, published

VERIFIED = lru_cache(verify)
STAFF = {"id": "staff", "kind": "synthetic", "columns": list(COLUMNS), "bins": BINS, "rows": 50}
CHOSEN = {**STAFF, "id": "chosen", "method": "mwem", "rounds": 1}
WEEKS = {"id": "pairs", "kind": "workload", "columns": ["sex", "region"], "tables": [["sex"], ["sex", "region"]]}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    workspace = opened(folder, people(8000))
    return Path(
        published(workspace, plan_of(TABLES, STAFF, CHOSEN, WEEKS, {"id": "n", "kind": "count"})).write(folder / "b")
    )


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bundle is verified once."""
    monkeypatch.setattr(rows_from, "verify", VERIFIED)


@pytest.mark.full
def test_any_number_of_rows_of_published_ones(bundle: Path) -> None:
    """The published number gives the published files."""
    contents = snapshot(bundle)
    for name in ("staff", "chosen"):
        same = dprelease.rows_from(bundle, name, rows=50)
        for path in ("csv", "parquet", "dictionary.json"):
            assert same.files[f"rows/{name}.synthetic.{path}"] == contents[f"rows/{name}.synthetic.{path}"]
        told = pandas.read_csv(BytesIO(same.files[f"tables/{name}.report.csv"]))
        assert told["value"].equals(pandas.read_csv(BytesIO(contents[f"tables/{name}.report.csv"]))["value"])
    for count in (0, 1, 20_000):
        found = dprelease.rows_from(bundle, "staff", rows=count)
        assert found.count == count
        assert found.files == dprelease.rows_from(bundle, "staff", rows=count).files
    assert abs(dprelease.rows_from(bundle, "staff").count - 8000) < 500  # as many as the noise lets there be


@pytest.mark.full
def test_rows_of_a_workload_are_near_its_tables(bundle: Path) -> None:
    """At ρ ≥ 0.04 and 8,000 rows noise moves no table by a tenth: false alarms below 1e-9."""
    true = people(8000)
    found = dprelease.rows_from(bundle, "all", columns=["pay", "age", "sex"])
    rows = pandas.DataFrame(dict(found.rows.columns)).assign(region="West")
    for size in (1, 2, 3):
        for names in combinations(("pay", "age", "sex"), size):
            assert apart(true, rows, names) < 0.1, names
    assert all(value is not None for value in found.report.value)  # three at once were measured, too
    assert dprelease.rows_from(bundle, "all", columns=["sex"], rows=3).count == 3
    pairs = dprelease.rows_from(bundle, "all", order=2).report
    assert {covered for _, covered in pairs.axes[0].cells} == {"yes", "no"}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            {"statistic": "n"},
            r"statistic: found 'n'; allowed: synthetic rows or a workload of this release \(all, staff",
        ),
        ({"statistic": "all", "columns": ["none"]}, r"columns.*none.*age, sex, region, pay"),
        ({"statistic": "pairs", "columns": ["sex", "age"]}, r"columns: found column 'age', which it does not count"),
        ({"statistic": "pairs"}, r"columns: found a table over region"),
        ({"statistic": "all", "order": 4}, r"order: found 4"),
        ({"statistic": "staff", "columns": ["age"]}, r"columns: found 'age'; allowed: nothing"),
        ({"statistic": "staff", "rows": -1}, r"rows: found -1"),
        ({"statistic": "staff", "rows": 1_000_001}, r"rows: found 1000001"),
    ],
)
def test_what_there_are_no_tables_for_is_refused(bundle: Path, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        dprelease.rows_from(bundle, **asked)


def test_the_command_writes_a_folder_that_says_what_the_rows_are(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows"
    line = ["rows", "from", str(bundle), "--statistic", "all", "--column", "age", "--rows", "7", "--out", str(out)]
    assert main(line) == 0
    assert "nobody's" in capsys.readouterr().out
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    rows = {f"rows/all.synthetic.{each}" for each in ("csv", "parquet", "dictionary.json")}
    assert names == {*rows, "tables/all.report.csv"}
    assert len(pandas.read_csv(out / "rows" / "all.synthetic.csv")) == 7
    assert main(line) == 3
    assert "a new folder" in capsys.readouterr().err


def test_what_became_of_the_release_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = opened(tmp_path, people(30))
    release = published(workspace, plan_of(WEEKS))
    path = workspace.releases.bundle(release.id)
    assert dprelease.rows_from(path, "pairs", columns=["sex"], rows=3).remarks == ()
    workspace.publish(plan_of(WEEKS, title="Anew"), supersedes=release.id)
    VERIFIED.cache_clear()
    line = ["rows", "from", str(path), "--statistic", "pairs", "--column", "sex", "--rows", "3"]
    assert main([*line, "--out", str(tmp_path / "rows")]) == 0
    assert f"{release.id}: intact, signer unknown; superseded by " in capsys.readouterr().out


@pytest.mark.parametrize("place", ["no such folder", "no such.zip"])
def test_a_release_that_is_not_there_gives_no_rows(
    tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["rows", "from", str(tmp_path / place), "--statistic", "all", "--out", str(tmp_path / "rows")]
    assert main(line) == 7
    assert "allowed: the path of a bundle" in capsys.readouterr().err
    assert not (tmp_path / "rows").exists()


def test_a_bundle_that_does_not_verify_gives_no_rows(bundle: Path, tmp_path: Path) -> None:
    for path, data in snapshot(bundle).items():
        (tmp_path / "b" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "b" / path).write_bytes(data.replace(b"1", b"2") if path == "measured/staff.json" else data)
    with pytest.raises(IntegrityError):
        dprelease.rows_from(tmp_path / "b", "staff")
