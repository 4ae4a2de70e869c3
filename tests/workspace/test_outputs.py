"""What a statistic may answer with: several tables, a fitted function, rows after two rounds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pandas
import pytest

import dprelease
from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError, InternalError
from dprelease.model.presentation import Presentation
from dprelease.model.release import FittedOutput, Release, SyntheticRows, Tables
from dprelease.model.statistic import KINDS
from dprelease.store import releases
from dprelease.worstcase.measured import KINDS as MEASURED
from tests.verdict.forging import signed
from tests.workspace.toys import TOYS, Aimed, Both, Fitted, Invented

COLUMNS = {"sex": {"type": "category", "categories": ["F", "M", "=x"]}}
ROWS = pandas.DataFrame({"sex": ["F"] * 30 + ["M"] * 12})
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "people",
    "title": "Toys",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 8},
    "statistics": [
        {"id": "b", "kind": "both", "column": "sex"},
        {"id": "f", "kind": "fitted", "column": "sex"},
        {"id": "r", "kind": "invented", "column": "sex"},
        {"id": "n", "kind": "count"},
    ],
}


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kinds, and their integers a second time."""

    def counts(asked: Any) -> Iterator[Any]:
        yield asked.cells((asked["column"].many,))

    def twice(asked: Any) -> Iterator[Any]:
        yield from counts(asked)
        yield asked.cells((1,))

    def again(asked: Any) -> Iterator[Any]:
        yield from counts(asked)
        yield asked.cells((3,))

    for toy in TOYS:
        own = {Invented: twice, Aimed: again}.get(toy, counts)
        monkeypatch.setitem(KINDS, toy.kind, toy)  # type: ignore[arg-type]
        monkeypatch.setitem(MEASURED, toy.kind, own)  # type: ignore[arg-type]


def workspace() -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", ROWS, columns=COLUMNS, epsilon=100)
    return made


def published(made: dprelease.Workspace) -> Release:
    plan_id = made.plans.submit(dprelease.Plan.parse(PLAN))
    made.plans.approve(plan_id)
    return made.publish(plan_id)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("toy", TOYS)
def test_it_keeps_the_contract_of_kinds(toy: type[Both]) -> None:
    dprelease.check_statistic(toy(id="s", column="g"))


def test_a_later_round_that_tells_more_than_is_stated_breaks_the_contract() -> None:
    class Greedy(Invented):
        """Sensitivity m, which is wrong. Discrete Laplace noise, or Gaussian in zcdp."""

        presentation: ClassVar[Presentation] = Invented.presentation

        def exact_after(self, schema: Any, tallies: Any, drawn: Any) -> tuple[Any, ...]:
            return (2 * super().exact_after(schema, tallies, drawn)[0],)

    with pytest.raises(InternalError, match=r"l1 \d+ beats the stated \d+"):
        dprelease.check_statistic(Greedy(id="s", column="g"))


def test_each_answer_is_written_read_and_verified(tmp_path: Path) -> None:
    release = published(workspace())
    folder = release.write(tmp_path)
    again = dprelease.verify(folder).release
    assert [type(output) for output in again.outputs.values()][:3] == [Tables, FittedOutput, SyntheticRows]
    assert {name: again.outputs[name] for name in "bfr"} == {name: release.outputs[name] for name in "bfr"}
    assert [*again.tables] == ["b.first", "b.second", "f.counts", "r.counts", "r.again", "n"]
    assert sorted(path.name for path in (folder / "tables").iterdir()) == sorted(f"{name}.csv" for name in again.tables)
    assert json.loads((folder / "models" / "f.json").read_text())["of"] == "sex"
    rows = pandas.read_csv(folder / "rows" / "r.synthetic.csv")
    assert set(rows["sex"]) <= {"F", "M", "'=x"}
    resources = {each["name"]: each for each in json.loads((folder / "datapackage.json").read_text())["resources"]}
    assert resources["r.rows"]["path"] == "rows/r.synthetic.csv"
    assert resources["f.model"]["path"] == "models/f.json"
    page = (folder / "index.html").read_text()
    assert 'href="rows/r.synthetic.csv"' in page
    assert 'href="models/f.json"' in page


