"""The nouns of a workspace, as a notebook shows them."""

from __future__ import annotations

import pyarrow
import pytest

from dprelease import AccessError, Plan, mean
from dprelease.workspace import Workspace

HOSTILE = "<b>unit</b>"


@pytest.fixture
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    made = Workspace.in_memory()
    made.add_population("people", unit=HOSTILE, neighbors="add_remove", epsilon=3)
    return made


def test_populations_show_their_budgets(workspace: Workspace) -> None:
    assert repr(workspace.populations) == "Populations(people)"
    assert "<td>ε = 3" in workspace.populations._repr_html_()


def test_a_table_is_text(workspace: Workspace) -> None:
    assert HOSTILE not in workspace.populations._repr_html_()
    assert "&lt;b&gt;unit&lt;/b&gt;" in workspace.populations._repr_html_()


def test_a_long_list_is_cut(workspace: Workspace) -> None:
    for number in range(25):
        workspace.add_population(f"p{number:02}", unit="row", neighbors="add_remove", epsilon=1)
    assert repr(workspace.populations).endswith("and 6 more)")
    assert workspace.populations._repr_html_().count("<tr>") == 21


def test_in_a_team_nothing_is_shown_to_whoever_does_not_say_who_asks(workspace: Workspace) -> None:
    workspace.people.require_two_people()
    assert "people" not in repr(workspace.populations)
    assert "people" not in workspace.populations._repr_html_()


def test_people_show_their_roles() -> None:
    made = Workspace.in_memory()
    made.people.sign_in(made.people.invite("ana", ["reviewer", "curator"]))
    assert "ana" in repr(made.people)
    assert "<td>curator, reviewer</td>" in made.people._repr_html_()


def test_the_ledger_shows_how_often_what_happened(workspace: Workspace) -> None:
    assert "<td>population created</td><td>1</td>" in workspace.ledger._repr_html_()


def test_datasets_show_whose_privacy_they_spend(workspace: Workspace) -> None:
    table = pyarrow.table({"age": [1, 2]})
    columns = {"age": {"type": "integer", "lower": 0, "upper": 9}}
    workspace.add_dataset("ages", table, population="people", columns=columns)
    assert repr(workspace.datasets) == "Datasets(ages)"
    assert "<td>ages</td><td>people</td><td>1</td>" in workspace.datasets._repr_html_()
    assert repr(workspace.datasets.uploads) == "Uploads()"


def test_releases_are_public_in_a_team_too(workspace: Workspace) -> None:
    workspace.people.require_two_people()
    assert repr(workspace.releases) == "Releases()"
    assert "<th>title</th>" in workspace.releases._repr_html_()


def test_plans_and_drafts_show_their_names(workspace: Workspace) -> None:
    workspace.add_dataset("ages", pyarrow.table({"age": [1, 2]}), population="people")
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    plan = {"dprelease": 1, "title": "Ages", "dataset": "ages", "privacy": privacy}
    plan_id = workspace.plans.submit(Plan.parse({**plan, "statistics": [{"id": "n", "kind": "count"}]}))
    workspace.plans.drafts.save({}, name="mine")
    assert repr(workspace.plans) == f"Plans({plan_id})"
    assert "<td>Ages</td><td>ages</td><td>submitted</td>" in workspace.plans._repr_html_()
    assert repr(workspace.plans.drafts) == "Drafts(mine)"


def test_the_workspace_shows_its_nouns(workspace: Workspace) -> None:
    assert repr(workspace) == "Workspace(in memory, solo, 0 releases)"
    assert "<td>Populations(people)</td>" in workspace._repr_html_()
    workspace.people.require_two_people()
    assert "people" not in workspace._repr_html_()


def test_a_noun_is_asked_by_name_and_gone_through(workspace: Workspace) -> None:
    assert workspace.populations["people"].unit == HOSTILE
    assert ([each.name for each in workspace.populations], len(workspace.populations)) == (["people"], 1)
    assert "people" in workspace.populations
    assert "nobody" not in workspace.populations
    assert workspace.populations._ipython_key_completions_() == ["people"]
    assert (len(workspace.plans), list(workspace.releases), bool(workspace.runs)) == (0, [], True)
    assert [each.kind for each in workspace.ledger][-1] == "population_created"
    with pytest.raises(KeyError, match="Did you mean 'people'"):
        workspace.populations["peopel"]


@pytest.mark.parametrize("noun", ["datasets", "plans", "releases", "runs", "people", "calendar", "embargoes"])
def test_an_unknown_name_is_no_key(workspace: Workspace, noun: str) -> None:
    with pytest.raises(KeyError, match="nothing"):
        getattr(workspace, noun)["nothing"]


def test_in_a_team_nothing_is_counted_for_whoever_does_not_say_who_asks(workspace: Workspace) -> None:
    workspace.people.require_two_people()
    for look in (len, list):
        with pytest.raises(AccessError):
            look(workspace.populations)
    assert workspace.populations._ipython_key_completions_() == []


def test_registered_columns_ask_for_statistics(workspace: Workspace) -> None:
    columns = {"age": {"type": "integer", "lower": 0, "upper": 9}}
    workspace.add_dataset("old", pyarrow.table({"age": [1, 2]}), population="people", columns=columns)
    asked = workspace.datasets["old"].columns
    assert dir(asked) == ["age"]
    assert mean(asked.age).column == "age"
