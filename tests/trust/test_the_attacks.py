"""Attacks on what is published, and promise 21: what they win is what ε allows, and nothing but noise tells two tables.

Each attack knows everything but one bit a cell: whether its target is in it. A table of many cells is so many trials
at once, since a person is in one cell (parallel composition). Guessing a bit that (ε, 0) hides succeeds with a chance
of at most e^ε / (1 + e^ε), whatever is done with the outputs: here what `tests.extras.lab.scores` does. A test fails
where an attack succeeds more often than such a coin would in one run of 10 million (`FALSE_ALARM`); with an ε of 60 the
same attacks find every target.
"""

from __future__ import annotations

import ast
import hashlib
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import stats
from starlette.testclient import TestClient

import dprelease
from dprelease.errors import InsufficientBudgetError
from dprelease.extras.lab.outcome import success_bound
from dprelease.store import ledger
from dprelease.table.answer import TableError
from dprelease.web.alone import application
from dprelease.workspace import jobs
from dprelease.workspace import publish as publishing
from tests.extras.federation import published
from tests.extras.lab import scores
from tests.trust import world
from tests.trust.world import approved, contents

FALSE_ALARM = 1e-7
CELLS, OTHERS = 2000, 10
"""Cells, and how many people are in each beside the target."""
NAMES = [f"c{place:04}" for place in range(CELLS)]
COLUMNS: dict[str, Any] = {
    "cell": {"type": "category", "categories": NAMES},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "age": {"type": "integer", "lower": 0, "upper": 20},
}
BY = [{"id": "n", "kind": "count", "by": ["cell"]}]


