-- The third layout of the ledger database: caps that are raised or renewed, what people declare and decide, and
-- checkpoints.

DROP VIEW publications;

DROP TRIGGER ledger_stays_within_the_cap;

DROP TRIGGER plans_begin_submitted;

DROP TRIGGER plans_move_forward;

DROP TRIGGER releases_begin_charged;

-- What a population may spend from an event on. A period begins anew at what was spent before it.
CREATE TABLE caps (
    seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    population TEXT NOT NULL REFERENCES populations (name),
    period TEXT,
    cap_epsilon_nano INTEGER NOT NULL CHECK (cap_epsilon_nano BETWEEN 1 AND 9007199254740991),
    cap_rho_nano INTEGER NOT NULL CHECK (cap_rho_nano BETWEEN 0 AND 9007199254740991),
    cap_delta_atto INTEGER NOT NULL CHECK (cap_delta_atto BETWEEN 0 AND 9007199254740991),
    before_epsilon_nano INTEGER NOT NULL,
    before_rho_nano INTEGER NOT NULL,
    before_delta_atto INTEGER NOT NULL
) STRICT;

CREATE INDEX caps_by_population ON caps (population, seq);

INSERT INTO caps
SELECT ledger.seq, populations.name, NULL, cap_epsilon_nano, cap_rho_nano, cap_delta_atto, 0, 0, 0
FROM populations JOIN ledger ON ledger.kind = 'population_created' AND ledger.population = populations.name
ORDER BY ledger.seq;

CREATE TRIGGER caps_follow_events BEFORE INSERT ON caps
BEGIN
    SELECT RAISE(ABORT, 'caps: a cap begins with its own event, after the one before it')
    WHERE NOT EXISTS (
        SELECT 1 FROM ledger WHERE seq = NEW.seq AND population = NEW.population
            AND kind IN ('population_created', 'cap_raised', 'period_opened')
    ) OR EXISTS (SELECT 1 FROM caps WHERE population = NEW.population AND seq >= NEW.seq)
        OR EXISTS (SELECT 1 FROM caps WHERE seq = NEW.seq);
    SELECT RAISE(ABORT, 'caps: the first cap is that of the registered population')
    FROM ledger, populations
    WHERE ledger.seq = NEW.seq AND populations.name = NEW.population AND kind = 'population_created' AND (
        NEW.period IS NOT NULL
        OR (NEW.before_epsilon_nano, NEW.before_rho_nano, NEW.before_delta_atto) <> (0, 0, 0)
        OR (NEW.cap_epsilon_nano, NEW.cap_rho_nano, NEW.cap_delta_atto)
            <> (populations.cap_epsilon_nano, populations.cap_rho_nano, populations.cap_delta_atto)
    );
    SELECT RAISE(ABORT, 'caps: a raised cap is not lower, and stays in its period')
    FROM ledger LEFT JOIN (SELECT * FROM caps WHERE population = NEW.population ORDER BY seq DESC LIMIT 1) AS last
    WHERE ledger.seq = NEW.seq AND kind = 'cap_raised' AND (
        NEW.period IS NOT last.period
        OR NEW.before_epsilon_nano IS NOT last.before_epsilon_nano
        OR NEW.before_rho_nano IS NOT last.before_rho_nano
        OR NEW.before_delta_atto IS NOT last.before_delta_atto
        OR NEW.cap_epsilon_nano < last.cap_epsilon_nano
        OR NEW.cap_rho_nano < last.cap_rho_nano
        OR NEW.cap_delta_atto < last.cap_delta_atto
    );
    SELECT RAISE(ABORT, 'caps: a period has a new name and begins at what was spent before it')
    FROM ledger
    WHERE seq = NEW.seq AND kind = 'period_opened' AND (
        NEW.period IS NULL
        OR EXISTS (SELECT 1 FROM caps WHERE population = NEW.population AND period = NEW.period)
        OR NEW.before_epsilon_nano IS NOT spent_epsilon_nano
        OR NEW.before_rho_nano IS NOT spent_rho_nano
        OR NEW.before_delta_atto IS NOT spent_delta_atto
    );
END;

CREATE TRIGGER caps_do_not_change BEFORE UPDATE ON caps
BEGIN
    SELECT RAISE(ABORT, 'caps: a cap does not change; a later one follows it');
END;

CREATE TRIGGER caps_stay BEFORE DELETE ON caps
BEGIN
    SELECT RAISE(ABORT, 'caps: a cap stays');
END;

