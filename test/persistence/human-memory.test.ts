/** The memory of a human in a SQLite file: append-only, found again by words and by age, within bounds (docs/escalation.md). */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Experience, HumanMemory } from "../../src/persistence/human-memory.ts";
import { openHumanMemory } from "../../src/persistence/sqlite/human-memory.ts";

let folder: string;
let file: string;
let memory: HumanMemory;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cfa-memory-"));
  file = join(folder, "humans", "default.db");
  memory = openHumanMemory(file);
});
afterEach(async () => {
  await memory.close();
  rmSync(folder, { recursive: true, force: true });
});

const AT = "2026-01-02T03:04:05.678Z";
const WIDE = { records: 100, bytes: 1_000_000 };

const experience = (n: number, text: string, more: Partial<Experience> = {}): Experience => ({
  key: `job/q${n}/1`,
  at: AT,
  job: "job",
  question: `q${n}`,
  context: "lead on state",
  text,
  view: null,
  answer: `answer ${n}`,
  ...more,
});

const ids = (records: readonly { readonly id: number }[]): readonly number[] => records.map(({ id }) => id);

describe("noting", () => {
  test("numbers records in their order; the same key again changes nothing", async () => {
    await memory.note([experience(1, "red or blue?"), experience(2, "ship it?")]);
    await memory.note([experience(1, "another text"), experience(3, "sure?")]);
    expect((await memory.list()).map(({ id, text, answer }) => [id, text, answer])).toEqual([
      [1, "red or blue?", "answer 1"],
      [2, "ship it?", "answer 2"],
      [3, "sure?", "answer 3"],
    ]);
  });

  test("is seen by another process that has the file open, and survives closing", async () => {
    const other = openHumanMemory(file);
    await memory.note([experience(1, "red or blue?")]);
    expect(ids(await other.list())).toEqual([1]);
    await other.close();
    await memory.close();
    memory = openHumanMemory(file);
    expect(await memory.find(1)).toMatchObject({
      text: "red or blue?",
      supersedes: null,
      corrected: null,
      by: null,
    });
  });

  test.each(["UPDATE record SET answer = 'other'", "DELETE FROM record"])(
    "%s is forbidden",
    async (statement) => {
      await memory.note([experience(1, "red or blue?")]);
      const db = new Database(file);
      expect(() => db.exec(statement)).toThrow(/is never/u);
      db.close();
    },
  );
});

describe("recalling", () => {
  test("finds what shares words with the question, whatever else was noted since", async () => {
    await memory.note([experience(1, "which colour has the button?")]);
    await memory.note(Array.from({ length: 30 }, (_, n) => experience(n + 2, `unrelated ${n}`)));
    const known = await memory.recall("The colour of the menu?", { records: 4, bytes: 10_000 });
    expect(ids(known)).toContain(1);
    expect(ids(known)).toContain(31);
    expect(known).toHaveLength(4);
    expect(ids(known)).toEqual([...ids(known)].sort((a, b) => a - b));
  });

  test.each(['"; DROP TABLE record; --', "NEAR( OR AND NOT * ^ :", "", "?!", "übergröße \u{1f600} 东西"])(
    "takes %j for words, not for a query",
    async (words) => {
      await memory.note([experience(1, "übergröße?")]);
      expect(ids(await memory.recall(words, WIDE))).toEqual([1]);
    },
  );

  test("stays within the bounds in records and bytes", async () => {
    const text = fc.string({ minLength: 1, maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 20 }),
        text,
        fc.nat(10),
        fc.nat(2000),
        async (texts, words, records, bytes) => {
          const own = openHumanMemory(":memory:");
          await own.note(texts.map((one, n) => experience(n, one)));
          const known = await own.recall(words, { records, bytes });
          await own.close();
          const size = known
            .map(({ context, text: asked, view, answer }) => `${context}${asked}${view ?? ""}${answer ?? ""}`)
            .reduce((sum, one) => sum + Buffer.byteLength(one), 0);
          return known.length <= records && size <= bytes && new Set(ids(known)).size === known.length;
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("correcting", () => {
  test("adds a record that supersedes: the old one stays, and is not recalled", async () => {
    await memory.note([experience(1, "red or blue?", { view: "a colour?" })]);
    expect(await memory.correct(1, "blue, and only blue", "ada", AT)).toEqual({ id: 2 });
    expect(await memory.find(1)).toMatchObject({ answer: "answer 1", corrected: 2 });
    expect(await memory.find(2)).toMatchObject({
      text: "red or blue?",
      view: "a colour?",
      answer: "blue, and only blue",
      supersedes: 1,
      by: "ada",
    });
    expect(ids(await memory.recall("blue", WIDE))).toEqual([2]);
    expect(ids(await memory.list("blue"))).toEqual([1, 2]);
  });

  test("a correction can be corrected, a corrected record and one that is not there cannot", async () => {
    await memory.note([experience(1, "red or blue?")]);
    await memory.correct(1, "blue", "ada", AT);
    expect(await memory.correct(1, "green", "ada", AT)).toEqual({
      refused: "record 1 has been corrected by 2: correct that one",
    });
    expect(await memory.correct(9, "green", "ada", AT)).toEqual({ refused: "there is no record 9" });
    expect(await memory.correct(2, "green", "ada", AT)).toEqual({ id: 3 });
    expect(ids(await memory.recall("colour", WIDE))).toEqual([3]);
  });
});

describe("a file that is something else is refused and left alone", () => {
  test.each([
    [
      "text",
      () => writeFileSync(join(folder, "other.db"), "not a database, just a text that is long enough"),
    ],
    [
      "another database",
      () => {
        const db = new Database(join(folder, "other.db"));
        db.exec("CREATE TABLE t (a); PRAGMA application_id = 7");
        db.close();
      },
    ],
  ])("%s", (_what, make) => {
    make();
    expect(() => openHumanMemory(join(folder, "other.db"))).toThrow(/other\.db/u);
    expect(existsSync(join(folder, "other.db"))).toBe(true);
  });
});
