"""Whoever registers rows again that are those before is asked, and nobody else can ever tell."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.errors import AccessError, InputError
from dprelease.model.reading import Format, Reading
from tests.cli.conftest import Terminal, empty, terminal
from tests.trust import world

__all__ = ["empty", "terminal"]
ASKED = "the bytes that are registered already"
OTHERS = {
    "in another order": world.people().iloc[::-1],
    "with one cell changed": world.people().assign(age=[99, *world.people()["age"][1:]]),
    "with a row left out": world.people().iloc[1:],
    "with a row twice": pandas.concat([world.people(), world.people()[:1]]),
    "with another column": world.people().assign(more=1),
    "without rows": world.people()[:0],
}
RANDOM = re.compile(r"(?<=[\"\-:])[0-9a-f]{8,}|\d{4}-\d\d-\d\dT[\d:.]+Z")
"""Ids, versions, hashes, keys and signatures, and moments."""


def csv(folder: Path, rows: pandas.DataFrame) -> Path:
    path = folder / "month.csv"
    rows.to_csv(path, index=False)
    return path


def tables(workspace: dprelease.Workspace) -> int:
    assert workspace.home is not None
    return len(list((workspace.home / "private" / "tables").iterdir()))


@pytest.fixture(params=["on disk", "in memory"])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> dprelease.Workspace:
    return world.solo(tmp_path / "home" if request.param == "on disk" else None, epsilon=3)


def test_the_same_frame_is_asked_about_before_anything_happens(workspace: dprelease.Workspace) -> None:
    published = world.approved(workspace, world.plan())
    events, dataset = workspace.ledger.events(), workspace.datasets.get("people")
    with pytest.raises(InputError, match=ASKED) as asked:
        workspace.datasets.replace_rows("people", world.people())
    for remedy in ("charged again", "--same-rows", "same=True"):
        assert remedy in str(asked.value)
    assert (workspace.ledger.events(), workspace.datasets.get("people")) == (events, dataset)
    assert workspace.publish(published).id, "the rows before are still there"
    workspace.datasets.replace_rows("people", world.people(), same=True)
    assert workspace.datasets.get("people").version != dataset.version
    world.publish(workspace)
    assert workspace.populations.budget("people").charges == 2


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rows", OTHERS)
def test_other_rows_need_no_answer(workspace: dprelease.Workspace, rows: str) -> None:
    if workspace.home is None and rows == "in another order":
        pytest.skip("rows in memory have no order")
    workspace.datasets.replace_rows("people", OTHERS[rows])
    with pytest.raises(InputError, match=ASKED):
        workspace.datasets.replace_rows("people", OTHERS[rows])
    workspace.datasets.replace_rows("people", world.people())


def test_the_same_file_under_another_name_is_the_same(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="came in no file so far"):
        workspace.datasets.replace_rows("people", csv(tmp_path, world.people(90)))
    text = Reading(format=Format.TEXT)
    workspace.datasets.replace_rows("people", csv(tmp_path, world.people(90)), reading=text)
    renamed = csv(tmp_path, world.people(90)).rename(tmp_path / "december.csv")
    with pytest.raises(InputError, match=ASKED):
        workspace.datasets.replace_rows("people", renamed)
    workspace.datasets.replace_rows("people", csv(tmp_path, world.people(93)))
    workspace.datasets.replace_rows("people", renamed)


def test_a_refused_upload_stays_and_a_refused_table_does_not(tmp_path: Path) -> None:
    workspace = world.solo(tmp_path / "home")
    content = csv(tmp_path, world.people(90)).read_bytes()
    workspace.datasets.replace_rows("people", workspace.datasets.uploads.stage("a.csv", io.BytesIO(content)))
    upload = workspace.datasets.uploads.stage("b.csv", io.BytesIO(content))
    with pytest.raises(InputError, match=ASKED):
        workspace.datasets.replace_rows("people", upload)
    with pytest.raises(InputError, match=ASKED):
        workspace.datasets.replace_rows("people", tmp_path / "month.csv")
    assert (tables(workspace), workspace.datasets.uploads.find()) == (1, [upload])
    workspace.datasets.replace_rows("people", upload, same=True)
    assert (tables(workspace), workspace.datasets.uploads.find()) == (1, [])


def test_nothing_is_kept_of_a_deleted_table(workspace: dprelease.Workspace) -> None:
    workspace.datasets.delete_table("people")
    workspace.datasets.replace_rows("people", world.people())


def test_nothing_but_random_ids_tells_the_same_rows_from_others(tmp_path: Path) -> None:
    """Of what a reviewer can ask for (an administrator sees no event), and of public files but for what is drawn."""
    seen = []
    for number, rows in enumerate((world.people(), world.people().assign(age=77))):
        workspace = _team(tmp_path / str(number))
        maria, jonas = workspace.people.get("maria"), workspace.people.get("jonas")
        before = world.contents(workspace.releases.folder)
        workspace.datasets.replace_rows("people", rows, same=True, actor=maria)
        assert world.contents(workspace.releases.folder) == before
        plan_id = workspace.plans.submit(world.plan(), actor=maria)
        under_review = workspace.plans.review(plan_id, actor=jonas)
        told = [*map(asdict, under_review.findings), *map(asdict, under_review.changes)]
        told += [workspace.plans.lapse(plan_id, actor=jonas), *map(asdict, workspace.plans.find(actor=jonas))]
        workspace.plans.approve(plan_id, actor=jonas)
        release = workspace.publish(plan_id, actor=maria)
        told += [event.to_mapping() for event in workspace.ledger.events(actor=jonas)]
        certificate = release.certificate.to_mapping()
        del certificate["statements"]  # of what is drawn
        told += [workspace.datasets.get("people", actor=jonas).version, certificate]
        public = world.contents(workspace.releases.folder)
        public = {name: data for name, data in public.items() if "charts/lead-" not in name}  # one where noise lets say
        for each in workspace.releases.find(actor=jonas):
            told += [name for name in public if each.id in name]
            told += [json.loads(public[f"{each.id}/ledger.json"])]
        told += [json.loads(public["checkpoint.json"]), len(public)]
        (table,) = (tmp_path / str(number) / "home" / "private" / "tables").iterdir()
        assert hashlib.sha256(table.read_bytes()).hexdigest() not in str(told)
        seen.append(_masked(told))
    assert "rows_replaced" in seen[0]
    assert seen[0] == seen[1]


def test_who_may_not_replace_rows_is_told_nothing_of_them(tmp_path: Path) -> None:
    workspace, said = _team(tmp_path), []
    for rows in (world.people(), world.people(90)):
        for name in ("jonas", "lena"):
            with pytest.raises(AccessError) as refused:
                workspace.datasets.replace_rows("people", rows, actor=workspace.people.get(name))
            said.append(str(refused.value))
    assert said[:2] == said[2:]


def test_a_terminal_asks_and_a_job_has_answered(terminal: Terminal) -> None:
    first = terminal.ask("publish", terminal.plan())
    kinds = terminal.kinds()
    words = terminal.refused("dataset", "replace", "visits", terminal.table())
    assert ASKED in words
    assert "charged again" in words
    assert terminal.kinds() == kinds
    for rows in (3, 4, 4):
        terminal.ask("release", "resume")
        terminal.ask("dataset", "replace", "visits", terminal.table(rows), "--same-rows")
    assert first["release"]


def _team(folder: Path) -> dprelease.Workspace:
    """With maria, a curator, jonas, a reviewer, lena, an administrator, and one release."""
    workspace = world.solo(folder / "home", epsilon=3)
    world.publish(workspace)
    for name, roles in (("maria", ["curator"]), ("jonas", ["reviewer"]), ("lena", ["administrator"])):
        workspace.people.sign_in(workspace.people.invite(name, roles))
    workspace.people.require_two_people()
    return workspace


def _masked(told: list[Any]) -> str:
    """Each random word by the order in which it comes."""
    seen: dict[str, str] = {}
    text = json.dumps(told, default=lambda each: dict(each) if isinstance(each, Mapping) else str(each))
    return RANDOM.sub(lambda found: seen.setdefault(found[0], f"#{len(seen)}"), text)
