"""The documents say what the program has: every statistic, mechanism, key and link, and examples that work.

Every check here is also shown a violation, so that a check which can no longer fail is noticed.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import dprelease
from dprelease.cli import INTERRUPTED
from dprelease.errors import InputError, InternalError
from dprelease.mechanisms import MECHANISMS
from dprelease.model.column import COLUMN_KEYS
from dprelease.model.condition import BOUNDS, LISTS
from dprelease.model.features import FORMAT
from dprelease.model.options import Choice
from dprelease.model.plan import PLAN_KEYS, STEPS, WEIGHTS, Expected
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyUnit
from dprelease.model.statistic import COMMON_KEYS, TargetError
from dprelease.statistics import STATISTICS, Plan
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.planning.price import price
from dprelease.words import texts

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
CHAPTERS = [name for name in PAGES if name.startswith("docs/privacy/")]
DOCUMENTS = ("README.md", "docs/plan.md", "docs/verify.md", "docs/new-statistic.md", *CHAPTERS)
LINKING = ("README.md", *PAGES, "CONTRIBUTING.md", "SECURITY.md")
MAX_BYTES = {"docs/design.md": 30_000}
"""Of a page; of all others 40,000, but for the table that the audit writes."""
PRIVACY_KEYS = ("unit", "neighbors", "epsilon", "delta")

KINDS = [statistic.kind for statistic in STATISTICS]
NAMES = [mechanism.name for mechanism in MECHANISMS]
KEYS = sorted(
    {*PLAN_KEYS, *PRIVACY_KEYS, *COLUMN_KEYS, *COMMON_KEYS, *BOUNDS, *LISTS, "questions", "label"}
    | {field.name for value in (PrivacyUnit, Expected, TargetError) for field in dataclasses.fields(value)}
    | {key for statistic in STATISTICS for key in statistic.options()}
)
"""Every key that may stand in a plan file."""
WORDS = sorted(
    {
        *STEPS,
        *WEIGHTS,
        "auto",
        *(relation.value for relation in NeighboringRelation),
        *(item.value for item in Currency),
    }
    | {
        word
        for statistic in STATISTICS
        for reader in statistic.options().values()
        if isinstance(reader, Choice)
        for word in reader.words
    }
)
"""Every word that a key of a plan may have as its value."""
REFUSED = sorted(
    {
        word
        for statistic in STATISTICS
        for reader in statistic.options().values()
        if isinstance(reader, Choice)
        for word, _ in reader.refused
    }
)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def chapters() -> str:
    """All chapters of the privacy document."""
    return "\n".join(map(read, CHAPTERS))


def entries(text: str) -> set[str]:
    """What has a heading or a table row of its own: the words in code marks in headings and in first cells."""
    found: set[str] = set()
    for line in text.splitlines():
        if line.startswith("#"):
            found |= set(re.findall(r"`([^`]+)`", line))
        elif line.startswith("|"):
            found |= set(re.findall(r"`([^`]+)`", line.split("|")[1]))
    return found


def code(text: str) -> str:
    """What a document shows as code: fenced blocks without their comments, and words in code marks."""
    blocks = re.findall(r"^```.*?$(.*?)^```", text, re.MULTILINE | re.DOTALL)
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return "\n".join([*(re.sub(r"(^|\s)#.*", "", block) for block in blocks), *re.findall(r"`([^`]+)`", outside)])


def missing(words: Iterable[str], text: str) -> list[str]:
    """Those that do not occur in a document's code as whole words."""
    shown = code(text)
    return [word for word in words if word not in shown or not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", shown)]


def plans(text: str) -> list[str]:
    """The fenced YAML blocks."""
    return re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def broken_links(name: str, text: str) -> Iterator[str]:
    """The links to files of this project that are not there."""
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target and not ((ROOT / name).parent / target).exists():
            yield target


@pytest.mark.parametrize("kind", KINDS)
def test_each_statistic_has_an_entry_in_the_privacy_document(kind: str) -> None:
    assert kind in entries(chapters())


@pytest.mark.parametrize("name", NAMES)
def test_each_mechanism_has_an_entry_in_the_privacy_document(name: str) -> None:
    assert name in entries(chapters())


def test_what_is_only_mentioned_has_no_entry() -> None:
    told = "## Of `heading`\n`sentence` is mentioned\n| `row`, `other` | `cell` |\n"
    assert entries(told) == {"heading", "row", "other"}


def test_each_key_and_word_of_a_plan_is_in_its_document() -> None:
    assert missing(KEYS + WORDS + KINDS, read("docs/plan.md") + read("docs/design.md") + read("docs/python.md")) == []


def test_a_key_that_a_document_leaves_out_is_seen() -> None:
    told = "weights are shared\n`weights_of` and `where`\n```yaml\nkind: count # weights\nsurvey_weights: x\n```\n"
    assert missing(["weights", "where", "kind", "survey_weights", "edges"], told) == ["weights", "edges"]


def test_each_refused_method_is_in_the_privacy_document_with_its_loss() -> None:
    rows = [line for line in chapters().splitlines() if line.startswith("| `method: ")]
    assert REFUSED
    assert [word for word in REFUSED if not any(f"`method: {word}`" in row and "ε" in row for row in rows)] == []


def test_each_check_of_a_bundle_has_an_entry_in_its_document() -> None:
    codes = {key for key in texts("verdict", "en") if "." in key and not key.endswith("_in_cell")}
    names = {code.removeprefix("check.") for code in codes if code.startswith("check.")}
    assert len(names) > 10
    assert entries(read("docs/verify.md")) == names
    told = set(re.findall(r"`((?:state|finding|cannot)\.\w+)`", read("docs/verify.md")))
    assert told == {code for code in codes if not code.startswith("check.")}


EXAMPLES = [(name, block) for name in DOCUMENTS for block in plans(read(name))]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "block"), EXAMPLES)
def test_an_example_plan_parses_and_can_be_priced(name: str, block: str) -> None:
    plan = Plan.parse_text(block)
    assert Plan.parse(plan.to_mapping()) == plan
    assert 0 < price(plan).loss.epsilon_nano <= plan.epsilon_nano


