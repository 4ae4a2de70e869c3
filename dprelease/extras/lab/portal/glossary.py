"""The page of words of the field, with a linkage worked out on invented rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import log

from dprelease.charts.sketch import Box, SketchAxis, SketchSheet, ticks
from dprelease.charts.theme import LIGHT
from dprelease.extras.lab import linkage
from dprelease.extras.lab.linkage import PATIENTS, REGISTER, WAYS
from dprelease.extras.lab.portal.lesson import (
    LAB,
    Lesson,
    LessonFigure,
    LessonPart,
    LessonQuery,
    LessonTable,
    csv_of,
    told,
)
from dprelease.extras.lab.portal.more import BELOW, LEFT, RIGHT, WIDTH

KEY = "glossary"
WORDS = ("dalenius", "anonymity", "netflix", "reconstruction", "differencing", "membership", "rappor")
KEPT = (0.25, 0.5, 0.75)
"""f of RAPPOR: how often a bit is drawn by a coin."""
PROGRAM = """from collections import Counter

@settings@
shows = dict(sex=lambda b, p, s: (s,), born=lambda b, p, s: (b,), postcode=lambda b, p, s: (p,))
shows |= dict(all=lambda b, p, s: (b, p, s), coarse=lambda b, p, s: (b // 10, p[:3], s))
print("columns,k,alone,known")
for way, key in shows.items():
    keys = [key(*row[:3]) for row in patients]
    many = Counter(keys)
    found = [{row[3] for row, own in zip(patients, keys) if own == key(*person[1:])} for person in register]
    print(way, min(many.values()), sum(many[own] == 1 for own in keys), sum(len(each) == 1 for each in found), sep=",")
"""


def lesson(query: Mapping[str, str]) -> Lesson:
    """Return the page as an address asks for it."""
    asked = LessonQuery(query)
    way = asked.one("columns", WAYS, "all")
    link, vain = asked.told()
    figure = LessonFigure(partial(drawn), LAB["glossary_alt"], "alone")
    rows = [(each, min(linkage.sizes(each)), linkage.sizes(each).count(1), linkage.told_apart(each)) for each in WAYS]
    lists = f"patients = {list(PATIENTS)}\nregister = {list(REGISTER)}".replace("), (", "),\n    (")
    return Lesson(
        fields=(asked.field("columns", [(each, LAB[f"glossary_by_{each}"]) for each in WAYS]),),
        link=link,
        vain=vain,
        answer=LAB.say(
            "glossary_answer", known=linkage.told_apart(way), whole=len(REGISTER), columns=LAB[f"glossary_by_{way}"]
        ),
        parts=(
            LessonPart(
                title=LAB["glossary_linkage"],
                texts=(LAB["glossary_linkage_what"], LAB["glossary_linkage_coarse"]),
                figures=(figure,),
                tables=(_patients(way), _linked(way), _ways()),
            ),
            *(LessonPart(title=LAB[f"glossary_{each}"], texts=(LAB[f"glossary_{each}_what"],)) for each in WORDS[:-1]),
            LessonPart(title=LAB["glossary_rappor"], texts=(LAB["glossary_rappor_what"],), tables=(_rappor(),)),
        ),
        figure=figure,
        csv=csv_of(("columns", "k", "alone", "known"), rows),
        program=PROGRAM.replace("@settings@", lists),
    )


def _patients(way: str) -> LessonTable:
    rows = tuple(
        (str(place), " ".join(linkage.key_of(born, postcode, sex, way)), LAB[f"glossary_found_{found}"], str(alike))
        for place, ((born, postcode, sex, found), alike) in enumerate(zip(PATIENTS, linkage.sizes(way), strict=True), 1)
    )
    heads = (LAB["glossary_row"], LAB["glossary_shows"], LAB["glossary_found"], LAB["glossary_alike"])
    return LessonTable(LAB["glossary_patients"], heads, rows, words=(1, 2))


def _linked(way: str) -> LessonTable:
    rows = tuple(
        (
            name,
            " ".join(linkage.key_of(born, postcode, sex, way)),
            ", ".join(LAB[f"glossary_found_{each}"] for each in found),
        )
        for (name, born, postcode, sex), (_, found) in zip(REGISTER, linkage.linked(way), strict=True)
    )
    heads = (LAB["glossary_name"], LAB["glossary_shows"], LAB["glossary_may_have"])
    return LessonTable(LAB["glossary_register"], heads, rows, words=(1, 2))


def _ways() -> LessonTable:
    rows = tuple(
        (
            LAB[f"glossary_by_{each}"],
            str(min(linkage.sizes(each))),
            str(linkage.sizes(each).count(1)),
            str(linkage.told_apart(each)),
        )
        for each in WAYS
    )
    heads = (LAB["field_columns"], "k", LAB["glossary_alone"], LAB["glossary_known"])
    return LessonTable(LAB["glossary_ways"], heads, rows)


def rappor(drawn_by_coin: float, weight: int = 1) -> float:
    """Return the ε of a permanent answer: 2w ln((1 − f/2) / (f/2)), w bits of a value (Erlingsson and others 2014)."""
    return 2 * weight * log((1 - drawn_by_coin / 2) / (drawn_by_coin / 2))


def _rappor() -> LessonTable:
    rows = tuple((f"f = {told(each)}", told(rappor(each)), told(rappor(each, 2))) for each in KEPT)
    return LessonTable(
        LAB["glossary_rappor"], (LAB["glossary_bits"], LAB["glossary_one_bit"], LAB["glossary_two_bits"]), rows
    )


def drawn() -> SketchSheet:
    """Draw of how many people what was found is known, by the columns that are compared."""
    sheet = SketchSheet(WIDTH, 20 + 180 + BELOW)
    names = {float(place): LAB[f"glossary_short_{each}"] for place, each in enumerate(WAYS)}
    up = SketchAxis(0, len(REGISTER), ticks(0, len(REGISTER), 4), LAB["glossary_known"])
    panel = sheet.panel(
        Box(LEFT, 20, WIDTH - RIGHT, 200), SketchAxis(-0.5, len(WAYS) - 0.5, names, LAB["field_columns"]), up
    )
    for place, each in enumerate(WAYS):
        panel.bar((place - 0.35, place + 0.35), linkage.told_apart(each), LIGHT.accent, LIGHT.line)
    return sheet
