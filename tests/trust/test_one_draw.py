"""One draw a charge: whatever fails after the seal, and whatever it depends on, finds the draw that was sealed.

An error that leads to another draw chooses among draws: whoever causes it samples by rejection, and what is published
loses up to twice what was charged.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dprelease
from dprelease.errors import InternalError, PlanError
from dprelease.mechanisms import MECHANISMS
from dprelease.mechanisms.mechanism import Mechanism, Noise
from dprelease.model.privacy import Currency
from dprelease.statistics import answer
from dprelease.statistics.planning.price import price
from dprelease.store import releases
from dprelease.store.database import Database
from dprelease.workspace import publish as publishing
from dprelease.workspace import scans
from dprelease.workspace.state import State
from tests.statistics.ready import ready
from tests.trust import world
from tests.workspace import test_every_kind as every_kind

FAILS: dict[str, Any] = {"statistic": "by_sex", "relative_error": 0.000001}
"""What no release shows: it is withheld."""

BEFORE: dict[str, tuple[Any, str, bool]] = {
    "before rows are read": (State, "tallies", True),
    "after rows were read": (State, "tallies", False),
    "before statistics are counted": (scans, "exact", True),
    "before the draw": (publishing, "draw", True),
    "before the seal": (releases, "seal", True),
}
"""Where a fault is: the owner of a function, its name, and whether it is before the function or after it."""
AFTER: dict[str, tuple[Any, str, bool]] = {
    "after the seal": (releases, "seal", False),
    "in the circumstances": (publishing, "circumstances", True),
    "before answers": (publishing, "answers", True),
    "before the judgement": (publishing, "judge", True),
    "after the judgement": (publishing, "judge", False),
    "before the certificate": (publishing, "stated", True),
    "after the certificate": (publishing, "stated", False),
    "before it is kept": (releases, "certify", True),
    "after it is kept": (releases, "certify", False),
    "before the outputs are hashed": (publishing, "outputs_hash", True),
    "before it is announced": (releases, "publish", True),
    "after it is announced": (releases, "publish", False),
    "before files are written": (State, "show", True),
    "after files are written": (State, "show", False),
}


class Draws:
    """Every draw that is made, in order, and a fault that happens at one place until it is mended."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[Any] = []
        self.broken = True
        self._patch = monkeypatch
        inner = publishing.draw

        def counted(*arguments: Any) -> Any:
            self.made.append(inner(*arguments))
            return deepcopy(self.made[-1])

        monkeypatch.setattr(publishing, "draw", counted)

    def fail(self, owner: Any, name: str, *, before: bool, when: Callable[[], bool] = lambda: True) -> None:
        inner = getattr(owner, name)

        def failing(*arguments: Any, **named: Any) -> Any:
            if before and self.broken and when():
                raise InternalError("a fault")
            result = inner(*arguments, **named)
            if not before and self.broken and when():
                raise InternalError("a fault")
            return result

        self._patch.setattr(owner, name, failing)


def sealed(home: Path) -> Any:
    with closing(sqlite3.connect(home / "ledger.db")) as raw:
        ((found,),) = raw.execute("SELECT sealed FROM releases").fetchall()
    return None if found is None else json.loads(found)


def prepared(home: Path, *, withheld: bool) -> tuple[dprelease.Workspace, str]:
    workspace = world.solo(home)
    wanted = world.plan(0.5, "Ages", **({"accept": [FAILS]} if withheld else {}))
    return workspace, world.approved(workspace, wanted)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("withheld", [False, True], ids=["shown", "withheld"])
