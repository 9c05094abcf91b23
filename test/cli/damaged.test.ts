/**
 * Logs that are not what they should be, to every command that reads one: named in a sentence, exit code 6, and not one
 * byte changed.
 */
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rechained } from "../../src/persistence/chain.ts";
import { VERSIONS } from "../../src/persistence/entry.ts";
import { openLogFile } from "../../src/persistence/log-file.ts";
import { directory, git, hangOnce, here, repository, shellJob, start } from "./fixture.ts";
import { type Finished, finishedJob } from "./reading-fixture.ts";

let done: Finished;

beforeAll(async () => {
  done = await finishedJob();
});
afterAll(() => done.remove());

/** The repository with the job, copied, its database spoilt. */
function spoilt(spoil: (database: string) => void): { readonly top: string; readonly database: string } {
  const top = join(directory(), "repository");
  cpSync(done.top, top, { recursive: true });
  const database = join(top, ".cfa", "jobs", done.job, "bus.db");
  spoil(database);
  return { top, database };
}

function overwrite(file: string, at: number, byte: number): void {
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.from([byte]), 0, 1, at);
  closeSync(handle);
}

const PAGE = 4096;

/** Where the first page of a table begins. */
function pageOf(database: string, table: string): number {
  const db = new Database(database, { readonly: true });
  const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table);
  db.close();
  return (Number(page) - 1) * PAGE;
}

function withDatabase(database: string, sql: string): void {
  const db = new Database(database);
  db.exec(sql);
  db.close();
}

/** The commands that read a log. */
const READERS: readonly (readonly string[])[] = [
  ["verify"],
  ["resume"],
  ["status"],
  ["log"],
  ["log", "--jsonl"],
  ["replay"],
  ["step", "--commands", "q"],
];

describe("whoever asks how a job stands begins at its checkpoint, and reads nothing before it", () => {
  const SPOIL = "DROP TRIGGER log_no_update; UPDATE log SET body = 'spoilt' WHERE seq = 5;";

  test.each<[string, (job: string) => readonly string[]]>([
    ["status", (job) => ["status", "--json", job]],
    ["status --all", () => ["status", "--all", "--json"]],
    ["resume", (job) => ["resume", job]],
    ["inbox", () => ["inbox", "--json"]],
  ])("%s", async (_, words) => {
    const args = words(done.job);
    const whole = await here(done.top, ...args);
    const { top } = spoilt((file) => withDatabase(file, SPOIL));
    const said = await here(top, ...args);
    expect({ ...said, out: said.out.replaceAll(top, done.top) }).toEqual(whole);
  });

  test("without one, the entry is read and named", async () => {
    const { top } = spoilt((file) => withDatabase(file, `${SPOIL} DELETE FROM checkpoint`));
    const { code, err } = await here(top, "status", done.job);
    expect({ code, err }).toEqual({ code: 6, err: expect.stringContaining("entry 5") });
  });

  test("without one, the log alone tells the same", async () => {
    const whole = await here(done.top, "status", "--json", done.job);
    const { top } = spoilt((file) => withDatabase(file, "DELETE FROM checkpoint"));
    expect(await here(top, "status", "--json", done.job)).toEqual(whole);
  });
});

describe.each<[string, (database: string) => void, RegExp]>([
  ["truncated in the midst", (file) => truncateSync(file, 3 * PAGE), /damaged or cut/],
  ["truncated in its header", (file) => truncateSync(file, 50), /damaged or cut|not a SQLite database/],
  ["empty", (file) => truncateSync(file, 0), /is empty/],
  ["text", (file) => writeFileSync(file, "no database\n".repeat(999)), /not a SQLite database/],
  ["with a byte flipped in its header", (file) => overwrite(file, 3, 0x00), /not a SQLite database/],
  ["with a byte flipped in a page", (file) => overwrite(file, pageOf(file, "log"), 0xff), /damaged or cut/],
  ["of a newer cfa", (file) => withDatabase(file, "PRAGMA user_version = 99"), /newer cfa/],
])("a database that is %s", (_, spoil, says) => {
  test.each(READERS.map((words) => ({ words })))("$words", async ({ words }) => {
    const { top, database } = spoilt(spoil);
    const before = readFileSync(database);
    const said = await here(top, ...words, done.job);
    expect(said).toMatchObject({ code: 6 });
    expect(`${said.out}${said.err}`).toMatch(says);
    expect(readFileSync(database).equals(before)).toBe(true);
  });
});

/** Writes the log anew as of a newer format; its chain is whole. */
function ofNewerFormat(database: string): void {
  const file = openLogFile(database);
  const rows = [...file.rows()];
  file.close();
  const known = `"format":${VERSIONS.format},`;
  const db = new Database(database);
  db.exec("DROP TRIGGER log_no_update; DELETE FROM checkpoint");
  const write = db.prepare("UPDATE log SET body = ?, prev = ?, hash = ? WHERE seq = ?");
  let prev = rows[0]?.prev ?? "";
  for (const row of rows) {
    const body = row.seq === 1 ? row.body.replace(known, `"format":${VERSIONS.format + 1},`) : row.body;
    const { hash } = rechained({ ...row, body }, row.job, prev);
    write.run(body, prev, hash, row.seq);
    prev = hash;
  }
  db.close();
}

