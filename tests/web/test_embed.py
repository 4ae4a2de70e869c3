"""What other sites show of a release: in a frame, and as the picture of a link; where readers find a number."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from urllib.parse import quote
from xml.etree import ElementTree

import pandas
import pytest
from PIL import Image
from starlette.testclient import TestClient

from dprelease import Workspace
from dprelease.bundle.notices import PublisherNotices
from dprelease.errors import IntegrityError
from dprelease.portal.card import chart_card
from dprelease.portal.shelf import Bundle
from dprelease.web.alone import application
from dprelease.web.portal import PICTURES
from tests.web import series
from tests.web.conftest import ADDRESS


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, dict[str, str]]:
    return series.make(tmp_path_factory.mktemp("embed") / "home")


@pytest.fixture(scope="module")
def own(made: tuple[Workspace, dict[str, str]]) -> Iterator[TestClient]:
    with TestClient(application(made[0].releases.folder), base_url=ADDRESS, follow_redirects=False) as found:
        yield found


@pytest.fixture(scope="module")
def old(made: tuple[Workspace, dict[str, str]]) -> str:
    """The superseded edition."""
    return made[1]["2025"]


def picture(html: str) -> str:
    """The words of the picture in a frame."""
    (data,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    root = ElementTree.fromstring(b64decode(data))
    return " ".join(text for text in root.itertext() if not text.startswith("@media"))


def test_a_frame_has_interval_grade_and_day_in_the_picture(own: TestClient, old: str) -> None:
    table = pandas.read_csv(BytesIO(own.get(f"/api/releases/{old}/tables/visits.csv").content)).set_index("region")
    for region, row in table.iterrows():
        answer = own.get(f"/embed/{old}/visits/region={quote(str(region), safe='')}")
        assert answer.status_code == 200
        assert len(answer.content) < 4096
        words = picture(answer.text)
        assert f"Grade {row.grade}: " in words
        if row.grade == "N":
            assert f"none – {max(row.upper95, row.value - row.lower95)}" in words
            assert "between" not in words
        else:
            assert f"between {max(0, row.lower95)} and {row.upper95}," in words
        assert f"release {old}" in words
        assert re.search(r"Published\s+20[0-9-]{8}\.", words)
        assert "Superseded" in words
        (link,) = re.findall(r'href="([^"]+)"', answer.text)
        assert str(region) in unescape(own.get(unescape(link)).text)


def test_a_chart_has_its_grades_in_the_picture_too(own: TestClient, old: str) -> None:
    for prefix, told in (("", "are reliable (A)"), ("es/", "son fiables (A)")):
        answer = own.get(f"/embed/{prefix}{old}/visits")
        assert told in picture(answer.text).replace("\n", " ")
        assert old in picture(answer.text)


def test_only_this_path_may_be_framed_and_it_has_no_script(
    own: TestClient, client: TestClient, workspace: Workspace, old: str
) -> None:
    framed = own.get(f"/embed/{old}/visits/region=north")
    assert "frame-ancestors *" in framed.headers["content-security-policy"]
    assert "script-src" not in framed.headers["content-security-policy"]
    assert "default-src 'none'" in framed.headers["content-security-policy"]
    assert "x-frame-options" not in framed.headers
    assert "<script" not in framed.text
    for path in ("/public/", f"/public/release/{old}/", f"/v/{old}/visits/region=north", "/api/releases", "/embedded"):
        headers = own.get(path).headers
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
    (own_id,) = workspace.releases.ids()
    (table,) = list(workspace.releases.get(own_id).tables)[:1]
    assert client.get(f"/embed/{own_id}/{table}").status_code == 200  # the dashboard's server answers it too


@pytest.mark.parametrize("path", ["", "x/visits", "{}/nothing", "{}/visits/region=nowhere", "{}/visits/"])
def test_what_is_not_there_is_missing(path: str, own: TestClient, old: str) -> None:
    assert own.get(f"/embed/{path.format(old)}").status_code == 404


@pytest.mark.parametrize(
    "forge",
    [
        '<image href="/etc/hostname" width="9" height="9"/>',
        '<style>@import url("/etc/hostname");</style><use href="x.svg#a"/>',
        "<foreignObject/>",
    ],
)
def test_a_picture_reads_no_file_that_a_chart_names(forge: str, made: tuple[Workspace, dict[str, str]]) -> None:
    """Somebody else's bundle may hold any SVG, signed by whoever made it."""
    workspace, ids = made
    bundle = Bundle.open(ids["2024"], workspace.releases.bundle(ids["2024"]))
    svg = bundle.read("charts/visits.svg")
    assert chart_card(svg, "", bundle, PublisherNotices()).endswith(b"</svg>")
    with pytest.raises(IntegrityError):
        chart_card(svg.replace(b"</svg>", f"{forge}</svg>".encode()), "", bundle, PublisherNotices())
    with pytest.raises(IntegrityError):
        chart_card(re.sub(rb'height="[0-9]+"', b'height="1e9"', svg, count=1), "", bundle, PublisherNotices())


