"""What holds of all methods that make synthetic rows in rounds: crashes, few rows, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dprelease
from dprelease.errors import PlanError
from dprelease.model.release import SyntheticRows
from dprelease.statistics.adaptive import Adaptive
from dprelease.statistics.dual_query import DualQuery
from dprelease.store import releases
from tests.statistics.kinds.test_synthetic import BINS, COLUMNS, made, people

FIRST = len(COLUMNS)
ROUNDS = {"mwem": (Adaptive, 2, 4), "pmw": (Adaptive, 2, 4), "dual_query": (DualQuery, 3, 3)}
"""What works out a round, how many are asked for, and how often something is drawn in these."""


@pytest.mark.one_in(10)
@pytest.mark.parametrize(
    ("method", "stop"), [(method, stop) for method, (_, _, most) in ROUNDS.items() for stop in range(1, most + 1)]
)
def test_a_crash_in_any_round_is_replayed_and_nothing_is_drawn_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, method: str, stop: int
) -> None:
    """It stops before each draw but that of the columns."""
    owner, rounds, _ = ROUNDS[method]
    usual = owner.later

    def fails(self: Any, counts: Any, drawn: Sequence[Any], mechanisms: Any) -> Any:
        if len(drawn) == FIRST + stop - 1 and not before:
            before.append([np.ravel(each).tolist() for each in drawn])
            raise MemoryError
        return usual(self, counts, drawn, mechanisms)

    before: list[list[list[int]]] = [[]]  # nothing fails in what comes before the charge
    monkeypatch.setattr(owner, "later", fails)
    workspace = dprelease.Workspace.create(tmp_path / "w")
    workspace.add_dataset("t", people(300), columns=COLUMNS, epsilon=1000)
    asked = {"id": "rows", "kind": "synthetic", "columns": list(COLUMNS), "bins": BINS, "rows": 20}
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "statistics": [{**asked, "method": method, "rounds": rounds}],
        "charts": False,
    }
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    workspace.plans.approve(plan_id)
    begin = releases.begin

    def begun(*args: Any, **options: Any) -> Any:
        if before == [[]]:
            before.clear()
        return begin(*args, **options)

    monkeypatch.setattr(releases, "begin", begun)
    with pytest.raises(MemoryError):
        workspace.publish(plan_id)
    again = dprelease.Workspace.open(tmp_path / "w")
    (publication,) = releases.every(again._state.database)
    assert None not in [releases.kept_round(again._state.database, publication.id, number) for number in range(stop)]
    output = again.publish(plan_id).outputs["rows"]
    assert isinstance(output, SyntheticRows)
    assert list(output.integers)[: FIRST + stop - 1] == before[0]
    with again._state.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM ledger WHERE kind = 'charge'").fetchone() == (1,)


@pytest.mark.full
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
@pytest.mark.parametrize(
    ("count", "asked"), [(0, {}), (1, {}), (50, {"rows": 0}), (3, {"order": 3, "rounds": 1}), (3, {"rounds": 6})]
)
@pytest.mark.parametrize("method", ROUNDS)
def test_few_rows_and_none(tmp_path: Path, method: str, count: int, asked: dict[str, Any], currency: str) -> None:
    """With `pmw` no table may be above: the next one is measured then."""
    options = {"method": method, "rounds": 2, "charts": False, **asked}
    _, release, output = made(tmp_path, people(count), currency, **options)
    assert len({len(column) for column in output.columns.values()}) == 1
    assert dprelease.verify(release.write(tmp_path / "b"))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", ROUNDS)
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"order": 1}, r"method: found .*{method}.*Give two columns"),
        ({"columns": ["age"], "bins": {"age": 5}}, r"method: found .*{method}"),
        ({"rounds": 31}, r"rounds: found 31"),
        ({"columns": "wide"}, r"columns: found 2139291 combinations.*residual_tree"),
        ({"source": "other"}, r"source: found .*residual_tree"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_charged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, method: str, asked: dict[str, Any], said: str
) -> None:
    if asked.get("columns") == "wide":
        letters = {"type": "category", "categories": list("abcdefghijklmnopqrstu")}
        for name in ("one", "two", "three"):
            monkeypatch.setitem(COLUMNS, name, letters)
        asked = {**asked, "columns": ["one", "two", "three", "age", "region"], "bins": {"age": 77}}
    refused(tmp_path, {"method": method, "charts": False, **asked}, said.format(method=method))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rounds": 2}, r"rounds: found 2.*mwem"),
        ({"method": "aim"}, r"method: found .*aim"),
        ({"method": "mwem", "rounds": 7}, r"rounds: found 7"),
    ],
)
def test_rounds_are_of_the_methods_that_have_them(tmp_path: Path, asked: dict[str, Any], said: str) -> None:
    refused(tmp_path, asked, said)


def test_cells_that_are_too_many_to_draw_among_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(COLUMNS, "pay", {**COLUMNS["pay"], "upper": 100, "resolution": 0.5})
    asked = {"method": "dual_query", "columns": ["age", "pay"], "bins": {"age": 100, "pay": 200}, "order": 2}
    said = r"columns: found 2[0-9]{4} cells of all tables together.*at most 5000.*residual_tree"
    refused(tmp_path, asked, said)


def refused(folder: Path, asked: dict[str, Any], said: str) -> None:
    table = people(10).assign(one="a", two="a", three="a")
    with pytest.raises(PlanError, match=said):
        made(folder, table[list(COLUMNS)], **asked)
