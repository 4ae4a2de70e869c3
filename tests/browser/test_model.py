"""A visitor tries a model on a phone, by the keyboard: the browser says what Python says, and nothing is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease import load_model
from dprelease.portal.site import write_site
from tests.browser.conftest import grave
from tests.model.function.made import MODELS
from tests.workspace import models

ROW = {"age": ["71"], "bmi": ["22.5"], "sex": ["M"], "smoker": ["true"], "admitted": ["2025-03-04"]}


class Silent(SimpleHTTPRequestHandler):
    """A server of files, for which no address is too much."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with models.listed():
        made = models.workspace()
        yield models.published(made, models.plan(*MODELS)).write(tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="module")
def site(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    write_site([bundle], folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def opened(browser: Browser, address: str, errors: list[str], **options: object) -> Page:
    page = browser.new_page(viewport={"width": 390, "height": 844}, **options)  # type: ignore[arg-type]
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(address)
    return page


@pytest.mark.full
def test_a_visitor_tries_a_model_by_the_keyboard(browser: Browser, bundle: Path, site: str) -> None:
    errors: list[str] = []
    page = opened(browser, f"{site}/release/{bundle.name}/index.html", errors)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    part = page.locator('section[aria-labelledby^="model-linear "]')
    part.get_by_label("age").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(ROW["age"][0])
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type(ROW["bmi"][0])
    page.keyboard.press("Tab")
    page.keyboard.type("M")
    page.keyboard.press("Tab")
    page.keyboard.type("t")
    part.get_by_label("admitted").fill(ROW["admitted"][0])
    model = load_model(bundle / "models" / "linear.json")
    value, (lower, upper) = model.predict(ROW)[0], model.interval(ROW)[0]
    shown = part.locator(".number-large").inner_text().split("cost")[0]
    number = float(re.sub(r"\s", "", shown))
    assert abs(number - value) <= (upper - lower) / 8
    expect(part.locator(".parts tbody tr")).to_have_count(5)
    part.get_by_label("age").fill("400")
    expect(part.get_by_text("the model knows values from 18 to 90")).to_be_visible()
    part.get_by_label("age").fill("")
    expect(part.get_by_text("No prediction: a declared value is missing for age")).to_be_visible()
    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert asked == []
    assert page.evaluate("[localStorage.length, sessionStorage.length, location.search].join()") == "0,0,"
    assert errors == []
    page.close()


def test_a_group_is_chosen_from_a_list(browser: Browser, bundle: Path, site: str) -> None:
    errors: list[str] = []
    page = opened(browser, f"{site}/release/{bundle.name}/index.html", errors)
    part = page.locator('section[aria-labelledby^="model-linear_by "]')
    part.get_by_label("age").fill("71")
    model = load_model(bundle / "models" / "linear_by.json")
    for sex in ("M", "F", "=x <b>"):
        part.locator("form").get_by_label("sex").select_option(sex)
        value = model.predict({"age": [71], "sex": [sex], "smoker": [False]})[0]
        lower, upper = model.interval({"age": [71], "sex": [sex], "smoker": [False]})[0]
        shown = part.locator(".number-large").inner_text().split("cost")[0]
        number = float(re.sub(r"\s", "", shown))
        assert abs(number - value) <= max(0.5, (upper - lower) / 8)
    expect(part.locator(".parts tbody tr")).to_have_count(2)
    assert errors == []
    page.close()


def test_each_kind_answers_in_spanish_and_in_the_dark(browser: Browser, bundle: Path, site: str) -> None:
    errors: list[str] = []
    page = opened(browser, f"{site}/es/release/{bundle.name}/index.html", errors, color_scheme="dark")
    expect(page.locator(".predicted:visible")).to_have_count(len(MODELS))
    expect(page.locator('section[aria-labelledby^="model-fuzzy "]').get_by_text("Cuánto pertenece")).to_be_visible()
    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert errors == []
    page.close()


@pytest.mark.full
def test_without_scripts_the_page_says_the_same(browser: Browser, bundle: Path, site: str) -> None:
    errors: list[str] = []
    page = opened(browser, f"{site}/release/{bundle.name}/index.html", errors, java_script_enabled=False)
    part = page.locator('section[aria-labelledby^="model-scorecard "]')
    expect(part.locator("form")).to_be_hidden()
    expect(part.locator("noscript p")).to_be_visible()  # texts in there are not found by what they say
    expect(part.get_by_text("Not to conclude")).to_be_visible()
    page.close()
