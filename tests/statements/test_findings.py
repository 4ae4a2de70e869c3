"""What is found in tables: claims that noise alone leads to as rarely as they say, and a lead for every release."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas
import pytest

import dprelease
from dprelease.bundle.outputs import release_files
from dprelease.errors import IntegrityError, PlanError
from dprelease.model.noise import Drawn
from dprelease.model.release import TOTAL, Axis, Cell, Release
from dprelease.model.stated import Grades, as_json
from dprelease.statements import families, groups, order, trial
from dprelease.statements.lead import headlines, stated, stretches
from dprelease.statements.sentences import findings, lead
from dprelease.verdict import claims
from dprelease.verdict.statements import check_statements
from dprelease.words.language import speaking
from tests.bundle.entries import key_of
from tests.bundle.releases import COLUMNS, binned, listed, make_release, table
from tests.verdict.forging import PLAN, signed, written

BY = {"id": "by", "kind": "count", "by": ["region"]}
ORACLE: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parent / "oracle.json").read_text())
LIMITS = {"caution": 0.333, "unreliable": 0.667}


def counted(values: Sequence[Cell], half: float | None = 15, **further: Any) -> Release:
    """One table of counts by region with discrete Laplace noise of scale 5, whose interval is that of its reach."""
    names = [f"r{place}" for place in range(len(values))]
    columns = COLUMNS | {"region": {"type": "category", "categories": [*names, "none"]}}
    return make_release([({**BY, **further}, table([listed("region", *names)], values, half))], columns=columns)


def found(release: Release, name: str = "by") -> list[tuple[str, tuple[int, ...]]]:
    """What is stated of a table, after both programs said the same of it."""
    files = {
        path: content if isinstance(content, bytes) else b"".join(content)
        for path, content in release_files(release).items()
    }
    mapping = release.certificate.to_mapping()
    beside = {name: data for name in release.outputs if (data := files.get(f"measured/{name}.json"))}
    check_statements(mapping, {table: files[f"tables/{table}.csv"] for table in release.tables}, beside)
    assert release.certificate.statements
    return [(each.way, each.places) for each in release.certificate.statements.tables.get(name, ())]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([100, 500, 90], [("most", (1,))]),
        ([500, 500, 90, 20], [("ahead", (0, 1)), ("least", (3,))]),
        ([100, 500, 495, 90], [("ahead", (1, 2))]),
        ([5000, 5001, 4999], [("spread", ())]),
        ([-5, 0, 2], []),
        ([0, 0, 0], []),
        ([10**15, 1, 1], [("most", (0,))]),
        ([12, -20, -20], []),
        ([14, 12, -40], []),
    ],
)
def test_what_is_found(values: list[Cell], expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert found(counted(values)) == expected


@pytest.mark.parametrize(
    "release",
    [
        counted([5]),
        counted([]),
        counted([100, None, 300]),
        counted([100, 900, 10], 15, survey_weights="weight"),
        counted([100, 900, 10], 15, kind="quantiles", column="income", probs=[0.5]),
    ],
    ids=["one cell", "no cell", "no value", "weighted", "quantiles"],
)
def test_nothing_is_looked_for_where_nothing_tells_how_far_off_numbers_are(release: Release) -> None:
    assert found(release) == []
    assert lead(release)


def test_a_table_that_was_made_to_fit_is_read_by_its_noisy_numbers_and_shown_in_the_same_order() -> None:
    """A claim that the published values do not show is not made."""
    release = counted([100, 900, 10])
    own = replace(release.tables["by"], extra={"raw": [10, 900, 100]})
    assert stated(replace(release, outputs={"by": own})).tables["by"][0].places == (1,)
    turned = replace(own, extra={"raw": [900, 10, 100]})
    assert "by" not in stated(replace(release, outputs={"by": turned})).tables


def test_a_table_with_totals_is_read_by_the_totals_of_each_key() -> None:
    """Of a part of the level each, and never by its cells."""
    regions, sexes = listed("region", "a", "b", "c", TOTAL), listed("sex", "F", "M", TOTAL)
    cells = [500, 400, 900, 90, 110, 200, 60, 40, 100, 650, 550, 1200]
    own = table([regions, sexes], cells, 30)
    asked = {"id": "by", "kind": "count", "by": ["region", "sex"], "margins": True}
    columns = COLUMNS | {"region": {"type": "category", "categories": ["a", "b", "c"]}}
    release = make_release([(asked, own)], columns=columns)
    assert found(release) == [("most", (2,)), ("least", (8,)), ("share", (9,))]
    assert release.certificate.statements
    first = release.certificate.statements.tables["by"][0]
    assert (first.axis, Fraction(first.alpha)) == (0, Fraction(1, 20) * Fraction(2, 5) / 2)
    assert " ".join(findings(release, "by")).startswith("a has the most records: at least 3.")


def test_totals_over_one_category_have_the_noise_of_one_draw() -> None:
    """The total of one cell is that cell, and counts as no cell of its own."""
    own = table([listed("region", "a", TOTAL), listed("sex", "F", "M", TOTAL)], [500, 400, 900] * 2, 15)
    asked = {"id": "by", "kind": "count", "by": ["region", "sex"], "margins": True}
    columns = COLUMNS | {"region": {"type": "category", "categories": ["a"]}}
    assert found(make_release([(asked, own)], columns=columns)) == [("share", (3,))]


def test_a_period_that_the_bounds_cut_is_not_compared() -> None:
    """Nobody is told that half a month has less than a month."""
    cells = (("2025-01", "no"), ("2025-02", "no"), ("2025-03", "yes"))
    axis, columns = (
        Axis(("day", "day_partial"), cells),
        {"day": {"type": "date", "lower": "2025-01-01", "upper": "2025-03-02"}},
    )
    asked = {**BY, "by": ["day"], "levels": {"day": "month"}}
    release = make_release([(asked, table([axis], [500, 900, 20], 15))], columns=columns)
    assert found(release) == [("first_last", (0, 1)), ("most", (1,))]
    first, days, second = " ".join(findings(release, "by")).split(". ", 2)
    assert first == "2025-02 has 80 % more records than 2025-01 (72 to 88 %)"
    assert days == "They have 28 and 31 days"
    assert second == "Of whole periods: 2025-02 has the most records: at least 1.72 times as many as any other."
    alone = make_release([(asked, table([replace(axis, cells=cells[1:])], [900, 20], 15))], columns=columns)
    assert found(alone) == []


def test_a_stretch_is_told_where_it_holds_more_than_its_share_of_the_width() -> None:
    values: list[Cell] = [10, 20, 40, 80, 160, 300, 300, 200, 100, 50, 20, 10, *[5] * 8]
    asked = {"id": "by", "kind": "histogram", "column": "age", "bins": 20}
    release = make_release([(asked, table([binned("age", 0, 100, 20)], values, 15))], columns=COLUMNS)
    assert found(release) == [("stretch", (5, 7))]
    assert " ".join(findings(release, "by")) == "More than half of records are at age (years) 25 to 39 (60 %)."
    even = make_release([(asked, table([binned("age", 0, 100, 20)], [500] * 20, 15))], columns=COLUMNS)
    assert found(even) == []
    assert lead(even) == "20 of these 20 numbers can be quoted.", "without a finding it never says that none can"


def test_of_two_codes_the_share_is_told_and_never_that_false_has_the_most() -> None:
    columns = COLUMNS | {"region": {"type": "boolean"}}
    release = make_release([(BY, table([listed("region", "false", "true")], [900, 100], 15))], columns=columns)
    assert found(release) == [("share", (1,))]
    assert " ".join(findings(release, "by")) == "10.0 % of records: region (8.6 to 11.4 %)."
    empty = make_release([(BY, table([listed("region", "false", "true")], [3, -4], 15))], columns=columns)
    assert found(empty) == []
    assert lead(empty) == "None of these 2 numbers can be quoted: there is too much noise for tables this fine."


def several(*values: Sequence[Cell], **plan: Any) -> Release:
    names = [f"r{place}" for place in range(8)]
    columns = COLUMNS | {"region": {"type": "category", "categories": [*names, "none"]}}
    each = [
        ({**BY, "id": f"t{place}"}, table([listed("region", *names[: len(own)])], own, 15 * len(values)))
        for place, own in enumerate(values)
    ]
    return make_release(each, columns=columns, **plan)


def test_the_lead_passes_at_its_part_of_the_level_and_stands_so_in_its_table() -> None:
    release = several([900, 500, 400], [9000, 500, 400], [500, 500, 480])
    assert found(release, "t1")[0] == ("most", (0,))
    own = release.certificate.statements
    assert own
    assert own.lead is not None
    assert (own.lead.table, own.lead.way) == ("t1", "most")
    assert Fraction(own.tables["t1"][0].alpha) == Fraction(1, 50) / 3
    assert Fraction(own.tables["t0"][0].alpha) == Fraction(1, 50)
    assert " ".join(findings(release, "t1")).startswith(lead(release))
    assert float(str(own.tables["t1"][0].factor)) > 10


def test_a_plan_that_names_its_lead_pays_for_no_choice() -> None:
    """The named table's finding passes at its own level, and no other one is told first."""
    release = several([900, 500, 400], [9000, 500, 400], [500, 500, 480])
    facts = release.certificate
    named = msgspec.structs.replace(facts, plan={**facts.plan, "lead": "t0"})
    own = stated(replace(release, certificate=named))
    assert own.lead is not None
    assert (own.lead.table, Fraction(own.tables["t0"][0].alpha)) == ("t0", Fraction(1, 50))
    silent = msgspec.structs.replace(facts, plan={**facts.plan, "lead": "t2"})
    other = stated(replace(release, certificate=silent)).lead
    assert other is None or other.table == "t2"


