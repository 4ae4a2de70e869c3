-- The layout of the ledger database.
--
-- What must hold even for somebody who opens the file with another program is a CHECK, a foreign key or a trigger.
-- A trigger says RAISE(ABORT) rather than lean on a constraint, because INSERT OR IGNORE and INSERT OR REPLACE override
-- constraints (and REPLACE removes a row without its DELETE trigger), but not RAISE. Kinds and states are plain text, so
-- that later layouts can add some without rebuilding a table.

CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TRIGGER facts_keep_the_mode_of_a_team BEFORE UPDATE ON facts
WHEN OLD.name = 'mode' AND (OLD.value = 'team' OR NEW.name <> 'mode')
BEGIN
    SELECT RAISE(ABORT, 'facts: a workspace of a team stays one');
END;

CREATE TRIGGER facts_stay BEFORE DELETE ON facts
BEGIN
    SELECT RAISE(ABORT, 'facts: a fact stays');
END;

CREATE TABLE populations (
    name TEXT PRIMARY KEY,
    unit TEXT NOT NULL,
    neighbors TEXT NOT NULL CHECK (neighbors IN ('add_remove', 'substitute')),
    currency TEXT NOT NULL,
    cap_epsilon_nano INTEGER NOT NULL CHECK (cap_epsilon_nano > 0),
    cap_rho_nano INTEGER NOT NULL CHECK (cap_rho_nano BETWEEN 0 AND iif(currency = 'zcdp', 9007199254740991, 0)),
    cap_delta_atto INTEGER NOT NULL CHECK (cap_delta_atto >= 0),
    size INTEGER CHECK (size > 0),
    created TEXT NOT NULL,
    -- 0 where it promises that nothing of it is ever discovered: its cap on δ is then for ρ alone.
    discovers INTEGER NOT NULL DEFAULT 1 CHECK (discovers IN (0, 1) AND (discovers = 1 OR currency = 'zcdp'))
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
    rho_nano INTEGER NOT NULL CHECK (rho_nano BETWEEN 0 AND 9007199254740991),
    delta_atto INTEGER NOT NULL CHECK (delta_atto BETWEEN 0 AND 9007199254740991),
    spent_epsilon_nano INTEGER,
    spent_rho_nano INTEGER,
    spent_delta_atto INTEGER,
    charges INTEGER,
    previous_hash TEXT NOT NULL CHECK (length(previous_hash) = 64),
    salt TEXT NOT NULL CHECK (length(salt) = 64),
    hash TEXT NOT NULL CHECK (length(hash) = 64),
    CHECK ((kind = 'charge') = (epsilon_nano + rho_nano + delta_atto > 0)),
    CHECK (epsilon_nano = 0 OR rho_nano = 0),
    CHECK (kind <> 'charge' OR population IS NOT NULL)
) STRICT;

CREATE INDEX ledger_by_population ON ledger (population);

CREATE INDEX ledger_by_kind ON ledger (kind, population);

CREATE INDEX ledger_by_plan ON ledger (body ->> 'plan') WHERE kind = 'plan_submitted';

CREATE INDEX ledger_by_release ON ledger (body ->> 'release', kind) WHERE kind IN ('sealed', 'published');

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

CREATE TRIGGER ledger_is_not_rewritten BEFORE UPDATE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'ledger: an event is never changed');
END;

CREATE TRIGGER ledger_is_not_cut BEFORE DELETE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'ledger: an event is never removed');
END;

CREATE TRIGGER ledger_spends_in_the_currency BEFORE INSERT ON ledger
WHEN EXISTS (
    SELECT 1 FROM populations
    WHERE name = NEW.population AND iif(currency = 'zcdp', NEW.epsilon_nano, NEW.rho_nano) <> 0
)
BEGIN
    SELECT RAISE(ABORT, 'ledger: a charge counts in the currency of its population');
END;

