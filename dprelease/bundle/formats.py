"""Files of a bundle that follow from its certificate and its tables alone: formats for other programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dprelease.bundle.all_tables import all_files
from dprelease.bundle.catalogues import datacite, dcat
from dprelease.bundle.croissant import croissant
from dprelease.bundle.datapackage import datapackage
from dprelease.bundle.derived import all_derived, derived_files
from dprelease.bundle.described import Described
from dprelease.bundle.exports import sdmx_chunks
from dprelease.bundle.labels import label_files
from dprelease.bundle.listing import Content, FileFacts
from dprelease.bundle.pmml import pmml_files
from dprelease.bundle.registry import registry
from dprelease.bundle.row_dictionary import dictionary_files
from dprelease.bundle.structure import STRUCTURE, structure_message
from dprelease.bundle.wide import wide_files
from dprelease.bundle.workbook import WORKBOOK, workbook
from dprelease.model.encoding import pretty
from dprelease.model.release import Release
from dprelease.words.language import ENGLISH, speaking

PACKAGE = "datapackage.json"
FILES: dict[str, Callable[[Described], Content]] = {
    "croissant.json": lambda described: pretty(croissant(described)),
    "datacite.json": lambda described: pretty(datacite(described)),
    "dcat.jsonld": lambda described: pretty(dcat(described)),
    "registry.yaml": registry,
}
"""Formats beside datapackage.json. Each further format takes one line here."""


def formats(release: Release, files: Mapping[str, FileFacts]) -> dict[str, Content]:
    """Return every such file by its path; tables are parts that can be read once. `files`: of `release_files` and
    `row_files`, by path."""
    with speaking(ENGLISH):
        rates = all_derived(release)
        described = Described(release, files)
        return {
            PACKAGE: pretty(datapackage(release, files, rates)),
            **label_files(release),
            **{name: written(described) for name, written in FILES.items()},
            **wide_files(release),
            **derived_files(release, rates),
            **all_files(release, rates),
            **pmml_files(release),
            **dictionary_files(release),
            WORKBOOK: workbook(described),
            STRUCTURE: structure_message(release),
            **{sdmx_path(statistic): sdmx_chunks(release, statistic) for statistic in release.tables},
        }


def without_prose(release: Release) -> dict[str, Content]:
    """Return the files without a sentence of this program, by path: any version compares them."""
    with speaking(ENGLISH):
        every = all_derived(release)
        rates = derived_files(release, every)
        return {
            **{path: made for path, made in label_files(release).items() if path.endswith(".csv")},
            **{path: made for path, made in wide_files(release).items() if path.startswith("wide/")},
            **{path: made for path, made in rates.items() if path.endswith(".csv")},
            **all_files(release, every),
            **pmml_files(release),
        }


def sdmx_path(statistic: str) -> str:
    """Return the path of a table as SDMX-CSV."""
    return f"sdmx/{statistic}.csv"