@pytest.mark.parametrize("where", [*BEFORE, *AFTER])
def test_a_fault_anywhere_leads_to_one_sealed_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, withheld: bool
) -> None:
    workspace, plan_id = prepared(tmp_path / "home", withheld=withheld)
    draws = Draws(monkeypatch)
    owner, name, before = (BEFORE | AFTER)[where]
    draws.fail(owner, name, before=before)
    with pytest.raises(InternalError, match="a fault"):
        workspace.publish(plan_id)
    for _ in range(2):
        with suppress(InternalError):
            workspace.publish(plan_id)
    first = sealed(tmp_path / "home")
    assert (first is not None) == (where in AFTER)
    if where in AFTER:
        assert len(draws.made) == 1
        assert first in (draws.made[0], {})
    draws.broken = False
    if where in AFTER and releases.every(workspace._state.database)[0].state is not releases.ReleaseState.PUBLISHED:
        monkeypatch.setattr(publishing, "draw", lambda *_: pytest.fail("drawn again"))
    workspace.releases.resume()
    release = workspace.publish(plan_id)
    assert workspace.populations.budget("people").charges == 1
    assert release.is_withheld is withheld
    assert sealed(tmp_path / "home") == ({} if withheld else draws.made[-1])
    expected = {} if withheld else answer.answers(workspace.plans.price_of(plan_id), draws.made[-1])
    assert dict(release.outputs) == dict(expected)
    dprelease.verify(workspace.releases.bundle(release.id), key=workspace.public_key)
    assert workspace.ledger.verify() == workspace.ledger.count()


@pytest.mark.parametrize("where", ["seal", "circumstances", "judge"])
@pytest.mark.parametrize("withheld", [False, True], ids=["shown", "withheld"])
def test_whoever_is_overtaken_gets_the_same_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, withheld: bool, where: str
) -> None:
    """Between the seal and the certificate another process does all the rest: also takes away what is withheld."""
    workspace, plan_id = prepared(tmp_path / "home", withheld=withheld)
    owner: Any = releases if where == "seal" else publishing
    inner, finished = getattr(owner, where), []

    def overtaken(*arguments: Any, **named: Any) -> Any:
        result = inner(*arguments, **named)
        if not finished:
            finished.append(None)
            finished[0] = workspace.publish(plan_id)
        return result

    monkeypatch.setattr(owner, where, overtaken)
    release = workspace.publish(plan_id)
    assert (release.id, release.certificate) == (finished[0].id, finished[0].certificate)
    assert dict(release.outputs) == dict(finished[0].outputs)
    assert release.is_withheld is withheld
    assert workspace.populations.budget("people").charges == 1


def test_another_version_states_no_other_noise_for_a_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process ends after the seal; the next version of the program takes twice the noise for the same loss."""
    workspace, plan_id = prepared(tmp_path / "home", withheld=False)
    draws, inner = Draws(monkeypatch), publishing.price_of
    draws.fail(publishing, "answers", before=True)
    with pytest.raises(InternalError, match="a fault"):
        workspace.publish(plan_id)
    draws.broken = False

    def doubled(*arguments: Any) -> Any:
        priced = inner(*arguments)
        items = []
        for item in priced.statistics:
            louder = [replace(each, scale=2 * each.scale) for each in item.mechanisms]
            measured = replace(item.derivation.measurement, mechanisms=tuple(louder))
            items.append(replace(item, derivation=replace(item.derivation, measurement=measured)))
        return replace(priced, statistics=tuple(items))

    with monkeypatch.context() as newer:
        newer.setattr(publishing, "price_of", doubled)
        with pytest.raises(PlanError, match="with the version of dprelease that drew it"):
            workspace.publish(plan_id)
        assert workspace.releases.resume().failed
    release = workspace.publish(plan_id)
    assert dict(release.outputs) == dict(answer.answers(workspace.plans.price_of(plan_id), draws.made[-1]))
    assert len(draws.made) == 1
    assert workspace.ledger.verify() == workspace.ledger.count()


@pytest.mark.parametrize("name", ["answers", "judge", "stated"])
def test_an_error_that_depends_on_the_draw_does_not_choose_among_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What comes after the draw fails where a noisy count is below the true one: half of all draws. Without the seal
    before it, the tenth try would have published a count that is above in all but 1 of 1,000 cases."""
    workspace, plan_id = prepared(tmp_path / "home", withheld=False)
    draws = Draws(monkeypatch)

    def is_first_or_below() -> bool:
        return len(draws.made) == 1 or draws.made[-1]["by_sex"][0][0] < 20

    draws.fail(publishing, name, before=True, when=is_first_or_below)
    for _ in range(10):
        with pytest.raises(InternalError):
            workspace.publish(plan_id)
    assert len(draws.made) == 1
    draws.broken = False
    workspace.publish(plan_id)
    assert (len(draws.made), sealed(tmp_path / "home")) == (1, draws.made[0])


