"""Every kind of statistic in a real bundle: asked in words, drawn, tabulated, described, and read back."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import altair as alt
import pytest
from frictionless import Package

import dprelease
from dprelease.bundle.guarantee import computed
from dprelease.bundle.listing import LEADS
from dprelease.bundle.read import read
from dprelease.charts.picture import picture
from dprelease.model.presentation import ChartType
from dprelease.model.release import Release
from dprelease.model.statistic import KINDS
from dprelease.statements.question import StatisticLabel
from dprelease.workspace import Workspace
from tests.bundle import kinds
from tests.bundle.kinds import IN_RHO, PLAN
from tests.bundle.test_page import Page


@pytest.fixture(scope="module")
def releases(bundles: dict[str, Path]) -> dict[str, Release]:
    """As the workspace knows them."""
    released = Workspace.open(kinds.home()).releases
    return {title: released.get(bundle.name) for title, bundle in bundles.items()}


@pytest.fixture(scope="module")
def bundles() -> dict[str, Path]:
    return {plan["title"]: kinds.bundle(plan) for plan in (PLAN, IN_RHO)}


@pytest.fixture(scope="module")
def pages(bundles: dict[str, Path]) -> dict[str, Page]:
    return {title: Page((bundle / "index.html").read_text()) for title, bundle in bundles.items()}


BOTH = pytest.mark.parametrize("title", [PLAN["title"], IN_RHO["title"]])


def test_every_kind_is_published(releases: dict[str, Release]) -> None:
    published = {item["kind"] for release in releases.values() for item in release.certificate.plan["statistics"]}
    assert published == set(KINDS)


@pytest.mark.one_in(3)
@BOTH
def test_a_bundle_is_verified_and_read_back(title: str, releases: dict[str, Release], bundles: dict[str, Path]) -> None:
    assert dprelease.verify(bundles[title]).checks
    again = read(bundles[title]).release
    for name, table in releases[title].tables.items():
        assert again.tables[name].columns == table.columns
        assert list(again.tables[name].rows()) == list(table.rows())


@BOTH
def test_every_statistic_has_a_question_of_its_own_a_chart_and_a_table(
    title: str, releases: dict[str, Release], bundles: dict[str, Path], pages: dict[str, Page]
) -> None:
    release, page = releases[title], pages[title]
    for name, table in release.tables.items():
        question = StatisticLabel.of(release.certificate, name)
        assert question.text.endswith("?")
        assert question.text in page.text
        chart = ElementTree.parse(bundles[title] / "charts" / f"{name}.svg").getroot()
        assert float(chart.attrib["height"]) >= 60
        with (bundles[title] / "tables" / f"{name}.csv").open() as file:
            assert len(list(csv.reader(file))) == len(table) + 1


@pytest.mark.full
def test_a_chart_for_phones_is_that_of_its_table_and_as_narrow(releases: dict[str, Release]) -> None:
    release = releases[str(PLAN["title"])]
    for name in release.tables:
        drawn = picture(release, name, narrow=True)
        alt.Chart.from_dict(json.loads(drawn.specification))
        svg = drawn.below_heading()
        if StatisticLabel.of(release.certificate, name).presentation.look is not ChartType.WORDS:
            assert float(ElementTree.fromstring(svg).attrib["width"]) < 460, name


@BOTH
@pytest.mark.filterwarnings("ignore")
def test_frictionless_finds_nothing_wrong(title: str, bundles: dict[str, Path]) -> None:
    report = Package(str(bundles[title] / "datapackage.json")).validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "message"])


@BOTH
def test_every_file_is_linked_from_the_page(title: str, bundles: dict[str, Path], pages: dict[str, Page]) -> None:
    files = {path.relative_to(bundles[title]).as_posix() for path in bundles[title].rglob("*") if path.is_file()}
    assert files - set(pages[title].values("href")) - {*LEADS} == {"index.html"}


def test_a_discovery_that_found_nothing_says_so(
    releases: dict[str, Release], bundles: dict[str, Path], pages: dict[str, Page]
) -> None:
    assert len(releases["Every kind"].tables["codes"]) == 0
    assert (bundles["Every kind"] / "tables" / "codes.csv").read_text() == "code,value,lower95,upper95,grade\n"
    chart = (bundles["Every kind"] / "charts" / "codes.svg").read_text()
    for text in (chart, pages["Every kind"].text):
        assert "No category reached the threshold, so none is published." in text
    described = json.loads((bundles["Every kind"] / "datapackage.json").read_text())
    codes = next(item for item in described["resources"] if item["name"] == "codes")
    assert [field["name"] for field in codes["schema"]["fields"]] == ["code", "value", "lower95", "upper95", "grade"]


def test_discovered_combinations_are_named_part_by_part(bundles: dict[str, Path]) -> None:
    chart = (bundles["Every kind"] / "charts" / "doctor_age_sex.svg").read_text()
    assert re.search(r"Dr A · 0 to 49 · [FM]", chart)


def test_further_columns_have_headings(pages: dict[str, Page]) -> None:
    text = pages["Every kind"].text
    for head in ("Noisy value before post-processing", "Count, lower 95 %", "rank Value Count", "question Answer"):
        assert head in text
    assert "Answers after perturbation" in pages["In rho"].text


def test_counts_that_follow_from_others_name_their_source(releases: dict[str, Release], pages: dict[str, Page]) -> None:
    stated = releases["Every kind"].certificate.statistics
    sources = [item for item in stated if item.source is not None]
    assert {item.is_fitted for item in sources} == {False, True}
    for item in sources:
        words = f"computed of what was measured for {item.source}"
        if item.is_fitted:
            words = f"fitted to the noisy counts of {', '.join(item.sources)}, at no further ε"
        assert f"{item.id} None: {words} 0 0 " in pages["Every kind"].text


def test_a_statistic_with_several_mechanisms_is_named_once(pages: dict[str, Page]) -> None:
    spans = [
        attributes["rowspan"] for tag, attributes in pages["Every kind"].tags if tag == "th" and "rowspan" in attributes
    ]
    assert spans.count("5") == 2, "the five numbers of two statistics"
    assert pages["Every kind"].text.count(" age_five ") == 1


def test_the_guarantee_says_what_groups_and_exchanges_cost(pages: dict[str, Page]) -> None:
    text = pages["Every kind"].text
    assert "Exchanging the records of one person for others: at most ε = 400, δ = 1." in text
    assert "Any 5 together: nothing is promised any more (δ = 1)." in text


def test_a_release_in_rho_counts_its_shares_in_rho(releases: dict[str, Release], pages: dict[str, Page]) -> None:
    text, guarantee = pages["In rho"].text, releases["In rho"].certificate.guarantee
    rho = computed(guarantee.rho)
    assert len(re.sub(r"^0\.0*", "", rho)) <= 4
    assert f"Counted as ρ = {rho}; the population has spent ρ = {rho} up to this release." in text
    own = f"ε = {computed(guarantee.epsilon)}, δ = {computed(guarantee.delta)}"
    assert text.count(own) >= 2, "of the release and, with only one release, of the population: the same figures"
    assert "Each ρ is a share of the whole above." in text
    assert "The ρ and the δ of the statistics are summed" in text
    for name in ("Discrete Gaussian noise", "Exponential mechanism choice", "Randomized response"):
        assert name in text
    (five,) = (group for group in guarantee.groups if group.units == 5)
    assert f"Any 5 together: ε = {computed(five.epsilon)}, δ = {computed(guarantee.delta)}." in text
    assert "(L2)" in text
