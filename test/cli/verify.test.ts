/** `cfa verify`: what it says of jobs and of files, and that nothing damaged passes. */
import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Draft } from "../../src/persistence/entry.ts";
import { openSqliteBus } from "../../src/persistence/sqlite/bus.ts";
import { cfa, directory, here } from "./fixture.ts";
import { type Finished, finishedJob } from "./reading-fixture.ts";

let done: Finished;
beforeAll(async () => {
  done = await finishedJob();
});
afterAll(() => done.remove());

test("a job is valid, checked against its anchor and its commits; the hash that it prints can be kept", async () => {
  const { top, job, lines } = done;
  const { code, out } = await cfa(top, "verify");
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^valid: ${job}, ${lines.length} entries in \\d+ commits\n`));
  expect(out).toMatch(/\n {2}anchor +refs\/cfa\/\S+\/anchor names entry \d+ with its hash\n/);
  expect(out).toMatch(/\n {2}commits +the commits that it names are in the repository\n/);
  const [, head = ""] = /^head: (\S+)$/m.exec(out) ?? [];
  expect((await here(top, "verify", "--head", head)).code).toBe(0);
  expect((await here(top, "verify", job, "--head", head.split(":")[1]!)).out).toContain(
    "the kept hash stands in it",
  );
});

test.each(["verify", "replay"])("%s leaves nothing beside a file that it reads", async (verb) => {
  const elsewhere = directory();
  copyFileSync(done.database, join(elsewhere, "bus.db"));
  expect(await here(elsewhere, verb, "./bus.db")).toMatchObject({ code: 0, err: "" });
  expect(readdirSync(elsewhere)).toEqual(["bus.db"]);
});

test("entries that only the write-ahead log holds are read, too", async () => {
  const copy = join(directory(), "bus.db");
  copyFileSync(done.database, copy);
  const bus = openSqliteBus(copy);
  const claim = await bus.ownership.claim();
  const { seq: expected } = await bus.log.head();
  const note: Draft = { kind: "note", body: { level: "info", thread: null, text: "more" } };
  if ("epoch" in claim) await bus.log.commit({ expected, epoch: claim.epoch, drafts: [note], consumed: [] });
  const { out } = await here(directory(), "verify", copy);
  await bus.close();
  expect(out).toMatch(new RegExp(`^valid: ${done.job}, ${done.lines.length + 1} entries`));
});

test("a pipe and a folder are refused: a log is read more than once", async () => {
  const elsewhere = directory();
  await execa("mkfifo", [join(elsewhere, "log.jsonl")]);
  for (const name of ["./log.jsonl", "./"]) {
    const { code, out, err } = await here(elsewhere, "verify", name);
    expect({ code, out }).toEqual({ code: 6, out: "" });
    expect(err).toMatch(/ is no regular file: write the log into one, and name that$/);
  }
});

test("a file is enough, anywhere; what could not be checked is said", async () => {
  const elsewhere = directory();
  for (const file of [done.file, done.database]) {
    const { code, out } = await here(elsewhere, "verify", file);
    expect(code).toBe(0);
    expect(out).toMatch(
      /not checked:\n {2}anchor +no repository was given \(--repo\)\n {2}commits +no repository/,
    );
  }
  const { out } = await here(elsewhere, "verify", done.file, "--repo", done.top);
  expect(out).toMatch(/anchor +refs\/cfa/);
  const json: unknown = JSON.parse((await here(elsewhere, "verify", done.file, "--json")).out);
  expect(json).toMatchObject({ valid: true, job: done.job, offence: null });
});

describe("a changed copy exits 6 and names the entry:", () => {
  /** A copy of the database in which triggers no longer stand in the way. */
  function tampered(change: (db: Database.Database) => void): string {
    const copy = join(directory(), "bus.db");
    copyFileSync(done.database, copy);
    const db = new Database(copy);
    db.exec("DROP TRIGGER log_no_update; DROP TRIGGER log_no_delete; DROP TRIGGER log_append");
    change(db);
    db.close();
    return copy;
  }

  const flip = "update log set body = substr(body, 1, 5) || 'x' || substr(body, 7) where seq = 7";
  test.each<[string, string, number | string]>([
    ["a byte of a body", flip, 7],
    ["a hash", "update log set hash = replace(hash, substr(hash, 1, 1), 'z') where seq = 9", 9],
    [
      "a rule id",
      `update log set body = replace(body, '"spark"', '"sparc"') where seq = (select min(seq) from log where body like '%"spark"%')`,
      '"rule":"spark"',
    ],
    ["a body that is no text any more", "update log set body = CAST(x'7bff7d' AS TEXT) where seq = 5", 5],
    ["a row that is gone", "delete from log where seq = 4", 5],
    [
      "the order",
      "update log set seq = -1 where seq = 8; update log set seq = 8 where seq = 9; update log set seq = 9 where seq = -1",
      8,
    ],
    ["the end that is cut off", "delete from log where seq > 12", 12],
  ])("%s", async (_, sql, seq) => {
    const file = tampered((db) => db.exec(sql));
    const number = typeof seq === "number" ? seq : done.lines.findIndex((line) => line.includes(seq)) + 1;
    const bytes = readFileSync(file);
    const { code, out } = await here(done.top, "verify", file, "--repo", done.top);
    expect(code).toBe(6);
    expect(out).toMatch(new RegExp(`^invalid: entry ${number} of ${done.job}: `));
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test.each<[string, (lines: readonly string[]) => string, RegExp]>([
    ["a line cut", (lines) => lines.join("\n").slice(0, -10), /line \d+ is cut short/],
    [
      "a line in the middle cut",
      (lines) => [...lines.with(5, lines[5]!.slice(0, 40)), ""].join("\n"),
      /invalid: entry 6 .*\n.*line 6/,
    ],
    ["a byte that is not UTF-8", (lines) => `\u00ff${lines.join("\n")}\n`, /not a JSON object/],
    ["carriage returns", (lines) => [...lines, ""].join("\r\n"), /line 1: written otherwise/],
    [
      "a newer format",
      (lines) => [...lines, ""].join("\n").replace('"format":1', '"format":2'),
      /invalid: entry 1/,
    ],
    ["nothing", () => "", /the log is empty/],
  ])("an export with %s", async (_, change, says) => {
    const file = join(directory(), "log.jsonl");
    writeFileSync(file, change(done.lines), "utf8");
    const { code, out } = await here(directory(), "verify", file);
    expect({ code, out }).toMatchObject({ code: 6, out: expect.stringMatching(says) });
  });

  test("the offending entry stands in notation, with what the rule would have required", async () => {
    const { out } = await here(
      done.top,
      "verify",
      tampered((db) => db.exec(flip)),
    );
    expect(out).toMatch(
      /^invalid: entry 7 of \S+: \S+\n {2}chain: entry 7: carries the hash .*, but its bytes give /,
    );
  });
});

test.each<[string, (file: string) => void, RegExp]>([
  ["truncated", (file) => truncateSync(file, 6000), /damaged or cut/],
  [
    "no database",
    (file) => writeFileSync(file, "not a database, though it is long enough"),
    /not a SQLite database/,
  ],
  [
    "written by a newer cfa",
    (file) => withDatabase(file, (db) => db.pragma("user_version = 99")),
    /newer cfa/,
  ],
])("a database that is %s is named on stderr, exit code 6", async (_, spoil, says) => {
  const copy = join(directory(), "bus.db");
  copyFileSync(done.database, copy);
  spoil(copy);
  const said = await here(directory(), "verify", copy);
  expect(said.code).toBe(6);
  expect(`${said.out}${said.err}`).toMatch(says);
});

function withDatabase(file: string, change: (db: Database.Database) => void): void {
  const db = new Database(file);
  change(db);
  db.close();
}

test.each([
  [["verify", "no.jsonl"], /no\.jsonl does not exist/],
  [["verify", "--head", "abc"], /"abc" is no hash of an entry/],
])("%j is a misuse", async (words, says) => {
  const said = await here(done.top, ...words);
  expect(said).toMatchObject({ code: 2, out: "", err: expect.stringMatching(says) });
});
