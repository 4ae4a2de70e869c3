"""Bundles and sites are the same bytes whoever publishes; on the dashboard a release is read in Spanish."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dprelease.bundle import guarantee
from dprelease.bundle.signing import SigningKey
from dprelease.charts.theme import locale
from dprelease.model.release import Release
from dprelease.model.stated import Caveat
from dprelease.portal.site import write_site
from dprelease.statements.display import THIN, exact, factor, margin, shown
from dprelease.statements.number import said
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import speaking
from dprelease.words.pages import WORDS
from tests.bundle.releases import files, snapshot, svg

PORTAL = Path(__file__).parents[2] / "dprelease" / "portal"


@pytest.mark.full
def test_a_bundle_is_the_same_whoever_publishes(
    release: Release, key: SigningKey, written: Path, tmp_path: Path
) -> None:
    with speaking("es"):
        spanish = files(release, key)
        write_site([written], tmp_path / "spanish")
    write_site([written], tmp_path / "english")
    assert spanish == files(release, key)
    assert snapshot(tmp_path / "spanish") == snapshot(tmp_path / "english")


@pytest.mark.parametrize(
    ("number", "english", "spanish"),
    [
        (1234567, "1 234 567", "1 234 567"),
        (0.25, "0.25", "0,25"),
        (-1234.5, "−1 234.5", "−1 234,5"),
        (1.5e-9, "1.5e−9", "1,5e−9"),
    ],
)
def test_numbers_are_written_as_the_language_does(number: float, english: str, spanish: str) -> None:
    assert shown(number) == english.replace(" ", THIN)
    with speaking("es"):
        assert shown(number) == spanish.replace(" ", THIN)


def test_declared_and_computed_numbers_have_a_comma() -> None:
    with speaking("es"):
        assert (exact(0.5), margin(0.123), factor(0.5), factor(20)) == ("0,5", "0,13", "1,65", "4,86 × 10⁸")


def test_questions_guarantee_and_answers_are_spanish(release: Release) -> None:
    with speaking("es"):
        asked = StatisticLabel.of(release.certificate, "mean_income")
        assert asked.text == "¿Cuál es la media de income (EUR)?"
        assert said(asked, 41283.47, 40671.2, 41895.7) == tuple(
            text.replace(" ", THIN) for text in ("41 300", "40 600", "41 900")
        )
        assert "tablas vecinas" in guarantee.whole(release.certificate)
        assert "veces tan probable" in guarantee.promise(release.certificate)[0]


def test_a_chart_is_spanish_to_its_axes(release: Release) -> None:
    english = svg(release, "mean_income").decode()
    with speaking("es"):
        spanish = svg(release, "region_sex").decode()
    assert "Registros por" in spanish
    assert "Intervalos: del 95 %, solo del ruido" in spanish
    assert "noise only" in english
    assert "noise only" not in spanish


@pytest.mark.parametrize(("code", "month", "day"), [("es", "enero", "domingo"), ("ca", "gener", "diumenge")])
def test_axes_name_days_and_months_in_any_language(code: str, month: str, day: str) -> None:
    with speaking(code):
        named = locale()["time"]
    assert (named["months"][0], named["days"][0]) == (month, day)
    assert [len(named[part]) for part in ("months", "shortMonths", "days", "shortDays")] == [12, 12, 7, 7]
    assert "time" not in locale()


def test_the_words_of_the_portal_are_all_used() -> None:
    rooms = [PORTAL, *PORTAL.parent.glob("extras/*/portal"), *PORTAL.parent.glob("bundle/**/")]
    text = "".join(path.read_text() for room in rooms for path in (*room.glob("*.py"), *room.glob("templates/*")))
    named = "model_adds_(odds_)?from_lower|consistent|nonnegative|integer|add_remove|substitute"
    states = "calendar_(cancelled|confirmed|out|postponed|provisional)|series_(irregular|monthly|quarterly|yearly)|own_"
    by_name = re.compile(
        f"act_|picture_|answer_|cannot_|embed_grade_|head_|short_|way_|compare_(first|second)|{named}|{states}"
    )
    script = (PORTAL / "templates/model.js").read_text()
    by_script = {key for key in WORDS if re.search(f'"{key.removeprefix("model_")}"', script)}
    named = {key for key in WORDS if re.search(f"[\"'`](portal\\.)?{key}[\"'`]", text) or by_name.match(key)}
    unused = {*WORDS} - named - by_script
    assert unused == set()


def test_caveats_are_read_in_the_language_that_is_spoken() -> None:
    """They are stated without words; what this version has none for is named by its code."""
    group = Caveat.of("group_delta", units=10, epsilon=2.5, delta=1e-5)
    assert guarantee.caveat(group).endswith("10 units with ε = 2.5, δ = 0.00001.")
    with speaking("es"):
        assert guarantee.caveat(group).endswith("10 unidades, con ε = 2,5, δ = 0,00001.")
        assert guarantee.caveat(Caveat.of("of_tomorrow", day="8 May")) == "of_tomorrow: 8 May"
