"""The words of argparse itself, in the language that is spoken."""

from __future__ import annotations

import argparse

from dprelease.words import phrase
from dprelease.words.language import ENGLISH, language

WORDS = {
    "usage: ": "usage",
    "options": "options",
    "positional arguments": "positional",
    "show this help message and exit": "help",
    "the following arguments are required: %s": "required",
    "unrecognized arguments: %s": "unrecognized",
    "not allowed with argument %s": "not_allowed",
    "one of the arguments %s is required": "one_required",
    "expected one argument": "one_argument",
    "expected at least one argument": "at_least_one",
    "invalid %(type)s value: %(value)r": "invalid_value",
    "invalid choice: %(value)r (choose from %(choices)s)": "invalid_choice",
    "argument %(argument_name)s: %(message)s": "argument",
    "%(prog)s: error: %(message)s\n": "error",
}
"""Texts of argparse with the ids that they have in the catalogue."""


def translate_usage() -> None:
    """Has argparse look its words up in the catalogue: it offers no other place than the name that it calls them by."""
    argparse._ = _said  # type: ignore[attr-defined]


def _said(text: str) -> str:
    if language() == ENGLISH or text not in WORDS:
        return text
    said = str(phrase(f"cli.usage_{WORDS[text]}"))
    return said + text[len(text.rstrip()) :]
