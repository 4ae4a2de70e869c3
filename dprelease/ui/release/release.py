"""A published release: the parts of its page, its line in a list, and the notices about it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import streamlit as st

from dprelease.bundle import guarantee
from dprelease.bundle.derived import DerivedTable, all_derived
from dprelease.bundle.described import criteria, withheld
from dprelease.bundle.model_card import card
from dprelease.bundle.reliability import GradeCounts, reliability
from dprelease.bundle.synthetic import beside_rows, row_files_of
from dprelease.charts.cells import TableText, further
from dprelease.charts.cells import head as head_of
from dprelease.charts.renderer import Alike, alike
from dprelease.errors import InputError
from dprelease.model.release import Release
from dprelease.statements.counts import copies
from dprelease.statements.display import exact, margin, shown
from dprelease.statements.lead import Headline, headlines
from dprelease.statements.number import said
from dprelease.statements.question import StatisticLabel
from dprelease.statements.sentences import lead, told
from dprelease.ui.kit import blocks, charts
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import act, box
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.release.rows_comparison import REPORT, beside
from dprelease.ui.release.small import bars, state
from dprelease.ui.screens import link
from dprelease.ui.words import as_label, known, say, say_html, say_label
from dprelease.words.language import ENGLISH, language
from dprelease.words.sentences import Html, isolated
from dprelease.workspace import NoticeRecord

MAX_ROWS = 200
MAX_TEXT = 2000
COUNTED = 1000
"""Maximum number of tables whose counts of numbers by grade are kept."""


def page(release: Release) -> None:
    """Show the whole release."""
    head(release)
    notices(release)
    about(release)
    promise(release)
    results(release)
    files(release)
    verification(release, workspace().public_key)
    exact_guarantee(release)
    if may("add_erratum"):
        erratum(release)


def head(release: Release) -> None:
    """Show the release's title, when and about whom."""
    facts = release.certificate
    st.html(fill('<h1 class="dp-h1">{}</h1>', isolated(facts.called)))
    values = {"published": day(facts.day), "population": facts.population.name, "id": release.id}
    blocks.markup(say_html("release_meta", **values), "dp-note")


def about(release: Release) -> None:
    """Show the release's description, and which rows were used."""
    facts = release.certificate
    rows = guarantee.where(facts)
    if rows:
        blocks.note("release_rows_used", rows=rows)
    if facts.description:
        blocks.markup(isolated(facts.description))


def notices(release: Release) -> None:
    """Show whether a release is withheld, what was said of it since publication, and what it takes the place of."""
    if release.is_withheld:
        found = {True: say("release_held"), False: say("release_failed")}
        asked = joined(
            fill("<li>{}: {} {}</li>", line["statistic"], line["asked"], found[line["held"]])
            for line in criteria(release.certificate)
        )
        box(fill("<p><strong>{}</strong></p><ul>{}</ul>", withheld(release.certificate), asked), kind="warning")
    for notice in workspace().releases.notices(release.id, actor=actor()):
        show_notice(notice)
    earlier = release.certificate.supersedes
    if earlier:
        blocks.note("release_supersedes", id=earlier)
        open_release(earlier)


def erratum(release: Release) -> None:
    """Ask staff what is wrong with the release."""
    with st.expander(say("erratum_add")), st.form(f"erratum-{release.id}", border=False, clear_on_submit=True):
        text = st.text_area(say("erratum_text"), help=say("erratum_help"), max_chars=MAX_TEXT, height=100)
        blocks.note("erratum_help")
        if st.form_submit_button(say("erratum_save")):
            act("erratum_saved", lambda: workspace().releases.add_erratum(release.id, text, actor=actor()))


