"""How long the lab takes from a control's change until its picture is painted, in Chromium.

    .venv/bin/python -m benchmarks.lab [--steps 40]

The static pages, where a script computes: how long that takes alone, and until the frame is painted.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from dprelease.extras.lab.portal import pages as lab_pages
from dprelease.portal.pages import Portal
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.site import ListedFolder
from tests.browser.conftest import FLAGS
from tests.browser.install_chromium import find_chromium

MEASURE = """async steps => {
  const field = document.getElementById('eps'), found = [];
  const values = field.tagName === 'SELECT' ? [...field.options].map(each => each.value) : ['0.3', '0.7', '1.5', '4'];
  for (let i = 0; i < steps; i += 1) {
    await new Promise(done => setTimeout(done, 15));
    const began = performance.now();
    field.value = values[i % values.length];
    field.dispatchEvent(new Event('input', {bubbles: true}));
    const computed = performance.now() - began;
    await new Promise(done => requestAnimationFrame(() => {
      const after = new MessageChannel();
      after.port1.onmessage = () => { found.push([computed, performance.now() - began]); done(); };
      after.port2.postMessage(null);
    }));
  }
  return found;
}"""


def static(browser: Browser, steps: int) -> None:
    """Each static page, from a file."""
    root = Path(tempfile.mkdtemp())
    (root / "lab").mkdir()
    (root / "lab.js").write_bytes((lab_pages.TEMPLATES / "lab.js").read_bytes())
    for path, content in lab_pages.files(Portal(BundleIndex(ListedFolder(root, ())))):
        (root / path).write_bytes(content)
    page = browser.new_page()
    for name in (*lab_pages.PAGES, lab_pages.MECHANISMS):
        query = "" if name == lab_pages.MECHANISMS else "?defence=private"
        page.goto((root / "lab" / f"{name}.html").as_uri() + query)
        found = page.evaluate(MEASURE, steps)
        computed, painted = (median(each[place] for each in found) for place in (0, 1))
        print(f"static {name:12} computed {computed:6.1f} ms, painted {painted:6.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=40)
    asked = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        static(browser, asked.steps)
        browser.close()


if __name__ == "__main__":
    main()
