"""Which passwords are good enough."""

from __future__ import annotations

from dprelease.errors import InputError

LEAST_PASSWORD = 12
MOST_PASSWORD = 200
LEAST_GUESSES = 10**8
"""zxcvbn's estimate of how many guesses find a password must be above: where it calls one safe from guessing online."""
MOST_READ = 72
"""Characters that are looked at; further ones make no password weaker."""


def check_password(password: str, name: str) -> None:
    """Long enough, and neither the name nor easily guessed, as NIST SP 800-63B has it; never quotes what was typed."""
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        found, allowed = f"{len(password)} characters", f"{LEAST_PASSWORD} to {MOST_PASSWORD} characters of any kind"
    elif name.lower() in password.lower() and len(password) < len(name) + LEAST_PASSWORD:
        found, allowed = "little more than the own name", "something that cannot be guessed from it"
    elif len(set(password)) < LEAST_PASSWORD // 2:
        found, allowed = "few different characters", f"at least {LEAST_PASSWORD // 2} different ones"
    elif _is_guessed(password, name):
        found, allowed = "a known one, or one that is soon guessed", "one that nobody would try"
    else:
        return
    raise InputError("password", found=found, allowed=allowed, remedy="Several words in a row are easy to remember.")


def _is_guessed(password: str, name: str) -> bool:
    """Whether it is among the 30 000 most used passwords, or little more than one, a word, a row of keys or a date.

    zxcvbn brings the lists (Wheeler, USENIX Security 2016); it asks nobody, and nothing is logged.
    """
    from zxcvbn import zxcvbn

    found = zxcvbn(password[:MOST_READ], user_inputs=[name, "dprelease"])
    return bool(found["guesses"] < LEAST_GUESSES)
