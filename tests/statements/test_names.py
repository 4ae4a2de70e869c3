"""No two tables of a release have one name: it says in what they differ, in each language, wherever they are named."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from dprelease.charts.picture import specification
from dprelease.model.release import Release
from dprelease.statements.names import names
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import LANGUAGES, speaking
from tests.bundle.releases import COLUMNS, REGION, SEX, binned, make_release, table

AGES = table([binned("age", 0, 100, 5)], [900, 800, 700, 600, 500], 15)
REGIONS = table([REGION], [900, 800, 700, 600, 500], 15)
SEXES = table([SEX], [40.0, 50.0], 1.0)
ONE = table((), [4000], 30)
TITLED = {"a": {"title": {"en": "People"}}, "b": {"title": {"en": "people"}}}


def named(*asked: tuple[dict[str, Any], Any], code: str = "en", texts: dict[str, Any] | None = None) -> list[str]:
    certificate = make_release(asked, columns=COLUMNS).certificate
    plan = {**certificate.plan, "texts": {"languages": ["en"], "statistics": texts or {}}}
    with speaking(code):
        return list(names(structs.replace(certificate, plan=plan)).values())


def histogram(name: str, **more: Any) -> tuple[dict[str, Any], Any]:
    return {"id": name, "kind": "histogram", "column": "age", **more}, AGES


def test_bins_and_weights_tell_histograms_apart() -> None:
    two = histogram("a", bins=5), histogram("b", bins=1)
    assert named(*two) == ["Records by age (5 bins)", "Records by age (1 bin)"]
    assert named(*two, code="es") == ["Registros por age (5 tramos)", "Registros por age (1 tramo)"]
    assert named(histogram("a"), histogram("b", edges=[0, 18, 100]), histogram("c", survey_weights="income")) == [
        "Records by age (usual bins, not weighted)",
        "Records by age (bins at 0, 18, 100)",
        "Records by age (usual bins, weighted by income (EUR))",
    ]


def test_what_does_not_differ_is_not_told() -> None:
    """A third statistic of another name has its plain one."""
    assert named(
        ({"id": "a", "kind": "mean", "column": "income", "by": ["sex"], "method": "centred"}, SEXES),
        ({"id": "b", "kind": "mean", "column": "income", "by": ["sex"]}, SEXES),
        ({"id": "c", "kind": "mean", "column": "age", "by": ["sex"]}, SEXES),
    ) == [
        "Mean income by sex, EUR (method: centred)",
        "Mean income by sex, EUR (method: the usual one)",
        "Mean age by sex, years",
    ]


def test_options_without_words_of_their_own_are_told_by_name() -> None:
    top = {"kind": "top", "column": "region"}
    found = named(({"id": "a", **top, "k": 3}, REGIONS), ({"id": "b", **top}, REGIONS))
    assert found == ["Commonest values of region (k: 3)", "Commonest values of region (k: the usual one)"]


def test_titles_that_are_alike_are_told_apart_by_kind_columns_or_filter() -> None:
    count = {"id": "a", "kind": "count"}
    assert named((count, ONE), ({"id": "b", "kind": "count", "by": ["region"]}, REGIONS), texts=TITLED) == [
        "People (in all)",
        "people (by region)",
    ]
    assert named((count, ONE), ({"id": "b", "kind": "sum", "column": "age"}, ONE), texts=TITLED) == [
        "People (count)",
        "people (sum)",
    ]
    women, old = ([{"column": "sex", "equals": "F"}], [{"column": "age", "at_least": 65}])
    shares = ({"id": name, "kind": "proportion", "where": where} for name, where in (("a", women), ("b", old)))
    assert named(*((own, table((), [0.5], 0.01)) for own in shares), texts=TITLED) == [
        "People (sex is F)",
        "people (age at least 65)",
    ]


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_same_question_twice_has_two_names_everywhere(code: str) -> None:
    """By their ids, as the last thing left; also where a title is what another name would become."""
    titled = {"c": {"title": {"en": "Records (a)"}}}
    each = [({"id": name, "kind": "count"}, ONE) for name in ("a", "b", "c")]
    found = named(*each, code=code, texts=titled)
    assert len({name.casefold() for name in found}) == 3
    assert found[1].endswith(" (b)")
    release: Release = make_release(each, columns=COLUMNS)
    with speaking(code):
        titles = {StatisticLabel.of(release.certificate, name).name for name in ("a", "b", "c")}
        drawn = {specification(release, name).question for name in ("a", "b", "c")}
    assert len(titles) == 3
    assert drawn == titles
