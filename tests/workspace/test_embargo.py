"""A release that is sealed until its hour: public then, whole, and nothing of it before."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import AccessError, InputError
from dprelease.model import instant
from dprelease.model.actor import PUBLIC
from dprelease.store.event import EventKind
from dprelease.words import NOTHING
from dprelease.workspace import publish as publishing
from dprelease.workspace.keys import Keys
from tests.trust import world
from tests.trust.faults import FORK
from tests.trust.world import approved, contents, plan, publish

DUE = "2090-01-15T09:00:00+01:00"
OFFICE = {"name": {"en": "Office"}, "time_zone": "Europe/Madrid"}
At = Callable[[str], None]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def workspace(home: Path) -> dprelease.Workspace:
    return world.solo(home, epsilon=4)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> At:
    """Sets the clock."""

    def sets(time: str) -> None:
        moment = datetime.fromisoformat(time).astimezone(UTC)
        monkeypatch.setattr(instant, "present", lambda: moment)

    return sets


def seal(workspace: dprelease.Workspace, title: str = "Secret", **said: Any) -> str:
    return workspace.publish(approved(workspace, plan(0.5, title, charts=False)), **{"due": DUE, **said}).id


def entries(home: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((home / "public" / "calendar.json").read_text())["statement"]["entries"]
    return found


def _no_key(*_: object) -> None:
    raise InputError("key", found="none", allowed=NOTHING)


def team(workspace: dprelease.Workspace) -> dict[str, Any]:
    roles = {"maria": ["curator"], "jonas": ["reviewer"], "lena": ["reviewer"], "nora": ["administrator"]}
    for name, own in roles.items():
        workspace.people.invite(name, own)
    workspace.people.require_two_people()
    return {name: workspace.people.get(name) for name in roles}


def test_a_sealed_release_changes_nothing_public_but_account_and_calendar(
    workspace: dprelease.Workspace, home: Path
) -> None:
    publish(workspace, 0.25, "Out")
    before = contents(home / "public")
    release_id = seal(workspace)
    after = contents(home / "public")
    assert {name for name in after if after[name] != before.get(name)} == {"checkpoint.json", "calendar.json"}
    assert not before.keys() - after.keys()
    assert not [name for name, data in after.items() if release_id.encode() in data or release_id in name]
    assert (home / "embargoed").stat().st_mode & 0o777 == 0o700
    assert dprelease.verify(home / "embargoed" / release_id, key=workspace.public_key, pictures=False)
    told = json.loads(after["calendar.json"])["statement"]
    assert told["held"] == [
        {"population": "people", "loss": {"delta_atto": 0, "epsilon_nano": 500_000_000}, "releases": 1}
    ]
    (line,) = told["entries"]
    assert line.keys() == {"uid", "title", "when", "state", "sealed", "sequence", "changed"}
    assert (line["title"], line["when"], line["state"]) == ({"en": "Secret"}, DUE, "confirmed")
    assert len(release_id.rpartition("-")[2]) == 10


def test_the_public_account_tells_of_it_before_a_row_is_read(
    workspace: dprelease.Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Any] = []

    def looks(*_: object) -> None:
        told = {name: json.loads((home / "public" / f"{name}.json").read_text()) for name in ("checkpoint", "calendar")}
        found.append((told["checkpoint"]["checkpoint"]["populations"][0]["charges"], told["calendar"]["statement"]))
        raise InputError("rows", found="none", allowed=NOTHING)

    monkeypatch.setattr(publishing, "scanned", looks)
    with pytest.raises(InputError):
        seal(workspace)
    (charges, statement) = found[0]
    assert charges == 1
    assert [each["releases"] for each in statement["held"]] == [1]
    assert [each["when"] for each in statement["entries"]] == [DUE]


def test_whether_it_met_its_criteria_shows_nowhere_before_its_hour(
    workspace: dprelease.Workspace, home: Path, at: At
) -> None:
    told, names = [], {}
    for title, most in (("Fails", {"relative_error": 0.0001}), ("Holds", {"error": 1000})):
        asked = plan(0.25, title, charts=False, accept=[{"statistic": "by_sex", **most}])
        before = workspace.ledger.count()
        names[title] = workspace.publish(approved(workspace, asked), due=DUE).id
        files = {name: len(data) for name, data in contents(home / "public").items() if name != "calendar.json"}
        told.append((workspace.ledger.count() - before, files.keys()))
    assert told[0] == told[1]
    lines = entries(home)
    assert [each.keys() for each in lines] == [lines[0].keys()] * 2
    at(DUE)
    assert workspace.embargoes.open_due() == list(names.values()), "both, in the order of the ledger"
    assert workspace.releases.get(names["Fails"]).is_withheld
    assert not workspace.releases.get(names["Holds"]).is_withheld


def test_the_title_can_be_kept_out_of_the_calendar(workspace: dprelease.Workspace, home: Path) -> None:
    seal(workspace, untitled=True)
    assert b"Secret" not in b"".join(contents(home / "public").values())
    assert [line["when"] for line in entries(home)] == [DUE]


def test_nobody_finds_it_by_asking_the_workspace(workspace: dprelease.Workspace) -> None:
    release_id = seal(workspace)
    assert workspace.releases.find(actor=PUBLIC) == []
    assert (workspace.releases.count(actor=PUBLIC), workspace.releases.ids(actor=PUBLIC)) == (0, [])
    words = []
    for each in (release_id, "secret-0123456789"):
        with pytest.raises(InputError) as refused:
            workspace.releases.get(each, actor=PUBLIC)
        words.append(str(refused.value).replace(each, "ID"))
    assert words[0] == words[1]
    with pytest.raises(InputError):
        workspace.releases.add_erratum(release_id, "wrong")


def test_it_opens_at_its_hour_once_and_says_when(workspace: dprelease.Workspace, home: Path, at: At) -> None:
    old = publish(workspace, 0.25, "Old")
    release_id = seal(workspace, supersedes=old.id)
    sealed = contents(home / "embargoed" / release_id)
    assert workspace.releases.notices(old.id) == []
    at("2090-01-15T08:59:59+01:00")
    assert workspace.embargoes.open_due() == []
    at("2090-01-15T09:12:40+01:00")
    assert workspace.embargoes.open_due() == [release_id]
    assert workspace.embargoes.open_due() == []
    assert contents(home / "public" / release_id) == sealed
    assert list((home / "embargoed").iterdir()) == []
    (line,) = entries(home)
    assert (line["state"], line["release"], line["opened"]) == ("out", release_id, "2090-01-15T09:12:40+01:00")
    assert workspace.calendar.find()[0].late == 12
    assert [each.superseded_by for each in workspace.releases.notices(old.id)] == [release_id]
    assert [each.body["late"] for each in workspace.ledger.events(kinds=[EventKind.OPENED])] == [12]
    assert workspace.ledger.verify() == workspace.ledger.count()
    assert workspace.releases.get(release_id).certificate.hour == DUE


def test_a_server_that_was_down_opens_it_at_its_start(workspace: dprelease.Workspace, home: Path, at: At) -> None:
    release_id = seal(workspace)
    at("2090-01-16T00:00:00+01:00")
    again = dprelease.Workspace.open(home)
    again.releases.resume()
    assert again.releases.ids() == [release_id]
    assert again.embargoes.keep() > 1


def test_a_clock_that_was_put_back_waits_and_says_so(
    workspace: dprelease.Workspace, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    release_id = seal(workspace, due=(datetime.now(UTC) + timedelta(hours=1)).isoformat(timespec="seconds"))
    ahead = datetime.now(UTC) + timedelta(days=2)
    with monkeypatch.context() as clock:
        clock.setattr("dprelease.store.ledger.timestamp", lambda: ahead.strftime("%Y-%m-%dT%H:%M:%S.000000Z"))
        approved(workspace, plan(0.25, "Another"))
    at((datetime.now(UTC) + timedelta(days=1)).isoformat())
    assert workspace.embargoes.open_due() == []
    behind = workspace.embargoes.waits_for_clock()
    assert behind is not None
    assert behind[:10] == ahead.date().isoformat()
    at((datetime.now(UTC) + timedelta(days=3)).isoformat())
    assert workspace.embargoes.open_due() == [release_id]


def test_it_opens_without_key_or_table(
    workspace: dprelease.Workspace, home: Path, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has to be signed follows when there is a key again."""
    release_id = seal(workspace)
    (home / "private" / "tables").rename(home / "away")
    at(DUE)
    with monkeypatch.context() as broken:
        for name in ("sign", "sign_statement"):
            broken.setattr(Keys, name, _no_key)
        with pytest.raises(InputError):
            workspace.embargoes.open_due()
    assert dprelease.verify(home / "public" / release_id, key=workspace.public_key, pictures=False)
    assert [line["state"] for line in entries(home)] == ["confirmed"]
    dprelease.Workspace.open(home).releases.resume()
    assert [line["state"] for line in entries(home)] == ["out"]


