"""Timestamp authorities made with the openssl command line."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

SETTINGS = """
[tsa]
default_tsa = settings
[settings]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/own.pem
signer_key = {folder}/own.key
{chain}
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha1, sha256, sha384, sha512
ess_cert_id_alg = sha256
[authority]
basicConstraints = critical, CA:true
[req]
distinguished_name = name
[name]
"""
EXTENSIONS = """
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = {usage}
"""


def openssl(*arguments: object) -> bytes:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, timeout=300, check=True)
    return done.stdout


@dataclass(frozen=True)
class Authority:
    """A root that vouches for a certificate, which signs timestamps."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, name: str, *, chain: bool = False) -> Authority:
        """With `chain` its answers hold the root's certificate too."""
        folder.mkdir()
        settings = folder / "settings"
        sent = f"certs = {folder}/root.pem" if chain else ""
        settings.write_text(SETTINGS.format(folder=folder, chain=sent))
        (folder / "serial").write_text("01\n")
        new = ("req", "-config", settings, "-newkey", "rsa:2048", "-nodes")
        root = ("-x509", "-days", "3650", "-subj", f"/CN={name} root", "-extensions", "authority")
        openssl(*new, *root, "-keyout", folder / "root.key", "-out", folder / "root.pem")
        openssl(*new, "-subj", f"/CN={name}", "-keyout", folder / "own.key", "-out", folder / "own.csr")
        made = cls(folder)
        (folder / "own.pem").write_bytes(made.certificate("critical, timeStamping"))
        return made

    def certificate(self, usage: str) -> bytes:
        """A certificate for its own key."""
        extensions = self.folder / "extensions"
        extensions.write_text(EXTENSIONS.format(usage=usage))
        root = ("-CA", self.folder / "root.pem", "-CAkey", self.folder / "root.key", "-set_serial", "7")
        own = ("-req", "-in", self.folder / "own.csr", "-days", "3000", "-extfile", extensions)
        return openssl("x509", *own, *root)

    @property
    def root(self) -> bytes:
        return (self.folder / "root.pem").read_bytes()

    @property
    def own(self) -> bytes:
        return (self.folder / "own.pem").read_bytes()

    def stamp(self, message: bytes, *, token: bool = False, certificate: bool = True, digest: str = "sha256") -> bytes:
        """What it answers: a response, or only the token in it."""
        query, answer, data = (self.folder / name for name in ("query", "answer", "data"))
        data.write_bytes(message)
        asked = ("-cert",) if certificate else ()
        openssl("ts", "-query", "-data", data, f"-{digest}", *asked, "-out", query)
        only = ("-token_out",) if token else ()
        openssl("ts", "-reply", "-config", self.folder / "settings", "-queryfile", query, *only, "-out", answer)
        return answer.read_bytes()
