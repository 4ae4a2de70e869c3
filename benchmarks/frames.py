"""How long the workbench's picture takes to follow the slider: from the input until the frame is painted, in Chromium.

    .venv/bin/python -m benchmarks.frames [--steps 60]

The component on invented data, under the dashboard's policy, in a window as wide as a desk's and as a phone's. Prints
how long half and 95 % of the frames took, and the longest.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

SIZES = ((1280, 800), (390, 844))
SCENES = {
    "histogram of 20": "unsaid",
    "cross table of 50, five panels": "unsaid&selected=small",
    "100 possible releases of 20": "unsaid&view=hundred",
    "100 possible releases of 50": "unsaid&view=hundred&selected=small",
    "means, nearest of 25": "unsaid&selected=cost",
}
MEASURE = """async steps => {
  const root = document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot;
  const slider = root.querySelector('[role=slider]'), painted = [];
  slider.focus();
  for (let i = 0; i < steps; i += 1) {
    await new Promise(done => setTimeout(done, 15));
    const began = performance.now();
    const key = Math.floor(i / 12) % 2 ? 'ArrowRight' : 'ArrowLeft';
    slider.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, composed: true}));
    await new Promise(done => requestAnimationFrame(() => {
      const after = new MessageChannel();
      after.port1.onmessage = () => { painted.push(performance.now() - began); done(); };
      after.port2.postMessage(null);
    }));
  }
  return painted;
}"""
"""The component draws in a frame of its own asking, which is before ours; a message comes once that was painted."""


def measured(page: Any, base: str, asked: str, steps: int) -> list[float]:
    """Milliseconds, by step of the slider."""
    page.goto(f"{base}/?{asked}")
    page.locator(".bench .chart > *").first.wait_for()
    page.wait_for_timeout(2_000)
    page.evaluate(MEASURE, 12)
    return sorted(page.evaluate(MEASURE, steps))


def within(times: Sequence[float], share: float) -> float:
    return times[min(len(times) - 1, int(share * len(times)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60, metavar="N")
    steps = parser.parse_args().steps
    from playwright.sync_api import sync_playwright

    from tests.browser.bench.serving import ROOT, serving
    from tests.browser.conftest import FLAGS
    from tests.browser.install_chromium import find_chromium

    with serving(sys.executable, ROOT) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        for width, height in SIZES:
            page = browser.new_page(viewport={"width": width, "height": height})
            for name, asked in SCENES.items():
                times = measured(page, base, asked, steps)
                found = f"half {median(times):.0f} ms, 95 % {within(times, 0.95):.0f} ms, longest {times[-1]:.0f} ms"
                print(f"{width} x {height}, {name}: {found} (load {os.getloadavg()[0]:.0f})", flush=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
