/** Long texts are stored once, come back as they were, and are covered by the hashes (docs/log.md, "The file"). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyRows } from "../../src/persistence/chain.ts";
import type { Draft } from "../../src/persistence/entry.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";
import { openSqliteBus } from "../../src/persistence/sqlite/bus.ts";

const folder = mkdtempSync(join(tmpdir(), "cfa-texts-"));
const file = join(folder, "bus.db");
afterAll(() => rmSync(folder, { recursive: true }));

const note = (text: string): Draft => ({ kind: "note", body: { level: "info", thread: null, text } });
const long = `a "quoted" \\ line,\n\u0001 a mark and ${"\u{1F9EA} ".repeat(600)}`;
const escapes = '\n"\\'.repeat(300_000);
const most = "x".repeat(1_021);
const least = "x".repeat(1_022);
const forged = `\u0001${"0".repeat(64)}`;
const TEXTS = ["short", long, `${long}.`, long, most, least, forged, escapes, long];

beforeAll(async () => {
  const bus = openSqliteBus(file, { job: "j" });
  const claim = await bus.ownership.claim();
  if ("owner" in claim) throw new Error("the job is owned");
  await bus.log.commit({ expected: 0, epoch: claim.epoch, drafts: TEXTS.map(note), consumed: [] });
  await bus.close();
});

const changed = (sql: string): string => {
  const copy = join(folder, `${Math.abs(sql.length)}.db`);
  const from = new Database(file);
  from.prepare("VACUUM INTO ?").run(copy);
  from.close();
  const db = new Database(copy);
  db.exec(`DROP TRIGGER texts_no_update; DROP TRIGGER texts_no_delete; ${sql}`);
  db.close();
  return copy;
};
const verdict = (path: string) => {
  const log = openLogFile(path);
  try {
    return verifyRows(log.rows());
  } finally {
    log.close();
  }
};

test("entries are read as they were written, and the chain is whole", async () => {
  const bus = openSqliteBus(file, { mode: "readonly" });
  const read: string[] = [];
  for await (const entry of bus.log.read()) if (entry.kind === "note") read.push(entry.body.text);
  await bus.close();
  expect(read).toEqual(TEXTS);
  expect(verdict(file)).toMatchObject({ whole: true });
});

test("a text is stored once, however many entries hold it; short ones stay where they are", () => {
  const db = new Database(file, { readonly: true });
  const stored = db.prepare("SELECT text FROM texts").pluck().all();
  const bodies = db.prepare("SELECT max(length(body)) FROM log").pluck().get();
  db.close();
  const wanted = [long, `${long}.`, least, escapes].map((text) => JSON.stringify(text));
  expect(wanted.map((text) => stored.includes(text))).toEqual([true, true, true, true]);
  expect(stored).toHaveLength(4);
  expect(bodies).toBeLessThan(1_100);
});

test("the tables forbid changing, deleting and replacing one; put there again it is there once", () => {
  const db = new Database(file);
  expect(() => db.exec("UPDATE texts SET text = ''")).toThrow("never changed");
  expect(() => db.exec("DELETE FROM texts")).toThrow("never deleted");
  for (const verb of ["INSERT", "REPLACE", "INSERT OR REPLACE"]) {
    const put = db.prepare(`${verb} INTO texts SELECT hash, text || ? FROM texts`);
    expect(() => put.run("."), verb).toThrow("never replaced");
    expect(put.run("").changes, verb).toBe(0);
  }
  db.close();
});

test("a changed one breaks the hash of the first entry that holds it; a missing one is named with it", () => {
  expect(verdict(changed("UPDATE texts SET text = replace(text, 'line', 'lime')"))).toMatchObject({
    whole: false,
    seq: 2,
  });
  expect(() => verdict(changed("DELETE FROM texts"))).toThrow(
    /lacks a text of entry 2: restore it from a copy/u,
  );
});
