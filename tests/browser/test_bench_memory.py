"""What was shown of true values is gone from the page's memory when the look-alike is shown instead."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page

from tests.browser.bench.scenes import SECRET
from tests.browser.conftest import chromium, settled
from tests.browser.test_bench import base  # noqa: F401 (a fixture)

WHOLE = "--js-flags=--heap-snapshot-string-limit=100000000"
"""A snapshot has strings whole, not their first thousand characters."""
KEEP = """
const keep = WebSocket.prototype.addEventListener;
window.received = [];
for (const name of ['onmessage']) {
  const own = Object.getOwnPropertyDescriptor(WebSocket.prototype, name);
  Object.defineProperty(WebSocket.prototype, name, {...own, set(listener) {
    keep.call(this, 'message', (event) => event.data instanceof ArrayBuffer && window.received.push(event.data));
    own.set.call(this, listener);
  }});
}
WebSocket.prototype.addEventListener = function (name, listener, ...more) {
  if (name === 'message')
    keep.call(this, name, (event) => event.data instanceof ArrayBuffer && window.received.push(event.data));
  return keep.call(this, name, listener, ...more);
};
"""
"""Holds every message that came, so that the page's copies can be looked at later."""
HOLD = "secret => window.received.filter(each => new TextDecoder('latin1').decode(each).includes(secret)).length"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One of its own, for the flag."""
    with chromium(WHOLE) as found:
        yield found


def in_memory(session: CDPSession, text: str) -> int:
    """How many strings of the page's heap hold a text."""
    parts: list[str] = []
    session.on("HeapProfiler.addHeapSnapshotChunk", lambda event: parts.append(event["chunk"]))
    session.send("HeapProfiler.collectGarbage")
    session.send("HeapProfiler.takeHeapSnapshot", {"captureNumericValue": True})
    return sum(text in each for each in json.loads("".join(parts))["strings"])


def lookalike(page: Page) -> None:
    """By CSS alone: Playwright looks for texts with a regular expression, whose last subject the browser keeps."""
    page.locator("[data-testid=stCheckbox] label").click()
    page.locator(".bench[data-mode=invented] .answers").wait_for()
    settled(page)


def test_no_true_value_is_left_in_the_pages_memory(browser: Browser, base: str) -> None:  # noqa: F811
    page = browser.new_page()
    page.goto(f"{base}/?selected=words")
    page.locator(".bench .answers").wait_for()
    settled(page)
    session = page.context.new_cdp_session(page)
    assert in_memory(session, SECRET) > 0
    lookalike(page)
    session = page.context.new_cdp_session(page)
    assert in_memory(session, SECRET) == 0
    page.close()


@pytest.mark.full
def test_the_messages_that_brought_them_are_emptied(browser: Browser, base: str) -> None:  # noqa: F811
    page = browser.new_page()
    page.add_init_script(KEEP)
    page.goto(f"{base}/?selected=words")
    page.locator(".bench .answers").wait_for()
    assert page.evaluate(HOLD, SECRET) == 1
    page.get_by_role("slider").press("ArrowRight")
    page.wait_for_selector("#told[data-count='1']", state="attached")
    settled(page)
    assert page.evaluate("window.received.length") > 1
    assert page.evaluate(HOLD, SECRET) == 1, "of an earlier message nothing is left, of the latest all"
    lookalike(page)
    assert page.evaluate(HOLD, SECRET) == 0
    page.close()
