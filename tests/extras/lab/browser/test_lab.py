"""The lab's static pages in Chromium: the same numbers as in Python, each state by its address, read by anybody."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.extras.lab import curves, snippets, two_tables
from dprelease.extras.lab.chance import uniforms
from dprelease.extras.lab.experiment import ALL, EPSILONS, PRIVATE, AttackRun, outcome
from dprelease.extras.lab.portal import mechanisms as lab_mechanisms
from dprelease.extras.lab.portal import pages as lab_pages
from dprelease.extras.lab.two_tables import pair_of
from dprelease.portal.pages import Portal, style_sheet
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.site import ListedFolder
from dprelease.words.language import speaking
from tests.browser.conftest import grave

PAIR = "([m, e]) => { const f = pair(m, e); return [f.values, f.p, f.q, tests(f).wrong, right(f), delta(f, e)] }"
QUERIES = ({"m": "gaussian", "eps": "0.5"}, {"m": "response"}, {"m": "uniform", "eps": "2"}, {"m": "x", "eps": "99"})
SETS = 40
"""Of each attack; 280 in all."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lab")
    portal = Portal(BundleIndex(ListedFolder(root, ())))
    name, sheet = style_sheet()
    (root / name).write_bytes(sheet)
    (root / "lab.js").write_bytes((lab_pages.TEMPLATES / "lab.js").read_bytes())
    for code, folder in (("en", root), ("es", root / "es")):
        (folder / "lab").mkdir(parents=True)
        with speaking(code):
            for path, content in lab_pages.files(portal):
                (folder / path).write_bytes(content)
    return root


