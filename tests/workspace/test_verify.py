"""Bundles that contradict themselves are refused, however well they are signed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import CHECKSUMS, SIGNATURE, SIGNER, checksums
from dprelease.errors import IntegrityError

PLAN = {
    "dprelease": 1,
    "dataset": "t",
    "privacy": {"unit": {"column": "id", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 1},
    "expected": {"rows": 100},
    "columns": {
        "x": {"type": "number", "lower": 0, "upper": 10, "resolution": 0.5},
        "c": {"type": "category", "categories": ["a", "b"]},
    },
    "statistics": [
        {"id": "n", "kind": "count", "by": ["c"]},
        {"id": "m", "kind": "mean", "column": "x"},
        {"id": "q", "kind": "median", "column": "x"},
        {"id": "s", "kind": "sum", "column": "x"},
    ],
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    workspace = dprelease.Workspace.in_memory()
    frame = pandas.DataFrame({"id": range(100), "x": [place % 10 for place in range(100)], "c": ["a", "b"] * 50})
    workspace.add_dataset("t", frame, unit_column="id", epsilon=5)
    plan_id = workspace.submit(dprelease.Plan.parse(PLAN))
    workspace.approve(plan_id)
    folder = workspace.publish(plan_id).write(tmp_path_factory.mktemp("bundle"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def signed(contents: dict[str, bytes], folder: Path, key: SigningKey) -> Path:
    """The files, listed and signed anew by a key of the forger's."""
    unsigned = {name: data for name, data in contents.items() if name not in (CHECKSUMS, SIGNATURE)}
    unsigned[SIGNER] = key.public.pem
    sums = checksums(unsigned)
    for name, data in (unsigned | {CHECKSUMS: sums, SIGNATURE: key.sign(sums)}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_the_forgers_tools_work(bundle: dict[str, bytes], tmp_path: Path) -> None:
    key = SigningKey.in_memory()
    assert dprelease.verify(signed(bundle, tmp_path, key), key=key.fingerprint).signer_known


CERTIFICATES: dict[str, Callable[[Any], Any]] = {
    "smaller epsilon": lambda c: c["guarantee"].update(epsilon=0.1),
    "another unit": lambda c: c["guarantee"].update(unit="galaxy"),
    "a row instead of an identifier": lambda c: c["guarantee"].update(unit_column=None),
    "cheaper exchange": lambda c: c["guarantee"].update(exchange_epsilon=0.001),
    "another relation": lambda c: c["population"].update(neighbors="substitute"),
    "a cap below the spend": lambda c: c["population"].update(epsilon_cap=0.5),
    "less spent than by this release": lambda c: c["cumulative"].update(epsilon=0.5),
    "no release": lambda c: c["cumulative"].update(releases=0),
    "an impossible entry": lambda c: c["ledger"].update(seq=-1),
    "smaller noise": lambda c: c["statistics"][0]["mechanisms"][0].update(scale=0.1),
    "smaller sensitivity": lambda c: c["statistics"][0]["mechanisms"][0]["sensitivity"].update(l1=1),
    "a smaller share": lambda c: c["statistics"][1].update(epsilon=0.0001),
    "a smaller error": lambda c: c["statistics"][1].update(error95=1e-9),
    "another kind": lambda c: c["statistics"][1].update(kind="count"),
    "a larger max_rows in the plan": lambda c: c["plan"]["privacy"]["unit"].update(max_rows=3),
    "another title": lambda c: c.update(title="Exact figures"),
    "no caveats": lambda c: c.update(caveats=[]),
    "flattering caveats": lambda c: c.update(caveats=["Perfectly anonymous."]),
    "two people": lambda c: c.update(approval={"workspace": "team"}),
    "previews left out": lambda c: c.update(previews={}),
    "something more": lambda c: c.update(praise="excellent"),
    "no plan": lambda c: c.pop("plan"),
}


@pytest.mark.parametrize("change", CERTIFICATES.values(), ids=CERTIFICATES)
def test_a_certificate_that_does_not_follow_from_its_plan_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, change: Callable[[Any], Any]
) -> None:
    certificate = json.loads(bundle["release.json"])
    change(certificate)
    forged = bundle | {"release.json": json.dumps(certificate).encode()}
    with pytest.raises(IntegrityError):
        dprelease.verify(signed(forged, tmp_path, SigningKey.in_memory()))


TABLES = {
    "a count that is not whole": ("n", "c,value,lower95,upper95\na,1.5,-4.5,7.5\nb,1,-5,7\n"),
    "a narrower interval": ("n", "c,value,lower95,upper95\na,50,50,50\nb,50,50,50\n"),
    "a cell left out": ("n", "c,value,lower95,upper95\na,50,38,62\n"),
    "an undeclared category": ("n", "c,value,lower95,upper95\na,50,38,62\nz,50,38,62\n"),
    "a mean outside the bounds": ("m", "value,lower95,upper95\n1000.5,0.0,10.0\n"),
    "a mean outside its interval": ("m", "value,lower95,upper95\n5.0,6.0,7.0\n"),
    "a median off the lattice": ("q", "value,lower95,upper95\n4.3,,\n"),
    "a median with an interval": ("q", "value,lower95,upper95\n4.5,4.4,4.6\n"),
    "a sum off the lattice": ("s", "value,lower95,upper95\n450.25,200,700\n"),
}


@pytest.mark.parametrize(("statistic", "table"), TABLES.values(), ids=TABLES)
def test_a_table_that_no_draw_gives_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, statistic: str, table: str
) -> None:
    forged = bundle | {f"tables/{statistic}.csv": table.encode()}
    with pytest.raises(IntegrityError):
        dprelease.verify(signed(forged, tmp_path, SigningKey.in_memory()))


def test_a_listed_file_that_bundles_do_not_have_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    with pytest.raises(IntegrityError, match=r"rows\.csv"):
        dprelease.verify(signed(bundle | {"rows.csv": b"id,x\n1,2\n"}, tmp_path, SigningKey.in_memory()))


def test_another_key_than_the_expected_one_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    folder = signed(bundle, tmp_path, SigningKey.in_memory())
    with pytest.raises(IntegrityError, match="signed by"):
        dprelease.verify(folder, key=SigningKey.in_memory().fingerprint)
    assert dprelease.verify(folder).words == "intact, signer unknown"
