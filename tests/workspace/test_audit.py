"""An audit report says what the ledger says of a population, whole, in either language, and nothing else."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

import dprelease
from dprelease.errors import AccessError, InputError, InsufficientBudgetError
from dprelease.model.actor import PUBLIC
from dprelease.words.language import speaking
from tests.trust import tour
from tests.workspace.test_publish import COLUMNS, ROWS, approved, plan


@pytest.fixture(scope="module")
def ws() -> dprelease.Workspace:
    """One release, one preview, one refused attempt, one other population."""
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1)
    made.add_population("others", unit="person", neighbors="add_remove", epsilon=1)
    made.populations.declare_earlier_releases("people", ["Annual report <b>2024</b>"])
    made.publish(approved(made, plan()))
    made.preview(plan(0.1), draws=10)
    with pytest.raises(InsufficientBudgetError):
        made.publish(approved(made, plan(0.9)))
    return made


def test_every_part_of_the_ledger_is_told(ws: dprelease.Workspace) -> None:
    html = ws.ledger.audit_report("people").html()
    (release,) = ws.releases.find()
    for text in (release.id, "ε = 0.5", "refused", "intact: ", "not attested", ws.public_key, "approved"):
        assert text.lower() in html.lower(), text
    assert "Annual report &lt;b&gt;2024&lt;/b&gt;" in html


def test_it_says_what_the_strongest_adversary_learns(ws: dprelease.Workspace) -> None:
    """e^1 / (1 + e^1) by the cap, e^0.5 / (1 + e^0.5) by the charge, of 100 and rounded up."""
    (found,) = [each for each in ws.ledger.audit_report("people").sections if each.heading == "The strongest adversary"]
    assert [row[1] for row in found.rows] == ["73.2", "62.3"]
    (none,) = [each for each in ws.ledger.audit_report("others").sections if each.heading == "The strongest adversary"]
    assert [row[1] for row in none.rows] == ["73.2", "50"]


def test_it_is_in_the_language_that_is_spoken(ws: dprelease.Workspace) -> None:
    with speaking("es"):
        html = ws.ledger.audit_report("people").html()
    assert '<html lang="es">' in html
    assert "ε = 0,5" in html
    assert "íntegro" in html
    assert "intact" not in html


def test_days_before_the_first_event_hold_nothing(ws: dprelease.Workspace) -> None:
    (release,) = ws.releases.find()
    today = date.fromisoformat(release.certificate.day)
    assert release.id not in ws.ledger.audit_report("people", until=today - timedelta(days=1)).html()
    assert release.id in ws.ledger.audit_report("people", since=today - timedelta(days=1), until=today).html()
    assert release.id not in ws.ledger.audit_report("people", since=date(2999, 1, 1), until=date(2999, 1, 2)).html()
    with pytest.raises(InputError, match="a day up to"):
        ws.ledger.audit_report("people", since=date(2999, 1, 2), until=date(2999, 1, 1))


def test_a_broken_ledger_is_said_to_be_broken() -> None:
    broken = dprelease.Workspace.in_memory()
    broken.add_population("people", unit="person", neighbors="add_remove", epsilon=1)
    with broken._state.database.writing() as connection:
        connection.execute("DROP TRIGGER ledger_is_not_rewritten")
        connection.execute("UPDATE ledger SET actor = 'somebody' WHERE seq = 2")
    assert "NOT INTACT" in broken.ledger.audit_report("people").html()


def test_the_public_gets_none(ws: dprelease.Workspace) -> None:
    with pytest.raises(AccessError):
        ws.ledger.audit_report("people", actor=PUBLIC)


def test_the_file_is_a_pdf_with_the_same_words(ws: dprelease.Workspace) -> None:
    document = ws.ledger.audit_report("people")
    assert document.pdf().startswith(b"%PDF-")
    assert [section.heading for section in document.sections][:1] == ["Releases"]


def test_it_tells_caps_looks_keys_and_sums_that_reconcile(tmp_path: Path) -> None:
    made = tour.make(tmp_path)
    told = {
        section.heading: section
        for section in made.ledger.audit_report("people", actor=made.people.get("jonas")).sections
    }
    caps = told["Caps and periods"].rows
    four, five, three = (f"ε = {cap}, δ = 0" for cap in (4, 5, 3))
    assert [row[4:6] for row in caps] == [("", four), (four, five), (five, three)]
    assert all(row[2].startswith("jonas") for row in caps[1:])
    looked = [row[-1] for row in told["Previews"].rows]
    assert any(each.startswith("true values at ε ") for each in looked)
    assert any("ε from 0.1 to 0.25, 3 times" in each for each in looked)
    assert told["Signing keys"].rows
    assert told["Sums"].rows[-1] == ("Difference", "ε = 0, δ = 0")
    assert told["Sums"].rows[-2][1] == made.populations.budget("people", actor=made.people.get("jonas")).spent_text
