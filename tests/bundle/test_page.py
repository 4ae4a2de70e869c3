"""index.html: the guarantee whole, every number of the tables, and nothing from the data but text."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import pytest

from dprelease.bundle.page.cards import FIRST_ROWS
from dprelease.bundle.signing import SigningKey
from dprelease.mechanisms import MECHANISMS
from dprelease.model.privacy import Currency
from dprelease.model.release import Cell, Release
from dprelease.model.stated import Basis, as_json
from dprelease.model.statistic import KINDS
from dprelease.statements.phrases import USUAL_PER
from dprelease.statements.question import StatisticLabel
from dprelease.statistics.algebra.grouping import RESERVED
from dprelease.statistics.kinds.threshold import STATES
from dprelease.words.releases import WORDS
from tests.bundle.releases import COLUMNS, HOSTILE, REGION, binned, changed, files, listed, make_release, table

HOUSE = Path(__file__).parents[2] / "dprelease"
CAVEATS = ("verdict/certificate.py", "statistics/remarks.py")
"""Files that state what a guarantee does not cover."""
WHOLE = "ε = 1, δ = 0 per person"
SPENT = "Up to this release, the population has spent ε = 1.5, δ = 0 in 2 releases, this one included."


class Page(HTMLParser):
    """What a browser would see: tags with attributes, and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.pieces: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("bdi", "a", "code", "data"):
            self.pieces.append(" ")

    @property
    def text(self) -> str:
        """With one plain space for each run of spaces of any kind."""
        return " ".join("".join(self.pieces).split())

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] or "" for _, attributes in self.tags if attribute in attributes]


def page_of(release: Release, key: SigningKey) -> Page:
    return Page(files(release, key)["index.html"].decode())


@pytest.fixture(scope="module")
def page(written: Path) -> Page:
    return Page((written / "index.html").read_text())


def with_guarantee(release: Release, **changes: Any) -> Release:
    return changed(release, guarantee={**as_json(release.certificate.guarantee), **changes})


def small(**changes: Any) -> Release:
    return make_release([({"id": "n", "kind": "count"}, table((), [11873], 105))], columns=COLUMNS, **changes)


def test_the_guarantee_is_said_in_plain_words_first_and_then_exactly(page: Page) -> None:
    promise = (
        "Whether or not any one person's records were used, every result here would have been almost equally likely: "
        "with those records no outcome is more than 2.72 times as likely as without them"
    )
    assert promise in page.text
    exactly = [
        "All records with the same identifier are one person; at most 5 records of each are used.",
        "One table has a person that the other lacks (add/remove, unbounded).",
        "Exchanging the records of one person for others: at most ε = 2.",
        "patients-2025. Its cap: ε = 3, δ = 0",
        "age at least 18",
        "12, " + "ab" * 32,
        "Discrete Laplace noise 35 5 (L1) 0.142857142 0 20 ± 110",
        "Permute-and-flip choice 40 5 (L∞) 0.142857142",
        "It hides whether one person is in the data at all.",
    ]
    places = [page.text.index(words) for words in exactly]
    assert page.text.index(promise) < min(places)


def test_epsilon_never_stands_without_unit_relation_delta_and_what_was_spent(written: Path, page: Page) -> None:
    html = (written / "index.html").read_text()
    for place in re.finditer("ε", page.text):
        before = page.text[: place.start()]
        assert WHOLE in before or page.text[place.start() :].startswith(WHOLE)
    first = page.text.index(WHOLE)
    after = page.text[first : first + 300]
    for words in ("add or remove one person", "at most 5 records used of each person", SPENT):
        assert words in after
    assert html.count("<script") == html.count('<script type="application/ld+json">') == 1


def test_a_release_under_substitute_promises_about_exchanges(key: SigningKey) -> None:
    text = page_of(small(neighbors="substitute"), key).text
    assert "Whatever any one person's records had said, every result here would have been almost equally likely" in text
    assert "exchange one person" in text
    assert "Exchanging the records" not in text


def test_a_large_epsilon_is_not_called_almost_equally_likely(key: SigningKey) -> None:
    text = page_of(with_guarantee(small(), epsilon=12, delta=0), key).text
    assert "almost equally likely" not in text
    assert "no outcome is more than 163 000 times as likely" in text
    assert "A factor this large promises little." in text


