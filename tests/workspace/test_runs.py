"""A run is charged once, before its first row is read; each edition is drawn once, in turn, across any crash."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.bundle.entry import Entry
from dprelease.bundle.read import ReadBundle, read
from dprelease.errors import InputError, InsufficientBudgetError, IntegrityError, PlanError
from dprelease.model import instant
from dprelease.model.certificate import Certificate
from dprelease.model.release import Release
from dprelease.store import checkpoints, ledger, releases
from dprelease.store.event import EventKind
from dprelease.verdict.editions import check_editions
from dprelease.verdict.ledger_checks import check_charge
from dprelease.verdict.recompute import recompute
from dprelease.verdict.verify import verify
from dprelease.worstcase import excesses
from tests.model.test_recurring import plan as run_plan

COLUMNS = {
    "day": {"type": "date", "lower": "2020-01-01", "upper": "2030-12-31"},
    "x": {"type": "boolean", "count_missing_as": True},
}
PERSON = {"column": "person", "max_rows": 2}


def births(months: int = 6, people: int = 40) -> pandas.DataFrame:
    """Person n has a row in each month from the n-th on, wrapped, for n % 4 + 1 months."""
    rows = [
        (f"p{person}", date(2025, 1 + (person + turn) % months, 1 + person % 28), person % 2 == 0)
        for person in range(people)
        for turn in range(person % 4 + 1)
    ]
    return pandas.DataFrame(rows, columns=["person", "day", "x"])


def plan(**run: Any) -> dict[str, Any]:
    unit = run.pop("unit", "row")
    made = run_plan(unit=unit, **{"first": "2025-01", "last": "2025-06", **run})
    return {key: each for key, each in made.items() if key != "columns"}


def opened(home: Path | None = None, *, epsilon: float = 3, **run: Any) -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory() if home is None else dprelease.Workspace.create(home)
    unit = None if run.get("unit", "row") == "row" else "person"
    made.add_dataset("births", births(), unit_column=unit, columns=COLUMNS, epsilon=epsilon)
    made.runs.open(dprelease.Plan.parse(plan(**run)))
    return made


def charges(workspace: dprelease.Workspace) -> int:
    return workspace.populations.budget("births").charges


def test_the_whole_run_is_charged_before_a_row_is_read_and_editions_add_nothing() -> None:
    workspace = opened()
    spent = workspace.populations.budget("births").spent
    assert spent.epsilon_nano == 10**9
    certificates = [workspace.runs.publish("births", period).certificate for period in ("2025-01", "2025-02")]
    for period, certificate in zip(("2025-01", "2025-02"), certificates, strict=True):
        assert certificate.guarantee.epsilon == 1
        assert certificate.plan["about"]["edition"] == period
        assert {"run", "run_row"} <= {caveat.code for caveat in certificate.caveats}
    assert (workspace.populations.budget("births").spent, charges(workspace)) == (spent, 1)
    assert workspace.ledger.verify() > 0
    assert workspace.runs.publish("births", "2025-02").id == certificates[1].id
    assert [each.period for each in workspace.runs.get("births").editions] == ["2025-01", "2025-02"]


def test_opening_again_gives_the_same_run() -> None:
    workspace = opened()
    again = workspace.runs.open(dprelease.Plan.parse(plan()))
    assert (again.name, charges(workspace)) == ("births", 1)


def test_an_edition_closes_the_periods_before_it_where_k_is_kept_by_order() -> None:
    workspace = opened(unit=PERSON, at_most=2)
    workspace.runs.publish("births", "2025-03")
    run = workspace.runs.get("births")
    assert (run.closed, run.open_periods) == (("2025-01", "2025-02"), ("2025-04", "2025-05", "2025-06"))
    with pytest.raises(InputError, match="closed") as refused:
        workspace.runs.publish("births", "2025-02")
    assert "2025-04" in str(refused.value)
    later = workspace.runs.publish("births", "2025-05").certificate.edition_of
    assert later is not None
    assert later.closed == ("2025-01", "2025-02", "2025-04")
    assert [each.period for each in later.earlier] == ["2025-03"]


@pytest.mark.parametrize("run", [{}, {"unit": PERSON, "at_most": "all"}])
def test_late_periods_may_follow_where_order_keeps_nothing(run: dict[str, Any]) -> None:
    workspace = opened(**run)
    for period in ("2025-05", "2025-02"):
        workspace.runs.publish("births", period)
    assert workspace.runs.get("births").closed == ()
    assert workspace.ledger.verify() > 0


def test_the_next_period_is_the_first_that_is_over() -> None:
    workspace = opened(last="2030-12")
    found = [workspace.runs.publish("births").certificate.edition_of for _ in range(2)]
    assert [each.period for each in found if each is not None] == ["2025-01", "2025-02"]
    with pytest.raises(InputError, match="not over"):
        workspace.runs.publish("births", "2030-12")
    assert len(workspace.runs.get("births").editions) == 2


def test_bad_input_writes_and_spends_nothing() -> None:
    workspace = opened(unit=PERSON, at_most=1)
    workspace.runs.publish("births", "2025-02")
    before = workspace.ledger.verify()
    asked: list[Callable[[], Any]] = [
        lambda: workspace.runs.publish("births", "2025-01"),
        lambda: workspace.runs.publish("births", "2025-07"),
        lambda: workspace.runs.publish("nobody"),
        lambda: workspace.runs.abandon("births", "2025-03", "stopped"),
        lambda: workspace.runs.abandon("births", "2025-02", "stopped"),
        lambda: workspace.runs.end("births", "a row was wrong"),
        lambda: workspace.publish(dprelease.Plan.parse(plan(unit=PERSON, at_most=1))),
        lambda: workspace.populations.open_period("births", "2027", epsilon=1, reason="next"),
    ]
    for each in asked:
        with pytest.raises((InputError, PlanError)) as refused:
            each()
        assert "allowed" in str(refused.value)
    assert workspace.ledger.verify() == before


def test_a_period_set_by_hand_takes_no_condition_from_the_run() -> None:
    workspace = opened(epsilon=5)
    only = {"where": [{"column": "x", "equals": True}], "title": "only some"}
    for more in ({}, only):
        with pytest.raises(PlanError, match=r"run\.period"):
            workspace.runs.open(dprelease.Plan.parse({**plan(period="2025-02"), **more}))
    workspace.runs.open(dprelease.Plan.parse({**plan(), **only}))
    certificate = workspace.runs.publish("only-some", "2025-02").certificate
    assert certificate.plan["where"][1:] == [{"column": "x", "equals": True}]
    again = workspace.runs.open(dprelease.Plan.parse(certificate.plan))
    assert (again.name, charges(workspace)) == ("only-some", 2)


@pytest.mark.parametrize("at_most", [1, 2])
def test_a_run_that_keeps_units_to_few_periods_can_be_previewed(at_most: int) -> None:
    workspace = opened(unit=PERSON, at_most=at_most)
    preview = workspace.preview(dprelease.Plan.parse(plan(unit=PERSON, at_most=at_most)), sources=True)
    assert preview.statistics


def test_an_edition_of_columns_out_of_alphabetical_order_is_verified(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    columns = {**COLUMNS, "a": COLUMNS["x"]}
    workspace.add_dataset("births", births().assign(a=True), columns=columns, epsilon=1)
    asked = {**plan(), "statistics": [{"id": "births", "kind": "count", "by": ["x", "a"]}]}
    workspace.runs.open(dprelease.Plan.parse(asked))
    release = workspace.runs.publish("births", "2025-01")
    assert verify(workspace.releases.bundle(release.id), pictures=False, tables_only=True).checks


def test_a_cap_too_small_by_one_nano_refuses_it_whole() -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("births", births(), columns=COLUMNS, epsilon="0.999999999")
    with pytest.raises(InsufficientBudgetError):
        workspace.runs.open(dprelease.Plan.parse(plan()))
    assert (charges(workspace), workspace.runs.find()) == (0, [])


def test_columns_that_change_stop_the_run_until_they_are_as_they_were() -> None:
    workspace = opened()
    workspace.datasets.describe("births", {**COLUMNS, "x": {"type": "boolean"}})
    with pytest.raises(PlanError, match="when the run was opened"):
        workspace.runs.publish("births", "2025-01")
    workspace.datasets.describe("births", {**COLUMNS, "person": {"type": "category", "categories": ["p1"]}})
    assert workspace.runs.publish("births", "2025-01").tables


def test_rows_come_every_month_and_take_no_other_approval() -> None:
    workspace = opened(unit=PERSON, at_most=2)
    workspace.runs.publish("births", "2025-01")
    more = pandas.concat([births(), births().tail(3)])
    workspace.datasets.replace_rows("births", more)
    assert workspace.runs.publish("births", "2025-02").tables
    assert workspace.ledger.verify() > 0


def test_an_ended_run_begins_nothing_and_leaves_the_cap_to_others() -> None:
    workspace = opened()
    workspace.runs.end("births", "stopped")
    with pytest.raises(InputError, match="ended"):
        workspace.runs.publish("births", "2025-01")
    workspace.populations.open_period("births", "2027", epsilon=1, reason="next")
    assert workspace.ledger.verify() > 0


def test_a_copy_of_the_ledger_ends_every_run() -> None:
    """The other copy may have drawn editions that this one does not know."""
    workspace = opened()
    checkpoints.restored(workspace._state.database)
    with pytest.raises(InputError, match="ended"):
        workspace.runs.publish("births", "2025-01")
    assert workspace.ledger.verify() > 0


def test_one_period_is_the_release_that_it_would_be_without_a_run() -> None:
    workspace = opened(last="2025-01")
    one = workspace.runs.publish("births").certificate
    single = {**plan(), "run": None, "where": [{"column": "day", "at_least": "2025-01-01", "at_most": "2025-01-31"}]}
    other = workspace.publish(dprelease.Plan.parse(single)).certificate
    assert one.measurements == other.measurements
    assert (one.loss, one.guarantee) == (other.loss, other.guarantee)


def test_an_empty_month_is_published_like_any_other() -> None:
    workspace = opened(first="2024-01", last="2024-12")
    assert len(workspace.runs.publish("births", "2024-02").tables["births"].value) == 2


STEPS = ("begun", "drawn", "sealed", "certified", "published")


class Killed(BaseException):
    """Stands for kill -9: nothing that catches errors catches it."""


def kill(monkeypatch: pytest.MonkeyPatch, step: str, *, after: bool) -> None:
    """Let the process end just before, or just after, a step of the next edition."""
    from dprelease.store import runs
    from dprelease.workspace import publish

    places: dict[str, tuple[Any, str]] = {
        "begun": (runs, "begin"),
        "drawn": (publish, "draw"),
        "sealed": (releases, "seal"),
        "certified": (releases, "certify"),
        "published": (releases, "publish"),
    }
    module, name = places[step]
    real = getattr(module, name)

    def dies(*arguments: Any, **named: Any) -> None:
        if after:
            real(*arguments, **named)
        raise Killed

    monkeypatch.setattr(module, name, dies)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("after", [False, True])
def test_whatever_ends_it_an_edition_is_drawn_once(step: str, after: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = opened(unit=PERSON, at_most=2)
    workspace.runs.publish("births", "2025-01")
    for _ in range(2):
        with monkeypatch.context() as patched, suppress(Killed):
            kill(patched, step, after=after)
            workspace.runs.publish("births", "2025-02")
    run = workspace.runs.get("births")
    begun = [] if run.unfinished is None else [run.unfinished.release]
    if begun:
        with pytest.raises(InputError, match="2025-02 is begun"):
            workspace.runs.publish("births", "2025-03")
    release = workspace.runs.publish("births", "2025-02")
    assert begun in ([release.id], [])
    kinds = [event.kind for event in ledger.events(workspace._state.database)]
    assert (kinds.count("sealed"), kinds.count("edition_begun"), charges(workspace)) == (2, 2, 1)
    assert workspace.ledger.verify() == len(kinds)


def test_what_is_begun_can_be_given_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = opened(unit=PERSON, at_most=2)
    with monkeypatch.context() as patched, suppress(Killed):
        kill(patched, "drawn", after=False)
        workspace.runs.publish("births", "2025-01")
    workspace.runs.abandon("births", "2025-01", "rows_wrong")
    with pytest.raises(InputError, match="given up"):
        workspace.runs.publish("births", "2025-01")
    run = workspace.runs.publish("births").certificate.edition_of
    assert run is not None
    assert (run.period, run.closed, run.earlier) == ("2025-02", ("2025-01",), ())
    assert workspace.ledger.verify() > 0


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], list[Release]]:
    workspace = opened(tmp_path_factory.mktemp("runs") / "home", unit=PERSON, at_most=2)
    found = [workspace.runs.publish("births", period) for period in ("2025-01", "2025-02", "2025-04")]
    return [workspace.releases.bundle(each.id) for each in found], found


def test_an_edition_is_verified_by_itself_and_with_others(published: tuple[list[Path], list[Release]]) -> None:
    paths, _ = published
    verdicts = [verify(path, pictures=False, tables_only=True) for path in paths]
    assert all("check.run" in [check.code for check in each.checks] for each in verdicts)
    check = check_editions([each.release.certificate for each in verdicts])
    assert check.values == {"count": 3, "run": "births", "periods": 6}


def changed(release: Release, **run: Any) -> Certificate:
    mapping = release.certificate.to_mapping()
    mapping["run"] |= run
    return Certificate.read(json.loads(json.dumps(mapping)))


def test_editions_that_do_not_belong_together_are_told(published: tuple[list[Path], list[Release]]) -> None:
    first, second, third = published[1]
    told = [each.certificate for each in (first, second, third)]
    wrong = {
        "different runs": [told[0], changed(second, name="other")],
        "has two": [told[0], told[1], told[1]],
        "2025-04 does not name": [*told[:2], changed(third, earlier=[])],
        "2025-02 does not name": [told[0], changed(second, earlier=[]), told[2]],
        "said to be closed": [told[0], told[1], changed(third, closed=["2025-02", "2025-03"])],
    }
    for words, certificates in wrong.items():
        with pytest.raises(IntegrityError, match=words):
            check_editions(certificates)


def test_a_second_opinion_finds_a_factor_that_is_too_small(published: tuple[list[Path], list[Release]]) -> None:
    certificate = published[1][0].certificate.to_mapping()
    assert excesses(certificate) == ()
    for relation, most, factor in (("add_remove", 3, 3), ("substitute", 2, 4), ("add_remove", "all", 6)):
        forged = json.loads(json.dumps(certificate))
        forged["plan"]["run"]["at_most"] = most
        forged["plan"]["privacy"]["neighbors"] = relation
        forged["measurements"] = certificate["measurements"]
        found = {each.measurement: each for each in excesses(forged)}["run"]
        assert found.true == pytest.approx(factor * found.charged / 2)
    forged = json.loads(json.dumps(certificate))
    forged["plan"]["where"] = []
    with pytest.raises(IntegrityError):
        excesses(forged)


FORGED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "factor": lambda told: told["run"].update(factor=1),
    "k": lambda told: (told["run"].update(at_most=1), told["plan"]["run"].update(at_most=1)),
    "period": lambda told: told["run"].update(period="2025-02", number=2),
    "another run": lambda told: told["run"].update(name="other"),
    "its charge": lambda told: told["run"]["charge"].update(seq=3),
    "no run": lambda told: told.pop("run"),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forger_with_the_key_is_found(what: str, published: tuple[list[Path], list[Release]], tmp_path: Path) -> None:
    bundle = read(shutil.copytree(published[0][0], tmp_path / "bundle"))
    told = bundle.release.certificate.to_mapping()
    FORGED[what](told)
    forged = replace(bundle, release=replace(bundle.release, certificate=Certificate.read(told)))
    with pytest.raises(IntegrityError):
        checked(forged)


HIDDEN: dict[str, Callable[[dict[str, Any]], Any]] = {
    "an edition": lambda run: run["earlier"].pop(0),
    "a closed period": lambda run: run.update(closed=[]),
    "an edition among the closed": lambda run: run["closed"].insert(0, run["earlier"][0]["period"]),
    "a closed one among the editions": lambda run: run["earlier"].append(
        {**run["earlier"][0], "period": run["closed"].pop()}
    ),
    "a later one": lambda run: run["closed"].append("2025-05"),
}


@pytest.mark.parametrize("what", HIDDEN)
def test_one_bundle_shows_that_a_period_before_it_is_hidden(
    what: str, published: tuple[list[Path], list[Release]], tmp_path: Path
) -> None:
    bundle = read(shutil.copytree(published[0][2], tmp_path / "bundle"))
    told = json.loads(json.dumps(bundle.release.certificate.to_mapping()))
    HIDDEN[what](told["run"])
    forged = replace(bundle, release=replace(bundle.release, certificate=Certificate.read(told)))
    with pytest.raises(IntegrityError, match="each period before it"):
        check_charge(Entry.read(forged.release.entry), forged.release.certificate)


def checked(bundle: ReadBundle) -> None:
    recompute(bundle)
    check_charge(Entry.read(bundle.release.entry), bundle.release.certificate)


TAMPERED = {
    "the end is taken back": "UPDATE runs SET ended = 0",
    "an edition is of another period": "UPDATE editions SET period = '2025-06'",
    "an edition is gone": "DELETE FROM editions",
    "a run is gone": "DELETE FROM editions; DELETE FROM runs",
}


@pytest.mark.parametrize("what", TAMPERED)
def test_the_ledger_finds_tables_of_runs_that_were_changed(what: str, tmp_path: Path) -> None:
    workspace = opened(tmp_path / "home")
    workspace.runs.publish("births", "2025-01")
    workspace.runs.end("births", "stopped")
    with workspace._state.database.writing() as connection:
        for trigger in ("runs_end_once", "runs_stay", "editions_do_not_change", "editions_stay"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in TAMPERED[what].split(";"):
            connection.execute(statement)
    with pytest.raises(IntegrityError, match=r"runs|editions"):
        workspace.ledger.verify()


def test_its_events_name_no_version_of_rows_in_public() -> None:
    workspace = opened()
    workspace.runs.publish("births", "2025-01")
    (begun,) = ledger.events(workspace._state.database, kinds=[EventKind.EDITION_BEGUN])
    assert "dataset_version" in begun.rest["body"]
    assert not {"dataset_version", "plan", "dataset"} & begun.public["facts"].keys()


HOUR = "2090-01-15T09:00:00+01:00"


def test_an_edition_waits_for_its_hour_and_no_other_begins_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened(tmp_path / "home", unit=PERSON, at_most=2)
    workspace.runs.publish("births", "2025-01")
    sealed = workspace.runs.publish("births", "2025-02", due=HOUR)
    assert sealed.due == HOUR
    assert not (tmp_path / "home" / "public" / sealed.id).exists()
    assert workspace.runs.publish("births", "2025-02", due=HOUR).id == sealed.id
    states = [(each.state.value, each.certificate is None) for each in workspace.runs.get("births").editions]
    assert states == [("published", False), ("embargoed", True)]
    with pytest.raises(InputError, match="2025-02 is sealed until its hour"):
        workspace.runs.publish("births", "2025-03")
    assert workspace._state.home is not None
    calendar = json.loads((workspace._state.home.public / "calendar.json").read_text())["statement"]
    assert ([each["when"] for each in calendar["entries"]], calendar["held"]) == ([HOUR], [])
    monkeypatch.setattr(instant, "present", lambda: instant.moment_of(HOUR))
    assert workspace.embargoes.open_due() == [sealed.id]
    monkeypatch.undo()
    later = workspace.runs.publish("births", "2025-03")
    run = later.certificate.edition_of
    assert run is not None
    assert [each.release for each in run.earlier][1:] == [sealed.id]
    paths = [workspace.releases.bundle(each) for each in (sealed.id, later.id)]
    verdicts = [verify(path, pictures=False, tables_only=True) for path in paths]
    assert check_editions([each.release.certificate for each in verdicts]).values["count"] == 2
    assert (workspace.ledger.verify() > 0, charges(workspace)) == (True, 1)


def test_a_cancelled_edition_is_closed_and_never_drawn_again(tmp_path: Path) -> None:
    workspace = opened(tmp_path / "home", unit=PERSON, at_most=2)
    sealed = workspace.runs.publish("births", "2025-01", due=HOUR)
    workspace.embargoes.cancel(sealed.id, reason="a wrong table")
    for asked in ({}, {"due": HOUR}):
        with pytest.raises(InputError, match="given up"):
            workspace.runs.publish("births", "2025-01", **asked)
    later = workspace.runs.publish("births").certificate.edition_of
    assert later is not None
    assert (later.period, later.closed, later.earlier) == ("2025-02", ("2025-01",), ())
    assert not (tmp_path / "home" / "public" / sealed.id).exists()
    assert workspace.ledger.verify() > 0
