"""The noise of the component's pictures has the law that the engine's has; it is the same unit noise at every ε.

Each comparison is a chi-squared or Kolmogorov test at 10⁻⁶, of noise from a fixed seed. Only the two comparisons with
OpenDP are drawn anew each time: at 10⁻⁹, so that one of them fails by chance once in 500 million runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import opendp.prelude as dp
import pytest
from playwright.sync_api import Browser, Page
from scipy.stats import chi2_contingency, chisquare, kstest

ASSETS = Path(__file__).resolve().parents[2] / "dprelease" / "ui" / "bench" / "assets"
PLACE = "http://bench.test/"
ALARM, ALARM_ANEW = 1e-6, 1e-9
DRAWS = 40_000
CELLS = 40
MIN_EXPECTED = 20


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page that can import the component's modules."""
    page = browser.new_page()
    page.route(f"{PLACE}**", lambda route: answer(route))
    page.goto(PLACE)
    yield page
    page.close()


def answer(route: Any) -> None:
    name = route.request.url.removeprefix(PLACE)
    if name.endswith(".js"):
        route.fulfill(path=ASSETS / name, content_type="text/javascript")
    else:
        route.fulfill(body="<!doctype html>", content_type="text/html")


def run(page: Page, body: str, *arguments: Any) -> Any:
    script = f"async (given) => {{ const noise = await import('{PLACE}noise.js'); {body} }}"
    return page.evaluate(script, list(arguments))


def simulated(page: Page, family: str, scale: float) -> np.ndarray[Any, Any]:
    body = (
        "const [family, scale, draws, cells] = given; const found = [];"
        "for (let draw = 0; draw < draws / cells; draw += 1)"
        "  for (const unit of noise.units(1234567, draw, cells)) found.push(noise.FAMILIES[family](unit, scale));"
        "return found;"
    )
    return np.array(run(page, body, family, scale, DRAWS, CELLS))


def by_law(family: str, scale: float, k: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    far = np.arange(-int(60 * scale) - 60, int(60 * scale) + 61)
    weight = {"laplace": lambda at: np.exp(-abs(at) / scale), "gaussian": lambda at: np.exp(-(at**2) / (2 * scale**2))}
    return np.asarray(weight[family](k) / weight[family](far).sum())


@pytest.mark.one_in(5)
@pytest.mark.parametrize("family", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.4, 3.0, 150.0])
def test_its_law_is_the_stated_one(page: Page, family: str, scale: float) -> None:
    found = simulated(page, family, scale)
    width = max(1, round(scale / 4))
    edges = np.arange(-8 * width, 8 * width + 1)
    cells = edges // width
    expected = np.array([by_law(family, scale, edges[cells == each]).sum() for each in np.unique(cells)]) * len(found)
    counts = np.array([np.isin(found, edges[cells == each]).sum() for each in np.unique(cells)])
    kept = expected >= MIN_EXPECTED
    expected, counts = (np.append(each[kept], 0) for each in (expected, counts))
    expected[-1], counts[-1] = len(found) - expected.sum(), len(found) - counts.sum()
    if expected[-1] < MIN_EXPECTED:
        expected, counts = (np.append(each[:-2], each[-2:].sum()) for each in (expected, counts))
    assert chisquare(counts, expected).pvalue > ALARM


@pytest.mark.full
@pytest.mark.parametrize("family", ["laplace", "gaussian"])
def test_it_is_like_what_opendp_draws(page: Page, family: str) -> None:
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=int))
    laplace, gaussian = (domain, dp.l1_distance(T=int)), (domain, dp.l2_distance(T=int))
    make = dp.m.make_laplace(*laplace, scale=6.0) if family == "laplace" else dp.m.make_gaussian(*gaussian, scale=6.0)
    ours, theirs = simulated(page, family, 6.0), np.array(make([0] * DRAWS))
    edges = [-np.inf, *np.arange(-16.5, 17, 3), np.inf]
    counts = [np.histogram(np.clip(each, -100, 100), bins=np.clip(edges, -101, 101))[0] for each in (ours, theirs)]
    assert chi2_contingency(counts).pvalue > ALARM_ANEW


def test_unit_noise_is_even_and_neighbours_know_nothing_of_each_other(page: Page) -> None:
    body = "return Array.from({length: 400}, (_, draw) => [...noise.units(given[0], draw, 100)])"
    found = np.array(run(page, body, 7))
    assert kstest(found.ravel(), "uniform").pvalue > ALARM
    for one, other in ((found[:-1], found[1:]), (found[:, :-1], found[:, 1:])):
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / np.sqrt(one.size)


def test_it_is_the_same_noise_at_every_scale(page: Page) -> None:
    body = (
        "const units = noise.units(3, 0, 200);"
        "return [1, 2, 4, 400].map((scale) => [...units].map((unit) => noise.FAMILIES[given[0]](unit, scale)));"
    )
    for family in ("laplace", "gaussian"):
        rows = np.array(run(page, body, family))
        assert all((np.diff(abs(rows), axis=0) >= 0).ravel()), "more noise moves each number further out, none back"
        assert np.allclose(rows[3] / 400, rows[2] / 4, atol=1)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("family", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.3, 5.0, 60.0])
def test_half_of_a_range_holds_95_percent_and_no_less_would(page: Page, family: str, scale: float) -> None:
    half = run(page, "return noise.reach(...given)", family, scale)
    inside = [by_law(family, scale, np.arange(-each, each + 1)).sum() for each in (half - 1, half)]
    assert inside[1] >= 0.95 - 1e-12
    assert inside[0] < 0.95


@pytest.mark.full
def test_where_nothing_is_drawn_nothing_is_added(page: Page) -> None:
    assert run(page, "return [noise.laplace(0.2, 0), noise.gaussian(0.9, 0), noise.reach('laplace', 0)]") == [0, 0, 0]
