-- The road: deliveries, their jobs, the records that runs make, and the ledger of creates.
-- Times are milliseconds since 1970, UTC. Ids of the forge are its own numbers.

-- One row for each webhook that was taken in: what came, what it wakes and why. The payload is not kept.
-- The triggers below put it into the queue, so that one INSERT takes a whole batch in.
CREATE TABLE deliveries (
    place           INTEGER PRIMARY KEY,
    id              TEXT    NOT NULL UNIQUE,
    event           TEXT    NOT NULL,
    received_at     INTEGER NOT NULL,
    repository      INTEGER NOT NULL,
    -- From here on null where no lane is woken: `gate:pause` went somewhere in the repository.
    installation    INTEGER,
    number          INTEGER,
    repository_name TEXT,
    cause           TEXT,
    cause_at        INTEGER,
    merge_key       TEXT,
    due             INTEGER,
    latest          INTEGER,
    -- The job that it woke: its own, or the one that it was merged into.
    job             TEXT
);

-- The queue. `seq` is the order of arrival within a lane (installation, repository, number).
CREATE TABLE jobs (
    seq          INTEGER PRIMARY KEY,
    id           TEXT    NOT NULL UNIQUE,
    installation INTEGER NOT NULL,
    repository   INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    -- The delivery whose cause counts: of merged ones the newest by GitHub's time.
    delivery     INTEGER NOT NULL REFERENCES deliveries (place),
    cause_at     INTEGER NOT NULL,
    -- Set only while the job has never begun: what it may be merged with.
    merge_key    TEXT,
    state        TEXT    NOT NULL DEFAULT 'ready'
                         CHECK (state IN ('ready', 'running', 'paused', 'dead', 'done')),
    due          INTEGER NOT NULL,
    latest       INTEGER,
    attempt      INTEGER NOT NULL DEFAULT 0,
    worker       TEXT,
    lease_until  INTEGER,
    error        TEXT,
    created_at   INTEGER NOT NULL,
    ended_at     INTEGER
);

-- The database itself forbids two running jobs of a lane, and two jobs that should have been merged.
CREATE UNIQUE INDEX jobs_running ON jobs (installation, repository, number) WHERE state = 'running';
CREATE UNIQUE INDEX jobs_merge ON jobs (installation, repository, number, merge_key) WHERE merge_key IS NOT NULL;
-- What the claim reads.
CREATE INDEX jobs_ready ON jobs (installation, repository, number) WHERE state = 'ready';
CREATE INDEX jobs_due ON jobs (due) WHERE state = 'ready' OR state = 'paused';
-- What few jobs are in, and someone looks for.
CREATE INDEX jobs_paused ON jobs (repository) WHERE state = 'paused';
CREATE INDEX jobs_dead ON jobs (installation, repository, number) WHERE state = 'dead';

-- A delivery becomes a job, or joins the one whose id it was given. A label keeps the first one's due.
CREATE TRIGGER deliveries_wake AFTER INSERT ON deliveries WHEN NEW.number IS NOT NULL BEGIN
    INSERT INTO jobs (id, installation, repository, number, delivery, cause_at, merge_key, due, latest, created_at)
    VALUES (NEW.job, NEW.installation, NEW.repository, NEW.number, NEW.place, NEW.cause_at, NEW.merge_key, NEW.due,
            NEW.latest, NEW.received_at)
    ON CONFLICT (id) DO UPDATE SET
        delivery = CASE WHEN excluded.cause_at < cause_at THEN delivery ELSE excluded.delivery END,
        cause_at = max(cause_at, excluded.cause_at);
END;

-- A further edit pushes the run on, but not past the first one's latest.
CREATE TRIGGER deliveries_debounce AFTER INSERT ON deliveries WHEN NEW.latest IS NOT NULL BEGIN
    UPDATE jobs SET due = min(NEW.due, latest) WHERE id = NEW.job;
END;

CREATE TRIGGER deliveries_unpause AFTER INSERT ON deliveries WHEN NEW.number IS NULL BEGIN
    UPDATE jobs SET state = 'ready', due = min(due, NEW.received_at)
    WHERE state = 'paused' AND repository = NEW.repository;
END;

-- Append-only: a rewrite is a further `edit` of the same `seq`. State is a fold over these rows (chapter 10).
CREATE TABLE records (
    repository INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    gate       TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    edit       INTEGER NOT NULL,
    app        INTEGER,
    record     TEXT    NOT NULL,
    PRIMARY KEY (repository, number, gate, seq, edit)
) WITHOUT ROWID;

-- Where a record's comment stands; all edits of a record share it.
CREATE TABLE record_comments (
    repository INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    gate       TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    comment    INTEGER NOT NULL,
    node       TEXT    NOT NULL,
    url        TEXT    NOT NULL,
    PRIMARY KEY (repository, number, gate, seq)
) WITHOUT ROWID;

-- The ledger: a create's intent stands here before its request, its result after it.
CREATE TABLE effects (
    place        INTEGER PRIMARY KEY,
    run          TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    ordinal      INTEGER NOT NULL,
    installation INTEGER NOT NULL,
    repository   INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    payload      TEXT    NOT NULL,
    sent_at      INTEGER,
    result       TEXT,
    UNIQUE (run, kind, ordinal)
);
CREATE INDEX effects_open ON effects (installation, repository, number) WHERE result IS NULL;

-- One row that a readiness check writes to: a full disk shows before a delivery meets it.
CREATE TABLE pulse (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
);
