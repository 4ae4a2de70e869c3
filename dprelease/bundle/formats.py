"""The files of a bundle that follow from its certificate and its tables alone: formats that others load."""

from __future__ import annotations

from collections.abc import Mapping

from dprelease.bundle.catalogues import datacite, dcat
from dprelease.bundle.croissant import croissant
from dprelease.bundle.datapackage import datapackage
from dprelease.bundle.described import Described
from dprelease.bundle.exports import sdmx_chunks
from dprelease.bundle.listing import Content, Facts
from dprelease.bundle.registry import registry
from dprelease.model.encoding import pretty
from dprelease.model.release import Release
from dprelease.words.language import ENGLISH, speaking

PACKAGE = "datapackage.json"
NAMES = ("croissant.json", "datacite.json", "dcat.jsonld", "registry.yaml")
"""Beside datapackage.json; bundles of earlier versions have none of them."""


def formats(release: Release, files: Mapping[str, Facts]) -> dict[str, Content]:
    """Every such file by its path; tables are parts that can be read once. `files`: of `release_files`, by path."""
    with speaking(ENGLISH):
        described = Described(release, files)
        return {
            PACKAGE: pretty(datapackage(release, files)),
            "croissant.json": pretty(croissant(described)),
            "datacite.json": pretty(datacite(described)),
            "dcat.jsonld": pretty(dcat(described)),
            "registry.yaml": registry(described),
            **{sdmx_path(statistic): sdmx_chunks(release, statistic) for statistic in release.tables},
        }


def sdmx_path(statistic: str) -> str:
    """Tells where a table stands as SDMX-CSV."""
    return f"sdmx/{statistic}.csv"


def format_names(release: Release) -> set[str]:
    """The paths of all of them but datapackage.json."""
    return {*NAMES, *map(sdmx_path, release.tables)}