@pytest.mark.parametrize("epsilon", [1, 12])
def test_with_a_delta_it_is_probabilities_that_are_bounded(epsilon: float, key: SigningKey) -> None:
    """Not "ε but for a probability of δ": of discrete Gaussian noise the loss exceeds ε with several times δ."""
    text = page_of(with_guarantee(small(), epsilon=epsilon, delta=0.000001), key).text
    assert "plus 0.000001 (δ), and the other way round" in text
    assert "no outcome is more than" not in text
    assert "up to a probability" not in text


def test_each_statistic_has_its_question_chart_and_table(page: Page, release: Release, written: Path) -> None:
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    shown = {each["data-chart"] for each in images} - {""}
    assert shown == {"ages", "income_by_region"}, "others are a number, a grid, or too noisy to quote"
    for statistic in release.tables:
        question = StatisticLabel.of(release.certificate, statistic)
        assert question.text in page.text or question.name in page.text
    for image in (each for each in images if each["data-chart"]):
        assert StatisticLabel.of(release.certificate, str(image["data-chart"])).name in str(image["alt"])
        scheme, _, data = str(image["src"]).partition("base64,")
        assert scheme == "data:image/svg+xml;"
        assert b64decode(data).startswith(b"<svg ")
    assert "north 44 100 42 200 – 46 000" in page.text
    assert "0 to 4 460 350 – 570" in page.text
    assert "not sampling, clipping or row-cutting" in page.text


def test_a_table_of_one_cell_shows_its_number_and_not_its_key(key: SigningKey) -> None:
    asked = {"id": "ages", "kind": "histogram", "column": "age", "bins": 1}
    one = make_release([(asked, table([binned("age", 0, 100, 1)], [5000], 20))], columns=COLUMNS)
    html = files(one, key)["index.html"].decode()
    found = re.search(r'<p class="one"><bdi>([^<]*)</bdi> <small><bdi>([^<]*)', html)
    assert found
    assert [each.replace("\N{NARROW NO-BREAK SPACE}", " ") for each in found.groups()] == ["5 000", "4 980 – 5 020"]


def test_links_lead_to_files_of_the_bundle(page: Page, written: Path) -> None:
    anchors = set(page.values("id"))
    links = page.values("href")
    assert {link for link in links if link.startswith("#")} <= {f"#{anchor}" for anchor in anchors}
    paths = {link for link in links if not link.startswith("#")}
    assert all((written / path).is_file() for path in paths)
    assert {path.relative_to(written).as_posix() for path in written.rglob("*") if path.is_file()} == paths | {
        "index.html"
    }
    assert len(anchors) == len(page.values("id"))


def test_the_command_names_the_release_and_the_key(page: Page, release: Release, key: SigningKey) -> None:
    assert f"dprelease verify {release.id} --key {key.fingerprint}" in page.text


def test_the_page_is_small_and_asks_for_nothing(page: Page, written: Path) -> None:
    html = (written / "index.html").read_text()
    assert len(html.encode()) < 140_000
    assert {tag for tag, _ in page.tags}.isdisjoint({"link", "iframe", "object", "form", "base"})
    assert [attributes for tag, attributes in page.tags if tag == "script"] == [{"type": "application/ld+json"}]
    assert not [url for url in page.values("src") if not url.startswith("data:")]
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html


def test_a_long_table_shows_its_first_rows_and_links_to_all(key: SigningKey) -> None:
    values: list[Cell] = list(range(1000))
    asked = {"id": "codes", "kind": "histogram", "column": "age"}
    page = page_of(make_release([(asked, table([listed("age", *range(1000))], values, 2))], columns=COLUMNS), key)
    assert f"The first {FIRST_ROWS} of 1 000 rows; the files have all." in page.text
    assert sum(tag == "tr" for tag, _ in page.tags) == FIRST_ROWS + 1 + 2
    assert "tables/codes.csv" in page.values("href")


def test_a_release_that_supersedes_another_says_so_on_top(key: SigningKey) -> None:
    text = page_of(changed(small(), supersedes="older-release"), key).text
    assert text.index("supersedes older-release") < text.index("No number here depends")


@pytest.fixture(scope="module")
def hostile_page(hostile_written: Path) -> Page:
    return Page((hostile_written / "index.html").read_text())


