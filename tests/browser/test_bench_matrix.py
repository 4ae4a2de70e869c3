"""Tables of many cells in the component: one matrix on a page of one screen, at any size."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.bench.serving import HERE, ROOT
from tests.browser.conftest import cut, grave, settled
from tests.browser.servers import run_script
from tests.browser.test_bench import shown, told

SIZE = {"width": 1280, "height": 800}
MOVES = 30
SEEN = """() => {
  const root = document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot;
  const frame = root.querySelector('.chart'), edge = frame.getBoundingClientRect();
  const inside = (each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return right > edge.left && left < edge.right && bottom > edge.top && top < edge.bottom;
  };
  const texts = (kind) => [...root.querySelectorAll(`.matrix .${kind} b`)].filter(inside).map((each) => each.title);
  const made = root.querySelectorAll('.right *').length;
  return { columns: texts('heads'), rows: texts('names'), made, left: edge.left,
    name: root.querySelector('.matrix .names b').getBoundingClientRect().left };
}"""
HIGH = "document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot.querySelector('.bench').clientHeight"
REDRAWN = """async ([moves, step]) => {
  const root = document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot;
  const slider = root.querySelector('[role=slider]'), { left, top, width } = slider.getBoundingClientRect();
  const frame = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const send = (kind, x) => slider.dispatchEvent(
    new PointerEvent(kind, { pointerId: 1, clientX: x, clientY: top + 10, bubbles: true, button: 0 }));
  slider.setPointerCapture = () => {};
  slider.hasPointerCapture = () => true;
  const found = [];
  send('pointerdown', left + 0.9 * width);
  await frame();
  for (let k = 1; k <= moves; k += 1) {
    send('pointermove', left + 0.9 * width - k * step);
    await frame();
    found.push(root.querySelector('.matrix canvas').toDataURL());
  }
  slider.dispatchEvent(new PointerEvent('lostpointercapture', { pointerId: 1 }));
  return new Set(found).size;
}"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from run_script(HERE / "server.py", ROOT, tmp_path_factory.mktemp("matrix") / "log", {})


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport=SIZE)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(
    ("name", "columns", "rows"), [("many", 5, 120), pytest.param("most", 100, 100, marks=pytest.mark.full)]
)
def test_any_number_of_cells_is_one_matrix_on_one_screen(
    page: Page, base: str, name: str, columns: int, rows: int
) -> None:
    """In all three views; its last row and column are reached by scrolling, with heads in sight and few elements."""
    shown(page, f"{base}/?selected=age")
    usual = page.evaluate(HIGH)
    for view in ("beside", "hundred", "cells"):
        shown(page, f"{base}/?selected={name}&view={view}")
        seen = page.evaluate(SEEN)
        assert page.evaluate(HIGH) <= usual, view
        assert seen["made"] < 700, view
        first = {"columns": seen["columns"], "rows": seen["rows"]}
        assert first["rows"][0] == "0–4 · Emergency"
        page.locator(".bench .chart").evaluate("each => each.scrollTo(1e6, 1e6)")
        page.wait_for_function(
            "title => [...document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot"
            ".querySelectorAll('.matrix .names b')].at(-1).title === title",
            arg=f"95–99 · {'Other' if columns == 5 else 'Paediatrics'}",
        )
        last = page.evaluate(SEEN)
        assert last["columns"][-1] == ("No answer" if columns == 5 else "Day 100")
        assert abs(last["name"] - last["left"]) <= 1, "the first column stays"
    assert grave(page) == []


def test_a_small_table_of_two_keys_keeps_its_pictures_and_one_of_13_cells_has_a_matrix(page: Page, base: str) -> None:
    shown(page, f"{base}/?selected=small")
    assert page.evaluate(SEEN)["rows"] == ["North", "South", "East", "West", "Other"]
    shown(page, f"{base}/?selected=region")
    assert page.locator(".bench .matrix").count() == 0


@pytest.mark.full
def test_thirty_moves_of_the_pointer_redraw_600_cells_each_time(page: Page, base: str) -> None:
    shown(page, f"{base}/?selected=many&unsaid")
    assert page.evaluate(REDRAWN, [MOVES, 7]) >= 20


def test_a_table_with_a_key_less_is_offered_and_taken_in_one_press(page: Page, base: str) -> None:
    shown(page, f"{base}/?selected=many")
    bad = page.locator(".bench .card .chip").first.inner_text()
    assert int(bad.split()[0]) > 300, bad
    found = re.match(r"By Age and Ward alone (\d+) of 120 are too noisy\.", page.locator(".bench .coarse").inner_text())
    assert found is not None
    assert 0 < int(found[1]) <= 30
    page.get_by_role("button", name="Use this table").click()
    assert told(page, 1) == [{"coarsen": ["many", "sex"]}]


@pytest.mark.full
def test_no_key_less_is_offered_where_nothing_is_too_noisy(page: Page, base: str) -> None:
    shown(page, f"{base}/?selected=many&epsilon=2")
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(page.locator(".bench .coarse")).to_be_visible()
    shown(page, f"{base}/?selected=age")
    expect(page.locator(".bench .coarse")).to_be_hidden()


@pytest.mark.full
def test_one_number_that_cannot_be_used_does_not_set_the_axis(page: Page, base: str) -> None:
    """The last mean has forty times the noise: the others' marks and the scale below them stay where they are."""
    scale = "each => [...each.querySelectorAll('.chart text.tick')].map(one => one.textContent)"
    place = "each => [...each.querySelectorAll('.chart circle')].slice(0, 5).map(one => one.getAttribute('cx'))"
    shown(page, f"{base}/?selected=cost")
    card = page.locator(".bench .card")
    usual = card.evaluate(scale)
    marks = card.evaluate(place)
    shown(page, f"{base}/?selected=lost")
    assert card.evaluate(scale) == usual
    assert len(marks) == 5
    assert page.locator(".bench .chart circle.noisy").count() == 5
    lost = page.locator(".bench .chart circle.too-noisy")
    assert lost.count() == 1
    paper = "each => getComputedStyle(each).fill === getComputedStyle(each.closest('.card')).backgroundColor"
    assert lost.evaluate(paper), "hollow"


@pytest.mark.full
def test_where_there_is_no_mark_a_sentence_stands(page: Page, base: str) -> None:
    for view in ("beside", "hundred"):
        shown(page, f"{base}/?selected=none&view={view}")
        assert page.locator(".bench .chart svg").count() == 0
        expect(page.locator(".bench .chart")).to_have_text("Nothing would be published at this ε.")


LOOKS = [
    pytest.param(width, scheme, marks=[] if (width, scheme) == (390, "dark") else pytest.mark.full)
    for width in (1280, 390)
    for scheme in ("light", "dark")
]


@pytest.mark.full
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_everybody_can_use_the_matrix(browser: Browser, base: str, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    for view in ("beside", "cells"):
        shown(page, f"{base}/?selected=many&view={view}")
        settled(page)
        assert grave(page) == [], view
        assert cut(page) == [], view
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    context.close()
