"""The terminal: checking a bundle with what was kept from earlier, and attaching a timestamp."""

from __future__ import annotations

import json
import re
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
        assert (code, found["checks"][-1]["code"]) == (0, "check.kept_checkpoint")
        code, found = call(capsys, "verify", f"{address}/nowhere/")
        assert (code, found["error"]) == (3, "InputError")
    other = Ledger("other")
    other.grow(5)
    (tmp_path / "kept.json").write_bytes(pretty(sign(other.checkpoint(), key_of(1)).to_mapping()))
    code, found = call(capsys, "verify", bundle, "--checkpoint", tmp_path / "kept.json")
    assert (code, found["error"]) == (6, "IntegrityError")


def sentences(told: str) -> set[str]:
    """What is said, without names and numbers."""
    pieces = re.split(r"[.:;,]\s", re.sub(r"ed25519:\w+|[\w.-]*\d[\w.-]*", "", told))
    return {piece.strip() for piece in pieces if len(piece.split()) > 2}


@pytest.mark.full
def test_a_verdict_is_told_in_the_language_of_the_locale(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DPRELEASE_LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    said = {}
    for locale in ("C", "es_ES.UTF-8"):
        monkeypatch.setenv("LANG", locale)
        told = []
        for given in ([], ["--key", key_of(1).fingerprint, "--checkpoint", tmp_path / "kept.json"]):
            assert cli.main(["verify", str(bundle), *map(str, given)]) == 0
            told.append(capsys.readouterr().out)
        said[locale] = told
    assert len(sentences(said["C"][0])) > 25
    for english, spanish in zip(*said.values(), strict=True):
        assert len(english.splitlines()) == len(spanish.splitlines())
        assert sentences(english) & sentences(spanish) == set()
    assert "Un mismo libro mayor tiene el punto de control que usted indicó, de 5 líneas" in said["es_ES.UTF-8"][1]


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")
def test_the_folder_above_is_named_as_the_wrong_folder(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given, code in ((bundle.parent, 3), (bundle, 0)):
        assert cli.main(["verify", str(given)]) == code
        said = capsys.readouterr().err
        assert ("found a folder with bundles in it" in said and bundle.name in said) == (given != bundle)
        assert "Do not use" not in said
    (bundle / CHECKSUMS).unlink()
    assert cli.main(["verify", str(bundle)]) == 6
    assert "Do not use" in capsys.readouterr().err


@pytest.mark.full
def test_a_timestamp_is_attached_and_checked(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    authority = Authority.make(tmp_path / "authority", "Authority")
    wrong, answer = tmp_path / "wrong.tsr", tmp_path / "answer.tsr"
    wrong.write_bytes(authority.stamp(b"something else"))
    answer.write_bytes(authority.stamp((bundle / CHECKSUMS).read_bytes()))
    for token in (wrong, tmp_path / "nowhere.tsr", tmp_path):
        assert call(capsys, "timestamp", bundle, token)[0] in {3, 6}
        assert not (bundle / TIMESTAMP).exists()
    code, attached = call(capsys, "timestamp", bundle, answer)
    assert code == 0
    code, found = call(capsys, "verify", bundle, "--tsa-certificate", authority.folder / "root.pem")
    assert code == 0
    assert attached["time"][:10] in found["checks"][-1]["words"]
    assert call(capsys, "timestamp", bundle, answer)[0] == 3