-- In zcdp, half of the declared δ turns ρ into ε; the other half is there to be spent. Where nothing is ever discovered,
-- all of it turns ρ into ε, and none is spent. In a currency that this layout does not know, no charge fits. A recovered
-- charge (see caps) is what another copy of this ledger spent: it counts whatever the cap, and no release can stand on it.
CREATE TRIGGER ledger_stays_within_the_cap BEFORE INSERT ON ledger
WHEN NEW.kind = 'charge' AND iif(json_valid(NEW.body), json_extract(NEW.body, '$.recovered'), 0) IS NOT 1 AND NOT EXISTS (
    SELECT 1 FROM populations JOIN (
        SELECT * FROM caps WHERE population = NEW.population ORDER BY seq DESC LIMIT 1
    ) AS cap
    WHERE populations.name = NEW.population AND CASE currency
        WHEN 'pure' THEN NEW.spent_epsilon_nano - before_epsilon_nano <= cap.cap_epsilon_nano
            AND NEW.spent_delta_atto - before_delta_atto <= cap.cap_delta_atto
        WHEN 'zcdp' THEN NEW.spent_rho_nano - before_rho_nano <= cap.cap_rho_nano
            AND NEW.spent_delta_atto - before_delta_atto <= iif(discovers, cap.cap_delta_atto / 2, 0)
    END
)
BEGIN
    SELECT RAISE(ABORT, 'ledger: the charge would take the population over its cap');
END;

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

-- What waits for a second person: a new population, a raised cap, a new period.
CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('population', 'cap', 'period', 'overlap')),
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

CREATE TABLE datasets (
    name TEXT PRIMARY KEY,
    population TEXT NOT NULL REFERENCES populations (name),
    unit_column TEXT,
    -- Identifiers that stand for nobody, as a JSON list of texts.
    unit_codes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(unit_codes)),
    schema TEXT NOT NULL CHECK (json_valid(schema)),
    version TEXT NOT NULL,
    location TEXT NOT NULL,
    -- SHA-256 of the table's file; NULL where there is none here. It stands in no event and in no public file.
    checksum TEXT CHECK (length(checksum) = 64),
    -- How files of its rows are read, as a JSON object: private, its digest stands in events. NULL where no file came.
    reading TEXT CHECK (reading IS NULL OR json_valid(reading)),
    -- 1 where analysts write plans about it at a distance.
    analysts INTEGER NOT NULL DEFAULT 0 CHECK (analysts IN (0, 1)),
    created TEXT NOT NULL
) STRICT;

CREATE INDEX datasets_by_population ON datasets (population);

CREATE TRIGGER datasets_are_registered_once BEFORE INSERT ON datasets
WHEN EXISTS (SELECT 1 FROM datasets WHERE name = NEW.name)
BEGIN
    SELECT RAISE(ABORT, 'datasets: the name is taken');
END;

CREATE TRIGGER datasets_keep_their_population BEFORE UPDATE OF name, population, unit_column, unit_codes ON datasets
BEGIN
    SELECT RAISE(ABORT, 'datasets: the population and the unit of a dataset do not change');
END;

CREATE TRIGGER datasets_stay BEFORE DELETE ON datasets
BEGIN
    SELECT RAISE(ABORT, 'datasets: a registered dataset stays');
END;

-- What the curator said of a dataset when it was registered: how many rows of one unit are to be used, from general
-- knowledge; and the day on which its private table is deleted, if not before.
CREATE TABLE terms (
    dataset TEXT PRIMARY KEY REFERENCES datasets (name),
    max_rows INTEGER CHECK (max_rows IS NULL OR max_rows >= 1),
    delete_on TEXT CHECK (delete_on IS NULL OR delete_on GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]')
) STRICT;

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

CREATE INDEX plans_by_dataset ON plans (dataset, approved);

CREATE INDEX plans_by_state ON plans (state);

CREATE TRIGGER plans_are_not_rewritten
BEFORE UPDATE OF id, dataset, dataset_version, plan_hash, plan, author, created ON plans
BEGIN
    SELECT RAISE(ABORT, 'plans: a submitted plan does not change');
