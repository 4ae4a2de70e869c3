"""Answers that arrived changed, from the declaration of their column to a verified bundle, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from math import exp, tanh
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pytest
import yaml

import dprelease
from dprelease.cli import main
from dprelease.errors import InsufficientBudgetError, IntegrityError, PlanError, SchemaError
from dprelease.model.encoding import canonical
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.schema import Schema
from dprelease.model.stated import StatedLoss
from dprelease.statistics.planning.stated import as_stated

VOTE: dict[str, Any] = {
    "type": "category",
    "categories": ["yes", "no", "none"],
    "count_missing_as": "none",
    "randomized": {"method": "response", "epsilon": 1},
}
YES = {"type": "boolean", "count_missing_as": False, "randomized": {"method": "response", "epsilon": 1}}
LEVELS = {"levels": {"said": {"something": ["yes", "no"], "nothing": ["none"]}}}
DELTA = {Currency.PURE: 0, Currency.ZCDP: 1e-6}
WHOLE = {Currency.PURE: 1, Currency.ZCDP: 7}
"""An ε of a plan that pays for ε = 1."""


def world(
    votes: list[Any], column: dict[str, Any] = VOTE, currency: Currency = Currency.PURE, cap: float = 1000
) -> dprelease.Workspace:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_population(
        "people", unit="person", neighbors="substitute", epsilon=cap, delta=0.001, currency=currency
    )
    table = pd.DataFrame({"vote": pd.Series(votes, dtype=object)})
    workspace.add_dataset("d", table, population="people", columns={"vote": column})
    return workspace


def plan(currency: Currency = Currency.PURE, epsilon: float | None = None, **others: Any) -> dprelease.Plan:
    asked = others.pop("statistics", [{"id": "votes", "kind": "survey", "column": "vote", **others}])
    return dprelease.Plan.parse(
        {
            "dprelease": 1,
            "dataset": "d",
            "privacy": {
                "unit": "row",
                "neighbors": "substitute",
                "epsilon": epsilon or WHOLE[currency],
                "delta": DELTA[currency],
            },
            "statistics": asked,
        }
    )


def published(workspace: dprelease.Workspace, asked: dprelease.Plan) -> Any:
    plan_id = workspace.plans.submit(asked)
    workspace.plans.approve(plan_id)
    return workspace.publish(plan_id)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("column", [VOTE, YES, VOTE | LEVELS], ids=["three", "two", "levels"])
@pytest.mark.parametrize("count", [0, 1, 400])
def test_answers_are_counted_as_they_arrived(
    tmp_path: Path, column: dict[str, Any], currency: Currency, count: int
) -> None:
    """And the shares are by the declared ε: e^ε / (e^ε + k − 1), 1 / (e^ε + k − 1)."""
    cells = ["false", "true"] if column is YES else VOTE["categories"]
    votes: list[Any] = [column is YES or "yes"] * count
    workspace = world(votes, column, currency)
    asked = plan(currency)
    before = workspace.preview(asked, draws=10)["votes"]
    assert [draw.value for draw in before.draws] == [before.true.value] * 10
    release = published(workspace, asked)
    table = release.tables["votes"]
    told = dict(zip([cell for (cell,) in table.axes[0].cells], table.extra["perturbed"], strict=True))
    assert told == dict.fromkeys(cells, 0) | {"true" if column is YES else "yes": count}
    p, q = exp(1) / (exp(1) + len(cells) - 1), 1 / (exp(1) + len(cells) - 1)
    shares = [1 / len(cells)] * len(cells) if not count else [(n / count - q) / (p - q) for n in told.values()]
    assert table.value == pytest.approx(shares, abs=1e-7)
    spent = workspace.populations.budget("people").spent
    assert spent == (
        replace(spent, epsilon_nano=10**9) if currency is Currency.PURE else replace(spent, rho_nano=5 * 10**8)
    )
    assert dprelease.verify(release.write(tmp_path), key=workspace.public_key).signer_known
    (mechanism,) = release.certificate.measurements[0].mechanisms
    assert mechanism.name == "arrived_response"
    (page,) = tmp_path.rglob("index.html")
    assert "changed at random before they arrived" in page.read_text()
    assert "nobody can check" in page.read_text()


def test_a_declaration_is_written_as_it_was_read() -> None:
    text = canonical(Schema.parse({"vote": VOTE}).to_mapping())
    again = Schema.parse(yaml.safe_load(yaml.safe_dump(json.loads(text))))
    assert again == Schema.parse({"vote": VOTE}) != Schema.parse({"vote": VOTE | {"randomized": None}})
    assert again["vote"].to_mapping()["randomized"] == {"method": "response", "epsilon": 1}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"count_missing_as": None}, "count_missing_as"),
        ({"other": True}, "without a cell of other values"),
        ({"categories": ["none"]}, "two or more categories"),
        ({"categories": "discover", "count_missing_as": None}, "two or more categories"),
        ({"type": "integer", "categories": None, "lower": 0, "upper": 3, "count_missing_as": 0}, "not all listed"),
        ({"type": "text", "categories": None, "count_missing_as": None}, "not all listed"),
        ({"randomized": {"method": "unary", "epsilon": 1}}, "response"),
        ({"randomized": {"method": "response"}}, "epsilon"),
        ({"randomized": {"method": "response", "epsilon": 0}}, "epsilon"),
        ({"randomized": "response"}, "randomized"),
    ],
)
def test_declarations_that_cannot_be_are_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        Schema.parse({"vote": VOTE | changed})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"epsilon": 0.5}, "epsilon of answers"),
        ({"weight": 2}, "weight of answers"),
        ({"target_error": {"value": 0.1}}, "target_error of answers"),
        ({"method": "unary"}, "method of answers"),
        ({"method": "subset"}, "method of answers"),
    ],
)
def test_what_was_decided_at_collection_is_not_decided_again(options: dict[str, Any], words: str) -> None:
    workspace = world(["yes"])
    with pytest.raises(PlanError, match=words):
        workspace.price(plan(statistics=[{"id": "votes", "kind": "survey", "column": "vote", **options}]))
    for right in ({"method": "response"}, {"epsilon": 1}, {}):
        for whole in (1, 3):
            asked = plan(epsilon=whole, statistics=[{"id": "votes", "kind": "survey", "column": "vote", **right}])
            assert workspace.price(asked).loss.epsilon_nano == 10**9


@pytest.mark.parametrize("currency", Currency)
def test_a_plan_that_cannot_pay_for_the_declared_epsilon_is_refused_and_so_is_a_ledger(currency: Currency) -> None:
    workspace = world(["yes"], currency=currency, cap=1.5 if currency is Currency.PURE else 5)
    with pytest.raises(PlanError, match="too much"):
        workspace.price(plan(currency, epsilon=0.9))
    published(workspace, plan(currency))
    with pytest.raises(InsufficientBudgetError):
        published(workspace, plan(currency))


def test_the_rest_of_a_plan_shares_what_the_answers_leave() -> None:
    """And a count of the same column is charged as that of any other: noise is added to what arrived."""
    asked = plan(
        epsilon=3,
        statistics=[
            {"id": "votes", "kind": "survey", "column": "vote"},
            {"id": "n", "kind": "histogram", "column": "vote", "weight": 3},
            {"id": "more", "kind": "count"},
        ],
    )
    price = world(["yes"] * 5).price(asked)
    assert [each.loss.epsilon_nano for each in price.measurements][:1] == [10**9]
    assert price.loss.epsilon_nano == 3 * 10**9


@pytest.mark.one_in(3)
@pytest.mark.parametrize("epsilon", [1e-9, 1e-6, 30, 1000])
@pytest.mark.parametrize("categories", [2, 1000])
def test_extreme_declarations(epsilon: float, categories: int) -> None:
    """A share is found, or the plan is refused before anything is charged."""
    column = VOTE | {
        "categories": ["yes", "none", *map(str, range(categories - 2))],
        "randomized": {"method": "response", "epsilon": epsilon},
    }
    workspace = world(["yes", "none", "yes"], column)
    release = published(workspace, plan(epsilon=epsilon))
    assert sum(release.tables["votes"].extra["perturbed"]) == 3
    assert workspace.populations.budget("people").spent.epsilon_nano == round(epsilon * 10**9)


@pytest.mark.parametrize("currency", Currency)
def test_a_certificate_that_states_less_than_was_declared_is_refused(currency: Currency) -> None:
    """Nor does one that states that the noise was made here, or an estimate by another chance."""
    price = world(["yes"], currency=currency).price(plan(currency))
    (item,), (measured,) = price.statistics, (each.stated() for each in price.measurements)
    stated = [item.stated(price.plan.schema)]
    as_stated(price.plan, [measured], stated, currency=currency)
    (mechanism,) = measured.mechanisms
    less = price.loss.of(price.loss.currency, price.loss.nano * 9 // 10)
    scale = float(1 / (less.pure_epsilon_nano / 10**9))
    forged = [
        msgspec.structs.replace(mechanism, name="randomized_response"),
        msgspec.structs.replace(mechanism, settings={**mechanism.settings, "truth": 0.55}),
        msgspec.structs.replace(mechanism, loss=StatedLoss.of(less), scale=scale),
        msgspec.structs.replace(
            mechanism, loss=StatedLoss.of(less), scale=scale, settings={**mechanism.settings, "truth": 0.4}
        ),
    ]
    for each in forged:
        with pytest.raises(IntegrityError):
            as_stated(
                price.plan,
                [msgspec.structs.replace(measured, mechanisms=(each,), loss=each.loss)],
                stated,
                currency=currency,
            )


def test_a_certificate_whose_chance_allows_less_than_was_declared_is_refused() -> None:
    """No float below 1 is the chance of ε = 1000: the declaration is charged, not what that float costs."""
    column = VOTE | {"randomized": {"method": "response", "epsilon": 1000}}
    price = world(["yes"], column).price(plan(epsilon=1000))
    stated = [price.statistics[0].stated(price.plan.schema)]
    measured = price.measurements[0].stated()
    less = StatedLoss.of(PrivacyLoss(epsilon_nano=40 * 10**9))
    mechanism = msgspec.structs.replace(measured.mechanisms[0], loss=less, scale=1 / 40)
    forged = msgspec.structs.replace(measured, mechanisms=(mechanism,), loss=less)
    with pytest.raises(IntegrityError, match="not the one that its column declares"):
        as_stated(price.plan, [forged], stated, currency=Currency.PURE)


def test_an_adversary_knows_as_much_as_of_answers_that_are_changed_here() -> None:
    here = {key: value for key, value in VOTE.items() if key != "randomized"}
    asked = plan(method="response")
    arrived, changed = world(["yes"]).attack(asked).found, world(["yes"], here).attack(asked).found
    assert arrived == changed
    assert arrived.worst.advantage == pytest.approx(tanh(1 / 2), abs=1e-8)


def test_the_terminal_prices_it_and_says_on_what_the_promise_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(yaml.safe_dump({**plan().to_mapping(), "columns": {"vote": VOTE}}))
    assert main(["price", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "Randomized response, before answers arrived" in printed
    assert "nobody can check" in printed
