"""Rounds whose tallies depend on what earlier rounds drew: a scan more each, of the same rows, and no draw twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import InternalError
from dprelease.model.statistic import KINDS
from dprelease.store import releases
from dprelease.table.answer import Session, TableError
from dprelease.workspace import jobs
from dprelease.worstcase.measured import KINDS as MEASURED
from tests.table.servers import PostgresServer, postgres_binary, postgres_server
from tests.workspace.toys import Aimed

COLUMNS = {
    "sex": {"type": "category", "categories": ["F", "M", "X"]},
    "age": {"type": "integer", "lower": 0, "upper": 9},
}
PEOPLE = [(person, "FMX"[person % 5 % 3], row) for person in range(60) for row in range(1 + person % 4)]
ROWS = pandas.DataFrame(PEOPLE, columns=["person", "sex", "age"])
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "people",
    "title": "Rounds",
    "privacy": {"unit": {"column": "person", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 600},
    "statistics": [
        {"id": "a", "kind": "aimed", "column": "sex"},
        {"id": "b", "kind": "aimed", "column": "sex", "weight": 2},
        {"id": "m", "kind": "mean", "column": "age"},
    ],
}


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(asked: Any) -> Iterator[Any]:
        yield asked.cells((asked["column"].many,))
        yield asked.cells((3,))

    monkeypatch.setitem(KINDS, "aimed", Aimed)  # type: ignore[arg-type]
    monkeypatch.setitem(MEASURED, "aimed", twice)  # type: ignore[arg-type]


def workspace(source: Any = ROWS, home: Path | None = None) -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory() if home is None else dprelease.Workspace.create(home)
    made.add_dataset("people", source, columns=COLUMNS, unit_column="person", epsilon=5000)
    return made


def approved(made: dprelease.Workspace) -> str:
    plan_id = made.plans.submit(dprelease.Plan.parse(PLAN))
    made.plans.approve(plan_id)
    return plan_id


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Session, list[Any], bool]]:
    """What is asked from now on: by which session, which queries, and whether of a later round."""
    seen: list[tuple[Session, list[Any], bool]] = []
    usual = Session.answer

    def answer(self: Session, table: Any, queries: Sequence[Any], **options: Any) -> Any:
        seen.append((self, list(queries), bool(options.get("after"))))
        return usual(self, table, queries, **options)

    monkeypatch.setattr(Session, "answer", answer)
    return seen


def test_one_scan_answers_a_round_of_all_statistics_of_the_same_rows(scans: list[Any]) -> None:
    made = workspace()
    plan_id = approved(made)
    scans.clear()
    release = made.publish(plan_id)
    (_, first, _), (_, second, is_later) = scans
    assert len(first) == 3
    assert len(second) == 1
    assert is_later
    for name in ("a", "b"):
        counts, scored = (list(release.tables[f"{name}.{part}"].value) for part in Aimed.PARTS)
        rest = sum(counts) - max(counts)
        assert scored == pytest.approx([rest, 0, max(counts)], abs=2)  # noise of scale 0.02: beyond 2 with e^-100


def test_a_scan_that_fails_is_made_again_and_no_round_is_drawn_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scans: list[Any]
) -> None:
    made = workspace(home=tmp_path / "home")
    plan_id, usual = approved(made), Session.answer
    left = [TableError("it stopped"), MemoryError(), None]

    def fails(self: Session, table: Any, queries: Sequence[Any], **options: Any) -> Any:
        found = usual(self, table, queries, **options)
        if options.get("after") and left:
            error = left.pop(0)
            if error is not None:
                raise error
        return found

    monkeypatch.setattr(Session, "answer", fails)
    scans.clear()
    for error in (TableError, MemoryError):
        with pytest.raises(error):
            made.publish(plan_id)
        made = dprelease.Workspace.open(tmp_path / "home")  # another process goes on
    kept = releases.every(made._state.database)[0]
    first = releases.kept_round(made._state.database, kept.id, 0)
    assert first is not None
    release = made.publish(plan_id)
    later = [queries for _, queries, is_later in scans if is_later]
    assert len(later) == 3
    assert later[0] == later[1] == later[2]  # the draw that it depends on is the same
    assert [int(number) for number in release.tables["a.counts"].value] == _drawn(first)["a"][0]
    with made._state.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM ledger WHERE kind = 'charge'").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM rounds").fetchone() == (0,)


def _drawn(kept: bytes) -> Any:
    import json

    return json.loads(kept)["drawn"]


def test_nothing_is_computed_of_a_round_that_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made = workspace()
    plan_id, usual, kept = approved(made), Aimed.queries_after, []

    def seen(self: Aimed, schema: Any, drawn: Sequence[Any], mechanisms: Any) -> Any:
        (publication,) = releases.every(made._state.database)
        kept.append(releases.kept_round(made._state.database, publication.id, 0))
        return usual(self, schema, drawn, mechanisms)

    monkeypatch.setattr(Aimed, "queries_after", seen)
    made.publish(plan_id)
    assert kept
    assert None not in kept


def test_the_last_round_ends_on_a_tick_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    made = workspace()
    plan_id, order, usual, answer = approved(made), [], jobs.until_next, Session.answer

    def tick(elapsed: float, *first: float) -> float:
        order.append("tick")
        return 0 * usual(elapsed, *first)

    def asked(self: Session, *arguments: Any, **options: Any) -> Any:
        order.append("scan")
        return answer(self, *arguments, **options)

    monkeypatch.setattr(jobs, "until_next", tick)
    monkeypatch.setattr(Session, "answer", asked)
    job = made.releases.start(plan_id)
    assert job.ended.wait(300)
    assert job.error is None
    assert order == ["scan", "scan", "tick"]


def test_a_later_round_that_cannot_be_asked_fails_before_the_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at a column that the first round does not, so that it would keep other rows of a person."""
    usual = Aimed.queries_after

    def other(self: Aimed, schema: Any, drawn: Sequence[Any], mechanisms: Any) -> Any:
        return usual(Aimed(id="other", column="age"), schema, [np.zeros(10)], mechanisms)

    monkeypatch.setattr(Aimed, "queries_after", other)
    made = workspace()
    plan = {**PLAN, "statistics": PLAN["statistics"][:1]}
    with pytest.raises(InternalError, match="a column that the first did not"):
        made.plans.submit(dprelease.Plan.parse(plan))


