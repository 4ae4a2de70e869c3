"""Page of a release for its readers: index.html, complete in one file, without scripts."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dprelease.bundle import guarantee
from dprelease.bundle.annotated import GRADE, free
from dprelease.bundle.catalogues import schema_org
from dprelease.bundle.derived import DerivedTable, all_derived, public_path
from dprelease.bundle.described import Described, criteria, withheld
from dprelease.bundle.listing import picture_path, specification_path
from dprelease.bundle.model_card import card
from dprelease.bundle.outputs import has_integers, measured_path
from dprelease.bundle.pivot import pivot
from dprelease.bundle.pmml import pmml_of
from dprelease.bundle.reliability import GradeCounts, reliability, rule, summary
from dprelease.bundle.row_dictionary import shown_paths
from dprelease.bundle.synthetic import beside_rows, copied
from dprelease.bundle.tables import written
from dprelease.bundle.wide import is_given_wide
from dprelease.charts.cells import TableText
from dprelease.model.certificate import Certificate
from dprelease.model.grade import COUNT
from dprelease.model.release import Estimates, Release
from dprelease.model.stated import StatedMechanism
from dprelease.model.statistic import statistic_of
from dprelease.statements.counts import copies
from dprelease.statements.display import exact, margin, shown
from dprelease.statements.lead import headlines
from dprelease.statements.question import StatisticLabel
from dprelease.statements.ranks import is_by_rank
from dprelease.statements.sentences import how_often_wrong, lead, told
from dprelease.words.language import language
from dprelease.words.phrases import visible
from dprelease.words.releases import json_html, say, say_html
from dprelease.words.sentences import Html, isolated

if TYPE_CHECKING:
    from dprelease.charts.picture import Picture

MAX_ROWS = 200
"""Largest number of rows of a table on the page; a note states how many there are."""
MAX_OPEN = 30
"""Largest number of rows of a table that is shown open below its chart."""
PLACES = ("v", "lo", "hi")
SIZES = {0: "no_category", 1: "one_row"}
SIZE = re.compile(rb' width="([0-9.]+)" height="([0-9.]+)"')
TEMPLATES = Path(__file__).parent / "templates"


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
    return result


def page(release: Release, pictures: Mapping[str, Picture | Placed], described: Described, fingerprint: str) -> bytes:
    """Return the page of one release, with its charts in it, and metadata for search engines."""
    certificate = release.certificate
    sentence, details = guarantee.promise(certificate)
    population, ledger = certificate.population, certificate.ledger
    cap = say_html(
        "loss",
        epsilon=guarantee.fact(certificate, "population.epsilon_cap", exact(population.epsilon_cap)),
        delta=guarantee.fact(certificate, "population.delta_cap", exact(population.delta_cap)),
    )
    size = population.size
    twice = copies(certificate)
    counted = {name: GradeCounts.of(release, name) for name in release.tables if name not in twice}
    rates = list(all_derived(release).values())
    html = (
        environment()
        .get_template("index.html.j2")
        .render(
            id=release.id,
            title=certificate.called,
            description=_paragraphs(certificate.description),
            published=certificate.day,
            population=population,
            tier=guarantee.tier(certificate),
            promise=sentence,
            promise_details=details,
            **guarantee.stated(certificate),
            size=None if size is None else say_html("size", size=shown(size)),
            cap=cap,
            where=guarantee.where(certificate),
            ledger=ledger,
            entry=bool(release.entry),
            plan_hash=certificate.plan_hash,
            versions=", ".join(f"{name} {version}" for name, version in sorted(certificate.versions.items())),
            mechanisms=list(_mechanisms(certificate)),
            items=[_item(release, name, pictures.get(name), counted[name], rates) for name in counted],
            lead=lead(release),
            wrong=how_often_wrong(certificate),
            headlines=headlines(release),
            withheld=withheld(certificate),
            criteria=criteria(certificate),
            caveats=guarantee.caveats(certificate),
            fingerprint=fingerprint,
            dataset=json_html(schema_org(described)),
            publisher=described.about.publisher,
            licence=described.about.licence,
            licence_address=described.about.licence_address,
            supersedes=certificate.supersedes,
            grades=rule(certificate),
            graded=summary(counted.values()),
        )
    )
    return html.encode()


@dataclass(frozen=True, slots=True)
class Placed:
    """Picture placed on a page, whoever drew it."""

    figure: bytes = b'<svg width="1" height="1"/>'
    notes: tuple[str, ...] = ()
    narrow: Placed | None = None


def figures(release: Release) -> Iterator[tuple[str, bool]]:
    """Yield the page's pictures in order: the table of each, and True for the one for phones."""
    twice = copies(release.certificate)
    for name, table in release.tables.items() if release.certificate.has_charts else ():
        if not is_single(table) and name not in twice:
            yield from ((name, narrow) for narrow in (True, False) if not narrow or len(table) > 1)


