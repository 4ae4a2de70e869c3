"""Entry of a release in a list: its title, its finding, and a small picture of the table that the finding is of."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.bundle.described import withheld
from dprelease.charts.spark import spark
from dprelease.errors import InputError, IntegrityError
from dprelease.model.grade import QUOTABLE, grades
from dprelease.model.release import Release, alone
from dprelease.portal.shelf import Bundle
from dprelease.statements.families import places_of
from dprelease.statements.sentences import lead
from dprelease.words.language import day_in_words
from dprelease.words.pages import tell
from dprelease.words.phrases import visible
from dprelease.words.sentences import Html

NO_PICTURE = ("number", "better", "no_better")
"""Ways of a lead whose table is no row of like numbers."""
ROWS = "rows"


@dataclass(frozen=True, slots=True)
class ReleaseEntry:
    """Release as a list shows it, in the language that is spoken. It never changes: notices stand beside it."""

    id: str
    title: str
    finding: str
    """Lead of the release; empty where its files were changed."""
    about: str
    """Day of publication, and what there is: its number of tables, or synthetic rows."""
    picture: Html
    """SVG without words; empty where nothing can be quoted, and for a single number."""

    @classmethod
    def of(cls, bundle: Bundle) -> ReleaseEntry:
        facts = bundle.certificate
        finding, picture = stated(bundle)
        rows = any(each.output == ROWS for each in facts.statistics)
        what = tell("entry_rows") if rows else tell("entry_tables", len(bundle.tables), count=len(bundle.tables))
        what = tell("entry_none") if facts.is_withheld else what
        about = tell("entry_about", day=day_in_words(facts.day), what=what)
        return cls(bundle.id, visible(facts.called), withheld(facts) or finding, about, picture)


def stated(bundle: Bundle) -> tuple[str, Html]:
    """Return the lead of a release and its picture, for which one table is read; empty where its files were changed."""
    certificate = bundle.certificate
    first = certificate.statements.lead if certificate.statements else None
    if first is None:
        return lead(Release(certificate=certificate, outputs={})), Html()
    try:
        own = alone(certificate, first.table, bundle.table(first.table))
    except (InputError, IntegrityError):
        return "", Html()
    return lead(own), small_picture(own)


def small_picture(release: Release) -> Html:
    """Draw the numbers of the lead's table that can be quoted as bars from zero; others leave their places empty.

    Where the lead is about totals of one key, these are drawn; no totals else, and no periods that bounds cut. Empty
    for a release without a lead, and for a lead that is one number or of a model.
    """
    certificate = release.certificate
    first = certificate.statements.lead if certificate.statements else None
    if first is None or first.way in NO_PICTURE or first.table not in release.tables:
        return Html()
    table, estimates = first.table, release.tables[first.table]
    letters = list(grades(certificate, table, estimates))
    places = places_of(estimates, certificate.asked(table), first.axis if isinstance(first.axis, int) else None)
    cells = [estimates.value[place] if letters[place] in QUOTABLE else None for place in places]
    return Html(spark([float(cell) if isinstance(cell, int | float) else None for cell in cells]))
