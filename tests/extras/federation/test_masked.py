"""A forger who holds the first site's key, or every key, and changes what several institutions made together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.bundle.listing import CHECKSUMS, SIGNATURE, checksums, facts_of
from dprelease.bundle.read import read
from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError
from dprelease.extras.federation.checks.masked import check_masked
from dprelease.extras.federation.envelope import Signed
from dprelease.model.certificate import Certificate
from dprelease.model.encoding import canonical, digest
from dprelease.model.release import Estimates, Output
from dprelease.words.language import speaking
from tests.extras.federation.published import files, publish, round_of
from tests.extras.federation.test_federations import NAMES, finished, joined, plan, workspace

Changed = dict[str, Any]


class Forger:
    """The release as it was published, with copies to change, and the sites' keys."""

    def __init__(self, folder: Path) -> None:
        wanted = plan(charts=False)
        made, shared = round_of(folder, wanted)
        path = made[0].releases.bundle(publish(made, shared, wanted))
        self.keys = [each._state.keys.current for each in made]
        self.contents, release = files(path), read(path).release
        self.outputs: Mapping[str, Output] = release.outputs
        self.facts: Changed = release.certificate.to_mapping()
        self.beside = dict(release.beside)

    def copy(self) -> tuple[Changed, dict[str, bytes]]:
        return deepcopy(self.facts), dict(self.beside)

    def check(self, facts: Changed | None = None, beside: dict[str, bytes] | None = None, outputs: Any = None) -> None:
        certificate = Certificate.read(self.facts if facts is None else facts)
        check_masked(certificate, self.outputs if outputs is None else outputs, beside or self.beside)

    def resign(self, beside: dict[str, bytes], number: int, step: str, key: SigningKey, **changes: Any) -> None:
        name = f"federation/{number}.{step}.json"
        message = json.loads(beside[name])["message"]
        beside[name] = Signed.by(key, message | changes).to_bytes()


@pytest.fixture(scope="module")
def forger(tmp_path_factory: pytest.TempPathFactory) -> Forger:
    made = Forger(tmp_path_factory.mktemp("round"))
    made.check()
    return made


def one_more(data: bytes) -> bytes:
    """The first integer is one more."""
    return (int.from_bytes(data[:8], "little", signed=True) + 1).to_bytes(8, "little", signed=True) + data[8:]


def test_an_altered_sum_is_refused_whoever_signs_it_but_all(forger: Forger) -> None:
    facts, beside = forger.copy()
    beside["federation/sum.i64"] = one_more(beside["federation/sum.i64"])
    with pytest.raises(IntegrityError, match="not the sum that all sites co-signed"):
        forger.check(facts, beside)
    facts["federation"]["sum"] = sha256(beside["federation/sum.i64"]).hexdigest()
    with pytest.raises(IntegrityError, match="“sum” of North"):
        forger.check(facts, beside)
    forger.resign(beside, 1, "sum", forger.keys[0], sum=facts["federation"]["sum"])
    with pytest.raises(IntegrityError, match="“sum” of South"):
        forger.check(facts, beside)
    for number, key in enumerate(forger.keys, start=1):  # all of them together can sign what they want
        forger.resign(beside, number, "sum", key, sum=facts["federation"]["sum"])
        forger.resign(beside, number, "account", key, sum=facts["federation"]["sum"])
    with pytest.raises(IntegrityError, match="by_sex: its tables do not follow"):
        forger.check(facts, beside)


@pytest.mark.parametrize("name", ["2.sum.json", "3.roster.json", "1.account.json", "federation.json", "sum.i64"])
def test_what_is_missing_is_named(forger: Forger, name: str) -> None:
    facts, beside = forger.copy()
    del beside[f"federation/{name}"]
    with pytest.raises(IntegrityError, match=rf"{name}.? is missing"):
        forger.check(facts, beside)


@pytest.mark.parametrize("step", ["roster", "offer", "key", "keys", "masked", "sum", "account"])
def test_a_message_by_a_stranger_is_refused(forger: Forger, step: str) -> None:
    facts, beside = forger.copy()
    forger.resign(beside, 2, step, SigningKey.in_memory())
    with pytest.raises(IntegrityError, match=f"2.{step}.json: this is no message that South signed"):
        forger.check(facts, beside)
    forger.resign(beside, 2, step, forger.keys[1], more=1)
    with pytest.raises(IntegrityError, match="South"):
        forger.check(facts, beside)


