"""Releases of one setting, and whether their intervals hold: cell by cell, one release after the other.

A cell whose interval holds with a chance of 95 % or more is said to fail with a chance below α, however long one looks:
the product of 3 for each miss and .85/.95 for each hit is then a supermartingale, which exceeds 1/α with at most that
chance (Ville). It is the likelihood of a coverage of 85 % against 95 %.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import log, pi
from typing import Any

import numpy as np
import pandas
import pytest
from msgspec import structs

from dprelease.bundle.derived import ENDS, derived_of
from dprelease.errors import PlanError
from dprelease.model.privacy import Currency
from dprelease.model.release import Estimates, Release, SyntheticRows
from dprelease.statistics import Plan
from dprelease.statistics.answer import Inputs, answers, draw_many, exact, without_noise
from dprelease.statistics.planning.price import price
from dprelease.table import Engine
from dprelease.workspace.scans import first, later
from tests.bundle.releases import make_release, table
from tests.mechanisms import seeded
from tests.privacy.holds.settings import COPIES, Setting, columns, rows

ALPHA = 1e-4
"""The chance that a whole run says once of a cell that holds that it fails."""
HIT, MISS = log(0.85 / 0.95), log(0.15 / 0.05)
HELD = -3.0
"""Of a score: below it a cell is taken to hold."""
BATCH, FIRST, LAST = COPIES, 150, 600
"""Releases drawn together; those after which a setting is undecided at first, and for good."""
FAR = 20
"""Half-widths."""
Numbers = Mapping[str, Any]


class Tables(dict[str, Estimates]):
    """The tables of an answer by part, with its rows, where it has some."""

    rows: Mapping[str, Any]


Truth = Callable[[Setting, pandas.DataFrame, Tables], Numbers]


class Verdict(StrEnum):
    HELD = "held"
    FAILED = "failed"
    UNDECIDED = "undecided"
    REFUSED = "refused"


@dataclass(frozen=True)
class Kind:
    """A line of the grid: what is asked for, and of what its interval is, as docs/privacy.md says."""

    name: str
    declared: Callable[[Setting], Any]
    """The options; of several statistics a list, of which the first is judged."""
    truth: Truth | None
    """By part of the answer a number a row, NaN where there is none to hold.

    "": of a table alone; "sizes/count_": of its columns count, count_lower95 and count_upper95; "//_total": of value,
    lower95_total and upper95_total. None: the target is the same fit without noise.
    """
    each: bool = False
    """The target depends on what a release says, and is worked out for each; without `truth` the last round alone is
    without noise: what was made of the rounds before it is as it is."""
    needs: Callable[[Setting], dict[str, Any]] = lambda setting: {}
    """Axes that have to have another value."""
    easy: float = 0.8
    """The least part of intervals with both ends at the easy setting."""
    far: float = np.inf
    """Never off by as much, and by more than 20 half-widths: such a value counts, however seldom it is."""
    turns: int = 1
    """It takes so long that it is tried in one of so many turns."""
    beside: Callable[[Setting], dict[str, Any]] = lambda setting: {}
    """What else the plan says. Where something is derived, the first table of that is judged."""
    listed: Callable[[Setting], list[tuple[Any, ...]]] | None = None
    """Cells that may be discovered. One that is not published says nothing, so that nothing of it is wrong."""
    rows: Callable[[Setting, Any], pandas.DataFrame] | None = None
    """The table, drawn anew for each copy by a generator: intervals are of a population, of which it is a sample."""

    def at(self, setting: Setting) -> Setting:
        return replace(setting, **self.needs(setting))


@contextmanager
def noise_from(seed: int) -> Iterator[None]:
    """Draws by numpy from one generator, instead of by the library."""
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch, seeded.seeded_noise():
        patch.setattr(seeded, "generator", lambda *_: rng)
        yield


class Trial:
    """One statistic, declared at a setting, its rows scanned. Raises PlanError where the plan is refused."""

    def __init__(self, kind: Kind, setting: Setting) -> None:
        self.kind, self.setting, self.frame = kind, setting, rows(setting)
        asked = kind.declared(setting)
        listed = asked if isinstance(asked, list) else [asked]
        unit = {"column": "id", "max_rows": setting.unit} if setting.unit else "row"
        plan = Plan.parse(
            {
                "dprelease": 1,
                "dataset": "t",
                "columns": columns(setting),
                "expected": {"rows": max(1, setting.n)},
                "privacy": {"unit": unit, "neighbors": setting.neighbors, "epsilon": setting.epsilon, "delta": 1e-6},
                "statistics": [{"id": f"s{place}", **each} for place, each in enumerate(listed)],
            }
            | kind.beside(setting)
        )
        self.price = price(plan, currency=Currency(setting.currency))
        self.copies = BATCH if "copy" in listed[0].get("by", ()) else 1
        self.inputs = self._scanned(self.frame)
        if self.copies > 1 and not kind.rows:
            self.inputs = {name: self._copied(each) for name, each in self.inputs.items()}
        used = [name for each in self.price.statistics for name in each.statistic.used_columns()]
        self.frame = self.frame.dropna(subset=list(set(used) & set(self.frame)))
        self.frame = self.frame.astype({"x": "float" if self.frame["x"].hasnans else "int64"})
        self._target: Numbers | None = None

    def _scanned(self, frame: pandas.DataFrame) -> dict[str, Inputs]:
        engine = Engine()
        held = engine.hold(frame)
        return exact(self.price, first(engine, held, self.price), later(engine, held, self.price))

    def _samples(self, draw: Callable[[Setting, Any], pandas.DataFrame]) -> pandas.DataFrame:
        """One in each group, of other units."""
        drawn = [draw(self.setting, seeded.generator("sample")) for _ in range(self.copies)]
        return pandas.concat([f.assign(copy=k, id=f["id"] + k * (len(f) + 1)) for k, f in enumerate(drawn)])

    def _copied(self, inputs: Inputs) -> Inputs:
        """The first group's integers in each group: so many releases in one."""
        first = [np.reshape(values, (self.copies, -1, *np.shape(values)[1:]))[0] for values in inputs.first]
        return replace(inputs, first=[np.concatenate([each] * self.copies) for each in first])

    def _tables(self, drawn: Mapping[str, Any]) -> Tables:
        answer = answers(self.price, dict(drawn))["s0"]
        found = answer.named("s0")
        tables = Tables({name.removeprefix("s0").removeprefix("."): found[name] for name in found})
        tables.rows = answer.columns if isinstance(answer, SyntheticRows) else {}
        if self.kind.listed:
            tables[""] = _each_of(tables[""], self.kind.listed(self.setting))
        if self.price.plan.derived:
            tables[""] = self._derived(found)
        return tables

    def _derived(self, found: Mapping[str, Estimates]) -> Estimates:
        """The first that is derived, of a release with the measured facts of this plan."""
        schema, plan = self.price.plan.schema, self.price.plan
        facts = structs.replace(
            make_release([({"id": "s0", "kind": "count"}, table((), [0], 1))], columns={}).certificate,
            plan=plan.to_mapping(),
            measurements=tuple(each.stated() for each in self.price.measurements),
            statistics=tuple(each.stated(schema) for each in self.price.statistics),
            reaches=dict(self.price.reaches),
        )
        derived = derived_of(Release(certificate=facts, outputs=dict(found)), plan.derived[0].id)
        assert derived is not None
        return derived.estimates

    def target(self, drawn: Mapping[str, Any], tables: Tables) -> Numbers:
        """What the intervals of a release have to hold."""
        if self.kind.truth is not None:
            return self.kind.truth(self.setting, self.frame, tables)
        if self.kind.each:
            fit = self._tables({name: self._last_exact(self.inputs[name], part) for name, part in drawn.items()})
        else:
            fit = self._tables({name: without_noise(each) for name, each in self.inputs.items()})
        return {name: _numbers(table.value) for name, table in fit.items()}

    @staticmethod
    def _last_exact(inputs: Inputs, part: list[Any]) -> list[Any]:
        before = sum(len(inputs.measurement.of_round(number)) for number in range(inputs.measurement.rounds - 1))
        last = inputs.of_round(inputs.measurement.rounds - 1, part[:before])
        return [*part[:before], *(mechanism.noiseless(values).tolist() for mechanism, values in last)]

    def releases(self, count: int) -> Iterator[tuple[Any, Any, Any, Any]]:
        """Of each release: the values, both ends (infinite where they are empty) and the truths of all cells."""
        times = -(-count // self.copies)
        for place in range(times):
            if self.kind.rows or not place:
                if self.kind.rows:
                    self.inputs = self._scanned(self._samples(self.kind.rows))
                left = 1 if self.kind.rows else times
                many = {name: iter(draw_many(each, left)) for name, each in self.inputs.items()}
            drawn = {name: next(parts) for name, parts in many.items()}
            tables = self._tables(drawn)
            if self._target is None or self.kind.each:
                self._target = self.target(drawn, tables)
            cells = [np.concatenate(each) for each in zip(*self._cells(tables, self._target), strict=True)]
            truth = cells.pop()
            for copy in zip(*(each.reshape(self.copies, -1) for each in cells), strict=True):
                yield (*copy, truth)

    @staticmethod
    def _cells(tables: Tables, target: Numbers) -> Iterator[tuple[Any, ...]]:
        for name, truths in target.items():
            part, _, prefix = name.partition("/")
            own = tables[part].numbers
            prefix, _, suffix = prefix.partition("/")
            value = own[prefix.rstrip("_") or "value"]
            low, high = (
                _numbers(own[f"{prefix}{end}95{suffix}"], empty)
                for end, empty in (("lower", -np.inf), ("upper", np.inf))
            )
            yield _numbers(value), low, high, np.asarray(truths, dtype=float).ravel()


def _each_of(table: Estimates, cells: list[tuple[Any, ...]]) -> Estimates:
    """A table with these cells, nothing said of those that it has not."""
    (axis,) = table.axes
    places = {cell: place for place, cell in enumerate(axis.cells)}
    columns = [[None if c not in places else column[places[c]] for c in cells] for column in table.numbers.values()]
    return Estimates(axes=(replace(axis, cells=tuple(cells)),), **dict(zip(ENDS, columns, strict=True)))


def _numbers(column: Any, empty: float = np.nan) -> Any:
    return np.array([empty if cell is None or isinstance(cell, str) else float(cell) for cell in column])


@dataclass
class Judgement:
    """How a setting stands."""

    kind: Kind
    setting: Setting
    number: int
    """Of the setting among those of the run, which share its chance of a false alarm."""
    releases: int = 0
    score: Any = field(default=0.0, repr=False)
    """Of each cell, and how often it missed and was tried."""
    misses: Any = field(default=0.0, repr=False)
    tried: Any = field(default=0.0, repr=False)
    told: float = 0.0
    """How often both ends were there."""
    covered: float = 0.0
    """How often the interval held then."""
    far: int = 0
    """Releases with a value that is far off; after the first one 20 fresh ones are drawn, of which none may be."""
    trial: Trial | None = field(default=None, repr=False)
    problem: str = ""
    _fresh: int | None = None

    @property
    def limit(self) -> float:
        return log(pi**2 * self.number**2 * max(1, np.size(self.score)) / (6 * ALPHA))

    @property
    def is_easy(self) -> bool:
        """Then nearly every interval has to have both ends."""
        return self.setting == self.kind.at(Setting(seed=self.setting.seed))

    @property
    def verdict(self) -> Verdict:
        if self.trial is None:
            return Verdict.REFUSED
        highest = float(np.max(np.where(self.tried, self.score, -np.inf), initial=-np.inf))
        silent = self.is_easy and self.told < self.kind.easy * np.sum(self.tried)
        if highest > self.limit or self.far >= 2 or (silent and self.releases):
            return Verdict.FAILED
        waits = not self.releases or bool(self._fresh)
        return Verdict.HELD if highest < HELD and not waits else Verdict.UNDECIDED

    def go_on(self, most: int) -> Verdict:
        """Draws until it is decided, or so many releases were drawn."""
        if self.trial is None:
            try:
                self.trial = Trial(self.kind, self.setting)
            except PlanError as refused:
                self.problem = str(refused)
        while self.verdict is Verdict.UNDECIDED and self.releases < most:
            for each in self.trial.releases(BATCH) if self.trial else ():
                self._see(*each)
        return self.verdict

    def _see(self, value: Any, low: Any, high: Any, truth: Any) -> None:
        known = ~np.isnan(truth)
        slack = 1e-7 * np.where(known & np.isfinite(truth), np.abs(truth), 0) + 1e-7
        with np.errstate(invalid="ignore"):
            missed = known & ~((low <= truth + slack) & (truth - slack <= high))
            apart = np.where(np.isfinite(truth), np.abs(value - truth), 0)
            off = missed & (apart > self.kind.far) & (apart > FAR * np.maximum(high - low, slack) / 2)
        ends = known & np.isfinite(low) & np.isfinite(high)
        self.releases, self.told, self.covered = (
            self.releases + 1,
            self.told + ends.sum(),
            self.covered + (ends & ~missed).sum(),
        )
        self.score = self.score + np.where(missed, MISS, np.where(known, HIT, 0.0))
        self.misses, self.tried = self.misses + missed, self.tried + known
        if self.far or off.any():
            self._fresh = 20 if self._fresh is None else max(0, self._fresh - 1)
            self.far += bool(off.any())

    def __str__(self) -> str:
        """What was found, and how it is tried again."""
        if self.trial is None:
            return f"{self.kind.name}: refused: {self.problem}"
        at = int(np.argmax(np.where(self.tried, self.score, -np.inf))) if np.size(self.score) else 0
        misses, tried = (int(np.ravel(each)[at]) if np.size(each) else 0 for each in (self.misses, self.tried))
        told, held = percent(self.told, np.sum(self.tried)), percent(self.covered, self.told)
        return (
            f"{self.kind.name}: {self.verdict} after {self.releases} releases of {np.size(self.score)} cells; "
            f"the worst, {at}, missed {misses} of {tried}; far off in {self.far}; "
            f"both ends in {told}, of which {held} held\n"
            f"  --kind '{self.kind.name}' --setting {self.setting}"
        )


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
