"""The guide as this server shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from dprelease.web.guide import START, rendered
from dprelease.workspace import guide

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"""guide_link\(\s*"([^"]+)"(?:,\s*"([^"]+)")?""")
SOURCES = [
    *(ROOT / "pages").glob("*.py"),
    *(ROOT / "dprelease" / "ui").rglob("*.py"),
    *(ROOT / "dprelease").glob("extras/*/page/*.py"),
]
PAGES = sorted(path.stem for path in (ROOT / "docs" / "guide").glob("*.md"))


def test_every_link_of_a_page_leads_somewhere_in_both_languages() -> None:
    asked = {match for path in SOURCES for match in LINK.findall(path.read_text("utf-8"))}
    assert ("bring-data", "") in asked
    for page, section in asked:
        for language in ("en", "es"):
            found = guide.text(page, language)
            assert found is not None, page
            assert found[1] == language, f"{page} is not in {language}"
            if section:
                assert section in guide.sections(page, language), f"{page}#{section} in {language}"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_served_in_both_languages_and_leads_to_its_other_one(client: TestClient, page: str) -> None:
    for language, other in (("en", "es"), ("es", "en")):
        answer = client.get(f"/guide/{page}?lang={language}")
        assert answer.status_code == 200
        assert f'<html lang="{language}">' in answer.text
        assert f"/guide/{page}?lang={other}" in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        for section in guide.sections(page, language):
            assert f'id="{section}"' in answer.text
        for target in re.findall(r'(?:href|src)="(/guide/[^"#]*)', answer.text):
            assert client.get(target).status_code == 200, target
        for other_page, section in re.findall(r'href="/guide/([^"?]+)[^"#]*#([^"]+)"', answer.text):
            assert section in guide.sections(other_page, language), f"{other_page}#{section}"
        assert not re.search(r'href="(?!/|#|https?:)', answer.text)


def test_the_guide_begins_with_a_page_that_leads_to_every_other(client: TestClient) -> None:
    for language in ("en", "es"):
        answer = client.get(f"/guide?lang={language}")
        assert answer.headers["location"] == f"/guide/{START}?lang={language}"
        first = client.get(answer.headers["location"]).text
        assert [page for page in PAGES if page != START and f"/guide/{page}?lang={language}" not in first] == []


def test_every_picture_is_on_a_page_in_its_language() -> None:
    shown = {
        (name, page.parent.name == "es")
        for page in (ROOT / "docs" / "guide").rglob("*.md")
        for name in re.findall(r"images/([a-z-]+)\.png", page.read_text("utf-8"))
    }
    there = {path.stem for path in (ROOT / "docs" / "guide" / "images").glob("*.png")}
    assert shown == {(name, name.endswith("-es")) for name in there}


@pytest.mark.parametrize("page", ["nothing", "Bring-Data", "a.b", "x" * 300])
def test_what_is_no_page_is_not_there(client: TestClient, page: str) -> None:
    answer = client.get(f"/guide/{page}")
    assert answer.status_code == 404
    assert client.get("/guide/images/nothing.png").status_code == 404


def test_markup_in_a_document_is_only_text() -> None:
    html = rendered("# <script>x</script>\n\n[a](javascript:x) <b onclick=x>", "en")
    assert "<script" not in html
    assert "<b" not in html
    assert "href" not in html
