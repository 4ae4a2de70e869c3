-- The first layout of the ledger database.
--
-- What must hold even for somebody who opens the file with another program is a CHECK, a foreign key or a trigger.
-- A trigger says RAISE(ABORT) rather than lean on a constraint, because INSERT OR IGNORE and INSERT OR REPLACE override
-- constraints (and REPLACE removes a row without its DELETE trigger), but not RAISE. Kinds and states are plain text, so
-- that later layouts can add some without rebuilding a table.

CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE populations (
    name TEXT PRIMARY KEY,
    unit TEXT NOT NULL,
    neighbors TEXT NOT NULL CHECK (neighbors IN ('add_remove', 'substitute')),
    currency TEXT NOT NULL,
    cap_epsilon_nano INTEGER NOT NULL CHECK (cap_epsilon_nano > 0),
    cap_delta_atto INTEGER NOT NULL CHECK (cap_delta_atto >= 0),
    size INTEGER CHECK (size > 0),
    created TEXT NOT NULL
) STRICT;

CREATE TRIGGER populations_are_registered_once BEFORE INSERT ON populations
WHEN EXISTS (SELECT 1 FROM populations WHERE name = NEW.name)
BEGIN
    SELECT RAISE(ABORT, 'populations: the name is taken');
END;

CREATE TRIGGER populations_do_not_change BEFORE UPDATE ON populations
BEGIN
    SELECT RAISE(ABORT, 'populations: a registered population does not change');
END;

CREATE TRIGGER populations_stay BEFORE DELETE ON populations
BEGIN
    SELECT RAISE(ABORT, 'populations: a registered population stays');
END;

CREATE TABLE ledger (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    population TEXT REFERENCES populations (name),
    kind TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    epsilon_nano INTEGER NOT NULL CHECK (epsilon_nano BETWEEN 0 AND 9007199254740991),
    delta_atto INTEGER NOT NULL CHECK (delta_atto BETWEEN 0 AND 9007199254740991),
    spent_epsilon_nano INTEGER,
    spent_delta_atto INTEGER,
    charges INTEGER,
    previous_hash TEXT NOT NULL CHECK (length(previous_hash) = 64),
    hash TEXT NOT NULL CHECK (length(hash) = 64),
    CHECK ((kind = 'charge') = (epsilon_nano + delta_atto > 0)),
    CHECK (kind <> 'charge' OR population IS NOT NULL)
) STRICT;

CREATE INDEX ledger_by_population ON ledger (population);

CREATE INDEX ledger_by_kind ON ledger (kind, population);

CREATE TRIGGER ledger_takes_the_next_event BEFORE INSERT ON ledger
BEGIN
    SELECT RAISE(ABORT, 'ledger: seq and previous_hash must follow the last event')
    FROM (SELECT 1) LEFT JOIN (SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1) AS last
    WHERE NEW.seq IS NOT coalesce(last.seq, 0) + 1
        OR NEW.previous_hash IS NOT coalesce(last.hash, '0000000000000000000000000000000000000000000000000000000000000000');
    SELECT RAISE(ABORT, 'ledger: spent and charges must be the sums for the population')
    FROM (SELECT 1) LEFT JOIN (
        SELECT spent_epsilon_nano, spent_delta_atto, charges
        FROM ledger WHERE population = NEW.population ORDER BY seq DESC LIMIT 1
    ) AS last
    WHERE NEW.spent_epsilon_nano IS NOT
            iif(NEW.population IS NULL, NULL, coalesce(last.spent_epsilon_nano, 0) + NEW.epsilon_nano)
        OR NEW.spent_delta_atto IS NOT
            iif(NEW.population IS NULL, NULL, coalesce(last.spent_delta_atto, 0) + NEW.delta_atto)
        OR NEW.charges IS NOT
            iif(NEW.population IS NULL, NULL, coalesce(last.charges, 0) + (NEW.kind = 'charge'));
END;

