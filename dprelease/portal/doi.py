"""DOI of a release: its name, the draft that its office hands in (DataCite 4.6), and where it is registered.

Nothing here calls a service: no password of a registrar lives in this program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dprelease.bundle.catalogues import datacite
from dprelease.bundle.described import Described
from dprelease.bundle.listing import FileFacts
from dprelease.bundle.notices import PublisherNotices
from dprelease.errors import InputError
from dprelease.model.release import Release
from dprelease.portal.shelf import Bundle
from dprelease.words import phrase
from dprelease.words.language import ENGLISH, speaking

DOI = re.compile(r"10\.[0-9]{4,9}/[A-Za-z0-9._;()/:-]{1,120}")


def doi_of(prefix: str, release_id: str) -> str:
    """Return the DOI that a release has by an office's prefix: it follows from the id. InputError without a prefix."""
    if not prefix:
        raise InputError("doi_prefix", found=phrase("portal.nothing_stated"), allowed=phrase("portal.prefix_of_doi"))
    return f"{prefix}/dpr.{release_id.rpartition('-')[2]}"


def read_doi(text: str) -> str:
    """Return a DOI without the address in front of it. Raises InputError for anything else."""
    found = text.strip().removeprefix("https://doi.org/").removeprefix("doi:")
    if not DOI.fullmatch(found):
        raise InputError("doi", found=text, allowed=phrase("portal.a_doi"))
    return found


def draft(
    bundle: Bundle, release: Release, said: PublisherNotices, prefix: str, address: str, dois: Mapping[str, str]
) -> dict[str, Any]:
    """Return what is handed in to DataCite: a draft, until its agency is asked to make it findable.

    `address`: of the portal, empty where it is not known; `dois`: those registered of other releases, by id.
    """
    about, own = release.certificate.about, doi_of(prefix, bundle.id)
    tables = {name: FileFacts(bundle.size(name), bundle.sums[name]) for name in bundle.sums if name[:7] == "tables/"}
    with speaking(ENGLISH):
        found = datacite(Described(release, tables))
    related = {"IsNewVersionOf": release.certificate.supersedes, "IsPreviousVersionOf": said.superseded_by}
    named = [_related(each, kind, prefix, dois) for kind, each in related.items() if each]
    if about.series and address:
        series = {"relatedIdentifier": f"{address}/series/{about.series}/", "relatedIdentifierType": "URL"}
        named.append({**series, "relationType": "IsPartOf"})
    found |= {"doi": own, "relatedIdentifiers": named, "dates": _dates(found["dates"], release)}
    found |= {"url": f"{address}/release/{bundle.id}/"} if address else {}
    return {"data": {"type": "dois", "attributes": found}}


def _related(release_id: str, kind: str, prefix: str, dois: Mapping[str, str]) -> dict[str, str]:
    other = dois.get(release_id) or doi_of(prefix, release_id)
    return {"relatedIdentifier": other, "relatedIdentifierType": "DOI", "relationType": kind}


def _dates(dates: list[dict[str, str]], release: Release) -> list[dict[str, str]]:
    """Return the dates with the day from which the release could be read."""
    return [*dates, {"date": release.certificate.day, "dateType": "Available"}]
