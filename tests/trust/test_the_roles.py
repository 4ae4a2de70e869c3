"""Promises 14 and 15: who may do what, tried in every cell of one table, by every way in."""

from __future__ import annotations

import inspect
import json
from argparse import _SubParsersAction
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dprelease import cli
from dprelease.errors import AccessError, DPReleaseError, InputError
from dprelease.model.actor import OWNER, PUBLIC, Actor, Role
from dprelease.store import sessions, tokens
from dprelease.web import site
from dprelease.web.former import FORMER
from dprelease.words import verbatim
from dprelease.workspace import Workspace, operations, process
from dprelease.workspace.access import NEVER_BY_TOKEN, PERMISSIONS, authorise
from tests.trust import world

ROOT = Path(__file__).resolve().parents[2]
NOUNS = (
    "populations",
    "people",
    "ledger",
    "datasets",
    "datasets.uploads",
    "releases",
    "runs",
    "plans",
    "plans.drafts",
    "federations",
    "embargoes",
    "calendar",
    "remote",
)
METHODS = {
    "populations": "populations.find",
    "join_federation": "federations.join",
    "fetch_round": "federations.fetch",
    "send_round": "federations.send",
    "publish": "publish",
    "publish_round": "federations.publish",
    "people": "people.find",
    "disable_person": "people.disable",
    "enable_person": "people.enable",
    "account_news": "people.news",
    "see_account_news": "people.see_news",
    "ledger": "ledger.events",
    "verify_ledger": "ledger.verify",
    "accept_ledger": "ledger.accept",
    "datasets": "datasets.find",
    "table_columns": "datasets.columns",
    "dataset_terms": "datasets.terms",
    "stage_upload": "datasets.uploads.stage",
    "receive_upload": "datasets.uploads.receive",
    "uploads": "datasets.uploads.find",
    "dismiss_reading": "datasets.uploads.dismiss",
    "discard_upload": "datasets.uploads.discard",
    "releases": "releases.find",
    "release": "releases.get",
    "release_ids": "releases.ids",
    "release_count": "releases.count",
    "named_releases": "releases.named",
    "bundle_path": "releases.bundle",
    "plans": "plans.find",
    "approval_lapse": "plans.lapse",
    "codebook_statistics": "plans.codebook",
    "save_draft": "plans.drafts.save",
    "drafts": "plans.drafts.find",
    "draft": "plans.drafts.get",
    "rename_draft": "plans.drafts.rename",
    "duplicate_draft": "plans.drafts.duplicate",
    "delete_draft": "plans.drafts.delete",
    "open_run": "runs.open",
    "end_run": "runs.end",
    "runs": "runs.find",
    "embargoes": "embargoes.find",
    "open_due": "embargoes.open_due",
    "change_embargo": "embargoes.move",
    "see_embargoed": "embargoes.see",
    "calendar": "calendar.find",
    "set_calendar": "calendar.add",
    "remote_read": "remote.me",
    "remote_price": "remote.price",
    "remote_submit": "remote.submit",
    "remote_publish": "remote.publish",
}
"""Operations whose methods have another name than theirs."""
ALSO = {
    "populations.of": "populations",
    "populations.open_overlaps": "add_dataset",
    "populations.pairs": "compare_rows",
    "plans.get": "plans",
    "plans.swept": "preview",
    "plans.look": "preview",
    "plans.bench": "price",
    "ledger.actors": "ledger",
    "ledger.csv": "ledger",
    "datasets.get": "datasets",
    "datasets.layout": "table_columns",
    "datasets.reading": "preview",
    "datasets.strays": "table_columns",
    "datasets.no_answers": "table_columns",
    "datasets.unlike": "table_columns",
    "datasets.written": "table_columns",
    "datasets.uploads.read_like": "read_again",
    "datasets.uploads.redetected": "read_again",
    "datasets.uploads.beginning": "read_again",
    "ledger.count": "ledger",
    "releases.start": "publish",
    "runs.publish": "publish",
    "runs.start": "publish",
    "runs.abandon": "end_run",
    "runs.get": "runs",
    "embargoes.waits_for_clock": "embargoes",
    "embargoes.open_now": "change_embargo",
    "embargoes.cancel": "change_embargo",
    "embargoes.due": "see_embargoed",
    "calendar.move": "set_calendar",
    "calendar.cancel": "set_calendar",
    "remote.schema": "remote_read",
    "remote.datasets": "remote_read",
    "remote.dataset": "remote_read",
    "remote.budget": "remote_read",
    "remote.plans": "remote_read",
    "remote.plan": "remote_read",
    "remote.remarks": "remote_read",
    "remote.publication": "remote_read",
    "remote.events": "remote_read",
    "remote.answer": "remote_submit",
    "federations.standing": "rounds",
    "federations.round_folder": "rounds",
}
"""Methods that are one operation with another one."""
OF_SOMEBODY = {"sessions_of": ("sessions", {"name": "ana"}), "revoke_session_of": ("revoke_session", {"of": "ana"})}
"""Operations that are methods with one more argument."""
OPEN = {
    "open": "nobody acts yet",
    "create": "makes a workspace",
    "in_memory": "makes a workspace",
    "restore": "makes a workspace",
    "home": "its folder",
    "releases.folder": "its folder",
    "mode": "stands on every certificate",
    "public_key": "public",
    "ledger.public_key_pem": "public",
    "ledger.keys": "public",
    "plans.preview_policy": "stands on every certificate",
    "embargoes.keep": "for the server, which makes public what was decided to be",
    "ledger.outside_problem": "a state, without anything of a person",
    "ledger.contradiction": "a state, without anything of a person",
    "ledger.abandoned_copies": "a state, without anything of a person",
    "ledger.lost_charges": "a state, without anything of a person",
    "ledger.verified_events": "a state, without anything of a person",
    "people.get": "for the terminal, which whoever has the files has",
    "people.sign_in_link": "for the terminal that starts the server",
    "people.link_person": "whom a link lets in",
    "people.sign_in": "lets in by a link",
    "people.sign_in_by_password": "lets in by a password",
    "people.awaits_code": "whose code a sign-in waits for",
    "people.sign_in_by_code": "lets in by a code, after a link or a password",
    "people.sign_in_by_provider": "lets in whom the identity provider vouched for",
    "people.begin_visit": "the way to the identity provider",
    "people.redeem_visit": "the way back from it",
    "people.note_failed_visit": "the way back from it",
    "people.session_actor": "whose a session is",
    "people.token_actor": "whose a token is",
    "people.sign_out": "ends the session whose token is given",
}
"""What checks no role, and why."""
ACTORS = [*(Actor(role.value, frozenset({role})) for role in Role), Actor("nobody", frozenset()), PUBLIC]


