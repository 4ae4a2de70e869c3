"""Index of the portal, and the lists of a population and of a topic: a card for each release that is not replaced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dprelease.errors import InputError
from dprelease.portal.search import LONGEST, found_in
from dprelease.portal.select import CatalogueFilter
from dprelease.portal.spending import spending
from dprelease.portal.spine import BundleSummary, slug
from dprelease.statements.display import exact, shown
from dprelease.words import phrase
from dprelease.words.language import day_in_words
from dprelease.words.pages import tell, tell_html
from dprelease.words.sentences import Html

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal

MAX_LISTED = 24
"""Largest number of releases on a page."""
FILTERS_FROM = 30
"""Number of releases from which the index offers filters."""
FEATURED = 40
"""Largest number of lines of collections."""
ACCOUNT = "population/{}/index.html"
TOPIC = "topic/{}/index.html"
SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class ReleaseList:
    """Releases that a page lists: those that hold, and those that were replaced."""

    holding: Sequence[BundleSummary]
    replaced: Sequence[BundleSummary]

    @classmethod
    def of(cls, portal: Portal, spines: Sequence[BundleSummary]) -> ReleaseList:
        gone = {id_ for id_, said in portal.shelf.noticed().items() if said.status == SUPERSEDED}
        whole = portal.shelf.intact(spines)
        return cls([spine for spine in whole if spine.id not in gone], [spine for spine in whole if spine.id in gone])


def index(portal: Portal, asked: CatalogueFilter | None = None, page: int = 1) -> str:
    """Render the index, or what a query finds; 24 releases a page."""
    asked, listing = asked or CatalogueFilter(), portal.shelf.listing()
    found = ReleaseList.of(portal, portal.select(asked, listing.spines))
    list(portal.shelf.open(found.holding[MAX_LISTED * (page - 1) :], MAX_LISTED))  # now it is known which are damaged
    total = len(portal.shelf.intact(listing.spines))
    first = page == 1 and not asked.query()
    known = portal.shelf.checkpoint() if first else None
    accounts = [] if known is None else spending(known.signed, portal.shelf.certificates, portal.calendar().held)
    checked = "" if known is None else day_in_words(known.signed.checkpoint.on)
    begin = [tell("nothing_yet"), *([tell("how_to_begin")] if portal.entrance else [])]
    told = [_answer(portal, asked, len(found.holding))] if asked.query() else [] if total else begin
    return _render(
        portal,
        found,
        page,
        path="index.html",
        title=tell("statistics"),
        sentence=portal.office().said("about") or tell("index_sentence"),
        asked=asked,
        told=told,
        total=total,
        longest=LONGEST,
        filters=total >= FILTERS_FROM,
        populations=listing.populations,
        publishers=listing.publishers,
        topics=listing.topics,
        by_topic=[] if portal.served or not first else list(_by_topic(found.holding)),
        collections=list(_collections(portal, found.holding)) if first else [],
        budgets=[(_budget(each, checked), ACCOUNT.format(each["population"])) for each in accounts],
        unchecked=first and total and known is None,
    )


def population_page(portal: Portal, name: str, page: int = 1) -> str:
    """Render a population: its unit, the account of its privacy loss, its releases. InputError where it has none."""
    spines = _known("population", name, [each for each in _all(portal) if each.population == name])
    known = portal.shelf.checkpoint()
    accounts = [] if known is None else spending(known.signed, portal.shelf.certificates, portal.calendar().held)
    account = next((each for each in accounts if each["population"] == name), None)
    certificate = next(portal.shelf.certificates(name)).population
    size = tell("population_size", number=shown(certificate.size)) if certificate.size else ""
    return _render(
        portal,
        ReleaseList.of(portal, spines),
        page,
        path=ACCOUNT.format(name),
        title=name,
        kind=tell("population"),
        sentence=" ".join(filter(None, (tell("population_sentence", unit=certificate.unit), size))),
        account=account,
        held=_held(account),
        checked="" if known is None else day_in_words(known.signed.checkpoint.on),
    )


def topic_page(portal: Portal, name: str, page: int = 1) -> str:
    """Render the releases of a topic, by its name in addresses. Raises InputError where there are none."""
    spines = _known("topic", name, [each for each in _all(portal) if name in map(slug, each.topics)])
    title = next(topic for topic in spines[0].topics if slug(topic) == name)
    sentence = tell("collection_releases", len(spines), count=len(spines))
    found = ReleaseList.of(portal, spines)
    return _render(portal, found, page, path=TOPIC.format(name), title=title, kind=tell("topic"), sentence=sentence)


def index_files(portal: Portal) -> Iterator[tuple[str, bytes]]:
    """Yield the lists of a static site, by path: further pages lie beside the first."""
    spines = _all(portal)
    for page in _pages(ReleaseList.of(portal, spines).holding):
        yield _place("index.html", page), index(portal, page=page).encode()
    for name in sorted({spine.population for spine in spines}):
        own = [spine for spine in spines if spine.population == name]
        for page in _pages(own):
            yield _place(ACCOUNT.format(name), page), population_page(portal, name, page).encode()
    for name in sorted({slug(topic) for spine in spines for topic in spine.topics}):
        own = [spine for spine in spines if name in map(slug, spine.topics)]
        for page in _pages(own):
            yield _place(TOPIC.format(name), page), topic_page(portal, name, page).encode()


def _render(portal: Portal, found: ReleaseList, page: int, *, path: str, **values: Any) -> str:
    """Render a page of a list; `path`: that of its first page."""
    asked = values.get("asked") or CatalogueFilter()
    begin = MAX_LISTED * (page - 1)
    bundles = list(portal.shelf.open(found.holding[begin:], MAX_LISTED))
    tables = {bundle.id: found_in(bundle.certificate, bundle.tables, asked.q) for bundle in bundles if asked.q}
    said = portal.shelf.said_of(bundles)
    turn = {"newer": page - 1 if page > 1 else 0, "older": page + 1 if begin + MAX_LISTED < len(found.holding) else 0}
    usual: dict[str, Any] = {
        "kind": "",
        "told": [],
        "total": 0,
        "asked": asked,
        "by_topic": [],
        "collections": [],
        "budgets": [],
    }
    return portal.render(
        "list.html.j2",
        path=path if portal.served else _place(path, page),
        served=portal.served,
        entries=[(portal.entry(each), says, tables.get(each.id, "")) for each, says in zip(bundles, said, strict=True)],
        replaced=found.replaced if page == 1 else [],
        day=day_in_words,
        **{key: _turned(portal, path, asked, number) for key, number in turn.items()},
        **{"unchecked": False, **usual, **values},
    )


def _turned(portal: Portal, path: str, asked: CatalogueFilter, page: int) -> str:
    """Return the address of another page from a page of the same list; empty for none."""
    if not page:
        return ""
    name = path.rpartition("/")[2]
    query = asked.query(page=page if page > 1 else "")
    return f"{name}?{query}" if portal.served and query else name if portal.served else _place(name, page)


def _place(path: str, page: int) -> str:
    return path if page == 1 else path.replace("index.html", f"page-{page}.html")


def _pages(spines: Sequence[BundleSummary]) -> range:
    return range(1, max(2, 1 + -(-len(spines) // MAX_LISTED)))


def _all(portal: Portal) -> Sequence[BundleSummary]:
    return portal.shelf.intact(portal.shelf.listing().spines)


def _known(kind: str, name: str, spines: Sequence[BundleSummary]) -> Sequence[BundleSummary]:
    if not spines:
        raise InputError(kind, found=name, allowed=phrase("portal.name_of_collection"))
    return spines


def _answer(portal: Portal, asked: CatalogueFilter, count: int) -> Html:
    """State how many releases a query finds; where none does, the nearest words of the index."""
    cut = tell("search_cut", longest=LONGEST) if asked.is_cut else ""
    everything = Html(f' <a href="index.html">{tell("all_again")}</a>')
    if count:
        found = tell_html("found", count, count=count)
    elif not asked.q or asked.is_filter:
        found = tell_html("none_found")
    else:
        near = portal.search().nearest(asked.q)
        link = Html(f'<a href="index.html?{CatalogueFilter(q=near).query().replace("&", "&amp;")}">{near}</a>')
        found = tell_html("nothing_near", query=asked.q, nearest=link) if near else tell_html("nothing", query=asked.q)
    return Html(f"{found} {cut}{everything}")


def _collections(portal: Portal, spines: Sequence[BundleSummary]) -> Iterator[tuple[str, str, str]]:
    """Yield address, name and size of each series, population and topic, as far as they fit."""
    called = {name: portal.series(name).called for name in {spine.series for spine in spines if spine.series}}
    series = [(called[spine.series], "series/{}/index.html", spine.series) for spine in spines if spine.series]
    populations = [(spine.population, ACCOUNT, spine.population) for spine in spines]
    topics = [(topic, TOPIC, slug(topic)) for spine in spines for topic in dict.fromkeys(spine.topics)]
    kinds = (("collection_series", series), ("collection_population", populations), ("collection_topic", topics))
    lines = []
    for key, named in kinds:
        counted: dict[str, list[str]] = {}
        for name, address, place in named:
            counted.setdefault(address.format(place), []).append(name)
        lines += [(href, own[0], tell(key, len(own), count=len(own))) for href, own in counted.items()]
    yield from lines[:FEATURED]


def _by_topic(spines: Sequence[BundleSummary]) -> Iterator[tuple[str, Sequence[BundleSummary]]]:
    """Yield each topic with its releases; those without any come last."""
    named: dict[str, str] = {}
    for spine in spines:
        for topic in spine.topics:
            named.setdefault(slug(topic), topic)
    for name, topic in sorted(named.items()):
        yield topic, [spine for spine in spines if name in map(slug, spine.topics)]
    if named and (rest := [spine for spine in spines if not spine.topics]):
        yield tell("without_topic"), rest


def _budget(account: Mapping[str, Any], checked: str) -> str:
    """State in one sentence what a population has spent of its budget; of a period where that is known."""
    spent = account.get("spent_in_period", account["spent"])
    key = "budget" if account["period"] is None else "budget_in_period"
    key = "budget_before_period" if account["period"] is not None and "spent_in_period" not in account else key
    told = tell(
        key,
        account["releases"],
        population=account["population"],
        spent=exact(spent["epsilon"]),
        cap=exact(account["cap"]["epsilon"]),
        count=account["releases"],
        period=account["period"],
        day=checked,
    )
    return " ".join(filter(None, (told, _held(account))))


def _held(account: Mapping[str, Any] | None) -> str:
    """State what of a population's loss is held for releases to come; empty where none is."""
    held = None if account is None else account.get("held")
    if held is None:
        return ""
    symbol, count = "ρ" if "rho" in held else "ε", held["releases"]
    spent = exact(held["rho"] if "rho" in held else held["epsilon"])
    return tell("budget_held", count, symbol=symbol, spent=spent, delta=exact(held["delta"]), count=count)
