"""Rounds that Flower carries: what the adapter keeps and refuses, and whole rounds by real processes of Flower."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from dprelease_flower.files import KINDS, MOST, NAME, PIECE, Folder, Piece, RefusedError

from dprelease.extras.federation import folder as own
from tests.extras.federation.flower import BIN


def made(path: Path, **files: bytes) -> Folder:
    path.mkdir()
    for name, data in files.items():
        (path / name.replace("_", ".")).write_bytes(data)
    return Folder(path)


def carry(source: Folder, target: Folder) -> int:
    """As much as one message carries; how many pieces that was."""
    pieces = list(source.due(target.listed()))
    for each in pieces:
        target.take(each)
    return len(pieces)


def piece(whole: bytes, name: str = "plan.json", **changed: object) -> Piece:
    fields = {"name": name, "at": 0, "size": len(whole), "digest": sha256(whole).hexdigest(), "data": whole}
    return Piece(**{**fields, **changed})  # type: ignore[arg-type]


def test_it_knows_the_files_that_a_round_has() -> None:
    assert KINDS == own.KINDS
    named = (own.PROPOSED, own.PLAN, own.TOTAL, own.BUNDLE, "1.offer.json", "100.masked.json", "7.masked.u64")
    assert all(NAME.fullmatch(each) for each in named)
    for wrong in (
        "0.offer.json",
        "1.other.json",
        "../plan.json",
        "1.key.u64",
        ".plan.json",
        "plan.json\n",
        "\u0661.key.json",
    ):
        assert not NAME.fullmatch(wrong)


def test_a_vector_comes_before_the_message_about_it_and_in_pieces(tmp_path: Path) -> None:
    vector = bytes(range(256)) * (MOST // 256) + b"end"
    source = made(tmp_path / "a", **{"1_masked_u64": vector, "1_masked_json": b"{}", "2_offer_json": b"[]"})
    target = made(tmp_path / "b")
    assert carry(source, target) == 1 + MOST // PIECE
    assert set(target.listed()) == {"2.offer.json", "1.masked.u64.part"}
    assert carry(source, target) == 2
    assert target.listed() == source.listed()
    assert (tmp_path / "b" / "1.masked.u64").read_bytes() == vector
    assert carry(source, target) == 0


def test_what_is_cut_is_gone_on_with_and_the_same_again_changes_nothing(tmp_path: Path) -> None:
    target, data = made(tmp_path / "b"), b"0123456789"
    target.take(piece(data, data=data[:4]))
    with pytest.raises(RefusedError, match="4 are here"):
        target.take(piece(data, at=6, data=data[6:]))
    target.take(piece(data, data=data[:4]))
    target.take(piece(data, at=4, data=data[4:]))
    target.take(piece(data))
    assert (tmp_path / "b" / "plan.json").read_bytes() == data
    assert [each.name for each in (tmp_path / "b").iterdir()] == ["plan.json"]


def test_nothing_is_replaced_and_nothing_else_is_kept(tmp_path: Path) -> None:
    target = made(tmp_path / "b", plan_json=b"mine")
    with pytest.raises(RefusedError, match="another file"):
        target.take(piece(b"theirs"))
    with pytest.raises(RefusedError, match="another file"):
        list(made(tmp_path / "a", plan_json=b"theirs").due(target.listed()))
    with pytest.raises(RefusedError, match="no file of a round"):
        target.take(piece(b"x", "../plan.json"))
    with pytest.raises(RefusedError, match="no file of a round"):
        target.take(piece(b"x", "sum.i64", size=1 << 31))
    with pytest.raises(RefusedError, match="no file of a round"):
        target.take(piece(b"x", "sum.i64", data=b"xy"))
    (first,) = made(tmp_path / "c", sum_i64=b"abc").due({"sum.i64.part": "x"})
    assert first.at == 0
    with pytest.raises(RefusedError, match="not those that were announced"):
        target.take(piece(b"x", "sum.i64", digest="0" * 64))
    assert {each.name for each in (tmp_path / "b").iterdir()} == {"plan.json"}
    assert (tmp_path / "b" / "plan.json").read_bytes() == b"mine"


def test_an_empty_file_is_carried(tmp_path: Path) -> None:
    source, target = made(tmp_path / "a", sum_i64=b""), made(tmp_path / "b")
    assert carry(source, target) == 1
    assert target.listed() == source.listed()


def of_flower(what: str, folder: Path) -> dict[str, object]:
    command = ("unshare", "--net", sys.executable, "-m", "tests.extras.federation.flower", what, str(folder))
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


installed = pytest.mark.skipif(not (BIN / "flwr").exists(), reason="Flower is not installed: make flower")
alone = pytest.mark.skipif(
    subprocess.run(("unshare", "--net", "true"), capture_output=True, check=False).returncode != 0,
    reason="no network namespace can be made here",
)


@pytest.mark.full
@installed
@alone
def test_three_workspaces_publish_one_release_by_real_nodes_of_flower(tmp_path: Path) -> None:
    found = of_flower("sites", tmp_path)
    assert (found["sums"], found["bundles"], found["recomputed"]) == (1, 1, True)


@pytest.mark.full
@installed
@alone
def test_a_million_cells_of_five_sites_come_through_flower_as_they_are(tmp_path: Path) -> None:
    """Noise of a million cells with σ = 11.2 is beyond 12 σ once in 10^26."""
    found = of_flower("cells", tmp_path)
    assert found["recomputed"]
    assert isinstance(found["off"], int)
    assert 0 < found["off"] < 135