class Scene:
    """A table of many cells in which targets may be: the only women, aged 17; and what is published of it."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon
        self.present = np.random.default_rng(1).integers(0, 2, CELLS).astype(bool)
        others = pandas.DataFrame(
            {"cell": np.repeat(NAMES, OTHERS), "sex": "M", "age": [18, 19] * (CELLS * OTHERS // 2)}
        )
        targets = pandas.DataFrame({"cell": np.array(NAMES)[self.present], "sex": "F", "age": 17})
        self.workspace = dprelease.Workspace.in_memory()
        rows = pandas.concat([others, targets])
        self.workspace.add_dataset("people", rows, columns=COLUMNS, epsilon=epsilon, unit="person")

    def publish(self, epsilon: float, statistics: list[dict[str, Any]] = BY, **changes: Any) -> dict[str, Any]:
        """The published values by statistic and cell, and once more by another key where there is one."""
        plan = world.plan(
            round(epsilon, 6), columns=COLUMNS, statistics=statistics, expected={"rows": 22_000}, **changes
        )
        release = self.workspace.publish(approved(self.workspace, plan), again=True)
        found = {}
        for each in statistics:
            frame = release.estimates[each["id"]]
            found[each["id"]] = frame.value.to_numpy(dtype=float).reshape(CELLS, -1)
        return found

    def successes(self, scores: Any) -> int:
        """How many targets are told rightly by a score that is higher where they are there."""
        return int(((scores > 0) == self.present).sum())


def counting(scene: Scene) -> Any:
    """One count for all of the budget: the most that a single number tells."""
    return scores.counted(scene.publish(scene.epsilon)["n"][:, 0], OTHERS)


def differencing(scene: Scene) -> Any:
    """Everybody, less everybody but the target."""
    whole = scene.publish(scene.epsilon / 2)["n"][:, 0]
    without = scene.publish(scene.epsilon / 2, where=[{"column": "age", "at_least": 18}])["n"][:, 0]
    return scores.differenced(whole, without)


def tracker(scene: Scene) -> Any:
    """Those with a property and those without it, less everybody else who is known: padding finds a unique person."""
    men = scene.publish(scene.epsilon / 3, where=[{"column": "sex", "in": ["M"]}])["n"][:, 0]
    women = scene.publish(scene.epsilon / 3, where=[{"column": "sex", "in": ["F"]}])["n"][:, 0]
    whole = scene.publish(scene.epsilon / 3)["n"][:, 0]
    return scores.padded(whole, men, women)


def averaging(scene: Scene) -> Any:
    """The same question again, until the budget refuses, and the mean of all answers."""
    answers = []
    for _ in range(50):
        try:
            answers.append(scene.publish(scene.epsilon / 8)["n"][:, 0])
        except InsufficientBudgetError:
            break
    assert len(answers) == 8, "the budget ends it"
    return scores.averaged(answers, OTHERS)


def intersection(scene: Scene) -> Any:
    """Two tables, each of another property of the target, in which they are alone in a cell each."""
    statistics = [
        {"id": "sexes", "kind": "count", "by": ["cell", "sex"]},
        {"id": "young", "kind": "sum", "column": "age", "by": ["cell"]},
    ]
    found = scene.publish(scene.epsilon, statistics)
    return scores.counted(found["sexes"][:, 0], 0)


def membership(scene: Scene) -> Any:
    """Every number of a whole release, each weighed by how much the target would move it over how much it varies."""
    statistics = [
        {"id": "n", "kind": "count", "by": ["cell"]},
        {"id": "sexes", "kind": "count", "by": ["cell", "sex"]},
        {"id": "ages", "kind": "sum", "column": "age", "by": ["cell"]},
    ]
    found = scene.publish(scene.epsilon, statistics)
    moved = [found["n"][:, 0] - OTHERS, found["sexes"][:, 0], (found["ages"][:, 0] - OTHERS * 18.5) / 17]
    return scores.weighed(moved)


ATTACKS: list[Callable[[Scene], Any]] = [counting, differencing, tracker, averaging, intersection, membership]


class TestAttacksWinWhatEpsilonAllows:
    """Differencing, trackers, averaging, intersection, and membership inference over a whole release."""

    @pytest.mark.one_in(6)
    @pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
    def test_the_rate_of_success(self, attack: Callable[[Scene], Any]) -> None:
        scene = Scene(1.0)
        found = scene.successes(attack(scene))
        assert stats.binom.sf(found - 1, CELLS, success_bound(scene.epsilon)) > FALSE_ALARM, f"{found} of {CELLS}"
        assert found > CELLS / 2, "an attack that wins nothing would show nothing"

    @pytest.mark.one_in(6)
    @pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
    def test_they_are_attacks(self, attack: Callable[[Scene], Any]) -> None:
        """With next to no noise they find nearly every target: what stops them above is the noise."""
        scene = Scene(60.0)
        assert scene.successes(attack(scene)) > 0.97 * CELLS


class Answers:
    """Publishes one plan with tables of other rows, and gathers all that is public of it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        workspace = world.solo(self.home)
        self.plan_id = approved(workspace, world.plan())
        self.drawn: Any = None
        self.draw = publishing.draw

    def of(self, rows: pandas.DataFrame, folder: Path) -> dict[str, Any]:
        """Every public file, and every answer of the portal: with the same noisy values, moment and random names."""
        home = Path(shutil.copytree(self.home, folder / "home"))
        dprelease.Workspace.create(folder / "other").add_dataset("x", rows, columns=world.COLUMNS, epsilon=1)
        self._put(next((folder / "other" / "private" / "tables").iterdir()), home)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(publishing, "draw", self._same)
            patch.setattr(ledger, "timestamp", lambda *_: "2026-01-31T09:30:00.000000Z")
            patch.setattr(ledger, "new_salt", lambda: "5a" * 32)
            release = dprelease.Workspace.open(home).publish(self.plan_id)
        found: dict[str, Any] = dict(contents(home / "public"))
        one = f"/api/releases/{release.id}"
        tables = [f"{one}/tables/{name}.{kind}" for name in release.tables for kind in ("csv", "json", "parquet")]
        others = ["/", "/api/releases", one, f"/r/{release.id}/", "/public/", "/api/releases/none", "/api/checkpoint"]
        site = application(home / "public")
        with TestClient(site, base_url="http://localhost", follow_redirects=False) as client:
            for address in [*others, *tables, f"{one}/bundle.zip", "/api/populations/people/budget"]:
                answer = client.get(address)
                found[address] = (answer.status_code, dict(answer.headers), answer.content)
        return found

    @staticmethod
    def _put(table: Path, home: Path) -> None:
        """Other rows in place of those that are registered, with their checksum: as if they had been there always."""
        (stored,) = (home / "private" / "tables").iterdir()
        shutil.copy(table, stored)
        with closing(sqlite3.connect(home / "ledger.db")) as database, database:
            digest = hashlib.sha256(stored.read_bytes()).hexdigest()
            changed = database.execute("UPDATE datasets SET checksum = ? WHERE location = ?", [digest, stored.name])
            assert changed.rowcount == 1

    def _same(self, *given: Any) -> Any:
        if self.drawn is None:
            self.drawn = self.draw(*given)
        return self.drawn