END;

CREATE TRIGGER plans_stay BEFORE DELETE ON plans
BEGIN
    SELECT RAISE(ABORT, 'plans: a submitted plan stays');
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

CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    plan_id TEXT NOT NULL REFERENCES plans (id),
    charge_seq INTEGER NOT NULL UNIQUE REFERENCES ledger (seq),
    state TEXT NOT NULL,
    published_on TEXT,
    -- Made of the seal, after it.
    certificate TEXT CHECK (certificate IS NULL OR json_valid(certificate)),
    -- The one draw, and the day it was made; empty where the certificate says that the release is withheld.
    sealed BLOB,
    sealed_on TEXT,
    -- Those of its answers that nobody could make again of the draw byte by byte; made with the certificate.
    answers BLOB,
    -- Its line in the ledger file of its bundle, with the checkpoint over it.
    entry TEXT CHECK (entry IS NULL OR (state IN ('published', 'embargoed', 'cancelled') AND json_valid(entry))),
    -- The instant at which it becomes public, with its offset, as it holds now; NULL where it is public at once.
    due TEXT,
    CHECK ((state IN ('charged', 'lost')) = (sealed IS NULL)),
    CHECK ((sealed IS NULL) = (sealed_on IS NULL)),
    CHECK (certificate IS NULL OR sealed IS NOT NULL),
    CHECK (answers IS NULL OR certificate IS NOT NULL),
    CHECK (certificate IS NOT NULL OR state NOT IN ('published', 'embargoed', 'cancelled')),
    CHECK (due IS NOT NULL OR state NOT IN ('embargoed', 'cancelled')),
    CHECK ((state IN ('charged', 'lost', 'sealed')) = (published_on IS NULL))
) STRICT;

CREATE INDEX releases_by_plan ON releases (plan_id, charge_seq);

CREATE INDEX releases_by_day ON releases (published_on);

CREATE INDEX releases_by_state ON releases (state, charge_seq);

CREATE UNIQUE INDEX releases_one_unpublished_a_plan ON releases (plan_id) WHERE state IN ('charged', 'sealed');

CREATE TRIGGER releases_keep_their_charge BEFORE UPDATE OF id, plan_id, charge_seq ON releases
BEGIN
    SELECT RAISE(ABORT, 'releases: the plan and the charge of a release do not change');
END;

-- The first draw stands, whatever is found wrong with it later; only what is withheld is taken away, with its certificate.
CREATE TRIGGER releases_are_sealed_once BEFORE UPDATE OF sealed, sealed_on ON releases
WHEN OLD.sealed IS NOT NULL AND (
    NEW.sealed_on IS NOT OLD.sealed_on
    OR NEW.sealed IS NOT OLD.sealed AND NOT (OLD.certificate IS NULL AND NEW.certificate IS NOT NULL AND NEW.sealed = X'7B7D')
)
BEGIN
    SELECT RAISE(ABORT, 'releases: the first seal stands');
END;

CREATE TRIGGER releases_are_certified_once BEFORE UPDATE OF certificate ON releases
WHEN OLD.certificate IS NOT NULL OR OLD.state <> 'sealed' OR (NEW.sealed = X'7B7D') <> EXISTS (
    SELECT 1 FROM json_each(NEW.certificate, '$.criteria') WHERE json_extract(value, '$.held') IS NOT 1
)
BEGIN
    SELECT RAISE(ABORT, 'releases: a certificate is made once, of a seal, and a release that is withheld keeps no draw');
END;

CREATE TRIGGER releases_keep_their_answers BEFORE UPDATE OF answers ON releases
WHEN OLD.certificate IS NOT NULL OR NEW.answers IS NOT NULL AND NEW.sealed = X'7B7D'
BEGIN
    SELECT RAISE(ABORT, 'releases: answers are made once, with the certificate, and not of a release that is withheld');
END;