def test_a_site_that_is_not_in_the_roster_or_twice_is_refused(forger: Forger) -> None:
    facts, beside = forger.copy()
    stranger = SigningKey.in_memory()
    facts["federation"]["sites"][1]["key"] = stranger.fingerprint
    with pytest.raises(IntegrityError, match="not the one that release"):
        forger.check(facts, beside)
    facts, beside = forger.copy()
    facts["federation"]["sites"][1] = facts["federation"]["sites"][0]
    with pytest.raises(IntegrityError, match="two have one name"):
        forger.check(facts, beside)
    facts, beside = forger.copy()
    facts["federation"]["sites"].pop()
    with pytest.raises(IntegrityError, match="roster"):
        forger.check(facts, beside)


@pytest.mark.parametrize(("name", "value"), [("lost_sites", 0), ("max_sites", 2), ("name", "Else"), ("attempt", 2)])
def test_what_was_agreed_cannot_be_told_otherwise(forger: Forger, name: str, value: Any) -> None:
    facts, beside = forger.copy()
    facts["federation"][name] = value
    with pytest.raises(IntegrityError, match=r"the roster is not|the plan of the round is not"):
        forger.check(facts, beside)


@pytest.mark.parametrize("factor", [0.5, 0.999, 1.001, 2])
def test_another_noise_than_plan_and_roster_come_to_is_refused(forger: Forger, factor: float) -> None:
    """Also where everything that follows from it is told to fit."""
    facts, beside = forger.copy()
    share = facts["federation"]["shares"][0]
    share |= {"sigma": share["sigma"] * factor, "deviation": share["deviation"] * factor}
    facts["measurements"][0]["mechanisms"][0]["scale"] *= factor
    with pytest.raises(IntegrityError, match="noise that is stated of part 1"):
        forger.check(facts, beside)


def test_a_scale_that_is_not_that_of_all_shares_is_refused(forger: Forger) -> None:
    facts, beside = forger.copy()
    facts["measurements"][0]["mechanisms"][0]["scale"] *= 0.9
    with pytest.raises(IntegrityError, match="by_sex: its noise is not that of the shares"):
        forger.check(facts, beside)


def test_a_smaller_loss_with_colluders_is_refused(forger: Forger) -> None:
    facts, beside = forger.copy()
    facts["federation"]["losses"][1]["rho_nano"] = facts["federation"]["losses"][0]["rho_nano"]
    with pytest.raises(IntegrityError, match="2 dishonest sites"):
        forger.check(facts, beside)
    facts["federation"]["losses"].pop()
    with pytest.raises(IntegrityError, match="dishonest sites"):
        forger.check(facts, beside)


def test_a_changed_charge_is_refused(forger: Forger) -> None:
    facts, beside = forger.copy()
    facts["federation"]["sites"][1]["charge"] = "0" * 64
    with pytest.raises(IntegrityError, match="charge of South"):
        forger.check(facts, beside)
    ledger = json.loads(beside["federation/2.account.json"])["message"]["ledger"]
    other = json.loads(beside["federation/3.account.json"])["message"]["ledger"]
    cheaper = deepcopy(ledger)
    cheaper["charge"]["event"]["loss"]["rho_nano"] = 1
    for told in (cheaper, other, {**ledger, "charge": other["charge"]}, {"charge": ledger["charge"]}):
        facts, beside = forger.copy()
        forger.resign(beside, 2, "account", forger.keys[1], ledger=told)
        with pytest.raises(IntegrityError, match="the ledger of South does not show its charge"):
            forger.check(facts, beside)


def test_one_charge_for_two_sites_is_refused_though_all_sign_it(forger: Forger, tmp_path: Path) -> None:
    """Every message of the forged round is signed anew, and the bundle by the first site."""
    facts, beside = forger.copy()
    one = facts["federation"]["sites"][0]["charge"]
    facts["federation"]["sites"][1]["charge"] = one
    with pytest.raises(IntegrityError, match="the charge of South"):
        forger.check(facts, beside)
    forger.resign(beside, 2, "key", forger.keys[1], charge=one)
    forger.resign(beside, 2, "account", forger.keys[1], ledger=ledger_of(beside, 1))
    keys = [json.loads(beside[f"federation/{number}.key.json"]) for number in (1, 2, 3)]
    signed_keys = [{"message": digest(each["message"]), "signature": each["signature"]} for each in keys]
    for number, key in enumerate(forger.keys, start=1):
        for step in ("keys", "masked"):
            forger.resign(beside, number, step, key, keys=digest(signed_keys))
    said = rf"North and South name one charge, {one}\. Each institution charges its own ledger"
    with pytest.raises(IntegrityError, match=said):
        forger.check(facts, beside)
    with speaking("es"), pytest.raises(IntegrityError, match="North y South nombran un mismo cargo"):
        forger.check(facts, beside)
    release = json.dumps(facts, indent=2, ensure_ascii=False, sort_keys=True).encode() + b"\n"
    contents = forger.contents | beside | {"release.json": release}
    with pytest.raises(IntegrityError, match=said):
        dprelease.verify(signed(contents, tmp_path / "one", forger.keys[0]))


