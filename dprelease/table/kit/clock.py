"""The time that may follow a day, in plain Python."""

from __future__ import annotations

DIGITS = "0123456789"


def is_digits(text: str) -> bool:
    return bool(text) and all(sign in DIGITS for sign in text)


def is_time(text: str) -> bool:
    """Return True if the text after a day is empty or a time, with a zone or without."""
    if not text:
        return True
    if text[0] not in ("t", "T", " "):
        return False
    clock = text[1:]
    for zone in ("z", "utc"):
        if clock.lower().endswith(zone):
            return _is_clock(clock[: -len(zone)].removesuffix(" "))
    place = max(clock.rfind("+"), clock.rfind("-"))
    if place > 0:
        return _is_offset(clock[place + 1 :]) and _is_clock(clock[:place].removesuffix(" "))
    return _is_clock(clock)


def _is_offset(text: str) -> bool:
    hours, minutes = text[:2], text[2:].removeprefix(":")
    if len(hours) != 2 or not is_digits(hours) or int(hours) > 23 or (text[2:] and not minutes):
        return False
    return not minutes or (len(minutes) == 2 and is_digits(minutes) and int(minutes) < 60)


def _is_clock(text: str) -> bool:
    parts = text.split(":")
    if len(parts) not in (2, 3) or not (is_digits(parts[0]) and is_digits(parts[1])):
        return False
    hour, minute = parts[:2]
    second, mark, fraction = (parts[2] if len(parts) == 3 else "00").replace(",", ".").partition(".")
    if (
        len(hour) > 2
        or len(minute) != 2
        or len(second) != 2
        or not is_digits(second)
        or (mark and not is_digits(fraction))
    ):
        return False
    if hour == "24":
        return minute == "00" and second == "00" and not fraction.strip("0")
    return int(hour) < 24 and int(minute) < 60 and int(second) <= 60