def promise(release: Release) -> None:
    """Show the guarantee in plain words, then the numbers stated whole."""
    sentence, details = guarantee.promise(release.certificate)
    lead = fill("<p><strong>{}</strong></p>", guarantee.tier(release.certificate))
    paragraphs = joined(
        (lead, *(fill("<p>{}</p>", item) for item in (sentence, guarantee.adversary(release.certificate), *details)))
    )
    whole = fill('<p class="dp-whole">{}</p>', guarantee.whole(release.certificate))
    box(joined((paragraphs, whole)), kind="promise")
    if found := headlines(release):
        line = "<div><dt>{}</dt><dd>{} <small>{}</small><br><small>{}</small></dd></div>"
        items = (
            fill(line, isolated(each.name), each.value, each.measure, say("release_interval", **_ends(each)))
            for each in found
        )
        st.html(fill('<dl class="dp-numbers dp-headlines">{}</dl>', joined(items)))


def _ends(item: Headline) -> dict[str, str]:
    return {"lower": item.lower, "upper": item.upper}


def results(release: Release) -> None:
    """Show every statistic: its question, its chart, its table. A single number needs neither chart nor table."""
    blocks.heading("release_results")
    every = list(all_derived(release).values())
    if first := lead(release):
        blocks.markup(fill("<strong>{}</strong>", isolated(first)), "dp-lead")
    twice = copies(release.certificate)
    for name, estimates in release.tables.items():
        if name in twice:
            continue
        _model(release, name)
        asked = StatisticLabel.of(release.certificate, name)
        single = len(estimates) == 1 and not estimates.key_names
        blocks.subheading(asked.name, hidden=not single and len(estimates) > 0)
        if found := told(release, name):
            blocks.markup(fill("<strong>{}</strong>", isolated(found)))
        if single:
            _number(release, name)
        elif not len(estimates):
            blocks.text("release_nothing")
        else:
            if release.certificate.has_charts:
                charts.image(chart_address(release, name), say("release_chart_alt", question=asked.name))
            _table(release, name)
        made = row_files_of(release.certificate, name)
        if made:
            blocks.markup(isolated(beside_rows(release.certificate, name)), "dp-note")
        blocks.links(
            [
                blocks.anchor(f"/api/releases/{release.id}/tables/{name}.csv", say("release_csv"), download=True),
                *(
                    blocks.anchor(f"/r/{release.id}/{path}", say(f"release_rows_{what}"), download=True)
                    for what, path in made.items()
                ),
                *(
                    [blocks.anchor(f"/r/{release.id}/tables/{name}.answers.csv", say("release_answers"), download=True)]
                    if "perturbed" in estimates.extra
                    else []
                ),
                *(
                    [blocks.anchor(f"/r/{release.id}/charts/{name}.svg", say("release_svg"))]
                    if release.certificate.has_charts
                    else []
                ),
            ]
        )
        for each in every:
            if each.asked.of == name:
                _derived(release, each)
        if made and release.certificate.asked(name)["kind"] == REPORT:
            beside(release, release.certificate.statistic(name).id)


def _model(release: Release, name: str) -> None:
    """Show the card of a model before the first of its tables, and the way to where it can be tried."""
    told = card(release, name)
    if told is None:
        return
    blocks.subheading(told["title"])
    for heading, text in told["lines"]:
        blocks.markup(fill("<strong>{}.</strong> {}", heading, isolated(text)))
    numbers = range(told["keys"], len(told["heads"]))
    blocks.table(told["caption"], told["heads"], told["rows"], numbers=[*numbers])
    if told["hidden"]:
        link = blocks.anchor(f"/r/{release.id}/{told['json']}", told["json"], download=True)
        blocks.markup(fill("{} {}", told["hidden"], link), "dp-note")
        return
    address = f"{portal_address(release)}#model-{told['id']}"
    blocks.links([blocks.anchor(address, say("release_try_model"))])


def _derived(release: Release, own: DerivedTable) -> None:
    """Show a table derived from the counts of another, below it."""
    blocks.subheading(own.question.name)
    blocks.markup(isolated(own.explanation), "dp-note")
    _cells(own.text(MAX_ROWS))
    path = f"/r/{release.id}/derived/{own.asked.id}.csv"
    blocks.links([blocks.anchor(path, say("release_csv"), download=True)])


