-- The fifth layout of the ledger database: people with their passwords, or known to an identity provider, and tokens.

-- Roles hold for every session and token of a person, from the moment they change.
CREATE TABLE people (
    name TEXT PRIMARY KEY,
    roles TEXT NOT NULL CHECK (json_valid(roles)),
    -- By argon2id, with its salt and costs; NULL where none was set.
    password TEXT,
    -- Issuer and subject at an identity provider.
    subject TEXT UNIQUE,
    created TEXT NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    locked_until TEXT,
    disabled TEXT
) STRICT;

INSERT INTO people (name, roles, created)
SELECT 'owner', '["administrator", "curator", "reviewer"]', value FROM facts WHERE name = 'created';

INSERT INTO people (name, roles, created)
SELECT actor, roles, created FROM sign_in_links AS link
WHERE actor <> 'owner' AND rowid = (SELECT rowid FROM sign_in_links WHERE actor = link.actor ORDER BY created DESC LIMIT 1);

CREATE TRIGGER people_stay BEFORE DELETE ON people
BEGIN
    SELECT RAISE(ABORT, 'people: a person stays; they can be disabled');
END;

-- How a session was begun: link, password or provider.
ALTER TABLE sessions ADD COLUMN way TEXT NOT NULL DEFAULT 'link' CHECK (way IN ('link', 'password', 'provider'));

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
    revoked TEXT
) STRICT;

-- What a sign-in at an identity provider has to bring back, once, within minutes.
CREATE TABLE provider_visits (
    state_hash TEXT PRIMARY KEY,
    nonce TEXT NOT NULL,
    verifier TEXT NOT NULL,
    expires TEXT NOT NULL,
    used TEXT
) STRICT;
