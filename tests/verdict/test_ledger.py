"""What ledger.json must show before a bundle passes, and what keys and checkpoints kept from earlier add to it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.bundle.formats import FILES
from dprelease.bundle.history import Rotation, sign
from dprelease.bundle.listing import CHECKSUMS, LEDGER, SIGNATURE
from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import pretty
from dprelease.model.privacy import PrivacyLoss
from dprelease.verdict.statements import stated
from dprelease.verdict.verify import Verdict
from tests.bundle.entries import Change, Ledger, hash_of, key_of, standing
from tests.verdict.forging import entered, published, signed, swapped

FIRST, SECOND, SIGNER = (key_of(number) for number in (2, 3, 4))
CHAIN = (Rotation.make(FIRST, SECOND.public, "2024-03-01"), Rotation.make(SECOND, SIGNER.public, "2025-03-01"))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """With so little noise that the next number has the same grade."""
    return published(tmp_path_factory.mktemp("bundle"), epsilon=4)


def facts(bundle: dict[str, bytes]) -> dict[str, Any]:
    certificate: dict[str, Any] = json.loads(bundle["release.json"])
    return certificate


def before(ledger: Ledger, bundle: dict[str, bytes], size: int = 5) -> Any:
    """A checkpoint of the ledger before the release."""
    ledger.grow(size)
    nothing = replace(standing(facts(bundle)), spent=PrivacyLoss(), charges=0, last_charge=None)
    return ledger.checkpoint(size=size, standings=[nothing])


def whole(bundle: dict[str, bytes], **how: Any) -> dict[str, Any]:
    """An entry with a checkpoint before it, and earlier keys."""
    ledger = Ledger()
    return entered(bundle, SIGNER, ledger, previous=before(ledger, bundle), rotations=CHAIN, **how)


def names(verdict: Verdict) -> list[str]:
    return [check.code.removeprefix("check.") for check in verdict.checks]


def test_a_release_in_its_publishers_ledger_passes(bundle: dict[str, bytes], tmp_path: Path) -> None:
    verdict = dprelease.verify(signed(bundle, tmp_path, SIGNER, whole(bundle)))
    assert names(verdict)[-10:] == [
        "event",
        "charge",
        "inclusion",
        "checkpoint",
        "standing",
        "consistency",
        "rotations",
        "formats",
        "page",
        "charts",
    ]
    assert not verdict.signer_known
    assert any("rolled back" in unknown.words for unknown in verdict.cannot_show)
    assert any("superseded" in unknown.words for unknown in verdict.cannot_show)
    assert dict(verdict.release.entry) == whole(bundle)


def test_a_bundle_of_the_program_has_its_entry(bundle: dict[str, bytes], tmp_path: Path) -> None:
    for name, data in bundle.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    verdict = dprelease.verify(tmp_path)
    expected = ["event", "charge", "inclusion", "checkpoint", "standing", "formats", "page", "charts"]
    assert names(verdict)[-8:] == expected
    assert json.loads(bundle[LEDGER]) == verdict.release.entry


def test_a_bundle_without_ledger_json_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    folder = signed(bundle, tmp_path, SIGNER)
    (folder / LEDGER).unlink()
    lines = (folder / CHECKSUMS).read_text().splitlines(keepends=True)
    sums = "".join(line for line in lines if LEDGER not in line).encode()
    (folder / CHECKSUMS).write_bytes(sums)
    (folder / SIGNATURE).write_bytes(SIGNER.sign(sums))
    with pytest.raises(IntegrityError, match=r"ledger\.json: the file is missing"):
        dprelease.verify(folder)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a JSON value: at every key and in every list."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def others(value: Any) -> Iterator[Any]:
    """Values that could stand in place of one."""
    match value:
        case dict():
            yield value | {"more": 1}
            for key in value:
                yield {other: item for other, item in value.items() if other != key}
        case list():
            yield from ([*value, "00" * 32], value[::-1], value[1:], value[:-1], value * 2)
        case str():
            last = "0" if value[-1:] != "0" else "1"
            yield from (value[:-1] + last, value + " ", value.upper(), "", 1)
        case bool() | None:
            yield from (1, "text", {})
        case int():
            yield from (value + 1, value - 1, -value - 1, 2**70, float(value), str(value), True)
    yield None
    yield [[value]]


def edited(entry: dict[str, Any], path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(entry)
    inner: Any = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return changed


CHECKED = {
    "charge": ("charge", "inclusion"),
    "published": ("event", "inclusion"),
    "superseded": ("superseded",),
    "checkpoint": ("checkpoint",),
    "signer": ("checkpoint", "rotations"),
    "signature": ("checkpoint",),
    "previous": ("consistency",),
    "consistency": ("consistency",),
    "rotations": ("rotations",),
}
"""Field of ledger.json to the check that refuses a change of it."""


@pytest.mark.full
def test_every_change_of_one_field_is_refused_by_its_check(bundle: dict[str, bytes], tmp_path: Path) -> None:
    """Signed by the publisher's own key, so that nothing but what ledger.json proves is left."""
    entry = whole(bundle)
    folder, tried = signed(bundle, tmp_path, SIGNER, entry), 0
    dprelease.verify(folder)
    for path in places(entry):
        inner: Any = entry
        for step in path:
            inner = inner[step]
        for value in others(inner):
            changed = edited(entry, path, value)
            if json.dumps(changed, sort_keys=True) == json.dumps(entry, sort_keys=True):
                continue
            if path == ("rotations",) and value == entry["rotations"][1:]:
                continue  # a shorter chain leads to the signer too, and vouches for fewer keys
            tried += 1
            signed(bundle, folder, SIGNER, changed if isinstance(changed, dict) else [changed])
            with pytest.raises(IntegrityError) as caught:
                dprelease.verify(folder)
            expected = (*CHECKED.get(path[0] if path else "", ()), "ledger.json")
            assert str(caught.value).startswith(expected), (path, value, str(caught.value))
    assert tried > 400


