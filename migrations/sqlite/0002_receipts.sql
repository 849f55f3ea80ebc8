-- What models cost: one row for each call, from before it is sent.
-- Times are milliseconds since 1970, UTC. Money is in millionths of a US dollar.

-- A call is reserved with an estimate, which counts for its day until the receipt says what it took, or until it is known
-- that nothing was used. What a crash left reserved goes on counting. Neither prompts nor keys ever stand here.
CREATE TABLE receipts (
    -- The order of the calls. Never given twice: a late receipt must not land on another call.
    place        INTEGER PRIMARY KEY AUTOINCREMENT,
    run          TEXT    NOT NULL,
    gate         TEXT    NOT NULL,
    installation INTEGER NOT NULL,
    repository   INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    -- When it was reserved; a receipt that comes after midnight counts for the day before.
    at           INTEGER NOT NULL,
    day          INTEGER NOT NULL CHECK (day = at / 86400000),
    state        TEXT    NOT NULL DEFAULT 'reserved' CHECK (state IN ('reserved', 'paid', 'released')),
    -- What counts: the estimate, then what was used. Money is null where a paid call's price is not known.
    tokens       INTEGER NOT NULL CHECK (tokens >= 0),
    money        INTEGER CHECK (money >= 0),
    receipt      TEXT,
    hash         TEXT,
    CHECK ((state = 'paid') = (receipt IS NOT NULL AND hash IS NOT NULL))
);

-- A day's sums, by installation and repository, are read from this index alone.
CREATE INDEX receipts_day ON receipts (day, installation, repository, tokens, money);
CREATE INDEX receipts_run ON receipts (run);
