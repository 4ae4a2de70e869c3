"""Every kind of statistic is drawn by the component, in every view, from what the bench makes of real tallies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from dprelease.ui.bench.component import ASSETS, HERE, number_signs, words
from tests.browser.bench.scenes import scene
from tests.workspace.test_bench import ASKED, plan, rows, workspace

PLACE = "http://bench.test/"
MOUNT = """async (all) => {
  const {default: bench} = await import('/bench.js'), host = document.createElement('div'), failed = [];
  document.body.append(host);
  const root = host.attachShadow({mode: 'open'}), style = document.createElement('link');
  Object.assign(style, {rel: 'stylesheet', href: '/bench.css'});
  root.append(style);
  const told = (name, error) => failed.push(`${name}: ${error.stack ?? error}`);
  window.addEventListener('error', (event) => told('later', event.error ?? event.message));
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  await frame();
  for (const data of all) {
    const name = `${data.open.name}, ${data.open.look}, ${data.view}`;
    try {
      bench({parentElement: root, data: new TextEncoder().encode(JSON.stringify(data)), setTriggerValue() {}});
      await frame();
      for (const key of ['Home', 'End', 'PageDown']) {
        root.querySelector('[role=slider]').dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
        await frame();
      }
      const chart = root.querySelector('.chart');
      if (!chart.firstElementChild || /NaN|undefined|null|Infinity/.test(root.querySelector('.right').outerHTML))
        told(name, chart.outerHTML.match(/.{0,80}(NaN|undefined|null|Infinity).{0,40}/)?.[0] ?? 'nothing drawn');
    } catch (error) { told(name, error); }
  }
  return failed;
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.route(f"{PLACE}**", answer)
    page.goto(PLACE)
    yield page
    page.close()


def answer(route: Any) -> None:
    path = HERE / ASSETS / route.request.url.removeprefix(PLACE)
    if path.is_file():
        route.fulfill(path=path, content_type="text/css" if path.suffix == ".css" else "text/javascript")
    else:
        route.fulfill(body="<!doctype html>", content_type="text/html")


@pytest.mark.full
@pytest.mark.parametrize("count", [0, pytest.param(300, marks=pytest.mark.full)])
def test_every_kind_is_drawn_in_every_view(page: Page, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the smallest and the largest ε too. Nothing that is not a number is written, whatever the tallies are."""
    monkeypatch.setattr("dprelease.workspace.look.DRAWS", 5)
    made = workspace(rows(count), "substitute")
    look = made.plans.look(
        plan([item for item in ASKED if item["kind"] != "survey" or count], "substitute"), invented=False
    )
    base = scene("age") | {"words": words(), "number": number_signs()}
    base["ladder"] = [float(each) for each in look.bench.ladder]
    shown = []
    for name in look.names:
        list(look.prepare(name))
        look.draw(name)
        opened = look.open(name).to_json()
        row = {
            **base["statistics"][0],
            "id": opened["statistic"],
            "error": list(look.bench.errors[opened["statistic"]]),
        }
        given = {"selected": opened["statistic"], "statistics": [row], "open": opened}
        shown += [base | given | {"view": view} for view in ("beside", "hundred", "cells")]
    failed = page.evaluate(MOUNT, json.loads(json.dumps(shown)))
    assert failed == [], "\n".join(failed)
