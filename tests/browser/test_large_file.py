"""A table of 1 GB goes the whole way: sent in pieces, read, registered, previewed, published, in little memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.http import free_port
from dprelease.model.plan import Plan
from dprelease.ui.words import say
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import written
from dprelease.workspace import Workspace
from tests.browser.conftest import enter, pick, press, settled
from tests.browser.servers import Server, serve_by_command

pytestmark = pytest.mark.full
SIZE, ROWS = 10**9, 16_000_000
MEMORY = 500 * 2**20
LONG = 900_000
"""Milliseconds."""
WRITE = """COPY (SELECT i // 2 AS person_id, 'region_' || (i * 7919) % 52 AS region, ['F', 'M'][i % 2 + 1] AS sex,
(i * 31) % 100 AS age, (i * 7919) % 90000 AS income, DATE '2025-01-01' + CAST(i % 365 AS INTEGER) AS day,
'a note of some length ' || i AS note FROM range({rows}) r(i)) TO '{path}' (FORMAT csv)"""
COLUMNS = {
    "region": {"type": "category", "categories": [f"region_{number}" for number in range(52)]},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "income": {"type": "integer", "lower": 0, "upper": 100_000},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
}
PLAN = {
    "dprelease": 1,
    "title": "Large",
    "dataset": "large",
    "privacy": {"unit": {"column": "person_id", "max_rows": 1}, "neighbors": "add_remove", "epsilon": 1},
    "statistics": [
        {"id": "n", "kind": "count"},
        {"id": "regions", "kind": "crosstab", "columns": ["region", "sex"]},
        {"id": "income", "kind": "mean", "column": "income", "by": ["sex"]},
        {"id": "ages", "kind": "quantiles", "column": "age", "probs": [0.25, 0.5, 0.75]},
    ],
}


@pytest.fixture
def folder() -> Iterator[Path]:
    """On a disk: other tests' folders may be in memory."""
    with TemporaryDirectory(prefix="dprelease-large-", dir="/var/tmp") as place:
        yield Path(place)


def server_pid(home: Path) -> int:
    """The process that serves; the one that started it is not counted."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment, command = (entry / "environ").read_bytes(), (entry / "cmdline").read_bytes()
        except OSError:  # it has ended, or is somebody else's
            continue
        if str(home).encode() in environment and b"streamlit" in command:
            return int(entry.name)
    raise AssertionError("no server runs")


def peak(pid: int) -> int:
    """The most bytes that were resident at once since the process began."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024


def opened(page: Page, address: str, heading: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    settled(page)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured as Linux says it")
def test_1_gb_is_brought_and_published_in_less_than_500_mb(
    folder: Path, browser: Browser, record_property: pytest.RecordProperty
) -> None:
    table = folder / "large.csv"
    duckdb.connect().execute(WRITE.format(rows=ROWS, path=table))
    assert table.stat().st_size > SIZE
    workspace = Workspace.create(folder / "home")
    workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=3)
    peaks: dict[str, int] = {}
    for server in serve_by_command(folder / "home", free_port()):
        pid = server_pid(server.home)
        page = browser.new_context(viewport={"width": 1280, "height": 1000}).new_page()
        enter(page, server.link)
        settled(page)
        peaks["idle"] = peak(pid)
        bring(page, server, table, "large")
        peaks["read"] = peak(pid)
        os.unlink(table)
        register(page, "large")
        workspace.datasets.describe("large", COLUMNS)
        peaks["registered"] = peak(pid)
        for name in ("tables", "workbench"):
            opened(page, f"{server.base}/{name}", TITLES[name])
        draft = workspace.plans.drafts.save(written(Draft.from_plan(Plan.parse(PLAN))), name="Large")
        preview(page, server, draft.id)
        peaks["previewed"] = peak(pid)
        publish(page, server, draft.id)
        peaks["published"] = peak(pid)
        page.context.close()
    record_property("peak_mb", {name: round(size / 10**6) for name, size in peaks.items()})
    print(peaks)  # `-s` shows it
    assert peaks["published"] < MEMORY


TITLES = {name: say(f"{name}_title") for name in ("tables", "workbench")}


def bring(page: Page, server: Server, table: Path, name: str) -> None:
    """Sends the file, and waits until it is read; both are seen to go on."""
    opened(page, f"{server.base}/tables", TITLES["tables"])
    page.locator(".drop input[type=file]").set_input_files(table)
    expect(page.locator(".drop progress")).to_be_visible()
    expect(page.locator(".drop [role=status]")).not_to_contain_text(" 0 %")
    expect(page.get_by_text(say("reading", filename=table.name, percent="")[:-2].strip()).first).to_be_visible(
        timeout=LONG
    )
    expect(page.get_by_text(say("reading_title"))).to_be_visible(timeout=LONG)
    settled(page)


def register(page: Page, name: str) -> None:
    page.locator(f'input[aria-label="{say("dataset_name")}"]').fill(name)
    page.keyboard.press("Tab")
    settled(page)
    pick(page, say("dataset_population"), "people")
    page.get_by_text(say("dataset_who_column")).click()
    settled(page)
    pick(page, say("dataset_column", unit="person"), "person_id")
    page.get_by_role("spinbutton", name=say("dataset_max_rows", unit="person")).fill("1")
    page.keyboard.press("Tab")
    settled(page)
    press(page, say("dataset_save"))
    expect(page.get_by_role("heading", name=say("columns_title", dataset=name))).to_be_visible()


def preview(page: Page, server: Server, draft: str) -> None:
    page.goto(f"{server.base}/workbench?draft={draft}")
    settled(page)
    page.get_by_text(say("bench_mode_true"), exact=True).click()
    expect(page.get_by_text(say("bench_secret"))).to_be_visible(timeout=LONG)


def publish(page: Page, server: Server, draft: str) -> None:
    page.goto(f"{server.base}/workbench?draft={draft}")
    settled(page)
    press(page, say("bench_publish"))
    press(page, say("publish_button", epsilon=1))
    expect(page.get_by_text(say("publish_done", title="Large"))).to_be_visible(timeout=LONG)