def test_a_plan_names_one_of_its_statistics_as_its_lead() -> None:
    plan = dprelease.Plan.parse(PLAN | {"lead": PLAN["statistics"][0]["id"]})
    assert plan.lead == PLAN["statistics"][0]["id"]
    assert dprelease.Plan.parse(plan.to_mapping()) == plan
    with pytest.raises(PlanError) as refused:
        dprelease.Plan.parse(PLAN | {"lead": "nothing"})
    assert [problem.path for problem in refused.value.problems] == ["lead"]


def test_without_a_comparison_the_lead_is_a_number_in_its_sentence() -> None:
    release = make_release(
        [
            (BY, table([listed("region", "a", "b", "c")], [3, 1, 2], 15)),
            ({"id": "n", "kind": "count"}, table((), [4000], 30)),
        ],
        columns=COLUMNS,
    )
    assert found(release) == []
    assert lead(release) == "Records: 4\u202f000 records (3\u202f970 to 4\u202f030)."
    with speaking("es"):
        assert lead(release) == "Registros: 4\u202f000 registros (de 3\u202f970 a 4\u202f030)."
    assert headlines(release) == []


def test_headlines_are_numbers_that_can_be_quoted_and_not_the_lead() -> None:
    each = [
        ({"id": "few", "kind": "count"}, table((), [3], 10)),
        ({**BY}, table([listed("region", "a", "b", "c")], [100, 100, 100], 90)),
        *(({"id": f"n{place}", "kind": "count"}, table((), [1000 * place], 10)) for place in range(1, 6)),
    ]
    release = make_release(each, columns=COLUMNS)
    assert [item.statistic for item in headlines(release)] == ["n2", "n3", "n4"]


