"""In a server another process draws: the same bytes, also when it is killed; and it ends with the server."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from multiprocessing import active_children
from pathlib import Path

import pytest

from dprelease.charts import process
from dprelease.charts.process import pictures
from dprelease.model.release import Release
from dprelease.words.language import speaking
from tests.bundle.releases import svg

ROOT = Path(__file__).parents[2]
SECONDS = 300
SERVER = """
import sys
from multiprocessing import active_children
from dprelease.charts import process
from tests.bundle.releases import make_release, table

process.draw_beside()
process.pictures(make_release([({"id": "n", "kind": "count"}, table((), [11873], 105))], columns={}))()
print(*(child.pid for child in active_children()), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(process, "_beside", True)
    yield
    process._process().shutdown()
    process._process.cache_clear()


@pytest.mark.full
@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("code", ["es", pytest.param("en", marks=pytest.mark.full)])
def test_the_bytes_are_those_drawn_here(release: Release, code: str) -> None:
    with speaking(code):
        waiting = pictures(release)
        assert active_children() != []
    found = {statistic: picture.svg() for statistic, picture in waiting().items()}
    with speaking(code):
        assert found == {statistic: svg(release, statistic) for statistic in release.tables}


@pytest.mark.usefixtures("beside")
def test_what_a_killed_process_left_is_drawn_here(release: Release) -> None:
    expected = {statistic: svg(release, statistic) for statistic in release.tables}
    before = [each.pid for each in active_children()]
    waiting = pictures(release)
    for child in active_children():
        if child.pid not in before:
            child.kill()
    assert {statistic: picture.svg() for statistic, picture in waiting().items()} == expected
    assert {statistic: picture.svg() for statistic, picture in pictures(release)().items()} == expected
    assert active_children() != []


@pytest.mark.full
@pytest.mark.usefixtures("beside")
def test_where_there_is_no_room_for_another_process_charts_are_drawn_here(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {statistic: svg(release, statistic) for statistic in release.tables}

    def full(*arguments: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(process._process(), "submit", full)
    assert {statistic: picture.svg() for statistic, picture in pictures(release)().items()} == expected


@pytest.mark.full
def test_it_ends_when_the_server_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        (child,) = map(int, server.stdout.readline().split())
        watched = os.fdopen(os.pidfd_open(child))
        server.send_signal(signal.SIGKILL)
        server.wait()
    with closing(watched):
        assert select.select([watched], [], [], SECONDS)[0], "it is still there"
