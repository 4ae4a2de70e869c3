"""The public portal in Chromium, signed out: searched, read, compared, checked, saved; from a server and from files."""

from __future__ import annotations

import re
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, Route, expect

import dprelease
from dprelease import cli
from dprelease.errors import IntegrityError
from dprelease.web.alone import application
from tests.browser.conftest import grave
from tests.workspace.test_criteria import EASY, HARD, ROWS, asking
from tests.workspace.test_publish import COLUMNS, approved

TABLE = "tables/by_sex.csv"


@dataclass(frozen=True)
class Published:
    """What is left when a workspace is gone."""

    folder: Path
    site: Path
    release: str
    key: str


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    root = tmp_path_factory.mktemp("portal")
    ws = dprelease.Workspace.create(root / "home")
    ws.add_dataset("people", ROWS, columns=COLUMNS, epsilon=5)
    good = ws.publish(approved(ws, asking(*EASY)))
    ws.publish(approved(ws, asking(EASY[0], HARD)))
    ws.releases.write_site(root / "site")
    key = ws.public_key  # while there is a ledger to read it from
    shutil.copytree(root / "home" / "public", root / "public")
    shutil.rmtree(root / "home")
    return Published(root / "public", root / "site", good.id, key)


@pytest.fixture(scope="module")
def portal(published: Published) -> Iterator[str]:
    """A server that has nothing but the public folder."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(application(published.folder), log_level="warning", ws="none"))
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def tampered(route: Route) -> None:
    """A server that changes a digit on the way."""
    answer = route.fetch()
    route.fulfill(response=answer, body=re.sub(rb"\d", b"7", answer.body(), count=1))


def accessible(page: Page) -> None:
    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_visitor_finds_reads_compares_checks_and_downloads(
    browser: Browser, portal: str, published: Published, tmp_path: Path
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    absent = re.compile(r"/notices/[^/]+\.json$")  # asked for, and not there where nothing was said of a release
    page.on(
        "console",
        lambda message: (
            errors.append(message.text)
            if message.type == "error" and not absent.search(message.location["url"])
            else None
        ),
    )
    page.goto(portal)
    page.get_by_role("searchbox").fill("by_sex")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_text("Releases found: ")).to_be_visible()
    accessible(page)
    page.locator(f"article a[href*='{published.release}']").click()
    expect(page.get_by_text("Whether or not any one row's records were used")).to_be_visible()
    accessible(page)

    page.locator("summary", has_text="Table (").last.click()
    page.get_by_role("link", name="Could a difference be noise?").last.click()
    expect(page.get_by_text("F is higher than M: noise alone does not explain it.")).to_be_visible()
    page.get_by_label("Confidence").select_option("99")
    expect(page.get_by_text(re.compile("with a 99.% interval from"))).to_be_visible()
    accessible(page)

    page.goto(f"{portal}/public/release/{published.release}/check.html")
    page.get_by_label("The publisher's key").fill(published.key)
    page.get_by_role("button", name="Check what this site serves").click()
    expect(page.get_by_text("Intact, and signed by the key that you gave.")).to_be_visible()
    accessible(page)
    page.route(f"**/{TABLE}", tampered)
    page.get_by_role("button", name="Check what this site serves").click()
    expect(page.get_by_text(f"Do not use this copy: {TABLE} is not what was signed")).to_be_visible()

    page.goto(f"{portal}/public/release/{published.release}/")
    (command,) = [text for text in page.locator("pre").all_text_contents() if text.startswith("dprelease verify")]
    assert cli.main(command.split()[1:]) == 0
    table = published.folder / published.release / TABLE
    honest = table.read_bytes()
    table.write_bytes(honest.replace(b"M", b"X"))
    assert cli.main(["verify", str(published.folder / published.release)]) == 6
    table.write_bytes(honest)
    with page.expect_download() as download:
        page.get_by_role("link", name="All files (zip)").click()
    saved = tmp_path / "bundle.zip"
    download.value.save_as(saved)
    assert dprelease.verify(saved, key=published.key).signer_known
    assert errors == []
    page.close()


@pytest.mark.full
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_static_site_is_read_in_spanish_from_the_file_system(
    width: int, scheme: str, browser: Browser, published: Published, tmp_path: Path
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("requestfailed", lambda request: errors.append(request.url))
    page.goto((published.site / "index.html").as_uri())
    page.get_by_role("link", name="Español").click()
    expect(page.get_by_text("No se publica ninguna tabla")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_count(0)
    accessible(page)
    page.locator(f"article a[href*='{published.release}']").click()
    expect(page.get_by_text("Se hubieran usado o no los registros")).to_be_visible()
    page.evaluate("[...document.images].forEach(image => { image.loading = 'eager' })")
    page.wait_for_function("[...document.images].every(image => image.complete && image.naturalWidth > 300)")
    accessible(page)
    page.locator("summary", has_text="Tabla (").last.click()
    page.get_by_role("link", name="¿Podría una diferencia ser ruido?").last.click()
    page.get_by_label("Primera celda").select_option("1")
    page.get_by_label("Segunda celda").select_option("0")
    expect(page.get_by_text("M es menor que F")).to_be_visible()
    accessible(page)

    page.goto((published.site / "es" / "release" / published.release / "check.html").as_uri())
    copy = Path(shutil.copytree(published.site / "releases" / published.release, tmp_path / "copy"))
    page.get_by_label("O comprobar una carpeta").set_input_files(copy)
    expect(page.get_by_text(f"Íntegra. Está firmada con {published.key}")).to_be_visible()
    expect(page.get_by_text("Si se corrigió o se sustituyó desde entonces no lo dice su carpeta")).to_be_visible()
    changed = Path(shutil.copytree(copy, tmp_path / "changed"))
    table = changed / TABLE
    table.write_bytes(table.read_bytes().replace(b"M", b"X", 1))
    page.get_by_label("O comprobar una carpeta").set_input_files(changed)
    expect(page.get_by_text(f"No use esta copia: {TABLE}")).to_be_visible()
    with pytest.raises(IntegrityError, match=TABLE):
        dprelease.verify(changed)
    assert errors == []
    page.close()
