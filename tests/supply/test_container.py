"""The Containerfile and compose.yaml, as far as they can be held without a registry: accounts, pins, places, proxy."""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from tests.web.test_nginx import NGINX, certificate

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = (ROOT / "Containerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
LINES = re.sub(r"\\\n\s*", "", WRITTEN).splitlines()
STEPS = [(line.split()[0], line.partition(" ")[2]) for line in LINES if line.strip() and not line.startswith("#")]


def words(instruction: str) -> list[str]:
    return [rest for name, rest in STEPS if name == instruction]


def test_the_image_runs_as_an_account_without_rights() -> None:
    assert words("USER") == ["10001:10001"]
    names = [name for name, _ in STEPS]
    assert "RUN" not in names[names.index("USER") :]


def test_what_is_fetched_is_pinned() -> None:
    assert all(re.search(r":\d[\w.-]*-\w+( AS \w+)?$", image) for image in words("FROM"))
    installed = [step for rest in words("RUN") for step in rest.split("&&") if " install " in step and "pip" in step]
    assert len(installed) == 3
    assert all("--require-hashes" in step or "--no-index" in step for step in installed)
    (script,) = re.findall(r"RUN sed -n (.*?) requirements-dev.txt", WRITTEN)
    command = ["sed", "-n", *shlex.split(script), str(ROOT / "requirements-dev.txt")]
    chosen = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert set(re.findall(r"^([\w-]+)==[\d.]+ \\$", chosen, re.MULTILINE)) == {
        Requirement(each).name for each in needed
    }
    others = [line.strip() for line in chosen.splitlines() if line.startswith(" ")]
    assert len(others) > len(needed)
    assert all(line.startswith(("--hash=sha256:", "#")) for line in others)


def test_only_what_the_wheel_is_made_of_reaches_the_build() -> None:
    shown = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert all((ROOT / name).exists() for name in shown)
    assert "*" in (ROOT / ".dockerignore").read_text().splitlines()
    assert "setup.py" in shown
    assert not [name for name in ("data", "data/workspace", ".venv", ".git", "deploy/secrets") if name in shown]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_closed(name: str) -> None:
    service = SERVICES[name]
    assert int(service["user"].partition(":")[0]) > 0
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["healthcheck"]["test"][0] == "CMD"


def test_only_the_proxy_can_be_called_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["dprelease"]
    assert SERVICES["proxy"]["network_mode"] == "service:dprelease", "it has the ports, since both share one network"
    assert SERVICES["dprelease"]["environment"]["DPRELEASE_PROXY"] == "127.0.0.1"
    assert SERVICES["postgresql"]["networks"] == ["inside"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}


def test_what_is_mounted_is_here_or_kept_out_of_version_control() -> None:
    mounted = [place.partition(":")[0] for service in SERVICES.values() for place in service.get("volumes", ())]
    files = [place for place in mounted if place.startswith("./")] + [
        each["file"] for each in COMPOSE["secrets"].values()
    ]
    ignored = [f"./{line}*" for line in (ROOT / ".gitignore").read_text().splitlines() if line.startswith("deploy/")]
    assert len(files) == 6
    assert [each for each in files if not any(fnmatch.fnmatch(each, pattern) for pattern in ignored)] == [
        "./deploy/nginx.conf",
        "./deploy/postgresql.sql",
    ]
    assert (ROOT / "deploy" / "nginx.conf").is_file()
    assert (ROOT / "deploy" / "postgresql.sql").is_file()


def test_the_image_and_compose_ask_the_same_of_its_health() -> None:
    (image,) = words("HEALTHCHECK")
    assert ["CMD", *json.loads(image.partition(" CMD ")[2])] == SERVICES["dprelease"]["healthcheck"]["test"]


class Answering(BaseHTTPRequestHandler):
    """200 at the address that `dprelease serve` itself asks, 404 elsewhere."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/_stcore/health" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def answering() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_its_health_is_that_of_the_server(answering: int) -> None:
    code = SERVICES["dprelease"]["healthcheck"]["test"][3]

    def status(said: str) -> int:
        return subprocess.run([sys.executable, "-c", said], capture_output=True, check=False).returncode

    assert ":8501/" in code
    assert status(code.replace(":8501/", f":{answering}/")) == 0
    assert status(code.replace(":8501/_stcore/health", f":{answering}/other")) == 1
    assert status(code.replace(":8501/", ":1/")) == 1
    assert "_stcore/health" in (ROOT / "dprelease" / "web" / "server.py").read_text()


def test_its_proxy_is_the_one_that_is_tested() -> None:
    (tested,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "security.md").read_text(), re.DOTALL)
    assert tested in (ROOT / "deploy" / "nginx.conf").read_text()


@pytest.mark.skipif(NGINX is None, reason="there is no nginx on this machine")
def test_nginx_takes_its_configuration(tmp_path: Path) -> None:
    shutil.copyfile(certificate(tmp_path), tmp_path / "stats.example.org.pem")
    written = (ROOT / "deploy" / "nginx.conf").read_text()
    written = written.replace("/etc/ssl/private/stats.example.org.key", str(tmp_path / "key.pem"))
    written = written.replace("/etc/ssl/", f"{tmp_path}/").replace(" /tmp/", f" {tmp_path}/")
    (tmp_path / "nginx.conf").write_text(written)
    done = subprocess.run(
        [str(NGINX), "-e", "stderr", "-t", "-c", str(tmp_path / "nginx.conf")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