def test_totals_of_tables_with_margins_are_headlines_called_like_a_count_of_all() -> None:
    """Once: a count of the same rows that stands alone before it has the name already; the table's title is not its."""
    regions, sexes = listed("region", "a", "b", "c", TOTAL), listed("sex", "F", "M", TOTAL)
    own = table([regions, sexes], [500, 400, 900, 90, 110, 200, 60, 40, 100, 650, 550, 1200], 30)
    columns = COLUMNS | {"region": {"type": "category", "categories": ["a", "b", "c"]}}
    asked = {"id": "by", "kind": "crosstab", "columns": ["region", "sex"], "margins": True}
    alone = ({"id": "n", "kind": "count"}, table((), [1190], 10))
    release = make_release([(asked, own)], columns=columns)
    assert [(item.name, item.value, item.statistic) for item in headlines(release)] == [("Records", "1\u202f200", "by")]
    release = make_release([alone, (asked, own)], columns=columns)
    assert [(item.name, item.value) for item in headlines(release)] == [("Records", "1\u202f190")]
    few = (asked, table([regions, sexes], [1] * 11 + [1200], 30))
    assert [item.name for item in headlines(make_release([few], columns=columns))] == ["Records"]
    assert headlines(make_release([alone, few], columns=columns)) == [], "the lead is that number"
    none = make_release([(asked, table([regions, sexes], [1] * 12, 30))], columns=columns)
    assert headlines(none) == []


