/** What only the bus in a file must show: its tables, files that are not what they should be, other processes. */
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifyChain } from "../../src/persistence/chain.ts";
import { type Bus, StaleCommit } from "../../src/persistence/ports.ts";
import { openSqliteBus, type SqliteBusOptions } from "../../src/persistence/sqlite/bus.ts";
import { busErrorOf } from "../../src/persistence/sqlite/errors.ts";
import { connect } from "../../src/persistence/sqlite/open.ts";
import { TABLES_VERSION } from "../../src/persistence/sqlite/tables.ts";
import { all, claimEpoch, note } from "./contract.ts";

let folder: string;
let file: string;
const open: { close(): unknown }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cfa-sqlite-"));
  file = join(folder, "jobs", "demo", "bus.db");
});
afterEach(async () => {
  for (const closable of open.splice(0)) await closable.close();
  rmSync(folder, { recursive: true });
});

function bus(options: SqliteBusOptions = { job: "demo" }): Bus {
  const opened = openSqliteBus(file, options);
  open.push(opened);
  return opened;
}

function raw(): Database.Database {
  const db = new Database(file);
  open.push(db);
  return db;
}

/** A closed file with three entries. */
async function written(): Promise<void> {
  const owner = bus();
  const epoch = await claimEpoch(owner);
  await owner.log.commit({ expected: 0, epoch, drafts: ["a", "b", "c"].map(note), consumed: [] });
  await owner.close();
}