-- In zcdp, half of the declared δ turns ρ into ε; the other half is there to be spent. In a currency that this layout
-- does not know, no charge fits. A recovered charge (see below) is what another copy of this ledger spent: it counts
-- whatever the cap, and no release can stand on it.
CREATE TRIGGER ledger_stays_within_the_cap BEFORE INSERT ON ledger
WHEN NEW.kind = 'charge' AND iif(json_valid(NEW.body), json_extract(NEW.body, '$.recovered'), 0) IS NOT 1 AND NOT EXISTS (
    SELECT 1 FROM populations JOIN (
        SELECT * FROM caps WHERE population = NEW.population ORDER BY seq DESC LIMIT 1
    ) AS cap
    WHERE populations.name = NEW.population AND CASE currency
        WHEN 'pure' THEN NEW.spent_epsilon_nano - before_epsilon_nano <= cap.cap_epsilon_nano
            AND NEW.spent_delta_atto - before_delta_atto <= cap.cap_delta_atto
        WHEN 'zcdp' THEN NEW.spent_rho_nano - before_rho_nano <= cap.cap_rho_nano
            AND NEW.spent_delta_atto - before_delta_atto <= cap.cap_delta_atto / 2
    END
)
BEGIN
    SELECT RAISE(ABORT, 'ledger: the charge would take the population over its cap');
END;

-- How two populations overlap, as a curator attests: same, some or none of the units. The latest word counts.
CREATE TABLE overlaps (
    seq INTEGER NOT NULL REFERENCES ledger (seq),
    population TEXT NOT NULL REFERENCES populations (name),
    other TEXT NOT NULL REFERENCES populations (name),
    overlap TEXT NOT NULL CHECK (overlap IN ('same', 'some', 'none')),
    PRIMARY KEY (population, other, seq),
    CHECK (population <> other)
) STRICT;

CREATE TRIGGER overlaps_follow_events BEFORE INSERT ON overlaps
WHEN NOT EXISTS (
    SELECT 1 FROM ledger WHERE seq = NEW.seq AND kind = 'overlap_attested' AND population = NEW.population
        AND (json_extract(body, '$.other'), json_extract(body, '$.overlap')) = (NEW.other, NEW.overlap)
) OR EXISTS (SELECT 1 FROM overlaps WHERE (seq, population, other) = (NEW.seq, NEW.population, NEW.other))
BEGIN
    SELECT RAISE(ABORT, 'overlaps: an attestation stands on its own event');
END;

CREATE TRIGGER overlaps_do_not_change BEFORE UPDATE ON overlaps
BEGIN
    SELECT RAISE(ABORT, 'overlaps: an attestation does not change; a later one follows it');
END;

CREATE TRIGGER overlaps_stay BEFORE DELETE ON overlaps
BEGIN
    SELECT RAISE(ABORT, 'overlaps: an attestation stays');
END;

-- What was published about a population before, or elsewhere, without a guarantee that is counted here.
CREATE TABLE earlier_releases (
    seq INTEGER NOT NULL REFERENCES ledger (seq),
    number INTEGER NOT NULL,
    population TEXT NOT NULL REFERENCES populations (name),
    description TEXT NOT NULL,
    PRIMARY KEY (seq, number)
) STRICT;

CREATE TRIGGER earlier_releases_follow_events BEFORE INSERT ON earlier_releases
WHEN NOT EXISTS (
    SELECT 1 FROM ledger
    WHERE seq = NEW.seq AND kind = 'earlier_releases_declared' AND population = NEW.population
        AND json_extract(body, '$.releases[' || (NEW.number - 1) || ']') = NEW.description
) OR EXISTS (SELECT 1 FROM earlier_releases WHERE (seq, number) = (NEW.seq, NEW.number))
BEGIN
    SELECT RAISE(ABORT, 'earlier_releases: a declaration stands on its own event');
END;

CREATE TRIGGER earlier_releases_do_not_change BEFORE UPDATE ON earlier_releases
BEGIN
    SELECT RAISE(ABORT, 'earlier_releases: a declaration does not change');
END;

CREATE TRIGGER earlier_releases_stay BEFORE DELETE ON earlier_releases
BEGIN
    SELECT RAISE(ABORT, 'earlier_releases: a declaration stays');
END;

CREATE TRIGGER facts_keep_the_mode_of_a_team BEFORE UPDATE ON facts
WHEN OLD.name = 'mode' AND (OLD.value = 'team' OR NEW.name <> 'mode')
BEGIN
    SELECT RAISE(ABORT, 'facts: a workspace of a team stays one');
END;

