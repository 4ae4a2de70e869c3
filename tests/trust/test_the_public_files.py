"""No file that is public names a person, a clock time or a version of rows, and none has a date finer than a day."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import dprelease
from dprelease.model.actor import Actor, Role
from dprelease.model.version import VERSION
from dprelease.web.alone import application
from tests.trust import world
from tests.web.conftest import ADDRESS

ADA = Actor("adawhoadministers", frozenset({Role.ADMINISTRATOR, Role.CURATOR}))
ANA = Actor("anawhowrites", frozenset({Role.CURATOR}))
REX = Actor("rexwhoapproves", frozenset({Role.REVIEWER}))
COMMENT = "a comment of a reviewer"
REASON = "a reason that was given"
TIME = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ](?!00:00:00)[0-9]{2}:[0-9]{2}|\b[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]+")


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> dprelease.Workspace:
    workspace = dprelease.Workspace.create(tmp_path_factory.mktemp("public") / "home")
    workspace.people.require_two_people()
    asked = {"unit": "person", "neighbors": "add_remove", "epsilon": 3, "actor": ANA}
    workspace.add_population("people", **asked)  # type: ignore[arg-type]
    for request in workspace.populations.requests(actor=REX):
        workspace.populations.approve_request(request.id, comment=COMMENT, actor=REX)
    workspace.add_dataset("people", world.people(), columns=world.COLUMNS, population="people", actor=ANA)
    ids: list[str] = []
    for title in ("First", "Second"):
        plan_id = workspace.plans.submit(world.plan(0.5, title), actor=ANA)
        workspace.plans.approve(plan_id, comment=COMMENT, actor=REX)
        ids.append(workspace.publish(plan_id, supersedes=ids[0] if ids else None, actor=ANA).id)
    workspace.releases.add_erratum(ids[1], "A word was wrong.", actor=ANA)
    workspace.releases.write_site(workspace.releases.folder.parent.parent / "site", actor=ANA)
    return workspace


class TestNoPublicFileTellsWhoOrWhen:
    def public(self, team: dprelease.Workspace) -> Iterator[tuple[str, bytes]]:
        """Every public file, page, feed and answer."""
        for folder in (team.releases.folder, team.releases.folder.parent.parent / "site"):
            for path in folder.rglob("*"):
                if path.is_file():
                    yield str(path), path.read_bytes()
        with TestClient(application(team.releases.folder), base_url=ADDRESS) as client:
            pages = ["/public/", "/public/es/", "/public/feed.atom", "/public/feed.json", "/public/checkpoint.json"]
            pages += ["/api/releases", "/api/checkpoint", "/api/populations/people/budget"]
            for release in team.releases.ids():
                pages += [f"/public/release/{release}/", f"/public/release/{release}/check.html"]
                pages += [f"/api/releases/{release}", f"/api/releases/{release}/notices"]
                pages += [f"/api/releases/{release}/tables/by_sex.json", f"/public/releases/{release}.zip"]
            for page in pages:
                answer = client.get(page)
                assert answer.status_code == 200, page
                yield page, answer.content

    def test_it_names_nobody_and_no_time_and_no_version_of_rows(self, team: dprelease.Workspace) -> None:
        versions = {
            str(event.body[key]).encode()
            for event in team.ledger.events(actor=REX)
            for key in ("version", "dataset_version")
            if event.kind in ("dataset_registered", "charge") and key in event.body and event.body[key] != VERSION
        }
        salts = {event.salt.encode() for event in team.ledger.events(actor=REX)}
        names = [each.name.encode() for each in (ADA, ANA, REX)]
        private = {*names, *versions, *salts, COMMENT.encode(), REASON.encode(), b"approver", b'"actor"'}
        assert len(versions) == 1
        seen = 0
        for name, data in self.public(team):
            seen += 1
            assert not [word for word in private if word in data], name
            times = TIME.findall(data.replace(b"1980-01-01", b""))
            assert not times or name.endswith((".tsr", ".zip")), (name, times)
        assert seen > 100

    def test_the_charge_shows_its_public_part(self, team: dprelease.Workspace) -> None:
        for release in team.releases.ids():
            entry = json.loads((team.releases.folder / release / "ledger.json").read_text())
            for name in ("charge", "published"):
                event = entry[name]["event"]
                assert re.fullmatch(r"\d{4}-\d\d-\d\d", event["day"])
                assert not {"at", "actor", "approver", "dataset_version"} & (event.keys() | event["facts"].keys())

    def test_every_file_and_folder_has_a_day_as_its_date(self, team: dprelease.Workspace) -> None:
        today = datetime.now(UTC).date()
        for folder in (team.releases.folder, team.releases.folder.parent.parent / "site"):
            paths: list[Path] = [folder, *folder.rglob("*")]
            for path in paths:
                date = path.stat().st_mtime_ns
                assert date % (86_400 * 10**9) == 0, path
                assert abs((datetime.fromtimestamp(date / 1e9, UTC).date() - today).days) <= 1, path