def test_links_have_a_picture(own: TestClient, old: str) -> None:
    """For sites that show a link with a picture: PNG, at a whole address."""
    for path in (f"/public/release/{old}/", f"/public/es/v/{old}/visits/region=north"):
        text = own.get(path).text
        (where,) = re.findall(r'property="og:image" content="([^"]+)"', text)
        assert where.startswith(f"{ADDRESS}/public/{'es/' if '/es/' in path else ''}release/{old}/picture/")
        answer = own.get(where)
        assert answer.headers["content-type"] == "image/png"
        with Image.open(BytesIO(answer.content)) as image:
            assert (image.width, image.height) == (1600, 900)
            assert image.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
        assert re.search(r'<meta name="description" content="[^"<]{10,}">', text)


def test_a_table_has_pictures_for_the_press(own: TestClient, old: str) -> None:
    base = f"/public/release/{old}/picture/visits"
    tall = own.get(f"{base}-tall.png")
    with Image.open(BytesIO(tall.content)) as image:
        assert (image.width, image.height) == (1080, 1350)
    assert own.get(f"{base}-tall.png", headers={"If-None-Match": tall.headers["etag"]}).status_code == 304
    root = ElementTree.fromstring(own.get(f"{base}.svg").content)
    words = " ".join(" ".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text"))
    for told in ("Source: ", f"release/{old}/", "noise added on purpose", "replaced"):
        assert told in words
    for path in (f"{base}-small.png", base.replace("visits", "nothing") + "-wide.png"):
        assert own.get(path).status_code == 404


def test_a_fifth_picture_at_once_is_asked_to_come_again(own: TestClient, old: str) -> None:
    for _ in range(4):
        PICTURES.acquire()
    try:
        refused = own.get(f"/public/es/release/{old}/picture/visits-tall.png")
    finally:
        PICTURES.release(4)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
    assert own.get(f"/public/es/release/{old}/picture/visits-tall.png").status_code == 200


def test_an_embedded_chart_is_drawn_for_a_narrow_frame_too(own: TestClient, old: str) -> None:
    text = own.get(f"/embed/{old}/visits").text
    (narrow,) = re.findall(r'<source media="\(max-width:479px\)" srcset="data:image/svg\+xml;base64,([^"]+)"', text)
    root = ElementTree.fromstring(b64decode(narrow))
    shrunk = 320 / float(root.attrib["width"])
    sizes = [float(each.attrib["font-size"].removesuffix("px")) for each in root.iter() if "font-size" in each.attrib]
    assert min(sizes) * min(1, shrunk) >= 11
    assert "<script" not in text


def test_every_number_of_the_page_leads_to_its_own(own: TestClient, old: str) -> None:
    for prefix in ("", "es/"):
        base = f"/public/{prefix}release/{old}/"
        links = re.findall(r'<td[^>]*><a href="([^"]+)"><bdi>([^<]+)</bdi>', own.get(base).text)
        assert len(links) == 3 + 4 + 1
        for link, shown in links:
            page = own.get(str(own.base_url.join(base).join(unescape(link))))
            assert page.status_code == 200
            assert f'<p class="number-large">{shown}' in page.text
