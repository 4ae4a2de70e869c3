"""The office at the head of public pages: what is refused and why, and what becomes of a file that nobody signed."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from dprelease import cli
from dprelease.errors import InputError
from dprelease.portal.office import CARDS, CONTRAST, FILE, Office, contrast, logo_name, readable
from dprelease.web.alone import application
from dprelease.workspace import Workspace
from tests.web.conftest import ADDRESS

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9"><style>.a{fill:url(#g)}</style><path d="M0 0h9"/></svg>'
OWN: dict[str, Any] = {
    "name": {"en": "Office of Health Statistics", "es": "Oficina de Estadística de Salud"},
    "short": "Health",
    "licence": "CC-BY-4.0",
    "contact": "statistics@health.example",
    "accent": "#8A1C4A",
    "about": {"en": "What hospitals count."},
    "revisions": {"en": "Errors are corrected within a day."},
    "time_zone": "Europe/Madrid",
}


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        ("accent", "#7FD1D6", r"a colour with 4\.5 : 1 on white \(this one has 1\.7 : 1\); #[0-9A-F]{6} has it"),
        ("accent", "teal", "a colour such as #0B6B72"),
        ("name", "Office", "texts by language"),
        ("name", {"en": ""}, "text of 1 to 120"),
        ("name", None, "required"),
        ("doi_prefix", "doi:10", "a prefix of DOIs"),
        ("time_zone", "Madrid", "Europe/Madrid"),
        ("contact", "javascript:alert(1)", "mail address"),
        ("licence", "my own", "licence|SPDX|identifier"),
        ("shrt", "x", "short"),
    ],
)
def test_a_bad_value_is_refused_in_words(part: str, value: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        Office.read({**OWN, part: value})


def test_an_accent_is_taken_where_it_is_read_in_both_themes() -> None:
    draw = random.Random(7)
    for _ in range(40):
        colour = f"#{draw.randrange(1 << 24):06X}"
        fits = contrast(colour, CARDS[0]) >= CONTRAST
        assert contrast(readable(colour, CARDS[0]), CARDS[0]) >= CONTRAST
        if fits:
            light, dark = Office.read({**OWN, "accent": colour}).accents
            assert light == colour
            assert contrast(dark, CARDS[1]) >= CONTRAST
        else:
            with pytest.raises(InputError):
                Office.read({**OWN, "accent": colour})
    assert round(contrast("#000000", "#FFFFFF"), 6) == 21


@pytest.mark.parametrize(
    ("inside", "named"),
    [
        ("<script>1</script>", "<script>"),
        ("<foreignObject/>", "<foreignObject>"),
        ('<path onload="x()"/>', "<path>"),
        ('<image href="https://e.example/x.png"/>', "<image>"),
        ('<use xlink:href="https://e.example/#a" xmlns:xlink="http://www.w3.org/1999/xlink"/>', "<use>"),
        ("<style>@import 'x'</style>", "<style>"),
        ('<rect style="fill:url(https://e.example)"/>', "<rect>"),
        ('<rect fill="url( //e.example)"/>', "<rect>"),
    ],
)
def test_a_logo_only_draws(inside: str, named: str) -> None:
    assert logo_name(SVG) == "office-logo.svg"
    with pytest.raises(InputError, match=named):
        logo_name(SVG.replace(b"</svg>", f"{inside}</svg>".encode()))


def test_a_logo_is_a_small_picture() -> None:
    assert logo_name(b"\x89PNG\r\n\x1a\n" + bytes(10)) == "office-logo.png"
    with pytest.raises(InputError, match=r"20008 bytes.*at most 20000"):
        logo_name(b"\x89PNG\r\n\x1a\n" + bytes(20_000))
    for other in (b"GIF89a", b"<html></html>", b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg>&a;</svg>"):
        with pytest.raises(InputError, match="PNG or SVG"):
            logo_name(other)


@pytest.mark.full
def test_pages_name_the_office_that_the_ledgers_key_signed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home, file, logo = tmp_path / "home", tmp_path / "office.json", tmp_path / "logo.svg"
    file.write_text(json.dumps(OWN))
    logo.write_bytes(SVG)
    workspace = Workspace.create(home)
    assert cli.main(["office", "set", str(file), "--logo", str(logo), "--home", str(home)]) == 0
    assert cli.main(["office", "show", "--json", "--home", str(home)]) == 0
    assert json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))["short"] == "Health"
    workspace.releases.write_site(tmp_path / "site")
    for folder in (home / "public", tmp_path / "site"):
        with TestClient(application(folder), base_url=ADDRESS) as client:
            page = client.get("/public/").text
            assert "<bdi>Office of Health Statistics</bdi>" in page
            assert all(part in page for part in ("office-logo.svg", "#8A1C4A", "CC-BY-4.0", "Errors are corrected"))
            assert "Oficina de Estadística de Salud" in client.get("/public/es/").text
            drawn = client.get("/public/office-logo.svg")
            assert (drawn.content, drawn.headers["content-type"]) == (SVG, "image/svg+xml")
            assert "default-src 'none'" in drawn.headers["content-security-policy"]
            assert "sandbox" in drawn.headers["content-security-policy"]
    workspace.ledger.rotate_key()
    assert not workspace.releases.office().is_doubtful, "an earlier key of the same ledger signed it"
    workspace.releases.set_office({"name": {"en": "Plain"}})
    assert not (home / "public" / "office-logo.svg").exists()


@pytest.mark.parametrize("spoil", ["name", "logo", "foreign", "garbage"])
def test_what_another_wrote_is_not_shown(tmp_path: Path, spoil: str) -> None:
    first, other = Workspace.create(tmp_path / "first"), Workspace.create(tmp_path / "other")
    for workspace in (first, other):
        workspace.releases.set_office(OWN, SVG)
    public = tmp_path / "first" / "public"
    if spoil == "name":
        (public / FILE).write_text((public / FILE).read_text().replace("Office of Health", "Ministry of Health"))
    elif spoil == "logo":
        (public / "office-logo.svg").write_bytes(SVG + b" ")
    elif spoil == "foreign":
        shutil.copy(tmp_path / "other" / "public" / FILE, public / FILE)
    else:
        (public / FILE).write_text("[]")
    assert first.releases.office() == Office(is_doubtful=True)
    with TestClient(application(public), base_url=ADDRESS) as client:
        page = client.get("/public/").text
        assert "not signed by the key of this ledger" in page
        assert "of Health Statistics" not in page
        assert client.get("/public/office-logo.svg").status_code == 404
