"""The pages that a server computes whole: the figures of the documents, and programs that print the same numbers."""

from __future__ import annotations

import csv
import json
import re
from html import unescape
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dprelease.extras.lab import again, choices, graphs, pair, several
from dprelease.extras.lab.attacks import WAYS
from dprelease.extras.lab.broken import BROKEN
from dprelease.extras.lab.portal import above, lesson, pages
from dprelease.extras.lab.portal.lesson import LAB
from dprelease.extras.lab.portal.more import figure
from dprelease.extras.lab.portal.pages import LESSONS
from dprelease.extras.lab.two_tables import MECHANISMS
from dprelease.extras.lab.worlds import KINGS
from dprelease.portal.pages import Portal
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.site import ListedFolder
from dprelease.words.language import speaking
from dprelease.words.sentences import Words
from tests.extras.lab.figures import FIGURES
from tests.extras.lab.test_snippets import run

QUERIES: dict[str, tuple[dict[str, str], ...]] = {
    "events": (
        {},
        {"m": "gaussian", "eps": "0.05", "people": "3", "event": "le:100"},
        {"m": "exponential", "event": "is:1"},
        {"m": "laplace_real", "eps": "0.001"},
        {"m": "uniform", "draw": "yes"},
    ),
    "errors": ({}, {"eps": "0.1"}, {"eps": "10"}),
    "glossary": ({}, {"columns": "coarse"}),
    "beliefs": ({}, {"priors": "0.3 0.6", "epsilons": "0.001"}),
    "counts": ({}, {"centres": "0 0 0 0", "scales": "1 2 3 4", "answers": "6 5", "moves_by": "1 8"}),
    "answers": (
        {},
        {"k": "10000", "eps": "0.001", "family": "laplace"},
        {"family": "gauss", "parameters": "0.5 1 10", "delta": "1e-9"},
    ),
    "selection": (
        {},
        {"scores": "0 1", "others": "1 0", "eps": "0.1"},
        {"scores": "10 8 5 0", "others": "9 8 6 0", "eps": "2", "moves": "same"},
        {"scores": "1 1 1", "others": "1 2 0", "eps": "0.001", "delta_f": "2"},
    ),
    "above": ({}, {"eps": "0.1", "c": "1", "k": "1000", "beta": "0.01"}),
    "sites": (
        {},
        {"weights": "printed", "rounds": "4"},
        {"method": "gradient", "rounds": "4"},
        {"method": "proximal", "graph": "ring", "mu": "2", "weights": "laplacian", "alpha": "0.25", "rounds": "4"},
    ),
}
UI = Words("ui")
FOUND: dict[str, Any] = json.loads(Path(__file__).with_name("lessons.json").read_text())
"""Figures of another program, and what is printed."""
MAX_LINES = 35
LONGER = {"sites": 75, "errors": 70}
"""A method of sixty rounds on rows of its own takes more lines, and so do the names of all entries."""


@pytest.fixture
def portal(tmp_path: Path) -> Portal:
    return Portal(BundleIndex(ListedFolder(tmp_path, ())), served=True)


def read(portal: Portal, key: str, code: str = "en", **query: str) -> str:
    """The page as text, each run of blanks as one."""
    with speaking(code):
        page = lesson.render(portal, key, LESSONS[key](query))
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page.partition("<main")[2])))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("code", ["en", "es"])
@pytest.mark.parametrize("key", LESSONS)
def test_every_page_in_both_languages(key: str, code: str, portal: Portal) -> None:
    for query in QUERIES[key]:
        shown = read(portal, key, code, **query)
        with speaking(code):
            assert LAB[f"{key}_title"] in shown
            assert "usual values" not in shown
            assert "valores habituales" not in shown
        assert "nan" not in shown.lower().split()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("key", LESSONS)
