"""The format of release.json, and the features by which its meaning may grow.

The rule of compatibility from 1.0 on: a field is never removed, a new field is optional and its absence has a stated
meaning, and the meaning of a field never changes. Where a meaning has to change, the certificate states a *feature* of
this list, and the feature decides. Who wrote a bundle decides nothing but whether its prose and pictures are compared.

A reader of 1.0 takes any 1.x: it leaves fields that it does not know as they are and tells which they are. It refuses a
feature that it does not know, and any 2.x.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from dprelease.errors import InputError, NewerFormatError
from dprelease.words import phrase

FORMAT: Final = "1.0"
FEATURES: Mapping[str, str] = {}
"""Each feature with one sentence. None so far."""
NUMBER = re.compile(r"(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})")


def check_format(certificate: object) -> None:
    """Raise InputError for a format before 1.0, and NewerFormatError for one that this program cannot read."""
    if not isinstance(certificate, Mapping):
        return
    number = certificate.get("format")
    match = NUMBER.fullmatch(number) if isinstance(number, str) else None
    if (number is None and "dprelease_release" in certificate) or (match is not None and match[1] == "0"):
        raise InputError(
            "release.json",
            found=phrase("errors.before_format"),
            allowed=phrase("errors.format_read"),
            remedy=phrase("errors.publish_again"),
        )
    if match is not None and match[1] != "1":
        raise newer("release.json")
    features = certificate.get("features")
    if isinstance(features, list) and not all(each in FEATURES for each in features if isinstance(each, str)):
        raise newer("release.json: features")


def newer(path: str) -> NewerFormatError:
    """Return the error of what was written by a newer format."""
    return NewerFormatError(
        path,
        found=phrase("errors.newer_format"),
        allowed=phrase("errors.reads_up_to", format=FORMAT),
        remedy=phrase("errors.update"),
    )


def unread(given: Any, read: Any, place: str = "") -> Iterator[str]:
    """Yield the path of each key of `given` that `read`, the same facts as this version has them, lacks."""
    if isinstance(given, Mapping) and isinstance(read, Mapping):
        for key, value in given.items():
            path = f"{place}.{key}" if place else str(key)
            if key in read:
                yield from unread(value, read[key], path)
            else:
                yield path
    elif isinstance(given, list) and isinstance(read, list):
        for index, (one, other) in enumerate(zip(given, read, strict=False)):
            yield from unread(one, other, f"{place}[{index}]")