def test_the_examples_show_every_kind_and_both_documents_have_one() -> None:
    shown = {statistic.kind for _, block in EXAMPLES for statistic in Plan.parse_text(block).statistics}
    assert shown == set(KINDS)
    assert {name for name, _ in EXAMPLES} == {"README.md", "docs/plan.md"}


def test_the_new_kind_that_is_shown_keeps_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, check = re.findall(r"^```python\n(.*?)^```", read("docs/new-statistic.md"), re.MULTILINE | re.DOTALL)
    (tmp_path / "kind_of_the_page.py").write_text(kind)
    monkeypatch.syspath_prepend(tmp_path)
    shown = import_module("kind_of_the_page")
    exec(check, {"Missing": shown.Missing})  # the example as it stands on the page
    monkeypatch.setattr(shown, "simplex", lambda terms, shape: simplex(replace(terms, unit=PrivacyUnit()), shape))
    with pytest.raises(InternalError, match="beats the stated"):
        exec(check, {"Missing": shown.Missing})


def test_the_changelog_is_short() -> None:
    """What led to 1.0 in at most 60 lines, and from there on a line of at most 160 characters a change."""
    log = read("CHANGELOG.md")
    assert max(map(len, log.splitlines())) <= 160
    assert len(log.partition("## 0.1 to 0.9")[2].splitlines()) <= 60
    assert not [line for line in log.splitlines() if line.startswith("  ")], "a change takes one line"