def test_hostile_text_adds_no_tag_and_no_attribute(hostile_page: Page, page: Page) -> None:
    assert {tag for tag, _ in hostile_page.tags} <= {tag for tag, _ in page.tags}
    names = {name for _, attributes in page.tags for name in attributes}
    assert {name for _, attributes in hostile_page.tags for name in attributes} <= names
    for attribute in ("href", "src", "id", "class", "style"):
        for value in hostile_page.values(attribute):
            assert re.fullmatch(r"[A-Za-z0-9#_./ -]+|data:image/svg\+xml;base64,[A-Za-z0-9+/=]+", value)


def test_hostile_text_is_shown_whole_and_cannot_turn_its_surroundings(
    hostile_page: Page, hostile_written: Path
) -> None:
    for text in HOSTILE[:2]:
        assert text in hostile_page.text
    assert "<script>alert('title')</script>" in hostile_page.text
    html = (hostile_written / "index.html").read_text()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]", html)
    assert "<bdi>שלום</bdi>" in html
    assert "\N{REPLACEMENT CHARACTER}gnp.exe" in html


def fields_of(path: Path) -> Iterator[str]:
    yield from re.findall(r'"(?:bundle\.|portal\.)?([a-z_0-9]+)"', path.read_text())


def test_every_word_is_used() -> None:
    """Kinds of statistics, headings, mechanisms and relations are found by name."""
    used = {
        field
        for path in (
            *(HOUSE / "bundle").rglob("*.py"),
            *(HOUSE / "charts").glob("*.py"),
            *(HOUSE / "portal").glob("*.py"),
            *(HOUSE / "statements").glob("*.py"),
            HOUSE / "workspace" / "audit.py",
            HOUSE / "model" / "encoding.py",
            HOUSE / "words" / "releases.py",
        )
        for field in fields_of(path)
    }
    kinds = (
        "audit_|where_|criterion_|error_|spent_by_|field_|head_|answer_|ask_|mechanism_|composition_|caveat_|workbook_"
    )
    further = (
        "grade_[A-Z]|value_[A-Z]|legend_|level_|weekday_|month_of_year_|derived_(index|change|change_lag)_question"
        "|other_(population|unit|where)"
    )
    models = "model_(what|use|rows|noise|not|function|intervals|joint)_"
    named = f"{kinds}|{further}|{models}|(wide_)?promise_|adversary_|(add_remove|substitute)"
    by_name = {key for key in WORDS if re.match(named, key) or key.endswith("_measure")}
    assert set(WORDS) - used - by_name == set()


def test_every_kind_mechanism_basis_and_column_has_words() -> None:
    wanted = {f"ask_{kind}" for kind in KINDS}
    wanted |= {f"ask_{kind}_by" for kind, statistic in KINDS.items() if "by" in statistic.options()}
    wanted |= {f"mechanism_{mechanism.name}" for mechanism in MECHANISMS}
    wanted |= {f"error_{basis}" for basis in get_args(Basis)} | {
        f"composition_{currency.value}" for currency in Currency
    }
    wanted |= {f"{start}_{name}" for start in ("head", "field") for name in set(RESERVED) - {"value"}}
    wanted |= {f"answer_{state}".replace(" ", "_") for state in STATES.values()}
    stated = "".join((HOUSE / path).read_text() for path in CAVEATS)
    wanted |= {f"caveat_{code}" for code in re.findall(r'Caveat\.of\(\s*"([a-z_]+)"', stated)}
    assert wanted - WORDS.keys() == set()
    assert KINDS["rate"].__dataclass_fields__["per"].default == USUAL_PER


def test_a_question_names_columns_and_their_units(release: Release) -> None:
    texts = [StatisticLabel.of(release.certificate, statistic).text for statistic in release.tables]
    assert texts == [
        "How many records are there?",
        "How are the records spread over age (years)?",
        "What is the mean of income (EUR)?",
        "What is the total of income (EUR)?",
        "Below which income (EUR) do given shares of the records lie?",
        "How many records are there, by region and sex?",
        "What is the mean of income (EUR), by region?",
    ]
    unknown = make_release(
        [({"id": "top", "kind": "top_k", "column": "income", "by": ["region"]}, table([REGION], [1, 2, 3, 4, 5], 1))],
        columns=COLUMNS,
    )
    assert StatisticLabel.of(unknown.certificate, "top").text == "Top k of income (EUR), by region"
