"""The one place where JSON and YAML are read and canonical JSON is written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import rfc8785

from dprelease.errors import InputError, IntegrityError
from dprelease.words import Phrase, phrase

MAX_TEXT = 1_000_000
MAX_DEPTH = 20
MAX_WHOLE = 2**53 - 1


def canonical(value: object) -> bytes:
    """Return canonical JSON (RFC 8785): the same bytes for the same value, everywhere."""
    if _is_plain(value):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    return rfc8785.dumps(value)  # type: ignore[arg-type]


def _is_plain(value: object) -> bool:
    """Return True if Python writes a value canonically, which is ten times as fast: ASCII texts, whole numbers that are
    not too large, and numbers between them whose exponent neither writes.
    """
    if isinstance(value, str):
        return value.isascii()
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int):
        return type(value) is int and -MAX_WHOLE <= value <= MAX_WHOLE
    if isinstance(value, float):
        return type(value) is float and 1e-4 <= abs(value) < 1e15 and not value.is_integer()
    if isinstance(value, dict):
        return all(isinstance(key, str) and key.isascii() for key in value) and all(map(_is_plain, value.values()))
    return isinstance(value, list | tuple) and all(map(_is_plain, value))


def digest(value: object) -> str:
    """Return SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()


def pretty(value: object) -> bytes:
    """Return JSON for people: sorted keys, two spaces, one final newline; the same bytes for the same value."""
    written = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    import msgspec  # which `--help` has no use for

    return msgspec.json.format(written, indent=2) + b"\n"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError(phrase("model.some_key_repeated"))
    return result


def read_mapping(text: str | bytes, *, error: type[InputError], what: str) -> dict[str, Any]:
    """Read a JSON or YAML mapping. Numbers with a point become `Decimal`, dates stay text.

    Raises `error` when the text is too long or deep, not valid, or not a mapping.
    """
    if len(text) > MAX_TEXT:
        raise error(
            what,
            found=phrase("model.characters", count=len(text)),
            allowed=phrase("model.at_most_2", max_text=MAX_TEXT),
        )
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as cause:
            raise error(
                what, found=phrase("model.byte_utf_8_at", start=cause.start), allowed=phrase("model.utf_8_text")
            ) from None
    try:
        value = _load(text)
    except (ValueError, RecursionError, ArithmeticError) as cause:
        said = cause.args[0] if cause.args and isinstance(cause.args[0], Phrase) else phrase("model.bad_text")
        raise error(what, found=said, allowed=phrase("model.yaml_json")) from None
    if not isinstance(value, dict):
        found = (
            phrase("model.empty_file")
            if value is None
            else phrase("model.list")
            if isinstance(value, list)
            else phrase("model.single_value")
        )
        raise error(what, found=found, allowed=phrase("model.mapping_keys_values"))
    if depth(value) > MAX_DEPTH:
        raise error(
            what, found=phrase("model.deeper_nesting"), allowed=phrase("model.at_most_levels", max_depth=MAX_DEPTH)
        )
    return value


def _load(text: str) -> Any:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text, parse_float=Decimal, object_pairs_hook=_unique)
        except json.JSONDecodeError:
            pass  # a mapping of YAML may begin like that
    from dprelease.model.yaml_text import load  # late: what reads JSON alone does not wait for it

    return load(text, MAX_DEPTH)


def depth(value: object) -> int:
    """Return the number of levels of mappings and lists in a value, without recursion."""
    deepest = 0
    stack = [(value, 1)]
    while stack:
        item, level = stack.pop()
        deepest = max(deepest, level)
        if level > MAX_DEPTH:
            return level
        if isinstance(item, Mapping):
            stack.extend((child, level + 1) for child in item.values())
        elif isinstance(item, list | tuple):
            stack.extend((child, level + 1) for child in item)
    return deepest


def plain(number: Decimal) -> int | float:
    """Return a decimal as a JSON number: an int where it is whole, else the nearest float."""
    return int(number) if number == number.to_integral_value() else float(number)


def read_json(data: bytes, name: str, *, whole: bool = False) -> dict[str, Any]:
    """Return a mapping, each key once; with `whole` its numbers are whole. Raises IntegrityError where it is not."""
    try:
        value = json.loads(
            data, object_pairs_hook=_once, parse_constant=_refuse, parse_float=_refuse if whole else float
        )
    except (ValueError, RecursionError):
        raise IntegrityError(phrase("model.json", name=name)) from None
    if not isinstance(value, dict) or depth(value) > MAX_DEPTH:
        raise IntegrityError(phrase("model.mapping_program_writes", name=name))
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError
    return result


def _refuse(text: str) -> None:
    raise ValueError
