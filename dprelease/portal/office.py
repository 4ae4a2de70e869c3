"""Office that publishes: name, logo, accent and terms at the head and foot of public pages, signed by its key."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from colorsys import hls_to_rgb, rgb_to_hls
from dataclasses import dataclass, field
from math import floor
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError
from zoneinfo import available_timezones

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from dprelease.bundle.history import SIGNED, History
from dprelease.bundle.signing import PublicKey
from dprelease.errors import InputError, IntegrityError
from dprelease.model.about import ADDRESS, IDENTIFIER, MAIL, About
from dprelease.model.encoding import canonical, read_json
from dprelease.model.report import Report
from dprelease.model.texts import LANGUAGE, ByLanguage
from dprelease.words import Phrase, phrase, verbatim
from dprelease.words.language import language
from dprelease.words.phrases import visible

FILE, SERIES = "office.json", "series"
"""File of the office, and folder of what it says of each series."""
VERSION = 1
KEYS = ("name", "short", "licence", "contact", "accent", "about", "revisions", "doi_prefix", "region", "time_zone")
BY_LANGUAGE: Mapping[str, int] = {"name": 120, "about": 500, "revisions": 2000}
"""Longest text of each part that has one for each language."""
LONGEST: Mapping[str, int] = {"short": 24, "region": 200}
LOGOS: Mapping[str, bytes] = {"office-logo.svg": b"<", "office-logo.png": b"\x89PNG\r\n\x1a\n"}
"""Names of a logo's file, and the first bytes of each kind."""
MAX_LOGO = 20_000
"""Largest size of a logo in bytes."""
COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
PREFIX = re.compile(r"10\.[0-9]{4,9}")
CARDS = ("#ffffff", "#141c1d")
"""Grounds that an accent is read on, in light and in dark."""
CONTRAST = 4.5
"""Least contrast of text (WCAG 2.1, 1.4.3)."""
ELEMENTS = ("script", "foreignobject", "iframe", "image", "a", "animate", "set", "handler", "embed", "object")
"""Elements of SVG that run or fetch something, or could."""
OUTWARD = re.compile(r"url\s*\((?!\s*['\"]?#)|@import|javascript:|\\", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Office as its pages show it; every part but the name may be empty."""

    name: ByLanguage = field(default_factory=dict)
    short: str = ""
    """Name where the whole one has no room."""
    licence: str = ""
    """Web address, or an identifier of the SPDX list."""
    contact: str = ""
    """Web or mail address."""
    accent: str = ""
    """Colour of links on white, such as #0B6B72."""
    about: ByLanguage = field(default_factory=dict)
    revisions: ByLanguage = field(default_factory=dict)
    """Policy on corrections."""
    doi_prefix: str = ""
    region: str = ""
    time_zone: str = ""
    """Name in the IANA database, such as Europe/Madrid."""
    logo: str = ""
    """Name of the file beside `office.json`."""
    is_doubtful: bool = False
    """True if an `office.json` lies there that no key of this ledger signed, or not so."""

    @classmethod
    def read(cls, value: object) -> Office:
        """Read an office as in its file, but for the logo. Raises InputError with every problem."""
        report = Report()
        fields = report.mapping(value, "", allowed=KEYS, required=("name",))
        parts: dict[str, Any] = {}
        parts |= {key: read_words(fields.get(key), key, most, report) for key, most in BY_LANGUAGE.items()}
        parts |= {
            key: report.optional_text(fields, key, "", longest=LONGEST.get(key, 200))
            for key in KEYS[1:]
            if key not in BY_LANGUAGE
        }
        for key, allowed in _refused(parts):
            report.add(key, found=parts[key], allowed=allowed)
        report.raise_any(InputError)
        return cls(**parts)

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in its file, what is empty left out."""
        stated = {key: getattr(self, key) for key in KEYS}
        return {key: dict(each) if isinstance(each, Mapping) else each for key, each in stated.items() if each}

    def said(self, part: str) -> str:
        """Return a part in the language that is spoken, else in the first it is in; empty where it has none."""
        return spoken(getattr(self, part))

    @property
    def links(self) -> About:
        """Contact and licence as links."""
        return About(contact=self.contact, licence=self.licence)

    @property
    def accents(self) -> tuple[str, str]:
        """Accent in light and in dark, where its lightness is raised until it is read; empty without one."""
        return (self.accent, readable(self.accent, CARDS[1])) if self.accent else ("", "")


def load(folder: Path, known: History | None) -> Office:
    """Return the office that a public folder states, if a key of its ledger signed it and the logo is what was signed.

    `known`: newest checkpoint of the ledger, whose keys are the publisher's. Else an office without a name: pages name
    the publisher that the newest release states.
    """
    try:
        data = (folder / FILE).read_bytes()
    except OSError:
        return Office()
    try:
        return _signed(folder, read_json(data, FILE, whole=True), known)
    except (IntegrityError, InputError):
        return Office(is_doubtful=True)


def spoken(words: ByLanguage) -> str:
    """Return a text in the language that is spoken, else in the first it is in; empty where it is in none."""
    return visible(words.get(language()) or next(iter(words.values()), ""))


def signed(value: Mapping[str, Any], known: History | None) -> Mapping[str, Any]:
    """Return a statement that a key of this ledger signed. Raises IntegrityError for any other."""
    match value:
        case {"statement": dict() as statement, "signer": str(signer), "signature": str(signature)}:
            if known is not None and signer in known.signers and SIGNED.fullmatch(signature):
                PublicKey.of(signer).check(bytes.fromhex(signature), canonical(statement))
                return statement
    raise IntegrityError(phrase("portal.office_not_signed"))


def _signed(folder: Path, value: Mapping[str, Any], known: History | None) -> Office:
    match signed(value, known):
        case {"dprelease_office": 1, "office": dict() as own, "logo": dict() as logo}:
            office = Office.read(own)
            for name, digest in logo.items():
                if name not in LOGOS or hashlib.sha256(_file(folder / name)).hexdigest() != digest:
                    raise IntegrityError(phrase("portal.office_not_signed"))
            return Office(**{key: getattr(office, key) for key in KEYS}, logo=next(iter(logo), ""))
    raise IntegrityError(phrase("portal.office_not_signed"))


def files(folder: Path) -> dict[str, bytes]:
    """Return the signed files of an office that lie in a public folder, by their paths in it."""
    found = [path for path in (folder / name for name in (FILE, *LOGOS)) if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in (*found, *folder.glob(f"{SERIES}/*.json"))}


def _file(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def statement(office: Office, logo: bytes = b"") -> dict[str, Any]:
    """Return what is signed of an office: its parts, and the digest of its logo by the name of the file."""
    files = {logo_name(logo): hashlib.sha256(logo).hexdigest()} if logo else {}
    return {"dprelease_office": VERSION, "office": office.to_mapping(), "logo": files}


def logo_name(logo: bytes) -> str:
    """Return the name of a logo's file. Raises InputError for what is no small PNG, nor an SVG that only draws."""
    if len(logo) > MAX_LOGO:
        allowed = phrase("portal.logo_of_size", most=MAX_LOGO)
        raise InputError("logo", found=phrase("portal.so_many_bytes", count=len(logo)), allowed=allowed)
    svg, png = LOGOS
    if logo.startswith(LOGOS[png]):
        return png
    try:
        root = fromstring(logo, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, RecursionError):
        root = None
    if root is None or _local(root.tag) != "svg":
        raise InputError("logo", found=phrase("portal.something_else"), allowed=phrase("portal.logo_of_kind"))
    for element in root.iter():
        _check_element(element)
    return svg


def _check_element(element: Element) -> None:
    """Raise InputError, which names it, for an element that runs a script or leads elsewhere."""
    name, texts = _local(str(element.tag)), [*element.attrib.values(), element.text or ""]
    links = [text for key, text in element.attrib.items() if _local(key) in ("href", "src")]
    runs = any(_local(key).startswith("on") for key in element.attrib)
    if (
        name.lower() in ELEMENTS
        or runs
        or any(not text.startswith("#") for text in links)
        or any(map(OUTWARD.search, texts))
    ):
        raise InputError("logo", found=verbatim(f"<{visible(name)}>"), allowed=phrase("portal.logo_only_draws"))


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def read_words(value: object, key: str, longest: int, report: Report) -> ByLanguage:
    """Read a text by language."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(LANGUAGE.fullmatch(str(code)) for code in value):
        report.add(key, found=value, allowed=phrase("portal.texts_by_language"))
        return {}
    return {str(code): report.text(text, f"{key}.{code}", longest=longest, shortest=1) for code, text in value.items()}


def _refused(parts: Mapping[str, str]) -> list[tuple[str, Phrase]]:
    """Return the parts that have another form than is allowed, each with what is."""
    accent = parts["accent"]
    checks = {
        "licence": (
            ADDRESS.fullmatch(parts["licence"]) or IDENTIFIER.fullmatch(parts["licence"]),
            phrase("model.web_address_identifier_such"),
        ),
        "contact": (
            ADDRESS.fullmatch(parts["contact"]) or MAIL.fullmatch(parts["contact"]),
            phrase("model.web_address_mail_address"),
        ),
        "doi_prefix": (PREFIX.fullmatch(parts["doi_prefix"]), phrase("portal.prefix_of_doi")),
        "time_zone": (parts["time_zone"] in available_timezones(), phrase("portal.name_of_time_zone")),
        "accent": (COLOUR.fullmatch(accent), phrase("portal.colour_in_hexadecimal")),
    }
    found = [(key, allowed) for key, (fits, allowed) in checks.items() if parts[key] and not fits]
    if COLOUR.fullmatch(accent) and contrast(accent, CARDS[0]) < CONTRAST:
        told = {
            "contrast": floor(10 * contrast(accent, CARDS[0])) / 10,
            "least": CONTRAST,
            "better": readable(accent, CARDS[0]),
        }
        found.append(("accent", phrase("portal.accent_is_read", **told)))
    return found


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours by their relative luminance, (lighter + 0.05) / (darker + 0.05) (WCAG 2.1)."""
    high, low = sorted(map(_luminance, (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def readable(colour: str, ground: str) -> str:
    """Return a colour of the same hue with the least change of lightness by which it is read on a ground."""
    hue, light, saturation = rgb_to_hls(*_parts(colour))
    towards = 0.0 if _luminance(ground) > 0.5 else 1.0
    shades = (hls_to_rgb(hue, light + (towards - light) * step / 100, saturation) for step in range(101))
    found = ("#" + "".join(f"{round(255 * part):02X}" for part in shade) for shade in shades)
    return next(each for each in found if contrast(each, ground) >= CONTRAST)


def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def _luminance(colour: str) -> float:
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _parts(colour))
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
