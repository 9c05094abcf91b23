/**
 * The tables of a job's file, `bus.db`.
 *
 * T1. A row of `log` is never changed, deleted or replaced, and numbers leave no gap: triggers see to it.
 * T2. `application_id` says that a SQLite file is a cfa log, `user_version` of which format.
 * T3. All but `log`, `texts` (long texts of its bodies, texts.ts), `inbox` and `meta` can be made again from them.
 */

/** `application_id` of a cfa log: "cfa1" in ASCII. */
export const APPLICATION_ID = 0x63666131;

/** `user_version` of the tables below. A file of another version is refused, never misread. */
export const TABLES_VERSION = 2;

/** Makes the tables in an empty database. */
export const TABLES = `
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  job TEXT NOT NULL
) STRICT;

CREATE TABLE log (
  seq   INTEGER PRIMARY KEY,
  round INTEGER NOT NULL,
  at    TEXT NOT NULL,
  kind  TEXT NOT NULL,
  body  TEXT NOT NULL,
  prev  TEXT NOT NULL,
  hash  TEXT NOT NULL
) STRICT;

CREATE TRIGGER log_append BEFORE INSERT ON log
WHEN new.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM log)
BEGIN SELECT raise(ABORT, 'a log row follows the newest one'); END;

CREATE TRIGGER log_no_update BEFORE UPDATE ON log
BEGIN SELECT raise(ABORT, 'a log row is never changed'); END;

CREATE TRIGGER log_no_delete BEFORE DELETE ON log
BEGIN SELECT raise(ABORT, 'a log row is never deleted'); END;

CREATE TABLE texts (
  hash TEXT PRIMARY KEY,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER texts_no_update BEFORE UPDATE ON texts
BEGIN SELECT raise(ABORT, 'a text of the log is never changed'); END;

-- REPLACE would delete without the triggers above. A text that is there already is put there once.
CREATE TRIGGER texts_no_replace BEFORE INSERT ON texts
WHEN EXISTS (SELECT 1 FROM texts WHERE hash = new.hash)
BEGIN
  SELECT CASE (SELECT text FROM texts WHERE hash = new.hash)
    WHEN new.text THEN raise(IGNORE)
    ELSE raise(ABORT, 'a text of the log is never replaced')
  END;
END;

CREATE TRIGGER texts_no_delete BEFORE DELETE ON texts
BEGIN SELECT raise(ABORT, 'a text of the log is never deleted'); END;

CREATE TABLE inbox (
  place  INTEGER PRIMARY KEY AUTOINCREMENT,
  id     TEXT NOT NULL UNIQUE,
  verb   TEXT NOT NULL,
  target TEXT NOT NULL,
  text   TEXT NOT NULL,
  by     TEXT NOT NULL,
  taken  INTEGER -- round that took it up; null while it is pending
) STRICT;

CREATE INDEX inbox_pending ON inbox (place) WHERE taken IS NULL;

CREATE TABLE owner (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  epoch   INTEGER NOT NULL,
  host    TEXT,    -- null, as are the columns below, while nobody owns the job
  pid     INTEGER,
  started TEXT,
  since   INTEGER, -- milliseconds since 1970, by the store's clock
  lease   INTEGER  -- until when, likewise
) STRICT;

CREATE TABLE checkpoint (
  one   INTEGER PRIMARY KEY CHECK (one = 1),
  seq   INTEGER NOT NULL,
  state TEXT NOT NULL
) STRICT;

INSERT INTO owner (one, epoch) VALUES (1, 0);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${TABLES_VERSION};
`;