def test_what_is_stable_is_what_there_is() -> None:
    text = read("docs/stability.md")
    (python,) = [line for line in text.splitlines() if line.startswith("| Python |")]
    assert set(re.findall(r"`(\w+)`", python)) >= set(dprelease.__all__)
    assert set(re.findall(r"`([A-Z]\w+|[a-z]+_[a-z]+)`", python)) <= set(dprelease.__all__)
    assert f'`"format": "{FORMAT}"`' in text
    codes = re.search(r"exit codes \| 0; 1 .*; 2 .*; 3 .*; (\d+) ", text)
    assert codes is not None
    assert int(codes[1]) == INTERRUPTED


def outline(text: str) -> dict[str, list[str]]:
    """What a page has in any language: levels of headings, code without comments, places of links, rows of tables."""
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL)
    return {
        "headings": re.findall(r"^(#+) ", outside, re.MULTILINE),
        "code": [line.split(" #")[0].rstrip() for block in blocks for line in block.splitlines()],
        "marked": sorted(set(re.findall(r"`([^`]+)`", outside))),
        "links": sorted(re.findall(r"\]\(([^)]+)\)", outside.replace("docs/guide/es/", "docs/guide/"))),
        "rows": [line.partition(" | ")[0] for line in outside.splitlines() if line.startswith("|")],
    }


def test_the_spanish_readme_says_what_the_english_one_does() -> None:
    english, spanish = outline(read("README.md").replace("README.es.md", "README.md")), outline(read("README.es.md"))
    for part in english:
        assert spanish[part] == english[part], part


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("headings", "## En Python\n", ""),
        ("code", "--epsilon 3", "--epsilon 4"),
        ("marked", "`--json`", "json"),
        ("links", "(docs/guide/es/start.md)", "(docs/guide/es/workbench.md)"),
        ("rows", "| `data/` |", "| `datos/` |"),
    ],
)
def test_a_translation_that_fell_behind_is_seen(part: str, old: str, new: str) -> None:
    spanish = read("README.es.md")
    assert old in spanish
    assert outline(spanish.replace(old, new))[part] != outline(spanish)[part]


def test_an_example_that_does_not_work_is_seen() -> None:
    (block,) = plans("```yaml\ndprelease: 1\ndataset: visits\nstatistic: []\n```\n")
    with pytest.raises(InputError):
        Plan.parse_text(block)


@pytest.mark.parametrize("name", LINKING)
def test_links_lead_somewhere(name: str) -> None:
    assert list(broken_links(name, read(name))) == []


@pytest.mark.parametrize("name", sorted(set(PAGES) - {"docs/audit.md"}))
def test_a_page_can_be_read_in_one_go(name: str) -> None:
    assert len(read(name).encode()) <= MAX_BYTES.get(name, 40_000)


def long_sentences(text: str) -> list[str]:
    """Return the sentences of more than 40 words; code is none, and a cell of a table is one by itself."""
    outside = re.sub(r"^```.*?^```", "\n", text, flags=re.MULTILINE | re.DOTALL)
    blocks = re.split(r"\n\s*\n|\n(?=[-*|#] |\d+\. )", outside)
    parts = [part for block in blocks for part in re.split(r" \| | – ", " ".join(block.split()))]
    sentences = [each for part in parts for each in re.split(r"(?<=[.!?])\s+", part)]
    return [each for each in sentences if len(each.split()) > 40]


@pytest.mark.parametrize("name", ["README.md", "docs/design.md", *(p for p in PAGES if p.startswith("docs/guide/"))])
def test_no_sentence_is_longer_than_forty_words(name: str) -> None:
    assert long_sentences(read(name)) == []


def test_a_long_sentence_is_seen() -> None:
    assert long_sentences(f"Short. {'word ' * 40}long.\n") == [f"{'word ' * 40}long."]
    assert long_sentences("```\n" + "word " * 50 + "\n```\n") == []


def test_a_link_that_leads_nowhere_is_seen() -> None:
    text = "[there](docs/design.md#budget) [nowhere](docs/none.md) [outside](https://example.org/none.md)"
    assert list(broken_links("README.md", text)) == ["docs/none.md"]
