"""What is installed is whole: the wheel, where there is no checkout, opens the same dashboard."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener
from zipfile import ZipFile

import pytest

import dprelease
from benchmarks.http import free_port
from dprelease.ui.screens import SCREENS
from dprelease.ui.words import WORDS
from dprelease.web.guard import DASHBOARD, HEADERS, PLAIN, PORTAL
from dprelease.words.catalogue import compiled_name
from dprelease.workspace.process import COOKIE
from tests.heard import heard
from tests.trust.socket import opened

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 300
LINK = r"/sign-in\?token=\S+"
FOREIGN = "import this_is_nobodys_module\n"
CARELESS = """
[server]
allowedHosts = ["evil.example"]
[client]
disableDataExport = false
[theme.light]
primaryColor = "#ff0000"
"""
"""What a folder may hold in which somebody happens to start the command."""


def tracked() -> list[str]:
    """The files of the checkout, as Git knows them; of an unpacked source distribution, those that it is made of."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode == 0:
        return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    return [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()]


def packaged() -> dict[str, str]:
    """By its place in the wheel, each file of the checkout that is installed."""
    shown = re.compile(r"app\.py|pages/[a-z]+\.py|\.streamlit/config\.toml|docs/([a-z-]+\.md|guide/.+)")
    files = {f"dprelease/dashboard/{name}": name for name in tracked() if shown.fullmatch(name)}
    return files | {name: name for name in tracked() if name.startswith("dprelease/") and "__pycache__" not in name}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, since a build leaves folders behind; with the build tools of this environment, offline."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("wheel")
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    (copy / "data" / "workspace" / "private").mkdir(parents=True)
    (copy / "data" / "workspace" / "private" / "rows.json").write_text("[]")
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(out), str(copy))
    (built,) = out.glob("*.whl")
    return built


def pip(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--no-input", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_wheel_holds_every_file_and_no_other(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    described = f"dprelease-{dprelease.__version__}.dist-info"
    assert {name.partition("/")[0] for name in held} == {"dprelease", described}
    own = {name: data for name, data in held.items() if not name.startswith(described)}
    words = {name for name in packaged() if name.endswith(".po")}
    made = {f"{Path(name).parent}/{compiled_name(Path(name), own[name])}" for name in words}
    assert {name for name in own if name.endswith(".mo")} == made, "catalogues are compiled when a wheel is built"
    read = {name: data for name, data in own.items() if name not in made}
    assert read == {name: (ROOT / source).read_bytes() for name, source in packaged().items()}


@dataclass(frozen=True)
class Installed:
    """The command in an environment of its own, run from a folder that is none of the project's."""

    command: Path
    folder: Path

    @property
    def surroundings(self) -> dict[str, str]:
        """Nothing of the environment that the tests run in."""
        return {"PATH": os.defpath, "HOME": str(self.folder), "LANG": "C.UTF-8"}

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.command, *arguments],
            cwd=self.folder,
            env=self.surroundings,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The dependencies are those of this environment, since fetching them takes minutes; dprelease is the wheel's."""
    place, folder = tmp_path_factory.mktemp("environment"), tmp_path_factory.mktemp("somewhere")
    venv.create(place)
    python = place / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", "--no-index", "--no-compile", str(wheel))
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    for name in ("app.py", "streamlit.py", "pages.py", "dprelease.py"):
        (folder / name).write_text(FOREIGN)
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "config.toml").write_text(CARELESS)
    return Installed(place / "bin" / "dprelease", folder)


@dataclass(frozen=True)
class Served:
    base: str
    link: str

    def ask(
        self, path: str, method: str = "GET", data: bytes | None = None, **headers: str
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Redirects are not followed."""
        given = {key.replace("_", "-"): text for key, text in headers.items()}
        request = Request(self.base + path, data, given, method=method)
        try:
            with build_opener(Stay).open(request, timeout=SECONDS) as answer:
                return answer.status, answer.headers, answer.read()
        except HTTPError as error:
            with error:
                return error.code, error.headers, error.read()


class Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@pytest.fixture(scope="module")
def served(installed: Installed) -> Iterator[Served]:
    assert "The sample" in installed.run("demo")
    port = str(free_port())
    command = [installed.command, "serve", "--no-browser", "--port", port, "--allow-host", "Stats.example"]
    process = subprocess.Popen(
        command,
        cwd=installed.folder,
        env=installed.surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield Served(f"http://127.0.0.1:{port}", re.findall(LINK, heard(process, LINK))[0])
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def cookie(served: Served) -> str:
    """That of somebody who followed the printed link."""
    form = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
    status, headers, _ = served.ask("/sign-in", "POST", served.link.partition("?")[2].encode(), **form)
    assert (status, headers["location"]) == (303, "/workbench?new=visits"), "the sample's plan is open"
    found = re.match(rf"{COOKIE}=([^;]+)", headers["set-cookie"])
    assert found
    return found[1]


@pytest.mark.full
def test_every_page_is_shown(served: Served, cookie: str) -> None:
    with opened(served.base, cookie) as tab:
        assert set(tab.pages) == {address(screen.key) for screen in SCREENS}
        for screen in SCREENS:
            shown = tab.run(address(screen.key))
            assert WORDS[f"{screen.key}_title"] in shown
            assert not any(WORDS[key].split(".")[0] in shown for key in ("failed", "no_access", "no_role")), screen.key


def address(key: str) -> str:
    return "" if key == "desk" else key


@pytest.mark.full
def test_it_has_the_theme_and_the_settings_of_the_checkout(served: Served) -> None:
    stated = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    with opened(served.base) as tab:
        (begun,) = [each.new_session for each in tab.answers if each.WhichOneof("type") == "new_session"]
    for name, colours in (("light", begun.custom_theme.light), ("dark", begun.custom_theme.dark)):
        theme = stated["theme"][name]
        assert colours.primary_color == theme["primaryColor"]
        assert colours.background_color == theme["backgroundColor"]
        assert list(colours.chart_categorical_colors) == theme["chartCategoricalColors"]
    assert begun.config.disable_data_export is stated["client"]["disableDataExport"] is True
    assert begun.config.gather_usage_stats is stated["browser"]["gatherUsageStats"] is False


@pytest.mark.full
@pytest.mark.parametrize(("path", "policy"), [("/workbench", DASHBOARD), ("/guide/start", PLAIN), ("/public/", PORTAL)])
def test_every_address_has_its_security_headers(served: Served, path: str, policy: str) -> None:
    status, headers, _ = served.ask(path)
    assert status == 200
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert headers["content-security-policy"] == policy


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("stats.example", 200), ("stats.example:8443", 200), ("evil.example", 400), ("", 400)],
)
def test_it_answers_to_its_own_names_and_those_that_were_allowed(served: Served, host: str, status: int) -> None:
    assert served.ask("/public/", host=host)[0] == status


@pytest.mark.full
def test_it_holds_the_guide(served: Served) -> None:
    for page in (ROOT / "docs" / "guide" / "es").glob("*.md"):
        status, _, shown = served.ask(f"/guide/{page.stem}?lang=es")
        assert (status, '<html lang="es">' in shown.decode()) == (200, True), page
    for picture in (ROOT / "docs" / "guide" / "images").glob("*.png"):
        assert served.ask(f"/guide/images/{picture.name}")[::2] == (200, picture.read_bytes())
    assert served.ask("/guide/privacy")[0] == 200
    assert served.ask("/guide/nothing")[0] == 404
