"""Words for yes and no, and texts of a category, as public contract."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from dprelease.model.number_form import given
from dprelease.model.report import Report, join, sound
from dprelease.model.separators import EDGES
from dprelease.model.spelt import cased, composed, unique
from dprelease.words import phrase, quoted

MAX_WORDS = 20
LONGEST_WORD = 200
MAX_SPELLINGS = 10_000
WIDEST = 40
KEYS = ("yes", "no", "spellings", "width")
TRUE, FALSE = "true", "false"


@dataclass(frozen=True)
class YesNoWords:
    """The words of a yes/no column. What is neither is not understood: half of a column never counts as no."""

    yes: tuple[str, ...]
    no: tuple[str, ...]
    """An empty word says that an empty cell is a no."""

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> YesNoWords:
        """Return the words that a mapping declares."""
        fields = report.mapping(value, path, allowed=("yes", "no"), required=("yes", "no"))
        lists = {key: _words(fields.get(key), join(path, key), report) for key in ("yes", "no")}
        form = cls(yes=lists["yes"], no=lists["no"])
        if both := [word for word in form.texts[TRUE] if word in form.texts[FALSE]]:
            report.add(join(path, "no"), found=both[0], allowed=phrase("model.word_of_one_list"))
        return form

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan."""
        return {"yes": list(self.yes), "no": list(self.no)}

    @cached_property
    def texts(self) -> Mapping[str, tuple[str, ...]]:
        """Texts of yes and of no, by their meaning."""
        return {
            meaning: unique(text for word in words for text in cased(word.strip(EDGES)))
            for meaning, words in ((TRUE, self.yes), (FALSE, self.no))
        }

    def canonical(self, text: str) -> str | None:
        """Return `true` or `false`; None where it is neither."""
        bare = text.strip(EDGES)
        return next((meaning for meaning, texts in self.texts.items() if bare in texts), None)


@dataclass(frozen=True)
class Spellings:
    """The texts of categories. A text of none of them stays as it is, without blanks at its ends."""

    categories: tuple[str, ...] = ()
    """Declared categories: each is read composed and decomposed, with blanks that break and that do not."""
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Further texts, by category."""
    width: int | None = None
    """Digits of a code: zeros that got lost on its left are put back."""

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Spellings:
        """Return the texts that a mapping declares."""
        fields = given(report.mapping(value, path, allowed=("spellings", "width")))
        place, told = join(path, "spellings"), fields.get("spellings", {})
        if not isinstance(told, Mapping):
            report.add(place, found=told, allowed=phrase("model.texts_by_category"))
            told = {}
        spellings = {
            str(category): _words(texts, join(place, str(category)), report, most=MAX_SPELLINGS)
            for category, texts in told.items()
        }
        width = fields.get("width")
        if width is not None:
            width = report.integer(width, join(path, "width"), lowest=1, highest=WIDEST)
        return cls(spellings=spellings, width=width)

    def of(self, categories: tuple[str, ...], path: str, report: Report) -> Spellings:
        """Return these texts for a column's categories: a text is of one of them."""
        place = join(path, "spellings")
        owners = {text: category for category in categories for text in composed(category)}
        for category, texts in report.mapping(dict(self.spellings), place, allowed=categories).items():
            for text in (way for each in texts for way in composed(each)):
                if (other := owners.setdefault(text, category)) != category:
                    allowed = phrase("model.spelling_of_one", category=quoted(other))
                    report.add(join(place, category), found=text, allowed=allowed)
                    break
        return replace(self, categories=categories)

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan."""
        said: dict[str, Any] = {}
        if self.spellings:
            said["spellings"] = {category: list(texts) for category, texts in self.spellings.items()}
        return said | ({} if self.width is None else {"width": self.width})

    @cached_property
    def texts(self) -> Mapping[str, tuple[str, ...]]:
        """Texts of each category but itself, by category."""
        return {
            category: found
            for category in self.categories
            if (
                found := tuple(
                    text
                    for each in (category, *self.spellings.get(category, ()))
                    for text in composed(each.strip(EDGES))
                    if text != category
                )
            )
        }

    def canonical(self, text: str) -> str | None:
        """Return the category of a text; the text itself where it is of none."""
        bare = text.strip(EDGES)
        known = next((category for category, texts in self.texts.items() if bare in texts), bare)
        if self.width is not None and re.fullmatch("[0-9]+", known) and len(known) < self.width:
            return known.rjust(self.width, "0")
        return known


def _words(value: object, path: str, report: Report, most: int = MAX_WORDS) -> tuple[str, ...]:
    """Return a list of words, of which one may be empty."""
    words = list(value) if isinstance(value, list | tuple) else [value]
    if not 1 <= len(words) <= most or not all(
        isinstance(word, str) and len(word) <= LONGEST_WORD and sound(word) for word in words
    ):
        report.add(path, found=value, allowed=phrase("model.list_of_words", most=most))
        return ()
    return unique(map(str, words))


@cache
def words_of_no_answer() -> frozenset[str]:
    """Return texts for no answer in tables of many languages and programs, of `no_answer.json`, in any capitals."""
    told = json.loads(files("dprelease.model").joinpath("no_answer.json").read_text("utf-8"))
    words = (*told["programs"], *(word for words in told["languages"].values() for word in words))
    return frozenset(text for word in words for text in cased(word))


@cache
def words_by_language() -> Mapping[str, YesNoWords]:
    """Return words for yes and no by language, of `yes_no.json`: those of CLDR."""
    told = json.loads(files("dprelease.model").joinpath("yes_no.json").read_text("utf-8"))["languages"]
    return {code: YesNoWords(yes=tuple(said["yes"]), no=tuple(said["no"])) for code, said in told.items()}
