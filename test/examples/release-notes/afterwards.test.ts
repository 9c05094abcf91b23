/**
 * The example when it has ended: its log is valid, a copy of which anything was changed is not; forked at ten entries, every fork
 * ends with the same notes and runs only what had not been done.
 */
import { copyFileSync, writeFileSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyLog } from "../../../src/engine/verify.ts";
import { decodeEntry } from "../../../src/persistence/codec.ts";
import type { Entry } from "../../../src/persistence/entry.ts";
import { jobFile, listJobs } from "../../../src/persistence/jobs.ts";
import { openLogFile } from "../../../src/persistence/log-file.ts";
import { git, history, makeRepository, removeRepositories } from "./repository.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../../examples/release-notes");
const MAIN = resolve(import.meta.dirname, "../../../dist/cli/main.js");

/** The repository with the finished job, and what `cfa log --jsonl` printed. */
let root: string;
let dir: string;
let job: string;
let ran: () => Promise<number>;
let lines: readonly string[];
beforeAll(async () => {
  ({ root, dir } = await makeRepository(history(4)));
  const example = await countedExample();
  ran = example.ran;
  expect(await cfa("run", example.file, "--repo", dir, "-q")).toMatchObject({ exitCode: 0 });
  [job = ""] = await listJobs(dir);
  lines = (await cfa("log", "--jsonl")).stdout.split("\n");
});
afterAll(removeRepositories);

const cfa = (...words: readonly string[]) =>
  execa(process.execPath, [MAIN, ...words], { cwd: dir, reject: false });

/** The example with agents that leave a line in `ran` for each turn that they begin. */
async function countedExample(): Promise<{ readonly file: string; readonly ran: () => Promise<number> }> {
  const folder = join(root, "example");
  const turns = join(root, "ran");
  await cp(EXAMPLE, folder, { recursive: true });
  await writeFile(turns, "");
  await writeFile(join(folder, "counted.sh"), `echo "$CFA_THREAD $CFA_TURN" >>'${turns}'\nexec node "$1"\n`);
  const file = join(folder, "job.yaml");
  const counted = (await readFile(file, "utf8"))
    .replaceAll("run: [node,", "run: [sh, counted.sh,")
    .replace(
      "exempt: [",
      `exempt: [{ tool: sh, path: ${turns}, reason: the test counts turns, write: true }, `,
    );
  await writeFile(file, counted);
  return { file, ran: async () => (await readFile(turns, "utf8")).split("\n").length - 1 };
}

function entriesOf(id: string): readonly Entry[] {
  const file = openLogFile(jobFile(dir, id));
  try {
    return [...file.rows()].map((row) => decodeEntry(row, `entry ${row.seq}`));
  } finally {
    file.close();
  }
}

/** Verifies a file in this process: what is wrong with which entry. */
async function offenceIn(path: string): Promise<number | undefined> {
  const file = openLogFile(path);
  try {
    return (await verifyLog(file)).offence?.seq;
  } finally {
    file.close();
  }
}

/** The export with the text of one line changed. */
function exportWith(at: number, change: (line: string) => string): string {
  const file = join(root, "changed.jsonl");
  writeFileSync(file, `${lines.with(at, change(lines[at] ?? "")).join("\n")}\n`);
  return file;
}

/** The database with one statement carried out, triggers out of the way. */
function databaseWith(sql: string): string {
  const file = join(root, "changed.db");
  copyFileSync(jobFile(dir, job), file);
  const db = new Database(file);
  db.exec("DROP TRIGGER log_no_update; DROP TRIGGER log_no_delete; DROP TRIGGER log_append");
  db.exec(sql);
  db.close();
  return file;
}

/** A text with one byte of `part`, which it holds, changed: which byte differs from entry to entry. */
function withByteOf(part: string, text: string, seed: number): string {
  const at = text.indexOf(part) + ((seed * 31) % part.length);
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
}

const memberOf = (name: string, line: string): string =>
  new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*"|\\{.*\\})(?=,"prev"|\\}$)`).exec(line)?.[1] ?? "";

