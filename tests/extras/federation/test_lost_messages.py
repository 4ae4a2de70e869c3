"""Kills and lost, late, doubled, reordered, altered and replayed messages at random steps of rounds of workspaces.

Whatever happens: each ledger is charged the whole loss once, nothing of one site can be read, and the round ends with
one sum everywhere or is void everywhere.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette

import dprelease
from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation import federations
from dprelease.extras.federation import routes as served
from dprelease.extras.federation.check import check
from dprelease.extras.federation.folder import RoundFolder
from dprelease.extras.federation.own_round import BEGUN, SECRET, VECTOR
from dprelease.extras.federation.roster import Federation, Site
from dprelease.extras.federation.round_files import ROUNDS
from dprelease.store import rounds
from dprelease.web import site as portal
from dprelease.web.limits import RateLimit
from dprelease.workspace import process
from tests.extras.federation.mortal import KilledError, Mortal
from tests.extras.federation.test_federations import NAMES, charges, plan, workspace
from tests.extras.federation.wire import FAULTS, Sticks, Told, put_line
from tests.web.listening import listening

SMALL = plan([{"id": "by_sex", "kind": "count", "by": ["sex"]}])
POOLED = [60, 120]
"""Women and men in all three tables. Noise is real: a vector that is made a second time is another one."""
KILLED = 0.3
"""Of the times that a site does anything."""
MOST = 600
"""Moments in which a round has to end, when nobody is gone for ever."""
PATIENCE = 60
"""Moments that the others wait for a site that is gone."""
FAR = 2**20
CALM, VOID, GONE = "calm", "void", "gone"
FATES = (CALM, CALM, VOID, GONE)
SUM = "sum"


def _must(holds: bool, said: object) -> None:
    assert holds, said


@dataclass
class Several:
    """Three workspaces that try one plan again and again."""

    made: list[dprelease.Workspace]
    mortal: Mortal
    chance: Random
    attempt: int = 0
    ends: Counter[str] = field(default_factory=Counter)

    @property
    def federation(self) -> Federation:
        return Federation(
            name="Hospitals",
            sites=tuple(Site(name, each.public_key) for name, each in zip(NAMES, self.made, strict=True)),
        )

    def charged(self, number: int) -> list[Any]:
        """The charges of this attempt in a ledger."""
        attempt = self.keep(number).attempt
        return [each for each in charges(self.made[number]) if each.body.get("round") == attempt]

    def keep(self, number: int) -> Any:
        """What a site keeps of this attempt."""
        state = self.made[number]._state
        plan_id = self.made[number].plans.submit(SMALL)
        return federations._Site.of(state, self.federation, plan_id, self.attempt).own.keep

    def leaves(self, number: int, name: str) -> None:
        """A file of a site is told for the first time."""
        if name.endswith(".key.json"):
            assert len(self.charged(number)) == 1, "a key left before its ledger was charged"

    def mortally(self, act: Callable[[], Any]) -> Any:
        """Does something, or is killed in the middle of it."""
        self.mortal.left = self.chance.randint(1, 40) if self.chance.random() < KILLED else None
        try:
            return act()
        except KilledError:
            return None
        finally:
            self.mortal.left = None

    def run(self, mirrors: list[RoundFolder], act: Callable[[int], str], settle: Callable[[int], object]) -> None:
        """One attempt, to its end. `act`: all that a site does at a moment, and how the round ended for it by then;
        `settle`: brings at last what is missing or wrong in its copy of the folder.

        In half of the attempts nobody gives up. Else one site wants to end it from some moment on, or one site is gone
        and the others end it, if they still may; where they signed the sum, they wait until it is there again.
        """
        fate, when, chosen = self.chance.choice(FATES), self.chance.randint(4, 30), self.chance.randrange(3)
        enders = {CALM: set(), VOID: {chosen}, GONE: {0, 1, 2} - {chosen}}[fate]
        gone, ends = -1, ["", "", ""]
        for moment in range(MOST):
            gone = chosen if fate == GONE and moment >= when and (enders or VOID in ends) else -1
            number = self.chance.choice([each for each in range(3) if each != gone])
            if number in enders and moment >= when + (PATIENCE if fate == GONE else 0) and not ends[number]:
                enders -= {number} if self.gives_up(number, mirrors[number]) else set()
            ends[number] = act(number) or ends[number]
            rest = [each for each in range(3) if each != gone]
            if all(ends[each] for each in rest):
                break
            if gone >= 0 and moment > when + 2 * PATIENCE and not any(self.keep(each).has(BEGUN) for each in rest):
                break  # nothing can be made void: its offer never came
        else:
            raise AssertionError(f"it did not end: {ends}")
        for number in rest:
            settle(number)
        self.judge(mirrors, rest, ends)

    def gives_up(self, number: int, mirror: RoundFolder) -> bool:
        """Tries to make the round void. Tells whether this site may do so no more, since it signed the sum."""
        try:
            self.mortally(partial(self.made[number].federations.make_void, mirror.path))
        except IntegrityError as error:
            return "co-signed" in str(error)  # else it cannot yet: nothing has begun here, or a file is wrong
        return False

    def judge(self, mirrors: list[RoundFolder], here: list[int], ends: list[str]) -> None:
        (end,) = {ends[number] for number in here}
        self.ends[end or "never begun"] += 1
        for number in range(3):
            given = (mirrors[number].path / f"{number + 1}.key.json").exists()
            paid = self.charged(number)
            assert len(paid) == 1 if given or end == SUM else len(paid) <= 1
            assert all(each.loss == self.made[number].price(SMALL).loss for each in paid)
            assert number not in here or not self.keep(number).has(SECRET)
        if end == SUM:
            found = [check(mirrors[number]) for number in here]
            assert len({each.total.tobytes() for each in found}) == 1
            assert (np.abs(found[0].total - POOLED) < 8 * found[0].spreads[0]).all()  # by chance once in 10^15 times
        for number in here if end == VOID else ():
            assert not self.keep(number).has(VECTOR)
            with pytest.raises(IntegrityError, match="void"):
                self.made[number].federations.contribute(mirrors[number].path, SMALL, attempt=self.attempt)
            with pytest.raises(IntegrityError):
                check(mirrors[number])


def check_masked(told: Told) -> None:
    """One vector of a site ever, and no sum of some of them, but not all, that looks like counts. False alarms: 1e-11
    a case."""
    assert all(len(each) == 1 for each in told.files.values())
    vectors = [np.frombuffer(next(iter(each)), "<u8") for name, each in told.files.items() if name.endswith(".u64")]
    for size in (1, 2):
        for some in combinations(vectors, size):
            assert (np.abs(sum(some[1:], start=some[0]).view(np.int64).astype(float)) > FAR).all()


@pytest.fixture
def several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Several:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # processes die here, no disks
    made = [workspace(tmp_path / name, number, epsilon=20) for number, name in enumerate(NAMES)]
    return Several(made, Mortal(monkeypatch, [(rounds, "charge_round")]), Random(22))


def told_of(error: IntegrityError, names: list[str], sites: tuple[str, ...] = NAMES) -> list[str]:
    """Those of these files that an error is about: it names the file, or the site whose it is."""
    said = str(error)
    return [name for name in names if name in said or sites[int(name.partition(".")[0]) - 1] in said]


def by_sticks(several: Several, root: Path, cases: int) -> Counter[str]:
    faults: Counter[str] = Counter()
    earlier: dict[str, bytes] = {}
    for case in range(1, cases + 1):
        several.attempt = case
        mirrors = [RoundFolder(root / f"round {case}" / name) for name in NAMES]
        for each in mirrors:
            each.propose(several.federation)
        wire = Sticks(several.chance, mirrors, Told(several.leaves), earlier)

        def act(number: int, wire: Sticks = wire, mirrors: list[RoundFolder] = mirrors, case: int = case) -> str:
            def step() -> str:
                site, folder = several.made[number].federations, mirrors[number].path
                site.join(folder)
                wire.carry(number)
                found = site.contribute(folder, SMALL, attempt=case)
                wire.carry(number)
                return SUM if (found.step, found.waiting) == (SUM, ()) else ""

            try:
                return several.mortally(step) or ""
            except IntegrityError as error:
                wrong = wire.wrong(number)
                if "this round void" in str(error):
                    return VOID
                named = told_of(error, wrong + wire.missing(number))
                _must(bool(named) or "has come from" in str(error), (error, wrong, wire.missing(number)))
                for name in set(named) & set(wrong):  # whoever reads the error fetches that file again
                    (mirrors[number].path / name).unlink()
                return ""

        several.run(mirrors, act, wire.settle)
        check_masked(wire.told)
        earlier = {name: next(iter(each)) for name, each in wire.told.files.items() if "roster" not in name}
        faults += wire.faults
    return faults


@pytest.mark.full
def test_some_rounds_by_folder(several: Several, tmp_path: Path) -> None:
    faults = by_sticks(several, tmp_path, 4)
    assert min(faults["lost"], faults["doubled"], faults["altered"]) > 0
    assert several.mortal.deaths > 5


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Of the server of an office that is no site."""
    dprelease.Workspace.create(tmp_path / "office")
    monkeypatch.setenv(process.VARIABLE, str(tmp_path / "office"))
    monkeypatch.setattr(served, "ASKED", RateLimit(10**9, 60))
    process.current.cache_clear()
    with listening(Starlette(routes=portal.routes(), middleware=portal.middleware())) as found:
        yield f"{found}/federation"
    process.current.cache_clear()