CREATE TRIGGER facts_stay BEFORE DELETE ON facts
BEGIN
    SELECT RAISE(ABORT, 'facts: a fact stays');
END;

-- What waits for a second person: a new population, a raised cap, a new period.
CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('population', 'cap', 'period')),
    population TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    author TEXT NOT NULL,
    created TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'approved', 'returned')),
    decided_by TEXT,
    decided TEXT,
    comment TEXT,
    CHECK ((state = 'open') = (decided_by IS NULL))
) STRICT;

CREATE INDEX requests_by_state ON requests (state);

CREATE TRIGGER requests_are_decided_once BEFORE UPDATE ON requests
WHEN OLD.state <> 'open' OR (NEW.id, NEW.kind, NEW.population, NEW.body, NEW.author, NEW.created)
    IS NOT (OLD.id, OLD.kind, OLD.population, OLD.body, OLD.author, OLD.created)
BEGIN
    SELECT RAISE(ABORT, 'requests: a request is decided once and does not change');
END;

CREATE TRIGGER requests_stay BEFORE DELETE ON requests
BEGIN
    SELECT RAISE(ABORT, 'requests: a request stays');
END;

-- What reviewers decided of plans, and what each approval is good for. The latest decision counts.
CREATE TABLE decisions (
    seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    plan_id TEXT NOT NULL REFERENCES plans (id),
    decision TEXT NOT NULL CHECK (decision IN ('approved', 'returned')),
    actor TEXT NOT NULL,
    at TEXT NOT NULL,
    comment TEXT NOT NULL,
    binding TEXT CHECK (binding IS NULL OR json_valid(binding))
) STRICT;

CREATE INDEX decisions_by_plan ON decisions (plan_id, seq);

CREATE TRIGGER decisions_follow_events BEFORE INSERT ON decisions
WHEN NOT EXISTS (
    SELECT 1 FROM ledger
    WHERE seq = NEW.seq AND kind = 'plan_' || NEW.decision AND actor = NEW.actor AND at = NEW.at
        AND json_extract(body, '$.plan') = NEW.plan_id
) OR EXISTS (SELECT 1 FROM decisions WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'decisions: a decision stands on its own event');
END;

CREATE TRIGGER decisions_do_not_change BEFORE UPDATE ON decisions
BEGIN
    SELECT RAISE(ABORT, 'decisions: a decision does not change; a later one follows it');
END;

CREATE TRIGGER decisions_stay BEFORE DELETE ON decisions
BEGIN
    SELECT RAISE(ABORT, 'decisions: a decision stays');
END;

CREATE TRIGGER plans_begin_submitted BEFORE INSERT ON plans
WHEN NEW.state <> 'submitted' OR NEW.approver IS NOT NULL OR EXISTS (
    SELECT 1 FROM plans WHERE id = NEW.id OR (plan_hash, dataset, dataset_version)
        = (NEW.plan_hash, NEW.dataset, NEW.dataset_version)
)
BEGIN
    SELECT RAISE(ABORT, 'plans: a plan begins submitted, once');
END;

CREATE TRIGGER plans_move BEFORE UPDATE ON plans
WHEN NOT (
    (NEW.state = 'submitted' AND OLD.state = 'returned' AND NEW.approver IS NULL)
    OR (
        NEW.state = 'approved' AND OLD.state IN ('submitted', 'approved')
        AND (NEW.approver, NEW.approved, 'approved') IS (
            SELECT actor, at, decision FROM decisions WHERE plan_id = NEW.id ORDER BY seq DESC LIMIT 1
        )
    )
    OR (
        NEW.state = 'returned' AND OLD.state IN ('submitted', 'approved') AND NEW.approver IS NULL
        AND 'returned' IS (SELECT decision FROM decisions WHERE plan_id = NEW.id ORDER BY seq DESC LIMIT 1)
    )
    OR (
        NEW.state = 'published' AND OLD.state IN ('approved', 'published')
        AND NEW.approver IS OLD.approver AND NEW.approved IS OLD.approved
    )
)
BEGIN
    SELECT RAISE(ABORT, 'plans: a plan is submitted, then approved or returned, then published');
END;

-- The line of a release in the ledger file of its bundle, with the checkpoint over it.
ALTER TABLE releases ADD COLUMN entry TEXT CHECK (entry IS NULL OR (state = 'published' AND json_valid(entry)));

