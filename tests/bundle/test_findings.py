"""What a first screen says: findings only where noise cannot be all of it, headline numbers only that can be quoted."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from dprelease.bundle.findings import Finding, finding, headlines, told
from dprelease.verdict.findings import check_finding

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.release import TOTAL, Axis, Cell, Estimates, Release
from dprelease.words.language import speaking
from tests.bundle.releases import COLUMNS, listed, make_release, table

BY = {"id": "by", "kind": "count", "by": ["region"]}


def counted(values: Sequence[Cell], half: float | None = 10, **further: Any) -> Release:
    """One table of counts by region, an interval of ±10 around each."""
    names = [f"r{place}" for place in range(len(values))]
    columns = COLUMNS | {"region": {"type": "category", "categories": [*names, "none"]}}
    return make_release([({**BY, **further}, table([listed("region", *names)], values, half))], columns=columns)


@pytest.mark.parametrize(
    ("values", "way", "places"),
    [
        ([100, 500, 90], "most", (1,)),
        ([100, 500, 495, 90], "most", (1, 2)),
        ([500, 100, 495, 505, 90], "most", (0, 2, 3)),
        ([500, 495, 490, 498, 10], "between", (0, 4)),
        ([100, 101, 99], "nothing", ()),
        ([-5, 0, 2], "nothing", ()),
        ([0, 0], "nothing", ()),
    ],
)
def test_what_is_found(values: list[Cell], way: str, places: tuple[int, ...]) -> None:
    release = counted(values)
    found = finding(release, "by")
    assert found == Finding(way, places)
    check_finding(release, "by", found.way, found.places)


@pytest.mark.parametrize(
    "release",
    [
        counted([5]),
        counted([]),
        counted([100, None, 300]),
        counted([100, 900], None),
        counted([100, 900], 10, kind="mean", column="income"),
        counted([100, 900], 10, kind="quantiles", column="income", probs=[0.5]),
    ],
    ids=["one cell", "no cell", "no value", "no interval", "means", "quantiles"],
)
def test_nothing_is_looked_for_where_nothing_tells_how_far_off_all_are(release: Release) -> None:
    assert finding(release, "by") is None


def test_values_that_were_made_to_fit_are_not_compared() -> None:
    release = counted([100, 900])
    certificate = replace_plan(release, postprocess=["nonnegative"])
    assert finding(certificate, "by") is None


def replace_plan(release: Release, **further: Any) -> Release:
    import msgspec

    plan = {**release.certificate.plan, **further}
    return replace(release, certificate=msgspec.structs.replace(release.certificate, plan=plan))


def test_totals_are_not_groups() -> None:
    axis = Axis(("region",), ((TOTAL,), ("a",), ("b",)))
    own = Estimates(axes=(axis,), value=[1000, 600, 400], lower95=[990, 590, 390], upper95=[1010, 610, 410])
    release = make_release([({**BY, "margins": True}, own)], columns=COLUMNS)
    assert finding(release, "by") == Finding("most", (1,))
    check_finding(release, "by", "most", (1,))


def test_a_period_that_the_bounds_cut_is_not_compared() -> None:
    """Nobody is told that half a month has less than a month."""
    axis = Axis(("day", "day_partial"), (("2025-01", "no"), ("2025-02", "no"), ("2025-03", "yes")))
    columns = {"day": {"type": "date", "lower": "2025-01-01", "upper": "2025-03-02"}}
    asked = {**BY, "by": ["day"], "levels": {"day": "month"}}
    own = table([axis], [500, 505, 20], 10)
    release = make_release([(asked, own)], columns=columns)
    found = finding(release, "by")
    assert found == Finding("nothing")
    assert told(release, "by", found) == "Of whole periods: No group stands out from the noise."
    check_finding(release, "by", "nothing", ())
    with pytest.raises(IntegrityError):
        check_finding(release, "by", "between", (0, 2))


@pytest.mark.parametrize(
    ("values", "way", "places"),
    [
        ([100, 500, 90], "most", (0,)),
        ([100, 121, 90], "most", (1,)),
        ([100, 500, 90], "nothing", ()),
        ([100, 105], "between", (1, 0)),
        ([100, 500], "between", (0, 1)),
        ([100, 500, 90], "most", (0, 1, 2)),
    ],
)
def test_another_finding_is_refused(values: list[Cell], way: str, places: tuple[int, ...]) -> None:
    with pytest.raises(IntegrityError, match="by"):
        check_finding(counted(values), "by", way, places)


@pytest.mark.full
def test_noise_alone_is_found_to_be_something_in_at_most_one_table_of_twenty() -> None:
    """4,000 tables of 12 equal cells with Laplace noise; more than 260 (5 % are 200) with probability below 1e-5."""
    draw, wrong, first = random.Random(7), 0, counted([1000] * 12)
    for _ in range(4000):
        noise = [round(draw.expovariate(1 / 20) - draw.expovariate(1 / 20)) for _ in range(12)]
        own = table(first.tables["by"].axes, [1000 + each for each in noise], 60)  # 20 ln 20 = 59.9
        release = replace(first, outputs={"by": own})
        found = finding(release, "by")
        wrong += found is not None and found.way != "nothing"
    assert wrong <= 260


def test_the_words_name_the_groups_in_both_languages() -> None:
    release = counted([100, 500, 495, 90])
    found = finding(release, "by")
    assert found is not None
    assert told(release, "by", found) == "The largest are r1 and r2; which of them is, noise does not let anyone tell."
    with speaking("es"):
        assert told(release, "by", found).startswith("Los mayores son r1 y r2")


def test_headlines_are_numbers_that_can_be_quoted() -> None:
    each = [
        ({"id": "few", "kind": "count"}, table((), [3], 10)),
        BY and ({**BY}, table([listed("region", "a", "b")], [100, 200], 10)),
        *(({"id": f"n{place}", "kind": "count"}, table((), [1000 * place], 10)) for place in range(1, 6)),
    ]
    release = make_release(each, columns=COLUMNS)
    assert [item.statistic for item in headlines(release)] == ["n1", "n2", "n3"]
    assert not list(headlines(counted([100, 500])))


def test_a_page_that_says_another_finding_is_refused(tmp_path: Any) -> None:
    from tests.bundle.entries import key_of
    from tests.verdict.forging import published, signed

    bundle = published(tmp_path / "own")
    page = bundle["index.html"].decode()
    found = re.search(r'<p class="finding">([^<]*)</p>', page)
    assert found is not None
    name = "b" if found[1] == "Largest: a." else "a"
    forged = page.replace(found[0], f'<p class="finding">Largest: {name}.</p>')
    with pytest.raises(IntegrityError, match=f"Largest: {name}"):
        dprelease.verify(signed(bundle | {"index.html": forged.encode()}, tmp_path / "forged", key_of(8)))