def ledger_of(beside: dict[str, bytes], number: int) -> Any:
    return json.loads(beside[f"federation/{number}.account.json"])["message"]["ledger"]


def test_a_table_that_does_not_follow_from_the_sum_is_refused(forger: Forger) -> None:
    found = forger.outputs["by_sex"]
    assert isinstance(found, Estimates)
    moved = [int(each or 0) + 1 for each in found.value]
    other = Estimates(
        axes=found.axes, value=tuple(moved), lower95=found.lower95, upper95=found.upper95, extra=found.extra
    )
    with pytest.raises(IntegrityError, match="by_sex: its tables do not follow from the sum"):
        forger.check(outputs={**forger.outputs, "by_sex": other})


def signed(contents: dict[str, bytes], folder: Path, key: SigningKey) -> Path:
    """The files, listed and signed again by the one who signed them."""
    listed = {name: data for name, data in contents.items() if name not in (CHECKSUMS, SIGNATURE)}
    sums = checksums(facts_of(listed))
    for name, data in (listed | {CHECKSUMS: sums, SIGNATURE: key.sign(sums)}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_a_whole_bundle_signed_again_by_the_first_site_is_refused(forger: Forger, tmp_path: Path) -> None:
    dprelease.verify(signed(forger.contents, tmp_path / "same", forger.keys[0]))
    sum_ = {"federation/sum.i64": one_more(forger.beside["federation/sum.i64"])}
    with pytest.raises(IntegrityError, match="not the sum that all sites co-signed"):
        dprelease.verify(signed(forger.contents | sum_, tmp_path / "sum", forger.keys[0]))
    vector = {"federation/1.masked.u64": b"0" * 8}
    with pytest.raises(IntegrityError, match=r"1\.masked\.u64"):
        dprelease.verify(signed(forger.contents | vector, tmp_path / "vector", forger.keys[0]))
    less = {name: data for name, data in forger.contents.items() if not name.startswith("federation/2.")}
    with pytest.raises(IntegrityError, match="is missing"):
        dprelease.verify(signed(less, tmp_path / "less", forger.keys[0]))


def test_a_bundle_that_hides_that_it_is_a_sum_is_refused(forger: Forger, tmp_path: Path) -> None:
    """Else the loss with colluders, and who took part, could be left unsaid."""
    facts, _ = forger.copy()
    del facts["federation"]
    facts["caveats"] = [each for each in facts["caveats"] if not each["code"].startswith("masked")]
    alone = {name: data for name, data in forger.contents.items() if not name.startswith("federation/")}
    alone["release.json"] = json.dumps(facts, indent=2, ensure_ascii=False, sort_keys=True).encode() + b"\n"
    assert canonical(json.loads(alone["release.json"])) == canonical(facts)
    with pytest.raises(IntegrityError):
        dprelease.verify(signed(alone, tmp_path / "alone", forger.keys[0]))


def test_a_workspace_and_its_copy_are_one_ledger(tmp_path: Path) -> None:
    """Each with a key that the other does not know, so that both may sign the roster; their charges stand in one
    ledger, which would then say twice what it says."""
    made = [workspace(tmp_path / name, number) for number, name in enumerate(NAMES[:2])]
    made[1].ledger.backup(tmp_path / "backup")
    made.append(dprelease.Workspace.restore(tmp_path / "backup", tmp_path / NAMES[2]))
    for each in made[1:]:
        each.ledger.rotate_key()
    wanted, shared = plan(charts=False), tmp_path / "shared"
    joined(made, shared)
    finished(made, shared, wanted)
    for each in made[1:]:
        each.federations.publish(shared, wanted)
    with pytest.raises(IntegrityError, match=r"South and West.*one ledger"):
        made[0].federations.publish(shared, wanted)
    assert not (shared / "bundle.zip").exists()
    assert made[0].releases.find() == []
