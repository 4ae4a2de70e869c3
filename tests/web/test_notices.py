"""Notices that were altered, invented or removed: no surface shows one as the publisher's, and each tells of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

import app
import dprelease
from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError
from dprelease.model.encoding import canonical, pretty
from dprelease.portal.site import write_site
from dprelease.portal.source import PublicFolder
from dprelease.web.alone import application
from dprelease.workspace import process
from tests.bundle.servers import serving_folder
from tests.bundle.test_page import Page
from tests.trust.world import publish, solo
from tests.web.conftest import ADDRESS
from tests.web.listening import listening

TEXT = "coded too narrowly"
LIE = "Withdrawn: all numbers are wrong."
ATOM = "{http://www.w3.org/2005/Atom}"
Tamper = Callable[[Path, str], None]


def rewritten(folder: Path, release: str, change: Callable[[list[Any]], Any]) -> None:
    path = folder / "notices" / f"{release}.json"
    value = (
        json.loads(path.read_text()) if path.exists() else {"dprelease_notices": 1, "release": release, "notices": []}
    )
    change(value["notices"])
    path.write_bytes(pretty(value))


def altered(folder: Path, release: str) -> None:
    rewritten(folder, release, lambda found: found[0]["statement"].update(text="coded correctly"))


def invented(folder: Path, release: str) -> None:
    """Made up by somebody with a key of his own, in the place of an event that the checkpoint does not know yet.

    Signed by that key, by nobody, and by nobody in the publisher's name.
    """
    key = SigningKey.in_memory()
    told = {"dprelease_notice": 1, "kind": "erratum", "release": release, "text": LIE, "published_on": "2199-01-01"}
    told["ledger"] = {"seq": 999, "hash": "00" * 32}
    signed = {"statement": told, "signer": key.fingerprint, "signature": key.sign(canonical(told)).hex()}
    zeros = {"statement": told, "signer": key.fingerprint, "signature": "00" * 64}
    rewritten(folder, release, lambda found: found.extend([signed, zeros, {**zeros, "signer": found[0]["signer"]}]))


def removed(folder: Path, release: str) -> None:
    shutil.rmtree(folder / "notices")


TAMPERS: dict[str, Tamper] = {"altered": altered, "invented": invented, "removed": removed}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str, str]:
    """A public folder; its first release has an erratum, signed by a later key, and is superseded by the second."""
    home = tmp_path_factory.mktemp("notices") / "home"
    workspace = solo(home, epsilon=3)
    key = workspace.public_key
    first, second = publish(workspace, title="First"), publish(workspace, title="Second")
    workspace.ledger.rotate_key()
    workspace.releases.add_erratum(first.id, f"The second column was {TEXT}.")
    workspace.releases.supersede(first.id, by=second.id, reason="More rows.")
    return home / "public", first.id, second.id, key


@pytest.fixture
def public(honest: tuple[Path, str, str, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(honest[0], tmp_path / "public"))


@pytest.fixture
def client(public: Path) -> Iterator[TestClient]:
    with TestClient(application(public), base_url=ADDRESS) as made:
        yield made


def shown(client: TestClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return Page(answer.text).text if "html" in answer.headers["content-type"] else answer.text


def test_an_honest_copy_tells_them_everywhere(
    honest: tuple[Path, str, str, str], public: Path, client: TestClient, tmp_path: Path
) -> None:
    _, first, second, key = honest
    assert "1 replaced release" in shown(client, "/public/")
    for address in (f"/public/release/{first}/", "/public/feed.atom", "/public/feed.json"):
        assert TEXT in shown(client, address), address
    told = client.get(f"/api/releases/{first}/notices").json()
    assert [each["statement"]["kind"] for each in told["notices"]] == ["erratum", "superseded"]
    status = {"status": "superseded", "superseded_by": second, "errata": 1, "notices_missing": 0, "notices_refused": 0}
    listed = {each["id"]: each for each in client.get("/api/releases").json()["releases"]}
    tables = [client.get(each).json() for each in (f"/api/releases/{first}/tables/by_sex.json",)]
    for found in (told, listed[first], *tables):
        assert status.items() <= found.items()
    assert listed[second]["status"] == "current"
    (entry,) = [each for each in client.get("/public/feed.json").json()["items"] if each["id"] and first in each["url"]]
    assert entry["title"].startswith("Superseded: ")
    assert entry["_dprelease"]["superseded_by"] == second
    (tmp_path / "bundle.zip").write_bytes(client.get(f"/public/releases/{first}.zip").content)
    with serving_folder(public) as base:
        for source in (public / first, tmp_path / "bundle.zip", f"{base}/{first}/"):
            verdict = dprelease.verify(source, key=key)
            assert verdict.words == f"intact, signed by the expected key; superseded by {second}; corrected by 1 notice"
            (check,) = [check for check in verdict.checks if check.code == "check.erratum"]
            assert TEXT in check.words
    verdict = dprelease.verify(public / second)
    assert any("nothing was said" in check.words for check in verdict.checks)


@pytest.mark.parametrize("tamper", TAMPERS.values(), ids=TAMPERS)
def test_the_portal_and_its_feeds_show_none_and_say_so(
    honest: tuple[Path, str, str, str], public: Path, client: TestClient, tamper: Tamper
) -> None:
    _, first, _, _ = honest
    tamper(public, first)
    words = "are not its publisher's" if tamper is invented else "withholds or has altered"
    assert ("1 replaced release" in shown(client, "/public/")) == (tamper is invented), "others are listed, and flagged"
    assert tamper is invented or words in shown(client, "/public/")
    for address in (f"/public/release/{first}/", "/public/feed.atom", "/public/feed.json"):
        text = shown(client, address)
        assert LIE not in text
        assert "coded correctly" not in text
        assert words in text, address
        assert (TEXT in text) == (tamper is invented)
    entries = ElementTree.fromstring(client.get("/public/feed.atom").content).findall(f"{ATOM}entry")
    titles = " ".join(entry.findtext(f"{ATOM}title", "") for entry in entries)
    assert ("Notices missing" in titles) == (tamper is not invented)


@pytest.mark.parametrize("tamper", TAMPERS.values(), ids=TAMPERS)
def test_the_interface_gives_none_and_says_so(
    honest: tuple[Path, str, str, str], public: Path, client: TestClient, tamper: Tamper
) -> None:
    _, first, second, _ = honest
    tamper(public, first)
    missing, refused = {altered: (1, 1), invented: (0, 3), removed: (2, 0)}[tamper]
    listed = {each["id"]: each for each in client.get("/api/releases").json()["releases"]}
    table = client.get(f"/api/releases/{first}/tables/by_sex.json").json()
    notices = client.get(f"/api/releases/{first}/notices").json()
    for found in (listed[first], table, notices):
        assert (found["notices_missing"], found["notices_refused"]) == (missing, refused)
        assert found["status"] == ("superseded" if tamper is invented else "unknown")
    assert LIE not in json.dumps(notices)
    assert len(notices["notices"]) == 2 - missing
    assert (listed[second]["status"], listed[second]["notices_missing"]) == ("current", 0)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("tamper", TAMPERS.values(), ids=TAMPERS)
@pytest.mark.parametrize("how", ["folder", "site", "zip", "address"])
def test_verify_refuses_them(
    honest: tuple[Path, str, str, str], public: Path, client: TestClient, tmp_path: Path, tamper: Tamper, how: str
) -> None:
    _, first, _, key = honest
    tamper(public, first)
    words = "not its publisher's" if tamper is invented else "not beside it"
    if how == "zip":
        (tmp_path / "bundle.zip").write_bytes(client.get(f"/public/releases/{first}.zip").content)
    if how == "site":
        (tmp_path / "site" / "releases").mkdir(parents=True)
        for name in (first, "notices"):
            if (public / name).exists():
                shutil.copytree(public / name, tmp_path / "site" / "releases" / name)
        shutil.copy(public / "checkpoint.json", tmp_path / "site")
    with serving_folder(public) as base:
        source = {
            "folder": public / first,
            "site": tmp_path / "site" / "releases" / first,
            "zip": tmp_path / "bundle.zip",
            "address": f"{base}/{first}/",
        }[how]
        with pytest.raises(IntegrityError, match=rf"^notices: .*{words}"):
            dprelease.verify(source, key=key)


def test_a_mirror_that_hides_notices_and_the_checkpoint_is_told_by_a_kept_one(
    honest: tuple[Path, str, str, str], public: Path, tmp_path: Path
) -> None:
    _, first, _, _ = honest
    shutil.move(public / "checkpoint.json", tmp_path / "kept.json")
    removed(public, first)
    shutil.move(public / first, tmp_path / first)  # away from the later releases, whose checkpoints tell
    verdict = dprelease.verify(tmp_path / first)
    assert any("no later checkpoint" in unknown.words for unknown in verdict.cannot_show)
    with pytest.raises(IntegrityError, match=r"^notices: 2 of those"):
        dprelease.verify(tmp_path / first, checkpoint=tmp_path / "kept.json")


def test_a_superseded_release_does_not_pass_for_the_one_that_took_its_place(
    honest: tuple[Path, str, str, str], public: Path, client: TestClient
) -> None:
    """Every file of the folder is as it was signed; only the name of the folder is another's."""
    _, first, second, _ = honest
    shutil.rmtree(public / second)
    (public / first).rename(public / second)
    assert client.get("/api/releases").json()["releases"] == []
    for address in (f"/public/release/{second}/", f"/api/releases/{second}", f"/r/{second}/"):
        assert client.get(address).status_code == 500, address


