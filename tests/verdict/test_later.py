"""A later version, whose sentences, templates and charts look otherwise, verifies what this one wrote, and no lie."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import dprelease
from dprelease.bundle import chart_style, drawing, page
from dprelease.errors import IntegrityError
from dprelease.verdict import certificate, written
from dprelease.words import catalogue
from tests.bundle.entries import key_of
from tests.verdict.forging import published, signed
from tests.verdict.test_charts import FORGED as CHARTS
from tests.verdict.test_charts import NOTES, everywhere
from tests.verdict.test_page import FORGED as PAGES
from tests.verdict.test_page import HARMLESS
from tests.verdict.test_stated import refusal
from tests.verdict.test_verify import CERTIFICATES, TABLES
from tests.versions.make import ROOMS, every_kind, keep

KEY = key_of(9)
SENTENCE = re.compile(r'^msgstr(?:\[\d\])? "(?=[^"])', re.MULTILINE)
HEADING = re.compile(r"(<h2[^>]*>)(?=[A-Z])")
FORMATS = ("croissant.json", "datacite.json", "datapackage.json", "dcat.jsonld", "registry.yaml")
LATER = "98.0"
OTHERWISE = "Otherwise: "


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return published(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="module")
def clear(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """One whose bars are not too noisy: those are hatched, and are no plain bars."""
    return published(tmp_path_factory.mktemp("clear"), epsilon=4)


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every kind of statistic."""
    return every_kind(tmp_path_factory.mktemp("kinds"))