FORGED: dict[str, Any] = {
    "places": [1],
    "factor": "9.99",
    "alpha": "1/20",
    "way": "least",
    "basis": "bounded",
    "strength": "1.000000",
}


@pytest.mark.parametrize("key", [*FORGED, "added", "missing", "lead"])
def test_a_statement_that_is_not_that_of_the_numbers_is_refused(key: str) -> None:
    release = several([900, 500, 400], [5, 4, 3])
    found(release, "t0")
    mapping = json.loads(json.dumps(release.certificate.to_mapping()))
    own = mapping["statements"]
    first = own["tables"]["t0"][0]
    if key == "added":
        own["tables"]["t1"] = [first]
    elif key == "missing":
        del own["tables"]["t0"]
    elif key == "lead":
        own["lead"] = {"table": "t1", "way": "number"}
    else:
        assert first.get(key) != FORGED[key]
        first[key] = FORGED[key]
    files = release_files(release)
    tables = {name: b"".join(files[f"tables/{name}.csv"]) for name in ("t0", "t1")}  # type: ignore[arg-type]
    with pytest.raises(IntegrityError, match="t1" if key == "added" else "first" if key == "lead" else "t0"):
        check_statements(mapping, tables)


def test_nothing_denies_what_is_found() -> None:
    """In no language, whatever a table shows."""
    for code in ("en", "es"):
        every = Path(dprelease.__file__).parent.joinpath("words", code).glob("*.po")
        assert not [path for path in every if re.search("let anyone tell|no deja saber", path.read_text())]


def family(shape: str, counts: Sequence[int], noise: Drawn, level: Fraction = families.ALPHA) -> families.CellFamily:
    size = len(counts)
    return families.CellFamily(
        shape=shape,
        level=level,
        axis=None,
        places=range(size),
        counts=[Fraction(count) for count in counts],
        shown=[float(count) for count in counts],
        noises=[noise] * size,
        widths=[Fraction(1)] * size,
    )


def claimed(own: families.CellFamily) -> list[dict[str, Any]]:
    if own.shape == families.TWO:
        each = groups.shares(own, 0, Grades())
    else:
        each = stretches(own) if own.shape == families.BINS else order.orders(own)
    return [as_json(one) for one in each]


def again(own: families.CellFamily) -> list[dict[str, Any]]:
    noise = own.noise
    law = (noise.name, noise.scale, noise.draws)
    size = len(own.places)
    codes, widths = ["x"] * size, [Fraction(1)] * size
    other = claims.ClaimedCells(
        own.shape, own.level, None, own.places, own.counts, own.shown, [law] * size, codes, widths
    )
    return other.found(LIMITS)


@pytest.mark.parametrize("row", ORACLE["tables"], ids=lambda row: f"{row['most_k']} of {len(row['values'])}")
def test_tables_are_those_of_the_reference(row: dict[str, Any]) -> None:
    """Most by 2, .5 and .5 %, spread by 1 %: the parts of a whole table."""
    own = family(families.LIST, row["values"], Drawn(row["noise"], row["scale"]))
    for every in (claimed(own), again(own)):
        tops = [each for each in every if each["way"] in ("most", "ahead")]
        assert [each["places"] for each in tops] == ([row["most_places"]] if row["most_k"] else [])
    beyond = order.difference(own.noise, own.noise, float(own.part("spread")))
    assert max(row["values"]) - min(row["values"]) + beyond == row["spread_upper"]