def test_an_address_that_is_not_understood_gets_the_usual(key: str, portal: Portal) -> None:
    names = [each.name for each in LESSONS[key]({}).fields]
    usual = LESSONS[key]({})
    for bad in ("<script>", "1e99", "-1e9", "x" * 3000, "nan", ""):
        found = LESSONS[key]({**dict.fromkeys(names, bad), "other": "1"})
        assert set(found.vain) == {*names, "other"}
        assert found.link == {}
        assert found.csv == usual.csv
    assert "the usual values stand in its place" in read(portal, key, other="1")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("key", LESSONS)
def test_a_link_shows_the_same_again(key: str) -> None:
    for query in QUERIES[key]:
        found = LESSONS[key](query)
        again = LESSONS[key](found.link)
        assert (again.link, again.csv, again.answer) == (found.link, found.csv, found.answer)


def numbers(text: str) -> list[list[float | str]]:
    return [
        [float(each) if re.fullmatch(r"-?(?:[\d.]+(?:e[-+]?\d+)?|inf)", each) else each for each in row]
        for row in csv.reader(StringIO(text))
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("key", LESSONS)
def test_a_program_prints_the_numbers(key: str) -> None:
    found = [LESSONS[key](query) for query in QUERIES[key]]
    for one, printed in zip(found, run([each.program for each in found]), strict=True):
        assert len(one.program.splitlines()) <= LONGER.get(key, MAX_LINES)
        assert "dprelease" not in one.program
        assert max(map(len, one.program.splitlines())) <= 120 or "np.array(" in one.program
        wanted, printed_rows = numbers(one.csv), numbers(printed)
        assert len(wanted) == len(printed_rows)
        for row, own in zip(wanted, printed_rows, strict=True):
            texts, others = ([each for each in part if isinstance(each, str)] for part in (row, own))
            assert texts == others
            values, same = ([each for each in part if isinstance(each, float)] for part in (row, own))
            assert same == pytest.approx(values, rel=1e-6, abs=1e-9)


class TestBeliefsCountsAndAnswers:
    @pytest.mark.parametrize("row", FOUND["belief"], ids=lambda row: f"{row['p']}-{row['eps']}")
    def test_figure_1_1_to_the_printed_digit(self, row: dict[str, Any], portal: Portal) -> None:
        shown = read(portal, "beliefs", priors=f"{row['p']:g}", epsilons=f"{row['eps']:g}")
        least, most = row["printed"]
        assert f"{least:.4f} – {most:.4f}" in shown
        if "bayes_posterior" in row:
            assert " – ".join(f"{each:.4f}" for each in row["bayes_posterior"]) in shown

    def test_norms_and_two_counts(self, portal: Portal) -> None:
        shown = read(portal, "counts")
        assert "Of (2, 3, −4, 6): ‖v‖₁ = 15" in shown
        assert "by Δ = 2: Laplace noise of scale 2 on each has ε = 1" in shown
        assert (
            "(121, 10) with noise (−1, 0) is (120, 10). For (121, 10) with noise (−1, 0) the source prints (120, 19)"
            in shown
        )
        assert "Each Δ alone, all of ε 1 1 2.996 2.996 2" in shown
        for moves in ("1 1", "1 8", "5 2"):
            rows = dict(
                re.findall(
                    r"(Least sum of variances|Δ of both together) ([\d. ]+)", read(portal, "counts", moves_by=moves)
                )
            )
            first, second = (sum(float(each) ** 2 for each in found.split()[:2]) for found in rows.values())
            assert min(first, second) == float(
                sum(float(each) ** 2 for each in rows["Least sum of variances"].split()[:2])
            )
            one, other = map(float, moves.split())
            scales = [float(each) for each in rows["Least sum of variances"].split()[:2]]
            assert one / scales[0] + other / scales[1] == pytest.approx(1, rel=1e-3)

    def test_the_example_that_does_not_follow(self, portal: Portal) -> None:
        shown = read(portal, "answers")
        assert "The theorem gives 1.01435; it gives 1.0004 at 1/812 and 0.999148 at 1/813" in shown
        assert "exactly it is 0.8905" in shown
        own = read(portal, "answers", k="10000", eps="0.0012484394507", delta="1.2664165549e-14")
        assert "together ε = 0.89047" in own

    def test_every_theorem(self, portal: Portal) -> None:
        shown = read(portal, "answers")
        for row in (
            " 0.53617 1.7674 6.3082 27.14",
            "corollary 4.2.1 2.1026 6.649 21.026 66.49 –",
            " 0.099998 0.99937 4.7746 19.345",
        ):
            assert row in shown

    def test_table_5_1_to_the_printed_digit(self, portal: Portal) -> None:
        shown = read(portal, "answers")
        rows = {
            "response": "randomized response, p = 0",
            "laplace": "Laplace noise, λ = ",
            "gaussian": "Gaussian noise, σ = ",
        }
        for family, found in FIGURES["converted"].items():
            for parameter, numbers in found.items():
                name = f"{rows[family]}{parameter.rstrip('0') if family == 'response' else parameter}"
                told_of = next(part for part in shown.split(name)[1:] if not part.lstrip().startswith(("|", "1/", "∞")))
                cells = told_of.split()
                for place, number in enumerate(numbers):
                    assert float(cells[3 * (place // 2) + place % 2]) == pytest.approx(number, abs=2e-3), (name, place)

    def test_groups_as_printed_and_as_they_are(self, portal: Portal) -> None:
        shown = read(portal, "answers")
        assert " 2 0.2 0.0000021052 0.0000022103 " in shown
        assert " 10 1 0.000016338 0.000024596 " in shown
        assert "makes (8, 0.1) into (2, 0.9)" in shown
        assert " 2 4 2 2 6 4 " in shown
        assert "which is 0.3679 at λ = 1" in shown


class TestEvents:
    def test_the_worst_event_and_any_other(self, portal: Portal) -> None:
        assert "0.7311" in read(portal, "events")
        other = read(portal, "events", event="le:105")
        found = pair.integer_laplace(1.0, 108, 107)
        chance = sum(p for value, p in zip(found.values, found.p.tolist(), strict=True) if value <= 105)
        assert figure(chance) in other
        assert "the usual values stand in its place" in read(portal, "events", event="is:105")

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("mechanism", MECHANISMS)
    @pytest.mark.parametrize("epsilon", ["0.001", "10"])
    def test_each_mechanism_at_both_ends(self, mechanism: str, epsilon: str, portal: Portal) -> None:
        shown = read(portal, "events", m=mechanism, eps=epsilon)
        assert UI[f"mech_{mechanism}"] in shown
        assert UI["mech_curves"] in shown or mechanism == "uniform"

    def test_the_real_noise_proves_no_more_than_it_promises(self, portal: Portal) -> None:
        """At ε = 8 whoever draws 10,000 times sees both sides apart, and never as far as the bound."""
        shown = read(portal, "events", m="laplace", eps="8", draw="yes")
        assert UI["mech_audit"] in shown
        assert "10 000 times" in shown or "10 000" in shown
        assert UI.say("mech_audit_what", draws="10\u202f000", here="108", there="107").replace("\u202f", " ") in shown


class TestErrorsAndGlossary:
    def test_every_entry_with_its_real_epsilon_at_any_claim(self, portal: Portal) -> None:
        for epsilon in (1.0, 0.1):
            shown = read(portal, "errors", eps=f"{epsilon:g}")
            for entry in BROKEN:
                assert f"{UI[f'broken_{entry.key}']} {UI[f'broken_{entry.key}_proof']}" in shown
        for name, found in (
            ("neighbours", "∞ ∞ 1"),
            ("median", "2 2 1"),
            ("class_mean", "11.5 ∞ 1"),
            ("rounds", "62.24 1"),
        ):
            told_of = read(portal, "errors").partition(UI[f"broken_{name}_proof"])[2][:20]
            assert found in told_of, name
        assert "12.206 = ln(10000/0.05); ln(10000/0.5) = 9.90" in shown
        assert "1/813; 1/801: 1.01435" in shown
        assert "12,206" in read(portal, "errors", "es")

    def test_a_linkage_on_invented_rows(self, portal: Portal) -> None:
        shown = read(portal, "glossary")
        assert "it is known of 6 of 8 people what was found" in shown
        assert "Ernesto 1962 08024 M migraine" in shown
        assert "Carla 1951 08015 F asthma, diabetes" in shown
        assert "it is known of 2 of 8 people" in read(portal, "glossary", columns="coarse")
        assert "f = 0.5 2.1972 4.3944 f = 0.75 1.0217 2.0433" in shown
        for name in ("RAPPOR", "Dalenius", "k-anonymity", "Netflix", "Lithuanian"):
            assert name in shown


class TestSelection:
    def test_the_example_of_two_candidates(self, portal: Portal) -> None:
        shown = read(portal, "selection")
        assert "ε = 0.1, c = 1, any way 1.9025 0.4875 0.47561 0.48751" in shown
        assert "ε = 0.1, c = 1, all the same way 1.8097 0.47502 0.45242 0.47504" in shown
        assert "ε = 0.5, c = 10, any way 0.16417 0.075858 0.041042" in shown

    def test_the_auction_has_the_right_best_price(self, portal: Portal) -> None:
        shown = read(portal, "selection")
        for row in ("1 4 0.2545", "2 2 0.1827", "3 3 0.2156", "3.01 3.01 0.216", "3.02 0 0.1312"):
            assert f" {row} " in shown

    def test_the_ways_that_hold_do_and_the_others_lose_twice_as_much(self) -> None:
        for epsilon in (0.5, 1.0, 3.0):
            for way in choices.HOLD:
                for monotone in (True, False):
                    assert choices.worst(way, epsilon, 3, monotone=monotone) <= epsilon + 1e-9
            for way in choices.BROKEN_WAYS:
                assert 1.6 * epsilon < choices.worst(way, epsilon, 2, monotone=False) <= 2 * epsilon + 1e-9

    @pytest.mark.parametrize("row", FOUND["exponential"], ids=str)
    def test_chances_found_by_another_program(self, row: dict[str, Any]) -> None:
        rate = row["eps"] / (1 if row["monotone"] else 2)
        for way, name in zip(
            choices.HOLD, ("exponential", "permute_and_flip", "report_noisy_max_laplace"), strict=True
        ):
            assert choices.chances(way, row["scores"], rate) == pytest.approx(row[name], abs=1e-9)


class TestAbove:
    def test_accuracy_statements_to_the_printed_digit(self, portal: Portal) -> None:
        shown = read(portal, "above")
        for row in ("(5.1.4) 47.9317 –", "(5.1.6) 304.036 1 429.45", "(5.1.9) 373.232 1 669.1", "(5.5) 5.14166 –"):
            assert row in shown
        other = read(portal, "above", k="1000", beta="0.01", eps="0.1")
        for row in ("(5.1.4) 976.486", "(5.1.6) 5 526.2 25 981.9", "(5.1.9) 6 528.9 29 197.3", "(5.5) 115.019"):
            assert row in other
        assert "9.32 times as near" in shown
        assert "at most c, or the technique ends" in shown

    def test_what_holds_beside_what_is_printed(self, portal: Portal) -> None:
        shown = read(portal, "above")
        for row in (
            "As it holds 2 20 1 1",
            "threshold renewed 10 20 1 1",
            "ignores c 4 1.333 7.75 7.75",
            "needed 4 6.667 1.75 1.75",
        ):
            assert row in shown
        assert "No noise on questions 2 0 ∞ ∞" in shown
        assert "Noise for one direction, questions of any 2 10 1.5 1.5" in shown

    def test_a_threshold_allows_no_more_than_delta(self) -> None:
        for epsilon, delta in product((0.001, 0.1, 1.0, 5.0), (1e-12, 1e-6, 0.05)):
            least = above.threshold(epsilon, delta)
            assert above.above_threshold(epsilon, 1, least) <= delta * (1 + 1e-9)
            assert least == 2 or above.above_threshold(epsilon, 1, least - 1) > delta
        noise = pair.integer_laplace(1.0, 4, 3)
        chance = sum(p for value, p in zip(noise.values, noise.p.tolist(), strict=True) if value >= 6)
        assert above.above_threshold(1.0, 4, 6) == pytest.approx(chance)


class TestSeveralSites:
    def test_the_printed_matrix_is_shown_for_what_it_is(self, portal: Portal) -> None:
        shown = read(portal, "sites", weights="printed")
        assert "largest eigenvalue is 1.02309" in shown
        assert "row 3 adds up to 4/3 and row 5 to 2/3" in shown
        assert "Site 3 0.3333 0.3333 0.3333 0 0.3333 0 0 1.333" in shown
        assert "Site 5 0 0 0 0.3333 0.3333 0 0 0.6667" in shown
        assert "leaves 0.78367 of a difference" in shown

    @pytest.mark.full
    def test_what_each_matrix_leaves_of_a_difference(self, portal: Portal) -> None:
        assert "each round 0.83363 of a difference" in read(portal, "sites")
        assert "each round 0.78367 of a difference" in read(portal, "sites", weights="laplacian")
        assert "each round 0.99351 of a difference" in read(portal, "sites", weights="laplacian", alpha="0.01")
        assert "Site 5" in read(portal, "sites", graph="ring", weights="laplacian", alpha="0.25")

    def test_the_real_epsilon_beside_the_claimed_one(self, portal: Portal) -> None:
        shown = read(portal, "sites", rounds="20")
        for claimed, real in (("0.5", "11.48"), ("1", "28.37"), ("5", "344.5")):
            assert f" {claimed} {real} " in shown
        assert "really ε = 62.2" in read(portal, "sites")

    def test_tables_4_2_and_4_3_have_the_printed_digits(self, portal: Portal) -> None:
        shown = read(portal, "sites")
        assert re.search(r"10 0\.3872 0\.3766 1,?\W?\d+(\.\d)? 0\.387 ", shown), "μ = 10: 0.387"
        assert min(round(printed, 3) for _, printed, _ in several.BY_STEP) == 0.379
        assert re.search(r"0\.25 0\.8377 0\.3786 0\.3769 0\.379 ", shown)
        assert (len(several.BY_NEAR), len(several.BY_STEP)) == (13, 11)

    @pytest.mark.parametrize("row", [several.BY_STEP[0]])
    def test_a_row_of_each_table_is_what_it_says(self, row: tuple[float, ...]) -> None:
        assert several.near_row(10.0)[:2] == pytest.approx((0.3872, 0.3766), abs=5.1e-5)
        assert several.step_row(row[0]) == pytest.approx(row[1:], abs=5.1e-5)

    @pytest.mark.full
    def test_every_row_of_each_table_is_what_it_says(self) -> None:
        for near, *errors in several.BY_NEAR:
            assert several.near_row(near) == pytest.approx(errors, rel=1.4e-4)
        for step, *errors in several.BY_STEP:
            assert several.step_row(step) == pytest.approx(errors, rel=1.4e-4)
        assert graphs.last_step(graphs.SEVEN) < several.BY_STEP[-1][0]


def attack(portal: Portal, key: str, code: str = "en", **query: str) -> str:
    """The page of an attack as text."""
    with speaking(code):
        page = pages.page(portal, key, query)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page.partition("<main")[2].partition("<script")[0])))


class TestAttacks:
    def test_the_tracker_finds_what_its_two_totals_hide(self, portal: Portal) -> None:
        shown = attack(portal, "tracker")
        assert "3 200 − 2 900 = 300. Sigerico has a salary of 300." in shown
        assert "Sum of salaries of Kings Answer all kings 10 3 200 all but this one 9 2 900" in shown
        for king in KINGS[::4]:
            for way in WAYS:
                assert f"= {king.salary}. {king.name} has a salary of {king.salary}." in attack(
                    portal, "tracker", world=king.key, n=way
                )
        refused = attack(portal, "tracker", defence="between-3")
        assert "the salary of Sigerico stays unknown by this way" in refused
        noisy = attack(portal, "tracker", defence="private", eps="1")
        assert "= 300. " not in noisy
        assert "One draw, ε = 1 for all 2 sums together" in noisy

    def test_with_noise_the_tracker_needs_thousands_of_tries(self, portal: Portal) -> None:
        shown = attack(portal, "tracker")
        many = again.first(lambda tries: again.salary_told(1.0, tries))
        assert again.salary_told(1.0, many - 1) < 0.95 <= again.salary_told(1.0, many)
        assert f"{many // 1000} {many % 1000:03} 95 % {2 * many // 1000} {2 * many % 1000:03}" in shown
        assert "1 11.4 % 2 " in shown
        assert "nobody names the salary more than 21.4 % of the time" in shown

    def test_asking_again_with_an_epsilon_for_each_answer(self, portal: Portal) -> None:
        shown = attack(portal, "repeat")
        for row in ("1 66.2 % 64.2 % 0.67 66.2 %", "5 78.2 % 71.5 %", "10 84.7 % 78 %", "25 95.3 %", "49 99 % 95.1 %"):
            assert f" {row} " in shown
        assert "49 99 % 95.1 % 32.83 51.9 %" in shown
        assert "all answers together may cost ε = 2, 2 answers at 0.67 are given and the next is refused" in shown
        for row in ("1 5 0 %", "2 3.4 8 %", "5 1.832 42.2 %", "10 1.2271 79.1 %", "20 1.0231 97.7 %"):
            assert f" {row} " in shown
        each = attack(portal, "repeat", world="eve", defence="each", eps="0.67", n="25")
        assert "This attack wins 95.3 %. Each of 25 answers costs ε = 0.67, so all of them cost 16.75" in each
        assert "Left: " in shown

    def test_the_best_attack_on_small_cells_is_shown_as_the_best(self, portal: Portal) -> None:
        shown = attack(portal, "cells", defence="private", eps="1")
        assert "This attack wins 59.7 %. With ε = 1 nobody can win more than 59.7 %" in shown

    def test_a_table_of_counts_has_the_heading_of_counts(self, portal: Portal) -> None:
        for code, wrong in (("en", "Sum of salaries"), ("es", "Suma de sueldos")):
            assert wrong not in attack(portal, "difference", code)
        assert "Adults among all ten 6 Adults among all but Sigerico 6 Difference 0" in attack(portal, "difference")

    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("key", pages.PAGES)
    @pytest.mark.parametrize("code", ["en", "es"])
    def test_each_attack_shows_one_draw_and_why(self, key: str, code: str, portal: Portal) -> None:
        name = pages.NAMES.get(key, key)
        for defence in ("exact", "private"):
            shown = attack(portal, key, code, defence=defence)
            with speaking(code):
                assert UI[f"attacks_why_{name}"] in shown

    @pytest.mark.parametrize(("sums", "below", "chance"), [(10, 5, 0.764327), (30, 15, 0.955029), (100, 50, 0.999717)])
    def test_a_sum_of_noise_is_within(self, sums: int, below: float, chance: float) -> None:
        assert again.within(1.0, sums, below) == pytest.approx(chance, abs=5e-7)

    def test_how_many_answers_a_mean_needs(self) -> None:
        for epsilon, copies in ((0.5, 121), (1.0, 29), (2.0, 7)):
            assert again.first(lambda many, rate=epsilon: again.within(rate, many, many / 2)) == copies


def test_every_word_of_the_lab_is_said() -> None:
    """By its key, or by a key with a place in it, of which it is one."""
    folder = Path(lesson.__file__).parents[1]
    sources = "\n".join(path.read_text() for path in folder.rglob("*") if path.suffix in (".py", ".j2"))
    named = set(re.findall(r'"(\w+)"', sources))
    made = [
        re.compile(re.sub(r"\\{.*?\\}", r"\\w+", re.escape(each))) for each in re.findall(r'f"([\w{}.\[\]]+)"', sources)
    ]
    made = [each for each in made if each.pattern.strip("\\w+_")]
    assert [key for key in LAB if key not in named and not any(each.fullmatch(key) for each in made)] == []