CREATE TRIGGER releases_move_forward BEFORE UPDATE OF state, published_on ON releases
WHEN NOT (
    (OLD.state = 'charged' AND NEW.state IN ('sealed', 'lost'))
    OR (OLD.state = 'sealed' AND NEW.state = iif(OLD.due IS NULL, 'published', 'embargoed'))
    OR (OLD.state = 'embargoed' AND NEW.state IN ('published', 'cancelled') AND NEW.published_on IS OLD.published_on)
)
BEGIN
    SELECT RAISE(ABORT, 'releases: a release moves from charged to sealed to published, or is lost before it is drawn');
END;

CREATE TRIGGER releases_keep_their_hour BEFORE UPDATE OF due ON releases
WHEN OLD.state <> 'embargoed' OR NEW.due IS NULL OR NOT EXISTS (
    SELECT 1 FROM ledger WHERE kind = 'embargo_changed'
        AND (json_extract(body, '$.release'), json_extract(body, '$.due')) = (NEW.id, NEW.due)
)
BEGIN
    SELECT RAISE(ABORT, 'releases: the hour of a release changes while it is embargoed, by an event');
END;

CREATE TRIGGER releases_stay BEFORE DELETE ON releases
BEGIN
    SELECT RAISE(ABORT, 'releases: a release stays');
END;

CREATE TRIGGER releases_begin_charged BEFORE INSERT ON releases
WHEN NEW.state <> 'charged'
    OR NOT EXISTS (
        SELECT 1 FROM ledger
        WHERE seq = NEW.charge_seq AND (
            kind = 'charge' AND json_extract(body, '$.recovered') IS NOT 1 AND json_extract(body, '$.run') IS NULL
            OR kind = 'edition_begun'
        )
    )
    OR EXISTS (SELECT 1 FROM releases WHERE id = NEW.id OR charge_seq = NEW.charge_seq)
    OR EXISTS (SELECT 1 FROM releases WHERE plan_id = NEW.plan_id AND state IN ('charged', 'sealed'))
BEGIN
    SELECT RAISE(ABORT, 'releases: a release begins with its own charge');
END;

CREATE TRIGGER releases_are_entered_once BEFORE UPDATE OF entry ON releases
WHEN OLD.state IN ('published', 'embargoed', 'cancelled')
BEGIN
    SELECT RAISE(ABORT, 'releases: the entry of a release does not change');
END;

-- A run: editions of one plan, charged together before the first row is read.
CREATE TABLE runs (
    name TEXT PRIMARY KEY,
    plan_id TEXT NOT NULL UNIQUE REFERENCES plans (id),
    charge_seq INTEGER NOT NULL UNIQUE REFERENCES ledger (seq),
    -- 1 where nothing can begin in it any more.
    ended INTEGER NOT NULL CHECK (ended IN (0, 1))
) STRICT;

CREATE TRIGGER runs_begin_charged BEFORE INSERT ON runs
WHEN NEW.ended <> 0 OR EXISTS (SELECT 1 FROM runs WHERE name = NEW.name) OR NOT EXISTS (
    SELECT 1 FROM ledger WHERE seq = NEW.charge_seq AND kind = 'charge' AND json_extract(body, '$.run.name') = NEW.name
        AND json_extract(body, '$.plan') = NEW.plan_id AND json_extract(body, '$.recovered') IS NOT 1
)
BEGIN
    SELECT RAISE(ABORT, 'runs: a run begins with its own charge');
END;

CREATE TRIGGER runs_end_once BEFORE UPDATE ON runs
WHEN (NEW.name, NEW.plan_id, NEW.charge_seq) <> (OLD.name, OLD.plan_id, OLD.charge_seq) OR OLD.ended = 1
BEGIN
    SELECT RAISE(ABORT, 'runs: a run does not change, but that it ends');
END;

CREATE TRIGGER runs_stay BEFORE DELETE ON runs
BEGIN
    SELECT RAISE(ABORT, 'runs: a run stays');
END;

-- The release of each period of a run: it stands on the event with which it began.
CREATE TABLE editions (
    begun_seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    run TEXT NOT NULL REFERENCES runs (name),
    period TEXT NOT NULL,
    UNIQUE (run, period)
) STRICT;