@pytest.mark.parametrize(
    ("due", "words"),
    [
        ("2020-01-15T09:00+01:00", "is past"),
        ("tomorrow", "with its offset"),
        ("2090-01-15T09:00", "time zone"),
    ],
)
def test_an_hour_that_cannot_be_meant_is_refused_and_spends_nothing(
    workspace: dprelease.Workspace, due: str, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        seal(workspace, due=due)
    assert workspace.populations.budget("people").charges == 0
    assert workspace.calendar.find() == []


@pytest.mark.parametrize(
    "said", [{"untitled": True}, {"readers": [{"name": "lena", "from": "2030-01-01T00:00+01:00"}]}], ids=str
)
def test_who_reads_before_and_the_calendar_are_nothing_without_an_hour(
    workspace: dprelease.Workspace, said: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match=r"^due: "):
        seal(workspace, due=None, **said)
    assert workspace.populations.budget("people").charges == 0


def test_a_local_time_is_of_the_offices_zone_unless_daylight_saving_skips_or_doubles_it(
    workspace: dprelease.Workspace,
) -> None:
    workspace.releases.set_office(OFFICE)
    for due, words in (("2030-03-31T02:30", "skips"), ("2030-10-27T02:30", "twice")):
        with pytest.raises(InputError, match=words) as refused:
            seal(workspace, due=due)
        assert "+01:00" in str(refused.value)
        assert "+02:00" in str(refused.value)
    seal(workspace, due="2030-07-01T09:00")
    assert [each.due for each in workspace.embargoes.find()] == ["2030-07-01T09:00:00+02:00"]


def test_in_memory_nothing_can_wait() -> None:
    with pytest.raises(InputError, match="memory"):
        seal(world.solo())


def test_it_is_moved_brought_forward_opened_and_cancelled_with_a_reason(
    workspace: dprelease.Workspace, home: Path, at: At
) -> None:
    first, second = seal(workspace), seal(workspace, "Other")
    workspace.embargoes.move(first, "2090-02-01T09:00:00+01:00", reason="A table was late.")
    (line,) = [line for line in entries(home) if line["title"]["en"] == "Secret"]
    told = (line["state"], line["when"], line["was"], line["reason"], line["sequence"])
    assert told == ("postponed", "2090-02-01T09:00:00+01:00", [DUE], "A table was late.", 1)
    workspace.embargoes.see(second)
    workspace.embargoes.cancel(second, reason="The wrong year.")
    (line,) = [line for line in entries(home) if line["title"]["en"] == "Other"]
    assert (line["state"], line["reason"], line["seen"]) == ("cancelled", "The wrong year.", 1)
    assert line["sealed"] == datetime.now(UTC).date().isoformat()
    assert not (home / "embargoed" / second).exists()
    spent = workspace.populations.budget("people").spent.epsilon
    assert spent == 1, "what was charged stays charged"
    with pytest.raises(InputError):
        workspace.embargoes.open_now(second, reason="After all.")
    workspace.embargoes.open_now(first, reason="It was leaked.")
    assert workspace.releases.ids() == [first]
    at("2091-01-01T00:00:00+00:00")
    assert workspace.embargoes.open_due() == []
    assert workspace.ledger.verify() == workspace.ledger.count()


def test_once_its_hour_has_come_nothing_holds_it_back(workspace: dprelease.Workspace, at: At) -> None:
    release_id = seal(workspace)
    at(DUE)
    with pytest.raises(InputError):
        workspace.embargoes.cancel(release_id, reason="Too late.")
    assert workspace.embargoes.open_due() == [release_id]


def test_in_a_team_a_second_person_says_the_same(workspace: dprelease.Workspace) -> None:
    people = team(workspace)
    maria, jonas, lena = people["maria"], people["jonas"], people["lena"]
    plan_id = workspace.plans.submit(plan(0.5, "Secret"), actor=maria)
    workspace.plans.approve(plan_id, actor=jonas)
    release_id = workspace.publish(plan_id, due=DUE, actor=maria).id
    later = "2090-02-01T09:00:00+01:00"
    for _ in range(2):
        asked = workspace.embargoes.move(release_id, later, reason="Late.", actor=maria)
        assert asked.due == DUE
    assert asked.asked[0]["by"] == "maria"
    workspace.embargoes.cancel(release_id, reason="Never.", actor=lena)  # which is not the same
    assert workspace.embargoes.find(actor=maria)[0].due == DUE
    assert workspace.embargoes.move(release_id, later, reason="Agreed.", actor=lena).due == later
    workspace.embargoes.open_now(release_id, reason="Now.", actor=lena)
    with pytest.raises(AccessError):
        workspace.embargoes.open_now(release_id, reason="Now.", actor=maria)
    workspace.embargoes.open_now(release_id, reason="Now.", actor=jonas)
    assert workspace.releases.ids() == [release_id]
    assert workspace.ledger.verify(actor=jonas) == workspace.ledger.count(actor=jonas)


def test_who_sees_it_before_stands_in_the_ledger_once_and_in_the_calendar_afterwards(
    workspace: dprelease.Workspace, home: Path, at: At
) -> None:
    people = team(workspace)
    maria, jonas, lena, nora = people.values()
    plan_id = workspace.plans.submit(plan(0.5, "Secret"), actor=maria)
    workspace.plans.approve(plan_id, actor=jonas)
    early = [{"name": "nora", "office": "Ministry", "from": "2090-01-15T08:00:00+01:00"}]
    with pytest.raises(InputError, match="24"):
        workspace.publish(plan_id, due=DUE, readers=[early[0] | {"from": "2090-01-13T08:00:00+01:00"}], actor=maria)
    release_id = workspace.publish(plan_id, due=DUE, readers=early, actor=maria).id
    for stranger in (lena, nora):
        with pytest.raises(InputError):
            workspace.embargoes.see(release_id, actor=stranger)
    with pytest.raises(AccessError):
        workspace.embargoes.see(release_id, actor=PUBLIC)
    at("2090-01-15T08:00:00+01:00")
    for person in (maria, jonas, nora, nora):
        assert (workspace.embargoes.see(release_id, actor=person) / "index.html").is_file()
    seen = workspace.ledger.events(kinds=[EventKind.SEEN_BEFORE], actor=jonas)
    assert [each.actor for each in seen] == ["maria", "jonas", "nora"]
    at(DUE)
    workspace.embargoes.open_due(actor=maria)
    (line,) = entries(home)
    assert (line["seen"], line["seen_from"]) == (3, seen[0].at)
    assert b"nora" not in b"".join(contents(home / "public").values())


def test_a_backup_holds_what_it_is_made_of_and_a_restored_copy_opens_the_same_bytes(
    workspace: dprelease.Workspace, home: Path, tmp_path: Path, at: At
) -> None:
    release_id = seal(workspace)
    workspace.ledger.backup(tmp_path / "backup")
    assert not [name for name in contents(tmp_path / "backup" / "public") if release_id in name]
    copy = dprelease.Workspace.restore(tmp_path / "backup", tmp_path / "copy")
    assert [each.id for each in copy.releases.unfinished()] == [release_id]
    copy.releases.resume()
    at(DUE)
    for each in (workspace, copy):
        assert each.embargoes.open_due() == [release_id]
    assert contents(home / "public" / release_id) == contents(tmp_path / "copy" / "public" / release_id)


def test_the_static_site_holds_nothing_of_it(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    publish(workspace, 0.25, "Out")
    release_id = seal(workspace)
    workspace.releases.write_site(tmp_path / "site")
    written = contents(tmp_path / "site")
    assert not [name for name, data in written.items() if release_id in name or release_id.encode() in data]


def killed(home: Path, plan_id: str, time: str, step: int) -> bool:
    """Seal a plan, or without one open what is due, in a process that is killed before a step; True if it was."""
    child = FORK.Process(target=_does, args=(home, plan_id, time, step))
    child.start()
    child.join()
    return child.exitcode == -signal.SIGKILL


def _does(home: Path, plan_id: str, time: str, step: int) -> None:  # pragma: no cover (in another process)
    if time:
        instant.present = lambda: datetime.fromisoformat(time).astimezone(UTC)
    workspace = dprelease.Workspace.open(home)
    _kill_before(step)
    if plan_id:
        workspace.publish(plan_id, due=DUE)
    else:
        workspace.embargoes.open_due()


def _kill_before(step: int) -> None:  # pragma: no cover (in another process)
    left = [step]

    def counted(do: Callable[..., Any]) -> Callable[..., Any]:
        def does(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return do(*given, **named)

        return does

    for name in ("rename", "replace", "fsync", "mkdir", "unlink"):
        setattr(os, name, counted(getattr(os, name)))
    from dprelease.store.connection import Connection

    Connection.execute = counted(Connection.execute)  # type: ignore[method-assign]


def is_whole(home: Path, release_id: str) -> bool:
    """True if all of a release is public, False if nothing is; anything else fails."""
    names = [name for name in contents(home / "public") if name.split("/")[0] == release_id]
    if not names:
        return False
    folder = home / "public" / release_id
    assert dprelease.verify(folder, pictures=False)
    return True


def kill_an_opening(home: Path, at: At, steps: range) -> int:
    """Kill an opening before each of some steps, in copies of a workspace; return how often."""
    from shutil import copytree, rmtree

    release_id = seal(dprelease.Workspace.open(home))
    count = 0
    for step in steps:
        copy = home.parent / f"copy-{step}"
        copytree(home, copy)
        at("2090-01-15T08:59:59+01:00")
        assert dprelease.Workspace.open(copy).embargoes.open_due() == []
        assert not is_whole(copy, release_id)
        at(DUE)
        count += killed(copy, "", DUE, step)
        is_whole(copy, release_id)
        again = dprelease.Workspace.open(copy)
        again.releases.resume()
        assert is_whole(copy, release_id)
        assert again.ledger.count(kinds=[EventKind.OPENED]) == 1
        assert [line["state"] for line in entries(copy)] == ["out"]
        assert again.ledger.verify() == again.ledger.count()
        rmtree(copy)
    return count


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_an_opening_that_is_killed_is_all_or_nothing(workspace: dprelease.Workspace, home: Path, at: At) -> None:
    assert kill_an_opening(home, at, range(30, 110, 10)) >= 4


@pytest.mark.full
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_an_opening_is_killed_before_each_step(workspace: dprelease.Workspace, home: Path, at: At) -> None:
    assert kill_an_opening(home, at, range(260)) >= 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("step", [60, 100, 140, 200])
def test_a_sealing_that_is_killed_shows_nothing_and_is_finished(
    workspace: dprelease.Workspace, home: Path, step: int
) -> None:
    plan_id = approved(workspace, plan(0.5, "Secret", charts=False))
    killed(home, plan_id, "", step)
    again = dprelease.Workspace.open(home)
    assert again.releases.ids() == []
    again.releases.resume()
    release_id = again.publish(plan_id, due=DUE).id
    assert [each.id for each in again.embargoes.find()] == [release_id]
    assert again.populations.budget("people").charges == 1
    assert not is_whole(home, release_id)
    assert (home / "embargoed" / release_id / "SHA256SUMS").is_file()
    assert [line["state"] for line in entries(home)] == ["confirmed"]
