"""Values for machines: the head of a release's page, and the sitemap."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dprelease.bundle.notices import PublisherNotices
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import write
from dprelease.portal.meta import HeadValues, head_values
from dprelease.portal.shelf import Bundle
from dprelease.portal.site import write_site
from dprelease.portal.sitemap import NAMESPACE
from dprelease.words.language import speaking
from tests.bundle.releases import COLUMNS, changed, make_release, table

SITE = "https://statistics.example/x"


@pytest.fixture
def bundle(key: SigningKey, tmp_path: Path) -> Bundle:
    counted = [({"id": "n", "kind": "count"}, table((), [7000], 3))]
    release = make_release(counted, columns=COLUMNS, title="Visits 2026", release_id="visits-2026")
    plan = dict(release.certificate.plan)
    plan["texts"] = {"languages": ["en", "es"], "title": {"en": "Visits 2026", "es": "Visitas </script> 2026"}}
    folder = write(changed(release, published="2026-11-21", plan=plan), tmp_path / "made", key)
    return Bundle.open("visits-2026", folder)


def values(bundle: Bundle, said: PublisherNotices | None = None, **given: str) -> HeadValues:
    found = head_values(bundle, bundle.release(), said or PublisherNotices(), SITE, **given)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_without_an_address_there_is_no_head(bundle: Bundle) -> None:
    assert head_values(bundle, bundle.release(), PublisherNotices(), "") is None


def test_every_address_is_absolute_and_of_its_language(bundle: Bundle) -> None:
    with speaking("es"):
        found = values(bundle, image=f"{SITE}/lead.png", doi="10.5072/dpr.1")
    page = f"{SITE}/es/release/visits-2026/"
    assert found.canonical == page == dict(found.properties)["og:url"]
    assert dict(found.alternates) == {
        "en": f"{SITE}/release/visits-2026/",
        "es": page,
        "x-default": f"{SITE}/release/visits-2026/",
    }
    names = dict(found.names)
    assert names["citation_title"] == "Visitas </script> 2026"
    assert names["citation_publication_date"] == "2026/11/21"
    assert names["citation_doi"] == "10.5072/dpr.1"
    assert names["twitter:card"] == "summary_large_image"
    assert "</script" not in found.dataset
    dataset = json.loads(found.dataset)
    assert (dataset["name"], dataset["url"]) == ("Visitas </script> 2026", page)
    assert dataset["identifier"] == "https://doi.org/10.5072/dpr.1"
    folder = f"{SITE}/releases/visits-2026"
    assert {each["contentUrl"] for each in dataset["distribution"]} >= {f"{folder}/tables/n.csv", f"{folder}.zip"}


def test_what_is_not_known_is_left_out(bundle: Bundle) -> None:
    found = values(bundle)
    stated = dict(found.names) | dict(found.properties)
    assert not {"citation_doi", "og:image", "robots"} & stated.keys()
    assert all(stated.values())
    assert "creativeWorkStatus" not in json.loads(found.dataset)


@pytest.mark.full
def test_a_sitemap_lists_what_holds_in_each_language(
    bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    write_site([bundle.folder], site, address=f"{SITE}/")
    assert f"Sitemap: {SITE}/sitemap.xml" in (site / "robots.txt").read_text()
    found = ElementTree.parse(site / "sitemap.xml").getroot()
    paths = ("", "release/visits-2026/")
    pages = {f"{SITE}/{code}{path}" for code in ("", "es/") for path in paths}
    assert {each.text for each in found.iter(f"{{{NAMESPACE}}}loc")} == pages
    assert {each.text for each in found.iter(f"{{{NAMESPACE}}}lastmod")} == {"2026-11-21"}
    monkeypatch.setattr("dprelease.portal.sitemap.MOST", 3)
    write_site([bundle.folder], site, address=SITE)
    index = ElementTree.parse(site / "sitemap.xml").getroot()
    parts = [each.text or "" for each in index.iter(f"{{{NAMESPACE}}}loc")]
    assert parts == [f"{SITE}/sitemap-{number}.xml" for number in (1, 2)]
    listed = [ElementTree.parse(site / part.removeprefix(f"{SITE}/")).getroot() for part in parts]
    assert [len(each) for each in listed] == [3, 1]
