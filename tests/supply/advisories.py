"""Compares the pinned packages with published advisories in a local folder: `make advisories DB=folder`.

The folder holds files of the Open Source Vulnerability format: JSON as osv.dev exports them, or YAML as PyPA's
advisory-database does, at any depth. Nothing is fetched: whoever runs this brings the folder; its newest day is told.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)
ECOSYSTEM = "PyPI"
YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
FOUND, UNUSABLE = 1, 2
"""What the command ends with where an advisory fits, and where there is nothing to compare with."""


@dataclass(frozen=True, slots=True, order=True)
class Match:
    """An advisory that a pinned version is named in."""

    package: str
    version: str
    advisory: str
    summary: str
    fixed: tuple[str, ...]
    """Versions in which it was mended."""

    def __str__(self) -> str:
        mended = f"mended in {', '.join(self.fixed)}" if self.fixed else "not mended yet"
        return f"{self.package} {self.version}: {self.advisory}, {mended}. {self.summary}"


def pins(locks: Iterable[Path]) -> dict[str, str]:
    """The pinned version of each package, by its canonical name."""
    found = (match for lock in locks for match in PIN.finditer(lock.read_text()))
    return {canonicalize_name(match[1]): match[2] for match in found}


def advisories(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Every advisory in a folder that was not withdrawn. Raises ValueError with the name of a file that is not one."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".json", ".yaml", ".yml") or not path.is_file():
            continue
        try:
            text = path.read_text()
            read = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=YAML)
        except (ValueError, yaml.YAMLError) as error:
            raise ValueError(f"{path}: {type(error).__name__}") from None
        if not isinstance(read, dict) or "id" not in read:
            raise ValueError(f"{path}: no advisory of the OSV format")
        if not read.get("withdrawn"):
            yield read


def matches(pinned: Mapping[str, str], found: Iterable[Mapping[str, Any]]) -> list[Match]:
    """Which advisories the pinned versions are named in."""
    return sorted({match for advisory in found for match in _of_advisory(pinned, advisory)})


def _of_advisory(pinned: Mapping[str, str], advisory: Mapping[str, Any]) -> Iterator[Match]:
    for affected in advisory.get("affected", ()):
        package = affected.get("package", {})
        name = canonicalize_name(str(package.get("name", "")))
        version = pinned.get(name)
        if package.get("ecosystem") != ECOSYSTEM or version is None or not is_affected(version, affected):
            continue
        names = ", ".join([str(advisory["id"]), *map(str, advisory.get("aliases") or ())])
        summary = str(advisory.get("summary") or advisory.get("details") or "").strip().partition("\n")[0]
        yield Match(name, version, names, summary, _fixed(affected))


def is_affected(version: str, affected: Mapping[str, Any]) -> bool:
    """Whether a version is listed, or lies in a range: introduced, and neither fixed nor past the last one affected."""
    if version in map(str, affected.get("versions") or ()):
        return True
    ranges = [each for each in affected.get("ranges") or () if each.get("type") in ("ECOSYSTEM", "SEMVER")]
    return any(_lies_in(Version(version), each["events"]) for each in ranges)


def _lies_in(version: Version, events: Sequence[Mapping[str, Any]]) -> bool:
    told = sorted((_version(text), kind) for event in events for kind, text in event.items())
    inside = False
    for at, kind in told:
        if kind == "introduced" and version >= at:
            inside = True
        elif (kind == "fixed" and version >= at) or (kind == "last_affected" and version > at):
            inside = False
    return inside


def _version(text: object) -> Version:
    try:
        return Version(str(text))
    except InvalidVersion:
        raise ValueError(f"{text!r} is no version of a Python package") from None


def _fixed(affected: Mapping[str, Any]) -> tuple[str, ...]:
    events = (event for each in affected.get("ranges") or () if each.get("type") != "GIT" for event in each["events"])
    return tuple(sorted({str(event["fixed"]) for event in events if "fixed" in event}))


def main(words: Sequence[str]) -> int:
    """Prints what was compared with what, and every match."""
    folder, locks = Path(words[0]), [Path(word) for word in words[1:]]
    try:
        known = list(advisories(folder))
        pinned = pins(locks)
        found = matches(pinned, known)
    except (OSError, ValueError) as error:
        print(f"advisories: {error}", file=sys.stderr)
        return UNUSABLE
    if not known or not pinned:
        print(f"advisories: {len(known)} advisories in {folder}, {len(pinned)} pinned packages", file=sys.stderr)
        return UNUSABLE
    newest = max(str(each.get("modified", "")) for each in known)[:10]
    for match in found:
        print(match)
    names = ", ".join(lock.name for lock in locks)
    print(f"{len(pinned)} packages of {names}, {len(known)} advisories up to {newest}: {len(found)} fit.")
    return FOUND if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
