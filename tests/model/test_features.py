"""The format of a certificate and the closed list of features."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dprelease.errors import InputError, NewerFormatError
from dprelease.model.features import FEATURES, FORMAT, check_format, unread


def test_each_feature_has_a_name_and_one_sentence() -> None:
    assert list(FEATURES) == sorted(FEATURES)
    for name, sentence in FEATURES.items():
        assert re.fullmatch("[a-z][a-z0-9_]*", name)
        assert re.fullmatch(r"[A-Z][^.]*\.", sentence)


@pytest.mark.parametrize("stated", [{"format": FORMAT}, {"format": "1.9999", "features": []}, {}, [], None])
def test_what_begins_with_one_is_read(stated: Any) -> None:
    check_format(stated)


@pytest.mark.parametrize("stated", [{"format": "2.0"}, {"format": "10.1"}, {"format": FORMAT, "features": ["x"]}])
def test_what_is_newer_is_refused(stated: Any) -> None:
    with pytest.raises(NewerFormatError):
        check_format(stated)


@pytest.mark.parametrize("stated", [{"dprelease_release": 2}, {"dprelease_release": 1}, {"format": "0.9"}])
def test_what_is_older_is_refused(stated: Any) -> None:
    with pytest.raises(InputError) as caught:
        check_format(stated)
    assert not isinstance(caught.value, NewerFormatError)


def test_keys_that_were_not_read_are_named_by_their_path() -> None:
    given = {"a": 1, "b": {"c": [{"d": 1, "e": 2}, {"d": 3}]}, "f": {}}
    read = {"a": 1, "b": {"c": [{"d": 1}, {"d": 3}]}, "g": 0}
    assert list(unread(given, read)) == ["b.c[0].e", "f"]