CREATE TRIGGER releases_begin_charged BEFORE INSERT ON releases
WHEN NEW.state <> 'charged'
    OR NOT EXISTS (
        SELECT 1 FROM ledger
        WHERE seq = NEW.charge_seq AND kind = 'charge' AND json_extract(body, '$.recovered') IS NOT 1
    )
    OR EXISTS (SELECT 1 FROM releases WHERE id = NEW.id OR charge_seq = NEW.charge_seq)
    OR EXISTS (SELECT 1 FROM releases WHERE plan_id = NEW.plan_id AND state IN ('charged', 'sealed'))
BEGIN
    SELECT RAISE(ABORT, 'releases: a release begins with its own charge');
END;

CREATE TRIGGER releases_are_entered_once BEFORE UPDATE OF entry ON releases
WHEN OLD.state = 'published'
BEGIN
    SELECT RAISE(ABORT, 'releases: the entry of a release does not change');
END;

CREATE VIEW publications AS
SELECT releases.id, releases.plan_id, releases.charge_seq, releases.state, releases.published_on, releases.certificate,
    releases.entry, ledger.*
FROM releases JOIN ledger ON ledger.seq = releases.charge_seq;

-- What was said of a release after it was published: that another supersedes it, or what is wrong with it.
CREATE TABLE notices (
    seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    release_id TEXT NOT NULL REFERENCES releases (id),
    kind TEXT NOT NULL CHECK (kind IN ('superseded', 'erratum')),
    superseded_by TEXT REFERENCES releases (id),
    text TEXT NOT NULL,
    published_on TEXT NOT NULL,
    statement TEXT NOT NULL CHECK (json_valid(statement)),
    CHECK ((kind = 'superseded') = (superseded_by IS NOT NULL))
) STRICT;

CREATE INDEX notices_by_release ON notices (release_id, seq);

CREATE TRIGGER notices_do_not_change BEFORE UPDATE ON notices
BEGIN
    SELECT RAISE(ABORT, 'notices: a notice does not change');
END;

CREATE TRIGGER notices_stay BEFORE DELETE ON notices
BEGIN
    SELECT RAISE(ABORT, 'notices: a notice stays');
END;

-- Signed checkpoints of this ledger, as they were given out.
CREATE TABLE checkpoints (
    size INTEGER PRIMARY KEY REFERENCES ledger (seq),
    root TEXT NOT NULL CHECK (length(root) = 64),
    signed TEXT NOT NULL CHECK (json_valid(signed))
) STRICT;

CREATE TRIGGER checkpoints_do_not_change BEFORE UPDATE ON checkpoints
BEGIN
    SELECT RAISE(ABORT, 'checkpoints: a checkpoint does not change');
END;

CREATE TRIGGER checkpoints_stay BEFORE DELETE ON checkpoints
BEGIN
    SELECT RAISE(ABORT, 'checkpoints: a checkpoint stays');
END;

-- Hashes of blocks of 32 events, of 32 such blocks, and so on, so that the root of a long ledger is found quickly. They
-- can be made again.
CREATE TABLE tree_blocks (
    level INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (level, number)
) STRICT, WITHOUT ROWID;

-- For readers with other programs.

CREATE VIEW spending AS
SELECT seq, at, actor, population, json_extract(body, '$.plan') AS plan, json_extract(body, '$.plan_hash') AS plan_hash,
    epsilon_nano / 1e9 AS epsilon, rho_nano / 1e9 AS rho, delta_atto / 1e18 AS delta,
    spent_epsilon_nano / 1e9 AS spent_epsilon, spent_rho_nano / 1e9 AS spent_rho, spent_delta_atto / 1e18 AS spent_delta
FROM ledger WHERE kind = 'charge';

CREATE VIEW budgets AS
SELECT populations.name AS population, unit, neighbors, currency, cap.period,
    cap.cap_epsilon_nano / 1e9 AS cap_epsilon, cap.cap_delta_atto / 1e18 AS cap_delta, cap.cap_rho_nano / 1e9 AS cap_rho,
    (last.spent_epsilon_nano - before_epsilon_nano) / 1e9 AS spent_epsilon,
    (last.spent_delta_atto - before_delta_atto) / 1e18 AS spent_delta,
    (last.spent_rho_nano - before_rho_nano) / 1e9 AS spent_rho,
    last.spent_epsilon_nano / 1e9 AS ever_spent_epsilon, last.spent_delta_atto / 1e18 AS ever_spent_delta,
    last.spent_rho_nano / 1e9 AS ever_spent_rho, last.charges
FROM populations
JOIN caps AS cap ON cap.seq = (SELECT max(seq) FROM caps WHERE population = populations.name)
JOIN ledger AS last ON last.seq = (SELECT max(seq) FROM ledger WHERE population = populations.name);
