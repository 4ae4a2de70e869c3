"""Plays the events again, and compares what they tell with every table by which this program decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.model.recurring import Recurrence
from dprelease.store.connection import Connection
from dprelease.store.deciding import READ, Row
from dprelease.store.runs import recurrence
from dprelease.words import phrase

Table = dict[Any, Row]
"""Rows by key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedEvent:
    """An event, as far as it decides anything."""

    seq: int
    at: str
    actor: str
    population: str | None
    kind: str
    hash: str
    body: Mapping[str, Any]


@dataclass(slots=True)
class Replay:
    """The tables as they have to be after the events so far."""

    facts: Table = field(default_factory=dict)
    people: Table = field(default_factory=dict)
    tokens: Table = field(default_factory=dict)
    second_factors: Table = field(default_factory=dict)
    requests: Table = field(default_factory=dict)
    overlaps: Table = field(default_factory=dict)
    earlier_releases: Table = field(default_factory=dict)
    datasets: Table = field(default_factory=dict)
    plans: Table = field(default_factory=dict)
    decisions: Table = field(default_factory=dict)
    previewed: Table = field(default_factory=dict)
    releases: Table = field(default_factory=dict)
    """Releases by the event of the charge."""
    runs: Table = field(default_factory=dict)
    editions: Table = field(default_factory=dict)
    """Editions by the event with which they began."""
    recurrences: dict[str, tuple[Recurrence, Mapping[str, Any]]] = field(default_factory=dict)
    """Periods and public facts of each run."""
    rounds: dict[int, str] = field(default_factory=dict)
    """Plan of a charge for a round of several sites, by the event of the charge."""
    notices: Table = field(default_factory=dict)
    checkpoints: Table = field(default_factory=dict)
    """Checkpoints that a publication made; others are in no event."""

    def add(self, event: ReplayedEvent) -> None:
        """Add an event. Raises KeyError, TypeError or ValueError where it does not fit those before it."""
        step = STEPS.get(event.kind)
        if step is not None:
            step(self, event)

    def check(self, connection: Connection) -> None:
        """Raise IntegrityError naming the first table and row that is not what the events tell of."""
        for name, read in READ.items():
            expected: Table = getattr(self, name)
            try:
                found = dict(read(connection))
            except (KeyError, TypeError, ValueError) as cause:
                raise _different(name) from cause
            for key in [*expected, *found]:
                if key not in found or found[key] != expected.get(key):
                    raise _different(name)


def _different(table: str) -> IntegrityError:
    return IntegrityError(phrase("store.what_stands_there_what", table=table))


# What each kind of event does


def _created(now: Replay, event: ReplayedEvent) -> None:
    now.facts["mode"], now.facts["created"] = {"value": event.body["mode"]}, {"value": event.at}
    roles = ["administrator", "curator", "reviewer"]
    now.people[event.actor] = {"roles": roles, "disabled": False, "created": event.at}


def _mode(now: Replay, event: ReplayedEvent) -> None:
    now.facts["mode"] = {"value": event.body["mode"]}


def _policy(now: Replay, event: ReplayedEvent) -> None:
    now.facts[event.body["policy"]] = {"value": event.body["value"]}


def _invited(now: Replay, event: ReplayedEvent) -> None:
    if event.body["name"] in now.people:
        raise ValueError("somebody was invited twice")
    now.people[event.body["name"]] = {"roles": event.body["roles"], "disabled": False}


def _roles(now: Replay, event: ReplayedEvent) -> None:
    now.people[event.body["name"]]["roles"] = event.body["roles"]


def _disabled(now: Replay, event: ReplayedEvent) -> None:
    now.people[event.body["name"]]["disabled"] = True
    _ended(now, event)


def _enabled(now: Replay, event: ReplayedEvent) -> None:
    now.people[event.body["name"]]["disabled"] = False


def _ended(now: Replay, event: ReplayedEvent) -> None:
    now.second_factors.pop(event.body["name"], None)
    for token in now.tokens.values():
        if token["actor"] == event.body["name"]:
            token["revoked"] = True


def _second_factor(now: Replay, event: ReplayedEvent) -> None:
    now.second_factors[event.body["name"]] = {"recovery": event.body["recovery"]}


def _recovered(now: Replay, event: ReplayedEvent) -> None:
    now.second_factors[event.body["name"]]["recovery"] -= 1


def _second_factor_off(now: Replay, event: ReplayedEvent) -> None:
    del now.second_factors[event.body["name"]]


def _token(now: Replay, event: ReplayedEvent) -> None:
    now.tokens[event.body["token"]] = {
        "actor": event.actor,
        "label": event.body["label"],
        "operations": event.body["operations"],
        "dataset": event.body.get("dataset"),
        "revoked": False,
    }


def _token_revoked(now: Replay, event: ReplayedEvent) -> None:
    now.tokens[event.body["token"]]["revoked"] = True


def _asked(now: Replay, event: ReplayedEvent) -> None:
    body = {key: value for key, value in event.body.items() if key not in ("request", "kind", "name")}
    now.requests[event.body["request"]] = {
        "kind": event.body["kind"],
        "population": event.body["name"],
        "body": body,
        "author": event.actor,
        "state": "open",
        "decided_by": None,
        "comment": None,
    }


