"""Keeps what this version writes: `python -m tests.versions.make`, once a version.

Among the tests a bundle and a workspace; with the program the words and looks of its bundles, which later ones verify.
In the workspace everything has happened once that a ledger can tell of; the keys in it sign nothing else.
"""

from __future__ import annotations

import json
import shutil
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import dprelease
from dprelease.bundle.page import TEMPLATES
from dprelease.charts.theme import STYLE, STYLE_FILE
from dprelease.model.actor import OWNER
from dprelease.words.catalogue import ENGLISH, FOLDER, KEPT
from tests.trust import tour
from tests.workspace.test_every_kind import publish, rows

HERE = Path(__file__).parent
ROOMS = ("bundle", "formats")
"""Whose sentences stand in bundles."""
TEMPLATE_FILES = ("index.html.j2", "page.html.j2", "pivot.html.j2", "style.css")
"""By which pages of releases are made."""


def make(out: Path) -> None:
    """Writes bundle.zip, workspace.zip, facts.json, which is what both say, and kinds.zip, of every statistic.

    Raises FileExistsError where they are there.
    """
    out.mkdir(parents=True)
    with TemporaryDirectory() as place:
        workspace = tour.make(Path(place))
        release = workspace.releases.find(actor=OWNER)[0]  # signed by the newest key
        facts = told(workspace) | {"bundle": release.id}
        workspace.ledger.backup(Path(place) / "copy", actor=OWNER)
        pack(Path(place) / "copy", out / "workspace.zip")
        pack(Path(place) / "copy" / "public" / release.id, out / "bundle.zip")
        pack(every_kind(Path(place) / "kinds"), out / "kinds.zip")
    (out / "facts.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")


def keep(out: Path) -> None:
    """Copies what bundles say beside facts: catalogues, templates, style sheets. Raises FileExistsError."""
    (out / ENGLISH).mkdir(parents=True)
    for room in ROOMS:
        shutil.copy(FOLDER / ENGLISH / f"{room}.po", out / ENGLISH)
    for name in TEMPLATE_FILES:
        shutil.copy(TEMPLATES / name, out)
    (out / STYLE_FILE).write_text(STYLE)


def hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file that `keep` wrote, by its path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".mo")
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


def every_kind(folder: Path) -> Path:
    """The bundle of a release with each kind of statistic."""
    _, release = publish(rows(300), "substitute", "pure", 60)
    return release.write(folder)


def told(workspace: dprelease.Workspace) -> dict[str, Any]:
    """What every later version has to read from it too."""
    maria = workspace.people.get("maria")
    accounts = {
        each.name: workspace.populations.budget(each.name, actor=maria)
        for each in workspace.populations.find(actor=maria)
    }
    return {
        "events": workspace.ledger.count(actor=maria),
        "key": workspace.public_key,
        "releases": sorted(each.id for each in workspace.releases.find(actor=maria)),
        "populations": {
            name: {"spent": [account.spent.epsilon_nano, account.spent.rho_nano], "charges": account.charges}
            for name, account in accounts.items()
        },
    }


def pack(folder: Path, out: Path) -> None:
    """Every file of a folder, by its path there."""
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))


if __name__ == "__main__":
    made = HERE / dprelease.__version__
    make(made)
    keep(KEPT / dprelease.__version__)
    (made / "words.json").write_text(json.dumps(hashes(KEPT / dprelease.__version__), indent=2) + "\n")
    print(*sorted(made.iterdir()), *sorted((KEPT / dprelease.__version__).iterdir()), sep="\n")
    sys.exit(0)