EVENTS: dict[str, Change] = {
    "another kind": lambda event: event.update(kind="sealed"),
    "another population": lambda event: event.update(population="others"),
    "a loss": lambda event: event["loss"].update(epsilon_nano=1),
    "a field more": lambda event: event.update(note="x"),
    "an actor": lambda event: event.update(actor="ana"),
    "nothing private": lambda event: event.pop("rest"),
    "a clock time": lambda event: event.update(day="2026-01-31T09:30:00Z"),
    "a day before its charge": lambda event: event.update(day="2019-01-01"),
    "a day after its release's": lambda event: event.update(day="2199-01-01"),
}
BODIES: dict[str, Change] = {
    "another release": lambda body: body.update(release="other"),
    "another charge": lambda body: body.update(charge=1),
    "another charge's hash": lambda body: body.update(charge_hash=hash_of("x")),
    "another day": lambda body: body.update(published_on="2025-01-01"),
    "another signer": lambda body: body.update(signer=key_of(9).fingerprint),
    "other outputs": lambda body: body.update(outputs=hash_of("x")),
    "another version": lambda body: body.update(version="9.9"),
    "a statement more": lambda body: body.update(note="x"),
    "no outputs": lambda body: body.pop("outputs"),
}
WORLDS = [{"change": change} for change in EVENTS.values()] + [{"change_facts": change} for change in BODIES.values()]


@pytest.mark.parametrize("how", WORLDS, ids=[*EVENTS, *BODIES])
def test_an_event_in_the_ledger_that_is_not_this_publication_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, how: dict[str, Change]
) -> None:
    with pytest.raises(IntegrityError, match=r"^event: "):
        dprelease.verify(signed(bundle, tmp_path, SIGNER, whole(bundle, **how)))


def test_a_publication_before_its_charge_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    certificate = facts(bundle)
    certificate["ledger"]["seq"] += 10
    forged = bundle | {"release.json": pretty(certificate)}
    later = entered(forged, SIGNER)["published"]["event"]["facts"]
    entry = entered(bundle, SIGNER, change_facts=lambda facts: facts.update(later))
    with pytest.raises(IntegrityError, match="before its charge"):
        dprelease.verify(signed(forged, tmp_path, SIGNER, entry))