def _decided(now: Replay, event: ReplayedEvent) -> None:
    state = event.kind.removeprefix("request_")
    decided = {"state": state, "decided_by": event.actor, "comment": event.body["comment"]}
    now.requests[event.body["request"]] |= decided


def _overlap(now: Replay, event: ReplayedEvent) -> None:
    now.overlaps[event.seq, event.population, event.body["other"]] = {"overlap": event.body["overlap"]}


def _earlier(now: Replay, event: ReplayedEvent) -> None:
    for number, description in enumerate(event.body["releases"], start=1):
        now.earlier_releases[event.seq, number] = {"population": event.population, "description": description}


def _registered(now: Replay, event: ReplayedEvent) -> None:
    now.datasets[event.body["dataset"]] = {
        "population": event.population,
        "unit_column": event.body["unit_column"],
        "unit_codes": event.body.get("unit_codes", []),
        "version": event.body["version"],
        "schema": event.body["schema_hash"],
        "reading": event.body.get("layout"),
        "analysts": 0,
        "deleted": False,
    }


def _opened_to_analysts(now: Replay, event: ReplayedEvent) -> None:
    now.datasets[event.body["dataset"]]["analysts"] = int(event.body["open"])


def _declared(now: Replay, event: ReplayedEvent) -> None:
    now.datasets[event.body["dataset"]]["schema"] = event.body["schema_hash"]


def _replaced(now: Replay, event: ReplayedEvent) -> None:
    now.datasets[event.body["dataset"]] |= {"version": event.body["version"], "deleted": False}


def _read_otherwise(now: Replay, event: ReplayedEvent) -> None:
    now.datasets[event.body["dataset"]]["reading"] = event.body["layout"]


def _deleted(now: Replay, event: ReplayedEvent) -> None:
    now.datasets[event.body["dataset"]]["deleted"] = True


def _submitted(now: Replay, event: ReplayedEvent) -> None:
    told = {name: event.body[name] for name in ("dataset", "dataset_version", "plan_hash")}
    told |= {"plan": event.body["plan_hash"], "author": event.actor}
    now.plans[event.body["plan"]] = {**told, "state": "submitted", "approver": None, "approved": None}


def _decision(now: Replay, event: ReplayedEvent) -> None:
    decision = event.kind.removeprefix("plan_")
    now.decisions[event.seq] = {
        "plan_id": event.body["plan"],
        "decision": decision,
        "actor": event.actor,
        "at": event.at,
        "comment": event.body.get("comment", ""),
        "binding": event.body.get("binding"),
    }
    plan = now.plans[event.body["plan"]]
    if plan["state"] != "published":
        approved = (event.actor, event.at) if decision == "approved" else (None, None)
        plan |= {"state": decision, "approver": approved[0], "approved": approved[1]}


def _previewed(now: Replay, event: ReplayedEvent) -> None:
    now.previewed[event.seq] = {"plan": event.body["plan_hash"]}


def _charged(now: Replay, event: ReplayedEvent) -> None:
    if "round_plan" in event.body:
        now.rounds[event.seq] = event.body["round_plan"]
    if event.body.get("recovered") is True or "plan" not in event.body:
        return  # of another copy of this ledger, or of no plan, or of a round of several sites
    if "run" in event.body:
        facts = event.body["run"]
        if facts["name"] in now.runs or any(each["plan_id"] == event.body["plan"] for each in now.runs.values()):
            raise ValueError("a run was opened twice")
        now.recurrences[facts["name"]] = recurrence(facts), facts
        now.runs[facts["name"]] = {"plan_id": event.body["plan"], "charge_seq": event.seq, "ended": False}
        return
    hour = {"due": event.body.get("due")}
    now.releases[event.seq] = {"plan_id": event.body["plan"], "state": "charged", "published_on": None, **hour}


def _begun(now: Replay, event: ReplayedEvent) -> None:
    """An edition of a run: after those before it, once, while the run is open and no other edition is unfinished."""
    name, period = event.body["run"], event.body["edition"]
    run, (recurring, facts) = now.runs[name], now.recurrences[name]
    periods = recurring.periods
    before = {seq: periods.index(each["period"]) for seq, each in now.editions.items() if each["run"] == name}
    place, last = periods.index(period), max(before.values(), default=-1)
    late = facts["ordered"] and place < last
    closes = list(periods[last + 1 : place]) if facts["ordered"] else []
    unfinished = any(now.releases[seq]["state"] in ("charged", "sealed", "embargoed") for seq in before)
    if run["ended"] or late or unfinished or place in before.values() or closes != event.body["closes"]:
        raise ValueError("an edition began out of turn")
    if event.body["charge"] != run["charge_seq"] or event.body["plan"] != run["plan_id"]:
        raise ValueError("an edition stands on another charge")
    now.editions[event.seq] = {"run": name, "period": period}
    hour = {"due": event.body.get("due")}
    now.releases[event.seq] = {"plan_id": run["plan_id"], "state": "charged", "published_on": None, **hour}


