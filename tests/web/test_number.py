"""The page of one number: at an address that stays, with the number that the file has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import quote, unquote

import pytest
from starlette.testclient import TestClient

from dprelease.portal.shelf import Bundle
from dprelease.web.alone import application
from dprelease.workspace import Workspace
from tests.web.conftest import ADDRESS
from tests.web.test_cells import bundle, file_of

__all__ = ["bundle"]

NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@pytest.fixture(scope="module")
def own(bundle: Bundle) -> Iterator[TestClient]:
    with TestClient(application(bundle.folder.parent), base_url=ADDRESS) as found:
        yield found


def keys_of(row: dict[str, str], names: list[str]) -> str:
    """The address of a row: codes as readers know them, without the apostrophe against formulas."""
    codes = {name: row[name].removeprefix("'") for name in names}
    return ",".join(f"{name}={quote(code, safe='')}" for name, code in codes.items())


def test_every_number_has_a_page_with_what_the_file_says(
    own: TestClient,
    bundle: Bundle,
) -> None:
    for table, names in (("t", ["region", "limit"]), ("ages", ["age_from", "age_to"])):
        for row in file_of(bundle, table).to_dict("records")[:24]:
            answer = own.get(f"/public/v/{bundle.id}/{table}/{keys_of(row, names)}")
            assert answer.status_code == 200
            sentence = answer.text.partition('<p class="lead">')[2].partition("</p>")[0]
            plain = unescape(sentence).partition("<small>")[0].replace("\u202f", "").replace("\u2212", "-")
            told = [float(each) for each in NUMBER.findall(plain)]
            value, lower, upper = (float(row[name]) for name in ("value", "lower95", "upper95"))
            if row["grade"] == "N":
                assert told[-1] == max(upper, value - lower)
            else:
                assert told[-2:] == [max(0, lower), upper]
            assert ("none to" in sentence) == (row["grade"] == "N")


def test_the_short_address_leads_there_in_the_reader_s_language(
    own: TestClient,
    bundle: Bundle,
) -> None:
    short = f"/v/{bundle.id}/t/region=east%2C%20far,limit=F"
    for spoken, prefix in (("en", ""), ("es", "/es")):
        answer = own.get(short, headers={"accept-language": spoken}, follow_redirects=False)
        assert answer.status_code == 307
        assert unquote(answer.headers["location"]) == f"/public{prefix}{unquote(short)}"
        page = own.get(short, headers={"accept-language": spoken})
        assert page.status_code == 200
        assert f'<html lang="{spoken}">' in page.text
    assert "se añadió ruido a propósito" in page.text


def test_every_link_of_the_page_leads_somewhere(own: TestClient, bundle: Bundle) -> None:
    for prefix in ("", "es/"):
        path = f"/public/{prefix}v/{bundle.id}/t/region=north,limit=F"
        text = own.get(path).text
        links = [each for each in re.findall(r'(?:href|src)="([^"]+)"', text) if not each.startswith(("data:", "#"))]
        assert len(links) > 6
        for link in links:
            assert own.get(str(own.base_url.join(path).join(link))).status_code == 200, link


@pytest.mark.parametrize(
    "path",
    ["t/region=nowhere,limit=F", "t/region=north", "t/", "t/limit=F,region=north", "nothing/region=north,limit=F"],
)
def test_what_is_no_number_is_missing(path: str, own: TestClient, bundle: Bundle) -> None:
    assert own.get(f"/v/{bundle.id}/{path}").status_code == 404


def test_the_dashboard_s_server_answers_it_without_a_session(client: TestClient, workspace: Workspace) -> None:
    (release_id,) = workspace.releases.ids()
    assert client.get(f"/v/{release_id}/ages/x").headers["location"] == f"/public/v/{release_id}/ages/x"