describe("the file", () => {
  test("is made whole, with its folders, and nothing stays beside it", async () => {
    await bus().close();
    expect(readdirSync(join(folder, "jobs", "demo"))).toEqual(["bus.db"]);
    expect(raw().pragma("journal_mode", { simple: true })).toBe("wal");
  });

  test("can be opened without naming the job", async () => {
    await written();
    expect(bus({ mode: "existing" }).job).toBe("demo");
  });

  test.each(["existing", "readonly"] as const)("is not made by mode %s", (mode) => {
    expect(() => bus({ job: "demo", mode })).toThrow(/bus.db does not exist: check the job's id/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test.each([
  ["FULL", 2],
  ["NORMAL", 1],
] as const)("synchronous %s is what SQLite is told", async (synchronous, level) => {
  await written();
  const db = connect(file, "existing", synchronous);
  open.push(db);
  expect(db.pragma("synchronous", { simple: true })).toBe(level);
});

describe("the tables forbid", () => {
  test.each([
    ["changing a row", "UPDATE log SET body = '{}' WHERE seq = 2", /never changed/],
    ["changing all rows", "UPDATE log SET seq = seq + 10", /never changed/],
    ["deleting a row", "DELETE FROM log WHERE seq = 3", /never deleted/],
    ["deleting all rows", "DELETE FROM log", /never deleted/],
    ["replacing a row", "INSERT OR REPLACE INTO log SELECT * FROM log WHERE seq = 2", /follows the newest/],
    [
      "a gap",
      "INSERT INTO log SELECT 5, round, at, kind, body, prev, hash FROM log WHERE seq = 3",
      /follows/,
    ],
    ["a second owner", "INSERT INTO owner (one, epoch) VALUES (2, 9)", /CHECK constraint/],
    ["a number for a body", "INSERT INTO log VALUES (4, 2, '', 'note', NULL, '', '')", /NOT NULL/],
  ])("%s", async (_, sql, message) => {
    await written();
    const before = await all(bus().log);
    expect(() => raw().exec(sql)).toThrow(message);
    expect(await all(bus().log)).toEqual(before);
  });
});

describe("a commit after the entry that this connection wrote last is one statement, and as strict as any other", () => {
  const long = "x".repeat(2_000);

  test("rounds of every size, long texts and mail that is taken up between them, are one chain", async () => {
    const owner = bus();
    const epoch = await claimEpoch(owner);
    await owner.inbox.post({ id: "mail", verb: "tell", target: "", text: "hello", by: "ann" });
    let expected = 0;
    for (const size of [1, 2, 0, 32, 33, 1]) {
      for (const text of ["short", long]) {
        const drafts = Array.from({ length: size }, (_, at) => note(`${text} ${at}`));
        const entries = await owner.log.commit({ expected, epoch, drafts, consumed: [] });
        expected += entries.length;
      }
    }
    await owner.log.commit({ expected, epoch, drafts: [note("read")], consumed: ["mail"] });
    expect(await owner.inbox.pending()).toEqual([]);
    const entries = await all(owner.log);
    expect(entries).toHaveLength(expected + 1);
    expect(verifyChain(entries)).toEqual({ whole: true, head: await owner.log.head() });
  });

  test("what another connection has written since is seen, under whatever epoch", async () => {
    const [one, other] = [bus(), bus()];
    const epoch = await claimEpoch(one);
    const say = (on: Bus, expected: number, under = epoch) =>
      on.log.commit({ expected, epoch: under, drafts: [note("a")], consumed: [] });
    await say(one, 0);
    await say(other, 1);
    await expect(say(one, 1)).rejects.toThrow("has 2 entries, its writer knows 1");
    await say(one, 2);
    await other.ownership.release(epoch);
    await expect(say(one, 3)).rejects.toThrow(StaleCommit);
    const next = await claimEpoch(other);
    await expect(say(one, 3)).rejects.toThrow("holds epoch 1, the newest is 2");
    await say(one, 3, next);
    expect(verifyChain(await all(one.log))).toMatchObject({ whole: true, head: { seq: 4, round: 4 } });
  });
});

describe("a file is refused with a sentence and left as it is:", () => {
  const cases: readonly [string, () => void, string, RegExp][] = [
    [
      "text",
      () => writeFileSync(file, "a text, but no database\n".repeat(99)),
      "foreign",
      /not a SQLite database/,
    ],
    ["empty", () => writeFileSync(file, ""), "foreign", /not a cfa log, or is empty/],
    ["another program's database", () => otherDatabase(), "foreign", /not a cfa log/],
    [
      "of a newer cfa",
      () => setVersion(TABLES_VERSION + 1),
      "version",
      /written by a newer cfa \(format 3, this/,
    ],
    [
      "of an older cfa",
      () => setVersion(TABLES_VERSION - 1),
      "version",
      /written by an older cfa \(format 1, this/,
    ],
    [
      "cut to one page",
      () => truncateSync(file, 4096),
      "corrupt",
      /damaged or cut .* nothing was overwritten/,
    ],
    ["cut within the header", () => truncateSync(file, 50), "corrupt", /damaged or cut/],
    ["of no job", () => raw().exec("DELETE FROM meta"), "corrupt", /does not say of which job/],
    ["without its tables", () => raw().exec("DROP TABLE inbox"), "io", /no such table: inbox/],
  ];
  function otherDatabase(): void {
    rmSync(file);
    raw().exec("CREATE TABLE notes (text); PRAGMA user_version = 1");
  }
  function setVersion(version: number): void {
    raw().pragma(`user_version = ${version}`);
  }

  test.each(cases)("%s", async (_, damage, code, sentence) => {
    await written();
    damage();
    for (const closable of open.splice(0)) await closable.close();
    const before = readFileSync(file);
    for (const mode of ["create", "existing", "readonly"] as const) {
      expect(() => bus({ job: "demo", mode })).toThrow(sentence);
      expect(() => bus({ job: "demo", mode })).toThrow(expect.objectContaining({ name: "BusError", code }));
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("of another job", async () => {
    await written();
    expect(() => bus({ job: "other" })).toThrow(/holds job "demo", not "other"/);
  });

  test("a folder", () => {
    file = folder;
    expect(() => bus()).toThrow(expect.objectContaining({ name: "BusError", code: "io" }));
  });
});

describe("damage inside a file is named when it is read", () => {
  const damages: readonly [string, string, RegExp][] = [
    ["a missing row", "DELETE FROM log WHERE seq = 2", /lacks entry 2/],
    ["no rows but the newest", "DELETE FROM log WHERE seq < 3", /lacks entry 1/],
    [
      "an unknown kind",
      "UPDATE log SET kind = 'rumour' WHERE seq = 2",
      /entry 2 of .*unknown entry kind "rumour"/,
    ],
    ["a kind of Object's", "UPDATE log SET kind = 'toString' WHERE seq = 2", /unknown entry kind "toString"/],
    ["a body that is no JSON", "UPDATE log SET body = '{' WHERE seq = 2", /entry 2 of .*body is not JSON/],
    ["a body of another kind", "UPDATE log SET kind = 'park' WHERE seq = 2", /entry 2 of .*\(park\): parked/],
    [
      "a field too many",
      `UPDATE log SET body = '{"level":"info","thread":null,"text":"","x":1}'`,
      /entry 1 of .*"x"/,
    ],
  ];

  test.each(damages)("%s", async (_, sql, sentence) => {
    await written();
    raw().exec(`DROP TRIGGER log_no_update; DROP TRIGGER log_no_delete; ${sql}`);
    const read = all(bus().log);
    await expect(read).rejects.toThrow(sentence);
    await expect(read).rejects.toMatchObject({ name: "BusError", code: "corrupt" });
  });

  test("an owner row that no cfa wrote", async () => {
    await written();
    raw().exec("UPDATE owner SET pid = 1");
    await expect(bus().ownership.owner()).rejects.toMatchObject({ name: "BusError", code: "corrupt" });
  });
});

describe("readonly", () => {
  test("reads while the owner writes, and writes nothing itself", async () => {
    const owner = bus();
    const epoch = await claimEpoch(owner);
    const reader = bus({ mode: "readonly" });
    await owner.log.commit({ expected: 0, epoch, drafts: [note("a")], consumed: [] });
    expect(await all(reader.log)).toEqual(await all(owner.log));
    expect(await reader.ownership.owner()).toMatchObject({ pid: process.pid, epoch });
    const item = { id: "a", verb: "tell", target: "", text: "", by: "ann" } as const;
    const writes: readonly (() => Promise<unknown>)[] = [
      () => reader.inbox.post(item),
      () => reader.log.saveCheckpoint({ seq: 1, state: "" }),
      () => reader.log.commit({ expected: 1, epoch, drafts: [note("b")], consumed: [] }),
      () => reader.ownership.beat(epoch),
      () => owner.close().then(() => reader.ownership.claim()),
    ];
    for (const write of writes)
      await expect(write()).rejects.toMatchObject({ name: "BusError", code: "read-only" });
  });

  test("reads a file that lies elsewhere, alone", async () => {
    await written();
    const copy = join(folder, "copy.db");
    copyFileSync(file, copy);
    file = copy;
    expect(await all(bus({ mode: "readonly" }).log)).toHaveLength(3);
  });
});

describe("what SQLite reports becomes a sentence", () => {
  test("no space left", async () => {
    await written();
    const db = raw();
    db.pragma(`max_page_count = ${String(db.pragma("page_count", { simple: true }))}`);
    const fill = (): unknown => db.prepare("INSERT INTO checkpoint VALUES (1, 1, ?)").run("x".repeat(99_999));
    expect(errorOf(fill)).toMatchObject({ code: "full", message: expect.stringContaining("no space left") });
  });

  test("locked by another process", async () => {
    await written();
    raw().exec("BEGIN IMMEDIATE");
    const second = new Database(file, { timeout: 0 });
    open.push(second);
    expect(errorOf(() => second.exec("BEGIN IMMEDIATE"))).toMatchObject({ code: "busy" });
  });

  test("anything else keeps SQLite's words and code", async () => {
    await written();
    expect(errorOf(() => raw().exec("DELETE FROM log"))).toMatchObject({
      code: "io",
      message: expect.stringMatching(/never deleted \(SQLITE_CONSTRAINT_TRIGGER\)/),
    });
  });

  test("errors of others pass", () => {
    const error = new Error("mine");
    expect(busErrorOf(error, file)).toBe(error);
  });

  function errorOf(act: () => unknown): unknown {
    try {
      act();
    } catch (error) {
      return busErrorOf(error, file);
    }
    return undefined;
  }
});

describe("another process", () => {
  test("keeps the job while it lives and loses it when it is killed", async () => {
    const mine = bus();
    const holder = execa("node", [fileURLToPath(new URL("./hold-owner.mjs", import.meta.url)), file, "7"], {
      reject: false,
    });
    await once(holder.stdout, "data");
    expect(await mine.ownership.claim()).toMatchObject({
      owner: { host: hostname(), pid: holder.pid, epoch: 7, expired: false },
    });
    holder.kill("SIGKILL");
    await holder;
    expect(await mine.ownership.owner()).toMatchObject({ pid: holder.pid, expired: true });
    expect(await mine.ownership.claim()).toEqual({ epoch: 8 });
  });

  test("may find the file that another has just made: both open one log", async () => {
    const [first, second] = [bus(), bus()];
    const epoch = await claimEpoch(first);
    await first.log.commit({ expected: 0, epoch, drafts: [note("a")], consumed: [] });
    expect(await all(second.log)).toHaveLength(1);
  });
});
