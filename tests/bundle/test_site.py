"""The static site: a catalogue and its bundles, with links that work from the file system."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from dprelease.bundle.read import read
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.site import write_site
from dprelease.bundle.write import write
from dprelease.errors import IntegrityError
from dprelease.model.release import Release
from tests.bundle.releases import COLUMNS, make_release, snapshot, table
from tests.bundle.test_page import Page
from tests.bundle.test_read import packed, resigned


@pytest.fixture
def later(key: SigningKey, tmp_path: Path) -> Path:
    counted = [({"id": "n", "kind": "count"}, table((), [7], 3))]
    release = make_release(counted, columns=COLUMNS, title="Visits 2026", release_id="visits-2026")
    certificate = {**release.certificate, "published": "2026-11-21"}
    return write(replace(release, certificate=certificate), tmp_path / "later", key)


def test_the_catalogue_states_each_guarantee_whole_newest_first(written: Path, later: Path, tmp_path: Path) -> None:
    write_site([written, later], tmp_path / "site")
    page = Page((tmp_path / "site" / "index.html").read_text())
    assert page.text.index("Visits 2026") < page.text.index("Hospital visits 2025")
    assert (
        page.text.count("ε = 1, δ = 0 per person (neighbouring tables: add or remove one person; at most 5 records")
        == 2
    )
    assert (
        page.text.count("Up to this release, the population has spent ε = 1.5, δ = 0 in 2 releases, this one included.")
        == 2
    )
    assert page.text.count("Population: patients-2025") == 2


def test_releases_of_one_day_stand_in_the_order_of_the_ledger(
    release: Release, key: SigningKey, tmp_path: Path
) -> None:
    bundles = []
    for seq in (12, 7, 30):
        facts = {**release.certificate, "ledger": {**release.certificate["ledger"], "seq": seq}}
        facts |= {"id": f"visits-{seq}", "title": f"No. {seq}."}
        bundles.append(write(replace(release, id=f"visits-{seq}", certificate=facts), tmp_path / "bundles", key))
    write_site(bundles, tmp_path / "site")
    text = Page((tmp_path / "site" / "index.html").read_text()).text
    assert text.index("No. 30.") < text.index("No. 12.") < text.index("No. 7.")


def test_every_link_resolves_in_the_file_system(written: Path, later: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site([written, later], site)
    pages = list(site.rglob("*.html"))
    assert len(pages) == 3
    for path in pages:
        page = Page(path.read_text())
        for link in page.values("href"):
            name, _, anchor = link.partition("#")
            target = path.parent / name if name else path
            assert target.resolve().is_relative_to(site.resolve())
            assert target.is_file()
            assert not anchor or anchor in Page(target.read_text()).values("id")


def test_copies_are_the_bundles_and_still_verify(written: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site([packed(written, tmp_path / "bundle.zip")], site)
    copy = site / "releases" / written.name
    assert snapshot(copy) == snapshot(written)
    assert read(copy).fingerprint == read(written).fingerprint


def test_a_site_is_written_again_with_more_releases(written: Path, later: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site([written], site)
    first = snapshot(site)
    write_site([written], site)
    assert snapshot(site) == first
    write_site([later, written], site)
    assert {name: data for name, data in snapshot(site).items() if name in first and name != "index.html"} == {
        name: data for name, data in first.items() if name != "index.html"
    }
    assert "Visits 2026" in (site / "index.html").read_text()


def test_a_tampered_bundle_is_not_put_on_a_site(written: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(written, tmp_path / "copy"))
    (copy / "tables" / "n.csv").write_text("value,lower95,upper95\n1,0,2\n")
    with pytest.raises(IntegrityError, match=r"n\.csv"):
        write_site([copy], tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_another_release_of_the_same_name_is_refused(written: Path, tmp_path: Path) -> None:
    write_site([written], tmp_path / "site")
    other = resigned(Path(shutil.copytree(written, tmp_path / "copy")), {})
    with pytest.raises(IntegrityError, match="never replaced"):
        write_site([other], tmp_path / "site")


def test_a_certificate_without_a_guarantee_is_refused(written: Path, release: Release, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(written, tmp_path / "copy"))
    text = (copy / "release.json").read_text().replace('"cumulative"', '"cumulated"')
    with pytest.raises(IntegrityError, match="does not state its guarantee"):
        write_site([resigned(copy, {"release.json": text.encode()})], tmp_path / "site")


def test_a_site_without_releases_says_so(tmp_path: Path) -> None:
    write_site([], tmp_path / "site")
    assert "Nothing has been released yet." in Page((tmp_path / "site" / "index.html").read_text()).text


def test_hostile_titles_are_inert_in_the_catalogue(hostile_written: Path, tmp_path: Path) -> None:
    write_site([hostile_written], tmp_path / "site")
    page = Page((tmp_path / "site" / "index.html").read_text())
    assert "script" not in {tag for tag, _ in page.tags}
    assert "<script>alert('title')</script>" in page.text