def test_tables_swapped_after_publication_are_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    """Also tables that a draw could give: the ledger states the hash of those that were published.

    Of another version, whose pictures are not compared.
    """
    certificate = facts(bundle)
    certificate["versions"]["dprelease"] = "99.0"
    bundle = bundle | {"release.json": pretty(certificate)}
    lines = bundle["tables/n.csv"].decode().splitlines()
    name, value, lower, upper, letter = lines[1].split(",")
    lines[1] = ",".join((name, *(str(int(each) + 1) for each in (value, lower, upper)), letter))
    bare = {
        name: data
        for name, data in bundle.items()
        if name not in (*FILES, "index.html", "workbook.xlsx", "all.csv", "all.parquet")
        and not name.startswith(("sdmx/", "wide/"))
    }
    told = ("\n".join(lines) + "\n").encode()
    names = [name for each in certificate["statistics"] for name in each["tables"]]
    tables = {name: told if name == "n" else bare[f"tables/{name}.csv"] for name in names}
    certificate["statements"] |= stated(certificate, tables)
    forged = swapped(bare | {"release.json": pretty(certificate)}, "n", told)
    dprelease.verify(signed(forged, tmp_path / "consistent", SIGNER))
    with pytest.raises(IntegrityError, match="outputs"):
        dprelease.verify(signed(forged, tmp_path / "swapped", SIGNER, whole(bundle)))


STANDINGS: dict[str, Callable[[Any], list[Any]]] = {
    "no population": lambda own: [],
    "less spent": lambda own: [replace(own, spent=replace(own.spent, epsilon_nano=own.spent.epsilon_nano - 1))],
    "fewer charges": lambda own: [replace(own, charges=0, last_charge=None)],
    "another unit": lambda own: [replace(own, population=replace(own.population, unit="galaxy"))],
    "another name": lambda own: [replace(own, population=replace(own.population, name="others"))],
}


@pytest.mark.parametrize("change", STANDINGS.values(), ids=STANDINGS)
def test_a_checkpoint_that_states_less_than_the_certificate_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, change: Callable[[Any], list[Any]]
) -> None:
    entry = whole(bundle, standings=change(standing(facts(bundle))))
    with pytest.raises(IntegrityError, match=r"^standing: "):
        dprelease.verify(signed(bundle, tmp_path, SIGNER, entry))


def test_a_checkpoint_with_absurd_numbers_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    own = standing(facts(bundle))
    for wrong in (
        [own, own],
        [replace(own, charges="2")],
        [replace(own, spent=replace(own.spent, epsilon_nano="9"))],
        [replace(own, spent=replace(own.spent, delta_atto=-1))],
        [replace(own, spent=replace(own.spent, epsilon_nano=True))],
    ):
        with pytest.raises(IntegrityError, match=r"^checkpoint: "):
            dprelease.verify(signed(bundle, tmp_path, SIGNER, whole(bundle, standings=wrong)))


def test_a_checkpoint_by_another_key_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    entry = whole(bundle)
    with pytest.raises(IntegrityError, match=r"^checkpoint: another key"):
        dprelease.verify(signed(bundle, tmp_path, FIRST, entry))


def test_proofs_of_another_ledger_are_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    entry, ledger = whole(bundle), Ledger("two")
    other = entered(bundle, SIGNER, ledger, previous=before(ledger, bundle), rotations=CHAIN)
    for name in ("charge", "published"):
        swapped = entry | {name: entry[name] | {"inclusion": other[name]["inclusion"]}}
        with pytest.raises(IntegrityError, match=r"^inclusion: "):
            dprelease.verify(signed(bundle, tmp_path, SIGNER, swapped))
    for name in ("consistency", "previous"):
        with pytest.raises(IntegrityError, match=r"^consistency: "):
            dprelease.verify(signed(bundle, tmp_path, SIGNER, entry | {name: other[name]}))


def test_a_pinned_old_key_is_accepted_through_its_hand_overs(bundle: dict[str, bytes], tmp_path: Path) -> None:
    folder = signed(bundle, tmp_path, SIGNER, whole(bundle))
    for key, words in ((FIRST, "by way of 1 more, on 2024-03-01, 2025-03-01"), (SECOND, "signing key on 2025-03-01")):
        verdict = dprelease.verify(folder, key=key.fingerprint)
        (check,) = [check for check in verdict.checks if check.code.startswith("check.signer_")]
        assert verdict.signer_known
        assert key.fingerprint in check.words
        assert words in check.words
    assert dprelease.verify(folder, key=SIGNER.fingerprint).checks[2].words == "That is the key you gave."
    with pytest.raises(IntegrityError, match="signed by"):
        dprelease.verify(folder, key=key_of(9).fingerprint)


