"""Three readers do their tasks with what docs/readers.md tells them, from the downloads alone."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import openpyxl
import pandas
import pytest
from starlette.testclient import TestClient

from dprelease.web.alone import application
from tests.web import series
from tests.web.conftest import ADDRESS

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "readers.md").read_text()
BLOCKS = dict(re.findall(r"^```(sh|python|r)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
NAMES = {"north": "Norte", "south": "Sur"}
LABELS = {
    "languages": ["en", "es"],
    "columns": {"region": {"codelist": "regions"}},
    "codelists": {"regions": {"codes": {code: {"en": f"The {code}", "es": name} for code, name in NAMES.items()}}},
}


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the first block fetches, and nothing else."""
    workspace, ids = series.make(tmp_path_factory.mktemp("readers") / "home", LABELS)
    folder = tmp_path_factory.mktemp("downloads")
    with TestClient(application(workspace.releases.folder), base_url=ADDRESS) as client:
        for line in BLOCKS["sh"].strip().splitlines():
            words = shlex.split(line)
            address = words[-1].replace("LATEST", ids["2025 corrected"]).replace("BEFORE", ids["2024"])
            answer = client.get(address.removeprefix("HOST"), follow_redirects="-L" in words)
            assert answer.status_code == 200, line
            (folder / words[words.index("-o") + 1]).write_bytes(answer.content)
    assert len(list(folder.iterdir())) == 5
    return folder


@pytest.mark.full
def test_a_newspaper_s_notebook(downloads: Path) -> None:
    subprocess.run([sys.executable, "-c", BLOCKS["python"]], cwd=downloads, check=True, timeout=120)
    story = pandas.read_csv(downloads / "story.csv").set_index("region")
    now, before = (pandas.read_csv(downloads / f"visits-{when}.csv").set_index("region") for when in ("now", "before"))
    assert {"north", "south"} <= set(story.index)
    for region, row in story.iterrows():
        assert now.grade[region] in "AC"
        assert row["least"] <= now.value[region] - before.value[region] <= row["most"]
        assert row.story == ("more" if row["least"] > 0 else "fewer" if row["most"] < 0 else "could be noise")
    assert "Visits by region, with intervals" in (downloads / "visits.svg").read_text()


def report(downloads: Path) -> pandas.DataFrame:
    """What the office's script has to write, worked out again."""
    table = pandas.read_csv(downloads / "together.csv", dtype={"region": str}, keep_default_na=False)
    grades = pandas.read_csv(downloads / "visits-now.csv", dtype={"region": str}, keep_default_na=False)
    names = pandas.read_csv(downloads / "regions.csv", dtype=str, keep_default_na=False).set_index("code").label_es
    ends = {name: [max(0, each) for each in table[name]] for name in ("value", "lower", "upper")}
    rows = []
    for place, region in enumerate(table.region):
        low, high = (sum(ends[name]) - ends[name][place] for name in ("lower", "upper"))
        own, least, most = (ends[name][place] for name in ("value", "lower", "upper"))
        if grades.set_index("region").grade[region] in "AC":
            shares = (own / sum(ends["value"]), least / (least + high), most / (most + low))
            rows.append((names.get(region) or region.removeprefix("'"), *(100 * each for each in shares)))
    found = pandas.DataFrame(rows, columns=["nombre", "share", "from", "to"])
    return found.sort_values("share", ascending=False, ignore_index=True)


def test_what_an_office_s_script_is_to_find_is_in_the_downloads(downloads: Path) -> None:
    """The second working-out, which also runs where there is no R."""
    found = report(downloads)
    assert found.nombre.tolist()[:2] == ["Norte", "Sur"]
    assert ((found["from"] <= found.share) & (found.share <= found["to"])).all()
    for name, columns in (("together", "region value lower upper"), ("regions", "code label_es")):
        assert set(columns.split()) <= set(pandas.read_csv(downloads / f"{name}.csv").columns)
    assert all(f'"{name}.csv"' in BLOCKS["r"] for name in ("together", "regions", "visits-now"))


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_an_office_s_r_script(downloads: Path) -> None:
    (downloads / "report.R").write_text(BLOCKS["r"])
    subprocess.run(["Rscript", "--vanilla", "report.R"], cwd=downloads, check=True, timeout=120)
    found = pandas.read_csv(downloads / "informe.csv")
    pandas.testing.assert_frame_equal(found, report(downloads), rtol=1e-4, check_dtype=False)


def test_a_spreadsheet(downloads: Path) -> None:
    book = openpyxl.load_workbook(downloads / "visits.xlsx")
    head, *rows = [[cell.value for cell in row] for row in book["cells"].iter_rows()]
    table = pandas.read_csv(downloads / "visits-now.csv")
    assert head == ["region", "region_label", *table.columns[1:]]
    kept = sorted((row for row in rows if row[head.index("grade")] in "AC"), key=lambda row: -row[head.index("value")])
    assert [row[1] for row in kept[:2]] == ["Norte", "Sur"]
    assert sum(row[head.index("value")] for row in kept[:2]) == table.value.nlargest(2).sum()
    cells = [cell for row in book["cells"].iter_rows(min_row=2) for cell in row]
    assert all(cell.data_type == ("n" if isinstance(cell.value, int | float) else "s") for cell in cells)
    about = {row[0].value: row[1].value for row in book["about"].iter_rows()}
    assert about.keys() >= {"question", "guarantee", "cite", "published"}


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_a_spreadsheet_opens_the_csv(downloads: Path, tmp_path: Path) -> None:
    command = ["soffice", "--headless", "--convert-to", "xlsx", "--outdir", str(tmp_path), "visits-now.csv"]
    subprocess.run(command, cwd=downloads, check=True, timeout=180)
    sheet = openpyxl.load_workbook(tmp_path / "visits-now.xlsx").active
    assert sheet is not None
    table = pandas.read_csv(downloads / "visits-now.csv")
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert rows == [table.columns.tolist(), *table.to_numpy().tolist()]
