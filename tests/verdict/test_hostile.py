"""Whatever stands in a bundle or a kept file, well signed: verify passes it or says what is wrong, and never breaks."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dprelease
from dprelease.bundle.history import Rotation
from dprelease.errors import DPReleaseError
from dprelease.model.checkpoint import SpentTotals
from dprelease.model.encoding import canonical
from tests.bundle.entries import Ledger, key_of
from tests.tries import tries
from tests.verdict.forging import entered, published_beside_others, signed

FIRST, KEY = key_of(6), key_of(7)
STRANGE: list[list[Any]] = [
    [None, True, False],
    [0, 1, -1, 2**53, 2**60, -(2**70), 10**400],
    [0.5, -0.0, 1.0, 1e300, 1e999, float("nan")],
    ["", "7", "x", "2026-13-01", "\ud800", "\x00", "a" * 10**5, "00" * 32, "same", "9" * 5000, "١", "1e999999999"],
    [[], ["x"], [[]], [None], [1, "x"], [{}]],
    [{}, {"": 1}, {"x": {}}, {"epsilon_nano": "7"}, {"name": ["x"]}],
]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return published_beside_others(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forged")


def own_entry(bundle: dict[str, bytes]) -> dict[str, Any]:
    """With everything that a ledger.json can have."""
    stated = json.loads(bundle["ledger.json"])["checkpoint"]["populations"]
    ledger = Ledger()
    ledger.grow(5)
    return entered(
        bundle,
        KEY,
        ledger,
        previous=ledger.checkpoint(),
        rotations=[Rotation.make(FIRST, KEY.public, "2025-01-01")],
        standings=[SpentTotals.from_mapping(each) for each in stated],
    )


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every mapping or list inside a value, with each of its keys or indices."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@dataclass(frozen=True)
class Change:
    """Where and how a JSON value is changed: numbers that choose among what is there."""

    name: int
    place: int
    kind: int
    strange: int
    how: str

    def make(self, value: Any) -> None:
        """Puts something strange in a place, or under another key; or leaves something out, or gives it twice."""
        found = list(places(value))
        if not found:
            return
        names = sorted({str(key) for _, key in found})  # so that long lists do not prevail
        inner, key = chosen([each for each in found if str(each[1]) == chosen(names, self.name)], self.place)
        strange = copy.deepcopy(chosen(chosen(STRANGE, self.kind), self.strange))
        if self.how == "value":
            inner[key] = strange
        elif self.how == "less":
            del inner[key]
        elif isinstance(inner, list):
            inner.append(copy.deepcopy(inner[key]))
        elif self.how == "key":
            inner[strange if isinstance(strange, str) else "more"] = inner.pop(key)
        else:
            inner["more"] = strange


def chosen(values: Sequence[Any], number: int) -> Any:
    return values[number % len(values)]


NUMBER = st.integers(0, 2**16)
HOW = st.sampled_from(["value", "value", "value", "key", "less", "more"])
CHANGES = st.lists(st.builds(Change, NUMBER, NUMBER, NUMBER, NUMBER, HOW), min_size=1, max_size=3)


def mutated(value: Any, changes: Sequence[Change]) -> Any:
    value = copy.deepcopy(value)
    for change in changes:
        change.make(value)
    return value


def signed_again(entry: Any) -> Any:
    """With the signature of what its checkpoint is now, where that can be signed."""
    try:
        return entry | {"signature": KEY.sign(canonical(entry["checkpoint"])).hex()}
    except (ValueError, TypeError, KeyError, RecursionError):
        return entry


def passes(*arguments: Any) -> bool:
    """Anything but an error of this program's own is a failure of the test."""
    try:
        dprelease.verify(*arguments)
    except DPReleaseError:
        return False
    return True


pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr:hypothesis.errors.HypothesisWarning")
"""Of a bundle, where a search fails."""
SEARCH = settings(max_examples=tries(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_the_tools_of_this_test_make_a_bundle_that_passes(bundle: dict[str, bytes], folder: Path) -> None:
    entry = own_entry(bundle)
    assert passes(signed(bundle, folder, KEY, signed_again(entry)))
    (folder.parent / "kept.json").write_text(json.dumps(entry))
    assert passes(folder, None, folder.parent / "kept.json")


@SEARCH
@given(changes=CHANGES)
def test_a_strange_ledger_json_never_breaks_it(bundle: dict[str, bytes], folder: Path, changes: list[Change]) -> None:
    entry = signed_again(mutated(own_entry(bundle), changes))
    passes(signed(bundle, folder, KEY, json.dumps(entry).encode()))


@SEARCH
@given(changes=CHANGES)
def test_a_strange_release_json_never_breaks_it(bundle: dict[str, bytes], folder: Path, changes: list[Change]) -> None:
    """Its ledger.json is about the changed file, where it can be."""
    certificate = mutated(json.loads(bundle["release.json"]), changes)
    files = bundle | {"release.json": json.dumps(certificate).encode()}
    try:
        entry = own_entry(files)
    except (ArithmeticError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        entry = own_entry(bundle)
    passes(signed(files, folder, KEY, entry))


@pytest.mark.parametrize("strange", [None, True, 7, "x", {}, {"held": 1}, [None], ["x"], [{}], [{"held": False}], [[]]])
def test_strange_criteria_never_break_it(bundle: dict[str, bytes], folder: Path, strange: Any) -> None:
    """A release whose criteria failed has no tables: what stands there is looked at before anything else."""
    certificate = json.loads(bundle["release.json"]) | {"criteria": strange}
    files = bundle | {"release.json": json.dumps(certificate).encode()}
    assert not passes(signed(files, folder, KEY, own_entry(files)))


@SEARCH
@given(changes=CHANGES, bare=st.booleans())
def test_a_strange_kept_file_never_breaks_it(
    bundle: dict[str, bytes], folder: Path, changes: list[Change], bare: bool
) -> None:
    value = own_entry(bundle)
    if bare:
        value = {key: value[key] for key in ("checkpoint", "signer", "signature")}
    path = folder.parent / "kept.json"
    path.write_text(json.dumps(signed_again(mutated(value, changes))))
    passes(signed(bundle, folder, KEY, own_entry(bundle)), None, path)
