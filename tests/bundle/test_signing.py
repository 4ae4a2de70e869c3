"""The signing key: stored once, for its owner only; signatures that hold for exactly what was signed."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from dprelease.bundle.signing import PublicKey, SigningKey, fingerprint_of
from dprelease.errors import InputError, IntegrityError

OPENS = """
import sys
from pathlib import Path
from dprelease.bundle.signing import SigningKey
print(SigningKey.open(Path(sys.argv[1])).fingerprint)
"""


def test_a_key_is_stored_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "signing.pem"
    key = SigningKey.open(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["signing.pem"]
    assert SigningKey.open(path).fingerprint == SigningKey.load(path).fingerprint == key.fingerprint


@pytest.mark.full
def test_processes_that_open_a_new_workspace_at_once_get_one_key(tmp_path: Path) -> None:
    path = tmp_path / "signing.pem"
    command = [sys.executable, "-c", OPENS, str(path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    answers = {process.communicate(timeout=300)[0] for process in processes}
    assert answers == {f"{SigningKey.load(path).fingerprint}\n"}


def test_the_fingerprint_is_the_key_itself(tmp_path: Path) -> None:
    key = SigningKey.in_memory()
    scheme, digits = key.fingerprint.split(":")
    assert scheme == "ed25519"
    assert len(bytes.fromhex(digits)) == 32
    (tmp_path / "signer.pub").write_bytes(key.public.pem)
    assert fingerprint_of(str(tmp_path / "signer.pub")) == key.fingerprint
    assert fingerprint_of(key.fingerprint.upper()) == key.fingerprint
    assert fingerprint_of(f" {key.fingerprint}\n") == key.fingerprint


def test_a_fingerprint_leads_to_its_key() -> None:
    key = SigningKey.in_memory()
    assert PublicKey.of(key.fingerprint) == key.public
    for text in ("", "ed25519:", key.fingerprint.upper(), key.fingerprint + "\n", key.fingerprint[:-1]):
        with pytest.raises(IntegrityError):
            PublicKey.of(text)


def test_a_stored_key_is_never_replaced(tmp_path: Path) -> None:
    path, key = tmp_path / "keys" / "new.pem", SigningKey.in_memory()
    key.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        SigningKey.in_memory().save(path)
    assert SigningKey.load(path).fingerprint == key.fingerprint
    assert [entry.name for entry in path.parent.iterdir()] == ["new.pem"]


@pytest.mark.parametrize("text", ["", "ed25519:", "ed25519:" + "0" * 63, "nowhere/signer.pub", "a\0b"])
def test_what_is_no_key_is_refused_in_words(text: str) -> None:
    with pytest.raises(InputError, match="fingerprint"):
        fingerprint_of(text)


def test_a_signature_holds_for_its_message_and_key_only() -> None:
    key, other = SigningKey.in_memory(), SigningKey.in_memory()
    signature = key.sign(b"message")
    assert key.sign(b"message") == signature
    key.public.check(signature, b"message")
    changed = bytes([signature[0] ^ 1]) + signature[1:]
    for public, signed, message in (
        (key.public, signature, b"massage"),
        (other.public, signature, b"message"),
        (key.public, changed, b"message"),
        (key.public, b"", b"message"),
    ):
        with pytest.raises(IntegrityError):
            public.check(signed, message)


@pytest.mark.parametrize("content", [b"", b"not a key", SigningKey.in_memory().public.pem])
def test_a_file_that_is_no_private_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "signing.pem"
    path.write_bytes(content)
    with pytest.raises(IntegrityError):
        SigningKey.open(path)
    assert path.read_bytes() == content


def test_other_kinds_of_keys_are_refused(tmp_path: Path) -> None:
    other = generate_private_key(SECP256R1())
    with pytest.raises(IntegrityError):
        PublicKey(other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    (tmp_path / "key.pem").write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(IntegrityError):
        SigningKey.load(tmp_path / "key.pem")


def test_nothing_secret_is_in_a_repr() -> None:
    key = SigningKey.in_memory()
    assert repr(key) == "SigningKey()"
