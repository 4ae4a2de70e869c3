-- The second layout of the ledger database: populations that count in ρ.
--
-- SQLite cannot change a CHECK, so the ledger is copied into a new table of another name, which then takes the old
-- one's place. A table to which rows refer cannot be dropped, so releases are copied too, now referring to the new
-- ledger; when it is renamed, SQLite renames it there. Every row stays as it was, and so do the hashes: ρ is a part
-- of them only where it is not 0.

DROP VIEW publications;

ALTER TABLE populations ADD COLUMN cap_rho_nano INTEGER NOT NULL DEFAULT 0 CHECK (
    cap_rho_nano BETWEEN 0 AND iif(currency = 'zcdp', 9007199254740991, 0)
);

CREATE TABLE new_ledger (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    population TEXT REFERENCES populations (name),
    kind TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    epsilon_nano INTEGER NOT NULL CHECK (epsilon_nano BETWEEN 0 AND 9007199254740991),
    rho_nano INTEGER NOT NULL CHECK (rho_nano BETWEEN 0 AND 9007199254740991),
    delta_atto INTEGER NOT NULL CHECK (delta_atto BETWEEN 0 AND 9007199254740991),
    spent_epsilon_nano INTEGER,
    spent_rho_nano INTEGER,
    spent_delta_atto INTEGER,
    charges INTEGER,
    previous_hash TEXT NOT NULL CHECK (length(previous_hash) = 64),
    hash TEXT NOT NULL CHECK (length(hash) = 64),
    CHECK ((kind = 'charge') = (epsilon_nano + rho_nano + delta_atto > 0)),
    CHECK (epsilon_nano = 0 OR rho_nano = 0),
    CHECK (kind <> 'charge' OR population IS NOT NULL)
) STRICT;

INSERT INTO new_ledger (
    seq, at, actor, population, kind, body, epsilon_nano, rho_nano, delta_atto,
    spent_epsilon_nano, spent_rho_nano, spent_delta_atto, charges, previous_hash, hash
)
SELECT
    seq, at, actor, population, kind, body, epsilon_nano, 0, delta_atto,
    spent_epsilon_nano, iif(population IS NULL, NULL, 0), spent_delta_atto, charges, previous_hash, hash
FROM ledger ORDER BY seq;

CREATE TABLE new_releases (
    id TEXT PRIMARY KEY,
    plan_id TEXT NOT NULL REFERENCES plans (id),
    charge_seq INTEGER NOT NULL UNIQUE REFERENCES new_ledger (seq),
    state TEXT NOT NULL,
    published_on TEXT,
    certificate TEXT CHECK (certificate IS NULL OR json_valid(certificate)),
    sealed BLOB,
    CHECK ((state = 'charged') = (sealed IS NULL)),
    CHECK ((state = 'charged') = (certificate IS NULL)),
    CHECK ((state IN ('charged', 'sealed')) = (published_on IS NULL))
) STRICT;

INSERT INTO new_releases (id, plan_id, charge_seq, state, published_on, certificate, sealed)
SELECT id, plan_id, charge_seq, state, published_on, certificate, sealed FROM releases ORDER BY rowid;

DROP TABLE releases;

DROP TABLE ledger;

ALTER TABLE new_ledger RENAME TO ledger;

ALTER TABLE new_releases RENAME TO releases;

CREATE INDEX ledger_by_population ON ledger (population);

CREATE INDEX ledger_by_kind ON ledger (kind, population);

CREATE INDEX releases_by_plan ON releases (plan_id, charge_seq);

CREATE UNIQUE INDEX releases_one_unpublished_a_plan ON releases (plan_id) WHERE state IN ('charged', 'sealed');

CREATE VIEW publications AS
SELECT releases.id, releases.plan_id, releases.charge_seq, releases.state, releases.published_on, releases.certificate, ledger.*
FROM releases JOIN ledger ON ledger.seq = releases.charge_seq;

