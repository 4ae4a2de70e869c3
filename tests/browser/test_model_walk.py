"""A regression and a scorecard in Chromium, in both languages: planned, looked at, approved, published and tried."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import dprelease
from dprelease.model.actor import Actor, Role
from dprelease.ui.words import say
from dprelease.words.language import speaking
from dprelease.workspace import Workspace
from dprelease.workspace.process import COOKIE
from tests.browser.conftest import cut, grave, press, settled
from tests.browser.servers import Server, serve
from tests.bundle.reading_pmml import Scorer

PICTURES = Path(__file__).resolve().parents[2] / "build" / "pictures"
ANN, BEN = (Actor(name, frozenset({role})) for name, role in (("ann", Role.CURATOR), ("ben", Role.REVIEWER)))
COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 18, "upper": 90},
    "bmi": {"type": "number", "lower": 15, "upper": 45, "resolution": 0.5},
    "smoker": {"type": "boolean"},
    "cost": {"type": "number", "lower": 0, "upper": 5000, "resolution": 1},
    "ill": {"type": "boolean"},
}
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "patients",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 3},
    "expected": {"rows": 4000},
    "statistics": [
        {"id": "cost_line", "kind": "linear", "outcome": "cost", "on": ["age", "bmi", "smoker"]},
        {"id": "ill_card", "kind": "scorecard", "outcome": "ill", "on": ["age", "bmi", "smoker"]},
    ],
}
TRIED = {"age": "60", "bmi": "30", "smoker": "true"}


def patients() -> pandas.DataFrame:
    """Nobody's: who is older, heavier or smokes costs more, and is ill more often."""
    chance = np.random.default_rng(1)
    age, bmi = chance.integers(18, 91, 4000), np.round(chance.uniform(16, 44, 4000) * 2) / 2
    smoker = chance.random(4000) < 0.3
    cost = np.clip(np.round(25 * age + 30 * bmi + 600 * smoker + chance.normal(0, 300, 4000)), 0, 5000)
    ill = chance.random(4000) < 1 / (1 + np.exp(-(0.06 * (age - 60) + 0.1 * (bmi - 28) + smoker)))
    return pandas.DataFrame({"age": age, "bmi": bmi, "smoker": smoker, "cost": cost, "ill": ill})


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A hospital, where two people decide."""
    home = tmp_path_factory.mktemp("hospital") / "home"
    workspace = Workspace.create(home)
    table = home.parent / "patients.csv"
    patients().to_csv(table, index=False)
    workspace.add_population("patients", unit="row", neighbors="add_remove", epsilon=20)
    workspace.add_dataset("patients", table, population="patients", columns=COLUMNS)
    workspace.people.require_two_people()
    yield from serve(home)


def entered(team: Server, browser: Browser, who: Actor, locale: str) -> BrowserContext:
    workspace = Workspace.open(team.home)
    context = browser.new_context(locale=locale, viewport={"width": 1280, "height": 1000})
    value = workspace.people.sign_in(workspace.people.sign_in_link(who))
    context.add_cookies([{"name": COOKIE, "value": value, "url": team.base}])
    return context


@pytest.mark.full
@pytest.mark.parametrize("locale", ["en", "es"])
def test_a_regression_and_a_scorecard_from_the_plan_to_a_visitor(
    team: Server, browser: Browser, tmp_path: Path, locale: str
) -> None:
    plan = {**PLAN, "title": f"Patients ({locale})"}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    PICTURES.mkdir(parents=True, exist_ok=True)
    with speaking(locale):
        curator, reviewer = (entered(team, browser, who, locale) for who in (ANN, BEN))
        page = curator.new_page()
        planned(page, team, tmp_path / "plan.json", locale)
        approved(reviewer.new_page(), team, plan["title"])
        page.reload()
        settled(page)
        page.locator(".st-key-bench-onwards button").click()
        page.get_by_role("dialog").get_by_role("button", name=say("publish_button", epsilon=3)).click()
        page.wait_for_url("**/releases?release=*")
        settled(page)
        page.screenshot(path=PICTURES / f"model-release-{locale}.png", full_page=True)
        curator.close()
        reviewer.close()
    workspace = Workspace.open(team.home)
    release = next(each for each in workspace.releases.find() if each.certificate.title == plan["title"])
    bundle = workspace.releases.bundle(release.id)
    assert dprelease.verify(bundle, key=workspace.public_key)
    tried(browser, f"{team.base}/public/{'' if locale == 'en' else 'es/'}release/{release.id}/", bundle, locale)
    said_alike(bundle)


def planned(page: Page, team: Server, file: Path, locale: str) -> None:
    """The plan is read from a file, looked at with true values beside draws, and sent for review."""
    page.goto(f"{team.base}/workbench")
    settled(page)
    press(page, say("bench_more"))
    page.get_by_role("menuitem", name=say("bench_more_file"), exact=True).click()
    settled(page)
    page.locator("input[type=file]").last.set_input_files(file)
    settled(page)
    page.get_by_text(say("bench_mode_true"), exact=True).click()
    settled(page)
    expect(page.locator("#bench-tab-hundred")).to_have_count(1)  # what was of the other mode is gone
    for place, name in enumerate(("cost_line", "ill_card")):
        page.locator(f"[data-id={name}]").click()
        page.locator("#bench-tab-hundred").click()
        expect(page.locator(".chart canvas")).to_be_visible()
        page.screenshot(path=PICTURES / f"model-preview-{place}-{locale}.png")
    assert grave(page) == []
    page.locator(".st-key-bench-onwards button").click()
    page.get_by_role("dialog").get_by_role("button", name=say("publish_submit")).click()
    settled(page)


def approved(page: Page, team: Server, title: str) -> None:
    page.goto(f"{team.base}/review")
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    settled(page)
    page.keyboard.press("a")
    page.get_by_role("dialog").get_by_role("button", name=say("review_approve_save")).click()
    expect(page.locator(".dp-decided")).to_contain_text(say("review_approved", title=title))


def tried(browser: Browser, address: str, bundle: Path, locale: str) -> None:
    """A visitor on a phone types a row, and is told what Python tells."""
    model = dprelease.load_model(bundle / "models" / "cost_line.json")
    row = {name: [value] for name, value in TRIED.items()}
    for width, scheme in product((390, 1280), ("light", "dark")):
        context = browser.new_context(viewport={"width": width, "height": 844}, locale=locale, color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(address)
        part = page.locator('section[aria-labelledby^="model-cost_line "]')
        part.get_by_label("age", exact=True).fill(TRIED["age"])
        part.get_by_label("bmi", exact=True).fill(TRIED["bmi"])
        part.get_by_label("smoker", exact=True).select_option(TRIED["smoker"])
        shown = part.locator(".number-large").inner_text().split("cost")[0]
        assert abs(float(re.sub(r"[^\d.,-]", "", shown).replace(",", ".")) - model.predict(row)[0]) <= 50
        page.screenshot(path=PICTURES / f"model-visitor-{width}-{scheme}-{locale}.png", full_page=True)
        assert cut(page) == []
        assert grave(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()


def said_alike(bundle: Path) -> None:
    """A reader of PMML predicts the same as the loader, of both models; of the line so does scikit-learn."""
    rows = patients().head(200)
    asked = {name: rows[name].tolist() for name in TRIED}
    each = [{name: values[place] for name, values in asked.items()} for place in range(200)]
    for name in ("cost_line", "ill_card"):
        own = dprelease.load_model(bundle / "models" / f"{name}.json")
        scorer = Scorer((bundle / "models" / f"{name}.pmml").read_bytes())
        found = [scorer.score(row) for row in each]
        if name == "ill_card":
            shares = own.predict_proba(asked)[:, list(own.classes).index("true")]
            assert [one["true"] if isinstance(one, dict) else one for one in found] == pytest.approx(shares.tolist())
        else:
            assert found == pytest.approx(list(own.predict(asked)))
            if find_spec("sklearn") is not None:  # no part of what is installed for tests
                estimator = own.to_sklearn()
                assert np.clip(estimator.predict(own.design(asked)), 0, 5000) == pytest.approx(np.array(found))