def test_a_list_of_releases_looks_through_checkpoints_once(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for each release it would take minutes where there are a thousand."""
    looked, checkpoint = [], PublicFolder.checkpoint

    def counted(self: PublicFolder) -> object:
        looked.append(self)
        return checkpoint(self)

    with TestClient(application(public), base_url=ADDRESS) as client:
        monkeypatch.setattr(PublicFolder, "checkpoint", counted)
        for address, most in (("/api/releases", 1), ("/public/", 8), ("/public/feed.atom", 3)):
            looked.clear()
            assert client.get(address).status_code == 200
            assert 0 < len(looked) <= most, address


def test_a_pipe_beside_a_bundle_is_not_waited_for(public: Path, honest: tuple[Path, str, str, str]) -> None:
    (public / "checkpoint.json").unlink()
    os.mkfifo(public / "checkpoint.json")
    with pytest.raises(IntegrityError, match="notices"):  # those that are there are of no checkpoint that is here
        dprelease.verify(public / honest[1])


def test_a_checkpoint_of_somebody_else_is_not_believed(
    honest: tuple[Path, str, str, str], public: Path, client: TestClient, tmp_path: Path
) -> None:
    """Longer, of a workspace of his own, or of the same name and signed by a key that nobody handed over to."""
    _, first, _, _ = honest
    spent = client.get("/api/populations/people/budget").json()["spent"]
    theirs = solo(tmp_path / "theirs")
    for number in range(30):
        theirs.populations.attest_overlap if number else theirs.ledger.checkpoint()
    foreign = json.loads((tmp_path / "theirs" / "public" / "checkpoint.json").read_text())
    key = SigningKey.in_memory()
    forged = json.loads((public / "checkpoint.json").read_text())
    forged["checkpoint"] |= {"size": 10**6, "notices": {}, "populations": []}
    forged |= {"signer": key.fingerprint, "rotations": []}
    forged["signature"] = key.sign(canonical(forged["checkpoint"])).hex()
    for value in (foreign, forged):
        (public / "checkpoint.json").write_bytes(pretty(value))
        assert client.get("/api/populations/people/budget").json()["spent"] == spent
        assert client.get(f"/api/releases/{first}/notices").json()["known_until"]
        assert client.get("/api/checkpoint").json()["checkpoint"]["size"] < 10**6


@pytest.mark.full
def test_a_site_carries_them(honest: tuple[Path, str, str, str], public: Path, tmp_path: Path) -> None:
    folder, first, second, key = honest
    workspace = dprelease.Workspace.open(folder.parent)
    workspace.releases.write_site(tmp_path / "site")
    assert TEXT in (tmp_path / "site" / "release" / first / "index.html").read_text()
    assert dprelease.verify(tmp_path / "site" / "releases" / first, key=key).said.superseded_by == second
    source = PublicFolder(public)
    (tmp_path / "bare").mkdir()
    write_site([public / first], tmp_path / "bare", checkpoint=source.checkpoint())
    assert "withholds or has altered" in (tmp_path / "bare" / "index.html").read_text()


@pytest.mark.full
def test_the_address_of_a_page_leads_to_the_files(honest: tuple[Path, str, str, str], tmp_path: Path) -> None:
    folder, first, second, key = honest
    dprelease.Workspace.open(folder.parent).releases.write_site(tmp_path / "site")
    with serving_folder(tmp_path / "site") as base:
        for page in (
            f"release/{first}/",
            f"release/{first}/index.html",
            f"es/release/{first}/",
            f"release/{first}/check.html",
        ):
            assert dprelease.verify(f"{base}/{page}", key=key).said.superseded_by == second
        with pytest.raises(dprelease.errors.InputError, match=r"404.*/releases/ID/"):
            dprelease.verify(f"{base}/elsewhere/{first}/")


ADDRESSES = (
    "/r/{id}/",
    "/r/{id}",
    "/release?id={id}",
    "/own/release/{id}/",
    "/api/releases/{id}",
    "/api/releases/{id}/",
    "/api/releases/{id}/tables/by_sex.csv",
    "/api/releases/{id}/bundle.zip",
    "/public/release/{id}/",
    "/public/es/release/{id}/check.html",
    "/public/releases/{id}/",
    "/public/releases/{id}.zip",
)


@pytest.fixture(scope="module", params=["dashboard", "portal"])
def running(
    honest: tuple[Path, str, str, str], request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, str]]:
    """A public folder, and the address of a server that listens: of a whole dashboard, or of the portal alone."""
    home = Path(shutil.copytree(honest[0].parent, tmp_path_factory.mktemp("running") / "home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "*")
        if request.param == "portal":
            with listening(application(home / "public")) as address:
                yield home / "public", address
            return
        patch.setenv(process.VARIABLE, str(home))
        process.current.cache_clear()
        request.getfixturevalue("server")
        with listening(app.app) as address:
            yield home / "public", address
        process.current.cache_clear()


@pytest.mark.one_in(15)
@pytest.mark.parametrize("path", ADDRESSES)
def test_every_address_that_a_server_has_of_a_release_leads_to_all_of_it(
    honest: tuple[Path, str, str, str], running: tuple[Path, str], path: str
) -> None:
    _, first, second, key = honest
    verdict = dprelease.verify(running[1] + path.format(id=first), key=key)
    assert verdict.words == f"intact, signed by the expected key; superseded by {second}; corrected by 1 notice"
    assert all(
        check in [each.code for each in verdict.checks] for check in ("check.files", "check.notices", "check.charts")
    )
    assert dprelease.verify(running[1] + path.format(id=second)).said.status == "current"


@pytest.mark.parametrize("path", ["/release?id=nothing", "/api/releases/nothing", "/r/nothing/"])
def test_an_address_of_no_release_is_said_to_be_none(running: tuple[Path, str], path: str) -> None:
    with pytest.raises(dprelease.errors.InputError, match="404"):
        dprelease.verify(running[1] + path)


@pytest.mark.parametrize("path", ["/release?id={id}", "/api/releases/{id}"])
def test_a_running_server_that_withholds_notices_is_refused(
    honest: tuple[Path, str, str, str], running: tuple[Path, str], path: str
) -> None:
    _, first, _, key = honest
    folder = running[0] / "notices"
    away = folder.rename(folder.with_name("away"))
    try:
        with pytest.raises(IntegrityError, match=r"^notices: 2 of those"):
            dprelease.verify(running[1] + path.format(id=first), key=key)
    finally:
        away.rename(folder)


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("tamper", [None, *TAMPERS.values()], ids=["honest", *TAMPERS])
def test_the_program_of_the_document_checks_them_by_hand(
    honest: tuple[Path, str, str, str], public: Path, tamper: Tamper | None
) -> None:
    """Merkle proofs, hand-overs and notices, with nothing of this program."""
    _, first, _, _ = honest
    text = (ROOT / "docs" / "verify.md").read_text().partition("## By hand")[2]
    (program,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if tamper is not None:
        tamper(public, first)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=public / first, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode == 0, done.stdout) == ((True, f"{first} 2\n") if tamper is None else (False, ""))