TABLES: dict[str, pandas.DataFrame] = {
    "a person less": world.people().iloc[1:],
    "an outlier": pandas.concat([world.people(), pandas.DataFrame({"age": [10**9], "sex": ["F"]})]),
    "an empty cell": world.people().query("sex == 'M'"),
    "a category nobody declared": world.people().assign(sex="X"),
    "no ages": world.people().assign(age=[None, 1] * 30),
    "nobody": world.people().iloc[:0],
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    return Answers(tmp_path_factory.mktemp("answers"))


@pytest.fixture(scope="module")
def expected(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return answers.of(world.people(), tmp_path_factory.mktemp("expected"))


class TestPresenceShowsInNothingButTheNoise:
    """A person, an outlier, a cell, a whole category more or less: with the same noisy values, every public byte,
    status, header and size is the same, from the certificate to the portal."""

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("table", TABLES)
    def test_every_public_byte(self, table: str, answers: Answers, expected: dict[str, Any], tmp_path: Path) -> None:
        found = answers.of(TABLES[table].reset_index(drop=True), tmp_path)
        assert found.keys() == expected.keys()
        assert [name for name in found if found[name] != expected[name]] == []
        assert {each[0] for each in found.values() if isinstance(each, tuple)} == {200, 307, 404}


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[TestClient, str]]]:
    """The portals of two workspaces that differ in one person."""
    found, clients = [], []
    for rows in (world.people(), world.people().iloc[1:]):
        home = tmp_path_factory.mktemp("site") / "home"
        workspace = dprelease.Workspace.create(home)
        workspace.add_dataset("people", rows, columns=world.COLUMNS, epsilon=1, unit="person")
        release = world.publish(workspace)
        clients.append(TestClient(application(home / "public"), base_url="http://localhost"))
        found.append((clients[-1], release.id))
    yield found
    for client in clients:
        client.close()


