"""A round's messages as files in a folder that all sites reach: a share, a memory stick, or what a server keeps."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dprelease.bundle.signing import sync_folder
from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation import masks
from dprelease.extras.federation.envelope import Signed
from dprelease.extras.federation.messages import ACCOUNT, KEY, KEYS, MASKED, OFFER, SUM, VOID
from dprelease.extras.federation.noise import RoundPlan
from dprelease.extras.federation.roster import Federation
from dprelease.extras.federation.round import Contribution, attempted
from dprelease.model.encoding import canonical, read_json
from dprelease.words import phrase
from dprelease.words.phrases import quoted

ROSTER = "roster"
PROPOSED = "federation.json"
PLAN = "plan.json"
TOTAL = "sum.i64"
"""The published integers: 8 bytes each, the least significant first."""
BUNDLE = "bundle.zip"
"""The release that the sum became: every site has the same."""
KINDS = (ROSTER, OFFER, KEY, KEYS, MASKED, SUM, ACCOUNT, VOID)
NUMBERED = re.compile(rf"[1-9][0-9]{{0,2}}\.({'|'.join(KINDS)})\.json")


@dataclass(frozen=True, slots=True)
class RoundFolder:
    """One attempt at one plan: `federation.json`, `plan.json`, and of each site `NUMBER.KIND.json`.

    NUMBER is a site's place in the roster, from 1 on. `NUMBER.masked.u64` are the masked vectors. They are for the
    sites: `publish` leaves them out.
    """

    path: Path

    def propose(self, federation: Federation) -> None:
        """Write the roster that sites are asked to sign. Raises IntegrityError where another stands there."""
        self._put(PROPOSED, canonical(federation.to_mapping()))

    def proposed(self) -> Federation:
        """Return the roster that sites are asked to sign. Raises IntegrityError where there is none."""
        return Federation.from_mapping(read_json(self._get(PROPOSED), PROPOSED, whole=True))

    def put_plan(self, plan: RoundPlan, attempt: int) -> None:
        """Raises IntegrityError where another plan stands there."""
        self._put(PLAN, canonical({**plan.to_mapping(), "attempt": attempt}))

    @property
    def has_plan(self) -> bool:
        return (self.path / PLAN).exists()

    def plan(self) -> tuple[RoundPlan, int]:
        """Return the plan and the number of the attempt. Raises IntegrityError where the file does not hold them."""
        return read_plan(self._get(PLAN))

    def federation(self) -> Federation:
        """Return the roster. Raises IntegrityError unless each of its sites signed it."""
        rosters = self.messages(ROSTER)
        if not rosters:
            raise IntegrityError(phrase("federation.no_roster"))
        found = Federation.from_mapping(rosters[0].message)
        found.check_signed(rosters)
        return found

    def take_plan(self, data: bytes) -> None:
        """Keep the bytes of a plan. Raises IntegrityError where they are none, or another is there."""
        plan, attempt = read_plan(data)
        self.put_plan(plan, attempt)

    def put(self, federation: Federation, signed: Signed) -> str:
        """Write a site's message, and return the file's name; a resend of the same bytes changes nothing.

        Raises IntegrityError where it is signed by no site, is of no kind that there is, or was another one before.
        """
        kind = str(signed.message.get("kind", ROSTER))
        signed.check(kind)
        name = f"{self._number(federation, signed)}.{kind}.json"
        if not NUMBERED.fullmatch(name):
            raise IntegrityError(phrase("federation.no_message", name=quoted(name)))
        self._put(name, signed.to_bytes())
        return name

    def messages(self, kind: str) -> list[Signed]:
        """Return all messages of a kind. Raises IntegrityError where one of them is not as its signer wrote it."""
        names = sorted(each.name for each in self.path.glob(f"*.{kind}.json") if NUMBERED.fullmatch(each.name))
        return [Signed.from_bytes(self._get(name), name) for name in names]

    def put_contribution(self, federation: Federation, sent: Contribution) -> None:
        """Write the vector, then the message about it. Raises IntegrityError where others stand there."""
        self._put(self._vector(federation, sent.signed), sent.vector)
        self.put(federation, sent.signed)

    def contributions(self, federation: Federation) -> list[Contribution]:
        """Return all contributions that are there, with vectors. Raises IntegrityError where a vector is missing."""
        messages = self.messages(MASKED)
        return [Contribution(each, self._get(self._vector(federation, each))) for each in messages]

    def has_vectors(self, federation: Federation) -> bool:
        return any((self.path / f"{number + 1}.{MASKED}.u64").exists() for number in range(len(federation.sites)))

    def put_total(self, total: NDArray[np.int64]) -> None:
        """Write the sum. Raises IntegrityError where another stands there."""
        self._put(TOTAL, masks.to_bytes(total.view(np.uint64)))

    def total(self, cells: int) -> NDArray[np.int64]:
        """Return the published sum. Raises IntegrityError where it is not there, or is of other cells."""
        data = self._get(TOTAL)
        if len(data) != masks.WORD * cells:
            raise IntegrityError(phrase("federation.total", name=TOTAL, hash=sha256(data).hexdigest()))
        return masks.from_bytes(data).view(np.int64)

    def public(self) -> dict[str, bytes]:
        """Return all files by name but the masked vectors, which the sites keep to themselves, and the release."""
        names = sorted(each.name for each in self.path.iterdir())
        return {name: self._get(name) for name in names if name in (PROPOSED, PLAN, TOTAL) or NUMBERED.fullmatch(name)}

    def publish(self, target: Path) -> None:
        """Copy what `public` gives."""
        for name, data in self.public().items():
            RoundFolder(target)._put(name, data)

    def put_bundle(self, data: bytes) -> None:
        """Write the release that the sum became. Raises IntegrityError where another stands there."""
        self._put(BUNDLE, data)

    @property
    def bundle(self) -> Path | None:
        """The release that the sum became; None where it is not there yet."""
        path = self.path / BUNDLE
        return path if path.exists() else None

    def _number(self, federation: Federation, signed: Signed) -> int:
        return federation.number(federation.of_key(signed.signer).name) + 1

    def vector(self, federation: Federation, signed: Signed) -> Path:
        """Return the path of the masked vector of the site that signed a message."""
        return self.path / self._vector(federation, signed)

    def _vector(self, federation: Federation, signed: Signed) -> str:
        return f"{self._number(federation, signed)}.{MASKED}.u64"

    def _get(self, name: str) -> bytes:
        try:
            return (self.path / name).read_bytes()
        except OSError:
            raise IntegrityError(phrase("federation.no_file", name=name)) from None

    def _put(self, name: str, data: bytes) -> None:
        """Write a file whole, durably and once."""
        self.path.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".", dir=self.path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                os.chmod(temporary, 0o644)
                os.link(temporary, self.path / name)
        finally:
            os.unlink(temporary)
        sync_folder(self.path)
        if self._get(name) != data:
            raise IntegrityError(phrase("federation.already", name=name))


def read_plan(data: bytes) -> tuple[RoundPlan, int]:
    """Read plan and number of the attempt, as `put_plan` writes them. Raises IntegrityError for anything else."""
    value = read_json(data, PLAN, whole=True)
    try:
        attempt, found = value["attempt"], RoundPlan.from_mapping(value)
    except (InputError, KeyError, TypeError, ValueError):
        raise IntegrityError(phrase("federation.no_plan", name=PLAN)) from None
    if canonical({**found.to_mapping(), "attempt": attempt}) != data:
        raise IntegrityError(phrase("federation.no_plan", name=PLAN))
    return found, attempt


def begun_attempt(folder: RoundFolder) -> tuple[Federation, RoundPlan, int]:
    """Read roster, plan and attempt of a folder. Raises IntegrityError, or InputError where the attempt is none."""
    federation, (plan, attempt) = folder.federation(), folder.plan()
    attempted(federation, plan, attempt)
    return federation, plan, attempt
