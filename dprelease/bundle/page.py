"""index.html: a release for its readers, whole in one file, without scripts."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dprelease.bundle import guarantee
from dprelease.bundle.display import estimate, exact, margin, shown, shown_key, visible
from dprelease.bundle.question import Question
from dprelease.bundle.words import WORDS, Html, isolated, say, say_html
from dprelease.model.privacy import PrivacyLoss, decimal_text
from dprelease.model.release import Cell, Estimates, Release

if TYPE_CHECKING:
    from dprelease.bundle.charts import Picture

MOST_ROWS = 200
SIZE = re.compile(rb' width="([0-9.]+)" height="([0-9.]+)"')
TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment() -> Environment:
    """The templates, with everything escaped unless this room made it HTML."""
    result = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    result.filters |= {"show": isolated, "visible": lambda value: visible(str(value))}
    return result


def page(release: Release, pictures: Mapping[str, Picture], fingerprint: str) -> bytes:
    """The page of one release, with its charts in it."""
    certificate = release.certificate
    sentence, details = guarantee.promise(certificate)
    population, ledger = certificate["population"], certificate["ledger"]
    cap = say_html("loss", epsilon=exact(population["epsilon_cap"]), delta=exact(population["delta_cap"]))
    size = population["size"]
    html = (
        environment()
        .get_template("index.html.j2")
        .render(
            id=release.id,
            title=certificate["title"],
            description=_paragraphs(certificate["description"]),
            published=visible(certificate["published"]),
            population=population,
            promise=sentence,
            promise_details=details,
            whole=guarantee.whole(certificate),
            unit=guarantee.unit(certificate),
            relation=guarantee.relation(certificate),
            exchange=guarantee.exchange(certificate),
            size=None if size is None else say_html("size", size=shown(size)),
            cap=cap,
            where=guarantee.where(certificate),
            ledger=ledger,
            plan_hash=certificate["plan_hash"],
            versions=", ".join(f"{name} {version}" for name, version in sorted(certificate["versions"].items())),
            mechanisms=list(_mechanisms(certificate)),
            items=[_item(release, statistic, pictures[statistic]) for statistic in release.tables],
            caveats=certificate["caveats"],
            fingerprint=fingerprint,
            supersedes=certificate.get("supersedes"),
            errata=certificate.get("errata", []),
        )
    )
    return html.encode()


def _paragraphs(text: str) -> Html:
    """Text with its line breaks kept."""
    return Html("\n".join(isolated(line) if line else "" for line in text.splitlines()))


def _mechanisms(certificate: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """One line for each mechanism of each statistic."""
    for statistic in certificate["statistics"]:
        error, basis = statistic["error95"], statistic["basis"]
        for mechanism in statistic["mechanisms"]:
            name = str(mechanism["name"])
            sensitivity = mechanism["sensitivity"]
            norm = next(norm for norm in ("l1", "l2", "linf") if norm in sensitivity)
            yield {
                "id": statistic["id"],
                "anchor": anchor(statistic["id"]),
                "mechanism": WORDS.get(name, name.replace("_", " ")),
                "scale": shown(mechanism["scale"], digits=5),
                "sensitivity": say(norm, number=shown(sensitivity[norm])),
                "epsilon": decimal_text(PrivacyLoss(epsilon_nano=mechanism["epsilon_nano"]).epsilon),
                "delta": decimal_text(PrivacyLoss(delta_atto=mechanism["delta_atto"]).delta),
                "cells": shown(statistic["cells"]),
                "error": "" if not error else say(f"error_{basis}", error=margin(error)),
            }


def _item(release: Release, statistic: str, picture: Picture) -> Mapping[str, Any]:
    """What the page shows of one statistic."""
    question = Question.of(release, statistic)
    estimates = release.tables[statistic]
    rows, cells = min(MOST_ROWS, len(estimates)), len(estimates)
    intervals = any(lower is not None for lower in islice(estimates.lower95, MOST_ROWS))
    size = "first_rows" if rows < cells else "one_row" if cells == 1 else "all_rows"
    width, height = SIZE.search(picture.figure).groups()  # type: ignore[union-attr]
    return {
        "anchor": anchor(statistic),
        "question": question.text,
        "caption": say_html("values_with_intervals" if intervals else "values", measure=question.measure),
        "single": cells == 1,
        "alt": say("chart", question=question.text),
        "table": say("table", question=question.text),
        "image": f"data:image/svg+xml;base64,{b64encode(picture.figure).decode()}",
        "width": width.decode(),
        "height": height.decode(),
        "notes": picture.notes,
        "rows": say(size, rows=shown(rows), cells=shown(cells)),
        "csv": f"tables/{statistic}.csv",
        "svg": f"charts/{statistic}.svg",
        "key_columns": len(estimates.key_names),
        "heads": list(_heads(estimates, intervals)),
        "body": [list(_row(row, intervals)) for row in islice(estimates.rows(), MOST_ROWS)],
    }


def anchor(statistic: str) -> str:
    """Where a statistic stands on the page."""
    return f"statistic-{statistic}"


def _heads(estimates: Estimates, intervals: bool) -> Iterator[Mapping[str, str]]:
    first = next(estimates.rows())
    for name, cell in zip(estimates.key_names, first[:-3], strict=True):
        yield {"text": name, "look": _look(cell)}
    for name in ("estimate", "lower95", "upper95") if intervals else ("estimate",):
        yield {"text": say(name), "look": "number"}


def _row(row: tuple[Cell, ...], intervals: bool) -> Iterator[Mapping[str, str]]:
    *keys, value, lower, upper = row
    for cell in keys:
        text = shown_key(cell)
        yield {"text": text if text.strip() else say("blank"), "look": _look(cell)}
    for text in estimate(value, lower, upper)[: 3 if intervals else 1]:
        yield {"text": text, "look": "number"}


def _look(cell: Cell) -> str:
    return "text" if isinstance(cell, str) else "number"
