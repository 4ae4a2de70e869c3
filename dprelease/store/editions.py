"""Names of editions: for a dataset, a plan is published once under each, whatever the rows are by then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.errors import InputError
from dprelease.store.connection import Connection

KEY = "edition"
"""In the private part of a charge."""
QUERY = """
SELECT releases.id, plans.plan_hash FROM releases
JOIN plans ON plans.id = releases.plan_id JOIN ledger ON ledger.seq = releases.charge_seq
WHERE plans.dataset = ? AND json_extract(ledger.body, '$.edition') = ?
"""


def find_within(connection: Connection, dataset: str, name: str, plan_hash: str) -> str | None:
    """The id of the release of this plan under a name, however far it came; None where the name is free.

    Raises InputError where the name is another plan's.
    """
    for release_id, published in connection.execute(QUERY, [dataset, name]):
        if published != plan_hash:
            raise InputError(
                "once",
                found=f"{name}, under which another plan of {dataset} was published: {release_id}",
                allowed="the plan that was published under this name, or a new name",
            )
        return str(release_id)
    return None


def check_new(name: str, last: Mapping[str, Any] | None, *, published: bool, again: bool) -> None:
    """Raises InputError where a plan's last charge is not one of another edition that is finished.

    One without a name may be what is meant: then nothing is spent unless `again` says so.
    """
    if last is None or (published and (again or KEY in last)):
        return
    raise InputError(
        "once",
        found=f"{name}, and a release of this plan that has another name or none",
        allowed="a plan that is published under names only",
        remedy="Charge another release by `again`." if published else "Finish it first: dprelease release resume.",
    )
