"""Public portal: the same pages from a server and as static files, every link relative, in each language."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from dprelease.bundle.listing import LEADS, picture_path
from dprelease.bundle.notices import CHECKPOINT, PublisherNotices, notices_path
from dprelease.bundle.page.cards import anchor, is_single
from dprelease.bundle.page.place import LEAD, OwnStrip, PageFigure, PagePlace, TableAct
from dprelease.bundle.page.render import TEMPLATES as BUNDLE_TEMPLATES
from dprelease.bundle.page.render import environment, size_of, view
from dprelease.bundle.tables import written
from dprelease.errors import InputError
from dprelease.model.release import Cell, Estimates, Release
from dprelease.portal.calendar import PublicCalendar
from dprelease.portal.calendar import load as load_calendar
from dprelease.portal.calendar_pages import calendar_files, waited
from dprelease.portal.cite import citations, command, snippets
from dprelease.portal.compare import LEVELS, MAX_CELLS, TOGETHER, USUAL, WAYS, ComparisonQuery, comparable
from dprelease.portal.entry import ReleaseEntry
from dprelease.portal.extra import extras, links
from dprelease.portal.index import index_files
from dprelease.portal.meta import head_values
from dprelease.portal.number import number_path
from dprelease.portal.number_page import frame
from dprelease.portal.office import Office, load
from dprelease.portal.predict import MODEL_SCRIPT, tried
from dprelease.portal.press import PRESS
from dprelease.portal.search import SearchIndex, SearchTexts
from dprelease.portal.select import CatalogueFilter
from dprelease.portal.series import names
from dprelease.portal.series_pages import series_files
from dprelease.portal.series_record import SeriesRecord, series_record
from dprelease.portal.shelf import Bundle, BundleIndex
from dprelease.portal.spine import BundleSummary
from dprelease.portal.statistics import counted, has_stored_charts, spoken_chart, spoken_lead
from dprelease.statements.counts import copies
from dprelease.statements.display import estimate
from dprelease.statements.question import StatisticLabel
from dprelease.words import verbatim
from dprelease.words.language import ENGLISH, LANGUAGES, day_in_words, language, speaking
from dprelease.words.pages import WORDS, tell
from dprelease.words.releases import json_html

MAX_ENTRIES = 2000
"""Largest number of releases whose entries in lists are kept."""
MAX_READ = 16
"""Largest number of releases that are kept with their tables."""
TEMPLATES = Path(__file__).parent / "templates"
PHONE = ("334", "400")
"""Width and usual height of a chart for phones, which is drawn when it is asked for."""
SCRIPT, READER = "portal.js", "reader.js"
PUBLIC = "/public/"
"""Address of the portal on a server that has a dashboard too."""
OWN = "own/"
"""Folder of the pages of that server for whoever is signed in, in the language that they chose for the dashboard."""
CHECKED = ("verify_", "why_")
"""Key prefixes of the words in the script of the check."""
TRIED = ("model_",)
"""Key prefix of the words in the script of models."""
ANSWERED = ("answer_", "short_", "than", "head_")


@dataclass
class Portal:
    """Pages over a shelf. Paths are those of the files of a static site."""

    shelf: BundleIndex
    served: bool = False
    """True if a server answers: it selects releases, and has the zip file of a bundle beside it."""
    entrance: str = ""
    """Address at which staff sign in; empty where that is another server's."""
    _releases: dict[str, Release] = field(default_factory=dict, repr=False)
    _entries: dict[tuple[str, str], ReleaseEntry] = field(default_factory=dict, repr=False)
    _texts: dict[str, SearchTexts] = field(default_factory=dict, repr=False)
    _search: tuple[tuple[str, ...], SearchIndex] | None = field(default=None, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def select(self, asked: CatalogueFilter, spines: Sequence[BundleSummary]) -> Sequence[BundleSummary]:
        """Return the releases that a visitor asks for: best first where words are searched for, else as given."""
        chosen = asked.among(spines)
        if not asked.q:
            return chosen
        by_id = {spine.id: spine for spine in chosen}
        return [by_id[id_] for id_ in self.search().find(asked.q) if id_ in by_id]

    def search(self) -> SearchIndex:
        """Return the index of all releases for searches; it is made anew where a release came or went."""
        bundles = self.shelf.bundles()
        ids = tuple(bundle.id for bundle in bundles)
        with self._lock:
            if self._search is None or self._search[0] != ids:
                texts = [self._texts.get(bundle.id) or SearchTexts.of(bundle) for bundle in bundles]
                self._texts = {each.id: each for each in texts}
                self._search = (ids, SearchIndex(texts))
            return self._search[1]

    def office(self) -> Office:
        """Return the office that the public folder states; without a name where it states none that is signed."""
        return load(self.shelf.source.path, self.shelf.checkpoint())

    def series(self, name: str) -> SeriesRecord:
        """Return what the public folder states of a series; its name alone where it states nothing that is signed."""
        return series_record(self.shelf.source.path, name, self.shelf.checkpoint())

    def calendar(self) -> PublicCalendar:
        """Return the calendar that the public folder states; an empty one where it states none that is signed."""
        return load_calendar(self.shelf.source.path, self.shelf.checkpoint())

    def entry(self, bundle: Bundle) -> ReleaseEntry:
        """Return a release for lists, in the language that is spoken; those shown last are kept."""
        key = (bundle.id, language())
        found = self._entries.get(key)
        if found is None:
            found = ReleaseEntry.of(bundle)
            with self._lock:
                while len(self._entries) >= MAX_ENTRIES:
                    del self._entries[next(iter(self._entries))]
                self._entries[key] = found
        return found

    def release(self, bundle: Bundle, address: str = "", strip: OwnStrip | None = None) -> str:
        """Render one release for its readers. `address`: of the portal in English, where it is known.

        `strip`: for whoever is signed in. With it the page stands outside the portal, and its links lead there.
        """
        facts, release, said = bundle.certificate, self.read(bundle), self.shelf.said(bundle)
        tables = [name for name in release.tables if name not in copies(facts)]
        tries = {name: found for name in tables if (found := tried(release, name)) is not None}
        place = self._place(bundle, release, tries, said, address, strip)
        models = [found["data"] for found in tries.values()]
        pictured = _pictured(bundle, address) if self.served else ""
        counts = {name: counted(bundle, name, lambda: release) for name in tables}
        return self.render(
            "release.html.j2",
            path=f"{'' if strip is None else OWN}release/{bundle.id}/index.html",
            **view(release, place, counts),
            head=None
            if strip is not None
            else head_values(bundle, release, said, address, image=pictured, doi=said.doi, zipped=self.served),
            models=json_html({"models": models, "words": _own(TRIED)}) if models else None,
            model_script=MODEL_SCRIPT,
            series=self.series(facts.about.series).called if facts.about.series else "",
            waited=waited(self.calendar().of_release(bundle.id), self.office()),
        )

    def _place(
        self,
        bundle: Bundle,
        release: Release,
        tries: Mapping[str, Mapping[str, Any]],
        said: PublisherNotices,
        address: str,
        strip: OwnStrip | None,
    ) -> PagePlace:
        """Return what the page of a release links to here. `tries`: the forms that try its models, by table."""
        own, root = strip is not None, f"{PUBLIC}{spoken_folder()}"
        here = f"{root}release/{bundle.id}/" if own else ""
        folder = f"{PUBLIC}releases/{bundle.id}/" if own else folder_of(bundle)
        waited_for = self.calendar().of_release(bundle.id)
        day = "" if waited_for is None else waited_for.opened[: len("2026-11-22")]

        def figure(name: str) -> PageFigure | None:
            if not bundle.certificate.has_charts:
                return None
            stored = has_stored_charts(bundle)
            if name == LEAD:
                if LEADS[0] not in bundle.sums:
                    return None
                wide, narrow = (
                    PageFigure(f"{folder}{path}" if stored else f"{here}{Path(path).name}", *size_of(bundle.read(path)))
                    for path in LEADS
                )
                return replace(wide, narrow=narrow)
            size = size_of(bundle.read(picture_path(name)))
            phone = PageFigure(f"{here}narrow-{name}.svg", *PHONE)
            return PageFigure(
                f"{folder}charts/{name}.svg" if stored else f"{here}chart-{name}.svg", *size, narrow=phone
            )

        def compare(name: str) -> str:
            return f"{here}compare-{name}.html" if comparable(release, name).possible else ""

        def parquet(name: str) -> list[tuple[str, str]]:
            return [(f"/api/releases/{bundle.id}/tables/{name}.parquet", "Parquet")] if self.served else []

        def number(name: str, table: Estimates, row: Sequence[Cell]) -> str:
            return f"{root if own else '../../'}v/{bundle.id}/{name}/{number_path(table, row)}"

        return PagePlace(
            kind="own" if own else "portal" if self.served else "site",
            folder=folder,
            here=here,
            strip=strip,
            figure=figure,
            number=number if self.served else None,
            acts=lambda name: _press(release, name, bundle, address if self.served else "", said.doi, here),
            compare=compare,
            files=parquet,
            tried=tries.get,
            said=said,
            command=command(bundle, address),
            known=bool(address),
            archive=f"{folder[:-1]}.zip" if self.served else "",
            day=day,
            cite=citations(bundle, address, said.doi, day),
            snippets=snippets(bundle, address),
            links=links("release"),
        )

    def compare(self, bundle: Bundle, statistic: str, query: Mapping[str, str]) -> str:
        """Render the comparison of two cells of a table, or many, and what noise may explain of their differences."""
        table = comparable(self.read(bundle), statistic)
        asked = ComparisonQuery.of(query, len(table.labels))
        small = len(table.labels) <= MAX_CELLS
        level = table.level(asked.level)
        pairs = table.pairs(asked.way, asked.first, asked.second)
        pairs = [pair for pair in pairs if pair[0] != pair[1]] if small else []
        return self.render(
            "compare.html.j2",
            path=f"release/{bundle.id}/compare-{statistic}.html",
            id=bundle.id,
            facts=bundle.certificate,
            question=StatisticLabel.of(bundle.certificate, statistic).name,
            table=table,
            small=small,
            asked=asked,
            ways=WAYS,
            levels=[(f"{each:.0%}".rstrip("%"), each) for each in LEVELS],
            level=_percent(level),
            found=table.differences(pairs, asked.level) if table.possible else [],
            intervals={name: f"intervals-{statistic}-{name}.csv" for name in table.levels},
            data=json_html({**table.to_mapping(), "words": _own(ANSWERED)}) if small else None,
            estimate=estimate,
        )

    def check(self, bundle: Bundle, address: str = "") -> str:
        """Render the page on which a visitor's own browser checks a bundle."""
        names = sorted(name for name in bundle.sums if name not in ("SHA256SUMS", "SHA256SUMS.sig"))
        folder = folder_of(bundle)
        data = {
            "folder": folder,
            "files": names,
            "notices": f"{folder}../{notices_path(bundle.id)}",
            "checkpoint": f"{folder}../../{CHECKPOINT}",
            "words": _own(CHECKED),
        }
        return self.render(
            "check.html.j2",
            path=f"release/{bundle.id}/check.html",
            id=bundle.id,
            facts=bundle.certificate,
            known=bool(address),
            command=command(bundle, address),
            data=json_html(data),
        )

    def chart(self, bundle: Bundle, statistic: str, *, narrow: bool = False) -> bytes:
        """Return the chart of one statistic in the current language, or that for a phone."""
        return spoken_chart(bundle, self.read(bundle), statistic, narrow=narrow)

    def lead_chart(self, bundle: Bundle, *, narrow: bool = False) -> bytes:
        """Return the picture of the lead in the current language, or that for a phone. InputError: there is none."""
        return spoken_lead(bundle, self.read(bundle), narrow=narrow)

    def intervals(self, bundle: Bundle, statistic: str, name: str) -> bytes:
        """Return every cell with its interval at another level, by its name, as CSV. InputError where it is unknown.

        The confidence stated is that of each interval, or of all of them together.
        """
        table, estimates = comparable(self.read(bundle), statistic), self.read(bundle).tables[statistic]
        if name not in table.levels:
            raise InputError("level", found=name, allowed=verbatim(", ".join(table.levels)))
        keys, level = len(estimates.key_names), table.levels[name]
        stated = USUAL if name == TOGETHER else level
        lines = [(*estimates.key_names, "value", "lower", "upper", "confidence")]
        for place, row in enumerate(estimates.rows()):
            ends = table.interval(place, level) or (None, None)
            lines.append((*row[:keys], table.value[place], *ends, stated))  # type: ignore[arg-type]
        return "".join(f"{','.join(map(written, line))}\n" for line in lines).encode()

    def read(self, bundle: Bundle) -> Release:
        """Return the release with its tables; the last few are kept."""
        found = self._releases.get(bundle.id)
        if found is None:
            found = bundle.release()
            with self._lock:
                while len(self._releases) >= MAX_READ:
                    del self._releases[next(iter(self._releases))]
                self._releases[bundle.id] = found
        return found

    def files(self, address: str = "") -> Iterator[tuple[str, bytes]]:
        """Yield every page of a static site by its path, in each language."""
        yield from ((name, script(name)) for name in (SCRIPT, READER))
        yield style_sheet()
        for extra in extras().values():
            for name in extra.SCRIPTS:
                yield name, (extra.TEMPLATES / name).read_bytes()
        if any(each.output == "model" for bundle in self.shelf.bundles() for each in bundle.certificate.statistics):
            yield MODEL_SCRIPT, script(MODEL_SCRIPT)
        for code in LANGUAGES:
            prefix = "" if code == ENGLISH else f"{code}/"
            with speaking(code):
                for path, data in self._pages(address):
                    yield f"{prefix}{path}", data

    def _pages(self, address: str) -> Iterator[tuple[str, bytes]]:
        yield from index_files(self)
        for extra in extras().values():
            yield from extra.files(self)
        for bundle in self.shelf.bundles():
            base = f"release/{bundle.id}"
            yield f"{base}/index.html", self.release(bundle, address).encode()
            yield f"{base}/check.html", self.check(bundle, address).encode()
            for extra in extras().values():
                for name in extra.RELEASE_PAGES:
                    yield f"{base}/{name}", extra.release_page(self, bundle).encode()
            if LEADS[0] in bundle.sums and not has_stored_charts(bundle):
                for path, narrow in zip(LEADS, (False, True), strict=True):
                    yield f"{base}/{path.rpartition('/')[2]}", self.lead_chart(bundle, narrow=narrow)
            for statistic in bundle.tables:
                if bundle.certificate.has_charts:
                    yield f"{base}/narrow-{statistic}.svg", self.chart(bundle, statistic, narrow=True)
                if not has_stored_charts(bundle) and bundle.certificate.has_charts:
                    yield f"{base}/chart-{statistic}.svg", self.chart(bundle, statistic)
                table = comparable(self.read(bundle), statistic)
                if not table.possible:
                    continue
                yield f"{base}/compare-{statistic}.html", self.compare(bundle, statistic, {}).encode()
                for name in table.levels:
                    yield f"{base}/intervals-{statistic}-{name}.csv", self.intervals(bundle, statistic, name)

        yield from calendar_files(self, address)
        for name in names(self.shelf):
            yield from series_files(self, name)

    def render(self, template: str, *, path: str, **values: Any) -> str:
        """Render a page; `root` leads from it to the root of its language, `top` to the root of the site."""
        code, outside = language(), path.startswith(OWN)
        root = f"{PUBLIC}{spoken_folder()}" if outside else "../" * path.count("/")
        top = PUBLIC if outside else root if code == ENGLISH else f"{root}../"
        others = [
            (other, name, f"/language/{other}?to=/{path}" if outside else f"{top}{spoken_folder(other)}{path}")
            for other, name in LANGUAGES.items()
            if other != code
        ]
        return (
            environment(TEMPLATES, *(extra.TEMPLATES for extra in extras().values()))
            .get_template(template)
            .render(
                code=code,
                root=root,
                top=top,
                others=others,
                script=SCRIPT,
                reader=READER,
                **{
                    "links": links,
                    "sheet": style_sheet()[0],
                    "entrance": "" if outside else self.entrance,
                    "office": self.office(),
                    "calendar": self.calendar().entries,
                    "publisher": self.shelf.publisher(),
                    **values,
                },
            )
        )


def _press(release: Release, table: str, bundle: Bundle, address: str, doi: str, here: str) -> list[TableAct]:
    """Return what an editor takes of a table: a citation; and pictures and a frame where a server has them."""
    name = StatisticLabel.of(bundle.certificate, table).name
    cited = tell("cite_table", name=name, apa=citations(bundle, address, doi)["apa"])
    cite = TableAct("cite", [(f"#{anchor(table)}", tell("link_table"))], [(tell("cite"), cited)])
    if not address or not bundle.certificate.has_charts or is_single(release.tables[table]):
        return [cite]
    pictures = [(f"{here}picture/{table}-{size}.png", tell(f"picture_{size}")) for size in PRESS]
    own = frame(bundle, table, address, name)
    picture = TableAct("picture", [*pictures, (f"{here}picture/{table}.svg", "SVG")])
    return [picture, TableAct("embed", texts=[(tell("embed_chart"), own)]), cite]


def _pictured(bundle: Bundle, address: str) -> str:
    """Return the address of the picture of its lead, for sites that link to the release; empty where it has none."""
    spoken, stated = spoken_folder(), bundle.certificate.statements
    if not address or not stated or stated.lead is None or not bundle.certificate.has_charts:
        return ""
    return f"{address}/{spoken}release/{bundle.id}/picture/{stated.lead.table}-wide.png"


def strip_html(strip: OwnStrip) -> str:
    """Render the strip alone, for a page that is made already."""
    return environment(TEMPLATES).get_template("strip.html.j2").render(strip=strip, day_in_words=day_in_words)


def spoken_folder(code: str | None = None) -> str:
    """Return the folder of a language in the site, with its slash; empty for English. Default: what is spoken."""
    code = language() if code is None else code
    return "" if code == ENGLISH else f"{code}/"


def folder_of(bundle: Bundle) -> str:
    """Return the path from one of its pages to its files, which are there once for all languages."""
    return f"../../{'' if language() == ENGLISH else '../'}releases/{bundle.id}/"


def script(name: str = SCRIPT) -> bytes:
    """Return a script: what compares and checks in a browser, what reads releases, or models. No page needs any."""
    return (TEMPLATES / name).read_bytes()


@cache
def style_sheet() -> tuple[str, bytes]:
    """Return the name of the style sheet, which changes with its content, and its bytes."""
    data = (BUNDLE_TEMPLATES / "style.css").read_bytes()
    return f"public-{hashlib.sha256(data).hexdigest()[:8]}.css", data


def _own(prefixes: tuple[str, ...]) -> dict[str, str]:
    return {key: WORDS[key] for key in WORDS if key.startswith(prefixes)}


def _percent(level: float) -> str:
    return f"{level:.0%}".replace("%", "\N{NO-BREAK SPACE}%")
