"""Linkage on invented rows: a table without names and a register with names, joined by what both have."""

from __future__ import annotations

from collections import Counter

PATIENTS = (
    (1948, "08013", "F", "asthma"),
    (1944, "08017", "F", "diabetes"),
    (1951, "08015", "F", "diabetes"),
    (1951, "08015", "F", "asthma"),
    (1962, "08024", "M", "migraine"),
    (1967, "08029", "M", "migraine"),
    (1973, "08031", "F", "fracture"),
    (1979, "08036", "F", "diabetes"),
)
"""Year of birth, postcode, sex and what was found; the names are gone."""
REGISTER = (
    ("Ada", 1948, "08013", "F"),
    ("Berta", 1944, "08017", "F"),
    ("Carla", 1951, "08015", "F"),
    ("Dora", 1951, "08015", "F"),
    ("Ernesto", 1962, "08024", "M"),
    ("Fausto", 1967, "08029", "M"),
    ("Gala", 1973, "08031", "F"),
    ("Helena", 1979, "08036", "F"),
)
"""Names of a register that anybody may read."""
WAYS = ("sex", "born", "postcode", "all", "coarse")
"""Columns that are compared, one more each time; last all of them made coarser."""


def key_of(born: int, postcode: str, sex: str, way: str) -> tuple[str, ...]:
    """Return what a row shows of itself: by `coarse`, the decade, three digits of the postcode, and the sex."""
    parts = {
        "sex": (sex,),
        "born": (str(born),),
        "postcode": (postcode,),
        "all": (str(born), postcode, sex),
        "coarse": (f"{born // 10}0", postcode[:3], sex),
    }
    return parts[way]


def sizes(way: str) -> tuple[int, ...]:
    """Return, of each row, how many rows look like it; the least of them is the k of k-anonymity."""
    keys = [key_of(born, postcode, sex, way) for born, postcode, sex, _ in PATIENTS]
    many = Counter(keys)
    return tuple(many[each] for each in keys)


def linked(way: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each name with what may have been found of it: one thing where all rows that look so have the same."""
    found = []
    for name, born, postcode, sex in REGISTER:
        own = key_of(born, postcode, sex, way)
        alike = {what for year, code, of, what in PATIENTS if key_of(year, code, of, way) == own}
        found.append((name, tuple(sorted(alike))))
    return tuple(found)


def told_apart(way: str) -> int:
    """Return of how many people it is known what was found."""
    return sum(len(each) == 1 for _, each in linked(way))
