"""Sites of a federation with their keys, and what is assumed of them. Every site signs the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dprelease.bundle.signing import FINGERPRINT, SigningKey
from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation.envelope import Signed
from dprelease.model.encoding import canonical, digest
from dprelease.words import phrase

VERSION = 1
MAX_SITES = 100
LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Site:
    """An institution with rows of its own. `key`: the fingerprint of the Ed25519 key that it signs with."""

    name: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Federation:
    """The roster, in an order that everyone shares.

    `lost_sites`, t: so many sites may be dishonest, or leave out their noise; the noise of the others suffices. It
    counts all that are not honest, whoever invented them. `max_sites`, r: in so many sites may one unit have rows.
    Raises InputError, with every site whose name or key stands twice.
    """

    name: str
    sites: tuple[Site, ...]
    lost_sites: int = 1
    max_sites: int = 1

    def __post_init__(self) -> None:
        _check_text("name", self.name)
        if not 2 <= len(self.sites) <= MAX_SITES:
            raise InputError("sites", found=len(self.sites), allowed=_between(2, MAX_SITES))
        for number, site in enumerate(self.sites):
            _check_text(f"sites[{number}].name", site.name)
            if not FINGERPRINT.fullmatch(site.key):
                raise InputError(f"sites[{number}].key", found=site.key, allowed=phrase("federation.fingerprint"))
            for earlier in self.sites[:number]:
                _check_apart(number, earlier, site)
        for name, least, most, found in (
            ("lost_sites", 0, len(self.sites) - 1, self.lost_sites),
            ("max_sites", 1, len(self.sites), self.max_sites),
        ):
            if type(found) is not int or not least <= found <= most:
                raise InputError(name, found=found, allowed=_between(least, most))

    @property
    def honest(self) -> int:
        """K − t: so many shares of noise make the whole."""
        return len(self.sites) - self.lost_sites

    def to_mapping(self) -> dict[str, Any]:
        return {
            "dprelease_federation": VERSION,
            "name": self.name,
            "sites": [{"name": site.name, "key": site.key} for site in self.sites],
            "lost_sites": self.lost_sites,
            "max_sites": self.max_sites,
        }

    @classmethod
    def from_mapping(cls, value: Mapping[str, Any]) -> Federation:
        """Raises IntegrityError where it is not as `to_mapping` writes it."""
        try:
            sites = tuple(Site(**each) for each in value["sites"])
            found = cls(name=value["name"], sites=sites, lost_sites=value["lost_sites"], max_sites=value["max_sites"])
        except (KeyError, TypeError, InputError):
            raise IntegrityError(phrase("federation.no_roster")) from None
        if canonical(found.to_mapping()) != canonical(value):
            raise IntegrityError(phrase("federation.no_roster"))
        return found

    @property
    def hash(self) -> str:
        return digest(self.to_mapping())

    def number(self, site: str) -> int:
        """Return the place of a site in the roster, from 0 on. Raises IntegrityError where no site has that name."""
        for number, each in enumerate(self.sites):
            if each.name == site:
                return number
        raise IntegrityError(phrase("federation.unknown_site", site=site, federation=self.name))

    def of_key(self, fingerprint: str) -> Site:
        """Return the site that signs with a key. Raises IntegrityError where none does."""
        for site in self.sites:
            if site.key == fingerprint:
                return site
        raise IntegrityError(phrase("federation.foreign", key=fingerprint, federation=self.name))

    def signed(self, key: SigningKey) -> Signed:
        """Sign the roster as one site. Raises IntegrityError where the key is of no site."""
        self.of_key(key.fingerprint)
        return Signed.by(key, self.to_mapping())

    def check_signed(self, rosters: Iterable[Signed]) -> None:
        """Raises IntegrityError unless every site signed exactly this roster."""
        agreed = set()
        for each in rosters:
            site = self.of_key(each.signer)
            each.check("roster")
            if canonical(each.message) != canonical(self.to_mapping()):
                raise IntegrityError(phrase("federation.other_roster", site=site.name))
            agreed.add(site.name)
        missing = tuple(site.name for site in self.sites if site.name not in agreed)
        if missing:
            raise IntegrityError(phrase("federation.missing", kind="roster", sites=missing))


def _check_apart(number: int, earlier: Site, site: Site) -> None:
    if site.name == earlier.name:
        raise InputError(f"sites[{number}].name", found=site.name, allowed=phrase("federation.name_of_its_own"))
    if site.key == earlier.key:
        raise InputError(
            f"sites[{number}].key",
            found=phrase("federation.one_key", one=earlier.name, other=site.name),
            allowed=phrase("federation.key_of_its_own"),
            remedy=phrase("federation.send_own_key"),
        )


def _check_text(path: str, text: object) -> None:
    if not (isinstance(text, str) and text.strip() == text and text.isprintable() and 0 < len(text) <= LONGEST_NAME):
        raise InputError(path, found=text, allowed=phrase("federation.short_text", longest=LONGEST_NAME))


def _between(least: int, most: int) -> Any:
    return phrase("federation.whole_number", least=least, most=most)
