"""Ways between sites on which messages are lost, late, doubled, reordered, altered, or come from an earlier attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from io import BytesIO
from random import Random
from typing import Any

from dprelease.extras.federation import carrier
from dprelease.extras.federation.folder import RoundFolder

LOST, DOUBLED, ALTERED, REPLAYED = 0.3, 0.2, 0.06, 0.03
LATE = 9
"""Moments that a file is on the way, at most."""
FAULTS = ("lost", "answer lost", "doubled", "late", "altered", "answer altered", "answer cut")
"""Of a request or its answer."""
FAULTY = 0.12
"""Of the requests, of which a site makes five to ten at a time."""


def flipped(chance: Random, data: bytes) -> bytes:
    """One bit of it is another one."""
    found = bytearray(data)
    found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


@dataclass
class Told:
    """By file, everything that ever left its site. `first` is asked about each when it leaves for the first time."""

    first: Callable[[int, str], None]
    files: dict[str, set[bytes]] = field(default_factory=dict)

    def look(self, number: int, mirror: RoundFolder) -> None:
        """What leaves a site now: its own files in its copy of the round's folder."""
        for path in sorted(mirror.path.glob(f"{number + 1}.*")):
            if path.name not in self.files:
                self.first(number, path.name)
            self.files.setdefault(path.name, set()).add(path.read_bytes())


@dataclass
class Sticks:
    """Files that travel one by one between the sites' own copies of a round's folder, each for as long as it takes."""

    chance: Random
    mirrors: list[RoundFolder]
    told: Told
    earlier: dict[str, bytes] = field(default_factory=dict)
    """What was told in the attempt before."""
    faults: Counter[str] = field(default_factory=Counter)
    now: int = 0
    way: list[tuple[int, int, str, bytes]] = field(default_factory=list)

    def carry(self, number: int) -> None:
        """Takes along what a site has for each other one that has it not, and brings what is due to anybody."""
        self.now += 1
        self.told.look(number, self.mirrors[number])
        wrong, here = self.wrong(number), self.mirrors[number].path
        for path in [here / name for name in self.told.files if name not in wrong and (here / name).exists()]:
            data = path.read_bytes()
            for other, mirror in enumerate(self.mirrors):
                there = mirror.path / path.name
                if other != number and not (there.exists() and there.read_bytes() == data):
                    self._leave(other, path.name, data)
        due = [each for each in self.way if each[0] <= self.now]
        self.way = [each for each in self.way if each[0] > self.now]
        self.chance.shuffle(due)
        for _, other, name, data in due:
            (self.mirrors[other].path / name).write_bytes(data)

    def _leave(self, other: int, name: str, data: bytes) -> None:
        if self.chance.random() < LOST:
            self.faults["lost"] += 1
            return
        if self.chance.random() < DOUBLED:
            self.faults["doubled"] += 1
            self.way.append((self.now + self.chance.randint(1, LATE), other, name, data))
        if self.chance.random() < ALTERED:
            self.faults["altered"] += 1
            data = flipped(self.chance, data)
        elif name in self.earlier and self.chance.random() < REPLAYED:
            self.faults["replayed"] += 1
            data = self.earlier[name]
        self.way.append((self.now + self.chance.randint(0, LATE), other, name, data))

    def wrong(self, number: int) -> list[str]:
        """The files of a site that are not what was told."""
        there = [(name, self.mirrors[number].path / name) for name in self.told.files]
        return [name for name, path in there if path.exists() and path.read_bytes() not in self.told.files[name]]

    def settle(self, number: int) -> None:
        """Everything that was told is here at last, as it was told."""
        for name, found in self.told.files.items():
            (self.mirrors[number].path / name).write_bytes(next(iter(found)))

    def missing(self, number: int) -> list[str]:
        """The files that were told, and are not here."""
        return [name for name in self.told.files if not (self.mirrors[number].path / name).exists()]


@dataclass
class Line:
    """Stands where requests leave this machine."""

    chance: Random
    real: Callable[[], Any]
    faults: Counter[str] = field(default_factory=Counter)
    late: list[Any] = field(default_factory=list)

    def open(self, asked: Any, timeout: float) -> Any:
        if self.late and self.chance.random() < FAULTY:
            self._sent(self.late.pop(self.chance.randrange(len(self.late))), timeout)
        fault = self.chance.choice(FAULTS) if self.chance.random() < FAULTY else ""
        self.faults[fault] += 1
        if fault == "lost":
            raise ConnectionResetError
        if fault == "late":
            self.late.append(asked)
            raise TimeoutError
        if fault == "altered" and asked.data:
            whole, asked.data = asked.data, flipped(self.chance, asked.data)
            status, _ = self._sent(asked, timeout)
            assert status in (403, 422), "a signature of another body opened something"
            asked.data = whole
            raise ConnectionResetError
        if fault == "doubled":
            self._sent(asked, timeout)
        status, body = self._sent(asked, timeout)
        if fault == "answer lost":
            raise HTTPException
        if fault == "answer altered" and body:
            body = flipped(self.chance, body)
        if fault == "answer cut":
            body = body[: self.chance.randint(0, len(body))]
        return Given(status, body)

    def _sent(self, asked: Any, timeout: float) -> tuple[int, bytes]:
        with self.real().open(asked, timeout=timeout) as response:
            return response.status, response.read()


class Given(BytesIO):
    """An answer as it arrives."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(body)
        self.status = status


def put_line(monkeypatch: Any, chance: Random) -> Line:
    """Everything that sites ask a server goes over such a line from now on."""
    line = Line(chance, carrier.direct_opener)
    monkeypatch.setattr(carrier, "direct_opener", lambda: line)
    return line
