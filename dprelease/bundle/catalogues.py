"""Release described for catalogues.

dcat.jsonld for data portals (DCAT-AP 3, JSON-LD), datacite.json for an agency that registers DOIs (DataCite 4.6), and
schema.org's Dataset for search engines, inside index.html.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.bundle.described import Described, DescribedFile
from dprelease.model.about import About
from dprelease.words.releases import state

EUROPE = "http://publications.europa.eu/resource/authority"
CONTEXT: Mapping[str, str] = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "spdx": "http://spdx.org/rdf/terms#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
THEMES = {
    "Technology": ("TECH", "Science and technology"),
    "Healthcare": ("HEAL", "Health"),
    "Education": ("EDUC", "Education, culture and sport"),
    "Government": ("GOVE", "Government and public sector"),
    "Energy": ("ENER", "Energy"),
    "Finance": ("ECON", "Economy and finance"),
}
"""Code and label in the EU authority table of data themes, by sector."""
DATACITE = "http://datacite.org/schema/kernel-4"
SPDX = "https://spdx.org/licenses/"
UNAVAILABLE = ":unav"
"""DataCite's word for an unknown value."""


def dcat(described: Described) -> dict[str, Any]:
    """Return a DCAT dataset with a distribution per table; addresses are relative to this file's own."""
    about = described.about
    found: dict[str, Any] = {
        "@context": dict(CONTEXT),
        "@id": "./",
        "@type": "dcat:Dataset",
        "dct:title": _english(described.title),
        "dct:description": _english(described.description),
        "dct:identifier": described.id,
        "dct:issued": {"@type": "xsd:date", "@value": described.published},
        "dct:language": _concept(f"{EUROPE}/language/ENG", "dct:LinguisticSystem"),
        "dct:accessRights": _concept(f"{EUROPE}/access-right/PUBLIC", "dct:RightsStatement"),
        "dct:publisher": {"@type": "foaf:Agent", "foaf:name": described.publisher},
        "dct:provenance": {"@type": "dct:ProvenanceStatement", "rdfs:label": _english(described.promise)},
        "dcat:keyword": [_english(topic) for topic in described.topics],
        "dcat:version": "1.0.0",
        "dcat:landingPage": {"@id": "index.html", "@type": "foaf:Document"},
        "dcat:distribution": [_distribution(described, table) for table in described.tables],
    }
    if about.contact:
        contact = "vcard:hasEmail" if about.contact_address.startswith("mailto:") else "vcard:hasURL"
        address = {"@id": about.contact_address}
        found["dcat:contactPoint"] = {"@type": "vcard:Kind", "vcard:fn": described.publisher, contact: address}
    if about.region:
        found["dct:spatial"] = {"@type": "dct:Location", "skos:prefLabel": _english(about.region)}
    if about.reference_period:
        first, last = ({"@type": "xsd:date", "@value": day} for day in about.reference_period.split("/"))
        found["dct:temporal"] = {"@type": "dct:PeriodOfTime", "dcat:startDate": first, "dcat:endDate": last}
    if about.sector:
        code, label = THEMES[about.sector]
        theme = _concept(f"{EUROPE}/data-theme/{code}", "skos:Concept")
        found["dcat:theme"] = {**theme, "skos:prefLabel": _english(label)}
    return found


def _distribution(described: Described, table: DescribedFile) -> dict[str, Any]:
    found: dict[str, Any] = {
        "@id": f"{table.path}#distribution",
        "@type": "dcat:Distribution",
        "dct:title": _english(table.question),
        "dct:description": _english(f"{table.question} {table.measure}"),
        "dcat:accessURL": {"@id": "index.html", "@type": "rdfs:Resource"},
        "dcat:downloadURL": {"@id": table.path, "@type": "rdfs:Resource"},
        "dcat:mediaType": _concept("https://www.iana.org/assignments/media-types/text/csv", "dct:MediaType"),
        "dct:format": _concept(f"{EUROPE}/file-type/CSV", "dct:MediaTypeOrExtent"),
        "dcat:byteSize": {"@type": "xsd:nonNegativeInteger", "@value": str(table.size)},
        "spdx:checksum": {
            "@type": "spdx:Checksum",
            "spdx:algorithm": _concept("http://spdx.org/rdf/terms#checksumAlgorithm_sha256", "spdx:ChecksumAlgorithm"),
            "spdx:checksumValue": {"@type": "xsd:hexBinary", "@value": table.sha256},
        },
    }
    if described.about.licence:
        found["dct:license"] = _concept(described.about.licence_address, "dct:LicenseDocument")
    return found


def _english(text: str) -> dict[str, str]:
    return {"@language": "en", "@value": text}


def _concept(address: str, kind: str) -> dict[str, Any]:
    return {"@id": address, "@type": kind}


def datacite(described: Described) -> dict[str, Any]:
    """Return the attributes of a DataCite record without its DOI, which the publisher registers."""
    about = described.about
    name = described.about.publisher and described.publisher
    found: dict[str, Any] = {
        "schemaVersion": DATACITE,
        "alternateIdentifiers": [{"alternateIdentifier": described.id, "alternateIdentifierType": "dprelease release"}],
        "creators": [{"name": name or UNAVAILABLE, "nameType": "Organizational"}],
        "titles": [{"title": described.title, "lang": "en"}],
        "publisher": {"name": name or UNAVAILABLE},
        "publicationYear": int(described.published[:4]),
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": state("datacite_type")},
        "subjects": [{"subject": topic} for topic in described.topics],
        "dates": [{"date": described.published, "dateType": "Issued"}],
        "language": "en",
        "version": "1.0.0",
        "formats": ["text/csv", "text/html", "application/json"],
        "sizes": [
            state("datacite_sizes", count=len(described.tables)),
            state("datacite_bytes", count=sum(table.size for table in described.tables)),
        ],
        "descriptions": [
            {"description": described.description, "descriptionType": "Abstract", "lang": "en"},
            {"description": "; ".join(described.mechanisms), "descriptionType": "Methods", "lang": "en"},
        ],
    }
    if about.licence:
        found["rightsList"] = [_rights(about)]
    if about.contact:
        found["contributors"] = [
            {"contributorType": "ContactPerson", "name": about.contact, "nameType": "Organizational"}
        ]
    if about.region:
        found["geoLocations"] = [{"geoLocationPlace": about.region}]
    if about.reference_period:
        found["dates"].append({"date": about.reference_period, "dateType": "Coverage"})
    return found


def _rights(about: About) -> dict[str, str]:
    """Return a licence; one of the SPDX list with its identifier there."""
    own = {"rights": about.licence, "rightsUri": about.licence_address}
    if about.licence == about.licence_address:
        return own
    return {**own, "rightsIdentifier": about.licence, "rightsIdentifierScheme": "SPDX", "schemeUri": SPDX}


def schema_org(described: Described) -> dict[str, Any]:
    """Return schema.org's Dataset; addresses are relative to the page."""
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
    if about.reference_period:
        found["temporalCoverage"] = about.reference_period
    return found


def _download(table: DescribedFile) -> dict[str, Any]:
    return {
        "@type": "DataDownload",
        "name": table.question,
        "contentUrl": table.path,
        "encodingFormat": "text/csv",
        "contentSize": f"{table.size} B",
        "sha256": table.sha256,
    }