def _abandoned(now: Replay, event: ReplayedEvent) -> None:
    begun = event.body["begun"]
    told = {"run": event.body["run"], "period": event.body["edition"]}
    if now.editions[begun] != told or now.releases[begun]["state"] != "charged":
        raise ValueError("an edition was given up that was not begun, or drawn")
    now.releases[begun]["state"] = "lost"


def _run_ended(now: Replay, event: ReplayedEvent) -> None:
    now.runs[event.body["run"]]["ended"] = True


def _as_charged(now: Replay, begun: int, mechanisms: Any) -> None:
    """Raise ValueError where an edition was drawn with other mechanisms than its run was charged for."""
    edition = now.editions[begun]
    recurring, facts = now.recurrences[edition["run"]]
    stated = facts["mechanisms"]
    if mechanisms != stated[recurring.place(edition["period"]) if len(stated) > 1 else 0]:
        raise ValueError("an edition has other noise than its run")


def _copied(now: Replay, event: ReplayedEvent) -> None:
    charged = [seq for seq, release in now.releases.items() if release["state"] == "charged"]
    if event.body["lost"] != charged:
        raise ValueError("a copy of the ledger went on with draws that the other one may have made")
    for seq in charged:
        now.releases[seq]["state"] = "lost"
    for run in now.runs.values():
        run["ended"] = True


def _sealed(now: Replay, event: ReplayedEvent) -> None:
    charge = event.body["charge"]
    if charge in now.rounds:  # whose sum became a release, with this event and not before
        now.releases[charge] = {"plan_id": now.rounds.pop(charge), "published_on": None, "due": None}
    if charge in now.editions:
        _as_charged(now, charge, event.body["mechanisms"])
    now.releases[charge] |= {"state": "sealed", "id": event.body["release"]}


def _published(now: Replay, event: ReplayedEvent) -> None:
    release = now.releases[event.body["charge"]]
    state = "published" if release["due"] is None else "embargoed"
    release |= {"state": state, "published_on": event.body["published_on"]}
    if "signer" in event.body:  # else it was announced without an entry, and no checkpoint was made
        now.checkpoints[event.seq] = {}
    plan = now.plans[release["plan_id"]]
    if plan["state"] in ("approved", "published"):
        plan["state"] = "published"


def _hour(now: Replay, event: ReplayedEvent) -> None:
    release = _embargoed(now, event)
    if event.body["before"] != release["due"]:
        raise ValueError("an hour was changed that did not hold")
    release["due"] = event.body["due"]


def _opened(now: Replay, event: ReplayedEvent) -> None:
    _embargoed(now, event)["state"] = "published"


def _cancelled(now: Replay, event: ReplayedEvent) -> None:
    _embargoed(now, event)["state"] = "cancelled"


def _embargoed(now: Replay, event: ReplayedEvent) -> Row:
    release = now.releases[event.body["charge"]]
    if (release["state"], release["id"]) != ("embargoed", event.body["release"]):
        raise ValueError("a release was opened that was not embargoed")
    return release


def _noted(now: Replay, event: ReplayedEvent) -> None:
    said = {name: event.body.get(name) for name in ("text", "published_on")}
    by = event.body.get("by")
    now.notices[event.seq] = {**said, "release_id": event.body["release"], "kind": event.kind, "superseded_by": by}
    now.notices[event.seq]["ledger"] = {"seq": event.seq, "hash": event.hash}


STEPS: Mapping[str, Callable[[Replay, ReplayedEvent], None]] = {
    "workspace_created": _created,
    "mode_changed": _mode,
    "policy_changed": _policy,
    "invited": _invited,
    "roles_changed": _roles,
    "person_disabled": _disabled,
    "person_enabled": _enabled,
    "person_reset": _ended,
    "second_factor_on": _second_factor,
    "recovery_codes_made": _second_factor,
    "recovery_code_used": _recovered,
    "second_factor_off": _second_factor_off,
    "token_created": _token,
    "token_revoked": _token_revoked,
    "request_made": _asked,
    "request_approved": _decided,
    "request_returned": _decided,
    "overlap_attested": _overlap,
    "earlier_releases_declared": _earlier,
    "dataset_registered": _registered,
    "dataset_opened": _opened_to_analysts,
    "schema_declared": _declared,
    "rows_replaced": _replaced,
    "layout_changed": _read_otherwise,
    "table_deleted": _deleted,
    "plan_submitted": _submitted,
    "plan_approved": _decision,
    "plan_returned": _decision,
    "preview_taken": _previewed,
    "charge": _charged,
    "edition_begun": _begun,
    "edition_abandoned": _abandoned,
    "run_ended": _run_ended,
    "ledger_restored": _copied,
    "ledger_accepted": _copied,
    "sealed": _sealed,
    "published": _published,
    "embargo_changed": _hour,
    "embargo_cancelled": _cancelled,
    "opened": _opened,
    "superseded": _noted,
    "erratum": _noted,
    "doi": _noted,
}
"""Populations, caps and sums are checked with the events themselves."""