describe("cfa verify", () => {
  test("the log as it is: exit code 0", async () => {
    expect(await cfa("verify", job)).toMatchObject({ exitCode: 0 });
  });

  test.each(["body", "hash"])("a byte of any %s of the export: that entry is named", async (member) => {
    for (const [at, line] of lines.entries()) {
      const part = memberOf(member, line);
      expect(part).not.toBe("");
      expect(await offenceIn(exportWith(at, (text) => withByteOf(part, text, at)))).toBe(at + 1);
    }
  });

  test("a byte of any rule id of the export: that entry is named", async () => {
    for (const [at, line] of lines.entries()) {
      const rule = /"rule":"([^"]+)"/.exec(line)?.[1];
      if (rule === undefined) continue;
      expect(await offenceIn(exportWith(at, (text) => withByteOf(`"rule":"${rule}"`, text, 8)))).toBe(at + 1);
    }
  });

  test("any two neighbours of the export exchanged: the first of them is named", async () => {
    for (let at = 1; at < lines.length; at++) {
      const file = join(root, "changed.jsonl");
      const changed = lines.with(at - 1, lines[at] ?? "").with(at, lines[at - 1] ?? "");
      writeFileSync(file, `${changed.join("\n")}\n`);
      // It names the number of the entry that stands in the place of another one.
      expect([at, at + 1]).toContain(await offenceIn(file));
    }
  });

  const ninth = "seq % 9 = 0";
  test.each([
    ["body", `substr(body, 1, 7) || char(unicode(substr(body, 8, 1)) + 1) || substr(body, 9)`, ninth],
    ["hash", `'0' || substr(hash, 2)`, `${ninth} AND hash NOT LIKE '0%'`],
    ["rule id", `replace(body, '"rule":"s', '"rule":"t')`, `body LIKE '%"rule":"s%'`],
  ])("a byte of a %s of the database: that entry is named", async (name, value, where) => {
    const column = name === "hash" ? "hash" : "body";
    const db = new Database(jobFile(dir, job), { readonly: true });
    const found = db.prepare<[], number>(`SELECT seq FROM log WHERE ${where}`).pluck().all();
    db.close();
    expect(found.length).toBeGreaterThan(5);
    for (const seq of found)
      expect(await offenceIn(databaseWith(`UPDATE log SET ${column} = ${value} WHERE seq = ${seq}`))).toBe(
        seq,
      );
  });

  test("on the command line: exit code 6, the entry in notation", async () => {
    const order =
      "UPDATE log SET seq = -1 WHERE seq = 30; UPDATE log SET seq = 30 WHERE seq = 31; UPDATE log SET seq = 31 WHERE seq = -1";
    const changed: readonly (readonly [() => string, number])[] = [
      [() => exportWith(19, (line) => withByteOf(memberOf("body", line), line, 3)), 20],
      [() => databaseWith("UPDATE log SET hash = replace(hash, substr(hash, 9, 1), 'z') WHERE seq = 25"), 25],
      [() => databaseWith(order), 30],
    ];
    for (const [change, seq] of changed) {
      const { exitCode, stdout } = await cfa("verify", change());
      expect({ exitCode, stdout }).toMatchObject({
        exitCode: 6,
        stdout: expect.stringContaining(`invalid: entry ${seq} of ${job}: `),
      });
    }
  });
});

/** How many turns end among the entries of a job that come before the first of `kind`; all without one. */
function turnsBefore(id: string, kind?: string): number {
  const entries = entriesOf(id);
  const end = entries.findIndex((entry) => entry.kind === kind);
  return entries.slice(0, end < 0 ? undefined : end).filter((entry) => entry.kind === "turn").length;
}

test("ten forks, spread over the log, end DONE with the same notes and run no turn again", async () => {
  const notes = await git(dir, ["show", `cfa/${job}:RELEASE_NOTES.md`]);
  const all = turnsBefore(job);
  expect(await ran()).toBe(all);
  for (let at = 1; at <= lines.length; at += Math.ceil(lines.length / 10)) {
    const before = await ran();
    const { exitCode, stdout, stderr } = await cfa("fork", job, "--at", String(at), "-q");
    expect({ at, exitCode, stdout, stderr }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(" is DONE: "),
    });
    const [fork = ""] = /^\S+/.exec(stderr) ?? [];
    expect(await git(dir, ["show", `cfa/${fork}:RELEASE_NOTES.md`]), fork).toBe(notes);
    expect((await ran()) - before, fork).toBe(all - turnsBefore(fork, "fork"));
    expect(await cfa("verify", fork), fork).toMatchObject({ exitCode: 0 });
  }
  expect(await listJobs(dir)).toHaveLength(11);
  expect(await cfa("verify", job)).toMatchObject({ exitCode: 0 });
}, 900_000);