class Clock:
    """What a publication waits by, instead of the machine's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(jobs, "time", self)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


CLOCK_TIME = re.compile(r"(?<![0-9A-Za-z])\d\d:\d\d(?!\w)|(?<!\d)\d{4}-?\d\d-?\d\d[T ](?!00:00:00Z)\d\d")
"""Such as 09:30, 2026-01-31T09 or 20260131T0930; no fingerprint of a key, such as ed25519:60aa, and no day whose format
wants a time, such as 2026-01-31T00:00:00Z."""
DAY_NS = 24 * 60 * 60 * 10**9


class TestTimesTellNothing:
    """What follows a reading of rows happens on a tick; events of a publication carry the time of the charge, which
    comes before; public files carry days only, within and as their dates. Response times on two tables are
    of one distribution (Kolmogorov and Smirnov; a false alarm in one run of a million)."""

    @pytest.mark.parametrize(("elapsed", "wait"), [(0.0, 1.0), (0.4, 0.6), (1.0, 0.0), (1.5, 0.5), (3.0, 1.0), (9, 7)])
    def test_ticks_double(self, elapsed: float, wait: float) -> None:
        assert jobs.until_next(elapsed) == pytest.approx(wait)

    def test_a_slow_table_and_a_quick_one_are_sealed_on_the_same_tick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        draw = publishing.draw
        for slow in (0.0, 0.4, 0.99):
            workspace, clock = world.solo(), Clock(monkeypatch)
            plan_id = approved(workspace, world.plan())

            def slowly(*given: Any, clock: Clock = clock, slow: float = slow) -> Any:
                clock.sleep(slow)
                return draw(*given)

            monkeypatch.setattr(publishing, "draw", slowly)
            job = workspace.releases.start(plan_id)
            assert job.ended.wait(300)
            assert job.release_id is not None
            assert clock.now == pytest.approx(1)

    def test_what_is_resumed_ends_on_a_tick_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        workspace, clock = world.solo(), Clock(monkeypatch)
        plan_id = approved(workspace, world.plan())

        def stops(*_: Any) -> Any:
            raise TableError("stopped")

        with monkeypatch.context() as broken:
            broken.setattr(publishing, "draw", stops)
            with pytest.raises(TableError):
                workspace.publish(plan_id)
        assert len(workspace.releases.resume(paced=True).finished) == 1
        assert clock.now == pytest.approx(1)

    def test_a_contribution_to_a_round_is_read_on_a_tick_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = published.sites(tmp_path)
        published.joined(made, tmp_path / "shared")
        clock = Clock(monkeypatch)
        for _ in range(5):
            for each in made:
                each.federations.contribute(tmp_path / "shared", published.plan(), paced=each is made[0])
        assert clock.now == pytest.approx(1)

    @pytest.mark.parametrize("room", ["dprelease/ui", "dprelease/web", "dprelease/extras/federation/page", "pages"])
    def test_a_server_reads_rows_on_ticks_only(self, room: str) -> None:
        for path in (Path(__file__).parents[2] / room).rglob("*.py"):
            for call in (each for each in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(each, ast.Call)):
                name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
                of_rounds = isinstance(call.func, ast.Attribute) and "rounds_of" in ast.unparse(call.func.value)
                assert name != "publish" or of_rounds, f"{path}: releases.start, which waits for a tick"
                assert name not in ("resume", "contribute") or "paced" in {each.arg for each in call.keywords}, path

    def test_public_files_tell_no_duration(self, tmp_path: Path) -> None:
        workspace = world.solo(tmp_path / "home")
        release = world.publish(workspace)
        workspace.releases.add_erratum(release.id, "A word was wrong.")
        events = {event.kind: event.at for event in workspace.ledger.events()}
        assert events["charge"] == events["sealed"] == events["published"]
        folder = tmp_path / "home" / "public"
        files = {name: data.decode("utf-8", "replace") for name, data in contents(folder).items()}
        assert release.certificate.day in files[f"{release.id}/release.json"]
        assert [(name, CLOCK_TIME.findall(text)) for name, text in files.items() if CLOCK_TIME.search(text)] == []
        seconds = {str(int(datetime.fromisoformat(at).timestamp())) for at in events.values()}
        assert [name for name, text in files.items() if any(each in text for each in seconds)] == []

    def test_dates_of_public_files_are_days(self, tmp_path: Path) -> None:
        workspace = world.solo(tmp_path / "home")
        release = world.publish(workspace)
        workspace.releases.add_erratum(release.id, "A word was wrong.")
        folder = tmp_path / "home" / "public"
        assert {path.name for path in folder.iterdir()} == {release.id, "notices", "checkpoint.json"}
        finer = [path for path in (folder, *folder.rglob("*")) if path.stat().st_mtime_ns % DAY_NS]
        assert finer == []

    @pytest.mark.parametrize(
        ("text", "times"),
        [
            ("2026-01-31T09:30:00.000000Z", True),
            ("at 9:30, 09:30", True),
            ("20260131T093000Z", True),
            ("2026-01-31", False),
            ("2026-01-31T00:00:00Z", False),
            ("ed25519:606be1bf ed25519:60", False),
        ],
    )
    def test_a_clock_time_is_known_as_one(self, text: str, times: bool) -> None:
        assert bool(CLOCK_TIME.search(text)) is times

    @pytest.mark.full
    @pytest.mark.parametrize("address", ["/api/releases", "/api/releases/{id}", "/r/{id}/", "/public/"])
    def test_response_times_are_of_one_distribution(self, address: str, sites: list[tuple[TestClient, str]]) -> None:
        times: list[list[float]] = [[], []]
        order = np.random.default_rng().permutation([0, 1] * 1100)
        for turn, which in enumerate(order):
            client, release_id = sites[which]
            began = time.perf_counter()
            client.get(address.format(id=release_id))
            if turn >= 200:
                times[which].append(time.perf_counter() - began)
        assert min(map(len, times)) >= 900
        assert stats.ks_2samp(*times).pvalue > 1e-6

    @pytest.mark.full
    def test_publications_take_as_long_on_both(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """n = 1000 each, by turns, with a short tick."""
        monkeypatch.setattr(jobs, "FIRST_TICK", 0.02)
        times: list[list[float]] = [[], []]
        both = []
        for rows in (world.people(), world.people().iloc[1:]):
            workspace = dprelease.Workspace.in_memory()
            workspace.add_dataset("people", rows, columns=world.COLUMNS, epsilon=2000, unit="person")
            both.append((workspace, approved(workspace, world.plan(0.5))))
        for which in np.random.default_rng().permutation([0, 1] * 1000):
            workspace, plan_id = both[which]
            began = time.perf_counter()
            job = workspace.releases.start(plan_id, again=True)
            assert job.ended.wait(300)
            assert job.error is None
            times[which].append(time.perf_counter() - began)
        assert stats.ks_2samp(*times).pvalue > 1e-6
