"""Carries a round's files between a site's folder and a server, which is a stranger: what it sends is bounded.

Whatever is cut is gone on with: a site's vector from the byte that the server has, others' from the byte that are here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, NoReturn
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request

from dprelease.bundle.direct_opener import direct_opener
from dprelease.bundle.signing import SigningKey
from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation import masks
from dprelease.extras.federation.envelope import MAX_BYTES, Signed
from dprelease.extras.federation.folder import BUNDLE, KINDS, NUMBERED, PLAN, PROPOSED, RoundFolder
from dprelease.extras.federation.messages import MASKED
from dprelease.extras.federation.post import MAX_BUNDLE, PIECE
from dprelease.extras.federation.request import authorization
from dprelease.extras.federation.roster import Federation
from dprelease.model.encoding import read_json
from dprelease.words import Phrase, phrase, quoted

ADDRESS = re.compile(r"https?://[^/?#]+/(?:[^?#]*/)?federation/[a-z0-9-]{1,60}")
SILENCE = 60.0
"""Seconds without a byte after which a server is given up."""
LONGEST_ANSWER = 300
"""Characters of what a server says that are repeated."""
BEHIND = 409


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer."""

    status: int
    body: bytes

    def said(self) -> Mapping[str, Any]:
        """Return the body as JSON; an empty mapping where it is none."""
        try:
            return read_json(self.body, "answer")
        except (InputError, IntegrityError):
            return {}


