"""Verified is what a bundle states, whichever planner chose it and whichever version it names."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import dprelease
from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError
from dprelease.model.privacy import Currency
from dprelease.model.stated import StatedLoss, StatedMeasurement
from dprelease.statistics.planning import sharing
from dprelease.statistics.planning.price import Price, price
from dprelease.statistics.planning.stated import as_stated
from tests.verdict.forging import FRAME, PLAN, entered, published, signed, written

BY_C = {"kind": "count", "by": ["c"]}
SHARED = [{"id": "n", **BY_C}, {"id": "again", **BY_C}, {"id": "m", "kind": "mean", "column": "x"}]
NEWER = "99.0"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return published(tmp_path_factory.mktemp("bundle"), epsilon=4)


def of_another_planner(
    monkeypatch: pytest.MonkeyPatch, folder: Path, plan: dict[str, Any], **others: Any
) -> dict[str, bytes]:
    """A bundle of a plan whose shares, or what follows from what, another planner chose."""
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=9)
    with monkeypatch.context() as planner:
        for name, value in others.items():
            planner.setattr(name.replace("__", "."), value)
        return written(workspace, plan | {"title": f"By {', '.join(others)}"}, folder)  # prices are kept by plan


def stated(bundle: dict[str, bytes]) -> Any:
    return json.loads(bundle["release.json"])


def test_other_weights_verify(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def weights(own: Any) -> Any:
        return own.by([Fraction(2 + place) for place in range(len(own.statistics))])

    made = of_another_planner(
        monkeypatch, tmp_path / "made", PLAN, dprelease__statistics__planning__price__weighed=weights
    )
    losses = [each["loss"]["epsilon_nano"] for each in stated(made)["measurements"]]
    assert losses == sorted(losses)
    assert losses[0] < losses[-1]
    assert dprelease.verify(signed(made, tmp_path / "1", SigningKey.in_memory())).findings == ()


def test_another_sharing_verifies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Counts that today's planner would derive are measured, and counts follow from another one than it would take."""
    plan = PLAN | {"statistics": SHARED}
    apart = of_another_planner(monkeypatch, tmp_path / "a", plan, dprelease__statistics__planning__sharing__ON=False)
    assert [each["derivation"] for each in stated(apart)["statistics"]] == ["own"] * 3

    def sources(*_: Any) -> dict[int, int]:
        return {0: 1}

    other = of_another_planner(
        monkeypatch, tmp_path / "b", plan, dprelease__statistics__planning__sharing__sources=sources
    )
    assert stated(other)["statistics"][0]["measurements"] == ["again"]
    assert sharing.ON
    for place, made in enumerate((apart, other)):
        dprelease.verify(signed(made, tmp_path / str(place), SigningKey.in_memory()))


def forged(bundle: dict[str, bytes], change: Callable[[Any], Any], folder: Path) -> Path:
    """Signed with a certificate that was changed."""
    key, certificate = SigningKey.in_memory(), stated(bundle)
    honest = entered(bundle, key)
    change(certificate)
    files = bundle | {"release.json": json.dumps(certificate).encode()}
    try:
        entry = entered(files, key)
    except (KeyError, IndexError, ValueError):  # nothing that a ledger could state
        entry = honest
    return signed(files, folder, key, entry)


def refusal(bundle: dict[str, bytes], change: Callable[[Any], Any], folder: Path) -> str:
    with pytest.raises(IntegrityError) as caught:
        dprelease.verify(forged(bundle, change, folder))
    return str(caught.value)


def of(certificate: Any, place: int) -> Any:
    return certificate["measurements"][place]


def follows(certificate: Any, place: int, source: str) -> None:
    """States that the counts of a statistic follow from another's measurement, and leaves out its own."""
    item = certificate["statistics"][place]
    item.update(derivation="counts", measurements=[source])
    certificate["measurements"] = [each for each in certificate["measurements"] if each["id"] != item["id"]]


STATEMENTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a source that is no table of the same counts": (
        "statistics: n: it does not follow from q",
        lambda c: follows(c, 0, "q"),
    ),
    "sources that follow from one another, once again": (
        "release.json: a statistic rests on a measurement that is not stated",
        lambda c: (follows(c, 0, "again"), follows(c, 1, "n")),
    ),
    "a derivation that does not exist": (
        "statistics: n: it does not follow from n",
        lambda c: c["statistics"][0].update(derivation="guessed"),
    ),
    "two measurements for one statistic": (
        "statistics: n: it does not follow from n, q",
        lambda c: c["statistics"][0].update(measurements=["n", "q"]),
    ),
    "a measurement that nothing rests on": (
        "measurements: not those that the statistics rest on",
        lambda c: c["statistics"][0].update(derivation="counts", measurements=["q"]),
    ),
    "a measurement stated twice": (
        "worst case: measurements: two have one id",
        lambda c: c["measurements"].append(of(c, 0)),
    ),
    "a measurement of no statistic": (
        "worst case: ",
        lambda c: c["measurements"].append(of(c, 0) | {"id": "more"}),
    ),
    "a measurement again where counts follow": (
        "measurements: not those that the statistics rest on",
        lambda c: c["measurements"].insert(1, of(c, 0) | {"id": "again"}),
    ),
    "a statistic stated twice": ("worst case: ", lambda c: c["statistics"].append(c["statistics"][0])),
    "a later round": ("measurements: ", lambda c: of(c, 0)["mechanisms"][0].update(round=1)),
    "another name of a table": ("n: one table has the name", lambda c: c["statistics"][0].update(tables=["q"])),
    "tables where there is one": (
        "n: its tables have other names",
        lambda c: c["statistics"][0].update(output="tables"),
    ),
    "another mechanism": (  # which has no ε, so that this is found first
        "worst case: n: spends ε = inf",
        lambda c: of(c, 0)["mechanisms"][0].update(name="discrete_gaussian"),
    ),
    "a setting that the mechanism does not have": (
        "measurements: ",
        lambda c: of(c, 0)["mechanisms"][0]["settings"].update(threshold=3),
    ),
    "another step": ("measurements: ", lambda c: of(c, 3)["mechanisms"][0].update(step="0.25")),
    "another order": ("statistics: not those of the plan", lambda c: c["statistics"].reverse()),
    "a larger loss than the plan allows": (
        "statistics: their losses are more than the plan's",
        lambda c: (
            [of(c, 0)["mechanisms"][0]["loss"].update(epsilon_nano=2 * 10**9)]
            and of(c, 0)["loss"].update(epsilon_nano=2 * 10**9)
        ),
    ),
    "a sum that is not that of the mechanisms": (
        "measurements: ",
        lambda c: of(c, 0)["loss"].update(epsilon_nano=2 * of(c, 0)["loss"]["epsilon_nano"]),
    ),
    "a charge that is not the sum": ("loss: ", lambda c: c["loss"].update(epsilon_nano=c["loss"]["epsilon_nano"] + 1)),
}
"""What contradicts itself although every single loss is enough."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_that_contradicts_itself_is_refused(
    tmp_path: Path, bundle: dict[str, bytes], shared: dict[str, bytes], name: str
) -> None:
    check, change = STATEMENTS[name]
    message = refusal(shared if "again" in name else bundle, change, tmp_path)
    assert message.startswith(check)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=5)
    return written(workspace, PLAN | {"statistics": SHARED}, tmp_path_factory.mktemp("shared"))


@pytest.mark.parametrize("version", [dprelease.__version__, NEWER])
def test_a_caveat_that_nobody_here_knows_is_told(bundle: dict[str, bytes], tmp_path: Path, version: str) -> None:
    """Of every bundle alike; and one that is known and untrue is refused beside the true ones."""
    strange = {"code": "no_february", "values": {"day": "31 February"}}

    def further(caveat: dict[str, Any]) -> Callable[[Any], Any]:
        return lambda c: (c["versions"].update(dprelease=version), c["caveats"].append(caveat))

    kept = {
        name: data
        for name, data in bundle.items()
        if name.startswith(("release", "tables/", "measured/", "charts/", "signer", "datap"))
    }
    verdict = dprelease.verify(forged(kept, further(strange), tmp_path / "1"))
    assert any("no_february: 31 February" in each.words and "no words" in each.words for each in verdict.cannot_show)
    for number, untrue in enumerate(["two_people", "previews_none", "group"]):
        caveat = {"code": untrue, "values": {}}
        assert refusal(kept, further(caveat), tmp_path / f"untrue-{number}").startswith("caveats: ")


OWN = [
    {"id": "own", "kind": "sum", "column": "x", "epsilon": 0.25},
    {"id": "target", "kind": "sum", "column": "x", "target_error": {"value": 100}},
    {"id": "rest", "kind": "median", "column": "x"},
]


def again(priced: Price, measurements: Sequence[StatedMeasurement]) -> Price:
    """The plan as it is stated with these measurements."""
    stated = [item.stated(priced.plan.schema) for item in priced.statistics]
    return as_stated(priced.plan, measurements, stated, currency=Currency.PURE)


@pytest.mark.parametrize("factor", [2, 0.5])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_scale_and_loss_have_to_fit_each_other_and_the_plan(place: int, factor: float) -> None:
    """Without the second implementation, which looks first: less noise for the same loss, and what costs or errs more
    than the plan gives the statistic."""
    plan = dprelease.Plan.parse(PLAN | {"statistics": OWN})
    priced = price(plan)
    facts = [each.stated() for each in priced.measurements]
    assert again(priced, facts).loss == priced.loss
    item = facts[place]
    for mechanism in item.mechanisms:
        wrong = structs.replace(mechanism, scale=mechanism.scale * factor)
        facts[place] = structs.replace(item, mechanisms=(wrong, *item.mechanisms[1:]))
        if factor < 1:
            with pytest.raises(IntegrityError, match="loses more than is stated"):
                again(priced, facts)
        elif place == 1:
            with pytest.raises(IntegrityError, match="more than the target"):
                again(priced, facts)
        else:
            assert again(priced, facts).loss == priced.loss
    if place == 0:
        dearer = structs.replace(
            item.mechanisms[0], loss=StatedLoss(epsilon_nano=250_000_001, rho_nano=0, delta_atto=0)
        )
        facts[place] = structs.replace(item, mechanisms=(dearer,))
        with pytest.raises(IntegrityError, match="more than the ε that the plan gives it"):
            again(priced, facts)


def test_the_scale_of_randomized_response_is_held_against_its_loss() -> None:
    """No noise has it, so that nothing else would notice."""
    unit = {"unit": "row", "neighbors": "substitute", "epsilon": 1}
    asked = {"statistics": [{"id": "s", "kind": "survey", "column": "c"}], "privacy": unit}
    asked |= {"columns": {"c": {"type": "category", "categories": ["a", "b"], "count_missing_as": "a"}}}
    priced = price(dprelease.Plan.parse(PLAN | asked))
    (item,) = (each.stated() for each in priced.measurements)
    assert again(priced, [item]).loss == priced.loss
    wrong = structs.replace(item.mechanisms[0], scale=item.mechanisms[0].scale * 2)
    with pytest.raises(IntegrityError, match=r"^statistics: s: no randomized_response is as stated"):
        again(priced, [structs.replace(item, mechanisms=(wrong,))])


def test_settings_have_to_be_those_that_the_plan_asks_for() -> None:
    """Of another threshold the loss is the same, so that nothing else would notice."""
    questions = [{"label": "high", "where": [{"column": "x", "at_least": 5}]}]
    asked = {"id": "t", "kind": "threshold", "threshold": 3, "answers": 1, "questions": questions}
    priced = price(dprelease.Plan.parse(PLAN | {"statistics": [asked]}))
    (item,) = (each.stated() for each in priced.measurements)
    (mechanism,) = item.mechanisms
    assert again(priced, [item]).loss == priced.loss
    wrong = structs.replace(mechanism, settings=mechanism.settings | {"threshold": 4})
    with pytest.raises(IntegrityError, match=r"^statistics: t: its sparse_vector has other settings"):
        again(priced, [structs.replace(item, mechanisms=(wrong,))])