CREATE TRIGGER editions_follow_one_another BEFORE INSERT ON editions
WHEN EXISTS (SELECT 1 FROM editions WHERE run = NEW.run AND (period = NEW.period OR begun_seq >= NEW.begun_seq))
    OR NOT EXISTS (SELECT 1 FROM runs WHERE name = NEW.run AND ended = 0)
    OR NOT EXISTS (
        SELECT 1 FROM ledger WHERE seq = NEW.begun_seq AND kind = 'edition_begun'
            AND json_extract(body, '$.run') = NEW.run AND json_extract(body, '$.edition') = NEW.period
    )
    OR EXISTS (
        SELECT 1 FROM editions JOIN releases ON releases.charge_seq = editions.begun_seq
        WHERE run = NEW.run AND state IN ('charged', 'sealed', 'embargoed')
    )
    -- Names of the periods of one run sort as their days do.
    OR (
        EXISTS (SELECT 1 FROM editions WHERE run = NEW.run AND period > NEW.period)
        AND (
            SELECT json_extract(ledger.body, '$.run.ordered') FROM runs JOIN ledger ON ledger.seq = runs.charge_seq
            WHERE runs.name = NEW.run
        ) IS NOT 0
    )
BEGIN
    SELECT RAISE(ABORT, 'editions: an edition follows those before it, once, while its run is open');
END;

CREATE TRIGGER editions_do_not_change BEFORE UPDATE ON editions
BEGIN
    SELECT RAISE(ABORT, 'editions: an edition does not change');
END;

CREATE TRIGGER editions_stay BEFORE DELETE ON editions
BEGIN
    SELECT RAISE(ABORT, 'editions: an edition stays');
END;

-- What is to come, and what came: lines of the public calendar, each as its signed file has it. No event tells of those
-- that are of no release; the others change with the events of their release.
CREATE TABLE calendar (
    uid TEXT PRIMARY KEY,
    release_id TEXT UNIQUE REFERENCES releases (id),
    entry TEXT NOT NULL CHECK (json_valid(entry))
) STRICT;

