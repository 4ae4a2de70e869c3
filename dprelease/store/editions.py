"""Names of editions: for a dataset, a plan is published once under each, whatever the rows are by then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.errors import InputError
from dprelease.store.connection import Connection
from dprelease.words import phrase

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
                found=phrase("store.under_another_plan_was", name=name, dataset=dataset, release_id=release_id),
                allowed=phrase("store.plan_was_published_under"),
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
        found=phrase("store.release_plan_another_name", name=name),
        allowed=phrase("store.plan_published_under_names"),
        remedy=phrase("store.charge_another_release_again")
        if published
        else phrase("store.finish_first_dprelease_release"),
    )