class Passed(Exception):  # noqa: N818 (no error: it tells that a door was open)
    """The door was open; nothing behind it was touched."""


class Mine:
    """An argument that nothing may look at before the role was checked; what is looked for after that is not there."""

    checked: ClassVar[list[str]] = []

    def _stepped(self, *_: Any, **__: Any) -> Any:
        if not Mine.checked:
            raise AssertionError("an argument was looked at before the role")
        raise InputError("id", found="an argument", allowed=verbatim("none"))

    __getattr__ = __iter__ = __str__ = __fspath__ = __len__ = __bool__ = __eq__ = __hash__ = _stepped  # type: ignore[assignment]


@dataclass
class Doors:
    """Every operation stops right behind its door, but those named in `through`."""

    tried: list[str] = field(default_factory=list)
    through: frozenset[str] = frozenset()


@pytest.fixture
def doors(monkeypatch: pytest.MonkeyPatch) -> Doors:
    found = Doors()
    monkeypatch.setattr(Mine, "checked", found.tried)

    def check(operation: str, actor: Actor) -> None:
        found.tried.append(operation)
        authorise(operation, actor)
        if operation not in found.through:
            raise Passed(operation)

    monkeypatch.setattr(operations, "authorise", check)
    return found


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Of a team: ana has nothing to do with it, and each role is somebody of that name."""
    made = world.solo(tmp_path_factory.mktemp("team") / "home")
    for role in Role:
        made.people.sign_in(made.people.invite(role.value, [role.value]))
    made.people.require_two_people()
    return made


def methods(workspace: Workspace) -> set[str]:
    """Every public method, those of nouns by their noun."""
    found = {name for name in dir(workspace) if not name.startswith("_")}
    for noun in NOUNS:
        found |= {f"{noun}.{name}" for name in dir(attrgetter(noun)(workspace)) if not name.startswith("_")}
    return found - set(NOUNS)


def path_of(workspace: Workspace, operation: str) -> str:
    """Where the method of an operation is."""
    if operation in METHODS:
        return METHODS[operation]
    return next(each for each in sorted(methods(workspace)) if each.rpartition(".")[2] == operation)


def call(workspace: Workspace, path: str, actor: Actor | None, given: Mapping[str, str] | None = None) -> None:
    """A method with arguments that nothing may look at."""
    method, given = attrgetter(path)(workspace), given or {}
    parameters = inspect.signature(method).parameters.values()
    needed = {each.name: Mine() for each in parameters if each.default is each.empty and each.name not in given}
    done = method(**needed, **given, actor=actor)
    if isinstance(done, AbstractContextManager):
        done.__enter__()


def do(workspace: Workspace, operation: str, actor: Actor | None) -> None:
    name, given = OF_SOMEBODY.get(operation, (operation, {}))
    call(workspace, path_of(workspace, name), actor, given)


def opens(operation: str, actor: Actor) -> bool:
    return not PERMISSIONS[operation] or bool(PERMISSIONS[operation] & actor.roles)


class TestEveryOperationChecksTheRoleItself:
    """Each operation, each role: what the table allows passes, everything else is an AccessError before an argument is
    looked at. In Python, over HTTP, in the terminal; `test_the_server.py` does the same over Streamlit's websocket."""

    def test_every_method_is_an_operation_or_says_why_not(self, workspace: Workspace) -> None:
        operations = {path_of(workspace, each) for each in PERMISSIONS.keys() - OF_SOMEBODY.keys()}
        assert methods(workspace) == operations | OPEN.keys() | ALSO.keys()

    @pytest.mark.parametrize("actor", ACTORS, ids=lambda actor: actor.name)
    def test_in_python(self, actor: Actor, workspace: Workspace, doors: Doors) -> None:
        for operation in PERMISSIONS:
            doors.tried.clear()
            with pytest.raises(Passed if opens(operation, actor) else AccessError):
                do(workspace, operation, actor)
            assert doors.tried == [operation]
        for path, operation in ALSO.items():
            with pytest.raises(Passed if opens(operation, actor) else AccessError):
                call(workspace, path, actor)

    def test_nobody_named_is_nobody_in_a_team(self, workspace: Workspace, doors: Doors) -> None:
        for operation in PERMISSIONS:
            with pytest.raises(AccessError if PERMISSIONS[operation] else Passed):
                do(workspace, operation, None)

    def test_a_token_opens_what_it_is_for(self, workspace: Workspace, doors: Doors) -> None:
        for operation in PERMISSIONS:
            token = Actor("owner", frozenset(Role), frozenset({operation}))
            for other in (operation, "ledger", "releases"):
                opened = other == operation and operation not in NEVER_BY_TOKEN
                with pytest.raises(Passed if opened else AccessError):
                    do(workspace, other, token)

    def test_what_opens_no_door_any_more(self, workspace: Workspace) -> None:
        """A session and a token that are expired, revoked or made up are nobody's."""
        database, now = workspace._state.database, datetime.now(UTC)
        ana = Actor("ana", frozenset(Role))
        expired = sessions.redeem_link(
            database, sessions.create_link(database, ana, now=now - timedelta(hours=13)), now=now - timedelta(hours=13)
        )
        revoked = workspace.people.sign_in(workspace.people.sign_in_link(ana))
        workspace.people.sign_out(revoked)
        token, secret = workspace.people.create_token("x", operations=["ledger"], days=1, actor=ana)
        assert tokens.actor_of(database, secret, now=now + timedelta(days=2)) is None
        workspace.people.revoke_token(token.id, actor=ana)
        assert {workspace.people.session_actor(each) for each in (expired, revoked, "", "x", secret)} == {None}
        assert {workspace.people.token_actor(each) for each in (secret, revoked, "", "dpr_x")} == {None}

    def test_the_document_says_the_same(self) -> None:
        """docs/security.md: one row an operation, one column a role; this file prints it, run by itself."""
        text = (ROOT / "docs" / "security.md").read_text()
        assert table() in text, f"docs/security.md should have this table:\n\n{table()}"


