"""What the ledger promises, 1 to 6: each promise, and the tests that show it on real files with real processes."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.errors import AccessError, InputError, InsufficientBudgetError, IntegrityError
from dprelease.model.actor import OWNER
from dprelease.model.encoding import canonical
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import connection as connections
from dprelease.store import layout, ledger
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.verify import verify
from tests.trust import attacker, faults, world
from tests.trust.attacker import Change, Event
from tests.trust.faults import FORK, Child, Fault, Scene, Seen
from tests.trust.world import approved, people, plan, publish, solo

CENT = PrivacyLoss(epsilon_nano=10_000_000)
PROCESSES, SPENDS = 16, 50
MARIA, JONAS = "maria", "jonas"


@pytest.fixture
def kept(home: Path) -> Path:
    """A checkpoint that somebody took away."""
    path = home.parent / "kept.json"
    path.write_text(json.dumps(dprelease.Workspace.open(home).ledger.checkpoint().to_mapping()))
    return path


# Promise 1


class TestASpendIsOneDurableTransaction:
    """A spend is one BEGIN IMMEDIATE transaction on a database in WAL mode with synchronous=FULL, which is checked when
    it is opened. A trigger refuses to change or delete an event, and any charge that would exceed the cap.
    """

    def test_the_database_is_set_to_be_durable(self, home: Path) -> None:
        database = Database.open(home / "ledger.db")
        for lend in (database.reading, database.writing):
            with lend() as connection:
                found = {
                    name: connection.execute(f"PRAGMA {name}").fetchone()[0]
                    for name in ("journal_mode", "synchronous", "foreign_keys", "recursive_triggers", "fullfsync")
                }
            assert found == {
                "journal_mode": "wal",
                "synchronous": 2,
                "foreign_keys": 1,
                "recursive_triggers": 1,
                "fullfsync": 1,
            }

    @pytest.mark.parametrize("pragma", ["synchronous", "fullfsync"])
    def test_a_workspace_that_cannot_be_durable_does_not_open(
        self, home: Path, pragma: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(connections.PRAGMAS, pragma, 7)
        with pytest.raises(InputError, match=pragma):
            dprelease.Workspace.open(home)

    def test_a_charge_is_one_immediate_transaction(self, steps: list[str]) -> None:
        charge = next(place for place, step in enumerate(steps) if step.startswith("INSERT INTO ledger"))
        begin = max(place for place in range(charge) if steps[place].startswith("BEGIN"))
        assert steps[begin] == "BEGIN IMMEDIATE"
        commit = steps.index("COMMIT", charge)
        inside = steps[begin + 1 : commit]
        assert not any(step.startswith(("BEGIN", "COMMIT", "ROLLBACK")) for step in inside)
        assert any("spent_epsilon_nano" in step or "SELECT spent" in step for step in inside)
        assert faults.NOISE not in steps[:commit]

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE ledger SET epsilon_nano = 1 WHERE kind = 'charge'",
            "UPDATE OR REPLACE ledger SET seq = 1 WHERE seq = 2",
            "DELETE FROM ledger WHERE kind = 'charge'",
            "DELETE FROM ledger",
            "REPLACE INTO ledger SELECT * FROM ledger",
        ],
    )
    def test_another_program_cannot_change_an_event(self, home: Path, statement: str) -> None:
        with closing(sqlite3.connect(home / "ledger.db", isolation_level=None)) as raw:
            before = raw.execute("SELECT * FROM ledger").fetchall()
            with pytest.raises(sqlite3.IntegrityError, match=r"^ledger:"):
                raw.execute(statement)
            assert raw.execute("SELECT * FROM ledger").fetchall() == before

    def test_another_program_cannot_spend_more_than_the_cap(self, home: Path) -> None:
        with closing(sqlite3.connect(home / "ledger.db", isolation_level=None)) as raw:
            with pytest.raises(sqlite3.IntegrityError, match="cap"):
                attacker.charge(raw, 500_000_001)
            attacker.charge(raw, 500_000_000)
            with pytest.raises(sqlite3.IntegrityError, match="cap"):
                attacker.charge(raw, 1)
        workspace = dprelease.Workspace.open(home)
        assert workspace.populations.budget("people").remaining == PrivacyLoss()
        assert workspace.ledger.verify() == workspace.ledger.count()


# Promise 2


def spend(path: Path, times: int, together: Barrier, pipe: Connection) -> None:
    database = Database.open(path)
    outcomes = []
    together.wait()
    for _ in range(times):
        try:
            ledger.charge(database, "people", CENT, actor=OWNER)
            outcomes.append("accepted")
        except InsufficientBudgetError:
            outcomes.append("refused")
    pipe.send(("steps", outcomes))


def publish_often(home: Path, plan_id: str, times: int, pipe: Connection) -> None:
    from dprelease.charts import picture as charts

    charts.picture = lambda release, statistic, **_: faults.Blank()  # type: ignore[assignment,return-value]
    workspace, outcomes = dprelease.Workspace.open(home), []
    for _ in range(times):
        try:
            outcomes.append(workspace.publish(plan_id, again=True).id)
        except InsufficientBudgetError:
            outcomes.append("refused")
    pipe.send(("steps", outcomes))


class TestProcessesTogetherSpendExactlyTheBudget:
    """Sixteen processes try fifty spends each of a budget for a hundred: exactly a hundred are accepted, and the others
    are refused without any other error.
    """

    def test_sixteen_processes(self, tmp_path: Path) -> None:
        workspace = solo(tmp_path / "home")
        together = FORK.Barrier(PROCESSES)
        path = tmp_path / "home" / "ledger.db"
        runs = [child.finish() for child in [Child.start(spend, path, SPENDS, together) for _ in range(PROCESSES)]]
        outcomes = [outcome for run in runs for outcome in run.steps]
        assert (outcomes.count("accepted"), outcomes.count("refused")) == (100, PROCESSES * SPENDS - 100)
        account = workspace.populations.budget("people")
        assert (account.spent, account.charges, account.remaining) == (account.cap, 100, PrivacyLoss())
        assert workspace.ledger.count(kinds=[EventKind.SPEND_REFUSED]) == PROCESSES * SPENDS - 100
        assert workspace.ledger.verify() == workspace.ledger.count()

    @pytest.mark.parametrize(
        ("processes", "times", "fit"), [(4, 3, 8), pytest.param(PROCESSES, SPENDS, 100, marks=pytest.mark.full)]
    )
    def test_whole_publications(self, quick: Path, processes: int, times: int, fit: int) -> None:
        home, epsilon = quick / "home", 1 / fit
        workspace = solo(home)
        plans = [approved(workspace, plan(epsilon, f"Plan {number}")) for number in range(processes)]
        runs = [child.finish() for child in [Child.start(publish_often, home, each, times) for each in plans]]
        outcomes = [outcome for run in runs for outcome in run.steps]
        released = {outcome for outcome in outcomes if outcome != "refused"}
        assert (len(released), len(outcomes) - outcomes.count("refused")) == (fit, fit)
        assert workspace.populations.budget("people").remaining == PrivacyLoss()
        assert {path.name for path in (home / "public").iterdir()} == released | {"checkpoint.json"}
        assert workspace.ledger.verify() == workspace.ledger.count()


# Promise 3


MOMENTS: dict[str, Callable[[list[str]], int]] = {
    "before the charge": lambda steps: nth(steps, "INSERT INTO ledger", 0),
    "after the charge": lambda steps: steps.index(faults.NOISE),
    "between two draws": lambda steps: steps.index(faults.NOISE) + 1,
    "before the seal is kept": lambda steps: steps.index("COMMIT", nth(steps, "UPDATE releases", 0)),
    "after the seal": lambda steps: steps.index("COMMIT", nth(steps, "UPDATE releases", 0)) + 1,
    "before the publication is recorded": lambda steps: steps.index("COMMIT", nth(steps, "INSERT INTO checkpoints", 0)),
    "after the publication is recorded": lambda steps: (
        steps.index("COMMIT", nth(steps, "INSERT INTO checkpoints", 0)) + 1
    ),
    "in the middle of a file": lambda steps: last(steps, "rename") - 20,
    "before the files appear": lambda steps: last(steps, "rename"),
    "after the files appeared": lambda steps: last(steps, "rename") + 1,
}
"""The place of a step among all of a publication; the kill happens instead of it."""


def nth(steps: list[str], beginning: str, number: int) -> int:
    return [place for place, step in enumerate(steps) if step.startswith(beginning)][number]


def last(steps: list[str], label: str) -> int:
    return max(place for place, step in enumerate(steps) if step == label)


def publish_at_once(scene: Scene, together: Barrier, pipe: Connection) -> None:
    from dprelease.charts import picture as charts

    charts.picture = lambda release, statistic, **_: faults.Blank()  # type: ignore[assignment,return-value]
    workspace = scene.open()
    together.wait()
    release = workspace.publish(scene.plan_id)
    pipe.send(("release", release.id))
    pipe.send(("steps", [str(value) for table in release.tables.values() for value in table.value]))


class TestAKilledProcessLosesNothing:
    """Kill -9 between charge, draw, seal, files and publication record: no acknowledged charge is lost and none is
    given back; nothing half-written is public; one draw is sealed, the first, and no other is ever shown. What is
    sealed are noisy values only. (Kills at every step are in test_faults.py.)
    """

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("moment", MOMENTS)
    def test_killed(self, scene: Scene, steps: list[str], quick: Path, moment: str) -> None:
        copied = scene.copy(quick)
        run = faults.publish(copied, Fault.KILL, MOMENTS[moment](steps) + 1, drawn=False).finish()
        assert run.killed
        assert faults.left_behind(copied, run) == []
        before = Seen.of(copied)
        assert len(before.charges) == (moment != "before the charge")
        assert (before.draw is not None) == (list(MOMENTS).index(moment) >= list(MOMENTS).index("after the seal"))
        assert faults.recovered(copied, before, resume=True) == []

    def test_of_several_processes_one_draw_is_sealed(self, scene: Scene, quick: Path) -> None:
        copied, together = scene.copy(quick), FORK.Barrier(6)
        children = [Child.start(publish_at_once, copied, together) for _ in range(6)]
        runs = [child.finish() for child in children]
        assert len({(run.release, *run.steps) for run in runs}) == 1
        seen = Seen.of(copied)
        assert (len(seen.charges), seen.announced) == (1, 1)
        assert list(map(str, faults.sealed(seen.draw))) == runs[0].steps

    def test_a_second_seal_changes_nothing_even_by_another_program(self, home: Path) -> None:
        with closing(sqlite3.connect(home / "ledger.db", isolation_level=None)) as raw:
            with pytest.raises(sqlite3.IntegrityError, match="the first seal stands"):
                raw.execute("UPDATE releases SET sealed = x'7b7d'")
            with pytest.raises(sqlite3.IntegrityError, match="its own charge"):
                raw.execute(
                    "INSERT INTO releases (id, plan_id, charge_seq, state) SELECT 'x', plan_id, charge_seq, 'charged'"
                    " FROM releases"
                )

    def test_the_seal_and_its_backups_hold_noisy_values_only(self, quick: Path) -> None:
        workspace = dprelease.Workspace.create(quick / "home")
        columns = {"x": {"type": "integer", "lower": 0, "upper": 10**6}}
        rows = people(60).assign(x=[123_457 + 7 * place for place in range(60)])
        true = int(rows.x.sum())
        workspace.add_dataset("people", rows, columns=columns, epsilon=1)
        statistics = [{"id": "total", "kind": "sum", "column": "x"}]
        publish(workspace, 0.001, columns=columns, statistics=statistics)
        workspace.ledger.backup(quick / "backup")
        for path in (quick / "home" / "ledger.db", quick / "backup" / "ledger.db"):
            with closing(sqlite3.connect(path)) as raw:
                ((draw,),) = raw.execute("SELECT sealed FROM releases").fetchall()
                dumped = "\n".join(raw.iterdump())
            assert len(faults.sealed(draw)) == 1
            assert faults.sealed(draw) != [true]
            assert str(true) not in dumped


# Promise 4


class TestTheDatabaseOpensWholeOrNotAtAll:
    """Two processes may open a new workspace at the same moment. A layout that fails is undone whole. A database of
    a newer version is refused, and so is one of before 1.0.
    """

    def test_first_openings_at_once(self, tmp_path: Path) -> None:
        home, together = tmp_path / "home", FORK.Barrier(4)
        opened = [faults.open_folder(home, Fault.SLOW, together=together) for _ in range(4)]
        runs = [child.finish() for child in opened]
        workspace = dprelease.Workspace.open(home)
        assert [(run.refusal, run.release) for run in runs] == [(None, workspace.public_key)] * 4
        assert [event.kind for event in workspace.ledger.events()] == [EventKind.WORKSPACE_CREATED]

    def test_a_newer_database_and_one_of_before_the_format_are_refused(self, tmp_path: Path) -> None:
        dprelease.Workspace.create(tmp_path)
        changes = [
            (f"PRAGMA user_version = {layout.LAYOUT + 1}", "newer format"),
            ("PRAGMA application_id = 0", "before the format began"),
        ]
        for change, refusal in changes:
            with closing(sqlite3.connect(tmp_path / "ledger.db")) as raw, raw:
                raw.execute("CREATE TABLE IF NOT EXISTS _sqlite_migrations (name TEXT)")
                raw.execute(change)
            before = dumped(tmp_path / "ledger.db")
            with pytest.raises(InputError, match=refusal):
                dprelease.Workspace.open(tmp_path)
            assert dumped(tmp_path / "ledger.db") == before


def dumped(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as raw:
        return list(raw.iterdump())


# Promise 5


def edit(events: list[Event]) -> list[Event]:
    """The charge becomes a tenth."""
    for event in events:
        if event["kind"] == "charge":
            event["epsilon_nano"] //= 10
    return events


def drop(events: list[Event]) -> list[Event]:
    """A preview was never taken."""
    first = next(event for event in events if event["kind"] == "preview_taken")
    return [event for event in events if event is not first]


def reorder(events: list[Event]) -> list[Event]:
    """The previews were taken the other way round."""
    first, second = [place for place, event in enumerate(events) if event["kind"] == "preview_taken"]
    events[first], events[second] = events[second], events[first]
    events[first]["seq"], events[second]["seq"] = events[second]["seq"], events[first]["seq"]
    return events


def cut(events: list[Event]) -> list[Event]:
    """There was no release."""
    return events[: next(place for place, event in enumerate(events) if event["kind"] == "charge")]


CHANGES: dict[str, Change] = {"edited": edit, "dropped": drop, "reordered": reorder, "cut": cut}


class TestTamperingShowsBesideOneCheckpointKeptOutside:
    """Entries are canonical JSON (RFC 8785) in a chain of hashes. After each publication a signed checkpoint goes into
    the bundle: how many entries, their Merkle root, what each population has spent. A changed, dropped or moved entry,
    a cut end and an old copy that was put back are each found beside one checkpoint kept elsewhere. Without one,
    whoever writes the whole ledger anew is not found. Hashes of outputs stand in `published` events only.
    """

    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
    def test_a_ledger_that_is_changed_carelessly_contradicts_itself(self, home: Path, change: Change) -> None:
        attacker.rewrite(home / "ledger.db", change, consistently=False)
        with pytest.raises(IntegrityError, match=r"^ledger event \d+: "):
            dprelease.Workspace.open(home).ledger.verify()

    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
    def test_a_ledger_that_is_written_anew_shows_only_beside_a_checkpoint(
        self, home: Path, kept: Path, change: Change
    ) -> None:
        (release,) = dprelease.Workspace.open(home).releases.find()
        before = dprelease.Workspace.open(home).ledger.count()
        attacker.rewrite(home / "ledger.db", change, consistently=True)
        unwatched = dprelease.Workspace.open(home)
        assert verify(unwatched._state.database) == unwatched.ledger.count() <= before, "the events alone show nothing"
        in_the_bundle = home / "public" / release.id / "ledger.json"
        for checkpoint in (kept, in_the_bundle):
            with pytest.raises(IntegrityError, match="does not continue the checkpoint"):
                unwatched.ledger.verify(str(checkpoint))
        for watched in (dprelease.Workspace.open(home, checkpoint=str(kept)), dprelease.Workspace.open(home)):
            with pytest.raises(IntegrityError, match="Nothing is spent"):
                publish(watched, 0.1, "Next")
        shutil.rmtree(home / "public")
        with pytest.raises(IntegrityError, match="Nothing is spent"):
            publish(dprelease.Workspace.open(home, checkpoint=str(kept)), 0.1, "Next")
        assert publish(dprelease.Workspace.open(home), 0.1, "Next").id

    def test_an_old_copy_that_was_put_back_shows_only_beside_a_checkpoint(self, home: Path, quick: Path) -> None:
        kept = quick / "kept.json"
        workspace = dprelease.Workspace.open(home)
        workspace.ledger.backup(quick / "backup")
        publish(workspace, 0.4, "Spent and forgotten")
        kept.write_text(json.dumps(workspace.ledger.checkpoint().to_mapping()))
        restored = dprelease.Workspace.restore(quick / "backup", quick / "older")
        assert restored.ledger.verify() == restored.ledger.count()
        assert restored.populations.budget("people").remaining.epsilon_nano == 500_000_000
        with pytest.raises(IntegrityError, match="older or another copy"):
            restored.ledger.verify(str(kept))
        watched = dprelease.Workspace.open(quick / "older", checkpoint=str(kept))
        with pytest.raises(IntegrityError, match="older or another copy"):
            publish(watched, 0.4, "Again")
        watched.ledger.accept("The disk was replaced.")
        assert watched.populations.budget("people").remaining.epsilon_nano == 100_000_000
        with pytest.raises(InsufficientBudgetError):
            publish(watched, 0.4, "Again")

    def test_readers_see_that_a_ledger_was_forked(self, home: Path, quick: Path) -> None:
        """Two copies go on; who has a bundle of the one sees that a bundle of the other is of another ledger."""
        shutil.copytree(home, quick / "copy")
        ours, theirs = dprelease.Workspace.open(home), dprelease.Workspace.open(quick / "copy")
        first, second = publish(ours, 0.1, "Ours"), publish(theirs, 0.1, "Theirs")
        with pytest.raises(IntegrityError, match="kept checkpoint"):
            dprelease.verify(
                theirs.releases.bundle(second.id),
                key=ours.public_key,
                checkpoint=ours.releases.bundle(first.id) / "ledger.json",
            )

    def test_entries_are_canonical_json_in_a_chain_of_hashes(self, home: Path) -> None:
        previous = "0" * 64
        for event in dprelease.Workspace.open(home).ledger.events():
            told = event.to_record()
            assert told["public"]["previous_hash"] == previous
            assert hashlib.sha256(canonical(told["public"])).hexdigest() == told["hash"]
            assert hashlib.sha256(canonical(told["rest"])).hexdigest() == told["public"]["rest"]
            previous = told["hash"]
        with closing(sqlite3.connect(home / "ledger.db")) as raw:
            for (body,) in raw.execute("SELECT body FROM ledger"):
                assert canonical(json.loads(body)) == body.encode()

    def test_every_bundle_holds_a_signed_checkpoint(self, home: Path) -> None:
        """Checked with a library for Ed25519 and the descriptions of the formats alone."""
        workspace = dprelease.Workspace.open(home)
        second = publish(workspace, 0.25, "Second")
        hashes = [event.hash for event in workspace.ledger.events()]
        told: dict[str, Any] = {}
        for release, spent in zip(reversed(workspace.releases.find()), (500_000_000, 750_000_000), strict=True):
            bundle = workspace.releases.bundle(release.id)
            told = json.loads((bundle / "ledger.json").read_text())
            checkpoint, size = told["checkpoint"], told["checkpoint"]["size"]
            key: Any = load_pem_public_key((bundle / "signer.pub").read_bytes())
            key.verify(bytes.fromhex(told["signature"]), canonical(checkpoint))
            assert checkpoint["root"] == attacker.tree_root(hashes[:size])
            for name in ("charge", "published"):
                event = told[name]["event"]
                assert hashlib.sha256(canonical(event)).hexdigest() == hashes[event["seq"] - 1]
            assert told["published"]["event"]["seq"] == size
            (population,) = checkpoint["populations"]
            assert (population["name"], population["spent"]["epsilon_nano"]) == ("people", spent)
        assert told["previous"]["root"] == attacker.tree_root(hashes[: told["previous"]["size"]])
        assert second.entry["checkpoint"] == told["checkpoint"]

    def test_verify_needs_only_public_files_and_a_key_from_elsewhere(self, home: Path, tmp_path: Path) -> None:
        workspace = dprelease.Workspace.open(home)
        (release,) = workspace.releases.find()
        key = workspace.public_key
        shutil.copytree(workspace.releases.bundle(release.id), tmp_path / "elsewhere" / release.id)
        shutil.rmtree(home)
        bundle = tmp_path / "elsewhere" / release.id
        assert dprelease.verify(bundle).words == "intact, signer unknown"
        verdict = dprelease.verify(bundle, key=key)
        assert (verdict.words, verdict.signer_known) == ("intact, signed by the expected key", True)
        with pytest.raises(IntegrityError, match="signed by"):
            dprelease.verify(bundle, key=solo().public_key)

    def test_hashes_of_outputs_stand_in_published_events_only(self, home: Path) -> None:
        workspace = dprelease.Workspace.open(home)
        (release,) = workspace.releases.find()
        workspace.releases.add_erratum(release.id, "A word was wrong.")
        with closing(sqlite3.connect(home / "ledger.db")) as raw:
            ((draw,),) = raw.execute("SELECT sealed FROM releases").fetchall()
        outputs = [draw, *world.contents(workspace.releases.bundle(release.id)).values()]
        outputs += [canonical(json.loads(draw)), canonical(release.tables["by_sex"].value)]
        told = [canonical(each).decode() for each in _parts(json.loads(draw))]
        guesses = {hashlib.sha256(data).hexdigest() for data in (*outputs, *(text.encode() for text in told))}
        guesses |= set(_hashes([release.entry["published"]["event"]["facts"]["outputs"]]))
        for event in workspace.ledger.events():
            if event.kind != EventKind.PUBLISHED:
                assert not guesses & set(_hashes(event.body)), event.kind
        assert "outputs" in workspace.ledger.events(kinds=[EventKind.PUBLISHED])[0].body


def _parts(value: Any) -> Iterable[Any]:
    yield value
    if isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _parts(each)


def _hashes(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _hashes(each)


# Promise 6


def _csv(rows: Any, path: Path, end: str = "\n") -> Path:
    rows.to_csv(path, index=False, lineterminator=end)
    return path


def _changed(rows: Any) -> Any:
    return rows.assign(age=[99, *rows.age[1:]])


VARIANTS: dict[str, Callable[[Any, Path], Path]] = {
    "shuffled": lambda rows, folder: _csv(rows.sample(frac=1, random_state=1), folder / "people.csv"),
    "renamed": lambda rows, folder: _csv(rows, folder / "other name.csv"),
    "with other line ends": lambda rows, folder: _csv(rows, folder / "people.csv", "\r\n"),
    "with one row changed": lambda rows, folder: _csv(_changed(rows), folder / "people.csv"),
    "uploaded again": lambda rows, folder: _csv(rows, folder / "people.csv"),
    "with a row left out": lambda rows, folder: _csv(rows.iloc[1:], folder / "people.csv"),
    "with columns the other way round": lambda rows, folder: _csv(rows[["sex", "age"]], folder / "people.csv"),
}


class TestTheBudgetFollowsThePopulation:
    """The same people in another file have the same budget left: shuffled, renamed, with other line ends, with one row
    changed, uploaded again. How populations overlap is attested by the curator, shown to the reviewer, and certificates
    add up what populations that overlap have spent.
    """

    @pytest.fixture
    def spent(self, tmp_path: Path) -> dprelease.Workspace:
        workspace = dprelease.Workspace.in_memory()
        path = _csv(people(), tmp_path / "people.csv")
        workspace.add_dataset("people", path, columns=world.COLUMNS, epsilon=1, unit="person")
        publish(workspace, 0.7)
        return workspace

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("variant", VARIANTS)
    @pytest.mark.parametrize("replaced", [True, False], ids=["replaced", "another dataset"])
    def test_the_same_people_in_another_file(
        self, spent: dprelease.Workspace, tmp_path: Path, variant: str, replaced: bool
    ) -> None:
        left = spent.populations.budget("people").remaining
        folder = tmp_path / "uploads"
        folder.mkdir()
        path = VARIANTS[variant](people(), folder)
        name = "people" if replaced else "others"
        if replaced:
            spent.datasets.replace_rows("people", path, same=True)
        else:
            spent.add_dataset("others", path, population="people", columns=world.COLUMNS)
        assert spent.populations.budget("people").remaining == left
        with pytest.raises(InsufficientBudgetError):
            publish(spent, 0.4, "Too much", dataset=name)
        publish(spent, 0.3, "The rest", dataset=name)
        assert spent.populations.budget("people").remaining == PrivacyLoss()

    def test_another_name_for_the_same_people_is_said_on_every_certificate(self, spent: dprelease.Workspace) -> None:
        """Nobody compares identifiers, which would tell who is in a table: people attest, and readers see."""
        spent.add_dataset("again", people(), columns=world.COLUMNS, epsilon=1, unit="person")
        told = publish(spent, 0.5, "Unattested", dataset="again").certificate
        assert told.cumulative.overlap_not_attested == 1
        assert any("not attested" in sentence for sentence in caveats(told))
        spent.populations.attest_overlap("again", "people", "same")
        told = publish(spent, 0.25, "Attested", dataset="again").certificate
        assert told.cumulative.epsilon == 0.75
        assert told.cumulative.together.epsilon == 0.75 + 0.7
        assert told.cumulative.overlapping[0].population == "people"
        assert any("adds up" in sentence for sentence in caveats(told))

    def test_the_reviewer_sees_what_is_attested_before_deciding(self, quick: Path) -> None:
        team = solo(quick)
        team.people.require_two_people()
        for name, roles in ((MARIA, ["curator"]), (JONAS, ["reviewer"])):
            team.people.invite(name, roles, actor=OWNER)
        maria, jonas = team.people.get(MARIA), team.people.get(JONAS)
        team.add_population(
            "staff", unit="person", neighbors="add_remove", epsilon=1, overlaps={"people": "some"}, actor=maria
        )
        (request,) = team.populations.requests(actor=jonas)
        assert request.body["overlaps"] == {"people": "some"}
        with pytest.raises(AccessError):
            team.populations.approve_request(request.id, actor=maria)
        team.populations.approve_request(request.id, actor=jonas)
        assert team.populations.overlaps("people", actor=jonas) == {"staff": "some"}
        (event,) = team.ledger.events(kinds=[EventKind.OVERLAP_ATTESTED], actor=jonas)
        assert (event.actor, event.population, dict(event.body)) == (
            MARIA,
            "staff",
            {"other": "people", "overlap": "some"},
        )