def random_family(draw: random.Random) -> families.CellFamily:
    """Any shape, noise and size, near to and far from what is claimed."""
    shape = draw.choice([families.LIST, families.BINS, families.PERIODS, families.TWO])
    size = 2 if shape == families.TWO else draw.choice([2, 3, 5, 8, 12, 20])
    name = draw.choice(["discrete_laplace", "discrete_gaussian"])
    noise = Drawn(name, draw.choice([0.2, 0.5, 1.0, 3.7, 20.0, 21.0, 1200.0]), draw.choice([1, 1, 1, 4]))
    whole = draw.choice([0, 1, 10, 100, 1000]) * noise.scale
    counts = [round(draw.choice([1, 1, 1, 1.3, 3, 5]) * whole + draw.gauss(0, 2 * noise.scale)) for _ in range(size)]
    return family(shape, counts, noise, families.ALPHA / draw.choice([1, 1, 3, 10]))


def agree(cases: int, seed: int) -> int:
    draw, told_of = random.Random(seed), 0
    for _ in range(cases):
        own = random_family(draw)
        one, other = (
            [{**each, "strength": f"{float(each['strength']):.4f}"} for each in every]
            for every in (claimed(own), again(own))
        )
        assert one == other, own
        told_of += len(one)
    return told_of


@pytest.mark.full
def test_both_programs_claim_the_same_of_random_tables() -> None:
    assert agree(150, 1) > 60


@pytest.mark.parametrize("name", ["discrete_laplace", "discrete_gaussian"])
@pytest.mark.parametrize("last", [-300, 8_000])
def test_both_programs_claim_the_same_where_hardly_anything_is_left_in_the_last_period(name: str, last: int) -> None:
    """The quotient is below a thousandth, of a noise so wide that it is taken as continuous."""
    own = family(families.PERIODS, [10**7, 5 * 10**6, last], Drawn(name, 1200.0))
    assert claimed(own) == again(own)
    assert claimed(own)[0]["way"] == "first_last"


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10))
def test_both_programs_claim_the_same_of_ten_thousand_random_tables(seed: int) -> None:
    assert agree(1000, 100 + seed) > 400


def test_the_largest_table_is_read_in_few_sums() -> None:
    """400 cells: one law, of which the nearest pair decides; a probability is not worked out for each."""
    from dprelease.statements import tails

    own = family(families.LIST, [1000 + place for place in range(400)], Drawn("discrete_laplace", 20.0))
    before = tails._survival.cache_info().misses
    claimed(own)
    assert tails._survival.cache_info().misses - before <= 1


def both(own: groups.Quotients) -> list[dict[str, Any]]:
    """What both programs say of means or shares by group."""
    law = (own.noise.name, own.noise.scale, 1)
    other = claims.ClaimedPairs(own.level, own.places, own.pairs, law, own.low, own.width, own.is_share)
    every = [as_json(each) for each in groups.groups(own)]
    assert [each | {"strength": ""} for each in every] == [each | {"strength": ""} for each in other.found(LIMITS)]
    return every


def grouped_means(pairs: Sequence[tuple[int, int]], scale: float = 20.0, **more: Any) -> groups.Quotients:
    usual: dict[str, Any] = {"level": families.ALPHA, "low": Fraction(0), "width": Fraction(1), "is_share": True}
    noise = Drawn("discrete_laplace", scale)
    return groups.Quotients(**(usual | {"places": range(len(pairs)), "pairs": pairs, "noise": noise} | more))