def test_what_mechanisms_refuse_is_refused_before_the_first_of_them_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    for mechanism in MECHANISMS:
        inner = mechanism.release
        monkeypatch.setattr(
            mechanism,
            "release",
            lambda self, values, inner=inner: drawn.append(self.name) or inner(self, values),
        )
    plan = world.plan(
        columns=every_kind.COLUMNS,
        privacy={"unit": "row", "neighbors": "substitute", "epsilon": 1},
        statistics=[{"id": "n", "kind": "count", "by": ["sex"]}, {"id": "told", "kind": "survey", "column": "sex"}],
    )
    with pytest.raises(InternalError):
        answer.draw(price(plan), ready(price(plan), [np.array([3, 4])], [np.array([5, -1])]))
    with pytest.raises(InternalError):
        answer.draw(price(plan), ready(price(plan), [np.array([3, 4])], [np.array([5, 1, 2])]))
    assert drawn == []
    answer.draw(price(plan), ready(price(plan), [np.array([3, 4])], [np.array([5, 1])]))
    assert len(drawn) == 2


EXTREMES: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda exact: {} if isinstance(exact, dict) else np.zeros_like(exact),
    "most": lambda exact: (
        dict.fromkeys(exact, 2**63 - 1) if isinstance(exact, dict) else np.full_like(exact, 2**63 - 1)
    ),
    "least": lambda exact: exact if isinstance(exact, dict) else np.full_like(exact, -(2**63)),
}


@pytest.mark.one_in(9)
@pytest.mark.parametrize("currency", list(Currency))
@pytest.mark.parametrize("neighbors", ["add_remove", "substitute"])
@pytest.mark.parametrize("extreme", EXTREMES)
def test_no_drawn_value_fails_before_the_seal(
    monkeypatch: pytest.MonkeyPatch, extreme: str, neighbors: str, currency: Currency
) -> None:
    """Each mechanism gives the least or the most that it can give, in every kind of statistic; the seal takes it."""
    payloads: list[bytes] = []

    def given(self: Mechanism, values: Any) -> Any:
        exact = self.noiseless(values)
        return EXTREMES[extreme](exact) if isinstance(self, Noise) or isinstance(exact, dict) else np.zeros_like(exact)

    def seal(_: Any, release_id: str, payload: bytes, **named: Any) -> Any:
        payloads.append(payload)
        raise InternalError("what follows the seal is not asked")

    for mechanism in MECHANISMS:
        monkeypatch.setattr(mechanism, "release", given)
    monkeypatch.setattr(releases, "seal", seal)
    with pytest.raises(InternalError, match="follows"):
        every_kind.publish(every_kind.rows(50), neighbors, currency.value, 10.0)
    sealed = json.loads(payloads[0])
    assert isinstance(sealed, dict)
    assert sealed.keys() <= {f"s{place}" for place in range(len(every_kind.ASKED))}
    assert all(isinstance(part, list) and part for part in sealed.values())


def interrupt(_: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("stopped", [False, True])
def test_what_is_withheld_is_in_no_file_any_more(
    stopped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it where the program was stopped before the log was emptied, and then finished the release."""
    workspace = world.solo(tmp_path / "home")
    statistics: Sequence[dict[str, Any]] = [*world.STATISTICS, {"id": "ages", "kind": "histogram", "column": "age"}]
    wanted = world.plan(0.5, "Ages", accept=[FAILS], statistics=list(statistics))
    draws = Draws(monkeypatch)
    plan_id = world.approved(workspace, wanted)
    if stopped:
        with monkeypatch.context() as stopping:
            stopping.setattr(Database, "empty_log", interrupt)
            with pytest.raises(KeyboardInterrupt):
                workspace.publish(plan_id)
    release = workspace.publish(plan_id)
    drawn = json.dumps(draws.made[0]["ages"], separators=(",", ":")).encode()
    assert release.is_withheld
    assert len(drawn) > 20
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert (tmp_path / "home" / "ledger.db") in files
    assert [path.name for path in files if drawn in path.read_bytes()] == []
