"""Where tests write; and what stands at the end of a run: the faults that were injected, and what was lost by them."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.seldom import NONE, SELDOM

TESTS = Path(__file__).parent
MEMORY, ROOM = Path("/dev/shm"), 4 * 2**30
LONG = (
    "browser",
    "pages",
    "privacy",
    "trust",
    *(f"bundle/test_{name}.py" for name in ("charts", "drawing", "formats", "in_chromium")),
    *(f"bundle/test_{name}.py" for name in ("timestamp", "write")),
    *(f"cli/test_{name}.py" for name in ("cli", "engines", "read_only", "serve", "terminal")),
    *(f"mechanisms/test_{name}.py" for name in ("exponential", "permute_and_flip", "sparse_vector", "top_k")),
    *(f"federation/test_{name}.py" for name in ("crashes", "masks", "noise")),
    "model/test_json_schema.py",
    *(f"statistics/algebra/test_{name}.py" for name in ("fitted", "inversion")),
    "statistics/kinds/test_errors.py",
    "statistics/test_contradiction.py::test_honest_releases_are_told_of_as_seldom_as_is_stated",
    "statistics/kinds/test_contract.py::test_whole_tables_with_many_rows_a_unit",
    "supply",
    *(f"table/test_{name}.py" for name in ("conformance", "cut", "kept_rows", "parts", "tallies")),
    *(f"table/test_{name}.py" for name in ("postgresql", "postgresql_security")),
    "test_wheel.py",
    "verdict/test_hostile.py",
    "worstcase/test_both.py",
    *(f"workspace/test_{name}.py" for name in ("cold_start", "every_kind", "orphans", "real_tables")),
    "workspace/test_warehouses.py",
)
"""Marked `long`: pages, draws by the thousand, other processes and servers. `make check` leaves them to `make test`."""
SLOWEST = (
    "statistics/kinds/test_contract.py",
    "browser/test_every_state.py",
    "privacy/test_audit.py",
    "privacy/test_promises.py",
    "browser/test_bench.py",
    "browser/test_rand.py",
    "browser/test_pima.py",
    "statistics/kinds/test_judged.py",
    "statistics/kinds/test_synthetic.py",
    "pages/test_language.py",
    "privacy/test_choices.py",
    "browser/test_new_table.py",
    "table/test_tallies.py",
    "trust/test_faults.py",
    "bundle/test_formats.py",
    "verdict/test_combine.py",
    "browser/test_workbench.py",
    "pages/test_kinds.py",
    "trust/test_the_exchange.py",
    "pages/test_workbench_publish.py",
    "cli/test_terminal.py",
    "workspace/test_every_kind.py",
    "trust/test_the_server.py",
)
"""They begin first, those that wait for a browser beside those that compute: a long file at the end runs alone."""


@pytest.fixture(autouse=True, scope="module")
def _main_stays_itself() -> Iterator[None]:
    """Streamlit's tests put a page in the place of `__main__`, which processes that begin later would run first."""
    own = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = own


def pytest_configure() -> None:
    """Temporary folders stand in memory where there is room: a ledger waits for its disk at every event."""
    if gone := [name for name in (*LONG, *SLOWEST) if not (TESTS / name.partition("::")[0]).exists()]:
        raise pytest.UsageError(f"tests/conftest.py lists what is not there: {gone}")
    for file, _, test in (name.partition("::") for name in SELDOM):
        if not re.search(rf"^def {test}\(", (TESTS / file).read_text(encoding="utf-8"), re.MULTILINE):
            raise pytest.UsageError(f"tests/seldom.py lists what is not there: {file}::{test}")
    settings.register_profile("unhurried", deadline=None)
    settings.load_profile("unhurried")
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what is long or seldom run, before anything is chosen by its marks, and puts the slowest files first.

    A test in Chromium that fails is tried once more, and counted: on a busy machine a page may come too late.
    """
    cases: Counter[str] = Counter()
    for item in items:
        place = item.path.relative_to(TESTS)
        named = f"{place.as_posix()}::{getattr(item, 'originalname', item.name)}"
        if not {place.parts[0], place.as_posix(), named}.isdisjoint(LONG):
            item.add_marker(pytest.mark.long)
        if named in SELDOM and item.get_closest_marker("full") is None:
            if SELDOM[named] == NONE or cases[named] % SELDOM[named]:
                item.add_marker(pytest.mark.full)
            cases[named] += 1
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))
    turn = {TESTS / name: place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: turn.get(item.path, len(SLOWEST)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tests record `fault` as a list: what it was, how often it was injected, how many losses were found."""
    rows = [
        [str(cell) for cell in value]
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, value in report.user_properties
        if name == "fault" and isinstance(value, list | tuple)
    ]
    if not rows:
        return
    rows = [["fault", "injected", "losses found"], *sorted(rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    terminalreporter.section("faults")
    for fault, injected, losses in rows:
        terminalreporter.line(f"{fault:{widths[0]}}  {injected:>{widths[1]}}  {losses:>{widths[2]}}")