def table() -> str:
    """Operation × role, as docs/security.md has it."""
    lines = [f"| operation | {' | '.join(Role)} | the public |", "|---" * (len(Role) + 2) + "|"]
    for name, allowed in PERMISSIONS.items():
        cells = ["yes" if not allowed or role in allowed else "" for role in Role] + ["" if allowed else "yes"]
        lines.append(f"| `{name}` |" + "".join(f" {cell} |" if cell else " |" for cell in cells))
    return "\n".join(lines)


PLAN = {
    "dprelease": 1,
    "title": "Ages",
    "dataset": "people",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 0.5},
    "expected": {"rows": 60},
    "statistics": [{"id": "n", "kind": "count"}],
}
COMMANDS: dict[str, tuple[str, str]] = {
    "invite": ("bo --role curator", "invite"),
    "backup": ("{folder}/copy", "backup"),
    "init": ("--team", ""),
    "demo": ("", ""),
    "person list": ("", "people"),
    "person role": ("ana --role curator", "set_roles"),
    "person disable": ("ana", "disable_person"),
    "person enable": ("ana", "enable_person"),
    "person reset": ("ana", "reset"),
    "person failures": ("", "sign_in_failures"),
    "session list": ("--of ana", "sessions_of"),
    "session revoke": ("x --of ana", "revoke_session_of"),
    "token create": ("x --operation ledger", "create_token"),
    "token list": ("", "tokens"),
    "token revoke": ("x", "revoke_token"),
    "policy previews": ("blind", "set_preview_policy"),
    "policy second-factor": ("reviewer", "require_second_factor"),
    "population list": ("", "populations"),
    "population add": ("p --unit person --epsilon 1", "add_population"),
    "population raise-cap": ("people --epsilon 9 --reason x", "raise_cap"),
    "population open-period": ("people 2030 --epsilon 9 --reason x", "open_period"),
    "population overlap": ("people others some", "attest_overlap"),
    "population compare": ("", "compare_rows"),
    "population earlier-release": ("people x", "declare_earlier_releases"),
    "dataset list": ("", "datasets"),
    "dataset add": ("d {folder}/table.csv --population people", "add_dataset"),
    "dataset describe": ("people --like people", "datasets"),
    "dataset replace": ("people {folder}/table.csv", "replace_rows"),
    "dataset delete-table": ("people", "delete_table"),
    "dataset reading": ("people", "preview"),
    "dataset analysts": ("people", "open_to_analysts"),
    "figures": ("{plan}", "figures"),
    "price": ("{plan}", "price"),
    "attack": ("{plan}", "attack"),
    "preview": ("{plan}", "preview"),
    "plan submit": ("{plan}", "submit"),
    "plan list": ("", "plans"),
    "plan show": ("x", "plans"),
    "plan approve": ("x", "review"),  # which shows what is approved, before it is
    "plan return": ("x --comment x", "return_plan"),
    "plan diff": ("x", "changes"),
    "plan remarks": ("x", "remarks"),
    "plan remark": ("x x", "remark"),
    "plan answer": ("x x x", "answer"),
    "plan settle": ("x x", "settle"),
    "plan codebook": ("people", "datasets"),
    "schema columns": ("people", "datasets"),
    "plan needs": ("{plan} --error n=1", "needed_epsilon"),
    "plan compare": ("{plan} {plan}", "price"),
    "request list": ("", "requests"),
    "request approve": ("1", "requests"),
    "request return": ("1 --comment x", "requests"),
    "publish": ("{plan}", "publish"),
    "run open": ("{plan}", "open_run"),
    "run edition": ("x", "publish"),
    "run abandon": ("x 2026-01 --reason stopped", "end_run"),
    "run end": ("x --reason stopped", "end_run"),
    "run show": ("x", "runs"),
    "run list": ("", "runs"),
    "release list": ("", "releases"),
    "release unfinished": ("", "unfinished"),
    "release resume": ("", "resume"),
    "release erratum": ("x x", "add_erratum"),
    "doi": ("x", "doi_draft"),
    "office set": ("{plan}", "set_office"),
    "office show": ("", "office"),
    "series set": ("visits {plan}", "set_series"),
    "series show": ("visits", "series"),
    "calendar add": ("2090-06 en=x", "set_calendar"),
    "calendar move": ("x 2090-06", "set_calendar"),
    "calendar cancel": ("x --reason x", "set_calendar"),
    "calendar show": ("", "calendar"),
    "release embargo list": ("", "embargoes"),
    "release embargo move": ("x 2090-01-15T09:00+01:00 --reason x", "change_embargo"),
    "release embargo now": ("x --reason x", "change_embargo"),
    "release embargo cancel": ("x --reason x", "change_embargo"),
    "release supersede": ("x --by y --reason x", "supersede"),
    "ledger list": ("", "ledger"),
    "ledger verify": ("", "verify_ledger"),
    "ledger checkpoint": ("", "checkpoint"),
    "ledger accept": ("--reason x", "accept_ledger"),
    "ledger export": ("{folder}/events.jsonl", "ledger"),
    "ledger report": ("people {folder}/report.pdf", "audit_report"),
    "federation join": ("{folder}/round", "join_federation"),
    "federation contribute": ("{folder}/round {plan}", "contribute"),
    "federation fetch": ("{folder}/round http://127.0.0.1:1/federation/r", "fetch_round"),
    "federation send": ("{folder}/round http://127.0.0.1:1/federation/r", "send_round"),
    "federation combine": ("{folder}/round {plan}", "combine"),
    "federation publish": ("{folder}/round {plan}", "publish_round"),
    "federation void": ("{folder}/round", "make_void"),
    "key rotate": ("", "rotate_key"),
    "site": ("{folder}/site", "write_site"),
}
"""Every command with arguments that it takes, and the first operation behind it; without one it is for whoever has
the files."""
WITHOUT = {
    "dataset detect",
    "plan script",
    "plan notebook",
    "schema plan",
    "schema dataset",
    "schema json",
    "completion",
    "serve",
    "restore",
    "verify",
    "model from",
    "rows from",
    "combine",
    "timestamp",
    "key show",
    "key export",
    "portal",
    "engine check",
    "federation create",
    "federation show",
    "federation simulate",
}
"""Commands that need no operation: they concern what is public, or start a server, which has doors of its own."""


