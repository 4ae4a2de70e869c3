"""Published intervals hold at least as often as they say: settings drawn by the grid, those that failed once, and how
the grid judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

import numpy as np
import pytest

from dprelease.model.statistic import statistic_of
from dprelease.statistics.algebra import pairwise
from dprelease.statistics.algebra.agreed import ReconciledTables
from dprelease.statistics.algebra.elementary import Floats
from dprelease.statistics.algebra.points import Pair, Points
from dprelease.statistics.kinds import scorecard
from dprelease.statistics.medians import Medians
from dprelease.workspace import Workspace
from tests.bundle import kinds as made
from tests.privacy.holds.__main__ import known, main
from tests.privacy.holds.judge import ALPHA, FIRST, Judgement, Kind, Trial, Verdict, noise_from
from tests.privacy.holds.kinds import KINDS
from tests.privacy.holds.settings import AXES, Setting, settings

SEED = 20_261_127
DAILY = Setting(seed=SEED, n=300, shape="exponential", part=0.5, bins=10, share=0.2, epsilon=1.0, by=True)
QUICK = [kind for kind in KINDS if kind.turns == 1]
SECONDS = 240
"""Of a processor."""


def check(kind: Kind, setting: Setting, releases: int = FIRST) -> None:
    with noise_from(SEED):
        judgement = Judgement(kind, kind.at(setting), 1)
        assert judgement.go_on(releases) in (Verdict.HELD, Verdict.UNDECIDED), str(judgement)


@pytest.mark.parametrize("kind", QUICK, ids=lambda kind: kind.name)
def test_intervals_hold_at_one_setting(kind: Kind) -> None:
    """Noise is from a seed, so that none fails by chance."""
    check(kind, replace(DAILY, currency="zcdp" if len(kind.name) % 2 else "pure"), 60)


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_easy_settings_tell_both_ends(kind: Kind) -> None:
    check(kind, Setting(seed=SEED))


@pytest.mark.parametrize(("kind", "setting"), known(), ids=lambda each: getattr(each, "name", None) or str(each))
def test_what_failed_once_holds(kind: Kind, setting: Setting) -> None:
    """None is open, so that no kind is graded A that is known to fail."""
    check(kind, setting)


@pytest.mark.full
@pytest.mark.parametrize("place", [0, 1])
def test_medians_of_bins_without_rows_are_found(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault that was: a line through medians of all bins."""
    monkeypatch.setattr(Medians, "least_rows", lambda self, noise: 1)
    with pytest.raises(AssertionError, match="failed"):
        check(*known()[place])


def _raked_by_pairs(points: Points, found: ReconciledTables, tables: Mapping[Pair, Floats], rounds: int) -> Points:
    points = replace(points, weights=points.weights * found.rows)
    for _ in range(10):
        points, _off = points.raked(tables)
    return points


@pytest.mark.full
def test_bins_that_a_sample_leaves_short_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault that was: intervals of a fit to a sample of combinations, whose bins need not have their rows."""
    (kind,) = (each for each in KINDS if each.name == "scorecard with pairs")
    setting = Setting(seed=12, shape="exponential", bins=50, currency="zcdp")
    check(kind, setting)
    monkeypatch.setattr(pairwise, "MAX_COMBINATIONS", 0)
    monkeypatch.setattr(scorecard, "is_whole", lambda sizes: True)
    monkeypatch.setattr(pairwise, "_likely", lambda margins, tables: ())
    monkeypatch.setattr(pairwise, "_raked", _raked_by_pairs)
    monkeypatch.setattr(pairwise, "is_borne", lambda points, found: True)
    with pytest.raises(AssertionError, match="failed"):
        check(kind, setting)


@pytest.mark.full
def test_intervals_hold_at_the_settings_of_the_day(capsys: pytest.CaptureFixture[str]) -> None:
    """One run in 10,000 fails by chance, of intervals that hold. The report says what was tried."""
    failed = main(["--seconds", str(SECONDS), "--seed", f"{datetime.now(UTC):%Y%m%d}"])
    assert not failed, capsys.readouterr().out


def test_every_kind_that_publishes_an_interval_has_a_line() -> None:
    listed = {str(one["kind"]) for kind in KINDS for one in _declared(kind)}
    published = set()
    for release in Workspace.open(made.home()).releases.find():
        asked = {each["id"]: each["kind"] for each in release.certificate.plan["statistics"]}
        for name, table in release.tables.items():
            ends = [column for one, column in table.numbers.items() if "lower95" in one]
            if any(end is not None for column in ends for end in column):
                published.add(asked[statistic_of(name)])
    assert len(published) > 15
    assert published <= listed


def _declared(kind: Kind) -> list[dict[str, object]]:
    asked = kind.declared(kind.at(Setting(seed=1)))
    return asked if isinstance(asked, list) else [asked]


def test_pairs_of_axes_are_covered_first() -> None:
    """900 pairs and more by the first 120 settings, of which each covers 66."""
    drawn = settings(SEED)
    found = {
        ((one, getattr(each, one)), (other, getattr(each, other)))
        for each in (next(drawn) for _ in range(120))
        for one, other in combinations(AXES, 2)
    }
    every = sum(len(AXES[one]) * len(AXES[other]) for one, other in combinations(AXES, 2))
    assert len(found) > 0.97 * every


@pytest.mark.parametrize("setting", [DAILY, Setting(seed=3), Setting(seed=4, rare=True, epsilon=0.1)], ids=str)
def test_a_setting_is_repeated_by_what_is_printed_of_it(setting: Setting) -> None:
    assert Setting.parse(str(setting)) == setting


class Told(Trial):
    """Releases that hold with a chance, or are silent, of one cell whose truth is 0."""

    def __init__(self, coverage: float, end: float = 1.0, far: float = 1.0) -> None:
        self.rng, self.coverage, self.end, self.far = np.random.default_rng(SEED), coverage, end, far

    def releases(self, count: int):  # type: ignore[no-untyped-def]
        for _ in range(count):
            off = 0.0 if self.rng.random() < self.coverage else 2 * self.far
            yield tuple(np.array([each]) for each in (off, off - self.end, off + self.end, 0.0))


@pytest.mark.parametrize(
    ("trial", "easy", "verdict"),
    [
        (Told(1.0), False, Verdict.HELD),
        (Told(0.6), False, Verdict.FAILED),
        (Told(1.0, end=np.inf), False, Verdict.HELD),
        (Told(1.0, end=np.inf), True, Verdict.FAILED),
        (Told(0.93, far=100), False, Verdict.FAILED),
    ],
)
def test_the_judge_tells_what_holds(trial: Told, easy: bool, verdict: Verdict) -> None:
    """The easy setting has to have ends; and what is 20 half-widths off fails, however seldom."""
    kind = Kind("toy", lambda setting: {}, None, far=50)
    judgement = Judgement(kind, Setting(seed=1) if easy else Setting(seed=1, n=3), 1, trial=trial)
    assert judgement.go_on(FIRST) is verdict


def test_a_coverage_of_95_percent_fails_no_more_often_than_stated() -> None:
    """The product of what a hit and a miss multiply has the mean 1 at 95 %, so that Ville's inequality bounds it."""
    assert pytest.approx(1) == 0.95 * 0.85 / 0.95 + 0.05 * 0.15 / 0.05
    assert sum(6 * ALPHA / (np.pi**2 * number**2) for number in range(1, 10_000)) < ALPHA
