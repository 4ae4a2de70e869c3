"""The page of a release, rendered from facts of the release and of the place where the page stands."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dprelease.bundle import guarantee
from dprelease.bundle.catalogues import schema_org
from dprelease.bundle.described import Described, criteria, withheld
from dprelease.bundle.moved import moved_words
from dprelease.bundle.page.cards import anchor, cards, has_figure
from dprelease.bundle.page.place import LEAD, PageFigure, PagePlace
from dprelease.bundle.reliability import GradeCounts, rule, summary
from dprelease.model.certificate import Certificate
from dprelease.model.release import Release
from dprelease.model.stated import StatedMechanism
from dprelease.statements.counts import copies
from dprelease.statements.display import exact, margin, shown
from dprelease.statements.lead import headlines
from dprelease.statements.sentences import how_often_wrong, lead
from dprelease.words.language import day_in_words, language, period_in_words
from dprelease.words.pages import tell, tell_html
from dprelease.words.phrases import visible
from dprelease.words.releases import json_html, say
from dprelease.words.sentences import Html, isolated

if TYPE_CHECKING:
    from dprelease.charts.picture import Picture

SIZE = re.compile(rb' width="([0-9.]+)" height="([0-9.]+)"')
TEMPLATES = Path(__file__).parents[1] / "templates"
UNFOLDED, MAX_UNFOLDED = 2, 6
"""Number of cards that are open where a release has more than six tables; the others show their finding."""
MAX_CONTENTS = 8
"""Largest number of tables in the contents that are not folded."""
MAX_HEADLINES = 2
"""Largest number of numbers on the first screen, beside the lead."""


@cache
def environment(*beside: Path) -> Environment:
    """Return the templates of this room and of folders beside it, with everything escaped that is not HTML already."""
    result = Environment(
        loader=FileSystemLoader((*beside, TEMPLATES)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    result.filters |= {"show": isolated, "visible": lambda value: visible(str(value))}
    result.globals |= {"tell": tell, "tell_html": tell_html, "exact": exact}
    return result


@dataclass(frozen=True, slots=True)
class Placed:
    """Picture placed on a page, whoever drew it."""

    figure: bytes = b'<svg width="1" height="1"/>'
    notes: tuple[str, ...] = ()
    narrow: Placed | None = None


def page(release: Release, pictures: Mapping[str, Picture | Placed], described: Described, fingerprint: str) -> bytes:
    """Return the page in the bundle: complete in one file, with its charts, and metadata for search engines."""
    place = PagePlace(
        figure=lambda name: _figure(pictures[name]) if name in pictures else None,
        acts=lambda _: (),
        command=f"dprelease verify {release.id} --key {fingerprint}",
    )
    twice = copies(release.certificate)
    counted = {name: GradeCounts.of(release, name) for name in release.tables if name not in twice}
    html = (
        environment()
        .get_template("release.html.j2")
        .render(
            **view(release, place, counted),
            code=language(),
            root="",
            top="",
            others=[],
            dataset=json_html(schema_org(described)),
        )
    )
    return html.encode()


def view(release: Release, place: PagePlace, counted: Mapping[str, GradeCounts]) -> dict[str, Any]:
    """Return all that the template of a release shows. `counted`: the grades of each table that is no copy."""
    certificate = release.certificate
    population, size = certificate.population, certificate.population.size
    sentence, details = guarantee.promise(certificate)
    cap = tell_html(
        "loss",
        epsilon=guarantee.fact(certificate, "population.epsilon_cap", exact(population.epsilon_cap)),
        delta=guarantee.fact(certificate, "population.delta_cap", exact(population.delta_cap)),
    )
    shown_cards = list(cards(release, place, counted))
    edition = period_in_words(certificate.edition)
    about, day = certificate.about, day_in_words(place.day or certificate.shown_day)
    return {
        "id": release.id,
        "place": place,
        "facts": certificate,
        "about": about,
        "title": certificate.called,
        "description": _paragraphs(certificate.description),
        "line": " · ".join(filter(None, (about.region or population.name, edition, day, _state(place)))),
        "tier": guarantee.tier(certificate.guarantee.epsilon, certificate.guarantee.unit),
        "promise": sentence,
        "details": [guarantee.adversary(certificate), *details],
        **guarantee.stated(certificate),
        "size": None if size is None else shown(size),
        "cap": cap,
        "where": guarantee.where(certificate),
        "steps": ", ".join(map(tell, certificate.plan.get("postprocess", ()))),
        "versions": ", ".join(f"{name} {version}" for name, version in sorted(certificate.versions.items())),
        "mechanisms": list(_mechanisms(certificate)),
        "cards": shown_cards,
        "unfolded": UNFOLDED if len(shown_cards) > MAX_UNFOLDED else len(shown_cards),
        "toc": MAX_CONTENTS,
        "supersedes": certificate.supersedes,
        "entry": bool(release.entry),
        "lead": lead(release),
        "lead_figure": place.figure(LEAD),
        "lead_card": _lead_card(certificate, shown_cards),
        "wrong": how_often_wrong(certificate),
        "headlines": headlines(release)[:MAX_HEADLINES],
        "withheld": withheld(certificate),
        "criteria": criteria(certificate),
        "caveats": guarantee.caveats(certificate),
        "grades": rule(certificate),
        "graded": summary(counted.values()),
        "day_in_words": day_in_words,
        "moved": lambda notice: " ".join(moved_words(notice.get("moved", {}), certificate)),
    }


def _lead_card(certificate: Certificate, shown_cards: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the card whose finding stands first; None where none does."""
    own = certificate.statements.lead if certificate.statements else None
    return next((card for card in shown_cards if own is not None and card["id"] == own.table), None)


