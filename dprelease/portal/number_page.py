"""Page of one published number, and frames for other sites with the number or a whole chart."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING

from dprelease.bundle import guarantee
from dprelease.bundle.reliability import summary
from dprelease.charts.process import placed
from dprelease.charts.theme import ROWS_NARROW, ROWS_WIDE
from dprelease.portal.card import chart_card, number_card
from dprelease.portal.cells import TextTable
from dprelease.portal.cite import citations
from dprelease.portal.number import NumberPage
from dprelease.portal.shelf import Bundle
from dprelease.portal.statistics import counted, has_stored_charts
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import ENGLISH, language
from dprelease.words.pages import tell
from dprelease.words.phrases import visible

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal

FRAME = (
    '<!doctype html><html lang="{code}"><head><meta charset="utf-8"><meta name="robots" content="noindex">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<title>{alt}</title><style>body{{margin:0}}img{{display:block;max-width:100%;height:auto}}"
    'a:focus-visible{{outline:3px solid;outline-offset:-3px;display:block}}</style></head><body><main><a href="{link}" '
    'target="_blank" rel="noopener"><picture>{source}<img alt="{alt}" src="{image}"></picture></a></main></body></html>'
)


def number_page(portal: Portal, bundle: Bundle, table: str, cells: TextTable, keys: str, address: str = "") -> str:
    """Render the page of a number. Raises InputError where the table has none of these keys.

    `address`: of the portal in English, with its path.
    """
    facts, number = bundle.certificate, NumberPage.of(bundle.certificate, table, cells, keys)
    path = f"v/{bundle.id}/{table}/{number.path}"
    root = "../" * 3
    folder = f"{'' if language() == ENGLISH else '../'}releases/{bundle.id}/"
    pictured = f"{address}/{_spoken()}release/{bundle.id}/picture/{table}-wide.png"
    charts = f"{root}{folder}charts/" if has_stored_charts(bundle) else f"{root}release/{bundle.id}/chart-"
    return portal.render(
        "number.html.j2",
        path=path,
        id=bundle.id,
        facts=facts,
        said=portal.shelf.said(bundle),
        number=number,
        promise=guarantee.promise(facts)[0],
        whole=guarantee.whole(facts),
        chart=f"{charts}{table}.svg" if facts.has_charts and number.named else "",
        alt=tell("number_chart", question=number.name),
        table=f"{root}{folder}tables/{table}.csv",
        cite=f"{number.quotation} {citations(bundle, address)['apa']}",
        picture=pictured if address and facts.has_charts else "",
        frame=frame(bundle, f"{table}/{number.path}", address, number.sentence),
    )


def frame(bundle: Bundle, rest: str, address: str, title: str) -> str:
    """Return the frame that an editor pastes into an article; empty where the portal's address is unknown."""
    if not address:
        return ""
    where = f"{address.rpartition('/')[0]}/embed/{_spoken()}{bundle.id}/{rest}"
    title = escape(visible(title), quote=True)
    return f'<iframe src="{where}" title="{title}" width="100%" height="340" style="border:0"></iframe>'


def embedded_number(portal: Portal, bundle: Bundle, table: str, cells: TextTable, keys: str) -> str:
    """Render one number for a frame of another site. Raises InputError where the table has none of these keys."""
    number = NumberPage.of(bundle.certificate, table, cells, keys)
    svg = number_card(number, bundle, portal.shelf.said(bundle))
    return _framed(svg, number.sentence, f"/public/{_spoken()}v/{bundle.id}/{table}/{number.path}")


def embedded_chart(portal: Portal, bundle: Bundle, table: str) -> str:
    """Render the chart of a table for a frame of another site, another one where it is narrow; it must have charts."""
    release, said = portal.read(bundle), portal.shelf.said(bundle)
    counts, question = summary([counted(bundle, table, lambda: release)]), StatisticLabel.of(bundle.certificate, table)
    drawn = [placed(release, table, size) for size in (ROWS_WIDE, ROWS_NARROW)]
    wide, narrow = (chart_card(each().figure, counts, bundle, said) for each in drawn)
    path = f"/public/{_spoken()}release/{bundle.id}/index.html#statistic-{table}"
    return _framed(wide, tell("number_chart", question=question.name), path, narrow)


def _framed(svg: bytes, alt: str, link: str, narrow: bytes = b"") -> str:
    """Return a page without script whose picture links to its source. `narrow`: for frames below 480 pixels."""
    source = f'<source media="(max-width:479px)" srcset="{_inline(narrow)}">' if narrow else ""
    return FRAME.format(
        code=language(),
        alt=escape(visible(alt), quote=True),
        image=_inline(svg),
        source=source,
        link=escape(link, quote=True),
    )


def _inline(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg).decode()}"


def _spoken() -> str:
    return "" if language() == ENGLISH else f"{language()}/"
