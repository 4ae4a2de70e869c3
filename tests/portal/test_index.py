"""The index of the portal and its search: what a visitor finds, by which word, and what stays hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import write
from dprelease.charts.spark import spark
from dprelease.portal.entry import stated
from dprelease.portal.index import index, population_page, topic_page
from dprelease.portal.pages import Portal
from dprelease.portal.search import LONGEST, SearchIndex, SearchTexts, found_in, is_edit
from dprelease.portal.select import CatalogueFilter
from dprelease.portal.shelf import Bundle, BundleIndex
from dprelease.portal.source import PublicFolder
from dprelease.portal.spine import slug
from dprelease.words.language import speaking
from tests.bundle.releases import changed, listed, make_release, table
from tests.bundle.test_page import Page

WARDS = {"ward": {"type": "category", "categories": ["surgery", "medicine", "maternity"]}}
TEXTS = {
    "languages": ["en", "es"],
    "title": {"en": "Who comes to hospital", "es": "Quién va al hospital"},
    "columns": {"ward": {"label": {"en": "Ward", "es": "Servicio"}, "codelist": "wards"}},
    "codelists": {"wards": {"codes": {"surgery": {"en": "Surgery", "es": "Cirugía"}}}},
}
HISTOGRAM = {"id": "wards", "kind": "histogram", "column": "ward"}


def published(key: SigningKey, folder: Path, values: list[int], release_id: str, margin: float = 15) -> Bundle:
    cells = table([listed("ward", *WARDS["ward"]["categories"])], values, margin)
    about = {"topics": ["Health", "hospitals & care"], "publisher": "Office"}
    release = make_release([(HISTOGRAM, cells)], columns=WARDS, title="Who comes", release_id=release_id)
    plan = {**release.certificate.plan, "texts": TEXTS, "about": about}
    return Bundle.open(release_id, write(changed(release, plan=plan), folder, key))


def served(folder: Path) -> Portal:
    return Portal(BundleIndex(PublicFolder(folder)), served=True)


def test_a_card_has_the_finding_and_a_picture_of_what_can_be_quoted(key: SigningKey, tmp_path: Path) -> None:
    good = published(key, tmp_path, [400, 100, 12], "good")
    finding, picture = stated(good)
    assert "Surgery" in finding
    assert picture.count("M") == 2, "the third number cannot be quoted: its place stays empty"
    assert len(picture) <= 1000
    nothing, blank = stated(published(key, tmp_path, [3, 2, 4], "nothing", 40))
    assert ("None of these 3 numbers can be quoted" in nothing, blank) == (True, "")
    text = index(served(tmp_path))
    assert text.count("<svg") == 1
    assert text.count('class="w"') == 1


@pytest.mark.parametrize(
    ("query", "place"),
    [("COMES", ""), ("quien", ""), ("cirugia", "In the table Records by ward"), ("health servic", "In the table")],
)
def test_a_release_is_found_by_words_of_any_language(key: SigningKey, tmp_path: Path, query: str, place: str) -> None:
    bundle = published(key, tmp_path, [400, 100, 30], "good")
    assert SearchIndex([SearchTexts.of(bundle)]).find(query) == ["good"]
    told = found_in(bundle.certificate, bundle.tables, query)
    assert told.startswith(place)
    assert bool(told) == bool(place)
    assert "Releases found: 1." in Page(index(served(tmp_path), CatalogueFilter(q=query))).text


def test_a_picture_is_small_at_any_values() -> None:
    assert [spark(values) for values in ([], [1.0], [0.0, 0.0], [None, 2.0], [1.0] * 49)] == [""] * 5
    assert 'd="M0 20V0H51V20M52 20V40H103V20"' in spark([1.0, -1.0]), "zero lies between"
    assert len(spark([1e300 / (place + 1) for place in range(48)])) <= 1000


def test_a_title_counts_more_than_a_description() -> None:
    texts = [SearchTexts("b", "beds", "", "", "", "visits " * 9), SearchTexts("a", "visits", "", "", "", "")]
    own = SearchIndex(texts)
    assert own.find("visits") == ["a", "b"]
    assert own.find("visits beds") == ["b"], "all words"
    for odd in ("", "?!", '"', "visits* OR", "-", "NEAR(", "a" * 300, "\x00"):
        assert own.find(odd) in ([], ["a", "b"])


def test_an_unknown_word_is_answered_by_the_nearest() -> None:
    own = SearchIndex([SearchTexts("a", "hospital visits", "", "", "", "")])
    assert [own.nearest(word) for word in ("hopsital visits", "visit", "wisits", "vsits", "zebra", "vis")] == [
        "hospital visits",
        "",
        "visits",
        "visits",
        "",
        "",
    ]
    assert not is_edit("same", "same")
    assert not is_edit("same", "sa")


def test_a_query_is_cut_and_told_and_stays_text(key: SigningKey, tmp_path: Path) -> None:
    published(key, tmp_path, [400, 100, 30], "good")
    portal = served(tmp_path)
    long = CatalogueFilter.of({"q": "hospital " * 60})
    assert f"Only the first {LONGEST} letters" in index(portal, long)
    hostile = index(portal, CatalogueFilter(q="<script>alert(1)</script>"))
    assert "<script" not in hostile
    assert "Nothing has all words of" in Page(hostile).text


@pytest.mark.full
def test_topics_and_populations_have_lists_in_each_language(key: SigningKey, tmp_path: Path) -> None:
    published(key, tmp_path, [400, 100, 30], "good")
    portal = served(tmp_path)
    assert [slug(topic) for topic in ("hospitals & care", "Santé", "здоровье", "?!")] == [
        "hospitals-care",
        "sante",
        "здоровье",
        "3f-21",
    ]
    assert "Who comes to hospital" in topic_page(portal, "hospitals-care")
    with speaking("es"):
        assert "Quién va al hospital" in population_page(portal, "patients-2025")
        site = dict(Portal(portal.shelf).files())
    assert {"topic/health/index.html", "es/topic/hospitals-care/index.html"} < site.keys()
    static = Page(site["index.html"].decode())
    assert not [tag for tag, _ in static.tags if tag in ("form", "script")], "nobody would answer"
    assert "topic/health/index.html" in static.values("href")
    assert static.text.count("Who comes to hospital") == 3, "its card, and a line for each topic"
