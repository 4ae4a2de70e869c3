-- The fourth layout of the ledger database: plans in the making, what was previewed, and terms of private tables.

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

-- What the curator said of a dataset when it was registered: how many rows of one unit are to be used, from general
-- knowledge; and the day on which its private table is deleted, if not before.
CREATE TABLE terms (
    dataset TEXT PRIMARY KEY REFERENCES datasets (name),
    max_rows INTEGER CHECK (max_rows IS NULL OR max_rows >= 1),
    delete_on TEXT CHECK (delete_on IS NULL OR delete_on GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]')
) STRICT;
