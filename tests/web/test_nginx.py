"""The configuration in docs/security.md, as a real nginx before a real server runs it."""

from __future__ import annotations

import datetime
import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from websockets.sync.client import connect

from benchmarks.http import free_port
from tests.browser.conftest import Server, serve

ROOT = Path(__file__).resolve().parents[2]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
pytestmark = [pytest.mark.full, pytest.mark.skipif(NGINX is None, reason="there is no nginx on this machine")]
HEAD = "pid {folder}/pid; error_log {folder}/error.log; events {{}}\nhttp {{ access_log off;\n"
PATHS = "".join(
    f"{name}_temp_path {{folder}}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
)


@dataclass
class Proxy:
    """An nginx on this machine."""

    server: Server
    plain: int
    closed: int
    trust: ssl.SSLContext

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> tuple[int, dict[str, list[str]], bytes]:
        connection = HTTPSConnection("localhost", self.closed, context=self.trust, timeout=300)
        connection.request(method, path, body, headers={name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        told: dict[str, list[str]] = {}
        for name, text in answer.getheaders():
            told.setdefault(name.lower(), []).append(text)
        body = answer.read()
        connection.close()
        return answer.status, told, body


def certificate(folder: Path) -> Path:
    """Of localhost, signed by itself; with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "cert.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(key.private_bytes(*plain))
    return path


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("nginx")
    trust = ssl.create_default_context(cafile=certificate(folder))
    (written,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "security.md").read_text(), re.DOTALL)
    with pytest.MonkeyPatch.context() as given:
        given.setenv("DPRELEASE_PROXY", "127.0.0.1")
        running = serve(folder / "home")
        server = next(running)
    plain, closed = free_port(), free_port()
    for old, new in {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl": f"listen 127.0.0.1:{closed} ssl",
        "/etc/ssl/private/stats.example.org.key": str(folder / "key.pem"),
        "/etc/ssl/stats.example.org.pem": str(folder / "cert.pem"),
        "stats.example.org": "localhost",
        "http://127.0.0.1:8501": server.base,
    }.items():
        assert old in written
        written = written.replace(old, new)
    (folder / "nginx.conf").write_text((HEAD + PATHS).format(folder=folder) + written + "}")
    command = [str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)  # listens, goes on in the background and returns
    try:
        yield Proxy(server, plain, closed, trust)
    finally:
        subprocess.run([*command, "-s", "stop"], check=True, stderr=subprocess.DEVNULL)
        running.close()


def test_a_person_signs_in_through_it(proxy: Proxy) -> None:
    link = proxy.server.link.removeprefix(proxy.server.base)
    assert proxy.ask(link)[0] == 200, "a page with a button"
    form = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
    status, headers, _ = proxy.ask("/sign-in", "POST", link.partition("?")[2], **form)
    assert (status, headers["location"]) == (303, ["/"])
    (cookie,) = headers["set-cookie"]
    assert {"secure", "httponly", "samesite=lax"} <= {part.strip().lower() for part in cookie.split(";")}
    held = cookie.partition(";")[0]
    assert held.startswith("__Host-")
    assert proxy.ask("/reports/-/events.csv", cookie=held)[0] == 200
    origin = f"https://localhost:{proxy.closed}"
    address = f"wss://localhost:{proxy.closed}/_stcore/stream"
    with connect(address, ssl=proxy.trust, origin=origin, additional_headers={"Cookie": held}):  # type: ignore[arg-type]
        pass


def test_its_headers(proxy: Proxy) -> None:
    for path in ("/", "/sign-in", "/api/releases"):
        _, headers, _ = proxy.ask(path)
        for name in ("content-security-policy", "x-content-type-options", "strict-transport-security"):
            assert len(headers[name]) == 1, (path, name)
        assert headers["server"] == ["nginx"]


def test_what_it_refuses(proxy: Proxy) -> None:
    assert proxy.ask("/_stcore/metrics")[0] == 404
    assert proxy.ask("/_stcore/upload_file/x/y", "PUT", content_length=str(300 * 2**20))[0] == 413
    assert proxy.ask("/upload", "POST", content_length=str(17 * 2**30))[0] == 413
    assert proxy.ask("/", host="evil.example")[0] == 400
    codes = [proxy.ask("/sign-in")[0] for _ in range(20)]
    assert codes.count(429) >= 5
    assert proxy.ask("/api/releases")[0] == 200, "readers are not those who sign in"


def test_plain_http_leads_to_https(proxy: Proxy) -> None:
    from http.client import HTTPConnection

    connection = HTTPConnection("localhost", proxy.plain, timeout=60)
    connection.request("GET", "/r/x?y=1")
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("location")) == (308, "https://localhost/r/x?y=1")
    connection.close()
