"""Labels that a codebook gives to columns and codes, as `texts` of a plan: words, which decide no number."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from anyascii import anyascii

from dprelease.codebook.book import UNSTATED, ByLanguage, Codebook, ColumnEntry
from dprelease.codebook.propose import matched
from dprelease.model.texts import ID, LANGUAGE, LONGEST_LABEL, LONGEST_NOTE, MAX_LANGUAGES
from dprelease.words.phrases import visible

LONGEST_ID = 50


def texts_of(book: Codebook, names: Sequence[str], language: str) -> dict[str, Any]:
    """Return `texts` of a plan as in a plan file, for the columns of a table; empty where the book has no words.

    `language`: of words whose language the codebook does not state, and the first one of the plan. Labels of codes for
    no answer are left out: nothing is published of them. What would be called as another is has its own name beside it.
    """
    found, _ = matched(book, names)
    entries = {name: found[name] for name in names if name in found}
    said = [words for entry in entries.values() for words in _all(entry)]
    spoken = dict.fromkeys(each or language for words in said for each in words)
    languages = [language, *(each for each in spoken if each != language and LANGUAGE.fullmatch(each))][:MAX_LANGUAGES]
    labels = _apart({name: _cut(entry.texts.label, languages) for name, entry in entries.items()}, languages)
    columns: dict[str, Any] = {}
    lists: dict[str, Any] = {}
    for name, entry in entries.items():
        own = {"label": labels[name], "note": _cut(entry.texts.note, languages, LONGEST_NOTE)}
        columns[name] = {key: words for key, words in own.items() if words}
        codes = _apart({code: _cut(words, languages) for code, words in entry.texts.values.items()}, languages)
        if any(codes.values()):
            columns[name]["codelist"] = listed = _id(name, lists)
            lists[listed] = {**_origin(entry), "codes": {code: words for code, words in codes.items() if words}}
    columns = {name: words for name, words in columns.items() if words}
    if not columns:
        return {}
    return {"languages": languages, "columns": columns, **({"codelists": lists} if lists else {})}


def _all(entry: ColumnEntry) -> list[ByLanguage]:
    return [entry.texts.label, entry.texts.note, *entry.texts.values.values()]


def _cut(words: ByLanguage, languages: Sequence[str], longest: int = LONGEST_LABEL) -> dict[str, str]:
    """Words that a plan takes, those of no stated language in the first one."""
    told = {each or languages[0]: visible(text, longest) for each, text in words.items() if each != UNSTATED}
    told |= {languages[0]: visible(words[UNSTATED], longest)} if words.get(UNSTATED) else {}
    return {each: told[each] for each in languages if told.get(each)}


def _apart(said: Mapping[str, dict[str, str]], languages: Sequence[str]) -> dict[str, dict[str, str]]:
    """Words of codes or columns, with the code beside those that are another's too, or another code."""
    result = {code: dict(words) for code, words in said.items()}
    for language in languages:
        taken: dict[str, str] = {}
        for code, words in said.items():
            shown = next((words[each] for each in (language, *languages) if each in words), code)
            other = shown if shown in said and shown != code else taken.setdefault(shown, code)
            if other != code:
                room = LONGEST_LABEL - len(code) - 3
                result[code][language] = f"{visible(shown, room)} ({visible(code)})"
    return result


def _origin(entry: ColumnEntry) -> dict[str, str]:
    origin = entry.texts.origin
    told = {} if origin is None else {"source": origin.source, "version": origin.version}
    return {key: visible(text) for key, text in told.items() if text}


def _id(name: str, taken: Mapping[str, Any]) -> str:
    """Return an id of a code list, made from the column's name."""
    plain = re.sub(r"[^a-z0-9]+", "_", anyascii(name).lower()).strip("_")[:LONGEST_ID]
    base = plain if ID.fullmatch(plain) else f"codes_{plain}".rstrip("_")
    found, number = base, 2
    while found in taken:
        found, number = f"{base}_{number}", number + 1
    return found
