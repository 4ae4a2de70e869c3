"""Rules for passwords."""

from __future__ import annotations

import re

from dprelease.errors import InputError, need
from dprelease.words import phrase

MIN_PASSWORD = 12
MAX_PASSWORD = 200
MIN_GUESSES = 10**10
"""zxcvbn's estimate of how many guesses find a password must be above: where it calls one safe beside a stolen hash."""
ONE_WORD = re.compile(r"[\d\W_]*[^\W\d_]{1,11}[\d\W_]*")
"""A word of any language with a year, digits or signs around it: what is typed where 12 characters are asked for."""
KNOWN = ("correcthorsebatterystaple", "thequickbrownfox", "tobeornottobe", "enunlugardelamancha", "maryhadalittlelamb")
"""Phrases that everybody knows, without blanks. zxcvbn knows words alone, and takes them for chosen by chance."""
MAX_READ = 72
"""Characters that are looked at; further ones make no password weaker."""


def check_password(password: str, name: str) -> None:
    """Check that a password is long enough, not the name and hard to guess (NIST SP 800-63B); never quotes it."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        found, allowed = (
            phrase("model.characters", count=len(password)),
            phrase("workspace.characters_any_kind", least_password=MIN_PASSWORD, most_password=MAX_PASSWORD),
        )
    elif name.lower() in password.lower() and len(password) < len(name) + MIN_PASSWORD:
        found, allowed = phrase("workspace.little_more_than_own"), phrase("workspace.something_cannot_guessed_from")
    elif len(set(password)) < MIN_PASSWORD // 2:
        found, allowed = (
            phrase("workspace.few_different_characters"),
            phrase("workspace.at_least_different_ones", number=MIN_PASSWORD // 2),
        )
    elif _is_guessed(password, name):
        found, allowed = phrase("workspace.known_one_one_soon"), phrase("workspace.one_nobody_would_try")
    else:
        return
    raise InputError("password", found=found, allowed=allowed, remedy=phrase("workspace.several_words_row_easy"))


def _is_guessed(password: str, name: str) -> bool:
    """Return True for one of the 30 000 most used passwords, or little more than one, a word, a row of keys or a date.

    zxcvbn brings the lists (Wheeler, USENIX Security 2016); it asks nobody, and nothing is logged.
    """
    need("desk", "zxcvbn")
    from zxcvbn import zxcvbn

    letters = "".join(filter(str.isalpha, password.lower()))
    if ONE_WORD.fullmatch(password) or any(each in letters for each in KNOWN):
        return True
    found = zxcvbn(password[:MAX_READ], user_inputs=[name, "dprelease"])
    return bool(found["guesses"] < MIN_GUESSES)