def is_single(table: Estimates) -> bool:
    """Return True for a table of one number, whose page needs no picture."""
    return len(table) == 1 and table.value[0] is not None


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


def _chart(picture: Picture | Placed, words: str) -> Mapping[str, Any]:
    """Return a chart within the page. `narrow`: the one for phones, where there is one."""
    width, height = SIZE.search(picture.figure).groups()  # type: ignore[union-attr]
    image = f"data:image/svg+xml;base64,{b64encode(picture.figure).decode()}"
    narrow = _chart(picture.narrow, words) if picture.narrow is not None else None
    return {"image": image, "alt": words, "width": width.decode(), "height": height.decode(), "narrow": narrow}


def _item(
    release: Release,
    statistic: str,
    picture: Picture | Placed | None,
    counted: GradeCounts,
    rates: Sequence[DerivedTable],
) -> Mapping[str, Any]:
    """Return the page's entry of one statistic."""
    question = StatisticLabel.of(release.certificate, statistic)
    estimates = release.tables[statistic]
    reading = TableText.of(release, statistic, MAX_ROWS)
    rows, cells = reading.rows, len(estimates)
    size = "first_rows" if rows < cells else SIZES.get(cells, "all_rows")
    own = "values_graded" if reading.grades else "values"
    own = "values_by_rank" if is_by_rank(release.certificate, statistic) else own
    caption = "values_with_intervals" if reading.intervals else own
    if estimates.extra.keys() >= set(COUNT):
        caption = "counts_with_intervals"
    looks = ["number" if numbers else "text" for numbers in reading.numeric()]
    own = statistic_of(statistic)
    further = shown_paths(release.certificate.statistic(statistic))
    if has_integers(release.outputs[own]) and measured_path(own) not in further:
        further = (*further, measured_path(own))
    return {
        "id": statistic,
        "anchor": anchor(statistic),
        "question": question.text,
        "name": question.name,
        "remark": remark_on(release.certificate, statistic),
        "contents": counted.contents,
        "finding": told(release, statistic),
        "folded": rows > MAX_OPEN,
        "pivot": pivot(release, statistic),
        "caption": say_html(caption, measure=question.measure),
        "reliability": list(reliability(release, statistic, counted)),
        "table": say("table", question=question.name),
        "single": is_single(estimates),
        "chart": None if picture is None else _chart(picture, say("chart", question=question.name)),
        "notes": () if picture is None else picture.notes,
        "rows": say(size, rows=shown(rows), cells=shown(cells)),
        "csv": f"tables/{statistic}.csv",
        "wide": f"wide/{statistic}.csv" if is_given_wide(release, statistic) else None,
        "answers": f"tables/{statistic}.answers.csv" if "perturbed" in estimates.extra else None,
        "beside": next(iter(further), None),
        "further": further,
        "synthetic": beside_rows(release.certificate, statistic),
        "copied": copied(release.certificate, statistic),
        "copied_files": list(_copied_files(release, statistic)),
        "pmml": pmml_of(release, statistic),
        "model": card(release, statistic),
        "svg": None if picture is None else picture_path(statistic),
        "vega": None if picture is None else specification_path(statistic),
        "key_columns": reading.keys,
        "places": on_phones(reading),
        "heads": _with(looks, reading.heads()),
        "body": [
            _valued(*each)
            for each in zip(repeat(looks), reading.body(), values(reading), reading.labels(), strict=False)
        ],
        "derived": [_derived(each) for each in rates if each.asked.of == statistic],
    }


