"""Events of the ledger as lines of a CSV file, with every amount in whole numbers."""

from __future__ import annotations

from dprelease.bundle.tables import written
from dprelease.model.encoding import canonical
from dprelease.store.event import LedgerEvent

COLUMNS = (
    *("seq", "at", "actor", "population", "kind", "body"),
    *("epsilon_nano", "rho_nano", "delta_atto"),
    *("spent_epsilon_nano", "spent_rho_nano", "spent_delta_atto", "charges"),
    *("previous_hash", "hash"),
)
HEAD = ",".join(COLUMNS) + "\n"


def csv_line(event: LedgerEvent) -> str:
    """Return one event, in the order of `COLUMNS`; its body is canonical JSON."""
    cells = {
        **event.to_mapping(),
        "body": canonical(event.body).decode(),
        "rho_nano": event.loss.rho_nano,
        "charges": event.charges,
    }
    if event.spent is not None:
        cells |= {f"spent_{name}": getattr(event.spent, name) for name in ("epsilon_nano", "rho_nano", "delta_atto")}
    return ",".join(written(cells.get(name)) for name in COLUMNS) + "\n"