def chart_address(release: Release, name: str) -> str:
    """Return the address of the signed chart, which is in English; else of one drawn from the same numbers."""
    facts = release.certificate
    if language() == ENGLISH and facts.is_ours and alike(facts.versions) is Alike.DRAWING:
        return f"/r/{release.id}/charts/{name}.svg"
    return f"{portal_address(release)}chart-{name}.svg"


def _number(release: Release, name: str) -> None:
    reading = TableText.of(release, name, 1)
    estimates, asked = reading.estimates, reading.question
    (row,) = estimates
    extra = {name: column[0] for name, column in estimates.extra.items()}
    grade = next(iter(reading.grades), None)
    value, lower, upper = said(asked, row.value, row.lower95, row.upper95, grade=grade)
    blocks.markup(fill("{} <small>{}</small>", value, asked.measure), "dp-number-large")
    if lower:
        blocks.note("release_interval", lower=lower, upper=upper)
    for name, text in zip(extra, further(asked, extra, row.lower95, row.upper95, grade), strict=True):
        blocks.note("release_further", head=head_of(name), value=text)


def _table(release: Release, name: str) -> None:
    _cells(TableText.of(release, name, MAX_ROWS))
    known = _counted(release.id, name)
    if not known:
        known.append(GradeCounts.of(release, name))
    for sentence in reliability(release, name, known[0]):
        blocks.markup(isolated(sentence), "dp-note")


def _cells(reading: TableText) -> None:
    numbers = [place for place, numeric in enumerate(reading.numeric()) if numeric]
    body = [
        [*(label or text for (label, _), text in zip(labels, row, strict=False)), *row[reading.keys :]]
        for row, labels in zip(reading.body(), reading.labels(), strict=True)
    ]
    blocks.table(reading.question.name, reading.heads(), body, numbers=numbers, keys=reading.keys)
    if reading.rows < len(reading.estimates):
        blocks.note("release_rows", shown=shown(reading.rows), cells=shown(len(reading.estimates)))


@lru_cache(maxsize=COUNTED)
def _counted(release_id: str, name: str) -> list[GradeCounts]:
    """Return the cached list, filled by `_table`, of a table's numbers by grade: to count them takes a moment."""
    return []


def files(release: Release) -> None:
    """Show all files of the bundle."""
    blocks.heading("release_files")
    base = f"/api/releases/{release.id}"
    blocks.links(
        [
            blocks.anchor(f"{base}/bundle.zip", say("release_bundle"), download=True),
            blocks.anchor(base, say("release_certificate")),
            blocks.anchor(f"/r/{release.id}/datapackage.json", say("release_package")),
            blocks.anchor(f"/r/{release.id}/", say("release_page")),
            blocks.anchor(portal_address(release), say("release_portal")),
        ]
    )


def portal_address(release: Release) -> str:
    """Return the address of a release in the public portal, in the language that is spoken."""
    spoken = "" if language() == ENGLISH else f"{language()}/"
    return f"/public/{spoken}release/{release.id}/"


def verification(release: Release, fingerprint: str) -> None:
    """Show the command that checks the download."""
    blocks.heading("release_verify")
    blocks.text("release_verify_text")
    blocks.code(f"dprelease verify {release.id}.zip --key {fingerprint}")
    blocks.note("release_verify_key")


def show_notice(notice: NoticeRecord) -> None:
    """Show what a notice says, and the way to the release that takes the place."""
    kind = fill("<strong>{}</strong>", known(f"notice_{notice.kind}", notice.kind))
    text = say_html("notice_text", on=day(notice.published_on), text=notice.text)
    box(fill("<p>{}</p>{}", kind, text), kind="warning")
    if notice.superseded_by is not None:
        open_release(notice.superseded_by)


