"""Pictures for the press: finding, question, chart and source in one SVG of 1600 × 900 or 1080 × 1350 pixels."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import dataclass
from xml.etree import ElementTree

from dprelease.bundle.notices import PublisherNotices
from dprelease.charts.process import placed
from dprelease.charts.theme import FONT, LETTER, LIGHT, PRESS_TALL, PRESS_WIDE, STYLE, SVG, RowsSize
from dprelease.model.grade import Grade, grades
from dprelease.model.release import Release
from dprelease.statements.display import shown
from dprelease.statements.question import StatisticLabel
from dprelease.statements.sentences import lead, sentence
from dprelease.words.pages import tell
from dprelease.words.phrases import visible

LINES = 3
"""Largest number of lines of the finding."""
MARGIN = 48
SCALE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PressSize:
    """Sizes of a picture for the press, in pixels."""

    width: int
    height: int
    title: int
    text: int
    foot: int
    chart: RowsSize


PRESS = {
    "wide": PressSize(width=1600, height=900, title=46, text=28, foot=24, chart=PRESS_WIDE),
    "tall": PressSize(width=1080, height=1350, title=54, text=34, foot=28, chart=PRESS_TALL),
}


def press_picture(release: Release, table: str, size: PressSize, said: PublisherNotices, address: str = "") -> bytes:
    """Draw a table with its finding, question and source as SVG. `address`: of the release, as people read it."""
    certificate = release.certificate
    question, about = StatisticLabel.of(certificate, table), certificate.about
    drawn = placed(release, table, size.chart)()
    root = ElementTree.Element(f"{{{SVG}}}svg", {"font-family": FONT, "role": "img", "aria-label": question.name})
    root.attrib |= {"width": str(size.width), "height": str(size.height), "viewBox": f"0 0 {size.width} {size.height}"}
    ElementTree.SubElement(root, f"{{{SVG}}}style").text = STYLE
    paper = {"width": str(size.width), "height": str(size.height), "fill": LIGHT.paper}
    ElementTree.SubElement(root, f"{{{SVG}}}rect", paper)
    across, depth = size.width - 2 * MARGIN, MARGIN
    heads = [
        (line, size.title, {"font-weight": "bold", "fill": LIGHT.ink})
        for line in lines(_finding(release, table), across, size.title, LINES)
    ]
    heads += [(line, size.text, {"fill": LIGHT.muted}) for line in lines(question.text, across, size.text, 2)]
    for place, (line, height, look) in enumerate(heads):
        gap = size.text // 2 if place and height < heads[place - 1][1] else 0
        depth += round(height * 1.25) + gap
        _write(root, line, depth, height, look)
    source = [
        *lines(_marked(release, table), across, size.foot, 2),
        *lines(_source(about.publisher, about.licence, certificate.shown_day, address), across, size.foot, 3),
    ]
    bottom = size.height - MARGIN - round(1.3 * size.foot) * len(source)
    for place, line in enumerate(source, 1):
        _write(root, line, bottom + round(1.3 * size.foot) * place, size.foot, {"fill": LIGHT.muted})
    _place(root, drawn.figure, depth + size.text, bottom - size.text // 2, size)
    if said.status == "superseded":
        _band(root, size)
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root)


def lines(text: str, across: float, size: float, most: int) -> list[str]:
    """Break a text into lines, cut between two words with an ellipsis where there are more: never inside a number."""
    found = textwrap.wrap(visible(text), int(across / (size * LETTER)), break_on_hyphens=False)
    if len(found) <= most:
        return found
    kept = re.sub(r"[\s,;:.–]*(?:\s[\d\s,.\u202f±%–()]+)?$", "", found[most - 1])
    return [*found[: most - 1], f"{kept} …"]


def _finding(release: Release, table: str) -> str:
    stated = release.certificate.statements
    if stated and stated.lead is not None and stated.lead.table == table:
        return lead(release)
    own = stated.tables.get(table, ()) if stated else ()
    return sentence(release, table, own[0]) if own else StatisticLabel.of(release.certificate, table).name


def _source(publisher: str, licence: str, day: str, address: str) -> str:
    named = ", ".join(filter(None, (publisher or tell("press_unnamed"), licence or tell("press_no_licence"))))
    parts = (tell("press_source", office=named), day, re.sub(r"^https?://", "", address), tell("press_noise"))
    return " · ".join(filter(None, parts))


def _marked(release: Release, table: str) -> str:
    """Say how many numbers are not reliable; nothing where all are."""
    letters = Counter(grades(release.certificate, table, release.tables[table]))
    total, caution, noisy = letters.total(), letters[Grade.CAUTION], letters[Grade.UNRELIABLE] + letters[Grade.NONE]
    told = [tell("press_caution", n=shown(caution), total=shown(total))] if caution else []
    told += [tell("press_noisy", n=shown(noisy), total=shown(total))] if noisy else []
    return " · ".join(told)


def _write(root: ElementTree.Element, text: str, depth: float, size: int, look: dict[str, str]) -> None:
    place = {"x": str(MARGIN), "y": str(depth), "font-size": str(size)}
    ElementTree.SubElement(root, f"{{{SVG}}}text", place | look).text = text


def _place(root: ElementTree.Element, figure: bytes, top: float, bottom: float, size: PressSize) -> None:
    """Put a chart between two heights, as large as fits, at most twice its size."""
    chart = ElementTree.fromstring(figure)  # noqa: S314 (our own, just made)
    width, height = float(chart.attrib["width"]), float(chart.attrib["height"])
    scale = min(SCALE, (size.width - 2 * MARGIN) / width * 1.01, (bottom - top) / height)
    body = ElementTree.SubElement(root, f"{{{SVG}}}g", {"transform": f"translate({MARGIN},{top}) scale({scale:.4f})"})
    body.extend(each for each in chart if each.tag != f"{{{SVG}}}style")


def _band(root: ElementTree.Element, size: PressSize) -> None:
    """Draw the word that the release was replaced across the picture."""
    middle = f"translate({size.width // 2},{size.height // 2}) rotate(-25)"
    band = ElementTree.SubElement(root, f"{{{SVG}}}g", {"transform": middle})
    box = {"x": str(-size.width), "y": "-60", "width": str(2 * size.width), "height": "120", "fill": LIGHT.ink}
    ElementTree.SubElement(band, f"{{{SVG}}}rect", box | {"opacity": "0.8"})
    look = {"text-anchor": "middle", "y": "24", "font-size": "68", "font-weight": "bold", "fill": LIGHT.paper}
    ElementTree.SubElement(band, f"{{{SVG}}}text", look).text = tell("press_replaced")