def _copied_files(release: Release, statistic: str) -> Iterator[str]:
    """Yield the files of the tables that stand elsewhere on the page, linked from their statistic."""
    own = statistic_of(statistic)
    for name in copies(release.certificate) if copied(release.certificate, statistic) else ():
        if statistic_of(name) == own:
            yield from (f"tables/{name}.csv", f"sdmx/{name}.csv")
            if is_given_wide(release, name):
                yield f"wide/{name}.csv"
            if release.certificate.has_charts:
                yield from (picture_path(name), specification_path(name))


def _derived(rates: DerivedTable) -> Mapping[str, Any]:
    """Return the page's entry of a derived table, below the table of its counts."""
    reading, cells = rates.text(MAX_ROWS), len(rates.estimates)
    looks = ["number" if numbers else "text" for numbers in reading.numeric()]
    return {
        "id": rates.asked.id,
        "anchor": anchor(rates.asked.id),
        "name": rates.question.name,
        "question": rates.question.text,
        "how": rates.explanation,
        "table": say("table", question=rates.question.name),
        "rows": say(
            "first_rows" if reading.rows < cells else SIZES.get(cells, "all_rows"),
            rows=shown(reading.rows),
            cells=shown(cells),
        ),
        "csv": rates.path,
        "folded": reading.rows > MAX_OPEN,
        "json": f"derived/{rates.asked.id}.json",
        "public": None if rates.public is None else public_path(rates.public),
        "weights": None if rates.weights is None else public_path(rates.weights),
        "key_columns": reading.keys,
        "places": on_phones(reading),
        "heads": _with(looks, reading.heads()),
        "body": [
            _valued(*each)
            for each in zip(repeat(looks), reading.body(), values(reading), reading.labels(), strict=False)
        ],
    }


def remark_on(certificate: Certificate, table: str) -> str:
    """Return the plan's note on a statistic in the current language; empty where there is none."""
    own = certificate.texts.statistics.get(table)
    return " ".join(certificate.texts.said(own.note, language())[0].split()) if own is not None else ""


def on_phones(reading: TableText) -> list[str]:
    """Return the class of each column that has a place of its own on a phone: the value, and below it both ends."""
    named = (f" {name}" for name in PLACES[: 3 if reading.intervals else 1])
    return [*("" for _ in range(reading.keys)), *named, *("" for _ in reading.numeric())]


def values(reading: TableText) -> Iterator[list[tuple[str, str]]]:
    """Yield for each row shown its columns and cells as in the file: programs compare the page with them."""
    table, ends = reading.estimates, {"lower95", "upper95"}
    names = [name for name in table.columns if reading.intervals or name not in ends]
    letter = free(GRADE, table)
    for row, grade in zip(islice(table.rows(), reading.rows), reading.grades or repeat(""), strict=False):
        cells = dict(zip(table.columns, row, strict=True))
        yield [*((name, written(cells[name])) for name in names), *([(letter, str(grade))] if reading.graded else [])]


def _valued(
    looks: Sequence[str],
    texts: Sequence[str],
    values: Sequence[tuple[str, str]],
    labels: Sequence[tuple[str, str]],
) -> list[Mapping[str, str]]:
    """Return the cells of a row for the page. `labels`: of the keys, which come first."""
    return [
        {"text": text, "look": look, "column": column, "value": value, "label": label, "spoken": spoken}
        for text, look, (column, value), (label, spoken) in zip(
            texts, looks, values, chain(labels, repeat(("", ""), len(texts) - len(labels))), strict=True
        )
    ]


def anchor(statistic: str) -> str:
    """Return the anchor of a statistic on the page."""
    return f"statistic-{statistic}"


def _with(looks: Sequence[str], texts: Sequence[str]) -> list[Mapping[str, str]]:
    return [{"text": text, "look": look} for text, look in zip(texts, looks, strict=True)]
