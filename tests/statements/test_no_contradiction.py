"""What is said beside a table never denies what stands in it, whatever the numbers are; nor does any page."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from html import unescape

import pytest
from msgspec import structs

from dprelease.bundle.read import read
from dprelease.charts.cells import TableText
from dprelease.model.grade import Grade
from dprelease.model.release import Axis, Release
from dprelease.statements.counts import contents, copies
from dprelease.statements.lead import stated
from dprelease.statements.sentences import findings, lead
from dprelease.words.language import LANGUAGES, speaking
from tests.bundle import kinds
from tests.bundle.releases import COLUMNS, binned, listed, make_release, table

SHAPES = ("names", "two", "bins", "periods", "margins")


def axes_of(shape: str, size: int) -> list[Axis]:
    names = [f"r{place}" for place in range(size)]
    if shape == "bins":
        return [binned("age", 0, 100, size)]
    if shape == "periods":
        return [Axis(("day",), tuple((f"2025-{month:02}",) for month in range(1, size + 1)))]
    return (
        [listed("region", *names, "_T"), listed("sex", "F", "M", "_T")]
        if shape == "margins"
        else [listed("region", *names)]
    )


def asked_of(shape: str) -> dict[str, object]:
    own: dict[str, object] = {"id": "by", "kind": "count", "by": ["region"]}
    if shape == "bins":
        return {"id": "by", "kind": "histogram", "column": "age"}
    if shape == "periods":
        return own | {"by": ["day"], "levels": {"day": "month"}}
    return own | {"by": ["region", "sex"], "margins": True} if shape == "margins" else own


def random_table(draw: random.Random) -> tuple[str, list[int], int]:
    """Counts near to and far from nothing and from one another, with noise of scale 5."""
    shape = draw.choice(SHAPES)
    size = 2 if shape == "two" else draw.choice([2, 3, 4, 8, 12])
    most = draw.choice([0, 0, 10, 30, 100, 1000])
    cells = size * 2 if shape == "margins" else size
    return shape, [round(draw.choice([0, 0.2, 1, 1, 1.5]) * most + draw.gauss(0, 7)) for _ in range(cells)], size


BASES: dict[tuple[str, int], Release] = {}


def released(shape: str, counts: list[int], size: int) -> Release:
    if (shape, size) not in BASES:
        names = [f"r{place}" for place in range(size)]
        columns = COLUMNS | {"region": {"type": "category", "categories": names if size > 1 else [*names, "x"]}}
        own = axes_of(shape, size)
        empty = table(own, [0] * (3 * (size + 1) if shape == "margins" else size), 15)
        BASES[shape, size] = make_release([(dict(asked_of(shape)), empty)], columns=columns)
    base = BASES[shape, size]
    halves = [15] * len(counts)
    if shape == "margins":
        pairs = [counts[place : place + 2] for place in range(0, len(counts), 2)]
        rows = [[*pair, sum(pair)] for pair in pairs]
        counts = [cell for row in [*rows, [sum(column) for column in zip(*rows, strict=True)]] for cell in row]
        sizes = [size if last else 1 for last in [False] * size + [True]]
        halves = [round(15 * (many * more) ** 0.5) for many in sizes for more in (1, 1, 2)]
    estimates = replace(
        base.tables["by"],
        value=counts,
        lower95=[count - half for count, half in zip(counts, halves, strict=True)],
        upper95=[count + half for count, half in zip(counts, halves, strict=True)],
    )
    release = replace(base, outputs={"by": estimates})
    return replace(release, certificate=structs.replace(base.certificate, statements=stated(release)))


def contradictions(release: Release) -> Iterator[str]:
    """What findings say against the grades and intervals of the same table, and against each other."""
    own, letters = release.tables["by"], TableText.of(release, "by", 1000).grades
    low = [max(0.0, float(str(end))) for end in own.lower95]
    high = [float(str(end)) for end in own.upper95]
    found, margins = release.certificate.statements, "margins" in release.certificate.asked("by")
    assert found
    first, last = set[int](), set[int]()
    for each in found.tables.get("by", ()):
        inside, factor = each.places, float(each.factor) if each.factor else 1.0
        outside = [] if margins else [place for place in range(len(own)) if place not in inside]
        if each.way in ("most", "ahead"):
            first |= {*inside}
            if any(letters[place] in (Grade.NONE, Grade.MISSING) for place in inside):
                yield "has the most, and is not told apart from none"
            if any(factor * low[other] > high[place] for place in inside for other in outside):
                yield "has the most, or so many times as many, and by the intervals another has"
        if each.way == "least":
            last |= {*inside}
            if any(low[inside[0]] > high[other] for other in outside):
                yield "has the fewest, and its interval is above another"
        if each.way == "spread" and max(low) > factor * min(high):
            yield "differ by at most so much, and intervals are further apart"
        if each.way == "share" and len(own) == 2:
            (one,), (other,) = inside, outside
            if float(str(each.least)) * (high[one] + low[other]) > high[one]:
                yield "a share of more than the intervals have"
            if float(str(each.most)) * (low[one] + high[other]) < low[one]:
                yield "a share of less than the intervals have"
        if each.way == "first_last" and float(str(each.least)) * low[inside[0]] > high[inside[1]]:
            yield "more than before, and not by the intervals"
    if first & last:
        yield "the most and the fewest"


def check(draw: random.Random) -> int:
    """One table in both languages."""
    shape, counts, size = random_table(draw)
    release = released(shape, counts, size)
    assert list(contradictions(release)) == [], (shape, counts, " ".join(findings(release, "by")))
    quotable = release.certificate.statements.quotable["by"]  # type: ignore[union-attr]
    for code in LANGUAGES:
        with speaking(code):
            reading, said = TableText.of(release, "by", 1000), " ".join(findings(release, "by"))
            body = list(reading.body())
            for letter, row in zip(reading.grades, body, strict=True):
                numbers = row[reading.keys : reading.keys + 3]
                assert not any("\u2212" in text for text in numbers), row
                assert letter is not Grade.NONE or numbers[1:] == ["", ""], row
            can = sum(letter in (Grade.RELIABLE, Grade.CAUTION) for letter in reading.grades)
            assert (can, len(body)) == quotable
            assert contents(*quotable)
            assert lead(release)
            if said:
                assert not re.search(r"[{}]|None|  ", said), said
    return len(release.certificate.statements.tables)  # type: ignore[union-attr]


def test_nothing_said_of_a_table_denies_its_numbers() -> None:
    draw = random.Random(4)
    assert sum(check(draw) for _ in range(80)) > 15


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10))
def test_nothing_said_of_five_thousand_tables_denies_their_numbers(seed: int) -> None:
    draw = random.Random(100 + seed)
    assert sum(check(draw) for _ in range(500)) > 100


TAGS, CELLS = re.compile("<[^>]+>"), re.compile(r"<td\b.*?</td>", re.DOTALL)
DENIALS = "let anyone tell", "nothing found", "no group stands out"


@pytest.mark.parametrize("plan", [kinds.PLAN, kinds.IN_RHO], ids=["every kind", "in rho"])
def test_no_page_says_two_limits_or_what_cannot_be(plan: dict[str, object]) -> None:
    """Of releases of every kind: the whole page, row by row and sentence by sentence."""
    folder = kinds.bundle(plan)
    page, release = (folder / "index.html").read_text(), read(folder).release
    text = " ".join(unescape(TAGS.sub("", page)).split())
    assert not [words for words in DENIALS if words in text]
    seen = 0
    for cell in CELLS.findall(page):
        if (words := " ".join(unescape(TAGS.sub(" ", cell)).split())).startswith("none – "):
            seen += 1
            assert re.fullmatch("none – [0-9][0-9 .]*(%|not told apart from none)?", words), words
    assert seen, "there are numbers that are not told apart from none"
    cells = " | ".join(unescape(TAGS.sub(" ", cell)) for cell in CELLS.findall(page))
    assert not re.search(r"\u2212[0-9.]+\s?%", cells)
    assert [each for each in re.findall(r"([0-9.]+)\s?%", cells) if Decimal(each) > 100] == []
    for name in release.tables.keys() - copies(release.certificate).keys():
        for claim in filter(None, " ".join(findings(release, name)).split(". ")):
            assert " ".join(claim.rstrip(".").split()) in text, claim
    assert " ".join(lead(release).split()) in text
