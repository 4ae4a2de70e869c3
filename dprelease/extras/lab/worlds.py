"""Small invented worlds, about which everything is known: what attacks are shown on. None is anybody's table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dprelease.extras.lab.chance import Floats, Ints, bits, uniforms
from dprelease.extras.lab.clinic import BANDS, PATIENTS, REGIONS, WARDS

ADULT = 18


@dataclass(frozen=True, slots=True)
class King:
    """One of ten kings, with an age and a salary."""

    key: str
    name: str
    age: int
    salary: int

    @property
    def adult(self) -> bool:
        return self.age >= ADULT


KINGS = (
    King("ataulfo", "Ataúlfo", 43, 100),
    King("sigerico", "Sigerico", 15, 300),
    King("walia", "Walia", 50, 200),
    King("teodoredo", "Teodoredo", 51, 100),
    King("turismundo", "Turismundo", 16, 500),
    King("teodorico", "Teodorico II", 40, 300),
    King("eurico", "Eurico", 14, 700),
    King("alarico", "Alarico II", 49, 300),
    King("gesaleico", "Gesaleico", 69, 500),
    King("amalarico", "Amalarico", 17, 200),
)
BY_KEY = {king.key: king for king in KINGS}
HIGHEST, STEP = 1000, 100
"""The declared bounds of a salary are 0 and that, and its resolution."""


def adults(kings: Sequence[King] = KINGS) -> int:
    return sum(king.adult for king in kings)


@dataclass(frozen=True, slots=True)
class SampleVisit:
    """A visit of the sample table: five years of age, sex, region, ward."""

    patient: int
    band: int
    sex: int
    region: int
    ward: int


def visits() -> Iterator[SampleVisit]:
    """Yield the 580 visits of the first 300 patients of the sample table."""
    for patient, word in enumerate(PATIENTS.split()):
        band, sex, region = BANDS.index(word[0]), "FM".index(word[1]), REGIONS.index(word[2])
        for ward in word[3:]:
            yield SampleVisit(patient, band, sex, region, WARDS.index(ward))


SIZES = {"band": len(BANDS), "sex": 2, "region": len(REGIONS), "ward": len(WARDS)}
TABLES: dict[str, tuple[str, ...]] = {
    "ages-wards": ("band", "ward"),
    "wards-regions": ("ward", "region"),
    "ages-regions": ("band", "region"),
    "ages-wards-regions": ("band", "ward", "region"),
}
"""Tables of visits, by key."""


def table(columns: Sequence[str], rows: Sequence[SampleVisit]) -> Ints:
    """Count visits by these columns."""
    found = np.zeros([SIZES[column] for column in columns], dtype=np.int64)
    for row in rows:
        found[tuple(getattr(row, column) for column in columns)] += 1
    return found


def people(number: int, seed: str) -> Floats:
    """Draw a secret bit each."""
    return bits(f"people/{seed}", number)


def genome(number: int, attributes: int, seed: str) -> tuple[Floats, Floats]:
    """Draw each attribute's frequency, between 0.2 and 0.8, and who of so many people has it."""
    frequent = 0.2 + 0.6 * uniforms(f"frequent/{seed}", attributes)
    return frequent, (uniforms(f"genome/{seed}", number, attributes) < frequent).astype(np.float64)