def commands() -> Iterator[str]:
    def below(parser: Any, words: Sequence[str]) -> Iterator[str]:
        choices = next((each.choices for each in parser._actions if isinstance(each, _SubParsersAction)), None)
        if choices is None:
            yield " ".join(words)
        for name, inner in (choices or {}).items():
            yield from below(inner, [*words, name])

    return below(cli.parser(), [])


class TestTheTerminalChecksToo:
    """Every command as each role, as somebody without one, and with tokens that do not work."""

    @pytest.fixture(autouse=True)
    def _one_workspace(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("open", "create"):
            monkeypatch.setattr(Workspace, name, lambda *_, **__: workspace)
        monkeypatch.delenv("DPRELEASE_TOKEN", raising=False)

    @pytest.fixture
    def run(
        self, workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> Callable[..., dict[str, str]]:
        plan = tmp_path / "plan.yaml"
        plan.write_text(yaml.safe_dump(PLAN))
        (tmp_path / "table.csv").write_text("age,sex\n1,F\n")

        def running(command: str, *more: str) -> dict[str, str]:
            words = COMMANDS[command][0].format(folder=tmp_path, plan=plan).split()
            code = cli.main([*command.split(), *words, "--home", str(workspace.home), "--json", *more])
            told = json.loads(capsys.readouterr().out or "{}")
            return told if code else {}

        return running

    def test_every_command_is_tried(self) -> None:
        assert set(commands()) == COMMANDS.keys() | WITHOUT

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("role", Role)
    def test_as_each_role(self, role: Role, run: Callable[..., dict[str, str]], doors: Doors) -> None:
        for command, (_, operation) in COMMANDS.items():
            if not operation:
                continue
            doors.tried.clear()
            if role in (PERMISSIONS[operation] or Role):
                with pytest.raises(Passed):
                    run(command, "--as", role.value)
            else:
                assert run(command, "--as", role.value)["error"] == "AccessError", command

    def test_as_nobody(
        self, workspace: Workspace, run: Callable[..., dict[str, str]], doors: Doors, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In a team somebody has to be named; a name that nobody has and a token that does not work are refused."""
        for command, (_, operation) in COMMANDS.items():
            if operation and PERMISSIONS[operation]:
                assert run(command)["error"] == "AccessError", command
                assert run(command, "--as", "mallory")["error"] == "InputError", command
        monkeypatch.setenv("DPRELEASE_TOKEN", "dpr_made-up")
        for command, (_, operation) in COMMANDS.items():
            if operation:
                assert run(command)["error"] == "AccessError", command


@dataclass(frozen=True)
class Address:
    """A route of ours that is not for everybody."""

    method: str
    path: str
    operation: str


CLOSED = [
    Address("POST", "/upload", "receive_upload"),
    Address("GET", "/reports/people", "audit_report"),
    Address("GET", "/reports/people/report.pdf", "audit_report"),
    Address("GET", "/reports/-/events.csv", "ledger"),
]
FOR_ALL = {
    *(set(FORMER) - {"/upload"}),
    "/release",
    "/sign-in",
    "/sign-out",
    "/sign-in/provider",
    "/sign-in/provider/back",
    "/language/{code}",
    "/guide",
    "/guide/images/{name}.png",
    "/guide/{page}",
    "/robots.txt",
    "/security.txt",
    "/.well-known/security.txt",
}
SIGNED = {
    "/federation/{round}",
    "/federation/{round}/message",
    "/federation/{round}/plan",
    "/federation/{round}/masked",
    "/federation/{round}/bundle",
    "/federation/{round}/{file}",
    "/remote/v1/openapi.json",
    "/remote/{rest:path}",
}
"""For the sites of a round, whose keys sign requests: `tests/extras/federation/web/test_federation.py`; and for tokens
alone: `tests/extras/remote/test_roles.py`."""


class TestEveryRouteChecksToo:
    """Every address that is not for everybody: each role, signed out, expired, revoked, and with a token."""

    @pytest.fixture
    def client(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
        monkeypatch.setenv(process.VARIABLE, str(workspace.home))
        process.current.cache_clear()
        ours = Starlette(routes=site.routes(), middleware=site.middleware())
        yield TestClient(ours, base_url="http://127.0.0.1:8501", follow_redirects=False)
        process.current.cache_clear()

    def test_every_route_is_tried(self) -> None:
        paths = {getattr(route, "path", "") for route in site.routes()} - FOR_ALL - SIGNED
        reports = {"/reports/{population}", "/reports/{population}/{form:str}", "/reports/-/events.csv"}
        own = "/own/release/{id}/{path:path}"  # tried in tests/web/test_own.py and test_embargo.py
        assert paths == {"/upload", own, *reports}

    def test_as_everybody(self, client: TestClient, workspace: Workspace) -> None:
        database, past = workspace._state.database, datetime.now(UTC) - timedelta(hours=13)
        held: dict[str, tuple[str, frozenset[Role]]] = {"signed out": ("", frozenset()), "made up": ("x", frozenset())}
        for role in Role:
            actor = Actor(role.value, frozenset({role}))
            held[role] = (workspace.people.sign_in(workspace.people.sign_in_link(actor)), actor.roles)
            old = sessions.redeem_link(database, sessions.create_link(database, actor, now=past), now=past)
            held[f"{role}, expired"] = (old, frozenset())
            ended = workspace.people.sign_in(workspace.people.sign_in_link(actor))
            workspace.people.sign_out(ended)
            held[f"{role}, revoked"] = (ended, frozenset())
        events = workspace.ledger.count(actor=OWNER)
        for address in CLOSED:
            for who, (token, roles) in held.items():
                client.cookies.clear()
                client.cookies.set(process.COOKIE, token)
                origin = {"origin": "http://127.0.0.1:8501"}
                body = {"content": b"a\n1\n", "params": {"name": "t.csv"}} if address.method == "POST" else {}
                answer = client.request(address.method, address.path, headers=origin, **body)
                allowed = bool(PERMISSIONS[address.operation] & roles)
                assert (answer.status_code < 300) == allowed, (address, who)
                if not allowed:
                    assert answer.status_code == 403, (address, who)
                    assert "ε" not in answer.text
        for upload in workspace.datasets.uploads.find(actor=OWNER):
            workspace.datasets.uploads.discard(upload.id, actor=OWNER)
        assert workspace.ledger.count(actor=OWNER) == events

    def test_with_a_token(self, client: TestClient, workspace: Workspace) -> None:
        """It opens what it is for, without a cookie and from anywhere, until it is revoked."""
        client.cookies.clear()
        token, secret = workspace.people.create_token("x", operations=["audit_report"], actor=OWNER)
        sent = {"authorization": f"Bearer {secret}"}
        assert client.get("/reports/people", headers=sent).status_code == 200
        assert client.get("/reports/-/events.csv", headers=sent).status_code == 403
        assert client.get("/reports/people", headers={"authorization": "Bearer x"}).status_code == 403
        workspace.people.revoke_token(token.id, actor=OWNER)
        assert client.get("/reports/people", headers=sent).status_code == 403


class TestReviewersNeverSeeTrueValues:
    """Previews, rows and uploads are the curators' alone; nobody decides about what they asked for themselves, where
    two people are required; and a certificate of one person says so."""

    ROWS = ("preview", "stage_upload", "uploads", "receive_upload", "read_again", "readings", "import_file", "publish")

    def test_what_leads_to_rows_is_for_curators(self) -> None:
        for operation in self.ROWS:
            assert PERMISSIONS[operation] == {Role.CURATOR}, operation

    def test_nobody_approves_their_own(self, workspace: Workspace) -> None:
        both = Actor("cleo", frozenset({Role.CURATOR, Role.REVIEWER}))
        workspace.people.sign_in(workspace.people.sign_in_link(both))
        plan_id = workspace.plans.submit(dprelease_plan(), actor=both)
        with pytest.raises(AccessError, match="cleo"):
            workspace.plans.approve(plan_id, actor=both)
        with pytest.raises(DPReleaseError):
            workspace.publish(plan_id, actor=both)
        workspace.plans.approve(plan_id, actor=Actor("reviewer", frozenset({Role.REVIEWER})))
        release = workspace.publish(plan_id, actor=both)
        assert release.certificate.approval.workspace == "team"

    def test_one_person_says_so(self) -> None:
        assert world.publish(world.solo()).certificate.approval.workspace == "solo"


def dprelease_plan() -> Any:
    return world.plan(0.25, "By cleo")


if __name__ == "__main__":
    print(table())