CREATE TRIGGER ledger_stays_within_the_cap BEFORE INSERT ON ledger
WHEN NEW.kind = 'charge' AND NOT EXISTS (
    SELECT 1 FROM populations
    WHERE name = NEW.population
        AND NEW.spent_epsilon_nano <= cap_epsilon_nano
        AND NEW.spent_delta_atto <= cap_delta_atto
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

CREATE TABLE datasets (
    name TEXT PRIMARY KEY,
    population TEXT NOT NULL REFERENCES populations (name),
    unit_column TEXT,
    schema TEXT NOT NULL CHECK (json_valid(schema)),
    version TEXT NOT NULL,
    location TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;

CREATE INDEX datasets_by_population ON datasets (population);

CREATE TRIGGER datasets_are_registered_once BEFORE INSERT ON datasets
WHEN EXISTS (SELECT 1 FROM datasets WHERE name = NEW.name)
BEGIN
    SELECT RAISE(ABORT, 'datasets: the name is taken');
END;

CREATE TRIGGER datasets_keep_their_population BEFORE UPDATE OF name, population, unit_column ON datasets
BEGIN
    SELECT RAISE(ABORT, 'datasets: the population and the unit of a dataset do not change');
END;

CREATE TRIGGER datasets_stay BEFORE DELETE ON datasets
BEGIN
    SELECT RAISE(ABORT, 'datasets: a registered dataset stays');
END;

CREATE TABLE plans (
    id TEXT PRIMARY KEY,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    dataset_version TEXT NOT NULL,
    plan_hash TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (json_valid(plan)),
    state TEXT NOT NULL,
    author TEXT NOT NULL,
    created TEXT NOT NULL,
    approver TEXT,
    approved TEXT,
    UNIQUE (plan_hash, dataset, dataset_version),
    CHECK ((approver IS NULL) = (approved IS NULL))
) STRICT;

CREATE INDEX plans_by_dataset ON plans (dataset);

CREATE TRIGGER plans_begin_submitted BEFORE INSERT ON plans
WHEN NEW.state <> 'submitted' OR NEW.approver IS NOT NULL OR EXISTS (
    SELECT 1 FROM plans WHERE id = NEW.id OR (plan_hash, dataset, dataset_version)
        = (NEW.plan_hash, NEW.dataset, NEW.dataset_version)
)
BEGIN
    SELECT RAISE(ABORT, 'plans: a plan begins submitted, once');
END;

CREATE TRIGGER plans_are_not_rewritten
BEFORE UPDATE OF id, dataset, dataset_version, plan_hash, plan, author, created ON plans
BEGIN
    SELECT RAISE(ABORT, 'plans: a submitted plan does not change');
END;

CREATE TRIGGER plans_move_forward BEFORE UPDATE ON plans
WHEN NOT (
    (OLD.state = 'submitted' AND NEW.state = 'approved' AND NEW.approver IS NOT NULL)
    OR (
        OLD.state IN ('approved', 'published') AND NEW.state = 'published'
        AND NEW.approver IS OLD.approver AND NEW.approved IS OLD.approved
    )
)
BEGIN
    SELECT RAISE(ABORT, 'plans: a plan moves from submitted to approved to published');
END;

CREATE TRIGGER plans_stay BEFORE DELETE ON plans
BEGIN
    SELECT RAISE(ABORT, 'plans: a submitted plan stays');
END;

CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    plan_id TEXT NOT NULL REFERENCES plans (id),
    charge_seq INTEGER NOT NULL UNIQUE REFERENCES ledger (seq),
    state TEXT NOT NULL,
    published_on TEXT,
    certificate TEXT CHECK (certificate IS NULL OR json_valid(certificate)),
    sealed BLOB,
    CHECK ((state = 'charged') = (sealed IS NULL)),
    CHECK ((state = 'charged') = (certificate IS NULL)),
    CHECK ((state IN ('charged', 'sealed')) = (published_on IS NULL))
) STRICT;

CREATE INDEX releases_by_plan ON releases (plan_id, charge_seq);

CREATE UNIQUE INDEX releases_one_unpublished_a_plan ON releases (plan_id) WHERE state IN ('charged', 'sealed');

CREATE VIEW publications AS
SELECT releases.id, releases.plan_id, releases.charge_seq, releases.state, releases.published_on, releases.certificate, ledger.*
FROM releases JOIN ledger ON ledger.seq = releases.charge_seq;

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

CREATE TABLE sign_in_links (
    token_hash TEXT PRIMARY KEY,
    actor TEXT NOT NULL,
    roles TEXT NOT NULL CHECK (json_valid(roles)),
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    redeemed TEXT
) STRICT;

CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    actor TEXT NOT NULL,
    roles TEXT NOT NULL CHECK (json_valid(roles)),
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    revoked TEXT
) STRICT;