def _another_share(folder: Path) -> None:
    path = folder / "models" / "f.json"
    path.write_text(path.read_text().replace('"share": 0', '"share": 1'))


def _another_row(folder: Path) -> None:
    path = folder / "rows" / "r.synthetic.csv"
    path.write_text(path.read_text() + "F\n")


def _another_part(folder: Path) -> None:
    one, other = (folder / "tables" / f"b.{part}.csv" for part in ("first", "second"))
    one.write_text(other.read_text().replace("F,", "F,1", 1))


LIES: dict[str, tuple[Callable[[Path], None], str]] = {
    "another function": (_another_share, "f: its mechanisms cannot give this model"),
    "one row more": (_another_row, "r: its mechanisms cannot give these rows"),
    "one table of two": (_another_part, "b: its mechanisms cannot give these tables"),
}


@pytest.mark.parametrize("lie", LIES)
def test_an_answer_that_the_measured_tables_do_not_give_is_refused(lie: str, tmp_path: Path) -> None:
    made = workspace()
    folder = published(made).write(tmp_path)
    change, words = LIES[lie]
    change(folder)
    contents = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(IntegrityError, match=words):
        dprelease.verify(signed(contents, folder, SigningKey.in_memory()))


def test_answers_that_cannot_be_made_again_are_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = workspace()
    release = published(made)
    monkeypatch.setattr(Fitted, "answered", lambda *_: pytest.fail("it was fitted again"))
    assert made.releases.get(release.id).outputs["f"] == release.outputs["f"]


@pytest.mark.parametrize("step", ["keep_round", "sealing"])
def test_another_process_may_be_quicker(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It publishes while this one draws its second round, or before this one has certified what is sealed."""
    made, usual = workspace(), getattr(releases, step)
    plan_id = made.plans.submit(dprelease.Plan.parse(PLAN))
    made.plans.approve(plan_id)
    quicker: list[Release] = []

    def slowly(*arguments: Any) -> Any:
        found = usual(*arguments) if step == "sealing" else None
        if not quicker:
            monkeypatch.setattr(releases, step, usual)
            quicker.append(made.publish(plan_id))
        return found or usual(*arguments)

    monkeypatch.setattr(releases, step, slowly)
    release = made.publish(plan_id)
    assert release.id == quicker[0].id
    assert release.outputs == quicker[0].outputs


def test_a_round_is_sealed_before_the_next_and_never_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made, seen = workspace(), []
    plan_id = made.plans.submit(dprelease.Plan.parse(PLAN))
    made.plans.approve(plan_id)
    usual = Invented.exact_after

    def fails(self: Invented, schema: Any, tallies: Any, drawn: Any) -> tuple[Any, ...]:
        seen.append(drawn[0].tolist())
        if len(seen) < 3:
            raise MemoryError
        return usual(self, schema, tallies, drawn)

    monkeypatch.setattr(Invented, "exact_after", fails)
    for _ in range(2):
        with pytest.raises(MemoryError):
            made.publish(plan_id)
    release = made.publish(plan_id)
    assert seen[0] == seen[1] == seen[2]
    assert list(release.tables["r.counts"].value) == seen[0]
    with made._state.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM rounds").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM ledger WHERE kind = 'charge'").fetchone() == (1,)


def test_rounds_are_stated_in_turn() -> None:
    made = workspace()
    facts = published(made).certificate
    (stated,) = (each for each in facts.measurements if each.id == "r")
    assert [each.round for each in stated.mechanisms] == [0, 1]
    assert made.price(dprelease.Plan.parse(PLAN)).rounds == 2