def sets(attack: str) -> Iterator[AttackRun]:
    """States by the lab's own chance, which is the same in each run; every defence is among them."""
    experiment = ALL[attack]
    chances = uniforms(f"parity/{attack}", SETS, 4)
    for place, row in enumerate(chances.tolist()):
        world, number = (
            options[int(share * len(options))]
            for options, share in zip((experiment.worlds, experiment.numbers or ("",)), row[:2], strict=True)
        )
        epsilon = EPSILONS[int(row[2] * len(EPSILONS))]
        if attack in lab_pages.COMPUTED:
            epsilon = round(0.1 * 100 ** row[3], 4)
        defence = PRIVATE if place % 2 else experiment.defences[place // 2 % len(experiment.defences)]
        yield AttackRun(attack, world, defence, number, epsilon)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("attack", lab_pages.PAGES)
def test_a_browser_computes_the_same_numbers(attack: str, site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((site / "lab" / f"{attack}.html").as_uri())
    chosen = list(sets(attack))
    states = [{"world": one.world, "defence": one.defence, "n": one.number, "epsilon": one.epsilon} for one in chosen]
    found: list[dict[str, float]] = page.evaluate("states => states.map(state => compute(state))", states)
    for one, each in zip(chosen, found, strict=True):
        wanted = outcome(lab_pages.general(one))
        told = [each["guessing"], each["won"], each["most"]]
        assert told == pytest.approx([wanted.guessing, wanted.won, wanted.at_most], abs=1e-9), one
    page.close()


def test_a_browser_computes_the_same_distributions(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((site / "lab" / "mechanisms.html").as_uri())
    for place, share in enumerate(uniforms("parity/mechanisms", SETS).tolist()):
        mechanism, epsilon = lab_mechanisms.MECHANISMS[place % 4], round(0.1 * 100**share, 2)
        wanted = pair_of(mechanism, epsilon, 1)
        script = (
            "([m, e]) => { const f = pair(m, e); return [f.values, f.p, f.q, tests(f).wrong, right(f), delta(f, e)] }"
        )
        found: list[Any] = page.evaluate(script, [mechanism, epsilon])
        assert tuple(found[0]) == wanted.values
        wrong, _ = two_tables.tests(wanted)
        for one, own in ((found[1], wanted.p), (found[2], wanted.q), (found[3], wrong)):
            assert one == pytest.approx(own.tolist(), abs=1e-9), (mechanism, epsilon)
        assert found[4:] == pytest.approx([wanted.right, wanted.delta(epsilon)], abs=1e-9)
    page.close()


def places(points: str) -> list[float]:
    return [float(each) for each in points.replace(",", " ").split()]


def test_an_address_shows_a_mechanism_as_a_server_would(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    for query in (
        {"m": "gaussian", "eps": "0.5"},
        {"m": "response"},
        {"m": "uniform", "eps": "2"},
        {"m": "x", "eps": "99"},
    ):
        page.goto((site / "lab" / "mechanisms.html").as_uri() + f"?{urlencode(query)}")
        own = site / "lab" / "served.html"
        own.write_text(lab_mechanisms.page(Portal(BundleIndex(ListedFolder(site, ()))), query))
        looked = "[...document.querySelectorAll('polyline')].map(line => line.getAttribute('points'))"
        texts = "['vain', 'said', 'promised', 'program'].map(id => document.getElementById(id).textContent)"
        plain = browser.new_context(java_script_enabled=False).new_page()
        plain.goto(own.as_uri())
        assert page.evaluate(texts) == plain.evaluate(texts)
        for one, other in zip(page.evaluate(looked), plain.evaluate(looked), strict=True):
            assert places(one) == pytest.approx(places(other), abs=0.11)
        plain.context.close()
        own.unlink()
    page.close()


def taken(page: Page, name: str) -> str:
    """What a link saves."""
    return unquote(str(page.locator(f"#{name}").get_attribute("href")).partition(",")[2])


def numbers(text: str) -> list[list[Any]]:
    return [[one[0], *(float(each or 0) for each in one[1:])] for one in list(csv.reader(StringIO(text)))[1:]]


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("attack", "query"),
    [("repeat", "?n=25&defence=private&eps=0.7"), ("cells", "?world=ages-regions&defence=complementary-5")],
)
def test_a_link_shows_a_state_with_its_files(attack: str, query: str, site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((site / "lab" / f"{attack}.html").as_uri() + query)
    chosen, _ = lab_pages.choice(attack, dict(part.split("=") for part in query[1:].split("&")))
    expect(page.locator("#said")).to_have_text(lab_pages.verdict(chosen, outcome(chosen)))
    expect(page.locator("#vain")).to_be_hidden()
    assert taken(page, "py") == snippets.snippet(chosen)
    for found, wanted in zip(numbers(taken(page, "csv")), numbers(curves.csv(chosen)), strict=True):
        assert found[0] == wanted[0]
        assert found[1:] == pytest.approx(wanted[1:], abs=1e-9)
    own = (site / "lab" / f"{attack}.html").with_name("state.html")
    own.write_text(
        lab_pages.page(
            Portal(BundleIndex(ListedFolder(site, ()))), attack, dict(part.split("=") for part in query[1:].split("&"))
        )
    )
    drawn = page.locator("#figure > svg .won").get_attribute("points")
    assert f'points="{drawn}"' in own.read_text()
    page.close()


@pytest.mark.one_in(25)
@pytest.mark.parametrize(
    "query", ["?eps=nan", "?defence=%3Cscript%3E&eps=1e9", "?unknown=1", "?world=" + "x" * 3000, "?e=twice"]
)
def test_a_bad_address_gets_the_usual_and_one_line(query: str, site: Path, browser: Browser) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site / "lab" / "difference.html").as_uri() + query)
    expect(page.locator("#vain")).to_contain_text("the usual values stand in its place")
    usual = ALL["difference"].usual("difference")
    expect(page.locator("#said")).to_have_text(lab_pages.verdict(usual, outcome(usual)))
    assert errors == []
    page.close()


@pytest.mark.full
@pytest.mark.parametrize(
    ("code", "scheme", "pages"),
    [
        ("es", "dark", "[dm]*s.html"),
        pytest.param("en", "light", "*.html", marks=pytest.mark.full),
        pytest.param("es", "dark", "*.html", marks=pytest.mark.full),
    ],
)
def test_every_page_is_for_everybody_on_a_phone(
    code: str, scheme: Any, pages: str, site: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    folder = site / ("" if code == "en" else code) / "lab"
    for path in sorted(folder.glob(pages)):
        page.goto(path.as_uri())
        for each in page.locator("details").all():
            each.evaluate("part => { part.open = true }")
        assert grave(page) == [], path.name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path.name
    page.close()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("key", "scheme"), [("sites", "dark"), ("errors", "light")])
def test_a_page_that_a_server_computes_is_for_everybody(key: str, scheme: Any, site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page.goto((site / "es" / "lab" / f"{key}.html").as_uri())
    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


@pytest.mark.full
def test_one_draw_is_shown_for_the_choice_it_was_written_for(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((site / "lab" / "tracker.html").as_uri())
    expect(page.locator("#scene")).to_contain_text("Sigerico has a salary of 300")
    page.locator("#world").select_option("walia")
    expect(page.locator("#scene")).to_be_hidden()
    page.locator("#world").select_option("sigerico")
    expect(page.locator("#scene")).to_be_visible()
    page.close()


@pytest.mark.full
def test_a_control_changes_all_of_the_page(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((site / "es" / "lab" / "difference.html").as_uri())
    expect(page.locator("#said")).to_contain_text("Este ataque acierta el 100")
    page.locator("#defence").select_option("private")
    page.locator("#eps").fill("0.5")
    expect(page.locator("#share-most")).to_contain_text("62,2")
    assert page.url.endswith("?defence=private&eps=0.5")
    assert page.locator("#figure > svg .chosen").get_attribute("points") == ""
    page.close()