def test_a_pinned_key_that_did_not_hand_over_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    """A thief cannot name the publisher's key as his predecessor."""
    thief = key_of(9)
    entry = entered(bundle, thief, rotations=[Rotation.make(FIRST, thief.public, "2025-01-01")])
    claimed = Rotation(SECOND.public, thief.public, "2025-01-01", entry["rotations"][0]["signature"])
    with pytest.raises(IntegrityError, match=r"^rotations: "):
        dprelease.verify(
            signed(bundle, tmp_path, thief, entry | {"rotations": [claimed.to_mapping()]}), key=SECOND.fingerprint
        )


ROTATIONS: dict[str, tuple[Rotation, ...]] = {
    "reordered": CHAIN[::-1],
    "one left out": CHAIN[:1],
    "one twice": (*CHAIN, CHAIN[1]),
    "in a circle": (Rotation.make(SIGNER, FIRST.public, "2024-01-01"), *CHAIN),
    "to itself": (*CHAIN, Rotation.make(SIGNER, SIGNER.public, "2025-04-01")),
    "back in time": (CHAIN[0], Rotation.make(SECOND, SIGNER.public, "2023-01-01")),
    "signed by the new key": (CHAIN[0], replace(Rotation.make(SIGNER, SIGNER.public, "2025-03-01"), old=SECOND.public)),
    "on another day": (CHAIN[0], replace(CHAIN[1], on="2025-03-02")),
}


@pytest.mark.parametrize("rotations", ROTATIONS.values(), ids=ROTATIONS)
def test_a_broken_chain_of_keys_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, rotations: tuple[Rotation, ...]
) -> None:
    entry = entered(bundle, SIGNER, rotations=rotations)
    with pytest.raises(IntegrityError, match=r"^rotations: "):
        dprelease.verify(signed(bundle, tmp_path, SIGNER, entry))


def kept(folder: Path, value: Any) -> Path:
    path = folder / "kept.json"
    path.write_bytes(pretty(value))
    return path


def test_the_checkpoint_before_a_release_shows_that_the_ledger_only_grew(
    bundle: dict[str, bytes], tmp_path: Path
) -> None:
    earlier = before(Ledger(), bundle)
    folder = signed(bundle, tmp_path, SIGNER, whole(bundle))
    for key in (SIGNER, SECOND, FIRST):
        path = kept(tmp_path.parent, sign(earlier, key).to_mapping())
        verdict = dprelease.verify(folder, checkpoint=path)
        assert names(verdict)[-1] == "kept_checkpoint"
        assert "of 5 lines" in verdict.checks[-1].words
        assert not any("rolled back" in unknown.words for unknown in verdict.cannot_show)


def test_the_ledger_json_of_the_next_release_shows_the_same(bundle: dict[str, bytes], tmp_path: Path) -> None:
    """Also where the key was changed since, and this bundle cannot know that."""
    ledger = Ledger()
    first = entered(bundle, FIRST, ledger)
    checkpoint = ledger.checkpoint(standings=[standing(facts(bundle))])
    second = entered(bundle, SIGNER, ledger, previous=checkpoint, rotations=CHAIN)
    folder = signed(bundle, tmp_path, FIRST, first)
    for value in (first, second):
        verdict = dprelease.verify(folder, checkpoint=kept(tmp_path.parent, value))
        assert names(verdict)[-1] == "kept_checkpoint"
    path = kept(tmp_path.parent, entered(bundle, SIGNER, ledger, rotations=CHAIN[1:]))
    with pytest.raises(IntegrityError, match="foreign key"):  # it names all earlier keys, and not this one
        dprelease.verify(folder, checkpoint=path)


