"""Identity providers on this machine: a real one as a process of its own, and one that says whatever it is told to."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from tests.heard import heard

COMMAND = Path(sys.executable).with_name("oidc-provider-mock")
ADDRESS = r"running on (http://127\.0\.0\.1:\d+)"
KEY, OTHER = (RSAKey.generate_key(2048, {"kid": "one"}) for _ in range(2))


@contextmanager
def real(*people: dict[str, Any]) -> Iterator[str]:
    """The address of oidc-provider-mock, which knows these people by their claims."""
    told = [word for each in people for word in ("--user-claims", json.dumps(each))]
    command = [str(COMMAND), "--port", "0", "--require-nonce", "true", *told]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield re.findall(ADDRESS, heard(process, ADDRESS))[0]
    finally:
        process.terminate()
        process.wait()


@dataclass
class Liar:
    """A provider that signs ID tokens as it is told to."""

    issuer: str = ""
    nonce: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    """What differs from an honest token; None leaves a claim out."""
    discovered: dict[str, Any] = field(default_factory=dict)
    how: str = "RS256"
    """An algorithm, `other key`, or `public key as secret`."""
    asked: list[dict[str, list[str]]] = field(default_factory=list)
    """What was posted to its token endpoint."""

    def token(self) -> str:
        now = int(time.time())
        honest = {"iss": self.issuer, "aud": "dprelease", "sub": "7", "nonce": self.nonce, "iat": now, "exp": now + 60}
        stated = honest | {"preferred_username": "Bea.Weber@id.example", "groups": ["reviewers"]} | self.claims
        stated = {name: value for name, value in stated.items() if value is not None}
        if self.how == "none":
            return str(jwt.encode({"alg": "none"}, stated, OctKey.import_key("x" * 32), algorithms=["none"]))
        if self.how == "public key as secret":
            secret = OctKey.import_key(KEY.as_pem(private=False))
            return str(jwt.encode({"alg": "HS256", "kid": "one"}, stated, secret, algorithms=["HS256"]))
        key = OTHER if self.how == "other key" else KEY
        return str(jwt.encode({"alg": "RS256", "kid": "one"}, stated, key))

    def answer(self, path: str) -> Any:
        if path == "/.well-known/openid-configuration":
            paths = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
            return {"issuer": self.issuer, **{name: self.issuer + each for name, each in paths.items()}} | (
                self.discovered
            )
        if path == "/token":
            return {"id_token": self.token(), "access_token": "x", "token_type": "Bearer"}
        return {"keys": [KEY.as_dict(private=False)]}


@contextmanager
def lying() -> Iterator[Liar]:
    """Such a provider on a port of this machine."""
    liar = Liar()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(liar.answer(urlsplit(self.path).path)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            liar.asked.append(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        liar.issuer = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield liar
        finally:
            server.shutdown()
            thread.join()
