"""A plugin of pytest, loaded with `-p`: runs the tests of a list in its order, and records what each took and used."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.probing import NOW, SHARED

CHOSEN, TAKEN = "DPRELEASE_MUTANTS_CHOSEN", "DPRELEASE_MUTANTS_TAKEN"
"""In the environment: a file with the ids of tests, a line each; a file to write."""
USED = "fixtures of several tests"
taken: dict[str, dict[str, Any]] = {}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keeps the tests of the list, in its order."""
    if (file := os.environ.get(CHOSEN)) is None:
        return
    turn = {test: number for number, test in enumerate(Path(file).read_text(encoding="utf-8").splitlines())}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in turn])
    items[:] = sorted((item for item in items if item.nodeid in turn), key=lambda item: turn[item.nodeid])


def pytest_configure() -> None:
    """What tests share beyond a process, by `tests.made`, is theirs too: each of them reaches what its builder does."""
    if os.environ.get(TAKEN) is None or find_spec("tests.made") is None:
        return
    from tests import made  # not everywhere: --tree may be of a time before there was one

    share = made.made

    def recorded(build: Callable[[Path], object], **options: Any) -> Path:
        key = f"{SHARED}{build.__module__}.{build.__qualname__} {options.get('name', '')}"
        if (reached := getattr(sys, "_reached", None)) is not None:
            reached(key)
        with _now(key):
            return share(build, **options)

    made.made = recorded


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Iterator[None]:
    """What a fixture of several tests reaches counts for each of them."""
    if fixturedef.scope == "function" or NOW in os.environ:
        return (yield)
    with _now(_name(fixturedef)):
        return (yield)


@contextmanager
def _now(key: str) -> Iterator[None]:
    before = os.environ.get(NOW)
    os.environ[NOW] = key
    try:
        yield
    finally:
        os.environ.pop(NOW)
        os.environ |= {} if before is None else {NOW: before}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Writes down the fixtures that a test shares with others."""
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    used = [_name(each) for several in known.values() for each in several if each.scope != "function"]
    item.user_properties.append((USED, used))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Adds up what the parts of a test took."""
    test = taken.setdefault(report.nodeid, {"seconds": 0.0, "passed": True, "fixtures": []})
    test["seconds"] += report.duration
    test["passed"] &= report.passed
    test["fixtures"] = dict(report.user_properties).get(USED, test["fixtures"])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes what was recorded, once: not in the processes that xdist begins."""
    if (file := os.environ.get(TAKEN)) is not None and not hasattr(session.config, "workerinput"):
        Path(file).write_text(json.dumps(taken), encoding="utf-8")


def _name(fixturedef: pytest.FixtureDef[Any]) -> str:
    return f"fixture {fixturedef.baseid}::{fixturedef.argname}"
