"""Where tests write; and what stands at the end of a run: the faults that were injected, and what was lost by them."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.tries import ALL, SOME, sampled

MEMORY, ROOM = Path("/dev/shm"), 4 * 2**30
HERE = Path(__file__).parent
REAL = {"federation", "lab", "mechanisms", "privacy"}
"""Rooms whose subject is the law of noise. It is from a seed in all others, so that no test there fails by chance."""
TEAMS = {"cli", "pages", "portal", "trust", "web", "workspace"}
"""Rooms where people have passwords."""
COMMANDS = {"browser", "cli", "trust", "verdict", "workspace"}
"""Rooms that run commands in this process."""
DRAWS = {f"bundle/test_{name}.py" for name in ("charts", "drawing", "outputs", "write")} | {
    f"verdict/test_{name}.py" for name in ("charts", "later")
}
"""Files whose subject is how pictures are drawn, and that the same are drawn twice. All others may take one kept."""


@pytest.fixture(autouse=True, scope="module")
def _main_stays_itself() -> Iterator[None]:
    """Streamlit's tests put a page in the place of `__main__`, which processes that begin later would run first."""
    own = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = own


@pytest.fixture(autouse=True, scope="module")
def _seeded_room(request: pytest.FixtureRequest) -> None:
    """Before every other fixture of a module."""
    if request.path.relative_to(HERE).parts[0] not in REAL:
        request.getfixturevalue("seeded_module")


@pytest.fixture(autouse=True, scope="module")
def _drawn_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep what is drawn, by its specification: a picture takes 70 ms, and most are drawn by several tests."""
    from dprelease.charts import render
    from tests.made import drawn_once

    if str(request.path.relative_to(HERE)) in DRAWS or os.environ.get("MADE_ANEW"):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "svg", drawn_once(render.svg))
        yield


@pytest.fixture(autouse=True, scope="module")
def _quick_hashes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Argon2 takes 64 MB and its time by design: one test in workspace/test_people.py pays for it."""
    if request.path.relative_to(HERE).parts[0] not in TEAMS:
        yield
        return
    from argon2 import PasswordHasher

    from dprelease.store import passwords

    hasher = PasswordHasher(time_cost=1, memory_cost=64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", lambda: hasher)
        yield


@pytest.fixture(autouse=True, scope="module")
def _commands_are_read_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Make the parser of all commands once a language: it takes 65 ms, and each run of a command would make it anew."""
    if request.path.relative_to(HERE).parts[0] not in COMMANDS:
        yield
        return
    from dprelease import cli
    from dprelease.words.language import language

    make = cache(lambda code, own=cli.parser: own())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "parser", lambda: make(language()))
        yield


@pytest.fixture(autouse=True)
def _seeded_test(request: pytest.FixtureRequest) -> None:
    """Before every other fixture of a test."""
    if request.path.relative_to(HERE).parts[0] not in REAL:
        request.getfixturevalue("seeded")


@pytest.fixture(scope="module")
def seeded_module() -> Iterator[None]:
    """Draw noise from a seed, for modules whose subject is not its law: use it together with `seeded`."""
    from tests.mechanisms.seeded import seeded_noise

    with seeded_noise():
        yield


@pytest.fixture
def seeded(seeded_module: None) -> Iterator[None]:
    """Begin the seed again, so that a test has the same noise whatever ran before it."""
    from tests.mechanisms.seeded import restart

    restart()
    yield
    restart()


def pytest_configure(config: pytest.Config) -> None:
    """Temporary folders stand in memory where there is room: a ledger waits for its disk at every event.

    Hypothesis tries the same examples in each `make check` and `make test`, and others, eight times as many, in each
    full run, where it also takes constants out of the source of all modules that happen to be loaded.
    """
    some = _some(config)
    if some:
        providers._get_local_constants = lambda: providers._local_constants
    settings.register_profile("unhurried", deadline=None, derandomize=some, max_examples=SOME if some else ALL)
    settings.load_profile("unhurried")
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage from here on: while tests are collected there is none, and looking takes a tenth of that."""
    gc.enable()
    gc.freeze()


def _some(config: pytest.Config) -> bool:
    return "not full" in config.option.markexpr


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Mark as `full` what a test marked `one_in(n)` does not sample.

    A crossing (kinds, engines, languages, ...) costs as much as its cases, and what it finds a sample nearly always
    finds too. Where what is `full` does not run, its cases are not made: half of all 21,000.
    """
    yield
    marks = [mark.name for mark in metafunc.definition.iter_markers()]
    sample = metafunc.definition.get_closest_marker("one_in")
    calls = metafunc._calls
    short = [case for case in calls if "full" not in marks and all(mark.name != "full" for mark in case.marks)]
    if sample:
        tried = sampled([case.params for case in short], *sample.args)
        for number, case in enumerate(short):
            if number not in tried:
                case.marks.append(pytest.mark.full.mark)
        short = [short[number] for number in sorted(tried)]
    if _some(metafunc.config):
        calls[:] = short or calls[:1]


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