def by_http(several: Several, root: Path, address: str, cases: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    line = put_line(monkeypatch, several.chance)
    for case in range(1, cases + 1):
        several.attempt = case
        RoundFolder(root / "office" / "private" / ROUNDS / f"round-{case}").propose(several.federation)
        mirrors = [RoundFolder(root / f"round {case}" / name) for name in NAMES]
        told, to = Told(several.leaves), f"{address}/round-{case}"

        def act(
            number: int, mirrors: list[RoundFolder] = mirrors, told: Told = told, to: str = to, case: int = case
        ) -> str:
            site, folder, end = several.made[number].federations, mirrors[number].path, ""

            def step() -> None:
                nonlocal end
                site.fetch(to, folder)
                site.join(folder)
                try:
                    found = site.contribute(folder, SMALL, attempt=case)
                    end = SUM if (found.step, found.waiting) == (SUM, ()) else ""
                except IntegrityError as error:
                    end = VOID if "this round void" in str(error) else ""
                    _must(bool(end) or "has come from" in str(error), error)
                told.look(number, mirrors[number])
                site.send(to, folder)

            before = several.mortal.deaths + line.faults.total() - line.faults[""]
            try:
                several.mortally(step)
            except (InputError, IntegrityError) as error:
                faulty = several.mortal.deaths + line.faults.total() - line.faults[""] > before  # server's death too
                _must(faulty or "this round void" in str(error), error)
            return end

        several.run(mirrors, act, lambda number: None)
        check_masked(told)
        line.late.clear()
    return line.faults


@pytest.mark.full
def test_some_rounds_by_http(several: Several, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = by_http(several, tmp_path, address, 2, monkeypatch)
    assert sum(faults[each] > 0 for each in FAULTS) > 3
    assert several.mortal.deaths > 2


@pytest.mark.full
def test_many_rounds_by_folder(several: Several, tmp_path: Path) -> None:
    by_sticks(several, tmp_path, 120)
    assert min(several.ends[each] for each in (SUM, VOID)) > 10


@pytest.mark.full
def test_many_rounds_by_http(several: Several, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_http(several, tmp_path, address, 80, monkeypatch)
    assert min(several.ends[each] for each in (SUM, VOID)) > 10