def test_a_later_checkpoint_by_a_later_key_shows_nothing_and_is_no_failure(
    bundle: dict[str, bytes], tmp_path: Path
) -> None:
    ledger, own = Ledger(), standing(facts(bundle))
    folder = signed(bundle, tmp_path, FIRST, entered(bundle, FIRST, ledger))
    size = len(ledger.hashes)
    ledger.grow(size + 5)
    later = ledger.checkpoint(standings=[own], on=facts(bundle)["published"])
    verdict = dprelease.verify(folder, checkpoint=kept(tmp_path.parent, sign(later, SIGNER).to_mapping()))
    assert "kept_checkpoint" not in names(verdict)
    assert any(f"another key, {SIGNER.fingerprint}" in unknown.words for unknown in verdict.cannot_show)
    for wrong in (ledger.checkpoint(size=size, standings=[own]), ledger.checkpoint(size=3)):
        with pytest.raises(IntegrityError, match="foreign key"):
            dprelease.verify(folder, checkpoint=kept(tmp_path.parent, sign(wrong, SIGNER).to_mapping()))


def test_a_longer_checkpoint_leaves_open_what_happened_since(bundle: dict[str, bytes], tmp_path: Path) -> None:
    ledger, own = Ledger(), standing(facts(bundle))
    folder, size = signed(bundle, tmp_path, SIGNER, entered(bundle, SIGNER, ledger)), len(ledger.hashes)
    here = ledger.checkpoint(standings=[own])
    proven = entered(bundle, SIGNER, ledger, previous=here)
    day = date.fromisoformat(facts(bundle)["published"])

    def verified(length: int, on: date) -> Verdict:
        ledger.grow(length)
        checkpoint = ledger.checkpoint(size=length, standings=[own], on=on.isoformat())
        return dprelease.verify(folder, checkpoint=kept(tmp_path.parent, sign(checkpoint, SIGNER).to_mapping()))

    for length in (size + 9, size):
        told = [each.words for each in verified(length, day).cannot_show if each.code == "cannot.put_back"]
        assert len(told) == (length > size)
        assert all(f"{length} lines and not {size}" in words and "ledger verify" in words for words in told)
    with pytest.raises(IntegrityError, match=r"^kept checkpoint: .*the ledger was put back"):
        verified(size + 9, day - timedelta(days=1))
    verified(size, day - timedelta(days=1))
    verdict = dprelease.verify(folder, checkpoint=kept(tmp_path.parent, proven))  # dated earlier, but it continues this
    assert names(verdict)[-1] == "kept_checkpoint"
    assert any("put back to an older copy" in unknown.words for unknown in verdict.cannot_show)


def test_a_checkpoint_of_another_length_shows_nothing_and_is_no_failure(
    bundle: dict[str, bytes], tmp_path: Path
) -> None:
    own = standing(facts(bundle))
    folder = signed(bundle, tmp_path, SIGNER, whole(bundle))
    ledger = Ledger()
    entered(bundle, SIGNER, ledger, previous=before(ledger, bundle))
    ledger.grow(50)
    for checkpoint in (
        ledger.checkpoint(size=3),
        ledger.checkpoint(size=40, standings=[own], on=facts(bundle)["published"]),
    ):
        verdict = dprelease.verify(folder, checkpoint=kept(tmp_path.parent, sign(checkpoint, SIGNER).to_mapping()))
        assert "kept_checkpoint" not in names(verdict)
        assert any(f"of {checkpoint.size} lines" in unknown.words for unknown in verdict.cannot_show)


def test_a_fork_and_a_rollback_are_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    entry = whole(bundle)
    folder = signed(bundle, tmp_path, SIGNER, entry)
    size, workspace = entry["checkpoint"]["size"], entry["checkpoint"]["workspace"]
    ledger = Ledger("fork")
    ledger.hashes = [workspace]
    ledger.grow(size + 5)
    own = standing(facts(bundle))
    more = replace(own, spent=replace(own.spent, epsilon_nano=own.spent.epsilon_nano + 1))
    wrong = {
        "forked or rewritten": [
            ledger.checkpoint(size=size, standings=[own]),
            ledger.checkpoint(size=5),
        ],
        "less spending": [
            ledger.checkpoint(size=4, standings=[replace(more, last_charge=3)]),
            ledger.checkpoint(
                size=4, standings=[replace(own, last_charge=3, population=replace(own.population, name="gone"))]
            ),
            ledger.checkpoint(size=size + 3),
        ],
    }
    for words, checkpoints in wrong.items():
        for checkpoint in checkpoints:
            path = kept(tmp_path.parent, sign(checkpoint, SIGNER).to_mapping())
            with pytest.raises(IntegrityError, match=rf"^kept checkpoint: .*{words}"):
                dprelease.verify(folder, checkpoint=path)