@pytest.fixture(scope="module")
def later(bundle: dict[str, bytes], kinds: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every sentence, template and style sheet of bundles has changed since the bundle was written."""
    folder = tmp_path_factory.mktemp("later")
    keep(folder / "kept" / dprelease.__version__)
    shutil.copytree(catalogue.FOLDER / "en", folder / "words" / "en", ignore=shutil.ignore_patterns("*.mo"))
    shutil.copytree(page.TEMPLATES, folder / "templates")
    for room in ROOMS:
        path = folder / "words" / "en" / f"{room}.po"
        head, _, texts = path.read_text().partition("\n\n")
        otherwise = SENTENCE.sub(rf"\g<0>{OTHERWISE}", texts)
        path.write_text(f"{head}\n\n{otherwise}")
    template = folder / "templates" / "index.html.j2"
    template.write_text(HEADING.sub(rf"\1{OTHERWISE}", template.read_text()))
    with (folder / "templates" / "style.css").open("a") as style:
        style.write("main{margin:0}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "FOLDER", folder / "words")
        patch.setattr(catalogue, "KEPT", folder / "kept")
        patch.setattr(page, "TEMPLATES", folder / "templates")
        patch.setattr(chart_style, "STYLE", "path{opacity:1}")
        patch.setattr(drawing, "_beside", False)  # a server of another test may draw in a process of its own
        for room in (certificate, written):
            patch.setattr(room, "VERSION", LATER)
        certificate.versions.cache_clear()
        page.environment.cache_clear()
        yield
    page.environment.cache_clear()
    certificate.versions.cache_clear()


def refused(files: dict[str, bytes], folder: Path) -> str:
    with pytest.raises(IntegrityError) as caught:
        dprelease.verify(signed(files, folder, KEY))
    return str(caught.value).removeprefix(OTHERWISE)


@pytest.mark.usefixtures("later")
def test_an_earlier_bundle_verifies(bundle: dict[str, bytes], tmp_path: Path) -> None:
    verdict = dprelease.verify(signed(bundle, tmp_path, KEY))
    assert {"page", "charts", "formats"} <= {check.name for check in verdict.checks}
    assert OTHERWISE not in bundle["index.html"].decode()


@pytest.mark.usefixtures("later")
def test_an_earlier_bundle_of_every_kind_verifies(kinds: Path) -> None:
    dprelease.verify(kinds)


@pytest.mark.usefixtures("later")
def test_a_bundle_of_the_later_version_verifies(tmp_path: Path) -> None:
    """And is not taken for one of the version before, whose words it does not have."""
    files = published(tmp_path / "made")
    assert files["index.html"].decode().count(OTHERWISE) > 10
    assert all(OTHERWISE in files[name].decode() for name in FORMATS)
    assert dprelease.verify(signed(files, tmp_path / "signed", KEY)).findings == ()


@pytest.mark.usefixtures("later")
def test_words_of_two_versions_are_not_those_of_one(bundle: dict[str, bytes], tmp_path: Path) -> None:
    mixed = bundle["index.html"].replace(b">What is promised<", f">{OTHERWISE}What is promised<".encode())
    assert refused(bundle | {"index.html": mixed}, tmp_path).startswith("page: it says 'Otherwise: What is promised'")


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("version", ["99.0", "../kept", "", "."])
def test_words_that_are_not_kept_are_refused(bundle: dict[str, bytes], tmp_path: Path, version: str) -> None:
    """Under whatever name: it is none of a folder that was not made for it."""
    bare = {name: data for name, data in bundle.items() if name != "index.html"}
    message = refusal(bare, lambda c: c["versions"].update(dprelease=version), tmp_path)
    assert "does not say" in message
    assert f"names dprelease {version!r}" in message


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("forge", PAGES.values(), ids=PAGES)
def test_the_same_pages_are_refused(bundle: dict[str, bytes], tmp_path: Path, forge: Callable[[str], str]) -> None:
    changed = forge(bundle["index.html"].decode()).encode()
    assert re.match(r"(page|index\.html): ", refused(bundle | {"index.html": changed}, tmp_path))


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_the_same_pages_are_taken(bundle: dict[str, bytes], tmp_path: Path, change: Callable[[str], str]) -> None:
    changed = change(bundle["index.html"].decode()).encode()
    dprelease.verify(signed(bundle | {"index.html": changed}, tmp_path, KEY))


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("forge", CHARTS.values(), ids=CHARTS)
def test_the_same_charts_are_refused(clear: dict[str, bytes], tmp_path: Path, forge: Callable[[str], str]) -> None:
    forged = everywhere(clear, forge)
    for number, names in enumerate((["charts/n.svg"], ["index.html"])):
        message = refused(clear | {name: forged[name] for name in names}, tmp_path / str(number))
        assert re.match(r"(charts/n\.svg|index\.html: the chart of n): ", message)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_the_same_notes_are_refused(bundle: dict[str, bytes], tmp_path: Path, note: tuple[str, str]) -> None:
    for number, name in enumerate(("index.html", "charts/n.svg")):
        changed = bundle[name].decode().replace(*note).encode()
        assert refused(bundle | {name: changed}, tmp_path / str(number)).startswith(f"{name}: ")


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize(
    "name", ["croissant.json", "datacite.json", "datapackage.json", "dcat.jsonld", "registry.yaml"]
)
def test_the_same_formats_are_refused(bundle: dict[str, bytes], tmp_path: Path, name: str) -> None:
    """With another sentence of their own, and with one of the version that verifies."""
    text = bundle[name].decode()
    told = re.search(r"[A-Z][a-z]+(?: [a-z]+){2}", text)
    assert told
    for number, words in enumerate(("Exact numbers of everybody", f"{OTHERWISE}{told[0]}")):
        changed = text.replace(told[0], words, 1).encode()
        message = refused(bundle | {name: changed}, tmp_path / str(number))
        assert message == f"{name}: it does not say what release.json and the tables say"


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize(("check", "change"), CERTIFICATES.values(), ids=CERTIFICATES)
def test_the_same_certificates_are_refused(
    bundle: dict[str, bytes], tmp_path: Path, check: str, change: Callable[[object], object]
) -> None:
    assert refusal(bundle, change, tmp_path).removeprefix(OTHERWISE).partition(":")[0] == check


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize(("check", "statistic", "table"), TABLES.values(), ids=TABLES)
def test_the_same_tables_are_refused(
    bundle: dict[str, bytes], tmp_path: Path, check: str, statistic: str, table: str
) -> None:
    assert refused(bundle | {f"tables/{statistic}.csv": table.encode()}, tmp_path).startswith(check)