@dataclass(frozen=True, slots=True)
class Carrier:
    """One site and the address of a round, `https://HOST/federation/NAME`. Raises InputError for another address."""

    address: str
    key: SigningKey | None = field(repr=False)
    """None for the roster alone, which anybody may read."""

    def __post_init__(self) -> None:
        if not ADDRESS.fullmatch(self.address):
            raise InputError("address", found=self.address, allowed=phrase("federation.address"))

    def roster(self) -> Federation:
        """Return the roster that sites are asked to sign. Raises InputError where there is none."""
        return self._read_roster(self._get(f"/{PROPOSED}"))

    def _read_roster(self, found: bytes) -> Federation:
        return Federation.from_mapping(read_json(found, PROPOSED, whole=True))

    def fetch(self, folder: RoundFolder) -> tuple[str, ...]:
        """Fetch everything that is new into the folder, and return its names.

        Raises IntegrityError where a file differs from the one that is here, is not as its site signed it, or is of
        another size than the plan has cells; InputError where the server does not answer.
        """
        listed, found = self._listed()["files"], []
        folder.propose(self._read_roster(self._get_listed(PROPOSED, listed)))
        federation = folder.proposed()
        if PLAN in listed and not folder.has_plan:
            folder.take_plan(self._get_listed(PLAN, listed))
            found.append(PLAN)
        for name in sorted((each for each in listed if NUMBERED.fullmatch(each)), key=_order):
            if _is_there(folder.path / name, listed[name]):
                continue
            signed = Signed.from_bytes(self._get(f"/{name}"), name)
            if signed.message.get("kind") == MASKED:
                self._fetch_vector(folder, federation, signed)
            if folder.put(federation, signed) != name:
                raise IntegrityError(phrase("federation.no_message", name=quoted(name)))
            found.append(name)
        if BUNDLE in listed and folder.bundle is None:
            part = folder.path / f".{BUNDLE}.part"
            self._download(BUNDLE, part, MAX_BUNDLE, listed[BUNDLE], phrase("federation.bundle_cut"))
            folder.put_bundle(part.read_bytes())
            part.unlink()
            found.append(BUNDLE)
        return tuple(found)

    def send(self, folder: RoundFolder) -> tuple[str, ...]:
        """Send the plan and this site's messages that the server has not, and return their names.

        Raises IntegrityError where the server refuses one; InputError where it does not answer. Sent again, nothing
        changes.
        """
        assert self.key is not None
        federation, listed, found = folder.proposed(), self._listed()["files"], []
        number = federation.number(federation.of_key(self.key.fingerprint).name) + 1
        for name in (f"{number}.{KINDS[0]}.json", PLAN, *(f"{number}.{kind}.json" for kind in KINDS[1:])):
            path = folder.path / name
            if not path.exists() or _is_there(path, listed.get(name)):
                continue
            data = path.read_bytes()
            if name == f"{number}.{MASKED}.json":
                path = folder.path / f"{number}.{MASKED}.u64"
                self._send_pieces(path, "/masked?from=", int(self._listed()["received"]))
            self._post("/plan" if name == PLAN else "/message", data)
            found.append(name)
        if folder.bundle is not None and number == 1 and BUNDLE not in listed:
            stated = f"size={folder.bundle.stat().st_size}&sha256={sha256(folder.bundle.read_bytes()).hexdigest()}"
            self._send_pieces(folder.bundle, f"/bundle?{stated}&from=", 0)
            found.append(BUNDLE)
        return tuple(found)

    def _send_pieces(self, path: Path, below: str, received: int) -> None:
        """Send a file from the byte on that the server has."""
        size = path.stat().st_size
        with path.open("rb") as file:
            while received < size:
                file.seek(received)
                piece = file.read(PIECE)
                answer = self._ask("POST", f"{below}{received}", piece)
                told = answer.said().get("received")
                if answer.status not in (200, BEHIND) or type(told) is not int or not 0 <= told <= size:
                    self._refused(answer)
                if told == received:
                    raise self._wrong(phrase("federation.no_progress"))
                received = told

    def _fetch_vector(self, folder: RoundFolder, federation: Federation, signed: Signed) -> None:
        """Fetch a vector from the byte on that is here, up to the plan's cells; keep it where it is the signed one."""
        site = federation.of_key(signed.signer)
        whole = folder.vector(federation, signed)
        if whole.exists():
            return
        size, part = masks.WORD * folder.plan()[0].cells, whole.with_suffix(".part")
        wrong = phrase("federation.vector", site=site.name)
        self._download(whole.name, part, size, signed.message.get("masked"), wrong, exact=True)
        part.rename(whole)

    def _download(
        self, name: str, part: Path, most: int, digest: object, wrong: Phrase, *, exact: bool = False
    ) -> None:
        """Fetch a file from the byte on that is here, up to so many; `exact`: just so many. Raises IntegrityError, and
        forgets what is here, where it is not the one that was stated; InputError where the answer was cut."""
        received = part.stat().st_size if part.exists() else 0
        if received < most:
            with self._open("GET", f"/{name}", b"", {"Range": f"bytes={received}-"}) as response:
                if response.status != (206 if received else response.status) or response.status not in (200, 206):
                    self._refused(Answer(response.status, response.read(MAX_BYTES)))
                with part.open("ab") as file:
                    while received <= most and (piece := response.read1(PIECE)):
                        received += len(piece)
                        file.write(piece)
        if exact and received < most:
            raise self._wrong(phrase("federation.cut"))
        if sha256(part.read_bytes()).hexdigest() != digest:
            part.unlink()
            raise IntegrityError(wrong)

    def _listed(self) -> Mapping[str, Any]:
        found = Answer(200, self._get("")).said()
        files, received = found.get("files"), found.get("received")
        if not (isinstance(files, dict) and type(received) is int):
            raise self._wrong(phrase("federation.no_list"))
        return found

    def _get_listed(self, name: str, listed: Mapping[str, Any]) -> bytes:
        """A file that nobody signed. Raises InputError, so that nothing of it is kept, where it is not as listed."""
        found = self._get(f"/{name}")
        if sha256(found).hexdigest() != listed.get(name):
            raise self._wrong(phrase("federation.changed", name=name))
        return found

    def _get(self, below: str) -> bytes:
        answer = self._ask("GET", below, b"")
        if answer.status != 200:
            self._refused(answer)
        return answer.body

    def _post(self, below: str, data: bytes) -> None:
        answer = self._ask("POST", below, data)
        if answer.status not in (200, 201):
            self._refused(answer)

    def _ask(self, method: str, below: str, body: bytes) -> Answer:
        with self._open(method, below, body, {}) as response:
            found = response.read(MAX_BYTES + 1)
            if len(found) > MAX_BYTES:
                raise self._wrong(phrase("federation.long_answer"))
            return Answer(response.status, found)

    @contextmanager
    def _open(self, method: str, below: str, body: bytes, headers: Mapping[str, str]) -> Iterator[HTTPResponse]:
        parts = urlsplit(self.address + below)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        signed = (
            {} if self.key is None else {"Authorization": authorization(self.key, method, parts.netloc, target, body)}
        )
        asked = Request(  # noqa: S310 (see ADDRESS)
            self.address + below, body if method == "POST" else None, {**headers, **signed}, method=method
        )
        asked.add_header("Content-Type", "application/octet-stream")
        try:
            with direct_opener().open(asked, timeout=SILENCE) as response:
                yield response
        except (HTTPError, URLError, HTTPException, OSError) as error:
            why = error.reason if isinstance(error, URLError) else type(error).__name__
            raise self._wrong(phrase("federation.no_answer", why=quoted(str(why)))) from None

    def _refused(self, answer: Answer) -> NoReturn:
        said = answer.said().get("message")
        words = quoted(said[:LONGEST_ANSWER]) if isinstance(said, str) else "-"
        raise IntegrityError(phrase("federation.refused", address=self.address, status=answer.status, said=words))

    def _wrong(self, why: Phrase) -> InputError:
        return InputError("address", found=self.address, allowed=phrase("federation.server"), remedy=why)


def _order(name: str) -> tuple[int, int]:
    """Return the sort key of a file name: step, then site."""
    number, kind, _ = name.split(".")
    return KINDS.index(kind), int(number)


def _is_there(path: Path, digest: object) -> bool:
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == digest
