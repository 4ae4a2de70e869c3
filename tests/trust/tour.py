"""A workspace in which everything has happened once that a ledger can tell of."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas
import pyotp
import pytest

import dprelease
from dprelease.errors import AccessError, InsufficientBudgetError
from dprelease.model.actor import Actor
from dprelease.store.remote import RepeatableRequest
from dprelease.workspace import publish as publishing
from tests.trust import world
from tests.trust.world import approved, people, plan, publish

LONG = "a password that is long"

SAID: dict[str, Any] = {"encoding": "utf-8", "delimiter": ",", "header": 1, "units": False}
"""How a file is read, where nothing is detected of its rows."""


def make(folder: Path) -> dprelease.Workspace:
    """In a team, whose curator is maria and whose reviewer jonas; one release is charged and not published."""
    home, outside = folder / "home", folder / "outside.json"
    workspace = _alone(home)
    _recurring(workspace)
    workspace.ledger.backup(folder / "earlier")
    publish(workspace, 0.5, "Lost")
    outside.write_text(json.dumps(workspace.ledger.checkpoint().to_mapping()))
    shutil.rmtree(home)
    dprelease.Workspace.restore(folder / "earlier", home)
    workspace = dprelease.Workspace.open(home, checkpoint=str(outside))
    _together(workspace)
    _interrupted(workspace)
    return workspace


def _alone(home: Path) -> dprelease.Workspace:
    workspace = world.solo(home, epsilon=4)
    workspace.datasets.describe("people", world.COLUMNS | {"age": {"type": "integer", "lower": 18, "upper": 100}})
    workspace.datasets.reading("people", columns=["age"])
    workspace.preview(plan(0.25, "Ages"), draws=1)
    looked = plan(0.25, "Ages")
    workspace.plans.swept(looked, statistic=looked.statistics[0].id, least=0.1, most="0.25", looks=3)
    workspace.plans.set_preview_policy("blind")
    first = publish(workspace, 0.25, "Ages")
    too_much = approved(workspace, plan(3.6, "Too much"))  # there is room for it until the next one is charged
    workspace.publish(approved(workspace, plan(0.25, "Ages, corrected")), supersedes=first.id)
    workspace.releases.add_erratum(first.id, "The title should say 2025.")
    workspace.releases.register_doi(first.id, "10.5072/dpr.1a2b3c4d")
    with pytest.raises(InsufficientBudgetError):
        workspace.publish(too_much)
    workspace.populations.declare_earlier_releases("people", ["Yearbook 2019, tables 3 to 7"])
    in_rho: dict[str, Any] = {"delta": 1e-6, "currency": "zcdp", "discovers": False}
    workspace.add_population("staff", unit="person", neighbors="add_remove", epsilon=1, **in_rho)
    workspace.populations.attest_overlap("staff", "people", "some")
    workspace.add_dataset(
        "staff", _numbered(30), population="staff", columns=world.COLUMNS, unit_column="number", unit_codes=[-1]
    )
    workspace.datasets.replace_rows("staff", _numbered(33))
    _numbered(36).to_csv(home / "staff.csv", index=False)
    workspace.datasets.replace_rows("staff", home / "staff.csv", reading=SAID)
    workspace.datasets.delete_table("staff")
    workspace.ledger.rotate_key()
    return workspace


def _numbered(rows: int) -> Any:
    return people(rows).assign(number=range(rows))


def _recurring(workspace: dprelease.Workspace) -> None:
    """A run whose first edition is published, whose second is given up, and that is ended."""
    columns = {"day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"}}
    table = pandas.DataFrame({"day": [date(2025, 1 + row % 3, 1) for row in range(30)]})
    workspace.add_dataset("births", table, columns=columns, epsilon=1)
    run = {"column": "day", "every": "month", "first": "2025-01", "last": "2025-03", "at_most": 1}
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    asked = {"dprelease": 1, "dataset": "births", "run": run, "privacy": privacy}
    workspace.runs.open(dprelease.Plan.parse({**asked, "statistics": [{"id": "births", "kind": "count"}]}))
    workspace.runs.publish("births")
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(publishing, "draw", lambda *_: pytest.fail("the power went"))
        with pytest.raises(pytest.fail.Exception):
            workspace.runs.publish("births")
    workspace.runs.abandon("births", "2025-02", "rows_late")
    workspace.runs.end("births", "stopped")


def _together(workspace: dprelease.Workspace) -> None:
    invited = {"maria": ["curator"], "jonas": ["reviewer"], "lena": ["reviewer"], "nora": ["administrator"]}
    sessions = {name: workspace.people.sign_in(workspace.people.invite(name, roles)) for name, roles in invited.items()}
    _doors(workspace)
    workspace.people.require_two_people()
    maria, jonas = workspace.people.get("maria"), workspace.people.session_actor(sessions["jonas"])
    assert jonas is not None
    assert not workspace.ledger.accept("The disk died on Monday.", actor=maria).accepted
    assert workspace.ledger.accept("The disk died on Monday.", actor=jonas).accepted
    workspace.populations.raise_cap("people", epsilon=5, reason="Asked for by the board.", actor=maria)
    request = workspace.populations.requests(actor=jonas)[-1].id
    with pytest.raises(AccessError):
        workspace.populations.approve_request(request, actor=maria)
    workspace.populations.approve_request(request, comment="Agreed.", actor=jonas)
    workspace.populations.open_period("people", "2027", epsilon=3, reason="A new year.", actor=maria)
    workspace.populations.approve_request(
        workspace.populations.requests(actor=jonas)[-1].id, comment="Agreed.", actor=jonas
    )
    workspace.add_population("visitors", unit="person", neighbors="add_remove", epsilon=1, actor=maria)
    workspace.populations.raise_cap("staff", epsilon=90, reason="More.", actor=maria)
    workspace.populations.return_request(
        workspace.populations.requests(actor=jonas)[-1].id, comment="What for?", actor=jonas
    )
    workspace.populations.attest_overlap("staff", "people", "none", actor=maria)
    asked = workspace.populations.requests(actor=jonas)[-1].id
    nora = workspace.people.get("nora")
    workspace.populations.compare_rows("staff", "people", actor=nora)
    workspace.populations.confirm_overlap(asked, actor=nora)
    plan_id = workspace.plans.submit(plan(0.5, "By sex"), actor=maria)
    with pytest.raises(AccessError):
        workspace.plans.approve(plan_id, actor=maria)
    workspace.plans.delegate(plan_id, "lena", comment="You know it better.", actor=jonas)
    workspace.plans.return_plan(plan_id, comment="Of which year?", remarks={"by_sex": "Why?"}, actor=jonas)
    plan_id = workspace.plans.submit(plan(0.5, "By sex, 2027"), actor=maria)
    *_, why = workspace.plans.remarks(plan_id, actor=maria)
    workspace.plans.answer(plan_id, why.id, text="For the board.", actor=maria)
    workspace.plans.settle(plan_id, why.id, actor=jonas)
    workspace.plans.remark(plan_id, on="by_sex", text="Fine so.", actor=jonas)
    workspace.plans.approve(plan_id, comment="Fine.", actor=jonas)
    workspace.publish(plan_id, actor=maria)
    workspace.datasets.open_to_analysts("people", actor=maria)
    secret = workspace.people.create_token("monthly", profile="publish", dataset="people", actor=maria)[1]
    request, program = RepeatableRequest("a" * 64, "b" * 64), workspace.people.token_actor(secret)
    at_a_distance = workspace.remote.submit(plan(0.125, "At a distance"), request=request, actor=program)[0]["plan"]
    said = workspace.plans.remark(at_a_distance, text="Why?", actor=jonas)
    workspace.remote.answer(at_a_distance, said.id, "For the board.", request=replace(request, key="c"), actor=program)
    _embargoed(workspace, maria, jonas)


def _embargoed(workspace: dprelease.Workspace, maria: Actor, jonas: Actor) -> None:
    """One release is seen before its hour, moved, and opened early; another is cancelled."""
    hours = ("2090-01-15T09:00:00+01:00", "2090-02-01T09:00:00+01:00")
    for title in ("Early", "Never"):
        plan_id = workspace.plans.submit(plan(0.25, title), actor=maria)
        workspace.plans.approve(plan_id, actor=jonas)
        readers = [{"name": "lena", "office": "Ministry", "from": "2090-01-15T08:00:00+01:00"}]
        release_id = workspace.publish(plan_id, due=hours[0], readers=readers, actor=maria).id
        workspace.embargoes.see(release_id, actor=maria)
        for person in (maria, jonas):
            if title == "Never":
                workspace.embargoes.cancel(release_id, reason="The wrong year.", actor=person)
            else:
                workspace.embargoes.move(release_id, hours[1], reason="A table was late.", actor=person)
    for person in (maria, jonas):
        workspace.embargoes.open_now(
            workspace.embargoes.find(actor=maria)[0].id, reason="The board asked.", actor=person
        )


def _doors(workspace: dprelease.Workspace) -> None:
    """Sessions, passwords, tokens and roles of somebody who leaves again."""
    workspace.people.invite("karl", ["curator"])
    karl = workspace.people.get("karl")
    workspace.people.set_password(LONG, actor=karl)
    workspace.people.sign_out(workspace.people.sign_in_by_password("karl", LONG))
    with pytest.raises(AccessError):
        workspace.people.sign_in_by_password("karl", "another")
    workspace.people.note_failed_visit()
    workspace.people.sign_in_by_password("karl", LONG)
    workspace.people.revoke_session(workspace.people.sessions("karl")[0].id, of="karl")
    token, secret = workspace.people.create_token("nightly", operations=["ledger"], actor=karl)
    workspace.people.token_actor(secret)
    workspace.people.revoke_token(token.id, actor=karl)
    _second_factor(workspace, karl)
    workspace.people.set_roles("karl", ["reviewer"])
    workspace.people.disable("karl")
    workspace.people.enable("karl")
    workspace.people.reset("karl")
    workspace.people.disable("karl")


def _second_factor(workspace: dprelease.Workspace, karl: Actor) -> None:
    """Turned on, asked for, its recovery codes used and made anew, and off; lena keeps hers."""
    lena = workspace.people.get("lena")
    workspace.people.set_password(LONG, actor=lena)
    for person in (karl, lena):
        secret = workspace.people.prepare_second_factor(actor=person).secret
        codes = workspace.people.turn_on_second_factor(LONG, pyotp.TOTP(secret).now(), actor=person)
        workspace.people.sign_in_by_code(workspace.people.sign_in_by_password(person.name, LONG), codes[0])
        codes = workspace.people.renew_recovery_codes(LONG, codes[1], actor=person)
    workspace.people.turn_off_second_factor(LONG, codes[0], actor=lena)
    secret = workspace.people.prepare_second_factor(actor=lena).secret
    workspace.people.turn_on_second_factor(LONG, pyotp.TOTP(secret).now(), actor=lena)
    workspace.people.require_second_factor(["administrator"])


def _interrupted(workspace: dprelease.Workspace) -> None:
    maria, jonas = workspace.people.get("maria"), workspace.people.get("jonas")
    plan_id = workspace.plans.submit(plan(0.25, "Interrupted"), actor=maria)
    workspace.plans.approve(plan_id, actor=jonas)
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(publishing, "draw", lambda *_: pytest.fail("the power went"))
        with pytest.raises(pytest.fail.Exception):
            workspace.publish(plan_id, actor=maria)
