"""Head of a release's public page, for machines: search engines, link cards, reference managers."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.bundle.all_tables import ALL_CSV, ALL_PARQUET
from dprelease.bundle.catalogues import schema_org
from dprelease.bundle.described import Described
from dprelease.bundle.listing import FileFacts
from dprelease.bundle.notices import PublisherNotices
from dprelease.model.release import Release
from dprelease.portal.shelf import Bundle
from dprelease.statements.sentences import lead
from dprelease.words.language import ENGLISH, LANGUAGES, language, speaking
from dprelease.words.phrases import visible
from dprelease.words.releases import json_html
from dprelease.words.sentences import Html

LONGEST = 300
"""Largest number of characters of the description on a link card."""
LONGEST_DESCRIPTION = 5000
"""Maximum length of a dataset's description."""
ALL = (ALL_CSV, ALL_PARQUET)
KINDS = {".csv": "text/csv", ".parquet": "application/vnd.apache.parquet", ".zip": "application/zip"}


@dataclass(frozen=True, slots=True)
class HeadValues:
    """Values of the head, ready for a template. All addresses are absolute."""

    canonical: str
    alternates: tuple[tuple[str, str], ...]
    """Language and address of the same page, each language once; `x-default` last."""
    properties: tuple[tuple[str, str], ...]
    """Property and content (`og:…`)."""
    names: tuple[tuple[str, str], ...]
    """Name and content (`description`, `robots`, `twitter:…`, `citation_…`)."""
    dataset: Html
    """JSON-LD of schema.org's Dataset, safe inside a script element."""


def head_values(
    bundle: Bundle,
    release: Release,
    said: PublisherNotices,
    address: str,
    *,
    image: str = "",
    doi: str = "",
    zipped: bool = True,
) -> HeadValues | None:
    """Return the values for a release's page in the current language; None where the portal's address is unknown.

    A relative canonical address would be worse than none. `image`: absolute address of the picture for link cards;
    `doi`: where it is registered; `zipped`: a zip file lies beside the bundle.
    """
    if not address:
        return None
    facts, page = bundle.certificate, f"release/{bundle.id}/"
    at = {code: f"{address}/{'' if code == ENGLISH else f'{code}/'}{page}" for code in LANGUAGES}
    canonical, title = at[language()], visible(facts.called)
    told = (lead(release) or visible(facts.description.replace("\n", " ")) or title)[:LONGEST]
    publisher = visible(facts.about.publisher)
    cited = {
        "citation_title": title,
        "citation_author": publisher,
        "citation_publisher": publisher,
        "citation_publication_date": facts.shown_day.replace("-", "/"),
        "citation_doi": doi,
        "citation_language": language(),
    }
    names = {
        "description": told,
        "robots": "noindex,follow" if said.superseded_by else "",
        "twitter:card": "summary_large_image" if image else "summary",
        **cited,
    }
    properties = {
        "og:type": "website",
        "og:site_name": publisher,
        "og:title": title,
        "og:description": told,
        "og:url": canonical,
        "og:locale": language(),
        "og:image": image,
    }
    return HeadValues(
        canonical=canonical,
        alternates=(*at.items(), ("x-default", at[ENGLISH])),
        properties=tuple((name, text) for name, text in properties.items() if text),
        names=tuple((name, text) for name, text in names.items() if text),
        dataset=json_html(_dataset(bundle, release, said, address, canonical, doi=doi, zipped=zipped)),
    )


def _dataset(
    bundle: Bundle,
    release: Release,
    said: PublisherNotices,
    address: str,
    canonical: str,
    *,
    doi: str,
    zipped: bool,
) -> dict[str, object]:
    """Return schema.org's Dataset of the bundle with addresses, and what became of it since."""
    tables = {name: FileFacts(bundle.size(name), bundle.sums[name]) for name in bundle.sums if name[:7] == "tables/"}
    facts, folder = bundle.certificate, f"{address}/releases/{bundle.id}"
    status = "Replaced" if said.superseded_by else "Withheld" if facts.is_withheld else ""
    described = Described(release, tables)
    own = {"name": visible(facts.called), "description": described.description[:LONGEST_DESCRIPTION]}
    with speaking(ENGLISH):  # its terms for catalogues are English only
        found = schema_org(described) | own | {"url": canonical}
    found |= {"identifier": f"https://doi.org/{doi}" if doi else canonical, "inLanguage": language()}
    files = [*bundle.sums] + ([".zip"] if zipped else [])
    if facts.is_withheld:
        del found["distribution"]
    else:
        known = {each["contentUrl"]: each for each in found["distribution"]}
        found["distribution"] = [
            {
                "@type": "DataDownload",
                **known.get(name, {}),
                "contentUrl": f"{folder}.zip" if name == ".zip" else f"{folder}/{name}",
                "encodingFormat": KINDS[suffix],
            }
            for name in files
            for suffix in KINDS
            if name == ".zip" == suffix or ((name.startswith("tables/") or name in ALL) and name.endswith(suffix))
        ]
    if facts.about.series:
        name = facts.about.series
        found["isPartOf"] = {"@type": "CreativeWorkSeries", "name": name, "url": f"{address}/series/{name}/"}
    return found | ({"creativeWorkStatus": status} if status else {})
