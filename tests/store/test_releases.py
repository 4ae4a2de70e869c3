"""From a charge to a sealed draw to a published release."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from dprelease.errors import AccessError, InputError, InsufficientBudgetError, IntegrityError, InternalError, PlanError
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import account, checkpoints, datasets, ledger, plans, releases
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.plans import PlanState
from dprelease.store.releases import Publication, ReleaseState
from dprelease.store.verify import verify
from tests.store import world
from tests.store.spender import begin_in_process
from tests.store.world import CENT, CURATOR, ONE

pytestmark = pytest.mark.quick

TODAY = "2026-11-20"


@pytest.fixture
def plan_id(registered: Database) -> str:
    return world.approve(registered).id


def begin(database: Database, plan_id: str, *, again: bool = False, loss: PrivacyLoss = CENT) -> Publication:
    return releases.begin(database, plan_id, loss, actor=CURATOR, slug="hospital-visits", again=again)


def finish(database: Database, publication: Publication, payload: bytes = b"noisy") -> Publication:
    releases.seal(database, publication.id, payload, on=TODAY, actor=CURATOR)
    releases.certify(database, publication.id, '{"id":"x"}', withheld=False)
    return releases.publish(database, publication.id, on="2026-11-21")


def charges(database: Database) -> int:
    return account.account(database, "patients").charges


def test_a_release_begins_with_a_charge(registered: Database, plan_id: str) -> None:
    publication = releases.begin(
        registered, plan_id, CENT, actor=CURATOR, slug="hospital-visits", body={"statistics": [{"id": "n"}]}
    )
    assert publication.state is ReleaseState.CHARGED
    assert publication.id == f"hospital-visits-{publication.charge.hash[:8]}"
    assert (publication.certificate, publication.published_on) == (None, None)
    assert publication.charge == ledger.events(registered)[-1]
    assert (publication.charge.loss, publication.charge.spent, publication.charge.charges) == (CENT, CENT, 1)
    assert publication.charge.body == {
        "plan": plan_id,
        "plan_hash": world.plan().hash,
        "dataset": "visits",
        "dataset_version": "v1",
        "approval": 5,
        "approver": "jonas",
        "two_people": False,
        "statistics": [{"id": "n"}],
        "cap": {"epsilon_nano": 1_000_000_000, "delta_atto": 0},
        "period": None,
        "before": {"epsilon_nano": 0, "delta_atto": 0},
    }
    assert releases.get(registered, publication.id) == publication
    with pytest.raises(InputError):
        releases.payload(registered, publication.id)


def test_beginning_twice_is_charged_once(registered: Database, plan_id: str) -> None:
    publication = begin(registered, plan_id)
    assert begin(registered, plan_id) == begin(registered, plan_id, again=True) == publication
    releases.seal(registered, publication.id, b"noisy", on=TODAY, actor=CURATOR)
    resumed = begin(registered, plan_id, again=True)
    assert (resumed.id, resumed.state, resumed.certificate) == (publication.id, ReleaseState.SEALED, None)
    assert resumed.sealed_on == TODAY
    assert charges(registered) == 1


def test_the_first_seal_wins(registered: Database, plan_id: str) -> None:
    publication = begin(registered, plan_id)
    first = releases.seal(registered, publication.id, b"first", on=TODAY, actor=CURATOR)
    assert releases.seal(registered, publication.id, b"second", on="2026-11-22", actor=CURATOR) == first
    assert releases.payload(registered, publication.id) == b"first"
    assert (first.state, first.sealed_on) == (ReleaseState.SEALED, TODAY)
    finish(registered, publication, b"third")
    assert releases.payload(registered, publication.id) == b"first"
    assert ledger.count(registered, kinds=[EventKind.SEALED]) == 1


def test_the_first_certificate_wins(registered: Database, plan_id: str) -> None:
    publication = begin(registered, plan_id)
    releases.seal(registered, publication.id, b"first", on=TODAY, actor=CURATOR)
    first = releases.certify(registered, publication.id, '{"n":1}', withheld=False, answers=b"made")
    failed = '{"criteria":[{"held":false}]}'
    assert releases.certify(registered, publication.id, failed, withheld=True) == first
    assert first.certificate == '{"n":1}'
    assert releases.payload(registered, publication.id) == b"first"
    assert releases.kept_answers(registered, publication.id) == b"made"


def test_what_is_withheld_keeps_no_draw(registered: Database, plan_id: str) -> None:
    publication = begin(registered, plan_id)
    releases.seal(registered, publication.id, b"first", on=TODAY, actor=CURATOR)
    failed = '{"criteria":[{"held":true},{"held":false}]}'
    with pytest.raises(InternalError, match="keeps no draw"):
        releases.certify(registered, publication.id, failed, withheld=False)
    with pytest.raises(InternalError, match="keeps no draw"):
        releases.certify(registered, publication.id, '{"criteria":[{"held":true}]}', withheld=True)
    with pytest.raises(InternalError, match="not of a release that is withheld"):
        releases.certify(registered, publication.id, failed, withheld=True, answers=b"made")
    assert releases.payload(registered, publication.id) == b"first"
    releases.certify(registered, publication.id, failed, withheld=True)
    assert releases.payload(registered, publication.id) == releases.NO_DRAW
    assert releases.seal(registered, publication.id, b"second", on=TODAY, actor=CURATOR).certificate == failed


def test_the_first_draw_of_a_round_stands_until_the_seal_has_it(registered: Database, plan_id: str) -> None:
    publication = begin(registered, plan_id)
    assert releases.kept_round(registered, publication.id, 0) is None
    with pytest.raises(InternalError, match="follows the one before"):
        releases.keep_round(registered, publication.id, 1, b"early")
    for drawn in (b"first", b"second"):
        assert releases.keep_round(registered, publication.id, 0, drawn) == b"first"
    assert releases.keep_round(registered, publication.id, 1, b"next") == b"next"
    assert [releases.kept_round(registered, publication.id, number) for number in range(2)] == [b"first", b"next"]
    releases.seal(registered, publication.id, b"all", on=TODAY, actor=CURATOR)
    assert releases.kept_round(registered, publication.id, 0) is None
    assert releases.keep_round(registered, publication.id, 0, b"late") is None
    with pytest.raises(InternalError, match="until the draw is sealed"), registered.writing() as connection:
        connection.execute("INSERT INTO rounds VALUES (?, 0, x'00')", [publication.id])


def test_a_release_is_published_once(registered: Database, plan_id: str) -> None:
    published = finish(registered, begin(registered, plan_id))
    assert (published.state, published.published_on) == (ReleaseState.PUBLISHED, "2026-11-21")
    assert releases.publish(registered, published.id, on="2027-01-01") == published
    assert begin(registered, plan_id) == published == releases.get(registered, published.id)
    assert plans.get(registered, plan_id).state is PlanState.PUBLISHED
    (event,) = ledger.events(registered, kinds=[EventKind.PUBLISHED])
    assert event.body == {
        "release": published.id,
        "charge": published.charge.seq,
        "charge_hash": published.charge.hash,
        "published_on": "2026-11-21",
    }
    assert charges(registered) == 1
    assert verify(registered) == 3 + 2 + 3


def test_publishing_again_is_another_release_and_another_charge(registered: Database, plan_id: str) -> None:
    first = finish(registered, begin(registered, plan_id))
    second = begin(registered, plan_id, again=True)
    assert second.id != first.id
    assert charges(registered) == 2
    assert begin(registered, plan_id) == second
    finish(registered, second, b"other")
    assert begin(registered, plan_id).id == second.id
    assert [item.id for item in releases.of_plan(registered, plan_id)] == [first.id, second.id]
    assert releases.payload(registered, first.id) == b"noisy"


def test_nothing_is_published_before_it_is_sealed(registered: Database, plan_id: str) -> None:
    publication = begin(registered, plan_id)
    with pytest.raises(InternalError):
        releases.certify(registered, publication.id, "{}", withheld=False)
    for _ in ("charged", "sealed"):
        with pytest.raises(InternalError):
            releases.publish(registered, publication.id, on="2026-11-21")
        assert releases.get(registered, publication.id) == publication
        publication = releases.seal(registered, publication.id, b"noisy", on=TODAY, actor=CURATOR)


def test_releases_are_listed_by_state(registered: Database) -> None:
    ids = [begin(registered, world.approve(registered, "lost").id).id]
    assert checkpoints.restored(registered) == [releases.get(registered, ids[0]).charge.seq]
    ids = [*(begin(registered, world.approve(registered, title).id).id for title in "abc"), *ids]
    releases.seal(registered, ids[1], b"noisy", on=TODAY, actor=CURATOR)
    finish(registered, releases.get(registered, ids[2]))
    assert [item.id for item in releases.every(registered)] == [ids[3], *ids[:3]]
    kinds = (ReleaseState.CHARGED, ReleaseState.SEALED, ReleaseState.PUBLISHED, ReleaseState.LOST)
    for release_id, state in zip(ids, kinds, strict=True):
        assert [item.id for item in releases.every(registered, state)] == [release_id]


def test_a_plan_must_be_approved(registered: Database) -> None:
    record = plans.add(registered, world.plan(), "v1", author=CURATOR)
    with pytest.raises(AccessError):
        begin(registered, record.id)
    assert charges(registered) == 0


def test_rows_that_were_replaced_need_the_plan_again(registered: Database, plan_id: str) -> None:
    other = world.approve(registered, "B").id
    finish(registered, begin(registered, plan_id))
    datasets.replace_rows(registered, "visits", "v2", "tables/2.parquet", actor=CURATOR)
    assert begin(registered, plan_id).state is ReleaseState.PUBLISHED
    for unsealed in (lambda: begin(registered, plan_id, again=True), lambda: begin(registered, other)):
        with pytest.raises(PlanError, match="Submit the plan again"):
            unsealed()
    assert charges(registered) == 1


def test_rows_that_a_release_was_charged_for_are_not_replaced(registered: Database, plan_id: str) -> None:
    publication = begin(registered, plan_id)
    with pytest.raises(InputError, match="charged for"):
        datasets.replace_rows(registered, "visits", "v2", "tables/2.parquet", actor=CURATOR)
    releases.seal(registered, publication.id, b"noisy", on=TODAY, actor=CURATOR)
    assert datasets.replace_rows(registered, "visits", "v2", "tables/2.parquet", actor=CURATOR).version == "v2"


def test_a_draw_costs_what_was_charged_for_it(registered: Database, plan_id: str) -> None:
    publication = begin(registered, plan_id)
    with pytest.raises(PlanError, match=r"charged ε = 0.01, δ = 0 and now costs ε = 1, δ = 0"):
        begin(registered, plan_id, loss=ONE)
    assert begin(registered, plan_id) == publication


def test_a_refused_charge_begins_nothing_and_is_logged(registered: Database, plan_id: str) -> None:
    over = PrivacyLoss(epsilon_nano=10**9 + 1)
    large = world.approve(registered, "Large", loss=over).id
    with pytest.raises(InsufficientBudgetError):
        begin(registered, large, loss=over)
    assert releases.every(registered) == []
    event = ledger.events(registered)[-1]
    assert (event.kind, event.body["plan"]) == (EventKind.SPEND_REFUSED, large)
    assert begin(registered, plan_id).state is ReleaseState.CHARGED


@pytest.mark.parametrize("slug", ["", "../x", "a/b", "Visits", "é", "x" * 61])
def test_a_name_that_is_unsafe_in_a_path_is_a_bug(registered: Database, plan_id: str, slug: str) -> None:
    with pytest.raises(InternalError):
        releases.begin(registered, plan_id, CENT, actor=CURATOR, slug=slug)
    assert charges(registered) == 0


def test_two_charges_with_like_hashes_make_two_names(
    registered: Database, plan_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = ledger.event_hash
    monkeypatch.setattr(ledger, "event_hash", lambda **fields: "0" * 12 + real(**fields)[12:])
    first = finish(registered, begin(registered, plan_id))
    second = begin(registered, plan_id, again=True)
    assert first.id == "hospital-visits-" + "0" * 8
    assert second.id == "hospital-visits-" + second.charge.hash[:16]


def test_an_unknown_release_does_not_betray_one_that_is_not_published(registered: Database, plan_id: str) -> None:
    hidden = begin(registered, plan_id).id
    with pytest.raises(InputError) as error:
        releases.get(registered, hidden[:-1])
    assert hidden not in str(error.value)


def test_threads_that_publish_the_same_plan_charge_once(registered: Database, plan_id: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = {item.id for item in pool.map(lambda _: begin(registered, plan_id), range(16))}
    assert len(ids) == charges(registered) == 1


def test_processes_that_publish_the_same_plan_charge_once(registered_on_disk: Database, path: Path) -> None:
    plan_id = world.approve(registered_on_disk).id
    with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("spawn")) as pool:
        ids = set(pool.map(begin_in_process, [path] * 6, [plan_id] * 6))
    assert len(ids) == charges(registered_on_disk) == 1


def test_what_a_copy_of_the_ledger_has_not_drawn_is_never_drawn_there(registered: Database, plan_id: str) -> None:
    """The other copy may have drawn: another would be unpaid. Plans go on with a new charge."""
    first = begin(registered, plan_id)
    releases.keep_round(registered, first.id, 0, b"drawn")
    assert checkpoints.restored(registered) == [first.charge.seq]
    assert releases.seal(registered, first.id, b"noisy", on=TODAY, actor=CURATOR).state is ReleaseState.LOST
    assert releases.keep_round(registered, first.id, 1, b"more") is None
    assert releases.kept_round(registered, first.id, 0) is None
    second = begin(registered, plan_id)
    assert (second.state, charges(registered)) == (ReleaseState.CHARGED, 2)
    assert begin(registered, plan_id).id == second.id
    finish(registered, second)
    assert checkpoints.restored(registered) == []
    assert verify(registered) == ledger.count(registered)
    begin(registered, plan_id, again=True)
    with registered.writing() as connection:
        releases.lose_within(connection)
    with pytest.raises(IntegrityError, match="releases"):
        verify(registered)  # no event tells of it
