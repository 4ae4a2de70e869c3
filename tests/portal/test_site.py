"""The static site: a catalogue and its bundles, with links that work from the file system."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from dprelease.bundle import guarantee
from dprelease.bundle.read import read
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import write
from dprelease.errors import InputError, IntegrityError
from dprelease.portal.entry import stated
from dprelease.portal.shelf import Bundle
from dprelease.portal.site import write_site
from dprelease.statements.sentences import how_often_wrong, lead
from dprelease.words.language import speaking
from tests.bundle.releases import COLUMNS, changed, listed, make_release, snapshot, table
from tests.bundle.test_page import Page
from tests.bundle.test_read import packed, resigned


@pytest.fixture
def later(key: SigningKey, tmp_path: Path) -> Path:
    counted = [({"id": "n", "kind": "count"}, table((), [7], 3))]
    release = make_release(counted, columns=COLUMNS, title="Visits 2026", release_id="visits-2026")
    return write(changed(release, published="2026-11-21"), tmp_path / "later", key)


def test_the_index_lists_releases_newest_first_without_ids_and_losses(
    written: Path, later: Path, tmp_path: Path
) -> None:
    """What each guarantees stands on its page, what all spent in the account of their population."""
    write_site([written, later], tmp_path / "site")
    page = Page((tmp_path / "site" / "index.html").read_text())
    assert page.text.index("Visits 2026") < page.text.index("Hospital visits 2025")
    assert not re.search("neighbouring|δ|visits-2026", page.text)
    assert "population/patients-2025/index.html" in page.values("href")
    own = Page((tmp_path / "site" / "population" / "patients-2025" / "index.html").read_text()).text
    assert "Protected in each: one person." in own
    assert own.index("Visits 2026") < own.index("Hospital visits 2025")


@pytest.mark.full
def test_the_list_previews_and_pages_open_with_what_was_found(key: SigningKey, later: Path, tmp_path: Path) -> None:
    """Of a release whose files were changed nothing is said in the list."""
    columns = {"c": {"type": "category", "categories": ["a", "b", "c"]}}
    cells = table([listed("c", "a", "b", "c")], [400, 100, 30], 15)
    release = make_release([({"id": "h", "kind": "histogram", "column": "c"}, cells)], columns=columns)
    written, site = write(release, tmp_path / "written", key), tmp_path / "site"
    write_site([written, later], site)
    for code, folder in (("en", site), ("es", site / "es")):
        with speaking(code):
            first, wrong = lead(release), how_often_wrong(release.certificate)
        catalogue, own = (folder / path for path in ("index.html", f"release/{written.name}/index.html"))
        assert " ".join(first.split()) in " ".join(Page(catalogue.read_text()).text.split())
        assert own.read_text().count(f'<meta name="description" content="{first}">') == 1
        assert wrong in Page(own.read_text()).text
        assert "20" in wrong
        assert "1 of 20 releases" not in Page((folder / f"release/{later.name}/index.html").read_text()).text
    own_statements = release.certificate.statements
    assert own_statements
    assert own_statements.lead
    bundle = Bundle.open(written.name, site / "releases" / written.name)
    assert stated(bundle)[0] == lead(release)
    (bundle.folder / "tables" / f"{own_statements.lead.table}.csv").write_text("changed")
    assert stated(bundle)[0] == ""


@pytest.mark.full
def test_releases_of_one_day_stand_in_the_order_of_the_ledger(key: SigningKey, tmp_path: Path) -> None:
    bundles, release = [], make_release([({"id": "n", "kind": "count"}, table((), [7], 3))], columns=COLUMNS)
    for seq in (12, 7, 30):
        ledger = {"seq": seq, "hash": release.certificate.ledger.hash}
        made = changed(release, ledger=ledger, id=f"visits-{seq}", title=f"No. {seq}.")
        bundles.append(write(made, tmp_path / "bundles", key))
    write_site(bundles, tmp_path / "site")
    text = Page((tmp_path / "site" / "index.html").read_text()).text
    assert text.index("No. 30.") < text.index("No. 12.") < text.index("No. 7.")


def test_no_page_shows_what_only_the_program_reads(written: Path, tmp_path: Path) -> None:
    """Such as `Caveat(code='as_given', values={})`: what is not protected is said in sentences, in both languages."""
    site = tmp_path / "site"
    write_site([written], site)
    pages = {path: Page(path.read_text()).text for path in site.rglob("*.html")}
    assert [
        path for path, text in pages.items() if re.search(r"\b[A-Z][A-Za-z]+\([a-z_]+=|<[A-Z][A-Za-z.]+[: ]", text)
    ] == []
    certificate = read(written).release.certificate
    for language, folder in (("en", site), ("es", site / "es")):
        with speaking(language):
            said = guarantee.caveats(certificate)
        page = pages[folder / "release" / written.name / "index.html"]
        assert said
        assert all(" ".join(each.split()) in " ".join(page.split()) for each in said)


def test_every_link_resolves_in_the_file_system(written: Path, later: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site([written, later], site)
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    names = {path.relative_to(site).as_posix() for path in pages}
    base = f"release/{written.name}"
    assert names >= {f"{prefix}{base}/compare-ages.html" for prefix in ("", "es/")} | {f"es/{base}/check.html"}
    for path, page in pages.items():
        for link in (*page.values("href"), *page.values("src")):
            if link.startswith("data:"):
                continue
            name, _, anchor = link.partition("#")
            name = name.partition("?")[0]
            target = path.parent / name if name else path
            assert target.resolve().is_relative_to(site.resolve())
            assert target.is_file()
            assert not anchor or anchor in pages[target.resolve()].values("id")
        assert path.is_relative_to(site / "releases") or path.stat().st_size < 100_000
    for folder in ("", "es/"):
        check = site / folder / base / "check.html"
        data = json.loads(re.findall(r'id="data">(.*?)</script>', check.read_text())[0])
        assert all((check.parent / data["folder"] / name).is_file() for name in data["files"])


def test_where_it_will_lie_stands_in_feeds_and_citations(later: Path, tmp_path: Path) -> None:
    write_site([later], tmp_path / "site", address="https://statistics.example/x/")
    (item,) = json.loads((tmp_path / "site" / "feed.json").read_text())["items"]
    assert item["url"] == f"https://statistics.example/x/release/{later.name}/index.html"
    page = Page((tmp_path / "site" / "es" / "release" / later.name / "index.html").read_text())
    assert f"dprelease verify https://statistics.example/x/releases/{later.name}/ --key" in page.text
    assert f"[Data set]. https://statistics.example/x/release/{later.name}/" in page.text
    with pytest.raises(InputError, match="address"):
        write_site([later], tmp_path / "other", address="javascript:alert(1)")


def test_copies_are_the_bundles_and_still_verify(written: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site([packed(written, tmp_path / "bundle.zip")], site)
    copy = site / "releases" / written.name
    assert snapshot(copy) == snapshot(written)
    assert read(copy).fingerprint == read(written).fingerprint


@pytest.mark.full
def test_a_site_is_written_again_with_more_releases(written: Path, later: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site([written], site)
    first = snapshot(site)
    write_site([written], site)
    assert snapshot(site) == first
    write_site([later, written], site)
    own = "population/patients-2025/index.html"
    lists = {"index.html", "es/index.html", own, f"es/{own}", "feed.atom", "feed.json", "checkpoint.json"}
    assert {name: snapshot(site)[name] for name in first.keys() - lists} == {
        name: first[name] for name in first.keys() - lists
    }
    assert "Visits 2026" in (site / "index.html").read_text()
    write_site([written], site)
    assert "Visits 2026" not in (site / "index.html").read_text(), "what lies there and is not given is not shown"


def test_a_tampered_bundle_is_not_put_on_a_site(written: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(written, tmp_path / "copy"))
    (copy / "tables" / "n.csv").write_text("value,lower95,upper95\n1,0,2\n")
    with pytest.raises(IntegrityError, match=r"n\.csv"):
        write_site([copy], tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.full
def test_another_release_of_the_same_name_is_refused(written: Path, tmp_path: Path) -> None:
    write_site([written], tmp_path / "site")
    other = resigned(Path(shutil.copytree(written, tmp_path / "copy")), {})
    with pytest.raises(IntegrityError, match="never replaced"):
        write_site([other], tmp_path / "site")


def test_a_certificate_without_a_guarantee_is_refused(written: Path, key: SigningKey, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(written, tmp_path / "copy"))
    text = (copy / "release.json").read_text().replace('"cumulative"', '"cumulated"')
    with pytest.raises(IntegrityError, match="missing required field `cumulative`"):
        write_site([resigned(copy, {"release.json": text.encode()}, key)], tmp_path / "site")


@pytest.mark.full
def test_a_site_without_releases_says_so(tmp_path: Path) -> None:
    write_site([], tmp_path / "site")
    assert "Nothing has been released yet." in Page((tmp_path / "site" / "index.html").read_text()).text


def test_hostile_titles_are_inert_in_the_catalogue(hostile_written: Path, tmp_path: Path) -> None:
    write_site([hostile_written], tmp_path / "site")
    page = Page((tmp_path / "site" / "index.html").read_text())
    assert [attributes for tag, attributes in page.tags if tag == "script"] == []
    assert "<script>alert('title')</script>" in page.text


@pytest.mark.full
def test_each_release_says_what_its_epsilon_lets_an_attacker_do(written: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site([written], site)
    base = f"release/{written.name}"
    assert 'href="attacker.html"' in (site / base / "index.html").read_text()
    page = Page((site / base / "attacker.html").read_text())
    assert "What ε = 1 lets an attacker do" in page.text
    assert "guesses right at most 73.2 % of the time whether one person is in the table" in " ".join(page.text.split())
    assert "../../lab/difference.html?defence=private&eps=1" in list(page.values("href"))
    spoken = Page((site / "es" / base / "attacker.html").read_text())
    assert "Lo que ε = 1 permite a un atacante" in spoken.text


@pytest.mark.full
def test_the_lab_is_read_without_a_script(tmp_path: Path) -> None:
    write_site([], tmp_path / "site")
    text = Page((tmp_path / "site" / "lab" / "difference.html").read_text()).text
    assert "Guessing wins 50 %. This attack wins 100 %." in text
    assert "56.5 %" in text
    assert "99.996 %" in text, "at ε = 10 somebody may still be wrong"
    answer = Page((tmp_path / "site" / "lab" / "index.html").read_text()).text.partition("Is ε = 1 safe?")[2]
    assert "more than 73.2 % of the time at ε = 1" in " ".join(answer.partition("Difference")[0].split())
    spoken = Page((tmp_path / "site" / "es" / "lab" / "index.html").read_text()).text
    assert "¿Es seguro ε = 1?" in spoken
    assert "import numpy as np" in text
    lines = (tmp_path / "site" / "es" / "lab" / "difference.csv").read_text().splitlines()
    assert lines[:2] == ["defence,epsilon,guessing,won,at_most", "exact,,0.5,1.0,1.0"]
    assert (tmp_path / "site" / "lab" / "trade.svg").read_text().startswith("<svg")
