"""The terminal: checking a bundle with what was kept from earlier, and attaching a timestamp."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dprelease import cli
from dprelease.bundle.history import sign
from dprelease.bundle.listing import CHECKSUMS, TIMESTAMP
from dprelease.model.encoding import pretty
from tests.bundle.authority import Authority
from tests.bundle.entries import Ledger, key_of
from tests.bundle.servers import serving_folder
from tests.verdict.forging import entered, published, signed


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """One whose ledger had a checkpoint of 5 lines before it, kept in kept.json."""
    ledger, key = Ledger(), key_of(1)
    ledger.grow(5)
    checkpoint = ledger.checkpoint()
    (tmp_path / "kept.json").write_bytes(pretty(sign(checkpoint, key).to_mapping()))
    contents = published(tmp_path / "published")
    return signed(contents, tmp_path / "bundle", key, entered(contents, key, ledger, previous=checkpoint))


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any]:
    code = cli.main([*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_verify_takes_a_web_address_and_a_kept_checkpoint(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving_folder(tmp_path) as address:
        code, found = call(capsys, "verify", f"{address}/bundle/", "--checkpoint", f"{address}/kept.json")
        assert (code, found["checks"][-1]["name"]) == (0, "kept checkpoint")
        code, found = call(capsys, "verify", f"{address}/nowhere/")
        assert (code, found["error"]) == (2, "InputError")
    other = Ledger("other")
    other.grow(5)
    (tmp_path / "kept.json").write_bytes(pretty(sign(other.checkpoint(), key_of(1)).to_mapping()))
    code, found = call(capsys, "verify", bundle, "--checkpoint", tmp_path / "kept.json")
    assert (code, found["error"]) == (1, "IntegrityError")


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")
def test_the_folder_above_is_named_as_the_wrong_folder(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given, code in ((bundle.parent, 2), (bundle, 0)):
        assert cli.main(["verify", str(given)]) == code
        said = capsys.readouterr().err
        assert ("found a folder with bundles in it" in said and bundle.name in said) == (given != bundle)
        assert "Do not use" not in said
    (bundle / CHECKSUMS).unlink()
    assert cli.main(["verify", str(bundle)]) == 1
    assert "Do not use" in capsys.readouterr().err


def test_a_timestamp_is_attached_and_checked(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    authority = Authority.make(tmp_path / "authority", "Authority")
    wrong, answer = tmp_path / "wrong.tsr", tmp_path / "answer.tsr"
    wrong.write_bytes(authority.stamp(b"something else"))
    answer.write_bytes(authority.stamp((bundle / CHECKSUMS).read_bytes()))
    for token in (wrong, tmp_path / "nowhere.tsr", tmp_path):
        assert call(capsys, "timestamp", bundle, token)[0] == 1
        assert not (bundle / TIMESTAMP).exists()
    code, attached = call(capsys, "timestamp", bundle, answer)
    assert code == 0
    code, found = call(capsys, "verify", bundle, "--tsa-certificate", authority.folder / "root.pem")
    assert code == 0
    assert attached["time"][:10] in found["checks"][-1]["words"]
    assert call(capsys, "timestamp", bundle, answer)[0] == 1
