/**
 * The memory of a human in a SQLite file (human-memory.ts).
 *
 * R1. A row is never changed or deleted, and corrected at most once: triggers and a unique column see to it.
 * R2. The full-text index is made of the rows by a trigger; it can be made again from them.
 * R3. Words are looked up literally: nothing in a question is taken for query syntax.
 */
import Database from "better-sqlite3";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { BusError } from "../bus-error.ts";
import type { Experience, HumanMemory, RecallBounds, Remembered } from "../human-memory.ts";
import { guarded } from "./errors.ts";
import { APPLICATION_ID, MEMORY_TABLES, MEMORY_VERSION } from "./human-memory-tables.ts";

/** How long a statement waits for a lock of another process, in milliseconds. */
const LOCK_MILLIS = 5_000;
/** Most words of a question that are looked up. */
const WORDS_MAX = 40;

const rowSchema = z.strictObject({
  id: z.int().positive(),
  key: z.string(),
  at: z.string(),
  job: z.string(),
  question: z.string(),
  context: z.string(),
  text: z.string(),
  view: z.string().nullable(),
  answer: z.string().nullable(),
  supersedes: z.int().nullable(),
  corrected: z.int().nullable(),
  by: z.string().nullable(),
});

const COLUMNS = `r.id, r.key, r.at, r.job, r.question, r.context, r.text, r.view, r.answer, r.supersedes,
  (SELECT c.id FROM record c WHERE c.supersedes = r.id) AS corrected, r.by`;

/**
 * Opens the memory in `file`, which is made, with its folder, when it is not there.
 * @throws BusError `foreign`, `version`, `corrupt`, `busy` or `io`.
 */
export function openHumanMemory(file: string): HumanMemory {
  return guarded(file, () => {
    mkdirSync(dirname(file), { recursive: true });
    const db = new Database(file, { timeout: LOCK_MILLIS });
    try {
      db.pragma("synchronous = FULL");
      prepareTables(db, file);
      return new SqliteMemory(db, file);
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Recognises a memory; makes one of an empty file. */
function prepareTables(db: Database.Database, file: string): void {
  const make = db.transaction(() => {
    const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    if (isEmpty) db.exec(MEMORY_TABLES);
  });
  const application = db.pragma("application_id", { simple: true });
  if (application === 0) {
    db.pragma("journal_mode = WAL");
    make.immediate();
  }
  if (db.pragma("application_id", { simple: true }) !== APPLICATION_ID)
    throw new BusError("foreign", `${file} is a database, but no memory of a human: move it away`);
  const version = Number(db.pragma("user_version", { simple: true }));
  if (version !== MEMORY_VERSION)
    throw new BusError(
      "version",
      `${file} has format ${version}, and this cfa reads ${MEMORY_VERSION}: use a cfa that knows it`,
    );
}

class SqliteMemory implements HumanMemory {
  readonly #db: Database.Database;
  readonly #file: string;

  constructor(db: Database.Database, file: string) {
    this.#db = db;
    this.#file = file;
  }

  async note(experiences: readonly Experience[]): Promise<void> {
    this.#run(() => {
      const insert = this.#db.prepare(
        `INSERT INTO record (key, at, job, question, context, text, view, answer)
         VALUES (@key, @at, @job, @question, @context, @text, @view, @answer) ON CONFLICT (key) DO NOTHING`,
      );
      this.#db.transaction(() => experiences.forEach((one) => insert.run(one))).immediate();
    });
  }

  async recall(words: string, { records, bytes }: RecallBounds): Promise<readonly Remembered[]> {
    return this.#run(() => {
      const current = "r.id NOT IN (SELECT supersedes FROM record WHERE supersedes IS NOT NULL)";
      const newest = this.#rows(`${current} ORDER BY r.id DESC LIMIT ?`, [records]);
      const query = queryOf(words);
      const matching =
        query === ""
          ? []
          : this.#rows(
              `${current} ORDER BY w.rank LIMIT ?`,
              [query, records],
              "JOIN words w ON w.rowid = r.id AND w.words MATCH ?",
            );
      return bounded(matching, newest, { records, bytes });
    });
  }

  async list(words?: string): Promise<readonly Remembered[]> {
    return this.#run(() => {
      if (words === undefined) return this.#rows("true ORDER BY r.id", []);
      const query = queryOf(words);
      if (query === "") return [];
      return this.#rows("true ORDER BY r.id", [query], "JOIN words w ON w.rowid = r.id AND w.words MATCH ?");
    });
  }

  async find(id: number): Promise<Remembered | undefined> {
    return this.#run(() => this.#rows("r.id = ?", [id])[0]);
  }

  async correct(
    id: number,
    answer: string,
    by: string,
    at: string,
  ): Promise<{ readonly id: number } | { readonly refused: string }> {
    return this.#run(() =>
      this.#db
        .transaction((): { id: number } | { refused: string } => {
          const [old] = this.#rows("r.id = ?", [id]);
          if (old === undefined) return { refused: `there is no record ${id}` };
          if (old.corrected !== null)
            return { refused: `record ${id} has been corrected by ${old.corrected}: correct that one` };
          const { job, question, context, text, view } = old;
          const row = { key: `correction/${id}`, at, job, question, context, text, view, answer, by, id };
          const { lastInsertRowid } = this.#db
            .prepare(
              `INSERT INTO record (key, at, job, question, context, text, view, answer, supersedes, by)
               VALUES (@key, @at, @job, @question, @context, @text, @view, @answer, @id, @by)`,
            )
            .run(row);
          return { id: Number(lastInsertRowid) };
        })
        .immediate(),
    );
  }

  async close(): Promise<void> {
    this.#run(() => this.#db.close());
  }

  #rows(where: string, values: readonly (string | number)[], join = ""): Remembered[] {
    const rows: unknown[] = this.#db
      .prepare(`SELECT ${COLUMNS} FROM record r ${join} WHERE ${where}`)
      .all(values);
    return rows.map((row) => rowSchema.parse(row));
  }

  #run<T>(operation: () => T): T {
    return guarded(this.#file, operation);
  }
}

/** A query for records with any of the words (R3). */
function queryOf(words: string): string {
  const found = words.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return [...new Set(found)]
    .slice(0, WORDS_MAX)
    .map((word) => `"${word}"`)
    .join(" OR ");
}

/** Best matches and newest records in turn, as many as the bounds allow, in the order of noting. */
function bounded(
  matching: readonly Remembered[],
  newest: readonly Remembered[],
  { records, bytes }: RecallBounds,
): readonly Remembered[] {
  const chosen = new Map<number, Remembered>();
  let left = bytes;
  for (let at = 0; at < Math.max(matching.length, newest.length); at++) {
    for (const one of [matching[at], newest[at]]) {
      if (one === undefined || chosen.has(one.id) || chosen.size >= records) continue;
      const size = sizeOf(one);
      if (size > left) continue;
      left -= size;
      chosen.set(one.id, one);
    }
  }
  return [...chosen.values()].sort((a, b) => a.id - b.id);
}

function sizeOf({ context, text, view, answer }: Remembered): number {
  return Buffer.byteLength(`${context}${text}${view ?? ""}${answer ?? ""}`);
}