-- Rounds of a draw, each kept before the next is made of it; in the end the seal holds them, and they go.
CREATE TABLE rounds (
    release_id TEXT NOT NULL REFERENCES releases (id),
    number INTEGER NOT NULL CHECK (number >= 0),
    drawn BLOB NOT NULL,
    PRIMARY KEY (release_id, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER rounds_follow_one_another BEFORE INSERT ON rounds
WHEN NOT EXISTS (SELECT 1 FROM releases WHERE id = NEW.release_id AND state = 'charged')
    OR NEW.number <> (SELECT count(*) FROM rounds WHERE release_id = NEW.release_id)
BEGIN
    SELECT RAISE(ABORT, 'rounds: a round follows the one before, until the draw is sealed');
END;

CREATE TRIGGER rounds_do_not_change BEFORE UPDATE ON rounds
BEGIN
    SELECT RAISE(ABORT, 'rounds: the first draw of a round stands');
END;

CREATE TRIGGER rounds_go_with_the_seal BEFORE DELETE ON rounds
WHEN EXISTS (SELECT 1 FROM releases WHERE id = OLD.release_id AND state = 'charged')
BEGIN
    SELECT RAISE(ABORT, 'rounds: a round stays until the draw is sealed');
END;

-- By what a statistic measures, as a hash: the plan that published it last. A finding of a review, and nothing else.
CREATE TABLE measured (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
    plan_id TEXT NOT NULL REFERENCES plans (id)
) STRICT, WITHOUT ROWID;

-- What was said of a release after it was published: that another supersedes it, what is wrong with it, or its DOI.
CREATE TABLE notices (
    seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    release_id TEXT NOT NULL REFERENCES releases (id),
    kind TEXT NOT NULL CHECK (kind IN ('superseded', 'erratum', 'doi')),
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

-- A plan or a declaration of columns while it is being made, complete or not, for its author alone. It is changed and
-- deleted freely: nothing is promised by it. `revision` counts its changes, so that none is overwritten unseen.
CREATE TABLE drafts (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('plan', 'columns')),
    author TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    revision INTEGER NOT NULL CHECK (revision >= 1),
    created TEXT NOT NULL,
    changed TEXT NOT NULL
) STRICT;

CREATE INDEX drafts_by_author ON drafts (author, kind, changed);

-- The plan of each preview, so that a reviewer sees what was changed after it. Never a value.
CREATE TABLE previewed (
    seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    plan TEXT NOT NULL CHECK (json_valid(plan))
) STRICT;

CREATE TRIGGER previewed_follow_events BEFORE INSERT ON previewed
WHEN NOT EXISTS (SELECT 1 FROM ledger WHERE seq = NEW.seq AND kind = 'preview_taken')
    OR EXISTS (SELECT 1 FROM previewed WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'previewed: a plan stands on the event of its own preview');
END;

CREATE TRIGGER previewed_do_not_change BEFORE UPDATE ON previewed
BEGIN
    SELECT RAISE(ABORT, 'previewed: what was previewed does not change');
END;

CREATE TRIGGER previewed_stay BEFORE DELETE ON previewed
BEGIN
    SELECT RAISE(ABORT, 'previewed: what was previewed stays');
END;

-- Roles hold for every session and token of a person, from the moment they change.
CREATE TABLE people (
    name TEXT PRIMARY KEY,
    roles TEXT NOT NULL CHECK (json_valid(roles)),
    -- By argon2id, with its salt and costs; NULL where none was set.
    password TEXT,
    -- Issuer and subject at an identity provider.
    subject TEXT UNIQUE,
    created TEXT NOT NULL,
    disabled TEXT,
    -- How the link came about whose session set the password, and by whom; NULL where nobody else gave one.
    issued TEXT CHECK (issued IN ('terminal', 'invitation', 'reset')),
    issued_by TEXT
) STRICT;

CREATE TRIGGER people_stay BEFORE DELETE ON people
BEGIN
    SELECT RAISE(ABORT, 'people: a person stays; they can be disabled');
END;

CREATE TABLE sign_in_links (
    token_hash TEXT PRIMARY KEY,
    actor TEXT NOT NULL,
    roles TEXT NOT NULL CHECK (json_valid(roles)),
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    redeemed TEXT,
    -- How it came about, and by whom; NULL where its person made it.
    issued TEXT CHECK (issued IN ('terminal', 'invitation', 'reset')),
    issued_by TEXT
) STRICT;

CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    actor TEXT NOT NULL,
    roles TEXT NOT NULL CHECK (json_valid(roles)),
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    revoked TEXT,
    -- How it was begun.
    way TEXT NOT NULL CHECK (way IN ('link', 'password', 'provider')),
    -- When its person last showed who they are, and when it was last used, to the minute.
    shown TEXT NOT NULL,
    used TEXT NOT NULL,
    -- How the link or the password came about with which it was begun.
    issued TEXT CHECK (issued IN ('terminal', 'invitation', 'reset')),
    issued_by TEXT
) STRICT;

CREATE INDEX sessions_by_actor ON sessions (actor, created);

-- For programs: what a person may do, or a part of it.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    actor TEXT NOT NULL REFERENCES people (name),
    label TEXT NOT NULL,
    operations TEXT NOT NULL CHECK (json_valid(operations)),
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    revoked TEXT,
    -- The token that made it: it ends with that one, and lasts no longer.
    parent TEXT REFERENCES tokens (id),
    -- The one dataset that it is for; NULL where it is for all that its person works with.
    dataset TEXT REFERENCES datasets (name),
    used TEXT,
    uses INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Answers to requests of programs, by the SHA-256 of their keys: a request that is sent again has the same effect.
CREATE TABLE replies (
    person TEXT NOT NULL REFERENCES people (name),
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    created TEXT NOT NULL,
    reply TEXT NOT NULL CHECK (json_valid(reply)),
    PRIMARY KEY (person, key)
) STRICT;

CREATE INDEX tokens_by_parent ON tokens (parent);

-- What a person is told of their account at the next sign-in. Forgotten after a while.
CREATE TABLE account_news (
    id INTEGER PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (name),
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- Who did it, where it was not the person.
    by_whom TEXT,
    detail TEXT NOT NULL,
    -- In which session, which need not be told.
    session TEXT,
    seen TEXT
) STRICT;

CREATE INDEX account_news_by_person ON account_news (person, id);

-- A second factor beside a password: codes of an authenticator (TOTP, RFC 6238).
CREATE TABLE second_factors (
    person TEXT PRIMARY KEY REFERENCES people (name),
    -- Encrypted, with a key that lies in another file.
    secret TEXT NOT NULL,
    created TEXT NOT NULL,
    -- When its person gave a first code; until then it asks for nothing.
    confirmed TEXT,
    -- The time step of the last code that was taken. Neither that one nor an earlier one is taken again.
    last_step INTEGER NOT NULL
) STRICT;

CREATE TRIGGER second_factors_take_a_code_once BEFORE UPDATE OF last_step ON second_factors
WHEN NEW.last_step <= OLD.last_step
BEGIN
    SELECT RAISE(ABORT, 'second_factors: a code is taken once');
END;

-- Codes for when the authenticator is lost, each good for one time.
CREATE TABLE recovery_codes (
    code_hash TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES second_factors (person) ON DELETE CASCADE,
    used TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX recovery_codes_by_person ON recovery_codes (person);

-- Sign-ins of which the code is still to come: no sessions. Forgotten after ten minutes.
CREATE TABLE half_sign_ins (
    token_hash TEXT PRIMARY KEY,
    actor TEXT NOT NULL REFERENCES people (name),
    way TEXT NOT NULL CHECK (way IN ('link', 'password')),
    expires TEXT NOT NULL,
    -- How the link or the password came about.
    issued TEXT CHECK (issued IN ('terminal', 'invitation', 'reset')),
    issued_by TEXT
) STRICT, WITHOUT ROWID;

-- Wrong passwords and codes in a row, by the session, the address or the addresses together that they come from; and
-- since when somebody's address is known. Forgotten after a while.
CREATE TABLE tries (
    name TEXT NOT NULL REFERENCES people (name),
    place TEXT NOT NULL,
    failures INTEGER NOT NULL CHECK (failures >= 0),
    locked_until TEXT,
    last TEXT NOT NULL,
    -- When its person last signed in from there.
    known TEXT,
    PRIMARY KEY (name, place)
) STRICT, WITHOUT ROWID;

-- Sign-ins that failed, counted by day, so that strangers add nothing to the ledger. Forgotten after a while. The name is
-- empty where nobody here is called that.
CREATE TABLE sign_in_failures (
    day TEXT NOT NULL,
    name TEXT NOT NULL,
    way TEXT NOT NULL CHECK (way IN ('password', 'code', 'provider')),
    count INTEGER NOT NULL,
    PRIMARY KEY (day, name, way)
) STRICT, WITHOUT ROWID;

-- What a sign-in at an identity provider has to bring back, once, within minutes.
CREATE TABLE provider_visits (
    state_hash TEXT PRIMARY KEY,
    nonce TEXT NOT NULL,
    verifier TEXT NOT NULL,
    expires TEXT NOT NULL,
    used TEXT,
    -- 1 where somebody who is signed in is to show anew who they are.
    again INTEGER NOT NULL CHECK (again IN (0, 1))
) STRICT;

CREATE VIEW publications AS
SELECT releases.id, releases.plan_id, releases.charge_seq, releases.state, releases.sealed_on, releases.published_on,
    releases.certificate, releases.entry, releases.due, ledger.*
FROM releases JOIN ledger ON ledger.seq = releases.charge_seq;

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
