"""A published bundle, and the tools of a forger who has a signing key and a ledger of his own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas

import dprelease
from dprelease.bundle.listing import CHECKSUMS, LEDGER, SIGNATURE, SIGNER, TIMESTAMP, checksums, facts_of
from dprelease.bundle.signing import PublicKey, SigningKey
from dprelease.errors import DPReleaseError
from dprelease.model.encoding import pretty
from tests.bundle.entries import Ledger, charged

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
        {"id": "s", "kind": "sum", "column": "x", "noise": "laplace"},
    ],
}
PRIVACY = {"unit": {"column": "id", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 1}
COUNT = PLAN | {"privacy": PRIVACY, "statistics": [{"id": "n", "kind": "count", "by": ["c"]}]}
POPULATIONS: dict[str, dict[str, Any]] = {
    "people": {"epsilon": 2, "size": 1000},
    "patients": {"epsilon": 4, "delta": "1e-6", "currency": "zcdp"},
    "visitors": {"epsilon": 4, "unit": "visitor"},
    "others": {"epsilon": 4},
}
FRAME = pandas.DataFrame({"id": range(100), "x": [place % 10 for place in range(100)], "c": ["a", "b"] * 50})


def published(folder: Path, epsilon: float = 1) -> dict[str, bytes]:
    """The files of a bundle as the program writes it."""
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=5)
    return written(workspace, PLAN | {"privacy": PRIVACY | {"epsilon": epsilon}}, folder)


def published_beside_others(folder: Path) -> dict[str, bytes]:
    """The same of a population in its second period, beside others: overlapping ones in both currencies, and one more.

    Everything but the period of the population has spent something.
    """
    workspace = dprelease.Workspace.in_memory()
    for name, how in POPULATIONS.items():
        given = {"unit": "person", "neighbors": "add_remove", **how}
        workspace.add_population(name, **given)
        workspace.add_dataset(name, FRAME, population=name, unit_column="id")
        written(workspace, COUNT | {"dataset": name, "privacy": PRIVACY | {"delta": given.get("delta", 0)}}, folder)
    workspace.populations.attest_overlap("people", "patients", "some")
    workspace.populations.attest_overlap("people", "visitors", "same")
    workspace.populations.open_period("people", "2026", epsilon=3)
    return written(workspace, COUNT | {"dataset": "people"}, folder)


def written(workspace: dprelease.Workspace, plan: dict[str, Any], folder: Path) -> dict[str, bytes]:
    """The files of a release of a plan."""
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    workspace.plans.approve(plan_id)
    written = workspace.publish(plan_id, again=True).write(folder)
    return {str(path.relative_to(written)): path.read_bytes() for path in written.rglob("*") if path.is_file()}


def settled(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a certificate that states the charge of a forger's ledger, where a ledger could hold it."""
    try:
        stated = json.loads(contents["release.json"])
        before = str(stated["ledger"]["hash"]).encode()
        certificate = charged(stated)
        page = contents.get("index.html", b"").replace(before, certificate["ledger"]["hash"].encode())
        return {**contents, "release.json": pretty(certificate), **({"index.html": page} if page else {})}
    except (KeyError, TypeError, ValueError, AttributeError, DPReleaseError, ArithmeticError):
        return dict(contents)


def swapped(contents: Mapping[str, bytes], statistic: str, table: bytes) -> dict[str, bytes]:
    """The files with another table, and with its size and hash where they are described."""
    before = contents[f"tables/{statistic}.csv"]
    described = contents["datapackage.json"].decode()
    size = re.compile(rf'("bytes": ?){len(before)}([^}}]*?"hash": ?"sha256:{sha256(before).hexdigest()}")')
    described = size.sub(rf"\g<1>{len(table)}\g<2>", described)
    described = described.replace(sha256(before).hexdigest(), sha256(table).hexdigest())
    return {**contents, f"tables/{statistic}.csv": table, "datapackage.json": described.encode()}


def entered(contents: Mapping[str, bytes], key: SigningKey, ledger: Ledger | None = None, **how: Any) -> dict[str, Any]:
    """The ledger.json of a release whose files these are, once settled."""
    files = settled(contents)
    return (ledger or Ledger()).enter(json.loads(files["release.json"]), files, key, **how)


def signed(contents: Mapping[str, bytes], folder: Path, key: SigningKey, entry: Any = None) -> Path:
    """The files, entered in a ledger of the forger's, listed and signed anew by a key of his.

    `entry`: what stands in ledger.json, as a value or as bytes.
    """
    unsigned = {name: data for name, data in settled(contents).items() if name not in (CHECKSUMS, SIGNATURE)}
    if SIGNER in contents and "index.html" in unsigned:  # the page names the key
        before = PublicKey(contents[SIGNER]).fingerprint.encode()
        unsigned["index.html"] = unsigned["index.html"].replace(before, key.fingerprint.encode())
    unsigned[SIGNER] = key.public.pem
    unsigned[LEDGER] = entry if isinstance(entry, bytes) else pretty(entered(contents, key) if entry is None else entry)
    sums = checksums(facts_of({name: data for name, data in unsigned.items() if name != TIMESTAMP}))
    for name, data in (unsigned | {CHECKSUMS: sums, SIGNATURE: key.sign(sums)}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
    return folder