test("a log of a newer format, its chain whole: to every command that reads a job, adds to it, or reads its export", async () => {
  const { top, database } = spoilt(ofNewerFormat);
  await git(top, "update-ref", "-d", `refs/cfa/${done.job}/anchor`);
  const file = join(directory(), "log.jsonl");
  writeFileSync(file, `${done.lines.join("\n").replace(/"format":(\d+)/, '"format":99')}\n`);
  const before = readFileSync(database);
  const jobs = readdirSync(join(top, ".cfa", "jobs"));
  for (const words of [
    ...READERS.map((reader) => [reader[0] ?? "", done.job, ...reader.slice(1)]),
    ["why", done.job, "3"],
    ["answer", "q1", "blue", "--job", done.job],
    ["tell", done.job, "more"],
    ["fork", done.job, "--at", "9"],
    ["gc", done.job, "--older-than", "0"],
    ["replay", file],
    ["step", file, "--commands", "q"],
    ["why", file, "3"],
  ]) {
    const said = await here(top, ...words);
    expect({ words, ...said }).toMatchObject({ words, code: 6 });
    expect(`${said.out}${said.err}`).toMatch(
      /its format is version \d+, and this cfa reads version \d+: use a/,
    );
  }
  expect(readFileSync(database).equals(before)).toBe(true);
  expect(readdirSync(join(top, ".cfa", "jobs"))).toEqual(jobs);
});

test("a log that lies in the folder of another job, to every command that reads or adds to it", async () => {
  const { top, database } = spoilt(() => undefined);
  const other = join(top, ".cfa", "jobs", "other-1234abcd");
  cpSync(join(database, ".."), other, { recursive: true });
  for (const words of [...READERS, ["why", "3"], ["fork", "--at", "9"]]) {
    const [verb = "", ...rest] = words;
    const said = await here(top, verb, "other-1234abcd", ...rest);
    expect({ words, ...said }).toMatchObject({ words, code: 6 });
    expect(said.err).toMatch(/holds job "\S+", not "other-1234abcd": its folder was renamed or mixed up$/);
  }
});

test("a write-ahead log that is missing: the anchor tells that entries are gone, to whoever reads or adds to the job", async () => {
  const top = await repository();
  const hung = join(directory(), "hung");
  shellJob(top, { lead: hangOnce(hung) });
  const run = start(top, "run");
  await run.seen("lead EXECUTE starts turn 1");
  await expect.poll(() => existsSync(hung), { timeout: 60_000 }).toBe(true);
  run.kill("SIGKILL");
  await run.end();
  const [job = ""] = readdirSync(join(top, ".cfa", "jobs"));
  const database = join(top, ".cfa", "jobs", job, "bus.db");
  for (const suffix of ["-wal", "-shm"]) rmSync(`${database}${suffix}`);
  const before = readFileSync(database);
  const others = [
    ["run"],
    ["why", "3"],
    ["answer", "q1", "blue", "--job", job],
    ["withdraw", "--reason", "enough"],
    ["fork", "--at", "1"],
    ["gc", "--older-than", "0"],
  ];
  for (const words of [...READERS, ...others]) {
    const said = await here(top, ...words);
    expect({ words, ...said }).toMatchObject({ words, code: 6 });
    expect(`${said.out}${said.err}`).toMatch(
      words[0] === "verify"
        ? /the log is empty/
        : /names entry \d+, and the log ends at entry 0: .*bus\.db-wal/,
    );
  }
  expect(readFileSync(database).equals(before)).toBe(true);
});

test("an export with a line cut, to every command that reads a file", async () => {
  const file = join(directory(), "log.jsonl");
  writeFileSync(file, `${done.lines.with(5, done.lines[5]?.slice(0, 40) ?? "").join("\n")}\n`);
  const before = readFileSync(file);
  for (const words of [
    ["verify", file],
    ["replay", file],
    ["why", file, "7"],
  ]) {
    const said = await here(directory(), ...words);
    expect({ words, ...said }).toMatchObject({ words, code: 6 });
    expect(`${said.out}${said.err}`).toMatch(/line 6/);
  }
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("an export without a line, to every command that reads a file", async () => {
  const file = join(directory(), "log.jsonl");
  writeFileSync(file, "");
  for (const words of [
    ["verify", file],
    ["replay", file],
    ["why", file, "7"],
    ["step", file, "--commands", "q"],
  ]) {
    const said = await here(directory(), ...words);
    expect({ words, ...said }).toMatchObject({ words, code: 6 });
    expect(`${said.out}${said.err}`).toContain("is empty: it needs the entry that opens the job");
  }
});

test("a file of a log that is shorter than its anchor, where its repository is named", async () => {
  const file = join(directory(), "log.jsonl");
  writeFileSync(file, `${done.lines.slice(0, 9).join("\n")}\n`);
  for (const words of [
    ["replay", file],
    ["why", file, "7"],
    ["step", file, "--commands", "q"],
  ]) {
    expect(await here(directory(), ...words), "nothing to compare with").toMatchObject({ code: 0 });
    const { code, err } = await here(directory(), ...words, "--repo", done.top);
    expect({ words, code }).toEqual({ words, code: 6 });
    expect(err).toMatch(/names entry \d+, and the log ends at entry 9: /);
  }
});
