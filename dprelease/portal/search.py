"""Full-text search of releases by BM25, in memory: titles, findings, tables, labels and topics in all languages."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from threading import Lock

from dprelease.model.certificate import Certificate
from dprelease.portal.entry import stated
from dprelease.portal.shelf import Bundle
from dprelease.portal.spine import plainly
from dprelease.statements.names import names
from dprelease.words.language import LANGUAGES, speaking
from dprelease.words.pages import tell

LONGEST = 200
"""Largest number of characters of a query that are used."""
SHORTEST = 4
"""Fewest letters of a word for which a similar one is looked for."""
WORD = re.compile(r"[^\W_]+")
SCHEMA = """
CREATE VIRTUAL TABLE texts USING fts5(
    id UNINDEXED, title, finding, tables, labels, about, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE words USING fts5vocab(texts, row);
"""
INSERT = "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)"
FIND = "SELECT id FROM texts WHERE texts MATCH ? ORDER BY bm25(texts, 0, 10, 4, 4, 2, 1), rowid"
"""Best first. A word of the title counts ten times a word of the description; releases that are alike stay as given."""
HAS = "SELECT 1 FROM texts WHERE texts MATCH ? LIMIT 1"
WORDS = "SELECT term FROM words ORDER BY doc DESC, term"


@dataclass(frozen=True, slots=True)
class SearchTexts:
    """Texts of a release by which it is found, in all languages, without accents and capitals."""

    id: str
    title: str
    finding: str
    tables: str
    """Names of its tables, and the ids of its statistics."""
    labels: str
    """Names and labels of its columns and codes."""
    about: str

    @classmethod
    def of(cls, bundle: Bundle) -> SearchTexts:
        """Collect them from the certificate and the table of the lead."""
        facts, own = bundle.certificate, bundle.certificate.about
        findings, tables = [], list(bundle.tables)
        for code in LANGUAGES:
            with speaking(code):
                findings.append(stated(bundle)[0])
                tables += names(facts).values()
        used = dict.fromkeys(column for table in bundle.tables for column in columns_of(facts, table))
        about = (facts.description, facts.population.name, facts.population.unit, own.publisher, own.region, own.use)
        texts = (
            (facts.title, *facts.texts.title.values(), own.series, own.edition),
            findings,
            tables,
            [text for column in used for text in labels_of(facts, column)],
            (*about, *own.topics, own.reference_period, bundle.id),
        )
        return cls(bundle.id, *(plainly(" ".join(each)) for each in texts))


class SearchIndex:
    """Index of releases. A word finds all words that begin with it; a release has all words of a query."""

    def __init__(self, texts: Iterable[SearchTexts]) -> None:
        self._lock = Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.executescript(SCHEMA)
        self._connection.executemany(INSERT, map(astuple, texts))

    def find(self, query: str) -> Sequence[str]:
        """Return the ids of the releases that have all words of a query, best first; none for a query without words."""
        return self._column(FIND, _match(words_of(query))) if words_of(query) else []

    def nearest(self, query: str) -> str:
        """Return the query with each unknown word replaced by one an edit away; empty where some word has none.

        An edit: a letter more, less or other, or two neighbours exchanged. Of several the word of most releases.
        """
        found = [word if self._column(HAS, _match([word])) else self._near(word) for word in words_of(query)]
        return " ".join(found) if all(found) and found != words_of(query) else ""

    def _near(self, word: str) -> str:
        known = self._column(WORDS) if len(word) >= SHORTEST else []
        return next((each for each in known if is_edit(word, each)), "")

    def _column(self, sql: str, *values: str) -> list[str]:
        with self._lock, closing(self._connection.execute(sql, values)) as rows:
            return [row[0] for row in rows]


def words_of(query: str) -> list[str]:
    """Return the words of a query as they are indexed."""
    return WORD.findall(plainly(query[:LONGEST]))


def is_edit(one: str, other: str) -> bool:
    """Return True if two words are one edit apart: a letter more, less or other, or two neighbours exchanged."""
    differ = (at for at, (here, there) in enumerate(zip(one, other, strict=False)) if here != there)
    start = next(differ, min(len(one), len(other)))
    first, second = one[start:], other[start:]
    exchanged = first[:2] == second[1::-1] and first[2:] == second[2:]
    return first != second and (exchanged or first[1:] in (second, second[1:]) or first == second[1:])


def found_in(certificate: Certificate, tables: Sequence[str], query: str) -> str:
    """State in which table the first word of a query stands that the title has not; empty where it is in no table."""
    title = plainly(" ".join((certificate.title, *certificate.texts.title.values())))
    for word in words_of(query):
        if not _begins(word, title):
            for table in tables:
                if _begins(word, plainly(" ".join(_words_of(certificate, table)))):
                    return tell("found_in_table", table=names(certificate)[table])
    return ""


def _words_of(certificate: Certificate, table: str) -> Iterator[str]:
    yield table
    for code in LANGUAGES:
        with speaking(code):
            yield names(certificate)[table]
    for column in columns_of(certificate, table):
        yield from labels_of(certificate, column)


def columns_of(certificate: Certificate, table: str) -> Iterator[str]:
    """Yield the names of the columns of a table's statistic."""
    asked = certificate.asked(table)
    for option in ("column", "columns", "by", "numerator", "denominator", "outcome", "on"):
        value = asked.get(option) or ()
        yield from (name for name in ([value] if isinstance(value, str) else value) if name in certificate.columns)


def labels_of(certificate: Certificate, column: str) -> Iterator[str]:
    """Yield the name of a column, its labels, and its codes with theirs, in all languages."""
    texts, own = certificate.columns.texts, certificate.columns[column]
    yield column
    if column in texts.columns:
        yield from texts.columns[column].label.values()
    yield from own.labels
    yield from (label for code in own.labels for label in texts.labels(column).get(code, {}).values())


def _match(words: Sequence[str]) -> str:
    return " ".join(f'"{word}"*' for word in words)


def _begins(word: str, text: str) -> bool:
    return any(each.startswith(word) for each in WORD.findall(text))