def test_a_group_is_apart_where_its_limit_is_beyond_those_of_all_others() -> None:
    found = both(grouped_means([(900, 100), (500, 500), (400, 600)]))
    assert [(each["way"], each["places"]) for each in found] == [("apart", [0])]
    assert 0.5 < float(found[0]["most"]) < 0.65 < float(found[0]["share"]) == 0.9
    (between,) = both(grouped_means([(50_000, 50_000), (50_100, 49_900)]))
    assert (between["way"], between.get("places")) == ("envelope", None)
    assert float(between["least"]) < 0.5 < float(between["most"])
    assert both(grouped_means([(9, 1), (5, 5)])) == []
    assert both(grouped_means([(0, 0), (-5, 3), (90_000, 10_000)])) == []  # a group of which nothing is known
    money = grouped_means(
        [(900_000, 100_000), (500_000, 500_000)], 2000.0, low=Fraction(-50), width=Fraction(100), is_share=False
    )
    assert [each["way"] for each in both(money)] == ["apart", "lowest"]


def test_both_programs_claim_the_same_of_random_groups() -> None:
    """Near to where one is apart, which the level of each limit decides."""
    draw, ways = random.Random(2), set()
    for _ in range(45):
        rows, size = draw.choice([200, 1000, 5000]), draw.choice([2, 3, 8])
        shares = [0.5 + draw.choice([0, 0, 0.05, 0.1, 0.2]) + draw.gauss(0, 0.02) for _ in range(size)]
        pairs = [(round(rows * share), round(rows * (1 - share))) for share in shares]
        ways |= {each["way"] for each in both(grouped_means(pairs, draw.choice([3.0, 20.0, 1500.0])))}
    assert ways == {"apart", "lowest", "envelope"}


def test_means_and_shares_are_published_with_what_they_are_quotients_of(tmp_path: Path) -> None:
    """`measured/ID.json`: checked against the table; without it, or with other integers, the bundle is refused."""
    frame = pandas.DataFrame({"id": range(900), "ward": ["a", "b", "c"] * 300, "days": [20, 3, 2] * 300})
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame, unit_column="id", epsilon=50)
    columns = {
        "ward": {"type": "category", "categories": ["a", "b", "c"]},
        "days": {"type": "integer", "lower": 0, "upper": 30, "unit": "days"},
    }
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": {"column": "id", "max_rows": 1}, "neighbors": "add_remove", "epsilon": 20},
        "columns": columns,
        "statistics": [{"id": "m", "kind": "mean", "column": "days", "by": ["ward"]}],
        "charts": False,
    }
    bundle = written(workspace, plan, tmp_path / "own")
    told_of = json.loads(bundle["release.json"])["statements"]
    assert told_of["lead"] == {"table": "m", "way": "apart"}
    release = dprelease.verify(signed(bundle, tmp_path / "again", key_of(8))).release
    assert re.fullmatch(
        r"Mean days by ward, days: highest in a, [0-9.]+ days; no other above [0-9.]+ days\.", lead(release)
    )
    page = bundle["index.html"].decode()
    assert "highest in a" in page
    forged = page.replace("highest in a", "highest in b").encode()
    with pytest.raises(IntegrityError, match="Do not trust this page"):
        dprelease.verify(signed(bundle | {"index.html": forged}, tmp_path / "page", key_of(8)))
    numbers = json.loads(bundle["measured/m.json"])
    numbers["integers"][0][0] += 900
    other = json.dumps(numbers, separators=(",", ":")).encode() + b"\n"
    with pytest.raises(IntegrityError):
        dprelease.verify(signed(bundle | {"measured/m.json": other}, tmp_path / "other", key_of(8)))
    without = {path: data for path, data in bundle.items() if path != "measured/m.json"}
    with pytest.raises(IntegrityError):
        dprelease.verify(signed(without, tmp_path / "without", key_of(8)))


def model(
    yes: Sequence[int], no: Sequence[int], scale: float = 5.0, name: str = "discrete_laplace"
) -> list[dict[str, Any]]:
    """What both programs say of a model with these counts of held-out rows by cell of its score."""
    own = trial.TrialCounts(level=families.ALPHA, yes=yes, no=no, noise=Drawn(name, scale), codes=(1, 0))
    every = [as_json(each) for each in trial.tried(own)]
    other = claims.Tried(families.ALPHA, yes, no, (name, scale, 1), 1).found(LIMITS)
    assert [each | {"strength": ""} for each in every] == [each | {"strength": ""} for each in other]
    return every


