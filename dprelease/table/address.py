"""Address of a table that stays in an engine of its own: scheme, server, table. Passwords are taken out of it.

The schemes are those of the rooms (`dprelease.registry`); without one, no table is read by an address.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from dprelease.errors import InputError
from dprelease.registry import added, load
from dprelease.words import Phrase, phrase, quoted, verbatim


@dataclass(frozen=True, slots=True)
class Address:
    """An address without its password. The repr shows the kind of engine only."""

    scheme: str
    user: str = field(repr=False)
    host: str = field(repr=False)
    port: int | None = field(repr=False)
    path: tuple[str, ...] = field(repr=False)
    """The parts between slashes, decoded; for PostgreSQL the database."""
    table: tuple[str, ...] = field(repr=False)
    """A name and what it is qualified by; empty for a folder."""
    options: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def server(self) -> str:
        """Server that a password belongs to: the place a connection goes to, by service name or by host and port."""
        service = self.option("service")
        place = (
            f"?service={service}" if service else f"{_bracketed(self.option('host') or self.host)}:{self.port or ''}"
        )
        return f"{self.scheme}://{quote(self.user, safe='')}@{place}"

    def option(self, name: str) -> str | None:
        return dict(self.options).get(name)

    def __str__(self) -> str:
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        port = f":{self.port}" if self.port is not None else ""
        path = "".join(f"/{quote(part, safe='')}" for part in self.path)
        options = dict(self.options)
        if self.table:
            options["table"] = ".".join(map(_quoted, self.table))
        listed = "&".join(f"{name}={quote(value, safe='/:')}" for name, value in sorted(options.items()))
        return f"{self.scheme}://{user}{_bracketed(self.host)}{port}{path}{'?' + listed if listed else ''}"


@dataclass(frozen=True, slots=True)
class Scheme:
    """Form of the addresses of one kind of engine, and how its tables are read."""

    name: str
    form: Phrase
    """An address as somebody would write it."""
    options: frozenset[str]
    """Options allowed after the question mark: none that changes the meaning of a query, and no password."""
    read: Callable[[Address, str], Address]
    """Takes what every address has, and its path as written; tells which table is meant. Raises InputError."""
    module: str
    """Imported when the first table of it is used."""
    warehouse: str
    """Its class in that module."""
    path_parts: int = 1
    """The parts of an address's path with its table, where no option names the table."""
    catalogue: str = ""
    """The place of a function of a warehouse: its columns as the engine's catalogue describes them. Empty: none."""


def is_address(source: object) -> bool:
    """Return True if a source names a table by an address, not by a path. Windows paths have one slash or none."""
    return isinstance(source, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", source) is not None


def read_address(text: str) -> tuple[Address, str | None]:
    """The address, and the password it held. Raises InputError, which repeats nothing of the text but its scheme."""
    kind = scheme_of(text)
    scheme = kind.name
    try:
        split = urlsplit(text)
        port = split.port
        given = parse_qsl(split.query, keep_blank_values=True, strict_parsing=bool(split.query))
    except ValueError:
        raise unreadable(kind) from None
    options = dict(given)
    password = options.pop("password", None) or (unquote(split.password) if split.password else None)
    if unknown := sorted(set(options) - kind.options):
        raise InputError(
            "address",
            found=phrase("table.option", unknown=quoted(unknown[0])),
            allowed=verbatim(", ".join(sorted(kind.options))),
            remedy=phrase("table.settings_engine_itself_belong"),
        )
    if len(options) != len([name for name, _ in given if name != "password"]) or split.fragment:
        raise unreadable(kind)
    path = tuple(unquote(part) for part in split.path.split("/") if part)
    address = Address(
        scheme, unquote(split.username or ""), split.hostname or "", port, path, (), tuple(sorted(options.items()))
    )
    return kind.read(address, split.path), password


def read_server(text: str) -> tuple[Address, str | None]:
    """The same of an address that may leave the table out; the table it then names is none that is looked at."""
    path, mark, options = text.partition("?")
    parts = [part for part in path.split("://")[-1].split("/")[1:] if part]
    if len(parts) < scheme_of(text).path_parts and not re.search(r"(^|&)(table|parquet)=", options):
        text = f"{path.rstrip('/') if mark else path}?table=none{'&' if options else ''}{options}"
    return read_address(text)


def scheme_of(text: str) -> Scheme:
    """Return the scheme that an address begins with. Raises InputError where no room has it."""
    written = text.split(":")[0].lower()
    places = added("engines")
    if written not in places:
        forms = tuple({scheme.name: scheme.form for scheme in map(load, places.values())}.values())
        allowed = phrase("table.one_of_addresses", forms=forms) if forms else phrase("table.no_engine_installed")
        raise InputError("address", found=f"{written}://", allowed=allowed)
    found: Scheme = load(places[written])
    return found


def names_of(text: str) -> tuple[str, ...]:
    """The parts between points. One in double quotes may hold points, and double quotes twice: "my.schema".visits."""
    found = re.findall(r'(?:^|\.)(?:"((?:[^"]|"")+)"(?=\.|$)|([^.]*))', text)
    if any(plain.startswith('"') for _, plain in found):
        return ("",)
    return tuple(quoted.replace('""', '"') or plain for quoted, plain in found)


def _quoted(name: str) -> str:
    if "." not in name and not name.startswith('"'):
        return name
    inside = name.replace('"', '""')
    return f'"{inside}"'


def _bracketed(host: str) -> str:
    """Put an address of IPv6 in brackets: it has colons of its own."""
    return f"[{host}]" if ":" in host and not host.startswith("/") else host


def check_names(scheme: Scheme, *names: str) -> None:
    """Raise InputError where a name is empty or cannot be printed."""
    if not all(name and name.isprintable() for name in names):
        raise unreadable(scheme)


def unreadable(scheme: Scheme) -> InputError:
    """Return the error of an address that is not written as its scheme has it."""
    return InputError("address", found=phrase("table.one_cannot_read"), allowed=scheme.form)