def open_release(release_id: str) -> None:
    """Show a link to another release, by its title."""
    try:
        title = workspace().releases.get(release_id, actor=actor()).certificate.called
    except InputError:
        return
    link("release", say_label("releases_open", title=title), id=release_id)


def release_list(releases: Sequence[Release]) -> None:
    """Show releases, newest first, as given; say so where there are none."""
    if not releases:
        blocks.text("releases_none")
    for release in releases:
        facts = release.certificate
        with st.container(key=f"release-{release.id}", gap=None):
            with st.container(horizontal=True, wrap=False):
                with st.container(gap=None):
                    link("release", as_label(facts.called), id=release.id)
                    values = {"published": day(facts.day), "population": facts.population.name}
                    blocks.markup(joined([state(release), say_html("releases_meta", **values)]), "dp-note")
                st.html(bars(release), width=130)
            for notice in workspace().releases.notices(release.id, actor=actor()):
                show_notice(notice)
            if release.is_withheld:
                blocks.markup(isolated(withheld(facts)))
            blocks.markup(guarantee.whole(facts), "dp-note")


def exact_guarantee(release: Release) -> None:
    """Show unit, relation, loss, cap, mechanisms and what is not promised."""
    facts = release.certificate
    population, spent = facts.population, facts.cumulative
    cap = say_html("loss", epsilon=exact(population.epsilon_cap), delta=exact(population.delta_cap))
    so_far, own = (
        say_html("loss", epsilon=guarantee.figure(facts, stated.epsilon), delta=guarantee.figure(facts, stated.delta))
        for stated in (spent, facts.guarantee)
    )
    exchange, where, counted = guarantee.exchange(facts), guarantee.where(facts), guarantee.counted(facts)
    groups, institutions = guarantee.groups(facts), guarantee.institutions(facts)
    blocks.heading("release_exact")
    blocks.facts(
        [
            ("release_loss", own),
            *([("release_counted", counted)] if counted is not None else []),
            *([("release_institutions", _lines(institutions))] if institutions else []),
            ("release_unit", guarantee.unit(facts)),
            ("release_relation", guarantee.relation(facts)),
            *([("release_exchange", exchange)] if exchange is not None else []),
            *([("release_groups", _lines(groups))] if groups else []),
            ("release_spent", so_far),
            ("release_cap", cap),
            ("release_composition", guarantee.composition(facts)),
            *([("release_where", where)] if where else []),
            ("release_ledger", shown(facts.ledger.seq)),
            ("release_plan", fill("<code>{}</code>", facts.plan_hash)),
        ]
    )
    _mechanisms(release)
    blocks.heading("release_caveats")
    items = joined(fill("<li>{}</li>", caveat) for caveat in guarantee.caveats(facts))
    st.html(fill('<ul class="dp-caveats">{}</ul>', items))


def _lines(sentences: Sequence[Html]) -> Html:
    return joined(fill("{}<br>", sentence) for sentence in sentences)


def _mechanisms(release: Release) -> None:
    blocks.subheading(say("release_mechanisms"))
    heads = [say(f"price_{head}") for head in ("statistic", "mechanism", "scale")]
    heads += [guarantee.symbol(release.certificate), say("price_delta"), say("price_error")]
    rows = []
    for statistic in release.certificate.statistics:
        error = statistic.error95
        shown_error = "" if error is None else say(f"release_error_{statistic.basis}", margin=margin(error))
        own = release.certificate.mechanisms(statistic)
        for mechanism in own:
            spent = mechanism.loss.exactly
            scale = shown(float(f"{mechanism.scale:.4g}"))
            amounts = tuple(guarantee.figure(release.certificate, part) for part in (spent.amount, spent.delta))
            rows.append((statistic.id, guarantee.mechanism(mechanism.name), scale, *amounts, shown_error))
        if not own:
            rows.append((statistic.id, guarantee.follows(statistic), "", "0", "0", shown_error))
    blocks.table(say("release_mechanisms_caption"), heads, rows, numbers=(2, 3, 4, 5))
