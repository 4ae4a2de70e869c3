"""Rounds over HTTP: the same bytes as by folder; everything may be sent twice, and nobody's but a site's is taken."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dprelease.bundle.signing import SigningKey
from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation import carrier as carriers
from dprelease.extras.federation import post, routes
from dprelease.extras.federation.carrier import Carrier
from dprelease.extras.federation.check import check
from dprelease.extras.federation.envelope import MAX_BYTES
from dprelease.extras.federation.folder import PLAN, PROPOSED, RoundFolder
from dprelease.extras.federation.masks import WORD
from dprelease.extras.federation.request import authorization
from dprelease.model.encoding import canonical
from dprelease.web import site
from dprelease.workspace import Workspace, process
from tests.extras.federation.sites import Sites, altered, forged, planned, values
from tests.web.conftest import ADDRESS
from tests.web.listening import listening

HOST = ADDRESS.partition("//")[2]
BASE = "/federation/hospitals"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Of the server, which is nobody's site."""
    Workspace.create(tmp_path / "office")
    monkeypatch.setenv(process.VARIABLE, str(tmp_path / "office"))
    process.current.cache_clear()
    yield tmp_path / "office"
    process.current.cache_clear()


@pytest.fixture
def application() -> Starlette:
    return Starlette(routes=site.routes(), middleware=site.middleware())


@pytest.fixture
def five(tmp_path: Path) -> Sites:
    return Sites(tmp_path, count=5)


@pytest.fixture
def shared(five: Sites, home: Path) -> RoundFolder:
    """The round on the server, which knows the roster that sites are asked to sign."""
    found = RoundFolder(home / "private" / routes.ROUNDS / "hospitals")
    found.propose(five.federation)
    return found


@pytest.fixture
def office(application: Starlette, shared: RoundFolder) -> TestClient:
    return TestClient(application, base_url=ADDRESS, raise_server_exceptions=False)


@pytest.fixture
def address(application: Starlette, shared: RoundFolder) -> Iterator[str]:
    with listening(application) as found:
        yield f"{found}{BASE}"


@pytest.fixture
def ready(five: Sites, shared: RoundFolder) -> RoundFolder:
    """The server knows plan, rosters, offers, keys and lists."""
    shared.put_plan(five.plan, five.attempt)
    for each in (*five.rosters, *five.offers(), *five.round_keys(), *five.agreements()):
        shared.put(five.federation, each)
    return shared


def ask(
    office: TestClient,
    key: SigningKey,
    method: str,
    below: str,
    body: bytes = b"",
    signed: dict[str, Any] | None = None,
    **headers: str,
) -> Any:
    """A request that a site signed. `signed`: what it signed instead of what is asked; `headers`: sent beside it."""
    stated: dict[str, Any] = {"method": method, "host": HOST, "target": BASE + below, "body": body}
    sent = {"authorization": authorization(key, **stated | (signed or {})), **headers}
    return office.request(method, BASE + below, content=body or None, headers=sent)


def said(answer: Any, status: int) -> str:
    assert answer.status_code == status, answer.text
    return str(answer.json()["message"])