@pytest.mark.full
def test_previews_and_looks_draw_their_own_rounds() -> None:
    made = workspace()
    plan = dprelease.Plan.parse({**PLAN, "privacy": {**PLAN["privacy"], "epsilon": 6}})
    preview = made.preview(plan, draws=50)
    counts, scored = (preview[f"a.{part}"] for part in Aimed.PARTS)
    assert sum(counts.true.value) == sum(scored.true.value) == sum(min(2, 1 + person % 4) for person in range(60))
    assert len(counts.draws) == 10  # each scans the rows again
    assert len({tuple(draw.value) for draw in scored.draws}) > 1
    look = made.plans.look(plan)
    assert sum(look.open("a.scored").true.value) == sum(scored.true.value)
    assert list(look.prepare("a.scored"))[-1] == 1.0
    ladder = look.open("a.scored").ladder
    assert ladder is not None
    assert all(len(draws) >= 1 for draws in ladder.draws)
    assert made.preview(plan, draws=2, sources=True).sources is not None
    invented = made.plans.look(plan, invented=True)
    assert sum(invented.open("a.scored").true.value) == 1000


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as started:
        yield started


@pytest.mark.full
@pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
def test_rounds_of_a_table_on_a_server_see_one_snapshot(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch, scans: list[Any]
) -> None:
    """Rows that come in between two rounds are not counted; after a crash they are."""
    server.load("health.rounds", {"person": "integer", "sex": "text", "age": "integer"}, PEOPLE)
    made = workspace(server.address("health.rounds"))
    plan_id, usual = approved(made), Aimed.queries_after
    publishing = [False]

    def comes_in(self: Aimed, schema: Any, drawn: Sequence[Any], mechanisms: Any) -> Any:
        if publishing[0]:
            server.run("INSERT INTO health.rounds SELECT 1000 + g, 'F', 1 FROM generate_series(1, 500) AS g")
            publishing[0] = False
        return usual(self, schema, drawn, mechanisms)

    monkeypatch.setattr(Aimed, "queries_after", comes_in)
    begin: Callable[..., Any] = releases.begin

    def began(*arguments: Any, **options: Any) -> Any:
        publishing[0] = True
        scans.clear()
        return begin(*arguments, **options)

    monkeypatch.setattr(releases, "begin", began)
    release = made.publish(plan_id)
    assert not publishing[0]
    assert len({id(session) for session, _, _ in scans}) == 1
    assert sum(release.tables["a.scored"].value) == pytest.approx(sum(release.tables["a.counts"].value), abs=5)
    again = made.publish(plan_id, again=True)
    assert sum(again.tables["a.scored"].value) > 550
