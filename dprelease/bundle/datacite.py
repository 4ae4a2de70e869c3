"""datacite.json: what a registration agency needs to give the release a DOI (DataCite metadata 4.6)."""

from __future__ import annotations

from typing import Any

from dprelease.bundle.described import Described

SCHEMA = "http://datacite.org/schema/kernel-4"
UNAVAILABLE = ":unav"
"""DataCite's word for what is not known."""


def datacite(described: Described) -> dict[str, Any]:
    """The attributes of a record, all but its DOI, which its publisher registers."""
    about = described.about
    name = described.about.publisher and described.publisher
    found: dict[str, Any] = {
        "schemaVersion": SCHEMA,
        "identifiers": [{"identifier": described.id, "identifierType": "dprelease release"}],
        "creators": [{"name": name or UNAVAILABLE, "nameType": "Organizational"}],
        "titles": [{"title": described.title, "lang": "en"}],
        "publisher": {"name": name or UNAVAILABLE},
        "publicationYear": int(described.published[:4]),
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Differentially private statistics"},
        "subjects": [{"subject": topic} for topic in described.topics],
        "dates": [{"date": described.published, "dateType": "Issued"}],
        "language": "en",
        "version": "1.0.0",
        "formats": ["text/csv", "text/html", "application/json"],
        "sizes": [f"{len(described.tables)} tables", f"{sum(table.size for table in described.tables)} bytes"],
        "descriptions": [
            {"description": described.description, "descriptionType": "Abstract", "lang": "en"},
            {"description": "; ".join(described.mechanisms), "descriptionType": "Methods", "lang": "en"},
        ],
    }
    if about.licence:
        found["rightsList"] = [{"rights": about.licence, "rightsUri": about.licence_address}]
    if about.region:
        found["geoLocations"] = [{"geoLocationPlace": about.region}]
    return found