def test_a_model_is_told_beside_always_naming_the_commoner_class() -> None:
    none, many = [0] * 21, [0] * 10 + [200] * 11
    (good,) = model(many, [300] * 10 + [0] * 11)
    assert (good["way"], good["share"], good["guess"], good["code"]) == ("better", "1.000", "0.577", 0)
    assert 0.35 < float(good["least"]) < 0.423 < float(good["most"]) < 0.5
    (useless,) = model([100] * 21, [900] * 21)
    assert (useless["way"], useless["guess"]) == ("no_better", "0.900")
    assert float(useless["most"]) < 0
    (unclear,) = model([10] * 10 + [14] * 11, [12] * 10 + [11] * 11)
    assert unclear["way"] == "unclear"
    assert model(none, none) == []


@pytest.mark.full
@pytest.mark.parametrize("name", ["discrete_laplace", "discrete_gaussian"])
def test_a_model_that_knows_nothing_is_seldom_called_better(name: str) -> None:
    """2,000 trials of random outcomes: at most 2 % and 3 standard errors (fixed seed)."""
    draw, called = np.random.default_rng(5), 0
    for _ in range(2000):
        truth = draw.multinomial(800, np.full(42, 1 / 42)).reshape(2, 21)
        noisy = truth + np.round(
            draw.laplace(0, 5, (2, 21)) if name == "discrete_laplace" else draw.normal(0, 7, (2, 21))
        )
        own = trial.TrialCounts(
            level=families.ALPHA,
            yes=noisy[0].astype(int).tolist(),
            no=noisy[1].astype(int).tolist(),
            noise=Drawn(name, 5.0 if name == "discrete_laplace" else 7.0),
            codes=(1, 0),
        )
        called += any(
            each.way == "better"
            and float(str(each.least)) > 0
            and min(truth[0, 10:].sum() - truth[1, 10:].sum(), truth[1, :10].sum() - truth[0, :10].sum()) <= 0
            for each in trial.tried(own)
        )
    assert called <= 2000 * 0.02 + 3 * (2000 * 0.02 * 0.98) ** 0.5