def test_a_checkpoint_that_is_not_the_publishers_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    folder = signed(bundle, tmp_path, SIGNER, whole(bundle))
    honest = sign(before(Ledger(), bundle), SIGNER).to_mapping()
    foreign, elsewhere = sign(before(Ledger(), bundle), key_of(9)), sign(before(Ledger("two"), bundle), SIGNER)
    for value, words in (
        (foreign.to_mapping(), "foreign key"),
        (elsewhere.to_mapping(), "another workspace"),
        (honest | {"signature": "00" * 64}, "signature"),
        (whole(bundle) | {"consistency": []}, "consistency"),
    ):
        with pytest.raises(IntegrityError, match=rf"^kept checkpoint: .*{words}"):
            dprelease.verify(folder, checkpoint=kept(tmp_path.parent, value))


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"[]", b"{}", b"\xff", b"[" * 10**5),
        b'{"checkpoint": {}, "signer": "", "signature": ""}',
        b'{"checkpoint": {}, "signer": "", "signature": "", "dprelease_ledger": 1}',
    ],
)
def test_a_file_that_is_no_checkpoint_is_the_askers_mistake(
    bundle: dict[str, bytes], tmp_path: Path, data: bytes
) -> None:
    folder = signed(bundle, tmp_path / "bundle", SIGNER)
    (tmp_path / "kept.json").write_bytes(data)
    for path in (tmp_path / "kept.json", tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(InputError):
            dprelease.verify(folder, checkpoint=path)


@pytest.mark.full
def test_a_ledger_of_any_length_is_shown(bundle: dict[str, bytes], tmp_path: Path) -> None:
    for events in (1, 2, 7, 8, 9, 31, 32, 33, 200):
        ledger = Ledger()
        previous = before(ledger, bundle)
        for how in ({"between": events}, {"after": events}):
            entry = entered(bundle, SIGNER, Ledger(), previous=previous, **how)
            dprelease.verify(signed(bundle, tmp_path, SIGNER, entry))


def test_ledger_json_is_the_same_bytes_each_time(bundle: dict[str, bytes]) -> None:
    assert pretty(whole(bundle)) == pretty(json.loads(pretty(whole(bundle))))


STRANGE: dict[str, Change] = {
    "a name that is a list": lambda value: value["checkpoint"]["populations"][0].update(name=["x"]),
    "a name with half a character": lambda value: value["checkpoint"]["populations"][0].update(name="\ud800"),
    "a unit that is a number": lambda value: value["checkpoint"]["populations"][0].update(unit=1),
    "a charge that is a word": lambda value: value["checkpoint"]["populations"][0]["spent"].update(epsilon_nano="7"),
    "another spend": lambda value: value["checkpoint"]["populations"][0]["spent"].update(gold=7),
    "a period that is nothing": lambda value: value["checkpoint"]["populations"][0].update(period=None),
    "too long": lambda value: value["checkpoint"].update(size=2**60),
    "not a number": lambda value: value["checkpoint"].update(size=float("nan")),
    "a whole number with a point": lambda value: value["checkpoint"].update(size=12.0),
    "a version that is true": lambda value: value["checkpoint"].update(dprelease_checkpoint=True),
    "a ledger.json without hand-overs": lambda value: value.update(dprelease_ledger=1),
    "a note beside it": lambda value: value.update(note="mine"),
}


@pytest.mark.parametrize("change", STRANGE.values(), ids=STRANGE)
def test_a_kept_file_with_strange_values_is_the_askers_mistake(
    bundle: dict[str, bytes], tmp_path: Path, change: Change
) -> None:
    folder = signed(bundle, tmp_path / "bundle", SIGNER)
    value = sign(before(Ledger(), bundle), SIGNER).to_mapping()
    change(value)
    (tmp_path / "kept.json").write_text(json.dumps(value))
    with pytest.raises(InputError):
        dprelease.verify(folder, checkpoint=tmp_path / "kept.json")