def test_a_round_over_http_gives_the_bytes_of_one_by_folder(
    five: Sites, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # no disk is cut off here, and there are 500 files
    given = values(5)
    by_folder = five.finish(tmp_path / "by folder", given)
    own = [RoundFolder(tmp_path / f"mirror {number}") for number in range(5)]
    sites = [Carrier(address, key) for key in five.keys]
    steps: list[Callable[[int, RoundFolder], object]] = [
        lambda number, folder: folder.put(five.federation, five.rosters[number]),
        lambda number, folder: folder.put_plan(five.plan, five.attempt),
        lambda number, folder: folder.put(five.federation, five.own(number).offer(folder.messages("roster"))),
        lambda number, folder: folder.put(
            five.federation, five.own(number).give_key(folder.messages("offer"), five.charge(number))
        ),
        lambda number, folder: folder.put(five.federation, five.own(number).agree(folder.messages("key"))),
        lambda number, folder: folder.put_contribution(
            five.federation,
            five.own(number).contribute(given[number], folder.messages("key"), folder.messages("keys")),
        ),
    ]
    for step in steps:
        for number, folder in enumerate(own):
            sites[number].fetch(folder)
            step(number, folder)
            sites[number].send(folder)
            assert sites[number].send(folder) == (), "what the server has is not sent again"
    for number, folder in enumerate(own):
        sites[number].fetch(folder)
        message, total = five.own(number).cosign(folder.messages("key"), folder.contributions(five.federation))
        folder.put_total(total)
        folder.put(five.federation, message)
        sites[number].send(folder)
    sites[0].fetch(own[0])
    assert check(own[0]).recomputed
    names = {each.name for each in by_folder.path.iterdir()}
    for name in names:
        assert (own[0].path / name).read_bytes() == (by_folder.path / name).read_bytes(), name
    assert np.array_equal(check(own[0]).total, check(by_folder).total)


def test_what_is_sent_twice_changes_nothing(five: Sites, shared: RoundFolder, office: TestClient) -> None:
    body = five.rosters[0].to_bytes()
    codes = [ask(office, five.keys[0], "POST", "/message", body).status_code for _ in range(3)]
    assert codes == [201, 200, 200]
    assert (shared.path / "1.roster.json").read_bytes() == body


def test_only_the_roster_is_everybodys(five: Sites, ready: RoundFolder, office: TestClient) -> None:
    assert office.get(f"{BASE}/{PROPOSED}").status_code == 200
    for path in ("", f"/{PLAN}", "/1.roster.json", "/1.masked.u64"):
        assert "not signed by a site" in said(office.get(BASE + path), 403)
    for path in ("/message", "/plan", "/masked?from=0"):
        assert "not signed by a site" in said(office.post(BASE + path, content=b"{}"), 403)
    stranger = SigningKey.in_memory()
    assert "the key of no site of Hospitals" in said(ask(office, stranger, "GET", ""), 403)
    assert ask(office, five.keys[0], "GET", "/1.offer.json").content == five.offers()[0].to_bytes()
    for name in ("", "no.json", "1.masked.u64", "..%2f..%2fledger.db", "1.masked.part"):
        assert ask(office, five.keys[0], "GET", f"/{name}").status_code in (403, 404)
    assert office.get("/federation/others").status_code == 404


@pytest.mark.parametrize(
    ("signed", "words"),
    [
        ({"method": "GET"}, "another request"),
        ({"host": "elsewhere.example"}, "another request"),
        ({"target": f"{BASE}/plan"}, "another request"),
        ({"body": b"{}"}, "another request"),
        ({"now": 1_000_000_000}, "seconds apart"),
    ],
)
def test_a_signature_serves_one_request_at_one_time(
    five: Sites, office: TestClient, signed: dict[str, Any], words: str
) -> None:
    body = five.rosters[0].to_bytes()
    assert words in said(ask(office, five.keys[0], "POST", "/message", body, signed), 403)


@pytest.mark.parametrize("header", ["DPRelease-Site %%%", "DPRelease-Site", "Bearer dpr_x", "DPRelease-Site e30="])
def test_what_is_no_signature_opens_nothing(five: Sites, office: TestClient, header: str) -> None:
    said(ask(office, five.keys[0], "GET", "", authorization=header), 403)


def test_messages_that_are_not_of_this_round_are_refused(five: Sites, ready: RoundFolder, office: TestClient) -> None:
    offer, key, agreed = five.offers()[0], five.round_keys()[0], five.agreements()[0]
    other = Sites(five.root / "other", count=5, keys=five.keys, plan=planned(cells=7))
    foreign = Sites(five.root / "foreign", count=5)
    before = {each.name: each.read_bytes() for each in ready.path.iterdir()}
    refused = {
        "another one": forged(five.keys[0], offer, nonce="0" * 64),
        "another plan": other.offers()[0],
        "another attempt": five.again(2).offers()[0],
        "another round": forged(five.keys[0], key, round="0" * 64),
        "no site of Hospitals": foreign.offers()[0],
        "another roster": forged(five.keys[0], five.rosters[0], lost_sites=2),
        "the signature": altered(agreed, keys="0" * 64),
        "more or other fields": forged(five.keys[0], agreed, more=1),
        "says it is": forged(five.keys[1], key),
    }
    found = {
        words: said(ask(office, five.keys[0], "POST", "/message", each.to_bytes()), 422)
        for words, each in refused.items()
    }
    assert len(set(found.values())) == len(found)
    assert {each.name: each.read_bytes() for each in ready.path.iterdir()} == before


def test_another_plan_is_refused(five: Sites, ready: RoundFolder, office: TestClient) -> None:
    own = (ready.path / PLAN).read_bytes()
    assert ask(office, five.keys[3], "POST", "/plan", own).status_code == 200
    assert "plan.json" in said(ask(office, five.keys[3], "POST", "/plan", own.replace(b":6,", b":7,")), 422)
    assert "plan.json" in said(ask(office, five.keys[3], "POST", "/plan", b"[]"), 422)


def test_a_vector_arrives_in_pieces_and_goes_on_where_it_was_cut(
    five: Sites, ready: RoundFolder, office: TestClient
) -> None:
    sent = five.contributions(values(5))[0]
    body = sent.signed.to_bytes()
    for start, end, status, received in ((0, 10, 200, 10), (0, 10, 409, 10), (30, 48, 409, 10), (10, 20, 200, 20)):
        answer = ask(office, five.keys[0], "POST", f"/masked?from={start}", sent.vector[start:end])
        assert (answer.status_code, answer.json()["received"]) == (status, received)
    early = ask(office, five.keys[0], "POST", "/message", body)
    assert (early.status_code, early.json()["received"]) == (409, 20)
    assert ask(office, five.keys[0], "GET", "").json()["received"] == 20
    assert "longer than the 6 cells" in said(ask(office, five.keys[0], "POST", "/masked?from=20", bytes(29)), 422)
    assert ask(office, five.keys[0], "POST", "/masked?from=20", sent.vector[20:]).json()["received"] == 48
    assert ask(office, five.keys[0], "POST", "/message", body).status_code == 201
    assert (ready.path / "1.masked.u64").read_bytes() == sent.vector
    assert ask(office, five.keys[0], "POST", "/masked?from=0", sent.vector).json() == {"received": 48}
    part = ask(office, five.keys[1], "GET", "/1.masked.u64", range="bytes=40-")
    assert (part.status_code, part.content) == (206, sent.vector[40:])


def test_another_vector_than_the_signed_one_is_thrown_away(five: Sites, ready: RoundFolder, office: TestClient) -> None:
    sent = five.contributions(values(5))[0]
    wrong = bytes([sent.vector[0] ^ 1]) + sent.vector[1:]
    ask(office, five.keys[0], "POST", "/masked?from=0", wrong)
    said(ask(office, five.keys[0], "POST", "/message", sent.signed.to_bytes()), 422)
    assert ask(office, five.keys[0], "GET", "").json()["received"] == 0
    assert not list(ready.path.glob("*.u64"))


def test_nothing_is_taken_for_a_void_round(five: Sites, ready: RoundFolder, office: TestClient) -> None:
    sent = five.contributions(values(5))[0]
    void = five.own(1).make_void().to_bytes()
    assert ask(office, five.keys[1], "POST", "/message", void).status_code == 201
    for below, body in (("/masked?from=0", sent.vector), ("/message", sent.signed.to_bytes())):
        assert "Hospital 1 made this round void" in said(ask(office, five.keys[0], "POST", below, body), 422)


def test_a_sum_that_is_not_that_of_the_vectors_is_refused(five: Sites, ready: RoundFolder, office: TestClient) -> None:
    sent = five.contributions(values(5))
    for each in sent[:4]:
        ready.put_contribution(five.federation, each)
    message, _ = five.own(0).cosign(five.round_keys(), sent)
    said(ask(office, five.keys[0], "POST", "/message", message.to_bytes()), 422)
    ready.put_contribution(five.federation, sent[4])
    wrong = forged(five.keys[0], message, sum="0" * 64).to_bytes()
    said(ask(office, five.keys[0], "POST", "/message", wrong), 422)
    assert not (ready.path / "1.sum.json").exists()
    assert ask(office, five.keys[0], "POST", "/message", message.to_bytes()).status_code == 201
    assert len((ready.path / "sum.i64").read_bytes()) == 6 * WORD


def test_what_is_too_large_is_not_read(five: Sites, office: TestClient) -> None:
    for below, most in (("/message", MAX_BYTES), ("/plan", MAX_BYTES), ("/masked?from=0", post.PIECE)):
        assert "At most" in said(ask(office, five.keys[0], "POST", below, bytes(most + 1)), 413)


def test_a_cut_connection_goes_on(
    five: Sites, ready: RoundFolder, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server goes away after a piece, and a file is cut: run again, nothing is sent twice that arrived."""
    monkeypatch.setattr(carriers, "PIECE", 20)
    sent = five.contributions(values(5))
    own = RoundFolder(tmp_path / "own")
    shutil.copytree(ready.path, own.path)
    own.put_contribution(five.federation, sent[0])
    site, pieces = Carrier(address, five.keys[0]), []
    real = Carrier._ask

    def watched(self: Carrier, method: str, below: str, body: bytes) -> Any:
        if below.startswith("/masked"):
            pieces.append(below)
            if len(pieces) == 2:
                raise InputError("address", found="", allowed=carriers.phrase("federation.server"))
        return real(self, method, below, body)

    monkeypatch.setattr(Carrier, "_ask", watched)
    with pytest.raises(InputError):
        site.send(own)
    assert site.send(own) == ("1.masked.json",)
    assert pieces == ["/masked?from=0", "/masked?from=20", "/masked?from=20", "/masked?from=40"]
    other = RoundFolder(tmp_path / "other")
    shutil.copytree(ready.path, other.path, ignore=shutil.ignore_patterns("*.masked.*"))
    (other.path / "1.masked.part").write_bytes(sent[0].vector[:13])
    assert Carrier(address, five.keys[1]).fetch(other) == ("1.masked.json",)
    assert (other.path / "1.masked.u64").read_bytes() == sent[0].vector


def test_a_server_that_changes_a_file_is_told_apart(
    five: Sites, ready: RoundFolder, tmp_path: Path, address: str
) -> None:
    own, site = RoundFolder(tmp_path / "own"), Carrier(address, five.keys[0])
    site.fetch(own)
    (ready.path / "2.offer.json").write_bytes(forged(five.keys[1], five.offers()[1], nonce="1" * 64).to_bytes())
    with pytest.raises(IntegrityError, match="2\\.offer\\.json"):
        site.fetch(own)
    (ready.path / "2.offer.json").write_bytes(altered(five.offers()[1], nonce="1" * 64).to_bytes())
    with pytest.raises(IntegrityError):
        site.fetch(own)


@pytest.mark.parametrize("text", ["ftp://a/federation/r", "http://a/federation/r/", "file:///federation/r", "r", ""])
def test_what_is_no_address_of_a_round_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="HOST/federation/NAME"):
        Carrier(text, None)


def test_a_server_that_is_not_there_is_said_so() -> None:
    with pytest.raises(InputError, match="Nothing is lost"):
        Carrier("http://127.0.0.1:9/federation/r", None).roster()


@pytest.fixture
def finished(five: Sites, shared: RoundFolder, tmp_path: Path) -> list[RoundFolder]:
    """Two sites' own folders of a round that is co-signed, as the server's is."""
    five.finish(shared.path, values(5))
    own = [tmp_path / "first", tmp_path / "second"]
    return [RoundFolder(shutil.copytree(shared.path, each)) for each in own]


def test_accounts_and_the_release_travel_as_well(
    five: Sites,
    finished: list[RoundFolder],
    shared: RoundFolder,
    address: str,
    office: TestClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The release in pieces, of which the server has one already; nothing is sent or fetched twice."""
    first, second = (Carrier(address, key) for key in five.keys[:2])
    for number, folder in enumerate(finished):
        folder.put(five.federation, five.own(number).account(folder.total(five.plan.cells), lambda: {"head": "a"}))
    release = bytes(range(256)) * 100
    finished[0].put_bundle(release)
    stated = f"size={len(release)}&sha256={sha256(release).hexdigest()}"
    assert said_received(ask(office, five.keys[0], "POST", f"/bundle?{stated}&from=0", release[:700])) == 700
    monkeypatch.setattr(carriers, "PIECE", 9000)
    assert first.send(finished[0]) == ("1.account.json", "bundle.zip")
    assert first.send(finished[0]) == ()
    assert second.send(finished[1]) == ("2.account.json",)
    assert second.fetch(finished[1]) == ("1.account.json", "bundle.zip")
    assert finished[1].bundle is not None
    assert finished[1].bundle.read_bytes() == release == (shared.path / "bundle.zip").read_bytes()
    assert second.fetch(finished[1]) == ()


def said_received(answer: Any) -> int:
    assert answer.status_code == 200, answer.text
    return int(answer.json()["received"])


def test_a_release_comes_from_the_first_site_whole_and_once(
    five: Sites, finished: list[RoundFolder], shared: RoundFolder, office: TestClient
) -> None:
    stated = f"size=3&sha256={sha256(b'abc').hexdigest()}"
    first, second = five.keys[:2]
    assert "comes from" in said(ask(office, second, "POST", f"/bundle?{stated}&from=0", b"abc"), 422)
    for wrong in ("size=3&sha256=x&from=0", f"size={2**40}&{stated[7:]}&from=0", f"size=x&{stated[7:]}&from=0"):
        assert "comes from" in said(ask(office, first, "POST", f"/bundle?{wrong}", b"abc"), 422)
    assert "comes from" in said(ask(office, first, "POST", f"/bundle?{stated}&from=0", b"abcd"), 422)
    assert ask(office, first, "POST", f"/bundle?{stated}&from=2", b"c").status_code == 409
    assert "as it was stated" in said(ask(office, first, "POST", f"/bundle?{stated}&from=0", b"abd"), 422)
    assert said_received(ask(office, first, "POST", f"/bundle?{stated}&from=0", b"abc")) == 3
    assert said_received(ask(office, first, "POST", f"/bundle?{stated}&from=0", b"abc")) == 3
    other = f"size=3&sha256={sha256(b'abd').hexdigest()}"
    said(ask(office, first, "POST", f"/bundle?{other}&from=0", b"abd"), 422)
    assert (shared.path / "bundle.zip").read_bytes() == b"abc"


def test_an_account_of_another_sum_is_refused(five: Sites, finished: list[RoundFolder], office: TestClient) -> None:
    own = five.own(0).account(finished[0].total(five.plan.cells), lambda: {"head": "a"})
    wrong = forged(five.keys[0], own, sum="0" * 64)
    said(ask(office, five.keys[0], "POST", "/message", wrong.to_bytes()), 422)
    assert ask(office, five.keys[0], "POST", "/message", own.to_bytes()).status_code == 201


def test_nothing_of_a_body_is_read_for_whom_no_site_signed(shared: RoundFolder, application: Starlette) -> None:
    """A stranger who sends slowly holds nothing here."""
    answers: list[Any] = []

    async def receive() -> Any:
        raise AssertionError("a body is read")

    async def send(message: Any) -> None:
        answers.append(message)

    headers = [(b"host", HOST.encode()), (b"content-length", b"4000000")]
    scope = {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "path": f"{BASE}/message",
        "raw_path": f"{BASE}/message".encode(),
        "query_string": b"",
        "headers": headers,
        "client": ("192.0.2.1", 5000),
        "server": ("127.0.0.1", 8501),
    }
    asyncio.run(application(scope, receive, send))
    assert answers[0]["status"] == 403


def test_a_round_that_is_written_holds_up_no_other(five: Sites, shared: RoundFolder, tmp_path: Path) -> None:
    """One has its lock for as long as a sum of millions of cells takes."""
    other = RoundFolder(tmp_path / "other")
    other.propose(five.federation)
    plan = canonical({**five.plan.to_mapping(), "attempt": five.attempt})
    done = []
    with post.Post(shared).lock:
        waiting = threading.Thread(target=lambda: done.append(post.Post(shared).take_plan(plan)))
        waiting.start()
        assert post.Post(other).take_plan(plan)
        assert done == [], "the same round waits, whoever asks"
    waiting.join()
    assert done == [True]
