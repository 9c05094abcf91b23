/**
 * The tables of the memory of a human, `.cfa/humans/<name>.db`.
 *
 * T1. A row of `record` is never changed or deleted; `supersedes` is unique, so a record is corrected once.
 * T2. `words` is the full-text index over them.
 */

/** `application_id` of a memory: "cfam" in ASCII. */
export const APPLICATION_ID = 0x6366616d;

/** `user_version` of the tables below. */
export const MEMORY_VERSION = 1;

/** Makes the tables in an empty database. */
export const MEMORY_TABLES = `
CREATE TABLE record (
  id         INTEGER PRIMARY KEY,
  key        TEXT NOT NULL UNIQUE,
  at         TEXT NOT NULL,
  job        TEXT NOT NULL,
  question   TEXT NOT NULL,
  context    TEXT NOT NULL,
  text       TEXT NOT NULL,
  view       TEXT,
  answer     TEXT,
  supersedes INTEGER UNIQUE REFERENCES record (id),
  by         TEXT
) STRICT;

CREATE TRIGGER record_no_update BEFORE UPDATE ON record
BEGIN SELECT raise(ABORT, 'a record of the memory is never changed'); END;

CREATE TRIGGER record_no_delete BEFORE DELETE ON record
BEGIN SELECT raise(ABORT, 'a record of the memory is never deleted'); END;

CREATE VIRTUAL TABLE words USING fts5 (text, context, view, answer, content = 'record', content_rowid = 'id');

CREATE TRIGGER record_words AFTER INSERT ON record
BEGIN
  INSERT INTO words (rowid, text, context, view, answer)
  VALUES (new.id, new.text, new.context, new.view, new.answer);
END;

PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${MEMORY_VERSION};
`;