CREATE TRIGGER ledger_takes_the_next_event BEFORE INSERT ON ledger
BEGIN
    SELECT RAISE(ABORT, 'ledger: seq and previous_hash must follow the last event')
    FROM (SELECT 1) LEFT JOIN (SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1) AS last
    WHERE NEW.seq IS NOT coalesce(last.seq, 0) + 1
        OR NEW.previous_hash IS NOT coalesce(last.hash, '0000000000000000000000000000000000000000000000000000000000000000');
    SELECT RAISE(ABORT, 'ledger: spent and charges must be the sums for the population')
    FROM (SELECT 1) LEFT JOIN (
        SELECT spent_epsilon_nano, spent_rho_nano, spent_delta_atto, charges
        FROM ledger WHERE population = NEW.population ORDER BY seq DESC LIMIT 1
    ) AS last
    WHERE NEW.spent_epsilon_nano IS NOT
            iif(NEW.population IS NULL, NULL, coalesce(last.spent_epsilon_nano, 0) + NEW.epsilon_nano)
        OR NEW.spent_rho_nano IS NOT
            iif(NEW.population IS NULL, NULL, coalesce(last.spent_rho_nano, 0) + NEW.rho_nano)
        OR NEW.spent_delta_atto IS NOT
            iif(NEW.population IS NULL, NULL, coalesce(last.spent_delta_atto, 0) + NEW.delta_atto)
        OR NEW.charges IS NOT
            iif(NEW.population IS NULL, NULL, coalesce(last.charges, 0) + (NEW.kind = 'charge'));
END;

CREATE TRIGGER ledger_spends_in_the_currency BEFORE INSERT ON ledger
WHEN EXISTS (
    SELECT 1 FROM populations
    WHERE name = NEW.population AND iif(currency = 'zcdp', NEW.epsilon_nano, NEW.rho_nano) <> 0
)
BEGIN
    SELECT RAISE(ABORT, 'ledger: a charge counts in the currency of its population');
END;

-- In zcdp, half of the declared δ turns ρ into ε; the other half is there to be spent. In a currency that this layout
-- does not know, no charge fits.
CREATE TRIGGER ledger_stays_within_the_cap BEFORE INSERT ON ledger
WHEN NEW.kind = 'charge' AND NOT EXISTS (
    SELECT 1 FROM populations
    WHERE name = NEW.population AND CASE currency
        WHEN 'pure' THEN NEW.spent_epsilon_nano <= cap_epsilon_nano AND NEW.spent_delta_atto <= cap_delta_atto
        WHEN 'zcdp' THEN NEW.spent_rho_nano <= cap_rho_nano AND NEW.spent_delta_atto <= cap_delta_atto / 2
    END
)
BEGIN
    SELECT RAISE(ABORT, 'ledger: the charge would take the population over its cap');
END;

CREATE TRIGGER ledger_is_not_rewritten BEFORE UPDATE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'ledger: an event is never changed');
END;

CREATE TRIGGER ledger_is_not_cut BEFORE DELETE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'ledger: an event is never removed');
END;

CREATE TRIGGER releases_begin_charged BEFORE INSERT ON releases
WHEN NEW.state <> 'charged'
    OR NOT EXISTS (SELECT 1 FROM ledger WHERE seq = NEW.charge_seq AND kind = 'charge')
    OR EXISTS (SELECT 1 FROM releases WHERE id = NEW.id OR charge_seq = NEW.charge_seq)
    OR EXISTS (SELECT 1 FROM releases WHERE plan_id = NEW.plan_id AND state IN ('charged', 'sealed'))
BEGIN
    SELECT RAISE(ABORT, 'releases: a release begins with its own charge');
END;

CREATE TRIGGER releases_keep_their_charge BEFORE UPDATE OF id, plan_id, charge_seq ON releases
BEGIN
    SELECT RAISE(ABORT, 'releases: the plan and the charge of a release do not change');
END;

CREATE TRIGGER releases_are_sealed_once BEFORE UPDATE OF sealed, certificate ON releases
WHEN OLD.sealed IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'releases: the first seal stands');
END;

CREATE TRIGGER releases_move_forward BEFORE UPDATE OF state, published_on ON releases
WHEN NOT (
    (OLD.state = 'charged' AND NEW.state = 'sealed') OR (OLD.state = 'sealed' AND NEW.state = 'published')
)
BEGIN
    SELECT RAISE(ABORT, 'releases: a release moves from charged to sealed to published');
END;

CREATE TRIGGER releases_stay BEFORE DELETE ON releases
BEGIN
    SELECT RAISE(ABORT, 'releases: a release stays');
END;
