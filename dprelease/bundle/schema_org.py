"""The release described for search engines: schema.org's Dataset, inside index.html."""

from __future__ import annotations

from typing import Any

from dprelease.bundle.described import Described, Table


def schema_org(described: Described) -> dict[str, Any]:
    """The Dataset; addresses are relative to the page."""
    about = described.about
    maker: dict[str, Any] = {"@type": "Organization", "name": described.publisher}
    if about.contact:
        maker["contactPoint"] = {"@type": "ContactPoint", "url": about.contact_address}
    found: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": described.title,
        "description": described.description[:5000],
        "identifier": described.id,
        "url": "index.html",
        "creator": maker,
        "publisher": maker,
        "datePublished": described.published,
        "version": "1.0.0",
        "isAccessibleForFree": True,
        "keywords": described.topics,
        "measurementTechnique": described.mechanisms,
        "variableMeasured": [
            {"@type": "PropertyValue", "name": table.question, "description": table.measure}
            for table in described.tables
        ],
        "distribution": [_download(table) for table in described.tables],
    }
    if about.licence:
        found["license"] = about.licence_address
    if about.region:
        found["spatialCoverage"] = about.region
    return found


def _download(table: Table) -> dict[str, Any]:
    return {
        "@type": "DataDownload",
        "name": table.question,
        "contentUrl": table.path,
        "encodingFormat": "text/csv",
        "contentSize": f"{table.size} B",
        "sha256": table.sha256,
    }
