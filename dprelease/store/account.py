"""What a population may spend, has spent and has left."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.errors import InputError
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.report import nearest
from dprelease.store.connection import Connection
from dprelease.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A population's budget: its cap and what its charges have spent of it."""

    population: str
    cap: PrivacyLoss
    spent: PrivacyLoss
    charges: int

    @property
    def remaining(self) -> PrivacyLoss:
        return PrivacyLoss(
            epsilon_nano=self.cap.epsilon_nano - self.spent.epsilon_nano,
            delta_atto=self.cap.delta_atto - self.spent.delta_atto,
        )

    def covers(self, loss: PrivacyLoss) -> bool:
        """Whether a charge fits."""
        left = self.remaining
        return loss.epsilon_nano <= left.epsilon_nano and loss.delta_atto <= left.delta_atto


def account(database: Database, population: str) -> Account:
    """Raises InputError where there is no such population."""
    with database.reading() as connection:
        return account_within(connection, population)


def spent(database: Database, population: str) -> PrivacyLoss:
    """The sum of a population's charges. Raises InputError where there is no such population."""
    return account(database, population).spent


def account_within(connection: Connection, population: str) -> Account:
    cap = connection.execute(
        "SELECT cap_epsilon_nano, cap_delta_atto FROM populations WHERE name = ?", [population]
    ).fetchone()
    if cap is None:
        raise unknown_population(connection, population)
    loss, charges = spent_before(connection, population)
    return Account(
        population=population, cap=PrivacyLoss(epsilon_nano=cap[0], delta_atto=cap[1]), spent=loss, charges=charges
    )


def spent_before(connection: Connection, population: str) -> tuple[PrivacyLoss, int]:
    row = connection.execute(
        "SELECT spent_epsilon_nano, spent_delta_atto, charges FROM ledger"
        " WHERE population = ? ORDER BY seq DESC LIMIT 1",
        [population],
    ).fetchone()
    return (PrivacyLoss(epsilon_nano=row[0], delta_atto=row[1]), row[2]) if row else (PrivacyLoss(), 0)


def unknown_population(connection: Connection, name: str) -> InputError:
    names = [known for (known,) in connection.execute("SELECT name FROM populations")]
    return InputError("population", found=name, allowed="a registered population", remedy=nearest(name, names))