SHAPES: dict[str, tuple[list[int], float]] = {
    "12 equal": ([1000] * 12, 0.02),
    "two equal at the top of 8": ([1200, 1200, *[1000] * 6], 0.02),
    "two equal": ([1000, 1000], 0.02),
    "one ahead by 12 scales of 12": ([1240, *[1000] * 11], 0.0),
    "one ahead by 12 scales of 42": ([1240, *[1000] * 41], 0.0),
    "two ahead by 12 scales of 12": ([1240, 1240, *[1000] * 10], 0.02),
    "ladder of 4 scales": ([1000 + 80 * step for step in range(8)], 0.03),
    "Zipf of 20": ([20_000 // place for place in range(1, 21)], 0.03),
    "one scale ahead of one": ([1020, 1000], 0.02),
    "three equal": ([1000] * 3, 0.02),
}


def wrong_of(truth: list[int], name: str, draws: int, seed: int) -> tuple[int, int]:
    """How often a claim of the order is false, or of the quotient; and how often the true first is named."""
    draw, wrong, named = np.random.default_rng(seed), 0, 0
    scale = 20.0
    values = np.array(truth)
    for _ in range(draws):
        p = 1 - np.exp(-1 / scale)
        laplace = draw.geometric(p, len(truth)) - draw.geometric(p, len(truth))
        noise = laplace if name == "discrete_laplace" else np.round(draw.normal(0, scale, len(truth))).astype(int)
        own = family(families.LIST, (values + noise).tolist(), Drawn(name, scale))
        found = order.most(own)
        if found is None:
            continue
        inside = values[list(found.places)]
        outside = np.delete(values, list(found.places))
        times = float(found.factor) if found.factor else 1.0
        false = inside.min() <= outside.max() or (len(inside) == 1 and inside[0] < times * outside.max())
        wrong += bool(false)
        named += found.way == "most" and not false
    return wrong, named


def beyond(limit: float, draws: int) -> float:
    """So many false claims in so many draws, and 3 standard errors more."""
    return draws * limit + 3 * (draws * limit * (1 - limit)) ** 0.5 + 1


@pytest.mark.parametrize("shape", SHAPES)
def test_claims_of_order_are_seldom_false(shape: str) -> None:
    """200 draws of each shape (fixed seeds): most at 2 %, two and three at half a percent each."""
    truth, _ = SHAPES[shape]
    wrong, named = wrong_of(truth, "discrete_laplace", 200, 11)
    assert wrong <= beyond(0.03, 200)
    if shape == "one ahead by 12 scales of 12":
        assert named >= 0.8 * 200


@pytest.mark.full
@pytest.mark.parametrize("name", ["discrete_laplace", "discrete_gaussian"])
@pytest.mark.parametrize("shape", SHAPES)
def test_claims_of_order_are_false_as_rarely_as_they_say(shape: str, name: str) -> None:
    truth, limit = SHAPES[shape]
    wrong, named = wrong_of(truth, name, 20_000, 12)
    assert wrong <= beyond(max(limit, 0.001), 20_000)
    if shape == "one ahead by 12 scales of 12":
        assert named >= 0.85 * 20_000


def noisy(truth: Sequence[int], draw: np.random.Generator, scale: float) -> list[int]:
    p = 1 - np.exp(-1 / scale)
    noise = draw.geometric(p, len(truth)) - draw.geometric(p, len(truth))
    return [int(each) for each in np.array(truth) + noise]


@pytest.mark.full
def test_a_lead_over_ten_flat_tables_is_seldom_false() -> None:
    """2,000 releases of ten tables of six equal cells, each read at a tenth of the level."""
    draw, wrong = np.random.default_rng(21), 0
    for _ in range(2000):
        tables = (
            family(families.LIST, noisy([1000] * 6, draw, 20.0), Drawn("discrete_laplace", 20.0), families.ALPHA / 10)
            for _ in range(10)
        )
        wrong += any(each.way in ("most", "ahead", "least") for own in tables for each in order.orders(own))
    assert wrong <= beyond(0.05, 2000)


@pytest.mark.full
@pytest.mark.parametrize(
    ("shape", "truth", "limit"),
    [
        (families.PERIODS, [1000] * 12, 0.02),
        (families.LIST, [1000] * 11 + [1100], 0.01),
        (families.BINS, [500] * 20, 0.05),
        (families.BINS, [500] * 5 + [333] * 15, 0.05),
        (families.TWO, [30, 170], 0.05),
    ],
    ids=["first to last", "spread", "even bins", "a third in five", "share"],
)
def test_other_claims_are_false_as_rarely_as_they_say(shape: str, truth: list[int], limit: float) -> None:
    """2,000 draws with scale 5 (fixed seed): at most the level and 3 standard errors."""
    draw, wrong = np.random.default_rng(22), 0
    for _ in range(2000):
        for each in claimed(family(shape, noisy(truth, draw, 5.0), Drawn("discrete_laplace", 5.0))):
            if each["way"] == "first_last":
                wrong += not float(each["least"]) <= truth[-1] / truth[0] <= float(each["most"])
            elif each["way"] == "spread":
                wrong += max(truth) / min(truth) > float(each["factor"])
            elif each["way"] == "stretch":
                first, last = each["places"]
                part = {"0.333": Fraction(1, 3), "0.500": Fraction(1, 2), "0.667": Fraction(2, 3)}[each["factor"]]
                wrong += Fraction(sum(truth[first : last + 1]), sum(truth)) <= part
            elif each["way"] == "share":
                wrong += not float(each["least"]) <= truth[0] / sum(truth) <= float(each["most"])
    assert wrong <= beyond(limit, 2000)
