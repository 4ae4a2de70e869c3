"""Bundles that contradict themselves are refused, however well they are signed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.bundle.listing import CHECKSUMS, TIMESTAMP
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.timestamp import attach
from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import pretty
from tests.bundle.authority import Authority
from tests.bundle.servers import serving_folder
from tests.verdict.forging import FRAME, PLAN, entered, published, signed, written

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return published(tmp_path_factory.mktemp("bundle"))


def test_the_forgers_tools_work(bundle: dict[str, bytes], tmp_path: Path) -> None:
    key = SigningKey.in_memory()
    assert dprelease.verify(signed(bundle, tmp_path, key), key=key.fingerprint).signer_known


CERTIFICATES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "smaller epsilon": ("guarantee", lambda c: c["guarantee"].update(epsilon=0.1)),
    "another unit": ("guarantee", lambda c: c["guarantee"].update(unit="galaxy")),
    "a row instead of an identifier": ("guarantee", lambda c: c["guarantee"].update(unit_column=None)),
    "cheaper exchange": ("guarantee", lambda c: c["guarantee"].update(exchange_epsilon=0.001)),
    "another relation": ("population", lambda c: c["population"].update(neighbors="substitute")),
    "a cap below the spend": ("cap", lambda c: c["population"].update(epsilon_cap=0.5)),
    "less spent than by this release": ("cumulative", lambda c: c["cumulative"].update(epsilon=0.5)),
    "no release": ("ledger", lambda c: c["cumulative"].update(releases=0)),
    "an impossible entry": ("release.json", lambda c: c["ledger"].update(seq=-1)),
    "smaller noise": ("worst case", lambda c: c["measurements"][0]["mechanisms"][0].update(scale=0.1)),
    "another shape": ("worst case", lambda c: c["measurements"][0]["mechanisms"][0].update(shape=[1])),
    "smaller sensitivity": (
        "measurements",
        lambda c: c["measurements"][0]["mechanisms"][0]["sensitivity"].update(l1=1),
    ),
    "a smaller share": ("worst case", lambda c: c["measurements"][1]["loss"].update(epsilon_nano=100_000)),
    "a smaller error": ("statistics", lambda c: c["statistics"][1].update(error95=1e-9)),
    "another kind": ("statistics", lambda c: c["statistics"][1].update(kind="count")),
    "a larger max_rows in the plan": ("worst case", lambda c: c["plan"]["privacy"]["unit"].update(max_rows=3)),
    "another title": ("title", lambda c: c.update(title="Exact figures")),
    "no caveats": ("caveats", lambda c: c.update(caveats=[])),
    "flattering caveats": ("caveats", lambda c: c.update(caveats=[{"code": "anonymous", "values": {}}])),
    "a caveat of other values": ("caveats", lambda c: c["caveats"][2]["values"].update(epsilon=0.1)),
    "a caveat of a sentence": ("release.json", lambda c: c.update(caveats=["Perfectly anonymous."])),
    "two people": ("caveats", lambda c: c.update(approval={"workspace": "team"})),
    "previews left out": ("release.json", lambda c: c.update(previews={})),
    "a change after a preview that nobody took": (
        "previews",
        lambda c: c["previews"].update(taken=False, plan_changed_after=True),
    ),
    "a policy of previews that is none": ("release.json", lambda c: c["previews"].update(policy="sometimes")),
    "no plan": ("release.json", lambda c: c.pop("plan")),
}


"""Each lie with the check that refuses it: another one that refuses it too would not tell that this one is lost."""


@pytest.mark.parametrize(("check", "change"), CERTIFICATES.values(), ids=CERTIFICATES)
def test_a_certificate_that_does_not_follow_from_its_plan_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, check: str, change: Callable[[Any], Any]
) -> None:
    key, certificate = SigningKey.in_memory(), json.loads(bundle["release.json"])
    honest = entered(bundle, key)
    change(certificate)
    forged = bundle | {"release.json": json.dumps(certificate).encode()}
    try:
        entry = entered(forged, key)
    except (KeyError, IndexError, ValueError):  # nothing that a ledger could state
        entry = honest
    with pytest.raises(IntegrityError) as caught:
        dprelease.verify(signed(forged, tmp_path, key, entry))
    assert str(caught.value).partition(":")[0] == check


TABLES = {
    "a count that is not whole": (
        "n: its mechanisms cannot give",
        "n",
        "c,value,lower95,upper95,grade\na,1.5,-4.5,7.5,U\nb,1,-5,7,U\n",
    ),
    "a narrower interval": (
        "n: its mechanisms cannot give",
        "n",
        "c,value,lower95,upper95,grade\na,50,50,50,A\nb,50,50,50,A\n",
    ),
    "a cell left out": ("a table has another number of rows", "n", "c,value,lower95,upper95,grade\na,50,38,62,A\n"),
    "an undeclared category": (
        "n: the keys of its table",
        "n",
        "c,value,lower95,upper95,grade\na,50,38,62,A\nz,50,38,62,A\n",
    ),
    "a mean outside the bounds": (
        "m: its mechanisms cannot give",
        "m",
        "value,lower95,upper95,grade\n1000.5,0.0,10.0,A\n",
    ),
    "a mean outside its interval": (
        "m: its mechanisms cannot give",
        "m",
        "value,lower95,upper95,grade\n5.0,6.0,7.0,A\n",
    ),
    "a median off the lattice": ("q: its mechanisms cannot give", "q", "value,lower95,upper95,grade\n4.3,,,U\n"),
    "a median with an interval": (
        "q: its mechanisms cannot give",
        "q",
        "value,lower95,upper95,grade\n4.5,4.4,4.6,A\n",
    ),
    "a sum off the lattice": ("s: its mechanisms cannot give", "s", "value,lower95,upper95,grade\n450.25,200,700,U\n"),
}


@pytest.mark.parametrize(("check", "statistic", "table"), TABLES.values(), ids=TABLES)
def test_a_table_that_no_draw_gives_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, check: str, statistic: str, table: str
) -> None:
    forged = bundle | {f"tables/{statistic}.csv": table.encode()}
    with pytest.raises(IntegrityError, match=f"^{check}"):
        dprelease.verify(signed(forged, tmp_path, SigningKey.in_memory()))


def test_a_listed_file_that_bundles_do_not_have_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    with pytest.raises(IntegrityError, match=r"rows\.csv"):
        dprelease.verify(signed(bundle | {"rows.csv": b"id,x\n1,2\n"}, tmp_path, SigningKey.in_memory()))


Files = dict[str, bytes]


def _described(files: Files, further: dict[str, Any]) -> Files:
    """With one more resource in datapackage.json, made of the first."""
    package = json.loads(files["datapackage.json"])
    package["resources"].append({**package["resources"][0], **further})
    return files | {"datapackage.json": pretty(package)}


def _without_axes(files: Files) -> Files:
    package = json.loads(_described(files, {"name": "n.rows", "path": "rows/n.csv"})["datapackage.json"])
    del package["resources"][-1]["axes"]
    return files | {"datapackage.json": pretty(package)}


def _as_a_model(files: Files) -> Files:
    """A count that answers with a function, which reads well, whoever made it."""
    certificate, package = (json.loads(files[name]) for name in ("release.json", "datapackage.json"))
    certificate["statistics"][0].update(output="model", tables=["n.counts"])
    package["resources"][0].update(name="n.counts", path="tables/n.counts.csv")
    kept = {name: data for name, data in files.items() if name != "tables/n.csv"}
    kept |= {"tables/n.counts.csv": files["tables/n.csv"], "models/n.json": pretty({"share": 1})}
    return kept | {"release.json": pretty(certificate), "datapackage.json": pretty(package)}


FILES: dict[str, tuple[str, Callable[[Files], Files]]] = {
    "rows that are not stated": ("rows/n.csv: a bundle has no such file", lambda f: f | {"rows/n.csv": b"c\na\n"}),
    "a model that is not stated": ("models/n.json: a bundle has no such file", lambda f: f | {"models/n.json": b"{}"}),
    "one table more": (
        "datapackage.json: it does not describe the tables",
        lambda f: _described(f | {"tables/z.csv": f["tables/n.csv"]}, {"name": "z", "path": "tables/z.csv"}),
    ),
    "a table without a description": ("tables/z.csv: ", lambda f: f | {"tables/z.csv": f["tables/n.csv"]}),
    "a resource that is no table of ours": ("datapackage.json: it does not say", _without_axes),
    "the same with its file": ("rows/n.csv: ", lambda f: _without_axes(f) | {"rows/n.csv": b"c\na\n"}),
    "a table described twice": ("datapackage.json does not describe", lambda f: _described(f, {})),
    "answers to a survey that was none": (
        "tables/n.answers.csv: a bundle has no such file",
        lambda f: f | {"tables/n.answers.csv": b"c\na\n"},
    ),
    "an answer of another kind": ("statistics: the certificate does not state", _as_a_model),
}


DESCRIBED = "a resource that is no table of ours"
"""A lie in datapackage.json alone, which only the version that wrote it compares."""


@pytest.mark.parametrize("lie", FILES)
@pytest.mark.parametrize("version", [None, "99.0"])
def test_answers_that_are_not_stated_are_refused(bundle: Files, tmp_path: Path, lie: str, version: str | None) -> None:
    check, change = FILES[lie]
    files = dict(bundle)
    if version is not None:
        certificate = json.loads(files["release.json"])
        certificate["versions"]["dprelease"] = version
        files["release.json"] = pretty(certificate)
    forged = signed(change(files), tmp_path, SigningKey.in_memory())
    if version is not None and lie == DESCRIBED:
        assert dprelease.verify(forged).warning
        return
    with pytest.raises(IntegrityError, match=f"^{check}"):
        dprelease.verify(forged)


def test_a_withheld_release_with_a_table_is_refused(bundle: Files, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=5)
    fails = {"accept": [{"statistic": "n", "relative_error": 0.000001}]}
    withheld = written(workspace, PLAN | fails, tmp_path / "withheld")
    assert dprelease.verify(signed(withheld, tmp_path / "whole", SigningKey.in_memory())).release.is_withheld
    table = {"tables/n.csv": bundle["tables/n.csv"]}
    with pytest.raises(IntegrityError, match=r"^tables/n\.csv: a bundle has no such file"):
        dprelease.verify(signed(withheld | table, tmp_path / "one", SigningKey.in_memory()))
    package, other = (json.loads(files["datapackage.json"]) for files in (withheld, bundle))
    package["resources"].append(other["resources"][0])
    with pytest.raises(IntegrityError, match=r"^datapackage\.json: it does not describe the tables"):
        dprelease.verify(
            signed(withheld | table | {"datapackage.json": pretty(package)}, tmp_path / "two", SigningKey.in_memory())
        )


def test_a_bundle_is_verified_by_its_web_address(bundle: dict[str, bytes], tmp_path: Path) -> None:
    key = SigningKey.in_memory()
    folder = signed(bundle, tmp_path / "release", key)
    with serving_folder(tmp_path) as address:
        verdict = dprelease.verify(f"{address}/release/", key=key.fingerprint)
        assert verdict == dprelease.verify(folder, key=key.fingerprint)
        (folder / "tables" / "n.csv").write_text("changed")
        with pytest.raises(IntegrityError, match=r"n\.csv"):
            dprelease.verify(f"{address}/release")
        with pytest.raises(InputError, match="404"):
            dprelease.verify(f"{address}/nowhere")


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")
def test_a_timestamp_is_checked_and_its_time_only_if_someone_vouches(bundle: dict[str, bytes], tmp_path: Path) -> None:
    authority = Authority.make(tmp_path / "authority", "Authority")
    folder = signed(bundle, tmp_path / "release", SigningKey.in_memory())
    (tmp_path / "root.pem").write_bytes(authority.root)
    with pytest.raises(IntegrityError, match="missing"):
        dprelease.verify(folder, tsa_certificate=tmp_path / "root.pem")
    time = attach(folder, authority.stamp((folder / CHECKSUMS).read_bytes()))
    verdict = dprelease.verify(folder)
    assert verdict.checks[-1].code == "check.timestamp"
    assert f"{time:%Y-%m-%d %H:%M:%S} UTC" in verdict.checks[-1].words
    assert any("--tsa-certificate" in unknown.words for unknown in verdict.cannot_show)
    vouched = dprelease.verify(folder, tsa_certificate=tmp_path / "root.pem")
    assert "vouch" in vouched.checks[-1].words
    assert not any("timestamp" in unknown.words for unknown in vouched.cannot_show)
    (folder / TIMESTAMP).write_bytes(authority.stamp(b"something else"))
    with pytest.raises(IntegrityError, match="other bytes"):
        dprelease.verify(folder)
    with pytest.raises(InputError):
        dprelease.verify(folder, tsa_certificate=tmp_path / "nowhere.pem")


TOOLS = ("bash", "sha256sum", "openssl", "jq", "xxd", "od")


@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"needs {', '.join(TOOLS)}")
def test_the_commands_of_the_document_check_a_bundle(bundle: dict[str, bytes], tmp_path: Path) -> None:
    key = SigningKey.in_memory()
    folder = signed(bundle, tmp_path, key)
    text = (ROOT / "docs" / "verify.md").read_text().partition("## By hand")[2].partition("## Timestamps")[0]
    scripts = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)

    def run(script: str) -> str:
        command = ["bash", "-euo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=True).stdout

    files, fingerprint, checkpoint, hashes = scripts
    ledger, release = (json.loads((folder / name).read_bytes()) for name in ("ledger.json", "release.json"))
    facts = ledger["published"]["event"]["facts"]
    assert "release.json: OK" in run(files)
    assert key.fingerprint == f"ed25519:{run(fingerprint)}"
    assert "Verified Successfully" in run(checkpoint)
    assert [line[:64] for line in run(hashes).splitlines()] == [release["ledger"]["hash"], facts["outputs"]]
    assert facts["charge_hash"] == release["ledger"]["hash"]
    (folder / "tables" / "n.csv").write_text("changed")
    (folder / "ledger.json").write_text((folder / "ledger.json").read_text().replace('"size": ', '"size": 1'))
    for script in (files, checkpoint):
        with pytest.raises(subprocess.CalledProcessError):
            run(script)


def test_another_key_than_the_expected_one_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    folder = signed(bundle, tmp_path, SigningKey.in_memory())
    with pytest.raises(IntegrityError, match="signed by"):
        dprelease.verify(folder, key=SigningKey.in_memory().fingerprint)
    assert dprelease.verify(folder).words == "intact, signer unknown"
