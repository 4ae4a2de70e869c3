"""What a reviewer is told of a plan, and what a policy keeps from being approved. Nothing of it reads rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import AccessError, InputError, PlanError
from dprelease.model.actor import Actor, Role
from dprelease.model.difference import Change
from dprelease.model.policy import PlanCheck, Policy
from dprelease.workspace.checks import CHECKS, Severity
from tests.workspace.test_publish import approved
from tests.workspace.test_team import JONAS, MARIA, team

__all__ = ["team"]
COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "income": {"type": "number", "lower": 0, "upper": 200000, "resolution": 1},
    "region": {"type": "category", "categories": ["n", "s"]},
}
ROWS_CSV = "pid,age,income,region\n" + "".join(f"{row},{row},{row * 1000},{'ns'[row % 2]}\n" for row in range(60))
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Incomes",
    "dataset": "t",
    "privacy": {"unit": {"column": "pid", "max_rows": 1}, "neighbors": "add_remove", "epsilon": 0.5},
    "expected": {"rows": 10_000},
    "statistics": [{"id": "n", "kind": "count"}, {"id": "ages", "kind": "histogram", "column": "age", "bins": 10}],
}
SCORECARD = {"id": "risk", "kind": "scorecard", "outcome": "region", "on": ["age"]}

Prepare = Callable[..., dprelease.Workspace]


@pytest.fixture
def prepare(tmp_path: Path) -> Prepare:
    """A workspace with one dataset, and a policy if there is to be one."""

    def make(
        *,
        columns: dict[str, Any] | None = None,
        policy: str = "",
        row_unit: bool = False,
        born: bool = False,
        **population: Any,
    ) -> dprelease.Workspace:
        ws = dprelease.Workspace.create(tmp_path / "home")
        if policy:
            (tmp_path / "home" / "policy.yaml").write_text(f"dprelease: 1\n{policy}")
        table = tmp_path / "t.csv"
        head, *rows = ROWS_CSV.splitlines()
        more = [f"{head},born", *(f"{row},1995-03-01" for row in rows)]
        table.write_text("\n".join(more) if born else ROWS_CSV)
        settings = {"unit": "person", "neighbors": "add_remove", "epsilon": 3, "delta": 1e-3, **population}
        ws.add_population("people", **settings)
        unit = None if row_unit else "pid"
        ws.add_dataset("t", table, population="people", unit_column=unit, columns=columns or COLUMNS)
        return ws

    return make


def plan(**changes: Any) -> dprelease.Plan:
    return dprelease.Plan.parse({**PLAN, **changes})


def privacy(**changes: Any) -> dict[str, Any]:
    return {**PLAN["privacy"], **changes}


def found(ws: dprelease.Workspace, planned: dprelease.Plan) -> dict[PlanCheck, Severity]:
    reviewed = ws.plans.review(ws.plans.submit(planned))
    return {finding.check: finding.severity for finding in reviewed.findings}


def test_an_ordinary_plan_has_no_findings(prepare: Prepare) -> None:
    assert found(prepare(), plan()) == {}


def test_every_check_is_looked_at() -> None:
    assert set(CHECKS) == set(PlanCheck)


FINDS: list[tuple[PlanCheck, Severity, dict[str, Any], dict[str, Any]]] = [
    (PlanCheck.EPSILON, Severity.REFUSED, {"policy": "release: {epsilon: 0.4}"}, {}),
    (PlanCheck.DELTA, Severity.REFUSED, {"policy": "release: {delta: 0}"}, {"privacy": privacy(delta=1e-6)}),
    (PlanCheck.DELTA_AND_SIZE, Severity.SERIOUS, {"size": 12_000}, {"privacy": privacy(delta=1e-5)}),
    (PlanCheck.DELTA_AND_SIZE, Severity.NOTICE, {}, {"privacy": privacy(delta=1e-9)}),
    (PlanCheck.UNIT, Severity.REFUSED, {"policy": "units: [household]"}, {}),
    (
        PlanCheck.ROW_UNIT,
        Severity.SERIOUS,
        {"row_unit": True, "columns": {**COLUMNS, "pid": {"type": "text"}}},
        {"privacy": privacy(unit="row")},
    ),
    (
        PlanCheck.ROW_UNIT,
        Severity.REFUSED,
        {"row_unit": True, "policy": "row_unit: false"},
        {"privacy": privacy(unit="row")},
    ),
    (PlanCheck.BUDGET, Severity.REFUSED, {"epsilon": 0.1}, {}),
    (
        PlanCheck.EXACT_BOUNDS,
        Severity.SERIOUS,
        {"columns": {**COLUMNS, "age": {"type": "integer", "lower": 3, "upper": 8713}}},
        {},
    ),
    (PlanCheck.NOISY_CELLS, Severity.NOTICE, {}, {"expected": {"rows": 40}}),
    (
        PlanCheck.EXPECTED,
        Severity.NOTICE,
        {},
        {"expected": None, "statistics": [{"id": "m", "kind": "mean", "column": "age"}]},
    ),
    (
        PlanCheck.IDENTIFIER_KEYS,
        Severity.SERIOUS,
        {"columns": {**COLUMNS, "pid": {"type": "category", "categories": ["1", "2"]}}},
        {"statistics": [{"id": "h", "kind": "histogram", "column": "pid"}]},
    ),
    (
        PlanCheck.DISCOVERED,
        Severity.SERIOUS,
        {"columns": {**COLUMNS, "region": {"type": "category", "categories": "discover"}}, "size": 100},
        {
            "privacy": privacy(delta=1e-4),
            "statistics": [{"id": "h", "kind": "histogram", "column": "region"}],
        },
    ),
    (PlanCheck.MODEL_CELLS, Severity.NOTICE, {}, {"expected": {"rows": 40}, "statistics": [SCORECARD]}),
    (PlanCheck.RARE_OUTCOME, Severity.SERIOUS, {}, {"expected": {"rows": 100}, "statistics": [SCORECARD]}),
    (
        PlanCheck.RARE_OUTCOME,
        Severity.SERIOUS,
        {},
        {
            "expected": {"rows": 100},
            "statistics": [{"id": "odds", "kind": "logistic", "outcome": "region", "on": ["age"], "rounds": 0}],
        },
    ),
    (PlanCheck.FREE_TEXT, Severity.NOTICE, {}, {"description": "The mean was 40312 last week."}),
    (PlanCheck.FREE_TEXT, Severity.NOTICE, {}, {"description": "9" * 10_000}),
]


@pytest.mark.parametrize(("check", "severity", "made", "changes"), FINDS, ids=lambda value: str(value)[:24])
def test_each_check_finds_what_it_is_for(
    prepare: Prepare, check: PlanCheck, severity: Severity, made: dict[str, Any], changes: dict[str, Any]
) -> None:
    ws = prepare(**made)
    mapping = {key: value for key, value in {**PLAN, **changes}.items() if value is not None}
    reviewed = ws.plans.review(ws.plans.submit(dprelease.Plan.parse(mapping)))
    assert (check, severity) in {(finding.check, finding.severity) for finding in reviewed.findings}


def test_a_model_of_many_rows_has_no_findings(prepare: Prepare) -> None:
    line = {"id": "line", "kind": "linear", "outcome": "income", "on": ["age", "region"]}
    ws, tried = prepare(), {**SCORECARD, "held_out": 0.2}
    assert found(ws, plan(statistics=[tried, line])) == {}
    assert found(ws, plan(title="Untried", statistics=[SCORECARD])) == {PlanCheck.UNTRIED_MODEL: Severity.NOTICE}


def test_columns_of_models_that_are_much_wider_than_was_published_are_found(prepare: Prepare) -> None:
    """All incomes are below 60,000: a model of incomes up to 300,000 has more noise than it needs."""
    ws = prepare(epsilon=100)
    asked = {"id": "range", "kind": "bounds", "column": "income"}
    line = {"id": "line", "kind": "linear", "outcome": "income", "on": ["age"]}
    assert PlanCheck.WIDE_BOUNDS not in found(ws, plan(title="Not yet", statistics=[line]))
    ws.publish(approved(ws, plan(title="Range", privacy=privacy(epsilon=20), statistics=[asked])))
    wider = {"income": {**COLUMNS["income"], "upper": 300_000}}
    reviewed = ws.plans.review(ws.plans.submit(plan(title="Wide", statistics=[line], columns=wider)))
    (told,) = [finding for finding in reviewed.findings if finding.check is PlanCheck.WIDE_BOUNDS]
    assert told.severity is Severity.NOTICE
    assert (told.about["column"], told.about["title"], told.about["upper"]) == ("income", "Range", "300000")
    assert PlanCheck.WIDE_BOUNDS not in found(
        ws, plan(title="Of ages alone", statistics=[{**line, "outcome": "age", "on": ["region"]}])
    )
    assert PlanCheck.WIDE_BOUNDS not in found(
        ws, plan(title="No model", statistics=[{"id": "m", "kind": "mean", "column": "income"}])
    )


def test_what_was_published_or_previewed_before_is_found(prepare: Prepare) -> None:
    ws = prepare()
    ws.publish(approved(ws, plan()))
    ws.preview(plan(title="Looked at", privacy=privacy(epsilon=0.1)), draws=10)
    again = found(ws, plan(title="Again", privacy=privacy(epsilon=0.2)))
    assert again == {PlanCheck.PUBLISHED_BEFORE: Severity.NOTICE, PlanCheck.AFTER_PREVIEW: Severity.NOTICE}, (
        "only its ε"
    )
    chosen = found(ws, plan(title="Chosen", privacy=privacy(epsilon=0.2), where=[{"column": "age", "at_least": 30}]))
    assert chosen[PlanCheck.AFTER_PREVIEW] is Severity.SERIOUS


def test_what_was_published_before_is_named_by_its_last_release_whatever_it_is_called(prepare: Prepare) -> None:
    ws = prepare()
    for title in ("The first", "The second"):
        ws.publish(approved(ws, plan(title=title)))
    approved(ws, plan(title="Not published"))
    (ages,) = PLAN["statistics"][1:]
    asked = [{**ages, "id": "another"}, {**ages, "id": "finer", "bins": 20}]
    again = ws.plans.review(ws.plans.submit(plan(title="Again", statistics=asked)))
    (told,) = (each for each in again.findings if each.check is PlanCheck.PUBLISHED_BEFORE)
    assert told.about == {"statistic": "another", "title": "The second"}


def test_a_refused_or_required_finding_keeps_a_plan_from_being_approved(prepare: Prepare) -> None:
    ws = prepare(
        policy="release: {epsilon: 1}\nrequired: [exact_bounds]",
        columns={**COLUMNS, "age": {"type": "integer", "lower": 3, "upper": 8713}},
    )
    with pytest.raises(PlanError) as refused:
        ws.plans.approve(ws.plans.submit(plan(privacy=privacy(epsilon=2))))
    assert [problem.path for problem in refused.value.problems] == ["policy.epsilon", *["policy.exact_bounds"]]
    assert ws.populations.budget("people").charges == 0


def test_a_policy_is_read_whole_or_refused() -> None:
    text = {"dprelease": 1, "release": {"epsilon": 1, "delta": 1e-6}, "units": ["person"], "required": ["unit"]}
    text |= {"grades": {"caution": 0.2, "unreliable": 0.5}}
    policy = Policy.parse(text)
    assert Policy.parse(policy.to_mapping()) == policy
    with pytest.raises(InputError) as refused:
        Policy.parse({"dprelease": 2, "release": {"epsilon": -1}, "required": ["epsilom"], "delta_times_size": 0})
    for grades in ({"caution": 0}, {"unreliable": 1.1}, {"caution": 0.7}, {"caution": "much"}, {"other": 1}, [1]):
        with pytest.raises(InputError, match="grades"):
            Policy.parse({"dprelease": 1, "grades": grades})
    assert {problem.path for problem in refused.value.problems} == {
        "dprelease",
        "release.epsilon",
        "required[0]",
        "delta_times_size",
    }


def test_the_same_cells_with_a_larger_eps_each_time_are_told_with_all_of_them(prepare: Prepare) -> None:
    ws = prepare()
    seen = []
    for epsilon in (0.3, 0.5, 0.8):
        asked = plan(title=f"At {epsilon}", privacy=privacy(epsilon=epsilon))
        review = ws.plans.review(ws.plans.submit(asked))
        seen.append([each for each in review.findings if each.check is PlanCheck.CREEPING])
        ws.publish(approved(ws, asked))
    assert [[each.severity for each in found] for found in seen] == [[], [Severity.NOTICE], [Severity.SERIOUS]]
    assert seen[-1][0].about == {"count": "3", "epsilons": "0.3 → 0.5 → 0.8"}
    assert PlanCheck.CREEPING not in found(ws, plan(title="Less", privacy=privacy(epsilon=0.1)))


def test_rows_of_a_unit_that_hide_the_table_are_serious(prepare: Prepare) -> None:
    many = privacy(unit={"column": "pid", "max_rows": 5000})
    assert found(prepare(), plan(privacy=many))[PlanCheck.MAX_ROWS] is Severity.SERIOUS


RULES = """forbidden:
- {columns: [income], reason: Incomes are for the tax office.}
- {columns: [age, region], kinds: [count, histogram], reason: Not both.}
- {columns: [age], kinds: [mean], reason: No means of ages.}
- {columns: [born], levels: [year], reason: Days of birth by year only.}
"""


@pytest.mark.parametrize(
    ("statistic", "reason"),
    [
        ({"kind": "mean", "column": "income"}, "Incomes are for the tax office."),
        ({"kind": "count", "by": ["region", "age"]}, "Not both."),
        ({"kind": "mean", "column": "age"}, "No means of ages."),
        ({"kind": "count", "by": ["born"]}, "Days of birth by year only."),
        ({"kind": "count", "by": ["born"], "levels": {"born": "month"}}, "Days of birth by year only."),
        ({"kind": "count", "by": ["born"], "levels": {"born": "year"}}, ""),
        ({"kind": "count", "by": ["region"]}, ""),
        ({"kind": "sum", "column": "age"}, ""),
    ],
)
def test_what_a_policy_forbids_is_refused_with_its_own_sentence(
    prepare: Prepare, statistic: dict[str, Any], reason: str
) -> None:
    born = {"type": "date", "lower": "1990-01-01", "upper": "1999-12-31"}
    ws = prepare(policy=RULES, columns={**COLUMNS, "born": born}, born=True)
    asked = plan(statistics=[{"id": "asked", **statistic}])
    for ask in (ws.price, ws.preview, ws.plans.submit):
        if reason:
            with pytest.raises(PlanError, match=reason) as refused:
                ask(asked)
            assert [problem.path for problem in refused.value.problems] == ["statistics[0]"]
        else:
            ask(asked)


def test_a_filter_asks_too_and_a_rule_that_came_later_keeps_a_plan_from_being_approved(prepare: Prepare) -> None:
    ws = prepare()
    waiting = ws.plans.submit(plan(where=[{"column": "income", "at_least": 100}]))
    (ws.home / "policy.yaml").write_text(f"dprelease: 1\n{RULES}")
    with pytest.raises(PlanError, match=r"policy\.forbidden"):
        ws.plans.approve(waiting)
    assert PlanCheck.FORBIDDEN not in found(ws, plan(title="Ages alone"))
    with pytest.raises(InputError, match="columns, kinds, or both"):
        Policy.parse({"dprelease": 1, "forbidden": [{"reason": "Nothing."}]})
    with pytest.raises(InputError, match=r"forbidden\[0\].reason"):
        Policy.parse({"dprelease": 1, "forbidden": [{"kinds": ["mean"]}]})
    rules = Policy.parse({"dprelease": 1, "forbidden": [{"kinds": ["mean"], "reason": "No means."}]})
    assert Policy.parse(rules.to_mapping()) == rules


def test_the_limits_of_grades_are_those_of_the_policy_in_every_release(prepare: Prepare) -> None:
    """And the certificate states them."""
    ws = prepare(policy="grades: {caution: 0.001, unreliable: 0.002}")
    release = ws.publish(approved(ws, plan()))
    assert release.certificate.to_mapping()["grades"] == {"caution": 0.001, "unreliable": 0.002}
    letters = {
        row.rpartition(",")[2] for row in (ws.home / "public" / release.id / "tables" / "n.csv").read_text().split()
    }
    assert letters == {"grade", "U"}


def test_a_plan_is_compared_with_the_last_approved_one(prepare: Prepare) -> None:
    ws = prepare()
    first = approved(ws, plan())
    reviewed = ws.plans.review(ws.plans.submit(plan(privacy=privacy(epsilon=0.7))))
    assert reviewed.against is not None
    assert reviewed.against.id == first
    assert reviewed.changes == (Change("privacy.epsilon", 0.5, 0.7),)
    assert ws.plans.review(first).against is None


def test_a_plan_is_returned_with_remarks_and_delegated(team: dprelease.Workspace) -> None:
    team.people.invite("jonas", ["reviewer", "curator"], actor=Actor("admin", frozenset({Role.ADMINISTRATOR})))
    anna = Actor("anna", frozenset({Role.REVIEWER}))
    team.people.invite("anna", ["reviewer"], actor=Actor("admin", frozenset({Role.ADMINISTRATOR})))
    from tests.workspace.test_publish import plan as ordinary

    planned = ordinary(0.3)
    plan_id = team.plans.submit(planned, actor=MARIA)
    team.plans.delegate(plan_id, "anna", comment="You know these incomes.", actor=JONAS)
    (asked,) = team.plans.delegations(plan_id, actor=MARIA)
    assert (asked.by, asked.to, asked.comment) == ("jonas", "anna", "You know these incomes.")
    with pytest.raises(InputError, match="maria"):
        team.plans.delegate(plan_id, "maria", actor=JONAS)
    with pytest.raises(AccessError):
        team.plans.delegate(plan_id, "jonas", actor=Actor("eve", frozenset({Role.CURATOR})))
    statistic = planned.statistics[0].id
    with pytest.raises(InputError, match="remarks"):
        team.plans.return_plan(plan_id, comment="See there.", remarks={"nothing": "?"}, actor=anna)
    team.plans.return_plan(plan_id, comment="See there.", remarks={statistic: "Too fine."}, actor=anna)
    (decision,) = team.plans.decisions(plan_id, actor=MARIA)
    assert decision.remarks == {statistic: "Too fine."}
    team.ledger.verify(actor=JONAS)
