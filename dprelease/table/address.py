"""Where a table lives that stays in an engine of its own: scheme, server, table. Passwords are taken out of it.

postgresql://[user[:password]@]host[:port]/database/[schema.]table[?sslmode=...]
spark://host:port/folder/of/parquet        spark://local/folder/of/parquet
spark://host:port/?table=catalog.schema.table
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from dprelease.errors import InputError
from dprelease.words import Phrase, phrase, quoted, verbatim

WORDS = {
    "sslmode": ("verify-full", "verify-ca", "require", "disable"),
    "require_auth": ("scram-sha-256", "gss", "sspi", "none"),
}
"""What some options may be: never what leaves it to the server whether anything is encrypted or a password is sent."""


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
        """Tells what a password belongs to: where a connection goes, by whichever way to say so the address uses."""
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
    """How one kind of engine is addressed, and what reaches it."""

    form: Phrase
    """An address as somebody would write it."""
    options: frozenset[str]
    """What may follow the question mark. Nothing that changes what a query means, and no password."""
    read: Callable[[Address, str], Address]
    """Takes what every address has, and its path as written; tells which table is meant. Raises InputError."""
    module: str
    """Imported when the first table of it is used."""
    warehouse: str
    """Its class in that module."""


def is_address(source: object) -> bool:
    """Tells whether a source names a table by an address, and not by a path. Windows paths have one slash or none."""
    return isinstance(source, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", source) is not None


def read_address(text: str) -> tuple[Address, str | None]:
    """The address, and the password it held. Raises InputError, which repeats nothing of the text but its scheme."""
    scheme = _scheme(text)
    kind = SCHEMES.get(scheme)
    if kind is None:
        forms = tuple(each.form for each in SCHEMES.values())
        raise InputError("address", found=f"{scheme}://", allowed=phrase("table.one_of_addresses", forms=forms))
    try:
        split = urlsplit(text)
        port = split.port
        given = parse_qsl(split.query, keep_blank_values=True, strict_parsing=bool(split.query))
    except ValueError:
        raise _unreadable(scheme) from None
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
        raise _unreadable(scheme)
    path = tuple(unquote(part) for part in split.path.split("/") if part)
    address = Address(
        scheme, unquote(split.username or ""), split.hostname or "", port, path, (), tuple(sorted(options.items()))
    )
    return kind.read(address, split.path), password


def read_server(text: str) -> tuple[Address, str | None]:
    """The same of an address that may leave the table out; the table it then names is none that is looked at."""
    path, mark, options = text.partition("?")
    parts = [part for part in path.split("://")[-1].split("/")[1:] if part]
    alone = len(parts) < (2 if _scheme(text) == "postgresql" else 1)
    if alone and not re.search(r"(^|&)(table|parquet)=", options):
        text = f"{path.rstrip('/') if mark else path}?table=none{'&' if options else ''}{options}"
    return read_address(text)


def _scheme(text: str) -> str:
    given = text.split(":")[0].lower()
    return "postgresql" if given == "postgres" else given


def _postgresql(address: Address, raw: str) -> Address:
    options = dict(address.options)
    given = options.pop("table", None)
    parts = [part for part in raw.split("/") if part]
    if given is None and len(parts) > 1:
        given = unquote(parts.pop())
    service = "service" in options
    _goes_to_one_place(address)
    for name, allowed in WORDS.items():
        words = options.get(name, allowed[0]).split(",")
        if unknown := [word for word in words if word not in allowed]:
            raise InputError("address", found=f"{name}={unknown[0]}", allowed=verbatim(", ".join(allowed)))
    if given is None or len(parts) > 1 or not (parts or service):
        raise _unreadable("postgresql")
    table = _names(given)
    if not all(table) or len(table) > 2:
        raise _unreadable("postgresql")
    found = table if len(table) == 2 else ("public", *table)
    _sound("postgresql", *found, *map(unquote, parts))
    return replace(address, path=tuple(map(unquote, parts)), table=found, options=tuple(sorted(options.items())))


def _goes_to_one_place(address: Address) -> None:
    """libpq connects to the option `host` rather than to the host of the address, and gives it a service's password."""
    written = {
        "a host": address.host,
        "the option host": address.option("host"),
        "the option service": address.option("service"),
        "a port": address.port if address.option("service") else None,
    }
    named = [name for name, value in written.items() if value is not None and value != ""]
    if not named:
        raise _unreadable("postgresql")
    if len(named) > 1:
        raise InputError(
            "address",
            found=" and ".join(named),
            allowed=phrase("model.one_them"),
            remedy=phrase("table.password_kept_one_server"),
        )


def _spark(address: Address, raw: str) -> Address:
    options = dict(address.options)
    named, folder = options.pop("table", None), options.get("parquet")
    kinds = [named, folder, address.path or None]
    if sum(kind is not None for kind in kinds) != 1 or not address.host or address.user:
        raise _unreadable("spark")
    if (address.host == "local") != (address.port is None):
        raise _unreadable("spark")
    table = _names(named) if named is not None else ()
    if not all(table) or len(table) > 3 or ".." in address.path:
        raise _unreadable("spark")
    _sound("spark", *table, *address.path, folder or "x")
    return replace(address, table=table, options=tuple(sorted(options.items())))


def _names(text: str) -> tuple[str, ...]:
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
    """An address of IPv6 has colons of its own."""
    return f"[{host}]" if ":" in host and not host.startswith("/") else host


def _sound(scheme: str, *names: str) -> None:
    if not all(name and name.isprintable() for name in names):
        raise _unreadable(scheme)


def _unreadable(scheme: str) -> InputError:
    return InputError("address", found=phrase("table.one_cannot_read"), allowed=SCHEMES[scheme].form)


SCHEMES = {
    "postgresql": Scheme(
        form=verbatim("postgresql://user@host:port/database/schema.table"),
        options=frozenset(
            (
                *("table", "host", "service", "sslmode", "sslrootcert", "sslcert", "sslkey"),
                *("channel_binding", "require_auth", "krbsrvname"),
            )
        ),
        read=_postgresql,
        module="dprelease.table.postgresql",
        warehouse="Server",
    ),
    "spark": Scheme(
        form=phrase("table.spark_host_port_folder"),
        options=frozenset(("table", "parquet")),
        read=_spark,
        module="dprelease.table.spark",
        warehouse="Cluster",
    ),
}
"""Every engine that a table may stay in: one more is an entry here, and its module."""