def _state(place: PagePlace) -> str:
    """Return the state of a release in one word; empty where it is not known, as in the bundle."""
    states = {"current": "state_final", "corrected": "state_corrected", "superseded": "state_replaced"}
    return tell(states[place.said.status]) if place.said is not None and place.said.status in states else ""


def figures(release: Release) -> Iterator[tuple[str, bool]]:
    """Yield the page's pictures in order: the table of each, and True for the one for phones."""
    if not release.certificate.has_charts:
        return
    twice = copies(release.certificate)
    for name, table in release.tables.items():
        if name not in twice and has_figure(release, name):
            yield from ((name, narrow) for narrow in (True, False) if not narrow or len(table) > 1)


def size_of(svg: bytes) -> tuple[str, str]:
    """Return width and height of a picture, in pixels; of one that does not say, those of a usual one."""
    match = SIZE.search(svg)
    return ("825", "537") if match is None else (match[1].decode(), match[2].decode())


def _figure(picture: Picture | Placed) -> PageFigure:
    """Return a picture within the page, with the one for phones."""
    image = f"data:image/svg+xml;base64,{b64encode(picture.figure).decode()}"
    narrow = _figure(picture.narrow) if picture.narrow is not None else None
    return PageFigure(image, *size_of(picture.figure), picture.notes, narrow)


def _paragraphs(text: str) -> Html:
    """Return text with its line breaks kept."""
    return Html("\n".join(isolated(line) if line else "" for line in text.splitlines()))


def _mechanisms(certificate: Certificate) -> Iterator[Mapping[str, Any]]:
    """Yield each statistic with a line per mechanism; one line where its counts follow from another's."""
    for statistic in certificate.statistics:
        error, basis = statistic.error95, statistic.basis
        nothing = dict.fromkeys(("scale", "sensitivity"), "") | dict.fromkeys(("loss", "delta"), "0")
        yield {
            "id": statistic.id,
            "anchor": anchor(statistic.id),
            "cells": shown(statistic.cells),
            "error": "" if error is None else say(f"error_{basis}", error=margin(error)),
            "lines": [_mechanism(certificate, mechanism) for mechanism in certificate.mechanisms(statistic)]
            or [{**nothing, "mechanism": guarantee.follows(statistic)}],
        }


def _mechanism(certificate: Certificate, mechanism: StatedMechanism) -> Mapping[str, str]:
    spent = mechanism.loss.exactly
    return {
        "mechanism": guarantee.mechanism(mechanism.name),
        "scale": shown(mechanism.scale, digits=5),
        "sensitivity": guarantee.sensitivity(mechanism),
        "loss": guarantee.figure(certificate, spent.amount),
        "delta": guarantee.figure(certificate, spent.delta),
    }
