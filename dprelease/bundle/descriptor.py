"""Reading of datapackage.json: what the files of tables and rows hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.bundle import row_columns
from dprelease.bundle.tables import NUMBERS, Shape, is_letter, restored
from dprelease.errors import IntegrityError
from dprelease.model.statistic import statistic_of
from dprelease.words import phrase


def shapes(descriptor: Mapping[str, Any]) -> dict[str, Shape]:
    """Return what `read_csv` needs for each table. IntegrityError where a file is described twice or not as we do."""
    try:
        names = [each["name"] for each in descriptor["resources"]]
        if len(set(names)) < len(names):
            raise ValueError
        return {each["name"]: _shape(each) for each in descriptor["resources"] if "axes" in each}
    except (KeyError, TypeError, AttributeError, ValueError):
        raise IntegrityError(phrase("bundle.datapackage_json_does_describe")) from None


def kinds(descriptor: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return what `read_rows` needs for each statistic's rows. IntegrityError where the descriptor is not ours."""
    try:
        return {
            statistic_of(each["name"]): {
                restored(field["name"]): row_columns.read_as(field["type"]) for field in each["schema"]["fields"]
            }
            for each in descriptor["resources"]
            if "schema" in each and "axes" not in each
        }
    except (KeyError, TypeError, AttributeError):
        raise IntegrityError(phrase("bundle.datapackage_json_does_describe_rows")) from None


def _shape(resource: Mapping[str, Any]) -> Shape:
    axes = tuple((tuple(axis["names"]), axis["cells"]) for axis in resource["axes"])
    fields = resource["schema"]["fields"]
    if not fields or not is_letter(fields[-1]["name"]):
        raise ValueError
    kinds = tuple(field["type"] for field in fields[:-1])
    names = [name for axis, _ in axes for name in axis]
    extra = tuple(field["name"] for field in fields[len(names) + len(NUMBERS) : -1])
    if not all(type(count) is int and count >= 0 for _, count in axes) or not all(
        isinstance(name, str) for name in (*names, *extra)
    ):
        raise ValueError
    return Shape(axes, kinds, extra)
