"""Series: the latest edition that holds, where editions break, and what changed between two of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas
import pytest
from pyarrow import parquet
from starlette.testclient import TestClient

from dprelease import Workspace
from dprelease.errors import InputError
from dprelease.portal.series import find, newest
from dprelease.portal.series_record import SeriesRecord
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.site import write_site
from dprelease.portal.source import PublicFolder
from dprelease.portal.trend import Trend, trends
from dprelease.portal.trend_chart import once
from dprelease.statements.tails import difference
from dprelease.web.alone import application
from tests.bundle.test_page import Page
from tests.web import series
from tests.web.conftest import ADDRESS
from tests.workspace.test_publish import approved


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, dict[str, str]]:
    return series.make(tmp_path_factory.mktemp("series") / "home")


@pytest.fixture(scope="module")
def folder(made: tuple[Workspace, dict[str, str]]) -> Path:
    return Path(made[0].releases.folder)


@pytest.fixture(scope="module")
def ids(made: tuple[Workspace, dict[str, str]]) -> dict[str, str]:
    return made[1]


@pytest.fixture(scope="module")
def own(folder: Path) -> Iterator[TestClient]:
    with TestClient(application(folder), base_url=ADDRESS, follow_redirects=False) as found:
        yield found


def of(folder: Path) -> dict[str, Trend]:
    shelf = BundleIndex(PublicFolder(folder))
    editions = reversed(find(shelf, series.NAME)[0].current)
    return {each.points[-1].table: each for each in trends([(each.name, each.bundle) for each in editions])}


def test_the_latest_is_the_newest_that_holds(own: TestClient, ids: dict[str, str]) -> None:
    """By the days that the data are of: 2024 was published after the first of 2025. What is withheld has no tables."""
    latest = ids["2025 corrected"]
    for prefix in ("", "/public"):
        for path, expected in (
            ("latest", f"/public/release/{latest}/"),
            ("latest/tables/visits.csv", f"/public/releases/{latest}/tables/visits.csv"),
        ):
            answer = own.get(f"{prefix}/series/{series.NAME}/{path}")
            assert (answer.status_code, answer.headers["location"]) == (302, expected)
            assert answer.headers["cache-control"] == "no-cache"
            assert own.get(expected).status_code == 200
    table = own.get(f"/series/{series.NAME}/latest/tables/visits.csv", follow_redirects=True)
    assert table.headers["content-type"].startswith("text/csv")
    spanish = own.get(f"/series/{series.NAME}/latest", headers={"accept-language": "es"})
    assert spanish.headers["location"] == f"/public/es/release/{latest}/"


@pytest.mark.parametrize("path", ["nothing/latest", "nothing/", f"{series.NAME}/latest/tables/nothing.csv", "../x"])
def test_what_is_no_series_is_missing(path: str, own: TestClient) -> None:
    assert own.get(f"/series/{path}", follow_redirects=True).status_code == 404


def test_the_page_lists_every_edition_and_where_they_break(own: TestClient, ids: dict[str, str]) -> None:
    text = own.get(f"/series/{series.NAME}/", follow_redirects=True).text
    page = Page(text)
    titles = [
        page.text.index(each)
        for each in ("Visits 2026", "Visits 2025,", "Visits 2025, first", "Visits 2024", "Visits 2023")
    ]
    assert titles == sorted(titles)
    log = page.text[page.text.index("Changes") :]
    assert "edition 2025 was replaced by 2025 corrected. Rows were missing." in log
    assert "edition 2026 was not published: it failed what was asked of it beforehand." in log
    assert log.index("was replaced") < log.index("edition 2025 was published")
    assert page.text.count("Withheld") == 1
    assert "Break between 2023 and 2024: they do not measure the same." in page.text
    assert "age upper: 100 instead of 120" in page.text
    assert page.text.count("Break between") == 2  # of ages and of its mean; the regions are what they were
    assert "The same people may be in both editions; the interval is of the noise only." in page.text
    for link in (*page.values("href"), *page.values("src")):
        if not link.startswith(("data:", "#")):
            where = own.base_url.join(f"/public/series/{series.NAME}/").join(link)
            assert own.get(str(where), follow_redirects=True).status_code == 200, link


def test_programs_learn_what_took_a_release_s_place(own: TestClient, ids: dict[str, str]) -> None:
    old, new = ids["2025"], ids["2025 corrected"]
    listed = {each["id"]: each for each in own.get("/api/releases").json()["releases"]}
    assert (listed[old]["status"], listed[old]["superseded_by"]) == ("superseded", new)
    assert [listed[new][key] for key in ("series", "edition", "reference_period")] == [
        series.NAME,
        "2025 corrected",
        "2025-01-01/2025-12-31",
    ]
    for path, target in (
        (f"/api/releases/{old}/tables/visits.json", f"/api/releases/{new}"),
        (f"/api/releases/{old}/notices", f"/api/releases/{new}"),
        (f"/public/release/{old}/", f"/public/release/{new}"),
    ):
        assert own.get(path).links["successor-version"]["url"] == target
        assert "link" not in own.get(path.replace(old, new)).headers
    table = own.get(f"/api/releases/{old}/tables/visits.json").json()
    assert (table["status"], table["superseded_by"]) == ("superseded", new)


def test_a_line_is_dashed_over_a_break_only(own: TestClient) -> None:
    for table, dashed in (("visits", False), ("age", True)):
        svg = own.get(f"/public/series/{series.NAME}/chart-{table}.svg")
        assert svg.headers["content-type"] == "image/svg+xml"
        assert ('stroke-dasharray="5,5"' in svg.text) == dashed
        assert "2025 corrected" in svg.text
    assert own.get(f"/public/series/{series.NAME}/chart-nothing.svg").status_code == 404


def test_cells_and_editions_that_look_alike_are_told_apart() -> None:
    assert once(["2025", "2025", "2024"]) == ["2025", "2025 (2)", "2024"]
    long = "x" * 50
    assert len({*once([f"{long}a", f"{long}b"])}) == 2


def test_catalogues_have_the_days(own: TestClient, ids: dict[str, str]) -> None:
    def read(name: str) -> Any:
        return own.get(f"/r/{ids['2024']}/{name}").json()

    assert read("dcat.jsonld")["dct:temporal"]["dcat:endDate"]["@value"] == "2024-12-31"
    days = [each["date"] for each in read("datacite.json")["dates"] if each["dateType"] == "Coverage"]
    assert days == ["2024-01-01/2024-12-31"]
    assert '"temporalCoverage":"2024-01-01/2024-12-31"' in own.get(f"/r/{ids['2024']}/").text


def test_a_difference_is_that_of_the_files_with_the_noise_of_both(folder: Path, ids: dict[str, str]) -> None:
    """2024 has ε = 1 and 2025 has 2: the law of a difference is known; each of three has its share of the risk."""
    tables = [
        pandas.read_csv(folder / ids[each] / "tables" / "visits.csv", index_col="region")
        for each in ("2024", "2025 corrected")
    ]
    trend = of(folder)["visits"]
    noises = [point.compared.noise for point in trend.points[-2:]]
    assert noises[0] is not None
    assert noises[1] is not None
    assert noises[0].scale > noises[1].scale
    half = difference(*noises, 0.05 / 3 / 2) - 1
    for label, found in trend.changes:
        assert found.value == tables[1].value[label] - tables[0].value[label]
        assert (found.lower, found.upper) == (found.value - half, found.value + half)
    assert len(trend.changes) == 3
    assert [each is None for each in of(folder)["ages"].breaks] == [False, True]


def test_who_signs_with_another_key_joins_nobody_s_series(folder: Path, ids: dict[str, str], tmp_path: Path) -> None:
    stranger = Workspace.create(tmp_path / "stranger")
    source = tmp_path / "v.csv"
    source.write_text("region,age\nnorth,3\n")
    stranger.add_dataset("v2026", source, columns=series.columns(), epsilon=10)
    other = stranger.publish(approved(stranger, series.plan("v2026", "2026", "Not of the office"))).id
    public = tmp_path / "public"
    shutil.copytree(folder, public)
    shutil.copytree(stranger.releases.bundle(other), public / other)
    shelf = BundleIndex(PublicFolder(public))
    mine, theirs = find(shelf, series.NAME)
    assert (len(mine.editions), len(theirs.editions)) == (5, 1)
    assert newest(shelf, series.NAME).bundle.id == ids["2025 corrected"]
    with TestClient(application(public), base_url=ADDRESS, follow_redirects=False) as client:
        page = unescape(client.get(f"/public/series/{series.NAME}/").text)
        assert "Several publishers use this name." in page
        assert page.index("signed with other keys") < page.index("Not of the office")
        (public / "checkpoint.json").unlink()  # whose portal this is, nobody knows any more
        assert client.get(f"/series/{series.NAME}/latest").status_code == 404


@pytest.mark.full
def test_the_static_site_has_the_same(folder: Path, ids: dict[str, str], tmp_path: Path) -> None:
    """Without the one that took its place, the superseded edition is not the latest; what was its table goes."""
    out, name = tmp_path / "site", series.NAME
    bundles = {edition: folder / release_id for edition, release_id in ids.items()}
    write_site([bundles["2023"], bundles["2024"]], out)
    latest = out / "series" / name / "latest"
    assert ids["2024"] in (latest / "index.html").read_text()
    (latest / "tables" / "stray.csv").write_text("x")
    known = [bundles[edition] for edition in ("2023", "2024", "2025")]
    write_site(known, out, checkpoint=BundleIndex(PublicFolder(folder)).checkpoint())
    assert "Notices missing" in (out / "series" / name / "index.html").read_text()
    assert ids["2024"] in (latest / "index.html").read_text()
    notices = {ids["2025"]: PublicFolder(folder).notices(ids["2025"])}
    write_site(list(bundles.values()), out, notices)  # type: ignore[arg-type]
    assert f"url=../../../release/{ids['2025 corrected']}/index.html" in (latest / "index.html").read_text()
    table = (latest / "tables" / "visits.csv").read_bytes()
    assert table == (folder / ids["2025 corrected"] / "tables" / "visits.csv").read_bytes()
    assert not (latest / "tables" / "stray.csv").exists()
    for page in (*out.glob("**/series/**/*.html"), *out.glob("release/*/index.html"), out / "index.html"):
        found = Page(page.read_text())
        for link in (*found.values("href"), *found.values("src")):
            assert link.startswith(("data:", "#")) or (page.parent / link.partition("#")[0]).exists(), (page, link)
    assert (out / "es" / "series" / name / "chart-age.svg").read_text().count("2023")


TOLD: dict[str, Any] = {
    "title": {"en": "Hospital visits by region", "es": "Visitas por región"},
    "description": {"en": "Every visit of a year."},
    "frequency": "yearly",
    "revisions": {"en": "A year is revised once, in June."},
    "contact": "statistics@health.example",
    "next": "2027-01-15T09:00+01:00",
}


def test_what_the_office_says_of_a_series_is_signed_and_stands_first(
    made: tuple[Workspace, dict[str, str]], folder: Path, own: TestClient, tmp_path: Path
) -> None:
    workspace, path = made[0], folder / "series" / f"{series.NAME}.json"
    before = own.get(f"/public/series/{series.NAME}/").text
    workspace.releases.set_series(series.NAME, TOLD)
    try:
        page = Page(own.get(f"/public/series/{series.NAME}/").text)
        assert "series, yearly · next edition 15 Jan 2027 09:00 +01:00" in page.text
        assert page.text.index("Hospital visits by region") < page.text.index("More than two thirds")
        for text in ("Every visit of a year.", "A year is revised once, in June.", TOLD["contact"]):
            assert text in page.text
        assert series.NAME not in page.text, "the name for addresses stands in addresses only"
        assert "Visitas por región" in own.get(f"/public/es/series/{series.NAME}/").text
        assert "Hospital visits by region" in own.get("/public/").text
        assert own.get(f"/public/series/{series.NAME}.json").json()["statement"]["series"] == TOLD
        workspace.releases.write_site(tmp_path / "site")
        assert "A year is revised once" in (tmp_path / "site" / "series" / series.NAME / "index.html").read_text()
        path.write_text(path.read_text().replace("yearly", "monthly"))
        assert "is not signed by the office" in own.get(f"/public/series/{series.NAME}/").text
        assert own.get(f"/public/series/{series.NAME}.json").status_code == 404
    finally:
        path.unlink()
    assert own.get(f"/public/series/{series.NAME}/").text == before


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        ("title", "Visits", "texts by language"),
        ("frequency", "daily", "monthly"),
        ("next", "2027-13", "2027-01-15T09:00"),
        ("next", "2027-01-15T09:00", "offset"),
        ("contact", "javascript:1", "mail address"),
        ("wrong", 1, "wrong"),
    ],
)
def test_what_cannot_be_said_of_a_series_is_refused(part: str, value: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        SeriesRecord.read("visits", {**TOLD, part: value})
    with pytest.raises(InputError, match="series"):
        SeriesRecord.read("../office", TOLD)


def test_all_numbers_of_the_editions_that_hold_are_one_table(own: TestClient, ids: dict[str, str]) -> None:
    """Of 2025 the edition that holds; a withheld one has no numbers. Parquet says the same in types."""
    path = f"/public/series/{series.NAME}/all"
    answer = own.get(f"{path}.csv")
    found = pandas.read_csv(BytesIO(answer.content), dtype=str, keep_default_na=False)
    assert [*dict.fromkeys(found["edition"])] == ["2023", "2024", "2025 corrected"]
    assert {*found["release"]} == {ids[each] for each in ("2023", "2024", "2025 corrected")}
    assert '"O\'Hara, west"' in answer.text
    parts = [own.get(f"/public/releases/{each}/all.csv").text.partition("\n")[2] for each in (ids["2023"], ids["2024"])]
    assert answer.text.partition("\n")[2].startswith("".join(parts))
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    table = parquet.read_table(BytesIO(own.get(f"{path}.parquet").content))
    assert [*table.column_names] == [*found.columns]
    assert table["value"].to_pylist() == [float(each) for each in found["value"]]
    kept = own.get(f"{path}.csv", headers={"if-none-match": answer.headers["etag"]})
    assert (kept.status_code, kept.content) == (304, b"")
    assert own.head(f"{path}.csv").headers["etag"] == answer.headers["etag"]
    assert own.get("/public/series/nothing/all.csv").status_code == 404
